"""The pytest face says what `autograder grade` says: outcome and points of every part."""

import json
import os
import subprocess
import sys
import xml.etree.ElementTree as ET
from collections import Counter
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
HIDDEN = ROOT / "autograder" / "hidden"
REFERENCE = ROOT / "solutions" / "self_attention" / "self_attention.py"
STUB = ROOT / "assignments" / "self_attention" / "self_attention.py"
LEVEL = "L3" if sys.platform == "linux" else "L1"
OUTCOME = {"passed": "passed", "skipped": "skipped"}  # every other verdict fails


def run(*arguments, cwd):
    command = [sys.executable, "-m", *map(str, arguments)]
    environment = {**os.environ, "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1", "PYTEST_ADDOPTS": ""}
    return subprocess.run(command, cwd=cwd, env=environment, capture_output=True, text=True, timeout=300)


def pytest_run(*arguments, cwd, level=LEVEL):
    return run("pytest", "-p", "no:cacheprovider", HIDDEN, "--isolation", level, *arguments, cwd=cwd)


def items(file, cwd):
    """(process, {id: (outcome, points, max_points, message)}) as a reader of JUnit has it."""
    xml = cwd / "junit.xml"
    process = pytest_run(f"--submission={file}", f"--junitxml={xml}", cwd=cwd)
    found = {}
    for case in ET.parse(xml).getroot().iter("testcase"):
        wrong = [child for child in case if child.tag in ("failure", "skipped", "error")]
        kind = {"failure": "failed"}.get(wrong[0].tag, wrong[0].tag) if wrong else "passed"
        points = {p.get("name"): float(p.get("value")) for p in case.iter("property")}
        name = case.get("name").removeprefix("test_part[").removesuffix("]")
        message = wrong[0].get("message") if wrong else ""
        found[name] = (kind, points["points"], points["max_points"], message)
    return process, found


def graded(file, cwd):
    """The grade of `autograder grade`, and of each part what its item should say."""
    process = run(
        "autograder", "grade", file, "--course", ROOT, "--json", "--require-isolation", LEVEL, cwd=cwd
    )
    grade = json.loads(process.stdout)
    return grade, {
        f"{check['id']}-{e['part']}": (OUTCOME.get(e["verdict"], "failed"), e["points"], e["max_points"])
        for check in grade["checks"]
        for e in check["evidence"]
    }


def changed(old, new):
    """The reference with one place of it replaced."""
    source = REFERENCE.read_text()
    assert source.count(old) == 1
    return source.replace(old, new)


UNSCALED = changed("scores = scores / np.sqrt(self.hs)", "scores = scores / self.hs")
# Student's file, its score, the count of each outcome.
CASES = {
    "reference": (REFERENCE.read_text(), 100.0, {"passed": 25}),
    "wrong_scale": (UNSCALED, 100.0 - (11 + 6 + 3 + 3) - 3 * 10, {"passed": 15, "failed": 10}),
    "raises": (changed("out = A @ V", "out = A @ missing"), None, None),
}


@pytest.mark.parametrize("case", CASES)
def test_items_agree_with_the_grade(case, tmp_path):
    source, score, counts = CASES[case]
    file = tmp_path / "self_attention.py"
    file.write_text(source)
    process, found = items("self_attention.py", tmp_path)
    grade, expected = graded(file, tmp_path)
    assert {name: item[:3] for name, item in found.items()} == expected
    assert list(found) == list(expected)
    assert sum(item[1] for item in found.values()) == pytest.approx(grade["score"])
    assert sum(item[2] for item in found.values()) == pytest.approx(grade["max_score"])
    assert process.returncode == (0 if case == "reference" else 1)
    if score is not None:
        assert grade["score"] == score
        assert Counter(item[0] for item in found.values()) == counts


def test_the_stub_passes_nothing(tmp_path):
    process, found = items(STUB, tmp_path)
    _, expected = graded(STUB, tmp_path)
    assert process.returncode == 1
    assert {name: item[:3] for name, item in found.items()} == expected
    assert len(found) == 25
    assert {item[0] for item in found.values()} <= {"failed", "skipped"}
    assert sum(item[1] for item in found.values()) == 0


def test_a_message_holds_the_numbers_and_the_line(tmp_path):
    (tmp_path / "wrong.py").write_text(UNSCALED)
    _, found = items("wrong.py", tmp_path)
    assert found["gradcheck-Wq at lesson"][3] == (
        "Failed: Wq at lesson: failed: dWq (8, 4): relative error 0.83, limit 1e-05, "
        "worst at (6, 0): yours 1.254, expected 0.627"
    )
    source = CASES["raises"][0]
    (tmp_path / "raises.py").write_text(source)
    _, found = items("raises.py", tmp_path)
    line = source[: source.index("missing")].count("\n") + 1
    assert found["forward-values"][3] == (f"Failed: values: error: out exception NameError, line {line}")
    assert found["gradcheck-Wq at lesson"][0] == "skipped"
    assert "depends on forward" in found["gradcheck-Wq at lesson"][3]


def test_a_file_that_cannot_be_read_fails_every_item_with_the_reason(tmp_path):
    (tmp_path / "empty.py").write_bytes(b"")
    process, found = items("empty.py", tmp_path)
    assert process.returncode == 1
    assert len(found) == 25
    assert {item[:2] for item in found.values()} == {("failed", 0.0)}
    assert all("is empty" in item[3] for item in found.values())


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        ((), "name it with --submission=FILE"),
        ((f"--submission={REFERENCE}", "--assignment", "nothing"), "no assignment 'nothing'"),
        ((f"--submission={REFERENCE}", "--course", "nowhere.toml"), "nowhere.toml: cannot be read"),
    ],
)
def test_a_wrong_command_is_answered_in_a_sentence(arguments, sentence, tmp_path):
    process = pytest_run(*arguments, cwd=tmp_path)
    assert process.returncode == pytest.ExitCode.USAGE_ERROR
    assert sentence in process.stderr
    assert "Traceback" not in process.stdout + process.stderr


def test_a_conftest_beside_the_submission_never_runs(tmp_path):
    """pytest would import it into the grader's own process."""
    (tmp_path / "wrong.py").write_text(UNSCALED)
    (tmp_path / "conftest.py").write_text("open('ran', 'w').close()\n")
    process = pytest_run("--submission", "wrong.py", cwd=tmp_path)
    assert process.returncode == pytest.ExitCode.USAGE_ERROR
    assert "--submission=FILE" in process.stderr
    assert pytest_run("--submission=wrong.py", cwd=tmp_path).returncode == 1
    assert not (tmp_path / "ran").exists()


def test_the_projects_own_tests_leave_it_alone():
    """Neither `pytest` nor, from above, `pytest .` needs a submission."""
    quiet = ("pytest", "--collect-only", "-q", "-p", "no:cacheprovider")
    own = run(*quiet, cwd=ROOT)
    assert own.returncode == 0, own.stdout
    assert "autograder/hidden" not in own.stdout
    others = [f"--ignore={name}" for name in ("tests", "assignments", "solutions")]
    above = run(*quiet, ".", *others, cwd=ROOT)
    assert above.returncode == pytest.ExitCode.NO_TESTS_COLLECTED, above.stdout + above.stderr
