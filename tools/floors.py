#!/usr/bin/env python3
"""Hold every #include under src/ against tools/floors.txt, and every name against the words the house does not use.

No file includes itself by way of others, and no folder has more than 45 sources. Prints each offence as FILE:LINE and exits 1 when there is one.
"""
import collections
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
BANNED = {"util", "utils", "common", "core", "misc", "helpers", "helper", "types"}
# The API's own word: the group that the server calls core ("") has its resources in a folder of that name.
GROUP_FOLDERS = {"src/resources/core"}
MOST_SOURCES = 45  # .cc files of one folder, those in its subfolders not counted


def floors():
    table = {}
    for line in (ROOT / "tools/floors.txt").read_text().splitlines():
        line = line.split("#")[0].strip()
        if line:
            folder, _, allowed = line.partition(":")
            table[folder.strip()] = set(allowed.split())
    return table


def cycles(table):
    """Cycles of a graph {node: nodes}, each as text."""
    state = {}

    def visit(folder, trail):
        if state.get(folder) == "done":
            return []
        if folder in trail:
            return [" -> ".join(trail[trail.index(folder):] + [folder])]
        found = [c for to in sorted(table.get(folder, ())) for c in visit(to, trail + [folder])]
        state[folder] = "done"
        return found

    return [c for folder in table for c in visit(folder, [])]


def included_files():
    """File to the files under src/ that it includes, all as they are written in an #include."""
    sources = [p for p in (ROOT / "src").rglob("*") if p.suffix in (".h", ".cc")]
    names = {str(p.relative_to(ROOT / "src")): p for p in sources}
    found = {n: re.findall(r'^\s*#\s*include\s+"([^"]+)"', p.read_text(), re.M) for n, p in names.items()}
    return {n: {i for i in includes if i in names} for n, includes in found.items()}


def crowded_folders():
    counts = collections.Counter(p.parent for p in (ROOT / "src").rglob("*.cc"))
    return [f"{folder.relative_to(ROOT)}: {n} sources in one folder" for folder, n in counts.items() if n > MOST_SOURCES]


def main():
    table = floors()
    problems = ["floors.txt: cycle " + c for c in cycles(table)]
    problems += ["src: cycle " + c for c in cycles(included_files())]
    problems += crowded_folders()
    for path in sorted((ROOT / "src").rglob("*")):
        name = str(path.relative_to(ROOT))
        if path.stem.lower() in BANNED and name not in GROUP_FOLDERS:
            problems.append(f"{name}: nothing is called {path.stem}")
        if path.suffix not in (".h", ".cc"):
            continue
        own = path.relative_to(ROOT / "src").parts[0]
        for number, line in enumerate(path.read_text().splitlines(), 1):
            found = re.match(r'\s*#\s*include\s+"([^"]+)"', line)
            if not found:
                continue
            target = found.group(1)
            folder = target.split("/")[0]
            if "/" not in target:
                problems.append(f"{name}:{number}: {target}: includes are written from src/")
            elif not (ROOT / "src" / folder).is_dir():
                continue  # a library's header, or one the build generates
            elif folder != own and folder not in table.get(own, set()):
                problems.append(f"{name}:{number}: {own}/ may not include {folder}/")
    print("\n".join(problems) if problems else "floors: every include keeps to its floor")
    sys.exit(1 if problems else 0)


if __name__ == "__main__":
    main()
