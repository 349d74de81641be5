"""One student's report as plain text. No colour carries meaning, so none is used."""

from __future__ import annotations

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
