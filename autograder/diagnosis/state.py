"""Faults that are no wrong value: other kinds of results, missing attributes, arrays changed in place."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np

from .programs import ZERO_GRAD, Program
from .provenance import same
from .watching import STATEMENTS, Event, Record, Watched

FEW = 3


def structural(watched: Watched, program: Program, record: Record) -> list[int]:
    """Where a result comes from that is of another kind, or does not come at all."""
    if record.raised is not None and record.raised.lines:
        frames = record.raised.lines[::-1]
        read = attributes(watched, program, frames[0])
        stored = writers(watched, later(program, record.events), read)
        misnamed = conflicting(watched, program, record)
        missing = [] if stored or misnamed or not read else unread(watched, program, record)
        found = [*misnamed[:1], *stored[-1:], frames[0], *missing[:1], *feeding(watched, record, frames[0])]
        return list(dict.fromkeys([*found, *frames[1:]]))[:FEW]
    index = next((i for i, error in enumerate(record.errors) if error > program.limit), None)
    if index is None:  # right this time
        return []
    operation = program.watched[index][1]
    op = program.script.ops[operation]
    if op[0] == "get":
        made = record.events if program.name.startswith("initial") else later(program, record.events)
        stored = writers(watched, made, {f".{op[2]}"})
        if stored:
            return stored[-1:]
        # Computed, and kept under another name or none.
        expected = program.expected[index][0]
        here = [e for e in record.events if watched.sites[e.site].kind == "assign"]
        arrays = here if isinstance(expected, np.ndarray) else []
        computed = [watched.sites[e.site].line for e in arrays if same(e.array, expected)]
        if computed:
            return [*computed[-1:], *computed[:1]]
        if op[2] not in program.parameters and program.name == "cache":
            return unread(watched, program, record)[:FEW]
        operation = max((i for i in range(operation) if program.method(i) not in ("", "__init__")), default=0)
    if program.name.startswith("initial"):
        return ending(watched, program, record, "__init__")
    return ending(watched, program, record, program.method(operation))


def unwritten(watched: Watched, program: Program, record: Record) -> list[str]:
    """Words for gradients that no line gives a value."""
    found = []
    for (tensor, operation), error in zip(program.watched, record.errors, strict=True):
        op = program.script.ops[operation]
        missing = op[0] == "get" and np.isinf(error) and program.name == "values"
        if missing and not writers(watched, later(program, record.events), {f".{op[2]}"}):
            found.append(f"no line gives {tensor} a value")
    return found


def ending(watched: Watched, program: Program, record: Record, method: str) -> list[int]:
    """Where a method ends: its last return, the last line that ran in it, its first line."""
    first, last = extent(watched, method)
    inside = [s.line for s in watched.sites if s.kind == "return" and first <= s.line <= last]
    ran = [watched.sites[e.site].line for e in record.events if program.method(e.operation) == method]
    return [*dict.fromkeys(inside[-1:] + ran[-1:]), first]


def later(program: Program, events: Iterable[Event]) -> list[Event]:
    """Events that are not of a constructor."""
    return [event for event in events if program.method(event.operation) != "__init__"]


def attributes(watched: Watched, program: Program, line: int) -> set[str]:
    """Names of attributes that a line reads, parameters apart."""
    read = {s.name for s in watched.sites if s.line == line and s.kind == "name" and s.name[:1] == "."}
    return read - {f".{name}" for name in program.parameters}


def feeding(watched: Watched, record: Record, line: int) -> list[int]:
    """The line that gave a local which `line` reads its value, the latest of them."""
    read = {s.name for s in watched.sites if s.line == line and s.kind == "name"}
    ran = [watched.sites[event.site] for event in record.events]
    given = [s.line for s in ran if s.kind in ("assign", "update") and s.name in read and s.line != line]
    return given[-1:]


def conflicting(watched: Watched, program: Program, record: Record) -> list[int]:
    """Lines of the constructor that keep a value of the derivation under the name of another one."""
    found = []
    for event in record.events:
        site, name = watched.sites[event.site], watched.sites[event.site].name.lstrip(".")
        if program.method(event.operation) == "__init__" and site.kind == "assign" and name:
            here = [v for v in program.values if program.method(v.operation) == "__init__"]
            meant = [v for v in here if v.name == name]
            another = meant and not any(same(event.array, v.array) for v in meant)
            if another and any(same(event.array, v.array) for v in here):
                found.append(site.line)
    return found


def unread(watched: Watched, program: Program, record: Record) -> list[int]:
    """Lines of forward that keep something on the layer, the last first; else where forward ends."""
    ran = [watched.sites[e.site] for e in record.events if program.method(e.operation) == "forward"]
    kept = [site.line for site in ran if site.kind == "assign" and site.name.startswith(".")]
    return kept[::-1] or ending(watched, program, record, "forward")


def overwritten(watched: Watched, program: Program, record: Record) -> list[int]:
    """Lines of a constructor that give a parameter its value once more."""
    lines = {name: writers(watched, record.events, {f".{name}"}) for name in program.parameters}
    return [again for given in lines.values() for again in given[1:]]


def extent(watched: Watched, method: str) -> tuple[int, int]:
    """First and last line of a method, as far as the names of functions tell; (0, 0) when there is none."""
    starts = [line for name, line in watched.methods if name == method]
    if not starts:
        return 0, 0
    later = [line for _, line in watched.methods if line > starts[-1]]
    return starts[-1], min(later, default=1 << 30) - 1


def writers(watched: Watched, events: Iterable[Event], names: set[str]) -> list[int]:
    """Lines that give an attribute of these names a value, in order."""
    sites = watched.sites
    return [
        sites[e.site].line for e in events
        if sites[e.site].kind in ("assign", "update") and sites[e.site].name in names
    ]  # fmt: skip


def state(watched: Watched, program: Program, record: Record) -> list[int]:
    """Where a layer keeps too much, too little or for too long."""
    numbers = changed(watched, program, record)
    at = diverges(watched, program, record)
    if at is not None:
        line, before = at
        read = attributes(watched, program, line)
        numbers += [*writers(watched, later(program, before), read)[-1:], line]
    if program.name.startswith(ZERO_GRAD):
        numbers += cleared(watched, program, record)
    return list(dict.fromkeys(numbers or structural(watched, program, record)))[:FEW]


def changed(watched: Watched, program: Program, record: Record, parameters: bool = False) -> list[int]:
    """Lines that change in place what is wrong, a parameter, or what the layer keeps for backward.

    With `parameters` only those that change a parameter or NumPy's global generator.
    """
    sites = watched.sites
    wrong = {program.watched[i][1] for i, error in enumerate(record.errors) if error > program.limit}
    sources = {op.index if hasattr(op, "index") else -1 for i in wrong for op in program.script.ops[i][1:2]}
    found = []
    for change in watched.changes(program):
        held = change.name in program.parameters or change.name == "np.random"
        if not held and (parameters or not (change.source in wrong | sources or change.name)):
            continue
        site, before = sites[change.site], sites[change.before]
        inside = change.site >= 0 and (
            site.kind in ("update", "effect") or change.before < 0 or site.statement == before.statement
        )
        line = site.line if inside else before.line
        weight = 0 if held or change.source in wrong | sources else 1
        found.append((weight, line))
    return [line for _, line in sorted(found, key=lambda item: item[0])]


def diverges(watched: Watched, program: Program, record: Record) -> tuple[int, Sequence[Event]] | None:
    """(line, events before it) of the first value that a layer of its own would not have given."""
    if program.alone is None:
        if record.raised is not None and record.raised.lines:
            return record.raised.lines[-1], record.events
        return None
    other = watched.record(program.alone, STATEMENTS)
    for here, there in sorted(program.alone.twin.items()):
        ours = [(i, e) for i, e in enumerate(record.events) if e.operation == here]
        theirs = [e for e in other.events if e.operation == there]
        for (i, mine), yours in zip(ours, theirs, strict=False):
            if mine.site != yours.site or not same(mine.array, yours.array):
                return watched.sites[mine.site].line, record.events[:i]
        if len(ours) != len(theirs):
            if record.raised is not None and record.raised.lines:
                return record.raised.lines[-1], [e for e in record.events if e.operation < here]
            last = ours[-1][0] if ours else 0
            return watched.sites[record.events[last].site].line, record.events[: last + 1]
    return None


def cleared(watched: Watched, program: Program, record: Record) -> list[int]:
    """Lines of zero_grad that give something wrong its value, else its first line."""
    operation = max(i for i in range(len(program.script.ops)) if program.method(i) == ZERO_GRAD)
    wrong = {program.watched[i][0] for i, error in enumerate(record.errors) if error > program.limit}
    here = [e for e in record.events if e.operation == operation]
    first, last = extent(watched, ZERO_GRAD)
    lines = writers(watched, here, {f".{name}" for name in wrong})
    return [line for line in lines if first <= line <= last] + [first]
