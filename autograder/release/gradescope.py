"""Gradescope: the zip that an instructor uploads as the autograder."""

from __future__ import annotations

from autograder.course import Course
from autograder.release.sources import Files, grading_files, template


def autograder(course: Course, name: str, *, visibility: str, leaderboard: bool) -> Files:
    """The zip's files: the two programs that Gradescope calls, the course, and the package that grades."""
    run = template(
        "run_autograder",
        ASSIGNMENT=name,
        VISIBILITY=visibility,
        LEADERBOARD=" leaderboard" if leaderboard else "",
    )
    return grading_files(course) | {"setup.sh": template("setup.sh"), "run_autograder": run}
