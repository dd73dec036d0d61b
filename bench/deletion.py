"""How long it takes until what a deletion leaves to the controllers is gone. kube-apiserver alone has none: it is not asked."""
import http.client
import json
import threading
import time

from pair import NAMESPACE, launch

FILLERS = 8  # connections that create what is deleted then
PATIENCE = 120


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


def seconds_until(done):
    begin = time.perf_counter()
    while not done():
        if time.perf_counter() - begin > PATIENCE:
            raise RuntimeError("what was deleted is still there")
        time.sleep(0.005)
    return time.perf_counter() - begin


def dependents(pair, count, policy):
    """Seconds until an owner's dependents are gone."""
    client = Client(pair)
    owner = client.ask("POST", NAMESPACE + "/configmaps", {"metadata": {"name": "owner"}})[1]["metadata"]
    fill(pair, NAMESPACE, count, [{"apiVersion": "v1", "kind": "ConfigMap", "name": "owner", "uid": owner["uid"], "blockOwnerDeletion": True}])
    client.ask("DELETE", f"{NAMESPACE}/configmaps/owner?propagationPolicy={policy}")
    left = lambda: client.ask("GET", NAMESPACE + "/configmaps?labelSelector=owned&limit=1")[1]["items"]
    return seconds_until(lambda: not left())


def namespace(pair, count):
    """Seconds until a namespace is gone."""
    client = Client(pair)
    path = "/api/v1/namespaces/full"
    client.ask("POST", "/api/v1/namespaces", {"metadata": {"name": "full"}})
    fill(pair, path, count, [])
    client.ask("DELETE", path)
    return seconds_until(lambda: client.ask("GET", path)[0] == 404)
