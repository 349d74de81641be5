"""What releases are made of: the student's files, and on the instructor's side the course with its grader."""

from __future__ import annotations

import re
from collections.abc import Iterator
from importlib import metadata
from pathlib import Path

from autograder.build import BuildError, generated
from autograder.course import Course

PACKAGE = Path(__file__).resolve().parents[1]
FILES = Path(__file__).with_name("files")  # written by hand: programs and settings that run elsewhere

STUDENT_REQUIREMENTS = "numpy>=2.0\npytest>=8\nmatplotlib  # the pictures of the notebook\n"

Files = dict[str, bytes]  # by path with `/`


def student_files(course: Course, name: str) -> Files:
    """Everything that a student of assignment `name` receives, by path in the student's folder.

    Generated files are made anew, so that nothing but the source is trusted. Raises BuildError.
    """
    folder = f"{course.course.assignments}/{name}/"
    files = {path.removeprefix(folder): content for path, content in generated(course, name).items()}
    for path in ("README.md", f"test_{name}.py"):
        files[path] = read(course.root / folder / path)
    files["requirements.txt"] = STUDENT_REQUIREMENTS.encode()
    return files


def grading_files(course: Course) -> Files:
    """The course and the package that grades it, for a machine of the instructor's; holds every secret.

    In the folder `python -m autograder` grades, with the packages of requirements.txt. Raises BuildError.
    """
    files = course_files(course) | {"requirements.txt": requirements().encode()}
    for path in _package():
        files[f"autograder/{path.relative_to(PACKAGE).as_posix()}"] = read(path)
    return files


def course_files(course: Course) -> Files:
    """What the package needs of a course to grade it. Raises BuildError."""
    files = {"grading.toml": course.source}
    for name in course.assignments:
        for path in (course.solution_path(name), course.mistakes_path(name)):
            if path.is_file():
                files[path.relative_to(course.root).as_posix()] = read(path)
        for relative, content in student_files(course, name).items():
            files[f"{course.course.assignments}/{name}/{relative}"] = content
    return files


def requirements() -> str:
    """What the package itself needs, in the versions that are in use here."""
    needed = [line for line in metadata.requires("autograder") or () if "extra ==" not in line]
    names = sorted(re.split(r"[^\w.-]", line)[0] for line in needed)
    return "".join(f"{name}=={metadata.version(name)}\n" for name in names)


def _package() -> Iterator[Path]:
    for path in sorted(PACKAGE.rglob("*")):
        if path.is_file() and "__pycache__" not in path.parts and not path.name.startswith("."):
            yield path


def template(name: str, **values: str) -> bytes:
    """A hand-written file with each `@WORD@` replaced by its value."""
    text = (FILES / name).read_text(encoding="utf-8")
    for word, value in values.items():
        if f"@{word}@" not in text:
            raise BuildError(f"{name}: has no @{word}@ to replace")
        text = text.replace(f"@{word}@", value)
    return text.encode()


def read(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except OSError as error:
        raise BuildError(f"{path}: cannot be read ({error.strerror}); it is part of the release") from None
