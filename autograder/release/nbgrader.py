"""nbgrader: a course folder on which nbgrader's own commands run."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from autograder.build.edition import Cell
from autograder.build.notebook import notebook
from autograder.course import Course
from autograder.release.editions import answered
from autograder.release.sources import Files, student_files, template

_HIDDEN = """{visible}
### BEGIN HIDDEN TESTS
raise RuntimeError("not graded: nbgrader_config.py does not name autograder.platforms.nbgrader")
### END HIDDEN TESTS"""


def course_folder(course: Course, name: str, path: Path) -> Files:
    """The folder's files; `path` is grading.toml, to which nbgrader_config.py refers."""
    received = student_files(course, name)
    files = {f"source/{name}/{file}": received[file] for file in ("gradcheck.py", f"test_{name}.py")}
    files[f"source/{name}/{name}.ipynb"] = source_notebook(course, name).encode()
    files["nbgrader_config.py"] = template("nbgrader_config.py", COURSE=path.as_posix(), ASSIGNMENT=name)
    return files


def source_notebook(course: Course, name: str) -> str:
    """The instructor's notebook with schema-3 metadata: solutions between markers, a hidden part a check."""
    worth = {check: spec.points for check, spec in course.assignments[name].checks.present.items()}
    cells = []
    for number, cell in enumerate(answered(course, name), 1):
        source, grade_id = cell.source, cell.name or f"given-{number:02}"
        if cell.kind == "check":
            source = _HIDDEN.format(visible=source)
        elif cell.kind == "answer":
            source = f"# BEGIN SOLUTION\n{source}\n# END SOLUTION"
        elif cell.kind == "layer":
            grade_id = name
        cells.append(Cell(cell.kind, source, grade_id))

    def metadata(cell: Cell) -> Mapping[str, Any]:
        solution = cell.kind in ("layer", "answer")
        own: dict[str, Any] = {
            "schema_version": 3,
            "grade_id": cell.name,
            "grade": cell.kind == "check",
            "locked": not solution,
            "solution": solution,
            "task": False,
        }
        if cell.kind == "check":
            own["points"] = worth[cell.name]
        return {"nbgrader": own}

    return notebook(cells, metadata)
