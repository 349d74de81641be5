"""Moodle: a CSV for its gradebook's import, a grade column and a feedback column."""

from __future__ import annotations

import csv
from collections.abc import Iterable
from pathlib import Path

from autograder.exports.atomic import replacing
from autograder.exports.csv import cell
from autograder.exports.mark import mark
from autograder.exports.match import Lost, People, match
from autograder.grade.model import Grade
from autograder.reports.words import summary
from autograder.submission.roster import Roster

# The number in a hand-in's name is that of the worksheet's `Participant 123`, of no other column.
NUMBERS = ("identifier",)


def write_moodle(
    grades: Iterable[Grade], path: Path, title: str, roster: Roster, people: People
) -> list[Lost]:
    """Write a row for each student of the roster, `-` where there is no grade.

    Moodle refuses a whole file for one unknown user, so those whom the roster lacks are returned instead.
    """
    matched, lost = match(grades, roster, people)
    found = {student.id: grade for student, grade in matched}
    with replacing(path) as file:
        table = csv.writer(file, lineterminator="\n")
        table.writerow(map(cell, ["username", "email", title, f"{title} feedback"]))
        for student in roster.students:
            grade = found.get(student.id)
            score = mark(grade, "-") if grade else "-"
            feedback = " | ".join(summary(grade).split("\n")) if grade else ""
            table.writerow([cell(student.id), cell(student.email or ""), score, cell(feedback)])
    return lost
