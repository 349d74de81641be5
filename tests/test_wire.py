"""The wire: every value crosses exactly, and bad bytes raise WireError and nothing else."""

import socket
import struct
import threading
import time

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from autograder.sandbox import wire
from autograder.sandbox.values import NOT_RUN, Described, Raised, Ref
from autograder.sandbox.wire import WireError, decode, encode

TRIALS, SEED = 200_000, 20_240_601

integers = st.integers(-(2**63), 2**63 - 1)
text = st.text(max_size=20)
axes = st.lists(integers, max_size=4).map(tuple)
leaves = st.one_of(
    st.none(),
    st.booleans(),
    integers,
    st.floats(),
    text,
    st.binary(max_size=20),
    st.just(NOT_RUN),
    st.builds(Ref, st.integers(0, 2**32 - 1)),
    st.builds(Described, text, text, axes),
    st.builds(Raised, text, text, text, axes),
    st.sampled_from(wire.DTYPES).flatmap(
        lambda dtype: hnp.arrays(dtype, hnp.array_shapes(min_dims=0, max_dims=4, min_side=0, max_side=3))
    ),
)
values = st.recursive(
    leaves, lambda inner: st.lists(inner, max_size=3) | st.lists(inner, max_size=3).map(tuple), max_leaves=4
)


def identical(a, b):
    if type(a) is not type(b):
        return False
    if isinstance(a, np.ndarray):
        return a.dtype == b.dtype and a.shape == b.shape and a.tobytes() == b.tobytes()
    if isinstance(a, float):
        return struct.pack("<d", a) == struct.pack("<d", b)
    if isinstance(a, (list, tuple)):
        return len(a) == len(b) and all(map(identical, a, b))
    return a == b


def nested(depth):
    value = None
    for _ in range(depth):
        value = [value]
    return value


@settings(max_examples=300, deadline=None)
@given(values)
def test_every_value_comes_back_as_it_was(value):
    try:
        data = encode(value)
    except WireError:
        assert isinstance(value, (list, tuple))  # nested too deeply
        return
    assert identical(decode(data), value)


def test_arrays_cross_whatever_their_layout():
    array = np.arange(24.0).reshape(4, 6)
    for view in (array.T, array[::2, ::3], np.asfortranarray(array)):
        assert identical(decode(encode(view)), np.ascontiguousarray(view))
    back = decode(encode(array))
    back[0, 0] = 1.0  # its own memory
    assert array[0, 0] == 0.0


@pytest.mark.parametrize(
    "value",
    [
        2**63, 1j, {"a": 1}, object(), np.float64(1.0), np.array(["a"]), np.array([None]),
        np.zeros((1,) * 9), nested(wire.MAX_DEPTH + 1), np.broadcast_to(0.0, (wire.MAX_PAYLOAD // 8 + 1,)),
    ],
)  # fmt: skip
def test_what_does_not_cross_is_refused(value):
    with pytest.raises(WireError):
        encode(value)


def test_the_caps_themselves_cross():
    assert identical(decode(encode(nested(wire.MAX_DEPTH))), nested(wire.MAX_DEPTH))
    assert decode(encode([None] * (wire.MAX_VALUES - 1))) == [None] * (wire.MAX_VALUES - 1)
    assert decode(encode("x" * (wire.MAX_TEXT + 1))) == "x" * wire.MAX_TEXT


def u32(*numbers):
    return struct.pack(f"<{len(numbers)}I", *numbers)


@pytest.mark.parametrize(
    "data",
    [
        b"", b"Z", b"NN", b"I1234567", b"D", b"S", b"R\0",
        b"S" + u32(wire.MAX_TEXT + 1) + b"x" * (wire.MAX_TEXT + 1),
        b"S" + u32(4) + b"abc",
        b"B" + u32(2**32 - 1),
        b"U" + u32(2**32 - 1) + b"N",
        b"L" + u32(wire.MAX_VALUES) + b"N" * wire.MAX_VALUES,
        b"U" + u32(3) + b"NN",
        b"L" + u32(1) + (b"L" + u32(1)) * wire.MAX_DEPTH + b"N",
        b"A" + bytes((0, 1)) + u32(2**32 - 1),
        b"A" + bytes((0, 8)) + u32(*[2**32 - 1] * 8),
        b"A" + bytes((0, 8)) + u32(0, *[2**32 - 1] * 7),
        b"A" + bytes((0, 9)) + u32(*[1] * 9) + bytes(8),
        b"A" + bytes((len(wire.DTYPES), 0)) + bytes(16),
        b"O" + u32(0, 0) + b"N",
        b"E" + u32(0, 0, 0) + b"U" + u32(1) + b"D" + bytes(8),
    ],
)  # fmt: skip
def test_absurd_claims_are_refused(data):
    with pytest.raises(WireError):
        decode(data)


def test_a_bool_byte_beyond_1_is_true():
    assert decode(b"A" + bytes((wire.DTYPES.index(np.dtype("?")), 1)) + u32(3) + b"\0\1\xff").tolist() == [
        False, True, True,
    ]  # fmt: skip


def test_200000_mutated_payloads_raise_nothing_but_wire_error():
    rng = np.random.default_rng(SEED)
    whole = [
        encode(value)
        for value in (
            [np.arange(6.0).reshape(2, 3), None, True, 7, 1.5, "text", b"bytes", (Ref(1), [NOT_RUN])],
            [Raised("raised", "ValueError", "why", (3, 4)), Described("matrix", "float64", (2, 2))],
            (np.zeros((2, 0), "<f4"), np.array([True]), np.ones((1, 1, 1), "<c16"), -1),
            [("call", Ref(0), "forward", [np.ones((2, 2), "<i4")]), ("get", Ref(0), "dWq")],
        )
    ]
    tags = np.frombuffer(b"ANTFIDSBULROEK\0\1\xff", np.uint8)
    refused = 0
    for trial in range(TRIALS):
        data = bytearray(whole[trial % len(whole)])
        draw = rng.integers(0, 2**31, 8).tolist()
        if trial % 10 == 0:
            data = bytearray(rng.bytes(draw[0] % 64))
        else:
            for place, byte in zip(draw[1:4], draw[4:7], strict=True):
                at = place % len(data)
                data[at] = tags[byte % len(tags)] if byte % 3 else byte % 256
            if draw[0] % 4 == 0:
                del data[draw[7] % len(data) :]
            elif draw[0] % 4 == 1:
                data += data[draw[7] % len(data) :]
        try:
            decode(data)
        except WireError:
            refused += 1
    assert TRIALS // 2 < refused < TRIALS


@pytest.fixture
def channels():
    ours, theirs = socket.socketpair()
    with ours, theirs:
        yield ours, theirs


ID = bytes(range(16))


def test_a_frame_arrives_with_its_kind_and_id(channels):
    ours, theirs = channels
    wire.send(theirs, wire.REPLY, ID, encode([1]))
    wire.send(theirs, wire.HELLO, wire.NO_ID, b"")
    kind, frame_id, payload = wire.receive(ours)
    assert (kind, frame_id, decode(payload)) == (wire.REPLY, ID, [1])  # the caller compares the id
    assert wire.receive(ours) == (wire.HELLO, wire.NO_ID, b"")


def test_a_frame_in_single_bytes_arrives_whole(channels):
    ours, theirs = channels
    payload = encode(np.arange(5.0))
    frame = wire.HEADER.pack(wire.MAGIC, wire.RUN, len(payload), ID) + payload
    sender = threading.Thread(target=lambda: [theirs.sendall(bytes([byte])) for byte in frame])
    sender.start()
    assert wire.receive(ours, time.monotonic() + 60) == (wire.RUN, ID, payload)
    sender.join()


@pytest.mark.parametrize("kept", [0, 1, 27, 28, 30])
def test_a_frame_cut_short_meets_the_deadline(channels, kept):
    ours, theirs = channels
    theirs.sendall((wire.HEADER.pack(wire.MAGIC, wire.RUN, 9, ID) + bytes(9))[:kept])
    with pytest.raises(wire.Deadline):
        wire.receive(ours, time.monotonic() + 0.01)


@pytest.mark.parametrize("kept", [0, 1, 27, 28, 30])
def test_a_peer_that_goes_away_is_closed(channels, kept):
    ours, theirs = channels
    theirs.sendall((wire.HEADER.pack(wire.MAGIC, wire.RUN, 9, ID) + bytes(9))[:kept])
    theirs.close()
    with pytest.raises(wire.Closed):
        wire.receive(ours)
    with pytest.raises(wire.Closed):
        for _ in range(2):
            wire.send(ours, wire.RUN, ID, bytes(9))


@pytest.mark.parametrize(
    ("magic", "length", "cap"), [(b"HTTP", 0, 10), (b"AGW2", 0, 10), (wire.MAGIC, 11, 10),
                                 (wire.MAGIC, 2**32 - 1, wire.MAX_PAYLOAD)],
)  # fmt: skip
def test_wrong_magic_or_length_is_refused_before_any_payload(channels, magic, length, cap):
    ours, theirs = channels
    theirs.sendall(wire.HEADER.pack(magic, wire.REPLY, length, ID))
    with pytest.raises(WireError) as refused:
        wire.receive(ours, cap=cap)
    assert type(refused.value) is WireError
