"""What several subcommands share: finding the course, naming the assignment."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from autograder.course import Course, load_course

if TYPE_CHECKING:
    from autograder.gradebook import Gradebook
    from autograder.results import Results

course_option = click.option(
    "--course",
    "course_path",
    type=click.Path(path_type=Path),
    help="grading.toml or its folder (default: found upwards).",
)

sort_option = click.option(
    "--sort",
    type=click.Choice(["name", "score", "flags"]),
    help="The class table by name, lowest score, or most flags first.",
)


def find_course(path: Path | None) -> tuple[Path, Course]:
    """The course at `path`, else of the nearest grading.toml upwards. Raises CourseError, UsageError."""
    if path is None:
        here = Path.cwd()
        path = next(
            (p / "grading.toml" for p in (here, *here.parents) if (p / "grading.toml").is_file()), None
        )
        if path is None:
            raise click.UsageError(f"no grading.toml in {here} or above it; name one with --course")
    return path / "grading.toml" if path.is_dir() else path, load_course(path)


def assignment_name(course: Course, name: str | None) -> str:
    """The assignment asked for, or the only one."""
    names = list(course.assignments)
    if name is None:
        if len(names) == 1:
            return names[0]
        raise click.UsageError(
            f"the course has several assignments: name one of {', '.join(names)} with --assignment"
        )
    if name not in names:
        raise click.UsageError(f"no assignment {name!r}; grading.toml has {', '.join(names)}")
    return name


def open_results(out: Path, course: Course, name: str) -> Results:
    """The results in `out`, which are of one assignment. Raises GradebookError, UsageError."""
    from autograder.results import NoFolder, Results

    try:
        results = Results(out, course.assignments[name], lambda line: click.echo(line, err=True))
    except NoFolder as error:
        raise click.UsageError(str(error)) from None
    try:
        refuse_others(results.book, out, name, f"give {name} another --out")
    except click.UsageError:
        results.book.close()
        raise
    return results


def refuse_others(book: Gradebook, out: Path, name: str, instead: str) -> None:
    """Raises UsageError when `book`, the gradebook in `out`, has grades of another assignment than `name`."""
    if others := [other for other in book.assignments() if other != name]:
        raise click.UsageError(f"{out} holds grades of {', '.join(others)}; {instead}")
