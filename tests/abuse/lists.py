"""Shapes made of data/api: every list and every map of every built-in type, long, in an object that is valid otherwise.

A field counts once for the type that it belongs to, in the first kind that has it (a container's lists in a pod, not again in a deployment). The
objects are the seeds of tests/reference/objects.py.
"""
import copy
import functools
import json
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "reference"))
import building
import objects
import shapes

PLACE = "@sweep@"   # where the items go in the object's text
NUMBER = "@number@"
DEPTH = 2           # of what a new item holds
APPLIED = building.APPLY
TEXTS = {"ip": "10.1.1.1", "apiGroup": "rbac.authorization.k8s.io", "key": "k" + NUMBER, "path": "p" + NUMBER, "mountPath": "/m" + NUMBER, "topologyKey": "t" + NUMBER, "operator": "Exists", "protocol": "TCP"}


def item(field, depth=DEPTH):
    """A value of the field's kind; what tells items from each other has NUMBER in it."""
    kind = field["kind"]
    if field.get("enum"):
        return field["enum"][0]
    if kind in ("int32", "int64"):
        return {NUMBER: 1}  # a number, written without quotes below
    if kind == "ref":
        if objects.TYPES.get(field["ref"], {}).get("special"):
            return "1"
        known = objects.fields_of(field["ref"])
        names = [n for n, f in known.items() if depth and (f.get("required") or n in ("name", "key", "type", "kind", "uid", "port") or n in field.get("listMapKeys", ())) and f["kind"] != "any"]
        made = {}
        for name in names[:6]:
            inner = known[name]
            value = item(inner, depth - 1) if inner["kind"] == "ref" or name not in TEXTS else TEXTS[name]
            made[name] = {"k": value} if inner.get("map") else [value] if inner.get("repeated") else value
        return made
    return {"bool": True, "double": 1.5, "bytes": "AAAA", "quantity": "1", "intOrString": 1, "time": "2024-01-01T00:00:00Z", "microTime": "2024-01-01T00:00:00.000000Z", "duration": "1s", "stringList": ["a"], "any": {},
            "fieldsV1": {}, "json": {}, "rawExtension": {}}.get(kind, "a" + NUMBER)


def placed(body, way):
    """The object's text with PLACE in the list or map at the end of the way, and what was there as items; None where there is no such place in it."""
    body, at = copy.deepcopy(body), None
    at = body
    for field in way[:-1]:
        name = field["name"]
        inside = at.get(name) if isinstance(at, dict) else None
        if field.get("map"):
            inside = next(iter(inside.values())) if inside else None
        elif field.get("repeated"):
            inside = inside[0] if inside else None
        if not isinstance(inside, dict):
            inside = {}
            for known, inner in objects.fields_of(field["ref"]).items():
                if inner.get("required") and not inner.get("repeated") and not inner.get("map"):
                    inside[known] = item(inner, 1)
            at[name] = {"k": inside} if field.get("map") else [inside] if field.get("repeated") else inside
        at = inside
    last = way[-1]
    there = at.get(last["name"])
    at[last["name"]] = {PLACE: 0} if last.get("map") else [PLACE]
    return body, there


def text_of(value):
    return json.dumps(value).replace('{"%s": 1}' % NUMBER, NUMBER).replace("%", "%%").replace(NUMBER, "%d")


def form_of(last, there):
    """Of one item, with %d."""
    if last.get("map"):
        return '"k%d":' + text_of(item(last)).replace("%d", "1")
    if isinstance(there, list) and there and isinstance(there[0], dict) and isinstance(there[0].get("name"), str):
        return text_of({**there[0], "name": "n" + NUMBER})
    form = text_of(item(last))
    return form if "%d" in form else form + " " * 0


def made(resource, body, way, applied):
    template, there = placed(body, way)
    text = json.dumps(template).replace(NUMBER, "1").replace('{"%s": 1}' % "1", "1")
    mark = '"%s": 0' % PLACE if way[-1].get("map") else '"%s"' % PLACE
    before, _, after = text.partition(mark)
    form = form_of(way[-1], there)

    def long(n):
        return before + (building.each(n, form) if "%d" in form else building.seq(n, form.replace("%%", "%"))) + after

    seed = objects.Seed(resource, body)
    path = seed.path("sweep")
    if applied:
        return building.apply(path + "/" + body["metadata"].get("name", "x"), long)
    return building.post(path, long)


@functools.cache
def places():
    """(resource, body, way) of each list and map."""
    found, bodies = {}, {}
    for seed in objects.seeds(with_definitions=True):
        bodies.setdefault((seed.resource["group"], seed.resource["resource"]), seed)
    # Bare pods first: what other kinds hold of them is theirs.
    for _, seed in sorted(bodies.items(), key=lambda pair: (pair[0][1] != "pods", pair[0])):
        for way in sorted(objects.ways_of(seed.resource["type"]), key=len):
            last = way[-1]
            if not last.get("repeated") and not last.get("map") or way[0]["name"] == "status":
                continue
            owner = way[-2]["ref"] if len(way) > 1 else seed.resource["type"]
            found.setdefault((owner, last["name"]), (seed.resource, seed.body, way))
    return list(found.values())


def name_of(resource, way):
    return resource["resource"] + "".join("." + f["name"] + ("[]" if f.get("repeated") else "{}" if f.get("map") else "") for f in way)


def table(full):
    users = "AUNC" if full else "C"
    found = [shapes.S(name_of(r, way), users, made(r, body, way, False), "") for r, body, way in places()]
    if full:
        found += [shapes.S(name_of(r, way) + ", applied", users, made(r, body, way, True), "") for r, body, way in places()]
    return found
