"""`autograder merge`."""

from __future__ import annotations

from contextlib import ExitStack
from pathlib import Path

import click

from autograder.cli.options import assignment_name, course_option, find_course, open_results
from autograder.gradebook import Gradebook
from autograder.gradebook.merge import merge

FOLDER = click.Path(path_type=Path, file_okay=False)


@click.command()
@click.argument("out", type=FOLDER)
@click.argument("parts", nargs=-1, required=True, type=FOLDER)
@click.option("--assignment", help="Which table of grading.toml; needed only if there are several.")
@course_option
def command(out: Path, parts: tuple[Path, ...], assignment: str | None, course_path: Path | None) -> None:
    """Join the results of shards, PARTS, into OUT. Exit code 1 when they contradict each other.

    Example: autograder merge results shard-1 shard-2
    """
    _, course = find_course(course_path)
    name = assignment_name(course, assignment)
    for part in parts:
        if not (part / "gradebook.db").is_file():
            raise click.UsageError(
                f"{part} holds no gradebook.db; give folders that `autograder grade` wrote"
            )
    with ExitStack() as stack:
        books = [
            stack.enter_context(Gradebook(part / "gradebook.db", lambda line: click.echo(line, err=True)))
            for part in parts
        ]
        for book in books:
            if others := [other for other in book.assignments() if other != name]:
                raise click.UsageError(f"{book.path} holds grades of {', '.join(others)}, not of {name}")
        results = stack.enter_context(open_results(out, course, name))  # last: what is refused writes nothing
        conflicts = merge(results.book, books)
        results.finish()
        count = sum(1 for _ in results.grades())
    for conflict in conflicts:
        click.echo(conflict, err=True)
    click.echo(f"{count} students from {len(parts)} folders, written to {out}/")
    if conflicts:
        raise click.exceptions.Exit(1)
