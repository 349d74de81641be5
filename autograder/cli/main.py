"""Finds the subcommand, turns known errors into a sentence and an exit code.

0 graded, whatever the score; 1 below --fail-under, or results that are damaged or contradict each other;
2 usage or configuration; 3 the grader itself failed.
What a stopped command leaves with is in `entry`.
"""

from __future__ import annotations

import importlib
import os
from difflib import get_close_matches

import click

from autograder.cli.entry import stopped
from autograder.sandbox import ONE_THREAD

COMMANDS = {
    "grade": "Grade submissions.",
    "merge": "Join the results of shards.",
    "adjust": "Change a score for good, with a reason and a name.",
    "report": "Read a gradebook: a class, a student, a check.",
    "check": "Run the public checks on one file.",
    "watch": "Run the public checks again after every save.",
    "hint": "Show the next hint for a task.",
    "build": "Make what students receive from the one source.",
    "release": "Make the folder or zip for GitHub, nbgrader, otter, Gradescope.",
    "export": "Write grades for Canvas, Moodle, Gradescope, JUnit, nbgrader.",
    "classroom": "Run the public checks in a student's repository.",
    "new": "Lay the skeleton of a new assignment.",
    "audit": "Grade the grader: no wrong layer passes, no correct one fails.",
    "doctor": "Say which isolation is to be had.",
}


class Commands(click.Group):
    """Imports a subcommand only when it is asked for."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, name: str) -> click.Command | None:
        if name not in COMMANDS:
            return None
        command = importlib.import_module(f"autograder.cli.{name}").command
        assert isinstance(command, click.Command)
        return command

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        name = args[0] if args else ""
        near = get_close_matches(name, COMMANDS, 1)
        if name and name not in COMMANDS and near:
            ctx.fail(f"No such command {name!r}. Did you mean {near[0]!r}?")
        return super().resolve_command(ctx, args)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        with formatter.section("Commands"):
            formatter.write_dl(list(COMMANDS.items()))


@click.group(cls=Commands)
@click.version_option(package_name="autograder")
def group() -> None:
    """Grades NumPy layers written by hand.

    Example: autograder grade submissions/ --out results
    """


def run() -> int:
    """The exit code. Raises KeyboardInterrupt where the command is stopped before it began."""
    os.environ.update(ONE_THREAD | os.environ)
    from autograder.course import CourseError
    from autograder.gradebook.errors import GradebookError
    from autograder.reports.inert import inert
    from autograder.sandbox.pool import IsolationError, strongest
    from autograder.submission import SubmissionError

    try:
        # Without standalone mode click returns the code of an Exit instead of raising it.
        return group.main(standalone_mode=False) or 0
    except click.ClickException as error:
        error.show()
        return 2
    except click.Abort as error:  # click's word for a KeyboardInterrupt
        return stopped(error.__cause__)
    except CourseError as error:
        click.echo(str(error), err=True)
        return 2
    except SubmissionError as error:  # a shell's pattern may have named a student's file
        click.echo(inert(str(error)), err=True)
        return 2
    except IsolationError as error:
        best = strongest()
        allow = f"{best} holds: allow it with --require-isolation {best}" if best else "No level holds"
        click.echo(
            f"The required isolation is not to be had here: {error}. {allow}, "
            "or see with `autograder doctor` what would raise it.",
            err=True,
        )
        return 2
    except GradebookError as error:
        click.echo(str(error), err=True)
        return 3
    except Exception as error:
        click.echo(inert(f"The grader failed: {type(error).__name__}: {error}"), err=True)
        return 3
