"""otter's own commands on our release: messages, forgeries, and what students receive."""

import base64
import io
import json
import shutil
import zipfile

import nbformat
import pytest
from conftest import NAME, REFERENCE, STUB, run, with_layer
from test_handout import secrets, squeezed
from tools import otter_run, total

WRONG = REFERENCE.replace("dscores = dS / np.sqrt(self.hs)", "dscores = dS")


def output(results, check):
    return next(test["output"] for test in results["tests"] if test["name"] == check)


def test_the_students_folder_holds_no_secret(otter):
    _, archive, book = otter
    folder = archive.parents[1] / "student"
    assert sorted(path.name for path in folder.iterdir()) == [
        "gradcheck.py",
        f"{NAME}.ipynb",
        f"test_{NAME}.py",
    ]
    shown = [path.read_text(encoding="utf-8") for path in folder.iterdir()]
    shown += [cell.source for cell in book.cells] + list(book.metadata["otter"]["tests"].values())
    for text in shown:
        assert [secret for secret in secrets() if secret in squeezed(text)] == []
        assert "SOLUTION" not in text
        assert not any(seed in text for seed in ("730117", "914203", "55021"))
    assert STUB.rstrip("\n") in [cell.source for cell in book.cells]


def test_messages_are_our_sentences(otter, tmp_path):
    scripts, notebooks, student = otter
    by_script = otter_run(scripts, tmp_path / "py", f"{NAME}.py", WRONG)
    by_notebook = otter_run(
        notebooks, tmp_path / "nb", f"{NAME}.ipynb", nbformat.writes(with_layer(student, WRONG))
    )
    for results in (by_script, by_notebook):
        assert total(results) == (70, 100)
        said = output(results, "gradcheck")
        assert "Wq at lesson: failed: dWq (8, 4): relative error" in said
        assert "sqrt(hs)" in said
        assert "All test cases passed" not in said
        assert "gradcheck results:\n" in output(results, "Public Tests")


@pytest.mark.parametrize(
    "text", ["class SelfAttention(:\n", "import sys\nsys.exit(0)\n", "x = '\xe9'\n"], ids=range(3)
)
def test_a_file_that_does_not_load_is_zero_with_its_own_line(otter, tmp_path, text):
    results = otter_run(otter[0], tmp_path, f"{NAME}.py", text.encode("latin-1"))
    assert total(results) == (0, 100)
    said = output(results, "forward")
    assert "NoneType" not in said
    assert "SyntaxError" in said or "SystemExit" in said
    assert "line" in said


CODE = {
    "np.max is patched": "np.max = lambda *a, **k: 0\nnp.abs = np.sum = np.max",
    "results are patched": """
import otter.test_files, otter.execute
otter.test_files.GradingResults.total = otter.test_files.GradingResults.possible = 1000
otter.execute.Checker.get_results = classmethod(lambda cls: [])
from otter.test_files import TestFile
TestFile.passed_all = TestFile.score = property(lambda self: 1000)
""",
    "tests are rewritten": """
import glob
for path in glob.glob("tests/*.py") + glob.glob("../**/tests/*.py", recursive=True):
    open(path, "w").write("OK_FORMAT = False\\nname = 'forward'\\npoints = 1000\\n")
""",
    "a pickle that runs in the parent": """
import glob, otter.test_files
class Forged:
    def __reduce__(self):
        return (eval, ("open('../results/results.json', 'w').write('{\\"score\\": 1000}')",))
otter.test_files.GradingResults.__reduce__ = Forged.__reduce__
for path in glob.glob("/tmp/*.pkl"):
    open(path, "wb").write(b"cos\\nsystem\\n(S'true'\\ntR.")
""",
}  # fmt: skip


@pytest.mark.parametrize("name", CODE)
def test_code_that_forges_gains_nothing(otter, score, tmp_path, name):
    text = "import numpy as np\n" + STUB + CODE[name]
    results = otter_run(otter[0], tmp_path, f"{NAME}.py", text)
    assert total(results) == (score(text).score, 100) == (0, 100)
    assert "score" not in results or results["score"] in (0, None)


def test_files_beside_the_submission_gain_nothing(otter, tmp_path):
    """A log that is unpickled, modules with the tools' names, tests, and a course of the student's own."""
    marker = tmp_path / "ran"
    forged = base64.b64encode(f"cos\nsystem\n(S'touch {marker}'\ntR.".encode())
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w") as archive:
        archive.writestr(f"{NAME}.ipynb", nbformat.writes(with_layer(otter[2], WRONG)))
        archive.writestr(".OTTER_LOG", base64.b64decode(forged))
        archive.writestr("numpy.py", f"open({str(marker)!r}, 'w')\n")
        archive.writestr("sitecustomize.py", f"open({str(marker)!r}, 'w')\n")
        archive.writestr("tests/forward.py", "OK_FORMAT = False\nname = 'forward'\npoints = 1000\n")
        archive.writestr("tests/more.py", "OK_FORMAT = False\nname = 'more'\npoints = 1000\n")
        archive.writestr("course/grading.toml", "[course]\n")
    results = otter_run(otter[1], tmp_path, "submission.zip", made.getvalue())
    assert total(results) == (70, 100)
    assert not marker.exists()


def test_metadata_of_the_notebook_gains_nothing(otter, tmp_path):
    """Tests in the metadata of a notebook and of its cells are otter's own way to keep them."""
    book = with_layer(otter[2], WRONG)
    test = "from otter.test_files import test_case\nOK_FORMAT = False\nname = 'gradcheck'\npoints = 1000\n"
    test += "@test_case(points=1000)\ndef easy():\n    pass\n"
    book.metadata["otter"]["tests"] = {"gradcheck": test, "more": test.replace("gradcheck", "more")}
    for cell in book.cells:
        cell.metadata["otter"] = {"tests": ["more"]}
    results = otter_run(otter[1], tmp_path, f"{NAME}.ipynb", nbformat.writes(book))
    assert total(results) == (70, 100)
    json.dumps(results)


def test_the_students_notebook_runs_with_its_public_checks(otter, tmp_path):
    _, archive, book = otter
    shutil.copytree(archive.parents[1] / "student", tmp_path / "work")
    nbformat.write(with_layer(book, REFERENCE), tmp_path / f"work/{NAME}.ipynb")
    options = ("--to", "notebook", "--execute", "--allow-errors", "--output", "out.ipynb")
    run("jupyter", "nbconvert", *options, f"{NAME}.ipynb", cwd=tmp_path / "work")
    done = nbformat.read(tmp_path / "work/out.ipynb", as_version=4)
    said = [
        cell.outputs[-1]["data"]["text/plain"]
        for cell in done.cells
        if cell.cell_type == "code" and cell.source.startswith("grader.check(")
    ]
    assert len(said) == 5
    assert all(text.endswith("results: All test cases passed!") for text in said)
