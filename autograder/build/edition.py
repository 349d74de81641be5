"""The notebook edition: the handout cut into cells, in one order for every platform.

The handout is Markdown with programs in it. A `python` fence becomes a code cell; comments, which no
reader of the handout sees, say what else a notebook has:

    <!-- text ... -->              Markdown that only the notebook has
    <!-- code ... -->              a program that only the notebook has
    <!-- layer -->                 the class, cut from the reference
    <!-- check ID: NAMES -->       the public checks selected by NAMES, graded as check ID
    <!-- answer NAME -->           a place for the answer; solutions/<assignment>/NAME.py has ours
    <!-- file only --> ... <!-- end -->   left out of the notebook
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Literal

from autograder.build.errors import BuildError

Kind = Literal["markdown", "code", "layer", "check", "answer"]

_FILE_ONLY = re.compile(r"^<!-- file only -->\n.*?^<!-- end -->\n?", re.MULTILINE | re.DOTALL)
_PART = re.compile(
    r"^```python\n(?P<program>.*?)^```\n"
    r"|^<!-- (?P<word>text|code)\n(?P<body>.*?)^-->\n"
    r"|^<!-- (?P<layer>layer) -->\n"
    r"|^<!-- check (?P<check>\w+): (?P<names>.+?) -->\n"
    r"|^<!-- answer (?P<answer>\w+) -->\n"
    r"|^(?=\#\#\#? )",  # a heading begins a cell
    re.MULTILINE | re.DOTALL,
)


@dataclass(frozen=True)
class Cell:
    """One cell. `name`: the check's id or the answer's name; `source` is empty for layer and answer."""

    kind: Kind
    source: str
    name: str = ""


def edition(handout: str, path: str) -> list[Cell]:
    """The cells of `handout`; programs lose their imports of the class, which the notebook has.

    Raises BuildError, which names `path`, for a comment that is none of these, and unless there is one layer.
    """
    text = _FILE_ONLY.sub("", handout)
    cells: list[Cell] = []
    at = 0
    for found in _PART.finditer(text):
        _markdown(cells, text[at : found.start()], path)
        at = found.end()
        if found["program"] is not None or found["word"] == "code":
            source = found["program"] or found["body"]
            cells.append(Cell("code", in_notebook(source)))
        elif found["word"] == "text":
            _markdown(cells, found["body"], path)
        elif found["layer"]:
            cells.append(Cell("layer", ""))
        elif found["check"]:
            cells.append(Cell("check", f'public_checks("{found["names"]}")', found["check"]))
        elif found["answer"]:
            cells.append(Cell("answer", "", found["answer"]))
    _markdown(cells, text[at:], path)
    layers = sum(cell.kind == "layer" for cell in cells)
    if layers != 1:
        raise BuildError(f"{path}: `<!-- layer -->` occurs {layers} times, expected once")
    return cells


def in_notebook(program: str) -> str:
    """A program without what a notebook has already, its imports from another file of the assignment."""
    return re.sub(r"^from \w+ import [A-Z]\w*\n", "", program, flags=re.MULTILINE).strip("\n")


def _markdown(cells: list[Cell], text: str, path: str) -> None:
    if "<!--" in text:
        comment = text[text.index("<!--") :].splitlines()[0]
        raise BuildError(f"{path}: {comment!r} is no comment that the notebook edition knows")
    if text.strip():
        cells.append(Cell("markdown", text.strip("\n")))
