"""The pages of docs/ about platforms: every command run, as a reader would."""

import csv
import json
import zipfile

import pytest
from documented import NAME, ROOT, commands, follow
from tools import recorded, total

PAGES = {page.stem: page for page in (ROOT / "docs").glob("*.md")}


@pytest.fixture
def run(tmp_path):
    return lambda name: follow(PAGES[name], tmp_path)


def test_every_page_with_commands_is_run_below():
    assert {name for name, page in PAGES.items() if commands(page)} == {
        name.removeprefix("test_") for name in globals() if name.removeprefix("test_") in PAGES
    }


def rows(path):
    with open(path, encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def test_github(run, tmp_path):
    said = run("github")
    assert (tmp_path / "student-repository/.github/workflows/classroom.yml").is_file()
    assert (tmp_path / "classroom50/autograders/self_attention/autograder.py").is_file()
    assert (tmp_path / "grading/.github/workflows/grade.yml").is_file()
    assert json.loads(said[said.index("{\n") : said.rindex("\n}") + 2])["status"] == "pass"


def test_gradescope(run, tmp_path):
    run("gradescope")
    with zipfile.ZipFile(tmp_path / "autograder.zip") as archive:
        assert {"setup.sh", "run_autograder", "grading.toml"} <= set(archive.namelist())
        assert b" after_published" in archive.read("run_autograder")
    assert json.loads((tmp_path / "results/gradescope/ada.json").read_text(encoding="utf-8"))["score"] == 100


def test_canvas(run, tmp_path):
    said = run("canvas")
    assert [row["Self-attention (4711)"] for row in rows(tmp_path / "filled.csv")] == ["100", "100", "70"]
    assert "1 not in the class list: goran" in said
    assert [row["Student"] for row in rows(tmp_path / "results/canvas.csv")] == ["ada"]


def test_moodle(run, tmp_path):
    said = run("moodle")
    assert [(row["username"], row["Self-attention"]) for row in rows(tmp_path / "results/moodle.csv")] == [
        ("ada", "100"), ("bob", "-"),
    ]  # fmt: skip
    assert "1 not in the class list: goran" in said
    assert len(rows(tmp_path / "results/checks.csv")) == 10


def test_nbgrader(run, tmp_path):
    said = run("nbgrader")
    assert "2 students written to course/gradebook.db" in said
    assert recorded(tmp_path / "course") == {"eve": (0, 100), "ada": (100, 100), "goran": (70, 100)}
    assert (tmp_path / f"course/feedback/eve/{NAME}/{NAME}.html").is_file()


def test_otter(run, tmp_path):
    run("otter")
    for way in ("generate", "assign"):
        results = json.loads((tmp_path / f"release/{way}/results.json").read_text(encoding="utf-8"))
        assert total(results) == (100, 100)
