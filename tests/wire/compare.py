"""When two answers count as the same: what every server fills in by itself (uids, times, versions) is given one name, prose is left out.

`shape(step, status, headers, body, names)` makes the comparable form of an answer; recorded answers are in that form already and
only pass `comparable`. Nothing here changes its arguments.
"""
import json
import re

HEADERS = ("content-type", "warning", "retry-after", "content-encoding", "allow", "location")
FILLED_IN = {
    "resourceVersion": "<rv>", "uid": "<uid>", "continue": "<continue>", "selfLink": "<selfLink>",
    "creationTimestamp": "<time>", "deletionTimestamp": "<time>", "time": "<time>", "lastTransitionTime": "<time>",
    "lastUpdateTime": "<time>", "serverAddress": "<address>", "since": "<date>",
}
_UID = re.compile(r"\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b")
_TIME = re.compile(r"\b\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z\b")
_AGE = re.compile(r"^(<unknown>|\d+(y|d|h|m|s|ms)(\d+(d|h|m|s))?)$")
_PATH_PART = re.compile(r"\[\*\]|[^.\[\]]+")
# " value: " before what Go prints of a structure (core.Taint{...}, map[string]core.X{...}) or JSON of one. Plain lists and maps of
# strings do not match: clients see those, and they are compared.
_STRUCTURE = re.compile(r" value: (?=(?:[\[\]*&]*(?:map\[\w+\])?\w+\.\w+\{|\{|\[[^\]]))")


def change(x, path, function):
    """`x` with function(value) in place of every value that `path` ("a.b[*].c", "a.0") names."""
    parts = _PATH_PART.findall(path)

    def walk(value, at):
        if at == len(parts):
            return function(value)
        part = parts[at]
        if part == "[*]":
            return [walk(v, at + 1) for v in value] if isinstance(value, list) else value
        if isinstance(value, list) and part.isdigit() and int(part) < len(value):
            return [walk(v, at + 1) if i == int(part) else v for i, v in enumerate(value)]
        if isinstance(value, dict) and part in value:
            return {k: walk(v, at + 1) if k == part else v for k, v in value.items()}
        return value

    return walk(x, 0)


def without(x, path):
    parent, _, name = path.rpartition(".")

    def drop(value):
        return {k: v for k, v in value.items() if k != name} if isinstance(value, dict) else value

    return change(x, parent, drop) if parent else drop(x)


def named(x, names, key=None):
    """What each server fills in becomes its name; `names` are pairs of this run's own words (its namespace) and theirs."""
    if isinstance(x, dict):
        return {named(k, names): named(v, names, k) for k, v in sorted(x.items())}
    if isinstance(x, list):
        return [named(v, names, "cells" if key == "cells" else None) for v in x]
    if not isinstance(x, str):
        return x
    if x and key in FILLED_IN:
        return FILLED_IN[key]
    if key == "cells" and _AGE.match(x):
        return "<age>"
    x = _TIME.sub("<time>", _UID.sub("<uid>", x))
    for word, name in names:
        x = x.replace(word, name)
    return x


def rewritten(x, rules):
    if isinstance(x, dict):
        return {k: rewritten(v, rules) for k, v in x.items()}
    if isinstance(x, list):
        return [rewritten(v, rules) for v in x]
    if isinstance(x, str):
        for pattern, replacement in rules:
            x = re.sub(pattern, replacement, x)
    return x


def without_prose(x, all_descriptions):
    """Texts that explain (of table columns; of everything in an OpenAPI document) are each server's own."""
    if isinstance(x, list):
        return [without_prose(v, all_descriptions) for v in x]
    if not isinstance(x, dict):
        return x
    kept = {}
    for key, value in x.items():
        if all_descriptions and key == "description" and isinstance(value, str):
            continue
        if key == "columnDefinitions" and isinstance(value, list):
            kept[key] = [without_prose({k: v for k, v in c.items() if k != "description"}, all_descriptions) for c in value]
        else:
            kept[key] = without_prose(value, all_descriptions)
    return kept


def _structure_end(text, at):
    """The index after the structure that begins at `at`."""
    depth, in_string = 0, False
    while at < len(text):
        c = text[at]
        if in_string:
            if c == "\\":
                at += 1
            in_string = c != '"'
        elif c == '"':
            in_string = True
        elif c in "{[(":
            depth += 1
        elif c in "}])":
            depth -= 1
            # "[]core.X{...}" and "map[string]core.X{...}" go on after their first bracket.
            if depth == 0 and not (c == "]" and re.match(r"[\w*&\[]", text[at + 1:at + 2])):
                return at + 1
        at += 1
    return at


def without_structures(text):
    out, at = [], 0
    for found in _STRUCTURE.finditer(text):
        if found.start() >= at:
            out += [text[at:found.end()], "<value>"]
            at = _structure_end(text, found.end())
    return "".join(out) + text[at:]


def comparable(x, keep_entry_order, keep_managed_fields=True):
    """Without structured values in texts; managedFields as a set (the real server's order depends on the second they are made in)."""
    if isinstance(x, dict):
        kept = {}
        for key, value in x.items():
            if key == "managedFields" and not keep_managed_fields:
                continue
            value = comparable(value, keep_entry_order, keep_managed_fields)
            if key == "managedFields" and isinstance(value, list) and not keep_entry_order:
                value = sorted(value, key=_text)
            kept[key] = value
        return kept
    if isinstance(x, list):
        return [comparable(v, keep_entry_order, keep_managed_fields) for v in x]
    return without_structures(x) if isinstance(x, str) and " value: " in x else x


def _text(x):
    return json.dumps(x, sort_keys=True)


def shape(step, status, headers, body, names):
    body = {"body": without_prose(body, step.get("path", "").startswith("/openapi/"))}
    for path in step.get("ignore", ()):
        body = without(body, "body." + path)
    for path in step.get("volatile", ()):
        body = change(body, "body." + path, lambda _: "<volatile>")
    for path in step.get("sort", ()):
        body = change(body, "body." + path, lambda v: sorted(v, key=_text) if isinstance(v, list) else v)
    wanted = HEADERS + tuple(h.lower() for h in step.get("compare_headers", ()))
    shown = {}
    for name, value in headers:
        if name in wanted:
            shown.setdefault(name, []).append(value)
    answer = {"status": status, "headers": {k: sorted(v) for k, v in shown.items()}, "body": body["body"]}
    return rewritten(named(answer, names), step.get("replace", ()))


def expected(step):
    want = step.get("expect")
    if want and "body" in want:
        want = {**want, "body": without_prose(want["body"], step.get("path", "").startswith("/openapi/"))}
    return want
