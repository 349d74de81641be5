"""What lateness and a person changed about a score, and why."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal

from autograder.grade.model import Flag, Grade
from autograder.gradebook.policy import Attempt, Rules


@dataclass(frozen=True)
class Adjustment:
    """`points` are added to the score, or are the score. `made_at` is ISO 8601 in UTC."""

    kind: Literal["add", "set"]
    points: float
    reason: str
    name: str
    made_at: str

    def __str__(self) -> str:
        change = f"{self.points:+g} points" if self.kind == "add" else f"score set to {self.points:g}"
        return f"{change}: {self.reason} ({self.name}, {self.made_at[:10]})"


def adjusted(grade: Grade, adjustments: Iterable[Adjustment]) -> Grade:
    """The grade with its score adjusted in order, never below 0, and a flag for each adjustment.

    The checks stay as they were graded, so the score need not be their sum any more.
    """
    score, flags = grade.score, list(grade.flags)
    for adjustment in adjustments:
        score = (
            adjustment.points if adjustment.kind == "set" else max(0.0, round(score + adjustment.points, 9))
        )
        flags.append(Flag(kind="adjusted", detail=str(adjustment)))
    return grade.model_copy(update={"score": score, "flags": tuple(flags)})


def late(grade: Grade, attempt: Attempt, rules: Rules) -> Grade:
    """The grade with what its lateness costs, and a flag that says so or that no time is known."""
    if rules.late is None:
        return grade
    if not attempt.submitted_at:
        detail = "no time of handing in is known, so nothing is taken off"
        return grade.model_copy(update={"flags": (*grade.flags, Flag(kind="time-unknown", detail=detail))})
    days = rules.late.days(attempt.submitted_at)
    if not days:
        return grade
    score = rules.score(attempt)
    detail = (
        f"handed in {attempt.submitted_at[:16]} UTC, due {rules.late.due.isoformat(timespec='minutes')}: "
        f"day {days} after the deadline, {grade.score - score:g} of {grade.score:g} points taken off"
    )
    return grade.model_copy(
        update={"score": score, "flags": (*grade.flags, Flag(kind="late", detail=detail))}
    )
