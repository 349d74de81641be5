"""One student's files, as a layout finds them."""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import UTC, datetime

from .text import listed
from .tree import Entry


@dataclass(frozen=True, slots=True)
class HandIn:
    """One student's files, relative to it, and what the layout says of them. `label` names it in sentences,
    empty for a single file, which has a name of its own."""

    student: str
    label: str
    entries: tuple[Entry, ...]
    email: str | None = None
    submitted_at: datetime | None = None
    late: bool | None = None
    attempt: int | None = None
    notes: tuple[str, ...] = ()
    name: str | None = None
    earlier: tuple[HandIn, ...] = ()  # attempts before this one, in order

    @property
    def timed(self) -> tuple[HandIn, ...]:
        """All attempts in order, if there are several and the time of each is known."""
        attempts = (*self.earlier, self)
        return attempts if self.earlier and all(attempt.submitted_at for attempt in attempts) else ()

    @property
    def noted(self) -> HandIn:
        """With a note of the earlier attempts, where this one alone is graded and not all times are known."""
        if not self.earlier:
            return self
        note = f"earlier attempts, not graded: {listed([h.label for h in self.earlier])}"
        return replace(self, notes=(*self.notes, note))


Found = tuple[list[HandIn], tuple[Entry, ...]]  # hand-ins, and the entries that a layout does not explain


def latest(found: list[HandIn]) -> list[HandIn]:
    """The last attempt of each student, with its number and those before."""
    students: dict[str, list[HandIn]] = {}
    for hand_in in found:
        students.setdefault(hand_in.student, []).append(hand_in)
    result = []
    for attempts in students.values():
        *earlier, last = sorted(attempts, key=_moment)
        if earlier:
            number = max(last.attempt or 0, len(attempts))
            last = replace(last, attempt=number, earlier=tuple(earlier))
        result.append(last)
    return result


def _moment(hand_in: HandIn) -> tuple[datetime, str]:
    """For sorting; one layout's times are all in one zone, named or not."""
    return (hand_in.submitted_at or datetime.min).replace(tzinfo=UTC), hand_in.label
