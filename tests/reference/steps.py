"""What may happen to an object next: random applies, updates and patches by several managers, made for the object as it is.

A step is plain data, so that a sequence can be kept, shortened and sent again: {"op", "method", "version", "sub", "query", "type", "body"}.
`version` counts the served versions of the resource, its own first. The body of an update is said as "edits", a JSON patch of the object as each server has it.
What servers choose by themselves stands in bodies under the names of views.py.
"""
import copy

import edits
import objects

MANAGERS = ("a", "b", "c")
TYPES = {"apply": "application/apply-patch+yaml", "merge": "application/merge-patch+json", "json": "application/json-patch+json",
         "strategic": "application/strategic-merge-patch+json"}
SCALE = {"apiVersion": "autoscaling/v1", "kind": "Scale"}
# Kinds that the server itself writes to, or whose objects would change what happens to others'.
LEFT_OUT = ("apiservices", "customresourcedefinitions", "componentstatuses", "bindings", "storageversions")
# Deleted only by a controller's help.
KEPT = ("namespaces",)
FORGED = ("drop", "forget", "reset", "rename", "remove", "fields")


class Form:
    """A resource in the versions that serve it, and how a valid object of it looks."""

    def __init__(self, seed):
        own = seed.resource
        self.seed = seed
        self.versions = [own] + [r for r in objects.RESOURCES if r is not own and (r["group"], r["resource"]) == (own["group"], own["resource"]) and r.get("storage")
                                 and r["storage"] == own["storage"] and r.get("type")]
        self.subresources = [[s["name"] for s in r["subresources"] if "patch" in s["verbs"] and s.get("type") == r["type"] and s.get("enabled_by_default", True)]
                             for r in self.versions]
        self.scales = any(s["name"] == "scale" for s in own["subresources"])
        self.name = f"{own['group']}/{own['version']}/{own['resource']}"

    def type(self, version):
        return self.versions[version]["type"]

    def identity(self, version):
        r = self.versions[version]
        return {"apiVersion": f"{r['group']}/{r['version']}" if r["group"] else r["version"], "kind": r["kind"]}

    def collection(self, version, namespace):
        return objects.Seed(self.versions[version], {}).path(namespace)


class Author:
    """Writes one sequence. `live(version)` gives the object as the reference has it, None where it is not there."""

    def __init__(self, editor, form, live):
        self.editor, self.random, self.form, self.live = editor, editor.random, form, live
        self.intents = {}  # what each manager applied last, by (manager, version, sub)
        self.start = copy.deepcopy(form.seed.body)
        for name in ("generateName", "ownerReferences", "name"):
            self.start.get("metadata", {}).pop(name, None)

    def next(self):
        """One step, or two that belong together: a dry run and the same in earnest."""
        version = self.random.randrange(1, len(self.form.versions)) if len(self.form.versions) > 1 and self.editor.chance(0.35) else 0
        live = self.live(version)
        if live is None:
            step = self.creation(version)
        else:
            ops = ("apply", "put", "merge", "json", "strategic", "scale", "delete", "create")
            weights = (46, 15, 11, 9, 13, 6 if self.form.scales else 0, 2 if self.form.seed.resource["resource"] not in KEPT else 0, 1)
            step = getattr(self, self.random.choices(ops, weights)[0])(version, live)
        if step["method"] != "DELETE" and self.editor.chance(0.3):
            step["query"]["fieldValidation"] = self.random.choice(("Strict", "Warn", "Ignore"))
        if step["method"] != "DELETE" and self.editor.chance(0.08):
            dry = copy.deepcopy(step)
            dry["query"]["dryRun"] = "All"
            return [dry, step]
        return [step]

    def step(self, op, method, version, sub="", body=None, **more):
        query = {"fieldManager": self.random.choice(MANAGERS)} if method != "DELETE" and self.editor.chance(0.93) else {}
        return {"op": op, "method": method, "version": version, "sub": sub, "query": query, "type": TYPES.get(op, "application/json"), "body": body, **more}

    def creation(self, version):
        if version or self.editor.chance(0.5):
            return self.apply(version, None)
        body = self.editor.edited(self.start, self.form.type(0)) if self.editor.chance(0.3) else self.start
        return self.step("create", "POST", 0, body={**body, **self.form.identity(0)})

    def create(self, version, live):
        return self.step("create", "POST", 0, body={**self.start, **self.form.identity(0)})

    def delete(self, version, live):
        return self.step("delete", "DELETE", 0)

    def sub(self, version):
        subs = self.form.subresources[version]
        return self.random.choice(subs) if subs and self.editor.chance(0.2) else ""

    # Applies.

    def apply(self, version, live):
        sub = self.sub(version) if live else ""
        step = self.step("apply", "PATCH", version, sub)
        manager = step["query"].get("fieldManager")
        intent = self.intent(manager, version, sub, live)
        self.intents[manager, version, sub] = copy.deepcopy(intent)
        if self.editor.chance(0.06):
            intent = self.editor.with_junk(intent)
        step["body"] = {**intent, **self.form.identity(version)}
        if self.editor.chance(0.55):
            step["query"]["force"] = "true"
        return step

    def intent(self, manager, version, sub, live):
        before = copy.deepcopy(self.intents.get((manager, version, sub)))
        if before and live:
            how = self.random.choices(("same", "less", "more", "edited", "empty", "new"), (10, 25, 20, 25, 5, 15))[0]
            if how == "same":
                return before
            if how == "less":
                return self.editor.without_some(before)
            if how == "edited":
                return self.editor.edited(before, self.form.type(version))
            if how == "more":
                return overlaid(before, self.of_live(version, sub, live, 0.2))
            if how == "empty":
                return {"metadata": {}}
        if live is None:
            body = self.start if version == 0 else self.editor.object_of(self.form.type(version), 2)
            return self.editor.edited(body, self.form.type(version)) if self.editor.chance(0.3) else copy.deepcopy(body)
        part = self.of_live(version, sub, live, self.random.choice((0.15, 0.4, 0.8, 1)))
        return self.editor.edited(part, self.form.type(version)) if self.editor.chance(0.5) else part

    def of_live(self, version, sub, live, keep):
        """A part of the object, as if its applier had written it."""
        type_name = self.form.type(version)
        body = {k: v for k, v in live.items() if k not in ("apiVersion", "kind", "metadata", "status")}
        part = self.editor.part(body, type_name, keep) if not sub or self.editor.chance(0.1) else {}
        status = objects.fields_of(type_name).get("status")
        if (sub or self.editor.chance(0.04)) and status:
            part["status"] = self.editor.part(self.status(live, status), status["ref"], max(keep, 0.5))
        meta = live.get("metadata", {})
        kept = {}
        for name in ("labels", "annotations"):
            if name in meta and self.editor.chance(keep):
                kept[name] = {k: v for k, v in meta[name].items() if self.editor.chance(keep)}
        if "finalizers" in meta and self.editor.chance(keep):
            kept["finalizers"] = list(meta["finalizers"])
        if self.editor.chance(0.04):
            kept.update(self.random.choice(({"resourceVersion": meta.get("resourceVersion")}, {"resourceVersion": "1"}, {"uid": meta.get("uid")}, {"uid": "u"},
                                            {"managedFields": [{"manager": "a"}]}, {"managedFields": []}, {"creationTimestamp": None})))
        return {**part, "metadata": kept}

    def status(self, live, field):
        status = copy.deepcopy(live.get("status", {}))
        for _ in range(self.random.choice((1, 1, 2))):
            self.editor.edit(status, field["ref"])
        return status

    # Updates and patches: what they make of the object, and how that is said.

    def wanted(self, version, sub, live):
        """The object as this writer would like it."""
        status = objects.fields_of(self.form.type(version)).get("status")
        if sub == "status" and status:
            wanted = {**copy.deepcopy(live), "status": self.status(live, status)}
            return self.editor.edited(wanted, self.form.type(version)) if self.editor.chance(0.2) else wanted
        return self.editor.edited(live, self.form.type(version))

    def put(self, version, live):
        sub = self.sub(version)
        wanted = self.wanted(version, sub, live)
        meta = wanted["metadata"]
        if self.editor.chance(0.3):
            meta.pop("resourceVersion", None)
        if self.editor.chance(0.05):
            meta.update(self.random.choice(({"resourceVersion": "1"}, {"uid": "00000000-0000-0000-0000-000000000000"}, {"name": "other"}, {"namespace": "other"}, {"generation": 7},
                                            {"deletionGracePeriodSeconds": 1}, {"creationTimestamp": None})))
        if self.editor.chance(0.35):
            self.forge(meta)
        return self.step("put", "PUT", version, sub, edits=edits.differences(live, wanted))

    def forge(self, meta):
        """managedFields as clients send them that did not keep what they got."""
        entries, how = meta.get("managedFields") or [], self.random.choice(FORGED)
        if how == "drop":
            meta.pop("managedFields", None)
        elif how == "forget" or not entries:
            meta["managedFields"] = []
        elif how == "reset":
            meta["managedFields"] = [{}]
        elif how == "remove":
            entries.pop(self.random.randrange(len(entries)))
        else:
            entry = self.random.choice(entries)
            if how == "rename":
                entry[self.random.choice(("manager", "operation", "apiVersion", "subresource", "fieldsType"))] = self.random.choice(("x", "a", "Apply", "Update", "v1", "", "status"))
            else:
                entry["fieldsV1"] = self.random.choice(({}, None, {"f:metadata": {"f:labels": {"f:app": {}}}}, {"f:spec": {}}, {"x": {}}, {"f:a": 1}, {"k:{": {}},
                                                        {"f:data": {".": {}, "f:a": {}}}, {"f:metadata": {"f:name": {}}}))

    def merge(self, version, live):
        sub = self.sub(version)
        patch = self.editor.merge_patch(live, self.wanted(version, sub, live))
        return self.step("merge", "PATCH", version, sub, self.spoiled(patch, live))

    def json(self, version, live):
        sub = self.sub(version)
        patch = self.editor.json_patch(live, self.wanted(version, sub, live))
        if self.editor.chance(0.05):
            patch = self.editor.with_junk(patch)
        return self.step("json", "PATCH", version, sub, patch)

    def strategic(self, version, live):
        sub = self.sub(version)
        patch = self.editor.strategic_patch(live, self.wanted(version, sub, live), self.form.type(version))
        return self.step("strategic", "PATCH", version, sub, self.spoiled(patch, live))

    def spoiled(self, patch, live):
        if self.editor.chance(0.06):
            patch = self.editor.with_junk(patch)
        if self.editor.chance(0.05):
            meta = patch.setdefault("metadata", {})
            if isinstance(meta, dict):
                self.forge(meta)
                meta.update(self.random.choice(({}, {"resourceVersion": live["metadata"]["resourceVersion"]}, {"resourceVersion": "1"}, {"uid": "u"}, {"name": "other"})))
        return patch

    def scale(self, version, live):
        replicas = self.random.choice((0, 1, 1, 2, 3, 3, None, -1))
        op = self.random.choice(("apply", "apply", "merge", "strategic", "json", "put"))
        spec = {"replicas": replicas} if replicas is not None else {}
        body = {"apply": {**SCALE, "metadata": {}, "spec": spec}, "json": [{"op": "replace", "path": "/spec/replicas", "value": replicas}],
                "put": {**SCALE, "metadata": {}, "spec": spec}}.get(op, {"spec": spec})
        step = self.step(op, "PUT" if op == "put" else "PATCH", 0, "scale", body)
        if op == "apply" and self.editor.chance(0.5):
            step["query"]["force"] = "true"
        return step


def overlaid(x, over):
    """`x` with what `over` has besides."""
    for key, value in over.items():
        if isinstance(value, dict) and isinstance(x.get(key), dict):
            overlaid(x[key], value)
        elif key not in x:
            x[key] = value
    return x
