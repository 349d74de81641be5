"""The rows of a gradebook: where each one goes, in which order, and whether it can still be read."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import UTC, tzinfo
from pathlib import Path
from typing import Any

from autograder.grade.model import Grade
from autograder.gradebook.database import Database
from autograder.gradebook.policy import UTC_SUFFIX, respelled, zoned
from autograder.gradebook.rows import sound

SAME = "assignment = ? AND student = ? AND submission = ? AND submitted_at = ?"
_GRADED = ("score", "max_score", "grade", "checksum", "made_from")


class Keeping(Database):
    """A gradebook file with what puts a row and what reads one. `damaged`: ids of rows that were found so."""

    def __init__(self, path: Path | str, report: Callable[[str], None]):
        self._tell, self._told = report, set[str]()
        self.damaged: set[int] = set()
        super().__init__(path)

    def _put_source(self, digest: str, data: bytes) -> None:
        sql = "INSERT INTO sources VALUES (?, ?) ON CONFLICT DO UPDATE SET source = excluded.source"
        self._db.execute(f"{sql} WHERE source != excluded.source", (digest, data))

    def _put(self, row: dict[str, Any], followers: Sequence[str] = (), zone: tzinfo = UTC) -> None:
        """Put a row in its place; `followers` are the student's submissions after it of the same moment."""
        who = (row["assignment"], row["student"])
        old = self._same(row, zone)
        if old is not None and not self._overtaken(row, old["attempt"], followers):
            attempt = old["attempt"]
        else:
            attempt = self._next(*who)
        row = {"attempt": attempt, **row}
        if old is None:
            places = ", ".join("?" * len(row))
            self._db.execute(f"INSERT INTO grades ({', '.join(row)}) VALUES ({places})", tuple(row.values()))
        else:
            row |= {column: row[column] or old[column] for column in ("name", "email")}
            if self._outlasts(old, row):
                row |= {column: old[column] for column in _GRADED}
            if any(old[column] != value for column, value in row.items()):
                pairs = ", ".join(f"{column} = ?" for column in row)
                self._db.execute(f"UPDATE grades SET {pairs} WHERE id = ?", (*row.values(), old["id"]))
                self.damaged.discard(old["id"])
        one = f"SELECT id, attempt FROM grades WHERE {SAME}"
        for digest in followers:  # they may have been put before it
            found = self._one(one, *who, digest, row["submitted_at"])
            if found is not None:
                attempt = found[1] if found[1] > attempt else self._move(found[0], *who)

    def _same(self, row: dict[str, Any], zone: tzinfo) -> dict[str, Any] | None:
        """The row of the same attempt: the same file of the same time, or of one that was not known yet."""
        when, other = row["submitted_at"], respelled(row["submitted_at"], zone)
        # A time without a zone was once kept in UTC, at the offset that the deadline had then.
        read = "? AND path = ? AND path != '' AND submitted_at LIKE '%' || ?"
        return self._of_file(
            row,
            f"AND (submitted_at IN ('', ?, ?) OR {read}) "
            "ORDER BY submitted_at = ? DESC, submitted_at = ? DESC, attempt DESC",
            when, other, not zoned(when), row["path"], UTC_SUFFIX, when, other,
        )  # fmt: skip

    def _timed(self, row: dict[str, Any]) -> dict[str, Any] | None:
        """The latest row of the same file, for one of unknown time: whatever the time there."""
        return self._of_file(row, "ORDER BY attempt DESC")

    def _of_file(self, row: dict[str, Any], rest: str, *values: Any) -> dict[str, Any] | None:
        """The first row of the same file, by the `rest` of a query and its values."""
        columns = ("id", "attempt", *row)
        found = self._one(
            f"SELECT {', '.join(columns)} FROM grades "
            f"WHERE assignment = ? AND student = ? AND submission = ? {rest}",
            row["assignment"], row["student"], row["submission"], *values,
        )  # fmt: skip
        return found and dict(zip(columns, found, strict=True))

    def _overtaken(self, row: dict[str, Any], attempt: int, followers: Sequence[str] = ()) -> bool:
        """Whether no time tells `row` from a later attempt, which would count though this lies there now.

        One that lies there too, behind it, is to count.
        """
        later = "SELECT submission FROM grades WHERE assignment = ? AND student = ? AND attempt > ?"
        values = (row["assignment"], row["student"], attempt, row["submitted_at"])
        found = self._db.execute(f"{later} AND (submitted_at = '' OR ? IN ('', submitted_at))", values)
        return any(submission not in followers for (submission,) in found)

    def _outlasts(self, old: dict[str, Any], row: dict[str, Any]) -> bool:
        """Whether `old` is a sound grade of the same, and `row` none, such as a fault of the grader."""
        same = (old["course"], old["grader"]) == (row["course"], row["grader"])
        return bool(same and old["made_from"] and not row["made_from"] and self._grade(old["id"]))

    def _next(self, assignment: str, student: str) -> int:
        """The number of an attempt behind all others."""
        last = "SELECT coalesce(max(attempt), 0) + 1 FROM grades WHERE assignment = ? AND student = ?"
        (number,) = self._one(last, assignment, student)
        return int(number)

    def _move(self, row: int, assignment: str, student: str) -> int:
        """Make a row the student's last attempt; its number."""
        number = self._next(assignment, student)
        self._db.execute("UPDATE grades SET attempt = ? WHERE id = ?", (number, row))
        return number

    def _grade(self, row: int) -> Grade | None:
        """The grade of a row, or None when it is damaged, which is reported."""
        found = self._one(
            "SELECT student, assignment, grade, checksum, score, max_score FROM grades WHERE id = ?", row
        )
        if found is None:
            return None
        student, assignment, *columns = found
        grade = sound(*columns)
        if grade is None:
            self.damaged.add(row)
            self._report(
                f"{self.path}: the grade of {student!r} for {assignment!r} is damaged and counts as missing; "
                "grade again to make it anew"
            )
        return grade

    def _report(self, line: str) -> None:
        if line not in self._told:
            self._told.add(line)
            self._tell(line)
