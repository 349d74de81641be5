"""`autograder new`."""

from __future__ import annotations

import os
from pathlib import Path

import click

from autograder.build.skeleton import lay
from autograder.cli.options import course_option, find_course


@click.command()
@click.argument("name")
@course_option
def command(name: str, course_path: Path | None) -> None:
    """Lay the skeleton of assignment NAME: a reference to write, its mistakes, its handout, its policy.

    Example: autograder new layer_norm
    """
    path, course = find_course(course_path)
    for written in lay(course, path, name):
        click.echo(f"wrote {os.path.relpath(written)}")
    click.echo(f"`autograder audit {name}` says what is still missing")
