"""The notebook edition with our own solutions in it: what an instructor's notebook is made from."""

from __future__ import annotations

from autograder.build.edition import Cell, edition, in_notebook
from autograder.build.notebook import filled
from autograder.course import Course
from autograder.release.sources import read


def answered(course: Course, name: str) -> list[Cell]:
    """All cells of assignment `name`, the reference with its markers and our answers filled in."""
    solution = course.solution_path(name)
    handout = course.root / course.course.assignments / name / "README.md"
    cells = edition(read(handout).decode(), str(handout))
    answers = {
        cell.name: in_notebook(read(solution.with_name(f"{cell.name}.py")).decode())
        for cell in cells
        if cell.kind == "answer"
    }
    return filled(cells, read(solution).decode(), answers)
