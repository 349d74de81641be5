"""`autograder report`: what a gradebook says of a class, a student, a check."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import click

from autograder.cli.options import assignment_name, course_option, find_course, refuse_others, sort_option
from autograder.gradebook import Gradebook
from autograder.reports.table import Sort, class_table
from autograder.results import rules_of


@click.command()
@click.option("--student", help="One student: each attempt, what counts, every check.")
@sort_option
@click.option("--check", "check_id", help="One check: its verdicts, causes, and who lost points in it.")
@click.option("--similar", is_flag=True, help="Pairs that share structure beyond the stub, for you to judge.")
@click.option(
    "--html", type=click.Path(path_type=Path, dir_okay=False), help="Write the class report: one HTML file."
)
@click.option(
    "--feedback",
    type=click.Path(path_type=Path, file_okay=False),
    help="Write an HTML and a Markdown file for each student into this folder.",
)
@click.option(
    "--anonymise", is_flag=True, help="Pseudonyms for names; what they stand for is in OUT/pseudonyms.json."
)
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
    sort: Sort | None,
    check_id: str | None,
    similar: bool,
    html: Path | None,
    feedback: Path | None,
    anonymise: bool,
    assignment: str | None,
    out: Path,
    course_path: Path | None,
) -> None:
    """Read a gradebook: statistics of the class, or one view of it.

    \b
    Example: autograder report --student ada
    Example: autograder report --html class.html --feedback feedback
    """
    files = html is not None or feedback is not None
    if sum((student is not None, sort is not None, check_id is not None, similar, files)) > 1:
        raise click.UsageError(
            "--student, --sort, --check, --similar and files (--html, --feedback) are views of their own; "
            "give one"
        )
    _, course = find_course(course_path)
    name = assignment_name(course, assignment)
    rules = rules_of(course.assignments[name])
    path = out / "gradebook.db"
    if not path.is_file():
        raise click.UsageError(f"{path} is not there; `autograder grade --out {out}` writes it")
    with gradebook(path, anonymise) as book:
        refuse_others(book, out, name, f"name the folder of {name} with --out, or another --assignment")
        if student is not None:
            from autograder.reports.student import student_view

            click.echo(student_view(book, student, name, rules))
        elif check_id is not None:
            from autograder.reports.statistics import check_view

            known = list(course.assignments[name].checks.present)
            if check_id not in known:
                raise click.UsageError(f"no check {check_id!r}; {name} has {', '.join(known)}")
            click.echo(check_view(book.grades(name, rules), check_id))
        elif sort:
            students = [grade.student for grade in book.grades(name, rules)]
            width = shutil.get_terminal_size((100, 24)).columns
            for line in class_table(book.grades(name, rules), students, width, sort):
                click.echo(line)
        elif files:
            from autograder.reports.files import write_files

            detail = course.diagnosis.detail
            for line in write_files(book, course.assignments[name], rules, html, feedback, detail):
                click.echo(line)
        elif similar:
            from autograder.reports.similar import similar_view

            stub = course.root / course.course.assignments / name / f"{name}.py"
            click.echo(similar_view(book, name, rules, stub.read_bytes() if stub.is_file() else b""))
        else:
            from autograder.reports.statistics import class_view

            click.echo(class_view(book.statistics(name, rules)))


@contextmanager
def gradebook(path: Path, anonymise: bool) -> Iterator[Gradebook]:
    """The gradebook at `path`, its names replaced on demand."""

    def report(line: str) -> None:
        click.echo(line, err=True)

    if not anonymise:
        with Gradebook(path, report) as book:
            yield book
        return
    from autograder.reports.anonymise import AnonymousGradebook, Pseudonyms

    names = Pseudonyms(path.with_name("pseudonyms.json"))
    try:
        with AnonymousGradebook(path, report, names) as book:
            yield book
    finally:
        names.save()  # also of names in a report that was not finished
