"""The contract of a layer, the same in process and behind the wall.

A check writes a `Script`: a list of operations on the submitted class (construct, set a parameter,
call a method, read an attribute). A `Layer` runs it and gives back a `Results`, one value for each
operation. Behind the wall a whole script is one frame. What comes back is data: arrays, None,
numbers, tuples of these, or `Raised`, `Described`, `NotRun`.
"""

from __future__ import annotations

import builtins
import re
import time
from collections.abc import Sequence
from copy import copy
from dataclasses import dataclass, replace
from typing import Any, Protocol

import numpy as np

from .sandbox import wire
from .sandbox.interpreter import Interpreter
from .sandbox.interpreter import load as load_chunks
from .sandbox.ops import unpack
from .sandbox.pool import Stopped, Worker, Zygote
from .sandbox.values import NOT_RUN, Described, NotRun, Raised, Ref
from .script import Array, Joined, Results, Script

__all__ = [
    "Array", "Described", "InProcessLayer", "Joined", "Layer", "NotRun", "Raised", "Ref", "Results", "Script",
    "Stopped", "WalledLayer",
]  # fmt: skip

_MODULES = (builtins, np, np.linalg, np.exceptions)
_KNOWN = frozenset(name for module in _MODULES for name in dir(module)) | {"oversized", "oversized_ndarray"}

# After a first timeout a submission gets this much of each limit: a layer that never ends then costs
# one whole limit and a fifth more for each further check.
AFTER_TIMEOUT = 0.2
FRAMES = 6  # limits of one frame that all frames of a submission have together, besides the load's


class Layer(Protocol):
    def run(self, script: Script, seconds: float | None = None) -> Results:
        """Run a script. Raises Stopped when the layer's process ended or was ended."""
        ...

    def apart(self) -> Layer:
        """The same class where nothing is known of what this one was asked; always the same second one."""
        ...


class InProcessLayer:
    """A trusted class, run here. Never for a submission.

    Its arrays come through the wire as a worker's do: what it changes in place is its own.
    """

    def __init__(self, cls: type):
        self.cls = cls

    def run(self, script: Script, seconds: float | None = None) -> Results:
        encoded = Interpreter(self.cls).run(unpack(script.payload))
        return Results([wire.decode(value) for value in encoded])

    def apart(self) -> InProcessLayer:
        """The project's own layers are taken at their word."""
        return self


@dataclass(frozen=True)
class Loaded:
    """What running the file itself gave."""

    found: bool  # the class is there
    problem: Raised | None
    classes: tuple[str, ...]  # names of the classes that the file defines


@dataclass
class _Clock:
    """What a submission has left, whichever of its workers takes it."""

    total: float  # seconds
    left: float
    timed_out: bool = False


class WalledLayer:
    """A submission in a worker. The worker is made at the first use and again after it has died.

    After a first timeout each later frame gets AFTER_TIMEOUT of its limit, and all frames together get
    FRAMES limits; the verdict's detail says which.
    """

    def __init__(
        self,
        zygote: Zygote,
        chunks: Sequence[bytes],
        class_name: str,
        *,
        lenient: bool,
        stand_ins: Sequence[str],
        load_seconds: float,
        call_seconds: float,
    ):
        self._zygote = zygote
        self._program = (list(chunks), class_name, lenient, list(stand_ins))
        self._load_seconds = load_seconds
        self._call_seconds = call_seconds
        self._lines = sum(len(re.split(rb"\r\n|\r|\n", chunk)) for chunk in chunks)
        self._worker: Worker | None = None
        self._apart: WalledLayer | None = None
        total = load_seconds + FRAMES * call_seconds
        self._clock = _Clock(total, total)

    def load(self, *, traced: bool = False) -> Loaded:
        """Run the file in a fresh worker. Raises Stopped.

        traced: rewritten so that its values can be traced, in the worker that has answered so far, if any.
        """
        if not traced or self._worker is None:
            self._end()
            self._worker = self._zygote.worker()
        answer = self._request(wire.LOAD, wire.encode([*self._program, traced]), self._load_seconds)
        match answer:
            case (bool(found), (None | Raised()) as problem, list(names)) if all(
                isinstance(name, str) for name in names
            ):
                return Loaded(found, problem, tuple(names))
        raise self._tampering("an answer of another form")

    def run(self, script: Script, seconds: float | None = None) -> Results:
        if self._worker is None:
            loaded = self.load()
            if not loaded.found:
                raise Stopped("crash", "the file did not load a second time as it did the first")
        values = self._request(wire.RUN, script.payload, seconds or self._call_seconds)
        if type(values) is not tuple or len(values) != len(script.ops):
            raise self._tampering("an answer of another length")
        # Most answers are arrays or nothing at all, in which there is no word.
        plain = (np.ndarray, type(None))
        return Results([v if type(v) in plain else self._told(v, script) for v in values])

    def _told(self, value: Any, asked: Script) -> Any:
        """An answer with no name that is new and no line that the file lacks.

        The layer has seen the hidden inputs by now, and both are shown to its student.
        """
        if not isinstance(value, (Raised, Described, tuple, list)):
            return value
        if isinstance(value, Raised):
            lines = tuple(line for line in value.lines if 0 < line <= self._lines)
            return replace(value, name=self._name(value.name, asked), lines=lines)
        if isinstance(value, Described):
            return replace(value, kind=self._name(value.kind, asked))
        return type(value)(self._told(item, asked) for item in value)

    def _name(self, name: str, asked: Script) -> str:
        """`name` if it stands in the file, was asked for, or is Python's or NumPy's own."""
        there = any(name.encode() in chunk for chunk in self._program[0])
        return name if there or name in _KNOWN or name in asked.words else "unknown"

    def _request(self, kind: int, payload: bytes, seconds: float) -> object:
        assert self._worker is not None
        clock = self._clock
        if clock.timed_out:
            seconds *= AFTER_TIMEOUT
        last = clock.left <= seconds
        began = time.monotonic()
        try:
            return self._worker.request(kind, payload, max(clock.left, 0.01) if last else seconds)
        except Stopped as error:
            self._worker = None
            if error.verdict != "timeout":
                raise
            clock.timed_out = True
            if last:  # in whole limits, not in what was left: two runs are to say the same
                raise Stopped("timeout", f"all calls together took {clock.total:g} s") from None
            raise
        finally:
            clock.left -= time.monotonic() - began

    def _tampering(self, detail: str) -> Stopped:
        self._end()
        return Stopped("tampering", detail)

    def apart(self) -> WalledLayer:
        if self._apart is None:
            self._apart = copy(self)  # with the same clock
            self._apart._worker = None
        return self._apart

    def close(self) -> None:
        self._end()
        if self._apart is not None:
            self._apart.close()

    def _end(self) -> None:
        if self._worker is not None:
            self._worker.close()
            self._worker = None


def trusted_layer(source: bytes, class_name: str) -> InProcessLayer:
    """The reference, from its own source. Raises ValueError when it does not define the class."""
    cls, problem, _ = load_chunks([source], class_name, False)
    if cls is None or problem is not None:
        raise ValueError(f"the reference does not give a class {class_name}: {problem}")
    return InProcessLayer(cls)


def ran(value: object) -> bool:
    """Whether an operation gave a result at all."""
    return not isinstance(value, Raised) and value is not NOT_RUN
