"""The class list: who is who, whatever a platform calls them."""

from __future__ import annotations

import codecs
import csv
import io
import re
from collections.abc import Callable, Collection, Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from .model import SubmissionError
from .text import listed, shown, student_id

# Headers (letters and digits, lower case) of columns that name a student; all others are passed over, so
# that an exported gradebook serves as a roster and nobody is known by a section or by a mark.
_ID = ("student", "studentid", "id", "username")
_ALIASES = {
    *_ID, "alias", "aliases", "name", "fullname", "email", "emailaddress", "mail", "login", "loginid",
    "identifier", "idnumber", "sid", "sisuserid", "sisloginid", "canvasid", "moodleid", "orgdefinedid",
    "github", "githubusername", "githublogin", "nbgrader",
}  # fmt: skip
_NAMES = ("name", "fullname")


@dataclass(frozen=True)
class Student:
    """One line of the roster. `aliases`: everything else by which the student is known.

    names: those of them that are full names, which two people may share. given: those that are numbers and
    may be any platform's. numbers: what the platform that handed in, or is exported to, calls the student;
    they are no aliases, as the same number may be another student's id elsewhere.
    """

    id: str
    aliases: tuple[str, ...] = ()
    email: str | None = None
    names: tuple[str, ...] = ()
    numbers: tuple[str, ...] = ()
    given: tuple[str, ...] = ()


@dataclass(frozen=True)
class Roster:
    students: tuple[Student, ...]

    def called(self, name: str) -> list[Student]:
        """The students of that id or alias; [] when there is none. The platform's numbers are not asked.

        An id goes before an alias, and what is written exactly so before what differs in letter case or
        punctuation.
        """
        for key, known in self._known:
            if key(name) in known:
                return known[key(name)]
        return []

    def numbered(self, number: str) -> list[Student]:
        """The students whom the platform numbers so; no other column is asked."""
        return self._numbered.get(number, [])

    @property
    def has_numbers(self) -> bool:
        return bool(self._numbered)

    def with_id(self, student: str) -> list[Student]:
        """The student of exactly that id, or nobody."""
        return self._known[0][1].get(_exact(student), [])

    def named(self, name: str) -> list[Student]:
        """All students of that full name, however it is punctuated."""
        return self._named.get(same_name(name), [])

    @cached_property
    def _named(self) -> dict[str, list[Student]]:
        return _table((same_name(name), student) for student in self.students for name in student.names)

    @cached_property
    def _numbered(self) -> dict[str, list[Student]]:
        return _table(
            (each, student) for student in self.students for each in student.numbers + student.given
        )

    @cached_property
    def _known(self) -> list[tuple[Callable[[str], str], dict[str, list[Student]]]]:
        ids = [(student.id, student) for student in self.students]
        aliases = [(alias, student) for student in self.students for alias in student.aliases]
        levels = [(_exact, ids), (_exact, aliases), (_folded, ids), (_folded, aliases)]
        levels.append((_squeezed, ids + aliases))
        return [(key, _table((key(name), student) for name, student in pairs)) for key, pairs in levels]


def _table(pairs: Iterable[tuple[str, Student]]) -> dict[str, list[Student]]:
    """Key -> who has it, each once."""
    known: dict[str, list[Student]] = {}
    for key, student in pairs:
        if key and student not in known.setdefault(key, []):
            known[key].append(student)
    return known


def load_roster(path: Path | str, numbers: Collection[str] = ()) -> Roster:
    """A CSV with a header. The id is the column `student`, else `student id`, `id` or `username`.

    numbers: columns (letters and digits, lower case) of what the platform calls a student. The column of the
    ids is none of them: nobody says whose ids these are.

    Columns such as `email`, `name`, `github`, `SIS login ID` and `aliases` (several, with ; or | between)
    hold other names; further columns are passed over. An exported Canvas gradebook or Moodle worksheet will
    do. Raises SubmissionError that names file, line and what was expected.
    """
    path = Path(path)
    try:
        text = _text(path.read_bytes(), shown(path.name))
    except OSError as error:
        raise SubmissionError(
            f"{shown(path)} cannot be read ({error.strerror}); expected the roster, a CSV file."
        ) from None
    return _students(_rows(text, shown(path.name)), shown(path.name), numbers)


def _rows(text: str, file: str) -> Iterator[tuple[int, list[str]]]:
    """Each row with the line at which it begins."""
    first = text.partition("\n")[0]
    rows = csv.reader(io.StringIO(text, newline=""), delimiter=max(",;\t", key=first.count), strict=True)
    line = 1
    try:
        for row in rows:
            yield line, row
            line = rows.line_num + 1
    except csv.Error as error:  # of a quote without an end, the end of the file is no help
        raise SubmissionError(
            f"{file}, line {line}: {error}; expected a CSV file in which every quote is closed."
        ) from None


def _students(rows: Iterator[tuple[int, list[str]]], file: str, numbers: Collection[str]) -> Roster:
    _, first = next(rows, (1, []))
    header = [re.sub(r"[^a-z0-9]", "", cell.lower()) for cell in first]
    column = next((header.index(name) for name in _ID if name in header), None)
    if column is None:
        raise SubmissionError(
            f"{file}, line 1: no column `student` (found {listed(header) or 'nothing'}); "
            "add one with the ids."
        )
    if not {"sisuserid", "sisloginid", "section"} & set(header):  # `id` is Canvas's number in its own file
        numbers = [name for name in numbers if name != "id"]
    # `Student` is a name in a gradebook of Canvas, which has its ids beside it.
    named = _NAMES if header[column] != "student" or "id" not in header else (*_NAMES, "student")
    students: dict[str, Student] = {}
    for line, row in rows:
        student = student_id(row[column].strip()) if len(row) > column else ""
        if not student or student == "Points Possible":  # the second line of a Canvas gradebook
            continue
        if student in students:
            raise SubmissionError(
                f"{file}, line {line}: {shown(student)} occurs twice; keep one line for each."
            )
        aliases: list[str] = []
        names: list[str] = []
        numbered: list[str] = []
        given: list[str] = []
        email = None
        for at, (name, cell) in enumerate(zip(header, row, strict=False)):
            if name not in _ALIASES:
                continue
            parts = re.split(r"[;|]", cell) if name in ("alias", "aliases") else [cell]
            values = [student_id(part.strip()) for part in parts if part.strip()]
            if name in ("email", "emailaddress", "mail") and values:
                email = email or values[0]
            if name == "identifier":  # Moodle's worksheet: Participant 123
                values += re.findall(r"\d+$", cell.strip())
            own = [value for value in values if value.isdigit()] if name in numbers and at != column else []
            numbered += own
            aliases += [value for value in values if value not in own and value != student]
            names += values if name in named else []
            given += filter(str.isdigit, values if name in ("alias", "aliases") else [])
        once = [tuple(dict.fromkeys(values)) for values in (aliases, names, numbered, given)]
        students[student] = Student(student, once[0], email, *once[1:])
    if not students:
        raise SubmissionError(f"{file} names no students; expected one line for each below the header.")
    return Roster(tuple(students.values()))


def _text(data: bytes, file: str) -> str:
    """As spreadsheets save it: UTF-8, UTF-16 that says so, or latin-1."""
    if data.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        text = data.decode("utf-16", "replace")
    else:
        try:
            text = data.decode("utf-8-sig")
        except UnicodeDecodeError:
            text = data.decode("latin-1")
    if "\0" in text:
        raise SubmissionError(f"{file} holds NUL characters; expected a CSV file, so save it as CSV UTF-8.")
    return text


def _exact(name: str) -> str:
    return student_id(name).strip()


def _folded(name: str) -> str:
    return _exact(name).casefold()


def _squeezed(name: str) -> str:
    """Letters and digits alone, as Canvas makes `doejane` of `Doe, Jane`; '' where that says too little."""
    folded = _folded(name)
    squeezed = re.sub(r"[\W_]", "", folded)
    again = re.search(r" \(\d+\)$", folded)  # the second hand-in of `jane` is not that of `jane2`
    return "" if again or len(squeezed) < 4 or squeezed.isdigit() or "@" in folded else squeezed


def same_name(name: str) -> str:
    """What full names are compared by."""
    return _squeezed(name) or _folded(name)
