"""nbgrader's own commands on our course: what students do to a notebook, what they forge, what they see."""

import copy
import html
import os
import re
import shutil
import sqlite3
import sys
from pathlib import Path

import nbformat
import pytest
from conftest import COURSE, NAME, REFERENCE, ROOT, STUB, run, with_layer
from test_handout import secrets, squeezed
from tools import autograde, hand_in, recorded

from autograder.exports.nbgrader import write_nbgrader
from autograder.grade.model import Flag

WRONG = REFERENCE.replace("dscores = dS / np.sqrt(self.hs)", "dscores = dS")


def graded_ids(book):
    return [
        cell.metadata["nbgrader"]["grade_id"] for cell in book.cells if cell.metadata["nbgrader"]["grade"]
    ]


def test_the_students_notebook_is_made_by_nbgrader_and_holds_no_secret(nbgrader):
    course, book = nbgrader
    assert sorted(graded_ids(book)) == sorted(COURSE.assignments[NAME].checks.present)
    seeds = re.findall(r"hidden_seed = (\d+)", COURSE.source.decode())
    for path in (course / f"release/{NAME}").iterdir():
        text = path.read_text(encoding="utf-8")
        for shown in (text, *(cell.source for cell in book.cells)):
            assert [secret for secret in secrets() if secret in squeezed(shown)] == []
            assert [seed for seed in seeds if seed in shown] == []
            assert "HIDDEN TESTS" not in shown
    points = [
        cell.metadata["nbgrader"]["points"] for cell in book.cells if cell.metadata["nbgrader"]["grade"]
    ]
    assert sum(points) == COURSE.assignments[NAME].points


@pytest.mark.parametrize(
    ("layer", "says"), [(REFERENCE, "Success!"), (STUB, "failed")], ids=["reference", "stub"]
)
def test_validate_runs_the_public_checks(nbgrader, tmp_path, layer, says):
    course, book = nbgrader
    shutil.copytree(course / f"release/{NAME}", tmp_path / "work")
    nbformat.write(with_layer(book, layer), tmp_path / f"work/{NAME}.ipynb")
    assert says in run("nbgrader", "validate", f"{NAME}.ipynb", cwd=tmp_path / "work", check=False)


def doubled(book):
    """Every cell twice, as after selecting all and pasting."""
    again = copy.deepcopy(book.cells)
    for cell in again:
        cell["id"] += "-again"
    book.cells += again


def alone(book):
    """Nothing left but the class, and not the metadata of its cell."""
    book.cells = [cell for cell in book.cells if "class SelfAttention" in cell.source]
    del book.cells[0].metadata["nbgrader"]


def spoilt(book):
    for number, cell in enumerate(book.cells):
        cell.metadata["nbgrader"] = ("junk", 3, None, {"grade_id": ["x"]}, {"grade_id": "unknown"}, {})[
            number % 6
        ]


def warns(book):
    (cell,) = [cell for cell in book.cells if "class SelfAttention" in cell.source]
    cell.source = (
        "import sys, warnings\nwarnings.warn('careful')\nprint('careful', file=sys.stderr)\n" + cell.source
    )


def worthless_tests(book):
    """Test cells of the student's own, worth more, in the place of ours."""
    for cell in book.cells:
        if cell.metadata["nbgrader"]["grade"]:
            cell.source = "1000"
            cell.metadata["nbgrader"]["points"] = 1000


def not_counted(book):
    """Test cells that say of themselves that they are none, as if an earlier score were to stay."""
    for cell in book.cells:
        cell.metadata["nbgrader"] |= {"grade": False, "locked": False, "solution": True, "task": True}


def test_what_happens_to_cells_changes_no_score(nbgrader):
    course, book = nbgrader
    expected = {}
    for change in (doubled, alone, spoilt, warns, worthless_tests, not_counted):
        for layer, points in ((REFERENCE, 100), (WRONG, 70)):
            student = f"cells-{change.__name__}-{points}"
            changed = with_layer(book, layer)
            change(changed)
            hand_in(course, student, changed)
            expected[student] = (points, 100)
    autograde(course, "cells-*")
    found = recorded(course)
    assert {student: found[student] for student in expected} == expected


def test_a_file_that_is_no_notebook_stops_nobody(nbgrader):
    course, book = nbgrader
    hand_in(course, "class-a", "{not json")
    hand_in(course, "class-b", with_layer(book, REFERENCE))
    autograde(course, "class-*", check=False)
    assert recorded(course)["class-b"] == (100, 100)
    assert recorded(course)["class-a"] == (0, 100)


DB = "{database}"
FORGERIES = {
    "np.max is patched": "np.max = lambda *a, **k: 0\nnp.abs = np.sum = np.max",
    "np.allclose is patched": "np.allclose = np.array_equal = lambda *a, **k: True",
    "asserts are dropped": """
import ast
class Drop(ast.NodeTransformer):
    def visit_Assert(self, node): return ast.Pass()
    def visit_Raise(self, node): return ast.Pass()
get_ipython().ast_transformers.append(Drop())
""",
    "every cell displays points": "import sys\nsys.displayhook(1000)\nget_ipython().displayhook(1000)",
    "cells never run": "shell = get_ipython()\nshell.run_cell = shell.run_code = lambda *a, **k: None",
    "the database is written": f"""
import glob, sqlite3
for path in [{DB!r}, *glob.glob("/tmp/**/gradebook.db", recursive=True)]:
    db = sqlite3.connect(path)
    db.execute("UPDATE grade SET auto_score = 1000")
    db.commit()
""",
    "everything is equal": """
class Always(np.ndarray):
    def __eq__(self, other): return True
    def __lt__(self, other): return True
    def __array_ufunc__(self, *a, **k): return np.zeros(1)
    def __reduce__(self): return (print, ("1000",))
class SelfAttention:
    def __init__(self, C, hs, seed=42):
        self.Wq = self.Wk = self.Wv = np.zeros((C, hs)).view(Always)
        self.dWq = self.dWk = self.dWv = self.Wq
    def forward(self, X): return np.zeros(1).view(Always)
    def backward(self, dout): return np.zeros(1).view(Always)
    def zero_grad(self): pass
""",
    "the kernel leaves": "import atexit, os\nprint('1000')\nos._exit(0)",
}


def test_no_forgery_gains_a_point(nbgrader, score):
    """Eight ways that gave full marks for an empty or wrong layer where tests run in the student's kernel."""
    course, book = nbgrader
    expected = {}
    hand_in(course, "forger-honest", with_layer(book, WRONG))
    for number, (name, attack) in enumerate(FORGERIES.items()):
        text = "import numpy as np\n" + STUB + attack.replace(DB, str(course / "gradebook.db"))
        hand_in(course, f"forger-{number}", with_layer(book, text))
        expected[f"forger-{number}"] = (name, score(text).score)
    autograde(course, "forger-*")
    found = recorded(course)
    assert found["forger-honest"] == (70, 100)
    assert {student: found[student][0] for student in expected} == {
        s: points for s, (_, points) in expected.items()
    }
    assert max(points for _, points in expected.values()) == 0
    assert len(FORGERIES) == 8


def test_feedback_has_the_words_and_not_the_hidden_part(nbgrader):
    course, book = nbgrader
    hand_in(course, "reader", with_layer(book, WRONG))
    autograde(course, "reader")
    run("nbgrader", "generate_feedback", NAME, "--student=reader", cwd=course)
    page = (course / f"feedback/reader/{NAME}/{NAME}.html").read_text(encoding="utf-8")
    text = html.unescape(re.sub(r"<[^>]+>", "", page))
    assert "backward is the gradient of forward: 10 of 40" in text
    assert "dWq" in text
    assert "(tests withheld)" in text
    assert "HIDDEN TESTS" not in text
    assert "not graded: nbgrader_config.py" not in text


def test_late_penalties_and_export_are_nbgraders_own(nbgrader):
    course, book = nbgrader
    folder = hand_in(course, "late", with_layer(book, WRONG))
    (folder / "timestamp.txt").write_text("2026-11-30 12:00:00 UTC", encoding="utf-8")
    autograde(course, "late")
    run("nbgrader", "export", "--to=grades.csv", cwd=course)
    (line,) = [
        row for row in (course / "grades.csv").read_text(encoding="utf-8").splitlines() if ",late," in row
    ]
    assert line.startswith(f"{NAME},,2026-11-30 12:00:00,late,")
    assert line.endswith(",70.0,0.0,70.0,100.0")


def test_without_our_preprocessors_nothing_is_given(nbgrader):
    """A course whose configuration was lost fails closed: hidden parts raise, so that nobody has points."""
    course, _ = nbgrader
    source = nbformat.read(course / f"source/{NAME}/{NAME}.ipynb", as_version=4)
    tests = [cell.source for cell in source.cells if cell.metadata["nbgrader"]["grade"]]
    assert len(tests) == 5
    for text in tests:
        hidden = text.split("### BEGIN HIDDEN TESTS\n")[1].split("### END")[0]
        with pytest.raises(RuntimeError, match="not graded"):
            exec(hidden, {})


def test_export_writes_grades_of_py_files_into_the_database(nbgrader, score, tmp_path):
    course, _ = nbgrader
    database = tmp_path / "gradebook.db"
    shutil.copy(course / "gradebook.db", database)
    grades = [
        score(text).model_copy(update={"student": s}) for s, text in (("ada", REFERENCE), ("bob", WRONG))
    ]
    write_nbgrader(grades, database)
    write_nbgrader(grades, database)
    from nbgrader.api import Gradebook

    with Gradebook(f"sqlite:///{database}") as book:
        found = {s.student.id: (s.score, s.max_score) for s in book.assignment_submissions(NAME)}
        assert (found["ada"], found["bob"]) == ((100, 100), (70, 100))
        comment = book.find_comment(NAME, NAME, NAME, "bob").comment
        assert "backward is the gradient of forward: 10 of 40, failed" in comment
        assert not any(
            grade.needs_manual_grade for grade in book.find_submission_notebook(NAME, NAME, "bob").grades
        )
    assert sqlite3.connect(database).execute("PRAGMA integrity_check").fetchone() == ("ok",)


def totals(database):
    """By student, as `nbgrader export` counts."""
    from nbgrader.api import Gradebook

    with Gradebook(f"sqlite:///{database}") as book:
        return {
            found.student.id: max(0.0, found.score - found.late_submission_penalty)
            for found in book.assignment_submissions(NAME)
        }


def test_export_makes_what_another_database_lacks(score, tmp_path, monkeypatch):
    from nbgrader.api import Gradebook

    tools = Path(sys.executable).parent  # nbgrader asks alembic when it makes a database
    monkeypatch.setenv("PATH", f"{tools}{os.pathsep}{os.environ['PATH']}")
    database = tmp_path / "gradebook.db"
    with Gradebook(f"sqlite:///{database}") as book:
        book.add_assignment(NAME)
        book.add_notebook("other", NAME)
        book.add_grade_cell("task", "other", NAME, max_score=3, cell_type="code")
        book.add_student("ada")
        book.add_submission(NAME, "ada")
    grades = [score(WRONG).model_copy(update={"student": student}) for student in ("ada", "bob")]
    write_nbgrader(grades, database)
    write_nbgrader(grades, database)
    assert totals(database) == {"ada": 70, "bob": 70}


def test_lateness_adjustments_and_a_score_set_by_hand_are_in_nbgraders_total(nbgrader, score, tmp_path):
    course, _ = nbgrader
    database = tmp_path / "gradebook.db"
    shutil.copy(course / "gradebook.db", database)
    sound = score(WRONG)
    checks = [c.model_copy(update={"verdict": "grader-fault", "points": 0.0}) for c in sound.checks]
    fault = Flag(kind="grader-fault", detail="the disk is full")

    def of(student, value, *flags, checks=sound.checks):
        update = {"student": student, "score": value, "flags": flags, "checks": tuple(checks)}
        return sound.model_copy(update=update)

    def adjusted(detail):
        return Flag(kind="adjusted", detail=detail)

    late = Flag(kind="late", detail="day 2 after the deadline")
    by_hand = adjusted("score set to 88: by hand")
    write_nbgrader(
        [
            of("late", 50.0, late),
            of("more", 105.0, adjusted("+35 points: a typo")),
            of("hand", 88.0, fault, by_hand, checks=checks),
            of("fault", 0.0, fault, checks=checks),
        ],
        database,
    )
    ours = ("late", "more", "hand", "fault")
    found = totals(database)
    assert [found[student] for student in ours] == [50, 105, 88, 0]
    from nbgrader.api import Gradebook

    with Gradebook(f"sqlite:///{database}") as book:
        assert "late: day 2 after the deadline" in book.find_comment(NAME, NAME, NAME, "late").comment
        open_ = {s.student.id: s.needs_manual_grade for s in book.assignment_submissions(NAME)}
        assert [open_[student] for student in ours] == [False, False, False, True]
    # A day of grace later, and another adjustment: nothing of the first export is left.
    write_nbgrader([of("late", 70.0), of("more", 60.0, adjusted("-10 points: a typo"))], database)
    assert totals(database)["late"] == 70
    assert totals(database)["more"] == 60
    # What a person set or added is taken back: the fault is open again, the extra credit is gone.
    back = Flag(kind="taken-back", detail=f"{by_hand.detail}, taken back: a slip")
    write_nbgrader(
        [of("hand", 0.0, fault, back, checks=checks), of("more", 105.0, adjusted("+35"))], database
    )
    write_nbgrader([of("more", 70.0, back)], database)
    assert (totals(database)["hand"], totals(database)["more"]) == (0, 70)
    with Gradebook(f"sqlite:///{database}") as book:
        open_ = {s.student.id: s.needs_manual_grade for s in book.assignment_submissions(NAME)}
        assert [student for student in ours if open_[student]] == ["hand", "fault"]


def test_the_command_exports_a_results_folder(nbgrader, tmp_path):
    course, _ = nbgrader
    shutil.copy(course / "gradebook.db", tmp_path / "gradebook.db")
    (tmp_path / "class").mkdir()
    (tmp_path / "class/ada.py").write_text(WRONG, encoding="utf-8")
    run("autograder", "grade", str(tmp_path / "class"), "--out", str(tmp_path / "results"), cwd=ROOT)
    said = run(
        "autograder", "export", "nbgrader", "--results", str(tmp_path / "results"),
        "--db", str(tmp_path / "gradebook.db"), cwd=ROOT,
    )  # fmt: skip
    assert "1 students written" in said
    assert recorded(tmp_path)["ada"] == (70, 100)
