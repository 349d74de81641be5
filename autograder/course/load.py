"""Reading grading.toml: its syntax, then its keys and types, then what the keys say about each other."""

import tomllib
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from autograder.course.consistency import inconsistencies
from autograder.course.errors import CourseError, dotted, shown
from autograder.course.messages import sentence
from autograder.course.mistakes import stale
from autograder.course.models import FILLED_IN, Assignment, Course

FILE = "grading.toml"


def load_course(path: Path) -> Course:
    """Read a grading.toml, or the one in a folder, and check it.

    Raises CourseError with one line for each problem: file, key, value, what was expected. A known mistake
    that no longer fits its reference is such a problem.
    """
    path = Path(path)
    if path.is_dir():
        path = path / FILE
    try:
        source = path.read_bytes()
    except OSError as error:
        raise CourseError(
            f"{path}: cannot be read ({error.strerror}); expected the course's grading.toml"
        ) from None
    try:
        data = tomllib.loads(source.decode("utf-8-sig"))
    except UnicodeDecodeError as error:
        line = source.count(b"\n", 0, error.start) + 1
        raise CourseError(f"{path}: line {line} is not UTF-8 text; save the file as UTF-8") from None
    except tomllib.TOMLDecodeError as error:
        raise CourseError(f"{path}: not valid TOML: {error}") from None

    problems = _reserved(data)
    try:
        course = Course.model_validate(_prepared(data, path.resolve().parent, source))
    except ValidationError as error:
        problems += [sentence(problem) for problem in error.errors(include_url=False)]
        course = None
    if course and not problems:
        problems = inconsistencies(course)
    if problems or course is None:
        raise CourseError("\n".join(f"{path}: {problem}" for problem in problems))
    _check_mistakes(course)
    return course


def _check_mistakes(course: Course) -> None:
    """Raises CourseError where a known mistake no longer applies to its reference."""
    problems = []
    for name in course.assignments:
        path = course.mistakes_path(name)
        if path.is_file():
            reference = course.solution_path(name).read_text(encoding="utf-8")
            problems += [f"{path}: {problem}" for problem in stale(path, reference)]
    if problems:
        raise CourseError("\n".join(problems))


def _reserved(data: dict[str, Any]) -> list[str]:
    """Keys that the loader fills in itself are as unknown in the file as any other."""
    tables: list[tuple[tuple[str, ...], Any, tuple[str, ...]]] = [((), data, FILLED_IN[Course])]
    assignments = data.get("assignments")
    if isinstance(assignments, dict):
        names = FILLED_IN[Assignment]
        tables += [(("assignments", name), table, names) for name, table in assignments.items()]
    return [
        f"{dotted((*path, key))} = {shown(table[key])}: unknown key"
        for path, table, keys in tables
        for key in keys
        if isinstance(table, dict) and key in table
    ]


def _prepared(data: dict[str, Any], root: Path, source: bytes) -> dict[str, Any]:
    """The file's data with arrays as tuples and with what the models want beside it."""
    prepared: dict[str, Any] = _tuples(data)
    assignments = prepared.get("assignments")
    if isinstance(assignments, dict):
        for name, table in assignments.items():
            if isinstance(table, dict):
                table["name"] = name
    return {**prepared, "root": root, "source": source}


def _tuples(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _tuples(item) for key, item in value.items()}
    if isinstance(value, list):
        return tuple(_tuples(item) for item in value)
    return value
