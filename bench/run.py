#!/usr/bin/env python3
"""Measure Fairlead beside kube-apiserver with etcd on this machine, and print a table.

  bench/run.py [--runs 3] [--objects 100000] [--only REGEX] [--write] [--program FILE]

Both are started with the same flags, TLS and a real disk (fsync), and get the same load in turn. The peers (kube-apiserver, etcd and, for deletions,
kube-controller-manager) are taken from the folder $FAIRLEAD_PEERS, or built into build/peers from their published Go modules (bench/peers). Every figure
is the median of the runs; "CPU" is user and system time of all the server's processes, which the load beside it cannot blur.
--write puts the table into docs/performance.md.
"""
import argparse
import json
import os
import pathlib
import platform
import re
import shutil
import statistics
import subprocess
import sys
import tempfile
import time

import deletion
from pair import NAMESPACE, Pair, launch, links_to, peers
from writes import measure_writes

ROOT = pathlib.Path(__file__).resolve().parent.parent
PERFORMANCE = ROOT / "docs/performance.md"
BEGIN, END = "<!-- table: made by bench/run.py -->", "<!-- end of the table -->"
PAYLOAD = 1024
PACE = 40  # writes a second that both servers keep up with


class Figures:
    """Values by row, one a run."""

    def __init__(self):
        self.rows = {}

    def add(self, row, unit, value, better):
        self.rows.setdefault(row, (unit, better, []))[2].append(value)

    def median(self, row):
        return statistics.median(self.rows[row][2]) if row in self.rows else None


def rates(figures, row, result, unit="/s"):
    figures.add(row, unit, result["operations"] / result["seconds"], "more")
    figures.add(row + ": CPU each", "ms", 1e3 * result["cpu"] / result["operations"], "less")


def measure(binaries, options, figures):
    wanted = lambda name: re.search(options.only, name)
    pair = Pair(binaries)
    try:
        figures.add("start to ready", "ms", 1e3 * pair.start(), "less")
        time.sleep(2)
        figures.add("memory, idle", "MB", pair.memory() / 1e6, "less")
        prefix = f"p{time.monotonic_ns()}-"
        if wanted("create"):
            for connections in (1, 64):
                result = pair.load("create", f"{prefix}{connections}-", connections, options.seconds, PAYLOAD)
                rates(figures, f"creates, {connections} connection{'s' * (connections > 1)}", result)
        if wanted("write"):
            measure_writes(pair, options, figures, rates)
        if wanted("get"):
            for connections in (1, 64):
                result = pair.load("get", NAMESPACE, connections, options.seconds)
                rates(figures, f"gets, {connections} connection{'s' * (connections > 1)}", result)
        if wanted("watch"):
            result = pair.fan_out(500, options.writes, PAYLOAD)
            rates(figures, "events to 500 watches", result)
            figures.add("events: p50", "ms", result["p50_ms"], "less")
            figures.add("events: p99", "ms", result["p99_ms"], "less")
            result = pair.fan_out(500, options.writes // 4, PAYLOAD, PACE)
            row = f"{PACE * 500:,} events a second to 500 watches"
            figures.add(row + ": CPU each", "ms", 1e3 * result["cpu"] / result["operations"], "less")
            figures.add(row + ": p50", "ms", result["p50_ms"], "less")
            figures.add(row + ": p99", "ms", result["p99_ms"], "less")
            before = pair.memory()
            with pair.idle_watches(options.idle):
                time.sleep(1)
                figures.add("memory an idle watch", "KiB", (pair.memory() - before) / options.idle / 1024, "less")
    finally:
        pair.stop()
        shutil.rmtree(pair.folder, ignore_errors=True)
    if wanted("list"):
        measure_lists(binaries, options, figures)


def measure_lists(binaries, options, figures):
    pair = Pair(binaries)
    try:
        pair.start()
        time.sleep(1)
        empty = pair.memory()
        pair.load("fill", "f-", 64, 10000, PAYLOAD)
        time.sleep(2)
        size = len(launch.fetch(pair.url + NAMESPACE + "/configmaps", timeout=60)[1])
        figures.add("memory, 10,000 ConfigMaps over their JSON", "x", (pair.memory() - empty) / size, "less")
        for row, query, accept in (("list of 10,000, JSON", "", "application/json"),
                                   ("list of 10,000, protobuf", "", "application/vnd.kubernetes.protobuf"),
                                   ("list of 10,000 in chunks of 500", "?limit=500", "application/json")):
            result = pair.load("get", NAMESPACE + "/configmaps" + query, 4, options.seconds, accept)
            figures.add(row, "MB/s", result["bytes"] / result["seconds"] / 1e6, "more")
            figures.add(row + ": CPU a GB", "s", result["cpu"] / result["bytes"] * 1e9, "less")
        if options.objects > 10000:
            pair.load("fill", "g-", 64, options.objects - 10000, PAYLOAD)
            time.sleep(2)
            size *= options.objects / 10000
            figures.add(f"memory, {options.objects:,} ConfigMaps over their JSON", "x", (pair.memory() - empty) / size, "less")
        result = pair.load("get", NAMESPACE + "/configmaps?labelSelector=group%3Dg77", 4, options.seconds)
        rates(figures, f"list of 30 of {options.objects:,} by label", result)
        pair.stop()
        figures.add(f"restart on {options.objects:,} objects", "ms", 1e3 * pair.start(), "less")
    finally:
        pair.stop()
        shutil.rmtree(pair.folder, ignore_errors=True)


def measure_deletions(binaries, manager, figures):
    """`manager` is the folder of the kube-controller-manager to run; None where the server has its controllers in it."""
    pair = Pair(binaries)
    try:
        pair.start()
        if manager:
            pair.attend(manager, "kube-controller-manager", *deletion.MANAGER)
            time.sleep(10)  # until it has begun to watch
        deletion.measure_deletion(pair, figures)
    finally:
        pair.stop()
        shutil.rmtree(pair.folder, ignore_errors=True)


def show(value):
    return "" if value is None else f"{value:,.0f}" if value >= 100 else f"{value:.3g}"


def table(ours, theirs):
    lines = ["| figure | Fairlead | kube-apiserver + etcd | ratio |", "|---|---:|---:|---:|"]
    for row, (unit, better, _) in ours.rows.items():
        mine, other = ours.median(row), theirs.median(row) if theirs else None
        ratio = ""
        if mine and other:
            ratio = f"{mine / other if better == 'more' else other / mine:.1f}x"
        lines.append(f"| {row} ({unit}) | {show(mine)} | {show(other)} | {ratio} |")
    return "\n".join(lines)


def synced_write():
    """Milliseconds that the disk takes for a small write that lasts: the least of a write on one connection."""
    took = []
    with tempfile.NamedTemporaryFile(prefix="fairlead-bench-") as file:
        for _ in range(50):
            file.write(bytes(4096))
            file.flush()
            begin = time.perf_counter()
            os.fdatasync(file.fileno())
            took.append(time.perf_counter() - begin)
    return 1000 * statistics.median(took)


def machine(options):
    model = re.search(r"model name\s*: (.*)", pathlib.Path("/proc/cpuinfo").read_text())
    memory = int(re.search(r"MemTotal:\s+(\d+)", pathlib.Path("/proc/meminfo").read_text()).group(1)) / 1e6
    return (f"{os.cpu_count()} processors ({model.group(1) if model else platform.machine()}), {memory:.0f} GB, "
            f"Linux {platform.release()}; a write synced to {tempfile.gettempdir()} takes {synced_write():.2g} ms; median of {options.runs}, load average {os.getloadavg()[0]:.1f} at the end.")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--seconds", type=float, default=5, help="of each closed loop")
    parser.add_argument("--objects", type=int, default=100000)
    parser.add_argument("--writes", type=int, default=400, help="of the fan-out")
    parser.add_argument("--idle", type=int, default=5000, help="watches")
    parser.add_argument("--only", default="", help="create, write, get, watch, list, delete")
    parser.add_argument("--program", default=str(ROOT / "build/release/src/server/fairlead"))
    parser.add_argument("--alone", action="store_true", help="without the peers")
    parser.add_argument("--write", action="store_true", help="into docs/performance.md")
    options = parser.parse_args()
    subprocess.run(["cmake", "--build", "--preset", "release", "--target", "fairlead_load"], cwd=ROOT, check=True,
                   stdout=subprocess.DEVNULL)
    other = None if options.alone else peers(("etcd", "kube-apiserver", "kube-controller-manager"))
    ours, theirs = Figures(), Figures()
    with links_to(options.program) as links:
        for run in range(options.runs):
            print(f"run {run + 1} of {options.runs}", file=sys.stderr, flush=True)
            measure(links, options, ours)
            if other:
                measure(other, options, theirs)
            if re.search(options.only, "delete"):
                measure_deletions(links, None, ours)
                if other:
                    measure_deletions(other, other, theirs)
    size = pathlib.Path(options.program).stat().st_size
    ours.add("size of the program", "MB", size / 1e6, "less")
    if other:
        theirs.add("size of the program", "MB", sum((other / n).stat().st_size for n in ("kube-apiserver", "etcd")) / 1e6, "less")
    text = table(ours, theirs) + "\n\n" + machine(options)
    print(text)
    if options.write:
        page = PERFORMANCE.read_text()
        head, tail = page.split(BEGIN)[0], page.split(END)[1]
        PERFORMANCE.write_text(f"{head}{BEGIN}\n{text}\n{END}{tail}")


if __name__ == "__main__":
    main()
