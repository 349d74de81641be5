"""`autograder export`: grades of a results folder in another tool's format."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

import click

from autograder.cli.options import assignment_name, course_option, find_course, refuse_others
from autograder.exports.errors import ExportError
from autograder.grade.model import Grade

if TYPE_CHECKING:
    from autograder.exports.match import Lost, People

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
    from autograder.exports.atomic import in_place
    from autograder.gradebook import Gradebook
    from autograder.results import rules_of

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
    target = db or out or results / FILES[format_]
    if format_ not in ("gradescope", "nbgrader") and target.is_dir():
        raise click.UsageError(f"{target} is a folder; expected the file to write, so name one with --out")
    with Gradebook(results / "gradebook.db") as book:
        refuse_others(
            book, results, name, f"name the folder of {name} with --results, or another --assignment"
        )
        grades = list(book.grades(name, rules_of(course.assignments[name])))
        people = {
            grade.student: book.person(grade.student) for grade in grades if format_ in ("canvas", "moodle")
        }
    if format_ not in ("csv", "junit"):  # what other tools show to students
        grades = [grade.for_student(course.diagnosis.detail) for grade in grades]
    lost: list[Lost] = []
    try:
        if format_ == "canvas":
            lost = _canvas(grades, people, into, target, title, roster_path)
        elif format_ == "moodle":
            lost = _moodle(grades, people, target, title, roster_path)
        elif format_ == "nbgrader":
            _nbgrader(grades, db)
        else:
            _WRITERS[format_](grades, target)
        # What goes to /dev/stdout is the file alone.
        click.echo(f"{len(grades) - len(lost)} students written to {target}", err=in_place(target))
        if format_ in ("canvas", "moodle"):
            if in_place(target):  # nothing can lie beside it
                target = results / FILES[format_]
            target = target.with_name(f"{target.stem}-unknown.csv")
            _unknown(lost, target)
    except ExportError as error:
        raise click.UsageError(str(error)) from None
    except OSError as error:  # its file may be the hidden one beside the target
        raise click.UsageError(
            f"{target}: cannot be written ({error.strerror}); choose another --out"
        ) from None


def _canvas(
    grades: list[Grade], people: People, into: Path | None, path: Path, title: str, roster: Path | None
) -> list[Lost]:
    from autograder.exports.canvas import NUMBERS, fill_canvas, write_canvas
    from autograder.submission.roster import load_roster

    if into:
        return fill_canvas(grades, into, path, title, people)
    return write_canvas(grades, path, title, load_roster(roster, NUMBERS) if roster else None, people)


def _moodle(grades: list[Grade], people: People, path: Path, title: str, roster: Path | None) -> list[Lost]:
    from autograder.exports.moodle import NUMBERS, write_moodle
    from autograder.submission.roster import load_roster

    if roster is None:
        raise click.UsageError(
            "Moodle refuses a whole file for one unknown user: give the class list with --roster"
        )
    return write_moodle(grades, path, title, load_roster(roster, NUMBERS), people)


def _nbgrader(grades: list[Grade], db: Path | None) -> None:
    from autograder.exports.nbgrader import write_nbgrader

    if db is None:
        raise click.UsageError("name nbgrader's database with --db gradebook.db")
    write_nbgrader(grades, db)


def _csv(grades: list[Grade], path: Path) -> None:
    from autograder.exports.csv import write_checks_csv

    write_checks_csv(grades, path)


def _junit(grades: list[Grade], path: Path) -> None:
    from autograder.exports.junit import write_junit

    write_junit(grades, path)


def _gradescope(grades: list[Grade], folder: Path) -> None:
    from autograder.exports.gradescope import write_gradescope
    from autograder.results import file_name

    write_gradescope({file_name(grade.student): grade for grade in grades}, folder)


_WRITERS: dict[str, Callable[[list[Grade], Path], None]] = {
    "csv": _csv,
    "junit": _junit,
    "gradescope": _gradescope,
}


def _unknown(lost: list[Lost], path: Path) -> None:
    """Whose grade nobody gets: said, then kept in a file of their own, which is gone when there is none."""
    from autograder.exports.csv import is_grades_csv, write_grades_csv
    from autograder.submission.text import listed

    if not lost:
        if is_grades_csv(path):
            path.unlink(missing_ok=True)
        return
    told = []
    for why in dict.fromkeys(item.why for item in lost):
        those = [str(item) for item in lost if item.why == why]
        told.append(f"{len(those)} {why}: {listed(those)}")
    click.echo(f"{'; '.join(told)}; their grades go to {path}", err=True)
    write_grades_csv([item.grade for item in lost], path)
