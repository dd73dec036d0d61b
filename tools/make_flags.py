#!/usr/bin/env python3
"""Compile data/flags into constant C++ tables (run by CMake; the output is never in git).

  make_flags.py OUT.cc       -> server::KubeApiserverFlags(), EtcdFlags(), ServeFlags(), AllFeatureGates(), AllAdmissionPlugins()
  make_flags.py --document   write the tables of docs/flags.md
  make_flags.py --check      fail where docs/flags.md has other ones
"""
import json
import pathlib
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
DATA = ROOT / "data/flags"
DOCUMENT = ROOT / "docs/flags.md"
MARKS = "<!-- Made by tools/make_flags.py --document of data/flags: begin -->", "<!-- end -->"
EFFECTS = {"honoured": "kHonoured", "none": "kNone", "refused": "kRefused"}
EFFECT_WORDS = {"honoured": "honoured", "none": "no meaning here", "refused": "refused"}


def lines(name):
    return [line.rstrip() for line in (DATA / name).read_text().splitlines() if line.strip() and not line.startswith("#")]


def text(s):
    return json.dumps(s) + "sv"


def read(*names):
    """{name: (name, type, default, section)}; the first file that has a flag counts."""
    rows, section = {}, ""
    for name in names:
        for line in lines(name):
            if line.startswith("["):
                section = line.strip("[]")
                continue
            flag, _, rest = line.partition(" ")
            kind, _, default = rest.partition(" ")
            if kind == "strings":
                default = default.strip("[]")
            rows.setdefault(flag, (flag, kind, default, section))
    return rows


def meanings():
    """{name: (effect, description, note, first)}"""
    found = {}
    for line in lines("meaning.txt"):
        if line.startswith("["):
            continue
        name, effect, description, note = line.split("|")
        first = note == "first" or note.startswith("first;")
        found[name] = (effect, description, note.removeprefix("first").removeprefix(";").strip(), first)
        if effect not in EFFECTS or not description:
            sys.exit(f"data/flags/meaning.txt: {name}: there is no effect {effect}, or no description")
        if effect != "honoured" and not found[name][2]:
            sys.exit(f"data/flags/meaning.txt: {name} does not say why")
    return found


def flags(*names, described=True):
    known, rows = meanings() if described else {}, []
    for name, row in sorted(read(*names).items()):
        if described and name not in known:
            sys.exit(f"data/flags/meaning.txt has nothing of --{name}")
        effect, description, note, first = known.get(name, ("honoured", "", "", False))
        rows.append("    {" + ", ".join(map(text, (*row, description, note))) + f", Flag::Effect::{EFFECTS[effect]}, {'true' if first else 'false'}}},")
    return rows


def section(rows, known):
    out = ["| flag | here | |", "|---|---|---|"]
    for name, kind, default, _ in rows:
        effect, description, note, _ = known[name]
        said = description + (": " + note if effect == "refused" else "; " + note if note else "")
        out.append(f"| `--{name}` | {EFFECT_WORDS[effect]} | {said.replace('|', chr(92) + '|')} |")
    return out


def plugins():
    """[(name, on by default, built, what it does)] in the order in which they run."""
    rows = [line.split("|") for line in lines("admission-plugins.txt")]
    for name, default, state, _ in rows:
        if default not in ("on", "off") or state not in ("built", "missing"):
            sys.exit(f"data/flags/admission-plugins.txt: {name}")
    return rows


def document():
    """What stands between the marks of docs/flags.md."""
    known, theirs = meanings(), read("kube-apiserver.txt")
    # Theirs may have another default under `fairlead serve`; ours have nothing of theirs.
    ours = {**read("controllers.txt"), **{n: row for n, row in read("fairlead.txt").items() if n not in theirs}}
    strangers = set(known) - set(theirs) - set(ours)
    if strangers:
        sys.exit(f"data/flags/meaning.txt has flags that are not there: {', '.join(sorted(strangers))}")
    counts = {effect: sum(known[name][0] == effect for name in theirs) for effect in EFFECTS}
    out = [f"Of the {len(theirs)} flags of kube-apiserver 1.32, {counts['honoured']} are honoured, {counts['none']} have no meaning here and {counts['refused']} are refused.", ""]
    out += ["### Fairlead's own", "", *section(sorted(ours.values()), known), ""]
    out += ["### Admission plugins", "", "| plugin | by default | here | |", "|---|---|---|---|"]
    out += [f"| `{name}` | {default} | {'built' if state == 'built' else 'not built'} | {what} |" for name, default, state, what in plugins()] + [""]
    for title in dict.fromkeys(row[3] for row in theirs.values()):
        rows = [row for row in theirs.values() if row[3] == title]
        out += [f"### {title}", "", *section(rows, known), ""]
    return "\n".join(out)


def with_document(page):
    before, _, rest = page.partition(MARKS[0])
    _, _, after = rest.partition(MARKS[1])
    return before + MARKS[0] + "\n\n" + document() + MARKS[1] + after


def gates():
    stage = {"ALPHA": "kAlpha", "BETA": "kBeta", "GA": "kGa", "DEPRECATED": "kDeprecated"}
    for line in sorted(lines("feature-gates.txt")):
        name, level, default, *locked = line.split()
        yield f"    {{{text(name)}, FeatureGate::Stage::{stage[level]}, {default}, {'true' if locked else 'false'}}},"


def main():
    if sys.argv[1] == "--document":
        DOCUMENT.write_text(with_document(DOCUMENT.read_text()))
        return
    if sys.argv[1] == "--check":
        page = DOCUMENT.read_text()
        sys.exit("docs/flags.md is not what data/flags says: run tools/make_flags.py --document" if with_document(page) != page else 0)
    tables = [("KubeApiserverFlags", flags("kube-apiserver.txt", "controllers.txt")), ("EtcdFlags", flags("etcd.txt", described=False)),
              ("ServeFlags", flags("fairlead.txt", "controllers.txt", "kube-apiserver.txt"))]
    out = ["// Made by tools/make_flags.py from data/flags. Not for editing.", '#include "server/admission_plugins.h"', '#include "server/feature_gates.h"',
           '#include "server/flags.h"', "", "namespace server {", "using namespace std::string_view_literals;", "namespace {"]
    for name, rows in tables:
        out += [f"constexpr Flag k{name}[] = {{", *rows, "};"]
    out += ["constexpr AdmissionPlugin kAdmissionPlugins[] = {"]
    out += [f"    {{{text(name)}, {str(default == 'on').lower()}, {str(state == 'built').lower()}}}," for name, default, state, _ in plugins()]
    out += ["};", ""]
    out += ["constexpr FeatureGate kFeatureGates[] = {", *gates(), "};", "}  // namespace", ""]
    out += [f"std::span<const Flag> {name}() {{ return k{name}; }}" for name, _ in tables]
    out += ["std::span<const FeatureGate> AllFeatureGates() { return kFeatureGates; }",
            "std::span<const AdmissionPlugin> AllAdmissionPlugins() { return kAdmissionPlugins; }", "}  // namespace server", ""]
    pathlib.Path(sys.argv[1]).write_text("\n".join(out))


if __name__ == "__main__":
    main()
