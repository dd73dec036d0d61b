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
import collections
import concurrent.futures
import contextlib
import json
import os
import pathlib
import random
import re
import sys
import tempfile
import threading
import time

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent.parent
for folder in ("bench", "tests/wire", "tests/reference"):
    sys.path.insert(0, str(ROOT / folder))
import compare
import objects
from pair import Pair, peers
from play import CONNECTION_ERRORS, Client

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
CHANCE = {"replace": ANY["replace"] + [[r"\b10\.0\.0\.\d+\b", "<address>"], [r"\{(TCP|UDP|SCTP) \d+\}", r"{\1 <port>}"]], "volatile": ["spec.ports[*].nodePort", "spec.healthCheckNodePort"]}
JSON = {"Content-Type": "application/json"}


def answer(client, method, target, body):
    status, headers, raw = client.request(method, target, JSON, json.dumps(body).encode())
    text = raw.decode("utf-8", "replace").replace("\u00a0", " ")  # Go's differences have either space, by chance, from start to end of a process
    try:
        decoded = json.loads(text)
    except ValueError:
        decoded = {"text": text}
    return compare.comparable(compare.shape(CHANCE if "/services" in target else ANY, status, headers, without_chance(decoded), ()), False)


def without_chance(x):
    """Differences with their lines in order: which of equal items is shown as the new one, Go chooses by chance, once in a process."""
    if isinstance(x, dict):
        return {key: without_chance(value) for key, value in x.items()}
    if isinstance(x, list):
        return [without_chance(v) for v in x]
    return "\n".join(sorted(x.split("\n"))) if isinstance(x, str) and "\n  core." in x else x


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


def texts_of(body):
    """What a Status says is wrong, cause by cause."""
    causes = (body.get("details") or {}).get("causes") if isinstance(body, dict) else None
    if causes:
        return [f"{c.get('field', '')}: {c.get('message', '')}" for c in causes]
    return [body.get("message", "")] if isinstance(body, dict) and body.get("kind") == "Status" else []


def differing_path(a, b, path=""):
    """The first place where two documents differ."""
    if type(a) is not type(b):
        return path
    if isinstance(a, dict):
        for key in sorted(a.keys() | b.keys()):
            if a.get(key) != b.get(key):
                return differing_path(a[key], b[key], f"{path}.{key}") if key in a and key in b else f"{path}.{key}"
    if isinstance(a, list):
        for x, y in zip(a, b):
            if x != y:
                return differing_path(x, y, path + "[]")
    return path


def general(text):
    """Without what is of this one object."""
    text = re.sub(r'"(?:[^"\\]|\\.)*"', '"…"', text)
    return re.sub(r"\d+", "#", re.sub(r"\[[^\]]*\]", "[]", text))[:200]


def kind_of(ours, theirs):
    """A short word for how two answers differ."""
    a, b = ours["body"], theirs["body"]
    wrong_a, wrong_b = texts_of(a), texts_of(b)
    if wrong_a != wrong_b:
        missing = [t for t in wrong_b if t not in wrong_a]
        extra = [t for t in wrong_a if t not in wrong_b]
        if missing:
            return "does not say: " + general(missing[0]) + ("; says: " + general(extra[0]) if extra else "")
        return ("says: " + general(extra[0])) if extra else "says it in another order or number: " + general(next((t for s, t in zip(wrong_a, wrong_b) if s != t), wrong_b[-1]))
    if ours["status"] != theirs["status"]:
        return f"status {ours['status']}, there {theirs['status']}"
    if a != b:
        return "differs at " + differing_path(a, b)
    warnings = [general(w) for side in (theirs, ours) for w in side["headers"].get("warning", [])]
    return "headers: " + "; ".join(warnings)


class Differences:
    def __init__(self, out):
        self.lock, self.out = threading.Lock(), out
        self.count, self.examples, self.compared, self.refused = collections.Counter(), {}, 0, 0
        lines = [line.partition("#") for line in (HERE / "known.txt").read_text().splitlines()]
        self.known = [re.compile(line[0].strip()) for line in lines if line[0].strip()]
        self.meant = self.hung_up = 0

    def add(self, resource, verb, target, body, ours, theirs):
        with self.lock:
            self.compared += 1
            self.refused += theirs["status"] >= 400
            if ours == theirs:
                return
            key = f"{resource} {verb}: {kind_of(ours, theirs)}"
            if any(k.search(key) for k in self.known):
                self.meant += 1
                return
            self.count[key] += 1
            example = {"key": key, "target": target, "body": body, "ours": ours, "theirs": theirs}
            if self.out and self.count[key] <= 5:
                self.out.write(json.dumps(example) + "\n")
            if key not in self.examples or len(json.dumps(body)) < len(json.dumps(self.examples[key]["body"])):
                self.examples[key] = example


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
            answers = [answer(side.client, method, target, body) for side, body in zip((self.ours, self.theirs), bodies)]
        except CONNECTION_ERRORS:  # the real server panics at some objects and hangs up; if it was ours, it does not answer the next either
            self.differences.hung_up += 1
            return
        # Errors of a map's entries come in Go's order of the moment: the same ones in ours are as good.
        for _ in range(ORDERS):
            if answers[0] == answers[1] or sorted(texts_of(answers[0]["body"])) != sorted(texts_of(answers[1]["body"])):
                break
            answers[1] = answer(self.theirs.client, method, target, bodies[1])
        self.differences.add(f"{seed.resource['group']}/{seed.resource['version']}/{seed.resource['resource']}", verb, target, bodies[1], *answers)

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


@contextlib.contextmanager
def started(binaries, flags=()):
    """The address of a server that runs meanwhile."""
    if not binaries:
        sys.exit("there is no kube-apiserver to compare with: set FAIRLEAD_PEERS, or install Go")
    pair = Pair(binaries, [*FLAGS, *flags])
    try:
        pair.start()
        yield pair.url
    finally:
        pair.stop()


def links_to(program, stack):
    """A folder where the program has the names of the real ones."""
    folder = stack.enter_context(tempfile.TemporaryDirectory())
    for name in ("kube-apiserver", "etcd"):
        os.symlink(pathlib.Path(program).resolve(), os.path.join(folder, name))
    return folder


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
    differences = Differences(out)
    run_name = f"{random.randrange(1 << 32):x}"
    with contextlib.ExitStack() as stack:
        ours = stack.enter_context(started(links_to(options.program, stack), OURS))
        theirs = options.reference or stack.enter_context(started(peers()))
        begin = time.monotonic()
        run = Run([Side(url, run_name) for url in (ours, theirs)], options, differences)
        work(run, options)
    for key, count in differences.count.most_common(options.show):
        example = differences.examples[key]
        print(f"{count:6} {key}\n       {example['target']} {json.dumps(example['body'])[:600]}")
        for side in ("theirs", "ours"):
            said = example[side]
            print(f"         {side}: {said['status']} {'; '.join(texts_of(said['body']))[:400]}")
    print(f"{differences.compared} objects of {sum(map(len, run.bases.values()))} forms compared in {time.monotonic() - begin:.0f} s, {differences.refused} refused by the reference; "
          f"{sum(differences.count.values())} differ in {len(differences.count)} ways, {differences.meant} as they are meant to; {differences.hung_up} times a server hung up")
    sys.exit(1 if differences.count else 0)


if __name__ == "__main__":
    main()
