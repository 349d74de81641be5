"""From repairs to lines: which of the places that can be repaired is the one where the fault is."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

import numpy as np

from ..layer import Array
from .derivation import Program
from .repair import Candidate, Repair, Search, Unit
from .watching import PARTS, STATEMENTS, Record, Swap, Watched

ROUNDS = 4  # faults that are looked for one behind the other
FEW = 3  # lines that are worth a student's time


@dataclass(frozen=True)
class Place:
    """One fault: the places it can be, best first."""

    units: tuple[Unit, ...]
    repairs: tuple[Repair, ...]  # those of `units` that repair it, in the same order
    alone: bool  # each of them makes everything right that was wrong


@dataclass
class Located:
    """All faults of one program."""

    program: Program
    wrong: frozenset[int]  # watched results
    record: Record
    places: list[Place] = field(default_factory=list)
    search: Search | None = None  # of the first fault


def locate(watched: Watched, program: Program, record: Record) -> Located:
    """Look for faults until everything is right or nothing more is found."""
    search = Search(watched, program, record.events, record.errors)
    located = Located(program, search.wrong, record, search=search)
    base: list[Swap] = []
    for _ in range(ROUNDS):
        place = _place(search)
        if place is None:
            break
        located.places.append(place)
        if not place.repairs:
            break
        base += place.repairs[0].unit.swaps(place.repairs[0].candidate.array)
        if place.repairs[0].fixed == search.wrong:
            break
        again = watched.record(program, PARTS, base=base)
        search = Search(watched, program, again.events, again.errors, base)
    return located


def _place(search: Search) -> Place | None:
    wrong = search.wrong
    phases = {index: _phase(search.program, index) for index in wrong}
    first = min(phases.values())
    focus = frozenset(index for index in wrong if phases[index] == first)
    for kinds in (STATEMENTS, ("part",)):
        chosen = [u for u in search.units if u.at.kind in kinds and u.operation <= first]
        repairs = search.repairs(chosen, focus)
        for goal in (wrong, focus):
            full = [r for r in repairs if r.fixed >= goal]
            if full:
                return ranked(search, full, alone=goal == wrong)
        if repairs:
            most = max(len(r.fixed) for r in repairs)
            return ranked(search, [r for r in repairs if len(r.fixed) == most], alone=False)
    return suspected(search, focus)


def _phase(program: Program, watched: int) -> int:
    """The operation that makes a watched result: the last one that runs the student's code."""
    at = program.watched[watched][1]
    return max((i for i in range(at + 1) if program.method(i)), default=at)


def ranked(search: Search, repairs: Sequence[Repair], alone: bool) -> Place:
    """The earliest value that is wrong; where a right value is repaired, a step after it is missing."""
    best: dict[int, Repair] = {}
    for repair in repairs:
        key = repair.unit.order
        if key not in best or _simpler(repair.candidate, best[key].candidate):
            best[key] = repair
    in_order = [best[key] for key in sorted(best)]
    explained = [r for r in in_order if search.provenance.exact(r.unit.array)]
    picked = [r for r in in_order if r not in explained][:FEW]
    if explained and explained[0] is in_order[0]:
        first = explained[0]
        run = [r for r in explained if np.array_equal(*_sorted(first.unit.array, r.unit.array))]
        ahead = [r for r in run if not r.unit.handed_on] or run
        run = [*reversed(ahead), *(r for r in run if r not in ahead)]
        picked = [*run[:2], *picked[:1]]
        unused = [
            u for u in search.units
            if u.at.kind in STATEMENTS and u.order > first.unit.order and not u.changes.any()
            and np.array_equal(*_sorted(u.array, first.candidate.array))
        ]  # fmt: skip
        if unused:
            return Place((unused[0], *(r.unit for r in picked)), tuple(picked), alone)
    return Place(tuple(r.unit for r in picked), tuple(picked), alone)


def _simpler(a: Candidate, b: Candidate) -> bool:
    return (a.inserted, not a.value.name) < (b.inserted, not b.value.name)


def _sorted(a: Array, b: Array) -> tuple[Array, Array]:
    return np.sort(a, axis=None), np.sort(b, axis=None)


def suspected(search: Search, focus: frozenset[int]) -> Place | None:
    """Nothing repairs: the first values that the derivation does not have, and on which all that is wrong depends."""
    aims = sorted(focus)
    suspects = [
        u for u in search.units
        if u.at.kind in STATEMENTS and u.changes.size and u.changes[aims].all()
        and not search.provenance.scaled(u.array)
    ]  # fmt: skip
    return Place(tuple(suspects[:FEW]), (), False) if suspects else None


def confirmed(watched: Watched, located: Located, other: Program) -> set[int]:
    """Lines whose repair also holds with other numbers: proof, when one repair is all it takes."""
    if not located.places or not located.places[0].alone:
        return set()
    trials, lines = [], []
    for repair in located.places[0].repairs:
        swaps = list(_transferred(repair.candidate, other))
        if swaps:
            trials.append(swaps)
            lines.append(repair.unit.at.line)
    if not trials:
        return set()
    errors = watched.trials(other, trials, watched.left)
    return {line for line, row in zip(lines, errors, strict=False) if (row <= other.limit).all()}


def _transferred(candidate: Candidate, other: Program) -> Iterator[Swap]:
    """The same repair in a program with other numbers."""
    value = candidate.value
    for twin in other.values if not candidate.inserted else ():
        if (twin.site, twin.operation, twin.array.shape) == (value.site, value.operation, value.array.shape):
            array = twin.array.transpose(candidate.order).reshape(candidate.array.shape)
            yield from candidate.unit.swaps(np.ascontiguousarray(array))
            return
