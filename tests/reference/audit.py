#!/usr/bin/env python3
"""Sends the same requests to two servers that audit with the same policy, and holds their audit logs against each other.

    audit.py --ours URL --our-log FILE --theirs URL --their-log FILE [--show N]

Events are compared request by request, in order, by their auditID, which the requests give; times, uids, resource
versions and addresses are masked. Both servers are started by the caller, with tokens admin-token and alice-token.
"""
import argparse
import http.client
import json
import re
import ssl
import sys
import time
import urllib.parse

ADMIN = "admin-token"
N = "/api/v1/namespaces/audited"


def requests():
    """(method, path, body, headers, token) of each request. Bodies that are text go as they are."""
    pod = {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "p"},
           "spec": {"containers": [{"name": "c", "image": "i"}]}}
    bad = {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "bad"},
           "spec": {"containers": [{"name": "c", "image": "i", "securityContext": {"privileged": True}}]}}
    deployment = {"apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"name": "d"},
                  "spec": {"selector": {"matchLabels": {"a": "b"}},
                           "template": {"metadata": {"labels": {"a": "b"}}, "spec": pod["spec"]}}}

    def configmap(name, **more):
        return {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": name}, **more}

    yield "POST", "/api/v1/namespaces", {"metadata": {"name": "audited", "labels": {
        "pod-security.kubernetes.io/enforce": "baseline", "pod-security.kubernetes.io/audit": "restricted",
        "pod-security.kubernetes.io/warn": "restricted"}}}, {}, ADMIN
    for token in (ADMIN, "alice-token", "", "wrong"):
        for path in ("/version", "/healthz", "/readyz?verbose", "/api", "/apis", "/apis/apps/v1", "/nothing",
                     "/api/v1/namespaces/audited", N + "/configmaps", N + "/secrets/none", "/apis/none/v1/things",
                     "/api/v1/nodes/n/status", "/metrics/none", "/openapi/v3/none"):
            yield "GET", path, None, {}, token
    # Writes.
    yield "POST", N + "/configmaps", configmap("a", data={"k": "<&>"}), {}, ADMIN
    yield "POST", N + "/configmaps", configmap("a"), {}, ADMIN
    yield "POST", N + "/configmaps?dryRun=All&fieldManager=me", configmap("dry"), {}, ADMIN
    yield "POST", N + "/configmaps?pretty=true", configmap("b"), {}, ADMIN
    yield "POST", N + "/configmaps", configmap("c"), {}, "alice-token"
    yield "POST", N + "/configmaps", {"metadata": {"generateName": "g-"}}, {}, ADMIN
    yield "POST", N + "/configmaps", {"metadata": {}}, {}, ADMIN
    yield "POST", N + "/configmaps", "{", {}, ADMIN
    yield "POST", N + "/configmaps", "", {}, ADMIN
    yield "POST", N + "/configmaps", configmap("x", kind="Secret"), {}, ADMIN
    yield "POST", N + "/configmaps", configmap("x", immutable="yes"), {}, ADMIN
    yield "POST", N + "/configmaps", configmap("Bad_Name"), {}, ADMIN
    yield "POST", N + "/configmaps?fieldValidation=Strict", configmap("u", unknown=1), {}, ADMIN
    yield "POST", N + "/configmaps", configmap("u", unknown=1), {}, ADMIN
    yield "POST", N + "/configmaps", "metadata:\n  name: yaml\ndata: {a: b}\n", {"Content-Type": "application/yaml"}, ADMIN
    yield "POST", N + "/configmaps", "x", {"Content-Type": "text/x"}, ADMIN
    yield "PUT", N + "/configmaps/a", configmap("a", data={"k": "v2"}), {}, ADMIN
    yield "PUT", N + "/configmaps/a", configmap("other"), {}, ADMIN
    yield "PUT", N + "/configmaps/missing", configmap("missing"), {}, ADMIN
    for kind, patch in (("merge-patch", {"data": {"m": "1"}}), ("strategic-merge-patch", {"data": {"s": "<1>"}}),
                        ("json-patch", [{"op": "add", "path": "/data/j", "value": "1"}]), ("merge-patch", {"data": 1}),
                        ("json-patch", {"no": "list"})):
        yield "PATCH", N + "/configmaps/a", patch, {"Content-Type": f"application/{kind}+json"}, ADMIN
    yield "PATCH", N + "/configmaps/missing", {}, {"Content-Type": "application/merge-patch+json"}, ADMIN
    yield "PATCH", N + "/configmaps/a", {}, {"Content-Type": "application/json"}, ADMIN
    yield "PATCH", N + "/configmaps/s?fieldManager=m", configmap("s", data={"x": "y"}), {
        "Content-Type": "application/apply-patch+yaml"}, ADMIN
    yield "POST", N + "/secrets", {"metadata": {"name": "s"}, "stringData": {"p": "q"}}, {}, ADMIN
    yield "POST", N + "/serviceaccounts", {"metadata": {"name": "sa"}}, {}, ADMIN
    yield "POST", N + "/pods", pod, {}, ADMIN
    yield "POST", N + "/pods", bad, {}, ADMIN
    yield "POST", "/apis/apps/v1/namespaces/audited/deployments", deployment, {}, ADMIN
    yield "PUT", "/apis/apps/v1/namespaces/audited/deployments/d/scale", {
        "kind": "Scale", "apiVersion": "autoscaling/v1", "metadata": {"name": "d", "namespace": "audited"},
        "spec": {"replicas": 2}}, {}, ADMIN
    yield "GET", "/apis/apps/v1/namespaces/audited/deployments/d/scale", None, {}, ADMIN
    yield "PATCH", "/apis/apps/v1/namespaces/audited/deployments/d/status", {"status": {"replicas": 1}}, {
        "Content-Type": "application/merge-patch+json"}, ADMIN
    yield "POST", "/apis/authorization.k8s.io/v1/selfsubjectaccessreviews", {
        "spec": {"resourceAttributes": {"verb": "get", "resource": "pods"}}}, {}, "alice-token"
    yield "POST", "/apis/authentication.k8s.io/v1/selfsubjectreviews", {}, {}, "alice-token"
    yield "POST", N + "/pods/p/binding", {"metadata": {"name": "p"}, "target": {"kind": "Node", "name": "n"}}, {}, ADMIN
    yield "POST", N + "/pods/p/eviction", {"metadata": {"name": "p"}, "apiVersion": "policy/v1", "kind": "Eviction"}, {}, ADMIN
    yield "GET", N + "/pods/p/log", None, {}, ADMIN
    yield "GET", N + "/pods/missing/log", None, {}, ADMIN
    # Reads in every form.
    for accept in ("application/json", "application/yaml", "application/vnd.kubernetes.protobuf",
                   "application/json;as=Table;v=v1;g=meta.k8s.io",
                   "application/json;as=PartialObjectMetadata;v=v1;g=meta.k8s.io", "text/none"):
        yield "GET", N + "/configmaps/a", None, {"Accept": accept}, ADMIN
        yield "GET", N + "/configmaps/missing", None, {"Accept": accept}, ADMIN
        if "Partial" not in accept:
            yield "GET", N + "/configmaps?limit=1", None, {"Accept": accept}, ADMIN
    yield "GET", N + "/configmaps/a?pretty=1", None, {}, ADMIN
    yield "GET", "/api/v1/watch/namespaces/audited/secrets?timeoutSeconds=1", None, {}, ADMIN
    yield "GET", N + "/configmaps?watch=1&timeoutSeconds=1&resourceVersion=0", None, {}, ADMIN
    yield "GET", N + "/configmaps?watch=1&timeoutSeconds=1&fieldSelector=nonsense", None, {}, ADMIN
    yield "GET", N + "/configmaps?labelSelector=a%20b&x=%3C", None, {}, ADMIN
    yield "GET", N + "/configmaps?timeout=soon", None, {}, ADMIN
    yield "HEAD", N + "/configmaps/a", None, {}, ADMIN
    yield "OPTIONS", N + "/configmaps/a", None, {}, ADMIN
    yield "GET", "/apis/flowcontrol.apiserver.k8s.io/v1beta3/flowschemas?limit=1", None, {}, ADMIN
    # Who.
    for headers in ({"Impersonate-User": "alice"}, {"Impersonate-User": "alice", "Impersonate-Group": "system:masters"},
                    {"Impersonate-User": "u", "Impersonate-Uid": "1", "Impersonate-Extra-Scopes": "a"},
                    {"Impersonate-Group": "g"}, {"Impersonate-User": "system:serviceaccount:a:b"}):
        for token in (ADMIN, "alice-token"):
            yield "GET", N + "/configmaps/a", None, headers, token
    for headers in ({"X-Forwarded-For": "1.2.3.4, 5.6.7.8"}, {"X-Real-Ip": "9.9.9.9"}, {"X-Forwarded-For": "nonsense"},
                    {"X-Forwarded-For": "1.2.3.4", "X-Real-Ip": "1.2.3.4"}, {"X-Forwarded-For": "127.0.0.1"},
                    {"User-Agent": "a" * 1100}, {"User-Agent": "with \"quotes\" <&> \\"}, {"Authorization": "Basic YTpi"}):
        yield "GET", N + "/configmaps/a", None, headers, ADMIN if "Authorization" not in headers else ""
    # Deletions.
    yield "DELETE", N + "/configmaps/b", None, {}, ADMIN
    yield "DELETE", N + "/configmaps/missing", None, {}, ADMIN
    yield "DELETE", N + "/configmaps/s", {"propagationPolicy": "Background"}, {}, ADMIN
    yield "DELETE", N + "/configmaps/a", {"kind": "DeleteOptions", "apiVersion": "v1", "preconditions": {"uid": "no"}}, {}, ADMIN
    yield "DELETE", N + "/configmaps/a?gracePeriodSeconds=0", None, {}, ADMIN
    yield "DELETE", N + "/configmaps/a", "{", {}, ADMIN
    yield "DELETE", N + "/configmaps?labelSelector=none", {"propagationPolicy": "Foreground"}, {}, ADMIN
    yield "DELETE", N + "/configmaps", None, {}, ADMIN
    yield "DELETE", N + "/pods/p", {"gracePeriodSeconds": 0}, {}, ADMIN
    yield "DELETE", "/apis/apps/v1/namespaces/audited/deployments/d", None, {}, "alice-token"


def play(url):
    """Sends everything, on a connection for each request. Answers are read to their end."""
    place = urllib.parse.urlsplit(url)
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    context.check_hostname = False
    context.verify_mode = ssl.CERT_NONE
    for index, (method, path, body, headers, token) in enumerate(requests()):
        connection = http.client.HTTPSConnection(place.hostname, place.port, context=context, timeout=60)
        sent = {"Audit-ID": f"request-{index:04}", "User-Agent": "audit.py"} | headers
        if token:
            sent["Authorization"] = "Bearer " + token
        if body is not None:
            sent.setdefault("Content-Type", "application/json")
            body = body if isinstance(body, str) else json.dumps(body)
        connection.request(method, path, body, sent)
        connection.getresponse().read()
        connection.close()


MASKED = {"requestReceivedTimestamp", "stageTimestamp", "uid", "resourceVersion", "creationTimestamp", "time", "age",
          "remainingItemCount", "description", "deletionTimestamp", "lastTransitionTime", "continue", "managedFields", "serverAddress"}


def mask(value):
    if isinstance(value, dict):
        return {k: "*" if k in MASKED and not isinstance(v, dict) else mask(v) for k, v in value.items()}
    if isinstance(value, list):
        return [mask(v) for v in value]
    if isinstance(value, str):
        value = re.sub(r"\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b", "*", value)
        value = re.sub(r"\bg-[a-z0-9]{5}\b", "g-*", value)
        # Which of several bindings allows it is the real server's order of a map.
        value = re.sub(r"^RBAC: allowed by ClusterRoleBinding .*", "RBAC: allowed by ClusterRoleBinding *", value)
        value = re.sub(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ", "*", value)
        value = re.sub(r'("resourceVersion\\?":\\?")\d+', r"\1*", value)
        return re.sub(r"^\d+[smh](\d+s)?$", "*", value)
    return value


def events(path):
    """auditID to its events in order, of those that play() made."""
    found = {}
    with open(path, encoding="utf-8") as lines:
        for line in lines:
            event = json.loads(line)
            if event["auditID"].startswith("request-"):
                found.setdefault(event["auditID"], []).append(mask(event))
    return found


def differences(ours, theirs, at=""):
    if isinstance(ours, dict) and isinstance(theirs, dict):
        for key in sorted(ours.keys() | theirs.keys()):
            yield from differences(ours.get(key, "(absent)"), theirs.get(key, "(absent)"), f"{at}.{key}")
    elif isinstance(ours, list) and isinstance(theirs, list) and len(ours) == len(theirs):
        for i, (a, b) in enumerate(zip(ours, theirs)):
            yield from differences(a, b, f"{at}[{i}]")
    elif ours != theirs:
        yield f"{at}: ours {json.dumps(ours)[:300]}  theirs {json.dumps(theirs)[:300]}"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--ours")
    parser.add_argument("--our-log")
    parser.add_argument("--theirs")
    parser.add_argument("--their-log", required=True)
    parser.add_argument("--show", type=int, default=40, help="requests whose differences are shown")
    options = parser.parse_args()
    for url in filter(None, (options.theirs, options.ours)):
        play(url)
    if not options.our_log:
        return 0
    time.sleep(1)
    ours, theirs = events(options.our_log), events(options.their_log)
    wrong = 0
    for index, (method, path, _, _, token) in enumerate(requests()):
        key = f"request-{index:04}"
        found = [f"stages: ours {[e['stage'] for e in ours.get(key, [])]} theirs {[e['stage'] for e in theirs.get(key, [])]}"]
        if len(ours.get(key, [])) == len(theirs.get(key, [])):
            found = list(differences(ours.get(key, []), theirs.get(key, [])))
        wrong += bool(found)
        if found and wrong <= options.show:
            print(key, method, path, token)
            for line in found[:6]:
                print("   ", line)
    print(f"{len(list(requests()))} requests, {sum(map(len, theirs.values()))} events, {wrong} requests differ")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
