"""The level that grading gets: what the platform offers, what the kernel grants, to whom; the same marks."""

import json
import os
import shutil
import subprocess
import sys
import tempfile
import tomllib
from pathlib import Path

import pytest
from click.testing import CliRunner

from autograder.cli.grade import command as grade_command
from autograder.course import load_course
from autograder.grade.grader import Grader
from autograder.sandbox import levels, linux, pool
from autograder.sandbox.levels import LEVELS
from autograder.sandbox.spawned import Spawner
from autograder.submission import Source, Submission, find_submissions

ROOT = Path(__file__).parents[1]
LESSER = ROOT / "tests" / "lockdown" / "lesser.py"
EXPECTED = tomllib.loads((ROOT / "tests" / "expected.toml").read_text(encoding="utf-8"))
SOME = ("ada", "tomas", "bela", "goran", "kofi", "lea", "mira", "oskar")  # none that waits for a time limit
IS_ROOT = hasattr(os, "geteuid") and os.geteuid() == 0

on_linux = pytest.mark.skipif(not linux.supported, reason="Linux on x86-64 or aarch64 only")


def lesser(user, calls, *arguments, cwd=ROOT):
    """Run the command as `user` with `calls` refused by the kernel."""
    command = [sys.executable, "-I", LESSER, user, ",".join(calls), sys.executable, "-m", "autograder"]
    return subprocess.run(
        [*map(str, command), *map(str, arguments)], cwd=cwd, capture_output=True, text=True, timeout=300
    )


@pytest.fixture(scope="module")
def tree():
    """A copy of what grading needs, in a folder that every user may read and write."""
    with tempfile.TemporaryDirectory() as folder:
        copy = Path(folder) / "course"
        for name in ("autograder", "solutions"):
            shutil.copytree(ROOT / name, copy / name, ignore=shutil.ignore_patterns("__pycache__"))
        shutil.copy(ROOT / "grading.toml", copy)
        for student in SOME:
            shutil.copytree(ROOT / "tests" / "submissions" / student, copy / "class" / student)
        for path in (Path(folder), copy, *copy.rglob("*")):
            path.chmod(0o777 if path.is_dir() else 0o644)
        yield copy


@on_linux
@pytest.mark.parametrize(
    ("user", "level"),
    [
        pytest.param("nobody" if IS_ROOT else "self", None, id="user-default"),
        pytest.param("nobody" if IS_ROOT else "self", "L4", id="user-L4"),
        pytest.param("docker" if IS_ROOT else "self", None, id="docker"),
    ],
)
def test_the_class_gets_its_marks_whoever_grades(tree, user, level):
    out = tree / f"out-{user}-{level}"
    asked = ("--require-isolation", level) if level else ()
    done = lesser(user, (), "grade", "class", "--json", "--jobs", "1", "--out", out, *asked, cwd=tree)
    if level == "L4" and "namespaces: " in done.stderr:
        pytest.skip(f"not to be had on this machine: {done.stderr}")
    assert done.returncode == 0, done.stderr
    grades = {grade["student"]: grade for grade in map(json.loads, done.stdout.splitlines())}
    assert {name: grade["score"] for name, grade in grades.items()} == {
        name: EXPECTED[name]["score"] for name in SOME
    }
    expected = {"level": level or "L3", "detail": LEVELS[level or "L3"].made_of}
    assert [grade["isolation"] for grade in grades.values()] == [expected] * len(SOME)
    assert not [grade for grade in grades.values() if any(flag["kind"] != "note" for flag in grade["flags"])]


@pytest.mark.parametrize("level", levels.offered())
def test_the_class_gets_its_marks_behind_each_wall(tree, level):
    try:
        pool.proved(level)
    except pool.IsolationError as error:
        if level != "L4":
            raise
        pytest.skip(f"not to be had on this machine: {error}")
    found = find_submissions([tree / "class"], assignment="self_attention")
    with Grader(load_course(tree), "self_attention", level=level, diagnose=False) as grader:
        grades = [grader.grade(item) for item in found]
    assert {grade.student: grade.score for grade in grades} == {
        name: EXPECTED[name]["score"] for name in SOME
    }
    assert {grade.isolation.level for grade in grades} == {level}


@on_linux
@pytest.mark.parametrize(
    ("call", "item", "best"),
    [("landlock_create_ruleset", "landlock", "L2"), ("seccomp", "seccomp", "L1")],
)
def test_a_call_that_the_kernel_denies_lowers_the_level_and_says_so(tree, call, item, best):
    """The whole class, so that several processes grade and each meets the denial."""
    refused = lesser("self", (call,), "grade", "class", "--out", tree / "refused", cwd=tree)
    assert (refused.returncode, refused.stderr) == (
        2,
        f"The required isolation is not to be had here: lock-down: {item}: Operation not permitted (EPERM). "
        f"{best} holds: allow it with --require-isolation {best}, or see with `autograder doctor` "
        "what would raise it.\n",
    )
    assert not list((tree / "refused" / "grades").iterdir())
    allowed = lesser(
        "self", (call,), "grade", "class/ada", "--json", "--require-isolation", best,
        "--out", tree / best, cwd=tree,
    )  # fmt: skip
    grade = json.loads(allowed.stdout)
    assert (allowed.returncode, grade["score"], grade["isolation"]["level"]) == (0, 100, best)
    assert ("marks are not proof" in grade["isolation"]["detail"]) == (best == "L1")
    assert ("marks are not proof" in allowed.stderr) == (best == "L1")


@on_linux
def test_doctor_names_what_is_denied_and_what_would_raise_the_level():
    lines = lesser("self", ("landlock_restrict_self",), "doctor").stdout.splitlines()
    assert "L2 filtered: holds (seccomp, rlimits)" in lines
    assert "L3 locked: does not hold: lock-down: landlock: Operation not permitted (EPERM)" in lines
    assert "in force: none, for L3 is required and does not hold" in lines
    assert f"to grade with L2: --require-isolation L2. {LEVELS['L2'].worth}" in lines
    assert f"to have L3: {LEVELS['L3'].needs}" in lines


@on_linux
@pytest.mark.skipif(not IS_ROOT, reason="needs root to begin with")
def test_a_root_that_may_not_end_its_workers_is_told_so():
    """A container with CAP_KILL dropped: a worker is another user there."""
    done = lesser("unkilling", (), "doctor")
    reason = "end a worker: Operation not permitted; the grader may not signal other users"
    for head in ("L1 separate", "L2 filtered", "L3 locked"):
        assert f"{head}: does not hold: {reason}" in done.stdout.splitlines()
    assert (done.returncode, done.stderr) == (3, "no level holds; nothing can be graded here\n")


@on_linux
def test_doctor_shows_each_level_item_by_item():
    done = lesser("self", ("unshare",), "doctor")
    assert done.returncode == 0, done.stderr
    head, _, rest = done.stdout.partition("L3 locked: holds")
    assert head.startswith("L1 separate: holds")
    items = {line[:37].strip(): line[37:] for line in rest.splitlines() if line.startswith("    ")}
    assert items["read a file"] == items["start a process"] == items["make a socket"] == "EPERM"
    assert f"in force: L3 locked. {LEVELS['L3'].worth}" in rest.splitlines()
    assert f"to have L4: {LEVELS['L4'].needs}" in rest.splitlines()


@pytest.mark.parametrize(("platform", "default"), [("linux", "L3"), ("darwin", "L1"), ("win32", "L1")])
def test_the_default_is_the_course_s_where_the_platform_has_it(platform, default):
    assert levels.default("L3", platform) == default
    assert levels.default("L1", platform) == "L1"
    assert levels.offered(platform) == (["L4", "L3", "L2", "L1"] if platform == "linux" else ["L1"])


def test_elsewhere_than_linux_grading_says_what_its_marks_are_worth(monkeypatch, tmp_path):
    monkeypatch.setattr("autograder.cli.grade.default", lambda required: levels.default(required, "darwin"))
    ada = ROOT / "tests" / "submissions" / "ada"
    arguments = [str(ada), "--json", "--course", str(ROOT), "--out", str(tmp_path)]
    done = CliRunner().invoke(grade_command, arguments, catch_exceptions=False)
    grade = json.loads(done.stdout)
    assert (grade["score"], grade["isolation"]) == (100, {"level": "L1", "detail": LEVELS["L1"].made_of})
    assert done.stderr == f"isolation L1: {LEVELS['L1'].worth}\n"


def test_none_is_taken_for_the_strongest_where_nothing_holds(monkeypatch):
    def denied(level):
        raise pool.IsolationError(level)

    monkeypatch.setattr(pool, "proved", denied)
    assert pool.strongest() is None


@pytest.fixture
def elsewhere(monkeypatch):
    """A grader as on macOS and Windows: workers are cold processes that connect back."""
    monkeypatch.setattr("autograder.grade.grader.starter", lambda: Spawner)
    with Grader(load_course(ROOT), "self_attention", level="L1", diagnose=False) as grader:
        yield grader


def graded(grader, text):
    return grader.grade(Submission("x", Source((text.encode(),), "py", "0" * 64), Path("x.py")))


def test_a_worker_that_was_not_forked_gives_the_same_evidence(elsewhere):
    path = ROOT / "tests" / "submissions" / "goran" / "self_attention.py"
    with Grader(elsewhere.course, "self_attention", level="L1", diagnose=False) as grader:
        grader._zygote = pool.Zygote("L1") if linux.supported else None
        expected = graded(grader, path.read_text(encoding="utf-8"))
    grade = graded(elsewhere, path.read_text(encoding="utf-8"))
    assert [check.evidence for check in grade.checks] == [check.evidence for check in expected.checks]
    assert (grade.score, grade.isolation) == (EXPECTED["goran"]["score"], expected.isolation)


def test_a_worker_that_was_not_forked_ends_with_its_verdict_and_is_reaped(elsewhere):
    grade = graded(elsewhere, "import os\nos._exit(3)\n")
    assert {check.verdict for check in grade.checks} == {"crash"}
    assert grade.checks[0].evidence[0].value == "the process left before its reply (exit 3)"
    assert elsewhere.zygote._running == {}


def test_elsewhere_no_other_level_is_to_be_had():
    with pytest.raises(pool.IsolationError, match="L3 is Linux's; this platform has L1 alone"):
        Spawner("L3")
