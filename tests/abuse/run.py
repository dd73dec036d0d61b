#!/usr/bin/env python3
"""What a hostile or broken client does to a whole server: it must answer with a Status or hang up, keep its memory, and serve everybody else.

  run.py --program FILE [--strings 2000] [--full] [--only REGEX] [--report FILE]

First, random byte strings in place of requests (over TLS, as HTTP/1.1 and HTTP/2), requests with random bytes for a target, a query, a header or a
body, connections that are opened and left, requests sent a byte at a time, heads of 64 KiB, bodies one byte past the limit. Then what clients of known classes of holes would do (classes.py), and the sweep
(sweep.py): every shape of the table in shapes.py at several lengths, with what it cost. --full takes it up to the limits of bodies and heads, for each user; --only plays what of these two
has a name like that, and nothing else; --report writes what each exchange cost. Last line: "N passed, N failed".
"""
import argparse
import contextlib
import json
import pathlib
import random
import re
import socket
import sys
import threading
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
sys.path.insert(0, str(ROOT / "tests/wire"))
sys.path.insert(0, str(ROOT / "tests/abuse"))
import classes
import launch
import sweep
from play import Client

BODY_LIMIT = 3 << 20
JSON = {"Content-Type": "application/json"}
CONFIGMAPS = "/api/v1/namespaces/default/configmaps"
GROWTH = 48 << 20  # bytes that a server may keep of the pools it grew
ROOTS = (b"/api/v1/pods", b"/api/v1/namespaces/default/configmaps/x", b"/apis", b"/healthz", b"/openapi/v3", b"/version", b"/apis/apps/v1/deployments")


class Target:
    def __init__(self, server):
        self.server = server
        self.client = Client(server.url, "admin-token")

    def connection(self, protocol="http/1.1", timeout=20):
        context = launch.ssl.SSLContext(launch.ssl.PROTOCOL_TLS_CLIENT)
        context.check_hostname, context.verify_mode = False, launch.ssl.CERT_NONE
        context.set_alpn_protocols([protocol])
        plain = socket.create_connection(("127.0.0.1", self.server.port), timeout=timeout)
        return context.wrap_socket(plain)

    def exchange(self, data, protocol="http/1.1"):
        """What comes back for these bytes, until the server hangs up or has answered and waits."""
        answer = b""
        with contextlib.suppress(OSError), self.connection(protocol, timeout=0.5) as connection:
            connection.sendall(data)
            while len(answer) < 1 << 20:
                piece = connection.recv(65536)
                if not piece:
                    break
                answer += piece
                if protocol == "http/1.1" and whole(answer):
                    break
        return answer

    def status(self, method, target, headers, body):
        status, got, raw = self.client.request(method, target, headers, body)
        return status, dict(got), raw

    def memory(self):
        fields = pathlib.Path(f"/proc/{self.server.process.pid}/statm").read_text().split()
        return int(fields[1]) * 4096


def whole(answer):
    head, separator, body = answer.partition(b"\r\n\r\n")
    length = re.search(rb"(?i)content-length: (\d+)", head)
    return bool(separator) and bool(length) and len(body) >= int(length.group(1))


def is_status(raw):
    try:
        document = json.loads(raw)
    except ValueError:
        return False
    return document.get("kind") == "Status" and document.get("status") == "Failure" and "message" in document


def noise(generator, most):
    return generator.randbytes(generator.randrange(1, most))


def mutated(generator):
    """A request with random bytes somewhere, but in no place that ends its line."""
    clean = lambda b: b.translate(None, b"\r\n")
    where = generator.randrange(5)
    target = generator.choice(ROOTS)
    method, headers, body = generator.choice((b"GET", b"POST", b"PUT", b"PATCH", b"DELETE")), b"", b""
    if where == 0:
        target += b"/" + clean(noise(generator, 80)).replace(b" ", b"")
    elif where == 1:
        target += b"?" + clean(noise(generator, 80)).replace(b" ", b"")
    elif where == 2:
        headers = b"Accept: " + clean(noise(generator, 80)) + b"\r\n"
    elif where == 3:
        body = noise(generator, 400)
        kind = generator.choice((b"json", b"yaml", b"vnd.kubernetes.protobuf", b"apply-patch+yaml", b"json-patch+json"))
        headers = b"Content-Type: application/" + kind + b"\r\n"
        if kind.startswith(b"vnd"):
            body = b"k8s\0" + body
    else:
        method = clean(noise(generator, 20))
    return (method + b" " + target + b" HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer admin-token\r\n" + headers +
            b"Content-Length: %d\r\n\r\n" % len(body) + body)


def random_strings(target, count):
    """Problems. Every second string is bare noise; the others are requests that nearly are good."""
    problems, lock = [], threading.Lock()

    def sender(number):
        generator = random.Random(number)
        for i in range(count // 8):
            kind = i % 4
            if kind == 0:
                target.exchange(noise(generator, 2000))
            elif kind == 1:
                target.exchange(b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\0\0\0\4\0\0\0\0\0" + noise(generator, 2000), "h2")
            else:
                sent = mutated(generator)
                answer = target.exchange(sent)
                head, _, body = answer.partition(b"\r\n\r\n")
                status = re.match(rb"HTTP/1\.1 (\d+)", head)
                if status and int(status.group(1)) == 500 and not is_status(body):
                    with lock:
                        problems.append(f"{sent[:200]!r}: {answer[:300]!r}")

    threads = [threading.Thread(target=sender, args=(n,)) for n in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return problems


def serves(target):
    """Problems: an ordinary client's create, read and delete."""
    name = f"still-{time.monotonic_ns()}"
    steps = (("POST", CONFIGMAPS, json.dumps({"metadata": {"name": name}}).encode(), 201), ("GET", f"{CONFIGMAPS}/{name}", None, 200),
             ("DELETE", f"{CONFIGMAPS}/{name}", None, 200))
    problems = []
    for method, path, body, wanted in steps:
        status, _, raw = target.status(method, path, JSON if body else {}, body)
        if status != wanted:
            problems.append(f"{method} {path}: {status} {raw[:200]!r}")
    return problems


def check_random_strings(target, strings):
    random_strings(target, 400)  # what pools and caches need is there
    before = target.memory()
    problems = random_strings(target, strings) + serves(target)
    grown = target.memory() - before
    if grown > GROWTH:
        problems.append(f"memory grew by {grown >> 20} MiB over {strings} strings")
    return problems


def check_idle_connections(target, _):
    """Others are served while five hundred connections are open, half a request or nothing having come."""
    with contextlib.ExitStack() as stack:
        for i in range(500):
            plain = stack.enter_context(socket.create_connection(("127.0.0.1", target.server.port), timeout=20))
            if i % 2:
                plain.sendall(b"\x16\x03\x01")
        for _ in range(20):
            stack.enter_context(target.connection()).sendall(b"GET /api HTTP/1.1\r\nHost: x\r\nAuthori")
        return serves(target)


def check_slow_request(target, _):
    """A request that comes a byte at a time is answered, and delays nobody."""
    sent = b"GET /version HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer admin-token\r\n\r\n"
    problems = []
    with target.connection() as connection:
        for byte in sent:
            connection.sendall(bytes([byte]))
        problems += serves(target)
        if not connection.recv(65536).startswith(b"HTTP/1.1 200"):
            problems.append("the slow request was not answered")
    return problems


def check_long_head(target, _):
    """A header line of 64 KiB is passed; one past the limit of all is refused, in HTTP/1.1 as the real server does it."""
    problems = []
    head = b"GET /version HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer admin-token\r\nX-Long: "
    answer = target.exchange(head + b"a" * (64 << 10) + b"\r\n\r\n")
    if not answer.startswith(b"HTTP/1.1 200"):
        problems.append(f"64 KiB: {answer[:200]!r}")
    answer = target.exchange(head + b"a" * (2 << 20) + b"\r\n\r\n")
    if answer and not answer.startswith(b"HTTP/1.1 431"):
        problems.append(f"2 MiB: {answer[:200]!r}")
    return problems + serves(target)


def check_long_body(target, _):
    problems = []
    for media in ("application/json", "application/yaml", "application/vnd.kubernetes.protobuf"):
        body = b'{"metadata":{"name":"long"},"data":{"a":"' + b"x" * BODY_LIMIT
        status, _, raw = target.status("POST", CONFIGMAPS, {"Content-Type": media}, body[:BODY_LIMIT + 1])
        if status != 413 or not is_status(raw):
            problems.append(f"{media}: {status} {raw[:200]!r}")
    return problems + serves(target)


CHECKS = (check_random_strings, check_idle_connections, check_slow_request, check_long_head, check_long_body)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--program", required=True)
    parser.add_argument("--strings", type=int, default=2000)
    parser.add_argument("--full", action="store_true")
    parser.add_argument("--only", default="")
    parser.add_argument("--report", default="")
    options = parser.parse_args()
    passed, failed = (0, 0) if options.only else checks(options)
    for more in (classes.play, sweep.play):
        of_these = more(options)
        passed, failed = passed + of_these[0], failed + of_these[1]
    print(f"{passed} passed, {failed} failed")
    sys.exit(1 if failed else 0)


def checks(options):
    """(passed, failed) of what is not in the table."""
    passed = failed = 0
    with launch.running(options.program) as server:
        target = Target(server)
        for check in CHECKS:
            name = check.__name__.removeprefix("check_").replace("_", " ")
            try:
                problems = check(target, options.strings)
            except (OSError, ValueError) as error:
                problems = [f"{type(error).__name__}: {error}"]
            if server.process.poll() is not None:
                problems.append(f"the server ended with {server.process.returncode}:\n{server.log_tail()}")
            passed, failed = passed + (not problems), failed + bool(problems)
            if problems:
                print("FAIL", name, "\n" + "\n".join("  " + p for p in problems[:20]))
            if server.process.poll() is not None:
                break
        if server.stop() != 0:
            failed += 1
            print("FAIL the server did not end well:\n" + server.log_tail())
    return passed, failed


if __name__ == "__main__":
    main()
