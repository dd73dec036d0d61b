#!/usr/bin/env python3
"""Conversations on disk: one a line in conversations/TOPIC.jsonl, or one a file as they are recorded.

  conversations.py pack FOLDER      conversations of FOLDER/*.json as lines of conversations/FOLDER'S NAME.jsonl
  conversations.py show NAME        one conversation, a step a line (what to read, and what to edit and play from a file)

What occurs more than once in a conversation stands once in its list "same", and {"$same": N} takes its place. It keeps the
files at half their size, and is undone when they are read: the rest of the player knows nothing of it.
"""
import collections
import json
import pathlib
import sys

FOLDER = pathlib.Path(__file__).resolve().parent / "conversations"
WORTH_SHARING = 80  # characters


def _text(x):
    return json.dumps(x, separators=(",", ":"), ensure_ascii=False)


def _inner(x):
    return x.values() if isinstance(x, dict) else x


def pack(conversation):
    seen = collections.Counter()

    def count(x):
        if isinstance(x, (dict, list)):
            text = _text(x)
            if len(text) >= WORTH_SHARING:
                seen[text] += 1
                if seen[text] > 1:
                    return
            for inner in _inner(x):
                count(inner)

    places, same = {}, []

    def children(x):
        return {k: put(v) for k, v in x.items()} if isinstance(x, dict) else [put(v) for v in x]

    def put(x):
        if not isinstance(x, (dict, list)):
            return x
        text = _text(x)
        if seen[text] < 2:
            return children(x)
        if text not in places:
            whole = children(x)
            places[text] = len(same)
            same.append(whole)
        return {"$same": places[text]}

    count(conversation["steps"])
    packed = {k: v for k, v in conversation.items() if k != "steps"}
    steps = put(conversation["steps"])
    if same:
        packed["same"] = same
    packed["steps"] = steps
    return packed


def unpack(packed):
    same = []

    def whole(x):
        if isinstance(x, dict):
            if len(x) == 1 and "$same" in x:
                return same[x["$same"]]
            return {k: whole(v) for k, v in x.items()}
        return [whole(v) for v in x] if isinstance(x, list) else x

    for shared in packed.get("same", ()):
        same.append(whole(shared))
    return {k: whole(v) for k, v in packed.items() if k != "same"}


def read(path):
    """The conversations of a .jsonl topic, a .json file, or a folder of either."""
    path = pathlib.Path(path)
    if path.is_dir():
        return [c for p in sorted(path.rglob("*.json*")) for c in read(p)]
    if path.suffix == ".jsonl":
        return [unpack(json.loads(line)) for line in path.read_text().split("\n") if line]
    return [json.loads(path.read_text())]


def lines(conversation):
    """As a file for people: the head, then a step a line."""
    head = json.dumps({k: v for k, v in conversation.items() if k != "steps"}, ensure_ascii=False)[:-1]
    steps = ",\n".join(json.dumps(s, ensure_ascii=False) for s in conversation["steps"])
    return f'{head}, "steps": [\n{steps}\n]}}\n'


def main():
    if len(sys.argv) == 3 and sys.argv[1] == "pack":
        folder = pathlib.Path(sys.argv[2]).resolve()
        packed = [_text(pack(c)) for c in read(folder)]
        (FOLDER / f"{folder.name}.jsonl").write_text("\n".join(packed) + "\n")
        print(f"{folder.name}: {len(packed)} conversations")
    elif len(sys.argv) == 3 and sys.argv[1] == "show":
        name = sys.argv[2]
        for conversation in read(FOLDER / f"{name.split('/')[0]}.jsonl"):
            if conversation["name"] == name:
                sys.stdout.write(lines(conversation))
                return
        sys.exit(f"no conversation is called {name}")
    else:
        sys.exit(__doc__)


if __name__ == "__main__":
    main()
