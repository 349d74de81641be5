"""A class as one line a student and a summary, in plain text, of any size."""

from __future__ import annotations

from array import array
from collections import Counter
from collections.abc import Iterable, Iterator
from itertools import islice
from statistics import median
from typing import Literal, get_args

from ..grade.model import Grade
from ..gradebook.statistics import causes
from .inert import inert
from .words import number

Sort = Literal["name", "score", "flags"]
SORTS: tuple[Sort, ...] = get_args(Sort)
ROWS = 200  # students that are listed
TOP = 5  # causes that are listed
QUIET = ("note", "adjusted", "taken-back", "late", "time-unknown")  # flags that ask nobody to look


def class_table(
    grades: Iterable[Grade], students: Iterable[str], width: int = 80, sort: Sort = "name"
) -> Iterator[str]:
    """Lines of text. `students` are all ids that will come; by "score" the lowest first, by "flags" the most.

    Holds the text of the rows at most, never the grades.
    """
    longest = max((len(inert(student)) for student in students), default=0)
    summary = _Summary()
    rows: list[tuple[float, str]] = []
    for grade in grades:
        if not summary.ids:
            summary.ids = [check.id for check in grade.checks]
            room = max(8, min(longest, width - 9 - sum(len(id) + 2 for id in summary.ids)))
            yield f"{'student':<{room}}  {'score':>6}  " + "  ".join(summary.ids)
        summary.add(grade)
        if sort == "name" and len(summary.scores) <= ROWS:
            yield _row(grade, room)
        elif sort != "name":
            rows.append((grade.score if sort == "score" else -len(_flags(grade)), _row(grade, room)))
    rows.sort(key=lambda pair: pair[0])  # stable: equals stay in the order of names
    yield from (text for _, text in rows[:ROWS])
    yield from summary.lines()


class _Summary:
    def __init__(self) -> None:
        self.ids: list[str] = []
        self.scores = array("d")
        self._full, self._causes, self._flags = Counter[str](), Counter[str](), Counter[str]()
        self._levels: set[str] = set()
        self._timeouts = 0

    def add(self, grade: Grade) -> None:
        self.scores.append(grade.score)
        self._full.update(c.id for c in grade.checks if c.verdict == "passed")
        self._causes.update({cause for check in grade.checks for cause in causes(check)})
        self._flags.update(_flags(grade))
        self._timeouts += any(check.verdict == "timeout" for check in grade.checks)
        self._levels.add(f"{grade.isolation.level}: {grade.isolation.detail}")

    def lines(self) -> Iterator[str]:
        count = len(self.scores)
        if not count:
            yield "no submissions"
            return
        if count > ROWS:
            yield f"and {count - ROWS} more; all are in grades.csv"
        yield ""
        yield f"{count} submissions, median {number(median(self.scores))}"
        for id in self.ids:
            yield f"{self._full[id]} of {count} pass {id}"
        ranked = sorted(self._causes.items(), key=lambda pair: (-pair[1], pair[0]))
        for cause, made in islice(ranked, TOP):
            yield f"{made} x {cause}"
        if len(ranked) > TOP:
            yield f"and {len(ranked) - TOP} further mistakes; autograder report lists them"
        if self._timeouts:
            yield f"{self._timeouts} with a check that ran out of time"
        if self._flags:
            yield "for a person first: " + ", ".join(f"{n} {kind}" for kind, n in sorted(self._flags.items()))
        for level in sorted(self._levels):
            yield f"isolation {level}"


def _flags(grade: Grade) -> list[str]:
    return sorted({flag.kind for flag in grade.flags if flag.kind not in QUIET})


def _row(grade: Grade, room: int) -> str:
    name = inert(grade.student)
    name = name if len(name) <= room else name[: room - 1] + "…"
    cells = [f"{c.verdict if c.verdict != 'passed' else 'ok':<{len(c.id)}.{len(c.id)}}" for c in grade.checks]
    kinds = sorted({flag.kind for flag in grade.flags if flag.kind != "note"})
    flags = f"  [{', '.join(kinds)}]" if kinds else ""
    return f"{name:<{room}}  {number(grade.score):>6}  {'  '.join(cells)}{flags}".rstrip()
