"""Plays the table of shapes (shapes.py) and those of the built-in types' lists (lists.py) on a server, and judges what each exchange cost.

Of each shape: the CPU of the server grows from n to 2n to 4n no faster than n log n, one exchange takes less than a second of CPU and less than
200 MB, its answer is no longer than 8 MiB, and somebody else's requests are answered while it is under way.
"""
import contextlib
import dataclasses
import json
import math
import re
import sys
import threading
import time

import building
import extensions
import launch
import lists
import measure
import shapes
from play import Client

MOST_CPU = 1.0            # seconds of one exchange
MOST_MEMORY = 200 << 20   # more than the server had before
MOST_ANSWER = 8 << 20
STEEP = 7.5               # from n to 4n: n log n is 4.6, the square 16
FLOOR = 0.05              # seconds of CPU below which growth is not looked at
# 500s of the real server, too: objects that are too large to be stored, configurations that are none.
AS_THERE = ("etcdserver: request is too large", "trying to send message larger than max", "failed to create typed patch object")
TRIES = 6                 # of which the least counts, where one was too much
END_MEMORY, END_CPU = 2 << 30, 4  # bytes and seconds where a server is ended, so that the sweep can go on


@dataclasses.dataclass(frozen=True)
class User:
    name: str
    token: str


USERS = {"A": User("anonymous", ""), "U": User("ordinary", "alice-token"), "N": User("namespace's admin", "bob-token"), "C": User("cluster's admin", "admin-token")}
RBAC = "/apis/rbac.authorization.k8s.io/v1"
SETUP = (
    ("/api/v1/namespaces", {"metadata": {"name": "sweep"}}),
    (f"{RBAC}/namespaces/sweep/roles", {"metadata": {"name": "maps"}, "rules": [{"apiGroups": [""], "resources": ["configmaps"], "verbs": ["*"]}]}),
    (f"{RBAC}/namespaces/sweep/roles", {"metadata": {"name": "own"}, "rules": [{"apiGroups": [""], "resources": ["configmaps"], "verbs": ["get"]}]}),
    # What the role `admin` does not have of what shapes need: revisions with deep data, custom resources.
    (f"{RBAC}/namespaces/sweep/roles", {"metadata": {"name": "more"}, "rules": [
        {"apiGroups": ["apps"], "resources": ["controllerrevisions"], "verbs": ["*"]}, {"apiGroups": ["example.org"], "resources": ["*"], "verbs": ["*"]}]}),
    (f"{RBAC}/namespaces/sweep/rolebindings", {"metadata": {"name": "maps"}, "roleRef": {"apiGroup": "rbac.authorization.k8s.io", "kind": "Role", "name": "maps"},
                                               "subjects": [{"kind": "User", "apiGroup": "rbac.authorization.k8s.io", "name": "alice"}]}),
    (f"{RBAC}/namespaces/sweep/rolebindings", {"metadata": {"name": "more"}, "roleRef": {"apiGroup": "rbac.authorization.k8s.io", "kind": "Role", "name": "more"},
                                               "subjects": [{"kind": "User", "apiGroup": "rbac.authorization.k8s.io", "name": "bob"}]}),
    (f"{RBAC}/namespaces/sweep/rolebindings", {"metadata": {"name": "admin"}, "roleRef": {"apiGroup": "rbac.authorization.k8s.io", "kind": "ClusterRole", "name": "admin"},
                                               "subjects": [{"kind": "User", "apiGroup": "rbac.authorization.k8s.io", "name": "bob"}]}),
    ("/api/v1/namespaces/sweep/serviceaccounts", {"metadata": {"name": "robot"}}),
    ("/api/v1/namespaces/sweep/configmaps", {"metadata": {"name": "small"}, "data": {"a": "b"}}),
    ("/api/v1/namespaces/sweep/pods", {"metadata": {"name": "small"}, "spec": {"containers": [{"name": "c", "image": "i"}]}}),
    ("/apis/apps/v1/namespaces/sweep/deployments", {"metadata": {"name": "small"}, "spec": {"selector": {"matchLabels": {"a": "b"}}, "template": {
        "metadata": {"labels": {"a": "b"}}, "spec": {"containers": [{"name": "c", "image": "i"}]}}}}),
    *extensions.SETUP,
)


class Target:
    """A server that was made ready for the shapes, and is made anew when one has ended it."""

    def __init__(self, program, arguments=()):
        self.program, self.arguments, self.server = program, arguments, None

    def begin(self):
        self.server = launch.Server(self.program, ("--client-ca-file", building.authority().file, "--feature-gates", "CBORServingAndStorage=true", *self.arguments)).start()
        self.port, self.process = self.server.port, self.server.process
        self.client = Client(self.server.url, "admin-token")
        self.probe = measure.Probe(self.process.pid)
        for path, body in SETUP:
            status, text = self.ask("POST", path, json.dumps(body).encode())
            if status != 201:
                raise RuntimeError(f"{path}: {status} {text[:300]}")
        self.polite = Polite(self.server.url)

    def ask(self, method, path, body=None, media="application/json"):
        body = body.encode() if isinstance(body, str) else body
        status, _, raw = self.client.request(method, path, {"Content-Type": media} if body else {}, body)
        return status, raw.decode("utf-8", "replace")

    def end(self):
        """What was wrong with its end."""
        status = self.server.stop()
        tail = self.server.log_tail() if status else ""
        self.server.remove()
        return f"the server did not end well: {status}\n{tail}" if status else ""

    def alive(self):
        return self.process.poll() is None


class Polite:
    """Somebody else, who reads an object while an exchange is under way and wants it answered."""

    def __init__(self, url):
        self.client = Client(url, "admin-token")

    @contextlib.contextmanager
    def beside(self, problems):
        done = threading.Event()

        def ask():
            while True:
                try:
                    status, _, raw = self.client.request("GET", "/api/v1/namespaces/sweep/configmaps/small", {}, None)
                    if status != 200:
                        problems.append(f"somebody else was answered {status} {raw[:200]!r}")
                        return
                except OSError as error:
                    problems.append(f"somebody else was not answered: {type(error).__name__} {error}")
                    return
                if done.wait(0.05):
                    return

        thread = threading.Thread(target=ask, daemon=True)
        thread.start()
        try:
            yield
        finally:
            done.set()
            thread.join(patience := 60)
            if thread.is_alive():
                problems.append(f"somebody else has had no answer for {patience} s")


@dataclasses.dataclass
class Cost:
    n: int
    cpu: float = math.inf
    memory: int = 0
    answer: int = 0
    status: int = 0
    text: str = ""


class Ended(Exception):
    """The server is gone."""


def once(target, shape, user, n, problems):
    if hasattr(shape.how, "prepare"):
        trouble = shape.how.prepare(target, n)
        if trouble:
            problems.append(f"n = {n}: {trouble}")
            return None
    probe = target.probe
    probe.rest()
    probe.forget_peak()
    memory, cpu = probe.memory(), probe.cpu()
    guard = measure.Guard(target.process, probe, END_MEMORY, END_CPU)
    trouble = []
    with guard.watching(), target.polite.beside(trouble):
        try:
            said = shape.how.send(target, user, n)
        except OSError as error:
            said = building.Said(0, 0, f"{type(error).__name__}: {error}")
        rested = probe.rest()
    cost = Cost(n, probe.cpu() - cpu, max(0, probe.memory("VmHWM") - memory), said.size, said.status, said.text)
    if guard.why or not target.alive():
        problems.append(f"n = {n}: {guard.why or f'the server ended with {target.process.wait()}: {target.server.log_tail()[-1500:]}'}")
        raise Ended
    if not rested:
        problems.append(f"n = {n}: the server was still busy {measure.REST} s later")
    problems += [f"n = {n}: {t}" for t in trouble]
    if hasattr(shape.how, "clean"):
        shape.how.clean(target)
    return cost


def memory_of(shape):
    return getattr(shape.how, "memory", MOST_MEMORY)


def least(target, shape, user, n, before, problems):
    """The cost at n, the least of several tries where the first one is too much."""
    for _ in range(TRIES - 1):
        if before.cpu < MOST_CPU and before.memory < memory_of(shape) or before.cpu > 3 * MOST_CPU:
            break
        again = once(target, shape, user, n, problems)
        if again is None:
            break
        before = dataclasses.replace(before, cpu=min(before.cpu, again.cpu), memory=min(before.memory, again.memory))
    return before


def steep(costs):
    return len(costs) > 1 and costs[-1].cpu > FLOOR and costs[-1].cpu / max(costs[0].cpu, 1e-4) > STEEP ** (math.log(costs[-1].n / costs[0].n, 4))


def fits(status, wants, text=""):
    if status == 500 and any(t in text for t in AS_THERE):
        return True
    if not wants:
        return status < 500 or status == 501
    return any(w == str(status) or (w[1:] == "xx" and w[0] == str(status)[0]) for w in wants.split("|"))


def judged(target, shape, user, sizes, strongest, problems):
    """The costs at the sizes; what is wrong with them goes to `problems`."""
    costs = []
    for n in sizes:
        cost = once(target, shape, user, n, problems)
        if cost is None:
            return costs
        costs.append(least(target, shape, user, n, cost, problems))
        if strongest and n == sizes[0] and not fits(cost.status, shape.wants, cost.text):
            problems.append(f"n = {n}: answered {cost.status}, not {shape.wants or 'well'}: {cost.text}")
        if cost.status >= 500 and cost.status != 501 and '"kind":"Status"' not in cost.text and "<!doctype" not in cost.text.lower():
            problems.append(f"n = {n}: {cost.status} without a Status: {cost.text}")
        last = costs[-1]
        if last.cpu >= MOST_CPU:
            problems.append(f"n = {n}: {last.cpu:.2f} s of CPU")
        if last.memory >= memory_of(shape):
            problems.append(f"n = {n}: {last.memory >> 20} MiB")
        if last.answer > MOST_ANSWER:
            problems.append(f"n = {n}: an answer of {last.answer >> 10} KiB")
        if last.cpu >= 2 * MOST_CPU or last.memory >= 2 * memory_of(shape):
            return costs  # the larger ones are no better
    for _ in range(TRIES - 1):
        if not steep(costs):
            break
        for i in (0, -1):
            again = once(target, shape, user, costs[i].n, problems)
            # At the smaller size the most counts, at the larger one the least: what is left is growth.
            costs[i] = dataclasses.replace(costs[i], cpu=(max if i == 0 else min)(costs[i].cpu, again.cpu))
    if steep(costs):
        problems.append("CPU grows too fast: " + ", ".join(f"{c.cpu * 1000:.0f} ms at {c.n}" for c in costs))
    return costs


def sizes_of(shape, full, strongest):
    top = shape.limit
    if not full and top == building.BODY:
        top //= 4
    return (top // 4, top // 2, top) if full else (top // 4, top) if strongest else (top,)


def users_of(shape, full):
    """In the short form whoever gets furthest, and nobody in particular."""
    return shape.users if full else "".join(dict.fromkeys((shape.users[0], shape.users[-1])))


def chosen(options):
    found = shapes.table() + extensions.table() + [("built-in lists", s) for s in lists.table(options.full)]
    return [(g, s) for g, s in found if not options.only or re.search(options.only, f"{g}: {s.name}")]


def line(group, shape, user, costs):
    return (f"{group}\t{shape.name}\t{user.name}\t" + "\t".join(f"{c.n}: {c.cpu * 1000:.1f} ms {c.memory / (1 << 20):.1f} MiB {c.answer} B {c.status}" for c in costs)
            + (f"\t{costs[-1].text[:120]!r}" if costs else ""))


def play(options):
    """(passed, failed); prints what failed."""
    passed, failed, report = 0, 0, open(options.report, "w") if options.report else None
    target = Target(options.program)
    target.begin()
    try:
        for group, shape in chosen(options):
            problems = []
            for kind in users_of(shape, options.full):
                strongest = kind == shape.users[-1]
                mine = []
                try:
                    costs = judged(target, shape, USERS[kind], sizes_of(shape, options.full, strongest), strongest, mine)
                    if report:
                        print(line(group, shape, USERS[kind], costs), file=report, flush=True)
                except Ended:
                    target.server.stop()
                    target.server.remove()
                    target.begin()
                except (OSError, ValueError) as error:
                    mine.append(f"{type(error).__name__}: {error}")
                problems += [f"{USERS[kind].name}: {p}" for p in mine]
            passed, failed = passed + (not problems), failed + bool(problems)
            if problems:
                print("FAIL", f"{group}: {shape.name}", "\n" + "\n".join("  " + p for p in problems[:12]), flush=True)
                if report:
                    print("FAIL", group, shape.name, *problems, sep="\t", file=report, flush=True)
    finally:
        trouble = target.end()
    if trouble:
        failed += 1
        print("FAIL", trouble)
    return passed, failed
