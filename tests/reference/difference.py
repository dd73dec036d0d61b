#!/usr/bin/env python3
"""Send the same random objects to Fairlead and to kube-apiserver, and tell where the answers differ.

  difference.py --program FILE [--objects 50000] [--seed 1] [--only REGEX] [--out FILE] [--metadata] [--gates] [--reference URL]

Objects are the valid ones of the conversations with a field or several changed (objects.py, edges.py), created with dryRun=All, and put over
stored ones, on the object, its status and other subresources; what is accepted is stored now and then, and changed in its turn. Answers come as
JSON, tables, protobuf and YAML; objects are also read in their other versions, and by field selectors. --gates does this with the feature gates on
that change types, --metadata sends every odd metadata to every kind instead. Answers are compared as the conversations' are: status, warnings, the whole body. What differs is
counted by resource and kind of difference, the most frequent first, with an example each; --out takes every example as JSON lines.
Differences that are meant are listed in known.txt with their reason: a regular expression on "resource verb: difference".
The peers are found as for the benchmarks (bench/pair.py), unless --reference names a server that runs (with the token admin-token and FLAGS). Exit status 1 when something differs that is not known.
"""
import argparse
import concurrent.futures
import contextlib
import itertools
import json
import pathlib
import random
import re
import sys
import time
import urllib.parse

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent.parent
for folder in ("bench", "tests/wire", "tests/reference"):
    sys.path.insert(0, str(ROOT / folder))
import answers
import compare
import edges
import objects
import protobuf
import run as wire
from pair import peers
from play import CONNECTION_ERRORS, Client
from servers import started, started_program

FLAGS = ["--runtime-config=api/all=true"]
# The reference has no controllers either, which would write statuses between two requests.
OURS = ["--controllers="]
# What has a namespace of its own, since it would change or refuse the others' objects.
APART = ("limitranges", "resourcequotas")
JOBS = 6
# How often the reference is asked for another order.
ORDERS = 40
# Objects of other runs that an answer names.
ANY = {"replace": [[r"\bbase-[0-9a-f]+-", "base-"]]}
# What a server chooses for a service.
CHANCE = {"replace": ANY["replace"] + [[r"\b10\.0\.0\.\d+\b", "<address>"], [r"\{(TCP|UDP|SCTP) \d+\}", r"{\1 <port>}"], [r":3[0-2]\d{3}/", ":<port>/"]], "volatile": ["spec.ports[*].nodePort", "spec.healthCheckNodePort", "items[*].spec.ports[*].nodePort", "items[*].spec.healthCheckNodePort"]}
JSON = {"Content-Type": "application/json"}
# In which form the answer is asked for, and how often.
TABLE = "application/json;as=Table;g=meta.k8s.io;v="
FORMS = {"application/json": 74, TABLE + "v1": 10, TABLE + "v1beta1": 2, "application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1": 2, "application/vnd.kubernetes.protobuf": 8, "application/yaml": 4}
# Subresources that are written to, and what is sent to those that are objects of their own.
OTHERS = ("approval", "binding", "ephemeralcontainers", "eviction", "resize", "scale")
SMALL = {"scale": {"apiVersion": "autoscaling/v1", "kind": "Scale", "spec": {"replicas": 2}}, "binding": {"apiVersion": "v1", "kind": "Binding", "target": {"kind": "Node", "name": "n"}},
         "eviction": {"apiVersion": "policy/v1", "kind": "Eviction", "deleteOptions": {"gracePeriodSeconds": 1}}}
SMALL_TYPES = {"scale": "io.k8s.api.autoscaling.v1.Scale", "binding": "io.k8s.api.core.v1.Binding", "eviction": "io.k8s.api.policy.v1.Eviction"}
# How many objects that were made of a seed are stored, to be changed in their turn.
MORE_BASES = 300


def answer(client, method, target, body, form="application/json"):
    status, headers, raw = client.request(method, target, {**JSON, "Accept": form}, None if body is None else json.dumps(body).encode())
    raw = without_generated(body, raw) if method == "POST" else raw
    if raw.startswith(protobuf.MAGIC):
        return shaped_document(target, status, headers, protobuf.decode(raw))
    return shaped(target, status, headers, raw.decode("utf-8", "replace"))


def without_generated(body, raw):
    """The answer without the end of a name that the server made."""
    meta = body.get("metadata")
    prefix = meta.get("generateName") if isinstance(meta, dict) and not meta.get("name") else None
    if not prefix or not isinstance(prefix, str):
        return raw
    return re.sub(rb"(?<!ateName\":\")" + re.escape(prefix[:58].encode()) + rb"[a-z0-9]{5}\b", b"<generated>", raw)


def shaped(target, status, headers, text):
    """The comparable form of an answer."""
    text = text.replace("\u00a0", " ")  # Go's differences have either space, by chance, from start to end of a process
    try:
        decoded = json.loads(text)
    except ValueError:
        decoded = {"text": re.sub(r"\s+", " ", text)}  # lines of YAML end where the length of texts has it
    return shaped_document(target, status, headers, decoded)


def shaped_document(target, status, headers, decoded):
    return compare.comparable(compare.shape(CHANCE if "/services" in target else ANY, status, headers, answers.without_chance(decoded), ()), False)


def name_of(resource):
    return f"{resource['group']}/{resource['version']}/{resource['resource']}"


def named(resource, name):
    """A name that the kind allows."""
    return name + ".x" if resource["resource"] == "storageversions" else name


def form_of(chance, seed, verb):
    """Accept. Only answers that hold JSON are compared without regard to what a server chooses for services, and to the order of managedFields."""
    form = chance.choices(list(FORMS), list(FORMS.values()))[0]
    return form if "json" in form or (verb == "create" and seed.resource["resource"] != "services") else "application/json"


def form_name(form):
    found = re.search(r"as=(\w+)|/(?:vnd\.kubernetes\.)?(protobuf|yaml)", form)
    return f" as {found.group(1) or found.group(2)}" if found else ""


def lasting(body):
    """Whether the object may be stored: it changes nothing for others, and nothing makes it go."""
    return not re.search(r"is-default-class|deletionTimestamp|ttlSecondsAfterFinished", json.dumps(body)) and isinstance(body.get("metadata"), dict)


class Side:
    """One of the servers. `run` is in the names of all that this run makes there, the same on both sides."""

    def __init__(self, url, run):
        self.client = Client(url, "admin-token")
        self.run = run
        for name in (f"difference-{run}", f"apart-{run}"):
            self.client.request("POST", "/api/v1/namespaces", JSON, json.dumps({"metadata": {"name": name}}).encode())

    def path(self, seed):
        return seed.path(("apart-" if seed.resource["resource"] in APART else "difference-") + self.run)

    def stored(self, seed, name):
        """The object as it is after a create; None where it cannot be."""
        body = harmless({**seed.body, "metadata": {**seed.body.get("metadata", {}), "name": name}})
        body["metadata"].pop("generateName", None)
        body["metadata"].pop("ownerReferences", None)  # owners that are not there: the collector would delete it on the one side only
        status, _, raw = self.client.request("POST", self.path(seed), JSON, json.dumps(body).encode())
        if status != 201:
            return None
        status, _, raw = self.client.request("GET", f"{self.path(seed)}/{name}", {}, None)
        return json.loads(raw) if status == 200 else None


def harmless(body):
    """Webhooks, policies and classes that are stored concern no object of this run."""
    nothing = {"matchLabels": {"no-object": "has-this"}}
    for webhook in body.get("webhooks") or ():
        webhook["objectSelector"] = nothing
    if body.get("kind", "").endswith("AdmissionPolicyBinding"):
        body["spec"]["matchResources"] = {**(body["spec"].get("matchResources") or {}), "objectSelector": nothing}
    body.pop("globalDefault", None)  # would give all pods its priority
    return body


def own_choices(service, there, here):
    """The service with the addresses and node ports that were chosen here in place of those chosen there."""
    text = json.dumps(service)
    places = [(there["spec"], here["spec"], name) for name in ("clusterIP", "healthCheckNodePort")]
    places += [(old, new, "nodePort") for old, new in zip(there["spec"].get("ports", ()), here["spec"].get("ports", ()))]
    for old, new, name in places:
        if name in old and name in new and old[name] != "None":
            text = re.sub(rf"(?<![.\d]){re.escape(str(old[name]))}(?![.\d])", str(new[name]), text)
    return json.loads(text)


def with_own_times(body, there, here):
    """The body with the time of the status that was stored here in place of the one stored there."""
    name = "lastPhaseTransitionTime"
    status, times = body.get("status"), [(x.get("status") or {}).get(name) for x in (there, here)]
    if not isinstance(status, dict) or not all(times) or status.get(name) != times[0]:
        return body
    return {**body, "status": {**status, name: times[1]}}


class Run:
    def __init__(self, sides, options, differences):
        self.ours, self.theirs = sides
        self.differences, self.gates = differences, options.gates
        chosen = [s for s in objects.seeds() if re.search(options.only, name_of(s.resource))]
        self.made, self.more, self.bases = itertools.count(), 0, {}
        for seed in chosen:
            self.add_base(seed)

    def add_base(self, seed):
        """Stores the object on both sides, to be changed and read."""
        name = named(seed.resource, f"base-{self.ours.run}-{next(self.made)}")
        stored = [side.stored(seed, name) for side in (self.ours, self.theirs)]
        if all(stored):
            self.bases.setdefault(seed.resource["resource"], []).append((seed, stored))

    def removed(self):
        """Takes away what would be in the way of another run on a server that stays."""
        for bases in self.bases.values():
            for seed, stored in bases:
                for side in (self.ours, self.theirs):
                    side.client.request("DELETE", f"{side.path(seed)}/{stored[0]['metadata']['name']}?gracePeriodSeconds=0", {}, None)

    def one(self, changer):
        seed, stored = changer.pick(self.bases)
        verb = self.verb(changer, seed)
        own = f"{self.ours.path(seed)}/{stored[0]['metadata']['name']}"
        if verb == "read":
            method, target, bodies = "GET", self.reading(changer, seed, stored), (None, None)
        elif verb == "create":
            method, target, bodies = "POST", self.ours.path(seed) + "?dryRun=All", self.new(changer, seed)
        elif verb in OTHERS:
            bodies = self.other(changer, seed, stored, verb)
            method, target = "POST" if bodies[0]["kind"] in ("Binding", "Eviction") else "PUT", f"{own}/{verb}?dryRun=All"
        else:
            method, target, bodies = "PUT", own + ("/status" if verb == "status" else "") + "?dryRun=All", self.update(changer, seed, stored, verb)
        differ, said = self.compared(f"{name_of(seed.resource)} {verb}", method, target, bodies, form_of(changer.random, seed, verb))
        if said and not differ and verb == "create" and said[1]["status"] == 201 and changer.random.random() < 0.1:
            self.grow(objects.Seed(seed.resource, bodies[1]))

    def verb(self, changer, seed):
        verb = changer.random.choices(("create", "update", "status", "read", "other"), (46, 34, 10, 4, 6))[0]
        others = [s["name"] for s in seed.resource["subresources"] if s["name"] in OTHERS and (self.gates or s.get("enabled_by_default", True))]
        if verb == "other":
            return changer.random.choice(others) if others else "update"
        return "update" if verb == "status" and not seed.resource.get("status_subresource") else verb

    @staticmethod
    def new(changer, seed):
        name = named(seed.resource, f"new-{changer.random.randrange(10**9)}")
        body = {**seed.body, "metadata": {**seed.body.get("metadata", {}), "name": name}}
        body["metadata"].pop("generateName", None)
        body = changer.changed_anyhow(body, seed.resource["type"])
        return body, body

    def grow(self, seed):
        """Stores what was made of a seed, to be changed in its turn, as long as these are not too many."""
        if self.more < MORE_BASES and lasting(seed.body):
            self.more += 1
            self.add_base(seed)

    def compared(self, subject, method, target, bodies, form="application/json"):
        """Whether the two answer differently in a way that is not known, and what they say (None where the real server says nothing)."""
        said = self.asked(method, target, bodies, form)
        if said and said[0] != said[1] and max(s["status"] for s in said) >= 400 and form != "application/json":
            said = self.asked(method, target, bodies, "application/json") or said  # to be told what is wrong
        if said is None:
            return False, None
        return self.differences.add(subject + form_name(form), {"target": target, "form": form, "body": bodies[1]}, *said), said

    def asked(self, method, target, bodies, form):
        """What the two answer; None where the real server says nothing."""
        try:
            theirs = answer(self.theirs.client, method, target, bodies[1], form)
        except CONNECTION_ERRORS:  # the real server panics at some objects and hangs up
            self.differences.hung_up += 1
            return None
        try:
            ours = answer(self.ours.client, method, target, bodies[0], form)
        except CONNECTION_ERRORS as error:
            ours = {"status": 0, "headers": {}, "body": {"broken": type(error).__name__}}
        said = [ours, theirs]
        # Errors of a map's entries come in Go's order of the moment: the same ones in ours are as good.
        for _ in range(ORDERS):
            if said[0] == said[1] or sorted(answers.texts_of(said[0]["body"])) != sorted(answers.texts_of(said[1]["body"])):
                break
            said[1] = answer(self.theirs.client, method, target, bodies[1], form)
        return said

    @staticmethod
    def at(x, path):
        for part in (path if isinstance(path, str) else path[0]).split("."):
            x = x.get(part, "") if isinstance(x, dict) else ""
        return x

    def reading(self, changer, seed, stored):
        """The target that reads the object, alone or in a list of what a field selector finds, in any version that has it."""
        own = seed.resource
        served = [r for r in objects.RESOURCES if (r["group"], r["resource"]) == (own["group"], own["resource"]) and r.get("storage") and r["storage"] == own["storage"]]
        resource, name = changer.random.choice(served), stored[0]["metadata"]["name"]
        path = self.ours.path(objects.Seed(resource, {}))
        if changer.random.random() < 0.5:
            return f"{path}/{name}"
        terms = [f"metadata.name={name}"]
        for field in changer.random.sample(resource.get("field_selectors", []), min(2, len(resource.get("field_selectors", [])))):
            found = [self.at(x, resource.get("field_selector_paths", {}).get(field, field)) for x in stored]
            value = changer.random.choice((found[0], found[0], "", "x", "true", "false", "0") if found[0] == found[1] else ("", "x"))
            value = {True: "true", False: "false"}.get(value, value) if isinstance(value, bool) else value
            terms.append(f"{field}{changer.random.choice(('=', '!=', '=='))}{value}")
        return f"{path}?{urllib.parse.urlencode({'fieldSelector': ','.join(terms)})}"

    def update(self, changer, seed, stored, verb):
        """The same change of what each side has stored."""
        theirs = stored[1]
        if verb == "status":
            field = objects.fields_of(seed.resource["type"]).get("status")
            status = changer.changed_anyhow(theirs.get("status", {}), field["ref"]) if field else {}
            return self.both(seed, stored, {**theirs, "status": status})
        return self.both(seed, stored, changer.changed_anyhow(theirs, seed.resource["type"]))

    def other(self, changer, seed, stored, name):
        """What is sent to a subresource that is not the status."""
        if name in SMALL:
            body = {**SMALL[name], "metadata": {"name": stored[1]["metadata"]["name"]}}
            body = changer.changed_anyhow(body, SMALL_TYPES[name])
            return body, body
        changed = json.loads(json.dumps(stored[1]))
        if name == "approval":
            changed["status"] = changer.changed_anyhow(changed.get("status", {}), objects.fields_of(seed.resource["type"])["status"]["ref"])
        elif name == "resize":
            container = changer.random.choice(changed["spec"]["containers"])
            container["resources"] = changer.changed_anyhow(container.get("resources", {}), "io.k8s.api.core.v1.ResourceRequirements")
        else:
            added = {"name": f"e{changer.random.randrange(3)}", "image": "i"}
            added = changer.changed_anyhow(added, "io.k8s.api.core.v1.EphemeralContainer")
            changed["spec"]["ephemeralContainers"] = changed["spec"].get("ephemeralContainers", []) + [added]
        if changer.random.random() < 0.1:
            changed = changer.changed_anyhow(changed, seed.resource["type"])
        return self.both(seed, stored, changed)

    def each_metadata(self):
        """Every odd metadata (edges.py) on an object of each kind: created, put over the stored one and its status."""
        for bases in self.bases.values():
            by_kind = {name_of(seed.resource): (seed, stored) for seed, stored in bases}
            for kind, (seed, stored) in by_kind.items():
                for name, value in ((name, value) for name, values in edges.METADATA for value in values):
                    meta = {"name": "new"} | {k: v for k, v in seed.body.get("metadata", {}).items() if k not in ("name", "generateName")} | {name: value}
                    if name == "generateName":
                        del meta["name"]
                    sent = {**seed.body, "metadata": meta}
                    self.compared(f"{kind} create {name}", "POST", self.ours.path(seed) + "?dryRun=All", (sent, sent))
                    for sub in ("", "/status") if seed.resource.get("status_subresource") else ("",):
                        bodies = self.both(seed, stored, {**stored[1], "metadata": {**stored[1]["metadata"], name: value}})
                        self.compared(f"{kind} update{sub} {name}", "PUT", f"{self.ours.path(seed)}/{stored[0]['metadata']['name']}{sub}?dryRun=All", bodies)

    def both(self, seed, stored, changed):
        """The object for each side, of what the real server's is changed to."""
        theirs = stored[1]
        # The identity is in more places, as in the labels and the selector of a job.
        ours = json.loads(json.dumps(changed).replace(theirs["metadata"]["uid"], stored[0]["metadata"]["uid"]))
        ours = with_own_times(ours, stored[1], stored[0])
        own = {k: stored[0]["metadata"][k] for k in ("resourceVersion", "creationTimestamp") if changed["metadata"].get(k) == stored[1]["metadata"][k]}
        ours = {**ours, "metadata": {**ours["metadata"], **own}}
        if seed.resource["resource"] == "services":
            ours = own_choices(ours, stored[1], stored[0])
        for body in (ours, changed):
            body["metadata"] = {k: v for k, v in body["metadata"].items() if k != "managedFields" or v != theirs["metadata"].get(k)}
        return ours, changed


def work(run, options):
    """Each thread has its own sequence, so that a seed says which objects are sent."""
    words = objects.Words()

    def thread(number):
        changer = objects.Changer(f"{options.seed}-{number}", words)
        for _ in range(options.objects // JOBS):
            run.one(changer)

    with concurrent.futures.ThreadPoolExecutor(JOBS) as pool:
        for done in [pool.submit(thread, n) for n in range(JOBS)]:
            done.result()


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--program", default=str(ROOT / "build/release/src/server/fairlead"))
    parser.add_argument("--objects", type=int, default=50000)
    parser.add_argument("--seed", default="1")
    parser.add_argument("--only", default="", help="regular expression on group/version/resource")
    parser.add_argument("--gates", action="store_true", help="with the feature gates that change types (the reference, too, then)")
    parser.add_argument("--metadata", action="store_true", help="every odd metadata on each kind instead")
    parser.add_argument("--show", type=int, default=40, help="how many kinds of difference are printed")
    parser.add_argument("--reference", help="the address of a running real server")
    parser.add_argument("--out", help="a file for the examples")
    options = parser.parse_args()
    out = open(options.out, "w") if options.out else None
    differences = answers.Tally(HERE / "known.txt", out)
    run_name = f"{random.randrange(1 << 32):x}"
    with contextlib.ExitStack() as stack:
        flags = wire.FEATURES if options.gates else FLAGS
        ours = stack.enter_context(started_program(options.program, flags + OURS))
        theirs = options.reference or stack.enter_context(started(peers(), flags))
        begin = time.monotonic()
        run = Run([Side(url, run_name) for url in (ours, theirs)], options, differences)
        run.each_metadata() if options.metadata else work(run, options)
        run.removed()
    differences.show(options.show)
    print(f"{differences.compared} objects of {sum(map(len, run.bases.values()))} forms compared in {time.monotonic() - begin:.0f} s, {differences.summary()}")
    sys.exit(1 if differences.count else 0)


if __name__ == "__main__":
    main()
