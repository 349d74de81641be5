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
        seen: set[str] = set()
        for cell in reversed(nb.cells):
            own = cell.metadata.get("nbgrader")
            grade_id = own.get("grade_id") if isinstance(own, dict) else None
            if not isinstance(grade_id, str) or grade_id in seen:
                cell.metadata.pop("nbgrader", None)
            else:
                seen.add(grade_id)
        with Gradebook(where["db_url"]) as book:
            known = book.find_notebook(where["notebook"], where["assignment"])
            cells = {cell.name: cell for cell in known.source_cells}
            for test in known.grade_cells:
                if test.name not in seen:
                    nb.cells.append(_restored(cells[test.name], test))
            names = set(cells)
        for cell in nb.cells:
            if cell.metadata.get("nbgrader", {}).get("grade_id", "") not in names:
                cell.metadata.pop("nbgrader", None)
            else:
                cell.metadata["nbgrader"] = _complete(cell.metadata["nbgrader"])
        return nb, resources


def _complete(own: Any) -> dict[str, Any]:
    """A counted cell's metadata with every key that schema 3 asks for."""
    blank = {"schema_version": 3, "grade": False, "locked": False, "solution": False, "task": False}
    return {**blank, **own, "schema_version": 3}


def _restored(source: Any, test: Any) -> Any:
    own = {"grade": True, "locked": True, "grade_id": test.name, "points": test.max_score}
    own |= {"checksum": source.checksum, "cell_type": "code"}
    return new_code_cell(source.source, metadata={"nbgrader": _complete(own)})


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
