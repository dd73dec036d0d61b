#!/usr/bin/env python3
"""Play conversations against a running server and compare every answer with the recorded one.

  play.py --server https://127.0.0.1:6443 [--token T] [--jobs N] [--only REGEX] [--quiet] [--hook] TOPIC|FILE|FOLDER...

A conversation is {"name", "steps": [...]}; README.md beside this file lists the keys of a step. Exit status 0 when every
conversation passed; the last line is "N passed, N failed".
"""
import argparse
import base64
import concurrent.futures
import contextlib
import difflib
import http.client
import json
import pathlib
import random
import re
import ssl
import string
import sys
import threading
import time
import urllib.parse

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
import cbor
import compare
import conversations
import launch

CONNECTION_ERRORS = (OSError, http.client.HTTPException)
PATIENCE = 60  # seconds


class Client:
    """Requests to one server over HTTP/1.1; a connection a thread, kept between requests."""

    def __init__(self, server, token=None):
        url = urllib.parse.urlsplit(server)
        self.host, self.port, self.token = url.hostname, url.port, token
        self.tls = None
        if url.scheme == "https":
            self.tls = ssl.create_default_context()
            self.tls.check_hostname = False
            self.tls.verify_mode = ssl.CERT_NONE
        self.local = threading.local()

    def connect(self, timeout):
        if self.tls:
            return http.client.HTTPSConnection(self.host, self.port, timeout=timeout, context=self.tls)
        return http.client.HTTPConnection(self.host, self.port, timeout=timeout)

    def send(self, connection, method, target, headers, body):
        headers = {"Accept": "application/json", **headers}
        if self.token and "Authorization" not in headers:
            headers["Authorization"] = "Bearer " + self.token
        connection.request(method, target, body=body, headers=headers)
        return connection.getresponse()

    def request(self, method, target, headers, body):
        """(status, headers as pairs, body). A kept connection that the server has closed meanwhile is opened again, once."""
        kept = getattr(self.local, "connection", None)
        connection = kept or self.connect(PATIENCE)
        try:
            answer = self.send(connection, method, target, headers, body)
            raw = answer.read()
        except CONNECTION_ERRORS:
            connection.close()
            self.local.connection = None
            if kept is None:
                raise
            return self.request(method, target, headers, body)
        if answer.will_close:
            connection.close()
            connection = None
        self.local.connection = connection
        return answer.status, pairs_of(answer), raw

    def watch(self, method, target, headers, body, seconds, most):
        """As request, but stops at `most` events or after `seconds`."""
        connection = self.connect(seconds)
        try:
            answer = self.send(connection, method, target, headers, body)
            pairs = pairs_of(answer)
            if answer.status != 200:
                return answer.status, pairs, answer.read()
            in_cbor = "cbor" in dict(pairs).get("content-type", "")
            return answer.status, pairs, _read_events(answer, in_cbor, time.monotonic() + seconds, most)
        finally:
            connection.close()


def pairs_of(answer):
    return [(k.lower(), v) for k, v in answer.getheaders()]


def _read_events(answer, in_cbor, end, most):
    raw, count = b"", 0
    try:
        while count < most and time.monotonic() < end:
            piece = answer.read1(65536) if in_cbor else answer.readline()
            if not piece:
                break
            raw += piece
            count = len(cbor.decode_sequence(raw)[0]) if in_cbor else count + 1
    except (OSError, ValueError):
        pass  # the time is over, or the connection is: what came is the answer
    return raw


class Background:
    """A watch that runs while the conversation goes on; joined by a later step."""

    def __init__(self, work):
        self.result = self.error = None

        def run():
            try:
                self.result = work()
            except Exception as error:
                self.error = error

        self.thread = threading.Thread(target=run, daemon=True)
        self.thread.start()

    def join(self):
        self.thread.join()
        if self.error:
            raise self.error
        return self.result


def _lookup(path, answers):
    value = answers
    for part in re.findall(r"[^.\[\]]+", path):
        value = value[int(part)] if isinstance(value, list) else value[part]
    return value


def filled(x, answers):
    if isinstance(x, dict):
        return {k: filled(v, answers) for k, v in x.items()}
    if isinstance(x, list):
        return [filled(v, answers) for v in x]
    if not isinstance(x, str) or "${" not in x:
        return x
    whole = re.fullmatch(r"\$\{([^}]+)\}", x)
    if whole:
        return _lookup(whole.group(1), answers)
    return re.sub(r"\$\{([^}]+)\}", lambda m: str(_lookup(m.group(1), answers)), x)


def decoded(headers, raw, events):
    content_type = dict(headers).get("content-type", "")
    if "cbor" in content_type:
        try:
            return cbor.decode_sequence(raw)[0] if events else cbor.decode(raw)
        except (ValueError, EOFError):
            pass
    elif events:
        return [json.loads(line) for line in raw.splitlines() if line.strip()]
    elif "json" in content_type:
        try:
            return json.loads(raw)
        except ValueError:
            pass
    if any(word in content_type for word in ("yaml", "text", "html")):
        return {"text": raw.decode("utf-8", "replace")}
    return {"b64": base64.b64encode(raw).decode()} if raw else None


def body_of(step):
    """(body, its default content type)."""
    if "body" in step:
        return json.dumps(step["body"]).encode(), "application/json"
    if "body_cbor" in step:
        return cbor.encode(step["body_cbor"]), "application/cbor"
    if "raw" in step:
        return step["raw"].encode("utf-8", "surrogatepass"), "application/json"
    if "raw_b64" in step:
        return base64.b64decode(step["raw_b64"]), "application/json"
    return None, None


def target_of(step):
    query = step.get("query")
    return step["path"] + ("?" + urllib.parse.urlencode(query, doseq=True) if query else "")


class Player:
    """`hook` is a running launch.Hook for conversations that script a webhook endpoint, or None."""

    def __init__(self, client, keep_managed_fields=True, hook=None):
        self.client = client
        self.keep_managed_fields = keep_managed_fields
        self.hook = hook
        self.hook_client = Client(hook.url) if hook else None

    def play(self, conversation):
        """The differences, one text each; none when it passed."""
        answers = {"id": fresh()}
        names = [(answers["id"], "<id>")]
        if self.hook:
            answers |= {"hook": self.hook.url, "hook_ca": self.hook.ca}
            names += [(self.hook.url, "<hook>"), (self.hook.ca, "<hook-ca>")]
        namespace = None
        if "${ns}" in json.dumps([conversation["steps"], conversation.get("cleanup")]):
            namespace = answers["ns"] = "replay-" + fresh()
            names.insert(0, (namespace, "<ns>"))
            made = self._make_namespace(namespace)
            if made:
                return [made]
        problems = []
        try:
            for number, step in enumerate(conversation["steps"]):
                problem, go_on = self._play_step(conversation, step, str(number), answers, names)
                problems += problem
                if not go_on:
                    break
        finally:
            self._clean_up(conversation, answers, namespace)
        return problems

    def _make_namespace(self, name):
        body = json.dumps({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": name}}).encode()
        try:
            status, _, raw = self.client.request("POST", "/api/v1/namespaces", {"Content-Type": "application/json"}, body)
        except CONNECTION_ERRORS as error:
            return f"no namespace: {type(error).__name__}: {error}"
        return None if status == 201 else f"no namespace: {status} {raw[:200]!r}"

    def _clean_up(self, conversation, answers, namespace):
        paths = list(conversation.get("cleanup", ()))
        for path in paths + (["/api/v1/namespaces/" + namespace] if namespace else []):
            try:
                self.client.request("DELETE", filled(path, answers), {}, None)
            except (*CONNECTION_ERRORS, KeyError, TypeError):
                pass

    def _play_step(self, conversation, step, number, answers, names):
        """(problems, whether later steps make sense)."""
        name = step.get("id", number)
        try:
            status, headers, body = self._ask(step, answers)
        except Exception as error:  # a broken connection or an unusable earlier answer fails this conversation, not the run
            return [f"step {name}: {type(error).__name__}: {error}"], False
        if isinstance(status, Background):
            answers[name] = {"background": status}
            return [], True
        answers[name] = {"status": status, "headers": dict(headers), "body": body}
        want = compare.expected(step)
        if want is None:
            return [], True
        in_order = conversation.get("managed_fields_in_order", False)
        got = compare.shape(step, status, headers, body, names)
        want, got = (compare.comparable(x, in_order, self.keep_managed_fields) for x in (want, got))
        if want == got:
            return [], True
        text = f"step {name}: {step.get('method', 'join')} {step.get('path', '')}\n" + _difference(want, got)
        return [text], want["status"] // 100 != 2 or status // 100 == 2

    def _ask(self, step, answers):
        step = {k: v if k in ("expect", "replace", "id") else filled(v, answers) for k, v in step.items()}
        if "join" in step:
            status, headers, raw = answers[step["join"]]["background"].join()
            return status, headers, decoded(headers, raw, status == 200)
        client = self.hook_client if step.get("to") == "hook" else self.client
        headers = dict(step.get("headers", {}))
        if "as" in step:
            headers["Authorization"] = "" if step["as"] == "anonymous" else f"Bearer {step['as']}-token"
        body, content_type = body_of(step)
        if body is not None:
            headers.setdefault("Content-Type", step.get("content_type", content_type))
        time.sleep(step.get("sleep", 0))
        method, target, watch = step["method"], target_of(step), step.get("watch")
        if watch:
            work = lambda: client.watch(method, target, headers, body, watch["seconds"], watch.get("max_events", 1000))
            if watch.get("background"):
                background = Background(work)
                time.sleep(watch.get("lead", 0.3))  # so that the server has the watch before the next step
                return background, None, None
            status, got, raw = work()
            return status, got, decoded(got, raw, status == 200)
        status, got, raw = self._ask_until(client, step.get("repeat_until"), method, target, headers, body)
        return status, got, decoded(got, raw, False)

    def _ask_until(self, client, until, method, target, headers, body):
        end = time.monotonic() + (until or {}).get("seconds", 0)
        while True:
            answer = client.request(method, target, headers, body)
            if not until or time.monotonic() > end:
                return answer
            if answer[0] == until.get("status", answer[0]) and until.get("contains", "").encode() in answer[2]:
                return answer
            time.sleep(0.1)


def fresh():
    return "".join(random.choices(string.ascii_lowercase, k=8))


def _difference(want, got):
    a, b = (json.dumps(x, indent=1, sort_keys=True).splitlines() for x in (want, got))
    diff = list(difflib.unified_diff(a, b, "recorded", "got", lineterm="", n=2))[2:]
    return "\n".join("    " + line for line in diff[:60])


def play_all(server, token, chosen, jobs, keep_managed_fields=True, report=None, hook=None):
    """Plays `chosen`, those that ask for it alone and last. Calls report(conversation, problems) for each, one at a time.

    A conversation is mostly waiting (watches, sleeps), so `jobs` may be well above the number of processors.
    """
    player, lock = Player(Client(server, token), keep_managed_fields, hook), threading.Lock()

    def one(conversation):
        problems = player.play(conversation)
        with lock:
            report(conversation, problems)

    with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
        list(pool.map(one, [c for c in chosen if not c.get("serial")]))
    for conversation in chosen:
        if conversation.get("serial"):
            one(conversation)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--server", required=True)
    parser.add_argument("--token", default="admin-token")
    parser.add_argument("--jobs", type=int, default=8)
    parser.add_argument("--only", default="", help="regular expression on names")
    parser.add_argument("--quiet", action="store_true", help="names and counts, no differences")
    parser.add_argument("--no-managed-fields", action="store_true", help="compare everything but managedFields")
    parser.add_argument("--hook", action="store_true", help="start a webhook endpoint for conversations that script one")
    parser.add_argument("what", nargs="+")
    options = parser.parse_args()
    chosen = []
    for what in options.what:
        topic = conversations.FOLDER / f"{what}.jsonl"
        chosen += [c for c in conversations.read(topic if topic.exists() else what) if re.search(options.only, c["name"])]
    counts = {True: 0, False: 0}

    def report(conversation, problems):
        counts[not problems] += 1
        if problems:
            print("FAIL", conversation["name"])
            if not options.quiet:
                print("\n".join("  " + p for p in problems))

    with launch.hook() if options.hook else contextlib.nullcontext() as hook:
        play_all(options.server, options.token, chosen, options.jobs, not options.no_managed_fields, report, hook)
    print(f"{counts[True]} passed, {counts[False]} failed")
    sys.exit(1 if counts[False] else 0)


if __name__ == "__main__":
    main()
