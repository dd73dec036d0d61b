"""How the lines of the table of shapes say what is sent. A request is built from n, the bytes it is to be long (or, where the line has a limit
of its own, whatever that limit counts).

Every kind of exchange has `send(target, user, n) -> Said`; `target` is what sweep.py made of a server.
"""
import base64
import dataclasses
import functools
import json
import random
import re
import subprocess
import tempfile
import time
import zlib

import http2_frames as h2
import measure

BODY = (3 << 20) - 8192   # bytes of n: the limit of a body, and room for what stands around the long part
HEAD = (1 << 20) - 8192   # as much of a head
FLOOD = 24 << 20          # of frames, which have no limit
NS = "/api/v1/namespaces/sweep/"
APPS = "/apis/apps/v1/namespaces/sweep/"
JSON, YAML, CBOR = "application/json", "application/yaml", "application/cbor"
PROTOBUF = "application/vnd.kubernetes.protobuf"
JSON_PATCH, MERGE, STRATEGIC = "application/json-patch+json", "application/merge-patch+json", "application/strategic-merge-patch+json"
APPLY = "application/apply-patch+yaml"


@dataclasses.dataclass
class Said:
    status: int        # of the answer; 0 where the server hung up without one, or there is none
    size: int          # bytes of the answer as they came, or of its body unpacked where that is more
    text: str = ""     # the beginning of it, for people


# -- texts of about n bytes

@functools.lru_cache(maxsize=6)
def numbered(n, form, sep, start, step):
    """The form with a number for each of its %d, as many times as make n bytes."""
    holes = form.replace("%%", "").count("%d")
    count = max(1, n // (len(form % ((start + 99999,) * holes)) + len(sep)))
    numbers = [start + step * i for i in range(count)]
    if step == 0:
        numbers = list(range(start, start + count))
        random.Random(1).shuffle(numbers)
    return sep.join([form % ((i,) * holes) for i in numbers])


def each(n, form, sep=","):
    """form % 0, form % 1, ... of n bytes"""
    return numbered(n, form, sep, 0, 1)


def falling(n, form, sep=","):
    return numbered(n, form, sep, 1000000, -1)


def shuffled(n, form, sep=","):
    return numbered(n, form, sep, 0, 0)


def rep(n, unit):
    return unit * max(1, n // len(unit))


def seq(n, unit, sep=","):
    """unit,unit,unit"""
    return rep(n, unit + sep)[:-len(sep)]


def nest(n, opening="[", closing="]", inner="1"):
    depth = max(1, n // (len(opening) + len(closing)))
    return opening * depth + inner + closing * depth


def words(count, form="w%d"):
    return json.dumps([form % i for i in range(count)])


# -- objects as JSON text

def obj(api, kind, rest="", meta="", name="x"):
    return '{"apiVersion":"%s","kind":"%s","metadata":{"name":"%s"%s}%s}' % (api, kind, name, meta and "," + meta, rest and "," + rest)


def config(rest="", meta="", name="x"):
    return obj("v1", "ConfigMap", rest, meta, name)


def deployment(spec="", pod="", container="", meta=""):
    return obj("apps/v1", "Deployment", '"spec":{%s"selector":{"matchLabels":{"a":"b"}},"template":{"metadata":{"labels":{"a":"b"}},"spec":{%s'
               '"containers":[{%s"name":"c","image":"i"}]}}}' % tuple(x and x + "," for x in (spec, pod, container)), meta)


def pod(spec="", container="", meta=""):
    return obj("v1", "Pod", '"spec":{%s"containers":[{%s"name":"c","image":"i"}]}' % (spec and spec + ",", container and container + ","), meta)


def definition(version="", schema="", spec="", names="", root="", versions=""):
    """A CustomResourceDefinition; `schema` are members of spec's schema, `root` of the whole, `versions` more versions."""
    return obj("apiextensions.k8s.io/v1", "CustomResourceDefinition",
               '"spec":{"group":"example.com","scope":"Namespaced",%s"names":{"plural":"things","kind":"Thing"%s},"versions":[{"name":"v1","served":true,'
               '"storage":true%s,"schema":{"openAPIV3Schema":{"type":"object"%s,"properties":{"spec":{"type":"object"%s}}}}}%s]}'
               % (spec and spec + ",", *(x and "," + x for x in (names, version, root, schema, versions))), name="things.example.com")


# -- exchanges

@dataclasses.dataclass
class Request:
    """One HTTP/1.1 request with a token."""
    method: str
    target: object                # text, or of n
    body: object = None           # of n: text or bytes
    fields: object = None         # of n: more lines of the head, text
    media: object = None          # the body's Content-Type, text or of n
    chunked: bool = False
    certificate: object = None    # of n: the file of a client certificate

    def head_and_body(self, user, n):
        target = self.target(n) if callable(self.target) else self.target
        body = b"" if self.body is None else self.body(n)
        body = body.encode("utf-8", "surrogatepass") if isinstance(body, str) else body
        lines = [f"{self.method} {target} HTTP/1.1", "Host: x"]
        more = self.fields(n) if self.fields else ""
        if user.token and "authorization:" not in more[:20000].lower():
            lines.append("Authorization: Bearer " + user.token)
        if more:
            lines.append(more)
        if self.media:
            lines.append("Content-Type: " + (self.media(n) if callable(self.media) else self.media))
        if self.body is not None and not self.chunked:
            lines.append(f"Content-Length: {len(body)}")
        if self.chunked:
            lines.append("Transfer-Encoding: chunked")
        return ("\r\n".join(lines) + "\r\n\r\n").encode("utf-8", "surrogateescape"), body

    def send(self, target, user, n):
        head, body = self.head_and_body(user, n)
        certificate = self.certificate(n) if self.certificate else None
        with measure.connect(target.port, certificate=certificate) as connection:
            raw, _, _ = measure.exchange(connection, head + body, whole=Whole())
        return said(raw)


class Whole:
    """Whether pieces are a whole HTTP/1.1 answer; looks at each byte once."""

    def __init__(self):
        self.length = self.head = None
        self.seen = self.size = 0
        self.start = b""

    def __call__(self, pieces):
        for piece in pieces[self.seen:]:
            self.size += len(piece)
            if self.head is None:
                self.start += piece
        self.seen = len(pieces)
        if self.head is None:
            at = self.start.find(b"\r\n\r\n")
            if at < 0:
                return False
            self.head = at + 4
            found = re.search(rb"(?i)\r\ncontent-length: *(\d+)", self.start[:at])
            self.length = int(found.group(1)) if found else None
            if re.match(rb"HTTP/1\.1 1\d\d", self.start):
                self.start, self.size, self.head = self.start[self.head:], self.size - self.head, None
                return self(pieces)
        if self.length is not None:
            return self.size >= self.head + self.length
        return pieces[-1].endswith(b"0\r\n\r\n")


def said(raw):
    raw = raw[raw.find(b"\r\n\r\n") + 4:] if raw.startswith(b"HTTP/1.1 100") else raw
    status = re.match(rb"HTTP/1\.1 (\d+)", raw)
    head, _, body = raw.partition(b"\r\n\r\n")
    size = len(raw) // (1 + raw.count(b"HTTP/1.1 ") // 2) if raw.count(b"HTTP/1.1 ") > 2 else len(raw)  # of one of several answers
    if b"content-encoding: gzip" in head.lower():
        if b"transfer-encoding: chunked" in head.lower():
            body = b"".join(re.findall(rb"(?s)[0-9a-fA-F]+\r\n(.*?)\r\n(?=[0-9a-fA-F]+\r\n)", body))
        unpacked = zlib.decompressobj(31)
        try:
            size = max(size, len(unpacked.decompress(body, 64 << 20)))
        except zlib.error:
            pass
    return Said(int(status.group(1)) if status else 0, size, body[:300].decode("utf-8", "replace"))


@dataclasses.dataclass
class Bytes:
    """What a client of HTTP/1.1 sends, word for word: `of(n, token)`. `step` bytes a TLS record; plain=True is no TLS at all."""
    of: object
    plain: bool = False
    step: int = 1 << 16
    reads: bool = True

    def send(self, target, user, n):
        data = self.of(n, user.token or "none")
        data = data.encode("utf-8", "surrogateescape") if isinstance(data, str) else data
        with measure.connect(target.port, protocol=None if self.plain else "http/1.1", receive_buffer=None if self.reads else 4096) as connection:
            raw, _, _ = measure.exchange(connection, data, reads=self.reads, piece=self.step, busy=target.probe.busy)
        return said(raw)


@dataclasses.dataclass
class Frames:
    """What a client of HTTP/2 sends behind the preface: `of(n, token)`. reads=False: it takes no answers."""
    of: object
    opening: bytes = h2.opening()
    reads: bool = True
    step: int = 1 << 16
    memory: int = 32 << 20  # that it may cost: what is kept for a connection

    def send(self, target, user, n):
        data = self.opening + self.of(n, user.token)
        with measure.connect(target.port, protocol="h2", receive_buffer=None if self.reads else 4096) as connection:
            raw, sent, hung_up = measure.exchange(connection, data, reads=self.reads, piece=self.step, busy=target.probe.busy)
        begun, away = h2.answers(raw)
        return Said(0, len(raw), f"{begun} answers{', GOAWAY' if away else ''}{'' if sent else ', not all taken'}{', hung up' if hung_up else ''}")


@dataclasses.dataclass
class After:
    """The exchange `then`, where `first` (a method, a path, and of n a body and its media type) was sent by the cluster's admin; `undo` is deleted
    after it. What came first is not measured."""
    first: object    # of n: [(method, path, media type, body)]
    then: object
    undo: tuple = ()

    def prepare(self, target, n):
        for method, path, media, body in self.first(n):
            status, text = target.ask(method, path, body, media)
            if method == "DELETE":
                self.await_end(target, path)
            if status not in (200, 201, 404, 409):
                return f"{method} {path}: {status} {text[:200]}"
        return ""

    def send(self, target, user, n):
        return self.then.send(target, user, n)

    def clean(self, target):
        for path in self.undo:
            target.ask("DELETE", path)
            self.await_end(target, path)

    @staticmethod
    def await_end(target, path):
        """What a controller finishes first (a definition) may take a moment."""
        end = time.monotonic() + 10
        while target.ask("GET", path)[0] == 200 and time.monotonic() < end:
            time.sleep(0.01)


def get(target, fields=None):
    return Request("GET", target, fields=fields)


def post(path, body, media=JSON, fields=None, dry=True, **more):
    return Request("POST", dried(path, dry), body, fields, media, **more)


def put(path, body, media=JSON, fields=None):
    return Request("PUT", dried(path), body, fields, media)


def patch(path, form, body, fields=None):
    return Request("PATCH", dried(path), body, fields, form)


def delete(path, body=None, media=JSON):
    return Request("DELETE", dried(path), body, None, media if body else None)


def dried(path, dry=True):
    if not dry:
        return path
    joined = lambda p: p + ("&" if "?" in p else "?") + "dryRun=All"
    return (lambda n: joined(path(n))) if callable(path) else joined(path)


def apply(path, body):
    return patch(path + "?fieldManager=sweep", APPLY, body)


def b64(x):
    return base64.b64encode(x if isinstance(x, bytes) else x.encode()).decode()


def b64url(x):
    return base64.urlsafe_b64encode(x if isinstance(x, bytes) else x.encode()).decode().rstrip("=")


def token(header='{"alg":"RS256","kid":"x"}', claims='{"iss":"https://kubernetes.default.svc.cluster.local","sub":"x"}', signature="x" * 256):
    return ".".join((b64url(header), b64url(claims), b64url(signature)))


# -- protobuf and CBOR, by hand

def varint(x):
    out = bytearray()
    while x >= 128:
        out.append(x & 127 | 128)
        x >>= 7
    return bytes(out + bytes((x,)))


def field(number, content):
    content = content.encode() if isinstance(content, str) else content
    return varint(number << 3 | 2) + varint(len(content)) + content


def wire(api, kind, raw):
    """The envelope of a protobuf body."""
    return b"k8s\0" + field(1, field(1, api) + field(2, kind)) + field(2, raw)


def wire_config(rest=b"", meta=b""):
    return wire("v1", "ConfigMap", field(1, field(1, "x") + meta) + rest)


def wire_nested(n, number, inner=b""):
    """A message in a message, n bytes of it."""
    depth = 0
    while len(inner) + depth < n and depth < 100000:
        inner = field(number, inner)
        depth += max(1, len(inner) // 64)
    return inner


def cbor_text(x):
    x = x.encode()
    return cbor_head(3, len(x)) + x


def cbor_head(major, value):
    if value < 24:
        return bytes((major << 5 | value,))
    for more, size in ((24, 1), (25, 2), (26, 4), (27, 8)):
        if value < 1 << 8 * size:
            return bytes((major << 5 | more,)) + value.to_bytes(size, "big")
    raise ValueError(value)


def cbor_config(data):
    """A ConfigMap whose member `data` has this encoding."""
    pairs = [("apiVersion", cbor_text("v1")), ("kind", cbor_text("ConfigMap")), ("metadata", b"\xa1" + cbor_text("name") + cbor_text("x")), ("data", data)]
    return b"\xd9\xd9\xf7" + cbor_head(5, len(pairs)) + b"".join(cbor_text(k) + v for k, v in pairs)


def cbor_map(pairs, count):
    return cbor_head(5, count) + pairs


# -- certificates

class Authority:
    """Signs what clients show. Made once a run; the files are in a folder of the run."""

    def __init__(self):
        self.folder = tempfile.mkdtemp(prefix="sweep-")
        self.made = {}
        self.openssl("req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-keyout", f"{self.folder}/ca.key", "-out", f"{self.folder}/ca.crt", "-days", "9", "-subj", "/CN=sweep",
                     "-addext", "basicConstraints=critical,CA:TRUE")
        self.openssl("ecparam", "-name", "prime256v1", "-genkey", "-noout", "-out", f"{self.folder}/client.key")

    @staticmethod
    def openssl(*arguments):
        subprocess.run(["openssl", *arguments], check=True, stderr=subprocess.DEVNULL, stdout=subprocess.DEVNULL)

    @property
    def file(self):
        return f"{self.folder}/ca.crt"

    def client(self, subject, names="", chain=0):
        """A file with certificate, `chain` certificates of no use behind it, and key."""
        kept = self.made.get((subject, names, chain))
        if kept:
            return kept
        base = f"{self.folder}/client-{len(self.made)}"
        with open(base + ".cnf", "w") as out:
            pairs = "\n".join(f"{i}.{p.replace('=', ' = ', 1)}" for i, p in enumerate(subject.strip("/").split("/")))
            out.write(f"[req]\ndistinguished_name=dn\nprompt=no\nstring_mask=utf8only\n[dn]\n{pairs}\n[ext]\nextendedKeyUsage=clientAuth\n"
                      + (f"subjectAltName=@alt\n[alt]\n{names}\n" if names else ""))
        self.openssl("req", "-new", "-key", f"{self.folder}/client.key", "-out", base + ".csr", "-config", base + ".cnf")
        self.openssl("x509", "-req", "-in", base + ".csr", "-CA", self.file, "-CAkey", f"{self.folder}/ca.key", "-CAcreateserial", "-out", base + ".crt", "-days", "9",
                     "-extfile", base + ".cnf", "-extensions", "ext")
        pem = open(base + ".crt").read() + open(self.file).read() * chain + open(f"{self.folder}/client.key").read()
        with open(base + ".pem", "w") as out:
            out.write(pem)
        self.made[(subject, names, chain)] = base + ".pem"
        return base + ".pem"


@functools.cache
def authority():
    return Authority()
