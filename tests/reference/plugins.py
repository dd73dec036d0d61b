#!/usr/bin/env python3
"""Hold the admission plugins against those of kube-apiserver: pod security, limit ranges and quotas, in every form they have.

  plugins.py [--program FILE] [--only REGEX] [--verbose] [--reference URL] [--ours URL]

Every check of pod security meets every version of it; every kind of limit meets pods and claims that keep and break it; every name and scope of a
quota meets objects that use it. Both servers get the same requests, mostly dry runs; status, message, reason, causes and warnings are compared.
The peers are found as for the benchmarks (bench/pair.py), unless --reference names a server that runs with a token admin-token. Exit status 1 where something differs.
"""
import argparse
import contextlib
import copy
import http.client
import json
import pathlib
import re
import ssl
import sys
import tempfile
import time
import urllib.parse

HERE = pathlib.Path(__file__).resolve().parent
for folder in ("bench", "tests/reference"):
    sys.path.insert(0, str(HERE.parent.parent / folder))

# Pods of owners that are not there stay on the reference, which runs no collector.
OURS = ["--controllers=*,-garbage-collector-controller"]
CONTROLLERS = ["--controllers=resourcequota-controller,namespace-controller"]
FLAGS = ["--disable-admission-plugins=ServiceAccount", "--allow-privileged=true"]


class Client:
    def __init__(self, url, token="admin-token"):
        self.host, self.token = urllib.parse.urlparse(url).netloc, token
        self.open()

    def open(self):
        context = ssl._create_unverified_context()
        self.connection = http.client.HTTPSConnection(self.host, context=context, timeout=60)

    def ask(self, method, path, body=None, kind="application/json"):
        headers = {"Authorization": "Bearer " + self.token, "Content-Type": kind, "Accept": "application/json"}
        data = None if body is None else json.dumps(body)
        for attempt in (0, 1):
            try:
                self.connection.request(method, path, data, headers)
                answer = self.connection.getresponse()
                text = answer.read()
                break
            except (http.client.HTTPException, ConnectionError):
                self.open()
                if attempt:
                    raise
        warnings = [re.sub(r'^299 \S+ "(.*)"$', r"\1", w) for w in answer.headers.get_all("Warning") or []]
        try:
            document = json.loads(text)
        except ValueError:
            document = {"text": text.decode(errors="replace")}
        return answer.status, document, warnings


def in_order(message):
    """Complaints of one limit range, or of one list of resources, come in any order."""
    found = re.search(r"\[(.*)\]$", message)
    if not found or not any(words in message for words in ("usage per", "ratio per", ".resources.")):
        return message
    return message[:found.start()] + str(sorted(re.split(r", (?=minimum |maximum |\S+ max limit|spec\.)", found[1])))


def seen(answer):
    status, document, warnings = json.loads(re.sub(r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}", "<uid>", re.sub(r'\b(g-|kube-api-access-)[a-z0-9]{5}\b', r"\1", json.dumps(answer))))
    shown = {"status": status, "warnings": sorted(warnings)}
    if status >= 400:
        shown["message"] = in_order(document.get("message", ""))
        shown["reason"] = document.get("reason")
        details = document.get("details") or {}
        shown["name"], shown["causes"] = details.get("name"), sorted(map(json.dumps, details.get("causes") or ()))
    else:
        shown["annotations"] = document.get("metadata", {}).get("annotations")
        shown["spec"] = {key: value for key, value in document.get("spec", {}).items() if key not in ("clusterIP", "clusterIPs", "ports", "healthCheckNodePort")}
    return shown


class Comparison:
    def __init__(self, ours, reference, only, verbose):
        self.clients = Client(ours), Client(reference)
        self.only, self.verbose = re.compile(only), verbose
        self.compared = self.different = 0
        self.namespaces = 0
        self.run = f"{int(time.time()) % 100000:05d}"

    def both(self, method, path, body=None, kind="application/json"):
        return [client.ask(method, path, copy.deepcopy(body), kind) for client in self.clients]

    def namespace(self, labels=None):
        self.namespaces += 1
        name = f"plugins-{self.run}-{self.namespaces}"
        for status, document, _ in self.both("POST", "/api/v1/namespaces", {"metadata": {"name": name, "labels": labels or {}}}):
            if status != 201:
                sys.exit(f"namespace {labels}: {document}")
        return name

    def ask(self, title, method, path, body=None, kind="application/json"):
        mine, theirs = (seen(answer) for answer in self.both(method, path, body, kind))
        self.compared += 1
        if mine != theirs:
            self.different += 1
            print(f"DIFFERENT {title}: {method} {path}")
            if self.different <= 40 or self.verbose:
                for key in mine.keys() | theirs.keys():
                    if mine.get(key) != theirs.get(key):
                        print(f"    {key}: ours  {json.dumps(mine.get(key))[:900]}\n    {key}: there {json.dumps(theirs.get(key))[:900]}")
                print(f"    of {json.dumps(body)[:600]}")
        elif self.verbose:
            print(f"same {title}: {mine}")

    def create(self, title, namespace, resource, body, dry=True, group="api/v1"):
        self.ask(title, "POST", f"/{group}/namespaces/{namespace}/{resource}" + ("?dryRun=All" if dry else ""), body)

    def settle(self, namespace, quotas):
        """Until the controllers said in each quota's status what is used."""
        for client in self.clients:
            for name in quotas:
                for _ in range(200):
                    _, quota, _ = client.ask("GET", f"/api/v1/namespaces/{namespace}/resourcequotas/{name}")
                    if quota.get("status", {}).get("hard") == quota["spec"].get("hard"):
                        break
                    time.sleep(0.05)
                else:
                    print(f"NOT SETTLED {namespace}/{name} {quota.get('status')}")
        time.sleep(0.15)


# ---- pod security

def merged(base, change):
    if not isinstance(base, dict) or not isinstance(change, dict):
        return copy.deepcopy(change)
    return {**{key: copy.deepcopy(value) for key, value in base.items()}, **{key: merged(base.get(key), value) for key, value in change.items()}}


GOOD = {"allowPrivilegeEscalation": False, "runAsNonRoot": True, "capabilities": {"drop": ["ALL"]}, "seccompProfile": {"type": "RuntimeDefault"}}


def pod(spec=None, container=None, annotations=None, good=True, others=(), metadata=None):
    first = merged({"name": "a", "image": "i"}, {"securityContext": copy.deepcopy(GOOD)} if good else {})
    first = merged(first, container or {})
    body = {"apiVersion": "v1", "kind": "Pod", "metadata": merged({"name": "p"}, metadata or {}), "spec": merged({"containers": [first, *copy.deepcopy(list(others))]}, spec or {})}
    if annotations:
        body["metadata"]["annotations"] = annotations
    return body


VOLUMES = {"hostPath": {"path": "/x"}, "gcePersistentDisk": {"pdName": "x"}, "awsElasticBlockStore": {"volumeID": "x"}, "gitRepo": {"repository": "x"}, "nfs": {"server": "s", "path": "/p"},
           "iscsi": {"targetPortal": "1.2.3.4", "iqn": "iqn.2001-04.com.example:storage", "lun": 0}, "glusterfs": {"endpoints": "e", "path": "p"}, "rbd": {"monitors": ["m"], "image": "i"},
           "flexVolume": {"driver": "d"}, "cinder": {"volumeID": "x"}, "cephfs": {"monitors": ["m"]}, "flocker": {"datasetName": "d"}, "fc": {"targetWWNs": ["w"], "lun": 0},
           "azureFile": {"secretName": "s", "shareName": "n"}, "vsphereVolume": {"volumePath": "p"}, "quobyte": {"registry": "a:1", "volume": "v"}, "azureDisk": {"diskName": "d", "diskURI": "https://u"},
           "photonPersistentDisk": {"pdID": "x"}, "portworxVolume": {"volumeID": "x"}, "scaleIO": {"gateway": "g", "system": "s", "secretRef": {"name": "s"}, "volumeName": "v"}, "storageos": {"volumeName": "v"},
           "configMap": {"name": "c"}, "csi": {"driver": "d.x.y"}, "downwardAPI": {"items": []}, "emptyDir": {}, "ephemeral": {"volumeClaimTemplate": {"spec": {"accessModes": ["ReadWriteOnce"], "resources": {"requests": {"storage": "1"}}}}},
           "persistentVolumeClaim": {"claimName": "c"}, "projected": {"sources": []}, "secret": {"secretName": "s"}}


def security(**fields):
    return {"securityContext": fields}


def security_pods():
    b = {"name": "b", "image": "i"}
    yield "good", pod()
    yield "bare", pod(good=False)
    yield "two-bare", pod(good=False, others=[b])
    for field in ("hostNetwork", "hostPID", "hostIPC"):
        yield field, pod({field: True})
    yield "host-all", pod({"hostNetwork": True, "hostPID": True, "hostIPC": True})
    yield "ports", pod(container={"ports": [{"containerPort": 80, "hostPort": 80}]})
    yield "ports-many", pod(container={"ports": [{"containerPort": 80, "hostPort": 80}, {"containerPort": 9, "hostPort": 9}, {"containerPort": 443, "hostPort": 443, "protocol": "UDP"}]},
                            others=[{**b, "ports": [{"containerPort": 81, "hostPort": 81}]}])
    yield "privileged", pod(container=security(privileged=True, allowPrivilegeEscalation=True))
    yield "privileged-both", pod(container=security(privileged=True, allowPrivilegeEscalation=True), others=[{**b, **security(privileged=True)}])
    for type_, source in VOLUMES.items():
        yield f"volume-{type_}", pod({"volumes": [{"name": "v", type_: source}]})
    yield "volumes", pod({"volumes": [{"name": "v", "hostPath": {"path": "/x"}}, {"name": "w", "nfs": VOLUMES["nfs"]}, {"name": "u", "hostPath": {"path": "/y"}}, {"name": "e", "emptyDir": {}}]})
    for capability in ("AUDIT_WRITE", "CHOWN", "NET_BIND_SERVICE", "NET_RAW", "SYS_ADMIN", "CAP_CHOWN", "chown", "ALL"):
        yield f"add-{capability}", pod(container=security(capabilities={"drop": ["ALL"], "add": [capability]}))
    yield "add-two", pod(container=security(capabilities={"drop": ["ALL"], "add": ["SYS_TIME", "NET_RAW", "CHOWN"]}), others=[{**b, **security(capabilities={"add": ["BPF"]})}])
    yield "drop-some", pod(container=security(capabilities={"drop": ["CHOWN"]}))
    yield "drop-lower", pod(container=security(capabilities={"drop": ["all"]}))
    yield "no-capabilities", pod(container=security(capabilities=None))
    for name in ("kernel.shm_rmid_forced", "net.ipv4.ip_local_port_range", "net.ipv4.tcp_syncookies", "net.ipv4.ping_group_range", "net.ipv4.ip_unprivileged_port_start", "net.ipv4.ip_local_reserved_ports",
                 "net.ipv4.tcp_keepalive_time", "net.ipv4.tcp_fin_timeout", "net.ipv4.tcp_keepalive_intvl", "net.ipv4.tcp_keepalive_probes", "net.ipv4.tcp_rmem", "net.ipv4.tcp_wmem", "kernel.msgmax", "net.core.somaxconn"):
        yield f"sysctl-{name}", pod(security(sysctls=[{"name": name, "value": "1"}]))
    yield "sysctls", pod(security(sysctls=[{"name": n, "value": "1"} for n in ("kernel.msgmax", "net.ipv4.tcp_rmem", "net.core.somaxconn")]))
    for type_ in ("container_t", "container_init_t", "container_kvm_t", "container_engine_t", "spc_t", ""):
        yield f"selinux-{type_}", pod(security(seLinuxOptions={"type": type_}))
        yield f"selinux-container-{type_}", pod(container=security(seLinuxOptions={"type": type_, "level": "s0"}))
    yield "selinux-user", pod(security(seLinuxOptions={"user": "u"}), container=security(seLinuxOptions={"role": "r", "type": "x"}))
    yield "selinux-many", pod(security(seLinuxOptions={"user": "u", "type": "y"}), container=security(seLinuxOptions={"role": "r", "type": "x"}), others=[{**b, **security(seLinuxOptions={"type": "z"})}])
    for profile in ({"type": "RuntimeDefault"}, {"type": "Unconfined"}, {"type": "Localhost", "localhostProfile": "p"}):
        yield f"seccomp-{profile['type']}", pod(security(seccompProfile=profile), container=security(seccompProfile=None))
        yield f"seccomp-container-{profile['type']}", pod(container=security(seccompProfile=profile))
        yield f"seccomp-both-{profile['type']}", pod(security(seccompProfile=profile), container=security(seccompProfile=profile), others=[b])
        yield f"apparmor-{profile['type']}", pod(security(appArmorProfile=profile))
        yield f"apparmor-container-{profile['type']}", pod(container=security(appArmorProfile=profile))
        yield f"apparmor-both-{profile['type']}", pod(security(appArmorProfile=profile), container=security(appArmorProfile=profile), others=[b])
    yield "seccomp-none", pod(container=security(seccompProfile=None))
    for value in ("runtime/default", "docker/default", "localhost/p", "unconfined"):
        yield f"seccomp-annotation-{value}", pod(annotations={"seccomp.security.alpha.kubernetes.io/pod": value})
        yield f"seccomp-annotation-container-{value}", pod(annotations={"container.seccomp.security.alpha.kubernetes.io/a": value, "container.seccomp.security.alpha.kubernetes.io/other": value})
    for value in ("runtime/default", "localhost/p", "unconfined"):
        yield f"apparmor-annotation-{value}", pod(annotations={"container.apparmor.security.beta.kubernetes.io/a": value})
    yield "apparmor-annotations", pod(annotations={"container.apparmor.security.beta.kubernetes.io/a": "unconfined", "container.apparmor.security.beta.kubernetes.io/b": "unconfined"}, others=[b])
    for flag in (True, False, None):
        yield f"nonroot-pod-{flag}", pod(security(runAsNonRoot=flag), container=security(runAsNonRoot=None))
        yield f"nonroot-both-{flag}", pod(security(runAsNonRoot=flag), container=security(runAsNonRoot=False), others=[b])
        yield f"escalation-{flag}", pod(container=security(allowPrivilegeEscalation=flag))
    yield "nonroot-container", pod(container=security(runAsNonRoot=False))
    for user in (0, 1):
        yield f"user-pod-{user}", pod(security(runAsUser=user))
        yield f"user-container-{user}", pod(container=security(runAsUser=user))
        yield f"user-both-{user}", pod(security(runAsUser=user), container=security(runAsUser=user))
    yield "procmount", pod({"hostUsers": False}, container=security(procMount="Unmasked"))
    yield "procmount-default", pod(container=security(procMount="Default"))
    yield "windows", pod({"os": {"name": "windows"}, **security(runAsNonRoot=True)}, good=False)
    yield "windows-root", pod({"os": {"name": "windows"}}, good=False)
    yield "linux", pod({"os": {"name": "linux"}}, good=False)
    yield "hostprocess", pod({"os": {"name": "windows"}, "hostNetwork": True, **security(windowsOptions={"hostProcess": True})}, good=False)
    yield "hostprocess-container", pod({"os": {"name": "windows"}, "hostNetwork": True, **security(windowsOptions={"hostProcess": True})}, container=security(windowsOptions={"hostProcess": True}), good=False)
    yield "init", pod({"initContainers": [{"name": "i", "image": "i"}]})
    yield "init-privileged", pod({"initContainers": [{"name": "i", "image": "i", **security(privileged=True)}]}, container=security(privileged=True, allowPrivilegeEscalation=True))
    yield "generated", pod(good=False, metadata={"name": None, "generateName": "g-"})
    yield "worst", pod({"hostPID": True, "volumes": [{"name": "v", "hostPath": {"path": "/"}}], **security(runAsUser=0, runAsNonRoot=False, sysctls=[{"name": "kernel.msgmax", "value": "1"}], seccompProfile={"type": "Unconfined"}, seLinuxOptions={"user": "u"})},
                       container={"ports": [{"containerPort": 80, "hostPort": 80}], **security(privileged=True, allowPrivilegeEscalation=True, capabilities={"add": ["SYS_TIME"]})}, good=False)


VERSIONS = ("v1.0", "v1.7", "v1.8", "v1.18", "v1.19", "v1.21", "v1.22", "v1.23", "v1.24", "v1.25", "v1.26", "v1.27", "v1.28", "v1.29", "v1.30", "v1.31", "v1.32", "v1.33", "v1.999", "latest")
LABEL = "pod-security.kubernetes.io/"


def workloads(body):
    template = {"metadata": {"labels": {"a": "b"}, **{k: v for k, v in body["metadata"].items() if k == "annotations"}}, "spec": body["spec"]}
    selector = {"matchLabels": {"a": "b"}}
    never = merged(template, {"spec": {"restartPolicy": "Never"}})
    yield "deployments", "apis/apps/v1", {"kind": "Deployment", "spec": {"selector": selector, "template": template}}
    yield "daemonsets", "apis/apps/v1", {"kind": "DaemonSet", "spec": {"selector": selector, "template": template}}
    yield "statefulsets", "apis/apps/v1", {"kind": "StatefulSet", "spec": {"selector": selector, "serviceName": "s", "template": template}}
    yield "replicasets", "apis/apps/v1", {"kind": "ReplicaSet", "spec": {"selector": selector, "template": template}}
    yield "replicationcontrollers", "api/v1", {"kind": "ReplicationController", "spec": {"selector": {"a": "b"}, "template": template}}
    yield "podtemplates", "api/v1", {"kind": "PodTemplate", "template": template}
    yield "jobs", "apis/batch/v1", {"kind": "Job", "spec": {"template": never}}
    yield "cronjobs", "apis/batch/v1", {"kind": "CronJob", "spec": {"schedule": "* * * * *", "jobTemplate": {"spec": {"template": never}}}}


def pod_security(c):
    for level in ("baseline", "restricted"):
        for version in VERSIONS:
            name = c.namespace({LABEL + "enforce": level, LABEL + "enforce-version": version})
            for title, body in security_pods():
                c.create(f"podsecurity {level}:{version} {title}", name, "pods", body)
    for labels in ({"enforce": "baseline"}, {"enforce": "restricted", "warn": "privileged"}, {"warn": "restricted", "warn-version": "v1.20"}, {"enforce": "baseline", "warn": "restricted"}, {"enforce": "baseline", "warn-version": "v1.8"},
                   {"audit": "restricted"}, {"enforce-version": "v1.2", "warn": "baseline"}, {"enforce": "privileged", "warn": "restricted"}):
        name = c.namespace({LABEL + key: value for key, value in labels.items()})
        for title, body in security_pods():
            c.create(f"podsecurity {labels} {title}", name, "pods", body)
        for title, body in list(security_pods())[::7] + [("worst", dict(security_pods())["worst"])]:
            for plural, group, workload in workloads(body):
                c.create(f"podsecurity {labels} {title} {plural}", name, plural, {"apiVersion": group.removeprefix("apis/").removeprefix("api/"), "metadata": {"name": "w"}, **workload}, group=group)
    levels = ("privileged", "baseline", "restricted", "Baseline", "")
    for mode in ("enforce", "audit", "warn"):
        for level in levels:
            for version in ("v1.0", "v1.24", "latest", "v1", "v1.01", "1.24", "v2.0", ""):
                c.ask(f"namespace {mode}={level}:{version}", "POST", "/api/v1/namespaces?dryRun=All", {"metadata": {"name": "labelled", "labels": {LABEL + mode: level, LABEL + mode + "-version": version}}})
    relabelled(c)
    updates(c)


def relabelled(c):
    name = c.namespace()
    owner = {"apiVersion": "apps/v1", "kind": "ReplicaSet", "name": "r", "uid": "11111111-1111-1111-1111-111111111111", "controller": True}
    for title, body in security_pods():
        if title == "generated":
            continue
        body["metadata"]["name"] = re.sub(r"[^a-z0-9.-]", "-", title.lower()).strip("-.")
        for client in c.clients:
            client.ask("POST", f"/api/v1/namespaces/{name}/pods", body)
    for i in range(4):
        body = pod({"hostPID": True}, metadata={"name": f"owned-{i}", "ownerReferences": [owner]})
        c.create("owned", name, "pods", body, dry=False)
    time.sleep(0.5)  # the reference looks at what it heard of
    for labels in ({"enforce": "baseline"}, {"enforce": "restricted"}, {"enforce": "restricted", "enforce-version": "v1.8"}, {"enforce": "baseline", "enforce-version": "v1.18"}, {"enforce": "privileged"}, {"warn": "restricted"}, {"enforce": "x"}, {"enforce": "restricted", "enforce-version": "v1.22"},
                   {"enforce": "baseline", "enforce-version": "v1.22"}, {"enforce": "restricted", "enforce-version": "v1.22"}):
        c.ask(f"relabelled {labels}", "PATCH", f"/api/v1/namespaces/{name}", {"metadata": {"labels": {**{LABEL + mode + version: None for mode in ("enforce", "audit", "warn") for version in ("", "-version")}, **{LABEL + key: value for key, value in labels.items()}}}}, "application/merge-patch+json")


def updates(c):
    name = c.namespace()
    c.create("before", name, "pods", pod({"hostPID": True}), dry=False)
    c.ask("strict", "PATCH", f"/api/v1/namespaces/{name}", {"metadata": {"labels": {LABEL + "enforce": "baseline"}}}, "application/merge-patch+json")
    time.sleep(0.3)
    path = f"/api/v1/namespaces/{name}/pods/p"
    merge = "application/merge-patch+json"
    c.ask("label", "PATCH", path, {"metadata": {"labels": {"a": "b"}}}, merge)
    c.ask("annotation", "PATCH", path, {"metadata": {"annotations": {"container.apparmor.security.beta.kubernetes.io/x": "unconfined"}}}, merge)
    c.ask("image", "PATCH", path, {"spec": {"containers": [{"name": "a", "image": "j", "securityContext": GOOD}]}}, merge)
    c.ask("status", "PATCH", path + "/status", {"status": {"phase": "Running"}}, merge)
    c.ask("ephemeral", "PATCH", path + "/ephemeralcontainers", {"spec": {"ephemeralContainers": [{"name": "e", "image": "x", "securityContext": {"privileged": True}}]}}, "application/strategic-merge-patch+json")
    c.ask("deadline", "PATCH", path, {"spec": {"activeDeadlineSeconds": 100}}, merge)
    c.ask("binding", "POST", path + "/binding", {"target": {"name": "n"}})


# ---- limit ranges

def resources(requests=None, limits=None):
    return {"resources": {**({"requests": requests} if requests is not None else {}), **({"limits": limits} if limits is not None else {})}}


def sized_pods():
    amounts = [None, {}, {"cpu": "0"}, {"cpu": "50m"}, {"cpu": "100m"}, {"cpu": "1"}, {"cpu": "1500m"}, {"memory": "64Mi"}, {"cpu": "1", "memory": "1Gi"}, {"cpu": "100m", "memory": "200Mi", "ephemeral-storage": "1Gi"}]
    for i, requests in enumerate(amounts):
        for j, limits in enumerate(amounts):
            if any(name in (limits or {}) and name in (requests or {}) and i > j for name in ("cpu", "memory")) and i % 3:
                continue
            yield f"{i}-{j}", pod(container=resources(requests, limits))
            if (i + j) % 4 == 0:
                yield f"{i}-{j}-two", pod(container=resources(requests, limits), others=[{"name": "b", "image": "i", **resources({"cpu": "300m"}, {"cpu": "600m", "memory": "1Gi"})}])
                yield f"{i}-{j}-init", pod({"initContainers": [{"name": "i", "image": "i", **resources(requests, limits)}]}, container=resources({"cpu": "1", "memory": "1Gi"}, {"cpu": "2", "memory": "2Gi"}))
                yield f"{i}-{j}-sidecar", pod({"initContainers": [{"name": "s", "image": "i", "restartPolicy": "Always", **resources(requests, limits)}]}, container=resources({"cpu": "1", "memory": "1Gi"}, {"cpu": "2", "memory": "2Gi"}))
    yield "overhead", pod({"overhead": {"cpu": "1"}}, container=resources({"cpu": "1"}, {"cpu": "1"}))
    yield "huge", pod(container=resources({"memory": "9Ei", "cpu": "1"}, {"memory": "9Ei", "cpu": "1"}))
    yield "tiny", pod(container=resources({"memory": "100m", "cpu": "100u"}, {"memory": "1", "cpu": "1m"}))
    yield "generated", pod(container=resources({"cpu": "1u"}), metadata={"name": None, "generateName": "g-"})


LIMITS = [
    [{"type": "Container", "default": {"cpu": "1"}}], [{"type": "Container", "defaultRequest": {"cpu": "100m", "memory": "64Mi"}}], [{"type": "Container", "default": {"cpu": "1", "memory": "1Gi"}, "defaultRequest": {"cpu": "100m"}}],
    [{"type": "Container", "min": {"cpu": "100m"}}], [{"type": "Container", "max": {"cpu": "1"}}], [{"type": "Container", "min": {"cpu": "100m", "memory": "64Mi"}, "max": {"cpu": "1", "memory": "1Gi"}}],
    [{"type": "Container", "maxLimitRequestRatio": {"cpu": "2"}}], [{"type": "Container", "maxLimitRequestRatio": {"cpu": "1500m", "memory": "3"}}],
    [{"type": "Container", "min": {"cpu": "50m"}, "default": {"cpu": "60m"}, "defaultRequest": {"cpu": "55m"}, "max": {"cpu": "2"}, "maxLimitRequestRatio": {"cpu": "4"}}],
    [{"type": "Container", "max": {"ephemeral-storage": "512Mi"}}], [{"type": "Container", "min": {"example.com/gpu": "1"}}],
    [{"type": "Pod", "min": {"cpu": "500m"}}], [{"type": "Pod", "max": {"cpu": "1"}}], [{"type": "Pod", "max": {"memory": "1Gi", "cpu": "2"}, "min": {"cpu": "100m"}}], [{"type": "Pod", "maxLimitRequestRatio": {"cpu": "2", "memory": "1"}}],
    [{"type": "Pod", "max": {"cpu": "1"}}, {"type": "Container", "default": {"cpu": "600m"}, "min": {"cpu": "100m"}}],
    [{"type": "PersistentVolumeClaim", "min": {"storage": "1Gi"}}], [{"type": "PersistentVolumeClaim", "max": {"storage": "2Gi"}}], [{"type": "PersistentVolumeClaim", "min": {"storage": "1Gi"}, "max": {"storage": "2Gi"}}],
]


def claim(size="1Gi", storage_class="", **spec):
    return {"apiVersion": "v1", "kind": "PersistentVolumeClaim", "metadata": {"name": "c"}, "spec": {"accessModes": ["ReadWriteOnce"], "storageClassName": storage_class, **({"resources": {"requests": {"storage": size}}} if size else {}), **spec}}


def limit_ranges(c):
    for number, limits in enumerate(LIMITS):
        name = c.namespace()
        c.create(f"limits {limits}", name, "limitranges", {"apiVersion": "v1", "kind": "LimitRange", "metadata": {"name": "l"}, "spec": {"limits": limits}}, dry=False)
        time.sleep(0.2)
        if limits[0]["type"] == "PersistentVolumeClaim":
            for size in ("1", "1Gi", "1500Mi", "2Gi", "2049Mi", "100Gi"):
                c.create(f"limits {number} claim {size}", name, "persistentvolumeclaims", claim(size))
        else:
            for title, body in sized_pods():
                c.create(f"limits {number} {title}", name, "pods", body)
        c.create(f"limits {number} config map", name, "configmaps", {"metadata": {"name": "m"}})
    name = c.namespace()
    for which, limits in (("one", LIMITS[0]), ("two", LIMITS[2])):
        c.create("two", name, "limitranges", {"metadata": {"name": which}, "spec": {"limits": limits[:1] if which == "one" else [{"type": "Container", "defaultRequest": {"memory": "64Mi"}}]}}, dry=False)
    time.sleep(0.2)
    c.create("two ranges", name, "pods", pod(container=resources({"cpu": "1", "memory": "1"}, {"cpu": "1", "memory": "1"})))


# ---- quotas

def service(type_="ClusterIP", ports=1, **spec):
    return {"apiVersion": "v1", "kind": "Service", "metadata": {"name": "s"}, "spec": {"type": type_, "ports": [{"name": f"p{i}", "port": 80 + i} for i in range(ports)], **spec}}


AFFINITY = {"topologyKey": "k", "labelSelector": {"matchLabels": {"a": "b"}}}


def quota_pods():
    yield "bare", pod()
    yield "two", pod(others=[{"name": "b", "image": "i"}])
    yield "requests", pod(container=resources({"cpu": "500m", "memory": "1Gi"}))
    yield "limits", pod(container=resources(None, {"cpu": "500m", "memory": "1Gi"}))
    yield "all", pod(container=resources({"cpu": "500m", "memory": "1Gi", "ephemeral-storage": "2Gi"}, {"cpu": "1500m", "memory": "2Gi", "ephemeral-storage": "3Gi"}))
    yield "large", pod(container=resources({"cpu": "50", "memory": "100Gi"}, {"cpu": "50", "memory": "100Gi"}))
    yield "zero", pod(container=resources({"cpu": "0", "memory": "0"}, {"cpu": "0", "memory": "0"}))
    yield "gpu", pod(container=resources({"example.com/gpu": "2"}, {"example.com/gpu": "2"}))
    yield "huge pages", pod(container=resources({"hugepages-2Mi": "4Mi", "cpu": "1"}, {"hugepages-2Mi": "4Mi", "cpu": "1"}))
    yield "init", pod({"initContainers": [{"name": "i", "image": "i", **resources({"cpu": "3"}, {"cpu": "4"})}]}, container=resources({"cpu": "1"}, {"cpu": "1"}))
    yield "sidecar", pod({"initContainers": [{"name": "i", "image": "i", "restartPolicy": "Always", **resources({"cpu": "3", "memory": "1"}, {"cpu": "4", "memory": "1"})}]}, container=resources({"cpu": "1", "memory": "1"}, {"cpu": "1", "memory": "1"}))
    yield "missing in two", pod({"initContainers": [{"name": "z", "image": "i"}]}, container=resources({"cpu": "1"}), others=[{"name": "b", "image": "i", **resources(None, {"memory": "1Gi"})}])
    yield "deadline", pod({"activeDeadlineSeconds": 5})
    yield "deadline requests", pod({"activeDeadlineSeconds": 5}, container=resources({"cpu": "3"}, {"cpu": "3"}))
    yield "priority", pod({"priorityClassName": "system-cluster-critical"})
    for kind in ("podAffinity", "podAntiAffinity"):
        yield f"{kind} own", pod({"affinity": {kind: {"requiredDuringSchedulingIgnoredDuringExecution": [AFFINITY]}}})
        yield f"{kind} names", pod({"affinity": {kind: {"requiredDuringSchedulingIgnoredDuringExecution": [{**AFFINITY, "namespaces": ["x"]}]}}})
        yield f"{kind} selector", pod({"affinity": {kind: {"preferredDuringSchedulingIgnoredDuringExecution": [{"weight": 1, "podAffinityTerm": {**AFFINITY, "namespaceSelector": {}}}]}}})
    yield "generated", pod(metadata={"name": None, "generateName": "g-"})


def quota_others():
    for type_ in ("ClusterIP", "NodePort", "LoadBalancer"):
        for ports in (1, 3):
            yield f"{type_} {ports}", "services", "api/v1", service(type_, ports)
    yield "LoadBalancer without ports", "services", "api/v1", service("LoadBalancer", 2, allocateLoadBalancerNodePorts=False)
    yield "LoadBalancer with one", "services", "api/v1", merged(service("LoadBalancer", 1, allocateLoadBalancerNodePorts=False), {"spec": {"ports": [{"port": 80, "nodePort": 31999}]}})
    yield "ExternalName", "services", "api/v1", {"metadata": {"name": "s"}, "spec": {"type": "ExternalName", "externalName": "a.b"}}
    for size in ("1", "1Gi", "1500m", "5Gi"):
        for storage_class in ("", "gold", "silver"):
            yield f"claim {size} {storage_class}", "persistentvolumeclaims", "api/v1", claim(size, storage_class)
    yield "annotated claim", "persistentvolumeclaims", "api/v1", {**claim("1Gi"), "metadata": {"name": "c", "annotations": {"volume.beta.kubernetes.io/storage-class": "gold"}}, "spec": {"accessModes": ["ReadWriteOnce"], "resources": {"requests": {"storage": "1Gi"}}}}
    yield "configmap", "configmaps", "api/v1", {"metadata": {"name": "m"}}
    yield "secret", "secrets", "api/v1", {"metadata": {"name": "m"}}
    yield "quota", "resourcequotas", "api/v1", {"metadata": {"name": "m"}, "spec": {"hard": {"pods": "1"}}}
    yield "rc", "replicationcontrollers", "api/v1", {"metadata": {"name": "m"}, "spec": {"selector": {"a": "b"}, "template": {"metadata": {"labels": {"a": "b"}}, "spec": {"containers": [{"name": "a", "image": "i"}]}}}}
    yield "serviceaccount", "serviceaccounts", "api/v1", {"metadata": {"name": "m"}}
    yield "lease", "leases", "apis/coordination.k8s.io/v1", {"metadata": {"name": "m"}}
    yield "event", "events", "api/v1", {"metadata": {"name": "m"}, "involvedObject": {"namespace": ""}}
    yield "role", "roles", "apis/rbac.authorization.k8s.io/v1", {"metadata": {"name": "m"}, "rules": []}
    yield "review", "localsubjectaccessreviews", "apis/authorization.k8s.io/v1", {"spec": {"user": "u", "resourceAttributes": {"verb": "get"}}}
    for plural, group, body in workloads(pod()):
        yield plural, plural, group, {"metadata": {"name": "m"}, **body}


NAMES = ("cpu", "memory", "ephemeral-storage", "requests.cpu", "requests.memory", "requests.ephemeral-storage", "limits.cpu", "limits.memory", "limits.ephemeral-storage", "pods", "count/pods", "hugepages-2Mi", "requests.hugepages-2Mi",
         "requests.example.com/gpu", "services", "services.nodeports", "services.loadbalancers", "count/services", "persistentvolumeclaims", "requests.storage", "gold.storageclass.storage.k8s.io/requests.storage",
         "gold.storageclass.storage.k8s.io/persistentvolumeclaims", "count/persistentvolumeclaims", "configmaps", "secrets", "resourcequotas", "replicationcontrollers", "count/configmaps", "count/secrets", "count/replicationcontrollers",
         "count/resourcequotas", "count/serviceaccounts", "count/leases.coordination.k8s.io", "count/roles.rbac.authorization.k8s.io", "count/events", "count/deployments.apps", "count/daemonsets.apps", "count/statefulsets.apps", "count/replicasets.apps", "count/jobs.batch",
         "count/cronjobs.batch", "count/podtemplates", "count/widgets.example.com")
SCOPES = [{"scopes": ["Terminating"]}, {"scopes": ["NotTerminating"]}, {"scopes": ["BestEffort"]}, {"scopes": ["NotBestEffort"]}, {"scopes": ["Terminating", "NotBestEffort"]}, {"scopes": ["CrossNamespacePodAffinity"]}, {"scopes": ["PriorityClass"]},
          {"scopeSelector": {"matchExpressions": [{"scopeName": "PriorityClass", "operator": "In", "values": ["system-cluster-critical", "x"]}]}},
          {"scopeSelector": {"matchExpressions": [{"scopeName": "PriorityClass", "operator": "NotIn", "values": ["system-cluster-critical"]}]}},
          {"scopeSelector": {"matchExpressions": [{"scopeName": "PriorityClass", "operator": "DoesNotExist"}]}}, {"scopeSelector": {"matchExpressions": [{"scopeName": "PriorityClass", "operator": "Exists"}]}},
          {"scopeSelector": {"matchExpressions": [{"scopeName": "Terminating", "operator": "Exists"}, {"scopeName": "NotBestEffort", "operator": "Exists"}]}},
          {"scopeSelector": {"matchExpressions": [{"scopeName": "CrossNamespacePodAffinity", "operator": "Exists"}]}}]


def hard_quota(c, name, quota, hard, **spec):
    c.create(f"quota {hard} {spec}", name, "resourcequotas", {"apiVersion": "v1", "kind": "ResourceQuota", "metadata": {"name": quota}, "spec": {"hard": hard, **spec}}, dry=False)


def quota_meets(c, title, name, pods=True, others=True):
    for what, body in quota_pods() if pods else ():
        c.create(f"quota {title} {what}", name, "pods", body)
    for what, plural, group, body in quota_others() if others else ():
        c.create(f"quota {title} {what}", name, plural, {"apiVersion": group.removeprefix("apis/").removeprefix("api/"), **body}, group=group)


def quotas(c):
    spaces = []
    for limited in NAMES:
        for amount in ("0", "1"):
            name = c.namespace()
            hard_quota(c, name, "q", {limited: amount})
            spaces.append((f"{limited}={amount}", name, True, True))
    for scope in SCOPES:
        for hard in ({"pods": "0"}, {"cpu": "2", "pods": "1", "limits.memory": "1Gi"}) if "BestEffort" not in str(scope.get("scopes")) or "Not" in str(scope.get("scopes")) else ({"pods": "0"},):
            name = c.namespace()
            hard_quota(c, name, "q", hard, **scope)
            spaces.append((f"{scope} {hard}", name, True, False))
    several = c.namespace()  # of those that refuse the reference tells any
    hard_quota(c, several, "a", {"cpu": "1", "requests.memory": "1Gi"})
    hard_quota(c, several, "b", {"services": "0", "count/configmaps": "0"})
    spaces.append(("several", several, True, True))
    time.sleep(1)
    for title, name, pods, others in spaces:
        c.settle(name, ["a", "b"] if title == "several" else ["q"])
        quota_meets(c, title, name, pods, others)
    used_quotas(c)


def used_quotas(c):
    """Not dry: what is used is told, and updates count what they add. Nothing fails after it was counted: there the reference goes on counting it."""
    name = c.namespace()
    hard_quota(c, name, "q", {"pods": "2", "requests.cpu": "1", "configmaps": "3", "services": "3", "services.nodeports": "3", "services.loadbalancers": "1", "requests.storage": "3Gi", "persistentvolumeclaims": "2", "count/secrets": "1"})
    c.settle(name, ["q"])
    status = f"/api/v1/namespaces/{name}/resourcequotas/q"

    def used(title):
        # The reference's second reader of the same quota hears of it a moment later.
        time.sleep(0.3)
        mine, theirs = (answer[1].get("status") for answer in c.both("GET", status))
        c.compared += 1
        if mine != theirs:
            c.different += 1
            print(f"DIFFERENT used {title}: ours {mine}, there {theirs}")

    def steps(*all_steps):
        for title, method, path, body, kind in all_steps:
            c.ask(f"used {title}", method, f"/api/v1/namespaces/{name}/{path}", body, kind or "application/json")
            used(title)
    merge = "application/merge-patch+json"
    steps(("pod", "POST", "pods", pod(container=resources({"cpu": "400m"})), None), 
          ("second", "POST", "pods", pod(container=resources({"cpu": "700m"}), metadata={"name": "p2"}), None), ("third", "POST", "pods", pod(container=resources({"cpu": "600m"}), metadata={"name": "p2"}), None),
          ("fourth", "POST", "pods", pod(container=resources({"cpu": "0"}), metadata={"name": "p3"}), None), ("dry", "POST", "configmaps?dryRun=All", {"metadata": {"name": "d"}}, None),
          ("configmap", "POST", "configmaps", {"metadata": {"generateName": "g-"}}, None), ("apply", "PATCH", "configmaps/a?fieldManager=m", {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "a"}}, "application/apply-patch+yaml"),
          ("apply again", "PATCH", "configmaps/a?fieldManager=m", {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "a"}, "data": {"a": "b"}}, "application/apply-patch+yaml"),
          ("service", "POST", "services", service("ClusterIP", 2), None), ("node port", "PATCH", "services/s", {"spec": {"type": "NodePort"}}, merge), ("balancer", "PATCH", "services/s", {"spec": {"type": "LoadBalancer"}}, merge),
          ("ports", "PATCH", "services/s", {"spec": {"ports": [{"name": f"p{i}", "port": 80 + i} for i in range(4)]}}, merge), ("no ports", "PATCH", "services/s", {"spec": {"type": "ClusterIP", "ports": [{"port": 80, "nodePort": None}]}}, merge),
          ("claim", "POST", "persistentvolumeclaims", claim("1500m"), None), ("too large", "POST", "persistentvolumeclaims", {**claim("3Gi"), "metadata": {"name": "c2"}}, None),
          ("secret", "POST", "secrets", {"metadata": {"name": "s"}}, None), ("secret 2", "POST", "secrets", {"metadata": {"name": "s2"}}, None), ("invalid", "POST", "configmaps", {"metadata": {"name": "No"}}, None))
    c.ask("hard", "PATCH", status, {"spec": {"hard": {"configmaps": "1", "count/roles.rbac.authorization.k8s.io": "0"}}}, merge)
    c.settle(name, ["q"])
    used("changed")
    steps(("over", "POST", "configmaps", {"metadata": {"generateName": "g-"}}, None), ("role", "POST", "../../../../apis/rbac.authorization.k8s.io/v1", None, None))


# ---- plugins that are asked for, and configured

CONFIGURATION = """apiVersion: apiserver.config.k8s.io/v1
kind: AdmissionConfiguration
plugins:
- name: PodNodeSelector
  configuration:
    podNodeSelectorPluginConfig: {clusterDefaultNodeSelector: "zone=a", strict: "zone=a,disk=ssd", broken: "a=b=c"}
- name: PodTolerationRestriction
  configuration:
    apiVersion: podtolerationrestriction.admission.k8s.io/v1alpha1
    kind: Configuration
    default: [{key: all, operator: Exists}]
    whitelist: [{key: all, operator: Exists}, {key: node.kubernetes.io/not-ready, operator: Exists}, {key: node.kubernetes.io/unreachable, operator: Exists}, {key: node.kubernetes.io/memory-pressure, operator: Exists}]
- name: EventRateLimit
  configuration:
    apiVersion: eventratelimit.admission.k8s.io/v1alpha1
    kind: Configuration
    limits: [{type: Namespace, qps: 1, burst: 4}, {type: SourceAndObject, qps: 1, burst: 2}]
- name: ResourceQuota
  configuration:
    apiVersion: apiserver.config.k8s.io/v1
    kind: ResourceQuotaConfiguration
    limitedResources:
    - {resource: persistentvolumeclaims, matchContains: [gold.storageclass.storage.k8s.io/requests.storage]}
    - resource: pods
      matchScopes: [{scopeName: PriorityClass, operator: In, values: [system-cluster-critical, top]}, {scopeName: CrossNamespacePodAffinity, operator: Exists}]
- name: PodSecurity
  configuration:
    apiVersion: pod-security.admission.config.k8s.io/v1
    kind: PodSecurityConfiguration
    defaults: {enforce: baseline, enforce-version: v1.30, warn: restricted}
    exemptions: {usernames: [bob], namespaces: [exempt], runtimeClasses: [exempt]}
"""
ASKED = "PodNodeSelector,PodTolerationRestriction,EventRateLimit,OwnerReferencesPermissionEnforcement,NamespaceAutoProvision"


def tolerating(*tolerations, **spec):
    return pod({"tolerations": list(tolerations), **spec})


def asked_for(c):
    annotations = {"default": {}, "none": {"scheduler.alpha.kubernetes.io/node-selector": "", "scheduler.alpha.kubernetes.io/defaultTolerations": "", "scheduler.alpha.kubernetes.io/tolerationsWhitelist": ""},
                   "own": {"scheduler.alpha.kubernetes.io/node-selector": "zone=b, disk = ssd", "scheduler.alpha.kubernetes.io/defaultTolerations": json.dumps([{"key": "k", "operator": "Equal", "value": "v", "effect": "NoSchedule"}])},
                   "allows": {"scheduler.alpha.kubernetes.io/tolerationsWhitelist": json.dumps([{"operator": "Exists", "effect": "NoExecute"}, {"key": "k", "operator": "Exists"}, {"key": "all", "operator": "Exists"}])},
                   "wrong": {"scheduler.alpha.kubernetes.io/node-selector": "a"}, "wrong key": {"scheduler.alpha.kubernetes.io/node-selector": "a b=c"}, "wrong value": {"scheduler.alpha.kubernetes.io/node-selector": "a=b c"},
                   "ends": {"scheduler.alpha.kubernetes.io/node-selector": "a=b,"}}
    spaces = {}
    for title, some in annotations.items():
        name = f"asked-{c.run}-{title.replace(' ', '-')}"
        c.ask(f"namespace {title}", "POST", "/api/v1/namespaces", {"metadata": {"name": name, "annotations": some}})
        spaces[title] = name
    for name in ("strict", "broken", "exempt"):
        c.both("POST", "/api/v1/namespaces", {"metadata": {"name": name}})
        spaces[name] = name
    time.sleep(0.5)
    bodies = [("bare", pod()), ("zone a", pod({"nodeSelector": {"zone": "a"}})), ("zone b", pod({"nodeSelector": {"zone": "b"}})), ("more", pod({"nodeSelector": {"zone": "a", "disk": "ssd"}})), ("other", pod({"nodeSelector": {"cpu": "x"}})),
              ("generated", pod({"nodeSelector": {"zone": "c"}}, metadata={"name": None, "generateName": "g-"})), ("burstable", pod(container=resources({"cpu": "1"}))),
              ("key", tolerating({"key": "k", "operator": "Equal", "value": "v", "effect": "NoSchedule"})), ("key exists", tolerating({"key": "k", "operator": "Exists"})), ("everything", tolerating({"operator": "Exists"})),
              ("seconds", tolerating({"key": "all", "operator": "Exists", "effect": "NoExecute", "tolerationSeconds": 5})), ("twice", tolerating({"key": "k", "operator": "Exists"}, {"key": "k", "operator": "Equal", "value": "v"})),
              ("unknown", tolerating({"key": "z", "value": "v"}))]
    for title, name in spaces.items():
        for what, body in bodies:
            c.create(f"asked {title} {what}", name, "pods", body)
    for what, plural, group, body in quota_others():
        if plural == "persistentvolumeclaims":
            c.create(f"limited {what}", spaces["default"], plural, body)
    for what, body in quota_pods():
        c.create(f"limited {what}", "exempt", "pods", body)
    for title, body in list(security_pods())[::4]:
        c.create(f"exempt {title}", "exempt", "pods", body)
        c.create(f"defaults {title}", spaces["none"], "pods", body)
        c.create(f"runtime class {title}", spaces["none"], "pods", merged(body, {"spec": {"runtimeClassName": "exempt"}}))
    for labels in ({"enforce": "restricted"}, {"enforce": "baseline", "enforce-version": "v1.30", "warn": "restricted"}, {"warn": "baseline"}, {"enforce": "privileged", "warn": "privileged"}, {}):
        c.ask(f"exempt namespace {labels}", "PATCH", "/api/v1/namespaces/exempt", {"metadata": {"labels": {**{LABEL + m + v: None for m in ("enforce", "warn", "audit") for v in ("", "-version")}, **{LABEL + k: v for k, v in labels.items()}}}}, "application/merge-patch+json")
    made = f"made-{c.run}"
    for name in (made, "No-Name", "x" * 64):
        c.create(f"made dry {name}", name, "configmaps", {"metadata": {"name": "m"}})
        c.create(f"made {name}", name, "configmaps", {"metadata": {"name": "m"}}, dry=False)
        c.ask(f"made {name}", "GET", f"/api/v1/namespaces/{name}")
    for number in range(8):
        c.create(f"event {number}", made, "events", {"metadata": {"name": f"e{number}"}, "involvedObject": {"namespace": made, "name": str(number // 3)}, "source": {"component": "c"}}, dry=False)
    owners(c, made)


def owners(c, name):
    """As a user who may write config maps and not delete them, nor set finalizers of secrets."""
    c.both("POST", f"/apis/rbac.authorization.k8s.io/v1/namespaces/{name}/roles", {"metadata": {"name": "r"}, "rules": [{"apiGroups": [""], "resources": ["configmaps"], "verbs": ["create", "get", "update", "patch"]}, {"apiGroups": ["apps"], "resources": ["deployments/finalizers"], "verbs": ["update"]}]})
    c.both("POST", f"/apis/rbac.authorization.k8s.io/v1/namespaces/{name}/rolebindings", {"metadata": {"name": "r"}, "roleRef": {"apiGroup": "rbac.authorization.k8s.io", "kind": "Role", "name": "r"}, "subjects": [{"kind": "User", "apiGroup": "rbac.authorization.k8s.io", "name": "alice"}]})
    time.sleep(1)
    clients, c.clients = c.clients, tuple(Client("https://" + client.host, "alice-token") for client in c.clients)

    def owner(kind="Secret", version="v1", uid="1", **more):
        return {"apiVersion": version, "kind": kind, "name": "o", "uid": uid, **more}
    c.create("plain", name, "configmaps", {"metadata": {"name": "plain"}}, dry=False)
    for title, references in (("none", []), ("one", [owner()]), ("blocks", [owner(blockOwnerDeletion=True)]), ("deployment", [owner("Deployment", "apps/v1", blockOwnerDeletion=True)]), ("unknown", [owner("Thing", "x.y/v1", blockOwnerDeletion=True)]),
                              ("two", [owner(), owner("Deployment", "apps/v1", "2", blockOwnerDeletion=True)]), ("cluster", [owner("Node", "v1", blockOwnerDeletion=True)])):
        c.create(f"owner {title}", name, "configmaps", {"metadata": {"name": "c", "ownerReferences": references}})
        c.ask(f"owner {title} later", "PATCH", f"/api/v1/namespaces/{name}/configmaps/plain", {"metadata": {"ownerReferences": references}}, "application/merge-patch+json")
    c.clients = clients


ACCOUNTS = "--disable-admission-plugins=PodSecurity"


def accounts(c):
    """With the ServiceAccount plugin, which both have on by default."""
    name = c.namespace()
    missing = c.namespace()
    for body in ({"metadata": {"name": "default"}}, {"metadata": {"name": "quiet"}, "automountServiceAccountToken": False}, {"metadata": {"name": "pulls"}, "imagePullSecrets": [{"name": "x"}, {"name": "y"}]},
                 {"metadata": {"name": "strict", "annotations": {"kubernetes.io/enforce-mountable-secrets": "true"}}, "secrets": [{"name": "mine"}], "imagePullSecrets": [{"name": "x"}]}):
        c.both("POST", f"/api/v1/namespaces/{name}/serviceaccounts", body)
    time.sleep(0.5)
    volumes = {"volumes": [{"name": "v", "secret": {"secretName": "other"}}]}
    env = {"env": [{"name": "E", "valueFrom": {"secretKeyRef": {"name": "other", "key": "k"}}}]}
    token = {"mountPath": "/var/run/secrets/kubernetes.io/serviceaccount", "name": "t"}
    bodies = [("bare", pod()), ("two", pod(others=[{"name": "b", "image": "i"}])), ("init", pod({"initContainers": [{"name": "i", "image": "i"}]})), ("mounted", pod({"volumes": [{"name": "t", "emptyDir": {}}]}, container={"volumeMounts": [token]})),
              ("own volume", pod({"volumes": [{"name": "kube-api-access-mine", "emptyDir": {}}]})), ("off", pod({"automountServiceAccountToken": False})), ("on", pod({"automountServiceAccountToken": True})), ("volume", pod(volumes)), ("env", pod(container=env)),
              ("envFrom", pod(container={"envFrom": [{"secretRef": {"name": "other"}}]})), ("init env", pod({"initContainers": [{"name": "i", "image": "i", **env}]})), ("pull", pod({"imagePullSecrets": [{"name": "z"}]})), ("pull x", pod({"imagePullSecrets": [{"name": "x"}]})),
              ("mine", pod({"volumes": [{"name": "v", "secret": {"secretName": "mine"}}]})), ("generated", pod(metadata={"name": None, "generateName": "g-"})),
              ("mirror", pod({"nodeName": "n"}, annotations={"kubernetes.io/config.mirror": "x"})), ("mirror secret", pod({"nodeName": "n", **volumes}, annotations={"kubernetes.io/config.mirror": "x"})),
              ("mirror token", pod({"nodeName": "n", "volumes": [{"name": "v", "projected": {"sources": [{"serviceAccountToken": {"path": "t"}}]}}]}, annotations={"kubernetes.io/config.mirror": "x"}))]
    for account in (None, "default", "quiet", "pulls", "strict", "gone"):
        for title, body in bodies:
            c.create(f"account {account} {title}", name, "pods", merged(body, {"spec": {"serviceAccountName": account}}) if account else body)
            if account == "quiet":
                c.create(f"deprecated {account} {title}", name, "pods", merged(body, {"spec": {"serviceAccount": account}}))
    c.create("no account", missing, "pods", pod())


PARTS = ((pod_security, FLAGS), (limit_ranges, FLAGS), (quotas, FLAGS), (asked_for, [*FLAGS, "--enable-admission-plugins=" + ASKED, "--admission-control-config-file=<configuration>"]), (accounts, ["--allow-privileged=true", ACCOUNTS]))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--program", type=pathlib.Path, default=HERE.parent.parent / "build/release/src/server/fairlead")
    parser.add_argument("--reference")
    parser.add_argument("--ours")
    parser.add_argument("--only", default="")
    parser.add_argument("--verbose", action="store_true")
    options = parser.parse_args()
    compared = different = 0
    for part, flags in PARTS:
        if not re.search(options.only, part.__name__):
            continue
        with contextlib.ExitStack() as stack, tempfile.NamedTemporaryFile("w", suffix=".yaml") as configuration:
            configuration.write(CONFIGURATION)
            configuration.flush()
            flags = [flag.replace("<configuration>", configuration.name) for flag in flags]
            ours, reference = options.ours, options.reference
            if not ours or not reference:
                from pair import peers
                from servers import started, started_program
                ours = ours or stack.enter_context(started_program(options.program.resolve(), [*flags, *OURS]))
                reference = reference or stack.enter_context(started(peers(), flags, CONTROLLERS))
            comparison = Comparison(ours, reference, options.only, options.verbose)
            part(comparison)
        print(f"{part.__name__}: {comparison.compared} compared, {comparison.different} different")
        compared, different = compared + comparison.compared, different + comparison.different
    print(f"{compared} compared, {different} different")
    return 1 if different else 0


if __name__ == "__main__":
    sys.exit(main())
