"""Every grade, once, with what it was made from."""

import logging
from collections.abc import Callable, Iterator, Sequence
from datetime import UTC, datetime, tzinfo
from itertools import groupby
from pathlib import Path

from autograder.grade.model import Grade
from autograder.gradebook.adjustments import Adjustment, adjusted, checked, chosen, late, score_set
from autograder.gradebook.errors import GradebookError
from autograder.gradebook.keeping import Keeping
from autograder.gradebook.policy import Attempt, Rules, in_utc, utc, written
from autograder.gradebook.rows import filled
from autograder.gradebook.sources import packed, unpacked
from autograder.gradebook.statistics import Statistics, statistics
from autograder.submission import Source
from autograder.submission.text import shown

_log = logging.getLogger(__name__)

_PAGE = 200  # students read at a time
LATEST = Rules()


class Gradebook(Keeping):
    """An SQLite file of grades; a context manager. One transaction a grade, so a killed run loses none.

    `report` is given a sentence, once, about each row that cannot be read or chosen; by default it is logged.
    All methods raise GradebookError when the file cannot be read or written.
    """

    def __init__(self, path: Path | str, report: Callable[[str], None] = _log.warning):
        super().__init__(path, report)

    def put(
        self,
        grade: Grade,
        made_from: str = "",
        source: Source | None = None,
        *,
        submitted_at: datetime | None = None,
        zone: tzinfo = UTC,
        path: Path | str | None = None,
        name: str | None = None,
        email: str | None = None,
        followers: Sequence[str] = (),
    ) -> None:
        """Keep a grade. The same submission of the same time is one attempt, however often it is graded.

        Where no time tells them apart, what is put last is the student's latest: after A and B, A once more
        is the last attempt again, unless B is in `followers`: the digests of what lies there too and was
        handed in after it at the same moment. Putting what is there already writes nothing.

        `made_from` is what `has` will be asked for, empty for what is to be made again, such as a fault of
        the grader; that takes the place of no sound grade of the same course and grader. A time without a
        zone is kept as it is, and is read in that of the rules; `zone` is theirs now. `name` and `email` are
        the student's, as `person` gives them; one that is not given stays.
        """
        row = filled(grade)
        row |= {
            "made_from": made_from,
            "submitted_at": written(submitted_at) if submitted_at else "",
            "path": str(path) if path else "",
            "name": name or None,
            "email": email or None,
        }
        with self._transaction():
            self._put(row, followers, zone)
            if source is not None:
                self._put_source(source.digest, packed(source))

    def has(self, student: str, assignment: str, made_from: str) -> Grade | None:
        """The grade made from exactly this, as it was graded; None when there is none that can be read.

        A caller that finds one should still `put` it: a student may have gone back to an earlier file.
        """
        with self._errors():
            row = self._one(
                "SELECT id FROM grades WHERE assignment = ? AND student = ? AND made_from = ? "
                "ORDER BY attempt DESC",
                assignment, student, made_from,
            )  # fmt: skip
            return self._grade(row[0]) if row and made_from else None

    def source(self, digest: str) -> Source | None:
        """What was handed in, by a grade's digest of it; None when it was not kept or is damaged."""
        with self._errors():
            row = self._one("SELECT source FROM sources WHERE digest = ?", digest)
            return unpacked(digest, row[0]) if row else None

    def person(self, student: str) -> tuple[str | None, str | None]:
        """(Full name, email) of a student, each from the latest attempt that knows it, else None."""
        with self._errors():
            name, email = (
                self._one(
                    f"SELECT {column} FROM grades WHERE student = ? AND {column} IS NOT NULL "
                    "ORDER BY attempt DESC, id DESC LIMIT 1",
                    student,
                )
                for column in ("name", "email")
            )
            return name and name[0], email and email[0]

    def attempts(self, student: str, assignment: str, rules: Rules = LATEST) -> list[Attempt]:
        """All attempts of a student, in the order in which they came; a time without a zone in the rules'."""
        with self._errors():
            return [attempt for _, attempt in self._attempts(assignment, [student], rules)]

    def grades(self, assignment: str, rules: Rules = LATEST) -> Iterator[Grade]:
        """The grade that counts for each student, late and adjusted, in the order of ids (by code point).

        A student none of whose attempts counts is left out and reported.
        """
        with self._errors():
            for students in self._pages(assignment):
                for student, attempts in groupby(
                    self._attempts(assignment, students, rules), key=lambda pair: pair[0]
                ):
                    counts = [attempt for _, attempt in attempts]
                    if grade := self._counting(student, assignment, counts, rules):
                        yield grade

    def grade(self, student: str, assignment: str, rules: Rules = LATEST) -> Grade | None:
        """One student's grade that counts, as `grades` gives it."""
        with self._errors():
            return self._counting(student, assignment, self.attempts(student, assignment, rules), rules)

    def students(self, assignment: str) -> Iterator[str]:
        """All who have an attempt, counting or not, in the order of ids."""
        with self._errors():
            for students in self._pages(assignment):
                yield from students

    def chosen(self, student: str, assignment: str, rules: Rules = LATEST) -> Attempt | None:
        """The attempt whose grade counts, whether or not it can be read; None when none does.

        The best is one of those that can be read, where any can.
        """
        with self._errors():
            attempts = self._eligible(self.attempts(student, assignment, rules), rules)
        return chosen(attempts, self.adjustments(student, assignment), rules)

    def _counting(
        self, student: str, assignment: str, attempts: Sequence[Attempt], rules: Rules
    ) -> Grade | None:
        adjustments = self.adjustments(student, assignment)
        attempt = chosen(self._eligible(attempts, rules), adjustments, rules)
        if attempt is None:
            if attempts:
                self._report(f"{shown(student)}: no attempt at {assignment} by the deadline, left out")
            return None
        grade = self._grade(attempt.id)
        return grade and adjusted(late(grade, attempt, rules), adjustments)

    def _eligible(self, attempts: Sequence[Attempt], rules: Rules) -> Sequence[Attempt]:
        """Those to choose from: the best by scores that are as sound as their rows."""
        if rules.counts != "best":
            return attempts
        return [attempt for attempt in attempts if self._grade(attempt.id)] or attempts

    def unmade(self, assignment: str, rules: Rules = LATEST) -> Iterator[Grade]:
        """The grades that are to be made again, such as faults of the grader, and on which a score depends.

        Where the best counts this is each of them, else those that count; none where a person set the score.
        """
        with self._errors():
            rows = self._db.execute(  # once, a fault was kept without the digest of what was handed in
                "SELECT id, student FROM grades WHERE assignment = ? AND made_from = '' AND submission != '' "
                "ORDER BY student, attempt",
                (assignment,),
            ).fetchall()
            for row, student in rows:
                if score_set(self.adjustments(student, assignment)):
                    continue
                counts = None if rules.counts == "best" else self.chosen(student, assignment, rules)
                depends = rules.counts == "best" or (counts is not None and counts.id == row)
                if depends and (grade := self._grade(row)):
                    yield grade

    def statistics(self, assignment: str, rules: Rules = LATEST) -> Statistics:
        """Of the grades that count."""
        return statistics(self.grades(assignment, rules))

    def assignments(self) -> list[str]:
        """Those that have a grade."""
        with self._errors():
            rows = self._db.execute("SELECT DISTINCT assignment FROM grades ORDER BY assignment")
            return [name for (name,) in rows]

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
        rules: Rules = LATEST,
    ) -> None:
        """Add `points`, or set the score to `override`, for good: regrading keeps adjustments.

        An override also makes the latest attempt count where none does by `rules`. Raises ValueError unless
        exactly one of the two is given, one that `checked` takes, with a reason and a name, and for points
        that no attempt's score could be added to; GradebookError for a student who has no grade.
        """
        if not reason.strip() or not name.strip():
            raise ValueError("an adjustment needs a reason and the name of who made it")
        with self._errors():
            sql = "SELECT max(CAST(max_score AS REAL)) FROM grades WHERE assignment = ? AND student = ?"
            (worth,) = self._one(sql, assignment, student)
        if worth is None:
            raise GradebookError(f"{self.path}: has no grade of {student!r} for {assignment!r} to adjust")
        kind, amount = checked(points, override, worth)
        if kind == "add" and self.chosen(student, assignment, rules) is None:
            raise ValueError(
                f"no attempt of {student!r} counts, all came after the deadline, so there is no score to add "
                "to; set the score instead (--set), and the latest attempt counts with it"
            )
        with self._lasting():
            self._db.execute(
                "INSERT INTO adjustments (student, assignment, kind, points, reason, name, made_at) "
                "VALUES (?, ?, ?, ?, ?, ?, ?)",
                (student, assignment, kind, amount, reason.strip(), name.strip(), utc(at)),
            )

    def adjustments(self, student: str, assignment: str) -> list[Adjustment]:
        """In the order in which they apply, with those that were taken back."""
        with self._errors():
            rows = self._db.execute(
                "SELECT kind, points, reason, name, made_at, undone_at, undone_by, undone_why "
                "FROM adjustments WHERE assignment = ? AND student = ? ORDER BY id",
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

    def _attempts(self, assignment: str, students: Sequence[str], rules: Rules) -> list[tuple[str, Attempt]]:
        """Attempts of all students from the first to the last of `students`, in order."""
        rows = self._db.execute(
            "SELECT student, id, attempt, CAST(score AS REAL), submitted_at FROM grades "
            "WHERE assignment = ? AND student BETWEEN ? AND ? ORDER BY student, attempt",
            (assignment, students[0], students[-1]),
        ).fetchall()
        return [
            (student, Attempt(row, number, score, in_utc(when, rules.zone)))
            for student, row, number, score, when in rows
        ]
