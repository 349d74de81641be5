"""otter: a master notebook for `otter assign`, and tests and a configuration for `otter generate`."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator

import nbformat
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook, new_raw_cell

from autograder.build.edition import Cell
from autograder.build.notebook import KERNEL
from autograder.checks import prepare
from autograder.course import Course
from autograder.release.editions import answered
from autograder.release.sources import Files, course_files, student_files

PLUGIN = "autograder.platforms.otter.BehindTheWall"
# What the notebook's students do not receive is called hidden; its results are shown all the same.
SETTINGS = {"show_hidden": True, "plugins": [PLUGIN]}

_MARKER = re.compile(r"(?P<indent> *)# (?P<word>BEGIN|END) SOLUTION (?P<task>\S+)")

_JUDGE = """\
def part_{number}(submission):
    from autograder.platforms.otter import judge
    judge(submission, {name!r}, {check!r}, {part!r})
"""
_PUBLIC = """\
def public(submission, public_checks):
    if submission is None:
        {call}
    else:
        from autograder.platforms.otter import judge
        judge(submission, {name!r}, {check!r})
"""


def folder(course: Course, name: str) -> Files:
    """`generate/` for submissions that are .py files, `assign/` for the notebook; both hold every secret."""
    received = student_files(course, name)
    files = {"generate/otter_config.json": json.dumps(SETTINGS, indent=1).encode() + b"\n"}
    for check, parts in _parts(course, name).items():
        files[f"generate/tests/{check}.py"] = _test_file(name, check, parts).encode()
    files["assign/" + f"{name}.ipynb"] = master(course, name).encode()
    for file in _beside(name):
        files[f"assign/{file}"] = received[file]
    for way in ("generate", "assign"):
        files[f"{way}/requirements.txt"] = b"autograder\n"
        files |= {f"{way}/course/{path}": content for path, content in course_files(course).items()}
    return files


def _beside(name: str) -> list[str]:
    return ["gradcheck.py", f"test_{name}.py"]


def _parts(course: Course, name: str) -> dict[str, list[tuple[str, float]]]:
    checks = prepare(course.assignments[name], course.solution_path(name).read_bytes())
    return {check.id: [(part.id, part.points) for part in check.parts] for check in checks}


def _test_file(name: str, check: str, parts: list[tuple[str, float]]) -> str:
    """A test file in otter's exception format: a case a part, all points or none."""
    lines = ["from otter.test_files import test_case", "", "OK_FORMAT = False", f"name = {check!r}", ""]
    for number, (part, points) in enumerate(parts, 1):
        lines += ["", f"@test_case(name={part!r}, points={points!r})"]
        lines += [_JUDGE.format(number=number, name=name, check=check, part=part)]
    return "\n".join(lines)


def master(course: Course, name: str) -> str:
    """The master notebook, with solutions in otter's own markers and a question a check."""
    parts = _parts(course, name)
    titles = {task: entry.title for task, entry in course.assignments[name].tasks.items()}
    cells = [new_raw_cell(_assignment(name))]
    for cell in answered(course, name):
        if cell.kind == "markdown":
            cells.append(new_markdown_cell(cell.source))
        elif cell.kind == "layer":
            cells.append(new_code_cell("\n".join(_in_otters_words(cell.source, titles))))
        elif cell.kind == "answer":
            text = f"# BEGIN SOLUTION {cell.name}\n{cell.source}\n# END SOLUTION {cell.name}"
            cells.append(new_code_cell("\n".join(_in_otters_words(text, {}))))
        elif cell.kind == "check":
            cells += _question(name, cell, parts[cell.name])
        else:
            cells.append(new_code_cell(cell.source))
    for number, made in enumerate(cells, 1):
        made["id"] = f"cell-{number:02}"
    return f"{nbformat.writes(new_notebook(cells=cells, metadata=KERNEL))}\n"


def _assignment(name: str) -> str:
    return "\n".join(
        [
            "# ASSIGNMENT CONFIG",
            "requirements: requirements.txt",
            "export_cell: false",
            "strip_solutions_from_all_cells: true",
            f"files: {json.dumps(_beside(name))}",
            "autograder_files: [course]",
            "tests: {ok_format: false}",
            f"generate: {json.dumps(SETTINGS)}",
        ]
    )


def _question(name: str, cell: Cell, parts: list[tuple[str, float]]) -> Iterator[nbformat.NotebookNode]:
    points = [0, *(worth for _, worth in parts)]
    yield new_raw_cell(f"# BEGIN QUESTION\nname: {cell.name}\npoints: {points}")
    yield new_raw_cell("# BEGIN TESTS")
    yield new_code_cell(_PUBLIC.format(call=cell.source, name=name, check=cell.name).strip())
    for number, (part, _) in enumerate(parts, 1):
        judge = _JUDGE.format(number=number, name=name, check=cell.name, part=part)
        yield new_code_cell("# HIDDEN\n" + judge.strip())
    yield new_raw_cell("# END TESTS")
    yield new_raw_cell("# END QUESTION")


def _in_otters_words(source: str, titles: dict[str, str]) -> Iterator[str]:
    """The lines of `source`: each solution between otter's markers, the student's TODO as its prompt."""
    for line in source.splitlines():
        marker = _MARKER.fullmatch(line.rstrip())
        if marker is None:
            yield line
        elif marker["word"] == "BEGIN":
            yield f"{marker['indent']}# BEGIN SOLUTION NO PROMPT"
        else:
            indent, task = marker["indent"], marker["task"]
            yield f"{indent}# END SOLUTION"
            yield f'{indent}""" # BEGIN PROMPT'
            if task in titles:
                yield f"{indent}# TODO({task}): {titles[task]}"
                yield f'{indent}raise NotImplementedError("{task}")'
            else:
                yield f"{indent}# TODO({task})"
            yield f'{indent}""" # END PROMPT'
