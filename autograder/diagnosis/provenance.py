"""Which value of the derivation an array is, whatever its axes, its order and its scale."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import lru_cache
from itertools import permutations

import numpy as np

from ..layer import Array
from .programs import Value

SAME = 1e-9  # of the norm: other orders of summation differ by 1e-15


class Provenance:
    """Compares arrays as sorted sets of numbers, so that transposed, reshaped and copied ones match."""

    def __init__(self, values: Sequence[Value]):
        self.values = values
        self._sorted: dict[int, tuple[list[Value], Array, Array]] = {}
        for size in {value.array.size for value in values}:
            group = [value for value in values if value.array.size == size]
            rows = np.array([np.sort(value.array, axis=None) for value in group])
            self._sorted[size] = group, rows, np.linalg.norm(rows, axis=1)

    def exact(self, array: Array) -> list[Value]:
        """The values that hold the same numbers."""
        return [value for value, factor in self.scaled(array) if abs(factor - 1.0) < SAME]

    def known(self, array: Array) -> bool:
        """Whether it is a value up to a factor, or made of values side by side."""
        if array.size == 1:  # every number is a multiple of every other
            number = float(array.flat[0])
            inverse = np.full(array.shape, 1.0 / number if number else 0.0)
            return number.is_integer() or bool(self.exact(array) or self.exact(inverse))
        if self.scaled(array):
            return True
        if not array.any() and any(v.array.size == array.size and not v.array.any() for v in self.values):
            return True
        for axis, length in enumerate(array.shape):
            for count in (2, 3, 4):
                divides = length % count == 0 and length > count
                if divides and all(self.scaled(part) for part in np.split(array, count, axis)):
                    return True
        return False

    def scaled(self, array: Array) -> list[tuple[Value, float]]:
        """(value, factor) with array = factor * value as sets of numbers."""
        if array.size not in self._sorted:
            return []
        group, rows, norms = self._sorted[array.size]
        mine = np.sort(array, axis=None)
        norm = float(np.linalg.norm(mine))
        if not (np.isfinite(norm) and norm > 0.0):
            return []
        found = []
        for sign in (1.0, -1.0):
            ours = mine if sign > 0 else -mine[::-1]
            with np.errstate(all="ignore"):
                apart = np.linalg.norm(ours / norm - rows / norms[:, None], axis=1)
            for i in np.flatnonzero(apart < SAME):
                found.append((group[int(i)], sign * norm / float(norms[i])))
        return found


def same(a: Array, b: Array) -> bool:
    """Whether two arrays of one shape agree."""
    if a.shape != b.shape:
        return False
    with np.errstate(all="ignore"):
        largest = float(np.abs(b).max(initial=0.0))
        apart = float(np.abs(a - b).max(initial=0.0))
    return bool(np.isfinite(largest)) and apart <= SAME * max(largest, 1e-300)


class Distinct:
    """Arrays of which no two are the same."""

    def __init__(self, first: Array):
        self._seen = [(first, *_mark(first))]

    def has(self, array: Array) -> bool:
        return self._holds(array, _mark(array)[0])

    def adds(self, array: Array) -> bool:
        """Whether it is another than all before; it is one of them from then on."""
        mark, room = _mark(array)
        new = not self._holds(array, mark)
        if new:
            self._seen.append((array, mark, room))
        return new

    def _holds(self, array: Array, mark: float) -> bool:
        # Marks further apart than rounding leaves them are of other arrays, as nearly all are.
        return any(not abs(mark - at) > room and same(array, other) for other, at, room in self._seen)


def _mark(array: Array) -> tuple[float, float]:
    """A number that tells arrays apart, and how far that of the same one may be from it."""
    flat = array.ravel()
    with np.errstate(all="ignore"):
        room = 2.0 * SAME * flat.size * float(np.abs(flat).max(initial=0.0))
        return float(flat @ _weights(flat.size)), room


@lru_cache(maxsize=256)
def _weights(size: int) -> Array:
    weights: Array = np.cos(np.arange(size, dtype=float))
    return weights


@lru_cache(maxsize=4096)
def orders(shape: tuple[int, ...], target: tuple[int, ...]) -> tuple[tuple[int, ...], ...]:
    """The orders of axes in which an array of `shape` can be reshaped to `target` without mixing axes."""
    if int(np.prod(shape)) != int(np.prod(target)) or len(shape) > 4:
        return ()
    long = [axis for axis, n in enumerate(shape) if n != 1]
    short = [axis for axis, n in enumerate(shape) if n == 1]
    found = []
    for order in permutations(long):
        if _merges([shape[axis] for axis in order], [n for n in target if n != 1]):
            found.append((*order, *short))
    return tuple(found)


def _merges(a: Iterable[int], b: Iterable[int]) -> bool:
    """Whether axes `a` become axes `b` by merging neighbours, or by splitting."""
    ours, theirs = list(a), list(b)
    while ours and theirs:
        left, right, merged, split = ours.pop(0), theirs.pop(0), 1, 1
        while left != right:
            if left < right and ours:
                left *= ours.pop(0)
                merged += 1
            elif right < left and theirs:
                right *= theirs.pop(0)
                split += 1
            else:
                return False
            if merged > 1 and split > 1:
                return False
    return not ours and not theirs
