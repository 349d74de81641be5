"""The class list: under which id each student's grade is kept, whatever a platform calls them."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterable
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from .find import unique
from .model import Refusal, Submission, SubmissionError
from .text import listed, shown, student_id

if TYPE_CHECKING:
    from _csv import Reader as _Reader

# Headers (letters and digits, lower case) of columns that name a student; all others are passed over, so
# that an exported gradebook serves as a roster and nobody is known by a section or by a mark.
_ID = ("student", "studentid", "id", "username")
_ALIASES = {
    *_ID, "alias", "aliases", "name", "fullname", "email", "emailaddress", "mail", "login", "loginid",
    "identifier", "idnumber", "sid", "sisuserid", "sisloginid", "canvasid", "moodleid", "orgdefinedid",
    "github", "githubusername", "githublogin", "nbgrader",
}  # fmt: skip


@dataclass(frozen=True)
class Student:
    """One line of the roster. `aliases`: everything else by which the student is known."""

    id: str
    aliases: tuple[str, ...] = ()
    email: str | None = None


@dataclass(frozen=True)
class Roster:
    students: tuple[Student, ...]

    def find(self, *names: str | None) -> Student | None:
        """The student known by the first of `names` that the roster holds.

        Letter case does not matter. What two students share names neither, unless it is the id of one.
        """
        for name in filter(None, names):
            for key in _keys(name):
                if student := self._known.get(key):
                    return student
        return None

    @cached_property
    def _known(self) -> dict[str, Student | None]:
        known: dict[str, Student | None] = {}
        for student in self.students:
            for alias in student.aliases:
                for key in _keys(alias):
                    known[key] = student if known.get(key, student) == student else None
        for student in self.students:
            for key in reversed(_keys(student.id)):
                if key == _keys(student.id)[0] or key not in known:
                    known[key] = student
        return known


@dataclass(frozen=True)
class Resolution:
    """Hand-ins under the roster's ids, sorted; ids not in the roster; students who handed in nothing."""

    found: tuple[Submission | Refusal, ...]
    unknown: tuple[str, ...]
    missing: tuple[str, ...]


def resolve(found: Iterable[Submission | Refusal], roster: Roster) -> Resolution:
    """Give each hand-in the roster's id, looked up by its id, email and full name. Nothing is dropped.

    A second hand-in of one student becomes `id (2)`, with a note, and counts as unknown.
    """
    renamed = []
    for item in found:
        student = roster.find(item.student, item.email, item.name)
        if student:
            item = replace(item, student=student.id, email=item.email or student.email)
        renamed.append(item)
    ids = {student.id for student in roster.students}
    result = unique(renamed)
    return Resolution(
        tuple(result),
        tuple(item.student for item in result if item.student not in ids),
        tuple(sorted(ids - {item.student for item in result})),
    )


def load_roster(path: Path | str) -> Roster:
    """A CSV with a header. The id is the column `student`, else `student id`, `id` or `username`.

    Columns such as `email`, `name`, `github`, `SIS login ID` and `aliases` (several, with ; or | between)
    hold other names; further columns are passed over. An exported Canvas gradebook or Moodle worksheet will
    do. Raises SubmissionError that names file, line and what was expected.
    """
    path = Path(path)
    try:
        text = _text(path.read_bytes())
    except OSError as error:
        raise SubmissionError(
            f"{shown(path)} cannot be read ({error.strerror}); expected the roster, a CSV file."
        ) from None
    first = text.partition("\n")[0]
    rows = csv.reader(io.StringIO(text, newline=""), delimiter=max(",;\t", key=first.count))
    try:
        return _read_rows(rows, shown(path.name))
    except csv.Error as error:
        raise SubmissionError(
            f"{shown(path.name)}, line {rows.line_num}: {error}; expected a CSV file."
        ) from None


def _read_rows(rows: _Reader, file: str) -> Roster:
    header = [re.sub(r"[^a-z0-9]", "", cell.lower()) for cell in next(rows, [])]
    column = next((header.index(name) for name in _ID if name in header), None)
    if column is None:
        raise SubmissionError(
            f"{file}, line 1: no column `student` (found {listed(header) or 'nothing'}); "
            "add one with the ids."
        )
    students: dict[str, Student] = {}
    for row in rows:
        student = student_id(row[column].strip()) if len(row) > column else ""
        if not student or student == "Points Possible":  # the second line of a Canvas gradebook
            continue
        if student in students:
            raise SubmissionError(
                f"{file}, line {rows.line_num}: {shown(student)} occurs twice; keep one line for each."
            )
        aliases: list[str] = []
        email = None
        for name, cell in zip(header, row, strict=False):
            if name not in _ALIASES:
                continue
            parts = re.split(r"[;|]", cell) if name in ("alias", "aliases") else [cell]
            values = [student_id(part.strip()) for part in parts if part.strip()]
            if name in ("email", "emailaddress", "mail") and values:
                email = email or values[0]
            if name == "identifier":  # Moodle's worksheet: Participant 123
                values += [value.split()[-1] for value in values]
            aliases += values
        others = tuple(dict.fromkeys(alias for alias in aliases if alias != student))
        students[student] = Student(student, others, email)
    if not students:
        raise SubmissionError(f"{file} names no students; expected one line for each below the header.")
    return Roster(tuple(students.values()))


def _text(data: bytes) -> str:
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError:
        return data.decode("latin-1")  # as spreadsheets save it


def _keys(name: str) -> list[str]:
    """How a name is compared: as it is, then letters and digits alone (`Doe, Jane` is Canvas's `doejane`)."""
    exact = student_id(name).strip().casefold()
    squeezed = re.sub(r"[\W_]", "", exact)
    too_little = len(squeezed) < 4 or squeezed.isdigit() or "@" in exact
    return [exact] if too_little else [exact, f"squeezed {squeezed}"]
