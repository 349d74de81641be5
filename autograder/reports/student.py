"""One student as a gradebook knows them: attempts, then the grade that counts."""

from __future__ import annotations

from difflib import get_close_matches

from ..gradebook import Gradebook, Rules
from ..submission import SubmissionError
from .inert import inert
from .terminal import student_report
from .words import number


def student_view(book: Gradebook, student: str, assignment: str, rules: Rules) -> str:
    """Every attempt on a line, the one that counts marked, then its report.

    Raises SubmissionError for a student who has no attempt.
    """
    attempts = book.attempts(student, assignment, rules)
    if not attempts:
        known = [grade.student for grade in book.grades(assignment, rules)]
        near = get_close_matches(student, known, 1)
        instead = f"did you mean {inert(near[0])!r}?" if near else "see grades.csv"
        raise SubmissionError(f"{book.path}: no grade of {inert(student)!r} for {assignment}; {instead}")
    chosen = book.chosen(student, assignment, rules)
    lines = []
    for attempt in attempts:
        when = f"{attempt.submitted_at[:16]} UTC" if attempt.submitted_at else "time not known"
        taken = rules.late.deduction(attempt.submitted_at) if rules.late else 0.0
        cost = f", {number(taken)} off for lateness" if taken else ""
        mark = "  counts" if attempt == chosen else ""
        lines.append(f"attempt {attempt.number}: {number(attempt.score)}, {when}{cost}{mark}")
    grade = book.grade(student, assignment, rules)
    if grade is not None:
        source = book.source(grade.digests.submission)
        where = source.where if source else (lambda line: f"line {line}")
        lines += ["", student_report(grade, where)]
    return "\n".join(lines)
