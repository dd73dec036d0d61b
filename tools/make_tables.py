#!/usr/bin/env python3
"""Compile the API facts of data/api into constant C++ tables (run by CMake; the output is never in git).

  make_tables.py types OUT.cc       types.json, go_types.json and go_names.json -> schema::tables (src/schema/tables.h)
  make_tables.py resources OUT.cc   resources.json -> resources::rows (src/resources/builtin_rows.h)
"""
import json
import pathlib
import sys

DATA = pathlib.Path(__file__).resolve().parent.parent / "data/api"
MASK = (1 << 64) - 1

KINDS = {
    "string": "kString", "int32": "kInt32", "int64": "kInt64", "bool": "kBool", "double": "kDouble", "bytes": "kBytes",
    "ref": "kRef", "quantity": "kQuantity", "intOrString": "kIntOrString", "time": "kTime", "microTime": "kMicroTime",
    "duration": "kDuration", "rawExtension": "kRawExtension", "fieldsV1": "kFieldsV1", "json": "kJson",
    "stringList": "kStringList", "any": "kAny",
}
SPECIALS = {
    "quantity": "kQuantity", "intOrString": "kIntOrString", "time": "kTime", "microTime": "kMicroTime",
    "duration": "kDuration", "rawExtension": "kRawExtension", "fieldsV1": "kFieldsV1", "json": "kJson",
    "stringList": "kStringList", "unknown": "kUnknown", "jsonSchemaPropsOrArray": "kSchemaOrArray",
    "jsonSchemaPropsOrBool": "kSchemaOrBool", "jsonSchemaPropsOrStringArray": "kSchemaOrStringArray",
}
# Kept as JSON, not in the wire form, by the API's reference.
STORED_AS_JSON = {("apiextensions.k8s.io", "CustomResourceDefinition"), ("apiregistration.k8s.io", "APIService")}


def text(s):
    return json.dumps(s, ensure_ascii=True) + "sv"


def name_hash(name):
    """As schema::NameHash."""
    data = name.encode()
    h = len(data) * 0x9E3779B97F4A7C15 & MASK
    for at in range(0, len(data), 8):
        h = (h ^ int.from_bytes(data[at:at + 8], "little")) * 0xD6E8FEB86659FD93 & MASK
        h ^= h >> 32
    return h


class Pool:
    """One array that many spans point into; equal runs are shared."""

    def __init__(self, name, element, render=str):
        self.name, self.element, self.render = name, element, render
        self.items, self.known = [], {}

    def span(self, values):
        values = tuple(values)
        if not values:
            return "{}"
        at = self.known.get(values)
        if at is None:
            at = self.known[values] = len(self.items)
            self.items += values
        return f"{{&{self.name}[{at}], {len(values)}}}"

    def declaration(self):
        return f"extern const {self.element} {self.name}[{max(1, len(self.items))}];"

    def definition(self):
        body, line = [], ""
        for item in self.items:
            piece = self.render(item) + ", "
            if len(line) + len(piece) > 110:
                body.append("    " + line.rstrip())
                line = ""
            line += piece
        body.append("    " + line.rstrip())
        return f"constinit const {self.element} {self.name}[{max(1, len(self.items))}] = {{\n" + "\n".join(body) + "\n};"


class Types:
    def __init__(self):
        self.types = json.loads((DATA / "types.json").read_text())["types"]
        self.go_types = json.loads((DATA / "go_types.json").read_text())["types"]
        self.go_names = json.loads((DATA / "go_names.json").read_text())["types"]
        resources = json.loads((DATA / "resources.json").read_text())["resources"]
        self.stored = {r["type"] for r in resources if r["storage"] and (r["group"], r["kind"]) not in STORED_AS_JSON}
        self.names = sorted(self.types)
        self.index = {name: i for i, name in enumerate(self.names)}
        self.first_field = {}
        at = 0
        for name in self.names:
            self.first_field[name] = at
            at += len(self.types[name]["fields"])
        self.field_count = at
        self.strings = Pool("kStrings", "std::string_view", text)
        self.slots = Pool("kSlots", "uint16_t")
        self.wires = Pool("kWires", "uint8_t")
        self.members = Pool("kMembers", "Field*", lambda i: f"&kFields[{i}]")
        self.members.element = "Field* const"
        self.unions = Pool("kUnions", "Union")
        self.union_members = Pool("kUnionMembers", "Union::Member", lambda m: f"{{{text(m[0])}, {text(m[1])}}}")

    def field(self, owner, f, place):
        parts = []

        def put(key, value):
            parts.append(f".{key} = {value}")

        if "name" in f:
            put("name", text(f["name"]))
        if "ref" in f:
            put("ref", f"&kTypes[{self.index[f['ref']]}]")
        if "proto" in f:
            put("wire", f["proto"])
        if place:
            put("place", place)
        put("kind", "FieldKind::" + KINDS[f["kind"]])
        if f.get("repeated"):
            put("shape", "Shape::kList")
        elif f.get("map"):
            put("shape", "Shape::kMap")
        list_type = f.get("listType") or f.get("listTypeIgnored")
        if list_type and list_type != "atomic":
            put("list_type", {"set": "ListType::kSet", "map": "ListType::kMap"}[list_type])
        flags = [("is_inline", "inline" in f), ("pointer", f.get("pointer")), ("omitempty", f.get("omitempty")),
                 ("required", f.get("required")), ("wire_only", f.get("wireOnly")),
                 ("map_atomic", f.get("mapType") == "atomic"), ("map_granular", f.get("mapType") == "granular"),
                 ("list_type_declared", list_type), ("union_discriminator", f.get("unionDiscriminator"))]
        flags += [(flag, key in f.get("patchStrategy", ())) for flag, key in
                  (("patch_merge", "merge"), ("patch_replace", "replace"), ("patch_retain_keys", "retainKeys"))]
        for flag, on in flags:
            if on:
                put(flag, "true")
        if "patchMergeKey" in f:
            put("patch_merge_key", text(f["patchMergeKey"]))
        if "listMapKeys" in f:
            put("list_map_keys", self.strings.span(f["listMapKeys"]))
        if "enum" in f:
            put("enum_values", self.strings.span(f["enum"]))
        if "default" in f:
            put("default_json", text(json.dumps(f["default"], separators=(",", ":"))))
        if "format" in f:
            put("format", text(f["format"]))
        go_type = self.go_types.get(owner, {}).get(f.get("name"))
        if go_type:
            put("go_type", text(go_type))
        return "{" + ", ".join(parts) + "}"

    def places(self, name):
        """Of each field, its place among the members of the JSON object."""
        at = 0
        for f in self.types[name]["fields"]:
            yield at
            at += len(list(self.flat(f["ref"]))) if "inline" in f else not f.get("wireOnly")

    def flat(self, name):
        """Indexes into kFields of the members of the JSON object."""
        for i, f in enumerate(self.types[name]["fields"]):
            if "inline" in f:
                yield from self.flat(f["ref"])
            elif not f.get("wireOnly"):
                yield self.first_field[name] + i

    def type(self, name, field_names):
        t = self.types[name]
        fields = t["fields"]
        flat = list(self.flat(name))
        size = 2
        while size < 2 * len(flat):
            size *= 2
        slots = [0] * size
        for i, member in enumerate(flat):
            at = name_hash(field_names[member]) % size
            while slots[at]:
                at = (at + 1) % size
            slots[at] = i + 1
        wires = [0] * (max((f.get("proto", 0) for f in fields), default=0) + 1)
        for i, f in enumerate(fields):
            if "proto" in f:
                wires[f["proto"]] = i + 1
        go_name = ".".join(name.split(".")[-2:])
        parts = [f".name = {text(name)}", f".go_name = {text(go_name)}"]
        if "special" in t:
            parts.append(f".special = Special::{SPECIALS[t['special']]}")
        for flag, on in (("map_atomic", t.get("mapType") == "atomic"), ("has_wire", "proto" in t),
                         ("in_openapi", t.get("openapi")), ("stored_as_wire", name in self.stored)):
            if on:
                parts.append(f".{flag} = true")
        gvk = t.get("gvk") or ([t["group"], t["version"], t["gvkAny"]] if "gvkAny" in t else None)
        if gvk:
            parts.append(".gvk = {" + ", ".join(map(text, gvk)) + "}")
        if fields:
            parts.append(f".fields = {{&kFields[{self.first_field[name]}], {len(fields)}}}")
        if "unions" in t:
            unions = [f"{{{text(u['discriminator'])}, " +
                      self.union_members.span((f, u["values"][f]) for f in u["fields"]) + "}" for u in t["unions"]]
            parts.append(".unions = " + self.unions.span(unions))
        parts.append(".members = " + self.members.span(flat))
        if flat:
            parts.append(".slots = " + self.slots.span(slots))
        parts.append(".by_wire = " + self.wires.span(wires))
        return "{" + ", ".join(parts) + "}"

    def spelt(self):
        """(index into kFields, Go name) of the fields that go_names.json has, sorted."""
        for name in self.names:
            known = dict(self.go_names.get(name, {}))
            for i, f in enumerate(self.types[name]["fields"]):
                if f.get("name") in known:
                    yield self.first_field[name] + i, known.pop(f["name"])
            if known:
                sys.exit(f"go_names.json: {name} has no fields {', '.join(known)}")

    def kinds(self):
        """(group, version, kind, type index), sorted; and the kinds of every group version."""
        fixed = sorted((*t["gvk"], self.index[n]) for n, t in self.types.items() if "gvk" in t)
        everywhere = sorted((t["gvkAny"], self.index[n]) for n, t in self.types.items() if "gvkAny" in t)
        return fixed, everywhere

    def render(self):
        field_names = [f.get("name", "") for n in self.names for f in self.types[n]["fields"]]
        fields = ["    " + self.field(n, f, place) + "," for n in self.names
                  for f, place in zip(self.types[n]["fields"], self.places(n))]
        types = ["    " + self.type(n, field_names) + "," for n in self.names]
        fixed, everywhere = self.kinds()
        pools = [self.strings, self.slots, self.wires, self.members, self.union_members, self.unions]
        out = ["// Made by tools/make_tables.py from data/api. Not for editing.", '#include "schema/tables.h"', "",
               "namespace schema::tables {", "using namespace std::string_view_literals;", ""]
        out += [f"extern const Field kFields[{self.field_count}];", f"extern const Type kTypes[{len(types)}];"]
        out += [p.declaration() for p in pools]
        out += [p.definition() for p in pools]
        out += [f"constinit const Field kFields[{self.field_count}] = {{", *fields, "};"]
        out += [f"constinit const Type kTypes[{len(types)}] = {{", *types, "};"]
        out += [f"constinit const Kind kKinds[{len(fixed)}] = {{"]
        out += [f"    {{{text(g)}, {text(v)}, {text(k)}, {i}}}," for g, v, k, i in fixed] + ["};"]
        out += [f"constinit const Kind kKindsEverywhere[{len(everywhere)}] = {{"]
        out += [f"    {{{text('')}, {text('')}, {text(k)}, {i}}}," for k, i in everywhere] + ["};", ""]
        spelt = list(self.spelt())
        out += [f"constinit const GoName kGoNames[{len(spelt)}] = {{"]
        out += [f"    {{{i}, {text(name)}}}," for i, name in spelt] + ["};", ""]
        for function, array, element in (("Types", "kTypes", "Type"), ("Fields", "kFields", "Field"), ("GoNames", "kGoNames", "GoName"),
                                         ("Kinds", "kKinds", "Kind"), ("KindsEverywhere", "kKindsEverywhere", "Kind")):
            out.append(f"std::span<const {element}> {function}() {{ return {array}; }}")
        return "\n".join(out + ["}  // namespace schema::tables", ""])


class Resources:
    """Rows of src/resources/builtin_rows.h, resources in discovery order: groups by priority, versions, plural names."""

    # Without these gates the reference does not serve what they guard; the other gates of the data only change behaviour.
    HIDING_GATES = {"ClusterTrustBundle", "StorageVersionMigrator", "InPlacePodVerticalScaling"}

    def __init__(self):
        data = json.loads((DATA / "resources.json").read_text())
        self.groups, self.resources = data["groups"], data["resources"]
        self.by_key = {(r["group"], r["version"], r["resource"]): r for r in self.resources}
        self.strings = Pool("kStrings", "std::string_view", text)
        self.subresources = Pool("kSubresources", "SubresourceRow")
        self.selectables = Pool("kSelectables", "SelectableRow")
        self.versions = Pool("kVersions", "VersionRow")

    def subresource(self, s):
        gate = s.get("feature_gate", "")
        if gate and gate not in self.HIDING_GATES:
            gate = ""
        flags = ["true" if on else "false" for on in (s.get("connect"), s.get("subpath"), s.get("table", True))]
        return ("{" + ", ".join([text(s["name"]), self.strings.span(s["verbs"]), *map(text, s["gvk"]), text(s["type"]),
                                 *flags, text(gate)]) + "}")

    def stored_paths(self, r, label):
        """Where the label's value stands in the stored form."""
        if label in r.get("field_selectors_empty", ()):
            return []
        paths = r.get("field_selector_paths", {}).get(label, label)
        paths = [paths] if isinstance(paths, str) else paths
        stored = r["storage"]
        for same in r["equivalents"]:
            if (same["group"], same["version"]) == (stored["group"], stored["version"]):
                renamed = same.get("renamed", {})
                paths = [".".join([renamed.get(p.split(".")[0], p.split(".")[0]), *p.split(".")[1:]]) for p in paths]
        return paths

    SERVED_MINOR = 32

    def deprecation(self, r):
        """What every request to a version that is going is warned of."""
        life = r.get("lifecycle", {})
        if "deprecated" not in life or int(life["deprecated"].split(".")[1]) > self.SERVED_MINOR:
            return ""
        said = f"{r['group']}/{r['version']} {r['kind']} is deprecated in v{life['deprecated']}+"
        if "removed" in life:
            said += f", unavailable in v{life['removed']}+"
        if "replacement" in life:
            group, version, kind = life["replacement"]
            said += f"; use {group}/{version} {kind}"
        return said

    def resource(self, r):
        stored = r["storage"]
        # Definitions are stored under a version that is not served; here they are kept as served.
        stored_type = stored and (stored["type"] or r["type"])
        stored_version = stored and (stored["version"] if stored["type"] else r["version"])
        stored_kind = stored and (self.by_key.get((stored["group"], stored_version, r["resource"])) or r)["kind"]
        gate = r.get("feature_gate", "")
        if gate not in self.HIDING_GATES:
            gate = ""
        selectables = [f"{{{text(label)}, {self.strings.span(self.stored_paths(r, label))}}}"
                       for label in r["field_selectors"]]
        parts = [("group", text(r["group"])), ("version", text(r["version"])), ("plural", text(r["resource"])),
                 ("singular", text(r["singular"])), ("kind", text(r["kind"])), ("list_kind", text(r.get("list_kind", ""))),
                 ("type", text(r["type"])), ("list_type", text(r.get("list_type", ""))),
                 ("namespaced", "true" if r["namespaced"] else "false"), ("verbs", self.strings.span(r["verbs"])),
                 ("short_names", self.strings.span(r["short_names"])),
                 ("categories", self.strings.span(r["categories"])),
                 ("deletes_returns", text(r.get("delete_returns", ""))), ("gate", text(gate)), ("deprecation", text(self.deprecation(r))),
                 ("storage_version_hash", text(r.get("storage_version_hash", ""))),
                 ("subresources", self.subresources.span(map(self.subresource, r["subresources"]))),
                 ("selectables", self.selectables.span(selectables)),
                 ("selects_namespace", "false" if "metadata.namespace" in r.get("field_selectors_rejected", ()) else "true")]
        if stored:
            parts += [("collection", text(r["etcd_prefix"].removeprefix("/registry/"))),
                      ("stored_group", text(stored["group"])), ("stored_version", text(stored_version)),
                      ("stored_kind", text(stored_kind)), ("stored_type", text(stored_type))]
        return "{" + ", ".join(f".{key} = {value}" for key, value in parts) + "}"

    def render(self):
        rank = {(g["name"], v["version"]): (i, k) for i, g in enumerate(self.groups) for k, v in enumerate(g["versions"])}
        ordered = sorted(self.resources, key=lambda r: (*rank[r["group"], r["version"]], r["resource"]))
        rows = ["    " + self.resource(r) + "," for r in ordered]
        groups = []
        for g in self.groups:
            versions = [f"{{{text(v['version'])}, {'true' if v['enabled_by_default'] else 'false'}}}" for v in g["versions"]]
            groups.append(f"    {{{text(g['name'])}, {self.versions.span(versions)}}},")
        pools = [self.strings, self.subresources, self.selectables, self.versions]
        out = ["// Made by tools/make_tables.py from data/api. Not for editing.", '#include "resources/builtin_rows.h"', "",
               "namespace resources::rows {", "using namespace std::string_view_literals;", ""]
        out += [p.declaration() for p in pools] + [p.definition() for p in pools]
        out += [f"constinit const ResourceRow kResources[{len(rows)}] = {{", *rows, "};"]
        out += [f"constinit const GroupRow kGroups[{len(groups)}] = {{", *groups, "};", ""]
        out += ["std::span<const ResourceRow> Resources() { return kResources; }",
                "std::span<const GroupRow> Groups() { return kGroups; }", "}  // namespace resources::rows", ""]
        return "\n".join(out)


def main():
    what, to = sys.argv[1], pathlib.Path(sys.argv[2])
    rendered = {"types": Types, "resources": Resources}[what]().render()
    to.parent.mkdir(parents=True, exist_ok=True)
    to.write_text(rendered)


if __name__ == "__main__":
    main()
