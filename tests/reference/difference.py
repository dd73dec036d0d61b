#!/usr/bin/env python3
"""Send the same random objects to Fairlead and to kube-apiserver, and tell where the answers differ.

  difference.py --program FILE [--objects 50000] [--seed 1] [--only REGEX] [--out FILE]

Objects are the valid ones of the conversations with a field or several changed (objects.py), created with dryRun=All, and put over
stored ones, on the object and on its status. Answers are compared as the conversations' are: status, warnings, the whole body. What differs is
counted by resource and kind of difference, the most frequent first, with an example each; --out takes every example as JSON lines.
Differences that are meant are listed in known.txt with their reason: a regular expression on "resource verb: difference".
The peers are found as for the benchmarks (bench/pair.py). Exit status 1 when something differs that is not known.
"""
import argparse
import collections
import concurrent.futures
import json
import os
import pathlib
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
from play import Client

NAMESPACE = "difference"
FLAGS = ["--runtime-config=api/all=true"]
JOBS = 6


def answer(client, method, target, body):
    status, headers, raw = client.request(method, target, {"Content-Type": "application/json"}, json.dumps(body).encode())
    try:
        decoded = json.loads(raw)
    except ValueError:
        decoded = {"text": raw.decode("utf-8", "replace")}
    return compare.comparable(compare.shape({}, status, headers, decoded, ()), False)


class Side:
    """One of the servers."""

    def __init__(self, binaries):
        self.pair = Pair(binaries, FLAGS)
        self.pair.start()
        self.client = Client(self.pair.url, "admin-token")
        self.client.request("POST", "/api/v1/namespaces", {"Content-Type": "application/json"},
                            json.dumps({"metadata": {"name": NAMESPACE}}).encode())

    def stored(self, seed, name):
        """The object as it is after a create; None where it cannot be."""
        body = {**seed.body, "metadata": {**seed.body.get("metadata", {}), "name": name}}
        body["metadata"].pop("generateName", None)
        status, _, raw = self.client.request("POST", seed.path(NAMESPACE), {"Content-Type": "application/json"}, json.dumps(body).encode())
        if status not in (201, 409):
            return None
        status, _, raw = self.client.request("GET", seed.path(NAMESPACE) + "/" + name, {}, None)
        return json.loads(raw) if status == 200 else None


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
        return ("says: " + general(extra[0])) if extra else "says it in another order or number: " + general(wrong_b[0])
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
        self.meant = 0

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
        stored = [side.stored(seed, f"base-{number}") for side in (self.ours, self.theirs)]
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
            bodies, method, target = (body, body), "POST", seed.path(NAMESPACE)
        else:
            method, target = "PUT", f"{seed.path(NAMESPACE)}/{stored[0]['metadata']['name']}"
            target += "/status" if verb == "status" else ""
            bodies = self.update(changer, seed, stored, verb)
        target += "?dryRun=All"
        answers = [answer(side.client, method, target, body) for side, body in zip((self.ours, self.theirs), bodies)]
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
        ours = {**changed, "metadata": {**changed["metadata"], **{k: stored[0]["metadata"][k] for k in ("uid", "resourceVersion", "creationTimestamp")}}}
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
    parser.add_argument("--out", help="a file for the examples")
    options = parser.parse_args()
    other = peers()
    if not other:
        sys.exit("there is no kube-apiserver to compare with: set FAIRLEAD_PEERS, or install Go")
    out = open(options.out, "w") if options.out else None
    differences = Differences(out)
    sides = []
    with tempfile.TemporaryDirectory() as links:
        for name in ("kube-apiserver", "etcd"):
            os.symlink(pathlib.Path(options.program).resolve(), os.path.join(links, name))
        try:
            for binaries in (links, other):
                sides.append(Side(binaries))
            begin = time.monotonic()
            run = Run(sides, options, differences)
            work(run, options)
        finally:
            for side in sides:
                side.pair.stop()
    for key, count in differences.count.most_common(options.show):
        example = differences.examples[key]
        print(f"{count:6} {key}\n       {example['target']} {json.dumps(example['body'])[:600]}")
        for side in ("theirs", "ours"):
            said = example[side]
            print(f"         {side}: {said['status']} {'; '.join(texts_of(said['body']))[:400]}")
    print(f"{differences.compared} objects of {sum(map(len, run.bases.values()))} forms compared in {time.monotonic() - begin:.0f} s, {differences.refused} refused by the reference; "
          f"{sum(differences.count.values())} differ in {len(differences.count)} ways, {differences.meant} as they are meant to")
    sys.exit(1 if differences.count else 0)


if __name__ == "__main__":
    main()
