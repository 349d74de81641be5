"""otter-grader and nbgrader on the same class, with their own files and their own commands."""

from __future__ import annotations

import json
import shutil
import zipfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from autograder.bench.measure import Cost, cost
from autograder.bench.peer_checks import NAMES, SOURCE

_OTTER_TEST = """
from otter.test_files import test_case

OK_FORMAT = False
name = {check!r}
points = 25

@test_case()
def test_it({cls}):
    space = {{}}
    exec({source!r}, space)
    space[{check!r}]({cls})
"""


class Otter:
    """`otter run`: one process a file; it has no batch that runs without containers."""

    title = "otter run"

    def __init__(self, tools: Path, cls: str, name: str, folder: Path):
        self.command, self.name, self.folder = str(tools / "otter"), name, folder
        folder.mkdir(parents=True)
        with zipfile.ZipFile(folder / "autograder.zip", "w") as archive:
            archive.writestr("otter_config.json", json.dumps({"show_stdout": False}))
            for check in NAMES:
                text = _OTTER_TEST.format(check=check, cls=cls, source=SOURCE)
                archive.writestr(f"tests/{check}.py", text)

    def grade(self, files: Sequence[Path]) -> Cost:
        out = self.folder / "out"
        out.mkdir(exist_ok=True)
        costs = [
            cost(
                [self.command, "run", "-a", str(self.folder / "autograder.zip"), "-o", str(out), str(file)],
                self.folder,
            )
            for file in files
        ]
        tests = json.loads((out / "results.json").read_text())["tests"]
        assert {test["name"] for test in tests} >= set(NAMES), tests
        return Cost(sum(c.wall for c in costs), sum(c.cpu for c in costs), max(c.largest for c in costs))


class Nbgrader:
    """`nbgrader autograde` over all students at once, its own batch mode."""

    title = "nbgrader autograde"

    def __init__(self, tools: Path, cls: str, name: str, folder: Path):
        self.command, self.cls, self.name, self.folder = str(tools / "nbgrader"), cls, name, folder
        source = folder / "source" / name / f"{name}.ipynb"
        source.parent.mkdir(parents=True)
        (folder / "nbgrader_config.py").write_text(
            "c = get_config()\nc.CourseDirectory.course_id = 'bench'\n"
        )
        source.write_text(self._notebook(f"class {cls}:\n    pass"))
        cost([self.command, "generate_assignment", name], folder)

    def grade(self, files: Sequence[Path]) -> Cost:
        for name in ("submitted", "autograded"):
            shutil.rmtree(self.folder / name, ignore_errors=True)
        for number, file in enumerate(files):
            path = self.folder / "submitted" / f"s{number:05}" / self.name / f"{self.name}.ipynb"
            path.parent.mkdir(parents=True)
            path.write_text(self._notebook(file.read_bytes().decode("utf-8-sig", "replace")))
        found = cost([self.command, "autograde", self.name, "--force"], self.folder, allowed=(0, 1))
        done = len(list((self.folder / "autograded").glob("*/*/*.ipynb")))
        assert done == len(files), f"nbgrader graded {done} of {len(files)}"
        return found

    def _notebook(self, text: str) -> str:
        cells = [_cell("layer", text, solution=True)]
        cells += [_cell(check, f"{SOURCE}\n{check}({self.cls})", points=25) for check in NAMES]
        kernel = {"display_name": "Python 3", "language": "python", "name": "python3"}
        return json.dumps(
            {"cells": cells, "metadata": {"kernelspec": kernel}, "nbformat": 4, "nbformat_minor": 5}
        )


def _cell(name: str, text: str, *, solution: bool = False, points: int = 0) -> dict[str, Any]:
    own: dict[str, Any] = {
        "schema_version": 3, "grade_id": name, "grade": bool(points), "locked": not solution,
        "solution": solution, "task": False,
    }  # fmt: skip
    if points:
        own["points"] = points
    return {
        "cell_type": "code", "execution_count": None, "id": name.replace("_", "-"), "outputs": [],
        "metadata": {"nbgrader": own}, "source": text,
    }  # fmt: skip
