#!/usr/bin/env python3
"""Runs the examples of docs/cel.md: each command gives what stands below it. --write puts what they give into the page."""
import argparse
import pathlib
import shlex
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
PAGE = ROOT / "docs/cel.md"


def run(program, command):
    words = shlex.split(command)
    done = subprocess.run([program] + words[1:], cwd=ROOT / "tests/cel/examples", capture_output=True, text=True)
    lines = (done.stdout + done.stderr).rstrip("\n").split("\n")
    return lines + ([f"[exit {done.returncode}]"] if done.returncode else [])


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--program", required=True)
    parser.add_argument("--write", action="store_true")
    arguments = parser.parse_args()
    lines = PAGE.read_text().split("\n")
    made, failed, at = [], 0, 0
    while at < len(lines):
        made.append(lines[at])
        if not lines[at].startswith("    $ "):
            at += 1
            continue
        command = lines[at][6:]
        at += 1
        wanted = []
        while at < len(lines) and lines[at].startswith("    "):
            wanted.append(lines[at][4:])
            at += 1
        got = run(str(pathlib.Path(arguments.program).resolve()), command)
        made += ["    " + line for line in got]
        if got != wanted:
            failed += 1
            print(f"$ {command}\n  wanted:\n" + "\n".join(wanted) + "\n  got:\n" + "\n".join(got))
    if arguments.write:
        PAGE.write_text("\n".join(made))
    elif failed:
        sys.exit(1)


if __name__ == "__main__":
    main()
