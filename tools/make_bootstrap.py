#!/usr/bin/env python3
"""Compile data/bootstrap/objects.jsonl into a constant table: make_bootstrap.py IN OUT."""
import json
import pathlib
import sys


def row(line):
    obj, gates = json.loads(line), {}
    if "gates" in obj:
        gates, obj = obj["gates"], obj["object"]
        line = json.dumps(obj, separators=(",", ":"), ensure_ascii=False)
    group, _, version = obj["apiVersion"].rpartition("/")
    assert ')"' not in line, "the raw literal would end"
    needs = ",".join(("" if on else "-") + gate for gate, on in gates.items())
    return f'    {{{{"{group}", "{version}", "{obj["kind"]}", R"({line})"}}, "{needs}"}},'


def main():
    source, target = map(pathlib.Path, sys.argv[1:3])
    rows = [row(line) for line in source.read_text().splitlines()]
    target.write_text("\n".join([
        '#include "resources/bootstrap.h"', "", "namespace resources {", "namespace {", "",
        "constexpr RecordedObject kObjects[] = {", *rows, "};", "", "}  // namespace", "",
        "std::span<const RecordedObject> RecordedObjects() { return kObjects; }", "",
        "}  // namespace resources", ""]))


main()
