#!/usr/bin/env python3
"""Play random sequences of applies, updates and patches by several managers on Fairlead and on kube-apiserver, and tell where they part.

  sequences.py [--sequences 100000] [--seed 1] [--workers 2] [--only REGEX] [--steps 3-8] [--reference URL] [--ours URL] [--log FILE] [--out FILE]
  sequences.py --about deletions|flows ...  how objects are deleted (deletions.py), what kubectl and controllers do (flows.py)
  sequences.py --again FILE      the sequences of an earlier --out once more

Each sequence has one object of its own (steps.py says what happens to it). After each step status, warnings and the whole body are compared, managedFields and
whether the resourceVersion moved among it; what servers choose by themselves has the same names on both sides (views.py). A sequence ends at its first
difference, is played again on new objects to see that it was no chance, and shortened as long as the difference stays.
What differs is counted by resource, verb and kind, with the shortest example; differences that are meant are listed in known.txt. The same seed makes
the same sequences. The servers are found as for difference.py. Exit status 1 when something differs that is not known.
"""
import argparse
import collections
import contextlib
import json
import multiprocessing
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
import deletions
import difference
import edits
import flows
import objects
from pair import peers
from play import CONNECTION_ERRORS, Client
from servers import started, started_program
from steps import KEPT, LEFT_OUT, Author, Form
from views import View

# Nothing that is stored may change or refuse another sequence's objects, nor be called.
FLAGS = ["--disable-admission-plugins=ServiceAccount,MutatingAdmissionWebhook,ValidatingAdmissionWebhook,ValidatingAdmissionPolicy,ResourceQuota,LimitRanger"]
AGENT = {"User-Agent": "sequences/1.0 (test)"}
# The version of a list counts what is written to other objects too.
OF_LIST = re.compile(rb'("kind":"\w+List","apiVersion":"[^"]*","metadata":\{"resourceVersion":")\d+')
# Errors that Go finds in the order of a map, and at the first of which it may stop: what we say is right if it ever says the same. Nothing was written.
BY_CHANCE, ORDERS = re.compile("failed to create typed patch object"), 40
# Of one kind of difference: how many sequences are shortened, and by how many tries.
SHORTENED, TRIES = 3, 60
REPORT_SECONDS = 60
ABOUT = {"changes": Author, "deletions": deletions.Author, "flows": flows.Author}


class Answer:
    def __init__(self, target, status, headers, raw, view):
        self.target, self.status, self.headers = target, status, headers
        self.raw = raw.decode("utf-8", "replace")
        self.text = view.named(self.raw)
        self.warnings = [v for k, v in headers if k == "warning"]

    def same(self, other):
        return self.text == other.text and self.status == other.status and self.warnings == other.warnings

    def object(self):
        """Named; None where the answer is none."""
        try:
            body = json.loads(self.text)
        except ValueError:
            return None
        return body if self.status < 300 and isinstance(body, dict) and body.get("kind") != "Status" and "items" not in body else None


class Side:
    """One server and one object there."""

    def __init__(self, client, form, namespace, name):
        self.client, self.form, self.namespace, self.name = client, form, namespace, name
        self.view = View()
        self.current = {}  # by (version, subresource or ""): the object as it is now, named

    def target(self, step):
        path = self.form.collection(step["version"], self.namespace)
        if step["method"] != "POST" and step["op"] != "deletecollection":
            path += "/" + self.name + ("/" + step["sub"] if step["sub"] else "")
        return path + ("?" + urllib.parse.urlencode(step["query"]).replace("%3Cname%3E", self.name) if step["query"] else "")

    def send(self, step):
        has_body = "edits" in step or step["body"] is not None
        body = self.view.filled(json.dumps(self.body(step)).replace("<name>", self.name)).encode() if has_body else None
        target = self.target(step)
        status, headers, raw = self.client.request(step["method"], target, {"Content-Type": step["type"], **AGENT}, body)
        answer = Answer(target, status, headers, OF_LIST.sub(rb"\g<1>0", raw.replace(self.name.encode(), b"<name>")), self.view)
        self.remember(step, answer)
        return answer

    def remember(self, step, answer):
        if step["query"].get("dryRun") or answer.status >= 300:
            return
        if step["method"] != "GET":
            self.current = {}
        if step["method"] != "DELETE":
            self.current[step["version"], "scale" if step["sub"] == "scale" else ""] = answer.object()

    def body(self, step):
        body = step["body"]
        if "edits" in step:
            live = self.current.get((step["version"], ""))
            if live is None:
                raise LookupError  # a sequence that was shortened too much
            try:
                return edits.patched(json.loads(json.dumps(live)), step["edits"])
            except (KeyError, IndexError, ValueError, TypeError):
                raise LookupError from None
        if isinstance(body, dict) and (step["type"].endswith("yaml") or step["method"] in ("POST", "PUT")):
            return {**body, "metadata": {**body["metadata"], "name": self.name}} if isinstance(body.get("metadata"), dict) else body
        return body


def difference_of(step, ours, theirs):
    """None, or (kind, ours, theirs) in comparable form."""
    if ours.same(theirs):
        return None
    a, b = (difference.shaped(x.target, x.status, x.headers, x.text.replace("<time0>", now()).replace("<time1>", now())) for x in (ours, theirs))
    a, b = (compare.comparable(unordered(x), False) for x in (a, b))
    if a != b:
        return answers.kind_of(a, b), a, b
    versions = [(x.object() or {}).get("metadata", {}).get("resourceVersion") for x in (ours, theirs)]
    if versions[0] != versions[1]:
        return "resourceVersion moves on one side", versions[0], versions[1]
    entries = [(x.object() or {}).get("metadata", {}).get("managedFields") or [] for x in (ours, theirs)]
    times = [{json.dumps(e.get("fieldsV1")) + str(e.get("manager")): e.get("time") for e in side} for side in entries]
    if entries[0] != entries[1] and times[0] == times[1]:
        return "managedFields in another order, or other times", entries[0], entries[1]
    return None


def now():
    return "2000-01-01T00:00:00Z"


def unordered(answer):
    """Errors of a map's entries come in Go's order of the moment."""
    body = answer["body"]
    if not isinstance(body, dict) or not (body.get("details") or {}).get("causes"):
        return answer
    causes = sorted(body["details"]["causes"], key=json.dumps)
    message = " ".join(sorted(re.split(r"[\s,\[\]]+", body.get("message", ""))))
    return {**answer, "body": {**body, "message": message, "details": {**body["details"], "causes": causes}}}


class Sequence:
    """One object on both servers, step by step."""

    def __init__(self, clients, form, namespace, name):
        self.sides = [Side(client, form, namespace, name) for client in clients]
        self.form = form

    def play(self, step):
        """The difference, if there is one."""
        if "edits" in step:
            self.fetch(step["version"])
        theirs = self.sides[1].send(step)
        ours = self.sides[0].send(step)
        found = difference_of(step, ours, theirs)
        for _ in range(ORDERS):
            if not found or not all(BY_CHANCE.search(x.raw) for x in (ours, theirs)):
                break
            theirs = self.sides[1].send(step)
            found = difference_of(step, ours, theirs)
        return found

    def fetch(self, version):
        """The object as the reference has it now in a version; None where it is not there."""
        step = {"op": "get", "method": "GET", "version": version, "sub": "", "query": {}, "type": "application/json", "body": None}
        for side in self.sides:
            if (version, "") not in side.current:
                side.send(step)
        return self.sides[1].current.get((version, ""))

    def close(self):
        removed(self.sides)


def removed(sides):
    """Deletes what others could see."""
    for side in sides:
        resource = side.form.seed.resource
        if not side.current or resource["resource"] in KEPT or (resource["namespaced"] and resource["resource"] != "services"):
            continue
        target = f"{side.form.collection(0, side.namespace)}/{side.name}"
        side.client.request("PATCH", target, {"Content-Type": "application/merge-patch+json"}, b'{"metadata":{"finalizers":null}}')
        side.client.request("DELETE", target + "?gracePeriodSeconds=0", {}, None)


class Worker:
    def __init__(self, options, number, urls):
        self.clients = [Client(url, "admin-token") for url in urls]
        self.options, self.number = options, number
        self.seen, self.forms, self.words = prepared(options.only)
        self.count, self.played = collections.Counter(), collections.Counter()
        self.known = answers.Tally(HERE / "known.txt", None)
        self.run = f"{random.randrange(1 << 32):x}"
        self.namespace = f"sequences-{self.run}"
        self.fresh = 0
        for client in self.clients:
            client.request("POST", "/api/v1/namespaces", difference.JSON, json.dumps({"metadata": {"name": self.namespace}}).encode())

    def sequence(self, form):
        self.fresh += 1
        return Sequence(self.clients, form, self.namespace, f"o{self.run}{self.fresh}")

    def one(self, seed, report):
        """Plays one random sequence; report(example) of a difference."""
        editor = edits.Editor(seed, self.seen, self.words)
        form = editor.random.choice(self.forms[editor.random.choice(list(self.forms))])
        sequence = self.sequence(form)
        author = ABOUT[self.options.about](editor, form, sequence.fetch)
        least, _, most = self.options.steps.partition("-")
        steps, found = [], None
        try:
            while len(steps) < editor.random.randint(int(least), int(most)) and not found:
                for step in author.next():
                    steps.append(json.loads(json.dumps(step)))
                    self.played[step["op"]] += 1
                    found = sequence.play(steps[-1])
                    if found:
                        break
        except LookupError:
            self.played["given up"] += 1
        finally:
            sequence.close()
        self.played["sequences"] += 1
        if found:
            self.differs(seed, form, steps, found, report)

    def differs(self, seed, form, steps, found, report):
        key = self.key(form, steps[-1], found)
        if self.known.is_known(key):
            self.played["as meant"] += 1
            return
        self.count[key] += 1
        if self.count[key] > SHORTENED:
            return report({"key": key, "seed": seed, "again": True})
        example = self.shortened(form, steps, key)
        if example is None:
            self.played["by chance"] += 1
            return
        report({"key": key, "seed": seed, "form": self.forms_number(form), **example})

    def forms_number(self, form):
        return [form.name, self.forms[form.name].index(form)]

    def key(self, form, step, found):
        verb = step["op"] + ("/" + step["sub"] if step["sub"] else "") + (" of another version" if step["version"] else "")
        return f"{form.name} {verb}: {found[0]}"

    def replayed(self, form, steps, key=None):
        """(steps up to the difference, the difference) of these steps on a new object."""
        sequence = self.sequence(form)
        try:
            for number, step in enumerate(steps):
                found = sequence.play(step)
                if found and (key is None or self.key(form, step, found) == key):
                    return steps[:number + 1], found
                if found:
                    return None
        except (LookupError, *CONNECTION_ERRORS):
            return None
        finally:
            sequence.close()
        return None

    def shortened(self, form, steps, key):
        best = self.replayed(form, steps, key)
        if best is None:
            return None
        tries, at = TRIES, 0
        while at < len(best[0]) - 1 and tries:
            tries -= 1
            shorter = self.replayed(form, best[0][:at] + best[0][at + 1:], key)
            best, at = (shorter, at) if shorter else (best, at + 1)
        at = 0
        while at < len(best[0]):  # a lighter one may differ earlier
            best, tries = self.lighter(form, best, at, key, tries)
            at += 1
        return {"steps": best[0], "ours": best[1][1], "theirs": best[1][2]}

    def lighter(self, form, best, step_at, key, tries):
        """With as little in the body of one step as will do."""
        name = "edits" if "edits" in best[0][step_at] else "body"
        places = [path for path, _ in edits.paths_of(best[0][step_at][name])] if best[0][step_at][name] else []
        places = [p for p in places if p not in ("/apiVersion", "/kind", "/metadata") and (name == "body" or p.count("/") == 1)]
        for place in places:
            if not tries:
                break
            if step_at >= len(best[0]):
                break
            copied = json.loads(json.dumps(best[0]))
            *above, last = edits.parts(place)
            try:
                parent = edits.at(copied[step_at][name], "".join("/" + edits.escaped(p) for p in above))
                del parent[int(last) if isinstance(parent, list) else last]
            except (KeyError, IndexError, TypeError, ValueError):
                continue  # went with something above it, or something else stands there
            tries -= 1
            best = self.replayed(form, copied, key) or best
        return best, tries


def prepared(only):
    seeds = [s for s in objects.seeds() if s.resource["resource"] not in LEFT_OUT]
    seeds += [objects.Seed(next(r for r in objects.RESOURCES if r["resource"] == "namespaces"), {"apiVersion": "v1", "kind": "Namespace", "metadata": {}})]
    forms = {}
    for seed in seeds:
        difference.harmless(seed.body)
        without_choices(seed)
        form = Form(seed)
        if re.search(only, form.name):
            forms.setdefault(form.name, []).append(form)
    return edits.Seen(seeds), forms, objects.Words()


def without_choices(seed):
    """Ports and addresses that only one object can have."""
    if seed.resource["resource"] != "services":
        return
    spec = seed.body.get("spec", {})
    spec.pop("healthCheckNodePort", None)
    for name in ("clusterIP", "clusterIPs"):
        if "None" not in json.dumps(spec.get(name)):
            spec.pop(name, None)
    for port in spec.get("ports") or ():
        port.pop("nodePort", None)


def work(options, number, urls, queue):
    worker = Worker(options, number, urls)
    done = 0
    try:
        for index in range(options.first + number, options.first + options.sequences, options.workers):
            try:
                worker.one(f"{options.seed}-{index}", queue.put)
            except CONNECTION_ERRORS as error:  # the real server panics at some objects and hangs up
                worker.played["hung up"] += 1
                queue.put({"key": f"hung up: {type(error).__name__}", "seed": f"{options.seed}-{index}", "again": True})
            done += 1
            if done % 50 == 0:
                queue.put(dict(worker.played))
                worker.played.clear()
    finally:
        queue.put(dict(worker.played))
        queue.put(None)


class Report:
    def __init__(self, options):
        self.options, self.begin, self.told = options, time.monotonic(), time.monotonic()
        self.log = open(options.log, "a") if options.log else sys.stdout
        self.out = open(options.out, "a") if options.out else None
        self.played, self.count, self.examples = collections.Counter(), collections.Counter(), {}

    def take(self, told):
        if "key" not in told:
            self.played.update(told)
            if time.monotonic() - self.told > REPORT_SECONDS:
                self.told = time.monotonic()
                self.tell()
            return
        key = told["key"]
        self.count[key] += 1
        if self.out:
            self.out.write(json.dumps(told) + "\n")
            self.out.flush()
        old = self.examples.get(key)
        if "steps" in told and (not old or len(json.dumps(told["steps"])) < len(json.dumps(old["steps"]))):
            self.examples[key] = told

    def tell(self):
        p, seconds = self.played, time.monotonic() - self.begin
        steps = sum(p[op] for op in ("apply", "put", "merge", "json", "strategic", "create", "delete", "deletecollection", "get", "scale"))
        print(f"{p['sequences']} sequences of {steps} steps ({p['apply']} applies) in {seconds:.0f} s, {p['sequences'] / seconds:.0f} a second: {sum(self.count.values())} differ in {len(self.count)} ways, "
              f"{p['as meant']} as they are meant to; {p['by chance']} not again; {p['hung up']} times a server hung up", file=self.log, flush=True)

    def show(self):
        for key, count in self.count.most_common(self.options.show):
            print(f"{count:6} {key}", file=self.log)
            example = self.examples.get(key)
            if not example:
                continue
            print(f"       seed {example['seed']}", file=self.log)
            for step in example["steps"]:
                print(f"       {step['method']} {step['sub']} {'v%d ' % step['version'] if step['version'] else ''}{step['op']} {json.dumps(step['query'])} "
                      f"{json.dumps(step.get('edits', step['body']))[:700]}", file=self.log)
            for line in shown(example["ours"], example["theirs"]):
                print("         " + line, file=self.log)
        self.tell()


def shown(ours, theirs):
    """Where they differ, a line each."""
    if not isinstance(ours, dict) or not isinstance(theirs, dict):
        return [f"theirs: {json.dumps(theirs)[:600]}", f"ours:   {json.dumps(ours)[:600]}"]
    lines = [f"theirs: {theirs['status']} {'; '.join(answers.texts_of(theirs['body']))[:500]}", f"ours:   {ours['status']} {'; '.join(answers.texts_of(ours['body']))[:500]}"]
    if ours["status"] == theirs["status"]:
        lines += [f"{o['op']} {o['path']} there {json.dumps(o.get('value'))[:300]}" for o in edits.differences(ours, theirs)[:6]]
    return lines


def again(options, urls, queue):
    """Sequences of an earlier run."""
    worker = Worker(options, 0, urls)
    try:
        for line in pathlib.Path(options.again).read_text().splitlines():
            old = json.loads(line)
            with contextlib.suppress(*CONNECTION_ERRORS):
                once_more(worker, old, queue.put)
    finally:
        queue.put(dict(worker.played))
        queue.put(None)


def once_more(worker, old, report):
    if "steps" not in old:
        return worker.one(old["seed"], report)
    name, number = old["form"]
    if name not in worker.forms:
        return
    worker.played["sequences"] += 1
    form = worker.forms[name][number]
    found = worker.replayed(form, old["steps"])
    if found:
        report({**old, "key": worker.key(form, found[0][-1], found[1]), "steps": found[0], "ours": found[1][1], "theirs": found[1][2]})


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--program", default=str(ROOT / "build/release/src/server/fairlead"))
    parser.add_argument("--sequences", type=int, default=100000)
    parser.add_argument("--first", type=int, default=0, help="the number of the first sequence: to go on with an earlier run")
    parser.add_argument("--seed", default="1")
    parser.add_argument("--about", choices=ABOUT, default="changes", help="what happens to objects")
    parser.add_argument("--steps", default="3-8", help="least and most of a sequence")
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--only", default="", help="regular expression on group/version/resource")
    parser.add_argument("--show", type=int, default=40, help="how many kinds of difference are printed")
    parser.add_argument("--reference", help="the address of a running real server")
    parser.add_argument("--ours", help="the address of a running Fairlead")
    parser.add_argument("--log", help="a file for progress and result")
    parser.add_argument("--out", help="a file for the sequences that differ")
    parser.add_argument("--again", help="such a file: its sequences are played, and no others")
    options = parser.parse_args()
    report = Report(options)
    with contextlib.ExitStack() as stack:
        ours = options.ours or stack.enter_context(started_program(options.program, difference.FLAGS + difference.OURS + FLAGS))
        theirs = options.reference or stack.enter_context(started(peers(), difference.FLAGS + FLAGS))
        queue = multiprocessing.Queue()
        jobs = [((options, (ours, theirs), queue), again)] if options.again else [((options, n, (ours, theirs), queue), work) for n in range(options.workers)]
        processes = [multiprocessing.Process(target=function, args=arguments) for arguments, function in jobs]
        for process in processes:
            process.start()
        left = len(processes)
        while left:
            told = queue.get()
            left -= told is None
            if told is not None:
                report.take(told)
    report.show()
    sys.exit(1 if report.count else 0)


if __name__ == "__main__":
    main()
