"""Random edits of valid objects, and the patches and configurations that ask for them.

What a field is changed to is mostly what a seed has in the same place, so that most objects stay valid and what is tested is how they
are changed; objects.Changer's edges come in between.
"""
import copy
import json

import objects
from objects import METADATA, TYPES, fields_of

LABELS = ("app", "tier", "a", "example.com/b")
WORDS = ("x", "y", "z", "")
FINALIZERS = ("example.com/a", "example.com/b")
# Where the next value is an edge, and no seed's.
EDGES = 0.06


def is_atomic(field):
    return field.get("listType", "atomic" if field.get("repeated") else None) == "atomic" or field.get("mapType") == "atomic"


def is_object(field):
    """Something with fields of its own, one of it."""
    return field["kind"] == "ref" and not field.get("repeated") and not field.get("map") and bool(fields_of(field["ref"]))


class Seen:
    """What the seeds have, by (type, field)."""

    def __init__(self, seeds):
        self.values = {}
        for seed in seeds:
            self.gather(seed.body, seed.resource["type"])

    def gather(self, x, type_name):
        if not isinstance(x, dict):
            return
        for name, field in fields_of(type_name).items():
            if name not in x or field.get("ref") == METADATA or name in ("apiVersion", "kind"):
                continue
            values = self.values.setdefault((type_name, name), [])
            if x[name] not in values and len(values) < 30:
                values.append(x[name])
            if field["kind"] == "ref":
                inside = x[name]
                below = inside if isinstance(inside, list) else inside.values() if field.get("map") and isinstance(inside, dict) else [inside]
                for value in below:
                    self.gather(value, field["ref"])

    def fields(self, type_name):
        return [name for name in fields_of(type_name) if (type_name, name) in self.values]


class Editor(objects.Changer):
    def __init__(self, seed, seen, words):
        super().__init__(seed, words)
        self.seen = seen

    def chance(self, probability):
        return self.random.random() < probability

    # Values.

    def value(self, type_name, field):
        values = self.seen.values.get((type_name, field["name"]))
        if values and not self.chance(EDGES):
            return copy.deepcopy(self.random.choice(values))
        return self.value_of(field, 3)

    def item(self, type_name, field):
        """One item of a list, or one value of a map."""
        value = self.value(type_name, field)
        if isinstance(value, dict) and field.get("map"):
            value = list(value.values())
        return self.random.choice(value) if isinstance(value, list) and value else self.one(field, 3)

    # Edits in place.

    def edited(self, body, type_name, times=None):
        body = copy.deepcopy(body)
        for _ in range(times or self.random.choices((1, 2, 3), (60, 30, 10))[0]):
            self.edit(body, type_name, True)
        return body

    def edit(self, x, type_name, top=False):
        if not isinstance(x, dict):
            return
        if top and self.chance(0.3):
            return self.edit_metadata(x.setdefault("metadata", {}))
        fields = {k: f for k, f in fields_of(type_name).items() if not (top and k in ("apiVersion", "kind", "metadata", "status"))}
        if not fields:
            return
        there = [k for k in fields if k in x]
        seen = [k for k in self.seen.fields(type_name) if k in fields]
        choices = there if there and self.chance(0.72) else seen if seen and self.chance(0.85) else list(fields)
        self.edit_field(x, type_name, fields[self.random.choice(choices)])

    def edit_field(self, x, type_name, field):
        name = field["name"]
        inside = x.get(name)
        if field.get("ref") == METADATA:
            return self.edit_metadata(x.setdefault(name, {}))
        if isinstance(inside, list) and self.chance(0.9):
            return self.edit_list(inside, type_name, field)
        if isinstance(inside, dict) and field.get("map"):
            return self.edit_map(inside, type_name, field)
        if isinstance(inside, dict) and is_object(field) and self.chance(0.85):
            return self.edit(inside, field["ref"])
        if name in x and self.chance(0.25):
            del x[name]
        else:
            x[name] = self.value(type_name, field)

    def edit_list(self, items, type_name, field):
        how = self.random.choices(("inside", "add", "drop", "order", "again"), (55, 20, 14, 8, 3))[0]
        if how == "inside" and items and field["kind"] == "ref":
            self.edit(self.random.choice(items), field["ref"])
        elif how == "drop" and items:
            items.pop(self.random.randrange(len(items)))
        elif how == "order":
            self.random.shuffle(items)
        elif how == "again" and items:
            items.append(copy.deepcopy(self.random.choice(items)))
        else:
            items.insert(self.random.randint(0, len(items)), copy.deepcopy(self.item(type_name, field)))

    def edit_map(self, entries, type_name, field):
        if entries and self.chance(0.3):
            del entries[self.random.choice(list(entries))]
        else:
            key = self.random.choice(list(entries)) if entries and self.chance(0.5) else self.random.choice(LABELS)
            entries[key] = self.item(type_name, field)

    def edit_metadata(self, meta):
        kind = self.random.choices(("labels", "annotations", "finalizers"), (50, 40, 10))[0]
        if kind == "finalizers":
            meta[kind] = self.random.sample(FINALIZERS, self.random.randint(0, 2))
            return
        entries = meta.setdefault(kind, {})
        if not isinstance(entries, dict):
            return
        if entries and self.chance(0.3):
            del entries[self.random.choice(list(entries))]
        elif self.chance(0.05):
            del meta[kind]
        else:
            entries[self.random.choice(LABELS)] = self.random.choice(WORDS)

    # Parts of an object, as a configuration says them.

    def part(self, x, type_name, keep):
        """Some of an object's fields, and of its lists' items and maps' entries; what identifies them stays."""
        kept = {}
        for name, field in fields_of(type_name).items():
            if name not in x or not self.chance(0.93 if field.get("required") else keep):
                continue
            value = x[name]
            if not is_atomic(field) and isinstance(value, list):
                kept[name] = [self.part_of_item(v, field, keep) for v in value if self.chance(max(keep, 0.6))]
            elif not is_atomic(field) and isinstance(value, dict) and field.get("map"):
                kept[name] = {k: v for k, v in value.items() if self.chance(keep)}
            elif isinstance(value, dict) and is_object(field) and field.get("ref") != METADATA:
                kept[name] = self.part(value, field["ref"], keep)
            else:
                kept[name] = copy.deepcopy(value)
        return kept

    def part_of_item(self, item, field, keep):
        if not isinstance(item, dict) or field["kind"] != "ref":
            return copy.deepcopy(item)
        part = self.part(item, field["ref"], keep)
        for key in field.get("listMapKeys", ()):
            if key in item and not (key in fields_of(field["ref"]) and fields_of(field["ref"])[key].get("default") and self.chance(0.3)):
                part[key] = item[key]
        return part

    def without_some(self, x):
        """Drops something, anywhere."""
        places = [(parent, key) for parent, key in places_of(x) if key not in ("apiVersion", "kind", "name", "metadata")]
        if places:
            parent, key = self.random.choice(places)
            del parent[key]
        return x

    def with_junk(self, x):
        """Nulls, empty values, values of another type, fields that nobody knows."""
        places = [(parent, key) for parent, key in places_of(x) if key not in ("apiVersion", "kind", "name", "metadata")]
        if places:
            parent, key = self.random.choice(places)
            if isinstance(parent, dict) and self.chance(0.15):
                parent["unknownField"] = 1
            else:
                parent[key] = self.random.choice((None, None, {}, [], "", 0, "x", 5, True, ["x"], {"a": "b"}, 1.5))
        return x

    # Patches.

    def merge_patch(self, old, new):
        """What changes `old` to `new` as RFC 7386 says it."""
        patch = {k: None for k in old if k not in new}
        for key, value in new.items():
            if key in old and isinstance(value, dict) and isinstance(old[key], dict):
                below = self.merge_patch(old[key], value)
                if below:
                    patch[key] = below
            elif key not in old or old[key] != value:
                patch[key] = value
        return patch

    def json_patch(self, old, new):
        operations = differences(old, new)
        if self.chance(0.3):
            operations = [{"op": "test", "path": o["path"], "value": at(old, o["path"])} for o in operations if o["op"] == "replace"] + operations
        if self.chance(0.15):
            paths = [p for p, _ in paths_of(old) if not p.startswith("/metadata/")]
            target = self.random.choice(("/metadata/labels", "/metadata/annotations/x", "/spec/x", "/metadata/labels/x"))
            if paths:
                source = self.random.choice(paths)
                target = self.random.choice((target, self.random.choice(paths)))
                operations.append({"op": self.random.choice(("move", "copy")), "from": source, "path": target})
        return operations

    def strategic_patch(self, old, new, type_name):
        """As kubectl makes it, and at times with directives that it makes seldom."""
        patch = {k: None for k in old if k not in new}
        fields = fields_of(type_name)
        for key, value in new.items():
            before, field = old.get(key), fields.get(key, {"kind": ""})
            if key in old and before == value:
                continue
            if isinstance(value, dict) and isinstance(before, dict):
                patch[key] = self.strategic_patch(before, value, field["ref"] if is_object(field) else "") if not field.get("map") else self.merge_patch(before, value)
                if self.chance(0.06):
                    patch[key]["$patch"] = self.random.choice(("replace", "merge", "delete", "other"))
                if "retainKeys" in field.get("patchStrategy", ()):
                    patch[key]["$retainKeys"] = list(value)
            elif isinstance(value, list) and isinstance(before, list) and "merge" in field.get("patchStrategy", ()):
                self.strategic_list(patch, key, before, value, field)
            else:
                patch[key] = value
        return patch

    def strategic_list(self, patch, key, old, new, field):
        name = field.get("patchMergeKey")
        if not name or any(not isinstance(v, dict) for v in (*old, *new)):
            gone = [v for v in old if v not in new]
            patch[key] = [v for v in new if v not in old]
            if gone:
                patch["$deleteFromPrimitiveList/" + key] = gone
            if self.chance(0.5):
                patch["$setElementOrder/" + key] = new
            return
        before = {json.dumps(v.get(name)): v for v in old}
        items = []
        for value in new:
            other = before.pop(json.dumps(value.get(name)), None)
            if other is None:
                items.append(value)
            elif other != value:
                item = self.strategic_patch(other, value, field["ref"])
                items.append({**({name: value[name]} if name in value else {}), **item})
        items += [{"$patch": "delete", name: value.get(name)} for value in before.values()]
        if self.chance(0.05):
            items.append({"$patch": "replace"})
        patch[key] = items
        if self.chance(0.5):
            patch["$setElementOrder/" + key] = [{name: v[name]} for v in new if name in v]


def places_of(x):
    """(parent, key) of everything in a document."""
    if isinstance(x, dict):
        for key, value in x.items():
            yield x, key
            yield from places_of(value)
    elif isinstance(x, list):
        for number, value in enumerate(x):
            yield x, number
            yield from places_of(value)


def escaped(key):
    return str(key).replace("~", "~0").replace("/", "~1")


def paths_of(x, path=""):
    """(JSON pointer, value) of everything below a document."""
    pairs = x.items() if isinstance(x, dict) else enumerate(x) if isinstance(x, list) else ()
    for key, value in pairs:
        here = f"{path}/{escaped(key)}"
        yield here, value
        yield from paths_of(value, here)


def differences(old, new, path=""):
    """A JSON patch that makes `new` of `old`."""
    if isinstance(old, dict) and isinstance(new, dict):
        operations = [{"op": "remove", "path": f"{path}/{escaped(k)}"} for k in old if k not in new]
        for key, value in new.items():
            here = f"{path}/{escaped(key)}"
            operations += differences(old[key], value, here) if key in old else [{"op": "add", "path": here, "value": value}]
        return operations
    if isinstance(old, list) and isinstance(new, list) and len(old) == len(new):
        return [o for i, (a, b) in enumerate(zip(old, new)) for o in differences(a, b, f"{path}/{i}")]
    if isinstance(old, list) and isinstance(new, list) and new[:len(old)] == old:
        return [{"op": "add", "path": path + "/-", "value": v} for v in new[len(old):]]
    return [] if old == new and type(old) is type(new) else [{"op": "replace", "path": path, "value": new}]


def parts(path):
    return [p.replace("~1", "/").replace("~0", "~") for p in path.split("/")[1:]]


def at(x, path):
    for part in parts(path):
        x = x[int(part)] if isinstance(x, list) else x[part]
    return x


def patched(x, operations):
    """`x` with the operations of `differences`, which may have been made for another object of its form: KeyError, IndexError where they do not fit."""
    for o in operations:
        *above, last = parts(o["path"])
        parent = at(x, "".join("/" + escaped(p) for p in above))
        if isinstance(parent, list):
            if last == "-":
                parent.append(o["value"])
            else:
                parent[int(last)] = o["value"]
        elif o["op"] == "remove":
            del parent[last]
        else:
            parent[last] = o["value"]
    return x
