#!/usr/bin/env python3
"""Build and run every test, and count them all: each gtest case, fuzzer corpus, conversation, random sequence, Go test and kubectl step is one.

  run_tests.py [--preset release] [--suites unit,program,wire,abuse,connections,sequences,kubectl,clients] [--sanitizers [--thorough]] [--jobs N] [--no-build]

Unit tests run from the release build, as does the server of the other suites: what is measured and shipped is what is tested.
--sanitizers adds the unit tests under address+undefined sanitizer, and those of the floors with threads under thread sanitizer;
--thorough takes all unit tests under both, and the conversations too.
Prints what failed, a line a suite, how many were skipped, and last "N passed, N failed". Exit status 1 when something failed.
"""
import argparse
import dataclasses
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent
SUITES = ("unit", "program", "wire", "abuse", "webhooks", "connections", "sequences", "kubectl", "clients")
# Under a sanitizer: the topics that reach every floor, and the time a unit test program may take (they run five times slower).
SANITIZED_TOPICS = ("reads", "writes")
# The test programs whose code runs on several threads: what thread sanitizer looks at in the short form.
THREADED = ("base", "engine", "store", "http", "pipeline")
PROGRAM_SECONDS = 900


@dataclasses.dataclass
class Count:
    passed: int = 0
    failed: int = 0
    skipped: int = 0
    failures: list = dataclasses.field(default_factory=list)

    def add(self, other):
        self.passed += other.passed
        self.failed += other.failed
        self.skipped += other.skipped
        self.failures += other.failures

    def fail(self, what):
        self.failed += 1
        self.failures.append(what)

    def __str__(self):
        text = f"{self.passed} passed, {self.failed} failed"
        return text + (f", {self.skipped} skipped" if self.skipped else "")


def run(command, **options):
    return subprocess.run(command, cwd=ROOT, text=True, errors="replace", **options)


def build(preset, targets, jobs):
    """What failed to build, as a list; empty when all is there."""
    if not (ROOT / "build" / preset / "build.ninja").exists():
        if run(["cmake", "--preset", preset], stdout=subprocess.DEVNULL).returncode:
            return [f"cmake --preset {preset}"]
    command = ["cmake", "--build", "--preset", preset, "-j", str(jobs), "--", "-k", "0"] + targets
    done = run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    if done.returncode == 0:
        return []
    print("\n".join(done.stdout.splitlines()[-60:]))
    return [f"build of {preset}"]


def ctests(preset):
    """(name, command) of every test that CMake knows."""
    listed = run(["ctest", "--test-dir", f"build/{preset}", "--show-only=json-v1"], stdout=subprocess.PIPE)
    return [(t["name"], t["command"]) for t in json.loads(listed.stdout)["tests"] if t.get("command")]


def run_gtest(name, command, environment):
    count = Count()
    with tempfile.NamedTemporaryFile(suffix=".json") as report:
        try:
            done = run(command + [f"--gtest_output=json:{report.name}"], stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                       timeout=PROGRAM_SECONDS, env=environment)
        except subprocess.TimeoutExpired:
            count.fail(f"{name}: longer than {PROGRAM_SECONDS} s")
            return count
        try:
            results = json.load(open(report.name))
        except ValueError:
            results = {}
    for suite in results.get("testsuites", ()):
        for case in suite["testsuite"]:
            full = f"{name}: {suite['name']}.{case['name']}"
            if case.get("result") == "SKIPPED":
                count.skipped += 1
            elif "failures" in case:
                count.fail(full + "\n" + case["failures"][0].get("failure", "")[:1500])
            elif case.get("status") == "RUN":
                count.passed += 1
    if done.returncode and not count.failed:
        count.fail(f"{name}: exit status {done.returncode}\n" + "\n".join(done.stdout.splitlines()[-60:]))
    return count


def run_plain(name, command, environment):
    count = Count()
    try:
        done = run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=PROGRAM_SECONDS, env=environment)
    except subprocess.TimeoutExpired:
        count.fail(f"{name}: longer than {PROGRAM_SECONDS} s")
        return count
    if done.returncode:
        count.fail(f"{name}\n" + "\n".join(done.stdout.splitlines()[-40:]))
    else:
        count.passed += 1
    return count


def unit(preset, jobs, no_build, only=None):
    count = Count()
    targets = [f"{name}_test" for name in only] if only else ["all"]
    for problem in [] if no_build else build(preset, targets, jobs):
        count.fail(problem)
    # Shared memory between leak checker and tracer is not there in every container.
    environment = {**os.environ, "ASAN_OPTIONS": "detect_leaks=1:abort_on_error=1", "UBSAN_OPTIONS": "print_stacktrace=1",
                   "TSAN_OPTIONS": "halt_on_error=1:second_deadlock_stack=1"}
    for name, command in ctests(preset):
        if only and name not in only:
            continue
        if not pathlib.Path(command[0]).exists() and not shutil.which(command[0]):
            count.fail(f"{name}: {command[0]} was not built")
        elif command[0].endswith("_test") and "--cycles" not in command:
            count.add(run_gtest(name, command, environment))
        else:
            count.add(run_plain(name, command, environment))
    return count


def reported(command):
    """A suite that is a script of its own: it prints its failures, and last its counts."""
    count = Count()
    done = run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    lines = done.stdout.rstrip().splitlines()
    found = re.fullmatch(r"(\d+) passed, (\d+) failed(?:, (\d+) skipped)?", lines[-1]) if lines else None
    if not found:
        count.fail(f"{' '.join(command)}: exit status {done.returncode}\n" + "\n".join(lines[-30:]))
        return count
    count.passed, count.failed, count.skipped = (int(n or 0) for n in found.groups())
    if done.returncode and not count.failed:
        count.fail(f"{' '.join(command)}: exit status {done.returncode}")
    print("\n".join(lines[:-1]))
    if count.failed:
        count.failures.append(f"{' '.join(command)}: {count.failed} failed, named above")
    return count


def server_program(preset):
    return ROOT / "build" / preset / "src/server/fairlead"


def need_server(preset, jobs, no_build):
    problems = [] if no_build else build(preset, ["fairlead"], jobs)
    if not problems and not server_program(preset).exists():
        problems = [f"{server_program(preset)} is not there"]
    return problems


def on_server(preset, jobs, no_build, command):
    count = Count()
    problems = need_server(preset, jobs, no_build)
    if problems:
        for problem in problems:
            count.fail(problem)
        return count
    return reported(command)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--preset", default="release")
    parser.add_argument("--suites", default=",".join(SUITES))
    parser.add_argument("--sanitizers", action="store_true")
    parser.add_argument("--thorough", action="store_true")
    parser.add_argument("--no-build", action="store_true", help="run what has been built")
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    options = parser.parse_args()

    def wire(preset, *more):
        return lambda: on_server(preset, options.jobs, options.no_build,
                                 [sys.executable, "tests/wire/run.py", "--program", str(server_program(preset)), *more])

    def script(path):
        return lambda: on_server(options.preset, options.jobs, options.no_build,
                                 [sys.executable, path, "--program", str(server_program(options.preset))])

    suites = {
        "unit": lambda: unit(options.preset, options.jobs, options.no_build),
        "wire": wire(options.preset),
        "program": script("tests/program/run.py"),
        "abuse": script("tests/abuse/run.py"),
        "webhooks": script("tests/webhooks/run.py"),
        "connections": script("tests/abuse/connections.py"),
        "sequences": script("tests/reference/invariants.py"),
        "kubectl": script("tests/kubectl/run.py"),
        "clients": script("tests/clients/run.py"),
    }
    chosen = [(name, suites[name]) for name in options.suites.split(",") if name]
    if options.sanitizers:
        for preset in ("asan", "tsan"):
            only = THREADED if preset == "tsan" and not options.thorough else None
            chosen.append((f"unit {preset}", lambda preset=preset, only=only: unit(preset, options.jobs, options.no_build, only)))
            if options.thorough:
                chosen.append((f"wire {preset}", wire(preset, "--topics", ",".join(SANITIZED_TOPICS), "--sanitized")))
    total, lines = Count(), []
    for name, suite in chosen:
        print(f"== {name}", flush=True)
        start = time.monotonic()
        count = suite()
        total.add(count)
        lines.append(f"{name:10} {count}   ({time.monotonic() - start:.0f} s)")
        print(lines[-1], flush=True)
    if total.failures:
        print("\nfailed:")
        print("\n".join("  " + f.replace("\n", "\n      ") for f in total.failures))
    print()
    print("\n".join(lines))
    print(f"{total.skipped} skipped")
    print(f"{total.passed} passed, {total.failed} failed")
    sys.exit(1 if total.failed else 0)


if __name__ == "__main__":
    main()
