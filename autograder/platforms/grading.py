"""One file to one grade, for a tool that calls from its own process, many times or once."""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path

from autograder.batch.worker import graded
from autograder.course import load_course
from autograder.grade.grader import Grader
from autograder.grade.model import Grade
from autograder.submission import Refusal, Submission


@lru_cache(maxsize=4)
def grader(course: Path, name: str) -> Grader:
    """A grader behind the wall that the course requires, kept for the life of the process."""
    loaded = load_course(course)
    return Grader(loaded, name, level=loaded.isolation.required)


def grade(course: Path, name: str, item: Submission | Refusal) -> Grade:
    """The grade of `item` as its student may see it; a fault of the grader is one of its flags.

    Raises IsolationError, CourseError.
    """
    used = grader(course, name)
    return graded(used, item).for_student(used.course.diagnosis.detail)
