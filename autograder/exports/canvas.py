"""Canvas: the file that its gradebook imports. Best made by filling the column of an exported one."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterable, Sequence
from pathlib import Path

from autograder.exports.atomic import replacing
from autograder.exports.csv import cell
from autograder.exports.errors import ExportError
from autograder.exports.mark import mark
from autograder.exports.match import Lost, People, match
from autograder.grade.model import Grade
from autograder.submission.roster import Roster, Student

COLUMNS = ("Student", "ID", "SIS User ID", "SIS Login ID", "Section")  # Canvas takes what follows for grades

NUMBERS = ("id", "canvasid")  # `id` where the roster is a gradebook from Canvas and its ids are in `student`


def write_canvas(
    grades: Iterable[Grade], path: Path, title: str, roster: Roster | None, people: People
) -> list[Lost]:
    """Write the minimal form, a column `title`; return the grades that no student of the roster gets.

    Canvas finds a student by ID, else by the login. The ID is the roster's; a number of another platform is
    somebody else's there. Without a roster a numeric id is Canvas's own, unless an email is known, and any
    other the login. Canvas offers a new assignment for an unknown title.
    """
    lost: list[Lost] = []
    matched = [(_alone(grade.student, people), grade) for grade in grades] if roster is None else []
    if roster is not None:
        matched, lost = match(grades, roster, people)
    with replacing(path) as file:
        table = csv.writer(file, lineterminator="\n")
        table.writerow(map(cell, [*COLUMNS, title]))
        for student, grade in matched:
            own = student.numbers[0] if len(student.numbers) == 1 else ""
            login = "" if own and student.id in (own, *student.names) else student.id
            table.writerow([*map(cell, (student.id, own, "", login, "")), mark(grade)])
    return lost


def _alone(student: str, people: People) -> Student:
    """A student of no roster; neither Canvas nor Moodle tells emails."""
    _, email = people.get(student, (None, None))
    return Student(student, numbers=(student,) if student.isdigit() and not email else ())


def fill_canvas(
    grades: Iterable[Grade], exported: Path, path: Path, title: str, people: People
) -> list[Lost]:
    """Write `exported`, a gradebook from Canvas, with the column of `title` filled; every other cell stays.

    A student is found by ID, SIS ids, login, email or name. Returns the grades that nobody in the file gets.
    Raises ExportError when the file is no such gradebook or has no column, or several, of that title.
    """
    rows = _read(exported)
    header = rows[0]
    column = _column(header, title, exported)
    lines = {number: row for number, row in enumerate(rows) if number and _is_student(row, header)}
    matched, lost = match(grades, Roster(tuple(_student(n, row, header) for n, row in lines.items())), people)
    for student, grade in matched:
        row = lines[int(student.id.removeprefix("row "))]
        row += [""] * (column + 1 - len(row))
        row[column] = mark(grade)
    with replacing(path) as file:
        csv.writer(file, lineterminator="\n").writerows(rows)
    return lost


def _read(path: Path) -> list[list[str]]:
    try:
        rows = list(csv.reader(io.StringIO(path.read_text(encoding="utf-8-sig"), newline=""), strict=True))
    except (OSError, UnicodeDecodeError, csv.Error) as error:
        raise ExportError(
            f"{path}: cannot be read ({error}); expected a gradebook exported by Canvas"
        ) from None
    if not rows or any(name not in rows[0] for name in ("Student", "ID")):
        raise ExportError(
            f"{path}, line 1: no columns Student and ID; expected a gradebook exported by Canvas"
        )
    return rows


def _column(header: Sequence[str], title: str, path: Path) -> int:
    """Of `TITLE` or `TITLE (canvas id)`."""
    named = [i for i, name in enumerate(header) if re.sub(r" \(\d+\)$", "", name.strip()) == title]
    if len(named) != 1:
        others = ", ".join(name for name in header if re.search(r" \(\d+\)$", name)) or "none"
        raise ExportError(
            f"{path}: {len(named)} columns are titled {title!r}, expected one; assignments in it: {others}. "
            "Name one with --title"
        )
    return named[0]


def _is_student(row: Sequence[str], header: Sequence[str]) -> bool:
    """Not the row of points possible, nor a blank one."""
    cells = dict(zip(header, row, strict=False))
    return bool(cells.get("ID", "").strip() or cells.get("SIS Login ID", "").strip())


def _student(number: int, row: Sequence[str], header: Sequence[str]) -> Student:
    cells = {name: text.strip() for name, text in zip(header, row, strict=False) if text.strip()}
    names = ("SIS User ID", "SIS Login ID", "Integration ID", "Student")
    return Student(
        f"row {number}",
        tuple(cells[name] for name in names if name in cells),
        names=(cells["Student"],) if "Student" in cells else (),
        numbers=(cells["ID"],) if "ID" in cells else (),
    )
