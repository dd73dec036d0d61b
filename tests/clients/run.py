#!/usr/bin/env python3
"""Run the tests of this Go module against the program, under its names kube-apiserver and etcd.

  run.py --program build/release/src/server/fairlead [--run REGEX]

Without Go 1.23 or later, or without its modules, every test is skipped and counted as that. The last line is
"N passed, N failed[, N skipped]".
"""
import argparse
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent


def tests_in_source():
    return [t for f in sorted(HERE.glob("*_test.go")) for t in re.findall(r"^func (Test\w+)\(t ", f.read_text(), re.M)]


def why_not():
    """Why the tests cannot run here, or ""."""
    if not shutil.which("go"):
        return "there is no go"
    version = subprocess.run(["go", "env", "GOVERSION"], stdout=subprocess.PIPE, text=True).stdout.strip()
    found = re.match(r"go1\.(\d+)", version)
    if not found or int(found.group(1)) < 23:
        return f"{version} is older than 1.23"
    fetched = subprocess.run(["go", "mod", "download"], cwd=HERE, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    return "" if fetched.returncode == 0 else "its modules cannot be had: " + fetched.stdout.strip()[-300:]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--program", required=True)
    parser.add_argument("--run", default="")
    options = parser.parse_args()
    reason = why_not()
    if reason:
        names = tests_in_source()
        print(f"skipped: {reason}")
        print(f"0 passed, 0 failed, {len(names)} skipped")
        return
    counts, output = {"pass": 0, "fail": 0, "skip": 0}, {}
    with tempfile.TemporaryDirectory(prefix="fairlead-bin-") as folder:
        for name in ("kube-apiserver", "etcd", "kubectl"):
            os.symlink(pathlib.Path(options.program).resolve(), os.path.join(folder, name))
        command = ["go", "test", "-count=1", "-timeout=10m", "-json"] + (["-run", options.run] if options.run else []) + ["."]
        done = subprocess.run(command, cwd=HERE, stdout=subprocess.PIPE, text=True, env={**os.environ, "FAIRLEAD_BIN": folder})
    for line in done.stdout.splitlines():
        try:
            event = json.loads(line)
        except ValueError:
            print(line)
            continue
        test = event.get("Test", "")
        if event["Action"] in ("output", "build-output"):
            output.setdefault(test, []).append(event["Output"])
        elif test and event["Action"] in counts:
            counts[event["Action"]] += 1
            if event["Action"] == "fail":
                print("FAIL", test, "\n" + "".join("  " + o for o in output.get(test, [])[-40:]))
    if done.returncode and not counts["fail"]:
        print("FAIL", "".join(output.get("", []))[-3000:])
        counts["fail"] = 1
    print(f"{counts['pass']} passed, {counts['fail']} failed" + (f", {counts['skip']} skipped" if counts["skip"] else ""))
    sys.exit(1 if counts["fail"] else 0)


if __name__ == "__main__":
    main()
