"""`autograder merge`."""

from __future__ import annotations

from collections import Counter
from contextlib import ExitStack
from pathlib import Path

import click

from autograder.batch.worker import faulty
from autograder.cli.options import assignment_name, course_option, find_course, open_results
from autograder.grade.grader import grader_digest
from autograder.gradebook import Gradebook
from autograder.gradebook.merge import merge
from autograder.results import rules_of
from autograder.submission.text import listed

FOLDER = click.Path(path_type=Path, file_okay=False)


@click.command()
@click.argument("out", type=FOLDER)
@click.argument("parts", nargs=-1, required=True, type=FOLDER)
@click.option("--assignment", help="Which table of grading.toml; needed only if there are several.")
@course_option
def command(out: Path, parts: tuple[Path, ...], assignment: str | None, course_path: Path | None) -> None:
    """Join the results of shards, PARTS, into OUT. Exit code 1 when they contradict each other.

    It is 1 also when a part is damaged, and 3 when it holds what could not be graded.

    Example: autograder merge results shard-1 shard-2
    """
    _, course = find_course(course_path)
    name = assignment_name(course, assignment)
    for part, times in Counter(part.resolve() for part in parts).items():
        if times > 1:
            raise click.UsageError(f"{part} is given {times} times; give each part once")
    said: list[str] = []

    def say(line: str) -> None:
        said.append(line)
        click.echo(line, err=True)

    for part in parts:
        if not (part / "gradebook.db").is_file():
            raise click.UsageError(
                f"{part} holds no gradebook.db; give folders that `autograder grade` wrote"
            )
    with ExitStack() as stack:
        books = [stack.enter_context(Gradebook(part / "gradebook.db", say)) for part in parts]
        for book in books:
            if others := [other for other in book.assignments() if other != name]:
                raise click.UsageError(f"{book.path} holds grades of {', '.join(others)}, not of {name}")
        results = stack.enter_context(open_results(out, course, name))  # last: what is refused writes nothing
        current = (course.digest(name), grader_digest())
        for conflict in merge(results.book, books, current, rules_of(course.assignments[name]).zone):
            say(conflict)
        results.finish()
        makers: dict[tuple[str, ...], list[str]] = {}
        count = 0
        for grade in results.grades():
            count += 1
            maker = (grade.digests.course, grade.digests.grader, grade.isolation.level)
            makers.setdefault(maker, []).append(grade.student)
        faults = [grade.student for grade in results.unmade() if faulty(grade)]
        damaged = results.book.damaged
    _, *fewer = sorted(makers.values(), key=len, reverse=True) or [[]]
    for students in fewer:
        say(
            f"{len(students)} of {count} students were graded by another course, grader or isolation level "
            f"than the others: {listed(students)}; grade their part again as the others, then merge again"
        )
    click.echo(f"{count} students from {len(parts)} folders, written to {out}/")
    if faults:
        click.echo(
            f"{len(faults)} submissions could not be graded because the grader failed: "
            f"{listed(list(dict.fromkeys(faults)))}; grade their part again, then merge again",
            err=True,
        )
        raise click.exceptions.Exit(3)
    if said or damaged:
        raise click.exceptions.Exit(1)
