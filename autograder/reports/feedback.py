"""What one student receives: an HTML and a Markdown file with the sentences that the terminal says.

Safe to publish: no hidden input is in it, no other student, and of a diagnosis only as much as the course
shows. What a student wrote is text in HTML, and lies inside a fence in Markdown.
"""

from __future__ import annotations

import base64
import hashlib
import re
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from markupsafe import Markup

from ..course import Assignment
from ..exports.atomic import replacing
from ..grade.model import CheckGrade, Detail, Grade, Picture
from ..results import file_name
from .html import environment, text_of
from .inert import inert, markdown
from .words import TOLD, Where, words

SHADES = 4


@dataclass(frozen=True)
class Differs:
    """An array that is not the expected one: where most, and a table of the differences."""

    says: str
    table: Markup


class Feedback:
    """Writes two files a student below `folder`."""

    def __init__(self, assignment: Assignment, detail: Detail, folder: Path):
        self.assignment, self.detail, self.folder = assignment, detail, folder
        style = text_of("feedback.css")
        self._fixed: dict[str, Any] = {
            "title": assignment.title,
            "style": Markup(style),
            "policy": f"default-src 'none'; style-src 'sha256-{_digest(style)}'",
        }
        self._html = environment().get_template("feedback.html")
        self._markdown = environment().overlay(autoescape=False).get_template("feedback.md")

    def write(self, grade: Grade, where: Where) -> None:
        """Raises OSError when a file cannot be written."""
        given: set[str] = set()  # a mistake costs points in several checks; its hints are shown at the first
        checks = [self._check(check, where, given) for check in grade.checks]
        pictures = grade.figures.pictures if grade.figures else ()
        shown = {
            **self._fixed,
            "grade": grade,
            "checks": checks,
            "flags": [(flag.kind, inert(flag.detail)) for flag in grade.flags if flag.kind in TOLD],
            "differs": [differs(picture) for picture in pictures if picture.yours != picture.expected],
        }
        name = self._name(grade.student)
        student = inert(grade.student)
        _replace(name, ".html", self._html.render(shown, student=student))
        _replace(
            name,
            ".md",
            self._markdown.render(shown, student=markdown(student), fenced=fenced, markdown=markdown),
        )

    def remove(self, student: str) -> None:
        """Remove what an earlier run has written for a student who has no grade any more. Raises OSError."""
        for suffix in (".html", ".md"):
            _file(self._name(student), suffix).unlink(missing_ok=True)

    def _name(self, student: str) -> Path:
        return self.folder / file_name(student).removesuffix(".json")

    def _check(
        self, check: CheckGrade, where: Where, given: set[str]
    ) -> tuple[CheckGrade, list[str], list[str]]:
        """A check, its sentences, and the hints of a recognised mistake, as far as students see them."""
        if check.diagnosis is None:
            return check, words(check, where), []
        seen = check.diagnosis.at(self.detail)
        check = check.model_copy(update={"diagnosis": seen if seen.sentence else None})
        hints = [inert(hint) for hint in seen.hints if hint not in given]
        given.update(seen.hints)
        return check, words(check, where), hints


def fenced(lines: list[str]) -> str:
    """Lines as a code block that no run of backticks in them can end."""
    text = "\n".join(lines)
    fence = "`" * max(3, 1 + max((len(run) for run in re.findall("`+", text)), default=0))
    return f"{fence}text\n{text}\n{fence}"


def differs(picture: Picture) -> Differs:
    name, shape = picture.name, ", ".join(map(str, picture.shape))
    if picture.yours is None:
        return Differs(f"{name} ({shape}): yours is not a float array of this shape.", Markup(""))
    apart = [None if y is None else y - e for y, e in zip(picture.yours, picture.expected, strict=True)]
    sizes = [float("inf") if value is None else abs(value) for value in apart]
    worst = max(range(len(sizes)), key=sizes.__getitem__)
    yours = picture.yours[worst]
    says = (
        f"{name} ({shape}): largest difference at ({_index(worst, picture.shape)}): "
        f"yours {'not finite' if yours is None else f'{yours:g}'}, expected {picture.expected[worst]:g}."
    )
    return Differs(says, _table(apart, sizes, picture.shape))


def _table(apart: list[float | None], sizes: list[float], shape: tuple[int, ...]) -> Markup:
    """The differences as a table; a cell's shade is its share of the largest one."""
    columns = shape[-1] if shape else 1
    most = max((size for size in sizes if size != float("inf")), default=0.0) or 1.0
    cells = [
        "<td class=s4>not finite" if v is None else f"<td class=s{round(SHADES * abs(v) / most)}>{v:.1e}"
        for v in apart
    ]
    return Markup(
        "".join(
            "<tr>" + "".join(row) for row in (cells[i : i + columns] for i in range(0, len(cells), columns))
        )
    )


def _index(flat: int, shape: tuple[int, ...]) -> str:
    at: list[str] = []
    for size in reversed(shape):
        flat, within = divmod(flat, size)
        at.insert(0, str(within))
    return ", ".join(at)


def _replace(stem: Path, suffix: str, text: str) -> None:
    with replacing(_file(stem, suffix)) as file:
        file.write(text)


def _file(stem: Path, suffix: str) -> Path:
    return stem.with_name(stem.name + suffix)


def _digest(text: str) -> str:
    return base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()
