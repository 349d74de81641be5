"""The notebook edition, executed in a kernel: the lesson's figures, the plots, the exercises' answers."""

import re
import shutil
from itertools import pairwise

import nbformat
import pytest
from conftest import NAME, REFERENCE, ROOT, STUB, run

from autograder.build.edition import edition, in_notebook
from autograder.build.notebook import filled, notebook

LOSSES = "0.6470 0.6077 0.5770 0.5530 0.5340 0.5190 0.5070 0.4974 0.4897 0.4835"
HANDOUT = ROOT / f"assignments/{NAME}/README.md"


def executed(folder, layer, answers):
    """The notebook with `layer`, run from the first cell to the last in the student's folder."""
    for name in ("gradcheck.py", f"test_{NAME}.py"):
        shutil.copy(HANDOUT.with_name(name), folder)
    cells = filled(edition(HANDOUT.read_text(encoding="utf-8"), "README.md"), layer, answers)
    (folder / "in.ipynb").write_text(notebook(cells), encoding="utf-8")
    options = ("--to", "notebook", "--execute", "--allow-errors", "--output", "out.ipynb")
    run("jupyter", "nbconvert", *options, "in.ipynb", cwd=folder)
    return nbformat.read(folder / "out.ipynb", as_version=4)


def printed(cell):
    return "".join(output.get("text", "") for output in cell.outputs if output.output_type == "stream")


@pytest.fixture(scope="module")
def book(tmp_path_factory):
    answers = {
        path.stem: in_notebook(path.read_text(encoding="utf-8"))
        for path in (ROOT / "solutions" / NAME).glob("exercise_*.py")
    }
    return executed(tmp_path_factory.mktemp("notebook"), REFERENCE, answers)


def code(book, text):
    (cell,) = [cell for cell in book.cells if cell.cell_type == "code" and text in cell.source]
    return cell


def test_nothing_stops(book):
    errors = [
        output.evalue
        for cell in book.cells
        if cell.cell_type == "code"
        for output in cell.outputs
        if output.output_type == "error"
    ]
    assert errors == []


@pytest.mark.parametrize("shape", ["2, 5, 8, 4", "3, 7, 16, 8"], ids=["the lesson's", "exercise 1"])
def test_the_figures_of_the_gradient_check(book, shape):
    said = printed(code(book, f"B, T, C, hs = {shape}"))
    figures = re.findall(r"^(\w+) +two points (\S+) +four points (\S+)$", said, re.MULTILINE)
    assert [name for name, _, _ in figures] == ["Wq", "Wk", "Wv", "X"]
    assert all(float(two) < 1e-5 and float(four) < 1e-8 for _, two, four in figures)


def test_the_ten_losses_and_both_plots(book):
    assert printed(code(book, "layer.Wv -= 0.5 * layer.dWv")).strip() == LOSSES
    (picture,) = [output for output in code(book, "imshow").outputs if output.output_type == "display_data"]
    assert len(picture.data["image/png"]) > 10_000


def test_exercise_2_falls_at_every_step_and_hardly_at_all(book):
    losses = [float(text) for text in re.findall(r"\b0\.\d{8}\b", printed(code(book, "{loss:.8f}")))]
    assert len(losses) == 10
    assert all(after < before for before, after in pairwise(losses))
    assert (round(losses[0], 7), round(losses[-1], 7)) == (0.6470253, 0.6470246)


def test_each_check_passes_in_the_kernel(book):
    checks = [cell for cell in book.cells if cell.source.startswith("public_checks(")]
    assert len(checks) == 5
    assert sum(int(re.search(r"(\d+) passed", printed(cell))[1]) for cell in checks) >= 29


def test_the_stub_says_what_is_to_be_written(tmp_path):
    stub = executed(tmp_path, STUB, {})
    said = printed(code(stub, 'public_checks("forward'))
    assert "task 1.1 (forward) is still to be written" in said
