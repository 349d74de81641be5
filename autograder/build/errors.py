"""The one error of a build."""


class BuildError(ValueError):
    """A student's file cannot be made; the message names the file, the line, and what was expected."""
