"""From repairs to lines: which of the places that can be repaired is the one where the fault is."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

import numpy as np

from ..layer import Array
from .derivation import Derivation
from .programs import Program
from .repair import Candidate, Repair, Search, Unit, candidates
from .watching import PARTS, STATEMENTS, Record, Swap, Watched

ROUNDS = 4  # faults that are looked for one behind the other
FEW = 3  # lines that are worth a student's time


@dataclass(frozen=True)
class Place:
    """One fault: the places it can be, best first."""

    units: tuple[Unit, ...]
    repairs: tuple[Repair, ...] = ()  # those of `units` that repair it, in the same order
    alone: bool = False  # each of them makes everything right that was wrong
    since: int = 0  # the order of the first wrong value among them


@dataclass
class Located:
    """All faults of one program."""

    program: Program
    wrong: frozenset[int]  # watched results
    record: Record
    places: list[Place] = field(default_factory=list)
    search: Search | None = None  # of the first fault


def locate(watched: Watched, known: Derivation, program: Program, record: Record) -> Located:
    """Look for faults until everything is right or nothing more is found."""
    search = Search(watched, program, record)
    located = Located(program, search.wrong, record, search=search)
    base: list[Swap] = []
    for _ in range(ROUNDS):
        places = _places(search, known)
        located.places += places
        repaired = [place.repairs[0] for place in places if place.repairs]
        if not repaired or places[0].alone:
            break
        for repair in repaired:
            base += repair.unit.swaps(repair.candidate.array)
        again = watched.record(program, PARTS, base=base)
        if not (again.errors > program.limit).any():
            break
        search = Search(watched, program, again, base)
    return located


def _places(search: Search, known: Derivation) -> list[Place]:
    wrong = search.wrong
    if not wrong:  # right this time: a layer that does not always give the same
        return []
    phases = {index: _phase(search.program, index) for index in wrong}
    first = min(phases.values())
    focus = frozenset(index for index in wrong if phases[index] == first)
    chosen = [u for u in search.units if u.at.kind in STATEMENTS and u.operation <= first]
    search.influence(chosen)
    suspects = _suspects(search, chosen, focus)
    aims = sorted(focus)
    whole = [u for u in chosen if u.changes[aims].all()]  # no other can make all of it right
    repairs: list[Repair] = []
    for named in (True, False):
        repairs += search.repairs(whole, focus, named)
        for goal in (wrong, focus):
            full = [r for r in repairs if r.fixed >= goal]
            if any(_role(search, known, r) != UNDONE for r in full):
                place = ranked(search, known, full, alone=goal == wrong)
                if not suspects or suspects[0].order >= place.since:
                    return [place]  # nothing before it is suspect too
        if search.raised:
            break
    for goal in (wrong, focus):
        full = [r for r in repairs if r.fixed >= goal]
        if full and suspects:
            return _undecided(search, known, chosen, focus, suspects[0], full, alone=goal == wrong)
    together = _together(search, chosen, focus)
    if together:
        return [_place([repair], False) for repair in together]
    if search.raised:
        return []  # the exception has a line
    inside = [u for u in search.units if u.at.kind == "part" and u.operation <= first]
    search.influence(inside)
    parts = search.repairs(inside, focus, named=True) + search.repairs(inside, focus, named=False)
    for goal in (wrong, focus):
        full = [r for r in parts if r.fixed >= goal]
        if full:
            return [ranked(search, known, full, alone=goal == wrong)]
    some = [u for u in chosen if u.changes[aims].any() and not u.changes[aims].all()]
    repairs += parts + search.repairs(some, focus, named=True) + search.repairs(some, focus, named=False)
    if repairs:
        most = max(len(r.fixed) for r in repairs)
        return [ranked(search, known, [r for r in repairs if len(r.fixed) == most], alone=False)]
    return [Place(tuple(suspects[:FEW]))] if suspects else []


def _undecided(
    search: Search,
    known: Derivation,
    chosen: Sequence[Unit],
    focus: frozenset[int],
    suspect: Unit,
    full: Sequence[Repair],
    alone: bool,
) -> list[Place]:
    """Lines that repair everything, where a line before them is wrong too."""
    place = ranked(search, known, full, alone)
    reshaped = [r for r in search.reshaped(suspect, focus) if r.fixed >= full[0].fixed & focus]
    if reshaped:
        return [_place(reshaped[:1], alone)]
    together = _together(search, chosen, focus)
    ahead = [r for r in full if [r.unit] == [t.unit for t in together]]
    if together and not ahead and together[0].unit.order < place.units[0].order:
        return [_place([repair], False) for repair in together]
    rest = [u for u in place.units if not ahead or u is not ahead[0].unit]
    return [Place((*(r.unit for r in ahead), *rest, suspect), (*ahead, *place.repairs), alone)]


def _place(repairs: Sequence[Repair], alone: bool, since: int = 0) -> Place:
    return Place(tuple(r.unit for r in repairs), tuple(repairs), alone, since)


def _phase(program: Program, watched: int) -> int:
    """The operation that makes a watched result: the last one that runs the student's code."""
    at = program.watched[watched][1]
    return max((i for i in range(at + 1) if program.method(i)), default=at)


def ranked(search: Search, known: Derivation, repairs: Sequence[Repair], alone: bool) -> Place:
    """The earliest value that is wrong; where a right value is repaired, a step after it is missing."""
    best: dict[int, Repair] = {}
    for repair in repairs:
        key = repair.unit.order
        if key not in best or _cost(search, known, repair) < _cost(search, known, best[key]):
            best[key] = repair
    in_order = [best[key] for key in sorted(best)]
    roles = {r.unit.order: _role(search, known, r) for r in in_order}
    wrong = [r for r in in_order if roles[r.unit.order] == WRONG]
    missing = [r for r in in_order if roles[r.unit.order] == BEFORE]
    if not (wrong or missing):
        return _place(in_order[:FEW], alone, in_order[0].unit.order)
    if not missing or (wrong and wrong[0].unit.order < missing[0].unit.order):
        early = [r for r in in_order if roles[r.unit.order] == EARLY][-1:]
        # The value of something else may have been made there, or be used in place of the right one later.
        used = [r for r in wrong[1:] if search.provenance.exact(r.unit.array)]
        used = [r for r in used if _alike(r.unit.array, wrong[0].unit.array)][-1:]
        found = dict.fromkeys([*_callers(search, wrong), *used, *early])
        return _place(list(found), alone, wrong[0].unit.order)
    first = missing[0]
    run = [r for r in missing if _alike(first.unit.array, r.unit.array)]
    ahead = [r for r in run if not r.unit.handed_on] or run
    picked = list(dict.fromkeys([*ahead[::-1][:1], run[-1], *ahead[::-1][1:2], *wrong[:1]]))[:FEW]
    units = (*_passed(search, first), *(r.unit for r in picked))
    return Place(units, tuple(picked), alone, first.unit.order)


def _callers(search: Search, wrong: Sequence[Repair]) -> list[Repair]:
    """The first wrong value and, where a function returned it, the line that called the function.

    The caller comes first where the function is right when others call it, or is given something wrong.
    """
    first, function = wrong[0], search.watched.function
    inside = function(first.unit.at.line)
    called = [r for r in wrong[1:] if r.unit.handed_on and function(r.unit.at.line) != inside][:1]
    elsewhere = [u for u in search.units if u.site == first.unit.site and u is not first.unit]
    given = [
        u for u in search.units
        if called and u.at.statement == called[0].unit.at.statement and u.order < first.unit.order
    ]  # fmt: skip
    exact = search.provenance.exact
    blamed = any(exact(u.array) for u in elsewhere) or not all(exact(u.array) for u in given)
    return [*called, first] if blamed else [first, *called]


def _passed(search: Search, right: Repair) -> list[Unit]:
    """Where a right value that lacks a step has its step and is not used, or is passed on by a function."""
    later = [u for u in search.units if u.order > right.unit.order]
    unused = [
        u for u in later
        if u.at.kind in STATEMENTS and u.changes.size and not u.changes.any()
        and _alike(u.array, right.candidate.array)
    ]  # fmt: skip
    inside = search.watched.function(right.unit.at.line)
    complete = any(v.name for v in search.provenance.exact(right.unit.array))  # no half of a step
    passed = [
        u for u in later
        if complete and u.at.kind == "part" and u.handed_on and _alike(u.array, right.unit.array)
        and search.watched.function(u.at.line) != inside
    ]  # fmt: skip
    return [*unused[:1], *passed[-1:]]


INITIAL = ("initial", "initial seed")
WRONG, BEFORE, EARLY, UNDONE = range(4)


def _role(search: Search, known: Derivation, repair: Repair) -> int:
    """What a repaired value is: wrong; right, with a step missing after it; right, with a step too many
    that may be in it; or right, and the repair does no more than make up for what comes later."""
    own = [v for v in search.provenance.exact(repair.unit.array) if v.operation == repair.unit.operation]
    if not own:
        return WRONG
    if search.program.name not in ("values", *INITIAL):
        return UNDONE  # on ordinary numbers this line was right
    if search.program.name == "values" and search.program.method(repair.unit.operation) == "__init__":
        # What a constructor keeps is right under any name but that of something else.
        name = repair.unit.at.name.lstrip(".")
        meant = [v for v in search.program.values if v.name == name and v.operation == repair.unit.operation]
        return WRONG if meant and not any(v in own for v in meant) else UNDONE
    follows = known.follows(search.program)
    values = search.program.values
    at = _index(values, repair.candidate.value)
    mine = [_index(values, v) for v in own]
    if any(follows[m, at] for m in mine):
        return BEFORE if repair.candidate.value.name else UNDONE
    if any(follows[at, m] for m in mine):
        return EARLY if repair.candidate.value.name else UNDONE
    return UNDONE if repair.unit.at.name.lstrip(".") in {v.name for v in own} else WRONG


def _index(values: Sequence[object], value: object) -> int:
    return next(i for i, other in enumerate(values) if other is value)


def _cost(search: Search, known: Derivation, repair: Repair) -> tuple[bool, bool, int]:
    candidate = repair.candidate
    return candidate.inserted, not candidate.value.name, _role(search, known, repair)


def _alike(a: Array, b: Array) -> bool:
    """Whether two arrays hold the same numbers."""
    return a.size == b.size and np.array_equal(np.sort(a, axis=None), np.sort(b, axis=None))


def _suspects(search: Search, chosen: Sequence[Unit], focus: frozenset[int]) -> list[Unit]:
    """Values that the derivation does not have and on which all that is wrong depends, in order."""
    aims = sorted(focus)
    given = search.program.name not in INITIAL  # what the constructor makes is right then
    return [
        u for u in chosen
        if u.changes.size and u.changes[aims].all() and not search.provenance.known(u.array)
        and not (given and search.program.method(u.operation) == "__init__")
    ]  # fmt: skip


def _together(search: Search, chosen: Sequence[Unit], focus: frozenset[int]) -> list[Repair]:
    """The fewest lines that together repair `focus`, each given the value that its name stands for.

    All values whose names the derivation knows are replaced at once; then those that need not be are
    left out again, the latest first.
    """
    guesses: list[Candidate] = []
    for unit in chosen:
        name = unit.at.name.lstrip(".")
        named = [v for v in search.values(unit) if v.name == name] if name else []
        if named and not any(v in named for v in search.provenance.exact(unit.array)):
            guesses += list(candidates(unit, named[-1:], named[-1:] if search.raised else ()))[:1]

    def repaired(kept: Sequence[Candidate]) -> frozenset[int]:
        rows = search.run([[swap for c in kept for swap in c.unit.swaps(c.array)]])
        left = np.flatnonzero(rows[0] > search.program.limit) if len(rows) else np.array(sorted(search.wrong))
        return search.wrong - frozenset(left.tolist())

    if not guesses or not repaired(guesses) >= focus:
        return []
    for guess in guesses[::-1]:
        fewer = [g for g in guesses if g is not guess]
        if fewer and repaired(fewer) >= focus:
            guesses = fewer
    fixed = repaired(guesses)
    return [Repair(guess, fixed) for guess in guesses]


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
    errors = watched.trials(other, trials)
    return {line for line, row in zip(lines, errors, strict=False) if (row <= other.limit).all()}


def _transferred(candidate: Candidate, other: Program) -> Iterator[Swap]:
    """The same repair in a program with other numbers."""
    value = candidate.value
    for twin in other.values if not candidate.inserted else ():
        if (twin.site, twin.run, twin.array.shape) == (value.site, value.run, value.array.shape):
            array = twin.array.transpose(candidate.order).reshape(candidate.array.shape)
            yield from candidate.unit.swaps(np.array(array if candidate.step == 1 else array[::-1]))
            return
