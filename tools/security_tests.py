#!/usr/bin/env python3
"""Whether the tests that docs/security.md names are there.

  security_tests.py

Names stand in backquotes: `Suite.Test` of GoogleTest, `.Test` of the suite before it, `topic/name` of a conversation, `name_fuzz`, a function of
tests/abuse/classes.py or tests/webhooks/run.py, a file or folder; after "sweep:", parts of names of tests/abuse, "..." for anything. `*` stands for anything at the end.
"""
import fnmatch
import json
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
sys.path[:0] = [str(ROOT / "tests/abuse"), str(ROOT / "tests/wire")]
PAGE = ROOT / "docs/security.md"


def unit_tests():
    return {f"{suite}.{name}" for path in ROOT.glob("src/**/*_test.cc") for suite, name in re.findall(r"^TEST(?:_[FP])?\(\s*(\w+),\s*(\w+)\)", path.read_text(), re.M)}


def conversations():
    return {json.loads(line)["name"] for path in ROOT.glob("tests/wire/conversations/*.jsonl") for line in path.open() if line.strip()}


def shapes():
    import sweep
    return [f"{group}: {shape.name}" for group, shape in sweep.shapes.table() + sweep.extensions.table()]


def functions():
    classes = set(re.findall(r"^def (\w+)\(target", (ROOT / "tests/abuse/classes.py").read_text(), re.M))
    return classes | set(re.findall(r"^def (\w+)\(api", (ROOT / "tests/webhooks/run.py").read_text(), re.M))


def matches(pattern, names):
    return any(fnmatch.fnmatchcase(name, pattern) for name in names)


def missing(cell, known):
    """What a cell of a table names that is not there."""
    unit, talks, rows, abuse = known
    suite, sweeps = "", False
    for before, name in re.findall(r"([^`]*)`([^`]+)`", cell):
        sweeps = (sweeps or "sweep:" in before) and not re.search(r"[.;](?:\s|$)(?!.*sweep:)", before)
        if sweeps:
            parts = [re.escape(p) for p in re.split(r" ?\.\.\. ?", name)]
            if not any(re.search(".*".join(parts), row) for row in rows):
                yield f"sweep: {name}"
        elif match := re.fullmatch(r"([A-Z]\w*)?\.(\w+\*?|\*)", name):
            suite = match.group(1) or suite
            if not matches(f"{suite}.{match.group(2)}", unit):
                yield f"{suite}.{match.group(2)}"
        elif re.fullmatch(r"(access|reads|writes|admission|custom-resources|features|gates|resources-\w+|validation-[\w-]+)/[\w*-]+", name):
            if not matches(name, talks):
                yield name
        elif name.endswith("_fuzz"):
            if not list(ROOT.glob(f"src/**/{name}.cc")):
                yield name
        elif re.match(r"(tests|docs|tools|src)/[\w./]+$", name) and not (ROOT / name).exists():
            yield name
        elif re.fullmatch(r"[A-Z]\w*Test|\w+_test", name):
            if not any(u.startswith(name + ".") for u in unit) and not list(ROOT.glob(f"src/**/{name}.cc")):
                yield name
        elif re.fullmatch(r"[a-z]+(_[a-z]+){3,}", name) and name not in abuse:
            yield name


def main():
    known = unit_tests(), conversations(), shapes(), functions()
    problems = [f"docs/security.md:{number}: there is no {name}" for number, line in enumerate(PAGE.read_text().splitlines(), 1)
                for cell in line.split("|") for name in missing(cell, known)]
    print("\n".join(problems) if problems else "security: every test that is named is there")
    sys.exit(1 if problems else 0)


if __name__ == "__main__":
    main()
