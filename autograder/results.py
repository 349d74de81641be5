"""The files of a run: one JSON a student, grades.csv, and the gradebook. Each is whole or absent."""

from __future__ import annotations

import hashlib
import math
from collections.abc import Callable, Iterator
from datetime import datetime, timedelta
from pathlib import Path
from types import TracebackType
from typing import Self
from urllib.parse import quote

from .course import Assignment
from .exports.atomic import replacing, sweep
from .exports.csv import write_grades_csv
from .grade.model import Grade
from .gradebook import Gradebook, GradebookError, Late, Rules
from .submission import Refusal, Submission

Work = Submission | Refusal
SAFE = " ()'+,=@~&-_."


def file_name(student: str) -> str:
    """A file name for a student's id: readable, one id a name, on any file system."""
    name = quote(student, safe=SAFE) if student.isascii() else "".join(
        c if not c.isascii() else quote(c, safe=SAFE) for c in student
    )  # fmt: skip
    if name.startswith("."):
        name = "%2E" + name[1:]
    if len(name.encode()) > 200:
        name = (
            name.encode()[:150].decode(errors="ignore")
            + "-"
            + hashlib.sha256(student.encode()).hexdigest()[:16]
        )
    return f"{name}.json"


def rules_of(assignment: Assignment) -> Rules:
    """How grading.toml lets attempts and lateness count."""
    table = assignment.late
    if table is None:
        return Rules(assignment.counts)
    grace = timedelta(minutes=table.grace_minutes)
    at_most = math.inf if table.at_most is None else table.at_most
    return Rules(assignment.counts, Late(table.due, grace, table.points_per_day, at_most))


class NoFolder(GradebookError):
    """What is given as `out` cannot be one."""


class Results:
    """Writes below `out` as grades come; a context manager. The gradebook is what counts: all else follows.

    `report` is given a sentence about each row of the gradebook that cannot be read or that no rule lets
    count.
    """

    def __init__(self, out: Path, assignment: Assignment, report: Callable[[str], None]):
        self.out = out
        self._name, self._rules = assignment.name, rules_of(assignment)
        self._file_times = assignment.late is not None and assignment.late.file_times
        try:
            (out / "grades").mkdir(parents=True, exist_ok=True)
            for folder in (out, out / "grades"):
                sweep(folder)
        except OSError as error:
            raise NoFolder(f"{out}: cannot be made ({error.strerror}); choose another --out") from None
        self.book = Gradebook(out / "gradebook.db", report)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.book.close()

    def known(self, item: Work, made_from: str) -> bool:
        """Whether a grade made from exactly this is there and sound; it is then the latest attempt again."""
        grade = self.book.has(item.student, self._name, made_from)
        if grade is None:
            return False
        self._keep(grade, item, made_from)
        return True

    def put(self, grade: Grade, item: Work, made_from: str) -> None:
        """Keep a new grade, and write the student's file; `made_from` is empty for one to be made again."""
        self._keep(grade, item, made_from)
        counts = self.book.grade(grade.student, self._name, self._rules)
        if counts is not None:
            self._write(counts)

    def _keep(self, grade: Grade, item: Work, made_from: str) -> None:
        source = None if isinstance(item, Refusal) else item.source
        when = handed_in(item, self._file_times)
        self.book.put(
            grade, made_from, source,
            submitted_at=when, zone=self._rules.zone, path=item.path, name=item.name, email=item.email,
            followers=item.followers,
        )  # fmt: skip

    def finish(self) -> None:
        """Make every file what the gradebook says, whatever has become of it; then the table.

        A student of whom no attempt counts any more has no file. One whose grade is damaged keeps it: it may
        be the only one that can be read. Other files are left alone.
        """
        try:
            write_grades_csv(self._written(), self.out / "grades.csv")
        except OSError as error:
            raise GradebookError(f"{self.out}: cannot be written ({error.strerror})") from None

    def grades(self) -> Iterator[Grade]:
        """The grade that counts for each student, in the order of ids."""
        return self.book.grades(self._name, self._rules)

    def unmade(self) -> Iterator[Grade]:
        """The grades that are to be made again and on which a student's score depends."""
        return self.book.unmade(self._name, self._rules)

    def _written(self) -> Iterator[Grade]:
        students = self.book.students(self._name)  # in the same order: a class of any size takes no memory
        for grade in self.grades():
            for student in students:
                if student == grade.student:
                    break
                self._remove(student)
            self._write(grade)
            yield grade
        for student in students:
            self._remove(student)

    def _remove(self, student: str) -> None:
        if self.book.chosen(student, self._name, self._rules) is None:
            (self.out / "grades" / file_name(student)).unlink(missing_ok=True)

    def _write(self, grade: Grade) -> None:
        path = self.out / "grades" / file_name(grade.student)
        text = grade.model_dump_json(by_alias=True, indent=2) + "\n"
        try:
            if _holds(path, text.encode()):
                return
            with replacing(path) as file:
                file.write(text)
        except OSError as error:
            raise GradebookError(
                f"{path}: cannot be written ({error.strerror}); free space or mend permissions and run "
                "again, finished grades are kept"
            ) from None


def handed_in(item: Work, file_times: bool) -> datetime | None:
    """When an item was handed in: what the export says, else the file's own time where that is to count."""
    return item.submitted_at or (item.changed_at if file_times else None)


def _holds(path: Path, content: bytes) -> bool:
    try:
        return path.read_bytes() == content
    except FileNotFoundError:
        return False
