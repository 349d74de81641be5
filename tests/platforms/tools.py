"""Handing work in to the tools and reading their answers."""

import json

import nbformat
from conftest import NAME, run


def hand_in(course, student, book):
    """A notebook, or the text of one, where nbgrader looks for it."""
    folder = course / "submitted" / student / NAME
    folder.mkdir(parents=True, exist_ok=True)
    text = book if isinstance(book, str) else nbformat.writes(book)
    (folder / f"{NAME}.ipynb").write_text(text, encoding="utf-8")
    return folder


def autograde(course, students, check=True):
    """nbgrader's own command, for the students whose ids match the pattern."""
    return run("nbgrader", "autograde", NAME, "--force", f"--student={students}", cwd=course, check=check)


def recorded(course):
    """(Score, most) of each student in nbgrader's database."""
    from nbgrader.api import Gradebook

    with Gradebook(f"sqlite:///{course / 'gradebook.db'}") as book:
        return {s.student.id: (s.score, s.max_score) for s in book.assignment_submissions(NAME)}


def otter_run(archive, folder, name, content):
    """The results.json of `otter run` on one file; `content` is text or bytes."""
    folder.mkdir(parents=True, exist_ok=True)
    data = content.encode() if isinstance(content, str) else content
    (folder / name).write_bytes(data)
    (folder / "out").mkdir(exist_ok=True)
    run("otter", "run", "-a", str(archive), "-o", str(folder / "out"), str(folder / name), cwd=folder)
    return json.loads((folder / "out/results.json").read_text(encoding="utf-8"))


def total(results):
    """(Score, most) of a results.json in Gradescope's shape."""
    tests = [test for test in results["tests"] if "score" in test]
    return sum(test["score"] for test in tests), sum(test["max_score"] for test in tests)
