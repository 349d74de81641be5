"""What a person changed about a score, and why."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal

from autograder.grade.model import Flag, Grade


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
