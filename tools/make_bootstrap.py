#!/usr/bin/env python3
"""Compile data/bootstrap/objects.jsonl into a constant table: make_bootstrap.py IN OUT."""
import json
import pathlib
import sys


def row(line):
    obj = json.loads(line)
    group, _, version = obj["apiVersion"].rpartition("/")
    assert ')"' not in line, "the raw literal would end"
    return f'    {{"{group}", "{version}", "{obj["kind"]}", R"({line})"}},'


def main():
    source, target = map(pathlib.Path, sys.argv[1:3])
    rows = [row(line) for line in source.read_text().splitlines()]
    target.write_text("\n".join([
        '#include "resources/bootstrap.h"', "", "namespace resources {", "namespace {", "",
        "constexpr registry::BootstrapObject kObjects[] = {", *rows, "};", "", "}  // namespace", "",
        "std::span<const registry::BootstrapObject> RecordedObjects() { return kObjects; }", "",
        "}  // namespace resources", ""]))


main()
