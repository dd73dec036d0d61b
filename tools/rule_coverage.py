#!/usr/bin/env python3
"""Which rules of the built-in types have a case that breaks them and one that keeps them.

  rule_coverage.py [--no-run] [--no-build] [--no-wire] [--write] [--list]

A rule is a row of a constant table of rules, a call that puts an error, or a call of a check that others share (one that a header declares and that
takes the list of errors). The `coverage` preset counts what runs and notes which calls led to errors and which rows were kept and broken
(src/registry/rule_log.h); here the unit tests of the floors that hold rules, the recorded writes (tests/rules) and the conversations are run on it.

  row      broken and kept as the interpreter of the tables notes it; what is not there keeps nothing
  call     broken where it ran and led to an error; kept where what guards it was reached oftener than it, of a shared check where it was
           called oftener than it led to an error, or by a write that was accepted

Rules without both are named, unless tests/rules/unreachable.txt says why nothing can show it. --write puts the table into docs/rule-coverage.md.
--no-run reads what the last run left in build/coverage/rules. Exit status 1 when a rule lacks a case.
"""
import argparse
import bisect
import collections
import dataclasses
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
BUILD = ROOT / "build/coverage"
FOUND = BUILD / "rules"
PAGE = ROOT / "docs/rule-coverage.md"
UNREACHABLE = ROOT / "tests/rules/unreachable.txt"
TESTS = ["src/registry/registry_test", "src/resources/resources_test", "src/admission/admission_test", "tests/rules/rules_test"]
SERVER = "src/server/fairlead"
# The recorded writes that are accepted: a shared check that they call is kept.
ACCEPTED = ("accepted", "tests/rules/rules_test", "--gtest_filter=Rules.Take*")
# Floors whose objects are instrumented, and what of them is no rule: the tools that rules are made of.
SOURCES = ["src/resources/**/*.cc", "src/resources/**/*.h", "src/registry/metadata_rules.cc", "src/admission/*.cc"]
TOOLS = re.compile(r"(_test|_bench|_fuzz)\.cc$|_fixture\.h$|rules/(rules|errors)\.(cc|h)$|admission/refusal\.cc$")
METHODS = "Required|Invalid|InvalidAs|InvalidStruct|InvalidWhole|NotSupported|NotSupportedAs|Forbidden|Duplicate|DuplicateStruct|NotFound|TooLong|TooMany|Internal|TypeInvalid|Add"
DIRECT = re.compile(rf"(?:\b\w*errors\w*|\bfound|\bbad)\.(?P<name>{METHODS})\(")
REFUSAL = re.compile(r"\b(?P<name>RefusePod|Refuse|Fail|push_back|emplace_back)\(")
LEADS_ON = ("Into", "IntoStruct", "Each", "Call")


@dataclasses.dataclass
class Rule:
    file: str
    line: int
    column: int = 0
    end: int = 0
    text: str = ""
    shared: bool = False
    broken: int = 0
    kept: int = 0
    why: str = ""

    @property
    def place(self):
        return f"{self.file}:{self.line}"


def without_comments(text):
    """The same text, comments and string literals blank, so that columns stay."""
    def blank(found):
        return re.sub(r"[^\n]", " ", found.group())
    return re.sub(r'R"\((?:.|\n)*?\)"|//[^\n]*|"(?:[^"\\\n]|\\.)*"|/\*(?:.|\n)*?\*/', blank, text)


def sources():
    found = sorted({p for pattern in SOURCES for p in ROOT.glob(pattern)})
    return [p for p in found if not TOOLS.search(str(p))]


def shared_checks():
    """Names of the functions that headers declare and that take the list of errors first."""
    names = set()
    for header in ROOT.glob("src/resources/**/*.h"):
        names |= set(re.findall(r"\bvoid (\w+)\(Errors& ", header.read_text()))
    return names - {"Form", "Check"} | {"AddComplaints"}


def line_and_column(text, at):
    return text.count("\n", 0, at) + 1, at - text.rfind("\n", 0, at)


def closing(text, at):
    """The index of the bracket that closes the one at `at`."""
    depth = 0
    for i in range(at, len(text)):
        depth += text[i] in "({["
        depth -= text[i] in ")}]"
        if depth == 0:
            return i
    raise ValueError("no end")


def rows_of(text, begin, end):
    """Where the rows of a table begin, between its braces."""
    at, depth, start = begin, 0, None
    starts = []
    while at < end:
        c = text[at]
        if depth == 0 and start is None and not c.isspace() and c != ",":
            start = at
            starts.append(at)
        depth += c in "({["
        depth -= c in ")}]"
        if depth == 0 and c == ",":
            start = None
        at += 1
    return starts


def rules_of(path, shared):
    """(rules that are calls, {(table, line): [a rule or None for each row]})."""
    raw = path.read_text()
    text, name = without_comments(raw), str(path.relative_to(ROOT))
    lines = raw.splitlines()
    tables = {}
    for table in re.finditer(r"constexpr Rule (\w+)\[\] = \{", text):
        rows = []
        for start in rows_of(text, table.end(), closing(text, table.end() - 1)):
            line, column = line_and_column(text, start)
            word = re.match(r"\w+", text[start:]).group()
            shown = raw[start:closing(text, text.index("(", start)) + 1]
            rows.append(None if word in LEADS_ON else Rule(name, line, column, text=" ".join(shown.split())))
        tables[table.group(1), line_and_column(text, table.start(1))[0]] = rows
    calls = []
    patterns = [(DIRECT, False), (re.compile(r"\b(?P<name>%s)\((?:\w+(?:\.|->))?\w*errors\w*\b\s*[,)]" % "|".join(sorted(shared))), True)]
    if "/admission/" in name:
        patterns = [(REFUSAL, False)]
    if name.endswith("metadata_rules.cc"):
        patterns = [(re.compile(r"(?<!void )\b(?P<name>Add)\(errors,"), False), (re.compile(r"(?<!void )\b(?P<name>AddComplaints)\(errors,"), True)]
    for pattern, is_shared in patterns:
        for found in pattern.finditer(text):
            line, column = line_and_column(text, found.start("name"))
            if re.match(r"(?:void|std::unexpected<\S+>|api::Result<>) \w", lines[line - 1][:column]):
                continue
            calls.append(Rule(name, line, column, column + len(found.group("name")), lines[line - 1].strip(), is_shared))
    return calls, tables


def run(command, **options):
    return subprocess.run(command, cwd=ROOT, text=True, errors="replace", **options)


def run_cases(wire, build):
    shutil.rmtree(FOUND, ignore_errors=True)
    FOUND.mkdir(parents=True)
    if not (BUILD / "build.ninja").exists():
        run(["cmake", "--preset", "coverage"], check=True, stdout=subprocess.DEVNULL)
    targets = [] if not build else [pathlib.Path(t).name for t in TESTS] + ([pathlib.Path(SERVER).name] if wire else [])
    if build:
        run(["cmake", "--build", "--preset", "coverage", "-j", str(os.cpu_count()), "--target", *targets], check=True, stdout=subprocess.DEVNULL)
    for test in TESTS:
        done = run([BUILD / test], env=environment(pathlib.Path(test).name), stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        print(f"{test}: exit status {done.returncode}", flush=True)
    run([BUILD / ACCEPTED[1], ACCEPTED[2]], env=environment(ACCEPTED[0]), stdout=subprocess.DEVNULL)
    if wire:
        done = run([sys.executable, "tests/wire/run.py", "--program", BUILD / SERVER], env=environment("fairlead"), stdout=subprocess.PIPE)
        print("conversations: " + done.stdout.rstrip().rpartition("\n")[2], flush=True)


def environment(name):
    return {**os.environ, "LLVM_PROFILE_FILE": str(FOUND / f"{name}-%p.profraw"), "FAIRLEAD_RULE_LOG": str(FOUND / f"{name}-%p.log")}


def programs():
    return [p for p in [*TESTS, SERVER] if list(FOUND.glob(pathlib.Path(p).name + "-*.profraw"))]


def regions(names, programs):
    """{file: [(begin, end, count)]} of all code regions that the runs of these names counted, of all instances together."""
    profiles = [path for name in names for path in FOUND.glob(f"{name}-*.profraw")]
    run(["llvm-profdata-19", "merge", "-sparse", "-o", FOUND / "merged.profdata", *profiles], check=True)
    objects = [part for program in programs[1:] for part in ("-object", BUILD / program)]
    exported = run(["llvm-cov-19", "export", "-instr-profile", FOUND / "merged.profdata", BUILD / programs[0], *objects], check=True, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL).stdout
    counts = collections.defaultdict(int)
    for function in json.loads(exported)["data"][0]["functions"]:
        for region in function["regions"]:
            if region[7] == 0:  # code
                file = function["filenames"][region[5]]
                counts[file, (region[0], region[1]), (region[2], region[3])] += region[4]
    found = collections.defaultdict(list)
    for (file, begin, end), count in counts.items():
        found[os.path.relpath(file, ROOT)].append((begin, end, count))
    return found


def symbols(program, wanted):
    """What llvm-symbolizer says of `wanted` ("CODE 0x…", "DATA 0x…"), the lines of each."""
    command = ["llvm-symbolizer-19", "--obj", BUILD / program, "--no-inlines", "--output-style=LLVM"]
    answer = run(command, input="".join(w + "\n" for w in wanted), stdout=subprocess.PIPE, check=True).stdout
    return [block.split("\n") for block in answer.split("\n\n")][:len(wanted)]


def notes():
    """({(file, line, column): errors}, {(table, file, line): {row's offset: [kept, broken]}}), of all programs."""
    calls, rows = collections.Counter(), collections.defaultdict(lambda: collections.defaultdict(lambda: [0, 0]))
    for program in programs():
        errors, kept, broken = collections.Counter(), collections.Counter(), collections.Counter()
        for log in FOUND.glob(pathlib.Path(program).name + "-*.log"):
            for words in map(str.split, log.read_text().splitlines()):
                address = int(words[1], 16)
                if words[0] == "error":
                    errors[address] += int(words[2])
                else:
                    kept[address] += int(words[2])
                    broken[address] += int(words[3])
        for address, block in zip(errors, symbols(program, [f"CODE {a:#x}" for a in errors])):
            file, line, column = block[1].rsplit(":", 2)
            if file.startswith(str(ROOT)):
                calls[os.path.relpath(file, ROOT), int(line), int(column)] += errors[address]
        addresses = sorted(kept.keys() | broken.keys())
        for address, block in zip(addresses, symbols(program, [f"DATA {a:#x}" for a in addresses])):
            start, size = map(int, block[1].split())
            file, _, line = block[2].rpartition(":")
            if line == "?":  # a table of a test
                continue
            counts = rows[block[0].rsplit("::", 1)[-1], os.path.relpath(file, ROOT), int(line)][address - start, size]
            counts[0] += kept[address]
            counts[1] += broken[address]
    return calls, rows


def judge_rows(tables, file, rows):
    for (table, line), rules in tables.items():
        for (offset, size), (kept, broken) in rows.get((table, file, line), {}).items():
            rule = rules[offset * len(rules) // size]
            if rule:
                rule.kept += kept
                rule.broken += broken


def around(file_regions, rule):
    """The regions that hold the call, the innermost first."""
    at = (rule.line, rule.column)
    holding = [(begin, end, count) for begin, end, count in file_regions if begin <= at < end]
    # Of regions that begin alike the shorter is inside.
    holding.sort(key=lambda r: (r[0], [-x for x in r[1]]), reverse=True)
    return holding


def times_guarded(holding):
    """How much oftener what guards the innermost region was reached than it. Beyond the region that holds it guard those outside a loop, and those
    before a return: of what follows one, the region ends where that around it does."""
    most = 0
    for (_, end, count), (_, outer_end, outer) in zip(holding, holding[1:]):
        most = max(most, outer - holding[0][2])
        if count <= outer and end != outer_end:
            break
    return most


def callers(text, rule):
    """Where the file calls the function or the lambda that the rule is in."""
    before = "\n".join(text.split("\n")[:rule.line - 1] + [text.split("\n")[rule.line - 1][:rule.column - 1]])
    heads = list(re.finditer(r"\b(?:auto|void|bool|api::Result<>) (\w+) ?(?:= \[[^\]]*\] ?)?\([^;{}]*\)[^;{}()]*\{", before))
    if not heads:
        return
    for call in re.finditer(rf"(?<!auto )(?<!void )(?<!bool )(?<!> )\b{heads[-1].group(1)}\(", text):
        line, column = line_and_column(text, call.start())
        yield Rule(rule.file, line, column)


def judge_call(rule, file_regions, accepted, calls, text):
    holding = around(file_regions, rule)
    if len(holding) == 1 and not rule.shared:
        # What always runs where it stands: its calls are guarded.
        rule.broken = holding[0][2]
        rule.kept = sum(times_guarded(around(file_regions, caller)) for caller in callers(text, rule))
        return
    errors = sum(calls.get((rule.file, rule.line, column), 0) for column in range(rule.column - 40, rule.end + 1)) if rule.shared else 0
    ran = holding[0][2] if holding else 0
    if rule.shared:
        rule.broken = errors
        rule.kept = max(0, ran - errors, *(count for _, _, count in around(accepted, rule)[:1]))
    else:
        rule.broken = ran
        rule.kept = times_guarded(holding)


def unreachable():
    """[(pattern, reason)]: a line "PATH: text of the rule  # reason" ."""
    if not UNREACHABLE.exists():
        return []
    lines = [line.rpartition("  # ") for line in UNREACHABLE.read_text().splitlines() if line.strip() and not line.startswith("#")]
    return [(rule.strip(), reason.strip()) for rule, _, reason in lines]


def judged():
    shared = shared_checks()
    names = [pathlib.Path(program).name for program in programs()]
    counted, accepted, (calls, rows) = regions(names, programs()), regions(ACCEPTED[:1], ACCEPTED[1:2]), notes()
    reasons, found = unreachable(), []
    for path in sources():
        direct, tables = rules_of(path, shared)
        text = without_comments(path.read_text())
        file = str(path.relative_to(ROOT))
        judge_rows(tables, file, rows)
        for rule in direct:
            judge_call(rule, counted.get(file, []), accepted.get(file, []), calls, text)
        rules = sorted([r for row in tables.values() for r in row if r] + direct, key=lambda r: (r.line, r.column))
        for rule in rules:
            rule.why = next((reason for text, reason in reasons if f"{rule.file}: {rule.text}".startswith(text)), "")
        found += rules
    return found


def lacking(rule):
    missing = [word for word, count in (("broken", rule.broken), ("kept", rule.kept)) if not count]
    return " or ".join(missing)


def table(rules):
    by_file = collections.defaultdict(list)
    for rule in rules:
        by_file[rule.file.removeprefix("src/")].append(rule)
    lines = ["| rules of | rules | broken | kept | without a case |", "|---|---:|---:|---:|---:|"]
    def row(name, those):
        without = sum(1 for r in those if lacking(r) and not r.why)
        return f"| {name} | {len(those)} | {sum(1 for r in those if r.broken)} | {sum(1 for r in those if r.kept)} | {without or ''} |"
    lines += [row(file, those) for file, those in sorted(by_file.items())]
    return "\n".join(lines + [row("**all**", rules)])


def summary(rules):
    missing, shown = sum(1 for r in rules if lacking(r) and not r.why), sum(1 for r in rules if lacking(r) and r.why)
    without = f"{missing} rules lack a case" if missing else "No rule is without both a case that breaks it and one that keeps it"
    return f"{without}; that leaves out {shown} of {len(rules)} of which nothing can show one side, named at the end with the reason."


def page(rules):
    named = [r for r in rules if lacking(r)]
    said = "\n".join(f"| {r.place} | `{r.text[:120].replace('|', chr(92) + '|')}` | {lacking(r)} | {r.why or '**a case is missing**'} |" for r in named)
    return f"""# Which rules have cases
Made by `make rule-coverage`; [`tools/rule_coverage.py`](../tools/rule_coverage.py) says what counts as a rule, as broken and as kept. The cases are the unit tests, the conversations
([tests/wire](../tests/wire/README.md)) and the recorded writes ([tests/data/rules](../tests/data/rules/README.md)).

{summary(rules)}

{table(rules)}

Rules that lack one of the two:

| rule | is | never | because |
|---|---|---|---|
{said}
"""


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--no-run", action="store_true")
    parser.add_argument("--no-build", action="store_true", help="run what has been built")
    parser.add_argument("--no-wire", action="store_true", help="without the conversations")
    parser.add_argument("--write", action="store_true")
    parser.add_argument("--list", action="store_true", help="every rule with its counts")
    options = parser.parse_args()
    if not options.no_run:
        run_cases(not options.no_wire, not options.no_build)
    rules = judged()
    if options.list:
        for rule in rules:
            print(f"{rule.broken:8} {rule.kept:8} {rule.place}: {rule.text}")
    without = [r for r in rules if lacking(r) and not r.why]
    for rule in without:
        print(f"{rule.place}: never {lacking(rule)}: {rule.text}")
    print(f"{len(rules)} rules, {sum(1 for r in rules if r.broken)} broken, {sum(1 for r in rules if r.kept)} kept, {len(without)} lack a case")
    if options.write:
        PAGE.write_text(page(rules))
    sys.exit(1 if without else 0)


if __name__ == "__main__":
    main()
