#!/usr/bin/env python3
"""Run a link command with the static form of every library that has one (called by CMake as the link launcher of fairlead).

Each shared library costs about a third of a millisecond of the time from start to ready, and pages of memory in every process:
with static ones the server needs only libc, libm and what Debian packages in shared form alone.
"""
import pathlib
import re
import sys
import subprocess


def static(argument):
    found = re.fullmatch(r"(/.*/lib[^/]+?)\.so(\.[0-9.]+)?", argument)
    archive = pathlib.Path(found.group(1) + ".a") if found else None
    return str(archive) if archive and archive.exists() else argument


command = [static(a) for a in sys.argv[1:]]
sys.exit(subprocess.run(command + ["-static-libstdc++", "-static-libgcc"]).returncode)
