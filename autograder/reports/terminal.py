"""One student's report and a class's table as plain text. No colour carries meaning, so none is used."""

from __future__ import annotations

from array import array
from collections import Counter
from collections.abc import Iterable, Iterator
from statistics import median

from ..grade.model import CheckGrade, Grade
from .inert import inert
from .words import MAX_LINES, Where, line_number, number, words


def check_lines(check: CheckGrade, where: Where = line_number) -> list[str]:
    head = f"{check.verdict:<12} {check.id:<14} {number(check.points):>5} of {number(check.max_points)}"
    return [f"{head}  {check.title}", *(f"    {line}" for line in words(check, where)[: MAX_LINES - 1])]


def student_report(grade: Grade, where: Where = line_number) -> str:
    """What one student's grade says, at most 12 lines a check."""
    lines = [
        f"{inert(grade.student)}: {number(grade.score)} of {number(grade.max_score)}  ({grade.assignment})"
    ]
    for check in grade.checks:
        lines += check_lines(check, where)
    lines += [f"flag {flag.kind}: {inert(flag.detail)}" for flag in grade.flags]
    lines.append(f"isolation {grade.isolation.level}: {grade.isolation.detail}")
    return "\n".join(lines)


def class_table(grades: Iterable[Grade], students: Iterable[str], width: int = 80) -> Iterator[str]:
    """One line a student and a summary, of a class of any size. `students` are all ids that will come."""
    longest = max((len(inert(student)) for student in students), default=0)
    scores, full, levels = array("d"), Counter[str](), set[str]()
    ids: list[str] = []
    room = 0
    for grade in grades:
        if not scores:
            ids = [check.id for check in grade.checks]
            room = max(8, min(longest, width - 9 - sum(len(i) + 2 for i in ids)))
            yield f"{'student':<{room}}  {'score':>6}  " + "  ".join(ids)
        yield _row(grade, room)
        scores.append(grade.score)
        full.update(c.id for c in grade.checks if c.verdict == "passed")
        levels.add(f"{grade.isolation.level}: {grade.isolation.detail}")
    if not scores:
        yield "no submissions"
        return
    yield ""
    yield f"{len(scores)} submissions, median {number(median(scores))}"
    for i in ids:
        yield f"{full[i]} of {len(scores)} pass {i}"
    for level in sorted(levels):
        yield f"isolation {level}"


def _row(grade: Grade, room: int) -> str:
    name = inert(grade.student)
    name = name if len(name) <= room else name[: room - 1] + "…"
    cells = [f"{c.verdict if c.verdict != 'passed' else 'ok':<{len(c.id)}.{len(c.id)}}" for c in grade.checks]
    kinds = sorted({flag.kind for flag in grade.flags if flag.kind != "note"})
    flags = f"  [{', '.join(kinds)}]" if kinds else ""
    return f"{name:<{room}}  {number(grade.score):>6}  {'  '.join(cells)}{flags}".rstrip()
