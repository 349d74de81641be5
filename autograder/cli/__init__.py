"""The command. Each subcommand is a module of its own, imported when it is called."""

from autograder.cli.entry import main

__all__ = ["main"]
