"""`autograder build`."""

from __future__ import annotations

from pathlib import Path

import click

from autograder.build import drift, write
from autograder.cli.options import course_option, find_course


@click.command()
@click.option(
    "--check", is_flag=True, help="Write nothing; exit with 1 if a generated file differs from its source."
)
@course_option
def command(check: bool, course_path: Path | None) -> None:
    """Make stubs and copies from solutions/ into assignments/.

    Example: autograder build --check
    """
    _, course = find_course(course_path)
    for name in course.assignments:
        lines = drift(course, name) if check else [f"wrote {path}" for path in write(course, name)]
        for line in lines:
            click.echo(line)
        if check and lines:
            raise click.exceptions.Exit(1)
    click.echo("generated files match their sources")
