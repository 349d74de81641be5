"""The wire between the trusted side and a worker: fixed binary frames, every size capped.

A frame is a 28-byte header (magic, kind, payload length, id) and a payload of tagged values. Each
reply echoes the random id of its request. Nothing is ever unpickled or evaluated, and no size that
the peer declares is believed before it is checked against what has arrived. Reading bad bytes
raises `WireError` and nothing else.

This module also runs inside workers, so it imports NumPy and the standard library only.
"""

import struct
import time
from dataclasses import dataclass

import numpy as np

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


class WireError(Exception):
    """The peer broke the protocol."""


class Closed(WireError):
    """The peer went away between two frames or within one."""


class Deadline(WireError):
    """The peer did not answer in time."""


@dataclass(frozen=True)
class Ref:
    """Names the result of an earlier operation of the same frame."""

    index: int


@dataclass(frozen=True)
class Described:
    """A value that does not cross: what it is, in words of NumPy and Python only."""

    kind: str  # type name, such as "matrix"
    dtype: str = ""
    shape: tuple[int, ...] = ()


@dataclass(frozen=True)
class Raised:
    """An operation that ended in an exception, in the student's code or for want of something in it."""

    kind: str  # "raised", "missing", "import", "memory", "unsettable", "syntax", "shape"
    name: str  # exception type, or the attribute, class or module that was wanted
    message: str = ""
    lines: tuple[int, ...] = ()  # 1-based lines of the submission, outermost call first


@dataclass(frozen=True)
class NotRun:
    """An operation behind one that raised."""


NOT_RUN = NotRun()


def encode(value) -> bytes:
    """Bytes of one value. Raises WireError on a type or size that does not cross."""
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
        _put_array(out, value)
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


def _put_array(out, array):
    code = _CODE.get(array.dtype)
    if code is None or array.ndim > MAX_DIMS or max(array.shape, default=0) >= 2**32:
        raise WireError(f"an array of dtype {array.dtype} and {array.ndim} axes does not cross")
    if array.nbytes > MAX_PAYLOAD - len(out):
        raise WireError("the array is too large")
    out += b"A"
    out += bytes((code, array.ndim))
    out += struct.pack(f"<{array.ndim}I", *array.shape)
    out += array.tobytes()


# A frame has thousands of values, so a tag is compared as a number and what is read is not sliced first.
_ARRAY, _NONE, _TRUE, _FALSE, _INT, _FLOAT, _TEXT, _BYTES, _TUPLE, _LIST, _REF = b"ANTFIDSBULR"
_DESCRIBED, _RAISED, _NOT_RUN = b"OEK"


class _Reader:
    def __init__(self, data):
        self.data = memoryview(data)
        self.size = len(data)
        self.at = 0
        self.left = MAX_VALUES

    def take(self, count):
        """Where the next `count` bytes begin."""
        at = self.at
        self.at = at + count
        if self.at > self.size:
            raise WireError("the payload ends too early")
        return at

    def u32(self):
        return _U32.unpack_from(self.data, self.take(4))[0]

    def text(self):
        size = self.u32()
        if size > MAX_TEXT:
            raise WireError("a string is too long")
        at = self.take(size)
        return str(self.data[at : at + size], "utf-8", "replace")

    def value(self, depth=0):
        self.left -= 1
        if self.left < 0 or depth > MAX_DEPTH:
            raise WireError("too many values, or nested too deeply")
        tag = self.data[self.take(1)]
        if tag == _TEXT:
            return self.text()
        if tag == _REF:
            return Ref(self.u32())
        if tag in (_TUPLE, _LIST):
            count = self.u32()
            if count > self.left or count > self.size - self.at:
                raise WireError("a sequence claims more items than there are")
            items = [self.value(depth + 1) for _ in range(count)]
            return tuple(items) if tag == _TUPLE else items
        if tag == _ARRAY:
            return self.array()
        if tag == _INT:
            return _I64.unpack_from(self.data, self.take(8))[0]
        if tag == _FLOAT:
            return _F64.unpack_from(self.data, self.take(8))[0]
        if tag == _NONE:
            return None
        if tag in (_TRUE, _FALSE):
            return tag == _TRUE
        if tag == _BYTES:
            size = self.u32()
            at = self.take(size)
            return bytes(self.data[at : at + size])
        if tag == _DESCRIBED:
            return Described(self.text(), self.text(), self.integers(depth))
        if tag == _RAISED:
            return Raised(self.text(), self.text(), self.text(), self.integers(depth))
        if tag == _NOT_RUN:
            return NOT_RUN
        raise WireError("an unknown tag")

    def integers(self, depth):
        items = self.value(depth + 1)
        if type(items) is not tuple or not all(type(item) is int for item in items):
            raise WireError("whole numbers were expected")
        return items

    def array(self):
        at = self.take(2)
        code, ndim = self.data[at], self.data[at + 1]
        if code >= len(DTYPES) or ndim > MAX_DIMS:
            raise WireError("an unknown dtype or too many axes")
        shape = struct.unpack_from(f"<{ndim}I", self.data, self.take(4 * ndim))
        dtype = DTYPES[code]
        count = 1
        for length in shape:
            count *= length
        at = self.take(count * dtype.itemsize)
        if count == 0:
            try:
                return np.empty(shape, dtype)
            except ValueError as error:
                raise WireError("an empty array with absurd axes") from error
        # A bool byte other than 0 or 1 is undefined for NumPy: read such bytes as numbers first.
        if code == _BOOL:
            return (np.frombuffer(self.data, np.uint8, count, at) != 0).reshape(shape)
        return np.frombuffer(self.data, dtype, count, at).reshape(shape).copy()


def decode(data):
    """The one value in `data`. Raises WireError."""
    reader = _Reader(data)
    value = reader.value()
    if reader.at != reader.size:
        raise WireError("bytes are left over")
    return value


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
