"""Which of a student's attempts counts."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Literal

Policy = Literal["latest", "best", "last-before-deadline"]


@dataclass(frozen=True)
class Attempt:
    """One attempt without its grade. `submitted_at` is ISO 8601 in UTC, '' when unknown."""

    id: int
    number: int
    score: float
    submitted_at: str


def choose(attempts: Sequence[Attempt], policy: Policy, due: str = "") -> Attempt | None:
    """The attempt that counts, of attempts in the order in which they came.

    Of two attempts with a time the later one is the latest; without, the one that came later. "best" is
    the highest score, the latest of equals. "last-before-deadline" is the latest of those not behind `due`;
    an attempt of unknown time counts as in time. None when no attempt remains.
    """
    chosen: Attempt | None = None
    for attempt in attempts:
        if policy == "last-before-deadline" and attempt.submitted_at > due:
            continue
        if chosen is None or _prefers(attempt, chosen, policy):
            chosen = attempt
    return chosen


def _prefers(new: Attempt, old: Attempt, policy: Policy) -> bool:
    if policy == "best" and new.score != old.score:
        return new.score > old.score
    return not (new.submitted_at and old.submitted_at) or new.submitted_at >= old.submitted_at


def utc(moment: datetime) -> str:
    """A moment as text that sorts by time. One without a zone is this machine's local time."""
    try:
        moment = moment.astimezone(UTC)
    except (ValueError, OverflowError, OSError):  # local time knows no year 1
        moment = moment.replace(tzinfo=UTC)
    return moment.isoformat(timespec="microseconds")
