#!/usr/bin/env python3
"""Play command lines of kubectl on Fairlead and on kube-apiserver, and tell where people would see a difference.

  commands.py [--program FILE] [--only REGEX] [--kinds REGEX] [--forms N] [--show N] [--all]

A scene is a file of commands/: its lines are run by a shell one after another, on both servers, in a folder and a namespace of the scene's name that
are new; a line that begins a here-document goes on until its END. One more scene makes objects of every kind (objects.seeds) and looks at, changes and deletes
each. Compared are the exit status, the output and the errors of each line, without what servers choose by themselves (views.py), times and
column widths. Lines that differ on purpose are in known-commands.txt. The peers are found as for the benchmarks (bench/pair.py), kubectl is the
one of tests/kubectl. Exit status 1 when something else differs.
"""
import argparse
import concurrent.futures
import contextlib
import dataclasses
import difflib
import json
import os
import pathlib
import re
import signal
import subprocess
import sys
import tempfile
import time

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent.parent
for folder in ("bench", "tests/wire", "tests/kubectl"):
    sys.path.insert(0, str(ROOT / folder))
import objects
import views
from answers import patterns
from built import KUBECTL, build_kubectl
from compare import without_structures
from pair import peers
from servers import started, started_program

PROGRAMS = ("etcd", "kube-apiserver", "kube-controller-manager")
# What Fairlead has within.
MANAGER = ("--controllers=namespace-controller,garbage-collector-controller,resourcequota-controller,disruption-controller,clusterrole-aggregation-controller",
           "--leader-elect=false", "--use-service-account-credentials=false")
SETTLES = 12  # seconds until the controllers watch everything
PATIENCE = 300  # seconds for a line, on a machine that others use
# What is said of times, of this process and of this machine; and how wide columns are.
MONTHS = "Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec"
CHANCE = [(re.compile(pattern, re.MULTILINE), text) for pattern, text in (
    (rf"\b\w{{3}}, \d\d (?:{MONTHS}) \d{{4}} \d\d:\d\d:\d\d [+-]\d{{4}}", "<time>"),
    (rf"\b\w{{3}}, \d\d (?:{MONTHS}) \d{{4}} \d\d:\d\d:\d\d GMT", "<time>"),
    (r"\b\d{4}-\d\d-\d\d \d\d:\d\d:\d\d(?:\.\d+)? [+-]\d{4}(?: [A-Z]{3}\b)?(?: m=\S+)?", "<time>"),
    (r"^([EIWF])\d{4} \d\d:\d\d:\d\d\.\d+ +\d+ ", r"\1 "),
    (r"\b\d+m\d+s\b|(?<![\w.-])\d+s\b|(?<=\s)[2-9]m(?=\s|$)|<invalid>", "<age>"),
    (r"\bin \d+ milliseconds", "in <time>"),
    (r"\b(?:DNSLookup|Dial|TLSHandshake|ServerProcessing|Duration|GetConnection)\b[^\n]*", "<time>"),
    (r"\b(Audit-Id|Date|Content-Length): [^\n]*", r"\1: <header>"),
    (r"(Resource Version: *|Expected resource version to be 1, was )\d+", r"\1<rv>"),
    (r"\beyJ[\w-]+\.[\w-]+\.[\w-]+", "<token>"),
    (r"(kubectl-edit-|LIVE-|MERGED-)\d+", r"\1<random>"),
    (r"127\.0\.0\.1:\d+", "<server>"),
    (r"\b0x[0-9a-f]{9,}\b", "<pointer>"),
    (r"hash=[0-9A-F]{128}", "hash=<hash>"),
    ("\u00a0", " "),
    (r"\b3[0-2]\d{3}(?=/(?:TCP|UDP))", "<port>"),
    (r"(?<=\S) {2,}", "  "),
    (r" +$", ""),
)]
FIELD = re.compile(r"\s+(?:\S+\t<|enum: )")


@dataclasses.dataclass
class Scene:
    name: str
    lines: list


@dataclasses.dataclass
class Said:
    status: int
    out: str
    err: str

    def text(self):
        return [f"exit status {self.status}", *self.out.split("\n"), "-- and to standard error:", *self.err.split("\n")]


def told_of_requests(text):
    """The log of kubectl's requests, whose headers are in random order: without its own gates, bytes and the descriptions of columns."""
    lines = [line for line in text.splitlines() if not re.search(r"envvar\.go|cached_discovery|curl -v|^\t[0-9a-f]{8}  ", line)]
    text = "\n".join(re.sub(r'"description":"(?:[^"\\]|\\.)*"', '"description":""', line) for line in lines)
    return "\n".join(sorted(re.sub(r"<uid\d+>", "<uid>", text).split("\n")))


def without_prose(text):
    """What kubectl explain says, of descriptions only that they are there."""
    kept, part = [], ""
    for line in text.splitlines():
        if re.match(r"[A-Z]+:", line):
            part = line.partition(":")[0]
        if line and (not line.startswith(" ") or part not in ("DESCRIPTION", "FIELDS") or FIELD.match(line)):
            kept.append(line)
    return "\n".join(kept)


def scene(path):
    lines, rest = [], iter(path.read_text().splitlines())
    for line in rest:
        if not line or line.startswith("#"):
            continue
        if re.search(r"<<'?END\b", line):
            while not line.endswith("\nEND"):
                line += "\n" + next(rest)
        lines.append(line)
    return Scene(path.stem, lines)


class Side:
    """A server and a home for those who use it with kubectl."""

    def __init__(self, url, folder):
        self.url, self.folder = url, folder
        (folder / "bin").mkdir(parents=True)
        os.symlink(KUBECTL, folder / "bin/kubectl")
        self.environment = {"PATH": f"{folder}/bin:{os.environ['PATH']}", "HOME": str(folder), "KUBECONFIG": str(folder / "config"), "TZ": "UTC", "LANG": "C.UTF-8"}

    def enter(self, name):
        users = [{"name": user, "user": {"token": f"{user}-token"}} for user in ("admin", "alice", "bob")] + [{"name": "nobody", "user": {}}]
        (self.folder / "config").write_text(json.dumps({
            "apiVersion": "v1", "kind": "Config", "current-context": "here", "users": users,
            "contexts": [{"name": "here", "context": {"cluster": "here", "user": "admin", "namespace": name}}],
            "clusters": [{"name": "here", "cluster": {"server": self.url, "insecure-skip-tls-verify": True}}]}))
        self.place = self.folder / name
        self.place.mkdir()
        made = self.run(f"kubectl create namespace {name}")
        assert made.status == 0, made

    def leave(self, name):
        self.run(f"kubectl delete namespace {name} --wait=false")

    def run(self, line):
        process = subprocess.Popen(["bash", "-c", line], cwd=self.place, env=self.environment, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                                   stderr=subprocess.PIPE, start_new_session=True)
        try:
            out, err = process.communicate(timeout=PATIENCE)
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            out, err = process.communicate()
            err += b"\nno end of it\n"
        view = views.View()
        return Said(process.returncode, *(self.evened(view, line, text.decode(errors="replace")) for text in (out, err)))

    def evened(self, view, line, text):
        text = without_structures(re.sub(r"<(time|rv)\d+>", r"<\1>", view.named(text.replace(str(self.folder), "<home>"))))
        for pattern, plain in CHANCE:
            text = pattern.sub(plain, text)
        if " -v=" in line:
            text = told_of_requests(text)
        return without_prose(text) if "kubectl explain" in line else text


def kinds(options):
    """Objects of every served kind, the longest of each, seen in all ways, changed and deleted."""
    by_name, made = {}, []
    for seed in objects.seeds():
        name = ".".join(part for part in (seed.resource["resource"], seed.resource["version"], seed.resource["group"]) if part)
        if seed.resource.get("enabled_by_default") and re.search(options.kinds, name):
            by_name.setdefault(name, []).append(seed)
    for name, seeds in by_name.items():
        for seed in sorted(seeds, key=lambda seed: -len(json.dumps(seed.body)))[: options.forms]:
            group, version, meta = seed.resource["group"], seed.resource["version"], seed.body.get("metadata", {})
            identity = {"apiVersion": f"{group}/{version}" if group else version, "kind": seed.resource["kind"]}
            metadata = {k: v for k, v in meta.items() if k not in ("generateName", "namespace")} | {"name": meta.get("name", "made")}
            made += of_kind(name if group else seed.resource["resource"], {**seed.body, **identity, "metadata": metadata})
    return Scene("kinds", made)


def of_kind(full, body):
    name = f"{full}/{body['metadata']['name']}"
    text = json.dumps(body).replace("'", r"\u0027")
    return [f"echo '{text}' > object.json; kubectl create -f object.json --dry-run=server",
            "kubectl apply -f object.json", f"kubectl get {name}", f"kubectl get {name} -o wide", f"kubectl get {name} -o yaml --show-managed-fields",
            f"kubectl describe {name}", "kubectl apply -f object.json", f"kubectl label {name} added=label", "kubectl diff -f object.json",
            "kubectl apply --server-side -f object.json", f"kubectl annotate {name} a=b --dry-run=server", f"kubectl get {name} -o json",
            f"kubectl get {full}", f"kubectl patch {name} --type=merge -p '{{\"metadata\":{{\"finalizers\":null}}}}'", f"kubectl delete {name} --now --timeout=10s"]


def shortened(changes):
    """The lines of a difference; of long ones, from where the two of a pair part."""
    told = [c[1:] for c in changes if c[0] in "+-"]
    same = len(os.path.commonprefix(told)) if len(told) == 2 else 0
    return [c[:400] if len(c) <= 400 or c[0] not in "+-" else c[0] + "…" * (same > 60) + c[max(same - 60, 0) + 1 :][:400] for c in changes]


class Compared:
    """What the two said, line by line."""

    def __init__(self, options):
        self.options, self.known = options, patterns(HERE / "known-commands.txt")
        self.lines = self.differing = self.meant = 0

    def play(self, scene, sides, pool):
        list(pool.map(lambda side: side.enter(scene.name), sides))
        for line in scene.lines:
            said = list(pool.map(lambda side: side.run(line), sides))
            self.add(scene, line, *said)
        list(pool.map(lambda side: side.leave(scene.name), sides))

    def add(self, scene, line, ours, real):
        self.lines += 1
        where = f"{scene.name}: {line.splitlines()[0]}"
        if ours == real:
            if self.options.all:
                print(f"~~ {where}\n" + "\n".join(real.text()), flush=True)
            return
        changes = [c for c in difflib.unified_diff(real.text(), ours.text(), lineterm="", n=1) if not c.startswith(("---", "+++"))]
        told = [c for c in changes if c[0] in "+-"]
        if all(any(p.search(f"{where}: {c}") for p in self.known) for c in told):
            self.meant += 1
            return
        self.differing += 1
        print(f"== {where[:300]}\n" + "\n".join(shortened(changes)[: self.options.show]), flush=True)


@contextlib.contextmanager
def both(program):
    with tempfile.TemporaryDirectory(prefix="fairlead-commands-") as folder, started_program(program, []) as url, \
            started(peers(PROGRAMS), [], MANAGER) as real:
        time.sleep(SETTLES)
        yield [Side(address, pathlib.Path(folder) / name) for address, name in ((url, "ours"), (real, "real"))]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--program", default=ROOT / "build/release/src/server/fairlead")
    parser.add_argument("--only", default="", help="regular expression on the names of scenes")
    parser.add_argument("--kinds", default="", help="of the scene of kinds: regular expression on resource.version.group")
    parser.add_argument("--forms", type=int, default=1, help="of the scene of kinds: how many objects of each")
    parser.add_argument("--show", type=int, default=40, help="how many lines of each difference")
    parser.add_argument("--all", action="store_true", help="print what both said where it is the same, too")
    options = parser.parse_args()
    build_kubectl()
    scenes = [scene(path) for path in sorted((HERE / "commands").glob("*.sh"))] + [kinds(options)]
    begin, compared = time.monotonic(), Compared(options)
    with both(options.program) as sides, concurrent.futures.ThreadPoolExecutor(len(sides)) as pool:
        for chosen in (s for s in scenes if re.search(options.only, s.name)):
            before = compared.lines, compared.differing
            compared.play(chosen, sides, pool)
            print(f"{chosen.name}: {compared.lines - before[0]} lines, {compared.differing - before[1]} differ", flush=True)
    print(f"{compared.lines} lines compared in {time.monotonic() - begin:.0f} s, {compared.differing} differ, {compared.meant} as they are meant to")
    sys.exit(1 if compared.differing else 0)


if __name__ == "__main__":
    main()
