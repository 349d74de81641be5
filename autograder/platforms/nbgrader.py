"""nbgrader: preprocessors that grade a notebook behind our wall instead of running it in a kernel.

nbgrader_config.py names them. `RestoreCells` takes the place of DeduplicateIds, `GradeBehindTheWall` that
of Execute; database, formgrader, late penalties and feedback stay nbgrader's own.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import nbformat
from nbformat.v4 import new_code_cell, new_output
from nbgrader.api import Gradebook
from nbgrader.preprocessors import NbGraderPreprocessor
from traitlets import Unicode

from autograder.grade.model import CheckGrade
from autograder.platforms.grading import grade
from autograder.reports.words import points, words
from autograder.submission.find import read_data

WITHHELD = "# (tests withheld)"


class RestoreCells(NbGraderPreprocessor):  # type: ignore[misc]
    """Makes the cells that nbgrader counts complete again, whatever the student did to them.

    Of two cells with one id the last keeps it; metadata that is none goes; a test cell that was deleted
    comes back at the end, as the database has it.
    """

    def preprocess(self, nb: Any, resources: Any) -> tuple[Any, Any]:
        where = resources["nbgrader"]
        with Gradebook(where["db_url"]) as book:
            known = _known(book.find_notebook(where["notebook"], where["assignment"]))
            sources = {name: source for name, (_, source) in known.items()}
        missing = {name for name, (own, _) in known.items() if own["grade"]}
        for cell in reversed(nb.cells):
            claimed = cell.metadata.pop("nbgrader", None)
            name = claimed.get("grade_id") if isinstance(claimed, dict) else None
            if isinstance(name, str) and name in known:
                cell.metadata["nbgrader"] = known.pop(name)[0]
                missing.discard(name)
        for name in sources:
            if name in missing:
                nb.cells.append(new_code_cell(sources[name], metadata={"nbgrader": known[name][0]}))
        return nb, resources


def _known(notebook: Any) -> dict[str, tuple[dict[str, Any], str]]:
    """Metadata and source of each cell that the database has, by its grade_id."""
    points = {cell.name: cell.max_score for cell in notebook.grade_cells}
    solutions = {cell.name for cell in notebook.solution_cells}
    cells = {}
    for cell in notebook.source_cells:
        own: dict[str, Any] = {"schema_version": 3, "task": False, "grade_id": cell.name}
        own |= {"grade": cell.name in points, "solution": cell.name in solutions, "locked": cell.locked}
        own |= {"cell_type": cell.cell_type, "checksum": cell.checksum}
        if cell.name in points:
            own["points"] = points[cell.name]
        cells[cell.name] = (own, cell.source)
    return cells


class GradeBehindTheWall(NbGraderPreprocessor):  # type: ignore[misc]
    """Fills each test cell's output with the points and the words of the check that it is named after."""

    course = Unicode(help="grading.toml of the course").tag(config=True)
    assignment = Unicode(help="its table in grading.toml; by default nbgrader's name").tag(config=True)

    def preprocess(self, nb: Any, resources: Any) -> tuple[Any, Any]:
        where = resources["nbgrader"]
        item = read_data(_students_part(nb), ".ipynb", where["student"])
        result = grade(Path(self.course), self.assignment or where["assignment"], item)
        for flag in result.flags:
            if flag.kind == "grader-fault":
                raise RuntimeError(f"{where['student']}: {flag.detail}; nothing is recorded, run it again")
            self.log.warning("%s: %s: %s", where["student"], flag.kind, flag.detail)
        checks = {check.id: check for check in result.checks}
        for cell in nb.cells:
            if _is_test(cell):
                _fill(cell, checks[cell.metadata["nbgrader"]["grade_id"]])
        return nb, resources


def _is_test(cell: Any) -> bool:
    return bool(cell.metadata.get("nbgrader", {}).get("grade"))


def _students_part(nb: Any) -> bytes:
    """The notebook with its test cells emptied; they stay, so that cells keep their numbers."""
    cells = [{**cell, "source": ""} if _is_test(cell) else cell for cell in nb.cells]
    return str(nbformat.writes(nbformat.from_dict({**nb, "cells": cells}))).encode()


def _fill(cell: Any, check: CheckGrade) -> None:
    said = "\n".join([f"{check.title}: {points(check)}", *words(check)])
    cell.source = "\n".join([*_visible(cell.source), WITHHELD])
    cell.execution_count = 1
    if check.points:
        number = new_output("execute_result", data={"text/plain": repr(check.points)}, execution_count=1)
        cell.outputs = [new_output("stream", name="stdout", text=said + "\n"), number]
    else:
        cell.outputs = [
            new_output("error", ename=check.verdict, evalue=check.title, traceback=said.splitlines())
        ]


def _visible(source: str) -> list[str]:
    """The lines of a test cell that students have as well."""
    lines, hidden = [], False
    for line in source.splitlines():
        hidden = hidden or "BEGIN HIDDEN TESTS" in line
        if not hidden:
            lines.append(line)
        hidden = hidden and "END HIDDEN TESTS" not in line
    return lines
