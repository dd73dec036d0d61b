"""HTTP/2 frames as bytes, as good or as bad as the caller wants them: nothing is checked. RFC 9113, and RFC 7541 for the header block,
whose fields are written as literals."""
import struct

DATA, HEADERS, PRIORITY, RST_STREAM, SETTINGS, PUSH_PROMISE, PING, GOAWAY, WINDOW_UPDATE, CONTINUATION = range(10)
END_STREAM, END_HEADERS, PADDED, PRIORITIZED, ACK = 0x1, 0x4, 0x8, 0x20, 0x1
MAGIC = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"
HEADER_TABLE_SIZE, ENABLE_PUSH, MAX_CONCURRENT_STREAMS, INITIAL_WINDOW_SIZE, MAX_FRAME_SIZE, MAX_HEADER_LIST_SIZE = range(1, 7)


def frame(kind, flags=0, stream=0, payload=b""):
    return struct.pack(">I", len(payload))[1:] + bytes((kind, flags)) + struct.pack(">I", stream) + payload


def settings(*pairs):
    return frame(SETTINGS, 0, 0, b"".join(struct.pack(">HI", key, value) for key, value in pairs))


SETTINGS_ACK = frame(SETTINGS, ACK)


def opening(*pairs):
    return MAGIC + settings(*pairs)


def number(value, prefix, first=0):
    """An integer of HPACK behind the high bits `first` of its first byte."""
    most = (1 << prefix) - 1
    if value < most:
        return bytes((first | value,))
    out, value = bytearray((first | most,)), value - most
    while value >= 128:
        out.append(value & 127 | 128)
        value >>= 7
    out.append(value)
    return bytes(out)


def literal(name, value, first=0x00):
    """A field; `first` 0x40 puts it into the dynamic table, 0x10 says never to."""
    name, value = (x if isinstance(x, bytes) else x.encode() for x in (name, value))
    return bytes((first,)) + number(len(name), 7) + name + number(len(value), 7) + value


def indexed(index):
    return number(index, 7, 0x80)


def table_size(size):
    return number(size, 5, 0x20)


def request(path="/healthz", method="GET", token=None, fields=()):
    """The header block of a request."""
    pairs = [(":method", method), (":scheme", "https"), (":authority", "x"), (":path", path)]
    if token:
        pairs.append(("authorization", "Bearer " + token))
    return b"".join(literal(name, value) for name, value in (*pairs, *fields))


def headers(stream, block, flags=END_STREAM | END_HEADERS):
    return frame(HEADERS, flags, stream, block)


def continued(stream, block, piece, flags=END_STREAM):
    """A header block over as many CONTINUATION frames as it takes."""
    pieces = [block[i:i + piece] for i in range(0, len(block), piece)] or [b""]
    frames = [frame(HEADERS if i == 0 else CONTINUATION, flags if i == 0 else 0, stream, p) for i, p in enumerate(pieces[:-1])]
    last = len(pieces) == 1
    return b"".join(frames) + frame(HEADERS if last else CONTINUATION, (flags if last else 0) | END_HEADERS, stream, pieces[-1])


def reset(stream, code=8):
    return frame(RST_STREAM, 0, stream, struct.pack(">I", code))


def window(stream, increment):
    return frame(WINDOW_UPDATE, 0, stream, struct.pack(">I", increment))


def priority(stream, depends=0, weight=15):
    return frame(PRIORITY, 0, stream, struct.pack(">IB", depends, weight))


def ping(opaque=b"12345678", flags=0):
    return frame(PING, flags, 0, opaque)


def streams(count, first=1):
    return range(first, first + 2 * count, 2)


def answers(raw):
    """(number of answers begun, whether the server said GOAWAY) in what it sent."""
    begun, away, at = 0, False, 0
    while at + 9 <= len(raw):
        size, kind = int.from_bytes(raw[at:at + 3], "big"), raw[at + 3]
        begun, away = begun + (kind == HEADERS), away or kind == GOAWAY
        at += 9 + size
    return begun, away
