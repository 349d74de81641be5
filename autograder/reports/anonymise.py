"""Names replaced by pseudonyms, for talks and research; the way back stays with the instructor.

A pseudonym is keyed by a random secret that lies in the mapping file, so it is the same in every report
made with that file, and nobody without the file can work it out by trying names.
"""

from __future__ import annotations

import hashlib
import hmac
import json
import os
import re
import secrets
from collections.abc import Callable, Iterator
from pathlib import Path

from ..exports.atomic import replacing
from ..grade.model import CheckGrade, Flag, Grade, Line
from ..gradebook import Gradebook, Rules
from ..gradebook.book import LATEST
from ..gradebook.policy import Attempt
from ..submission import Source, SubmissionError

_WITHHELD = "withheld"
_WRITTEN = ("note", "adjusted", "taken-back")  # flags that name files, or who adjusted
_SHORTEST = 3  # letters of a part of a name that is looked for in texts
_COMMENT = re.compile(r"\s*#.*")


class Pseudonyms:
    """Reads the mapping at `path`, or begins one; `save` writes it, readable by its owner only."""

    def __init__(self, path: Path):
        self.path = path
        self._students: dict[str, str] = {}  # by pseudonym
        try:
            found = json.loads(path.read_text(encoding="utf-8"))
            self._secret = bytes.fromhex(found["secret"])
            self._students = dict(found["students"])
        except FileNotFoundError:
            self._secret = secrets.token_bytes(32)
        except (OSError, ValueError, KeyError, TypeError) as error:
            raise SubmissionError(
                f"{path}: cannot be read as a mapping of pseudonyms ({error}); bring it back from a copy, or "
                "move it away to begin another"
            ) from None

    def name(self, student: str) -> str:
        """The pseudonym of a student; longer than usual where two would be the same."""
        digest = hmac.new(self._secret, student.encode("utf-8", "surrogatepass"), hashlib.sha256).hexdigest()
        for length in range(6, len(digest) + 1):
            pseudonym = f"student-{digest[:length]}"
            if self._students.setdefault(pseudonym, student) == student:
                return pseudonym
        raise AssertionError("unreachable: two students of one digest")

    def save(self) -> None:
        """Raises OSError."""
        content = {"secret": self._secret.hex(), "students": dict(sorted(self._students.items()))}
        with replacing(self.path) as file:
            os.chmod(file.name, 0o600)
            json.dump(content, file, indent=2, ensure_ascii=False)
            file.write("\n")

    def hide(self, grade: Grade) -> Grade:
        """The grade under the pseudonym: no text in it holds the name, and what people wrote is withheld."""
        pseudonym = self.name(grade.student)
        scrub = _Scrub(grade.student, pseudonym)
        return grade.model_copy(
            update={
                "student": pseudonym,
                "checks": tuple(_hidden(check, scrub) for check in grade.checks),
                "flags": tuple(
                    Flag(
                        kind=flag.kind,
                        detail=_WITHHELD if flag.kind in _WRITTEN else scrub(flag.detail),
                    )
                    for flag in grade.flags
                ),
            }
        )

    def student(self, name: str) -> str:
        """The student behind a pseudonym; any other name is one itself."""
        return self._students.get(name, name)

    def source(self, source: Source, student: str) -> Source:
        """What a student handed in, line by line the same, without comments and names."""
        scrub = _Scrub(student, self.name(student))
        chunks = (
            b"\n".join(_scrubbed(line, scrub) for line in chunk.split(b"\n")) for chunk in source.chunks
        )
        return Source(tuple(chunks), source.kind, source.digest)


class AnonymousGradebook(Gradebook):
    """A gradebook that gives pseudonyms for names: whatever reads it cannot tell more. Times stay."""

    def __init__(self, path: Path, report: Callable[[str], None], names: Pseudonyms):
        super().__init__(path, report)
        self._names = names
        self._handed_in: dict[str, str] = {}  # student by digest of the submission

    def grades(self, assignment: str, rules: Rules = LATEST) -> Iterator[Grade]:
        """In the order of pseudonyms: the order of names would tell something."""
        for student in self.students(assignment):
            if (grade := self.grade(student, assignment, rules)) is not None:
                yield grade

    def students(self, assignment: str) -> Iterator[str]:
        return iter(sorted(map(self._names.name, super().students(assignment))))

    def grade(self, student: str, assignment: str, rules: Rules = LATEST) -> Grade | None:
        grade = super().grade(self._names.student(student), assignment, rules)
        if grade is None:
            return None
        self._handed_in[grade.digests.submission] = grade.student
        return self._names.hide(grade)

    def attempts(self, student: str, assignment: str, rules: Rules = LATEST) -> list[Attempt]:
        return super().attempts(self._names.student(student), assignment, rules)

    def chosen(self, student: str, assignment: str, rules: Rules = LATEST) -> Attempt | None:
        return super().chosen(self._names.student(student), assignment, rules)

    def source(self, digest: str) -> Source | None:
        found, student = super().source(digest), self._handed_in.get(digest)
        return self._names.source(found, student) if found and student is not None else None


def _scrubbed(line: bytes, scrub: _Scrub) -> bytes:
    return scrub(_COMMENT.sub("", line.decode("utf-8", "surrogateescape"))).encode("utf-8", "surrogateescape")


class _Scrub:
    """Replaces a student's id, and each longer part of it, wherever it stands."""

    def __init__(self, student: str, pseudonym: str):
        parts = {student, *(part for part in re.split(r"[\W_\d]+", student) if len(part) >= _SHORTEST)}
        longest_first = sorted(filter(None, parts), key=len, reverse=True)
        self._parts = re.compile("|".join(map(re.escape, longest_first)) or r"(?!)", re.IGNORECASE)
        self._pseudonym = pseudonym

    def __call__(self, text: str) -> str:
        return self._parts.sub(self._pseudonym, text)


def _hidden(check: CheckGrade, scrub: _Scrub) -> CheckGrade:
    found = check.diagnosis
    if found is None:
        return check
    lines = tuple(
        Line(number=line.number, text=scrub(_COMMENT.sub("", line.text)), proved=line.proved)
        for line in found.lines
    )
    sentence = found.sentence
    for before, after in zip(found.lines, lines, strict=True):
        sentence = sentence.replace(before.text, after.text)
    return check.model_copy(
        update={"diagnosis": found.model_copy(update={"lines": lines, "sentence": scrub(sentence)})}
    )
