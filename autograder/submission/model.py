"""What this room gives to the others: a submission with its source, or a refusal with its reason."""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Literal

from .text import visible

LINE_LIMIT = 200  # characters of a student's line that are ever shown


class SubmissionError(ValueError):
    """The command was given something that cannot hold submissions; the message says what to give."""


class Unreadable(Exception):
    """Why one file is refused, as the rest of a sentence that begins with its name."""


@dataclass(frozen=True)
class Source:
    """The bytes that a worker will compile, and the way back from a line to what the student sees.

    chunks: one for a `.py` (its bytes, untouched); one for each code cell of a notebook (UTF-8, lines end
        in a newline, IPython's own syntax blanked, line count kept).
    digest: sha256 (hex) of the file as handed in.
    """

    chunks: tuple[bytes, ...]
    kind: Literal["py", "ipynb"]
    digest: str

    def line_text(self, line: int) -> str:
        """The text of 1-based `line` of the chunks joined by newlines, at most 200 characters, else ''."""
        chunk, within = self._locate(line)
        if not within:
            return ""
        return _text(_lines(self.chunks[chunk - 1])[within - 1])

    def texts(self, most: int) -> list[str]:
        """`line_text` of the first `most` lines, the first at 0."""
        return [_text(raw) for chunk in self.chunks for raw in _lines(chunk)[:most]][:most]

    def where(self, line: int) -> str:
        """`line 12`, or `cell 3, line 4` in a notebook: the third of its code cells."""
        chunk, within = self._locate(line)
        if self.kind == "py" or not within:
            return f"line {line}"
        return f"cell {chunk}, line {within}"

    def _locate(self, line: int) -> tuple[int, int]:
        """(chunk, line in it), both 1-based; (0, 0) when there is no such line."""
        if line < 1:
            return 0, 0
        for number, chunk in enumerate(self.chunks, 1):
            count = len(_lines(chunk))
            if line <= count:
                return number, line
            line -= count
        return 0, 0


def _text(raw: bytes) -> str:
    try:
        text = raw.decode("utf-8-sig")
    except UnicodeDecodeError:
        text = raw.decode("latin-1")
    text = visible(text, keep="\t")
    return text if len(text) <= LINE_LIMIT else text[: LINE_LIMIT - 1] + "…"


def _lines(chunk: bytes) -> list[bytes]:
    """Lines as Python counts them: form feeds and Unicode separators end none."""
    return re.split(rb"\r\n|\r|\n", chunk)


@dataclass(frozen=True)
class Submission:
    """One student's work. `path` says where it was found, also inside an archive; it is not opened again.

    late: None when the layout does not say. attempt: 1-based, None when the layout does not say.
    name: the student's full name where the platform's id is only a number.
    submitted_at: as the export says, without a zone where it names none. changed_at: the time of the file,
        or of the student's own zip around it; None in an archive of a class, whose times are not theirs.
    followers: digests, '' of a refusal, of the student's attempts that came after it at the same moment.
    """

    student: str
    source: Source
    path: Path
    email: str | None = None
    submitted_at: datetime | None = None
    late: bool | None = None
    attempt: int | None = None
    notes: tuple[str, ...] = ()
    name: str | None = None
    changed_at: datetime | None = None
    followers: tuple[str, ...] = ()


@dataclass(frozen=True)
class Refusal:
    """Work that is not graded, with the reason in one sentence; else as a `Submission`.

    changed_at: the latest of the student's files where none of them was chosen.
    """

    student: str
    path: Path
    reason: str
    email: str | None = None
    name: str | None = None
    submitted_at: datetime | None = None
    late: bool | None = None
    attempt: int | None = None
    changed_at: datetime | None = None
    followers: tuple[str, ...] = ()
