"""The table of what hostile clients send. A new shape is one line:

    S("what it is", "users", how it is sent, wants="statuses", limit=bytes)

users: A nobody in particular, U a user with the rights to config maps of one namespace, N that namespace's admin, C the cluster's admin (for what
nobody else gets at). The last one named is the one for whom `wants` holds at the smallest n: otherwise the shape would test something else than it
says. wants: statuses by "|", "2xx" for all of a hundred; "" is anything but a 5xx. limit: n at its greatest; n is the request's length in
bytes, or what the line makes of it. `building.py` has the words that the lines are written in.
"""
import dataclasses
import json

import building
from building import (APPLY, APPS, BODY, CBOR, FLOOD, HEAD, JSON, JSON_PATCH, MERGE, NS, PROTOBUF, STRATEGIC, YAML, After, Bytes, Frames, Request, apply, b64,
                      b64url, cbor_config, cbor_head, cbor_map, cbor_text, config, definition, delete, deployment, each, falling, field, get, nest, obj,
                      patch, pod, post, put, rep, seq, shuffled, token, wire, wire_config, wire_nested, words)
import http2_frames as h2


@dataclasses.dataclass
class S:
    name: str
    users: str
    how: object
    wants: str = "2xx|422"
    limit: int = BODY


CM = NS + "configmaps"
SMALL = CM + "/small"
RBAC = "/apis/rbac.authorization.k8s.io/v1/"
ROLES = RBAC + "namespaces/sweep/roles"
CRDS = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions"
DEPLOYMENTS = APPS + "deployments"
REVISIONS = APPS + "controllerrevisions"
SAR = "/apis/authorization.k8s.io/v1/"
ADMISSION = "/apis/admissionregistration.k8s.io/v1/"
CSR = "/apis/certificates.k8s.io/v1/certificatesigningrequests"
SUBJECT = RBAC + "namespaces/sweep/rolebindings"


def query(name, value, path=CM):
    return get(lambda n: f"{path}?{name}={value(n)}")


def labels(value, path=CM):
    return query("labelSelector", value, path)


def fields(value, path=CM):
    return query("fieldSelector", value, path)


def header(name, value, path=SMALL):
    return get(path, lambda n: f"{name}: {value(n)}")


def data(inner):
    """A config map with these members of data."""
    return post(CM, lambda n: config('"data":{%s}' % inner(n)))


def meta(inner):
    return post(CM, lambda n: config(meta=inner(n)))


def yaml(inner):
    return post(CM, lambda n: "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: x\n" + inner(n), YAML)


def managed(entries):
    return meta(lambda n: '"managedFields":[%s]' % entries(n))


def entry(fields_v1, manager="m"):
    return '{"manager":"%s","operation":"Update","apiVersion":"v1","time":"2024-01-01T00:00:00Z","fieldsType":"FieldsV1","fieldsV1":%s}' % (manager, fields_v1)


def ops(n, form):
    """n bytes of operations, and no more than a JSON patch may have."""
    return each(min(n, 9000 * (len(form) + 5)), form) if "%d" in form else seq(min(n, 9000 * (len(form) + 1)), form)


def operations(first, many):
    """A JSON patch: an operation that makes what the others need, and n bytes of others."""
    return patch(SMALL, JSON_PATCH, lambda n: "[" + first(n) + "," + many(n) + "]")


def rule(**lists):
    given = {"apiGroups": '[""]', "resources": '["configmaps"]', "verbs": '["get"]', **lists}
    return "{" + ",".join(f'"{k}":{v}' for k, v in given.items()) + "}"


def role(rules):
    return post(ROLES, lambda n: obj("rbac.authorization.k8s.io/v1", "Role", '"rules":[%s]' % rules(n)))


def cluster_role(rest):
    return post(RBAC + "clusterroles", lambda n: obj("rbac.authorization.k8s.io/v1", "ClusterRole", rest(n)))


def review(kind, spec):
    return post(SAR + kind.lower() + "s", lambda n: '{"apiVersion":"authorization.k8s.io/v1","kind":"%s","spec":{%s}}' % (kind, spec(n)), dry=False)


def namespaced_review(spec):
    return post(SAR + "namespaces/sweep/localsubjectaccessreviews",
                lambda n: '{"apiVersion":"authorization.k8s.io/v1","kind":"LocalSubjectAccessReview","metadata":{"namespace":"sweep"},"spec":{%s}}' % spec(n), dry=False)


def crd(**members):
    return post(CRDS, lambda n: definition(**{k: v(n) for k, v in members.items()}))


def workload(**members):
    return post(DEPLOYMENTS, lambda n: deployment(**{k: v(n) for k, v in members.items()}))


def one(path, api, kind, rest, name="x"):
    return post(path, lambda n: obj(api, kind, rest(n), name=name))


def streams(n, size, make):
    return b"".join(make(s) for s in h2.streams(max(1, n // size)))


def large_stored(n):
    return [("DELETE", CM + "/large", None, None), ("POST", CM, JSON, config('"data":{%s}' % each(min(n, 900000), '"k%d":"v"'), name="large"))]


def heads():
    get_one = "GET " + SMALL + " HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer %s\r\n"
    yield S("path of one long segment", "AUN", get(lambda n: CM + "/" + rep(n, "a")), "404", HEAD)
    yield S("path of many segments", "AUN", get(lambda n: CM + rep(n, "/a")), "", HEAD)
    yield S("path of empty segments", "AUN", get(lambda n: CM + rep(n, "/")), "", HEAD)
    yield S("path of dots", "AUN", get(lambda n: CM + rep(n, "/..")), "", HEAD)
    yield S("path in escapes", "AUN", get(lambda n: CM + "/" + rep(n, "%61")), "404", HEAD)
    yield S("path in broken escapes", "AUN", get(lambda n: CM + "/" + rep(n, "%")), "400", HEAD)
    yield S("path below APIs of no group", "AUN", get(lambda n: "/apis/" + rep(n, "a.")), "403|404", HEAD)
    yield S("query of one long parameter", "AUN", query("x", lambda n: rep(n, "a")), "200", HEAD)
    yield S("query of many parameters", "AUN", get(lambda n: CM + "?" + each(n, "a%d=b", "&")), "200", HEAD)
    yield S("query of one parameter many times", "AUN", get(lambda n: CM + "?" + seq(n, "limit=1", "&")), "200", HEAD)
    yield S("query of escapes", "AUN", query("x", lambda n: rep(n, "%00")), "200", HEAD)
    yield S("query of semicolons", "AUN", get(lambda n: CM + "?" + rep(n, "a;")), "", HEAD)
    yield S("query of empty parameters", "AUN", get(lambda n: CM + "?" + rep(n, "&")), "200", HEAD)
    yield S("many header fields", "AUN", get(SMALL, lambda n: each(n, "X-%d: a", "\r\n")), "200", HEAD)
    yield S("one long header field", "AUN", header("X-Long", lambda n: rep(n, "a")), "200", HEAD)
    yield S("one header field many times", "AUN", get(SMALL, lambda n: seq(n, "X-A: b", "\r\n")), "200", HEAD)
    yield S("many Accept fields", "AUN", get(SMALL, lambda n: seq(n, "Accept: application/json;as=Table", "\r\n")), "", HEAD)
    yield S("Accept of many types", "AUN", header("Accept", lambda n: each(n, "a/b%d") + ",application/json"), "", HEAD)
    yield S("Accept of one type many times", "AUN", header("Accept", lambda n: seq(n, "application/json;as=Table;v=v9;g=meta.k8s.io") + ",application/json"), "", HEAD)
    yield S("Accept of many parameters", "AUN", header("Accept", lambda n: "application/json;" + each(n, "a%d=b", ";")), "", HEAD)
    yield S("Accept of falling weights", "AUN", header("Accept", lambda n: falling(n, "a/b;q=0.%d") + ",application/json"), "", HEAD)
    yield S("Accept of quotes", "AUN", header("Accept", lambda n: 'application/json;a="' + rep(n, "\\a") + '"'), "", HEAD)
    yield S("Accept for discovery", "AU", header("Accept", lambda n: seq(n, "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList"), "/apis"), "200", HEAD)
    yield S("Accept for OpenAPI", "AU", header("Accept", lambda n: each(n, "application/x%d"), "/openapi/v2"), "", HEAD)
    yield S("Accept-Encoding of many words", "AUN", header("Accept-Encoding", lambda n: each(n, "x%d;q=0.5") + ",gzip"), "200", HEAD)
    yield S("Content-Type of many parameters", "AUN", post(CM, lambda n: config(), lambda n: "application/json;" + each(n, "a%d=b", ";")), "201", HEAD)
    yield S("Content-Type in quotes", "AUN", post(CM, lambda n: config(), lambda n: 'application/json;a="' + rep(n, "\\a") + '"'), "", HEAD)
    yield S("Content-Type of no form", "AUN", post(CM, lambda n: config(), lambda n: rep(n, "a/")), "415", HEAD)
    yield S("bearer token of one word", "A", header("Authorization", lambda n: "Bearer " + rep(n, "a")), "401", HEAD)
    yield S("bearer token of many points", "A", header("Authorization", lambda n: "Bearer " + rep(n, "a.")), "401", HEAD)
    yield S("token with a long claim", "A", header("Authorization", lambda n: "Bearer " + token(claims='{"iss":"https://kubernetes.default.svc.cluster.local","sub":"%s"}' % rep(n * 3 // 4, "a"))), "401", HEAD)
    yield S("token with deep claims", "A", header("Authorization", lambda n: "Bearer " + token(claims='{"iss":"https://kubernetes.default.svc.cluster.local","a":%s}' % nest(n * 3 // 4))), "401", HEAD)
    yield S("token with many claims", "A", header("Authorization", lambda n: "Bearer " + token(claims='{"iss":"https://kubernetes.default.svc.cluster.local",%s}' % each(n * 3 // 4, '"a%d":1'))), "401", HEAD)
    yield S("token with many audiences", "A", header("Authorization", lambda n: "Bearer " + token(claims='{"iss":"https://kubernetes.default.svc.cluster.local","aud":[%s]}' % each(n * 3 // 4, '"a%d"'))), "401", HEAD)
    yield S("token with a deep head", "A", header("Authorization", lambda n: "Bearer " + token('{"alg":"RS256","a":%s}' % nest(n * 3 // 4))), "401", HEAD)
    yield S("token with a long signature", "A", header("Authorization", lambda n: "Bearer " + token(signature="x" * (n * 3 // 4))), "401", HEAD)
    yield S("Authorization of many words", "A", header("Authorization", lambda n: rep(n, "Bearer ")), "", HEAD)
    yield S("many Authorization fields", "A", get(SMALL, lambda n: seq(n, "Authorization: Bearer x", "\r\n")), "", HEAD)
    yield S("Impersonate-Group many times", "AUNC", get(SMALL, lambda n: "Impersonate-User: alice\r\n" + each(n, "Impersonate-Group: g%d", "\r\n")), "", HEAD)
    yield S("Impersonate-Extra of many keys", "AUNC", get(SMALL, lambda n: "Impersonate-User: alice\r\n" + each(n, "Impersonate-Extra-a%d: b", "\r\n")), "", HEAD)
    yield S("Impersonate-Extra of escapes", "AUNC", get(SMALL, lambda n: "Impersonate-User: alice\r\nImpersonate-Extra-%s: b" % rep(n, "%41")), "", HEAD)
    yield S("Impersonate-User long", "AUNC", header("Impersonate-User", lambda n: rep(n, "a")), "", HEAD)
    yield S("If-None-Match of many", "AU", header("If-None-Match", lambda n: each(n, '"a%d"'), "/openapi/v3"), "", HEAD)
    yield S("Range of many", "AU", header("Range", lambda n: "bytes=" + each(n, "%d-"), "/openapi/v2"), "", HEAD)
    yield S("User-Agent long", "AUN", header("User-Agent", lambda n: rep(n, "a/b (c) ")), "200", HEAD)
    yield S("User-Agent for a managed field", "UN", post(CM, lambda n: config('"data":{"a":"b"}'), fields=lambda n: "User-Agent: " + rep(n, "a b")), "201", HEAD)
    yield S("User-Agent of odd bytes for a managed field", "UN", post(CM, lambda n: config('"data":{"a":"b"}'), fields=lambda n: "User-Agent: " + rep(n, "\udcff\udcfe")), "", HEAD)
    yield S("Sec-WebSocket-Protocol of many", "AUN", get(NS + "pods/x/exec", lambda n: "Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: "
                "dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Protocol: " + each(n, "a%d")), "", HEAD)
    yield S("token in Sec-WebSocket-Protocol", "A", get(SMALL, lambda n: "Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: "
                "dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Protocol: base64url.bearer.authorization.k8s.io." + b64url("x" * (n * 3 // 4))), "", HEAD)
    yield S("X-Forwarded-For of many", "AUN", header("X-Forwarded-For", lambda n: each(n, "10.0.0.%d")), "200", HEAD)
    yield S("Connection of many words", "AUN", header("Connection", lambda n: each(n, "a%d")), "200", HEAD)
    yield S("Upgrade of many words", "AUN", get(SMALL, lambda n: "Connection: upgrade\r\nUpgrade: " + each(n, "a%d")), "", HEAD)
    yield S("Transfer-Encoding of many words", "A", Bytes(lambda n, t: get_one % t + "Transfer-Encoding: " + seq(n, "chunked") + "\r\n\r\n"), "", HEAD)
    yield S("Content-Length of many digits", "A", Bytes(lambda n, t: get_one % t + "Content-Length: " + rep(n, "0") + "\r\n\r\n"), "", HEAD)
    yield S("Content-Length many times", "A", Bytes(lambda n, t: get_one % t + rep(n, "Content-Length: 0\r\n") + "\r\n"), "", HEAD)
    yield S("folded header lines", "A", Bytes(lambda n, t: get_one % t + "X: a\r\n" + rep(n, " a\r\n") + "\r\n"), "", HEAD)
    yield S("header lines without a colon", "A", Bytes(lambda n, t: get_one % t + rep(n, "a\r\n") + "\r\n"), "400", HEAD)
    yield S("Expect of many words", "AU", Bytes(lambda n, t: get_one % t + "Expect: " + seq(n, "100-continue") + "\r\n\r\n"), "", HEAD)
    yield S("Host long", "A", Bytes(lambda n, t: "GET /healthz HTTP/1.1\r\nHost: " + rep(n, "a.") + "\r\n\r\n"), "", HEAD)
    yield S("method long", "A", Bytes(lambda n, t: rep(n, "A") + " /healthz HTTP/1.1\r\nHost: x\r\n\r\n"), "", HEAD)
    yield S("version long", "A", Bytes(lambda n, t: "GET /healthz HTTP/" + rep(n, "1") + "\r\nHost: x\r\n\r\n"), "", HEAD)
    yield S("empty lines before a request", "A", Bytes(lambda n, t: rep(n, "\r\n") + "GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n"), "", HEAD)
    yield S("Cookie of many", "AUN", header("Cookie", lambda n: each(n, "a%d=b", "; ")), "200", HEAD)
    yield S("Audit-ID long", "AUN", header("Audit-ID", lambda n: rep(n, "a")), "200", HEAD)
    yield S("tracestate of many", "AUN", header("tracestate", lambda n: each(n, "a%d=b")), "200", HEAD)
    yield S("a request line in small pieces", "A", Bytes(lambda n, t: "GET /healthz?" + rep(n, "a") + " HTTP/1.1\r\nHost: x\r\n\r\n", step=512), "", HEAD)
    yield S("a header field in small pieces", "A", Bytes(lambda n, t: "GET /healthz HTTP/1.1\r\nHost: x\r\nX: " + rep(n, "a") + "\r\n\r\n", step=512), "", HEAD)
    yield S("many header lines in small pieces", "A", Bytes(lambda n, t: "GET /healthz HTTP/1.1\r\nHost: x\r\n" + rep(n, "X: a\r\n") + "\r\n", step=512), "", HEAD)
    yield S("bytes that are no TLS", "A", Bytes(lambda n, t: b"\x16\x03\x01\x40\x00" + rep(n, b"\x01\x00"), plain=True), "", HEAD)
    yield S("plain HTTP to the TLS port", "A", Bytes(lambda n, t: "GET / HTTP/1.1\r\nX: " + rep(n, "a"), plain=True), "", HEAD)


def parameters():
    yield S("labelSelector of many keys", "AUN", labels(lambda n: each(n, "a%d")), "200", HEAD)
    yield S("labelSelector of falling keys", "AUN", labels(lambda n: falling(n, "a%d")), "200", HEAD)
    yield S("labelSelector of shuffled keys", "AUN", labels(lambda n: shuffled(n, "a%d=b")), "200", HEAD)
    yield S("labelSelector of one key", "AUN", labels(lambda n: seq(n, "a")), "200", HEAD)
    yield S("labelSelector of equalities", "AUN", labels(lambda n: each(n, "a%d==b")), "200", HEAD)
    yield S("labelSelector of inequalities", "AUN", labels(lambda n: each(n, "a!=b%d")), "200", HEAD)
    yield S("labelSelector of absences", "AUN", labels(lambda n: each(n, "!a%d")), "200", HEAD)
    yield S("labelSelector of numbers", "AUN", labels(lambda n: each(n, "a>%d")), "200", HEAD)
    yield S("labelSelector in many values", "AUN", labels(lambda n: "a+in+(" + each(n, "b%d") + ")"), "200", HEAD)
    yield S("labelSelector in falling values", "AUN", labels(lambda n: "a+in+(" + falling(n, "b%d") + ")"), "200", HEAD)
    yield S("labelSelector in one value", "AUN", labels(lambda n: "a+notin+(" + seq(n, "b") + ")"), "200", HEAD)
    yield S("labelSelector of many sets", "AUN", labels(lambda n: each(n, "a%d+in+(b,c)")), "200", HEAD)
    yield S("labelSelector of a long key", "AUN", labels(lambda n: rep(n, "a")), "400", HEAD)
    yield S("labelSelector of a long value", "AUN", labels(lambda n: "a=" + rep(n, "b")), "400", HEAD)
    yield S("labelSelector of bad keys", "AUN", labels(lambda n: seq(n, "_")), "400", HEAD)
    yield S("labelSelector of blanks", "AUN", labels(lambda n: "a" + rep(n, "+") + ",b"), "200", HEAD)
    yield S("labelSelector of commas", "AUN", labels(lambda n: rep(n, ",")), "", HEAD)
    yield S("labelSelector of parentheses", "AUN", labels(lambda n: "a+in+" + rep(n, "(")), "400", HEAD)
    yield S("labelSelector of operators", "AUN", labels(lambda n: "a" + rep(n, "=!")), "400", HEAD)
    yield S("labelSelector for a watch", "AUN", get(lambda n: CM + "?watch=1&timeoutSeconds=1&resourceVersion=0&labelSelector=" + each(n, "a%d")), "200", HEAD)
    yield S("labelSelector for a collection's deletion", "AUN", delete(lambda n: CM + "?labelSelector=" + each(n, "a%d")), "200", HEAD)
    yield S("fieldSelector of many terms", "AUN", fields(lambda n: seq(n, "metadata.name=a")), "200|400", HEAD)
    yield S("fieldSelector of many values", "AUN", fields(lambda n: each(n, "metadata.name!=a%d")), "200|400", HEAD)
    yield S("fieldSelector of many fields", "AUN", fields(lambda n: each(n, "a%d=b")), "400", HEAD)
    yield S("fieldSelector of escapes", "AUN", fields(lambda n: "metadata.name=" + rep(n, "\\,")), "200", HEAD)
    yield S("fieldSelector of a long value", "AUN", fields(lambda n: "metadata.name=" + rep(n, "a")), "200", HEAD)
    yield S("fieldSelector of commas", "AUN", fields(lambda n: rep(n, ",")), "", HEAD)
    yield S("fieldSelector of pods", "AN", fields(lambda n: seq(n, "spec.nodeName=a,status.phase!=b"), NS + "pods"), "200|400", HEAD)
    yield S("fieldSelector of events", "AN", fields(lambda n: seq(n, "involvedObject.name=a,reason!=b"), NS + "events"), "200|400", HEAD)
    yield S("continue token long", "AUN", query("limit=1&continue", lambda n: rep(n, "a")), "400", HEAD)
    yield S("continue token of deep JSON", "AUN", query("limit=1&continue", lambda n: b64url('{"v":"meta.k8s.io/v1","rv":1,"start":%s}' % nest(n * 3 // 4))), "400", HEAD)
    yield S("continue token of many members", "AUN", query("limit=1&continue", lambda n: b64url('{"v":"meta.k8s.io/v1","rv":1,"start":"a",%s}' % each(n * 3 // 4, '"a%d":1'))), "", HEAD)
    yield S("continue token of a long start", "AUN", query("limit=1&continue", lambda n: b64url('{"v":"meta.k8s.io/v1","rv":1,"start":"%s"}' % rep(n * 3 // 4, "a/"))), "", HEAD)
    for name in ("resourceVersion", "limit", "timeoutSeconds", "resourceVersionMatch", "watch", "sendInitialEvents", "pretty", "timeout"):
        yield S(f"{name} of many digits", "AUN", query(name, lambda n: rep(n, "1")), "4xx|500" if name == "resourceVersion" else "", HEAD)
    yield S("fieldManager long", "AUN", post(lambda n: CM + "?fieldManager=" + rep(n, "a"), lambda n: config()), "422", HEAD)
    yield S("fieldManager of what cannot be printed", "AUN", post(lambda n: CM + "?fieldManager=" + rep(n, "%01"), lambda n: config()), "422", HEAD)
    yield S("fieldManager of what is no UTF-8", "AUN", post(lambda n: CM + "?fieldManager=" + rep(n, "%ff"), lambda n: config()), "422", HEAD)
    yield S("fieldManager for an apply", "AUN", patch(lambda n: SMALL + "?fieldManager=" + rep(n, "%01"), APPLY, lambda n: config(name="small")), "422", HEAD)
    yield S("fieldValidation long", "AUN", post(lambda n: CM + "?fieldValidation=" + rep(n, "a"), lambda n: config()), "422", HEAD)
    yield S("dryRun many times", "AUN", post(lambda n: CM + "?" + each(n, "dryRun=a%d", "&"), lambda n: config()), "422", HEAD)
    yield S("dryRun long", "AUN", post(lambda n: CM + "?dryRun=" + rep(n, "%01"), lambda n: config()), "422", HEAD)
    yield S("propagationPolicy long", "AUN", delete(lambda n: SMALL + "?propagationPolicy=" + rep(n, "a")), "422", HEAD)
    yield S("gracePeriodSeconds long", "AUN", delete(lambda n: SMALL + "?gracePeriodSeconds=" + rep(n, "1")), "", HEAD)
    yield S("exec of many words", "AN", get(lambda n: NS + "pods/x/exec?" + each(n, "command=a%d", "&")), "", HEAD)
    yield S("log of a long container", "AN", get(lambda n: NS + "pods/x/log?container=" + rep(n, "a")), "", HEAD)
    yield S("proxy of a long path", "AN", get(lambda n: NS + "services/x/proxy" + rep(n, "/a")), "", HEAD)
    yield S("verbose health without many", "A", get(lambda n: "/livez?verbose=1&" + each(n, "exclude=a%d", "&")), "200", HEAD)
    yield S("health without one long", "A", get(lambda n: "/livez?exclude=" + rep(n, "a")), "200", HEAD)
    yield S("health without what is no text", "A", get(lambda n: "/readyz?verbose&exclude=" + rep(n, "%ff")), "200", HEAD)


def json_bodies():
    yield S("data of rising keys", "AUN", data(lambda n: each(n, '"k%d":"v"')))
    yield S("data of falling keys", "AUN", data(lambda n: falling(n, '"k%d":"v"')))
    yield S("data of shuffled keys", "AUN", data(lambda n: shuffled(n, '"k%d":"v"')))
    yield S("data of one key", "AUN", data(lambda n: seq(n, '"k":"v"')))
    yield S("data of one key, strict", "UN", post(CM + "?fieldValidation=Strict", lambda n: config('"data":{%s}' % seq(n, '"k":"v"'))), "400")
    yield S("data of keys twice", "UN", data(lambda n: each(n // 2, '"k%d":"v"') + "," + each(n // 2, '"k%d":"v"')))
    yield S("data of bad keys", "AUN", data(lambda n: each(n, '"/%d":"v"')), "422")
    yield S("data of empty keys and values", "UN", data(lambda n: seq(n, '"":""')), "422")
    yield S("data of keys that are long", "UN", data(lambda n: '"%s":"v"' % rep(n, "k")), "422")
    yield S("a long value", "AUN", data(lambda n: '"k":"%s"' % rep(n, "v")), "")
    yield S("a long value of escapes", "AUN", data(lambda n: '"k":"%s"' % rep(n, "\\u0061")), "")
    yield S("a long value of pairs of surrogates", "UN", data(lambda n: '"k":"%s"' % rep(n, "\\ud83d\\ude00")), "")
    yield S("a long value of lone surrogates", "UN", data(lambda n: '"k":"%s"' % rep(n, "\\ud83d")), "")
    yield S("a long value that needs escapes", "UN", data(lambda n: '"k":"%s"' % rep(n, "<\\u0001")), "")
    yield S("a long value that is no UTF-8", "UN", data(lambda n: '"k":"%s"' % rep(n, "\udcff")) , "")
    yield S("binary data of many keys", "UN", post(CM, lambda n: config('"binaryData":{%s}' % each(n, '"k%d":"AAAA"'))))
    yield S("binary data that is no base64", "UN", post(CM, lambda n: config('"binaryData":{%s}' % each(n, '"k%d":"*"'))), "400")
    yield S("data and binary data of one key", "UN", post(CM, lambda n: config('"data":{%s},"binaryData":{%s}' % (each(n // 2, '"k%d":"v"'), each(n // 2, '"k%d":"AA=="')))), "422")
    yield S("unknown fields", "AUN", post(CM, lambda n: config(each(n, '"u%d":1'))))
    yield S("unknown fields, strict", "UN", post(CM + "?fieldValidation=Strict", lambda n: config(each(n, '"u%d":1'))), "400")
    yield S("unknown fields in many items", "N", workload(pod=lambda n: '"tolerations":[%s]' % each(n, '{"u%d":1}')))
    yield S("unknown fields far down", "UN", post(CM, lambda n: config('"u":%s' % nest(n, '{"a":', "}"))), "")
    yield S("fields of another case", "UN", post(CM, lambda n: config(each(n, '"Data":{"k%d":"v"}'))))
    yield S("brackets", "AUN", post(CM, lambda n: rep(n, "[")), "400")
    yield S("braces", "AUN", post(CM, lambda n: rep(n, '{"a":')), "400")
    yield S("an array as the body", "AUN", post(CM, lambda n: "[" + seq(n, "1") + "]"), "400")
    yield S("a text as the body", "AUN", post(CM, lambda n: '"' + rep(n, "a") + '"'), "400")
    yield S("blanks as the body", "AUN", post(CM, lambda n: rep(n, " \n") + config()), "201")
    yield S("bytes behind the body", "AUN", post(CM, lambda n: config() + rep(n, "x")), "400")
    yield S("many documents", "UN", post(CM, lambda n: rep(n, config())), "400")
    yield S("a number of many digits", "UN", post(CM, lambda n: config('"u":' + rep(n, "1"))), "")
    yield S("a number of a long fraction", "UN", post(CM, lambda n: config('"u":0.' + rep(n, "1") + "e-5")), "")
    yield S("many numbers", "UN", post(CM, lambda n: config('"u":[%s]' % each(n, "1.%de300"))), "")
    yield S("a long kind", "AUN", post(CM, lambda n: '{"apiVersion":"v1","kind":"%s"}' % rep(n, "A")), "400")
    yield S("a long apiVersion", "AUN", post(CM, lambda n: '{"apiVersion":"%s","kind":"ConfigMap"}' % rep(n, "a/")), "400")
    yield S("a wrong type far in", "UN", data(lambda n: each(n, '"k%d":"v"') + ',"z":1'), "400")
    yield S("wrong types everywhere", "UN", data(lambda n: each(n, '"k%d":1')), "400")
    yield S("a body in small chunks", "UN", post(CM, lambda n: rep(n, "1\r\n \r\n") + "%x\r\n%s\r\n0\r\n\r\n" % (len(config()), config()), chunked=True), "201")
    yield S("a body of long chunk extensions", "UN", post(CM, lambda n: rep(n, "1;" + "a" * 500 + "\r\n \r\n") + "%x\r\n%s\r\n0\r\n\r\n" % (len(config()), config()), chunked=True), "500")
    yield S("a body with many trailers", "UN", post(CM, lambda n: "%x\r\n%s\r\n0\r\n%s\r\n\r\n" % (len(config()), config(), each(n, "X-%d: a", "\r\n")), chunked=True), "500", HEAD)
    yield S("a long answer, packed", "UN", post(CM, lambda n: config('"data":{%s}' % each(min(n, 900000), '"k%d":"v"')), fields=lambda n: "Accept-Encoding: gzip"), "201")
    yield S("a long answer as YAML", "UN", post(CM, lambda n: config('"data":{"k":"%s"}' % rep(min(n, 1000000), "\\n ")), fields=lambda n: "Accept: application/yaml"), "201")
    yield S("a long answer as YAML, many keys", "UN", post(CM, lambda n: config('"data":{%s}' % each(min(n, 900000), '"k%d":"\\u0001"')), fields=lambda n: "Accept: application/yaml"), "201")
    yield S("a long answer as protobuf", "UN", post(CM, lambda n: config('"data":{%s}' % each(min(n, 900000), '"k%d":"v"')), fields=lambda n: "Accept: " + PROTOBUF), "201")
    yield S("a long answer as a table", "UN", post(CM, lambda n: config('"data":{%s}' % each(min(n, 900000), '"k%d":"v"')), fields=lambda n: "Accept: application/json;as=Table;v=v1;g=meta.k8s.io"), "")
    yield S("a long answer, indented", "UN", post(CM + "?pretty=1", lambda n: config('"data":{%s}' % each(min(n, 900000), '"k%d":"v"'))), "201")


def metadata():
    yield S("many labels", "AUN", meta(lambda n: '"labels":{%s}' % each(n, '"k%d":"v"')))
    yield S("many labels of no form", "UN", meta(lambda n: '"labels":{%s}' % each(n, '"/%d":"*"')), "422")
    yield S("a label with a long key", "UN", meta(lambda n: '"labels":{"%s":"v"}' % rep(n, "k")), "422")
    yield S("a label with a long value", "UN", meta(lambda n: '"labels":{"k":"%s"}' % rep(n, "v*")), "422")
    yield S("many annotations", "UN", meta(lambda n: '"annotations":{%s}' % each(n, '"k%d":"v"')))
    yield S("many annotations of no form", "UN", meta(lambda n: '"annotations":{%s}' % each(n, '"/%d":"v"')), "422")
    yield S("many finalizers", "UN", meta(lambda n: '"finalizers":[%s]' % each(n, '"a.b/c%d"')))
    yield S("falling finalizers", "UN", meta(lambda n: '"finalizers":[%s]' % falling(n, '"a.b/c%d"')))
    yield S("one finalizer many times", "UN", meta(lambda n: '"finalizers":[%s]' % seq(n, '"a.b/c"')))
    yield S("finalizers of no form", "UN", meta(lambda n: '"finalizers":[%s]' % each(n, '"*%d"')), "422")
    yield S("empty finalizers", "UN", meta(lambda n: '"finalizers":[%s]' % seq(n, '""')), "422")
    yield S("many owners", "UN", meta(lambda n: '"ownerReferences":[%s]' % each(n, '{"apiVersion":"v1","kind":"Pod","name":"a","uid":"u%d"}')))
    yield S("many controlling owners", "UN", meta(lambda n: '"ownerReferences":[%s]' % each(n, '{"apiVersion":"v1","kind":"Pod","name":"a","uid":"u%d","controller":true}')), "422")
    yield S("many empty owners", "UN", meta(lambda n: '"ownerReferences":[%s]' % seq(n, "{}")), "422")
    yield S("one owner many times", "UN", meta(lambda n: '"ownerReferences":[%s]' % seq(n, '{"apiVersion":"v1","kind":"Pod","name":"a","uid":"u"}')))
    yield S("a long name", "AUN", post(CM, lambda n: config(name=rep(n, "a"))), "422")
    yield S("a long name of no form", "UN", post(CM, lambda n: config(name=rep(n, "A."))), "422")
    yield S("a long prefix of a name", "UN", post(CM, lambda n: '{"metadata":{"generateName":"%s"}}' % rep(n, "a.")), "")
    yield S("a long uid", "UN", meta(lambda n: '"uid":"%s"' % rep(n, "a")), "")
    yield S("a long namespace", "UN", meta(lambda n: '"namespace":"%s"' % rep(n, "a")), "400")
    yield S("a long resourceVersion", "UN", meta(lambda n: '"resourceVersion":"%s"' % rep(n, "1")), "")
    yield S("a long creationTimestamp", "UN", meta(lambda n: '"creationTimestamp":"%s"' % rep(n, "1")), "400")
    yield S("managed fields of many entries", "AUN", managed(lambda n: each(n, entry('{"f:data":{"f:k":{}}}', "m%d"))), "")
    yield S("managed fields of one entry many times", "UN", managed(lambda n: seq(n, entry('{"f:data":{"f:k":{}}}'))), "")
    yield S("managed fields of entries of a field each", "UN", managed(lambda n: each(n, entry('{"f:data":{"f:k%d":{}}}'))), "")
    yield S("managed fields of many fields", "UN", managed(lambda n: entry('{"f:data":{%s}}' % each(n, '"f:k%d":{}'))), "")
    yield S("managed fields of falling fields", "UN", managed(lambda n: entry('{"f:data":{%s}}' % falling(n, '"f:k%d":{}'))), "")
    yield S("managed fields of one field many times", "UN", managed(lambda n: entry('{"f:data":{%s}}' % seq(n, '"f:k":{}'))), "")
    yield S("managed fields far down", "UN", managed(lambda n: entry(nest(n, '{"f:a":', "}", "{}"))), "")
    yield S("managed fields of keys", "UN", managed(lambda n: entry('{"f:metadata":{"f:ownerReferences":{%s}}}' % each(n, '"k:{\\"uid\\":\\"u%d\\"}":{}'))), "")
    yield S("managed fields of keys with many members", "UN", managed(lambda n: entry('{"k:{%s}":{}}' % each(n, '\\"a%d\\":1'))), "")
    yield S("managed fields of a deep key", "UN", managed(lambda n: entry('{"k:{\\"a\\":%s}":{}}' % nest(n))), "")
    yield S("managed fields of values", "UN", managed(lambda n: entry('{"f:metadata":{"f:finalizers":{%s}}}' % each(n, '"v:\\"a%d\\"":{}'))), "")
    yield S("managed fields of a deep value", "UN", managed(lambda n: entry('{"v:%s":{}}' % nest(n))), "")
    yield S("managed fields of indexes", "UN", managed(lambda n: entry('{"f:a":{%s}}' % each(n, '"i:%d":{}'))), "")
    yield S("managed fields of no form", "UN", managed(lambda n: entry('{%s}' % each(n, '"x%d":{}'))), "")
    yield S("managed fields of a long manager", "UN", managed(lambda n: entry('{"f:data":{}}', rep(n, "\\u0001"))), "")
    yield S("managed fields of many versions", "UN", managed(lambda n: each(n, entry('{}').replace('"v1"', '"v%d"'))), "")
    yield S("managed fields in an update", "UN", put(SMALL, lambda n: config(meta='"managedFields":[%s]' % each(n, entry('{"f:data":{"f:k%d":{}}}')), name="small")), "")
    yield S("managed fields in an apply", "UN", apply(SMALL, lambda n: config(meta='"managedFields":[%s]' % each(n, entry('{}')), name="small")), "400")
    yield S("owners in an update", "UN", put(SMALL, lambda n: config(meta='"ownerReferences":[%s]' % each(n, '{"apiVersion":"v1","kind":"Pod","name":"a","uid":"u%d"}'), name="small")))


def other_encodings():
    flow = "data: "
    bomb = lambda n: "a0: &a0 [1,1,1,1,1,1,1,1,1]\n" + "".join("a%d: &a%d [%s]\n" % (i, i, ",".join(["*a%d" % (i - 1)] * 9)) for i in range(1, max(3, min(n // 60, 200))))
    yield S("YAML: aliases of aliases", "AUN", yaml(bomb), "", 6000)
    yield S("YAML: aliases of maps of aliases", "AUN", yaml(lambda n: "a0: &a0 {a: 1}\n" + "".join("a%d: &a%d {%s}\n" % (i, i, ",".join("%s: *a%d" % (k, i - 1) for k in "abcdefgh")) for i in range(1, max(3, n // 90)))), "", 9000)
    yield S("YAML: many aliases of one text", "AUN", yaml(lambda n: "data:\n  k: &a %s\nu: [%s]\n" % (rep(1000, "x"), seq(n, "*a"))), "")
    yield S("YAML: many aliases of a long list", "AUN", yaml(lambda n: "u: &a [%s]\nv: [%s]\n" % (seq(n // 2, "1"), seq(n // 2, "*a"))), "")
    yield S("YAML: many anchors", "AUN", yaml(lambda n: "u: [%s]\n" % each(n, "&a%d 1")), "")
    yield S("YAML: one anchor many times", "AUN", yaml(lambda n: "u: [%s]\n" % seq(n, "&a 1")), "")
    yield S("YAML: merge keys", "AUN", yaml(lambda n: "a: &a {%s}\n" % each(n // 2, "k%d: v") + each(n // 2, "b%d: {<<: *a}", "\n")), "")
    yield S("YAML: a merge of many", "AUN", yaml(lambda n: "a: &a {a: 1}\ndata:\n  <<: [%s]\n" % seq(n, "*a")), "")
    yield S("YAML: an alias of what holds it", "AUN", yaml(lambda n: "u: &a [%s]\n" % seq(n, "*a")), "400")
    yield S("YAML: many documents", "AUN", post(CM, lambda n: rep(n, "---\n") + config(), YAML), "")
    yield S("YAML: deep flow", "AUN", yaml(lambda n: "u: " + nest(n)), "")
    yield S("YAML: deep flow of maps", "AUN", yaml(lambda n: "u: " + nest(n, "{a: ", "}")), "")
    yield S("YAML: open flow", "AUN", yaml(lambda n: "u: " + rep(n, "[")), "400")
    yield S("YAML: open braces", "AUN", yaml(lambda n: "u: " + rep(n, "{")), "400")
    yield S("YAML: deep blocks", "AUN", yaml(lambda n: "u:\n" + "".join(" " * (i + 1) + "a:\n" for i in range(int((2 * n) ** 0.5)))), "")
    yield S("YAML: dashes", "AUN", yaml(lambda n: "u:\n " + rep(n, "- ") + "1\n"), "")
    yield S("YAML: question marks", "AUN", yaml(lambda n: rep(n, "? ") + "\n"), "")
    yield S("YAML: keys that are lists", "UN", yaml(lambda n: "u:\n" + each(n, "  ? [%d]\n  : 1", "\n")), "")
    yield S("YAML: data of rising keys", "AUN", yaml(lambda n: "data:\n" + each(n, "  k%d: v", "\n") + "\n"))
    yield S("YAML: data of one key", "AUN", yaml(lambda n: "data:\n" + seq(n, "  k: v", "\n") + "\n"), "")
    yield S("YAML: data in flow", "UN", yaml(lambda n: "data: {%s}\n" % each(n, "k%d: v")))
    yield S("YAML: a folded text", "UN", yaml(lambda n: "data:\n  k: >\n" + seq(n, "    a", "\n") + "\n"), "")
    yield S("YAML: a literal text", "UN", yaml(lambda n: "data:\n  k: |\n" + seq(n, "    a", "\n") + "\n"), "")
    yield S("YAML: a literal text of empty lines", "UN", yaml(lambda n: "data:\n  k: |\n" + rep(n, "\n") + "    a\n"), "")
    yield S("YAML: a plain text over many lines", "UN", yaml(lambda n: "data:\n  k: a\n" + seq(n, "    a", "\n") + "\n"), "")
    yield S("YAML: a quoted text of escapes", "UN", yaml(lambda n: 'data:\n  k: "%s"\n' % rep(n, "\\x41\\\n")), "")
    yield S("YAML: a single-quoted text", "UN", yaml(lambda n: "data:\n  k: '%s'\n" % rep(n, "''")), "")
    yield S("YAML: comments", "UN", yaml(lambda n: rep(n, "# a\n")), "201")
    yield S("YAML: tags", "UN", yaml(lambda n: "u: [%s]\n" % seq(n, "!!str a")), "")
    yield S("YAML: long tag", "UN", yaml(lambda n: "u: !%s a\n" % rep(n, "a")), "")
    yield S("YAML: directives", "UN", post(CM, lambda n: each(n, "%%TAG !a%d! b:", "\n") + "\n---\n" + config(), YAML), "")
    yield S("YAML: tabs", "UN", yaml(lambda n: rep(n, "\t")), "")
    yield S("YAML: colons", "UN", yaml(lambda n: "u: " + rep(n, "a: ")), "")
    yield S("YAML: a simple key over many lines", "UN", yaml(lambda n: "u: [" + rep(n, "\n a") + ": 1]\n"), "")
    yield S("YAML: numbers of odd forms", "UN", yaml(lambda n: "u: [%s]\n" % each(n, "0x%d, 1_0:20, .inf")), "")
    yield S("YAML: carriage returns", "UN", yaml(lambda n: rep(n, "\r") + "\n"), "")
    yield S("YAML: wide characters", "UN", yaml(lambda n: "data:\n  k: " + rep(n, "\u2028") + "\n"), "")

    yield S("CBOR: data of many keys", "AUN", post(CM, lambda n: cbor_config(cbor_map(b"".join(cbor_text("k%06d" % i) + b"\x61v" for i in range(n // 10)), n // 10)), CBOR), "400")
    yield S("CBOR: data of one key", "UN", post(CM, lambda n: cbor_config(cbor_map(b"\x61k\x61v" * (n // 4), n // 4)), CBOR), "400")
    yield S("CBOR: deep arrays", "AUN", post(CM, lambda n: cbor_config(b"\x81" * n + b"\x01"), CBOR), "400")
    yield S("CBOR: deep endless maps", "AUN", post(CM, lambda n: cbor_config(b"\xbf\x61a" * (n // 3)), CBOR), "400")
    yield S("CBOR: tags of tags", "AUN", post(CM, lambda n: cbor_config(b"\xc6" * n + b"\x01"), CBOR), "400")
    yield S("CBOR: promised length", "AUN", post(CM, lambda n: cbor_config(b"\x9b\x7f" + b"\xff" * 7 + b"\x01" * n), CBOR), "400")
    yield S("CBOR: a text of many pieces", "UN", post(CM, lambda n: cbor_config(b"\xa1\x61k\x7f" + b"\x61v" * (n // 2) + b"\xff"), CBOR), "")
    yield S("CBOR: a long big number", "UN", post(CM, lambda n: cbor_config(b"\xa1\x61k\xc2" + cbor_head(2, n) + b"\x01" * n), CBOR), "400")
    yield S("CBOR: many numbers", "UN", post(CM, lambda n: cbor_config(cbor_head(4, n) + b"\x01" * n), CBOR), "400")
    yield S("CBOR: unknown fields", "UN", post(CM, lambda n: cbor_head(5, n // 8) + b"".join(cbor_text("u%05d" % (i % 100000)) + b"\x01" for i in range(n // 8)), CBOR), "")

    yield S("protobuf: data of many keys", "AUN", post(CM, lambda n: wire_config(b"".join(field(2, field(1, "k%d" % i) + field(2, "v")) for i in range(n // 14))), PROTOBUF))
    yield S("protobuf: data of one key", "UN", post(CM, lambda n: wire_config(rep(n, field(2, field(1, "k") + field(2, "v")))), PROTOBUF))
    yield S("protobuf: empty entries", "UN", post(CM, lambda n: wire_config(rep(n, field(2, b""))), PROTOBUF), "")
    yield S("protobuf: unknown fields", "UN", post(CM, lambda n: wire_config(rep(n, b"\x98\x06\x01")), PROTOBUF), "")
    yield S("protobuf: groups", "AUN", post(CM, lambda n: wire_config(rep(n, b"\xa3\x06")), PROTOBUF), "")
    yield S("protobuf: metadata many times", "UN", post(CM, lambda n: wire_config(rep(n, field(1, field(1, "x")))), PROTOBUF), "")
    yield S("protobuf: finalizers", "UN", post(CM, lambda n: wire_config(meta=b"".join(field(14, "a.b/c%d" % i) for i in range(n // 14))), PROTOBUF))
    yield S("protobuf: empty owners", "UN", post(CM, lambda n: wire_config(meta=rep(n, field(13, b""))), PROTOBUF), "422")
    yield S("protobuf: empty managed fields", "UN", post(CM, lambda n: wire_config(meta=rep(n, field(17, b""))), PROTOBUF), "")
    yield S("protobuf: promised length", "AUN", post(CM, lambda n: b"k8s\0" + b"\x12\xff\xff\xff\xff\x07" + rep(n, b"a"), PROTOBUF), "400")
    yield S("protobuf: long numbers", "AUN", post(CM, lambda n: b"k8s\0" + rep(n, b"\xff"), PROTOBUF), "400")
    yield S("protobuf: a schema inside itself", "AC", post(CRDS, lambda n: wire("apiextensions.k8s.io/v1", "CustomResourceDefinition", field(1, field(1, "things.example.com")) + field(2, field(1, "example.com")
                                                             + field(7, field(1, "v1") + field(4, field(1, wire_nested(n, 18)))))), PROTOBUF), "")
    yield S("protobuf: containers", "AN", post(NS + "pods", lambda n: wire("v1", "Pod", field(1, field(1, "x")) + field(2, rep(n, field(2, b"")))), PROTOBUF), "422")
    yield S("envelope in an envelope", "AUN", post(CM, lambda n: wire("v1", "ConfigMap", wire_nested(n, 2)), PROTOBUF), "")
    yield S("body of another type", "AUN", post(CM, lambda n: rep(n, "a"), "text/plain"), "415")
    yield S("body of no type", "AUN", post(CM, lambda n: rep(n, "["), None), "")


def patches():
    add = lambda path, value: '{"op":"add","path":"%s","value":%s}' % (path, value)
    many = lambda form: (lambda n: ops(n, form))
    some = lambda n: add("/data", '{"a":"b"}')
    array = lambda n: add("/x", "[%s]" % seq(n // 2, "1"))
    half = lambda form: (lambda n: ops(n // 2, form))
    yield S("JSON patch: adds", "AUN", operations(some, many('{"op":"add","path":"/data/k%d","value":"v"}')), "")
    yield S("JSON patch: adds at one place", "UN", operations(some, lambda n: ops(n, add("/data/k", '"v"'))), "")
    yield S("JSON patch: adds at the front", "UN", operations(array, half(add("/x/0", "1"))), "")
    yield S("JSON patch: adds at the end", "UN", operations(array, half(add("/x/-", "1"))), "")
    yield S("JSON patch: removals at the front", "UN", operations(array, half('{"op":"remove","path":"/x/0"}')), "")
    yield S("JSON patch: removals of keys", "UN", operations(lambda n: add("/data", "{%s}" % each(n // 3, '"k%d":"v"')), lambda n: ops(n // 3, '{"op":"remove","path":"/data/k%d"}')), "")
    yield S("JSON patch: replacements", "UN", operations(some, lambda n: ops(n, '{"op":"replace","path":"/data/a","value":"c"}')), "")
    yield S("JSON patch: replacements of a large value", "UN", operations(lambda n: add("/data", "{%s}" % each(n // 2, '"k%d":"v"')), half('{"op":"replace","path":"/data/k0","value":"c"}')), "")
    yield S("JSON patch: moves at the front", "UN", operations(array, half('{"op":"move","from":"/x/0","path":"/x/1"}')), "")
    yield S("JSON patch: moves of a large value", "UN", operations(lambda n: add("/x", '{"a":[%s]}' % seq(n // 2, "1")), lambda n: ops(n // 2, '{"op":"move","from":"/x/a","path":"/x/b"},{"op":"move","from":"/x/b","path":"/x/a"}')), "")
    yield S("JSON patch: moves of a deep value", "UN", operations(lambda n: add("/x", '{"a":%s}' % nest(min(n // 2, 9000))), lambda n: ops(n // 2, '{"op":"move","from":"/x/a","path":"/x/b"},{"op":"move","from":"/x/b","path":"/x/a"}')), "")
    yield S("JSON patch: copies of a large value", "UN", operations(lambda n: add("/x", "[%s]" % seq(n // 2, "1")), lambda n: ops(n // 2, '{"op":"copy","from":"/x","path":"/y%d"}')), "")
    yield S("JSON patch: copies of a small value", "UN", operations(lambda n: add("/x", "1"), lambda n: ops(n, '{"op":"copy","from":"/x","path":"/y%d"}')), "")
    yield S("JSON patch: copies into itself", "AUN", operations(lambda n: add("/x", nest(n)), lambda n: ",".join('{"op":"copy","from":"/x","path":"/x%s"}' % ("/0" * (n // 2 * 2 ** i)) for i in range(5))), "", 10000)
    yield S("JSON patch: copies that double", "AUN", operations(lambda n: add("/x", '["%s"]' % rep(n // 2, "a")), lambda n: ops(n // 2, '{"op":"copy","from":"/x","path":"/x/-"}')), "")
    yield S("JSON patch: tests of a large value", "UN", operations(array, half('{"op":"test","path":"/x","value":1}')), "")
    yield S("JSON patch: tests of an equal large value", "UN", operations(lambda n: add("/x", "[%s]" % seq(n // 3, "1")), lambda n: '{"op":"test","path":"/x","value":[%s]}' % seq(n // 3, "1")), "")
    yield S("JSON patch: tests of shuffled keys", "UN", operations(lambda n: add("/x", "{%s}" % each(n // 2, '"k%d":1')), lambda n: '{"op":"test","path":"/x","value":{%s}}' % shuffled(n // 2, '"k%d":1')), "")
    yield S("JSON patch: tests of one key many times", "UN", operations(lambda n: add("/x", "{%s}" % seq(n // 2, '"k":1')), lambda n: '{"op":"test","path":"/x","value":{%s}}' % seq(n // 2, '"k":1')), "")
    yield S("JSON patch: long pointers", "UN", operations(lambda n: add("/x", nest(min(n // 3, 9000))), lambda n: ops(n // 2, '{"op":"test","path":"/x%s","value":1}' % ("/0" * min(n // 9, 4000)))), "")
    yield S("JSON patch: a pointer of escapes", "UN", operations(some, lambda n: add("/data/" + rep(n, "~1"), '"v"')), "")
    yield S("JSON patch: a pointer of slashes", "UN", operations(some, lambda n: add(rep(n, "/"), '"v"')), "")
    yield S("JSON patch: an index of many digits", "UN", operations(lambda n: add("/x", "[1]"), lambda n: add("/x/" + rep(n, "1"), '"v"')), "")
    yield S("JSON patch: operations of no form", "UN", operations(some, lambda n: ops(n, '{"op":"x%d"}')), "")
    yield S("JSON patch: operations with many members", "UN", operations(some, lambda n: '{"op":"add","path":"/data/k","value":"v",%s}' % each(n, '"u%d":1')), "")
    yield S("JSON patch: a deep value", "UN", operations(some, lambda n: add("/x", nest(n))), "")
    yield S("JSON patch: all of it replaced", "UN", operations(some, lambda n: ops(n, '{"op":"replace","path":"","value":{}}')), "")
    yield S("merge patch: many keys", "AUN", patch(SMALL, MERGE, lambda n: '{"data":{%s}}' % each(n, '"k%d":"v"')))
    yield S("merge patch: falling keys", "UN", patch(SMALL, MERGE, lambda n: '{"data":{%s}}' % falling(n, '"k%d":"v"')))
    yield S("merge patch: one key", "UN", patch(SMALL, MERGE, lambda n: '{"data":{%s}}' % seq(n, '"k":"v"')), "")
    yield S("merge patch: nulls", "UN", patch(SMALL, MERGE, lambda n: '{"data":{%s}}' % each(n, '"k%d":null')))
    yield S("merge patch: a deep value", "UN", patch(SMALL, MERGE, lambda n: '{"u":%s}' % nest(n, '{"a":', "}")), "")
    yield S("merge patch: deep lists", "UN", patch(SMALL, MERGE, lambda n: '{"u":%s}' % nest(n)), "")
    yield S("merge patch: an array as the body", "UN", patch(SMALL, MERGE, lambda n: "[%s]" % seq(n, "1")), "")
    yield S("merge patch: finalizers", "UN", patch(SMALL, MERGE, lambda n: '{"metadata":{"finalizers":[%s]}}' % falling(n, '"a.b/c%d"')))
    strategic = lambda inner: patch(DEPLOYMENTS + "/small", STRATEGIC, lambda n: '{"spec":{"template":{"spec":{%s}}}}' % inner(n))
    config_strategic = lambda inner: patch(SMALL, STRATEGIC, inner)
    yield S("strategic patch: many keys", "AUN", config_strategic(lambda n: '{"data":{%s}}' % each(n, '"k%d":"v"')))
    yield S("strategic patch: nulls", "UN", config_strategic(lambda n: '{"data":{%s}}' % each(n, '"k%d":null')))
    yield S("strategic patch: a deep value", "UN", config_strategic(lambda n: '{"u":%s}' % nest(n, '{"a":', "}")), "")
    yield S("strategic patch: many finalizers", "UN", config_strategic(lambda n: '{"metadata":{"finalizers":[%s]}}' % falling(n, '"a.b/c%d"')))
    yield S("strategic patch: one finalizer many times", "UN", config_strategic(lambda n: '{"metadata":{"finalizers":[%s]}}' % seq(n, '"a.b/c"')))
    yield S("strategic patch: many owners", "UN", config_strategic(lambda n: '{"metadata":{"ownerReferences":[%s]}}' % each(n, '{"apiVersion":"v1","kind":"Pod","name":"a","uid":"u%d"}')))
    yield S("strategic patch: $deleteFromPrimitiveList", "UN", config_strategic(lambda n: '{"metadata":{"finalizers":[%s],"$deleteFromPrimitiveList/finalizers":[%s]}}' % (each(n // 2, '"a.b/c%d"'), each(n // 2, '"a.b/c%d"'))), "")
    yield S("strategic patch: $setElementOrder of texts", "UN", config_strategic(lambda n: '{"metadata":{"finalizers":[%s],"$setElementOrder/finalizers":[%s]}}' % (falling(n // 2, '"a.b/c%d"'), falling(n // 2, '"a.b/c%d"'))), "")
    yield S("strategic patch: $patch replace", "UN", config_strategic(lambda n: '{"data":{"$patch":"replace",%s}}' % each(n, '"k%d":"v"')), "")
    yield S("strategic patch: $patch delete", "UN", config_strategic(lambda n: '{"data":{"$patch":"delete",%s}}' % each(n, '"k%d":"v"')), "")
    yield S("strategic patch: $patch of no form", "UN", config_strategic(lambda n: '{"data":{"$patch":"%s"}}' % rep(n, "x")), "4xx|500")
    yield S("strategic patch: many containers", "N", strategic(lambda n: '"containers":[%s]' % each(n, '{"name":"c%d","image":"i"}')), "")
    yield S("strategic patch: one container many times", "N", strategic(lambda n: '"containers":[%s]' % seq(n, '{"name":"c","image":"i"}')), "")
    yield S("strategic patch: containers without keys", "N", strategic(lambda n: '"containers":[%s]' % seq(n, '{"image":"i"}')), "500")
    yield S("strategic patch: deletions of containers", "N", strategic(lambda n: '"containers":[%s]' % each(n, '{"name":"c%d","$patch":"delete"}')), "")
    yield S("strategic patch: $setElementOrder", "N", strategic(lambda n: '"containers":[%s],"$setElementOrder/containers":[%s]' % (each(n // 2, '{"name":"c%d","image":"i"}'), falling(n // 2, '{"name":"c%d"}'))), "500")
    yield S("strategic patch: $setElementOrder in another order", "N", strategic(lambda n: '"containers":[%s],"$setElementOrder/containers":[%s]' % (each(n // 2, '{"name":"c%d","image":"i"}'), shuffled(n // 2, '{"name":"c%d"}'))), "500")
    yield S("strategic patch: $retainKeys", "N", patch(DEPLOYMENTS + "/small", STRATEGIC, lambda n: '{"spec":{"strategy":{"$retainKeys":[%s]}}}' % each(n, '"k%d"')), "")
    yield S("strategic patch: $patch replace of a list", "N", strategic(lambda n: '"containers":[{"$patch":"replace"},%s]' % each(n, '{"name":"c%d","image":"i"}')), "")
    yield S("strategic patch: environment", "N", strategic(lambda n: '"containers":[{"name":"c","env":[%s]}]' % falling(n, '{"name":"e%d","value":"v"}')), "")
    yield S("strategic patch: ports", "N", strategic(lambda n: '"containers":[{"name":"c","ports":[%s]}]' % each(n, '{"containerPort":%d}')), "")
    yield S("strategic patch: volumes", "N", strategic(lambda n: '"volumes":[%s]' % each(n, '{"name":"v%d","emptyDir":{}}')), "")
    yield S("strategic patch: tolerations", "N", strategic(lambda n: '"tolerations":[%s]' % each(n, '{"key":"k%d","operator":"Exists"}')), "")
    yield S("apply: many keys", "AUN", apply(SMALL, lambda n: config('"data":{%s}' % each(n, '"k%d":"v"'), name="small")))
    yield S("apply: falling keys", "UN", apply(SMALL, lambda n: config('"data":{%s}' % falling(n, '"k%d":"v"'), name="small")))
    yield S("apply: one key", "UN", apply(SMALL, lambda n: config('"data":{%s}' % seq(n, '"k":"v"'), name="small")), "")
    yield S("apply: many labels", "UN", apply(SMALL, lambda n: config(meta='"labels":{%s}' % each(n, '"k%d":"v"'), name="small")))
    yield S("apply: rising finalizers", "UN", apply(SMALL, lambda n: config(meta='"finalizers":[%s]' % each(n, '"a.b/c%d"'), name="small")))
    yield S("apply: falling finalizers", "UN", apply(SMALL, lambda n: config(meta='"finalizers":[%s]' % falling(n, '"a.b/c%d"'), name="small")))
    yield S("apply: one finalizer many times", "UN", apply(SMALL, lambda n: config(meta='"finalizers":[%s]' % seq(n, '"a.b/c"'), name="small")), "4xx|500")
    yield S("apply: many owners", "UN", apply(SMALL, lambda n: config(meta='"ownerReferences":[%s]' % falling(n, '{"apiVersion":"v1","kind":"Pod","name":"a","uid":"u%d"}'), name="small")))
    yield S("apply: one owner many times", "UN", apply(SMALL, lambda n: config(meta='"ownerReferences":[%s]' % seq(n, '{"apiVersion":"v1","kind":"Pod","name":"a","uid":"u"}'), name="small")), "4xx|500")
    yield S("apply: unknown fields", "UN", apply(SMALL, lambda n: config(each(n, '"u%d":1'), name="small")), "4xx|500")
    yield S("apply: a deep value", "UN", apply(SMALL, lambda n: config('"u":%s' % nest(n, '{"a":', "}"), name="small")), "")
    yield S("apply: wrong types", "UN", apply(SMALL, lambda n: config('"data":{%s}' % each(n, '"k%d":[]'), name="small")), "4xx|500")
    yield S("apply: YAML aliases", "UN", apply(SMALL, lambda n: "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: small}\nu: &a [%s]\nv: [%s]\n" % (seq(n // 2, "1"), seq(n // 2, "*a"))), "")
    yield S("apply: many containers", "N", apply(DEPLOYMENTS + "/small", lambda n: deployment(pod='"initContainers":[%s]' % each(n, '{"name":"c%d","image":"i"}')).replace('"name":"x"', '"name":"small"', 1)), "")
    yield S("apply: one container many times", "N", apply(DEPLOYMENTS + "/small", lambda n: deployment(pod='"initContainers":[%s]' % seq(n, '{"name":"c","image":"i"}')).replace('"name":"x"', '"name":"small"', 1)), "500")
    yield S("apply: environment", "N", apply(DEPLOYMENTS + "/small", lambda n: deployment(container='"env":[%s]' % falling(n, '{"name":"e%d","value":"v"}')).replace('"name":"x"', '"name":"small"', 1)), "")
    yield S("apply: ports without keys", "N", apply(DEPLOYMENTS + "/small", lambda n: deployment(container='"ports":[%s]' % seq(n, "{}")).replace('"name":"x"', '"name":"small"', 1)), "500")
    yield S("apply onto a large object", "UN", After(large_stored, apply(CM + "/large", lambda n: config('"data":{%s}' % falling(n // 3, '"k%d":"w"'), name="large")), (CM + "/large",)), "")
    yield S("JSON patch onto a large object", "UN", After(large_stored, patch(CM + "/large", JSON_PATCH, lambda n: "[%s]" % ops(n // 3, '{"op":"replace","path":"/data/k%d","value":"w"}')), (CM + "/large",)), "")
    yield S("update of a large object", "UN", After(large_stored, put(CM + "/large", lambda n: config('"data":{%s}' % falling(min(n, 900000), '"k%d":"w"'), name="large")), (CM + "/large",)), "")
    yield S("patch of another type", "AUN", patch(SMALL, "application/x", lambda n: rep(n, "a")), "415")


def deep_revision(n):
    return [("DELETE", REVISIONS + "/deep", None, None),
            ("POST", REVISIONS, JSON, obj("apps/v1", "ControllerRevision", '"revision":1,"data":{"a":%s}' % nest(n), name="deep"))]


def reads():
    deep = lambda how: After(deep_revision, how, (REVISIONS + "/deep",))
    yield S("a deep object", "N", deep(get(REVISIONS + "/deep")), "200", 18000)
    yield S("a deep object as YAML", "N", deep(get(REVISIONS + "/deep", lambda n: "Accept: application/yaml")), "", 18000)
    yield S("a deep object, indented", "N", deep(get(REVISIONS + "/deep?pretty=1")), "", 18000)
    yield S("a deep object as CBOR", "N", deep(get(REVISIONS + "/deep", lambda n: "Accept: application/cbor")), "", 18000)
    yield S("a deep object as protobuf", "N", deep(get(REVISIONS + "/deep", lambda n: "Accept: " + PROTOBUF)), "200", 18000)
    yield S("a deep object in a list, as YAML", "N", deep(get(REVISIONS, lambda n: "Accept: application/yaml")), "", 18000)
    yield S("a deep object in a watch, as YAML", "N", deep(get(REVISIONS + "?watch=1&timeoutSeconds=1", lambda n: "Accept: application/yaml")), "", 18000)
    yield S("a deep object is deleted, answered as YAML", "C", deep(Request("DELETE", REVISIONS + "/deep?dryRun=All", fields=lambda n: "Accept: application/yaml")), "", 18000)
    yield S("a large object", "UN", After(large_stored, get(CM + "/large"), (CM + "/large",)), "200")
    yield S("a large object as YAML", "UN", After(large_stored, get(CM + "/large", lambda n: "Accept: application/yaml"), (CM + "/large",)), "200")
    yield S("a large object, packed", "UN", After(large_stored, get(CM + "/large", lambda n: "Accept-Encoding: gzip"), (CM + "/large",)), "200")
    yield S("a large object in a list as a table", "UN", After(large_stored, get(CM + "?includeObject=Object", lambda n: "Accept: application/json;as=Table;v=v1;g=meta.k8s.io"), (CM + "/large",)), "200")
    yield S("a large object's deletion", "UN", After(large_stored, delete(CM + "/large"), (CM + "/large",)), "200")
    yield S("OpenAPI v2", "AU", get("/openapi/v2"), "200")
    yield S("OpenAPI v3 of a group", "AU", get("/openapi/v3/apis/apps/v1"), "200")
    yield S("discovery", "AU", get("/apis"), "200")
    yield S("metrics", "AUC", get("/metrics"), "200")


def access():
    product = lambda n: rule(apiGroups=words(n, "g%d"), resources=words(n, "r%d"), verbs=words(n, "v%d"), resourceNames=words(n, "n%d"))
    held = lambda n: rule(apiGroups=words(n, "g%d"), resources=words(n, "r%d"), verbs='["get"]')
    yield S("a role of many rules", "AUN", role(lambda n: each(n, rule(resourceNames='["n%d"]'))))
    yield S("a role of one rule many times", "UN", role(lambda n: seq(n, rule())))
    yield S("a role of many rules nobody has", "N", role(lambda n: each(n, rule(resources='["r%d"]'))), "403")
    yield S("a role of lists that multiply", "AUN", role(product), "403", 96)
    yield S("a role of long lists that multiply", "AUN", role(product), "403", 40000)
    yield S("a role of many groups and resources", "N", role(held), "403", 20000)
    yield S("a role of many names", "N", role(lambda n: rule(resourceNames="[%s]" % each(n, '"n%d"'))))
    yield S("a role of many verbs", "N", role(lambda n: rule(verbs="[%s]" % each(n, '"v%d"'))), "403")
    yield S("a role of one verb many times", "N", role(lambda n: rule(verbs="[%s]" % seq(n, '"get"'))))
    yield S("a role of empty rules", "N", role(lambda n: seq(n, "{}")), "422")
    yield S("a role of urls", "N", role(lambda n: '{"verbs":["get"],"nonResourceURLs":[%s]}' % each(n, '"/a%d"')), "403|422")
    yield S("a role in an update", "N", put(ROLES + "/own", lambda n: obj("rbac.authorization.k8s.io/v1", "Role", '"rules":[%s]' % each(n, rule(resourceNames='["n%d"]')), name="own")))
    yield S("a role in an apply", "N", patch(ROLES + "/own?fieldManager=sweep&force=true", APPLY, lambda n: obj("rbac.authorization.k8s.io/v1", "Role", '"rules":[%s]' % each(n, rule(resourceNames='["n%d"]')), name="own")))
    yield S("a role in a patch", "N", patch(ROLES + "/own", MERGE, lambda n: '{"rules":[%s]}' % product(n)), "403", 4000)
    yield S("a cluster role of many rules", "AUNC", cluster_role(lambda n: '"rules":[%s]' % each(n, rule(resourceNames='["n%d"]'))))
    yield S("a cluster role of urls", "C", cluster_role(lambda n: '"rules":[{"verbs":["get"],"nonResourceURLs":[%s]}]' % each(n, '"/a%d"')))
    yield S("a cluster role of selectors", "C", cluster_role(lambda n: '"aggregationRule":{"clusterRoleSelectors":[%s]}' % each(n, '{"matchLabels":{"a":"b%d"}}')))
    yield S("a cluster role of one long selector", "C", cluster_role(lambda n: '"aggregationRule":{"clusterRoleSelectors":[{"matchExpressions":[%s]}]}' % each(n, '{"key":"a%d","operator":"Exists"}')))
    subjects = lambda inner: one(SUBJECT, "rbac.authorization.k8s.io/v1", "RoleBinding", lambda n: '"roleRef":{"apiGroup":"rbac.authorization.k8s.io","kind":"Role","name":"own"},"subjects":[%s]' % inner(n))
    yield S("a binding of many subjects", "AUN", subjects(lambda n: each(n, '{"apiGroup":"rbac.authorization.k8s.io","kind":"User","name":"u%d"}')))
    yield S("a binding of one subject many times", "N", subjects(lambda n: seq(n, '{"apiGroup":"rbac.authorization.k8s.io","kind":"User","name":"u"}')))
    yield S("a binding of empty subjects", "N", subjects(lambda n: seq(n, "{}")), "422")
    yield S("a binding to a long name", "N", one(SUBJECT, "rbac.authorization.k8s.io/v1", "RoleBinding", lambda n: '"roleRef":{"apiGroup":"rbac.authorization.k8s.io","kind":"Role","name":"%s"}' % rep(n, "a")), "")
    stored_role = lambda n, rules: [("DELETE", RBAC + "clusterroles/sweep-held", None, None), ("POST", RBAC + "clusterroles", JSON, obj("rbac.authorization.k8s.io/v1", "ClusterRole", '"rules":[%s]' % rules(n), name="sweep-held"))]
    to_it = one(SUBJECT, "rbac.authorization.k8s.io/v1", "RoleBinding", lambda n: '"roleRef":{"apiGroup":"rbac.authorization.k8s.io","kind":"ClusterRole","name":"sweep-held"},"subjects":[{"apiGroup":"rbac.authorization.k8s.io","kind":"User","name":"u"}]')
    gone = (RBAC + "clusterroles/sweep-held",)
    yield S("a binding to a role of lists that multiply", "N", After(lambda n: stored_role(n, product), to_it, gone), "403", 20000)
    yield S("a binding to a role of many rules", "N", After(lambda n: stored_role(min(n, 1200000), lambda m: each(m, rule(resources='["r%d"]'))), to_it, gone), "403")
    to_become = lambda n: stored_role(n, lambda m: rule(resources='["groups"]', verbs='["impersonate"]', resourceNames="[%s]" % each(m, '"g%d"')) + "," + rule(resources='["users"]', verbs='["impersonate"]')) + [
        ("DELETE", RBAC + "clusterrolebindings/sweep-held", None, None),
        ("POST", RBAC + "clusterrolebindings", JSON, obj("rbac.authorization.k8s.io/v1", "ClusterRoleBinding", '"roleRef":{"apiGroup":"rbac.authorization.k8s.io","kind":"ClusterRole","name":"sweep-held"},"subjects":[{"apiGroup":"rbac.authorization.k8s.io","kind":"User","name":"alice"}]', name="sweep-held"))]
    yield S("Impersonate-Group of many by a role of many names", "U", After(to_become, get(SMALL, lambda n: "Impersonate-User: alice\r\n" + "\r\n".join("Impersonate-Group: g%d" % i for i in range(n // 30))), gone + (RBAC + "clusterrolebindings/sweep-held",)), "200", HEAD)
    who = '"user":"alice",'
    attributes = '"resourceAttributes":{"namespace":"sweep","verb":"list","resource":"pods","%s":{"requirements":[%s]}}'
    yield S("own review of a long name", "AU", review("SelfSubjectAccessReview", lambda n: '"resourceAttributes":{"verb":"get","resource":"pods","name":"%s"}' % rep(n, "a")), "201")
    yield S("own review of a long path", "AU", review("SelfSubjectAccessReview", lambda n: '"nonResourceAttributes":{"verb":"get","path":"%s"}' % rep(n, "/a")), "201")
    yield S("own review of many labels", "AU", review("SelfSubjectAccessReview", lambda n: attributes % ("labelSelector", each(n, '{"key":"a%d","operator":"In","values":["b"]}'))), "")
    yield S("own review of many values", "AU", review("SelfSubjectAccessReview", lambda n: attributes % ("labelSelector", '{"key":"a","operator":"In","values":[%s]}' % falling(n, '"b%d"'))), "")
    yield S("own review of many fields", "AU", review("SelfSubjectAccessReview", lambda n: attributes % ("fieldSelector", each(n, '{"key":"a%d","operator":"In","values":["b"]}'))), "")
    yield S("own review of requirements of no form", "AU", review("SelfSubjectAccessReview", lambda n: attributes % ("labelSelector", seq(n, "{}"))), "")
    yield S("own review of a selector's text", "AU", review("SelfSubjectAccessReview", lambda n: '"resourceAttributes":{"verb":"list","resource":"pods","labelSelector":{"rawSelector":"%s"}}' % each(n, "a%d")), "")
    yield S("own review of a field selector's text", "AU", review("SelfSubjectAccessReview", lambda n: '"resourceAttributes":{"verb":"list","resource":"pods","fieldSelector":{"rawSelector":"%s"}}' % each(n, "a%d=b")), "")
    yield S("own rules of a long namespace", "AU", review("SelfSubjectRulesReview", lambda n: '"namespace":"%s"' % rep(n, "a")), "201")
    yield S("own self of unknown fields", "AU", post("/apis/authentication.k8s.io/v1/selfsubjectreviews", lambda n: '{"apiVersion":"authentication.k8s.io/v1","kind":"SelfSubjectReview",%s}' % each(n, '"u%d":1'), dry=False), "201")
    yield S("review of many groups", "AN", namespaced_review(lambda n: who + '"resourceAttributes":{"namespace":"sweep","verb":"get","resource":"pods"},"groups":[%s]' % each(n, '"g%d"')), "201")
    yield S("review of one group many times", "N", namespaced_review(lambda n: who + '"resourceAttributes":{"namespace":"sweep","verb":"get","resource":"pods"},"groups":[%s]' % seq(n, '"g"')), "201")
    yield S("review of many extras", "N", namespaced_review(lambda n: who + '"resourceAttributes":{"namespace":"sweep","verb":"get","resource":"pods"},"extra":{%s}' % each(n, '"a%d":["b"]')), "201")
    yield S("review of a long user", "N", namespaced_review(lambda n: '"user":"%s","resourceAttributes":{"namespace":"sweep","verb":"get","resource":"pods"}' % rep(n, "a")), "201")
    tokens = lambda inner: post("/apis/authentication.k8s.io/v1/tokenreviews", lambda n: '{"apiVersion":"authentication.k8s.io/v1","kind":"TokenReview","spec":{%s}}' % inner(n), dry=False)
    yield S("review of a long token", "AUC", tokens(lambda n: '"token":"%s"' % rep(n, "a.")), "201")
    yield S("review of a token of many claims", "C", tokens(lambda n: '"token":"%s"' % token(claims='{"iss":"https://kubernetes.default.svc.cluster.local",%s}' % each(n * 3 // 4, '"a%d":1'))), "201")
    yield S("review of a token of deep claims", "C", tokens(lambda n: '"token":"%s"' % token(claims='{"iss":"https://kubernetes.default.svc.cluster.local","a":%s}' % nest(n * 3 // 4))), "201")
    yield S("review of many audiences", "C", tokens(lambda n: '"token":"admin-token","audiences":[%s]' % each(n, '"a%d"')), "201")
    yield S("token for many audiences", "AN", post(NS + "serviceaccounts/robot/token", lambda n: '{"apiVersion":"authentication.k8s.io/v1","kind":"TokenRequest","spec":{"audiences":[%s]}}' % each(n, '"a%d"')), "")
    yield S("token for one audience many times", "N", post(NS + "serviceaccounts/robot/token", lambda n: '{"apiVersion":"authentication.k8s.io/v1","kind":"TokenRequest","spec":{"audiences":[%s]}}' % seq(n, '"a"')), "")
    yield S("token bound to a long name", "N", post(NS + "serviceaccounts/robot/token", lambda n: '{"apiVersion":"authentication.k8s.io/v1","kind":"TokenRequest","spec":{"audiences":[],"boundObjectRef":{"kind":"Pod","apiVersion":"v1","name":"%s"}}}' % rep(n, "a")), "")


def certificates():
    by = lambda make: Request("GET", SMALL, certificate=make)
    client = lambda *a, **k: building.authority().client(*a, **k)
    yield S("certificate of many groups", "A", by(lambda n: client("/CN=u/" + each(n, "O=g%d", "/"))), "403|401", 40000)
    yield S("certificate of one group many times", "A", by(lambda n: client("/CN=u/" + seq(n, "O=g", "/"))), "403|401", 20000)
    yield S("certificate of many names", "A", by(lambda n: client("/CN=u", names="\n".join("DNS.%d=a%d.example" % (i, i) for i in range(n // 16)))), "403|401", 60000)
    yield S("certificate with others behind it", "A", by(lambda n: client("/CN=u", chain=n)), "403|401", 100)
    request = lambda inner: one(CSR, "certificates.k8s.io/v1", "CertificateSigningRequest", inner)
    yield S("signing request of garbage", "AUC", request(lambda n: '"spec":{"signerName":"a.b/c","usages":["client auth"],"request":"%s"}' % b64("-----BEGIN CERTIFICATE REQUEST-----\n" + rep(n // 2, "AAAA\n") + "-----END CERTIFICATE REQUEST-----\n")), "")
    yield S("signing request of many blocks", "C", request(lambda n: '"spec":{"signerName":"a.b/c","usages":["client auth"],"request":"%s"}' % b64(rep(n // 2, "-----BEGIN CERTIFICATE REQUEST-----\n\n-----END CERTIFICATE REQUEST-----\n"))), "")
    yield S("signing request of dashes", "C", request(lambda n: '"spec":{"signerName":"a.b/c","usages":["client auth"],"request":"%s"}' % b64(rep(n // 2, "-----BEGIN "))), "")
    yield S("signing request of deep bytes", "C", request(lambda n: '"spec":{"signerName":"a.b/c","usages":["client auth"],"request":"%s"}' % b64("-----BEGIN CERTIFICATE REQUEST-----\n" + b64(rep(n // 3, b"\x30\x80")) + "\n-----END CERTIFICATE REQUEST-----\n")), "")
    yield S("signing request of many usages", "C", request(lambda n: '"spec":{"signerName":"a.b/c","request":"AA==","usages":[%s]}' % each(n, '"u%d"')), "")
    yield S("signing request of one usage many times", "C", request(lambda n: '"spec":{"signerName":"a.b/c","request":"AA==","usages":[%s]}' % seq(n, '"client auth"')), "")
    yield S("bundle of many blocks", "C", one("/apis/apiregistration.k8s.io/v1/apiservices", "apiregistration.k8s.io/v1", "APIService", lambda n: '"spec":{"group":"a.b","version":"v1","groupPriorityMinimum":1,"versionPriority":1,"service":{"name":"a","namespace":"b"},"caBundle":"%s"}'
                % b64(rep(n // 2, "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n")), name="v1.a.b"), "")
    yield S("secret of many certificates", "N", one(NS + "secrets", "v1", "Secret", lambda n: '"type":"kubernetes.io/tls","data":{"tls.crt":"%s","tls.key":"AA=="}' % b64(rep(n // 2, "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n"))), "")
    yield S("secret of deep docker settings", "N", one(NS + "secrets", "v1", "Secret", lambda n: '"type":"kubernetes.io/dockerconfigjson","data":{".dockerconfigjson":"%s"}' % b64('{"auths":%s}' % nest(n // 2))), "")
    yield S("secret of many keys", "N", one(NS + "secrets", "v1", "Secret", lambda n: '"stringData":{%s}' % each(n, '"k%d":"v"')), "")


def definitions():
    schema_of = lambda inner: crd(schema=lambda n: '"properties":{%s}' % inner(n))
    yield S("definition of many properties", "AUC", schema_of(lambda n: each(n, '"a%d":{"type":"string"}')))
    yield S("definition of properties of no type", "C", schema_of(lambda n: each(n, '"a%d":{}')), "422")
    yield S("definition of deep properties", "C", schema_of(lambda n: nest(n, '"a":{"type":"object","properties":{', "}}", '"b":{"type":"string"}')), "")
    yield S("definition of deep items", "C", schema_of(lambda n: '"a":' + nest(n, '{"type":"array","items":', "}", '{"type":"string"}')), "")
    yield S("definition of deep allOf", "C", schema_of(lambda n: '"a":' + nest(n, '{"type":"string","allOf":[', "]}", "{}")), "")
    yield S("definition of deep not", "C", schema_of(lambda n: '"a":{"type":"string","not":%s}' % nest(n, '{"not":', "}", "{}")), "")
    yield S("definition of many allOf", "C", schema_of(lambda n: '"a":{"type":"string","allOf":[%s]}' % each(n, '{"minLength":%d}')), "")
    yield S("definition of many words of an enum", "C", schema_of(lambda n: '"a":{"type":"string","enum":[%s]}' % each(n, '"e%d"')), "")
    yield S("definition of one word of an enum many times", "C", schema_of(lambda n: '"a":{"type":"string","enum":[%s]}' % seq(n, '"e"')), "")
    yield S("definition of an enum of objects", "C", schema_of(lambda n: '"a":{"type":"object","enum":[%s]}' % each(n, '{"a":%d}')), "")
    yield S("definition of many required fields", "C", crd(schema=lambda n: '"required":[%s]' % each(n, '"a%d"')), "")
    yield S("definition of a long pattern", "C", schema_of(lambda n: '"a":{"type":"string","pattern":"%s"}' % rep(n, "a?")), "")
    yield S("definition of a pattern in parentheses", "C", schema_of(lambda n: '"a":{"type":"string","pattern":"%s"}' % nest(n, "(", ")", "a")), "")
    yield S("definition of a pattern that repeats", "C", schema_of(lambda n: '"a":{"type":"string","pattern":"%s"}' % nest(n, "(", "{9}){9}", "a")), "")
    yield S("definition of a pattern of classes", "C", schema_of(lambda n: '"a":{"type":"string","pattern":"%s"}' % rep(n, "\\\\p{L}")), "")
    yield S("definition of many patterns", "C", schema_of(lambda n: each(n, '"a%d":{"type":"string","pattern":"^[a-z]{1,500}$"}')), "")
    yield S("definition of many patterns with defaults", "C", schema_of(lambda n: each(n, '"a%d":{"type":"string","default":"b","pattern":"^[a-z]{1,500}$"}')), "")
    yield S("definition of a pattern against a long default", "C", schema_of(lambda n: '"a":{"type":"string","default":"%s","pattern":"(a*)*b"}' % rep(n, "a")), "")
    yield S("definition of a deep default", "C", schema_of(lambda n: '"a":{"type":"object","x-kubernetes-preserve-unknown-fields":true,"default":%s}' % nest(n, '{"a":', "}", "{}")), "")
    yield S("definition of a default of many", "C", schema_of(lambda n: '"a":{"type":"array","items":{"type":"string"},"default":[%s]}' % each(n, '"e%d"')), "")
    yield S("definition of a default that is a set", "C", schema_of(lambda n: '"a":{"type":"array","x-kubernetes-list-type":"set","items":{"type":"string"},"default":[%s]}' % falling(n, '"e%d"')), "")
    yield S("definition of a default with keys", "C", schema_of(lambda n: '"a":{"type":"array","x-kubernetes-list-type":"map","x-kubernetes-list-map-keys":["k"],"items":{"type":"object","required":["k"],"properties":{"k":{"type":"string"}}},"default":[%s]}' % each(n, '{"k":"e%d"}')), "")
    yield S("definition of many defaults", "C", schema_of(lambda n: each(n, '"a%d":{"type":"string","default":"b"}')), "")
    yield S("definition of many list keys", "C", schema_of(lambda n: '"a":{"type":"array","x-kubernetes-list-type":"map","x-kubernetes-list-map-keys":[%s],"items":{"type":"object"}}' % each(n, '"k%d"')), "")
    yield S("definition of many rules", "C", schema_of(lambda n: '"a":{"type":"string","x-kubernetes-validations":[%s]}' % each(n, '{"rule":"self != \'%d\'"}')), "")
    yield S("definition of a long rule", "C", schema_of(lambda n: '"a":{"type":"boolean","x-kubernetes-validations":[{"rule":"%s"}]}' % seq(n, "self", "||")), "")
    yield S("definition of a deep rule", "C", schema_of(lambda n: '"a":{"type":"boolean","x-kubernetes-validations":[{"rule":"%s"}]}' % nest(n, "(", ")", "self")), "")
    yield S("definition of many versions", "C", crd(versions=lambda n: each(n, '{"name":"v1alpha%d","served":true,"storage":false,"schema":{"openAPIV3Schema":{"type":"object"}}}')), "")
    yield S("definition of one version many times", "C", crd(versions=lambda n: seq(n, '{"name":"v1","served":true,"storage":false}')), "")
    yield S("definition of many columns", "C", crd(version=lambda n: '"additionalPrinterColumns":[%s]' % each(n, '{"name":"c%d","type":"string","jsonPath":".spec.a"}')), "")
    yield S("definition of a column with a long path", "C", crd(version=lambda n: '"additionalPrinterColumns":[{"name":"c","type":"string","jsonPath":"%s"}]' % rep(n, ".a")), "")
    yield S("definition of a column with an odd path", "C", crd(version=lambda n: '"additionalPrinterColumns":[{"name":"c","type":"string","jsonPath":".%s"}]' % rep(n, "a[?(@.b==1)]")), "")
    yield S("definition of many selectable fields", "C", crd(version=lambda n: '"selectableFields":[%s]' % each(n, '{"jsonPath":".spec.a%d"}')), "")
    yield S("definition of many short names", "C", crd(names=lambda n: '"shortNames":[%s]' % each(n, '"s%d"')), "")
    yield S("definition of many categories", "C", crd(names=lambda n: '"categories":[%s]' % each(n, '"s%d"')), "")
    yield S("definition of a long kind", "C", crd(names=lambda n: '"listKind":"%s"' % rep(n, "A")), "")
    yield S("definition of review versions", "C", crd(spec=lambda n: '"conversion":{"strategy":"Webhook","webhook":{"clientConfig":{"url":"https://a.b"},"conversionReviewVersions":[%s]}}' % each(n, '"v%d"')), "")
    yield S("definition of a long description", "C", crd(root=lambda n: '"description":"%s"' % rep(n, "a")), "")
    yield S("definition of many unknown fields", "C", crd(root=lambda n: each(n, '"u%d":1')), "")
    yield S("definition of many external words", "C", crd(schema=lambda n: '"example":{%s}' % each(n, '"u%d":1')), "")
    yield S("definition of dependencies", "C", crd(schema=lambda n: '"dependencies":{%s}' % each(n, '"u%d":["a"]')), "")
    hook = lambda kind, item: one(ADMISSION + kind.lower() + "s", "admissionregistration.k8s.io/v1", kind, lambda n: '"webhooks":[%s]' % item(n))
    full = '{"name":"a%d.b.c","sideEffects":"None","admissionReviewVersions":["v1"],"clientConfig":{"url":"https://a.b"},"rules":[]}'
    single = lambda rest: '{"name":"a.b.c","sideEffects":"None","admissionReviewVersions":["v1"],"clientConfig":{"url":"https://a.b"},%s}' % rest
    for kind in ("ValidatingWebhookConfiguration", "MutatingWebhookConfiguration"):
        yield S(f"{kind} of many webhooks", "AC", hook(kind, lambda n: each(n, full)), "")
        yield S(f"{kind} of one webhook many times", "C", hook(kind, lambda n: seq(n, full % 1)), "")
        yield S(f"{kind} of many rules", "C", hook(kind, lambda n: single('"rules":[%s]' % each(n, '{"apiGroups":["g%d"],"apiVersions":["v1"],"resources":["r"],"operations":["*"]}'))), "")
        yield S(f"{kind} of long lists in a rule", "C", hook(kind, lambda n: single('"rules":[{"apiGroups":%s,"apiVersions":%s,"resources":%s,"operations":["*"]}]' % (words(n, "g%d"), words(n, "v%d"), words(n, "r%d/s")))), "", 40000)
        yield S(f"{kind} of many conditions", "C", hook(kind, lambda n: single('"matchConditions":[%s]' % each(n, '{"name":"c%d","expression":"true"}'))), "")
        yield S(f"{kind} of many label requirements", "C", hook(kind, lambda n: single('"namespaceSelector":{"matchExpressions":[%s]}' % each(n, '{"key":"a%d","operator":"Exists"}'))), "")
        yield S(f"{kind} of a long url", "C", hook(kind, lambda n: single('"x":1').replace("https://a.b", "https://a.b/" + rep(n, "a"))), "")
    policy = lambda rest: one(ADMISSION + "validatingadmissionpolicies", "admissionregistration.k8s.io/v1", "ValidatingAdmissionPolicy", lambda n: '"spec":{"matchConstraints":{"resourceRules":[{"apiGroups":[""],"apiVersions":["v1"],"resources":["pods"],"operations":["*"]}]},%s}' % rest(n))
    yield S("policy of many validations", "AC", policy(lambda n: '"validations":[%s]' % each(n, '{"expression":"object.a != %d"}')), "")
    yield S("policy of a long expression", "C", policy(lambda n: '"validations":[{"expression":"%s"}]' % seq(n, "true", "||")), "")
    yield S("policy of a deep expression", "C", policy(lambda n: '"validations":[{"expression":"%s"}]' % nest(n, "(", ")", "true")), "")
    yield S("policy of many variables", "C", policy(lambda n: '"validations":[{"expression":"true"}],"variables":[%s]' % each(n, '{"name":"v%d","expression":"1"}')), "")
    yield S("policy of many annotations", "C", policy(lambda n: '"auditAnnotations":[%s]' % each(n, '{"key":"v%d","valueExpression":"\'a\'"}')), "")


def objects():
    """What the lists of the built-in types (lists.py) leave out: texts with a grammar, and lists that are checked against each other."""
    yield S("pod: quantities of many digits", "AN", post(NS + "pods", lambda n: pod(container='"resources":{"limits":{"cpu":"%s"}}' % rep(n, "1"))), "")
    yield S("pod: quantities of long fractions", "N", post(NS + "pods", lambda n: pod(container='"resources":{"limits":{"cpu":"0.%s"}}' % rep(n, "1"))), "")
    yield S("pod: quantities of large exponents", "N", post(NS + "pods", lambda n: pod(container='"resources":{"limits":{%s}}' % each(n, '"a.b/c%d":"1e999999"'))), "")
    yield S("pod: many limits", "N", post(NS + "pods", lambda n: pod(container='"resources":{"limits":{%s}}' % each(n, '"a.b/c%d":"1"'))), "")
    yield S("pod: limits and requests that differ", "N", post(NS + "pods", lambda n: pod(container='"resources":{"limits":{%s},"requests":{%s}}' % (each(n // 2, '"a.b/c%d":"1"'), falling(n // 2, '"a.b/c%d":"2"')))), "")
    yield S("pod: variables that name others", "N", post(NS + "pods", lambda n: pod(container='"env":[%s]' % each(n, '{"name":"e%d","value":"$(e1)$(e2)"}'))), "")
    yield S("pod: mounts of volumes", "N", post(NS + "pods", lambda n: pod('"volumes":[%s]' % each(n // 2, '{"name":"v%d","emptyDir":{}}'), '"volumeMounts":[%s]' % each(n // 2, '{"name":"v%d","mountPath":"/a"}'))), "")
    yield S("pod: mounts of one path", "N", post(NS + "pods", lambda n: pod('"volumes":[{"name":"v","emptyDir":{}}]', '"volumeMounts":[%s]' % seq(n, '{"name":"v","mountPath":"/a"}'))), "")
    yield S("pod: mounts of no volume", "N", post(NS + "pods", lambda n: pod("", '"volumeMounts":[%s]' % each(n, '{"name":"v%d","mountPath":"/a"}'))), "")
    yield S("pod: a mount with a long path", "N", post(NS + "pods", lambda n: pod('"volumes":[{"name":"v","emptyDir":{}}]', '"volumeMounts":[{"name":"v","mountPath":"/a","subPath":"%s"}]' % rep(n, "../"))), "")
    yield S("pod: host ports", "N", post(NS + "pods", lambda n: pod("", '"ports":[%s]' % seq(n, '{"containerPort":1,"hostPort":1}'))), "")
    yield S("pod: port names", "N", post(NS + "pods", lambda n: pod("", '"ports":[%s]' % each(n, '{"containerPort":1,"name":"p%d"}'))), "")
    yield S("pod: a long image", "N", post(NS + "pods", lambda n: pod().replace('"image":"i"', '"image":" %s"' % rep(n, "a"))), "")
    yield S("pod: containers of one name", "N", post(NS + "pods", lambda n: pod('"initContainers":[%s]' % seq(n, '{"name":"c","image":"i"}'))), "")
    yield S("pod: sysctls of one name", "N", post(NS + "pods", lambda n: pod('"securityContext":{"sysctls":[%s]}' % seq(n, '{"name":"a.b","value":"1"}'))), "")
    yield S("pod: sysctl of a long name", "N", post(NS + "pods", lambda n: pod('"securityContext":{"sysctls":[{"name":"%s","value":"1"}]}' % rep(n, "a."))), "")
    yield S("pod: spread constraints", "N", post(NS + "pods", lambda n: pod('"topologySpreadConstraints":[%s]' % each(n, '{"maxSkew":1,"topologyKey":"k%d","whenUnsatisfiable":"DoNotSchedule"}'))), "")
    yield S("pod: spread constraints, equal", "N", post(NS + "pods", lambda n: pod('"topologySpreadConstraints":[%s]' % seq(n, '{"maxSkew":1,"topologyKey":"k","whenUnsatisfiable":"DoNotSchedule"}'))), "")
    yield S("pod: spread constraint of many keys", "N", post(NS + "pods", lambda n: pod('"topologySpreadConstraints":[{"maxSkew":1,"topologyKey":"k","whenUnsatisfiable":"DoNotSchedule","labelSelector":{"matchLabels":{"a":"b"}},"matchLabelKeys":[%s]}]' % each(n, '"k%d"'))), "")
    yield S("pod: affinity of many terms", "N", post(NS + "pods", lambda n: pod('"affinity":{"podAffinity":{"requiredDuringSchedulingIgnoredDuringExecution":[%s]}}' % each(n, '{"topologyKey":"k%d","labelSelector":{"matchLabels":{"a":"b"}}}'))), "")
    yield S("pod: affinity to many nodes", "N", post(NS + "pods", lambda n: pod('"affinity":{"nodeAffinity":{"requiredDuringSchedulingIgnoredDuringExecution":{"nodeSelectorTerms":[%s]}}}' % each(n, '{"matchExpressions":[{"key":"k%d","operator":"Exists"}]}'))), "")
    yield S("pod: affinity to numbers", "N", post(NS + "pods", lambda n: pod('"affinity":{"nodeAffinity":{"requiredDuringSchedulingIgnoredDuringExecution":{"nodeSelectorTerms":[{"matchExpressions":[{"key":"k","operator":"Gt","values":["%s"]}]}]}}}' % rep(n, "1"))), "")
    yield S("pod: tolerations, equal", "N", post(NS + "pods", lambda n: pod('"tolerations":[%s]' % seq(n, '{"key":"k","operator":"Exists","effect":"NoExecute"}'))), "")
    yield S("pod: addresses of names", "N", post(NS + "pods", lambda n: pod('"dnsConfig":{"nameservers":[%s],"searches":[%s]}' % (each(n // 2, '"10.0.0.%d"'), each(n // 2, '"a%d.b"')))), "")
    yield S("pod: an address of many digits", "N", post(NS + "pods", lambda n: pod('"hostAliases":[{"ip":"%s"}]' % rep(n, "1:"))), "")
    yield S("pod: projected paths", "N", post(NS + "pods", lambda n: pod('"volumes":[{"name":"v","projected":{"sources":[%s]}}]' % each(n, '{"configMap":{"name":"c","items":[{"key":"a","path":"p%d"}]}}'))), "")
    yield S("pod: projected paths, equal", "N", post(NS + "pods", lambda n: pod('"volumes":[{"name":"v","projected":{"sources":[%s]}}]' % seq(n, '{"configMap":{"name":"c","items":[{"key":"a","path":"p"}]}}'))), "")
    yield S("pod: scheduling gates", "N", post(NS + "pods", lambda n: pod('"schedulingGates":[%s]' % falling(n, '{"name":"a.b/c%d"}'))), "")
    yield S("pod: readiness gates", "N", post(NS + "pods", lambda n: pod('"readinessGates":[%s]' % each(n, '{"conditionType":"*%d"}'))), "")
    yield S("pod: claims", "N", post(NS + "pods", lambda n: pod('"resourceClaims":[%s]' % each(n // 2, '{"name":"c%d","resourceClaimName":"a"}'), '"resources":{"claims":[%s]}' % each(n // 2, '{"name":"c%d"}'))), "")
    yield S("pod: changes that nobody may make", "N", put(NS + "pods/small", lambda n: pod('"nodeSelector":{%s}' % each(n, '"k%d":"v"')).replace('"name":"x"', '"name":"small"', 1)), "422")
    yield S("pod: annotations of seccomp", "N", post(NS + "pods", lambda n: pod(meta='"annotations":{%s}' % each(n, '"container.apparmor.security.beta.kubernetes.io/c%d":"x"'))), "")
    yield S("deployment: selector of many", "AN", post(DEPLOYMENTS, lambda n: deployment().replace('"matchLabels":{"a":"b"}', '"matchLabels":{"a":"b",%s}' % each(n, '"k%d":"v"'), 1)), "422")
    yield S("deployment: selector's values", "N", post(DEPLOYMENTS, lambda n: deployment().replace('"matchLabels":{"a":"b"}', '"matchExpressions":[{"key":"a","operator":"In","values":["b",%s]}]' % falling(n, '"v%d"'), 1)), "")
    yield S("deployment: selector's requirements", "N", post(DEPLOYMENTS, lambda n: deployment().replace('"matchLabels":{"a":"b"}', '"matchExpressions":[%s]' % seq(n, '{"key":"a","operator":"Exists"}'), 1)), "")
    yield S("deployment: a percentage of many digits", "N", workload(spec=lambda n: '"strategy":{"rollingUpdate":{"maxSurge":"%s%%"}}' % rep(n, "1")), "")
    yield S("cron job: a long schedule", "AN", one("/apis/batch/v1/namespaces/sweep/cronjobs", "batch/v1", "CronJob", lambda n: '"spec":{"schedule":"%s * * * *","jobTemplate":{"spec":{"template":{"spec":{"restartPolicy":"Never","containers":[{"name":"c","image":"i"}]}}}}}' % each(n, "%d")), "")
    yield S("cron job: a schedule of ranges", "N", one("/apis/batch/v1/namespaces/sweep/cronjobs", "batch/v1", "CronJob", lambda n: '"spec":{"schedule":"%s * * * *","jobTemplate":{"spec":{"template":{"spec":{"restartPolicy":"Never","containers":[{"name":"c","image":"i"}]}}}}}' % seq(n, "0-59/1")), "")
    yield S("cron job: a long time zone", "N", one("/apis/batch/v1/namespaces/sweep/cronjobs", "batch/v1", "CronJob", lambda n: '"spec":{"schedule":"* * * * *","timeZone":"%s","jobTemplate":{"spec":{"template":{"spec":{"restartPolicy":"Never","containers":[{"name":"c","image":"i"}]}}}}}' % rep(n, "a/")), "")
    yield S("job: rules of failures", "N", one("/apis/batch/v1/namespaces/sweep/jobs", "batch/v1", "Job", lambda n: '"spec":{"template":{"spec":{"restartPolicy":"Never","containers":[{"name":"c","image":"i"}]}},"podFailurePolicy":{"rules":[%s]}}' % each(n, '{"action":"Ignore","onExitCodes":{"operator":"In","values":[%d]}}')), "")
    yield S("job: exit codes", "N", one("/apis/batch/v1/namespaces/sweep/jobs", "batch/v1", "Job", lambda n: '"spec":{"template":{"spec":{"restartPolicy":"Never","containers":[{"name":"c","image":"i"}]}},"podFailurePolicy":{"rules":[{"action":"Ignore","onExitCodes":{"operator":"In","values":[%s]}}]}}' % falling(n, "%d")), "")
    yield S("job: indexes of success", "N", one("/apis/batch/v1/namespaces/sweep/jobs", "batch/v1", "Job", lambda n: '"spec":{"completionMode":"Indexed","completions":100000,"parallelism":10,"template":{"spec":{"restartPolicy":"Never","containers":[{"name":"c","image":"i"}]}},"successPolicy":{"rules":[{"succeededIndexes":"%s"}]}}' % each(min(n, 64000), "%d")), "")
    yield S("service: many ports", "AN", one(NS + "services", "v1", "Service", lambda n: '"spec":{"ports":[%s]}' % each(n, '{"name":"p%d","port":1}')), "")
    yield S("service: node ports", "N", one(NS + "services", "v1", "Service", lambda n: '"spec":{"type":"NodePort","ports":[%s]}' % "".join('{"name":"p%d","port":%d},' % (i, i % 60000 + 1) for i in range(n // 30))[:-1]), "")
    yield S("service: external addresses", "N", one(NS + "services", "v1", "Service", lambda n: '"spec":{"ports":[{"port":1}],"externalIPs":[%s]}' % each(n, '"10.1.%d.1"')), "")
    yield S("service: source ranges", "N", one(NS + "services", "v1", "Service", lambda n: '"spec":{"type":"LoadBalancer","ports":[{"port":1}],"loadBalancerSourceRanges":[%s]}' % each(n, '"10.1.1.%d/8"')), "")
    yield S("service: cluster addresses", "N", one(NS + "services", "v1", "Service", lambda n: '"spec":{"ports":[{"port":1}],"clusterIPs":[%s]}' % each(n, '"10.0.0.%d"')), "")
    yield S("endpoints: many subsets", "N", one(NS + "endpoints", "v1", "Endpoints", lambda n: '"subsets":[%s]' % each(n, '{"addresses":[{"ip":"10.1.1.1"}],"ports":[{"port":%d}]}')), "")
    yield S("endpoints: subsets, equal", "N", one(NS + "endpoints", "v1", "Endpoints", lambda n: '"subsets":[%s]' % seq(n, '{"addresses":[{"ip":"10.1.1.1"}],"ports":[{"port":1}]}')), "")
    yield S("endpoints: addresses and ports", "N", one(NS + "endpoints", "v1", "Endpoints", lambda n: '"subsets":[{"addresses":[%s],"ports":[%s]}]' % (each(n // 2, '{"ip":"10.1.1.%d"}'), each(n // 2, '{"port":1,"name":"p%d"}'))), "")
    yield S("endpoints: equal addresses", "N", one(NS + "endpoints", "v1", "Endpoints", lambda n: '"subsets":[{"addresses":[%s],"ports":[{"port":1}]}]' % seq(n, '{"ip":"10.1.1.1"}')), "")
    yield S("slice: many endpoints", "N", one("/apis/discovery.k8s.io/v1/namespaces/sweep/endpointslices", "discovery.k8s.io/v1", "EndpointSlice", lambda n: '"addressType":"IPv4","endpoints":[%s]' % each(n, '{"addresses":["10.1.1.%d"]}')), "")
    yield S("network policy: peers", "N", one("/apis/networking.k8s.io/v1/namespaces/sweep/networkpolicies", "networking.k8s.io/v1", "NetworkPolicy", lambda n: '"spec":{"podSelector":{},"ingress":[{"from":[%s]}]}' % each(n, '{"ipBlock":{"cidr":"10.0.0.0/8","except":["10.1.%d.0/24"]}}')), "")
    yield S("network policy: exceptions", "N", one("/apis/networking.k8s.io/v1/namespaces/sweep/networkpolicies", "networking.k8s.io/v1", "NetworkPolicy", lambda n: '"spec":{"podSelector":{},"ingress":[{"from":[{"ipBlock":{"cidr":"10.0.0.0/8","except":[%s]}}]}]}' % each(n, '"10.1.%d.0/24"')), "")
    yield S("ingress: rules and paths", "N", one("/apis/networking.k8s.io/v1/namespaces/sweep/ingresses", "networking.k8s.io/v1", "Ingress", lambda n: '"spec":{"rules":[%s]}' % each(n, '{"host":"a%d.b","http":{"paths":[{"path":"/","pathType":"Prefix","backend":{"service":{"name":"s","port":{"number":1}}}}]}}')), "")
    yield S("ingress: hosts of TLS", "N", one("/apis/networking.k8s.io/v1/namespaces/sweep/ingresses", "networking.k8s.io/v1", "Ingress", lambda n: '"spec":{"defaultBackend":{"service":{"name":"s","port":{"number":1}}},"tls":[{"hosts":[%s]}]}' % each(n, '"*.a%d.b"')), "")
    yield S("autoscaler: metrics", "N", one("/apis/autoscaling/v2/namespaces/sweep/horizontalpodautoscalers", "autoscaling/v2", "HorizontalPodAutoscaler", lambda n: '"spec":{"scaleTargetRef":{"kind":"Deployment","name":"d"},"maxReplicas":2,"metrics":[%s]}' % each(n, '{"type":"Pods","pods":{"metric":{"name":"m%d"},"target":{"type":"AverageValue","averageValue":"1"}}}')), "")
    yield S("autoscaler of an older version", "N", post("/apis/autoscaling/v1/namespaces/sweep/horizontalpodautoscalers", lambda n: obj("autoscaling/v1", "HorizontalPodAutoscaler", '"spec":{"scaleTargetRef":{"kind":"Deployment","name":"d"},"maxReplicas":2}', '"annotations":{"autoscaling.alpha.kubernetes.io/metrics":"[%s]"}' % seq(n, '{\\"type\\":\\"Pods\\"}'))), "")
    yield S("quota: many amounts", "C", one(NS + "resourcequotas", "v1", "ResourceQuota", lambda n: '"spec":{"hard":{%s}}' % each(n, '"count/a%d.b":"1"')), "")
    yield S("quota: many scopes", "C", one(NS + "resourcequotas", "v1", "ResourceQuota", lambda n: '"spec":{"hard":{"pods":"1"},"scopes":[%s]}' % seq(n, '"BestEffort","NotBestEffort"')), "")
    yield S("limit range: many limits", "C", one(NS + "limitranges", "v1", "LimitRange", lambda n: '"spec":{"limits":[%s]}' % each(n, '{"type":"a.b/c%d","max":{"cpu":"1"},"min":{"cpu":"2"}}')), "")
    yield S("limit range: limits of one type", "C", one(NS + "limitranges", "v1", "LimitRange", lambda n: '"spec":{"limits":[%s]}' % seq(n, '{"type":"Pod","max":{"cpu":"1"}}')), "")
    yield S("disruption budget: selector", "N", one("/apis/policy/v1/namespaces/sweep/poddisruptionbudgets", "policy/v1", "PodDisruptionBudget", lambda n: '"spec":{"minAvailable":1,"selector":{"matchExpressions":[%s]}}' % each(n, '{"key":"a%d","operator":"In","values":["b"]}')), "")
    yield S("flow schema: rules", "C", one("/apis/flowcontrol.apiserver.k8s.io/v1/flowschemas", "flowcontrol.apiserver.k8s.io/v1", "FlowSchema", lambda n: '"spec":{"priorityLevelConfiguration":{"name":"exempt"},"rules":[%s]}' % each(n, '{"subjects":[{"kind":"User","user":{"name":"u%d"}}],"resourceRules":[{"verbs":["get"],"apiGroups":[""],"resources":["pods"],"namespaces":["*"]}]}')), "")
    yield S("node: taints", "C", one("/api/v1/nodes", "v1", "Node", lambda n: '"spec":{"taints":[%s]}' % each(n, '{"key":"k%d","effect":"NoSchedule"}')), "")
    yield S("node: addresses of pods", "C", one("/api/v1/nodes", "v1", "Node", lambda n: '"spec":{"podCIDRs":[%s]}' % each(n, '"10.1.%d.0/24"')), "")
    yield S("resource slice: devices", "C", one("/apis/resource.k8s.io/v1beta1/resourceslices", "resource.k8s.io/v1beta1", "ResourceSlice", lambda n: '"spec":{"driver":"a.b","nodeName":"n","pool":{"name":"p","generation":1,"resourceSliceCount":1},"devices":[%s]}' % each(n, '{"name":"d%d","basic":{}}')), "")
    yield S("claim: an opaque parameter far down", "C", one("/apis/resource.k8s.io/v1beta1/namespaces/sweep/resourceclaims", "resource.k8s.io/v1beta1", "ResourceClaim", lambda n: '"spec":{"devices":{"requests":[{"name":"r","deviceClassName":"c"}],"config":[{"opaque":{"driver":"a.b","parameters":{"a":%s}}}]}}' % nest(n)), "")
    yield S("event: a long note", "N", one(NS + "events", "v1", "Event", lambda n: '"involvedObject":{"namespace":"sweep"},"message":"%s"' % rep(n, "a")), "")
    yield S("lease: a long holder", "C", one("/apis/coordination.k8s.io/v1/namespaces/sweep/leases", "coordination.k8s.io/v1", "Lease", lambda n: '"spec":{"holderIdentity":"%s","leaseDurationSeconds":1}' % rep(n, "a")), "")
    yield S("storage class: parameters", "C", one("/apis/storage.k8s.io/v1/storageclasses", "storage.k8s.io/v1", "StorageClass", lambda n: '"provisioner":"a.b","parameters":{%s}' % each(n, '"k%d":"v"')), "")
    yield S("revision of deep data", "C", one(REVISIONS, "apps/v1", "ControllerRevision", lambda n: '"revision":1,"data":{"a":%s}' % nest(n)), "")
    yield S("revision of many members", "C", one(REVISIONS, "apps/v1", "ControllerRevision", lambda n: '"revision":1,"data":{%s}' % shuffled(n, '"a%d":1')), "")
    yield S("namespace: finalizers", "C", one("/api/v1/namespaces", "v1", "Namespace", lambda n: '"spec":{"finalizers":[%s]}' % each(n, '"a.b/c%d"')), "")
    yield S("deletion: options of many dry runs", "AUN", Request("DELETE", SMALL, lambda n: '{"kind":"DeleteOptions","apiVersion":"v1","dryRun":["All",%s]}' % each(n, '"a%d"'), None, JSON), "422")
    yield S("deletion: options of unknown fields", "UN", delete(SMALL, lambda n: '{"kind":"DeleteOptions","apiVersion":"v1","dryRun":["All"],%s}' % each(n, '"u%d":1')), "")
    yield S("deletion: options far down", "UN", delete(SMALL, lambda n: '{"kind":"DeleteOptions","apiVersion":"v1","dryRun":["All"],"u":%s}' % nest(n)), "500")
    yield S("deletion: a long precondition", "UN", delete(SMALL, lambda n: '{"kind":"DeleteOptions","apiVersion":"v1","dryRun":["All"],"preconditions":{"uid":"%s"}}' % rep(n, "a")), "409|4xx")
    yield S("deletion: a long policy", "UN", delete(SMALL, lambda n: '{"kind":"DeleteOptions","apiVersion":"v1","dryRun":["All"],"propagationPolicy":"%s"}' % rep(n, "a")), "422")
    yield S("eviction of many dry runs", "N", post(NS + "pods/small/eviction", lambda n: '{"apiVersion":"policy/v1","kind":"Eviction","metadata":{"name":"small"},"deleteOptions":{"dryRun":["All",%s]}}' % each(n, '"a%d"')), "500")
    yield S("binding to a long node", "C", post(NS + "pods/small/binding", lambda n: '{"apiVersion":"v1","kind":"Binding","metadata":{"name":"small"},"target":{"kind":"Node","name":"%s"}}' % rep(n, "a")), "")
    yield S("scale of a long selector", "N", put(DEPLOYMENTS + "/small/scale", lambda n: '{"apiVersion":"autoscaling/v1","kind":"Scale","metadata":{"name":"small","namespace":"sweep"},"spec":{"replicas":1},"status":{"replicas":1,"selector":"%s"}}' % each(n, "a%d")), "")
    yield S("scale by a JSON patch", "N", patch(DEPLOYMENTS + "/small/scale", JSON_PATCH, lambda n: "[%s]" % ops(n, '{"op":"replace","path":"/spec/replicas","value":1}')), "")
    yield S("status of many conditions", "C", put(NS + "pods/small/status", lambda n: obj("v1", "Pod", '"spec":{"containers":[{"name":"c","image":"i"}]},"status":{"conditions":[%s]}' % each(n, '{"type":"a%d","status":"True"}'), name="small")), "")


def http1():
    get_small = "GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n"
    yield S("pipelined requests", "A", Bytes(lambda n, t: rep(n, get_small)), "")
    yield S("pipelined requests whose answers nobody reads", "A", Bytes(lambda n, t: rep(n, "GET /openapi/v2 HTTP/1.1\r\nHost: x\r\n\r\n"), reads=False), "", HEAD)
    yield S("pipelined refusals", "A", Bytes(lambda n, t: rep(n, "GET /api/v1/pods HTTP/1.1\r\nHost: x\r\n\r\n")), "")
    yield S("pipelined requests in small pieces", "A", Bytes(lambda n, t: rep(n, get_small), step=100), "", HEAD)
    yield S("chunks of one byte in small pieces", "UN", Bytes(lambda n, t: "POST %s?dryRun=All HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer %s\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n" % (CM, t)
                                                              + rep(n, "1\r\n \r\n") + "%x\r\n%s\r\n0\r\n\r\n" % (len(config()), config()), step=500), "201", HEAD)
    yield S("a chunk size of many digits", "UN", post(CM, lambda n: rep(n, "0") + "1\r\n \r\n0\r\n\r\n", chunked=True), "500", HEAD)
    yield S("a large Content-Length", "AUN", Bytes(lambda n, t: "POST %s HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer %s\r\nContent-Length: 99999999999\r\n\r\n" % (CM, t) + rep(n, "a")), "413|4xx|0")
    yield S("frames into a watch over a websocket", "UN", Bytes(lambda n, t: "GET %s?watch=1&timeoutSeconds=1 HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer %s\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nOrigin: https://x\r\nSec-WebSocket-Version: 13\r\n"
            "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n" % (CM, t) + rep(n, "\udc89\udc80\0\0\0\0")), "")


def http2():
    block = h2.request("/healthz")
    size = len(h2.headers(1, block))
    slow = h2.opening((h2.INITIAL_WINDOW_SIZE, 0))
    yield S("h2: requests", "A", Frames(lambda n, t: streams(n, size, lambda s: h2.headers(s, block))), "")
    yield S("h2: unfinished requests that are broken off, nobody reads", "A", Frames(lambda n, t: streams(n, size + 9, lambda s: h2.headers(s, block, h2.END_HEADERS) + h2.frame(h2.DATA, h2.PADDED, s, b"")), reads=False), "", FLOOD)
    yield S("h2: requests that are reset at once", "A", Frames(lambda n, t: streams(n, size + 13, lambda s: h2.headers(s, block) + h2.reset(s))), "")
    yield S("h2: refused requests reset at once", "A", Frames(lambda n, t: streams(n, 80, lambda s: h2.headers(s, h2.request("/api/v1/pods")) + h2.reset(s))), "")
    yield S("h2: requests whose answers nobody reads", "A", Frames(lambda n, t: streams(n, size, lambda s: h2.headers(s, block)), reads=False), "")
    yield S("h2: unfinished requests beyond the limit, nobody reads", "A", Frames(lambda n, t: streams(n, size, lambda s: h2.headers(s, block, h2.END_HEADERS)), reads=False), "", FLOOD)
    yield S("h2: unfinished requests beyond the limit", "A", Frames(lambda n, t: streams(n, size, lambda s: h2.headers(s, block, h2.END_HEADERS))), "")
    yield S("h2: requests into a window of nothing", "A", Frames(lambda n, t: streams(n, size, lambda s: h2.headers(s, block)), slow), "", HEAD)
    yield S("h2: long answers into a window of nothing", "A", Frames(lambda n, t: streams(min(n, 6000), 60, lambda s: h2.headers(s, h2.request("/openapi/v2"))) + rep(n, h2.ping()), slow), "", HEAD)
    yield S("h2: a window opened a byte at a time", "A", Frames(lambda n, t: h2.headers(1, h2.request("/openapi/v2")) + rep(n, h2.window(1, 1)), slow), "", HEAD)
    yield S("h2: unfinished requests and bodies, nobody reads", "AU", Frames(lambda n, t: streams(n, 2100, lambda s: h2.headers(s, h2.request(CM, "POST", t), h2.END_HEADERS) + h2.frame(h2.DATA, 0, s, b" " * 2000)), reads=False), "")
    yield S("h2: a body of small frames", "AU", Frames(lambda n, t: h2.headers(1, h2.request(CM + "?dryRun=All", "POST", t, [("content-type", "application/json")]), h2.END_HEADERS) + rep(n, h2.frame(h2.DATA, 0, 1, b" ")) + h2.frame(h2.DATA, 1, 1, config().encode())), "")
    yield S("h2: a body of empty frames", "AU", Frames(lambda n, t: h2.headers(1, h2.request(CM, "POST", t), h2.END_HEADERS) + rep(n, h2.frame(h2.DATA, 0, 1))), "")
    yield S("h2: a body of padding", "AU", Frames(lambda n, t: h2.headers(1, h2.request(CM, "POST", t), h2.END_HEADERS) + rep(n, h2.frame(h2.DATA, h2.PADDED, 1, b"\xff" + b"\0" * 255))), "")
    yield S("h2: settings", "A", Frames(lambda n, t: rep(n, h2.settings((h2.INITIAL_WINDOW_SIZE, 1000)))), "")
    yield S("h2: settings, nobody reads", "A", Frames(lambda n, t: rep(n, h2.settings()), reads=False), "")
    yield S("h2: settings of many parameters", "A", Frames(lambda n, t: rep(n, h2.settings(*[(3, 100)] * 2000))), "")
    yield S("h2: settings that move many windows", "A", Frames(lambda n, t: streams(6000, 60, lambda s: h2.headers(s, h2.request("/openapi/v2"))) + rep(n, h2.settings(*[(h2.INITIAL_WINDOW_SIZE, 1), (h2.INITIAL_WINDOW_SIZE, 0)] * 100)), slow), "", HEAD)
    yield S("h2: settings of unknown parameters", "A", Frames(lambda n, t: rep(n, h2.settings((99, 1)))), "")
    yield S("h2: settings of table sizes", "A", Frames(lambda n, t: rep(n, h2.settings((1, 0), (1, 0xffffffff)))), "")
    yield S("h2: acknowledgements of settings", "A", Frames(lambda n, t: rep(n, h2.SETTINGS_ACK)), "")
    yield S("h2: pings", "A", Frames(lambda n, t: rep(n, h2.ping())), "")
    yield S("h2: pings, nobody reads", "A", Frames(lambda n, t: rep(n, h2.ping()), reads=False), "", FLOOD)
    yield S("h2: answers to no ping", "A", Frames(lambda n, t: rep(n, h2.ping(flags=1))), "")
    yield S("h2: resets of no stream", "A", Frames(lambda n, t: rep(n, h2.reset(1))), "")
    yield S("h2: resets of a closed stream", "A", Frames(lambda n, t: h2.headers(1, block) + rep(n, h2.reset(1))), "")
    yield S("h2: data for a closed stream, nobody reads", "A", Frames(lambda n, t: h2.headers(1, block) + h2.reset(1) + rep(n, h2.frame(h2.DATA, 0, 1, b"a")), reads=False), "", FLOOD)
    yield S("h2: windows of the connection", "A", Frames(lambda n, t: rep(n, h2.window(0, 1))), "")
    yield S("h2: windows of nothing", "A", Frames(lambda n, t: h2.headers(1, block, h2.END_HEADERS) + rep(n, h2.window(1, 0))), "")
    yield S("h2: windows of many streams by nothing, nobody reads", "A", Frames(lambda n, t: streams(n, size + 13, lambda s: h2.headers(s, block, h2.END_HEADERS) + h2.window(s, 0)), reads=False), "")
    yield S("h2: priorities", "A", Frames(lambda n, t: b"".join(h2.priority(s, max(0, s - 2)) for s in h2.streams(n // 14))), "")
    yield S("h2: priorities of a stream on itself, nobody reads", "A", Frames(lambda n, t: b"".join(h2.priority(s, s) for s in h2.streams(n // 14)), reads=False), "")
    yield S("h2: requests that depend on themselves", "A", Frames(lambda n, t: streams(n, size + 5, lambda s: h2.headers(s, s.to_bytes(4, "big") + b"\x10" + block, 0x25)), reads=False), "")
    yield S("h2: frames of unknown kinds", "A", Frames(lambda n, t: rep(n, h2.frame(0xbb, 0, 0, b"a"))), "")
    yield S("h2: empty frames of unknown kinds", "A", Frames(lambda n, t: rep(n, h2.frame(0xbb, 0, 0))), "")
    yield S("h2: updates of priorities", "A", Frames(lambda n, t: rep(n, h2.frame(0x10, 0, 0, b"\0\0\0\1u=1"))), "")
    yield S("h2: GOAWAY many times", "A", Frames(lambda n, t: rep(n, h2.frame(h2.GOAWAY, 0, 0, b"\0" * 8))), "")
    yield S("h2: pushes", "A", Frames(lambda n, t: rep(n, h2.frame(h2.PUSH_PROMISE, 4, 1, b"\0\0\0\2" + block))), "")
    yield S("h2: a head of small continuations", "A", Frames(lambda n, t: h2.continued(1, block + h2.literal("x", rep(n // 10, "a")), 1)), "", HEAD)
    yield S("h2: a head of empty continuations", "A", Frames(lambda n, t: h2.frame(h2.HEADERS, 1, 1, block) + rep(n, h2.frame(h2.CONTINUATION, 0, 1))), "")
    yield S("h2: a head without an end", "A", Frames(lambda n, t: h2.continued(1, block + b"".join(h2.literal("x%d" % i, "a") for i in range(n // 9)), 16000)[:n]), "")
    yield S("h2: many fields", "A", Frames(lambda n, t: h2.continued(1, block + b"".join(h2.literal("x%d" % i, "a") for i in range(n // 9)), 16000)), "", HEAD)
    yield S("h2: one long field", "A", Frames(lambda n, t: h2.continued(1, block + h2.literal("x", rep(n, "a")), 16000)), "", HEAD)
    yield S("h2: indexed fields that expand", "A", Frames(lambda n, t: h2.continued(1, block + h2.literal("x", rep(4000, "a"), 0x40) + rep(n, h2.indexed(62)), 16000)), "", HEAD)
    yield S("h2: indexed fields that expand in long frames", "A", Frames(lambda n, t: h2.continued(1, block + h2.literal("x", rep(4000, "a"), 0x40) + rep(n, h2.indexed(62)), 250000)), "", 2000000)
    yield S("h2: indexed fields that expand, many heads", "A", Frames(lambda n, t: h2.headers(1, block + h2.literal("x", rep(4000, "a"), 0x40)) + streams(n, 400, lambda s: h2.headers(s + 2, block + rep(300, h2.indexed(62)))) ), "")
    yield S("h2: a table that is filled anew", "A", Frames(lambda n, t: h2.continued(1, block + b"".join(h2.literal("x%d" % i, "a", 0x40) for i in range(n // 10)), 16000)), "", HEAD)
    yield S("h2: changes of the table's size", "A", Frames(lambda n, t: h2.continued(1, rep(n, h2.table_size(0) + h2.table_size(4096)) + block, 16000)), "", HEAD)
    yield S("h2: indexes of nothing", "A", Frames(lambda n, t: streams(n, 20, lambda s: h2.headers(s, h2.indexed(120) * 10)), reads=False), "")
    yield S("h2: lengths of many bytes", "A", Frames(lambda n, t: h2.continued(1, b"\x00\x7f" + rep(n, b"\x80") + b"\x01", 16000)), "", HEAD)
    yield S("h2: heads without a method, nobody reads", "A", Frames(lambda n, t: streams(n, 20, lambda s: h2.headers(s, h2.literal(":path", "/"))), reads=False), "", FLOOD)
    yield S("h2: heads with bad fields, nobody reads", "A", Frames(lambda n, t: streams(n, size + 10, lambda s: h2.headers(s, block + h2.literal("A\x01", "\n"))), reads=False), "")
    yield S("h2: cookies in crumbs", "A", Frames(lambda n, t: h2.continued(1, block + rep(n, h2.literal("cookie", "a=b")), 16000)), "", HEAD)
    yield S("h2: trailers", "AU", Frames(lambda n, t: streams(n, 120, lambda s: h2.headers(s, h2.request(CM, "POST", t), h2.END_HEADERS) + h2.headers(s, h2.literal("x", "y")))), "")
    yield S("h2: trailers that do not end", "A", Frames(lambda n, t: h2.headers(1, block, h2.END_HEADERS) + rep(n, h2.headers(1, h2.literal("x", "y"), h2.END_HEADERS)), reads=False), "")
    yield S("h2: streams whose number falls", "A", Frames(lambda n, t: b"".join(h2.headers(s, block) for s in reversed(h2.streams(n // size)))), "")
    yield S("h2: frames of a wrong length, nobody reads", "A", Frames(lambda n, t: streams(n, size + 12, lambda s: h2.headers(s, block, h2.END_HEADERS) + h2.frame(h2.PRIORITY, 0, s, b"abc")), reads=False), "")
    yield S("h2: a frame beyond the limit", "A", Frames(lambda n, t: h2.frame(h2.DATA, 0, 1, rep(n, b"a"))), "")
    yield S("h2: small pieces", "A", Frames(lambda n, t: streams(n, size, lambda s: h2.headers(s, block)), step=7), "", 100000)
    yield S("h2: CONNECT", "A", Frames(lambda n, t: streams(n, 30, lambda s: h2.headers(s, h2.literal(":method", "CONNECT") + h2.literal(":authority", "x:1"), h2.END_HEADERS))), "")
    yield S("h2: watches that are reset", "U", Frames(lambda n, t: streams(min(n, 300000), 140, lambda s: h2.headers(s, h2.request(CM + "?watch=1&timeoutSeconds=5", token=t)) + h2.reset(s))), "")
    yield S("h2: lists that nobody reads", "U", Frames(lambda n, t: streams(n, 100, lambda s: h2.headers(s, h2.request(CM, token=t))), reads=False), "")


GROUPS = (heads, parameters, json_bodies, metadata, other_encodings, patches, reads, access, certificates, definitions, objects, http1, http2)


def table():
    return [(group.__name__.replace("_", " "), shape) for group in GROUPS for shape in group()]
