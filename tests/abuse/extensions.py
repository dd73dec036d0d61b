"""Shapes of what extends the API: definitions that are really made, objects of a definition with every kind of bound, admission policies whose
expressions are bombs, bindings with huge selectors, and requests that such policies are held against. Lines as in shapes.py.
"""
import json

from building import APPLY, CBOR, HEAD, JSON, JSON_PATCH, MERGE, PROTOBUF, STRATEGIC, YAML, After, apply, cbor_text, config, definition, delete, each, falling, get, nest, obj, patch, post, put, rep, seq, shuffled, words
from shapes import ADMISSION, CM, CRDS, S, ops

GADGETS = "/apis/example.org/v1/namespaces/sweep/gadgets"
TEXT = {"type": "string"}
BOUNDS = {
    "text": {"type": "string", "maxLength": 100000, "pattern": "^(a|b|aa)*$"},
    "number": {"type": "number", "minimum": 0, "multipleOf": 0.1},
    "word": {"type": "string", "enum": [f"w{i}" for i in range(500)]},
    "date": {"type": "string", "format": "date-time"},
    "address": {"type": "string", "format": "email"},
    "set": {"type": "array", "x-kubernetes-list-type": "set", "items": TEXT},
    "numbers": {"type": "array", "x-kubernetes-list-type": "set", "items": {"type": "number"}},
    "objects": {"type": "array", "x-kubernetes-list-type": "set", "items": {"type": "object", "x-kubernetes-map-type": "atomic", "properties": {"a": TEXT}}},
    "keyed": {"type": "array", "x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": ["k", "l"], "items": {
        "type": "object", "required": ["k"], "properties": {"k": TEXT, "l": {"type": "integer", "default": 1}, "v": TEXT}}},
    "plain": {"type": "array", "maxItems": 1000000, "items": {"type": "object", "minProperties": 1, "properties": {"a": TEXT, "b": {"type": "integer"}}}},
    "map": {"type": "object", "maxProperties": 1000000, "additionalProperties": {"type": "string", "pattern": "^v"}},
    "filled": {"type": "array", "items": {"type": "object", "properties": {"a": {"type": "string", "default": "x" * 1000}, "b": {"type": "object", "default": {}, "properties": {
        "c": {"type": "array", "items": {"type": "integer"}, "default": list(range(200))}}}}}},
    "any": {"type": "object", "x-kubernetes-preserve-unknown-fields": True},
    "anything": {"x-kubernetes-preserve-unknown-fields": True},
    "mixed": {"x-kubernetes-int-or-string": True},
    "choices": {"type": "array", "items": {"type": "object", "x-kubernetes-preserve-unknown-fields": True, "anyOf": [{"required": [f"r{i}"]} for i in range(30)],
                                           "not": {"required": ["n"]}}},
    "embedded": {"type": "array", "items": {"type": "object", "x-kubernetes-embedded-resource": True, "x-kubernetes-preserve-unknown-fields": True}},
    "nullable": {"type": "array", "items": {"type": "string", "nullable": True}},
    "selected": TEXT, "replicas": {"type": "integer"},
}
DEFINITION = {"metadata": {"name": "gadgets.example.org"}, "spec": {"group": "example.org", "scope": "Namespaced", "names": {"plural": "gadgets", "kind": "Gadget"}, "versions": [
    {"name": "v1", "served": True, "storage": True, "selectableFields": [{"jsonPath": ".spec.selected"}],
     "subresources": {"status": {}, "scale": {"specReplicasPath": ".spec.replicas", "statusReplicasPath": ".status.replicas", "labelSelectorPath": ".status.selector"}},
     "additionalPrinterColumns": [{"name": "a", "type": "string", "jsonPath": ".spec.plain[*].a"}, {"name": "b", "type": "string", "jsonPath": ".spec.map"}],
     "schema": {"openAPIV3Schema": {"type": "object", "properties": {"spec": {"type": "object", "properties": BOUNDS}, "status": {"type": "object", "x-kubernetes-preserve-unknown-fields": True}}}}},
    {"name": "v2", "served": True, "storage": False, "schema": {"openAPIV3Schema": {"type": "object", "x-kubernetes-preserve-unknown-fields": True}}}]}}
SETUP = ((CRDS, DEFINITION), (GADGETS, {"apiVersion": "example.org/v1", "kind": "Gadget", "metadata": {"name": "small"}, "spec": {"selected": "a", "replicas": 1}}))


def gadget(spec="", meta="", name="x", rest=""):
    return obj("example.org/v1", "Gadget", '"spec":{%s}%s' % (spec, rest and "," + rest), meta, name)


def made(path, undo, body, media=JSON):
    """A request that is no dry run; what it made is deleted afterwards."""
    return After(lambda n: [], post(path, body, media, dry=False), undo)


def definitions():
    """Definitions that are made, so that their schemas are compiled and published."""
    def of(**members):
        return made(CRDS, (CRDS + "/things.example.com",), lambda n: definition(**{k: v(n) for k, v in members.items()}))
    properties = lambda inner: of(schema=lambda n: '"properties":{%s}' % inner(n))
    yield S("a definition of many properties is made", "C", properties(lambda n: each(n, '"a%d":{"type":"string"}')), "201|413|4xx")
    yield S("a definition of many objects is made", "C", properties(lambda n: each(n, '"a%d":{"type":"object","properties":{"b%d":{"type":"integer","default":%d}},"default":{}}')), "")
    yield S("a definition of many lists with keys is made", "C", properties(lambda n: each(n, '"a%d":{"type":"array","x-kubernetes-list-type":"map","x-kubernetes-list-map-keys":["k"],"items":{"type":"object","required":["k"],"properties":{"k":{"type":"string"}}}}')), "")
    yield S("a definition of deep properties is made", "C", properties(lambda n: nest(n, '"a":{"type":"object","properties":{', "}}", '"b":{"type":"string"}')), "")
    yield S("a definition of deep defaults is made", "C", properties(lambda n: nest(n, '"a":{"type":"object","default":{},"properties":{', "}}", '"b":{"type":"string","default":"c"}')), "", 20000)
    yield S("a definition of many patterns is made", "C", properties(lambda n: each(n, '"a%d":{"type":"string","pattern":"^[a-z]{1,900}%d$"}')), "")
    yield S("a definition of a pattern that repeats is made", "C", properties(lambda n: '"a":{"type":"string","pattern":"%s"}' % nest(n, "(", "{9}){9}", "a")), "")
    yield S("a definition of many columns is made", "C", of(version=lambda n: '"additionalPrinterColumns":[%s]' % each(n, '{"name":"c%d","type":"string","jsonPath":".spec.a[*].b"}')), "")
    # An API service is made of each version, by a controller, which is counted too.
    yield S("a definition of many versions is made", "C", of(versions=lambda n: each(n, '{"name":"v1alpha%d","served":true,"storage":false,"schema":{"openAPIV3Schema":{"type":"object"}}}')), "", 400000)
    yield S("a definition of many versions of one large schema is made", "C", of(schema=lambda n: '"properties":{%s}' % each(n // 40, '"a%d":{"type":"string"}'), versions=lambda n: ",".join(
        '{"name":"v1alpha%d","served":true,"storage":false,"schema":{"openAPIV3Schema":{"type":"object","properties":{%s}}}}' % (i, each(n // 40, '"a%d":{"type":"string"}')) for i in range(30))), "")
    yield S("a definition of many short names is made", "C", of(names=lambda n: '"shortNames":[%s]' % each(n, '"s%d"')), "")
    yield S("a definition of many categories is made", "C", of(names=lambda n: '"categories":[%s]' % each(n, '"s%d"')), "")
    yield S("a definition of long descriptions is made", "C", properties(lambda n: each(n, '"a%d":{"type":"string","description":"a long description of what this field may be"}')), "")
    yield S("a definition of rules over lists in lists", "C", properties(lambda n: '"a":%s' % nest(n, '{"type":"array","x-kubernetes-validations":[{"rule":"self.all(x, true)"}],"items":', "}", '{"type":"string"}')), "", 20000)
    yield S("a definition of rules whose message is an expression", "C", properties(lambda n: '"a":{"type":"string","x-kubernetes-validations":[%s]}' % each(n, '{"rule":"self != \'%d\'","messageExpression":"\'a\' + self"}')), "")
    big = lambda n: [("POST", CRDS, JSON, definition(schema='"properties":{%s}' % each(n, '"a%d":{"type":"string","default":"b"}')))]
    at = "/apis/example.com/v1/namespaces/sweep/things"
    undo = (CRDS + "/things.example.com",)
    yield S("an object that gets many defaults", "C", After(big, post(at, lambda n: obj("example.com/v1", "Thing", '"spec":{}')), undo), "", 700000)
    yield S("the discovery of a group of many versions", "C", After(lambda n: [("POST", CRDS, JSON, definition(versions=each(n, '{"name":"v1alpha%d","served":true,"storage":false,"schema":{"openAPIV3Schema":{"type":"object"}}}')))],
                get("/apis", lambda n: "Accept: application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList"), undo), "", 40000)
    yield S("the OpenAPI of a wide definition", "C", After(big, get("/openapi/v3/apis/example.com/v1"), undo), "", 700000)
    yield S("the OpenAPI of everything beside a wide definition", "C", After(big, get("/openapi/v2"), undo), "", 700000)


def instances():
    spec = lambda inner: post(GADGETS, lambda n: gadget(inner(n)))
    yield S("instance: a long text against a pattern", "AUN", spec(lambda n: '"text":"%s"' % rep(n, "ab")), "201|422")
    yield S("instance: a text that nearly fits a pattern", "N", spec(lambda n: '"text":"%sc"' % rep(min(n, 99000), "aa")), "422")
    yield S("instance: a number of many digits", "N", spec(lambda n: '"number":%s' % rep(n, "1")), "")
    yield S("instance: a number of a large exponent", "N", spec(lambda n: '"number":1e%s' % rep(n, "9")), "")
    yield S("instance: a word that is none of many", "N", spec(lambda n: '"word":"%s"' % rep(n, "w")), "422")
    yield S("instance: a long date", "N", spec(lambda n: '"date":"%s"' % rep(n, "1")), "422")
    yield S("instance: a long mail address", "N", spec(lambda n: '"address":"%s@b"' % rep(n, "a.")), "")
    yield S("instance: a mail address of quotes and comments", "N", spec(lambda n: '"address":"%s@b"' % nest(n, "(", ")", "a")), "")
    yield S("instance: a set", "N", spec(lambda n: '"set":[%s]' % each(n, '"e%d"')), "201")
    yield S("instance: a falling set", "N", spec(lambda n: '"set":[%s]' % falling(n, '"e%d"')), "201")
    yield S("instance: a set of one element many times", "N", spec(lambda n: '"set":[%s]' % seq(n, '"e"')), "422")
    yield S("instance: a set of numbers", "N", spec(lambda n: '"numbers":[%s]' % each(n, "%d.5")), "201")
    yield S("instance: a set of numbers that are equal", "N", spec(lambda n: '"numbers":[%s]' % seq(n, "1,1.0")), "422")
    yield S("instance: a set of objects", "N", spec(lambda n: '"objects":[%s]' % each(n, '{"a":"e%d"}')), "201")
    yield S("instance: a set of equal objects", "N", spec(lambda n: '"objects":[%s]' % seq(n, '{"a":"e"}')), "422")
    yield S("instance: a list with keys", "N", spec(lambda n: '"keyed":[%s]' % each(n, '{"k":"k%d"}')), "201")
    yield S("instance: a list of one key many times", "N", spec(lambda n: '"keyed":[%s]' % seq(n, '{"k":"k"}')), "422")
    yield S("instance: a list without keys", "N", spec(lambda n: '"keyed":[%s]' % seq(n, "{}")), "422")
    yield S("instance: a list of wrong types", "N", spec(lambda n: '"plain":[%s]' % seq(n, "1")), "422")
    yield S("instance: a list of empty objects", "N", spec(lambda n: '"plain":[%s]' % seq(n, "{}")), "422")
    yield S("instance: unknown fields in a list", "N", spec(lambda n: '"plain":[%s]' % each(n, '{"a":"b","u%d":1}')), "201")
    yield S("instance: unknown fields in a list, strict", "N", post(GADGETS + "?fieldValidation=Strict", lambda n: gadget('"plain":[%s]' % each(n, '{"a":"b","u%d":1}'))), "400")
    yield S("instance: a map", "N", spec(lambda n: '"map":{%s}' % each(n, '"k%d":"v"')), "201")
    yield S("instance: a map of values of no form", "N", spec(lambda n: '"map":{%s}' % each(n, '"k%d":"*"')), "422")
    yield S("instance: a map of one key", "N", spec(lambda n: '"map":{%s}' % seq(n, '"k":"v"')), "201")
    yield S("instance: items with long defaults", "AN", spec(lambda n: '"filled":[%s]' % seq(n, "{}")), "")
    yield S("instance: items with long defaults, applied", "N", apply(GADGETS + "/x", lambda n: gadget('"filled":[%s]' % seq(n, "{}"))), "")
    yield S("instance: items with long defaults, by a JSON patch", "N", patch(GADGETS + "/small", JSON_PATCH, lambda n: '[{"op":"add","path":"/spec/filled","value":[%s]}]' % seq(n, "{}")), "")
    yield S("instance: items with long defaults, by a merge patch", "N", patch(GADGETS + "/small", MERGE, lambda n: '{"spec":{"filled":[%s]}}' % seq(n, "{}")), "")
    yield S("instance: items with long defaults, in an update", "N", put(GADGETS + "/small", lambda n: gadget('"filled":[%s]' % seq(n, "{}"), name="small")), "422")
    yield S("instance: what is kept, far down", "N", spec(lambda n: '"any":%s' % nest(n, '{"a":', "}")), "")
    yield S("instance: lists that are kept, far down", "N", spec(lambda n: '"any":{"a":%s}' % nest(n)), "")
    yield S("instance: anything, many members", "N", spec(lambda n: '"anything":{%s}' % shuffled(n, '"a%d":1')), "201")
    yield S("instance: anything, far down", "N", spec(lambda n: '"anything":%s' % nest(n)), "")
    yield S("instance: many choices", "N", spec(lambda n: '"choices":[%s]' % seq(n, '{"a":1}')), "422")
    yield S("instance: embedded objects", "N", spec(lambda n: '"embedded":[%s]' % each(n, '{"apiVersion":"v1","kind":"A","metadata":{"name":"a%d"}}')), "201")
    yield S("instance: embedded objects without a kind", "N", spec(lambda n: '"embedded":[%s]' % seq(n, "{}")), "422")
    yield S("instance: embedded objects of no form", "N", spec(lambda n: '"embedded":[%s]' % seq(n, '{"metadata":1}')), "")
    yield S("instance: nulls", "N", spec(lambda n: '"nullable":[%s]' % seq(n, "null")), "201")
    yield S("instance: nulls where none may be", "N", spec(lambda n: '"set":[%s]' % seq(n, "null")), "422")
    yield S("instance: unknown members", "N", spec(lambda n: each(n, '"u%d":1')), "201")
    yield S("instance: unknown members far down", "N", spec(lambda n: '"u":%s' % nest(n, '{"a":', "}")), "")
    yield S("instance: a long kind", "N", post(GADGETS, lambda n: '{"apiVersion":"example.org/v1","kind":"%s"}' % rep(n, "A")), "422")
    yield S("instance: YAML", "N", post(GADGETS, lambda n: "apiVersion: example.org/v1\nkind: Gadget\nmetadata: {name: x}\nspec:\n  set:\n" + each(n, "  - e%d", "\n") + "\n", YAML), "201")
    yield S("instance: YAML aliases", "N", post(GADGETS, lambda n: "apiVersion: example.org/v1\nkind: Gadget\nmetadata: {name: x}\nspec:\n  anything:\n    a: &a [%s]\n    b: [%s]\n" % (seq(n // 2, "1"), seq(n // 2, "*a")), YAML), "")
    yield S("instance: protobuf", "N", post(GADGETS, lambda n: rep(n, b"k8s\0"), PROTOBUF), "4xx")
    yield S("instance: CBOR far down", "N", post(GADGETS, lambda n: b"\xa1" + cbor_text("spec") + b"\xa1" + cbor_text("any") + b"\x81" * n + b"\x01", CBOR), "4xx")
    yield S("instance: managed fields", "N", post(GADGETS, lambda n: gadget(meta='"managedFields":[{"manager":"m","operation":"Update","apiVersion":"example.org/v1","time":"2024-01-01T00:00:00Z","fieldsType":"FieldsV1","fieldsV1":{"f:spec":{"f:keyed":{%s}}}}]'
                                                                          % each(n, '"k:{\\"k\\":\\"k%d\\",\\"l\\":1}":{}'))), "")
    yield S("instance: apply of a list with keys", "N", apply(GADGETS + "/x", lambda n: gadget('"keyed":[%s]' % falling(n, '{"k":"k%d"}'))), "201")
    yield S("instance: apply of one key many times", "N", apply(GADGETS + "/x", lambda n: gadget('"keyed":[%s]' % seq(n, '{"k":"k"}'))), "4xx|500")
    yield S("instance: apply of a set", "N", apply(GADGETS + "/x", lambda n: gadget('"set":[%s]' % falling(n, '"e%d"'))), "201")
    yield S("instance: apply of a set of objects", "N", apply(GADGETS + "/x", lambda n: gadget('"objects":[%s]' % falling(n, '{"a":"e%d"}'))), "500")
    yield S("instance: apply of what is kept", "N", apply(GADGETS + "/x", lambda n: gadget('"any":{%s}' % shuffled(n, '"a%d":1'))), "201")
    yield S("instance: apply of what is kept, far down", "N", apply(GADGETS + "/x", lambda n: gadget('"any":%s' % nest(n, '{"a":', "}"))), "")
    yield S("instance: apply in another version", "N", apply(GADGETS.replace("/v1/", "/v2/") + "/small", lambda n: gadget('"any":{%s}' % each(n, '"a%d":1'), name="small").replace("/v1", "/v2")), "")
    yield S("instance: create in another version", "N", post(GADGETS.replace("/v1/", "/v2/"), lambda n: gadget('"keyed":[%s]' % each(n, '{"k":"k%d"}')).replace("/v1", "/v2")), "201")
    yield S("instance: merge patch", "N", patch(GADGETS + "/small", MERGE, lambda n: '{"spec":{"map":{%s}}}' % falling(n, '"k%d":"v"')), "200")
    yield S("instance: strategic patch", "N", patch(GADGETS + "/small", STRATEGIC, lambda n: '{"spec":{"map":{%s}}}' % each(n, '"k%d":"v"')), "")
    yield S("instance: JSON patch of many operations", "N", patch(GADGETS + "/small", JSON_PATCH, lambda n: '[{"op":"add","path":"/spec/map","value":{"a":"v"}},%s]' % ops(n, '{"op":"add","path":"/spec/map/k%d","value":"v"}')), "")
    yield S("instance: JSON patch copies into itself", "N", patch(GADGETS + "/small", JSON_PATCH, lambda n: '[{"op":"add","path":"/spec/anything","value":%s},%s]'
                                                               % (nest(n), ",".join('{"op":"copy","from":"/spec/anything","path":"/spec/anything%s"}' % ("/0" * (n // 2 * 2 ** i)) for i in range(5)))), "", 10000)
    yield S("instance: status", "N", patch(GADGETS + "/small/status", MERGE, lambda n: '{"status":{%s}}' % each(n, '"a%d":1')), "200")
    yield S("instance: status far down", "N", patch(GADGETS + "/small/status", MERGE, lambda n: '{"status":%s}' % nest(n, '{"a":', "}")), "")
    yield S("instance: scale", "N", put(GADGETS + "/small/scale", lambda n: '{"apiVersion":"autoscaling/v1","kind":"Scale","metadata":{"name":"small","namespace":"sweep"},"spec":{"replicas":1},"status":{"replicas":1,"selector":"%s"}}' % each(n, "a%d=b")), "")
    yield S("instance: scale by a merge patch", "N", patch(GADGETS + "/small/scale", MERGE, lambda n: '{"spec":{"replicas":2},"u":{%s}}' % each(n, '"a%d":1')), "")
    yield S("instance: field selector", "AUN", get(lambda n: GADGETS + "?fieldSelector=" + seq(n, "spec.selected=a,metadata.name!=b")), "200|400", HEAD)
    yield S("instance: field selector of no field", "N", get(lambda n: GADGETS + "?fieldSelector=" + each(n, "spec.a%d=a")), "400", HEAD)
    yield S("instance: label selector", "AUN", get(lambda n: GADGETS + "?labelSelector=" + shuffled(n, "a%d=b")), "200", HEAD)
    yield S("instance: watch with a selector", "N", get(lambda n: GADGETS + "?watch=1&timeoutSeconds=1&fieldSelector=" + seq(n, "spec.selected=a")), "200|400", HEAD)
    yield S("instance: collection's deletion with a selector", "N", delete(lambda n: GADGETS + "?labelSelector=" + falling(n, "a%d")), "200", HEAD)
    yield S("instance: continue token", "N", get(lambda n: GADGETS + "?limit=1&continue=" + rep(n, "a")), "400", HEAD)
    yield S("instance: fieldManager of what cannot be printed", "AN", post(lambda n: GADGETS + "?fieldManager=" + rep(n, "%01"), lambda n: gadget()), "422", HEAD)
    yield S("instance: fieldManager in an update", "N", put(lambda n: GADGETS + "/small?fieldManager=" + rep(n, "%ff"), lambda n: gadget(name="small")), "422", HEAD)
    yield S("instance: fieldManager for an apply", "N", patch(lambda n: GADGETS + "/small?fieldManager=" + rep(n, "%01"), APPLY, lambda n: gadget(name="small")), "422", HEAD)
    yield S("instance: fieldManager of a scale", "N", patch(lambda n: GADGETS + "/small/scale?fieldManager=" + rep(n, "%01"), MERGE, lambda n: '{"spec":{"replicas":2}}'), "422", HEAD)
    yield S("instance: fieldManager of a status", "N", patch(lambda n: GADGETS + "/small/status?fieldManager=" + rep(n, "%01"), MERGE, lambda n: '{"status":{"a":1}}'), "422", HEAD)
    yield S("instance: User-Agent for a managed field", "N", post(GADGETS, lambda n: gadget('"selected":"a"'), fields=lambda n: "User-Agent: " + rep(n, "\udcff\udcfe")), "", HEAD)
    yield S("instance: scale by JSON patch copies into itself", "N", patch(GADGETS + "/small/scale", JSON_PATCH, lambda n: '[{"op":"add","path":"/u","value":%s},%s]'
                                                                        % (nest(n), ",".join('{"op":"copy","from":"/u","path":"/u%s"}' % ("/0" * (n // 2 * 2 ** i)) for i in range(5)))), "", 10000)
    yield S("instance: metadata of no form, far down", "N", post(GADGETS, lambda n: gadget(meta='"labels":%s' % nest(n, '{"a":', "}"))), "")
    yield S("instance: owners", "N", post(GADGETS, lambda n: gadget(meta='"ownerReferences":[%s]' % each(n, '{"apiVersion":"v1","kind":"Pod","name":"a","uid":"u%d"}'))), "201")
    yield S("instance: falling finalizers in an apply", "N", apply(GADGETS + "/x", lambda n: gadget(meta='"finalizers":[%s]' % falling(n, '"a.b/c%d"'))), "201")
    stored = lambda spec: lambda n: [("DELETE", GADGETS + "/large", None, None), ("POST", GADGETS, JSON, gadget(spec(min(n, 1500000)), name="large"))]
    large = lambda spec, how: After(stored(spec), how, (GADGETS + "/large",))
    items = lambda n: '"plain":[%s],"map":{%s}' % (each(n // 2, '{"a":"b%d"}'), each(n // 2, '"k%d":"v"'))
    table = lambda n: "Accept: application/json;as=Table;v=v1;g=meta.k8s.io"
    yield S("instance: a large object in a table", "N", large(items, get(GADGETS, table)), "200")
    yield S("instance: a large object of another version in a list", "N", large(items, get(GADGETS.replace("/v1/", "/v2/"))), "200")
    yield S("instance: a large object in a watch of tables", "N", large(items, get(GADGETS + "?watch=1&timeoutSeconds=1", table)), "200")
    yield S("instance: a large object as YAML", "N", large(items, get(GADGETS + "/large", lambda n: "Accept: application/yaml")), "200")
    keyed = lambda n: '"keyed":[%s]' % each(n, '{"k":"k%d"}')
    yield S("instance: apply onto a large object", "N", large(keyed, apply(GADGETS + "/large", lambda n: gadget('"keyed":[%s]' % falling(n // 2, '{"k":"k%d","v":"w"}'), name="large"))), "")
    yield S("instance: update of a large object", "N", large(keyed, patch(GADGETS + "/large", MERGE, lambda n: '{"spec":{"keyed":[%s]}}' % falling(n, '{"k":"k%d"}'))), "200")


RULES = '"matchConstraints":{"resourceRules":[{"apiGroups":[""],"apiVersions":["v1"],"resources":["configmaps"],"operations":["CREATE"]}]}'
POLICIES, BINDINGS = ADMISSION + "validatingadmissionpolicies", ADMISSION + "validatingadmissionpolicybindings"


def policy(rest, rules=RULES):
    return obj("admissionregistration.k8s.io/v1", "ValidatingAdmissionPolicy", '"spec":{%s,%s}' % (rules, rest), name="bomb")


def binding(rest=""):
    return obj("admissionregistration.k8s.io/v1", "ValidatingAdmissionPolicyBinding", '"spec":{"policyName":"bomb","validationActions":["Deny"]%s}' % (rest and "," + rest), name="bomb")


def quoted(expression):
    return json.dumps(expression)


def validation(expression):
    return '"validations":[{"expression":%s}]' % quoted(expression)


def variables(items, last):
    """Variables with these expressions, v0, v1, ..., and a validation."""
    return '"variables":[%s],%s' % (",".join('{"name":"v%d","expression":%s}' % (i, quoted(e)) for i, e in enumerate(items)), validation(last))


# Expressions of about n bytes.
EXPRESSIONS = {
    "a sum": lambda n: seq(n, "1", "+") + " == 1",
    "a sum of texts": lambda n: seq(n, "'a'", "+") + " == 'a'",
    "a conjunction of comparisons": lambda n: each(n, "object.a%d == 1", "&&"),
    "a chain of conditions": lambda n: rep(n, "true ? true : ") + "true",
    "nested conditions": lambda n: nest(n, "(true ? ", " : false)", "true"),
    "minus signs": lambda n: rep(n, "-") + "1 == 1",
    "not signs": lambda n: rep(n, "!") + "true",
    "a long chain of members": lambda n: "object" + rep(n, ".a") + " == 1",
    "a long chain of indexes": lambda n: "object" + rep(n, "['a']") + " == 1",
    "a long list": lambda n: "1 in [%s]" % each(n, "%d"),
    "a long list of dynamic kinds": lambda n: "1 in [%s]" % seq(n, "1,'a',true"),
    "a long map": lambda n: "'a' in {%s}" % each(n, "'k%d':1"),
    "a long map of one key": lambda n: "'a' in {%s}" % seq(n, "'k':1"),
    "deep lists": lambda n: nest(n) + " == 1",
    "deep maps": lambda n: nest(n, "{'a':", "}") + " == 1",
    "deep calls": lambda n: nest(n, "size([", "])") + " == 1",
    "deep lists that are joined": lambda n: seq(n, "[[[]]]", "+") + " == []",
    "a long text": lambda n: "'%s' == ''" % rep(n, "a"),
    "a long text of escapes": lambda n: "'%s' == ''" % rep(n, "\\u0041"),
    "a long raw text": lambda n: "r'''%s''' == ''" % rep(n, "\\"),
    "long bytes": lambda n: "b'%s' == b''" % rep(n, "\\xff"),
    "a number of many digits": lambda n: rep(n, "1") + " == 1",
    "a fraction of many digits": lambda n: "0." + rep(n, "1") + " == 1.0",
    "blanks": lambda n: rep(n, " ") + "true",
    "comments": lambda n: rep(n, "// a\n") + "true",
    "an open text": lambda n: "'" + rep(n, "a"),
    "open parentheses": lambda n: rep(n, "("),
    "open brackets": lambda n: rep(n, "["),
    "what no expression begins with": lambda n: rep(n, "$"),
    "many errors": lambda n: seq(n, "u", "+"),
    "many errors of types": lambda n: seq(n, "(1+'a')", "||"),
    "many unknown calls": lambda n: each(n, "f%d(1)", "||"),
    "macros in macros": lambda n: nest(n, "[1].all(x, ", ")", "true"),
    "macros over macros": lambda n: "[1]" + rep(n, ".map(x, x)") + " == [1]",
    "macros in the range of macros": lambda n: nest(n, "[1].map(x, x)+[", "].map(y, y)", "1") + " == []",
    "presence of many": lambda n: seq(n, "has(object.a.b)", "&&"),
    "optional members": lambda n: "object" + rep(n, ".?a") + " == optional.none()",
    "optional lists": lambda n: "[%s] == []" % seq(n, "?object.?a"),
    "variables of cel.bind": lambda n: nest(n, "cel.bind(x, 1, ", ")", "true"),
    "a long pattern": lambda n: "'a'.matches('%s')" % rep(n, "a?"),
    "a pattern that repeats": lambda n: "'a'.matches('%s')" % nest(n, "(", "{9}){9}", "a"),
    "many patterns": lambda n: each(n, "'a'.matches('^[a-z]{1,900}%d$')", "||"),
    "many quantities": lambda n: seq(n, "quantity('1').isGreaterThan(quantity('2'))", "||"),
    "calls of methods": lambda n: "'a'" + rep(n, ".lowerAscii()") + " == 'a'",
    "an index of an index": lambda n: nest(n, "object[", "]", "'a'") + " == 1",
    "comparisons of dynamic values": lambda n: seq(n, "dyn(1)", "==") + " == true",
    "types": lambda n: nest(n, "type(", ")", "1") + " == type",
    "messages": lambda n: seq(n, "Object{}", "==") + " == true",
}

# Expressions that cost at run time, over an object with many members of data; n is that number of bytes.
RUNNING = {
    "a walk": "object.data.all(k, object.data[k] == 'v')",
    "a walk in a walk": "object.data.all(k, object.data.all(l, k == k))",
    "a walk in a walk in a walk": "object.data.all(k, object.data.all(l, object.data.all(m, true)))",
    "a list that grows": "object.data.map(k, k).map(k, k + 'a').size() > 0",
    "a list of the whole": "object.data.map(k, object.data).size() > 0",
    "a list of lists of lists": "[1,2,3,4,5,6,7,8].map(a, [1,2,3,4,5,6,7,8].map(b, [1,2,3,4,5,6,7,8].map(c, [1,2,3,4,5,6,7,8].map(d, [1,2,3,4,5,6,7,8].map(e, [1,2,3,4,5,6,7,8].map(f, [1,2,3,4,5,6,7,8].map(g, object.data))))))).size() > 0",
    "comparisons of the whole": "object.data.all(k, object.data == object.data)",
    "texts that are joined": "object.data.map(k, k).join(',').size() > 0",
    "texts that are split": "object.data.map(k, k).join(',').split(',').size() > 0",
    "replacements": "object.data.map(k, k).join(',').replace('k', 'kkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkk').replace('k', 'kkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkk').size() > 0",
    "patterns from the object": "object.data.all(k, k.matches('(a|' + k + ')*'))",
    "a pattern of the whole": "'a'.matches(object.data.map(k, k).join('|'))",
    "a pattern over the whole": "!object.data.map(k, k).join(',').matches('(k|[0-9]|,|kk)*z')",
    "findings": "object.data.map(k, k).join(',').findAll('[0-9]').size() > 0",
    "sums": "object.data.map(k, k.size()).sum() > 0",
    "order": "object.data.map(k, k).isSorted() || true",
    "keys that are looked for": "object.data.all(k, k in object.data.map(l, l))",
    "indexes of texts": "object.data.map(k, k).join(',').indexOf('zzz') == -1",
    "formats": "'%s'.format([object.data]).size() > 0",
    "quantities of the keys": "object.data.all(k, !isQuantity(k))",
    "addresses of the keys": "object.data.all(k, !isIP(k) && !isURL(k))",
    "a message of the whole": None,
}


def policies():
    of = lambda rest: post(POLICIES, lambda n: policy(rest(n)))
    for name, expression in EXPRESSIONS.items():
        yield S("policy: " + name, "AC" if name == "a sum" else "C", of(lambda n, e=expression: validation(e(n))), "")
    # A thousand variables are the most that a policy may have; each is compiled against those before it, 0.2 s in all.
    yield S("policy: variables that double", "C", of(lambda n: variables(["'aaaaaaaaaaaaaaaa'"] + [f"variables.v{i} + variables.v{i}" for i in range(n // 60)], "variables.v%d == ''" % (n // 60))), "", 29000)
    yield S("policy: lists of variables that double", "C", of(lambda n: variables(["[1]"] + [f"[variables.v{i}, variables.v{i}]" for i in range(n // 60)], "variables.v%d == []" % (n // 60))), "", 29000)
    yield S("policy: maps of variables that double", "C", of(lambda n: variables(["{'a': 1}"] + [f"{{'a': variables.v{i}, 'b': variables.v{i}}}" for i in range(n // 60)], "variables.v%d == {}" % (n // 60))), "", 29000)
    yield S("policy: many variables, each of the one before", "C", of(lambda n: variables(["1"] + [f"variables.v{i} + 1" for i in range(n // 60)], "variables.v0 == 1")), "")
    yield S("policy: many variables in one expression", "C", of(lambda n: variables(["1"] * (n // 60), seq(n // 3, "variables.v0", "+") + " == 1")), "")
    yield S("policy: variables of one name", "C", of(lambda n: '"variables":[%s],%s' % (seq(n, '{"name":"v","expression":"1"}'), validation("true"))), "")
    yield S("policy: many messages that are expressions", "C", of(lambda n: '"validations":[%s]' % each(n, '{"expression":"true","messageExpression":"\'a%d\'"}')), "")
    yield S("policy: many match conditions", "C", of(lambda n: '"matchConditions":[%s],%s' % (each(n, '{"name":"c%d","expression":"true"}'), validation("true"))), "")
    yield S("policy: many annotations with expressions", "C", of(lambda n: '"auditAnnotations":[%s]' % each(n, '{"key":"k%d","valueExpression":"\'a\' + \'b\'"}')), "")
    yield S("policy: many rules", "C", post(POLICIES, lambda n: policy(validation("true"), '"matchConstraints":{"resourceRules":[%s]}' % each(n, '{"apiGroups":["g%d"],"apiVersions":["v1"],"resources":["r"],"operations":["*"]}'))), "")
    yield S("policy: rules of long lists", "C", post(POLICIES, lambda n: policy(validation("true"), '"matchConstraints":{"resourceRules":[{"apiGroups":%s,"apiVersions":%s,"resources":%s,"operations":["*"]}]}' % (words(n, "g%d"), words(n, "v%d"), words(n, "r%d/s")))), "", 20000)
    yield S("policy: selectors of many requirements", "C", post(POLICIES, lambda n: policy(validation("true"), RULES[:-1] + ',"objectSelector":{"matchExpressions":[%s]}}' % each(n, '{"key":"a%d","operator":"In","values":["b"]}'))), "")
    yield S("binding of many label requirements", "AC", post(BINDINGS, lambda n: binding('"matchResources":{"namespaceSelector":{"matchExpressions":[%s]}}' % each(n, '{"key":"a%d","operator":"In","values":["b"]}'))), "")
    yield S("binding of falling values", "C", post(BINDINGS, lambda n: binding('"matchResources":{"objectSelector":{"matchExpressions":[{"key":"a","operator":"In","values":[%s]}]}}' % falling(n, '"b%d"'))), "")
    yield S("binding of many labels", "C", post(BINDINGS, lambda n: binding('"matchResources":{"objectSelector":{"matchLabels":{%s}}}' % each(n, '"k%d":"v"'))), "")
    yield S("binding of many names", "C", post(BINDINGS, lambda n: binding('"matchResources":{"resourceRules":[{"apiGroups":[""],"apiVersions":["v1"],"resources":["pods"],"operations":["*"],"resourceNames":[%s]}]}' % each(n, '"n%d"'))), "")
    yield S("binding of many parameters", "C", post(BINDINGS, lambda n: binding('"paramRef":{"parameterNotFoundAction":"Allow","selector":{"matchExpressions":[%s]}}' % each(n, '{"key":"a%d","operator":"Exists"}'))), "")
    hook = lambda expression: post(ADMISSION + "validatingwebhookconfigurations", lambda n: obj("admissionregistration.k8s.io/v1", "ValidatingWebhookConfiguration", '"webhooks":[{"name":"a.b.c","sideEffects":"None","admissionReviewVersions":["v1"],'
               '"clientConfig":{"url":"https://a.b"},"rules":[],"matchConditions":[{"name":"c","expression":%s}]}]' % quoted(expression(n))))
    for name in ("a long list", "deep calls", "macros in macros", "many errors", "many patterns", "a conjunction of comparisons"):
        yield S("match condition: " + name, "C", hook(EXPRESSIONS[name]), "")


def enforced():
    """Writes of a user that a policy is held against."""
    undo = (BINDINGS + "/bomb", POLICIES + "/bomb")
    write = post(CM, lambda n: config('"data":{%s}' % each(min(n, 900000), '"k%d":"v"')))

    def held(first_policy, first_binding=lambda n: binding(), then=write, **more):
        before = lambda n: [("DELETE", undo[0], None, None), ("DELETE", undo[1], None, None), ("POST", POLICIES, JSON, first_policy(n)), ("POST", BINDINGS, JSON, first_binding(n))]
        return After(before, then, undo)

    for name, expression in RUNNING.items():
        rest = validation(expression) if expression else '"validations":[{"expression":"false","messageExpression":"string(object.data.size()) + object.data.map(k, k).join(\',\')"}]'
        yield S("held against a policy: " + name, "U", held(lambda n, r=rest: policy(r)), "", 900000)
    yield S("held against a policy: variables that double", "U", held(lambda n: policy(variables(["'aaaaaaaaaaaaaaaa'"] + [f"variables.v{i} + variables.v{i}" for i in range(40)], "variables.v40 == ''"))), "", 100000)
    yield S("held against a policy: lists that double", "U", held(lambda n: policy(variables(["[1]"] + [f"[variables.v{i}, variables.v{i}]" for i in range(60)], "variables.v60 == variables.v60"))), "", 100000)
    yield S("held against a policy: lists that are appended to themselves", "U", held(lambda n: policy(variables(["[1]"] + [f"variables.v{i} + variables.v{i}" for i in range(40)], "variables.v40.size() > 0"))), "", 100000)
    yield S("held against a policy: many validations", "U", held(lambda n: policy('"validations":[%s]' % each(min(n, 200000), '{"expression":"object.data.size() > %d || true"}'))), "", 200000)
    yield S("held against a policy: many failing validations", "U", held(lambda n: policy('"validations":[%s]' % each(min(n, 200000), '{"expression":"object.data.size() < 0 && %d > 0"}'))), "", 200000)
    yield S("held against a policy: many match conditions that fail", "U", held(lambda n: policy('"matchConditions":[{"name":"a","expression":"object.a.b == 1"}],' + validation("true"))), "", 200000)
    yield S("held against a binding of a huge selector", "U", held(lambda n: policy(validation("true")), lambda n: binding('"matchResources":{"objectSelector":{"matchExpressions":[%s]}}' % each(n, '{"key":"a%d","operator":"DoesNotExist"}'))), "201", 1000000)
    yield S("held against a binding of huge values", "U", held(lambda n: policy(validation("true")), lambda n: binding('"matchResources":{"namespaceSelector":{"matchExpressions":[{"key":"a","operator":"NotIn","values":[%s]}]}}' % falling(n, '"b%d"'))), "201", 1000000)
    yield S("many labels held against a huge selector", "U", held(lambda n: policy(validation("true")), lambda n: binding('"matchResources":{"objectSelector":{"matchExpressions":[%s]}}' % each(n, '{"key":"k%d","operator":"Exists"}')),
                                                                post(CM, lambda n: config(meta='"labels":{%s}' % each(n, '"k%d":"v"')))), "201", 1000000)
    deep = lambda n: [("DELETE", undo[0], None, None), ("DELETE", undo[1], None, None), ("POST", POLICIES, JSON, policy(validation("!has(object.spec.anything) || object.spec.anything == object.spec.anything"), RULES.replace('""', '"example.org"').replace("configmaps", "gadgets"))), ("POST", BINDINGS, JSON, binding())]
    yield S("a deep object held against a policy", "N", After(deep, post(GADGETS, lambda n: gadget('"anything":%s' % nest(n))), undo), "", 18000)
    yield S("a wide object held against a policy", "N", After(deep, post(GADGETS, lambda n: gadget('"anything":{%s}' % shuffled(n, '"a%d":1'))), undo), "")


GROUPS = (definitions, instances, policies, enforced)
NAMES = {"definitions": "definitions that are made", "enforced": "enforced policies"}


def table():
    return [(NAMES.get(group.__name__, group.__name__), shape) for group in GROUPS for shape in group()]
