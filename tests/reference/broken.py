#!/usr/bin/env python3
"""Send valid objects as protobuf with a few bytes changed to Fairlead and to kube-apiserver, and tell where the answers differ.

  broken.py --program FILE [--requests 2000] [--seed 1] [--only REGEX] [--case N]

What is changed is chosen at random: a field's wire type, number, length or place, bytes, the end. Every request is a dry run. What differs is printed with its number,
which --case sends again. Exit status 1 when something differs.
"""
import argparse
import base64
import collections
import contextlib
import json
import pathlib
import random
import re
import sys

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent.parent
for folder in ("bench", "tests/wire", "tests/reference"):
    sys.path.insert(0, str(ROOT / folder))
import objects
import play
from pair import peers
from protobuf import read_varint
from servers import started, started_program

PROTOBUF = "application/vnd.kubernetes.protobuf"
OURS = ["--controllers=priority-and-fairness-config-consumer"]
# What servers choose by themselves.
CHANCE = [(r"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}", "<uid>"), (r"20\d\d-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z", "<time>"),
          (r"\b10\.0\.0\.\d+\b", "<address>"), (r'"(nodePort|healthCheckNodePort)":\d+', r'"\1":<port>'),
          # Structured values are shown in another form on purpose (docs/deviations.md), and maps in Go's random order.
          (r'value: [\w.*\[\]]*\{.*?\}(?=: |")', "value: <structure>")]


def varint(number):
    out = bytearray()
    while number > 127:
        out.append(number & 127 | 128)
        number >>= 7
    return bytes(out) + bytes([number])


def fields(raw):
    """[(number, wire type, the value's bytes or number)], or None where these bytes are no message."""
    out, at = [], 0
    try:
        while at < len(raw):
            tag, at = read_varint(raw, at)
            wire = tag & 7
            if wire == 0:
                value, at = read_varint(raw, at)
            elif wire == 2:
                size, at = read_varint(raw, at)
                value, at = raw[at:at + size], at + size
            elif wire == 1:
                value, at = raw[at:at + 8], at + 8
            else:
                return None
            if tag >> 3 == 0 or tag >> 3 > 300 or at > len(raw):
                return None
            out.append((tag >> 3, wire, value))
    except (IndexError, ValueError):
        return None
    return out


def written(number, wire, value):
    tag = varint(number << 3 | wire)
    return tag + (varint(value) if wire == 0 else varint(len(value)) + value if wire == 2 else value)


class Breaker:
    def __init__(self, chance):
        self.random = chance

    def message(self, raw):
        """The message with one change, at any depth."""
        parts = fields(raw)
        if not parts or self.random.random() < 0.06:
            return self.bytes(raw)
        place = self.random.randrange(len(parts))
        number, wire, value = parts[place]
        pieces = [written(*p) for p in parts]
        if wire == 2 and value and self.random.random() < 0.75:
            pieces[place] = written(number, wire, self.message(value))
        else:
            self.change(pieces, place, number, wire, value)
        return b"".join(pieces)

    def change(self, pieces, place, number, wire, value):
        kind = self.random.randrange(9)
        if kind == 0:
            pieces[place] = varint(number << 3 | self.random.randrange(8)) + pieces[place][len(varint(number << 3)):]
        elif kind == 1:
            pieces[place] = written(self.random.choice((number + 1, max(1, number - 1), self.random.randrange(1, 40), 0)), wire, value)
        elif kind == 2 and wire == 2:
            pieces[place] = varint(number << 3 | 2) + varint(self.random.choice((len(value) + 1, max(0, len(value) - 1), len(value) + 5, 2 ** 63 - 1, 2 ** 64 - 1, 2 ** 31))) + value
        elif kind == 3:
            pieces[place] *= 2
        elif kind == 4:
            pieces[place] = b""
        elif kind == 5:
            other = self.random.randrange(len(pieces))
            pieces[place], pieces[other] = pieces[other], pieces[place]
        elif kind == 6:
            pieces[place] += self.random.choice((b"\xf8\x07\x01", b"\xfb\x07\x08\x01\xfc\x07", b"\xfb\x07", b"\x04", b"\x07", b"\x00", b"\x80", b"\xff" * 10))
        elif kind == 7:
            pieces[place] = self.of_another_type(number, value)
        else:
            pieces[place] = self.bytes(pieces[place])

    def of_another_type(self, number, value):
        wire = self.random.choice((0, 1, 2, 5))
        return varint(number << 3 | wire) + (varint(self.random.choice((0, 1, 2 ** 31, 2 ** 63, 2 ** 64 - 1))) if wire == 0 else b"\x01a" if wire == 2 else b"12345678"[:8 if wire == 1 else 4])

    def bytes(self, raw):
        raw = bytearray(raw)
        kind = self.random.randrange(4)
        at = self.random.randrange(len(raw) + 1)
        if kind == 0 or at == len(raw):
            return bytes(raw[:at])
        if kind == 1:
            raw[at] = self.random.randrange(256)
        elif kind == 2:
            raw[at] ^= 1 << self.random.randrange(8)
        else:
            raw[at:at] = bytes([self.random.randrange(256)])
        return bytes(raw)

    def body(self, raw):
        return b"k8s\0" + self.message(raw[4:])


def comparable(answer):
    status, headers, raw = answer
    said = raw.decode("utf-8", "surrogateescape")
    for pattern, name in CHANCE:
        said = re.sub(pattern, name, said)
    return status, dict(headers).get("content-type"), said


def kind_of(ours, theirs):
    """What differs, in short."""
    def short(said):
        return f"{said[0]} " + re.sub(r".* cannot be handled as a \w+: ", "", json.loads(said[2]).get("message", "") if said[0] >= 400 and said[2].startswith("{") else "")[:120]
    return f"here {short(ours)} | there {short(theirs)}"


def templates(theirs, seeds):
    """(path, protobuf) of each seed, as the reference writes it and takes it again."""
    for seed in seeds:
        path = seed.path("default")
        status, _, raw = theirs.request("POST", path + "?dryRun=All", {"Content-Type": "application/json", "Accept": PROTOBUF}, json.dumps(seed.body).encode())
        if status == 201 and theirs.request("POST", path + "?dryRun=All", {"Content-Type": PROTOBUF}, raw)[0] == 201:
            yield path, raw


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--program", default=str(ROOT / "build/release/src/server/fairlead"))
    parser.add_argument("--requests", type=int, default=2000)
    parser.add_argument("--seed", default="1")
    parser.add_argument("--only", default="", help="regular expression on the paths")
    parser.add_argument("--case", type=int, help="send this one")
    options = parser.parse_args()
    tally, examples, asked = collections.Counter(), {}, 0
    with contextlib.ExitStack() as stack:
        sides = [play.Client(stack.enter_context(started_program(options.program, OURS)), "admin-token"), play.Client(stack.enter_context(started(peers(), [])), "admin-token")]
        there = [t for t in templates(sides[1], objects.seeds()) if re.search(options.only, t[0])]
        for number in range(options.requests) if options.case is None else [options.case]:
            breaker = Breaker(random.Random(f"{options.seed}-{number}"))
            path, raw = breaker.random.choice(there)
            body = breaker.body(raw)
            said = [comparable(side.request("POST", path + "?dryRun=All", {"Content-Type": PROTOBUF}, body)) for side in sides]
            asked += 1
            if said[0] != said[1]:
                kind = kind_of(*said)
                tally[kind] += 1
                examples.setdefault(kind, (number, path, base64.b64encode(body).decode(), said))
    for kind, count in tally.most_common():
        number, path, body, said = examples[kind]
        print(f"{count:4} {kind}\n     case {number} POST {path}")
        if options.case is not None:
            print(body, *said, sep="\n")
    print(f"{asked} requests compared, {sum(tally.values())} differ")
    sys.exit(1 if tally else 0)


if __name__ == "__main__":
    main()
