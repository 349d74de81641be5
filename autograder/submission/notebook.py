"""A notebook's code cells as chunks of Python, from its JSON alone."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator

from .model import Unreadable
from .text import listed, shown

# Cell magics whose body is Python that runs in the notebook; every other `%%` cell is something else.
_PYTHON_CELLS = ("time", "timeit", "capture", "prun")
_SAVE_AGAIN = "open it in Jupyter, save it and hand it in again"


def notebook_chunks(data: bytes) -> tuple[tuple[bytes, ...], tuple[str, ...]]:
    """(One chunk for each code cell, notes). Reads nbformat 3 and 4; lines keep their numbers.

    Raises Unreadable.
    """
    try:
        document = json.loads(data.decode("utf-8-sig"))
    except RecursionError:
        raise Unreadable(f"is nested too deeply for a notebook; {_SAVE_AGAIN}") from None
    except UnicodeDecodeError:
        raise Unreadable(f"is not a notebook (its text is not UTF-8); {_SAVE_AGAIN}") from None
    except json.JSONDecodeError as error:
        raise Unreadable(f"is not a notebook (invalid JSON at line {error.lineno}); {_SAVE_AGAIN}") from None
    except ValueError:  # a number of thousands of digits
        raise Unreadable(f"is not a notebook (invalid JSON); {_SAVE_AGAIN}") from None
    chunks = []
    left_out = []
    for number, code in enumerate(_code_cells(document), 1):
        text, magic = to_python(code)
        chunks.append(text.encode("utf-8", "replace"))  # half a surrogate pair names nothing in Python
        if magic:
            left_out.append(f"cell {number} (%%{shown(magic, 20)})")
    if not chunks:
        raise Unreadable("has no code cells; hand in the notebook that holds the class")
    notes = (f"left out, because they are not Python: {listed(left_out)}",) if left_out else ()
    return tuple(chunks), notes


def _code_cells(document: object) -> Iterator[str]:
    if not isinstance(document, dict):
        raise Unreadable(f"is JSON but not a notebook; {_SAVE_AGAIN}")
    cells = document.get("cells")
    if cells is None:  # nbformat 3 keeps cells in worksheets
        sheets = document.get("worksheets")
        if not isinstance(sheets, list):
            raise Unreadable(f"is JSON but not a notebook (it has no cells); {_SAVE_AGAIN}")
        lists = [sheet.get("cells") for sheet in sheets if isinstance(sheet, dict)]
        cells = [cell for cells in lists if isinstance(cells, list) for cell in cells]
    if not isinstance(cells, list):
        raise Unreadable(f"is JSON but not a notebook (its cells are no list); {_SAVE_AGAIN}")
    for number, cell in enumerate(cells, 1):
        if not isinstance(cell, dict) or cell.get("cell_type") != "code":
            continue
        source = cell.get("source", cell.get("input"))
        if isinstance(source, list) and all(isinstance(line, str) for line in source):
            source = "".join(source)
        if not isinstance(source, str):
            raise Unreadable(f"is a damaged notebook (its cell {number} has no source); {_SAVE_AGAIN}")
        yield source


def to_python(code: str) -> tuple[str, str]:
    """(`code` without IPython's own syntax, its lines in place; the magic of a cell left out, else '').

    Line magics, shell lines and help are blanked; inside a block they become `pass`, or the block would be
    empty. What follows an open bracket, string or backslash is Python and stays: there `%` is an operator.
    """
    lines = re.split(r"\r\n|\r|\n", code)
    first = next((i for i, line in enumerate(lines) if line.strip()), None)
    if first is None:
        return "\n".join(lines), ""
    indent = lines[first][: len(lines[first]) - len(lines[first].lstrip(" \t"))]
    if indent:  # IPython runs a cell that is indented as a whole
        lines = [line.removeprefix(indent) for line in lines]
    while magic := re.match(r"%%(\w+)", lines[first]):
        if magic[1] not in _PYTHON_CELLS:
            return "\n" * (len(lines) - 1), magic[1]
        lines[first] = ""
        first = next((i for i, line in enumerate(lines) if line.strip()), first)
    return "\n".join(_blanked(lines)), ""


_MAGIC = re.compile(
    r"[%!?]"  # %magic, !command, ?help
    r"|%{0,2}[^\W\d][\w.*\[\]]*\?{1,2}\s*(#.*)?$"  # help?
    r"|[^\W\d][\w.,*\[\] ]*=\s*[%!]"  # files = !ls
)


def _blanked(lines: list[str]) -> Iterator[str]:
    state = _Open()
    command = False  # whether the line before is a magic that goes on
    for line in lines:
        stripped = line.lstrip()
        if command or (state.closed and _MAGIC.match(stripped)):
            command = line.endswith("\\")
            indent = line[: len(line) - len(stripped)]
            yield indent + "pass" if indent and stripped else ""
        else:
            state.read(line)
            yield line


_TOKEN = re.compile(r"#|\"\"\"|'''|[\"'()\[\]{}]")
_END = {quote: re.compile(rf"\\.|{quote}", re.DOTALL) for quote in ('"""', "'''", '"', "'")}


class _Open:
    """What is still open after the lines read so far: brackets, a string, a backslash."""

    def __init__(self) -> None:
        self.depth = 0
        self.quote = ""
        self.backslash = False

    @property
    def closed(self) -> bool:
        return not (self.depth or self.quote or self.backslash)

    def read(self, line: str) -> None:
        at = 0
        self.backslash = line.endswith("\\")
        while True:
            if self.quote:
                end = _END[self.quote].search(line, at)
                if end is None:
                    if len(self.quote) == 1 and not self.backslash:
                        self.quote = ""  # Python ends it here too, with an error
                    return
                at = end.end()
                if end[0] == self.quote:
                    self.quote = ""
                continue
            token = _TOKEN.search(line, at)
            if token is None:
                return
            at = token.end()
            if token[0] == "#":
                self.backslash = False
                return
            if token[0] in "([{":
                self.depth += 1
            elif token[0] in ")]}":
                self.depth = max(0, self.depth - 1)
            else:
                self.quote = token[0]
