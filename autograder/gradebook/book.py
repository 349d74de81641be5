"""Every grade, once, with what it was made from."""

import hashlib
import logging
import math
import sqlite3
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from datetime import datetime
from itertools import groupby
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from pydantic import ValidationError

from autograder.grade.model import Digests, Grade
from autograder.gradebook.adjustments import Adjustment, adjusted
from autograder.gradebook.errors import GradebookError, explained
from autograder.gradebook.policy import Attempt, Policy, choose, utc
from autograder.gradebook.schema import migrate
from autograder.gradebook.statistics import Statistics, statistics

_log = logging.getLogger(__name__)

_WAIT = 30.0  # seconds for another process to finish its transaction
_PAGE = 200  # students read at a time


class Gradebook:
    """An SQLite file of grades; a context manager. One transaction a grade, so a killed run loses none.

    `report` is given a sentence about each row that cannot be read or chosen; by default it is logged.
    All methods raise GradebookError when the file cannot be read or written.
    """

    def __init__(self, path: Path | str, report: Callable[[str], None] = _log.warning):
        self.path = Path(path)
        self._report = report
        with self._errors():
            try:
                self.path.parent.mkdir(parents=True, exist_ok=True)
            except OSError as error:
                raise GradebookError(f"{self.path.parent}: cannot be made ({error.strerror})") from None
            self._db = sqlite3.connect(self.path, timeout=_WAIT, isolation_level=None)
            try:
                # A damaged letter is a damaged grade, not the end of reading.
                self._db.text_factory = lambda raw: raw.decode(errors="replace")
                migrate(self._db, self.path)  # first: nothing is written to another program's file
                self._to_wal()
                # After a power cut the newest grades may be missing, never more: a rerun makes them.
                self._db.execute("PRAGMA synchronous = NORMAL")
            except BaseException:
                self._db.close()
                raise

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        self._db.close()

    def _to_wal(self) -> None:
        try:
            self._db.execute("PRAGMA journal_mode = WAL")
        except sqlite3.OperationalError as error:
            # SQLite waits for nobody here. Who holds the file is switching it, and either mode is safe.
            if not error.sqlite_errorname.startswith("SQLITE_BUSY"):
                raise

    def put(
        self, grade: Grade, *, submitted_at: datetime | None = None, path: Path | str | None = None
    ) -> None:
        """Keep a grade. The same submission of the same time is one attempt, however often it is graded.

        Without a time, a submission is the student's latest: after A and B, A once more is the last attempt
        again. Putting what is there already writes nothing.
        """
        text = grade.model_dump_json(by_alias=True)
        row: dict[str, Any] = {
            "student": grade.student,
            "assignment": grade.assignment,
            "submission": grade.digests.submission,
            "course": grade.digests.course,
            "grader": grade.digests.grader,
            "score": grade.score,
            "max_score": grade.max_score,
            "submitted_at": utc(submitted_at) if submitted_at else "",
            "path": str(path) if path else "",
            "grade": text,
            "checksum": _checksum(text),
        }
        with self._transaction():
            self._put(row)

    def _put(self, row: dict[str, Any]) -> None:
        who = (row["assignment"], row["student"])
        (last,) = self._one("SELECT max(attempt) FROM grades WHERE assignment = ? AND student = ?", *who)
        old = self._one(
            f"SELECT id, attempt, {', '.join(row)} FROM grades "
            "WHERE assignment = ? AND student = ? AND submission = ? AND submitted_at = ?",
            *who, row["submission"], row["submitted_at"],
        )  # fmt: skip
        again = old is not None and (row["submitted_at"] or old[1] == last)
        row = {"attempt": old[1] if again else (last or 0) + 1, **row}
        values = tuple(row.values())
        if old is None:
            places = ", ".join("?" * len(row))
            self._db.execute(f"INSERT INTO grades ({', '.join(row)}) VALUES ({places})", values)
        elif old[1:] != values:
            pairs = ", ".join(f"{column} = ?" for column in row)
            self._db.execute(f"UPDATE grades SET {pairs} WHERE id = ?", (*values, old[0]))

    def has(self, student: str, assignment: str, digests: Digests) -> Grade | None:
        """The grade made from exactly these, as it was graded; None when there is none that can be read.

        A caller that finds one should still `put` it: a student may have gone back to an earlier file.
        """
        with self._errors():
            row = self._one(
                "SELECT id FROM grades WHERE assignment = ? AND student = ? AND submission = ? "
                "AND course = ? AND grader = ? ORDER BY attempt DESC",
                assignment, student, digests.submission, digests.course, digests.grader,
            )  # fmt: skip
            return self._grade(row[0]) if row else None

    def attempts(self, student: str, assignment: str) -> list[Attempt]:
        """All attempts of a student, in the order in which they came."""
        with self._errors():
            return [attempt for _, attempt in self._attempts(assignment, [student])]

    def grades(
        self, assignment: str, policy: Policy = "latest", due: datetime | None = None
    ) -> Iterator[Grade]:
        """The grade that counts for each student, adjusted, in the order of student ids (by code point).

        Holds a page of students in memory. A student without an attempt that counts, or whose row is damaged,
        is reported and left out. Raises ValueError for "last-before-deadline" without `due`.
        """
        if policy == "last-before-deadline" and due is None:
            raise ValueError('the policy "last-before-deadline" needs a due time')
        return self._counting(assignment, policy, utc(due) if due else "")

    def _counting(self, assignment: str, policy: Policy, due: str) -> Iterator[Grade]:
        with self._errors():
            for students in self._pages(assignment):
                for student, attempts in groupby(
                    self._attempts(assignment, students), key=lambda pair: pair[0]
                ):
                    chosen = choose([attempt for _, attempt in attempts], policy, due)
                    if chosen is None:
                        self._report(f"{student}: no attempt at {assignment} by the deadline, left out")
                    elif grade := self._grade(chosen.id):
                        yield adjusted(grade, self.adjustments(student, assignment))

    def statistics(
        self, assignment: str, policy: Policy = "latest", due: datetime | None = None
    ) -> Statistics:
        """Of the grades that count."""
        return statistics(self.grades(assignment, policy, due))

    def adjust(
        self,
        student: str,
        assignment: str,
        *,
        points: float | None = None,
        override: float | None = None,
        reason: str,
        name: str,
        at: datetime,
    ) -> None:
        """Add `points`, or set the score to `override`, for good: regrading keeps adjustments.

        Raises ValueError unless exactly one of the two is given, finite, with a reason and a name, an
        override not below 0; GradebookError for a student who has no grade.
        """
        amount = points if override is None else override
        if amount is None or (points is not None and override is not None) or not math.isfinite(amount):
            raise ValueError("an adjustment is either points to add or the score to set, a finite number")
        if override is not None and override < 0:
            raise ValueError(f"a score is at least 0, not {override:g}")
        if not reason.strip() or not name.strip():
            raise ValueError("an adjustment needs a reason and the name of who made it")
        if not self.attempts(student, assignment):
            raise GradebookError(f"{self.path}: has no grade of {student!r} for {assignment!r} to adjust")
        kind = "add" if override is None else "set"
        with self._errors():
            self._db.execute("PRAGMA synchronous = FULL")  # nothing makes an adjustment anew
            try:
                self._db.execute(
                    "INSERT INTO adjustments (student, assignment, kind, points, reason, name, made_at) "
                    "VALUES (?, ?, ?, ?, ?, ?, ?)",
                    (student, assignment, kind, amount, reason.strip(), name.strip(), utc(at)),
                )
            finally:
                self._db.execute("PRAGMA synchronous = NORMAL")

    def adjustments(self, student: str, assignment: str) -> list[Adjustment]:
        """In the order in which they apply."""
        with self._errors():
            rows = self._db.execute(
                "SELECT kind, points, reason, name, made_at FROM adjustments "
                "WHERE assignment = ? AND student = ? ORDER BY id",
                (assignment, student),
            )
            return [Adjustment(*row) for row in rows]

    def _pages(self, assignment: str) -> Iterator[list[str]]:
        after = ""
        while True:
            rows = self._db.execute(
                "SELECT DISTINCT student FROM grades "
                "WHERE assignment = ? AND student > ? ORDER BY student LIMIT ?",
                (assignment, after, _PAGE),
            ).fetchall()
            if not rows:
                return
            yield [student for (student,) in rows]
            after = rows[-1][0]

    def _attempts(self, assignment: str, students: Sequence[str]) -> list[tuple[str, Attempt]]:
        """Attempts of all students from the first to the last of `students`, in order."""
        rows = self._db.execute(
            "SELECT student, id, attempt, score, submitted_at FROM grades "
            "WHERE assignment = ? AND student BETWEEN ? AND ? ORDER BY student, attempt",
            (assignment, students[0], students[-1]),
        ).fetchall()
        return [(student, Attempt(*rest)) for student, *rest in rows]

    def _grade(self, row: int) -> Grade | None:
        """The grade of a row, or None when it is damaged, which is reported."""
        found = self._one("SELECT student, assignment, grade, checksum FROM grades WHERE id = ?", row)
        if found is None:
            return None
        student, assignment, text, checksum = found
        try:
            if not isinstance(text, str) or _checksum(text) != checksum:
                raise ValueError
            return Grade.model_validate_json(text)
        except (ValidationError, ValueError):
            self._report(
                f"{self.path}: the grade of {student!r} for {assignment!r} is damaged and counts as missing; "
                "grade again to make it anew"
            )
            return None

    def _one(self, sql: str, *values: Any) -> Any:
        return self._db.execute(sql, values).fetchone()

    @contextmanager
    def _transaction(self) -> Iterator[None]:
        with self._errors():
            self._db.execute("BEGIN IMMEDIATE")
            try:
                yield
                self._db.execute("COMMIT")
            finally:
                if self._db.in_transaction:
                    self._db.execute("ROLLBACK")

    @contextmanager
    def _errors(self) -> Iterator[None]:
        try:
            yield
        except sqlite3.Error as error:
            raise explained(self.path, error) from error


def _checksum(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()
