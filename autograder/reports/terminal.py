"""One student's report and a class's table as plain text. No colour carries meaning, so none is used."""

from __future__ import annotations

from array import array
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from statistics import median

from ..grade.model import CheckGrade, Evidence, Grade
from .inert import inert

MAX_LINES = 12  # of one check


def number(value: float) -> str:
    return f"{value:g}"


def evidence_line(evidence: Evidence, where: Callable[[int], str] = lambda line: f"line {line}") -> str:
    """One measured fact as a line of text."""
    parts = [f"{evidence.tensor} {evidence.measure}".strip()]
    if evidence.shape:
        parts[0] = f"{evidence.tensor} {tuple(evidence.shape)}: {evidence.measure}"
    if evidence.value is not None:
        shown = f"{evidence.value:.2g}" if isinstance(evidence.value, float) else str(evidence.value)
        parts[0] += f" {shown}"
    if evidence.limit is not None and not evidence.line:
        parts.append(
            f"expected {evidence.limit}" if isinstance(evidence.limit, str) else f"limit {evidence.limit:g}"
        )
    if evidence.at is not None and evidence.yours is not None:
        at = ", ".join(map(str, evidence.at))
        parts.append(f"worst at ({at}): yours {evidence.yours:g}, expected {evidence.expected:g}")
    if evidence.line:
        parts.append(where(evidence.line))
    return inert(f"{evidence.part}: {evidence.verdict}: " + ", ".join(parts))


def check_lines(check: CheckGrade, where: Callable[[int], str]) -> list[str]:
    head = f"{check.verdict:<12} {check.id:<14} {number(check.points):>5} of {number(check.max_points)}"
    lines = [f"{head}  {check.title}"]
    wrong = [e for e in check.evidence if e.verdict != "passed"]
    if wrong and all((e.verdict, e.measure, e.value) == (wrong[0].verdict, wrong[0].measure, wrong[0].value)
                     for e in wrong) and not wrong[0].at:  # fmt: skip
        same = wrong[0].model_copy(
            update={"part": "all parts" if len(wrong) == len(check.evidence) else wrong[0].part}
        )
        if len(wrong) == len(check.evidence):
            wrong = [same]
    shown = wrong[: MAX_LINES - 1]
    lines += [f"    {evidence_line(e, where)}" for e in shown]
    if len(wrong) > len(shown):
        lines.append(f"    and {len(wrong) - len(shown)} more")
    return lines


def student_report(grade: Grade, where: Callable[[int], str] = lambda line: f"line {line}") -> str:
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
