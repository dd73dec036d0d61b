#!/usr/bin/env python3
"""Play the recorded conversations to Fairlead and to kube-apiserver with changed requests between their own, and tell where the answers differ.

  mutated.py --program FILE [--requests 20000] [--seed 1] [--only REGEX] [--gates] [--case CASE] [--out FILE]

A case is a conversation and a number: its steps in order, some left out or twice, and between them requests that are changed at random (mutations.py): this
conversation's, another's, and reads of what is there. Both servers get the same names, neither has controllers, and what a case made is gone after it, so that both
know the same at each step. Answers are compared as the conversations' are. After a write that ended differently the case is over: the servers know different things.
What differs is counted by request and kind of difference, the most frequent first, with the smallest example each; --out takes examples as JSON lines, and
--case plays one case again and prints every request. Differences that are meant are listed in known-mutated.txt. Exit status 1 when something differs that is not known.
"""
import argparse
import concurrent.futures
import contextlib
import gzip
import json
import pathlib
import random
import re
import socket
import sys
import time
import urllib.parse

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent.parent
for folder in ("bench", "tests/wire", "tests/reference"):
    sys.path.insert(0, str(ROOT / folder))
import answers
import compare
import conversations
import mutations
import objects
import play
import protobuf
import run as wire
from pair import peers
from servers import started, started_program

TOPICS = ("access", "admission", "reads", "writes", "resources-workloads", "resources-platform", "validation-core", "validation-policy-types")
# Its own flags are what the conversations were recorded with; the pair's come before.
FLAGS = ["--enable-priority-and-fairness=true", "--max-requests-inflight=400", "--max-mutating-requests-inflight=200"]
# Of the controllers only those that are part of kube-apiserver.
OURS = ["--controllers=priority-and-fairness-config-consumer,apiservice-status-available-controller"]
MUTANTS = 14  # in a case
QUIET = 0.5  # seconds without an event that end a watch
ORDERS = 20  # how often the reference is asked for another order
# Subjects that are not there yet: nobody asks for them.
BEYOND = re.compile(r"/eviction|/token$|/tokenreviews|/customresourcedefinitions|/apiservices|/resize|example\.(com|org)|/certificatesigningrequests|/metrics|/debug|/logs")
# What would change or refuse others' objects, or how requests are treated: changed requests to it are only tried.
TRIED = re.compile(r"admissionregistration|/limitranges|/resourcequotas|flowcontrol")
STEADY = ["/api", "/apis", "/api/v1", "/apis/apps", "/apis/apps/v1", "/apis/batch/v1", "/version", "/openapi/v3", "/openapi/v3/apis/apps/v1", "/healthz", "/livez", "/readyz", "/livez/ping", "/readyz/etcd", "/healthz/poststarthook/rbac/bootstrap-roles",
          "/", "/x", "/apis/x", "/apis/apps/v2", "/api/v2", "/.well-known/openid-configuration", "/openid/v1/jwks", "/api/v1/namespaces", "/api/v1/namespaces/${ns}", "/version/", "/healthz/x", "/apis/rbac.authorization.k8s.io/v1/clusterroles/cluster-admin",
          "/apis/flowcontrol.apiserver.k8s.io/v1/flowschemas", "/apis/scheduling.k8s.io/v1/priorityclasses", "/api/v1/nodes", "/apis/storage.k8s.io/v1/storageclasses"]
# What servers choose or count by themselves.
CHANCE = [[r"\b10\.0\.0\.\d+\b", "<address>"], [r"\{(TCP|UDP|SCTP) \d+\}", r"{\1 <port>}"], [r'(resourceVersion(?:: "|=|\\?":\s*\\?"))\d+', r"\1<rv>"], [r"hash=[0-9A-F]+", "hash=<hash>"], [r"\bgo1\.\d+\.\d+", "<go>"], [r"https://[\d.]+:\d+", "<server>"], [r"(?s)- description: .*?(?=\n  format: )", "- description: <prose>"], [r"(continue: )\S+", r"\1<continue>"], [r"\(\d+\)", "(<number>)"], [r"(record |version: |current: |meta: )\d+", r"\1<number>"],
          [r"expired: the resourceVersion.*", "expired"], [r"(provided port is already allocated|port) 3\d{4}", r"\1 <port>"], [r"\\u00a0|\u00a0", " "]]
SHOWN = ["vary", "cache-control", "www-authenticate", "accept-patch", "x-content-type-options", "content-disposition"]
JSON = {"Content-Type": "application/json"}


class Client(play.Client):
    def stream(self, method, target, headers, body):
        """As request; what never ends is read until nothing comes for a while."""
        connection = self.connect(20)
        try:
            answer = self.send(connection, method, target, headers, body)
            raw, pairs = b"", play.pairs_of(answer)
            if connection.sock:
                connection.sock.settimeout(QUIET)
            with contextlib.suppress(OSError, ValueError):
                while piece := answer.read1(65536):
                    raw += piece
            return answer.status, pairs, raw
        finally:
            connection.close()


class Side:
    """One of the servers, and what it answered in this case."""

    def __init__(self, url):
        self.client = Client(url, "admin-token")

    def begin(self, namespace, identity):
        self.answers = {"ns": namespace, "id": identity, "last": {"rv": "1", "list": "1", "uid": "none", "continue": ""}}
        self.names = [(namespace, "<ns>"), (identity, "<id>")]
        self.made, self.chosen = [], []
        body = {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": namespace}}
        self.client.request("POST", "/api/v1/namespaces", JSON, json.dumps(body).encode())

    def filled(self, request):
        return play.filled(request, self.answers)

    def ask(self, request, name):
        """(the answer in comparable form, the decoded body)"""
        request = self.filled(request)
        headers = {k: v.encode("utf-8").decode("latin-1") for k, v in request.get("headers", {}).items()}
        if "as" in request:
            headers["Authorization"] = "" if request["as"] == "anonymous" else f"Bearer {request['as']}-token"
        body, content_type = play.body_of(request)
        if body is not None:
            headers.setdefault("Content-Type", request.get("content_type", content_type))
        target, lasting = target_of(request), is_watch(request)
        ask = self.client.stream if lasting else self.client.request
        status, got, raw = ask(request["method"], target, headers, body)
        decoded = decode(got, raw, lasting and status == 200)
        self.remember(request, name, status, decoded, dict(got))
        return self.comparable(request, status, got, decoded)

    def comparable(self, request, status, headers, decoded):
        headers = [(k, v) for k, v in headers if k != "content-encoding" or v]
        step = {"path": request["path"], "compare_headers": SHOWN, **request.get("comparison", {})}
        step["replace"] = list(step.get("replace", ())) + CHANCE
        generate = self.generated(request)
        if generate:
            for word, name in self.names:
                generate = generate.replace(word, name)
            step["replace"].append([re.escape(generate) + "[a-z0-9]{5}\\b", generate + "<generated>"])
        shaped = answers.without_chance(compare.shape(step, status, headers, without_ports(decoded), self.names))
        return compare.comparable(unfolded(shaped), False)

    @staticmethod
    def generated(request):
        body = request.get("body")
        meta = body.get("metadata") if isinstance(body, dict) else None
        name = meta.get("generateName") if isinstance(meta, dict) else None
        return name if isinstance(name, str) else None

    def remember(self, request, name, status, body, headers):
        self.answers[name] = {"status": status, "headers": headers, "body": body}
        if not isinstance(body, dict) or status >= 400:
            return
        meta = body.get("metadata") if isinstance(body.get("metadata"), dict) else {}
        last = self.answers["last"]
        if meta.get("uid"):
            last.update(rv=meta.get("resourceVersion", "1"), uid=meta["uid"])
        elif meta.get("resourceVersion"):
            last.update(list=meta["resourceVersion"])
        if meta.get("continue"):
            last.update({"continue": meta["continue"]})
        if meta.get("generateName") and str(meta.get("name", "")).startswith(meta["generateName"]) and "POST" == request["method"]:
            self.names.append((meta["name"], f"{meta['generateName']}<generated>"))
        if status == 201 and meta.get("name"):
            path = request["path"].rstrip("/")
            self.made.append(path + "/" + meta["name"] if request["method"] == "POST" else path)
            if meta.get("generateName"):
                self.chosen.append(self.made[-1])

    def end(self):
        """Everything that was made goes."""
        for path in reversed(self.made):
            self.remove(path)
        path = "/api/v1/namespaces/" + self.answers["ns"]
        self.client.request("DELETE", path, {}, None)
        self.client.request("PUT", path + "/finalize", JSON, json.dumps({"metadata": {"name": self.answers["ns"]}, "spec": {"finalizers": []}}).encode())

    def remove(self, path):
        path = urllib.parse.quote(path, safe="/%:")
        status, _, _ = self.client.request("DELETE", path + "?gracePeriodSeconds=0&propagationPolicy=Background", {}, None)
        if status // 100 == 2 and self.client.request("GET", path, {}, None)[0] == 200:
            self.client.request("PATCH", path, {"Content-Type": "application/merge-patch+json"}, b'{"metadata":{"finalizers":null}}')
            if path.startswith("/api/v1/namespaces/") and path.count("/") == 4:
                self.client.request("PUT", path + "/finalize", JSON, json.dumps({"metadata": {"name": path.rpartition("/")[2]}, "spec": {"finalizers": []}}).encode())


def target_of(request):
    query = request.get("query")
    return urllib.parse.quote(request["path"], safe="/%:;=?+&,$!@~()*'") + ("?" + urllib.parse.urlencode([(k, v) for k, v in query]) if query else "")


def is_watch(request):
    if request["method"] not in ("GET", "HEAD"):
        return False
    truths = [v for k, v in request.get("query", ()) if k in ("watch", "follow")]
    return "/watch/" in request["path"] or any(v.lower() not in ("0", "false") for v in truths[:1])


def decode(headers, raw, lasting):
    content_type = dict(headers).get("content-type", "")
    if dict(headers).get("content-encoding") == "gzip":
        with contextlib.suppress(OSError, EOFError):
            raw = gzip.decompress(raw)
    if "protobuf" in content_type:
        with contextlib.suppress(ValueError, IndexError):
            return protobuf.frames(raw) if lasting else protobuf.decode(raw)
    try:
        return play.decoded(headers, raw, lasting and ("cbor" in content_type or ("yaml" not in content_type and raw[:1] == b"{")))
    except (ValueError, RecursionError):
        return {"text": raw.decode("utf-8", "replace")}


def unfolded(answer):
    """A Status as YAML without its line breaks: they follow the length of texts that are not compared."""
    text = answer["body"].get("text") if isinstance(answer["body"], dict) else None
    if not isinstance(text, str) or "\nkind: Status\n" not in text:
        return answer
    return {**answer, "body": {"text": re.sub(r"\s+", " ", text)}}


def without_ports(x):
    """Node ports are the server's own choice."""
    if isinstance(x, dict):
        return {k: "<port>" if k in ("nodePort", "healthCheckNodePort") and isinstance(v, int) and v else without_ports(v) for k, v in x.items()}
    return [without_ports(v) for v in x] if isinstance(x, list) else x


def subject(request):
    """What is asked, without names."""
    parts = request["path"].split("?")[0].split("/")
    places = mutations.Places(parts)
    what = request["path"]
    if places.resource and places.resource < len(parts):
        what = "/".join([parts[places.resource]] + (["NAME"] + parts[places.name + 1:] if places.name else []))
    accept = re.search(r"as=(\w+)", request.get("headers", {}).get("Accept", ""))
    return f"{request['method']} {what}" + (f" as {accept.group(1)}" if accept else "") + (" (watch)" if is_watch(request) else "")


class Case:
    """One conversation with requests between its own."""

    def __init__(self, sides, pool, tally, conversation, mutator, verbose):
        self.sides, self.pool, self.tally, self.conversation, self.mutator, self.verbose = sides, pool, tally, conversation, mutator, verbose
        self.random = mutator.random
        self.asked = 0

    def play(self, key, others):
        self.key = key
        letters = "".join(self.random.choices("abcdefghijklmnopqrstuvwxyz", k=8))
        for side in self.sides:
            side.begin("w-" + letters, letters)
        try:
            self.steps(others)
        finally:
            for side in self.sides:
                side.end()

    def steps(self, others):
        steps = [s for s in self.conversation["steps"] if "join" not in s and not s.get("watch", {}).get("background")]
        each = max(1, round(MUTANTS / max(1, len(steps))))
        for number, step in enumerate(steps):
            if self.random.random() < 0.04:
                continue
            for _ in range(2 if self.random.random() < 0.03 else 1):
                if not self.own(step, number):
                    return
            if self.random.random() * len(steps) * each > MUTANTS:
                continue
            for _ in range(each):
                base = self.base(steps[:number + 2], others)
                request = base if base.pop("as it is", False) else self.mutator.mutated(base)
                if not self.compared(self.harmless(request), "m"):
                    return

    def own(self, step, number):
        if BEYOND.search(step["path"]):
            return True
        request = mutations.request_of(step)
        request["comparison"] = {k: step[k] for k in ("ignore", "volatile", "sort", "replace") if k in step}
        return self.compared(request, step.get("id", str(number)))

    def base(self, steps, others):
        """What a changed request begins as."""
        chance = self.random.random()
        if chance < 0.1:
            return {"method": "GET", "path": self.random.choice(STEADY), "query": [], "headers": {}}
        if chance < 0.17:
            return self.new_object()
        there = [path for path in self.sides[0].made if path not in self.sides[0].chosen]
        if chance < 0.5 and there:
            return self.about(self.random.choice(there))
        if chance < 0.62:
            return mutations.request_of(self.random.choice(others))
        return mutations.request_of(self.random.choice(steps))

    def new_object(self):
        """A valid object of any kind."""
        seed = self.random.choice(self.mutator.seeds)
        body = {**seed.body, "metadata": {**seed.body.get("metadata", {}), "name": f"o{len(self.sides[0].made)}-${{id}}"}}
        for key in ("generateName", "ownerReferences", "namespace"):
            body["metadata"].pop(key, None)
        return {"method": "POST", "path": seed.path("${ns}"), "query": [], "headers": {}, "body": body, "as it is": self.random.random() < 0.5}

    def about(self, path):
        """A request for an object that is there, or for its collection."""
        path = path.replace(self.sides[0].answers["ns"], "${ns}").replace(self.sides[0].answers["id"], "${id}")
        method = self.random.choices(("GET", "LIST", "DELETE", "PATCH"), (25, 50, 10, 15))[0]
        request = {"method": method, "path": path, "query": [], "headers": {}}
        if method == "LIST":
            return {**request, "method": "GET", "path": path.rpartition("/")[0]}
        if method == "PATCH":
            return {**request, "content_type": self.random.choice(mutations.CONTENT_TYPES[4:6]), "body": self.random.choice(mutations.MERGES[:2])}
        return request

    def harmless(self, request):
        """None for what nobody asks for; the others' objects are only tried to be written."""
        if BEYOND.search(request["path"]) or any(BEYOND.search(v) for _, v in request["query"]):
            return None
        if request["method"] in ("GET", "HEAD", "OPTIONS"):
            return request
        own = "${ns}/" in request["path"] or "${id}" in request["path"] or (request["method"] == "POST" and "${ns}" not in request["path"])
        if not own or TRIED.search(request["path"]) or TRIED.search(json.dumps(request.get("body", ""))):
            request["query"] = [p for p in request["query"] if p[0] != "dryRun"] + [["dryRun", "All"]]
        return request

    def compared(self, request, name):
        """Whether the case goes on."""
        if request is None:
            return True
        self.asked += 1
        try:
            said = self.both(request, name)
        except (KeyError, IndexError, TypeError, AttributeError, ValueError):  # it names an earlier answer that is not there
            return True
        if said is None:
            return True
        if self.verbose:
            print(name, json.dumps(self.sides[1].filled({k: v for k, v in request.items() if k != "comparison"}), ensure_ascii=False)[:1500], "->", said[1]["status"], "" if said[0] == said[1] else "DIFFERS")
        example = {"case": self.key, **self.sides[1].filled({k: v for k, v in request.items() if k != "comparison" and v})}
        different = self.tally.add(subject(request), example, *said)
        return not (said[0] != said[1] and request["method"] not in ("GET", "HEAD", "OPTIONS") and min(s["status"] for s in said) < 300)

    def both(self, request, name):
        asked = [self.pool.submit(side.ask, request, name) for side in self.sides]
        said = []
        for one in asked:
            try:
                said.append(one.result())
            except play.CONNECTION_ERRORS as error:
                said.append({"status": 0, "headers": {}, "body": {"broken": type(error).__name__}})
        if said[1]["status"] == 0:
            self.tally.hung_up += 1
            return None
        harmless = said[1]["status"] >= 400 or request["method"] in ("GET", "HEAD") or ["dryRun", "All"] in request["query"]
        for _ in range(ORDERS if harmless else 0):
            if said[0] == said[1] or sorted(answers.texts_of(said[0]["body"])) != sorted(answers.texts_of(said[1]["body"])) or len(answers.texts_of(said[0]["body"])) < 2:
                break
            said[1] = self.sides[1].ask(request, name)
        if request["method"] == "GET" and said[0] != said[1]:  # one of them may have been slow
            time.sleep(0.1)
            said = [self.pool.submit(side.ask, request, name) for side in self.sides]
            said = [s.result() for s in said]
        return said


def chosen(topics):
    skips = wire.read_skips()
    found = [c for t in topics for c in conversations.read(conversations.FOLDER / f"{t}.jsonl")]
    return [c for c in found if wire.skip_reason(c["name"], skips) is None and not any(BEYOND.search(s.get("path", "")) for s in c["steps"])]


def work(sides, tally, options):
    everything, seeds = chosen(("gates",) if options.gates else TOPICS), objects.seeds()
    names = [c for c in everything if re.search(options.only, c["name"])]
    others = [s for c in everything for s in c["steps"] if "method" in s and not re.search(r"\$\{(?!ns|id)", json.dumps({k: v for k, v in s.items() if k != "expect"}))]
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        number = asked = 0
        while asked < options.requests:
            order = random.Random(f"{options.seed}-{number}")
            for conversation in order.sample(names, len(names)):
                key = f"{conversation['name']}#{options.seed}-{number}"
                if options.case and options.case != key:
                    continue
                case = Case(sides, pool, tally, conversation, mutations.Mutator(key, seeds), bool(options.case))
                case.play(key, others)
                asked += case.asked
                if options.case or asked >= options.requests:
                    return
            number += 1


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--program", default=str(ROOT / "build/release/src/server/fairlead"))
    parser.add_argument("--requests", type=int, default=20000)
    parser.add_argument("--seed", default="1")
    parser.add_argument("--only", default="", help="regular expression on the conversations' names")
    parser.add_argument("--gates", action="store_true", help="the topic gates, with its flags")
    parser.add_argument("--case", default="", help="play this one")
    parser.add_argument("--show", type=int, default=60, help="how many kinds of difference are printed")
    parser.add_argument("--out", help="a file for the examples")
    options = parser.parse_args()
    tally = answers.Tally(HERE / "known-mutated.txt", open(options.out, "w") if options.out else None)
    begin = time.monotonic()
    with contextlib.ExitStack() as stack:
        flags = FLAGS + (wire.GATES if options.gates else [])
        ours = stack.enter_context(started_program(options.program, flags + OURS))
        theirs = stack.enter_context(started(peers(), flags))
        work([Side(ours), Side(theirs)], tally, options)
    tally.show(options.show)
    print(f"{tally.compared} requests compared in {time.monotonic() - begin:.0f} s, {tally.summary()}")
    sys.exit(1 if tally.count else 0)


if __name__ == "__main__":
    main()
