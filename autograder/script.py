"""What is asked of a layer in one frame, and what it answered: a list of operations and a value for each."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from typing import Any

import numpy as np

from .sandbox.ops import pack
from .sandbox.values import Raised, Ref

Array = np.ndarray[Any, Any]


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


class Joined(Script):
    """Scripts that run as one frame. What one of them raises keeps no other from running."""

    def __init__(self, scripts: Iterable[Script]):
        super().__init__()
        self._parts: list[slice] = []
        for script in scripts:
            self.group()
            begin = len(self.ops)
            self.ops += [_moved(op, begin) for op in script.ops]
            self._parts.append(slice(begin, len(self.ops)))

    def split(self, results: Results) -> list[Results]:
        """The results of each script."""
        values = list(results)
        return [Results(values[part]) for part in self._parts]


def _moved(value: Any, by: int) -> Any:
    """An operation whose references count from the beginning of another script."""
    if isinstance(value, Ref):
        return Ref(value.index + by)
    if isinstance(value, (tuple, list)):
        return type(value)(_moved(item, by) for item in value)
    return value


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
