"""What two servers answered to the same request: whether it is the same, a short word for how it differs, and a tally of such words."""
import collections
import itertools
import json
import re
import threading


def without_chance(x):
    """Differences with their lines in order: which of equal items is shown as the new one, Go chooses by chance, once in a process."""
    if isinstance(x, dict):
        return {key: without_chance(value) for key, value in x.items()}
    if isinstance(x, list):
        return [without_chance(v) for v in x]
    return "\n".join(sorted(x.split("\n"))) if isinstance(x, str) and "\n  core." in x else x


def texts_of(body):
    """What a Status says is wrong, cause by cause."""
    causes = (body.get("details") or {}).get("causes") if isinstance(body, dict) else None
    if causes:
        return [f"{c.get('field', '')}: {c.get('message', '')}" for c in causes]
    return [body.get("message", "")] if isinstance(body, dict) and body.get("kind") == "Status" else []


def differing_path(a, b, path=""):
    """The first place where two documents differ; of texts, their first lines that do."""
    if type(a) is not type(b):
        return path
    if isinstance(a, str) and path == ".text":
        lines = next(((x, y) for x, y in itertools.zip_longest(a.split("\n"), b.split("\n"), fillvalue="") if x != y), ("", ""))
        return path + ": " + ", there ".join(general(line) for line in lines)
    if isinstance(a, dict):
        for key in sorted(a.keys() | b.keys()):
            if a.get(key) != b.get(key):
                return differing_path(a[key], b[key], f"{path}.{key}") if key in a and key in b else f"{path}.{key} ({'only here' if key in a else 'only there'})"
    if isinstance(a, list):
        for x, y in zip(a, b):
            if x != y:
                return differing_path(x, y, path + "[]")
        return path + " (length)"
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
    differing = sorted(k for k in {**ours["headers"], **theirs["headers"]} if ours["headers"].get(k) != theirs["headers"].get(k))
    return "headers: " + "; ".join(f"{k}: {general(str(ours['headers'].get(k)))}, there {general(str(theirs['headers'].get(k)))}" for k in differing)


def patterns(known):
    """The regular expressions of a file that has a reason after " # " of each."""
    lines = [line.partition(" # ") for line in known.read_text().splitlines() if not line.startswith("#")]
    return [re.compile(line[0].strip()) for line in lines if line[0].strip()]


class Tally:
    """Differences by their word, with the smallest example of each. `known` is a file of regular expressions on words, with their reasons; what it
    names is counted apart. Any thread."""

    def __init__(self, known, out):
        self.lock, self.out = threading.Lock(), out
        self.count, self.examples, self.compared, self.refused = collections.Counter(), {}, 0, 0
        self.known = patterns(known)
        self.meant = self.hung_up = 0

    def is_known(self, key):
        return any(k.search(key) for k in self.known)

    def add(self, subject, request, ours, theirs):
        """Whether the answers differ in a way that is not known. `request` is a document for the example."""
        with self.lock:
            self.compared += 1
            self.refused += theirs["status"] >= 400
            if ours == theirs:
                return False
            key = f"{subject}: {kind_of(ours, theirs)}"
            if self.is_known(key):
                self.meant += 1
                return False
            self.count[key] += 1
            example = {"key": key, **request, "ours": ours, "theirs": theirs}
            if self.out and self.count[key] <= 5:
                self.out.write(json.dumps(example) + "\n")
                self.out.flush()
            if key not in self.examples or len(json.dumps(request)) < len(json.dumps(self.examples[key])):
                self.examples[key] = example
            return True

    def summary(self):
        """The end of a run's last line."""
        return (f"{self.refused} refused by the reference; {sum(self.count.values())} differ in {len(self.count)} ways, {self.meant} as they are meant to; "
                f"{self.hung_up} times a server hung up")

    def show(self, most):
        for key, count in self.count.most_common(most):
            example = self.examples[key]
            print(f"{count:6} {key}")
            print("       " + json.dumps({k: v for k, v in example.items() if k not in ("key", "ours", "theirs")}, ensure_ascii=False)[:900])
            for side in ("theirs", "ours"):
                said = example[side]
                print(f"         {side}: {said['status']} {'; '.join(texts_of(said['body']))[:400]}")
