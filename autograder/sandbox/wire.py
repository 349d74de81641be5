"""The wire between the trusted side and a worker: fixed binary frames, every size capped.

A frame is a 28-byte header (magic, kind, payload length, id) and a payload of tagged values. Each
reply echoes the random id of its request. Nothing is ever unpickled or evaluated, and no size that
the peer declares is believed before it is checked against what has arrived. Reading bad bytes
raises `WireError` and nothing else.

This module also runs inside workers, so it imports NumPy and the standard library only.
"""

import math
import struct
import time

import numpy as np

from .values import NOT_RUN, Described, NotRun, Raised, Ref

MAGIC = b"AGW1"
HEADER = struct.Struct("<4sB3xI16s")  # magic, kind, payload bytes, id
HELLO, LOAD, RUN, REPLY = 1, 2, 3, 4
NO_ID = bytes(16)

MAX_PAYLOAD = 16 * 2**20  # bytes; the reader may hold a frame three times while it decodes and compares
MAX_VALUES = 200_000  # in one payload
MAX_DEPTH = 6
MAX_TEXT = 8192  # bytes of one string
MAX_DIMS = 8

DTYPES = tuple(
    np.dtype(name)
    for name in (
        "<f8", "<f4", "<f2", "<i8", "<i4", "<i2", "<i1", "<u8", "<u4", "<u2", "<u1", "?", "<c16", "<c8",
    )
)  # fmt: skip
_CODE = {dtype: code for code, dtype in enumerate(DTYPES)}
_BOOL = _CODE[np.dtype("?")]

_U32 = struct.Struct("<I")
_I64 = struct.Struct("<q")
_F64 = struct.Struct("<d")
_SHAPES = tuple(struct.Struct(f"<{ndim}I") for ndim in range(MAX_DIMS + 1))


class WireError(Exception):
    """The peer broke the protocol."""


class Closed(WireError):
    """The peer went away between two frames or within one."""


class Deadline(WireError):
    """The peer did not answer in time."""


def encode(value) -> bytes:
    """Bytes of one value. Raises WireError on a type or size that does not cross."""
    if type(value) is np.ndarray:  # nearly all that a worker has to say
        return _array_bytes(value, MAX_PAYLOAD)
    out = bytearray()
    _put(out, value, 0)
    if len(out) > MAX_PAYLOAD:
        raise WireError("the payload is too large")
    return bytes(out)


def _put_text(out, text):
    data = text.encode("utf-8", "replace")[:MAX_TEXT]
    out += _U32.pack(len(data))
    out += data


def _put(out, value, depth):
    kind = type(value)
    if depth > MAX_DEPTH:
        raise WireError("values are nested too deeply")
    if value is None:
        out += b"N"
    elif kind is np.ndarray:
        out += _array_bytes(value, MAX_PAYLOAD - len(out))
    elif kind is bool:
        out += b"T" if value else b"F"
    elif kind is int:
        if not -(2**63) <= value < 2**63:
            raise WireError("an integer beyond 64 bits")
        out += b"I"
        out += _I64.pack(value)
    elif kind is float:
        out += b"D"
        out += _F64.pack(value)
    elif kind is str:
        out += b"S"
        _put_text(out, value)
    elif kind is bytes:
        out += b"B"
        out += _U32.pack(len(value))
        out += value
    elif kind is tuple or kind is list:
        out += b"U" if kind is tuple else b"L"
        out += _U32.pack(len(value))
        for item in value:
            _put(out, item, depth + 1)
    elif kind is Ref:
        out += b"R"
        out += _U32.pack(value.index)
    elif kind is Described:
        out += b"O"
        _put_text(out, value.kind)
        _put_text(out, value.dtype)
        _put(out, tuple(int(n) for n in value.shape), depth + 1)
    elif kind is Raised:
        out += b"E"
        for text in (value.kind, value.name, value.message):
            _put_text(out, text)
        _put(out, tuple(int(n) for n in value.lines), depth + 1)
    elif kind is NotRun:
        out += b"K"
    else:
        raise WireError(f"a value of type {kind.__name__} does not cross")


def crosses(array):
    """Whether an array's dtype and axes have a form here; its size is another matter."""
    return array.dtype in _CODE and array.ndim <= MAX_DIMS and max(array.shape or (0,)) < 2**32


def _array_bytes(array, room) -> bytes:
    if not crosses(array):
        raise WireError(f"an array of dtype {array.dtype} and {array.ndim} axes does not cross")
    head = b"A" + bytes((_CODE[array.dtype], array.ndim)) + _SHAPES[array.ndim].pack(*array.shape)
    if len(head) + array.nbytes > room:
        raise WireError("the array is too large")
    data: bytes = head + array.tobytes()
    return data


_ARRAY, _NONE, _TRUE, _FALSE, _INT, _FLOAT, _TEXT, _BYTES, _TUPLE, _LIST, _REF = b"ANTFIDSBULR"
_DESCRIBED, _RAISED, _NOT_RUN = b"OEK"


def decode(data):
    """The one value in `data`. Raises WireError."""
    try:
        value, end = _value(data, 0, 0, [MAX_VALUES - 1])
    except (IndexError, struct.error):  # a tag or a number behind the end
        raise WireError("the payload ends too early") from None
    if end != len(data):
        raise WireError("bytes are left over")
    return value


# A frame has thousands of values: one function reads them all, and hands on where it stands.
def _value(data, at, depth, left):
    """(value, where the next begins) at `at`; `left` is a list of how many values there may still be."""
    tag = data[at]
    at += 1
    if tag == _NONE:
        return None, at
    if tag == _TEXT:
        return _text(data, at)
    if tag == _REF:
        return Ref(*_U32.unpack_from(data, at)), at + 4
    if tag == _ARRAY:
        return _array(data, at)
    if tag in (_TUPLE, _LIST):
        (count,) = _U32.unpack_from(data, at)
        at += 4
        left[0] -= count
        if left[0] < 0 or count > len(data) - at:
            raise WireError("a sequence claims more items than there are")
        depth += 1
        if depth > MAX_DEPTH and count:
            raise WireError("values are nested too deeply")
        items = []
        for _ in range(count):
            if data[at] == _NONE:  # half of all answers
                item, at = None, at + 1
            else:
                item, at = _value(data, at, depth, left)
            items.append(item)
        return (tuple(items) if tag == _TUPLE else items), at
    if tag == _INT:
        return _I64.unpack_from(data, at)[0], at + 8
    if tag == _FLOAT:
        return _F64.unpack_from(data, at)[0], at + 8
    if tag in (_TRUE, _FALSE):
        return tag == _TRUE, at
    if tag == _BYTES:
        (size,) = _U32.unpack_from(data, at)
        end = _end(data, at + 4, size)
        return bytes(data[at + 4 : end]), end
    if tag == _DESCRIBED:
        kind, at = _text(data, at)
        dtype, at = _text(data, at)
        shape, at = _integers(data, at, depth, left)
        return Described(kind, dtype, shape), at
    if tag == _RAISED:
        kind, at = _text(data, at)
        name, at = _text(data, at)
        message, at = _text(data, at)
        lines, at = _integers(data, at, depth, left)
        return Raised(kind, name, message, lines), at
    if tag == _NOT_RUN:
        return NOT_RUN, at
    raise WireError("an unknown tag")


def _end(data, at, size):
    """Where `size` bytes from `at` on end."""
    end = at + size
    if end > len(data):
        raise WireError("the payload ends too early")
    return end


def _text(data, at):
    (size,) = _U32.unpack_from(data, at)
    if size > MAX_TEXT:
        raise WireError("a string is too long")
    at += 4
    end = at + size
    if end > len(data):
        raise WireError("a string claims more bytes than there are")
    return str(data[at:end], "utf-8", "replace"), end


def _integers(data, at, depth, left):
    left[0] -= 1
    if left[0] < 0 or depth >= MAX_DEPTH:
        raise WireError("too many values, or nested too deeply")
    items, at = _value(data, at, depth + 1, left)
    if type(items) is not tuple or not all(type(item) is int for item in items):
        raise WireError("whole numbers were expected")
    return items, at


def _array(data, at):
    code, ndim = data[at], data[at + 1]
    if code >= len(DTYPES) or ndim > MAX_DIMS:
        raise WireError("an unknown dtype or too many axes")
    at += 2
    shape = _SHAPES[ndim].unpack_from(data, at)
    at += 4 * ndim
    dtype = DTYPES[code]
    count = math.prod(shape)
    end = _end(data, at, count * dtype.itemsize)
    if count == 0:
        try:
            return np.empty(shape, dtype), end
        except ValueError as error:
            raise WireError("an empty array with absurd axes") from error
    # A bool byte other than 0 or 1 is undefined for NumPy: read such bytes as numbers first.
    if code == _BOOL:
        return (np.frombuffer(data, np.uint8, count, at) != 0).reshape(shape), end
    return np.ndarray(shape, dtype, data, at).copy(), end


def send(channel, kind, frame_id, payload):
    """Write one frame; `payload` is bytes made by `encode`."""
    try:
        channel.sendall(HEADER.pack(MAGIC, kind, len(payload), frame_id) + payload)
    except TimeoutError as error:
        raise Deadline("the peer does not read") from error
    except OSError as error:
        raise Closed(str(error)) from error


def receive(channel, deadline=None, cap=MAX_PAYLOAD):
    """Read one frame: (kind, id, payload). `deadline` is on `time.monotonic`'s clock, in seconds.

    Raises Closed, Deadline, or WireError for a wrong magic or a payload over `cap` bytes.
    """
    magic, kind, length, frame_id = HEADER.unpack(_exactly(channel, HEADER.size, deadline))
    if magic != MAGIC:
        raise WireError("the frame does not begin as one")
    if length > cap:
        raise WireError(f"a frame of {length} bytes is over the cap")
    return kind, frame_id, _exactly(channel, length, deadline)


def _exactly(channel, count, deadline):
    # The buffer grows with what arrives: a claim of 64 MB costs nothing until it is kept.
    data = bytearray()
    while len(data) < count:
        if deadline is not None:
            left = deadline - time.monotonic()
            if left <= 0:
                raise Deadline("no answer in time")
            channel.settimeout(left)
        try:
            part = channel.recv(min(count - len(data), 1 << 20))
        except TimeoutError as error:
            raise Deadline("no answer in time") from error
        except OSError as error:
            raise Closed(str(error)) from error
        if not part:
            raise Closed("the peer closed the channel")
        data += part
    return data
