#!/usr/bin/env python3
"""Clients who hold connections against a whole server: resets that nobody reads, unfinished bodies of strangers, more connections than
descriptors. Each time the server must keep its memory and serve the administrator's writes.

  connections.py --program FILE

Last line: "N passed, N failed".
"""
import argparse
import contextlib
import socket
import struct
import sys
import time


from run import CONFIGMAPS, JSON, Target, launch, serves

DESCRIPTORS = 400
GROWTH = 64 << 20  # bytes, where the bound is a few hundred KiB
STRANGERS = 130  # of the 200 connections that so few descriptors leave room for; one address may have 150
LOG = 40  # writes of 1 MiB each: enough for the store to open its next log more than once
SECONDS = 4
GET = b"\x82\x87\x84\x41\x01h"  # :method, :scheme and :path of the static table, :authority


def frame(kind, flags, stream, payload=b""):
    return struct.pack(">I", len(payload))[1:] + bytes([kind, flags]) + struct.pack(">I", stream) + payload


def check_unread_resets(target):
    """A client that acknowledges no settings opens stream after stream, and reads nothing of what it is told."""
    before, stream, end = target.memory(), 1, time.monotonic() + SECONDS
    with contextlib.suppress(OSError), target.connection("h2", timeout=1) as connection:
        connection.sendall(b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n" + frame(4, 0, 0))
        while time.monotonic() < end:
            connection.sendall(b"".join(frame(1, 4, stream + 2 * i, GET) for i in range(1000)))
            stream += 2000
        return ["the connection was not ended"]
    grown = target.memory() - before
    return [f"memory grew by {grown >> 20} MiB"] if grown > GROWTH else []


def check_bodies_of_strangers(target):
    """Nobody known sends large bodies and does not finish them: each is refused by its head, and writes go on."""
    problems, before = [], target.memory()
    head = b"POST " + CONFIGMAPS.encode() + b" HTTP/1.1\r\nHost: x\r\nContent-Length: 3000000\r\n\r\n"
    with contextlib.ExitStack() as stack:
        for _ in range(STRANGERS):
            connection = stack.enter_context(target.connection(timeout=20))
            connection.sendall(head + b"x" * 20000)
            answer = connection.recv(4096)
            if not answer.startswith(b"HTTP/1.1 403"):
                problems.append(f"{answer[:200]!r}")
        grown = target.memory() - before
        if grown > GROWTH:
            problems.append(f"memory grew by {grown >> 20} MiB")
        return problems[:3] + serves(target)


def check_more_connections_than_descriptors(target):
    """What is beyond the cap is refused, what is below is served, and the store opens its next log."""
    problems = serves(target)
    with contextlib.ExitStack() as stack:
        idle = [stack.enter_context(socket.create_connection(("127.0.0.1", target.server.port))) for _ in range(2 * DESCRIPTORS)]
        time.sleep(0.5)
        refused = 0
        for connection in idle:
            connection.setblocking(False)
            try:
                refused += connection.recv(1) == b""
            except BlockingIOError:
                pass
            except OSError:
                refused += 1
        if not DESCRIPTORS <= refused < 2 * DESCRIPTORS:
            problems.append(f"{refused} of {2 * DESCRIPTORS} connections were refused")
        name = f"log-{time.monotonic_ns()}"
        for i in range(LOG):
            body = b'{"metadata":{"name":"%s-%d"},"data":{"a":"%s"}}' % (name.encode(), i, b"x" * 900000)
            status, _, raw = target.status("POST", CONFIGMAPS, JSON, body)
            if status != 201:
                problems.append(f"write {i}: {status} {raw[:200]!r}")
                break
    return problems


CHECKS = (check_unread_resets, check_bodies_of_strangers, check_more_connections_than_descriptors)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--program", required=True)
    options = parser.parse_args()
    server = launch.Server(options.program, store="rocksdb")
    server.command = ["sh", "-c", f'ulimit -n {DESCRIPTORS}; exec "$0" "$@"', *server.command]
    passed = failed = 0
    try:
        server.start()
        target = Target(server)
        for check in CHECKS:
            name = check.__name__.removeprefix("check_").replace("_", " ")
            try:
                problems = check(target)
            except (OSError, ValueError) as error:
                problems = [f"{type(error).__name__}: {error}"]
            passed, failed = passed + (not problems), failed + bool(problems)
            if problems:
                print("FAIL", name, "\n" + "\n".join("  " + p for p in problems[:20]))
        if server.stop() != 0:
            failed += 1
            print("FAIL the server did not end well:\n" + server.log_tail())
    finally:
        server.stop()
        server.remove()
    print(f"{passed} passed, {failed} failed")
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
