"""Where the fault is: the lines of a submission that the evidence allows, and the fault in formula terms."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import zip_longest

import numpy as np

from ..checks.problem import Problem
from ..grade.model import Line
from ..layer import Stopped, WalledLayer
from .algebra import described
from .derivation import FIRST_PRIMES, Derivation, derivation
from .locate import FEW, Located, Place, confirmed, locate
from .programs import Program
from .state import changed, extent, later, overwritten, state, structural, unwritten, writers
from .watching import PARTS, STATEMENTS, Record, Unusable, Watched

MANY_EVENTS = 1000  # of one pass: plain Python loops over entries


@dataclass(frozen=True)
class LineFinding:
    """What was found. The text of a line is empty: the caller has the submission's bytes and fills it in."""

    lines: tuple[Line, ...] = ()  # best first; several where the evidence does not decide
    words: tuple[str, ...] = ()  # the fault in terms of the derivation, cheapest explanation first
    tensors: tuple[str, ...] = ()  # the tensors that are wrong


def find_lines(layer: WalledLayer, problem: Problem, *, budget_seconds: float) -> LineFinding:
    """The lines that a submission's fault can be on.

    Empty when nothing is wrong, when the file does not load, and when the worker ends early: whatever a
    student does, nothing is raised. Raises ValueError when the reference itself does not run.
    """
    known = derivation(problem)
    try:
        with np.errstate(all="ignore"):  # what a layer answers may overflow anything
            watched = Watched(layer, budget_seconds)
            if slow(watched, known):
                known = derivation(problem, FIRST_PRIMES)
                watched.allowed //= 4
            return _found(watched, known)
    except (Unusable, Stopped):
        return LineFinding()


def slow(watched: Watched, known: Derivation) -> bool:
    """Whether one pass computes so much by itself that hundreds of passes want smaller arrays."""
    return len(watched.record(known.programs[0], PARTS).events) > MANY_EVENTS


def _found(watched: Watched, known: Derivation) -> LineFinding:
    program, record = _first_wrong(watched, known)
    if program is None:
        return LineFinding()
    tensors = [program.watched[i][0] for i in np.flatnonzero(record.errors > program.limit)]
    other = known.confirmation.get(program.name)
    proved: set[int] = set()
    words: list[str] = []
    if other is not None or program.name.startswith("initial"):
        located = locate(watched, known, program, record)
        numbers = _few(located)
        for place in located.places:
            words += told(known, program, place)
        if record.raised is None and not words:
            words = unwritten(watched, program, record)
        if other is not None:
            proved = confirmed(watched, located, other)
        if not proved:  # then something may have been changed behind the values
            numbers = [*_behind(watched, program, record), *(numbers or structural(watched, program, record))]
            if len(set(numbers)) < FEW and program is known.programs[0]:
                numbers += changed(watched, program, record)
            if program.name == "initial":  # right with a seed, wrong without: the default
                numbers += extent(watched, "__init__")[:1]
    else:
        numbers = state(watched, program, record)
    lines = [Line(number=n, text="", proved=n in proved) for n in dict.fromkeys(numbers) if n > 0]
    return LineFinding(tuple(lines), tuple(dict.fromkeys(words)), tuple(dict.fromkeys(tensors)))


def _behind(watched: Watched, program: Program, record: Record) -> list[int]:
    """Lines that give a parameter another value, or draw from NumPy's global generator."""
    lines = changed(watched, program, record, parameters=True)
    if program.name.startswith("initial"):
        return [*lines, *overwritten(watched, program, record)]
    return [*lines, *writers(watched, later(program, record.events), {f".{n}" for n in program.parameters})]


def told(known: Derivation, program: Program, place: Place) -> list[str]:
    """What is wrong at a place, in terms of the derivation."""
    for repair in place.repairs:
        if not repair.candidate.inserted:
            found = described(known, program, repair.unit.array, repair.candidate.value)
            if found:
                return found
    return []


def _first_wrong(watched: Watched, known: Derivation) -> tuple[Program | None, Record]:
    """The first program that does not come out right, and its run. None when all do."""
    records = watched.records([known.programs[0], *known.initial_programs])
    kinds = [p for p, r in zip(known.initial_programs, records[1:], strict=True) if np.isinf(r.errors).any()]
    program = kinds[0] if kinds else known.programs[0] if _wrong(known.programs[0], records[0]) else None
    if program is None:
        records = watched.records(known.programs[1:])
        pairs = zip(known.programs[1:], records, strict=True)
        program = next((p for p, r in pairs if _wrong(p, r)), None)
    if program is None:
        return None, records[0]
    return program, watched.record(program, PARTS if program.alone is None else STATEMENTS)


def _few(located: Located) -> list[int]:
    """The best line of each fault, then their second and third ones, as many as are worth reading."""
    ranks = zip_longest(*([unit.at.line for unit in place.units] for place in located.places))
    numbers = dict.fromkeys(line for rank in ranks for line in rank if line is not None)
    return list(numbers)[: max(FEW, len(located.places))]


def _wrong(program: Program, record: Record) -> bool:
    return bool((record.errors > program.limit).any())
