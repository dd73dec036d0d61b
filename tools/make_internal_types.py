#!/usr/bin/env python3
"""Compile data/api/internal_types.txt into a constant table: make_internal_types.py IN OUT.

A line "struct NAME" is followed by one indented line a field: its Go name, its Go type, and the JSON member it is read from
("-" the same object, "^member" a member of the object around it). "alias NAME TYPE" names another type.
"""
import pathlib
import sys


def main():
    source, target = map(pathlib.Path, sys.argv[1:3])
    structs, aliases, fields = [], [], []
    for line in source.read_text().splitlines():
        words = line.split()
        if not words or words[0] == "#":
            continue
        if words[0] == "struct":
            structs.append([words[1], len(fields), 0])
        elif words[0] == "alias":
            aliases.append(words[1:])
        else:
            fields.append(words)
            structs[-1][2] += 1
    rows = [f'    {{"{name}", "{kind}", "{json}"}},' for name, kind, json in fields]
    structs.sort()
    target.write_text("\n".join([
        '#include "resources/go/go_values.h"', "", "namespace resources::go {", "namespace {", "",
        "constexpr Field kFields[] = {", *rows, "};",
        "constexpr Struct kStructs[] = {",
        *(f'    {{"{name}", {{kFields + {first}, {count}}}}},' for name, first, count in structs), "};",
        "constexpr Alias kAliases[] = {",
        *(f'    {{"{name}", "{of}"}},' for name, of in sorted(aliases)), "};", "", "}  // namespace", "",
        "std::span<const Struct> Structs() { return kStructs; }",
        "std::span<const Alias> Aliases() { return kAliases; }", "", "}  // namespace resources::go", ""]))


main()
