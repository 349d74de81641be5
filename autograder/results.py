"""The files of a run: one JSON a student, grades.csv, and the gradebook. Each is whole or absent."""

from __future__ import annotations

import hashlib
from pathlib import Path
from types import TracebackType
from typing import Self
from urllib.parse import quote

from .exports.atomic import replacing
from .exports.csv import write_grades_csv
from .grade.model import Grade
from .gradebook import Gradebook, GradebookError
from .submission import Refusal, Submission

SAFE = " ()'+,=@~&-_."


def file_name(student: str) -> str:
    """A file name for a student's id: readable, one id a name, on any file system."""
    name = quote(student, safe=SAFE) if student.isascii() else "".join(
        c if not c.isascii() else quote(c, safe=SAFE) for c in student
    )  # fmt: skip
    if name.startswith("."):
        name = "%2E" + name[1:]
    if len(name.encode()) > 200:
        name = (
            name.encode()[:150].decode(errors="ignore")
            + "-"
            + hashlib.sha256(student.encode()).hexdigest()[:16]
        )
    return f"{name}.json"


class Results:
    """Writes below `out` as grades come; a context manager."""

    def __init__(self, out: Path):
        self.out = out
        self._grades: list[Grade] = []
        try:
            (out / "grades").mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise GradebookError(f"{out}: cannot be made ({error.strerror}); choose another --out") from None
        self._book = Gradebook(out / "gradebook.db")

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._book.close()

    def put(self, grade: Grade, item: Submission | Refusal) -> None:
        submitted = item.submitted_at if isinstance(item, Submission) else None
        self._book.put(grade, submitted_at=submitted, path=item.path)
        path = self.out / "grades" / file_name(grade.student)
        try:
            with replacing(path) as file:
                file.write(grade.model_dump_json(by_alias=True, indent=2) + "\n")
        except OSError as error:
            raise GradebookError(f"{path}: cannot be written ({error.strerror})") from None
        self._grades.append(grade)

    def finish(self, name: str) -> None:
        write_grades_csv(self._grades, self.out / "grades.csv")
