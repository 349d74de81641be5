"""The number that a grade book gets."""

from __future__ import annotations

from autograder.exports.csv import cell
from autograder.grade.model import Grade


def mark(grade: Grade, none: str = "") -> str:
    """The score as a cell; `none` where the grader failed, which marks nobody down."""
    return none if any(flag.kind == "grader-fault" for flag in grade.flags) else cell(grade.score)
