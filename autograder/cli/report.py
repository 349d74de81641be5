"""`autograder report`: what a gradebook says of a class, a student, a check."""

from __future__ import annotations

from pathlib import Path

import click

from autograder.cli.options import assignment_name, course_option, find_course
from autograder.gradebook import Gradebook
from autograder.results import rules_of


@click.command()
@click.option("--student", help="One student: each attempt, what counts, every check.")
@click.option("--check", "check_id", help="One check: its verdicts, causes, and who lost points in it.")
@click.option("--similar", is_flag=True, help="Pairs that share structure beyond the stub, for you to judge.")
@click.option("--assignment", help="Which table of grading.toml; needed only if there are several.")
@click.option(
    "--out",
    type=click.Path(path_type=Path, file_okay=False),
    default=Path("results"),
    show_default=True,
    help="The folder that `autograder grade` wrote.",
)
@course_option
def command(
    student: str | None,
    check_id: str | None,
    similar: bool,
    assignment: str | None,
    out: Path,
    course_path: Path | None,
) -> None:
    """Read a gradebook: statistics of the class, or one view of it.

    Example: autograder report --student ada
    """
    if sum((student is not None, check_id is not None, similar)) > 1:
        raise click.UsageError("--student, --check and --similar are views of their own; give one of them")
    _, course = find_course(course_path)
    name = assignment_name(course, assignment)
    rules = rules_of(course.assignments[name])
    path = out / "gradebook.db"
    if not path.is_file():
        raise click.UsageError(f"{path} is not there; `autograder grade --out {out}` writes it")
    with Gradebook(path, lambda line: click.echo(line, err=True)) as book:
        if student is not None:
            from autograder.reports.student import student_view

            click.echo(student_view(book, student, name, rules))
        elif check_id is not None:
            from autograder.reports.statistics import check_view

            known = list(course.assignments[name].checks.present)
            if check_id not in known:
                raise click.UsageError(f"no check {check_id!r}; {name} has {', '.join(known)}")
            click.echo(check_view(book.grades(name, rules), check_id))
        elif similar:
            from autograder.reports.similar import similar_view

            stub = course.root / course.course.assignments / name / f"{name}.py"
            click.echo(similar_view(book, name, rules, stub.read_bytes() if stub.is_file() else b""))
        else:
            from autograder.reports.statistics import class_view

            click.echo(class_view(book.statistics(name, rules)))
