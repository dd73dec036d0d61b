"""Requests changed at random: another verb, path, parameter, media type, user or body.

A request is a step of a conversation (tests/wire/README.md) without what it expects; its query is a list of pairs. Texts may hold ${...}: an earlier answer, or what the
last answers had: ${last.rv}, ${last.uid}, ${last.list}, ${last.continue}. The same random numbers make the same requests.
"""
import copy
import json
import random

import edges
import objects

METHODS = ["GET", "GET", "PUT", "POST", "PATCH", "DELETE", "HEAD", "OPTIONS", "TRACE", "FOO"]
BOOLEANS = ["true", "false", "1", "0", "", "maybe", "True", "FALSE", "t", "yes"]
NUMBERS = ["0", "1", "2", "3", "500", "-1", "", "x", "1.5", "9223372036854775808", "+1", " 1", "0x1"]
VERSIONS = ["0", "${last.rv}", "${last.list}", "", "1", "abc", "-1", "9000000000000000", "1.5", "18446744073709551616", "00"]
LABELS = ["a=b", "app=web", "app", "!app", "app!=x", "app in (a,b)", "app notin (a)", "a==b", "a=", "=", ",", "a=b,", "a in ()", "a in (", "x>1", "x<a", "a b", "-a=b", "a=-b", "a/b/c=d",
          "app=web,tier in (x,y),!z", "", " ", "é=1", "a=é", "x" * 64 + "=1", "n=one", "n in (one,two)", "a=b,a!=b", "in", "a notin b"]
FIELDS = ["metadata.name=a", "metadata.name!=a", "metadata.namespace=${ns}", "metadata.namespace!=${ns}", "metadata.name=", "metadata.name", "status.phase=Running", "spec.nodeName=", "type=Opaque",
          "x=y", "", ",", "metadata.name=a,metadata.name=b", "metadata.name==a", "metadata.name in (a)", "metadata.uid=1", "reason=x", "involvedObject.kind=Pod", "metadata.name=a\\,b", "=a",
          "status.successful=1", "spec.unschedulable=true", "metadata.labels.a=b", "spec.schedulerName=default-scheduler", "spec.signerName=x", "spec.replicas=1"]
MANAGERS = ["m", "", "kubectl", "a b", "x" * 129, "é", "\u0001", "kubectl-client-side-apply", "a/b"]
CHECKS = ["Strict", "Warn", "Ignore", "strict", "", "x"]
POLICIES = ["Foreground", "Background", "Orphan", "", "x", "background"]
PARAMETERS = {
    "limit": NUMBERS, "continue": ["${last.continue}", "${last.continue}", "", "!!!", "eyJ2IjoibWV0YS5rOHMuaW8vdjEiLCJydiI6LTEsInN0YXJ0IjoiYVx1MDAwMCJ9", "e30", "eyJ2IjoibWV0YS5rOHMuaW8vdjEifQ", "abc"],
    "resourceVersion": VERSIONS, "resourceVersionMatch": ["Exact", "NotOlderThan", "", "x", "exact"],
    "labelSelector": LABELS, "fieldSelector": FIELDS, "timeoutSeconds": ["1", "0", "-1", "x", "", "60"], "watch": BOOLEANS, "allowWatchBookmarks": BOOLEANS, "sendInitialEvents": BOOLEANS,
    "dryRun": ["All", "All", "All", "", "all", "None", "x", "true"], "fieldManager": MANAGERS, "force": BOOLEANS, "fieldValidation": CHECKS, "pretty": BOOLEANS,
    "propagationPolicy": POLICIES, "gracePeriodSeconds": ["0", "1", "30", "-1", "x", "", "9223372036854775807"], "orphanDependents": BOOLEANS,
    "preconditions": ["x"], "preconditions.uid": ["x"], "includeObject": ["None", "Metadata", "Object", "", "x", "none"], "timeout": ["1s", "30s", "0", "-1s", "x", "", "5", "1h", "1m30s"],
    "ignoreStoreReadErrorWithClusterBreakingPotential": BOOLEANS, "export": ["true"], "exact": ["true"], "unknown": ["1"], "kind": ["Pod"], "apiVersion": ["v1"],
    "container": ["a", "x", ""], "follow": BOOLEANS, "tailLines": NUMBERS, "command": ["ls"], "stdin": BOOLEANS, "path": ["/x"], "sinceSeconds": NUMBERS, "limitBytes": NUMBERS, "previous": BOOLEANS,
    "verbose": ["", "1"], "exclude": ["ping", "x", "etcd"],
}
FOR_READS = ["limit", "limit", "continue", "resourceVersion", "resourceVersion", "resourceVersionMatch", "labelSelector", "labelSelector", "fieldSelector", "fieldSelector", "timeoutSeconds", "watch",
             "allowWatchBookmarks", "sendInitialEvents", "pretty", "includeObject", "timeout", "fieldManager"]
FOR_WRITES = ["dryRun", "dryRun", "fieldManager", "fieldManager", "fieldValidation", "fieldValidation", "force", "pretty", "timeout", "resourceVersion"]
FOR_DELETES = ["dryRun", "dryRun", "propagationPolicy", "propagationPolicy", "gracePeriodSeconds", "gracePeriodSeconds", "orphanDependents", "pretty", "timeout", "preconditions", "preconditions.uid",
               "labelSelector", "fieldSelector", "limit", "resourceVersion", "ignoreStoreReadErrorWithClusterBreakingPotential"]
FORMS = ["application/json", "application/yaml", "application/vnd.kubernetes.protobuf"]
VIEWS = ["Table", "Table", "PartialObjectMetadata", "PartialObjectMetadataList", "Bogus", "APIGroupDiscoveryList", "Status", ""]
GROUPS = ["meta.k8s.io", "meta.k8s.io", "meta.k8s.io", "apidiscovery.k8s.io", "x", ""]
VIEW_VERSIONS = ["v1", "v1", "v1beta1", "v2", "v1alpha1", ""]
ODD_ACCEPTS = ["", "*/*", "text/html", "application/xml", "application/*", "application/cbor", "application/json;stream=watch", "text/plain", "garbage", "application/json;q=x", "application/json;",
               "application/json;charset=utf-8", "APPLICATION/JSON", "application/yaml;q=0.5,application/json;q=0.4", "application/xml,*/*;q=0.1", "application/json;q=0", "application/apply-patch+yaml",
               "application/json;as=Table", "application/json;v=v1", "application/json;profile=x", "application/json;pretty=1", "text/*", "application/yml", ",", "application/json,"]
CONTENT_TYPES = ["application/json", "application/yaml", "application/vnd.kubernetes.protobuf", "application/json-patch+json", "application/merge-patch+json", "application/strategic-merge-patch+json",
                 "application/apply-patch+yaml", "application/json;charset=utf-8", "application/json; charset=UTF-16", "text/plain", "", "application/xml", "APPLICATION/JSON", "application/json;", "garbage",
                 "application/cbor", "application/apply-patch+cbor", "application/x-www-form-urlencoded", "application/json, application/yaml", "application/merge-patch+json;charset=utf-8", "*/*",
                 "application/json;stream=watch"]
USERS = ["alice", "bob", "viewer", "anonymous", "nobody"]
HEADERS = [("Impersonate-User", ["alice", "", "system:serviceaccount:default:default", "system:anonymous"]), ("Impersonate-Group", ["dev", "system:masters", ""]),
           ("Impersonate-Uid", ["1"]), ("Impersonate-Extra-a", ["b"]), ("Accept-Encoding", ["gzip", "deflate", "*", "gzip;q=0"]), ("If-None-Match", ["*", '"x"']), ("If-Match", ['"x"']),
           ("X-HTTP-Method-Override", ["DELETE"]), ("Origin", ["http://localhost"]), ("Range", ["bytes=0-1"]), ("Audit-ID", ["an-id"]), ("User-Agent", ["kubectl/v1.32.5 (linux/amd64) kubernetes/9894294", "", "x y"])]
NAMES = ["a", "b", "x", "none", "A", "a.b", "a_b", "-", "a%2Fb", "%20", "é", "kubernetes", "default", "a:b", "..", "."]
NAMESPACES = ["${ns}", "default", "kube-system", "none-such", "A", "a.b", "", "%20"]
SUBRESOURCES = ["status", "scale", "log", "exec", "attach", "portforward", "proxy", "binding", "ephemeralcontainers", "finalize", "approval", "resize", "bogus", "Status", "proxy/x/y", "status/x"]
RESOURCES = [r for r in objects.RESOURCES if r.get("enabled_by_default", True)]
WORDS = ["", "a", "A", "x" * 300, "é", "\u0000", "\U0001f600", "a\nb", "1", "true", "null", "2024-01-02T03:04:05Z", "100m"]
VALUES = [None, True, False, 0, 1, -1, 1.5, 1e3, 10**20, -10**20, 2**53 + 1, 2147483648, "", "a", "1", [], [None], [{}], ["a"], {}, {"a": "b"}, {"a": None}, [[]], {"a": {"b": {"c": 1}}}]
METADATA = [("name", ["a", "b", "new", "A", "", "a/b", "x" * 254, None, 1, "é"]), ("namespace", ["${ns}", "default", "other", "", "A", None, 1]), ("uid", ["", "x", "${last.uid}", None, 1]),
            ("resourceVersion", ["", "0", "1", "abc", "${last.rv}", None, 1, "-1"]), ("generateName", ["g-", "A-", "", "x" * 300, None, "g"]), ("generation", [0, 5, -1, "1"]),
            ("labels", [{}, None, {"a": "b"}, {"-a": "b"}, {"a": "-"}, {"a": 1}, {"a": None}, {"x" * 64: "a"}, [], {"app": "web"}]),
            ("annotations", [{}, None, {"a": "b"}, {"A/B/c": "d"}, {"a": 1}, {"é": "x"}]), ("finalizers", [[], None, ["a"], ["example.com/a"], ["example.com/a", "example.com/a"], ["orphan"], "a", ["foregroundDeletion"]]),
            ("ownerReferences", [[], [{}], [{"apiVersion": "v1", "kind": "Pod", "name": "a", "uid": "u"}], [{"apiVersion": "v1", "kind": "Pod", "name": "a", "uid": "u", "controller": True}] * 2, None]),
            ("creationTimestamp", [None, "2024-01-02T03:04:05Z", "x", 1, ""]), ("deletionTimestamp", ["2024-01-02T03:04:05Z", None, "x"]), ("deletionGracePeriodSeconds", [0, 5, -1, "x"]),
            ("managedFields", [[], None, [{}], [{"manager": "z", "operation": "Update", "apiVersion": "v1", "fieldsType": "FieldsV1", "fieldsV1": {"f:data": {}}}], [{"manager": "z", "operation": "x"}]]),
            ("selfLink", ["/x"]), ("unknownField", [1])]
OPTIONS = [{"propagationPolicy": "Foreground"}, {"propagationPolicy": "x"}, {"gracePeriodSeconds": 0}, {"gracePeriodSeconds": -5}, {"preconditions": {"uid": "x"}}, {"preconditions": {"uid": "${last.uid}"}},
           {"preconditions": {"resourceVersion": "1"}}, {"dryRun": ["All"]}, {"dryRun": ["x"]}, {"orphanDependents": True}, {"orphanDependents": True, "propagationPolicy": "Orphan"}, {"unknown": 1}, {"kind": "DeleteOptions", "apiVersion": "v1"},
           {"kind": "Pod", "apiVersion": "v1"}, {"kind": "DeleteOptions", "apiVersion": "apps/v1"}, {"gracePeriodSeconds": "x"}, {"preconditions": None}, [], "x", {"kind": "DeleteOptions", "apiVersion": "policy/v1", "gracePeriodSeconds": 1},
           {"kind": "DeleteOptions", "apiVersion": "x/v1"}, {"apiVersion": "v1"}, {"kind": "DeleteOptions"}]
JSON_PATCHES = [[], [{}], [{"op": "add", "path": "/metadata/labels", "value": {"p": "q"}}], [{"op": "remove", "path": "/metadata/labels"}], [{"op": "remove", "path": "/none"}], [{"op": "test", "path": "/kind", "value": "x"}],
                [{"op": "replace", "path": "/metadata/name", "value": "z"}], [{"op": "x", "path": "/a"}], [{"op": "add", "path": "metadata", "value": 1}], [{"op": "copy", "from": "/metadata/name", "path": "/metadata/labels"}],
                [{"op": "move", "from": "/spec", "path": "/x"}], [{"op": "add", "path": "/metadata/annotations/a~1b", "value": "c"}], [{"op": "add", "path": "", "value": {}}], [{"op": "replace", "path": "/spec", "value": None}],
                {"op": "add"}, [{"op": "add", "path": "/metadata/finalizers/-", "value": "a/b"}], [{"op": "add", "path": "/unknown", "value": 1}], [{"op": "test", "path": "/metadata/none", "value": None}]]
MERGES = [{}, {"metadata": {"labels": {"p": "q"}}}, {"metadata": {"labels": None}}, {"metadata": None}, {"spec": None}, {"status": None}, {"metadata": {"name": "z"}}, {"unknown": 1}, {"spec": {"unknown": 1}}, {"kind": "Z"}, {"apiVersion": "z"},
          {"metadata": {"annotations": {"a": "b", "c": None}}}, {"metadata": {"finalizers": ["a/b"]}}, {"metadata": {"resourceVersion": "1"}}, {"metadata": {"uid": "x"}}, {"spec": []}, {"$patch": "delete"}, {"$patch": "replace"}, {"$patch": "x"},
          {"metadata": {"$patch": "replace", "labels": {"a": "b"}}}, {"metadata": {"$retainKeys": ["labels"]}}, {"metadata": {"labels": {"$patch": "delete"}}}, [], "x", 1, None, {"metadata": {"managedFields": []}}, {"metadata": {"managedFields": [{}]}},
          {"metadata": {"creationTimestamp": None}}, {"metadata": {"deletionTimestamp": "2024-01-02T03:04:05Z"}}, {"spec": {"replicas": 3}}, {"spec": {"replicas": "x"}}, {"data": {"k": "v"}}, {"data": None}, {"data": {"k": 1}}, {"immutable": True}]


def request_of(step):
    """A step as a request: its query as pairs, nothing that concerns the answer's comparison."""
    request = {k: copy.deepcopy(v) for k, v in step.items() if k in ("method", "path", "headers", "body", "body_cbor", "raw", "raw_b64", "content_type", "as")}
    pairs = [(k, v) for k, vs in (step.get("query") or {}).items() for v in (vs if isinstance(vs, list) else [vs])]
    return {**request, "query": [[k, str(v)] for k, v in pairs], "headers": dict(step.get("headers", {}))}


class Mutator:
    def __init__(self, seed, seeds):
        """`seeds` are valid objects of many kinds (objects.seeds())."""
        self.random, self.seeds = random.Random(seed), seeds
        self.pick = self.random.choice

    def mutated(self, request):
        request = copy.deepcopy(request)
        for _ in range(self.random.choices((1, 2, 3), (60, 28, 12))[0]):
            changes = [(self.query, 30), (self.accept, 14), (self.path, 16), (self.method, 7), (self.user, 4), (self.header, 3)]
            changes += [(self.body, 34), (self.content_type, 6)] if has_body(request) else [(self.some_body, 3)]
            self.random.choices([c for c, _ in changes], [w for _, w in changes])[0](request)
        return request

    def method(self, request):
        request["method"] = self.pick(METHODS)
        if request["method"] == "PATCH":
            request["content_type"] = self.pick(CONTENT_TYPES[3:7])
        elif request["method"] in ("PUT", "POST"):
            request.pop("content_type", None)

    def query(self, request):
        pairs, how = request["query"], self.random.random()
        if pairs and how < 0.15:
            pairs.pop(self.random.randrange(len(pairs)))
        elif pairs and how < 0.35:
            pair = self.pick(pairs)
            pair[1] = self.pick(PARAMETERS.get(pair[0], WORDS))
        elif pairs and how < 0.4:
            pairs.append(list(self.pick(pairs)))
        else:
            usual = {"GET": FOR_READS, "HEAD": FOR_READS, "DELETE": FOR_DELETES}.get(request["method"], FOR_WRITES)
            name = self.pick(usual if self.random.random() < 0.9 else list(PARAMETERS))
            pairs.append([name, self.pick(PARAMETERS[name])])
            if name == "resourceVersionMatch" and self.random.random() < 0.6:
                pairs.append(["resourceVersion", self.pick(VERSIONS)])
            if name == "sendInitialEvents" and self.random.random() < 0.6:
                pairs += [["watch", "1"], ["resourceVersionMatch", "NotOlderThan"], ["allowWatchBookmarks", "1"]]

    def accept(self, request):
        def one():
            if self.random.random() < 0.25:
                return self.pick(ODD_ACCEPTS)
            text = self.pick(FORMS)
            if self.random.random() < 0.7:
                parts = [f"as={self.pick(VIEWS)}", f"g={self.pick(GROUPS)}", f"v={self.pick(VIEW_VERSIONS)}"]
                self.random.shuffle(parts)
                text += ";" + ";".join(parts[:self.random.choices((3, 2, 1), (90, 6, 4))[0]])
            return text + (self.pick([";q=0.5", ";q=1", ";q=0"]) if self.random.random() < 0.1 else "")
        request["headers"]["Accept"] = self.pick([",", ", "]).join(one() for _ in range(self.random.choices((1, 2, 3), (60, 30, 10))[0]))

    def content_type(self, request):
        request["content_type"] = self.pick(CONTENT_TYPES)

    def user(self, request):
        request["as"] = self.pick(USERS)

    def header(self, request):
        name, values = self.pick(HEADERS)
        request["headers"][name] = self.pick(values)

    def path(self, request):
        parts = request["path"].split("/")
        places = Places(parts)
        if not places.resource:
            request["path"] = self.pick([request["path"] + "/", request["path"] + "x", request["path"].upper(), request["path"] + "/x", "/" + request["path"]])
            return
        changes = [(self.other_name, 5), (self.other_namespace, 3), (self.other_resource, 5), (self.subresource, 5), (self.other_version, 2), (self.odd_path, 1), (self.all_or_one, 4)]
        self.random.choices([c for c, _ in changes], [w for _, w in changes])[0](request, parts, places)

    def other_name(self, request, parts, places):
        if places.name:
            parts[places.name] = self.pick(NAMES)
        else:
            parts.append(self.pick(NAMES))
        request["path"] = "/".join(parts)

    def other_namespace(self, request, parts, places):
        if places.namespace and self.random.random() < 0.3:
            del parts[places.namespace - 1:places.namespace + 1]
        elif places.namespace:
            parts[places.namespace] = self.pick(NAMESPACES)
        else:
            parts[places.resource:places.resource] = ["namespaces", self.pick(NAMESPACES)]
        request["path"] = "/".join(parts)

    def other_resource(self, request, parts, places):
        """The same asked of another kind; a body becomes one of that kind, as often as not."""
        resource = self.pick(RESOURCES)
        path = f"/api/v1" if not resource["group"] else f"/apis/{resource['group']}/{resource['version']}"
        path += "/namespaces/${ns}" if resource["namespaced"] else ""
        path += "/" + resource["resource"]
        path += "/" + "/".join(parts[places.name:]) if places.name else ""
        request["path"] = path
        seeds = [s for s in self.seeds if s.resource is resource or s.resource == resource]
        if has_body(request) and seeds and request["method"] in ("POST", "PUT") and self.random.random() < 0.8:
            body = copy.deepcopy(self.pick(seeds).body)
            body.setdefault("metadata", {}).pop("generateName", None)
            body["metadata"]["name"] = parts[places.name] if places.name else "m-${id}"
            set_body(request, body)

    def subresource(self, request, parts, places):
        if not places.name:
            parts.append(self.pick(NAMES))
        elif len(parts) > places.name + 1 and self.random.random() < 0.5:
            del parts[places.name + 1:]
        if self.random.random() < 0.8:
            parts.append(self.pick(SUBRESOURCES))
        request["path"] = "/".join(parts)

    def other_version(self, request, parts, places):
        at = 2 if parts[1] == "api" else self.pick((2, 3))
        parts[at] = self.pick(["v1", "v2", "v1beta1", "v1alpha1", "apps", "batch", "x", "", "autoscaling", "policy", "V1"])
        request["path"] = "/".join(parts)

    def odd_path(self, request, parts, places):
        path, version = request["path"], 3 if parts[1] == "api" else 4
        request["path"] = self.pick([path + "/", "/" + path, path.replace("/", "//", 2), path + "//", path.upper(), path + "/x/y", path.replace("/namespaces", "/./namespaces"), path + "%00", path + "%2F",
                                     "/".join(parts[:version] + ["watch"] + parts[version:]), "/".join(parts[:version] + ["proxy"] + parts[version:]), "/".join(parts[:version]), path + ";a=b", path + "%zz"])

    def all_or_one(self, request, parts, places):
        request["path"] = "/".join(parts[:places.name]) if places.name else request["path"] + "/" + self.pick(NAMES[:4])

    def some_body(self, request):
        if request["method"] == "DELETE":
            set_body(request, copy.deepcopy(self.pick(OPTIONS)))
        else:
            set_body(request, copy.deepcopy(self.pick(VALUES)))

    def body(self, request):
        if request["method"] == "PATCH" and self.random.random() < 0.35:
            kind = self.pick(CONTENT_TYPES[3:6])
            request["content_type"] = kind
            set_body(request, copy.deepcopy(self.pick(JSON_PATCHES if kind == CONTENT_TYPES[3] else MERGES)))
            return
        if request["method"] == "DELETE" and self.random.random() < 0.6:
            set_body(request, copy.deepcopy(self.pick(OPTIONS)))
            return
        if "body" not in request:
            self.text(request)
            return
        how = self.random.random()
        if how < 0.16:
            self.text(request)
        elif how < 0.2:
            set_body(request, copy.deepcopy(self.pick(VALUES)))
        elif how < 0.45 and isinstance(request["body"], dict):
            self.head(request["body"])
        else:
            request["body"] = self.inner(request["body"])

    def head(self, body):
        """Kind, version or metadata."""
        if self.random.random() < 0.25:
            body[self.pick(("kind", "apiVersion"))] = self.pick(["Pod", "ConfigMap", "List", "Status", "v1", "apps/v1", "", None, 1, "a/b/c", "pod", "x"])
            return
        if not isinstance(body.get("metadata"), dict):
            body["metadata"] = {}
        name, values = self.pick(METADATA)
        body["metadata"][name] = copy.deepcopy(self.pick(values))

    def inner(self, x):
        """`x` with something inside changed."""
        if not isinstance(x, (dict, list)) or not x or self.random.random() < 0.08:
            return self.leaf(x)
        if isinstance(x, list):
            at, how = self.random.randrange(len(x)), self.random.random()
            if how < 0.1:
                return x[:at] + x[at + 1:]
            if how < 0.25:
                return x + [copy.deepcopy(x[at])]
            return x[:at] + [self.inner(x[at])] + x[at + 1:]
        key, how = self.pick(list(x)), self.random.random()
        if how < 0.12:
            return {k: v for k, v in x.items() if k != key}
        if how < 0.2:
            name = self.pick([key.upper(), key.capitalize(), key + "s", key[:-1], "unknown", "", key + " "])
            return {name if k == key else k: v for k, v in x.items()}
        if how < 0.3:
            return {**x, self.pick(["unknown", "a", "A b", "é", "x/y", "unknownField", "$patch", "f:x"]): copy.deepcopy(self.pick(VALUES))}
        return {**x, key: self.inner(x[key])}

    def leaf(self, old):
        if isinstance(old, str) and self.random.random() < 0.6:
            return self.pick(WORDS + edges.STRINGS)
        if isinstance(old, int) and self.random.random() < 0.6:
            return self.pick(edges.INTEGERS)
        return copy.deepcopy(self.pick(VALUES))

    def text(self, request):
        """The body as other text: cut, with a key twice, as YAML, with something around it."""
        text = request.get("raw") or json.dumps(request.get("body", {}))
        drop_body(request)
        at = self.random.randrange(len(text) + 1)
        request["raw"] = self.pick([
            lambda: text[:at], lambda: text[:at] + self.pick('{}[],:"\\x0 \n\t-') + text[at:], lambda: text[:at] + text[at + 1:], lambda: text + text, lambda: text + " x", lambda: "\ufeff" + text, lambda: "",
            lambda: " \n", lambda: text.replace('"metadata"', '"kind": "X", "metadata"', 1), lambda: text.replace('"name":', '"name": "twice", "name":', 1), lambda: text.replace('"spec":', '"spec": {}, "spec":', 1),
            lambda: "[" * 1000, lambda: '{"a":' * 500 + "1" + "}" * 500, lambda: text.replace('"', "'"), lambda: yaml(request, text), lambda: yaml(request, text), lambda: yaml(request, text), lambda: "null", lambda: "---\n" + text + "\n---\n" + text,
            lambda: text.replace(": ", ":", 3), lambda: text.replace("1", "1.0", 1), lambda: text.replace("1", "1e0", 1), lambda: text.replace("1", "01", 1), lambda: text.replace("e", "\\u0065", 2), lambda: text.replace("a", "\\ud800", 1)])()


class Places:
    """Where a path has its namespace, resource and name; 0 where it has none."""

    def __init__(self, parts):
        self.namespace = self.resource = self.name = 0
        at = {"api": 3, "apis": 4}.get(parts[1] if len(parts) > 1 else "", 0)
        if not at or len(parts) <= at:
            return
        if parts[at] == "namespaces" and len(parts) > at + 2 and parts[at + 2] not in ("status", "finalize"):
            self.namespace, at = at + 1, at + 2
        self.resource = at
        self.name = at + 1 if len(parts) > at + 1 else 0


def has_body(request):
    return any(k in request for k in ("body", "raw", "raw_b64", "body_cbor"))


def drop_body(request):
    for key in ("body", "raw", "raw_b64", "body_cbor"):
        request.pop(key, None)


def set_body(request, body):
    drop_body(request)
    request["body"] = body


def yaml(request, text):
    """The document in block style."""
    if request.get("content_type", "application/json") == "application/json":
        request["content_type"] = "application/yaml"
    try:
        return block(json.loads(text), 0)
    except (ValueError, RecursionError):
        return text


def block(x, depth):
    margin = "  " * depth
    if isinstance(x, dict) and x:
        return "".join(f"{margin}{k or json.dumps(k)}:" + (("\n" + block(v, depth + 1)) if isinstance(v, (dict, list)) and v else f" {json.dumps(v)}\n") for k, v in x.items())
    if isinstance(x, list) and x:
        return "".join(f"{margin}-" + (("\n" + block(v, depth + 1)) if isinstance(v, (dict, list)) and v else f" {json.dumps(v)}\n") for v in x)
    return margin + json.dumps(x) + "\n"
