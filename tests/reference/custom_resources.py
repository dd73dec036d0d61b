#!/usr/bin/env python3
"""Install real projects' definitions on Fairlead and on kube-apiserver, send both the same random instances, and tell where the answers differ.

  custom_resources.py --program FILE [--instances 200] [--seed 1] [--only REGEX] [--out FILE] [--reference URL] [--server URL]

Definitions are those of tests/data/definitions. What is compared: the stored definition, discovery, OpenAPI v2 and v3, and for each served version
so many instances, right ones made from the schema and ones with one to three faults, by create, replace, merge patch, apply and status writes, strict
and not. Causes are compared as a set: the real server walks maps by chance. Differences that are meant are listed in known-custom-resources.txt.
Exit status 1 when something differs that is not known.
"""
import argparse
import concurrent.futures
import contextlib
import copy
import gzip
import json
import pathlib
import random
import re
import sys
import time

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent.parent
for folder in ("bench", "tests/wire", "tests/reference"):
    sys.path.insert(0, str(ROOT / folder))
import answers
from pair import peers
from play import Client
from servers import started, started_program

DATA = ROOT / "tests/data/definitions"
DEFINITIONS = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions"
JOBS = 6
TEXTS = ["a", "abc", "x-y", "a.b", "example.com", "a.example.com", "example.com/a", "1", "10s", "1h30m", "5m", "100Mi", "/path", "http://a.b/c", "https://example.com", "Abc", "RSA", "80", "50%",
         "sha256:" + "a" * 64, "2024-01-02T03:04:05Z", "10.0.0.1", "::1", "10.0.0.0/8", "a@b.c", "b5c4c2f8-7a0e-4e8a-9c7b-0f4a0f3b2d11", "YWJj", "", "*.example.com", "1.2.3", "A_B", "0", "true"]
ODD = [None, True, 0, 1, -1, 1.5, 1e10, "", "a", "x" * 300, [], {}, [None], [1], ["a", "a"], {"a": 1}, {"a": None}, 2**40]


def read_definitions(only):
    for file in sorted(DATA.glob("*.jsonl.gz")):
        for line in gzip.open(file, "rt"):
            definition = json.loads(line)
            if re.search(only, f"{file.name}/{definition['metadata']['name']}"):
                yield file.name.removesuffix(".jsonl.gz"), definition


class Maker:
    """Random values of a schema."""

    def __init__(self, rng):
        self.rng = rng

    def text(self, schema):
        if "enum" in schema:
            return self.rng.choice(schema["enum"])
        most, least = schema.get("maxLength", 10**6), schema.get("minLength", 0)
        fits = [t for t in TEXTS if least <= len(t) <= most]
        if "pattern" in schema:
            with contextlib.suppress(re.error):
                fits = [t for t in fits if re.search(schema["pattern"], t)] or fits
        formats = {"date-time": "2024-01-02T03:04:05Z", "duration": "1h", "byte": "YWJj", "uri": "https://a.b/c", "ipv4": "10.0.0.1", "date": "2024-01-02"}
        if schema.get("format") in formats and self.rng.random() < 0.9:
            return formats[schema["format"]]
        return self.rng.choice(fits or ["a" * max(least, 1)])

    def value(self, schema, depth=0):
        rng = self.rng
        if schema.get("nullable") and rng.random() < 0.05:
            return None
        if schema.get("x-kubernetes-int-or-string"):
            return rng.choice([1, 80, "50%", "100m", "1Gi"])
        kind = schema.get("type")
        if kind == "object":
            return self.object(schema, depth)
        if kind == "array":
            least = min(schema.get("minItems", 0), 3)
            count = max(least, rng.choice([0, 1, 1, 2]) if depth < 8 else least)
            return [self.value(schema.get("items") or {}, depth + 1) for _ in range(min(count, schema.get("maxItems", 10)))]
        if kind in ("integer", "number"):
            if "enum" in schema:
                return rng.choice(schema["enum"])
            low = schema.get("minimum", 0)
            return int(min(schema.get("maximum", low + 100), low + rng.choice([0, 1, 2, 80, 443])))
        if kind == "boolean":
            return rng.random() < 0.5
        if kind == "string":
            return self.text(schema)
        return rng.choice([1, "a", {"a": "b"}, ["a"], {"a": {"b": [1]}}])

    def object(self, schema, depth):
        rng = self.rng
        out = {}
        more = schema.get("additionalProperties")
        if isinstance(more, dict):
            return {rng.choice(["a", "b.c", "d-e", "F"]): self.value(more, depth + 1) for _ in range(rng.choice([0, 1, 2]))}
        required = schema.get("required", [])
        properties = schema.get("properties", {})
        chance = 0.9 if depth == 0 else min(0.5, 4 / (1 + len(properties)))
        for key, inside in properties.items():
            if depth == 0 and key in ("apiVersion", "kind", "metadata"):
                continue
            if schema.get("x-kubernetes-embedded-resource") and key in ("apiVersion", "kind", "metadata"):
                continue
            if key in required or (rng.random() < chance and depth < 9):
                out[key] = self.value(inside, depth + 1)
        for key in required:
            if key not in out and not (depth == 0 and key in ("apiVersion", "kind", "metadata")):
                out[key] = "a"
        if schema.get("x-kubernetes-preserve-unknown-fields") and not properties and rng.random() < 0.5:
            out["free"] = rng.choice([1, "a", {"b": [1, None]}])
        if schema.get("x-kubernetes-embedded-resource"):
            out |= {"apiVersion": "v1", "kind": "Thing", "metadata": {"name": "x"}}
        return out

    def fault(self, document):
        """One thing made wrong, somewhere below the root."""
        rng = self.rng
        places = []

        def walk(v):
            if isinstance(v, dict):
                places.extend((v, k) for k in v if v is not document or k not in ("apiVersion", "kind", "metadata"))
                for x in v.values():
                    walk(x)
            elif isinstance(v, list):
                places.extend((v, i) for i in range(len(v)))
                for x in v:
                    walk(x)

        for key, content in document.items():
            if key not in ("apiVersion", "kind", "metadata"):
                places.append((document, key))
                walk(content)
        if not places:
            document["spec"] = copy.deepcopy(rng.choice(ODD))
            return
        holder, key = rng.choice(places)
        what = rng.randrange(5)
        if what == 0 and isinstance(holder, dict):
            del holder[key]
        elif what == 1 and isinstance(holder[key], dict):
            holder[key][rng.choice(["unknown", "Name", "x"])] = copy.deepcopy(rng.choice(ODD))
        elif what == 2 and isinstance(holder[key], list) and holder[key]:
            holder[key].append(copy.deepcopy(rng.choice(holder[key])))
        elif what == 3 and isinstance(holder[key], str):
            holder[key] = rng.choice(TEXTS)
        else:
            holder[key] = copy.deepcopy(rng.choice(ODD))


def plain(v, path=()):
    """Without what differs between any two servers."""
    if isinstance(v, dict):
        return {k: plain(x, path + (k,)) for k, x in v.items() if not (k in ("uid", "resourceVersion", "creationTimestamp", "time", "lastTransitionTime", "storageVersionHash", "deletionTimestamp") and (k == "time" or k == "lastTransitionTime" or k == "storageVersionHash" or path[-1:] == ("metadata",)))}
    if isinstance(v, list):
        return [plain(x, path) for x in v]
    return v


# What a text that quotes an object says of one server alone.
OF_ONE = re.compile(r'(\\"(?:resourceVersion|uid|creationTimestamp|time)\\":\\")[^\\"]*')


def shaped(status, headers, raw):
    try:
        body = plain(json.loads(raw))
    except ValueError:
        body = {"text": raw.decode("utf-8", "replace")}
    if isinstance(body, dict) and body.get("kind") == "Status":
        causes = (body.get("details") or {}).get("causes")
        for cause in causes or []:
            cause["message"] = OF_ONE.sub(r"\1", cause.get("message", ""))
        if causes:
            causes.sort(key=lambda c: (c.get("field", ""), c.get("message", "")))
            body.pop("message", None)
        elif "message" in body:
            body["message"] = "\n".join(sorted(re.split(r"\n|, (?=unknown field|duplicate field)", body["message"])))
    warnings = sorted(v for k, v in headers.items() if k.lower() == "warning") if isinstance(headers, dict) else []
    return {"status": status, "headers": {"warning": warnings} if warnings else {}, "body": body}


class Both:
    """The same request to both servers."""

    def __init__(self, ours, theirs, tally):
        self.urls, self.tally = (ours, theirs), tally
        self.clients = [Client(ours, "admin-token"), Client(theirs, "admin-token")]

    def ask(self, method, target, body=None, content_type="application/json"):
        out = []
        for client in self.clients:
            status, headers, raw = client.request(method, target, {"Content-Type": content_type}, None if body is None else json.dumps(body).encode())
            out.append(shaped(status, fold(headers), raw))
        return out

    def compare(self, subject, method, target, body=None, content_type="application/json"):
        ours, theirs = self.ask(method, target, body, content_type)
        self.tally.add(subject, {"method": method, "target": target, "type": content_type, "body": body}, ours, theirs)
        return ours, theirs


def fold(headers):
    if isinstance(headers, dict):
        return {k: v if isinstance(v, str) else "\n".join(sorted(v)) for k, v in headers.items()}
    out = {}
    for k, v in headers:
        out.setdefault(k.lower(), []).append(v)
    return {k: "\n".join(sorted(v)) for k, v in out.items()}


def without_texts(v, path=""):
    """An OpenAPI document without the descriptions of built-in types, which are others here."""
    if isinstance(v, dict):
        keep = "io.k8s" not in path and "/paths" not in path and "/parameters" not in path
        return {k: without_texts(x, f"{path}/{k}") for k, x in v.items()
                if not (k == "description" and isinstance(x, str) and (not keep or path.endswith(("/metadata", "/kind", "/apiVersion"))))}
    if isinstance(v, list):
        return [without_texts(x, path) for x in v]
    if isinstance(v, str) and v.startswith("#/parameters/"):
        return v.rsplit("-", 1)[0] if v.count("-") else v
    return v


def reference_name(v):
    return json.loads(re.sub(r'"#/parameters/(\w+)-[^"]*"', r'"#/parameters/\1"', json.dumps(v)))


class Project:
    def __init__(self, both, name, definition, options):
        self.both, self.options = both, options
        self.name = f"{name}/{definition['spec']['names']['plural']}"
        self.definition = copy.deepcopy(definition)
        self.rng = random.Random(f"{options.seed} {self.name}")
        conversion = self.definition["spec"].get("conversion")
        if conversion and conversion.get("strategy") == "Webhook":
            self.definition["spec"]["conversion"] = {"strategy": "None"}

    def install(self):
        self.remove()
        target = f"{DEFINITIONS}/{self.definition['metadata']['name']}"
        for _ in range(100):
            if all(a["status"] == 404 for a in self.both.ask("GET", target)):
                break
            time.sleep(0.1)
        ours, theirs = self.both.ask("POST", DEFINITIONS, self.definition)
        self.accepted = theirs["status"] == 201
        if ours["status"] != theirs["status"] or not self.accepted:
            self.both.tally.add(f"{self.name} definition", {"body": self.definition["metadata"]["name"]}, ours, theirs)
        return self.accepted and ours["status"] == 201

    def wait(self):
        target = f"{DEFINITIONS}/{self.definition['metadata']['name']}"
        for _ in range(100):
            ours, theirs = self.both.ask("GET", target)
            if all(any(c["type"] == "Established" and c["status"] == "True" for c in a["body"].get("status", {}).get("conditions", [])) for a in (ours, theirs)):
                break
            time.sleep(0.1)
        for a in (ours, theirs):
            a["body"]["metadata"].pop("managedFields", None)
            a["body"]["status"]["conditions"].sort(key=lambda c: c["type"])  # controllers of the reference race
        self.both.tally.add(f"{self.name} stored", {"target": target}, ours, theirs)

    def documents(self):
        group = self.definition["spec"]["group"]
        for version in self.definition["spec"]["versions"]:
            if not version["served"]:
                continue
            target = f"/openapi/v3/apis/{group}/{version['name']}"
            ours, theirs = ({"status": a["status"], "headers": {}, "body": reference_name(without_texts(a["body"]))} for a in self.both.ask("GET", target))
            self.both.tally.add(f"{self.name} openapi v3", {"target": target}, ours, theirs)
            for target in (f"/apis/{group}/{version['name']}", f"/apis/{group}"):
                ours, theirs = self.both.ask("GET", target)
                for a in (ours, theirs):
                    if "resources" in a["body"]:
                        a["body"]["resources"].sort(key=lambda r: r["name"])
                self.both.tally.add(f"{self.name} discovery", {"target": target}, ours, theirs)

    def instances(self):
        spec = self.definition["spec"]
        for version in spec["versions"]:
            if version["served"]:
                base = f"/apis/{spec['group']}/{version['name']}" + ("/namespaces/default" if spec["scope"] == "Namespaced" else "") + f"/{spec['names']['plural']}"
                self.of_version(version, base)

    def of_version(self, version, base):
        rng, spec = self.rng, self.definition["spec"]
        maker = Maker(rng)
        schema = version["schema"]["openAPIV3Schema"]
        stored = []
        for i in range(self.options.instances):
            document = {"apiVersion": f"{spec['group']}/{version['name']}", "kind": spec["names"]["kind"], "metadata": {"name": f"{version['name']}-{i}"}} | maker.object(schema, 0)
            if not stored or rng.random() < 0.55:
                for _ in range(rng.choice([0, 0, 1, 1, 2, 3])):
                    maker.fault(document)
                keep = rng.random() < 0.3
                query = "?" + rng.choice(["", "", "fieldValidation=Strict", "fieldValidation=Ignore"]) + ("" if keep else "&dryRun=All")
                ours, theirs = self.both.compare(f"{self.name} create", "POST", base + query, document)
                if keep and ours["status"] == theirs["status"] == 201 and len(stored) < 20:
                    stored.append(document["metadata"]["name"])
                continue
            self.change(maker, schema, version, base, rng.choice(stored), document)

    def change(self, maker, schema, version, base, name, document):
        rng = self.rng
        target = f"{base}/{name}"
        ours, theirs = self.both.ask("GET", target)
        if ours["status"] != 200 or theirs["status"] != 200:
            self.both.tally.add(f"{self.name} get", {"target": target}, ours, theirs)
            return
        keep = "" if rng.random() < 0.5 else "&dryRun=All"
        query = "?" + rng.choice(["", "", "fieldValidation=Strict"]) + keep
        what = rng.randrange(5)
        subresource = "/status" if "status" in version.get("subresources", {}) and rng.random() < 0.25 else ""
        if what == 0:
            present = copy.deepcopy(theirs["body"])
            present["metadata"] = {"name": name}
            for _ in range(rng.choice([0, 1, 2])):
                maker.fault(present)
            out = []
            for client in self.both.clients:
                _, _, raw = client.request("GET", target, {}, None)
                body = copy.deepcopy(present)
                body["metadata"]["resourceVersion"] = json.loads(raw)["metadata"]["resourceVersion"]
                status, headers, raw = client.request("PUT", target + subresource + query, {"Content-Type": "application/json"}, json.dumps(body).encode())
                out.append(shaped(status, fold(headers), raw))
            self.both.tally.add(f"{self.name} replace", {"target": target + subresource + query, "present": theirs["body"], "body": present}, *out)
        elif what in (1, 2):
            patch = {k: v for k, v in maker.object(schema, 0).items() if k in ("spec", "status", "data")}
            for _ in range(rng.choice([0, 1, 1])):
                maker.fault(patch)
            self.both.compare(f"{self.name} merge patch", "PATCH", target + subresource + query, patch, "application/merge-patch+json")
        else:
            document["metadata"]["name"] = name
            for _ in range(rng.choice([0, 0, 1])):
                maker.fault(document)
            query += f"&fieldManager=m{rng.randrange(3)}&force=" + rng.choice(["true", "false"])
            self.both.compare(f"{self.name} apply", "PATCH", target + subresource + query, document, "application/apply-patch+yaml")

    def remove(self):
        self.both.ask("DELETE", f"{DEFINITIONS}/{self.definition['metadata']['name']}")


def run(ours, theirs, options, tally):
    projects = []
    for name, definition in read_definitions(options.only):
        project = Project(Both(ours, theirs, tally), name, definition, options)
        if project.install():
            projects.append(project)
    for project in projects:
        project.wait()
    time.sleep(3)  # documents of the reference come late

    def whole(project):
        project.both = Both(ours, theirs, tally)
        project.documents()
        project.instances()

    with concurrent.futures.ThreadPoolExecutor(JOBS) as pool:
        for done in [pool.submit(whole, p) for p in projects]:
            done.result()
    both = Both(ours, theirs, tally)
    names = [f"{p.definition['spec']['group']}" for p in projects]
    ours_v2, theirs_v2 = ({"status": a["status"], "headers": {}, "body": v2_of(a["body"], names)} for a in both.ask("GET", "/openapi/v2"))
    for path in sorted(set(ours_v2["body"]) | set(theirs_v2["body"])):
        a, b = ({"status": 200, "headers": {}, "body": {path: x["body"].get(path)}} for x in (ours_v2, theirs_v2))
        tally.add("openapi v2", {"target": path}, a, b)
    for project in projects:
        project.both = both
        project.remove()
    return len(projects)


def v2_of(body, groups):
    out = {}
    for path, item in body.get("paths", {}).items():
        if any(f"/apis/{g}/" in path for g in groups):
            out[path] = reference_name(without_texts(item, "/paths"))
    for name, schema in body.get("definitions", {}).items():
        if not name.startswith("io.k8s.") or any(".".join(reversed(g.split("."))) in name for g in groups):
            out[name] = without_texts(schema)
    return out


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--program", default=str(ROOT / "build/release/src/server/fairlead"))
    parser.add_argument("--instances", type=int, default=200)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--only", default="")
    parser.add_argument("--out", type=argparse.FileType("w"))
    parser.add_argument("--reference")
    parser.add_argument("--server", help="a Fairlead that runs")
    parser.add_argument("--most", type=int, default=40)
    options = parser.parse_args()
    tally = answers.Tally(HERE / "known-custom-resources.txt", options.out)
    with contextlib.ExitStack() as stack:
        theirs = options.reference or stack.enter_context(started(peers(), []))
        ours = options.server or stack.enter_context(started_program(options.program, ["--controllers="]))
        count = run(ours, theirs, options, tally)
    tally.show(options.most)
    print(f"{count} definitions, {tally.compared} answers compared, {tally.summary()}")
    return 1 if tally.count else 0


if __name__ == "__main__":
    sys.exit(main())
