"""`autograder doctor`."""

from __future__ import annotations

import click

from autograder.cli.options import find_course
from autograder.course import CourseError
from autograder.sandbox.levels import LEVELS, default, offered
from autograder.sandbox.pool import IsolationError, ZygoteFault, proved


@click.command()
def command() -> None:
    """Prove each isolation level in a worker and say what holds.

    Example: autograder doctor
    """
    holding = [name for name in offered()[::-1] if tried(name)]
    if not holding:
        click.echo("no level holds; nothing can be graded here", err=True)
        raise click.exceptions.Exit(3)
    best, required = holding[-1], of_course()
    if required in holding:
        click.echo(f"in force: {required} {LEVELS[required].title}. {LEVELS[required].worth}")
    else:
        click.echo(f"in force: none, for {required} is required and does not hold")
        click.echo(f"to grade with {best}: --require-isolation {best}. {LEVELS[best].worth}")
    for name in LEVELS:
        if name <= required and name in holding:
            continue
        if name in holding:
            click.echo(f"{name} is used where it is asked for: --require-isolation {name}")
        else:
            click.echo(f"to have {name}: {LEVELS[name].needs}")


def of_course() -> str:
    """The level that grading here asks for: the course's, or L3 where there is no course."""
    try:
        return default(find_course(None)[1].isolation.required)
    except (click.UsageError, CourseError):
        return default("L3")


def tried(name: str) -> bool:
    """Print whether a worker proves level `name`, item by item."""
    level = LEVELS[name]
    try:
        proofs = proved(name)
    except (IsolationError, ZygoteFault) as error:
        click.echo(f"{name} {level.title}: does not hold: {error}")
        return False
    click.echo(f"{name} {level.title}: holds ({level.made_of})")
    for proof in proofs:
        click.echo(f"    {proof.item:<32} {proof.detail}".rstrip())
    return True
