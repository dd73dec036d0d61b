#!/usr/bin/env python3
"""Random expressions on cel-go, as the real server sets it up, and on ours: is the outcome the same?

Compared are the words of the check, the type, the estimated cost, the words of what making a program ran into, and the result or the words of
the error with the cost at run time. Prints differences, the shortest expression of each kind first, and ends with the counts.
"""
import argparse
import collections
import concurrent.futures
import json
import pathlib
import random
import subprocess
import sys
import tempfile

import expressions
import schemas

HERE = pathlib.Path(__file__).resolve().parent
FIELDS = ("compile_error", "type", "estimate", "program_error", "error", "value", "cost")


def canonical(form):
    if isinstance(form, dict):
        if "map" in form and isinstance(form["map"], list):
            return {"map": sorted(([canonical(k), canonical(v)] for k, v in form["map"]), key=json.dumps)}
        return {k: canonical(v) for k, v in form.items()}
    if isinstance(form, list):
        return [canonical(item) for item in form]
    return form


def outcomes(program, lines):
    """What `program` answers to `lines`; a program that ends early has no answer for the rest."""
    with tempfile.TemporaryFile("w+") as given, tempfile.TemporaryFile("w+") as made:
        given.write("".join(line + "\n" for line in lines))
        given.seek(0)
        ended = subprocess.run([program], stdin=given, stdout=made, stderr=subprocess.PIPE, text=True)
        made.seek(0)
        answers = [json.loads(line) for line in made]
    if ended.returncode != 0 or len(answers) != len(lines):
        return answers, (ended.returncode, lines[len(answers)] if len(answers) < len(lines) else "", ended.stderr[-2000:])
    return answers, None


def difference(theirs, ours):
    for field in FIELDS:
        if field in ("type",) and theirs.get("compile_error"):
            continue
        if canonical(theirs.get(field)) != canonical(ours.get(field)):
            return field
    return ""


def requests(rng, count):
    """Half of them over variables of known and unknown types, half over a schema."""
    made = []
    while len(made) < count:
        stored = rng.random() < .5
        generator = expressions.Generator(rng, stored)
        made += [generator.request() for _ in range(25)]
        generator = schemas.SchemaGenerator(rng, stored)
        for _ in range(3):
            generator.fresh_schema()
            made += [generator.request() for _ in range(8)]
    for request in made:
        if any(word in request["expr"] for word in ("map(", "filter(", "all(", "exists", "transform", "getQuery", "%s", "list", "join")):
            request["repeat"] = 4
    return made[:count]


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--reference", required=True, help="the program made of main.go")
    parser.add_argument("--ours", required=True, help="cel_requests")
    parser.add_argument("--count", type=int, default=10_000)
    parser.add_argument("--seed", type=int, default=random.randrange(1 << 30))
    parser.add_argument("--batch", type=int, default=5_000)
    parser.add_argument("--show", type=int, default=5, help="differences of each kind to print")
    parser.add_argument("--write", help="file for all requests that differ, a line each")
    args = parser.parse_args()
    differing, counts = collections.defaultdict(list), collections.Counter()
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        done = 0
        while done < args.count:
            rng = random.Random(f"{args.seed} {done}")
            batch = requests(rng, min(args.batch, args.count - done))
            lines = [json.dumps(request, ensure_ascii=False) for request in batch]
            both = [pool.submit(outcomes, program, lines) for program in (args.reference, args.ours)]
            (theirs, failure), (ours, our_failure) = both[0].result(), both[1].result()
            for name, failed in (("reference", failure), ("ours", our_failure)):
                if failed:
                    print(f"{name} ended early ({failed[0]}) at {failed[1]}\n{failed[2]}")
                    counts["ended early"] += 1
            for request, a, b in zip(batch, theirs, ours):
                counts["compiled" if "type" in a else "refused"] += 1
                counts["with an error at run time"] += "error" in a
                field = difference(a, b)
                if not field:
                    counts["same"] += 1
                elif a.get("error", "").startswith("panic: ") or "unreadable" in json.dumps(a.get("value")):
                    counts["no outcome of the reference"] += 1
                elif a.get("varies") or varies(args.reference, request):
                    counts["undefined order"] += 1
                else:
                    counts["different"] += 1
                    differing[field].append((request, a, b))
            done += len(batch)
    report(differing, args)
    print(f"seed {args.seed}: {done} expressions, " + ", ".join(f"{n} {what}" for what, n in sorted(counts.items())))
    return 1 if counts["different"] or counts["ended early"] else 0


def varies(reference, request):
    (answer,), _ = outcomes(reference, [json.dumps(request | {"repeat": 100}, ensure_ascii=False)])
    return answer.get("varies", False)


def report(differing, args):
    for field, found in differing.items():
        found.sort(key=lambda each: len(each[0]["expr"]))
        print(f"== {len(found)} differ in {field}")
        for request, theirs, ours in found[:args.show]:
            print(f"  {request['expr']}\n    theirs {json.dumps(theirs.get(field), ensure_ascii=False)}\n    ours   {json.dumps(ours.get(field), ensure_ascii=False)}")
    if args.write:
        with open(args.write, "w") as out:
            for found in differing.values():
                for request, theirs, ours in found:
                    out.write(json.dumps({"request": request, "theirs": theirs, "ours": ours}, ensure_ascii=False) + "\n")


if __name__ == "__main__":
    sys.exit(main())
