"""The one error of a build."""

from autograder.course.errors import CourseError


class BuildError(CourseError):
    """A student's file cannot be made; the message names the file, the line, and what was expected."""
