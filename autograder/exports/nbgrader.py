"""nbgrader: grades written into its gradebook.db, also of submissions that are no notebooks."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Any

from autograder.exports.errors import ExportError
from autograder.exports.mark import set_by_hand
from autograder.grade.model import Grade
from autograder.reports.words import summary

CHANGES = ("adjusted", "taken-back")  # flags that say what a person changed


def write_nbgrader(grades: Iterable[Grade], db: Path) -> None:
    """Write each grade's checks as the grade cells of a notebook named as the assignment.

    What the checks say becomes the comment on the cell with the class. A course made by
    `release --for nbgrader` has these cells; in any other database they are made. Manual scores stay.
    What lateness and adjustments take from the checks' sum is the notebook's late penalty, whatever it was
    before; what they add is extra credit on the first cell, so that nbgrader's total is the score.
    Raises ExportError when nbgrader is not installed or `db` does not exist.
    """
    try:
        from nbgrader.api import Gradebook
    except ImportError:
        raise ExportError("nbgrader is not installed; `pip install 'autograder[nbgrader]'`") from None
    if not db.is_file():
        raise ExportError(f"{db} does not exist; expected the gradebook.db of an nbgrader course")
    with Gradebook(f"sqlite:///{db.absolute()}") as book:
        for grade in grades:
            where = (grade.assignment, grade.assignment)  # the notebook, the assignment
            book.update_or_create_assignment(grade.assignment)
            book.update_or_create_notebook(*where)
            for check in grade.checks:
                book.update_or_create_grade_cell(
                    check.id, *where, max_score=check.max_points, cell_type="code"
                )
            book.update_or_create_solution_cell(grade.assignment, *where)
            book.update_or_create_student(grade.student)
            book.update_or_create_submission(grade.assignment, grade.student)
            submitted = _submitted(book, grade)
            by_hand = set_by_hand(grade)
            for check in grade.checks:
                found = book.find_grade(check.id, *where, grade.student)
                fault = check.verdict == "grader-fault" and not by_hand
                found.auto_score = None if fault else check.points
                found.needs_manual_grade = fault or found.manual_score is not None
            more = round(grade.score - sum(check.points for check in grade.checks), 9)
            submitted.late_submission_penalty = -more if more < 0 else None
            if grade.checks and (more > 0 or any(flag.kind in CHANGES for flag in grade.flags)):
                first = book.find_grade(grade.checks[0].id, *where, grade.student)
                first.extra_credit = more if more > 0 else None  # also where there was more before
            book.find_comment(grade.assignment, *where, grade.student).auto_comment = summary(grade)
            book.db.commit()


def _submitted(book: Any, grade: Grade) -> Any:
    """The student's notebook, with a grade and a comment for each cell that it had not when it came."""
    from nbgrader import api

    where = (grade.assignment, grade.assignment)
    notebook = book.find_notebook(*where)
    try:
        submitted = book.find_submission_notebook(*where, grade.student)
    except api.MissingEntry:
        submission = book.find_submission(grade.assignment, grade.student)
        submitted = api.SubmittedNotebook(notebook=notebook, assignment=submission)
    judged = {found.cell_id for found in submitted.grades}
    for cell in notebook.grade_cells:
        if cell.id not in judged:
            api.Grade(cell_id=cell.id, notebook=submitted)
    told = {comment.cell_id for comment in submitted.comments}
    for cell in notebook.solution_cells:
        if cell.id not in told:
            api.Comment(cell_id=cell.id, notebook=submitted)
    book.db.add(submitted)
    book.db.commit()
    return submitted
