"""The generated files of an assignment: what they are, writing them, and whether they are up to date."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

from autograder.build.errors import BuildError
from autograder.build.facts import facts
from autograder.build.notebook import student_notebook
from autograder.build.stub import cut
from autograder.diagnosis.known import FILE, known
from autograder.exports.atomic import write_whole

if TYPE_CHECKING:
    from autograder.course import Course

_PACKAGE = Path(__file__).resolve().parents[1]
# What students receive a copy of, by its name there.
_COPIES = {"gradcheck.py": _PACKAGE / "gradcheck.py", "diagnosis.py": _PACKAGE / "diagnosis/fingerprint.py"}
_LOOP = _PACKAGE / "student"
_COPIES |= {path.relative_to(_LOOP).as_posix(): path for path in sorted(_LOOP.rglob("*.py"))}
_COPIED = "# A copy of autograder/{}, made by `autograder build`: edit that file and build again.\n"


def generated(course: Course, name: str) -> dict[str, bytes]:
    """Every generated file of assignment `name`: its path below `course.root`, with `/`, and its bytes.

    Reads the reference, its known mistakes and the modules that are copied, writes nothing; the same
    sources give the same bytes.
    Raises BuildError for an unknown assignment, a source that cannot be read, and whatever `cut` refuses.
    """
    if name not in course.assignments:
        raise BuildError(
            f"no assignment {name!r} in grading.toml; expected one of {', '.join(course.assignments)}"
        )
    solution = course.solution_path(name)
    titles = {task: entry.title for task, entry in course.assignments[name].tasks.items()}
    shown = os.path.relpath(solution, course.root).replace(os.sep, "/")
    folder = f"{course.course.assignments}/{name}"
    stub = cut(_text(solution), titles, shown)
    files = {f"{folder}/{solution.name}": stub.encode()}
    if (course.root / folder / "README.md").is_file():
        handout = _text(course.root / folder / "README.md")
        files[f"{folder}/{name}.ipynb"] = student_notebook(handout, stub, f"{folder}/README.md").encode()
    files[f"{folder}/check.json"] = facts(course.assignments[name], solution.read_bytes()).encode()
    for copy, source in _COPIES.items():
        made = _COPIED.format(source.relative_to(_PACKAGE).as_posix())
        files[f"{folder}/{copy}"] = (made + _text(source)).encode()
    return files | {f"{folder}/{FILE}": known(course, name).file}


def write(course: Course, name: str) -> list[str]:
    """Write the generated files that differ and return their paths below `course.root`.

    Raises BuildError like `generated`, and for a file that cannot be written.
    """
    written = []
    for relative, content in generated(course, name).items():
        path = course.root / relative
        if _bytes_of(path) != content:
            _replace(path, content)
            written.append(relative)
    return written


def drift(course: Course, name: str) -> list[str]:
    """One sentence for each generated file that is missing or is not what its source gives; else empty."""
    sentences = []
    for relative, content in generated(course, name).items():
        found = _bytes_of(course.root / relative)
        if found is None:
            sentences.append(f"{relative} is missing; run `autograder build`.")
        elif found != content:
            line = _first_difference(found, content)
            sentences.append(
                f"{relative} differs from what its source gives, first on line {line}; "
                "change the source and run `autograder build`."
            )
    return sentences


def _first_difference(found: bytes, expected: bytes) -> int:
    """The 1-based line on which two different files part."""
    ours, theirs = found.split(b"\n"), expected.split(b"\n")
    for number, pair in enumerate(zip(ours, theirs, strict=False), 1):
        if pair[0] != pair[1]:
            return number
    return min(len(ours), len(theirs)) + 1


def _text(path: Path) -> str:
    """The file's text with `\\n` line ends, whatever ends they have on disk."""
    try:
        return path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise BuildError(f"{path}: cannot be read ({error}); expected UTF-8 Python source") from None


def _bytes_of(path: Path) -> bytes | None:
    try:
        return path.read_bytes()
    except FileNotFoundError:
        return None
    except OSError as error:
        raise BuildError(f"{path}: cannot be read ({error.strerror}); expected a file, or none") from None


def _replace(path: Path, content: bytes) -> None:
    try:
        write_whole(path, content)
    except OSError as error:
        raise BuildError(f"{path}: cannot be written ({error.strerror}); check its folder") from None
