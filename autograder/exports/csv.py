"""Grades as one table, for spreadsheets and for other programs."""

import csv
import json
from collections.abc import Iterable
from pathlib import Path
from tempfile import SpooledTemporaryFile

from autograder.exports.atomic import replacing
from autograder.grade.model import Grade
from autograder.reports import inert

_IN_MEMORY = 1 << 20  # bytes of rows that are kept in memory until all columns are known


def write_grades_csv(grades: Iterable[Grade], path: Path) -> None:
    """Write one row a grade, in the order given, and replace `path` in one step.

    Columns: student, score, max_score; for each check of any grade, in order of appearance, its points under
    its id; then its verdict under `<id> verdict`; flags. A cell is empty where a grade has no such check.
    UTF-8, lines end in a newline, and a cell is always one line. Holds about one grade in memory.
    Raises OSError when the file cannot be written; an old one then stays as it was.
    """
    path = Path(path)
    checks: dict[str, None] = {}  # in order
    with SpooledTemporaryFile(_IN_MEMORY, "w+", encoding="utf-8") as rows, replacing(path) as file:
        for grade in grades:
            judged = {check.id: (check.points, check.verdict) for check in grade.checks}
            checks.update(dict.fromkeys(judged))
            flags = "; ".join(f"{flag.kind}: {flag.detail}" for flag in grade.flags)
            rows.write(json.dumps((grade.student, grade.score, grade.max_score, judged, flags)) + "\n")
        rows.seek(0)
        table = csv.writer(file, lineterminator="\n")
        verdicts = [f"{check} verdict" for check in checks]
        table.writerow(map(cell, ["student", "score", "max_score", *checks, *verdicts, "flags"]))
        for line in rows:
            student, score, max_score, judged, flags = json.loads(line)
            both = [judged.get(check, ("", "")) for check in checks]
            points, given = [pair[0] for pair in both], [pair[1] for pair in both]
            table.writerow(map(cell, [student, score, max_score, *points, *given, flags]))


def is_grades_csv(path: Path) -> bool:
    """Whether a file there begins as `write_grades_csv` lets one begin."""
    try:
        with path.open("rb") as file:
            return file.readline().startswith(b"student,score,max_score,")
    except OSError:
        return False


def write_checks_csv(grades: Iterable[Grade], path: Path) -> None:
    """Write one row a check of each grade: student, check, verdict, points, max_points, what it says."""
    from autograder.reports.words import words

    with replacing(path) as file:
        table = csv.writer(file, lineterminator="\n")
        table.writerow(["student", "check", "verdict", "points", "max_points", "message"])
        for grade in grades:
            for check in grade.checks:
                row: list[str | float] = [grade.student, check.id, check.verdict]
                row += [check.points, check.max_points, " | ".join(words(check))]
                table.writerow(map(cell, row))


def cell(value: str | float) -> str:
    """A value as a spreadsheet's cell; points have at most six decimals, and none when whole."""
    if isinstance(value, float | int):
        return f"{value:.6f}".rstrip("0").rstrip(".")
    return inert.cell(value)
