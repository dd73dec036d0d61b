#!/usr/bin/env python3
"""Compile data/time_zones.txt into a constant table: make_time_zones.py IN OUT."""
import pathlib
import sys


def main():
    source, target = map(pathlib.Path, sys.argv[1:3])
    names = sorted(source.read_text().split())
    target.write_text("\n".join([
        '#include "resources/batch/time_zones.h"', "", "namespace resources::batch {", "namespace {", "",
        "constexpr std::string_view kNames[] = {", *(f'    "{name}",' for name in names), "};", "", "}  // namespace",
        "", "std::span<const std::string_view> TimeZoneNames() { return kNames; }", "",
        "}  // namespace resources::batch", ""]))


main()
