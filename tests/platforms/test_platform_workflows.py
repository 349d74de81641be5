"""Every workflow that is released, and the project's own, read by actionlint."""

import pytest
from conftest import COURSE, NAME, ROOT, run

from autograder.release.github import grading_repository, student_repository

FILES = {
    f"{kind}-{path.rpartition('/')[2]}": content
    for kind, files in (
        ("student", student_repository(COURSE, NAME)),
        ("grading", grading_repository(COURSE, NAME)),
    )
    for path, content in files.items()
    if path.startswith(".github/workflows/")
} | {f"own-{path.name}": path.read_bytes() for path in (ROOT / ".github/workflows").glob("*.y*ml")}


@pytest.mark.parametrize("name", FILES)
def test_actionlint_has_nothing_to_say(tmp_path, name):
    (tmp_path / name).write_bytes(FILES[name])
    assert run("actionlint", "-no-color", name, cwd=tmp_path) == ""


def test_actionlint_would_say_something(tmp_path):
    broken = FILES["student-classroom.yml"].replace(b"steps.public.outputs", b"steps.private.outputs")
    (tmp_path / "broken.yml").write_bytes(broken)
    said = run("actionlint", "-no-color", "broken.yml", cwd=tmp_path, check=False)
    assert 'property "private" is not defined' in said


@pytest.mark.parametrize("name", FILES)
def test_every_action_is_pinned_and_permissions_are_few(name):
    lines = [line.strip() for line in FILES[name].decode().splitlines()]
    uses = [line.partition("uses: ")[2] for line in lines if "uses: " in line]
    assert uses
    for action in uses:
        assert len(action.split("@")[1].split()[0]) == 40, action
    assert "write" not in " ".join(line for line in lines if not line.startswith("#"))
    assert not any("${{" in line for line in lines if line.startswith(("run:", "- run:")))


def test_the_classrooms_workflow_has_the_names_that_classroom_knows():
    text = FILES["student-classroom.yml"].decode()
    assert "name: Autograding Tests\n" in text
    assert text.count("run-autograding-tests:") == 1
    assert "if: github.actor != 'github-classroom[bot]'" in text
    assert "persist-credentials: false" in text
    assert "PUBLIC_RESULTS: ${{ steps.public.outputs.result }}" in text
