"""The files of a report: the class as one page, a page for each student."""

from __future__ import annotations

from pathlib import Path

from ..course import Assignment
from ..grade.model import Detail
from ..gradebook import Gradebook, Rules
from ..submission import SubmissionError
from .class_data import ClassData
from .entry import entries
from .feedback import Feedback
from .html import plotly, write_class_report


def write_files(
    book: Gradebook,
    assignment: Assignment,
    rules: Rules,
    html: Path | None,
    feedback: Path | None,
    detail: Detail,
) -> list[str]:
    """Write what is asked for in one pass over the gradebook; a line about each.

    A student of whom no attempt counts any more has no feedback; one whose grade is damaged keeps it.
    Raises SubmissionError for a file that cannot be written, and for `html` without plotly.
    """
    if html:
        plotly()  # before the work, not after it
    data = ClassData(assignment)
    files = Feedback(assignment, detail, feedback) if feedback else None
    counted: set[str] = set()
    try:
        for entry in entries(book, assignment.name, rules):
            counted.add(entry.grade.student)
            if html:
                data.add(entry)
            if files:
                files.write(entry.grade, entry.where)
        if html:
            write_class_report(data, html)
        if files:
            for student in book.students(assignment.name):
                if student not in counted and book.chosen(student, assignment.name, rules) is None:
                    files.remove(student)
    except OSError as error:
        raise SubmissionError(
            f"{error.filename or feedback or html}: cannot be written ({error.strerror})"
        ) from None
    count = len(counted)
    told = [f"{html}: the class report of {count} students"] if html else []
    return told + ([f"{feedback}: feedback for {count} students, HTML and Markdown"] if feedback else [])
