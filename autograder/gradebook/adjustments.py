"""What lateness and a person changed about a score, and why."""

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Literal

from autograder.grade.model import Flag, Grade
from autograder.gradebook.policy import Attempt, Rules

# Times what the assignment is worth: no bonus is as much, and a slip of a key or two is more. It bounds each
# amount and the score, so that no sum of amounts leaves what a float, a table or a page can show.
MOST = 10.0


@dataclass(frozen=True)
class Adjustment:
    """`points` are added to the score, or are the score. Times are ISO 8601 in UTC.

    One that was taken back has no effect and stays on record; `undone_at` is empty for one that stands.
    """

    kind: Literal["add", "set"]
    points: float
    reason: str
    name: str
    made_at: str
    undone_at: str = ""
    undone_by: str = ""
    undone_why: str = ""

    def __str__(self) -> str:
        change = f"{self.points:+g} points" if self.kind == "add" else f"score set to {self.points:g}"
        says = f"{change}: {self.reason} ({self.name}, {self.made_at[:10]})"
        if self.undone_at:
            says += f", taken back: {self.undone_why} ({self.undone_by}, {self.undone_at[:10]})"
        return says


def checked(
    points: float | None, override: float | None, worth: float
) -> tuple[Literal["add", "set"], float]:
    """The kind and the amount of an adjustment of an assignment that is `worth` so many points.

    Raises ValueError unless exactly one of the two is given, finite, at most MOST times `worth` either way,
    an override not below 0.
    """
    amount = points if override is None else override
    if amount is None or (points is not None and override is not None) or not math.isfinite(amount):
        raise ValueError("an adjustment is either points to add or the score to set, a finite number")
    if override is not None and override < 0:
        raise ValueError(f"a score is at least 0, not {override:g}")
    if abs(amount) > MOST * worth:
        raise ValueError(
            f"an adjustment is at most {MOST:g} times what the assignment is worth, "
            f"{MOST * worth:g} points, not {abs(amount):g}"
        )
    return ("add" if override is None else "set"), amount


def score_set(adjustments: Iterable[Adjustment]) -> bool:
    """Whether a person has set the score and that stands."""
    return any(each.kind == "set" and not each.undone_at for each in adjustments)


def chosen(attempts: Sequence[Attempt], adjustments: Iterable[Adjustment], rules: Rules) -> Attempt | None:
    """The attempt that counts: the one that the rules choose; else, where a person set the score, the latest.

    A score that a person set stands for an attempt that no rule lets count, such as one with an extension.
    """
    found = rules.choose(attempts)
    if found is None and score_set(adjustments):
        found = Rules().choose(attempts)
    return found


def adjusted(grade: Grade, adjustments: Sequence[Adjustment]) -> Grade:
    """The grade with its score adjusted in order, and a flag for each: `adjusted`, or `taken-back`.

    The score ends from 0 to MOST times what the assignment is worth. It is bounded after the last adjustment
    alone, so that one taken back by its opposite leaves nothing. The checks stay as they were graded, so the
    score need not be their sum any more.
    """
    if not adjustments:
        return grade
    score, flags = grade.score, list(grade.flags)
    for adjustment in adjustments:
        if not adjustment.undone_at:
            score = adjustment.points if adjustment.kind == "set" else score + adjustment.points
        kind = "taken-back" if adjustment.undone_at else "adjusted"
        flags.append(Flag(kind=kind, detail=str(adjustment)))
    score = min(max(0.0, round(score, 9)), MOST * grade.max_score)
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
