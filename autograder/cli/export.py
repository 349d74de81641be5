"""`autograder export`: grades of a results folder in another tool's format."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import click

from autograder.cli.options import assignment_name, course_option, find_course
from autograder.exports.errors import ExportError
from autograder.grade.model import Grade

FILES = {
    "csv": "checks.csv",
    "canvas": "canvas.csv",
    "moodle": "moodle.csv",
    "gradescope": "gradescope",
    "junit": "junit.xml",
    "nbgrader": "",
}


@click.command()
@click.argument("format_", metavar="FORMAT", type=click.Choice(list(FILES)))
@click.option(
    "--results",
    type=click.Path(path_type=Path, file_okay=False),
    default=Path("results"),
    show_default=True,
    help="What `autograder grade` wrote.",
)
@click.option("--out", type=click.Path(path_type=Path), help="Default: beside the results.")
@click.option("--roster", "roster_path", type=click.Path(path_type=Path), help="The class list, a CSV file.")
@click.option("--into", type=click.Path(path_type=Path), help="canvas: the exported gradebook to fill.")
@click.option("--db", type=click.Path(path_type=Path), help="nbgrader: the gradebook.db to write to.")
@click.option("--title", help="The column's title (default: the assignment's in grading.toml).")
@click.option("--assignment", help="Which table of grading.toml; needed only if there are several.")
@course_option
def command(
    format_: str,
    results: Path,
    out: Path | None,
    roster_path: Path | None,
    into: Path | None,
    db: Path | None,
    title: str | None,
    assignment: str | None,
    course_path: Path | None,
) -> None:
    """Write grades for another tool: csv, canvas, moodle, gradescope, junit, nbgrader.

    Example: autograder export canvas --into gradebook.csv
    """
    from autograder.gradebook import Gradebook
    from autograder.results import rules_of
    from autograder.submission.roster import load_roster

    for option, value, only in (("--into", into, "canvas"), ("--db", db, "nbgrader")):
        if value is not None and format_ != only:
            raise click.UsageError(f"{option} is for {only} and has no meaning for {format_}")
    _, course = find_course(course_path)
    name = assignment_name(course, assignment)
    title = title or course.assignments[name].title
    if not (results / "gradebook.db").is_file():
        raise click.UsageError(
            f"{results} holds no gradebook.db; grade first, or name a folder with --results"
        )
    roster = load_roster(roster_path) if roster_path else None
    with Gradebook(results / "gradebook.db") as book:
        grades = list(book.grades(name, rules_of(course.assignments[name])))
    if format_ not in ("csv", "junit"):  # what other tools show to students
        grades = [grade.for_student(course.diagnosis.detail) for grade in grades]
    target = out or results / FILES[format_]
    unknown: list[Grade] = []
    try:
        if format_ == "canvas" and into:
            from autograder.exports.canvas import fill_canvas

            unknown = fill_canvas(grades, into, target, title)
        elif format_ == "canvas":
            from autograder.exports.canvas import write_canvas

            unknown = write_canvas(grades, target, title, roster)
        elif format_ == "moodle":
            if roster is None:
                raise click.UsageError(
                    "Moodle refuses a whole file for one unknown user: give the class list with --roster"
                )
            from autograder.exports.moodle import write_moodle

            unknown = write_moodle(grades, target, title, roster)
        elif format_ == "nbgrader":
            if db is None:
                raise click.UsageError("name nbgrader's database with --db gradebook.db")
            from autograder.exports.nbgrader import write_nbgrader

            write_nbgrader(grades, db)
            target = db
        else:
            _WRITERS[format_](grades, target)
    except ExportError as error:
        raise click.UsageError(str(error)) from None
    except OSError as error:
        raise click.UsageError(
            f"{error.filename or target}: cannot be written ({error.strerror}); choose another --out"
        ) from None
    click.echo(f"{len(grades) - len(unknown)} students written to {target}")
    if unknown:
        _unknown(unknown, target.with_name(f"{target.stem}-unknown.csv"))


def _csv(grades: list[Grade], path: Path) -> None:
    from autograder.exports.csv import write_checks_csv

    write_checks_csv(grades, path)


def _junit(grades: list[Grade], path: Path) -> None:
    from autograder.exports.junit import write_junit

    write_junit(grades, path)


def _gradescope(grades: list[Grade], folder: Path) -> None:
    from autograder.exports.atomic import replacing
    from autograder.exports.gradescope import gradescope_results
    from autograder.results import file_name

    for grade in grades:
        with replacing(folder / file_name(grade.student)) as file:
            json.dump(gradescope_results(grade), file, indent=2)


_WRITERS: dict[str, Callable[[list[Grade], Path], None]] = {
    "csv": _csv,
    "junit": _junit,
    "gradescope": _gradescope,
}


def _unknown(grades: list[Grade], path: Path) -> None:
    """Whom the other tool does not know: said, and kept in a file of their own."""
    from autograder.exports.csv import write_grades_csv
    from autograder.submission.text import listed

    write_grades_csv(grades, path)
    names = listed([grade.student for grade in grades])
    click.echo(f"{len(grades)} not in the class list: {names}; their grades are in {path}", err=True)
