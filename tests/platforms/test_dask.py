"""Grading on a Dask cluster of processes whose workers, or whose scheduler, go in the middle."""

import os
import queue
import re
import signal
import sqlite3
import subprocess
import sys
from contextlib import ExitStack
from pathlib import Path

import pytest

from autograder.batch import Job, dask
from autograder.course import load_course

distributed = pytest.importorskip("distributed", reason="needs the extra `dask`")

ROOT = Path(__file__).parents[2]
CLASS = ROOT / "tests" / "submissions"
LEVEL = "L3" if sys.platform == "linux" else "L1"
SLOW = "fatima"  # loops until the time limit
DEADLINE = 120  # seconds until what should have happened is a failure
IMPATIENT = "from autograder.batch import dask; dask.PATIENCE = 5; from autograder.cli import main; main()"


def lay(folder, count):
    names = [path.name for path in sorted(CLASS.iterdir()) if path.name != SLOW]
    for number in range(count):
        name = names[number % len(names)]
        target = folder / f"{number:03}-{name}"
        target.mkdir(parents=True)
        for file in (CLASS / name).iterdir():
            (target / file.name).write_bytes(file.read_bytes())


def command(folder, out, *more, entry=("-m", "autograder")):
    arguments = ["grade", folder, "--out", out, "--require-isolation", LEVEL, "--no-diagnosis", *more]
    return [sys.executable, *entry, *map(str, arguments)]


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


@pytest.fixture
def job():
    return Job.of(load_course(ROOT), "self_attention", LEVEL, diagnose=False)


@pytest.fixture
def processes(tmp_path):
    """(A scheduler that can be killed, its address), with one worker."""
    with ExitStack() as stack:

        def start(program, *arguments):
            process = subprocess.Popen(
                [sys.executable, "-m", f"distributed.cli.{program}", "--no-dashboard", *arguments],
                cwd=tmp_path, stderr=subprocess.PIPE, text=True,
            )  # fmt: skip
            stack.enter_context(process)
            stack.callback(process.kill)
            return process

        scheduler = start("dask_scheduler", "--host", "127.0.0.1", "--port", "0")
        address = next(found[0] for line in scheduler.stderr if (found := re.search(r"tcp://\S+:\d+", line)))
        start("dask_worker", address, "--nworkers", "1", "--nthreads", "1", "--no-nanny")
        with distributed.Client(address, set_as_default=False) as client:
            client.wait_for_workers(1, timeout=DEADLINE)
        yield scheduler, address


def test_a_killed_scheduler_ends_the_run_and_keeps_what_is_graded(tmp_path, processes):
    scheduler, address = processes
    lay(tmp_path / "class", 60)
    run = subprocess.Popen(
        command(tmp_path / "class", tmp_path / "out", "--dask", address, entry=("-c", IMPATIENT)),
        cwd=ROOT, stderr=subprocess.PIPE, text=True,
    )  # fmt: skip
    try:
        for line in run.stderr:
            if re.match(r"graded \d+ of 60", line):
                scheduler.kill()
                break
        said = run.communicate(timeout=DEADLINE)[1]
    finally:
        run.kill()
    assert run.returncode == 3, said
    assert f"the Dask scheduler at {address} is gone; finished grades are kept" in said
    assert "Traceback" not in said
    with sqlite3.connect(tmp_path / "out" / "gradebook.db") as book:
        assert 0 < book.execute("SELECT count(*) FROM grades").fetchone()[0] < 60


def test_it_is_said_once_that_no_workers_are_left_and_the_next_goes_on(cluster, job, monkeypatch):
    monkeypatch.setattr(dask, "LOOK", 0.01)  # looks many times before another worker is there
    said = queue.SimpleQueue()
    address = cluster.scheduler_address
    with dask.cluster(address, job, said.put) as engine, engine.start(1) as executor:
        cluster.scale(0)
        assert said.get(timeout=DEADLINE) == f"no workers left at {address}; waiting for one"
        future = executor.submit(os.getpid)
        cluster.scale(1)
        assert future.result(timeout=DEADLINE) != os.getpid()
        assert said.empty()


def test_a_worker_without_the_package(cluster, job):
    with distributed.Client(cluster, set_as_default=False) as client:
        client.run(lambda: sys.modules.update({"autograder": None}))
    with (
        pytest.raises(ValueError, match=r"Dask worker tcp://\S+ has no autograder .* install this one there"),
        dask.cluster(cluster.scheduler_address, job, print),
    ):
        pass


@pytest.mark.parametrize(
    "address, says",
    [
        ("tcp://127.0.0.1:9", "no Dask scheduler answers at tcp://127.0.0.1:9"),
        ("host", "--dask 'host' (missing port number"),
        ("", "--dask '' (missing port number"),
    ],
)
def test_nobody_at_the_address(tmp_path, address, says):
    lay(tmp_path / "class", 1)
    run = subprocess.run(
        command(tmp_path / "class", tmp_path / "out", "--dask", address, entry=("-c", IMPATIENT)),
        cwd=ROOT, capture_output=True, text=True,
    )  # fmt: skip
    assert run.returncode == 2
    assert says in run.stderr
    assert "Traceback" not in run.stderr
