"""`autograder adjust`."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

import click

from autograder.cli.options import assignment_name, course_option, find_course, open_results
from autograder.gradebook.undo import undo
from autograder.reports.student import student_view
from autograder.results import rules_of


@click.command(context_settings={"ignore_unknown_options": True})  # points may begin with a minus
@click.argument("student")
@click.argument("points", type=float, required=False)
@click.option("--reason", required=True, help="Why; the student reads it.")
@click.option("--by", "name", required=True, help="Who adjusts.")
@click.option("--set", "is_score", is_flag=True, help="POINTS are the score, not an amount to add.")
@click.option("--undo", "undoing", is_flag=True, help="Take back the last adjustment; it stays on record.")
@click.option("--assignment", help="Which table of grading.toml; needed only if there are several.")
@click.option(
    "--out", type=click.Path(path_type=Path, file_okay=False), default=Path("results"), show_default=True
)
@course_option
def command(
    student: str,
    points: float | None,
    reason: str,
    name: str,
    is_score: bool,
    undoing: bool,
    assignment: str | None,
    out: Path,
    course_path: Path | None,
) -> None:
    """Add POINTS to a student's score, for good: grading again keeps it.

    --set gives a score also to a student whose attempts all came too late to count.

    \b
    Example: autograder adjust ada 5 --reason "typo in the handout" --by "J. Novak"
    Example: autograder adjust bob 60 --set --reason "extension: ill" --by "J. Novak"
    """
    if undoing and (is_score or points is not None):
        raise click.UsageError("--undo takes back the last adjustment as it is; give no POINTS with it")
    if not undoing and points is None:
        raise click.UsageError("give POINTS, or --undo to take back the last adjustment")
    _, course = find_course(course_path)
    which = assignment_name(course, assignment)
    if not (out / "gradebook.db").is_file():
        raise click.UsageError(f"{out} holds no gradebook.db; `autograder grade --out {out}` writes it")
    with open_results(out, course, which) as results:
        if not results.book.attempts(student, which):
            raise click.UsageError(f"{out} has no grade of {student!r}; grades.csv lists the students")
        score, more = (points, None) if is_score else (None, points)
        rules, now = rules_of(course.assignments[which]), datetime.now(UTC)
        try:
            if undoing:
                undo(results.book, student, which, reason=reason, name=name, at=now)
            else:
                results.book.adjust(
                    student, which, points=more, override=score, reason=reason, name=name, at=now, rules=rules
                )
        except ValueError as error:
            raise click.UsageError(str(error)) from None
        results.finish()
        click.echo(student_view(results.book, student, which, rules))
