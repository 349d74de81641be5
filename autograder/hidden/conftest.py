"""Options of the hidden checks; grades the submission once and hands each item its evidence."""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise
from pathlib import Path

import click
import pytest

from autograder.batch.worker import graded
from autograder.cli.options import assignment_name, find_course
from autograder.course import CourseError
from autograder.grade.grader import Grader
from autograder.grade.model import Evidence
from autograder.reports.inert import inert
from autograder.reports.words import evidence_line
from autograder.sandbox.levels import LEVELS, default
from autograder.sandbox.pool import IsolationError
from autograder.submission import Refusal, Submission, read_file

HERE = Path(__file__).resolve().parent
GRADER = pytest.StashKey[Grader]()
ITEM = pytest.StashKey[Submission | Refusal]()


def pytest_addoption(parser: pytest.Parser, pluginmanager: pytest.PytestPluginManager) -> None:
    group = parser.getgroup("hidden checks")
    group.addoption("--submission", type=Path, metavar="FILE", help="The .py or .ipynb file to judge.")
    group.addoption("--assignment", help="Which table of grading.toml; needed only if there are several.")
    group.addoption("--course", type=Path, help="grading.toml or its folder (default: found upwards).")
    group.addoption("--isolation", choices=list(LEVELS), help="Default: what grading.toml requires.")
    config = pluginmanager.get_plugin("pytestconfig")
    if isinstance(config, pytest.Config):
        _refuse_foreign_conftest(config)


def _refuse_foreign_conftest(config: pytest.Config) -> None:
    """Stop before pytest imports a conftest.py beside the submission, which nothing would confine.

    pytest does not know our options yet: in `--submission FILE` it takes FILE for a folder of tests.
    """
    args = config.invocation_params.args
    for option, value in pairwise(args):
        if option != "--submission":
            continue
        file = (config.invocation_params.dir / value).resolve()
        for folder in file.parents:
            found = folder / "conftest.py"
            if found.is_file() and folder not in (HERE, *HERE.parents):
                raise pytest.UsageError(
                    f"{inert(str(found))} would be run by pytest, unconfined; "
                    "write the option as --submission=FILE, with the equals sign"
                )


def pytest_configure(config: pytest.Config) -> None:
    """What is wrong with the command is said here, in one sentence and with exit code 4."""
    file, level = config.option.submission, config.option.isolation
    if file is None:
        base = config.invocation_params.dir
        if any((base / arg.partition("::")[0]).resolve().is_relative_to(HERE) for arg in config.args):
            raise pytest.UsageError("the hidden checks judge one file: name it with --submission=FILE")
        return  # met on a walk through a folder above: there is nothing to judge
    try:
        _, course = find_course(config.option.course or _nearest(config.invocation_params.dir))
        name = assignment_name(course, config.option.assignment)
        grader = Grader(course, name, level=level or default(course.isolation.required))
    except click.UsageError as error:
        raise pytest.UsageError(error.message) from None
    except CourseError as error:
        raise pytest.UsageError(str(error)) from None
    config.stash[GRADER] = grader
    config.stash[ITEM] = read_file(
        config.invocation_params.dir / file, max_bytes=course.limits.submission_kib << 10
    )


def _nearest(start: Path) -> Path | None:
    """The nearest grading.toml above `start`, else above this folder."""
    folders = (start, *start.parents, *HERE.parents)
    return next((f / "grading.toml" for f in folders if (f / "grading.toml").is_file()), None)


def pytest_unconfigure(config: pytest.Config) -> None:
    if GRADER in config.stash:
        config.stash[GRADER].restart()


def pytest_ignore_collect(config: pytest.Config) -> bool | None:
    return None if GRADER in config.stash else True


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    if {"check", "part"} <= set(metafunc.fixturenames):
        pairs = [(c.id, p.id) for c in metafunc.config.stash[GRADER].checks for p in c.parts]
        metafunc.parametrize(("check", "part"), pairs, ids=[f"{check}-{part}" for check, part in pairs])


class Judged:
    """The evidence of a part by (check, part), and what is to be said of it."""

    def __init__(self, grader: Grader, item: Submission | Refusal):
        grade = graded(grader, item)
        self.evidence = {(c.id, e.part): e for c in grade.checks for e in c.evidence}
        # Of the whole file, so not in any part's evidence.
        self.reason = next((f.detail for f in grade.flags if f.kind in ("unreadable", "grader-fault")), None)
        self._where: Callable[[int], str] = (
            item.source.where if isinstance(item, Submission) else lambda line: f"line {line}"
        )

    def message(self, evidence: Evidence) -> str:
        return inert(self.reason) if self.reason else evidence_line(evidence, self._where)


@pytest.fixture(scope="session")
def judged(pytestconfig: pytest.Config) -> Judged:
    try:
        return Judged(pytestconfig.stash[GRADER], pytestconfig.stash[ITEM])
    except IsolationError as error:
        sentence = f"the required isolation is not to be had here: {error}; run `autograder doctor`"
        pytest.exit(sentence, returncode=pytest.ExitCode.USAGE_ERROR)
