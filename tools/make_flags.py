#!/usr/bin/env python3
"""Compile data/flags into constant C++ tables (run by CMake; the output is never in git).

  make_flags.py OUT.cc       -> server::KubeApiserverFlags(), EtcdFlags(), ServeFlags(), AllFeatureGates()
"""
import json
import pathlib
import sys

DATA = pathlib.Path(__file__).resolve().parent.parent / "data/flags"


def lines(name):
    return [line.rstrip() for line in (DATA / name).read_text().splitlines() if line.strip() and not line.startswith("#")]


def text(s):
    return json.dumps(s) + "sv"


def flags(*names):
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
    return ["    {" + ", ".join(map(text, row)) + "}," for _, row in sorted(rows.items())]


def gates():
    stage = {"ALPHA": "kAlpha", "BETA": "kBeta", "GA": "kGa", "DEPRECATED": "kDeprecated"}
    for line in sorted(lines("feature-gates.txt")):
        name, level, default, *locked = line.split()
        yield f"    {{{text(name)}, FeatureGate::Stage::{stage[level]}, {default}, {'true' if locked else 'false'}}},"


def main():
    tables = [("KubeApiserverFlags", flags("kube-apiserver.txt", "controllers.txt")), ("EtcdFlags", flags("etcd.txt")),
              ("ServeFlags", flags("fairlead.txt", "controllers.txt", "kube-apiserver.txt"))]
    out = ["// Made by tools/make_flags.py from data/flags. Not for editing.", '#include "server/feature_gates.h"',
           '#include "server/flags.h"', "", "namespace server {", "using namespace std::string_view_literals;", "namespace {"]
    for name, rows in tables:
        out += [f"constexpr Flag k{name}[] = {{", *rows, "};"]
    out += ["constexpr FeatureGate kFeatureGates[] = {", *gates(), "};", "}  // namespace", ""]
    out += [f"std::span<const Flag> {name}() {{ return k{name}; }}" for name, _ in tables]
    out += ["std::span<const FeatureGate> AllFeatureGates() { return kFeatureGates; }", "}  // namespace server", ""]
    pathlib.Path(sys.argv[1]).write_text("\n".join(out))


if __name__ == "__main__":
    main()
