#!/usr/bin/env python3
"""Thirty expressions as policies and definitions have them, on cel-go and on ours in one run: nanoseconds an evaluation (with costs tracked),
microseconds a compilation, bytes of a program. Prints a table and the medians of the ratios."""
import argparse
import json
import pathlib
import statistics
import subprocess
import tempfile

CONTAINERS = [{"name": "web", "image": "registry.example.com/team/web:1.27.3", "ports": [{"containerPort": 8080, "protocol": "TCP"}],
               "resources": {"limits": {"cpu": "500m", "memory": "256Mi"}, "requests": {"cpu": "100m", "memory": "128Mi"}},
               "securityContext": {"runAsNonRoot": True, "privileged": False, "capabilities": {"drop": ["ALL"]}}},
              {"name": "proxy", "image": "registry.example.com/mesh/proxy:2.1", "resources": {"limits": {"cpu": "100m", "memory": "64Mi"}},
               "securityContext": {"runAsNonRoot": True, "privileged": False}}]
OBJECT = {"apiVersion": "apps/v1", "kind": "Deployment",
          "metadata": {"name": "web", "namespace": "default", "labels": {"app": "web", "team": "platform", "tier": "front"},
                       "annotations": {"owner": "platform@example.com", "docs": "https://docs.example.com/web?v=1"}},
          "spec": {"replicas": 3, "selector": {"matchLabels": {"app": "web"}},
                   "template": {"spec": {"hostNetwork": False, "containers": CONTAINERS, "volumes": [{"name": "tmp", "emptyDir": {}}]}}}}
POLICY = [
    "object.spec.replicas <= 5",
    "object.metadata.namespace != 'kube-system'",
    "has(object.metadata.labels) && 'team' in object.metadata.labels",
    "object.metadata.labels['app'] in ['web', 'api', 'worker']",
    "object.spec.template.spec.containers.all(c, c.image.startsWith('registry.example.com/'))",
    "object.spec.template.spec.containers.all(c, !c.image.endsWith(':latest'))",
    "object.spec.template.spec.containers.all(c, has(c.securityContext) && c.securityContext.runAsNonRoot)",
    "!object.spec.template.spec.containers.exists(c, c.?securityContext.?privileged.orValue(false))",
    "object.metadata.labels.all(k, object.metadata.labels[k].matches('^[a-z0-9]([-a-z0-9]*[a-z0-9])?$'))",
    "object.spec.template.spec.containers.all(c, quantity(c.resources.limits.memory).isLessThan(quantity('1Gi')))",
    "quantity(object.spec.template.spec.containers[0].resources.limits.cpu).compareTo(quantity('2')) <= 0",
    "!has(object.spec.template.spec.hostNetwork) || !object.spec.template.spec.hostNetwork",
    "object.spec.template.spec.volumes.all(v, !has(v.hostPath))",
    "object.spec.replicas >= oldObject.spec.replicas || object.metadata.name == oldObject.metadata.name",
    "object.spec.template.spec.containers.map(c, c.name).join(',').size() < 100",
    "object.metadata.annotations.?owner.orValue('').endsWith('@example.com')",
    "isURL(object.metadata.annotations.docs) && url(object.metadata.annotations.docs).getScheme() == 'https'",
    "object.spec.template.spec.containers.filter(c, has(c.ports)).all(c, c.ports.all(p, p.containerPort >= 1024))",
    "object.spec.selector.matchLabels.all(k, k in object.metadata.labels && object.metadata.labels[k] == object.spec.selector.matchLabels[k])",
    "'replicas must be at most 5 but are ' + string(object.spec.replicas)",
    "'%s has %d replicas'.format([object.metadata.name, object.spec.replicas])",
    "object.metadata.name.size() <= 63 && object.metadata.name.lowerAscii() == object.metadata.name",
]
SCHEMA = {"type": "object", "properties": {
    "spec": {"type": "object", "properties": {
        "minReplicas": {"type": "integer"}, "maxReplicas": {"type": "integer"}, "mode": {"type": "string", "maxLength": 20},
        "hosts": {"type": "array", "maxItems": 50, "items": {"type": "string", "maxLength": 253}},
        "ports": {"type": "array", "maxItems": 20, "x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": ["name"],
                  "items": {"type": "object", "properties": {"name": {"type": "string", "maxLength": 63}, "port": {"type": "integer"}}, "required": ["name"]}},
        "timeout": {"type": "string", "format": "duration"}, "cidr": {"type": "string", "maxLength": 50}}},
    "status": {"type": "object", "properties": {"phase": {"type": "string", "maxLength": 30}}}}}
CUSTOM = {"spec": {"minReplicas": 1, "maxReplicas": 10, "mode": "Auto", "hosts": ["a.example.com", "b.example.com", "c.example.com"],
                   "ports": [{"name": "http", "port": 80}, {"name": "https", "port": 443}], "timeout": "30s", "cidr": "10.0.0.0/8"},
          "status": {"phase": "Ready"}}
DEFINITION = [
    "self.spec.minReplicas <= self.spec.maxReplicas",
    "self.spec.mode == 'Auto' || has(self.spec.minReplicas)",
    "self.spec.hosts.all(h, h.endsWith('.example.com'))",
    "self.spec.ports.exists_one(p, p.name == 'http') && self.spec.ports.all(p, p.port > 0 && p.port < 65536)",
    "self.spec == oldSelf.spec",
    "self.spec.hosts.all(h, self.spec.hosts.exists_one(o, o == h))",
    "self.spec.timeout <= duration('1m')",
    "isCIDR(self.spec.cidr) && cidr(self.spec.cidr).containsIP('10.1.2.3')",
]


def requests():
    of_policy = {"type_env": [{"name": name, "type": "dyn"} for name in ("object", "oldObject", "params")],
                 "vars": {"object": OBJECT, "oldObject": OBJECT, "params": {}}}
    of_definition = {"schema": SCHEMA, "vars": {"self": CUSTOM, "oldSelf": CUSTOM}}
    return [{"expr": expr} | of_policy for expr in POLICY] + [{"expr": expr} | of_definition for expr in DEFINITION]


def measured(command):
    ran = subprocess.run(command, capture_output=True, text=True, check=True)
    return [json.loads(line) for line in ran.stdout.splitlines()]


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--reference", required=True, help="the program made of main.go")
    parser.add_argument("--ours", required=True, help="cel_requests")
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder, "requests.jsonl")
        path.write_text("".join(json.dumps(request) + "\n" for request in requests()))
        theirs = measured([args.reference, "-bench", str(path)])
        ours = measured([args.ours, "--bench", str(path)])
    ratios = {"evaluate": [], "compile": [], "bytes": []}
    print(f"{'evaluation, ns':>20} {'compilation, us':>20} {'program, KiB':>16}   cel-go / ours")
    for a, b in zip(theirs, ours):
        if a["result"] != b["result"]:
            print(f"results differ: {a['result']} and {b['result']}: {a['expr']}")
        for key, found in ratios.items():
            found.append(a[key] / b[key])
        print(f"{a['evaluate']:10.0f} {b['evaluate']:9.0f} {a['compile'] / 1000:10.1f} {b['compile'] / 1000:9.1f} "
              f"{a['bytes'] / 1024:8.1f} {b['bytes'] / 1024:7.1f}   {a['expr'][:100]}")
    print("median of the ratios: " + ", ".join(f"{key} {statistics.median(found):.1f}x" for key, found in ratios.items()))


if __name__ == "__main__":
    main()
