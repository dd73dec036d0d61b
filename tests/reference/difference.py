#!/usr/bin/env python3
"""Send the same random objects to Fairlead and to kube-apiserver, and tell where the answers differ.

  difference.py --program FILE [--objects 50000] [--seed 1] [--only REGEX] [--out FILE] [--reference URL]

Objects are the valid ones of the conversations with a field or several changed (objects.py), created with dryRun=All, and put over
stored ones, on the object and on its status. Answers are compared as the conversations' are: status, warnings, the whole body. What differs is
counted by resource and kind of difference, the most frequent first, with an example each; --out takes every example as JSON lines.
Differences that are meant are listed in known.txt with their reason: a regular expression on "resource verb: difference".
The peers are found as for the benchmarks (bench/pair.py), unless --reference names a server that runs (with the token admin-token and FLAGS). Exit status 1 when something differs that is not known.
"""
import argparse
import concurrent.futures
import contextlib
import json
import pathlib
import random
import re
import sys
import time

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent.parent
for folder in ("bench", "tests/wire", "tests/reference"):
    sys.path.insert(0, str(ROOT / folder))
import answers
import compare
import objects
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
# Objects of other runs that an answer names; amounts in the differences of a refused change, which are told as they would be stored (docs/deviations.md).
ANY = {"replace": [[r"\bbase-[0-9a-f]+-", "base-"], [r'resource\.int64Amount\{[^}]*\}(, s: "[^"]*")?', "<amount>"]]}
# What a server chooses for a service.
CHANCE = {"replace": ANY["replace"] + [[r"\b10\.0\.0\.\d+\b", "<address>"], [r"\{(TCP|UDP|SCTP) \d+\}", r"{\1 <port>}"]], "volatile": ["spec.ports[*].nodePort", "spec.healthCheckNodePort"]}
JSON = {"Content-Type": "application/json"}


def answer(client, method, target, body):
    status, headers, raw = client.request(method, target, JSON, json.dumps(body).encode())
    return shaped(target, status, headers, raw.decode("utf-8", "replace"))


def shaped(target, status, headers, text):
    """The comparable form of an answer."""
    text = text.replace("\u00a0", " ")  # Go's differences have either space, by chance, from start to end of a process
    try:
        decoded = json.loads(text)
    except ValueError:
        decoded = {"text": text}
    return compare.comparable(compare.shape(CHANCE if "/services" in target else ANY, status, headers, answers.without_chance(decoded), ()), False)


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
        self.differences = differences
        chosen = [s for s in objects.seeds() if re.search(options.only, f"{s.resource['group']}/{s.resource['version']}/{s.resource['resource']}")]
        self.bases = {}
        for base in filter(None, (self.base(i, s) for i, s in enumerate(chosen))):
            self.bases.setdefault(base[0].resource["resource"], []).append(base)

    def base(self, number, seed):
        stored = [side.stored(seed, f"base-{self.ours.run}-{number}") for side in (self.ours, self.theirs)]
        return (seed, stored) if all(stored) else None

    def one(self, changer):
        seed, stored = changer.pick(self.bases)
        verb = changer.random.choices(("create", "update", "status"), (50, 40, 10))[0]
        if verb == "status" and not seed.resource.get("status_subresource"):
            verb = "update"
        if verb == "create":
            name = f"new-{changer.random.randrange(10**9)}"
            body = changer.changed({**seed.body, "metadata": {**seed.body.get("metadata", {}), "name": name}}, seed.resource["type"])
            body["metadata"].pop("generateName", None)
            bodies, method, target = (body, body), "POST", self.ours.path(seed)
        else:
            method, target = "PUT", f"{self.ours.path(seed)}/{stored[0]['metadata']['name']}"
            target += "/status" if verb == "status" else ""
            bodies = self.update(changer, seed, stored, verb)
        target += "?dryRun=All"
        try:
            theirs = answer(self.theirs.client, method, target, bodies[1])
        except CONNECTION_ERRORS:  # the real server panics at some objects and hangs up
            self.differences.hung_up += 1
            return
        try:
            ours = answer(self.ours.client, method, target, bodies[0])
        except CONNECTION_ERRORS as error:
            ours = {"status": 0, "headers": {}, "body": {"broken": type(error).__name__}}
        said = [ours, theirs]
        # Errors of a map's entries come in Go's order of the moment: the same ones in ours are as good.
        for _ in range(ORDERS):
            if said[0] == said[1] or sorted(answers.texts_of(said[0]["body"])) != sorted(answers.texts_of(said[1]["body"])):
                break
            said[1] = answer(self.theirs.client, method, target, bodies[1])
        resource = f"{seed.resource['group']}/{seed.resource['version']}/{seed.resource['resource']}"
        self.differences.add(f"{resource} {verb}", {"target": target, "body": bodies[1]}, *said)

    def update(self, changer, seed, stored, verb):
        """The same change of what each side has stored."""
        theirs = {k: v for k, v in stored[1].items()}
        if verb == "status":
            field = objects.fields_of(seed.resource["type"]).get("status")
            status = changer.changed(theirs.get("status", {}), field["ref"]) if field else {}
            changed = {**theirs, "status": status}
        else:
            changed = changer.changed(theirs, seed.resource["type"])
        # The identity is in more places, as in the labels and the selector of a job.
        ours = json.loads(json.dumps(changed).replace(theirs["metadata"]["uid"], stored[0]["metadata"]["uid"]))
        ours = with_own_times(ours, stored[1], stored[0])
        ours = {**ours, "metadata": {**ours["metadata"], **{k: stored[0]["metadata"][k] for k in ("uid", "resourceVersion", "creationTimestamp")}}}
        if seed.resource["resource"] == "services":
            ours = own_choices(ours, stored[1], stored[0])
        for body in (ours, changed):
            body["metadata"] = {k: v for k, v in body["metadata"].items() if k != "managedFields"}
        return ours, changed


def work(run, options):
    """Each thread has its own sequence, so that a seed says which objects are sent."""
    def thread(number):
        changer = objects.Changer(f"{options.seed}-{number}")
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
    parser.add_argument("--show", type=int, default=40, help="how many kinds of difference are printed")
    parser.add_argument("--reference", help="the address of a running real server")
    parser.add_argument("--out", help="a file for the examples")
    options = parser.parse_args()
    out = open(options.out, "w") if options.out else None
    differences = answers.Tally(HERE / "known.txt", out)
    run_name = f"{random.randrange(1 << 32):x}"
    with contextlib.ExitStack() as stack:
        ours = stack.enter_context(started_program(options.program, FLAGS + OURS))
        theirs = options.reference or stack.enter_context(started(peers(), FLAGS))
        begin = time.monotonic()
        run = Run([Side(url, run_name) for url in (ours, theirs)], options, differences)
        work(run, options)
    differences.show(options.show)
    print(f"{differences.compared} objects of {sum(map(len, run.bases.values()))} forms compared in {time.monotonic() - begin:.0f} s, {differences.summary()}")
    sys.exit(1 if differences.count else 0)


if __name__ == "__main__":
    main()
