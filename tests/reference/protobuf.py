"""Protobuf answers as documents, without their schema: what the servers fill in themselves gets a name, so that two answers compare."""
import re

MAGIC = b"k8s\0"
SECONDS = range(1_600_000_000, 2_400_000_000)  # what is a time of these years
_VERSION = re.compile(r"^\d+$")


def decode(raw):
    """Fields in their order: [number, value]; a value is a number, a text, fields, or bytes in hexadecimal. The envelope's object is decoded too."""
    if raw.startswith(MAGIC):
        return {"envelope": _fields(raw[4:])}
    return {"message": _fields(raw)}


def frames(raw):
    """What a watch sends: each with its length before it."""
    out, at = [], 0
    while at + 4 <= len(raw):
        size = int.from_bytes(raw[at:at + 4], "big")
        out.append(decode(raw[at + 4:at + 4 + size]))
        at += 4 + size
    return out


def read_varint(raw, at):
    """The number that stands there, and where the next thing does."""
    value = shift = 0
    while True:
        byte = raw[at]
        value |= (byte & 127) << shift
        at, shift = at + 1, shift + 7
        if byte < 128:
            return value, at
        if shift > 63:
            raise ValueError("too long")


def _fields(raw):
    """Raises ValueError or IndexError where these bytes are no message."""
    out, at = [], 0
    while at < len(raw):
        tag, at = read_varint(raw, at)
        number, wire = tag >> 3, tag & 7
        if number == 0 or number > 10000:
            raise ValueError("no field")
        if wire == 0:
            value, at = read_varint(raw, at)
            out.append([number, "<seconds>" if value in SECONDS else value])
        elif wire == 2:
            size, at = read_varint(raw, at)
            if at + size > len(raw):
                raise ValueError("cut")
            out.append([number, _value(raw[at:at + size])])
            at += size
        elif wire in (1, 5):
            size = 8 if wire == 1 else 4
            out.append([number, raw[at:at + size].hex()])
            at += size
        else:
            raise ValueError("no wire type")
    return out


def _value(raw):
    if raw.startswith(MAGIC):
        return decode(raw)
    try:
        text = raw.decode()
        if text.isprintable():
            return "<number>" if _VERSION.match(text) else "<continue>" if text.startswith("eyJ2Ijoi") else text
    except UnicodeDecodeError:
        text = None
    try:
        return _fields(raw)
    except (ValueError, IndexError):
        return raw.hex() if text is None else text
