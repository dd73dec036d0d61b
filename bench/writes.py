"""Rows of the table: creates of a typical pod, and the patches that controllers and kubectl send."""
import json

from pair import NAMESPACE

APPLY, MERGE, STRATEGIC = (f"application/{kind}" for kind in ("apply-patch+yaml", "merge-patch+json", "strategic-merge-patch+json"))
DEPLOYMENTS = "/apis/apps/v1/namespaces/default/deployments"


def container(name):
    probe = {"httpGet": {"path": "/healthz", "port": "http"}, "periodSeconds": 10}
    return {"name": name, "image": f"registry.example.com/team/{name}:v1.2.3", "ports": [{"name": "http", "containerPort": 8080}],
            "env": [{"name": "LEVEL", "value": "info"}, {"name": "POD_IP", "valueFrom": {"fieldRef": {"fieldPath": "status.podIP"}}}],
            "resources": {"requests": {"cpu": "100m", "memory": "128Mi"}, "limits": {"memory": "256Mi"}},
            "livenessProbe": probe, "readinessProbe": probe, "volumeMounts": [{"name": "config", "mountPath": "/etc/config", "readOnly": True}],
            "securityContext": {"runAsNonRoot": True, "allowPrivilegeEscalation": False, "capabilities": {"drop": ["ALL"]}}}


def pod(name, containers=1):
    spec = {"containers": [container(f"c{i}") for i in range(containers)], "volumes": [{"name": "config", "configMap": {"name": "config"}}]}
    return {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": name, "labels": {"app": "bench", "tier": "web"}}, "spec": spec}


def deployment(name, annotation):
    template = pod("x", containers=3)
    template = {"metadata": {"labels": template["metadata"]["labels"]}, "spec": template["spec"]}
    spec = {"replicas": 3, "selector": {"matchLabels": {"app": "bench"}}, "template": template}
    return {"apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"name": name, "annotations": {"bench": annotation}}, "spec": spec}


def measure_writes(pair, options, figures, rates):
    """Each connection patches an object of its own, so that none waits for another's."""
    def row(name, connections, path, method, media, status, body):
        result = pair.load("send", path, connections, options.seconds, method, media, status, body=json.dumps(body))
        rates(figures, f"{name}, {connections} connection{'s' * (connections > 1)}", result)

    for connections in (1, 64):
        row("pod creates", connections, NAMESPACE + "/pods", "POST", "application/json", 201, pod(f"p{connections}-@n"))
    for c in range(16):
        pair.load("send", NAMESPACE + "/pods", 1, 0, "POST", "application/json", 201, body=json.dumps(pod(f"patched-{c}")))
        pair.load("send", f"{DEPLOYMENTS}/d-{c}?fieldManager=bench", 1, 0, "PATCH", APPLY, 201, body=json.dumps(deployment(f"d-{c}", "same")))
    for connections in (1, 16):
        applied, patched = f"{DEPLOYMENTS}/d-@c?fieldManager=bench", f"{NAMESPACE}/pods/patched-@c"
        row("no-op apply of a deployment", connections, applied, "PATCH", APPLY, 200, deployment("d-@c", "same"))
        row("changing apply of a deployment", connections, applied, "PATCH", APPLY, 200, deployment("d-@c", f"{connections}-@n"))
        row("merge patch of a pod", connections, patched, "PATCH", MERGE, 200, {"metadata": {"annotations": {"bench": f"{connections}-@n"}}})
        change = {"metadata": {"labels": {"changed": f"s{connections}-@n"}}, "spec": {"containers": [{"name": "c0", "image": "example.com/c0:v@n"}]}}
        row("strategic patch of a pod", connections, patched, "PATCH", STRATEGIC, 200, change)
