"""How long it takes until what a deletion leaves to the controllers is gone, and the most memory meanwhile.

kube-apiserver alone has no controllers: kube-controller-manager runs on it, with its limit of 20 requests a second lifted.
"""
import http.client
import json
import threading
import time

from pair import NAMESPACE, launch

FILLERS = 8  # connections that create what is deleted then
PATIENCE = 900
COUNT = 10000
# The two controllers that this is about, and what they need to be as fast as they can.
MANAGER = ("--controllers=namespace-controller,garbage-collector-controller", "--kube-api-qps=100000", "--kube-api-burst=100000",
           "--leader-elect=false")


class Client:
    def __init__(self, pair):
        self.connection = http.client.HTTPSConnection("127.0.0.1", pair.port, context=launch.insecure())

    def ask(self, method, path, body=None):
        headers = {"Authorization": "Bearer admin-token", "Content-Type": "application/json"}
        self.connection.request(method, path, json.dumps(body) if body else None, headers)
        answer = self.connection.getresponse()
        document = json.loads(answer.read())
        if answer.status >= 400 and answer.status != 404:
            raise RuntimeError(document)
        return answer.status, document


def fill(pair, namespace, count, owners):
    def some(first):
        client = Client(pair)
        for i in range(first, count, FILLERS):
            body = {"metadata": {"name": f"d-{i}", "labels": {"owned": "yes"}, "ownerReferences": owners}, "data": {"a": "x" * 500}}
            client.ask("POST", namespace + "/configmaps", body)

    threads = [threading.Thread(target=some, args=(k,)) for k in range(FILLERS)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


def until(pair, delete, done):
    """Seconds from the deletion until it is done, and the most bytes that the servers had meanwhile."""
    pair.forget_peak()
    begin = time.perf_counter()
    delete()
    while not done():
        if time.perf_counter() - begin > PATIENCE:
            raise RuntimeError("what was deleted is still there")
        time.sleep(0.005)
    return time.perf_counter() - begin, pair.peak()


def dependents(pair, policy):
    """An owner and all that it owns."""
    client = Client(pair)
    owner = client.ask("POST", NAMESPACE + "/configmaps", {"metadata": {"name": "owner"}})[1]["metadata"]
    fill(pair, NAMESPACE, COUNT, [{"apiVersion": "v1", "kind": "ConfigMap", "name": "owner", "uid": owner["uid"], "blockOwnerDeletion": True}])
    left = lambda: client.ask("GET", NAMESPACE + "/configmaps?labelSelector=owned&limit=1")[1]["items"]
    return until(pair, lambda: client.ask("DELETE", f"{NAMESPACE}/configmaps/owner?propagationPolicy={policy}"), lambda: not left())


def namespace(pair):
    client = Client(pair)
    path = "/api/v1/namespaces/full"
    client.ask("POST", "/api/v1/namespaces", {"metadata": {"name": "full"}})
    fill(pair, path, COUNT, [])
    return until(pair, lambda: client.ask("DELETE", path), lambda: client.ask("GET", path)[0] == 404)


def measure_deletion(pair, figures):
    """`pair` runs, with whatever controllers it needs."""
    rows = {f"{COUNT:,} dependents gone, {policy}": lambda policy=policy: dependents(pair, policy.capitalize()) for policy in ("background", "foreground")}
    rows[f"namespace with {COUNT:,} objects gone"] = lambda: namespace(pair)
    for row, act in rows.items():
        seconds, bytes_ = act()
        figures.add(row, "ms", 1e3 * seconds, "less")
        figures.add(row + ": peak memory", "MB", bytes_ / 1e6, "less")
