"""One table: the same file or notebook has the same score wherever it is graded."""

import nbformat
import pytest
from conftest import COURSE, NAME, layers, with_layer
from test_release_gradescope import container
from test_release_gradescope import run as gradescope
from tools import autograde, hand_in, otter_run, recorded, total

PLATFORMS = ("autograder grade", "nbgrader", "otter .py", "otter notebook", "gradescope")


@pytest.fixture(scope="module")
def table(score, nbgrader, otter, tmp_path_factory):
    course, notebook = nbgrader
    scripts, notebooks, student = otter
    rows = {}
    for name, text in layers().items():
        hand_in(course, f"table-{name}", with_layer(notebook, text))
    autograde(course, "table-*")
    for name, text in layers().items():
        folder = tmp_path_factory.mktemp("row")
        book = nbformat.writes(with_layer(student, text))
        rows[name] = (
            score(text).score,
            recorded(course)[f"table-{name}"][0],
            total(otter_run(scripts, folder / "py", f"{NAME}.py", text))[0],
            total(otter_run(notebooks, folder / "ipynb", f"{NAME}.ipynb", book))[0],
            gradescope(container(folder / "autograder", {f"{NAME}.py": text}))["score"],
        )
    return rows


def test_every_platform_gives_the_same_scores(table):
    lines = [f"{'':<30}" + "".join(f"{name:>18}" for name in PLATFORMS)]
    lines += [f"{name:<30}" + "".join(f"{points:>18g}" for points in row) for name, row in table.items()]
    print("\n" + "\n".join(lines))
    assert {name: set(row) for name, row in table.items()} == {name: {row[0]} for name, row in table.items()}


def test_the_reference_has_all_points_the_stub_none_and_each_mistake_loses_some(table):
    assert table["reference"][0] == COURSE.assignments[NAME].points
    assert table["stub"][0] == 0
    assert all(0 < row[0] < 100 for name, row in table.items() if name not in ("reference", "stub"))
    assert len(table) == 12
