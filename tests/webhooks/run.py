#!/usr/bin/env python3
"""Admission webhooks whose endpoints lie, drip, hang and vanish: what the client of the API is told, and that nobody else suffers.

  run.py --program build/release/src/server/fairlead [--only REGEX]

Each lie is told to a webhook that must not fail (the write is refused, in the real server's words) and to one that may
(the write passes). Last line: "N passed, N failed".
"""
import argparse
import base64
import json
import pathlib
import re
import socket
import ssl
import subprocess
import sys
import tempfile
import threading
import time
import traceback
import urllib.error
import urllib.request

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
sys.path.insert(0, str(ROOT / "tests/wire"))
import launch

GROUP = "/apis/admissionregistration.k8s.io/v1/"
MAPS = "/api/v1/namespaces/default/configmaps"
SECONDS = 1  # what webhooks have


def identity(folder, name, names):
    """(certificate, key) files of a self-signed certificate."""
    certificate, key = folder / f"{name}.pem", folder / f"{name}.key"
    subprocess.run(["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-keyout", str(key), "-out", str(certificate),
                    "-days", "30", "-subj", "/CN=" + name, "-addext", "subjectAltName=" + names], check=True, stderr=subprocess.DEVNULL)
    return certificate, key


class Endpoint:
    """Accepts connections and lets `serve(connection, read)` answer; `read()` gives the review of the next request."""

    def __init__(self, files, serve):
        self.listener = socket.create_server(("127.0.0.1", 0), backlog=300)
        self.port = self.listener.getsockname()[1]
        self.serve = serve
        self.ended = threading.Event()
        self.context = None
        if files:
            self.context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
            self.context.load_cert_chain(*files)
        threading.Thread(target=self.accept, daemon=True).start()

    def accept(self):
        while True:
            try:
                connection, _ = self.listener.accept()
            except OSError:
                return
            threading.Thread(target=self.one, args=(connection,), daemon=True).start()

    def one(self, raw):
        try:
            connection = self.context.wrap_socket(raw, server_side=True) if self.context else raw
            stream = connection.makefile("rb")

            def read():
                length = 0
                while (line := stream.readline().strip()):
                    if line.lower().startswith(b"content-length:"):
                        length = int(line.split(b":")[1])
                return json.loads(stream.read(length)) if length else None

            self.serve(self, connection, read)
            connection.close()
        except (OSError, ValueError):
            raw.close()

    def close(self):
        self.ended.set()
        self.listener.close()


def answer(connection, body, status="200 OK", more=""):
    body = body if isinstance(body, bytes) else json.dumps(body).encode()
    connection.sendall(f"HTTP/1.1 {status}\r\n{more}Content-Type: application/json\r\nContent-Length: {len(body)}\r\n\r\n".encode() + body)


def review(asked, **response):
    return {"apiVersion": "admission.k8s.io/v1", "kind": "AdmissionReview", "response": {"uid": asked["request"]["uid"], "allowed": True} | response}


def patch_of(operations):
    return {"patchType": "JSONPatch", "patch": base64.b64encode(json.dumps(operations).encode()).decode()}


def hang(endpoint, connection, read):
    endpoint.ended.wait(60)


def hang_after_the_request(endpoint, connection, read):
    read()
    endpoint.ended.wait(60)


def reset(endpoint, connection, read):
    read()
    connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, b"\x01\0\0\0\0\0\0\0")


def close_without_a_word(endpoint, connection, read):
    read()


def half_an_answer(endpoint, connection, read):
    body = json.dumps(review(read())).encode()
    connection.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n" % len(body) + body[:20])


def a_huge_answer(endpoint, connection, read):
    read()
    connection.sendall(b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n")
    while not endpoint.ended.is_set():
        connection.sendall(b"100000\r\n" + b" " * 0x100000 + b"\r\n")


def a_slow_drip(endpoint, connection, read):
    read()
    connection.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: 100000\r\n\r\n")
    while not endpoint.ended.wait(0.05):
        connection.sendall(b" ")


def no_http(endpoint, connection, read):
    read()
    connection.sendall(b"hello\r\n\r\n")


def plain_http(endpoint, connection, read):
    connection.sendall(b"HTTP/1.1 400 Bad Request\r\n\r\n")


def truth(endpoint, connection, read):
    while (asked := read()):
        answer(connection, review(asked))


def a_redirect(endpoint, connection, read):
    read()
    answer(connection, b"", "307 Temporary Redirect", "Location: https://127.0.0.1:1/\r\n")


def a_wrong_uid(endpoint, connection, read):
    answer(connection, review(read(), uid="other"))


def no_review(endpoint, connection, read):
    read()
    answer(connection, {"kind": "AdmissionReview", "apiVersion": "admission.k8s.io/v1", "response": {"allowed": "yes"}})


def a_bad_patch(endpoint, connection, read):
    answer(connection, review(read(), **patch_of([{"op": "remove", "path": "/none"}])))


def an_endless_patch(endpoint, connection, read):
    copies = [{"op": "add", "path": "/data", "value": {"a": "x" * 100000}}] + [{"op": "copy", "from": "/data", "path": f"/data/{i}"} for i in range(64)]
    answer(connection, review(read(), **patch_of(copies)))


CALLED = "failed to call webhook: "
POSTED = CALLED + 'Post "https://127.0.0.1:PORT/x\\?timeout=1s": '
READING = CALLED + "unexpected error when reading response body. Please retry. Original error: "
BAD = 'received invalid webhook response: '
# name, how it serves, whose certificate it has, what the refusal says after `failed calling webhook "NAME": `
LIES = [
    ("hang", hang, None, POSTED + "context deadline exceeded"),
    ("hang_after_the_request", hang_after_the_request, "good", POSTED + "context deadline exceeded"),
    ("reset", reset, "good", POSTED + "(read tcp .*: read: connection reset by peer|EOF)"),
    ("close_without_a_word", close_without_a_word, "good", POSTED + "EOF"),
    ("half_an_answer", half_an_answer, "good", READING + "unexpected EOF"),
    ("a_huge_answer", a_huge_answer, "good", READING + "http: response body is too large"),
    ("a_slow_drip", a_slow_drip, "good", READING + "context deadline exceeded"),
    ("no_http", no_http, "good", POSTED + 'net/http: HTTP/1.x transport connection broken: malformed HTTP response "hello"'),
    ("plain_http", plain_http, None, POSTED + "http: server gave HTTP response to HTTPS client"),
    ("a_strangers_certificate", truth, "stranger", POSTED + "tls: failed to verify certificate: x509: certificate signed by unknown authority"),
    ("a_wrong_name", truth, "other", POSTED + "tls: failed to verify certificate: x509: certificate is valid for 127.0.0.2, not 127.0.0.1"),
    ("a_redirect", a_redirect, "good", CALLED + "the server responded with the status code 307 but did not return more information"),
    ("a_wrong_uid", a_wrong_uid, "good", BAD + 'expected response.uid="[^"]*", got "other"'),
    ("no_review", no_review, "good", CALLED + "json: cannot unmarshal string into Go struct field AdmissionResponse.response.allowed of type bool"),
]
# Told to mutating webhooks; an answer that cannot be applied is an error whatever may fail.
PATCHES = [
    ("a_bad_patch", a_bad_patch, "Internal error occurred: error in remove for path: '/none': Unable to remove nonexistent key: none: missing value"),
    ("an_endless_patch", an_endless_patch, "Internal error occurred: unable to complete the copy, the accumulated size increase of copy is .*"),
]


class Api:
    def __init__(self, server):
        self.url = server.url

    def ask(self, method, path, body=None):
        data = json.dumps(body).encode() if body is not None else None
        request = urllib.request.Request(self.url + path, data, {"Authorization": "Bearer admin-token", "Content-Type": "application/json"}, method=method)
        try:
            with urllib.request.urlopen(request, context=launch.insecure(), timeout=60) as reply:
                return reply.status, json.load(reply)
        except urllib.error.HTTPError as error:
            return error.code, json.load(error)

    def configure(self, name, port, bundle, kind="validating", fails=True, seconds=SECONDS):
        webhook = {"name": f"{name}.example.com", "clientConfig": {"url": f"https://127.0.0.1:{port}/x", "caBundle": base64.b64encode(bundle).decode()},
                   "rules": [{"apiGroups": [""], "apiVersions": ["v1"], "operations": ["CREATE"], "resources": ["configmaps"]}], "admissionReviewVersions": ["v1"],
                   "sideEffects": "None", "failurePolicy": "Fail" if fails else "Ignore", "timeoutSeconds": seconds, "objectSelector": {"matchLabels": {"hook": name}}}
        status, said = self.ask("POST", f"{GROUP}{kind}webhookconfigurations", {"metadata": {"name": name}, "webhooks": [webhook]})
        assert status == 201, said

    def create(self, label, query="?dryRun=All"):
        return self.ask("POST", MAPS + query, {"metadata": {"generateName": "a-", "labels": {"hook": label}}})


def lies(api, files):
    """(name, check) of each lie."""
    good = files["good"][0].read_bytes()
    bundles = {"good": good, "stranger": good, "other": files["other"][0].read_bytes(), None: good}

    def tell(name, serve, whose, kind, expected, passes):
        endpoint = Endpoint(files[whose] if whose else None, serve)
        try:
            for fails in (True, False):
                label = f"{name}-{fails}".lower().replace("_", "-")
                api.configure(label, endpoint.port, bundles[whose], kind, fails)
                status, said = api.create(label)
                if fails or not passes:
                    message = said.get("message", "")
                    wanted = expected.replace("PORT", str(endpoint.port))
                    if passes:
                        wanted = f'Internal error occurred: failed calling webhook "{label}.example.com": ' + wanted
                    assert status in (500, 413, 400) and re.fullmatch(wanted, message), (status, message, wanted)
                else:
                    assert status == 201, said
        finally:
            endpoint.close()

    for name, serve, whose, expected in LIES:
        yield name, lambda n=name, s=serve, w=whose, e=expected: tell(n, s, w, "validating", e, True)
        yield "mutating_" + name, lambda n="m-" + name, s=serve, w=whose, e=expected: tell(n, s, w, "mutating", e, True)
    for name, serve, expected in PATCHES:
        yield name, lambda n=name, s=serve, e=expected: tell(n, s, "good", "mutating", e, False)


def nobody_waits_for_others_webhooks(api, files):
    """200 writes wait for a webhook that hangs; what does not need it is answered before any of them."""
    endpoint = Endpoint(files["good"], hang_after_the_request)
    try:
        api.configure("hanging", endpoint.port, files["good"][0].read_bytes(), seconds=30)
        answered = []
        threads = [threading.Thread(target=lambda: answered.append(api.create("hanging")), daemon=True) for _ in range(200)]
        for thread in threads:
            thread.start()
        for i in range(20):
            assert api.ask("GET", MAPS)[0] == 200
            status, said = api.ask("POST", MAPS, {"metadata": {"name": f"other-{i}"}})
            assert status == 201, said
        assert not [status for status, _ in answered if status != 429], answered[:3]
        endpoint.close()
        for thread in threads:
            thread.join(60)
        assert {status for status, _ in answered} <= {500, 429}, answered[:3]
    finally:
        endpoint.close()


def configurations_are_in_force_at_once(api, files):
    """A webhook refuses the next write after its configuration, and none after that has gone."""
    def refuse(endpoint, connection, read):
        while (asked := read()):
            answer(connection, review(asked, allowed=False))

    endpoint = Endpoint(files["good"], refuse)
    try:
        for i in range(200):
            api.configure("at-once", endpoint.port, files["good"][0].read_bytes(), seconds=10)
            status, said = api.create("at-once")
            assert status == 400, (i, status, said)
            assert api.ask("DELETE", GROUP + "validatingwebhookconfigurations/at-once")[0] == 200
            status, said = api.create("at-once")
            assert status == 201, (i, status, said)
    finally:
        endpoint.close()


def what_is_done_is_counted(api, files):
    request = urllib.request.Request(api.url + "/metrics", headers={"Authorization": "Bearer admin-token"})
    with urllib.request.urlopen(request, context=launch.insecure(), timeout=60) as reply:
        text = reply.read().decode()
    for line in ('apiserver_admission_webhook_fail_open_count{name="hang-false.example.com",type="validating"} 1',
                 'apiserver_admission_webhook_rejection_count{name="hang-true.example.com",type="validating",operation="CREATE",error_type="calling_webhook_error",rejection_code="400"} 1',
                 'apiserver_admission_webhook_request_total{name="hang-true.example.com",type="validating",operation="CREATE",code="400",rejected="true"} 1',
                 'apiserver_admission_webhook_admission_duration_seconds_count{name="hang-true.example.com",type="validating",operation="CREATE",rejected="true"} 1'):
        assert line in text, line


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--program", required=True)
    parser.add_argument("--only", default="")
    options = parser.parse_args()
    passed = failed = 0
    with tempfile.TemporaryDirectory(prefix="fairlead-webhooks-") as folder, launch.running(pathlib.Path(options.program).resolve()) as server:
        files = {"good": identity(pathlib.Path(folder), "good", "IP:127.0.0.1"), "other": identity(pathlib.Path(folder), "other", "IP:127.0.0.2"),
                 "stranger": identity(pathlib.Path(folder), "stranger", "IP:127.0.0.1")}
        api = Api(server)
        checks = list(lies(api, files))
        checks += [(check.__name__, lambda check=check: check(api, files))
                   for check in (what_is_done_is_counted, configurations_are_in_force_at_once, nobody_waits_for_others_webhooks)]
        for name, check in checks:
            if not re.search(options.only, name):
                continue
            try:
                check()
                passed += 1
            except Exception:  # pylint: disable=broad-except
                failed += 1
                print(f"{name}:\n{traceback.format_exc()}")
    print(f"{passed} passed, {failed} failed")
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
