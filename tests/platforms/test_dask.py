"""Grading on a Dask cluster of processes, one of whose workers is killed in the middle."""

import os
import re
import signal
import sqlite3
import subprocess
import sys
from pathlib import Path

import pytest

distributed = pytest.importorskip("distributed", reason="needs the extra `dask`")

ROOT = Path(__file__).parents[2]
CLASS = ROOT / "tests" / "submissions"
LEVEL = "L3" if sys.platform == "linux" else "L1"
SLOW = "fatima"  # loops until the time limit


def lay(folder, count):
    names = [path.name for path in sorted(CLASS.iterdir()) if path.name != SLOW]
    for number in range(count):
        name = names[number % len(names)]
        target = folder / f"{number:03}-{name}"
        target.mkdir(parents=True)
        for file in (CLASS / name).iterdir():
            (target / file.name).write_bytes(file.read_bytes())


def command(folder, out, *more):
    arguments = ["grade", folder, "--out", out, "--require-isolation", LEVEL, "--no-diagnosis", *more]
    return [sys.executable, "-m", "autograder", *map(str, arguments)]


def files(out):
    return {
        path.relative_to(out): path.read_bytes() for path in [*(out / "grades").iterdir(), out / "grades.csv"]
    }


@pytest.fixture
def cluster():
    with distributed.LocalCluster(
        n_workers=2, threads_per_worker=1, processes=True, dashboard_address=":0"
    ) as cluster:
        yield cluster


def test_a_killed_worker_loses_nothing_and_grades_nothing_twice(tmp_path, cluster):
    folder, count = tmp_path / "class", 60
    lay(folder, count)
    subprocess.run(
        command(folder, tmp_path / "alone", "--jobs", "1"), cwd=ROOT, check=True, capture_output=True
    )
    victim = next(iter(cluster.workers.values())).pid
    run = subprocess.Popen(
        command(folder, tmp_path / "out", "--dask", cluster.scheduler_address),
        cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
    )  # fmt: skip
    for line in run.stderr:
        if re.match(r"graded \d+ of 60", line):
            os.kill(victim, signal.SIGKILL)
            break
    said = run.communicate()[1]
    assert run.returncode == 0, said
    assert files(tmp_path / "out") == files(tmp_path / "alone")
    with sqlite3.connect(tmp_path / "out" / "gradebook.db") as book:
        assert book.execute("SELECT count(*), count(DISTINCT student) FROM grades").fetchone() == (
            count,
            count,
        )


def test_nobody_at_the_address(tmp_path):
    lay(tmp_path / "class", 1)
    run = subprocess.run(
        command(tmp_path / "class", tmp_path / "out", "--dask", "tcp://127.0.0.1:9"),
        cwd=ROOT, capture_output=True, text=True,
    )  # fmt: skip
    assert run.returncode == 2
    assert "no Dask scheduler answers at tcp://127.0.0.1:9" in run.stderr
