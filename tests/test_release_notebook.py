"""The notebook edition: from handout and reference, the same bytes each time, graded as the file."""

import json
import re
from pathlib import Path

import nbformat
import pytest

from autograder.build import BuildError, generated
from autograder.build.edition import edition, in_notebook
from autograder.build.notebook import filled, notebook
from autograder.course import load_course
from autograder.grade.grader import Grader
from autograder.submission import Submission
from autograder.submission.content import read_source

ROOT = Path(__file__).parents[1]
NAME = "self_attention"
COURSE = load_course(ROOT / "grading.toml")
HANDOUT = (ROOT / f"assignments/{NAME}/README.md").read_text(encoding="utf-8")
CELLS = edition(HANDOUT, "README.md")
REFERENCE = COURSE.solution_path(NAME).read_text(encoding="utf-8")
STUB = (ROOT / f"assignments/{NAME}/{NAME}.py").read_text(encoding="utf-8")
ANSWERS = {
    path.stem: in_notebook(path.read_text(encoding="utf-8"))
    for path in (ROOT / "solutions" / NAME).glob("exercise_*.py")
}


def test_the_built_notebook_is_valid_and_holds_the_handout():
    text = generated(COURSE, NAME)[f"assignments/{NAME}/{NAME}.ipynb"]
    book = nbformat.reads(text.decode(), as_version=4)
    nbformat.validate(book)
    assert (book.nbformat, book.nbformat_minor) == (4, 5)
    markdown = "\n".join(cell.source for cell in book.cells if cell.cell_type == "markdown")
    for heading in re.findall(r"^##.*", HANDOUT, re.MULTILINE):
        assert heading in markdown
    for formula in re.findall(r"\$\$.*?\$\$", HANDOUT, re.DOTALL):
        assert formula in markdown
    code = [cell.source for cell in book.cells if cell.cell_type == "code"]
    assert STUB.rstrip("\n") in code
    assert [source for source in code if source.startswith("# TODO(")] == [
        "# TODO(exercise_1)", "# TODO(exercise_2)",
    ]  # fmt: skip
    assert "<!--" not in text.decode()


def test_every_check_of_the_course_has_its_cell_and_each_answer_its_program():
    assert {cell.name for cell in CELLS if cell.kind == "check"} == set(
        COURSE.assignments[NAME].checks.present
    )
    assert {cell.name for cell in CELLS if cell.kind == "answer"} == set(ANSWERS)


def test_the_same_sources_give_the_same_bytes():
    assert notebook(filled(CELLS, STUB, {})) == notebook(filled(edition(HANDOUT, "x"), STUB, {}))
    ids = [cell["id"] for cell in json.loads(notebook(CELLS))["cells"]]
    assert ids == [f"cell-{number:02}" for number in range(1, len(ids) + 1)]


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("# A\n<!-- layer -->\n<!-- layr -->\n", "'<!-- layr -->' is no comment"),
        ("# A\n", "occurs 0 times, expected once"),
        ("<!-- layer -->\n<!-- layer -->\n", "occurs 2 times, expected once"),
        ("<!-- layer -->\n<!-- file only -->\n", "'<!-- file only -->' is no comment"),
    ],
)
def test_a_comment_that_says_nothing_known_is_an_error(text, says):
    with pytest.raises(BuildError) as caught:
        edition(text, "README.md")
    assert says in str(caught.value)


@pytest.mark.parametrize(("layer", "score"), [(REFERENCE, 100.0), (STUB, 0.0)], ids=["reference", "stub"])
def test_the_notebook_scores_as_the_file(layer, score):
    with Grader(COURSE, NAME, level=COURSE.isolation.required) as grader:
        scores = []
        for data, suffix in (
            (layer, ".py"), (notebook(filled(CELLS, layer, ANSWERS)), ".ipynb"),
        ):  # fmt: skip
            source, _ = read_source(data.encode(), suffix)
            scores.append(grader.grade(Submission("x", source, Path("x"))).score)
    assert scores == [score, score]
