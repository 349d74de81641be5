"""The skeleton of a new assignment: a reference to be written, its mistakes, its handout, its policy."""

from __future__ import annotations

import hashlib
import re
from pathlib import Path
from string import Template

from ..course import Course
from ..exports.atomic import replacing
from .errors import BuildError

_TEMPLATES = Path(__file__).parent / "new"
_NAME = re.compile(r"[a-z][a-z0-9]*(_[a-z0-9]+)*")


def lay(course: Course, grading: Path, name: str) -> list[Path]:
    """Write the files of assignment `name` and its table at the end of `grading`; returns what was written.

    Writes nothing and raises BuildError for a name that is no module's, or where something is there already.
    """
    if not _NAME.fullmatch(name):
        raise BuildError(f"{name!r} cannot name an assignment; expected lower-case words, such as layer_norm")
    if name in course.assignments:
        raise BuildError(f"{grading}: assignments.{name} is there already; choose another name")
    handed_out = course.root / course.course.assignments / name
    files = {
        course.solution_path(name): "layer",
        course.mistakes_path(name): "mistakes",
        handed_out / "README.md": "handout",
        handed_out / f"test_{name}.py": "tests",
    }
    for path in files:
        if path.exists():
            raise BuildError(f"{path} is there already; choose another name or move it away")
    words = {
        "name": name,
        "class_name": "".join(word.capitalize() for word in name.split("_")),
        "title": f"The layer {name}",
        "number": str(len(course.assignments) + 1),
        **{f"seed_{n}": str(_seed(course, name, n)) for n in (1, 2, 3)},
    }
    try:
        for path, template in files.items():
            with replacing(path) as file:
                file.write(_filled(template, words))
        with replacing(grading) as file:  # last: with it the assignment is there
            file.write(course.source.decode() + _filled("grading", words))
    except OSError as error:
        raise BuildError(f"{error.filename}: cannot be written ({error.strerror})") from None
    return [*files, grading]


def _filled(template: str, words: dict[str, str]) -> str:
    return Template((_TEMPLATES / f"{template}.txt").read_text(encoding="utf-8")).substitute(words)


def _seed(course: Course, name: str, number: int) -> int:
    """A hidden seed that nobody finds without the policy, and that is the same on every machine."""
    digest = hashlib.sha256(course.source + f"{name} {number}".encode()).digest()
    return int.from_bytes(digest[:4], "big") % 1_000_000
