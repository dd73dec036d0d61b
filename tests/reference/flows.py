"""What people and controllers do to an object with kubectl and its like: client-side apply, the move from it to server-side apply, edit, replace, label, scale,
and a controller that writes the status beside them.

Steps are those of steps.py; each writer has the name that its tool gives it, since some names mean something to a server.
"""
import copy
import json

import edits
import steps

LAST_APPLIED = "kubectl.kubernetes.io/last-applied-configuration"
CLIENT_SIDE, KUBECTL = "kubectl-client-side-apply", "kubectl"
BROKEN = ("", "{}", "x", "null", "[]", '{"apiVersion":"v2","kind":"X"}', '{"metadata":{"name":"<name>"}}')


class Author(steps.Author):
    def next(self):
        version = self.random.randrange(1, len(self.form.versions)) if len(self.form.versions) > 1 and self.editor.chance(0.35) else 0
        live = self.live(version)
        if live is None:
            return [self.random.choice((self.client_side, self.client_side, self.server_side, self.created))(version, None)]
        ops = ("client_side", "server_side", "upgrade", "edit", "replace", "label", "annotation", "scale", "controller", "another")
        weights = (20, 26, 8, 10, 6, 5, 4, 12 if self.form.scales else 0, 16 if any(self.form.subresources) else 5, 8)
        step = getattr(self, self.random.choices(ops, weights)[0])(version, live)
        if self.editor.chance(0.1):
            dry = copy.deepcopy(step)
            dry["query"]["dryRun"] = "All"
            return [dry, step]
        return [step]

    def by(self, manager, op, method, version, sub="", body=None, **more):
        step = self.step(op, method, version, sub, body, **more)
        step["query"] = {"fieldManager": manager}
        if self.editor.chance(0.6):
            step["query"]["fieldValidation"] = "Strict"
        return step

    def created(self, version, live):
        return self.by("kubectl-create", "create", "POST", 0, body={**copy.deepcopy(self.start), **self.form.identity(0)})

    def configuration(self, version, live):
        """What stands in the file that is applied, which kubectl's two ways share."""
        intent = self.intent(KUBECTL, version, "", live)
        intent.pop("status", None)
        for name in ("resourceVersion", "uid", "managedFields", "creationTimestamp"):
            intent.get("metadata", {}).pop(name, None)
        self.intents[KUBECTL, version, ""] = copy.deepcopy(intent)
        return {**intent, **self.form.identity(version)}

    def client_side(self, version, live):
        intent = self.configuration(version if live else 0, live)
        told = {**copy.deepcopy(intent), "metadata": {**copy.deepcopy(intent.get("metadata", {})), "name": "<name>"}}
        told["metadata"].setdefault("annotations", {})
        said = json.dumps(told, separators=(",", ":"), sort_keys=True) + "\n"
        wanted = copy.deepcopy(intent)
        annotations = wanted.setdefault("metadata", {}).setdefault("annotations", {})
        annotations[LAST_APPLIED] = self.random.choice(BROKEN) if self.editor.chance(0.06) else said
        if live is None:
            return self.by(CLIENT_SIDE, "create", "POST", 0, body=wanted)
        # What the last configuration had and this one has not is taken away; the rest is laid over.
        before = self.last_applied(live)
        patch = edits_of(before, wanted)
        op = "strategic" if self.editor.chance(0.8) else "merge"
        return self.by(CLIENT_SIDE, op, "PATCH", version, "", patch)

    @staticmethod
    def last_applied(live):
        try:
            before = json.loads((live["metadata"].get("annotations") or {}).get(LAST_APPLIED, "{}"))
        except ValueError:
            return {}
        return before if isinstance(before, dict) else {}

    def server_side(self, version, live):
        step = self.by(self.random.choice((KUBECTL, KUBECTL, KUBECTL, "flux", "argocd-controller")), "apply", "PATCH", version, "", self.configuration(version, live))
        if self.editor.chance(0.4):
            step["query"]["force"] = "true"
        if self.editor.chance(0.05):
            step["body"].setdefault("metadata", {}).setdefault("annotations", {})[LAST_APPLIED] = self.random.choice(BROKEN)
        return step

    def upgrade(self, version, live):
        """The entries of client-side apply become those of server-side apply, as kubectl does before its first."""
        entries = live["metadata"].get("managedFields") or []
        old = [i for i, e in enumerate(entries) if e.get("manager") in (CLIENT_SIDE, "before-first-apply", "kubectl-create") and not e.get("subresource")]
        if not old:
            return self.server_side(version, live)
        first, rest = old[0], old[1:]
        own = [i for i, e in enumerate(entries) if e.get("manager") == KUBECTL and e.get("operation") == "Apply"]
        fields = copy.deepcopy(entries[first].get("fieldsV1") or {})
        for i in rest + own:
            joined(fields, entries[i].get("fieldsV1") or {})
        place = "/metadata/managedFields/"
        body = [{"op": "replace", "path": f"{place}{first}/manager", "value": KUBECTL}, {"op": "replace", "path": f"{place}{first}/operation", "value": "Apply"},
                {"op": "replace", "path": f"{place}{first}/fieldsV1", "value": fields}]
        body += [{"op": "remove", "path": f"{place}{i}"} for i in sorted(rest + own, reverse=True)]
        if self.editor.chance(0.6):
            body.append({"op": "replace", "path": "/metadata/resourceVersion", "value": live["metadata"].get("resourceVersion")})
        return self.by(KUBECTL, "json", "PATCH", version, "", body)

    def edit(self, version, live):
        wanted = self.wanted(version, "", live)
        op = "strategic" if self.editor.chance(0.8) else "merge"
        patch = self.editor.strategic_patch(live, wanted, self.form.type(version)) if op == "strategic" else self.editor.merge_patch(live, wanted)
        return self.by("kubectl-edit", op, "PATCH", version, "", patch)

    def replace(self, version, live):
        wanted = self.configuration(version, live) if self.editor.chance(0.5) else self.wanted(version, "", live)
        wanted = {**wanted, "metadata": {**wanted.get("metadata", {}), "name": live["metadata"]["name"]}}
        if self.editor.chance(0.5):
            wanted["metadata"]["resourceVersion"] = live["metadata"].get("resourceVersion")
        return self.by("kubectl-replace", "put", "PUT", version, "", edits=edits.differences(live, wanted))

    def label(self, version, live):
        word = self.random.choice(("labels", "annotations"))
        patch = {"metadata": {word: {self.random.choice(edits.LABELS): self.random.choice((*edits.WORDS, None))}}}
        return self.by("kubectl-label", self.random.choice(("merge", "strategic")), "PATCH", version, "", patch)

    def annotation(self, version, live):
        """kubectl's own annotation goes, or means nothing any more."""
        patch = {"metadata": {"annotations": {LAST_APPLIED: self.random.choice((None, None, *BROKEN))}}}
        return self.by(self.random.choice(("kubectl-edit", KUBECTL)), "merge", "PATCH", version, "", patch)

    def scale(self, version, live):
        step = super().scale(version, live)
        step["query"]["fieldManager"] = self.random.choice(("kubectl", "kubectl", "kube-controller-manager", KUBECTL + "-scale"))
        return step

    def controller(self, version, live):
        """The status, through its endpoint or not, and what controllers keep in the metadata."""
        subs = self.form.subresources[version]
        sub = self.random.choice(subs) if subs and self.editor.chance(0.85) else ""
        wanted = self.wanted(version, sub, live)
        manager = self.random.choice(("controller", "controller", "kubelet", KUBECTL))
        how = self.random.choice(("put", "put", "merge", "strategic", "json", "apply"))
        if how == "put":
            return self.by(manager, "put", "PUT", version, sub, edits=edits.differences(live, wanted))
        if how == "apply":
            step = self.apply(version, live)
            step["query"]["fieldManager"] = manager
            return step
        patch = {"merge": lambda: self.editor.merge_patch(live, wanted), "json": lambda: self.editor.json_patch(live, wanted),
                 "strategic": lambda: self.editor.strategic_patch(live, wanted, self.form.type(version))}[how]()
        return self.by(manager, how, "PATCH", version, sub, patch)

    def another(self, version, live):
        """Anything of the usual."""
        return getattr(self, self.random.choice(("apply", "put", "merge", "json", "strategic", "delete")))(version, live)


def edits_of(before, wanted):
    """A patch that takes away what stands in `before` alone, and says the rest."""
    patch = {key: None for key in before if key not in wanted}
    for key, value in wanted.items():
        patch[key] = edits_of(before[key], value) if isinstance(value, dict) and isinstance(before.get(key), dict) else value
    return patch


def joined(fields, more):
    for key, value in more.items():
        joined(fields.setdefault(key, {}), value)
