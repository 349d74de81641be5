"""The student's notebook: the edition's cells with the stub in place of the layer."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any

import nbformat
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook

from autograder.build.edition import Cell, edition

Metadata = Callable[[Cell], Mapping[str, Any]]

KERNEL = {
    "kernelspec": {"name": "python3", "display_name": "Python 3", "language": "python"},
    "language_info": {"name": "python"},
}


def notebook(cells: Iterable[Cell], metadata: Metadata = lambda _: {}) -> str:
    """A notebook's JSON, format 4.5; the same cells give the same bytes, cell ids included."""
    made = []
    for number, cell in enumerate(cells, 1):
        new = new_markdown_cell if cell.kind == "markdown" else new_code_cell
        made.append(new(cell.source, id=f"cell-{number:02}", metadata=dict(metadata(cell))))
    book = new_notebook(cells=made, metadata=KERNEL)
    nbformat.validate(book)
    return f"{nbformat.writes(book)}\n"


def student_notebook(handout: str, stub: str, path: str) -> str:
    """What the student opens: the cells of `handout` (at `path`), the stub, a TODO for each answer."""
    return notebook(filled(edition(handout, path), stub, {}))


def filled(cells: Iterable[Cell], layer: str, answers: Mapping[str, str]) -> list[Cell]:
    """The cells with `layer` in its place, and `answers` by name in theirs, a TODO where there is none."""
    texts = {"layer": lambda _: layer, "answer": lambda cell: answers.get(cell.name, f"# TODO({cell.name})")}
    return [
        Cell(cell.kind, texts[cell.kind](cell).strip("\n"), cell.name) if cell.kind in texts else cell
        for cell in cells
    ]
