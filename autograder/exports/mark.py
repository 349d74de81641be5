"""The number that a grade book gets."""

from __future__ import annotations

from autograder.exports.csv import cell
from autograder.grade.model import Grade


def set_by_hand(grade: Grade) -> bool:
    """Whether a person has set the score, whatever the checks say, and has not taken that back."""
    return any(flag.kind == "adjusted" and flag.detail.startswith("score set to ") for flag in grade.flags)


def faulted(grade: Grade) -> bool:
    """Whether the grader failed and no person has set a score since: there is then no mark."""
    return any(flag.kind == "grader-fault" for flag in grade.flags) and not set_by_hand(grade)


def mark(grade: Grade, none: str = "") -> str:
    """The score as a cell; `none` where the grader failed, which marks nobody down."""
    return none if faulted(grade) else cell(grade.score)
