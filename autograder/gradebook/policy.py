"""What a late submission costs, and which of several attempts counts."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta, tzinfo
from typing import Literal

Policy = Literal["latest", "best", "last-before-deadline"]

UTC_SUFFIX = "+00:00"
_DAY = timedelta(days=1)


@dataclass(frozen=True)
class Attempt:
    """One attempt without its grade. `submitted_at` is ISO 8601 in UTC, '' when unknown."""

    id: int
    number: int
    score: float
    submitted_at: str


@dataclass(frozen=True)
class Late:
    """A deadline and its price: nothing within `grace` of `due`, then `per_day` points for each day begun
    since `due`, at most `at_most`."""

    due: datetime  # of a known zone
    grace: timedelta = timedelta()
    per_day: float = 0.0
    at_most: float = math.inf

    def days(self, submitted_at: str) -> int:
        """Days begun since the deadline; 0 in time, within the grace, and when the time is not known."""
        if not submitted_at or submitted_at <= utc(self.due + self.grace):
            return 0
        return math.ceil((datetime.fromisoformat(submitted_at) - self.due) / _DAY)

    def deduction(self, submitted_at: str) -> float:
        """Points that lateness takes."""
        return min(self.days(submitted_at) * self.per_day, self.at_most)


@dataclass(frozen=True)
class Rules:
    """How the attempts of a student become one score."""

    counts: Policy = "latest"
    late: Late | None = None

    def __post_init__(self) -> None:
        if self.counts == "last-before-deadline" and self.late is None:
            raise ValueError("last-before-deadline needs a due time")

    @property
    def zone(self) -> tzinfo:
        """That of a time without a zone, the same on every machine: the due time's, else UTC."""
        return (self.late and self.late.due.tzinfo) or UTC

    def score(self, attempt: Attempt) -> float:
        """What an attempt is worth after lateness."""
        taken = self.late.deduction(attempt.submitted_at) if self.late else 0.0
        return max(0.0, round(attempt.score - taken, 9))

    def choose(self, attempts: Sequence[Attempt]) -> Attempt | None:
        """The attempt that counts, of attempts in the order in which they came.

        The latest is the one handed in last, of one time the one that came last. One of unknown time was
        handed in no earlier than those that came before it, so it stands behind the last of them. "best" is
        the highest score after lateness, the latest of equals. "last-before-deadline" is the latest of those
        not behind the deadline and its grace; an attempt of unknown time counts as in time. None when no
        attempt remains.
        """
        chosen: Attempt | None = None
        highest = (0.0, "")
        moment = ""  # the latest so far, for those without a time: all are in one order
        for attempt in attempts:
            if self.counts == "last-before-deadline" and self.late and self.late.days(attempt.submitted_at):
                continue
            moment = max(moment, attempt.submitted_at)
            rank = (self.score(attempt) if self.counts == "best" else 0.0, attempt.submitted_at or moment)
            if chosen is None or rank >= highest:
                chosen, highest = attempt, rank
        return chosen


def utc(moment: datetime) -> str:
    """A moment as text that sorts by time. One without a zone is in UTC."""
    try:
        moment = moment.astimezone(UTC) if moment.tzinfo else moment.replace(tzinfo=UTC)
    except OverflowError:  # before the year 1 in UTC
        moment = moment.replace(tzinfo=UTC)
    return moment.isoformat(timespec="microseconds")


def written(moment: datetime) -> str:
    """A moment as it is kept: in UTC, or without a zone where it has none, as the export wrote it."""
    return utc(moment) if moment.tzinfo else moment.isoformat(timespec="microseconds")


def zoned(text: str) -> bool:
    """Whether a time as it is kept needs no zone to be read: it is in UTC, or not known."""
    return not text or text.endswith(UTC_SUFFIX)


def in_utc(text: str, zone: tzinfo) -> str:
    """A time as it is kept, in UTC; one without a zone is of `zone`, and a damaged one is not known, ''."""
    try:
        moment = datetime.fromisoformat(text)
    except ValueError:
        return ""
    return text if zoned(text) else utc(moment.replace(tzinfo=zone))


def respelled(text: str, zone: tzinfo) -> str:
    """The same moment as it is kept, the other way: without a zone for one in UTC, in UTC for one without."""
    if not text or not zoned(text):
        return in_utc(text, zone)
    try:
        return written(datetime.fromisoformat(text).astimezone(zone).replace(tzinfo=None))
    except (OverflowError, ValueError):  # no year of a calendar there, or damaged
        return text
