"""A class in numbers, and one check of it, as plain text."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

from ..grade.model import CheckGrade, Grade
from ..gradebook.statistics import CheckStatistics, Statistics, causes
from .inert import inert
from .words import evidence_line, number

SHOWN = 20  # rows of a list, the most frequent first


def class_view(found: Statistics) -> str:
    """Scores, one line a check, and the mistakes that were recognised."""
    if not found.count or found.lowest is None or found.highest is None:
        return "no grades"
    lines = [
        f"{found.count} students, mean score {found.mean:.1f}, "
        f"from {number(found.lowest)} to {number(found.highest)}",
        "",
        f"{'check':<14}  {'mean':>6}  of   verdicts",
    ]
    for name, check in found.checks.items():
        lines.append(f"{name:<14}  {check.mean:>6.1f}  {number(check.max_points):<3}  {_verdicts(check)}")
    if found.mistakes:
        lines += ["", f"{'students':>8}  mistake", *_ranked(found.mistakes)]
    return "\n".join(lines)


def check_view(grades: Iterable[Grade], check_id: str) -> str:
    """One check over a class: verdicts, mistakes, and a line for each student who lost points in it."""
    found, mistakes, rows = None, Counter[str](), []
    for grade in grades:
        for check in grade.checks:
            if check.id != check_id:
                continue
            found = found or CheckStatistics(check.title, check.max_points)
            found.add(check)
            mistakes.update(causes(check))
            if check.points < check.max_points:
                rows.append(_row(grade.student, check))
    if found is None:
        return f"no grades of {check_id}"
    lines = [
        f"{check_id}: {found.title}",
        f"{found.count} students, mean {found.mean:.1f} of {number(found.max_points)}: {_verdicts(found)}",
    ]
    if mistakes:
        lines += ["", f"{'students':>8}  mistake", *_ranked(mistakes)]
    return "\n".join([*lines, "", *rows] if rows else lines)


def _row(student: str, check: CheckGrade) -> str:
    first = next((e for e in check.evidence if e.verdict != "passed"), None)
    says = evidence_line(first) if first else ""
    return f"{inert(student)}: {number(check.points)} of {number(check.max_points)}  {says}".rstrip()


def _verdicts(check: CheckStatistics) -> str:
    return ", ".join(f"{count} {verdict}" for verdict, count in _sorted(check.verdicts))


def _ranked(counts: Counter[str]) -> list[str]:
    rows = [f"{count:>8}  {name}" for name, count in _sorted(counts)]
    rest = len(rows) - SHOWN
    return rows if rest <= 0 else [*rows[:SHOWN], f"and {rest} further mistakes"]


def _sorted(counts: Counter[str]) -> list[tuple[str, int]]:
    """The most frequent first, equals by name."""
    return sorted(counts.items(), key=lambda pair: (-pair[1], pair[0]))
