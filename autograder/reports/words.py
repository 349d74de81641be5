"""What a check says, in lines of plain text: the same words on a screen, in a report and in every tool."""

from __future__ import annotations

from collections.abc import Callable

from autograder.grade.model import CheckGrade, Evidence, Grade
from autograder.reports.inert import inert

MAX_LINES = 12  # of one check
# Flags that are the student's business.
TOLD = ("unreadable", "adjusted", "taken-back", "late", "grader-fault")

Where = Callable[[int], str]


def line_number(line: int) -> str:
    return f"line {line}"


def number(value: float) -> str:
    return f"{value:g}"


def evidence_line(evidence: Evidence, where: Where = line_number) -> str:
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


def words(check: CheckGrade, where: Where = line_number) -> list[str]:
    """The diagnosis where there is one, else the evidence; at most 12 lines, none for a passed check.

    Every line is inert. Evidence that says the same of several parts is said once.
    """
    if check.verdict == "passed":
        return []
    if check.diagnosis is not None:
        return [inert(line) for line in check.diagnosis.sentence.splitlines()][:MAX_LINES]
    wrong = [e for e in check.evidence if e.verdict != "passed"]
    lines = list(dict.fromkeys(evidence_line(e.model_copy(update={"part": ""}), where)[2:] for e in wrong))
    if len(lines) == len(wrong):  # each part says something of its own
        lines = [evidence_line(e, where) for e in wrong]
    if len(lines) > MAX_LINES:
        lines = [*lines[: MAX_LINES - 1], f"and {len(lines) - MAX_LINES + 1} more"]
    return lines


def points(check: CheckGrade) -> str:
    return f"{number(check.points)} of {number(check.max_points)}"


def summary(grade: Grade) -> str:
    """A grade as one paragraph a check, for a tool with a single field of feedback."""
    paragraphs = [
        "\n".join([f"{check.title}: {points(check)}, {check.verdict}", *words(check)])
        for check in grade.checks
    ]
    paragraphs += [f"{flag.kind}: {inert(flag.detail)}" for flag in grade.flags if flag.kind in TOLD]
    return "\n\n".join(paragraphs)
