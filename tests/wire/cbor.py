"""CBOR (RFC 8949) as JSON values, for conversations that speak it.

A plain string stands for a byte string, because that is how the API writes strings. Everything JSON cannot say is an object
with one telling key, both when reading and when writing:
  {"bytes_b64": S}                  tag 22 around a byte string (bytes that JSON would show in base64)
  {"cbor_text": S}                  a text string; as a map key it is written "cbor_text:S"
  {"cbor_bytes_b64": S}             a byte string that is not UTF-8
  {"cbor_tag": N, "value": X}       another tag
  {"cbor_float": "nan"}             what JSON has no number for
  {"cbor_untagged": X}              a whole item without the self-described tag 55799
and for writing only {"cbor_hex": S}: those bytes, {"cbor_pairs": [[K, V], ...]}: a map with keys of any kind.
Malformed bytes raise ValueError, bytes that end too early EOFError.
"""
import base64
import math
import struct

SELF_DESCRIBED = 55799
AS_BASE64 = 22
_BREAK = object()
_FLOATS = {2: ">e", 4: ">f", 8: ">d"}


def _b64(raw):
    return base64.b64encode(raw).decode()


class _Decoder:
    def __init__(self, data):
        self.data = data
        self.position = 0

    def bytes(self, count):
        end = self.position + count
        if end > len(self.data):
            raise EOFError(f"cut at byte {len(self.data)}")
        piece = self.data[self.position:end]
        self.position = end
        return piece

    def head(self):
        """(major type, argument or None when it is open-ended, size of the argument in bytes)."""
        first = self.bytes(1)[0]
        major, low = first >> 5, first & 31
        if low < 24:
            return major, low, 0
        if low < 28:
            size = 1 << (low - 24)
            return major, int.from_bytes(self.bytes(size), "big"), size
        if low == 31 and major in (2, 3, 4, 5, 7):
            return major, None, 0
        raise ValueError(f"byte {self.position - 1} begins no item")

    def string(self, major, length):
        if length is not None:
            return self.bytes(length)
        pieces = []
        while True:
            kind, size, _ = self.head()
            if (kind, size) == (7, None):
                return b"".join(pieces)
            if kind != major or size is None:
                raise ValueError(f"a chunk of another kind before byte {self.position}")
            pieces.append(self.bytes(size))

    def sequence(self, count):
        items = []
        while count is None or len(items) < count:
            item = self.item()
            if item is _BREAK:
                if count is None:
                    break
                raise ValueError(f"a break out of place before byte {self.position}")
            items.append(item)
        return items

    def map(self, count):
        flat = self.sequence(None if count is None else 2 * count)
        if len(flat) % 2:
            raise ValueError(f"a key without a value before byte {self.position}")
        result = {}
        for key, value in zip(flat[::2], flat[1::2]):
            if isinstance(key, dict):
                key = ":".join(map(str, next(iter(key.items()))))
            elif not isinstance(key, str):
                key = f"cbor_key:{key}"
            if key in result:
                raise ValueError(f"the key {key} twice before byte {self.position}")
            result[key] = value
        return result

    def tagged(self, tag):
        plain_bytes = self.position < len(self.data) and self.data[self.position] >> 5 == 2
        value = self.item()
        if tag == AS_BASE64 and plain_bytes:
            return {"bytes_b64": _b64(value.encode()) if isinstance(value, str) else value["cbor_bytes_b64"]}
        return {"cbor_tag": tag, "value": value}

    def item(self):
        major, argument, size = self.head()
        if major == 0:
            return argument
        if major == 1:
            return -1 - argument
        if major == 2:
            raw = self.string(2, argument)
            try:
                return raw.decode()
            except UnicodeDecodeError:
                return {"cbor_bytes_b64": _b64(raw)}
        if major == 3:
            return {"cbor_text": self.string(3, argument).decode()}
        if major == 4:
            return self.sequence(argument)
        if major == 5:
            return self.map(argument)
        if major == 6:
            return self.tagged(argument)
        if size in _FLOATS:
            number = struct.unpack(_FLOATS[size], argument.to_bytes(size, "big"))[0]
            return number if math.isfinite(number) else {"cbor_float": str(number)}
        return {20: False, 21: True, 22: None, None: _BREAK}.get(argument, {"cbor_simple": argument})


def decode_sequence(data):
    """The whole items of a CBOR sequence (RFC 8742), and the bytes of the last one where it is cut."""
    decoder, values = _Decoder(data), []
    while decoder.position < len(data):
        start = decoder.position
        try:
            value = decoder.item()
        except EOFError:
            return values, data[start:]
        if isinstance(value, dict) and value.get("cbor_tag") == SELF_DESCRIBED:
            values.append(value["value"])
        else:
            values.append({"cbor_untagged": value})
    return values, b""


def decode(data):
    values, rest = decode_sequence(data)
    if rest or len(values) != 1:
        raise ValueError(f"{len(values)} items and {len(rest)} bytes in place of one item")
    return values[0]


def _head(major, argument):
    if argument < 24:
        return bytes([major << 5 | argument])
    for power in range(4):
        if argument < 1 << (8 << power):
            return bytes([major << 5 | 24 + power]) + argument.to_bytes(1 << power, "big")
    raise ValueError(f"{argument} does not fit")


def _string(major, raw):
    return _head(major, len(raw)) + raw


_SPECIAL = {
    "bytes_b64": lambda v: _head(6, AS_BASE64) + _string(2, base64.b64decode(v)),
    "cbor_bytes_b64": lambda v: _string(2, base64.b64decode(v)),
    "cbor_text": lambda v: _string(3, v.encode()),
    "cbor_float": lambda v: b"\xfb" + struct.pack(">d", float(v)),
    "cbor_untagged": lambda v: _item(v),
    "cbor_hex": bytes.fromhex,
    "cbor_pairs": lambda v: _head(5, len(v)) + b"".join(_item(k) + _item(e) for k, e in v),
}


def _key(key):
    return _string(3, key[len("cbor_text:"):].encode()) if key.startswith("cbor_text:") else _string(2, key.encode())


def _item(value):
    if value is None:
        return b"\xf6"
    if isinstance(value, bool):
        return b"\xf5" if value else b"\xf4"
    if isinstance(value, int):
        return _head(0, value) if value >= 0 else _head(1, -1 - value)
    if isinstance(value, float):
        return b"\xfb" + struct.pack(">d", value)
    if isinstance(value, str):
        return _string(2, value.encode())
    if isinstance(value, list):
        return _head(4, len(value)) + b"".join(map(_item, value))
    if set(value) == {"cbor_tag", "value"}:
        return _head(6, value["cbor_tag"]) + _item(value["value"])
    if len(value) == 1:
        name, inner = next(iter(value.items()))
        if name in _SPECIAL:
            return _SPECIAL[name](inner)
    return _head(5, len(value)) + b"".join(_key(k) + _item(v) for k, v in value.items())


def encode(value):
    if isinstance(value, dict) and len(value) == 1 and next(iter(value)) in ("cbor_untagged", "cbor_hex"):
        return _item(value)
    return _head(6, SELF_DESCRIBED) + _item(value)
