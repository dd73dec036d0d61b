"""Random objects of the built-in types: valid ones, taken from what the conversations create, with one field or several changed.

What a field is changed to depends on its type in data/api/types.json: edges of numbers, forms that names and quantities have and have
not, the enumerated words, values that a field of that name has elsewhere, items repeated or left out, whole substructures that are new.
"""
import copy
import functools
import json
import pathlib
import random
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
sys.path.insert(0, str(ROOT / "tests/wire"))
import conversations
import edges

TYPES = json.loads((ROOT / "data/api/types.json").read_text())["types"]
RESOURCES = json.loads((ROOT / "data/api/resources.json").read_text())["resources"]
TOPICS = ("resources-platform", "resources-workloads", "validation-core", "validation-policy-types", "writes", "reads")
OBJECTS = [{}, {"a": 1}, {"apiVersion": "v1", "kind": "A"}, [], None, 1, "a", {"a": {"b": [1.5, None, "x"]}}]
METADATA = "io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta"
DEPTH = 6
# How often a value is of another kind than its field, and an integer one that no int32 holds.
WRONG = 0.012


class Seed:
    """A valid object, and where it is created."""

    def __init__(self, resource, body):
        self.resource, self.body = resource, body
        self.body.get("metadata", {}).pop("namespace", None)

    def path(self, namespace):
        r = self.resource
        root = "/api/v1" if not r["group"] else f"/apis/{r['group']}/{r['version']}"
        return root + (f"/namespaces/{namespace}" if r["namespaced"] else "") + "/" + r["resource"]


def fields_of(type_name):
    """Of a type, those of its inlined parts among them."""
    found = {}
    for field in TYPES.get(type_name, {}).get("fields", ()):
        if field.get("inline"):
            found.update(fields_of(field["ref"]))
        elif not field.get("wireOnly"):
            found[field["name"]] = field
    return found


@functools.cache
def ways_of(type_name, above=()):
    """The fields that lead to each field of a type and of the types inside it, metadata aside; a type that is inside itself counts once."""
    ways = []
    for name, field in fields_of(type_name).items():
        if name in ("apiVersion", "kind", "metadata") and not above:
            continue
        ways.append((field,))
        ref = field.get("ref")
        if field["kind"] == "ref" and ref not in above and ref != type_name and ref != METADATA:
            ways += [(field, *way) for way in ways_of(ref, (*above, type_name))]
    return ways


# Kinds whose objects change what a server serves.
DEFINITIONS = ("namespaces", "customresourcedefinitions", "apiservices")


def seeds(with_definitions=False):
    """What the conversations create with success, and objects of the kinds they leave out (seeds.jsonl), each form once."""
    by_place = {(r["group"], r["version"], r["resource"]): r for r in RESOURCES}
    found = {}
    for topic in TOPICS:
        for conversation in conversations.read(conversations.FOLDER / f"{topic}.jsonl"):
            for step in conversation["steps"]:
                if step.get("method") != "POST" or step.get("expect", {}).get("status") != 201 or not isinstance(step.get("body"), dict):
                    continue
                path = step["path"].split("?")[0].strip("/").split("/")
                group, version = ("", path[1]) if path[0] == "api" else (path[1], path[2])
                resource = by_place.get((group, version, path[-1]))
                if not resource or not resource.get("storage") or (resource["resource"] in DEFINITIONS and not with_definitions):
                    continue
                body = re.sub(r"\$\{ns\}", "x", re.sub(r"\$\{[^}]*\}", "x", json.dumps(step["body"])))
                found.setdefault((resource["group"], resource["version"], resource["resource"], shape(json.loads(body))), Seed(resource, json.loads(body)))
    for line in (pathlib.Path(__file__).parent / "seeds.jsonl").read_text().splitlines():
        body = json.loads(line)
        group, _, version = body["apiVersion"].rpartition("/")
        resource = next(r for r in RESOURCES if (r["group"], r["version"], r.get("kind")) == (group, version, body["kind"]))
        found.setdefault((group, version, resource["resource"], shape(body)), Seed(resource, body))
    return list(found.values())


def shape(x):
    """Objects with the same fields are one form."""
    if isinstance(x, dict):
        return "{" + ",".join(f"{k}:{shape(v)}" for k, v in sorted(x.items()) if k not in ("metadata",)) + "}"
    if isinstance(x, list):
        return "[" + ",".join(sorted({shape(v) for v in x})) + "]"
    return type(x).__name__


class Words:
    """The texts that fields have in the seeds and in what was refused, by the field's name; the parts of the seeds by their type."""

    def __init__(self):
        self.by_name, self.by_type = {}, {}
        for seed in seeds():
            self.gather_parts(seed.body, seed.resource["type"])
        for topic in TOPICS:
            for conversation in conversations.read(conversations.FOLDER / f"{topic}.jsonl"):
                for step in conversation["steps"]:
                    self.gather(step.get("body"), "")

    def gather(self, x, name):
        if isinstance(x, dict):
            for key, value in x.items():
                self.gather(value, key)
        elif isinstance(x, list):
            for value in x:
                self.gather(value, name)
        elif isinstance(x, str) and "${" not in x and len(x) < 300:
            words = self.by_name.setdefault(name, [])
            if x not in words:
                words.append(x)

    def gather_parts(self, x, type_name):
        if not isinstance(x, dict):
            return
        parts = self.by_type.setdefault(type_name, [])
        if x not in parts and len(parts) < 60:
            parts.append(x)
        for name, field in fields_of(type_name).items():
            if field["kind"] == "ref" and field.get("ref") != METADATA and name in x:
                for inside in x[name] if isinstance(x[name], list) else x[name].values() if field.get("map") and isinstance(x[name], dict) else [x[name]]:
                    self.gather_parts(inside, field["ref"])


class Changer:
    def __init__(self, seed, words=None):
        self.random, self.words = random.Random(seed), words or Words()

    def pick(self, bases):
        """Of {resource: forms}: resources with many forms more often, but not by as much."""
        names = list(bases)
        name = self.random.choices(names, [len(bases[n]) ** 0.5 for n in names])[0]
        return self.random.choice(bases[name])

    def changed(self, body, type_name):
        """A copy with one field changed, seldom up to three."""
        body = copy.deepcopy(body)
        for _ in range(self.random.choices((1, 2, 3), (70, 20, 10))[0]):
            self.change(body, type_name, 0)
        return body

    def changed_anyhow(self, body, type_name):
        """A copy changed in either way."""
        changed = (self.changed if self.random.random() < 0.55 else self.changed_deeply)(body, type_name)
        try:
            return json.loads(json.dumps(changed))  # nothing in two places
        except ValueError:  # something inside itself
            return copy.deepcopy(body)

    def changed_deeply(self, body, type_name):
        """A copy with one field changed that is chosen among all that the type has anywhere, and what leads to it made where it is not there."""
        body = copy.deepcopy(body)
        *way, last = self.random.choice(ways_of(type_name))
        x = body
        for field in way:
            made = lambda: self.object_of(field["ref"], 2)
            inside = x.get(field["name"])
            if field.get("repeated"):
                inside = x[field["name"]] = inside if isinstance(inside, list) and inside else [made()]
                x = self.random.choice(inside)
            elif field.get("map"):
                inside = x[field["name"]] = inside if isinstance(inside, dict) and inside else {self.random.choice(edges.KEYS): made()}
                x = self.random.choice(list(inside.values()))
            else:
                x = x[field["name"]] = inside if isinstance(inside, dict) else made()
            if not isinstance(x, dict):
                return body
        if last["name"] in x and self.random.random() < 0.2:
            del x[last["name"]]
        else:
            x[last["name"]] = self.value_of(last, 2, x.get(last["name"]))
        return body

    def change(self, x, type_name, depth):
        """Goes down to a field, those that are there first, and changes it."""
        fields = {k: f for k, f in fields_of(type_name).items() if k not in ("apiVersion", "kind") and not (depth == 0 and k == "status")}
        if not fields or not isinstance(x, dict):
            return
        there = [k for k in fields if k in x]
        if depth == 0:
            there = [k for k in there if k != "metadata" or self.random.random() < 0.1]
        name = self.random.choice(there if there and self.random.random() < 0.75 else list(fields))
        if depth == 0 and name == "metadata" and "metadata" not in there:
            return
        field = fields[name]
        inside = x.get(name)
        if field["kind"] == "ref" and inside and isinstance(inside, (dict, list)) and self.random.random() < 0.85 and field.get("ref") != METADATA:
            if isinstance(inside, list):
                return self.change_list(inside, field, depth)
            if field.get("map"):
                inside = inside[self.random.choice(list(inside))]
            return self.change(inside, field["ref"], depth + 1)
        if field.get("ref") == METADATA:
            if not isinstance(inside, dict):
                x[name] = {}
            return self.change_metadata(x[name])
        if name in x and self.random.random() < 0.25:
            del x[name]
        else:
            x[name] = self.value_of(field, depth, x.get(name))

    def change_metadata(self, meta):
        pick, how = self.random.choice, self.random.random()
        if how < 0.2:
            name, values = pick(edges.METADATA)
            meta[name] = copy.deepcopy(pick(values))
        elif how < 0.3:
            meta["finalizers"] = [pick(edges.KEYS)]
        else:
            kind, known = pick((("labels", edges.LABELS), ("annotations", edges.ANNOTATIONS)))
            entries = meta[kind] = meta[kind] if isinstance(meta.get(kind), dict) else {}
            key = pick(list(known)) if how < 0.65 else pick(edges.KEYS)
            entries[key] = pick(known.get(key, edges.STRINGS))

    def change_list(self, items, field, depth):
        how = self.random.random()
        if how < 0.14:
            items.append(copy.deepcopy(self.random.choice(items)))
            if how > 0.07:  # the same but for something
                self.change(items[-1], field["ref"], depth + 1)
        elif how < 0.2:
            items.pop(self.random.randrange(len(items)))
        elif how < 0.28:
            items.insert(self.random.randrange(len(items) + 1), self.object_of(field["ref"], depth + 1))
        elif how < 0.3:
            self.random.shuffle(items)
        else:
            self.change(self.random.choice(items), field["ref"], depth + 1)

    def value_of(self, field, depth, old=None):
        if field.get("repeated"):
            if isinstance(old, list) and old and self.random.random() < 0.4:
                return old + [self.random.choice(old)] if self.random.random() < 0.5 else old[1:]
            return [self.one(field, depth) for _ in range(self.random.choice((0, 1, 1, 2)))]
        if field.get("map"):
            return {**(old if isinstance(old, dict) else {}), self.random.choice(edges.KEYS): self.one(field, depth)}
        return self.one(field, depth)

    def one(self, field, depth):
        kind, pick = field["kind"], self.random.choice
        if kind == "ref":
            return self.object_of(field["ref"], depth + 1) if self.random.random() > WRONG else pick((None, [], "", 1))
        if kind == "string":
            return self.text_of(field)
        if kind in ("int32", "int64"):
            if self.random.random() < WRONG * 2:
                return pick(edges.NOT_INTEGERS)
            if edges.PORT_FIELD.search(field["name"]) and self.random.random() < 0.7:
                return pick(edges.PORTS)
            return pick(edges.WIDE if kind == "int64" else edges.INTEGERS)
        if kind == "time" or kind == "microTime":
            text = pick(edges.TIMES if self.random.random() > WRONG * 4 else edges.BAD_TIMES)
            return text[:-1] + ".000001Z" if kind == "microTime" and text and text in edges.TIMES[:3] else text
        simple = {"bool": lambda: pick((True, False)) if self.random.random() > WRONG else pick(("true", 1, None)), "quantity": lambda: pick(edges.QUANTITIES), "intOrString": lambda: pick(edges.INTEGERS + edges.PERCENTS),
                  "bytes": lambda: pick(edges.BYTES), "double": lambda: pick(edges.DOUBLES), "stringList": lambda: [pick(edges.STRINGS)], "rawExtension": lambda: copy.deepcopy(pick(OBJECTS)), "json": lambda: copy.deepcopy(pick(OBJECTS))}
        return simple[kind]() if kind in simple else {}

    def text_of(self, field):
        pick, how = self.random.choice, self.random.random()
        if how < WRONG:
            return pick(edges.NOT_TEXTS)
        enum, known, edge = field.get("enum"), self.words.by_name.get(field["name"]), edges.by_name(field["name"])
        if enum and how < 0.7:
            return pick(enum)
        if edge and how < 0.5:
            return pick(edge)
        return pick(known) if known and how < 0.8 else pick(edges.STRINGS)

    def object_of(self, type_name, depth):
        """A new one: what is required, and a few fields more."""
        if depth > DEPTH:
            return {}
        known = self.words.by_type.get(type_name)
        if known and self.random.random() < 0.5:
            part = copy.deepcopy(self.random.choice(known))
            if self.random.random() < 0.3:
                self.change(part, type_name, max(depth, 1))
            return part
        fields = fields_of(type_name)
        chosen = [f for f in fields.values() if f.get("required") and self.random.random() < 0.9]
        others = [f for f in fields.values() if not f.get("required")]
        chosen += self.random.sample(others, min(len(others), self.random.choice((0, 1, 1, 2))))
        return {f["name"]: self.value_of(f, depth) for f in chosen}
