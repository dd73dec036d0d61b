#!/usr/bin/env python3
"""Find writes that make rules do what no recorded write does yet, ask the real server for its answers, and record them in tests/data/rules.

  find_cases.py [--candidates 20000] [--seed 1] [--only REGEX] [--rounds 4] [--reference URL] [--from FILE]

Candidates are the valid objects of tests/reference (objects.py) with a field or several changed, and what earlier rounds found with more changed.
`rule_effects`, of the `coverage` preset, tells which of them run a region, lead to an error by a call, or break or keep a row of a table that
nothing before did. Of those a set is chosen that has all these effects, each is made as small as it can be, and the real server is asked.
--from takes the candidates of a file in place of random ones: written by hand, a line each {"resource": "GROUP/VERSION/RESOURCE", "object": {...}}, for
an update with "stored" (the object as it is created first), "status" (put to its status), "deleted" (true: deleted, with a finalizer that keeps it),
and "subresource"; "change" may stand for "object", a merge patch on what is stored; {"$repeat": N, "of": ITEM} stands for a text N times, or a
list of N items ("list": true where they are texts), "@" in each being its number. They are recorded whether they have new effects or not.
The real server runs without admission plugins, with every version served. What it answers differently each time is left out.
"""
import argparse
import contextlib
import copy
import heapq
import json
import os
import pathlib
import random
import re
import subprocess
import sys
import time

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent.parent
for folder in ("bench", "tests/wire", "tests/reference"):
    sys.path.insert(0, str(ROOT / folder))
import compare
import objects
from pair import peers
from play import CONNECTION_ERRORS, Client
from servers import started

DATA = ROOT / "tests/data/rules"
EFFECTS = ROOT / "build/coverage/tests/rules/rule_effects"
NAMESPACE = "rules"  # rule_player.h
PLUGINS = """AlwaysAdmit,AlwaysDeny,AlwaysPullImages,CertificateApproval,CertificateSigning,CertificateSubjectRestriction,ClusterTrustBundleAttest,DefaultIngressClass,
DefaultStorageClass,DefaultTolerationSeconds,LimitRanger,MutatingAdmissionPolicy,MutatingAdmissionWebhook,PersistentVolumeClaimResize,PodSecurity,Priority,ResourceQuota,
RuntimeClass,StorageObjectInUseProtection,TaintNodesByCondition,ValidatingAdmissionPolicy,ValidatingAdmissionWebhook""".replace("\n", "")
FLAGS = ["--runtime-config=api/all=true", "--feature-gates=ClusterTrustBundle=true,MutatingAdmissionPolicy=true", f"--disable-admission-plugins={PLUGINS}"]
JSON = {"Content-Type": "application/json"}
# Subresources that take the object itself, beside status.
OTHERS = {"pods": ["ephemeralcontainers"], "certificatesigningrequests": ["approval"], "namespaces": ["finalize"]}
# Kinds whose objects the real server itself writes to, and how long until it has, in seconds.
WATCHED, SETTLES = (*objects.DEFINITIONS, "flowschemas", "prioritylevelconfigurations"), 0.3
# Kinds whose names say what they are.
OWN_NAMES = ("customresourcedefinitions", "apiservices", "storageversions")
# What waits for expressions to be compiled (docs/status.md), and what is as it is because of other objects.
APART = re.compile(r"compilation failed|must evaluate to|program instantiation failed|already allocated")
# How often the real server is asked: what it answers in several ways is not recorded.
ASKED = 4
DEPRECATED = re.compile(r"^\S+/v\S+ \w+ is deprecated in v1\.\d+")  # said by the handlers of a version, whatever the object


def key_of(resource):
    return f"{resource['group']}/{resource['version']}/{resource['resource']}"


BY_KEY = {key_of(r): r for r in objects.RESOURCES}


class Write:
    """One write: `object` sent, in place of `old` where it is an update."""

    def __init__(self, resource, sent, old=None, subresource="", base=None):
        self.resource, self.sent, self.old, self.subresource, self.base = resource, sent, old, subresource, base

    def line(self, **more):
        place = {name: self.resource[name] for name in ("group", "version", "resource")}
        old = {"old": self.old} if self.old else {}
        return json.dumps({**place, "subresource": self.subresource, "object": self.sent, **old, **more})


class Effects:
    """The program that tells what a write does to the rules."""

    def __init__(self):
        self.process = subprocess.Popen([str(EFFECTS)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, env={**os.environ, "LLVM_PROFILE_FILE": "/dev/null"})

    def ask(self, write, **more):
        self.process.stdin.write(write.line(**more) + "\n")
        self.process.stdin.flush()
        reply = self.process.stdout.readline()
        if not reply:
            sys.exit("rule_effects ended at " + write.line())
        return json.loads(reply)


class Reference:
    def __init__(self, url):
        self.client, self.made, self.run = Client(url, "admin-token"), 0, f"{random.randrange(1 << 16):x}"
        self.request("POST", "/api/v1/namespaces", {"metadata": {"name": NAMESPACE}})

    def request(self, method, target, body=None):
        status, headers, raw = self.client.request(method, target, JSON, None if body is None else json.dumps(body).encode())
        text = raw.decode("utf-8", "replace").replace("\u00a0", " ")  # Go's differences have either space, by chance
        warnings = [value for name, value in headers if name.lower() == "warning"]
        try:
            return status, warnings, json.loads(text)
        except ValueError:
            return status, warnings, {"message": text}

    def path(self, resource):
        return objects.Seed(resource, {}).path(NAMESPACE)

    def stored(self, resource, body, status=None, deleted=False):
        """The object as the real server has it once it is created; None where it cannot be."""
        self.made += 1
        given = body.get("metadata", {}).get("name", "")
        # Names of bundles begin with their signer's.
        name = given if resource["resource"] in OWN_NAMES else given[:given.rfind(":") + 1] + f"base-{self.run}-{self.made}"
        body = {**body, "metadata": {**body.get("metadata", {}), "name": name}}
        body["metadata"].pop("generateName", None)
        if not deleted:
            body["metadata"].pop("finalizers", None)
        path = self.path(resource)
        code, _, answer = self.request("POST", path, body)
        if code != 201:
            return None
        status = body.get("status") if status is None else status
        if status and resource.get("status_subresource"):
            self.request("PUT", f"{path}/{name}/status", {**answer, "status": status})
        if deleted:
            self.request("DELETE", f"{path}/{name}")
        if resource["resource"] in WATCHED:
            time.sleep(SETTLES)
        code, _, answer = self.request("GET", f"{path}/{name}")
        return shown(answer) if code == 200 else None

    def answer(self, write):
        """Of a dry run, as the files have it; None where it is not always the same."""
        path, method = self.path(write.resource), "POST"
        if write.old:
            path, method = f"{path}/{write.old['metadata']['name']}" + ("/" + write.subresource if write.subresource else ""), "PUT"
        answers = []
        for _ in range(ASKED):
            try:
                answers.append(recorded(*self.request(method, path + "?dryRun=All&fieldValidation=Ignore", write.sent)))
            except CONNECTION_ERRORS:  # the real server panics at some objects and hangs up
                return None
            if answers[-1] != answers[0]:
                return None
            if answers[0]["code"] < 300 and len(answers) == 2:
                break
        return answers[0]


def shown(stored):
    """Without who owns which field."""
    return {**stored, "metadata": {k: v for k, v in stored["metadata"].items() if k != "managedFields"}}


def recorded(status, warnings, body):
    answer = {"code": status}
    if status >= 300:
        answer["reason"] = body.get("reason", "")
        causes = (body.get("details") or {}).get("causes")
        if causes:
            answer["causes"] = [{**c, "message": compare.comparable(c.get("message", ""), False)} for c in causes]
        else:
            answer["message"] = compare.comparable(body.get("message", ""), False)
    texts = [json.loads(re.sub(r"^299 - ", "", w)) for w in warnings]
    texts = [t for t in texts if not DEPRECATED.match(t)]
    return {**answer, **({"warnings": texts} if texts else {})}


def merge_patch(old, new):
    patch = {k: None for k in old if k not in new}
    for key, value in new.items():
        if key not in old:
            patch[key] = value
        elif isinstance(value, dict) and isinstance(old[key], dict):
            inside = merge_patch(old[key], value)
            if inside:
                patch[key] = inside
        elif value != old[key]:
            patch[key] = value
    return patch


def patched(document, patch):
    if not isinstance(patch, dict):
        return patch
    document = dict(document) if isinstance(document, dict) else {}
    for key, value in patch.items():
        document.pop(key, None) if value is None else document.__setitem__(key, patched(document.get(key), value))
    return document


class File:
    """Recorded writes of one resource: lines of objects that are stored, and of writes."""

    def __init__(self, group, resource):
        self.path = DATA / f"{group + '.' if group else ''}{resource}.jsonl"
        self.lines = [json.loads(line) for line in self.path.read_text().splitlines()] if self.path.exists() else []
        self.group, self.resource = group, resource

    def writes(self):
        stored = {line["name"]: line["stored"] for line in self.lines if "stored" in line}
        for line in self.lines:
            if "answer" in line:
                old = stored.get(line.get("update"))
                sent = line["object"] if "object" in line else patched(old, line["change"])
                yield Write(BY_KEY[f"{self.group}/{line['version']}/{self.resource}"], sent, old, line.get("subresource", ""))

    def add(self, write, answer):
        line = {"version": write.resource["version"]}
        if write.old:
            line["update"] = self.name_of(write.old)
            if write.subresource:
                line["subresource"] = write.subresource
        change = merge_patch(write.old, write.sent) if write.old else None
        if change is not None and patched(write.old, change) == write.sent:
            line["change"] = change
        else:
            line["object"] = write.sent
        self.lines.append({**line, "answer": answer})

    def name_of(self, old):
        for line in self.lines:
            if line.get("stored") == old:
                return line["name"]
        name = old["metadata"]["name"]
        taken = {line["name"] for line in self.lines if "stored" in line}
        while name in taken:
            name += "-x"
        self.lines.append({"name": name, "stored": old})
        return name

    def save(self):
        self.path.write_text("".join(json.dumps(line, ensure_ascii=False) + "\n" for line in self.lines))


class Expressions:
    """Those of the seeds, by the member and the list that they stand in: others would mostly not compile."""

    def __init__(self, seeds):
        self.known = {}
        for seed in seeds:
            self.walk(seed.body, "", lambda place, text: self.known.setdefault(place, []).append(text) or text)

    def walk(self, x, inside, function):
        for key, value in list(x.items() if isinstance(x, dict) else enumerate(x) if isinstance(x, list) else ()):
            if isinstance(value, str) and key in ("expression", "messageExpression", "valueExpression"):
                x[key] = function((inside, key), value)
            else:
                self.walk(value, key if isinstance(key, str) else inside, function)

    def mend(self, x, chance):
        """Puts those that are known in place of others, empty ones aside."""
        self.walk(x, "", lambda place, text: text if not text or text in self.known.get(place, [text]) else chance.choice(self.known[place]))


class Search:
    def __init__(self, effects, reference, options):
        self.effects, self.reference, self.options = effects, reference, options
        self.random, self.changer = random.Random(options.seed), objects.Changer(options.seed)
        self.seeds = [s for s in objects.seeds(with_definitions=True) if re.search(options.only, key_of(s.resource))]
        self.bases, self.bodies, self.found, self.expressions = {}, {}, [], Expressions(self.seeds)
        for seed in self.seeds:
            name = seed.resource["resource"]
            self.bodies.setdefault(name, []).append((seed.resource, seed.body))
            self.add_base(seed.resource, seed.body)

    def add_base(self, resource, body, status=None):
        stored = self.reference.stored(resource, body, status)
        if stored:
            self.bases.setdefault(resource["resource"], []).append((resource, stored))

    def candidate(self):
        names = list(self.bodies)
        name = self.random.choices(names, [len(objects.ways_of(self.bodies[n][0][0]["type"])) ** 0.5 for n in names])[0]
        subresources = ["", "", "", "status" if self.bodies[name][0][0].get("status_subresource") else "", *OTHERS.get(name, ())]
        if self.random.random() < 0.5 or name not in self.bases:
            resource, body = self.random.choice(self.bodies[name])
            body = {**body, "metadata": {**body.get("metadata", {})}}
            body["metadata"].setdefault("name", "x")
            body["metadata"].pop("generateName", None)
            return Write(resource, self.changer.changed_anyhow(body, resource["type"]))
        resource, old = self.random.choice(self.bases[name])
        subresource = self.random.choice(subresources)
        changed = copy.deepcopy(old)
        field = objects.fields_of(resource["type"]).get("status")
        if subresource in ("status", "approval") and field:
            changed["status"] = self.changer.changed_anyhow(old.get("status", {}), field["ref"])
        if subresource in ("", "finalize", "ephemeralcontainers") or self.random.random() < 0.1:
            changed = self.changer.changed_anyhow(changed, resource["type"])
        return Write(resource, self.settled(changed, old), old, subresource)

    def settled(self, changed, old):
        """What names the object is not changed: answers to that are the handlers'."""
        for name in ("name", "namespace", "uid", "resourceVersion"):
            if name in old["metadata"]:
                changed.setdefault("metadata", {})[name] = old["metadata"][name]
        return changed

    def round(self, number):
        fresh = []
        for _ in range(self.options.candidates // self.options.rounds):
            write = self.candidate()
            self.expressions.mend(write.sent, self.random)
            reply = self.effects.ask(write)
            if reply["code"] and reply["new"]:
                fresh.append((write, reply))
                if not write.old:
                    self.bodies[write.resource["resource"]].append((write.resource, write.sent))
        self.found += [write for write, _ in fresh]
        print(f"round {number}: {len(fresh)} with new effects", flush=True)
        if number == self.options.rounds:
            return
        for write, reply in fresh:
            if reply["code"] < 300 and not write.old:
                self.add_base(write.resource, write.sent)
            elif reply["code"] < 300:
                self.add_base(write.resource, {k: v for k, v in write.sent.items() if k != "status"} | {"metadata": plain(write.sent)}, write.sent.get("status"))


def plain(sent):
    return {k: v for k, v in sent["metadata"].items() if k in ("labels", "annotations", "name")}


def chosen(effects, writes, known):
    """Of `writes` a few that have all effects beyond `known` together, each with those that are its own to show."""
    queue = []
    for number, write in enumerate(writes):
        having = set(effects.ask(write, ask="all").get("effects", ())) - known
        heapq.heappush(queue, (-len(having), len(json.dumps(write.sent)), number, having))
    taken, covered = [], set()
    while queue:
        _, size, number, having = heapq.heappop(queue)
        own = having - covered
        if queue and own and (-len(own), size) > queue[0][:2]:
            heapq.heappush(queue, (-len(own), size, number, own))
        elif own:
            covered |= own
            taken.append((writes[number], own))
    return taken


def places(x, path=()):
    """Where something can be left out: the inner ones last."""
    items = x.items() if isinstance(x, dict) else enumerate(x) if isinstance(x, list) else ()
    for key, value in items:
        if not (path == () and key in ("apiVersion", "kind")) and path + (key,) not in (("metadata",), ("metadata", "name")):
            yield path + (key,)
        yield from places(value, path + (key,))


def left_out(x, path):
    x = json.loads(json.dumps(x))  # nothing in two places
    at = x
    for key in path[:-1]:
        at = at[key]
    del at[path[-1]]
    return x


def without_place(left, path):
    """The places that are left when what `path` leads to is gone: nothing inside it, later items of its list moved up."""
    at, gone = len(path) - 1, path[-1]
    for other in left:
        if other[:at + 1] == path:
            continue
        moved = isinstance(gone, int) and other[:at] == path[:at] and len(other) > at and other[at] > gone
        yield other[:at] + (other[at] - 1,) + other[at + 1:] if moved else other


def smallest(effects, write, wanted):
    """The create with everything left out that `wanted` does not need; an update as it is, for its change is small."""
    if write.old:
        return write
    left = sorted(places(write.sent), key=len)
    while left:
        path = left.pop(0)
        less = Write(write.resource, left_out(write.sent, path))
        if effects.ask(less, ask=sorted(wanted)).get("has"):
            write, left = less, list(without_place(left, path))
    return write


def expanded(x):
    """With {"$repeat": N, "of": ITEM} written out: a text N times, or a list of N items, "@" in each being its number."""
    if isinstance(x, dict) and "$repeat" in x:
        of, count = x["of"], x["$repeat"]
        return of * count if isinstance(of, str) and not x.get("list") else [json.loads(json.dumps(of).replace("@", str(i))) for i in range(count)]
    if isinstance(x, dict):
        return {key: expanded(value) for key, value in x.items()}
    return [expanded(value) for value in x] if isinstance(x, list) else x


def by_hand(reference, path):
    for line in pathlib.Path(path).read_text().splitlines():
        if not line.strip() or line.startswith("#"):
            continue
        case = expanded(json.loads(line))
        resource = BY_KEY[case["resource"]]
        group = f"{resource['group']}/" if resource["group"] else ""
        whole = lambda body: {"apiVersion": group + resource["version"], "kind": resource["kind"], **body, "metadata": {"name": "x", **body.get("metadata", {})}}
        if "stored" not in case:
            yield Write(resource, whole(case["object"]))
            continue
        old = reference.stored(resource, whole(case["stored"]), case.get("status"), case.get("deleted", False))
        if old is None:
            print("cannot be stored: " + line)
            continue
        sent = patched(old, case["change"]) if "change" in case else {**whole(case["object"]), "metadata": {**old["metadata"], **case["object"].get("metadata", {})}}
        yield Write(resource, sent, old, case.get("subresource", ""))


def record(reference, writes):
    files, kept, left = {}, 0, 0
    for write in writes:
        answer = reference.answer(write)
        if answer is None or answer["code"] in (400, 409, 429, 500, 503, 504) or APART.search(json.dumps(answer)):
            print(f"left out: {answer}: {write.line()[:300]}")
            left += 1
            continue
        place = (write.resource["group"], write.resource["resource"])
        file = files[place] = files.get(place) or File(*place)
        file.add(write, answer)
        file.save()
        kept += 1
    print(f"recorded {kept}, left out {left}")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--candidates", type=int, default=20000)
    parser.add_argument("--rounds", type=int, default=4)
    parser.add_argument("--seed", default="1")
    parser.add_argument("--only", default="", help="regular expression on group/version/resource")
    parser.add_argument("--reference", help="the address of a running real server (with the token admin-token and FLAGS)")
    parser.add_argument("--from", dest="file", help="candidates written by hand")
    options = parser.parse_args()
    DATA.mkdir(parents=True, exist_ok=True)
    with contextlib.nullcontext(options.reference) if options.reference else started(peers(), FLAGS) as url:
        reference = Reference(url)
        if options.file:
            return record(reference, by_hand(reference, options.file))
        effects = Effects()
        known = set()
        for path in sorted(DATA.glob("*.jsonl")):
            group, _, resource = path.stem.rpartition(".")
            for write in File(group, resource).writes():
                effects.ask(write)
                known.update(effects.ask(write, ask="all").get("effects", ()))
        search = Search(effects, reference, options)
        for number in range(1, options.rounds + 1):
            search.round(number)
        taken = chosen(effects, search.found, known)
        print(f"{len(taken)} chosen of {len(search.found)}", flush=True)
        record(reference, (smallest(effects, write, own) for write, own in taken))


if __name__ == "__main__":
    main()
