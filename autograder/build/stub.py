"""Cut a reference into the student's stub.

A task's body stands between two marker lines of the same indentation,

    # BEGIN SOLUTION 1.1
    # END SOLUTION 1.1

and the stub has a TODO and a NotImplementedError with the task's id in its place. Everything outside
the markers is given to the student as it stands. A line that only looks like a marker is an error, never
left alone: a misspelt marker would hand out the solution.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass

from autograder.build.errors import BuildError

_MARKER = re.compile(r"(?P<indent> *)# (?P<word>BEGIN|END) SOLUTION (?P<task>\S+)")
_LOOKS_LIKE_ONE = re.compile(r"#.*\b(BEGIN|END)[\s_-]*SOLUTION", re.IGNORECASE)


@dataclass(frozen=True)
class _Marker:
    """One marker line; `line` is 1-based."""

    line: int
    indent: str
    word: str
    task: str


def cut(source: str, titles: Mapping[str, str], path: str) -> str:
    """The stub of `source`: every marked body replaced by its TODO.

    `titles` gives each task's title by its id; `path` is the source's name in messages.
    Raises BuildError for a marker that is misspelt, unbalanced, nested, indented unlike its partner, unknown
    or used twice, for a task without markers, and when the stub would not be Python.
    """
    stub: list[str] = []
    opened: _Marker | None = None
    done: list[str] = []
    for number, line in enumerate(source.splitlines(), 1):
        marker = _read(number, line, path)
        if marker is None:
            if opened is None:
                stub.append(line)
        elif marker.word == "BEGIN":
            _check_begin(marker, opened, done, titles, path)
            opened = marker
            done.append(marker.task)
            stub.append(f"{marker.indent}# TODO({marker.task}): {titles[marker.task]}")
            stub.append(f'{marker.indent}raise NotImplementedError("{marker.task}")')
        else:
            _check_end(marker, opened, path)
            opened = None
    if opened is not None:
        raise BuildError(
            f"{path}, line {opened.line}: the solution of task {opened.task} is never closed; "
            f"expected `# END SOLUTION {opened.task}` after it"
        )
    for task in titles:
        if task not in done:
            raise BuildError(f"{path}: task {task} has no markers; expected `# BEGIN SOLUTION {task}`")
    text = "\n".join(stub) + "\n"
    try:
        compile(text, path, "exec", dont_inherit=True)
    except SyntaxError as error:
        raise BuildError(
            f"{path}: the stub would not be Python, {error.msg} at its line {error.lineno}; "
            "expected the markers around whole statements"
        ) from None
    return text


def _read(number: int, line: str, path: str) -> _Marker | None:
    found = _MARKER.fullmatch(line.rstrip())
    if found:
        return _Marker(number, found["indent"], found["word"], found["task"])
    if _LOOKS_LIKE_ONE.search(line):
        raise BuildError(
            f"{path}, line {number}: {line.strip()!r} is not a marker; expected `# BEGIN SOLUTION <task>` "
            "or `# END SOLUTION <task>` on a line of its own, indented with spaces"
        )
    return None


def _check_begin(
    marker: _Marker, opened: _Marker | None, done: list[str], titles: Mapping[str, str], path: str
) -> None:
    where = f"{path}, line {marker.line}"
    if opened is not None:
        raise BuildError(
            f"{where}: task {marker.task} begins inside task {opened.task} of line {opened.line}; "
            f"expected `# END SOLUTION {opened.task}` first"
        )
    if marker.task not in titles:
        raise BuildError(
            f"{where}: task {marker.task} is not in grading.toml; expected one of {', '.join(titles)}"
        )
    if marker.task in done:
        raise BuildError(f"{where}: task {marker.task} begins a second time; expected one solution a task")


def _check_end(marker: _Marker, opened: _Marker | None, path: str) -> None:
    where = f"{path}, line {marker.line}"
    if opened is None:
        raise BuildError(
            f"{where}: task {marker.task} ends and never began; "
            f"expected `# BEGIN SOLUTION {marker.task}` before it"
        )
    if marker.task != opened.task:
        raise BuildError(
            f"{where}: found the end of task {marker.task}; "
            f"expected `# END SOLUTION {opened.task}`, which began on line {opened.line}"
        )
    if marker.indent != opened.indent:
        raise BuildError(
            f"{where}: the end of task {marker.task} is indented by {len(marker.indent)} spaces; "
            f"expected {len(opened.indent)}, as its beginning on line {opened.line}"
        )
