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
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, Protocol

import numpy as np

from .sandbox import wire
from .sandbox.interpreter import Interpreter
from .sandbox.interpreter import load as load_chunks
from .sandbox.ops import pack, unpack
from .sandbox.pool import Stopped, Worker, Zygote
from .sandbox.values import NOT_RUN, Described, NotRun, Raised, Ref

__all__ = [
    "Described", "InProcessLayer", "Layer", "NotRun", "Raised", "Ref", "Results", "Script", "Stopped",
    "WalledLayer",
]  # fmt: skip

Array = np.ndarray[Any, Any]
_MODULES = (builtins, np, np.linalg, np.exceptions)
_KNOWN = frozenset(name for module in _MODULES for name in dir(module)) | {"oversized", "oversized_ndarray"}

# After a first timeout a submission gets this much of each limit: a layer that never ends then costs
# one whole limit and a fifth more for each further check.
AFTER_TIMEOUT = 0.2
FRAMES = 6  # limits of one frame that all frames of a submission have together, besides the load's


class Script:
    """Operations for one frame; each method returns a `Ref` to its result."""

    def __init__(self) -> None:
        self.ops: list[tuple[Any, ...]] = []

    def _add(self, *op: Any) -> Ref:
        self.ops.append(op)
        return Ref(len(self.ops) - 1)

    def group(self) -> Ref:
        """Begin a group: what raised before it no longer keeps later operations from running."""
        return self._add("group")

    def array(self, value: Array, layout: str = "C", readonly: bool = False) -> Ref:
        """A fresh array on the layer's side, in order "C", "F" or "strided"."""
        return self._add("array", value, layout, readonly)

    def new(self, **arguments: Any) -> Ref:
        return self._add("new", list(arguments.items()))

    def get(self, layer: Ref, name: str) -> Ref:
        return self._add("get", layer, name)

    def set(self, layer: Ref, name: str, value: Array) -> Ref:
        """Write `value` into a parameter in place."""
        return self._add("set", layer, name, value)

    def set_all(self, layer: Ref, values: Mapping[str, Array]) -> None:
        for name, value in values.items():
            self.set(layer, name, value)

    def setattr(self, layer: Ref, name: str, value: Any) -> Ref:
        return self._add("setattr", layer, name, value)

    def call(self, layer: Ref, method: str, *arguments: Any) -> Ref:
        return self._add("call", layer, method, list(arguments))

    def add(self, value: Ref, amount: float) -> Ref:
        """Add to an earlier result in place."""
        return self._add("add", value, amount)

    def reread(self, value: Ref) -> Ref:
        """What an earlier result holds by now."""
        return self._add("reread", value)

    def names(self, layer: Ref) -> Ref:
        """The public names of a layer, in one string."""
        return self._add("names", layer)

    def rng(self) -> Ref:
        return self._add("rng")

    def sweep(
        self, layer: Ref, name: str, base: Array, directions: Array, points: Iterable[float], X: Array
    ) -> Ref:
        """Outputs (k, m, *out) with parameter `name`, the input if empty, moved along directions."""
        return self._add("sweep", layer, name, base, directions, [float(p) for p in points], "forward", X)

    def train(
        self,
        layer: Ref,
        X: Array,
        Y: Array,
        *,
        rate: float,
        steps: int,
        pairs: Sequence[tuple[str, str]],
        zero_grad: str = "",
    ) -> Ref:
        """Outputs (steps + 1, *out) along gradient descent on the mean squared error to Y."""
        return self._add("train", layer, X, Y, rate, steps, list(pairs), zero_grad)

    def traced(self, operation: str, *arguments: Any) -> Ref:
        """An operation of a layer that was loaded traced: `sites`, `record` or `trials`."""
        return self._add(operation, *arguments)

    def trail(self, name: str) -> Ref:
        """Parameter `name` at each output of the training before this, (steps + 1, *s)."""
        return self._add("trail", name)

    @cached_property
    def payload(self) -> bytes:
        """The encoded frame, made once however many submissions it is sent to."""
        return bytes(pack(self.ops))

    @cached_property
    def words(self) -> frozenset[str]:
        """Every text in it: what it asks for by name."""
        return frozenset(_texts(self.ops))


def _texts(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, (tuple, list)):
        for item in value:
            yield from _texts(item)


class Results:
    """Values of a script that has run."""

    def __init__(self, values: Sequence[Any]):
        self._values = values

    def __getitem__(self, ref: Ref) -> Any:
        return self._values[ref.index]

    def __iter__(self) -> Iterator[Any]:
        return iter(self._values)

    def first_raised(self) -> Raised | None:
        """The first exception, whoever's it is."""
        for value in self._values:
            if isinstance(value, Raised):
                return value
        return None


class Layer(Protocol):
    def run(self, script: Script, seconds: float | None = None) -> Results:
        """Run a script. Raises Stopped when the layer's process ended or was ended."""
        ...

    def renew(self) -> None:
        """Forget everything that the layer's side may remember of earlier scripts."""
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

    def renew(self) -> None:
        """The project's own layers are taken at their word."""


@dataclass(frozen=True)
class Loaded:
    """What running the file itself gave."""

    found: bool  # the class is there
    problem: Raised | None
    classes: tuple[str, ...]  # names of the classes that the file defines


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
        self._timed_out = False
        self._left = self._total = load_seconds + FRAMES * call_seconds

    def load(self, *, traced: bool = False) -> Loaded:
        """Run the file in a fresh worker, rewritten so that its values can be traced. Raises Stopped."""
        self.close()
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
        if self._timed_out:
            seconds *= AFTER_TIMEOUT
        last = self._left <= seconds
        began = time.monotonic()
        try:
            return self._worker.request(kind, payload, max(self._left, 0.01) if last else seconds)
        except Stopped as error:
            self._worker = None
            if error.verdict != "timeout":
                raise
            self._timed_out = True
            if last:  # in whole limits, not in what was left: two runs are to say the same
                raise Stopped("timeout", f"all calls together took {self._total:g} s") from None
            raise
        finally:
            self._left -= time.monotonic() - began

    def _tampering(self, detail: str) -> Stopped:
        self.close()
        return Stopped("tampering", detail)

    def renew(self) -> None:
        self.close()  # the next script has the file run again, in a fresh worker

    def close(self) -> None:
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
