"""nbgrader: grades written into its gradebook.db, also of submissions that are no notebooks."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from autograder.exports.errors import ExportError
from autograder.grade.model import Grade
from autograder.reports.words import summary


def write_nbgrader(grades: Iterable[Grade], db: Path) -> None:
    """Write each grade's checks as the grade cells of a notebook named as the assignment.

    What the checks say becomes the comment on the cell with the class. A course made by
    `release --for nbgrader` has these cells; in any other database they are made. Manual scores stay.
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
            book.update_or_create_solution_cell(grade.assignment, *where, cell_type="code")
            book.update_or_create_student(grade.student)
            book.update_or_create_submission(grade.assignment, grade.student)
            for check in grade.checks:
                found = book.find_grade(check.id, *where, grade.student)
                fault = check.verdict == "grader-fault"
                found.auto_score = None if fault else check.points
                found.needs_manual_grade = fault or found.manual_score is not None
            book.find_comment(grade.assignment, *where, grade.student).auto_comment = summary(grade)
            book.db.commit()
