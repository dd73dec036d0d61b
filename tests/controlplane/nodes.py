"""Nodes without kubelets: they renew their leases, and do to the pods bound to them what a kubelet tells the API server of."""
import datetime
import json
import threading

BEAT = 5  # seconds between renewals; the node lifecycle controller waits 40
RUNNING = [{"type": t, "status": "True"} for t in ("PodReadyToStartContainers", "Initialized", "Ready", "ContainersReady", "PodScheduled")]


def now():
    return datetime.datetime.now(datetime.timezone.utc)


class Nodes:
    def __init__(self, api, names):
        self.api, self.names, self.ended = api, names, threading.Event()
        self.problems = []
        self.thread = threading.Thread(target=self.run, daemon=True)

    def start(self):
        for name in self.names:
            self.api.create("/api/v1/nodes", {"metadata": {"name": name, "labels": {"kubernetes.io/hostname": name, "kubernetes.io/os": "linux"}}})
            self.report(name)
        self.thread.start()

    def stop(self):
        self.ended.set()
        self.thread.join()

    def report(self, name):
        resources = {"cpu": "8", "memory": "32Gi", "pods": "110", "ephemeral-storage": "100Gi"}
        ready = {"type": "Ready", "status": "True", "reason": "KubeletReady", "message": "ready", "lastHeartbeatTime": now().strftime("%Y-%m-%dT%H:%M:%SZ")}
        self.api.patch(f"/api/v1/nodes/{name}/status", {"status": {"capacity": resources, "allocatable": resources, "conditions": [ready]}})

    def beat(self, name):
        path = "/apis/coordination.k8s.io/v1/namespaces/kube-node-lease/leases"
        spec = {"holderIdentity": name, "leaseDurationSeconds": 40, "renewTime": now().strftime("%Y-%m-%dT%H:%M:%S.%fZ")}
        if self.api.patch(f"{path}/{name}", {"spec": spec}, missing_is_fine=True) is None:
            self.api.create(path, {"metadata": {"name": name}, "spec": spec})

    def run(self):
        rounds = 0
        while not self.ended.wait(0.5):
            try:
                if rounds % (2 * BEAT) == 0:
                    for name in self.names:
                        self.beat(name)
                        self.report(name)
                for pod in self.api.get("/api/v1/pods?fieldSelector=spec.nodeName!=")["items"]:
                    self.tend(pod)
            except Exception as error:
                self.problems.append(f"{type(error).__name__}: {error}")
            rounds += 1

    def tend(self, pod):
        """Starts it, ends it where it is a job's, lets go of it when it is being deleted."""
        meta, path = pod["metadata"], f"/api/v1/namespaces/{pod['metadata']['namespace']}/pods/{pod['metadata']['name']}"
        phase = pod.get("status", {}).get("phase")
        if "deletionTimestamp" in meta:
            self.api.delete(path + "?gracePeriodSeconds=0")
        elif phase == "Pending":
            self.api.patch(path + "/status", {"status": self.started(pod)}, missing_is_fine=True)
        elif phase == "Running" and any(o["kind"] == "Job" for o in meta.get("ownerReferences", ())):
            self.api.patch(path + "/status", {"status": self.succeeded(pod)}, missing_is_fine=True)

    def started(self, pod):
        stamp = now().strftime("%Y-%m-%dT%H:%M:%SZ")
        states = [{"name": c["name"], "image": c["image"], "imageID": c["image"], "ready": True, "started": True, "restartCount": 0,
                   "state": {"running": {"startedAt": stamp}}} for c in pod["spec"]["containers"]]
        address = f"10.244.{sum(map(ord, pod['metadata']['uid'])) % 250}.{hash(pod['metadata']['uid']) % 250 + 1}"
        return {"phase": "Running", "startTime": stamp, "podIP": address, "podIPs": [{"ip": address}], "containerStatuses": states,
                "conditions": [{**c, "lastTransitionTime": stamp} for c in RUNNING]}

    def succeeded(self, pod):
        stamp = now().strftime("%Y-%m-%dT%H:%M:%SZ")
        states = [{**s, "ready": False, "started": False, "state": {"terminated": {"exitCode": 0, "reason": "Completed", "startedAt": stamp, "finishedAt": stamp}}}
                  for s in pod["status"]["containerStatuses"]]
        conditions = [{**c, "status": "False" if c["type"] in ("Ready", "ContainersReady") else "True", "lastTransitionTime": stamp} for c in RUNNING]
        return {"phase": "Succeeded", "containerStatuses": states, "conditions": conditions}


class Api:
    """What the scene asks of a server; an unexpected answer is an exception."""

    def __init__(self, client):
        self.client = client

    def ask(self, method, path, body=None, media="application/json", fine=()):
        data = None if body is None else json.dumps(body).encode()
        status, _, raw = self.client.request(method, path, {"Content-Type": media} if data else {}, data)
        if status >= 300 and status not in fine:
            raise RuntimeError(f"{method} {path}: {status} {raw[:300].decode(errors='replace')}")
        return None if status in fine else json.loads(raw)

    def get(self, path, fine=()):
        return self.ask("GET", path, fine=fine)

    def create(self, path, body):
        return self.ask("POST", path, body, fine=(409,))

    def patch(self, path, body, missing_is_fine=False):
        return self.ask("PATCH", path, body, "application/strategic-merge-patch+json", (404, 409) if missing_is_fine else ())

    def delete(self, path, body=None):
        return self.ask("DELETE", path, body, fine=(404,))
