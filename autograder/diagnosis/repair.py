"""Repair: which value of the derivation, put on which line, makes everything right.

The search knows lines only as places that gave values. Everything it asks of the submission is a trial:
a program run once more with other values in some places.
"""

from __future__ import annotations

from collections.abc import Container, Iterator, Sequence
from dataclasses import dataclass, field

import numpy as np

from ..layer import Array
from .programs import Program, Value
from .provenance import Distinct, Provenance, orders
from .watching import Event, Record, Site, Swap, Watched

SINGLE_RUNS = 8  # of a site that runs more often, only all runs together are replaced


@dataclass(eq=False)
class Unit:
    """What one site gave in one operation: one value, or those of all its runs stacked."""

    site: int
    at: Site
    runs: tuple[int, ...]
    operation: int
    array: Array  # (*s), or (runs, *s) when there are several
    order: int  # of its first event
    handed_on: bool  # what a function has just returned
    changes: Array = field(default_factory=lambda: np.zeros(0, bool))  # (watched,): what depends on it

    def swaps(self, new: Array) -> list[Swap]:
        if len(self.runs) == 1:
            return [(self.site, self.runs[0], new, -1)]
        return [(self.site, run, new, at) for at, run in enumerate(self.runs)]


def units(events: Sequence[Event], sites: Sequence[Site], sizes: Container[int]) -> list[Unit]:
    """In the order in which they were computed.

    The runs of a site in a loop belong together when they add up to one of `sizes`; those of a function
    that is called here and there stand each for itself.
    """
    groups: dict[tuple[int, int], list[tuple[int, Event]]] = {}
    for order, event in enumerate(events):
        groups.setdefault((event.site, event.operation), []).append((order, event))
    found = []
    for (site, operation), group in groups.items():
        shapes = {event.array.shape for _, event in group}
        size = sum(event.array.size for _, event in group)
        if len(group) > 1 and len(shapes) == 1 and size in sizes:
            order = group[-1][0]
            stacked = np.stack([event.array for _, event in group])
            runs = tuple(event.run for _, event in group)
            found.append(Unit(site, sites[site], runs, operation, stacked, order, group[-1][1].handed_on))
        else:
            for order, event in group[:SINGLE_RUNS]:
                found.append(
                    Unit(site, sites[site], (event.run,), operation, event.array, order, event.handed_on)
                )
    return sorted(found, key=lambda unit: unit.order)


@dataclass(frozen=True, eq=False)
class Candidate:
    """What stands in a unit's place in a trial."""

    unit: Unit
    array: Array
    value: Value  # of the derivation, that `array` is made of
    order: tuple[int, ...] = ()  # of the value's axes in `array`
    step: int = 1  # -1 where the runs of a loop go backwards along the first axis
    inserted: bool = False  # the value is a part of `array`


@dataclass(frozen=True, eq=False)
class Repair:
    """A candidate, and what it makes right."""

    candidate: Candidate
    fixed: frozenset[int]  # watched results that were wrong and are right with it

    @property
    def unit(self) -> Unit:
        return self.candidate.unit


def candidates(unit: Unit, values: Sequence[Value], results: Sequence[Value] = ()) -> Iterator[Candidate]:
    """The values of the derivation that can stand where this unit's value stands.

    `results` stand there in whatever shape they have.
    """
    shape, seen = unit.array.shape, Distinct(unit.array)
    fits = False
    for value in values:
        if value.array.size != unit.array.size or not value.array.size:
            continue
        fits = True
        shapes = [shape] if len(unit.runs) > 1 or value.array.shape == shape else [shape, value.array.shape]
        for target in shapes:
            for order in orders(value.array.shape, target):
                for step in (1, -1) if len(unit.runs) > 1 else (1,):  # loops also run backwards
                    moved = value.array.transpose(order).reshape(target)
                    array = np.array(moved if step == 1 else moved[::step])
                    if seen.adds(array):
                        yield Candidate(unit, array, value, order, step)
    for value in values if not fits else ():
        if unit.array.ndim == 1 == value.array.ndim and len(unit.runs) == 1:  # generators of different kinds
            yield Candidate(unit, value.array, value, (0,))
        for array in _inserted(unit.array, value.array):
            if seen.adds(array):
                yield Candidate(unit, array, value, inserted=True)
    for value in results if len(unit.runs) == 1 else ():
        if not seen.has(value.array):
            yield Candidate(unit, value.array, value, tuple(range(value.array.ndim)))


def _inserted(whole: Array, part: Array) -> Iterator[Array]:
    """`whole` with `part` in each place where it fits along one axis, as concatenated arrays have them."""
    if whole.ndim != part.ndim or whole.ndim == 0 or part.size == 0:
        return
    differ = [axis for axis in range(whole.ndim) if whole.shape[axis] != part.shape[axis]]
    if len(differ) != 1 or whole.shape[differ[0]] % max(part.shape[differ[0]], 1):
        return
    axis, length = differ[0], part.shape[differ[0]]
    for start in range(0, whole.shape[axis], length):
        new = np.array(whole)
        new[(slice(None),) * axis + (slice(start, start + length),)] = part
        yield new


class Search:
    """The trials of one program on one submission."""

    def __init__(self, watched: Watched, program: Program, record: Record, base: Sequence[Swap] = ()):
        self.watched, self.program = watched, program
        self.provenance = Provenance(program.values)
        found = units(record.events, watched.sites, {v.array.size for v in program.values})
        # An attribute that holds no numbers yet matters only in a constructor's own program.
        self.units = [u for u in found if u.array.size or program.name.startswith("initial")]
        self.base = list(base)  # repairs that are taken for granted
        self.errors, self.raised = record.errors, record.raised is not None
        self.tried = 0

    @property
    def wrong(self) -> frozenset[int]:
        return frozenset(np.flatnonzero(self.errors > self.program.limit).tolist())

    def values(self, unit: Unit) -> list[Value]:
        """The derivation's values in the same method."""
        method = self.program.method(unit.operation)
        here = [v for v in self.program.values if v.operation == unit.operation]
        return here or [v for v in self.program.values if self.program.method(v.operation) == method]

    def result(self, watched: int) -> Value | None:
        """What a watched result should be, as a value of the derivation."""
        expected = self.program.expected[watched][0]
        for value in self.program.values if isinstance(expected, np.ndarray) else ():
            if value.array.shape == expected.shape and np.array_equal(value.array, expected):
                return value
        return None

    def run(self, trials: Sequence[Sequence[Swap]]) -> Array:
        """Errors, one row for each trial that was allowed."""
        found = self.watched.trials(self.program, [[*self.base, *trial] for trial in trials])
        self.tried += len(found)
        return found

    def influence(self, chosen: Sequence[Unit]) -> None:
        """Find out which watched results depend on each unit."""
        rng = np.random.default_rng(5)
        trials = [u.swaps(_disturbed(u.array, rng)) for u in chosen]
        found = self.run(trials) if trials else np.zeros((0, len(self.errors)))
        for unit, errors in zip(chosen, found, strict=False):
            both = np.isfinite(errors) & np.isfinite(self.errors)
            unit.changes = np.ones(len(errors), bool)
            unit.changes[both] = np.abs(errors[both] - self.errors[both]) > 1e-12 * np.maximum(
                1.0, errors[both]
            )
        for unit in chosen[len(found) :]:
            unit.changes = np.zeros(len(self.errors), bool)

    def repairs(self, chosen: Sequence[Unit], focus: frozenset[int], named: bool) -> list[Repair]:
        """What makes some of `focus` right and nothing wrong, one candidate at a time.

        The candidates are the derivation's values that have a name, or those that have none.
        """
        aims = sorted(focus)
        tried = [
            candidate
            for unit in chosen
            if unit.changes[aims].any()
            for candidate in candidates(
                unit,
                [value for value in self.values(unit) if bool(value.name) == named],
                self._any_shape(unit, aims) if named else (),
            )
        ]
        return self._repairing(tried, focus)

    def reshaped(self, unit: Unit, focus: frozenset[int]) -> list[Repair]:
        """The same for one unit, with values of whatever shape."""
        values = [value for value in self.values(unit) if value.array.size != unit.array.size]
        return self._repairing(list(candidates(unit, (), values)), focus)

    def _repairing(self, tried: Sequence[Candidate], focus: frozenset[int]) -> list[Repair]:
        errors = self.run([c.unit.swaps(c.array) for c in tried]) if tried else ()
        wrong, found = self.wrong, []
        for candidate, row in zip(tried, errors, strict=False):
            left = frozenset(np.flatnonzero(row > self.program.limit).tolist())
            if not left - wrong and focus - left:
                found.append(Repair(candidate, wrong - left))
        return found

    def _any_shape(self, unit: Unit, aims: Sequence[int]) -> list[Value]:
        """Values that may stand in this place whatever shape its own has: it leaves the method, or raises."""
        stored = unit.at.name.startswith(".")
        named = [v for v in self.values(unit) if v.name] if stored or self.raised else []
        results = [self.result(index) for index in aims] if stored or unit.at.kind == "return" else []
        return [*named, *(value for value in results if value)]


def _disturbed(array: Array, rng: np.random.Generator) -> Array:
    """Another array of that shape, near it where it is finite."""
    finite = np.where(np.isfinite(array), array, 0.0)
    typical = float(np.sqrt(np.mean(np.square(finite)))) if array.size else 0.0
    moved = finite + (0.5 + rng.random(array.shape)) * (typical if 0.0 < typical < 1e100 else 1.0)
    return np.asarray(moved)
