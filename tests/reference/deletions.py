"""How an object may be deleted: random deletions, alone and by collection, with what holds them up and what others write meanwhile.

Steps are those of steps.py. The object begins with finalizers, owners and grace as they come; what is asked of a deletion stands in its body, its parameters
or both, and between two of them the object is looked at, its finalizers change, or somebody writes to it.
"""
import copy

import edits
import steps

FINALIZERS = ("foregroundDeletion", "orphan", "example.com/a", "example.com/b", "kubernetes.io/pvc-protection")
POLICIES = ("Background", "Foreground", "Orphan", "Orphan", "Foreground", "", "Later", "orphan")
GRACE = (0, 0, 0, 1, 5, 30, 30, -1, -7, 3600)
UIDS = ("<uid0>", "<uid0>", "<uid0>", "00000000-0000-0000-0000-000000000000", "u", "")
VERSIONS = ("<rv0>", "<rv1>", "<rv2>", "1", "x", "")


class Author(steps.Author):
    def next(self):
        version = self.random.randrange(1, len(self.form.versions)) if len(self.form.versions) > 1 and self.editor.chance(0.2) else 0
        live = self.live(version)
        if live is None:
            return [self.creation(version)]
        ops = ("delete", "collection", "finalizers", "put", "apply", "get", "finalize", "again")
        is_namespace = self.form.seed.resource["resource"] == "namespaces"
        weights = (50, 14 if "deletecollection" in self.form.seed.resource["verbs"] else 0, 18, 6, 5, 4, 10 if is_namespace else 0, 3)
        step = getattr(self, self.random.choices(ops, weights)[0])(version, live)
        if step["op"] != "get" and self.editor.chance(0.15):
            dry = copy.deepcopy(step)
            dry["query"]["dryRun"] = "All"
            return [dry, step]
        return [step]

    def creation(self, version):
        body = {**copy.deepcopy(self.start), **self.form.identity(0)}
        meta = body.setdefault("metadata", {})
        if self.editor.chance(0.6):
            meta["finalizers"] = self.some_finalizers()
        if self.editor.chance(0.1):
            meta["ownerReferences"] = [{"apiVersion": "v1", "kind": "ConfigMap", "name": "o", "uid": "00000000-0000-0000-0000-000000000001",
                                        **({"blockOwnerDeletion": True} if self.editor.chance(0.5) else {})}]
        if body["kind"] == "Pod" and self.editor.chance(0.6):
            body["spec"]["nodeName"] = "n1"
            if self.editor.chance(0.5):
                body["spec"]["terminationGracePeriodSeconds"] = self.random.choice((0, 1, 2, 30, 600))
        return self.step("create", "POST", 0, body=body)

    def again(self, version, live):
        return self.creation(version)

    def some_finalizers(self):
        return self.random.sample(FINALIZERS, self.random.choice((0, 1, 1, 2, 3)))

    # What a deletion asks for.

    def options(self):
        """Members of DeleteOptions, at times at odds with each other."""
        asked = {}
        if self.editor.chance(0.45):
            asked["propagationPolicy"] = self.random.choice(POLICIES)
        if self.editor.chance(0.15):
            asked["orphanDependents"] = self.random.choice((True, False))
        if self.editor.chance(0.4):
            asked["gracePeriodSeconds"] = self.random.choice(GRACE)
        return asked

    def preconditions(self):
        wanted = {}
        if self.editor.chance(0.6):
            wanted["uid"] = self.random.choice(UIDS)
        if self.editor.chance(0.5):
            wanted["resourceVersion"] = self.random.choice(VERSIONS)
        return wanted

    def delete(self, version, live):
        step = self.step("delete", "DELETE", version)
        if self.editor.chance(0.65):
            body = self.options()
            if self.editor.chance(0.3):
                body["preconditions"] = self.preconditions()
            if self.editor.chance(0.08):
                body["dryRun"] = self.random.choice((["All"], [], ["None"]))
            if self.editor.chance(0.08):
                body = self.editor.with_junk(body)
            step["body"] = {**body, **self.random.choice(({}, {"kind": "DeleteOptions", "apiVersion": "v1"}, {"kind": "DeleteOptions", "apiVersion": "meta.k8s.io/v1"},
                                                          {"kind": "DeleteOptions", "apiVersion": self.form.identity(version)["apiVersion"]}))}
        if step["body"] is None or self.editor.chance(0.1):
            step["query"].update({key: str(value).lower() if isinstance(value, bool) else value for key, value in self.options().items()})
        return step

    def collection(self, version, live):
        step = self.delete(version, live)
        query = {"fieldSelector": "metadata.name=<name>"}
        if self.editor.chance(0.15):
            query["labelSelector"] = self.random.choice(("app", "!app", "a=b", "!none,!other"))
        if self.editor.chance(0.1):
            query.update(self.random.choice(({"limit": "1"}, {"resourceVersion": "0"}, {"resourceVersion": "1", "resourceVersionMatch": "NotOlderThan"})))
        return {**step, "op": "deletecollection", "query": {**step["query"], **query}}

    # What happens between.

    def finalizers(self, version, live):
        wanted = self.random.choice((None, [], self.some_finalizers(), (live["metadata"].get("finalizers") or [])[1:]))
        meta = {"finalizers": wanted}
        if self.editor.chance(0.1):
            meta.update(self.random.choice(({"deletionTimestamp": None}, {"deletionGracePeriodSeconds": 0}, {"deletionGracePeriodSeconds": None}, {"deletionTimestamp": "2020-01-01T00:00:00Z"})))
        return self.step("merge", "PATCH", version, self.sub(version), {"metadata": meta})

    def put(self, version, live):
        wanted = self.editor.edited(live, self.form.type(version)) if self.editor.chance(0.5) else copy.deepcopy(live)
        if self.editor.chance(0.6):
            wanted["metadata"]["finalizers"] = self.some_finalizers()
        return self.step("put", "PUT", version, self.sub(version), edits=edits.differences(live, wanted))

    def apply(self, version, live):
        body = {**self.form.identity(version), "metadata": {"finalizers": self.some_finalizers()} if self.editor.chance(0.8) else {"labels": {"app": "x"}}}
        step = self.step("apply", "PATCH", version, "", body)
        step["query"]["force"] = "true"
        return step

    def get(self, version, live):
        return {**self.step("get", "GET", version), "query": {}}

    def finalize(self, version, live):
        wanted = copy.deepcopy(live)
        wanted.setdefault("spec", {})["finalizers"] = self.random.choice(([], [], ["kubernetes"], ["example.com/x"]))
        if self.editor.chance(0.3):
            wanted["metadata"]["finalizers"] = self.some_finalizers()
        return {**self.step("put", "PUT", version, "finalize", edits=edits.differences(live, wanted))}
