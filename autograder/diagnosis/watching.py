"""A submission that is watched: its answers, which nobody trusts, as typed data."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..layer import Array, Raised, Script, WalledLayer
from .programs import Program

STATEMENTS = ("assign", "return", "update", "effect")  # kinds of sites: what a statement leaves behind
PARTS = (*STATEMENTS, "part")
ALL = (*PARTS, "name")

TRIALS = 1000  # of one submission: a count, so that the same file gives the same lines on any machine

Swap = tuple[int, int, Array, int]  # site, nth run, array, index along its first axis or -1
Trial = Sequence[Swap]


class Unusable(Exception):
    """The submission cannot be watched, or answers in another form."""


@dataclass(frozen=True)
class Site:
    """A place in the submission."""

    line: int  # 1-based
    last: int
    kind: str
    statement: int  # shared by all sites of one statement
    name: str  # the student's own: ".dWq" on an object, "dS" for a local; never printed


@dataclass(frozen=True)
class Event:
    """One value that a site gave."""

    site: int
    run: int  # how often the site had run before
    operation: int  # of the program
    handed_on: bool  # the very object that a function has just returned
    array: Array


@dataclass(frozen=True)
class Change:
    """An array that was changed in place, between two sites that ran one after the other."""

    source: int  # the operation whose result it is, or after which the layer kept it
    name: str  # the attribute that holds it, "" for a result
    operation: int  # during which it was changed
    before: int  # site, -1 for none
    site: int


@dataclass(frozen=True)
class Record:
    """One run of a program."""

    errors: Array  # (watched,), over each tensor's own scale
    raised: Raised | None
    events: tuple[Event, ...] = ()


class Watched:
    """A traced layer with a deadline for everything that is asked of it."""

    def __init__(self, layer: WalledLayer, seconds: float):
        """Raises Unusable when the file does not load, Stopped when its worker ends."""
        self.end = time.monotonic() + seconds
        self.layer = layer
        if not layer.load(traced=True).found:
            raise Unusable("no class")
        sites, methods = _typed(self._ask("sites"), list, list)
        self.sites = [Site(*_typed(item, int, int, str, int, str)) for item in sites]
        self.methods = [_typed(item, str, int) for item in methods]
        self.allowed = TRIALS

    def function(self, line: int) -> int:
        """The line of the `def` above a line, as far as that tells which function it is in; 0 for none."""
        return max((start for _, start in self.methods if start <= line), default=0)

    @property
    def left(self) -> float:
        """Seconds until the deadline."""
        return self.end - time.monotonic()

    def _ask(self, operation: str, *arguments: Any) -> Any:
        return self._ask_all(operation, [arguments])[0]

    def _ask_all(self, operation: str, calls: Sequence[Sequence[Any]]) -> list[Any]:
        """One operation with several arguments, in one frame."""
        if self.left <= 0.0:
            raise Unusable("out of time")
        script = Script()
        refs = [(script.group(), script.traced(operation, *arguments))[1] for arguments in calls]
        results = self.layer.run(script, seconds=max(self.left, 0.05))
        answers = [results[ref] for ref in refs]
        if not all(isinstance(answer, (tuple, np.ndarray)) for answer in answers):
            raise Unusable(f"{operation} gave no answer")
        return answers

    def record(
        self,
        program: Program,
        kinds: Sequence[str] = (),
        statements: Sequence[int] = (),
        base: Trial = (),
    ) -> Record:
        """Run a program, with some values replaced.

        Keeps the values of the sites of `kinds`, in some statements or in all.
        """
        return self._recorded(program, self._ask("record", *_recording(program, kinds, statements, base)))

    def records(self, programs: Sequence[Program]) -> list[Record]:
        """Run several programs and keep no values."""
        answers = self._ask_all("record", [_recording(program) for program in programs])
        return [self._recorded(p, answer) for p, answer in zip(programs, answers, strict=True)]

    def _recorded(self, program: Program, answer: Any) -> Record:
        errors, raised, events = _typed(answer, np.ndarray, object, list)
        if errors.shape != (len(program.watched),) or errors.dtype != np.float64:
            raise Unusable("errors of another form")
        found = tuple(Event(*_typed(event, int, int, int, bool, np.ndarray)) for event in events)
        operations = len(program.script.ops)
        for event in found:
            if not (0 <= event.site < len(self.sites) and 0 <= event.operation < operations):
                raise Unusable("an event of no site")
            if event.array.dtype != np.float64:
                raise Unusable("an event of another type")
        return Record(_known(errors), raised if isinstance(raised, Raised) else None, found)

    def changes(self, program: Program) -> list[Change]:
        """What is changed in place while a program runs."""
        found, _ = _typed(self._ask("changes", program.script.ops), list, int)
        changes = [Change(*_typed(item, int, str, int, int, int)) for item in found]
        for change in changes:
            if not all(-1 <= site < len(self.sites) for site in (change.before, change.site)):
                raise Unusable("a change at no site")
        return changes

    def trials(self, program: Program, trials: Sequence[Trial]) -> Array:
        """Errors (m, watched), one row a trial; fewer rows when no more are allowed."""
        trials = trials[: self.allowed]
        self.allowed -= len(trials)
        arrays, sent = _numbered(trials)
        errors = self._ask(
            "trials", program.script.ops, program.indices, program.expected, arrays, sent,
            float(self.left),
        )  # fmt: skip
        if type(errors) is not np.ndarray or errors.ndim != 2 or errors.dtype != np.float64:
            raise Unusable("errors of another form")
        if errors.shape[1] != len(program.watched) or len(errors) > len(trials):
            raise Unusable("errors of another shape")
        if len(errors) < len(trials):  # half a search would point at other lines
            raise Unusable("out of time")
        return _known(errors)


def _recording(
    program: Program, kinds: Sequence[str] = (), statements: Sequence[int] = (), base: Trial = ()
) -> tuple[Any, ...]:
    arrays, (sent,) = _numbered([base])
    return (
        program.script.ops, program.indices, program.expected, list(kinds), list(statements), arrays, sent,
    )  # fmt: skip


def _numbered(trials: Sequence[Trial]) -> tuple[list[Array], list[list[tuple[int, int, int, int]]]]:
    """Each array once, and the trials with its number in its place."""
    arrays: list[Array] = []
    numbers: dict[int, int] = {}
    for trial in trials:
        for _, _, array, _ in trial:
            if id(array) not in numbers:
                numbers[id(array)] = len(arrays)
                arrays.append(array)
    return arrays, [[(site, run, numbers[id(a)], at) for site, run, a, at in trial] for trial in trials]


def _known(errors: Array) -> Array:
    return np.where(np.isnan(errors), np.inf, errors)


def _typed(item: Any, *types: type) -> tuple[Any, ...]:
    """`item` as a tuple of exactly these types. Raises Unusable."""
    if not isinstance(item, tuple) or len(item) != len(types):
        raise Unusable("an answer of another form")
    for value, kind in zip(item, types, strict=True):
        if kind is not object and type(value) is not kind:
            raise Unusable("an answer of another type")
    return item
