"""What a check says, in lines of plain text: the same words in every tool."""

from __future__ import annotations

from autograder.grade.model import CheckGrade, Grade
from autograder.reports.inert import inert
from autograder.reports.terminal import MAX_LINES, evidence_line, number


def words(check: CheckGrade) -> list[str]:
    """The diagnosis where there is one, else the evidence; at most 12 lines, none for a passed check.

    Every line is inert. Evidence that says the same of several parts is said once.
    """
    if check.verdict == "passed":
        return []
    if check.diagnosis is not None:
        return [inert(line) for line in check.diagnosis.sentence.splitlines()][:MAX_LINES]
    wrong = [e for e in check.evidence if e.verdict != "passed"]
    lines = list(dict.fromkeys(evidence_line(e.model_copy(update={"part": ""}))[2:] for e in wrong))
    if len(lines) == len(wrong):  # each part says something of its own
        lines = [evidence_line(e) for e in wrong]
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
    paragraphs += [f"{flag.kind}: {inert(flag.detail)}" for flag in grade.flags if flag.kind == "unreadable"]
    return "\n\n".join(paragraphs)
