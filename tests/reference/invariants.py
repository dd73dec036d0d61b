#!/usr/bin/env python3
"""Play random sequences of applies, updates and patches (steps.py) on Fairlead alone, and check what holds of every server.

  invariants.py --program FILE [--sequences 300] [--seed 1] [--only REGEX] [--reference URL]

- the same apply again changes nothing: not the object, its resourceVersion, nor who owns what;
- a dry run answers as the real run after it does, and stores nothing;
- of managers by name, operation, subresource and (of updates) version, each is there once;
- items of lists that somebody owns are in the object;
- a manager that applies nothing owns nothing;
- an apply by force takes from others what it was refused before, and nothing else that is still there.
--reference tells a server to be held against the same instead. Each sequence counts as a test; the last line is "N passed, N failed".
"""
import argparse
import contextlib
import json
import pathlib
import re
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
import sequences  # finds the folders of the rest
import difference
import edits
from play import Client
from servers import started_program
from steps import Author

# What a server chooses anew for each try; an object that is not stored has no version.
CHOSEN = re.compile(r'"resourceVersion":"<rv\d+>",|<(uid|address|port|time)\d+>')


# Made of another field by conversion, whoever owns what.
CONVERTED = (".spec.podCIDRs",)


class Broken(Exception):
    pass


def paths_of(fields, path=""):
    """Every path of a fieldsV1, as conflicts name them."""
    for key, below in fields.items():
        if key == ".":
            yield path
            continue
        here = path + element(key)
        if not below:
            yield here
        yield from paths_of(below, here)


def element(key):
    kind, _, rest = key.partition(":")
    if kind == "f":
        return "." + rest
    if kind == "v":
        return f"[={rest}]"
    return "[" + ",".join(f"{k}={json.dumps(v)}" for k, v in json.loads(rest).items()) + "]"


def identity(entry):
    return (entry.get("manager"), entry["operation"], entry.get("subresource", ""), entry["apiVersion"] if entry["operation"] == "Update" else "")


def entries_of(thing):
    return thing["metadata"].get("managedFields") or []


def in_order(text):
    """Entries stand in the order of their times."""
    body = json.loads(text)
    if isinstance(body.get("metadata"), dict) and "managedFields" in body["metadata"]:
        body["metadata"]["managedFields"].sort(key=json.dumps)
    return body


class Checked:
    """One object, and what is checked at each step."""

    def __init__(self, side):
        self.side = side

    def fetch(self, version):
        if (version, "") not in self.side.current:
            self.side.send({"op": "get", "method": "GET", "version": version, "sub": "", "query": {}, "type": "application/json", "body": None})
        return self.side.current.get((version, ""))

    def play(self, steps):
        if len(steps) == 2:
            return self.dry_and_real(*steps)
        step = steps[0]
        if "edits" in step:
            self.fetch(step["version"])
        if step["op"] == "apply" and step["query"].get("force"):
            self.by_force(step)
        else:
            self.check(step, self.side.send(step))

    def dry_and_real(self, dry, real):
        before = self.fetch(dry["version"])
        tried = self.side.send(dry)
        self.side.current = {}
        if self.fetch(dry["version"]) != before:
            raise Broken("a dry run stored something")
        done = self.side.send(real)
        said = [in_order(CHOSEN.sub("", a.text)) for a in (tried, done)]
        if tried.status != done.status or said[0] != said[1]:
            raise Broken(f"a dry run said {tried.status} {said[0]}\nand the real one {done.status} {said[1]}")
        self.check(real, done)

    def by_force(self, step):
        live = self.fetch(step["version"])
        careful = {**step, "query": {**{k: v for k, v in step["query"].items() if k != "force"}, "dryRun": "All"}}
        refused = self.side.send(careful)
        done = self.side.send(step)
        self.check(step, done)
        if live is None or refused.status != 409 or done.status >= 300 or step["sub"] == "scale":
            return
        conflicts = {}
        for cause in json.loads(refused.text)["details"].get("causes") or ():
            conflicts.setdefault(re.match(r'conflict with "([^"]*)"', cause["message"]).group(1), set()).add(cause["field"])
        after = {identity(e): set(paths_of(e.get("fieldsV1") or {})) for e in entries_of(done.object())}
        for entry in entries_of(live):
            if entry["apiVersion"] != live["apiVersion"]:
                continue
            had, has = set(paths_of(entry.get("fieldsV1") or {})), after.get(identity(entry), set())
            own = identity(entry)[:3] == (step["query"].get("fieldManager"), "Apply", step["sub"])
            if not own and has & conflicts.get(entry["manager"], set()):
                raise Broken(f"{entry['manager']} keeps {has & conflicts[entry['manager']]}")
            if not own and has - had:
                raise Broken(f"{entry['manager']} was given {has - had}")

    def check(self, step, answer):
        thing = answer.object()
        if thing is None or step["method"] == "DELETE":
            return
        identities = [identity(e) for e in entries_of(thing)]
        if len(set(identities)) != len(identities):
            raise Broken(f"a manager is there twice: {identities}")
        for entry in entries_of(thing):
            if entry["apiVersion"] == thing["apiVersion"] and entry.get("subresource", "") == "":
                self.items_are_there(thing, entry.get("fieldsV1") or {}, "")
        if step["op"] != "apply" or step["query"].get("dryRun"):
            return
        if set(step["body"]) <= {"apiVersion", "kind", "metadata"} and not step["body"].get("metadata"):
            if (step["query"].get("fieldManager"), "Apply", step["sub"], "") in identities:
                raise Broken("applied nothing and owns something")
        self.again(step, answer)

    def again(self, step, answer):
        meta, thing = step["body"].get("metadata") or {}, answer.object()
        # The behavior of an autoscaler that comes through v1 gets its rest when it is read: the real server writes the same again, too.
        if "autoscaling.alpha.kubernetes.io/behavior" in (meta.get("annotations") or {}):
            return
        # What names a version can be said once, what is empty comes back as null, a scale's owners go by way of another kind, and the first owners come with the first change.
        is_empty = re.search(r"\[\]|(?<!\"metadata\": )\{\}|null", json.dumps(step["body"]))
        if "resourceVersion" in meta or "uid" in meta or is_empty or step["sub"] == "scale" or "deletionTimestamp" in thing["metadata"] or not entries_of(thing):
            return
        if answer.status == 201:  # what admission adds to a new object may be in the way of the same again
            answer = self.side.send(step)
        second = self.side.send(step)
        if second.status != 200 or second.text != answer.text:
            raise Broken(f"the same again: {second.status}\n  {answer.text}\n  {second.text}")

    def items_are_there(self, x, fields, path):
        for key, below in fields.items():
            kind, _, rest = key.partition(":")
            if kind == "f" and isinstance(x, dict) and rest in x:
                self.items_are_there(x[rest], below, f"{path}.{rest}")
            elif kind in ("k", "v") and isinstance(x, list) and path not in CONVERTED:
                wanted = json.loads(rest)
                found = [i for i in x if i == wanted] if kind == "v" else [i for i in x if isinstance(i, dict) and all(i.get(k, v) == v for k, v in wanted.items())]
                if not found:
                    raise Broken(f"nothing is at {path}{element(key)}, which is owned")
                self.items_are_there(found[0], below, path + element(key))


class Player:
    def __init__(self, url, options):
        self.client = Client(url, "admin-token")
        self.options = options
        self.seen, self.forms, self.words = sequences.prepared(options.only)
        self.client.request("POST", "/api/v1/namespaces", difference.JSON, b'{"metadata":{"name":"invariants"}}')

    def one(self, number):
        """The steps of a sequence that breaks something, and what; else None."""
        editor = edits.Editor(f"{self.options.seed}-{number}", self.seen, self.words)
        form = editor.random.choice(self.forms[editor.random.choice(list(self.forms))])
        side = sequences.Side(self.client, form, "invariants", f"o{number}")
        checked, played = Checked(side), []
        author = Author(editor, form, checked.fetch)
        try:
            for _ in range(editor.random.randint(3, 8)):
                steps = json.loads(json.dumps(author.next()))
                played += steps
                checked.play(steps)
        except Broken as broken:
            return form, played, broken
        except LookupError:
            pass
        finally:
            sequences.removed([side])
        return None


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--program", default=str(sequences.ROOT / "build/release/src/server/fairlead"))
    parser.add_argument("--sequences", type=int, default=300)
    parser.add_argument("--seed", default="1")
    parser.add_argument("--only", default="", help="regular expression on group/version/resource")
    parser.add_argument("--reference", help="the address of a running server to check instead")
    options = parser.parse_args()
    failed = 0
    with contextlib.ExitStack() as stack:
        url = options.reference or stack.enter_context(started_program(options.program, difference.FLAGS + difference.OURS + sequences.FLAGS))
        player = Player(url, options)
        for number in range(options.sequences):
            broken = player.one(number)
            if broken:
                failed += 1
                print(f"{broken[0].name} seed {options.seed}-{number}: {broken[2]}")
                for step in broken[1]:
                    print(f"    {step['method']} {step['sub']} {step['op']} {json.dumps(step['query'])} {json.dumps(step.get('edits', step['body']))[:1000]}")
    print(f"{options.sequences - failed} passed, {failed} failed")
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
