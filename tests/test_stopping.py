"""Ctrl-C, SIGTERM and SIGKILL at any moment: a word, an exit code, no process and no file left."""

import os
import re
import shutil
import signal
import sqlite3
import subprocess
import sys
import threading
import time
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path

import pytest

from autograder.batch import processes

ROOT = Path(__file__).parents[1]
SAMPLES = ROOT / "tests" / "submissions"
SLOW = "fatima"  # loops until the time limit
CODES = {signal.SIGINT: 2, signal.SIGTERM: 143}

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="needs signals and the parent-death signal")

# A process that stops itself in the middle of its imports.
STOP = """
import os, sys
class Stop:
    def find_spec(self, name, path=None, target=None):
        if name == os.environ["STOP_AT"]:
            os.kill(os.getpid(), int(os.environ["STOP_BY"]))
sys.meta_path.insert(0, Stop())
"""

# A grader that is gone before its processes have imported what they need.
GONE = """
import os, signal, time
from autograder.batch import processes
with processes(2).start(2) as executor:
    executor.submit(time.sleep, 3600)
    os.kill(os.getpid(), signal.SIGKILL)
"""


def command(folder, out, *more):
    return [sys.executable, "-m", "autograder", "grade", str(folder), "--out", str(out), *more]


@pytest.mark.parametrize("by", CODES)
@pytest.mark.parametrize("at", ["click", "autograder.gradebook", "numpy.linalg", "autograder.cli.grade"])
def test_a_command_stopped_in_its_imports_says_so(at, by, tmp_path):
    (tmp_path / "sitecustomize.py").write_text(STOP, encoding="utf-8")
    told = {"PYTHONPATH": str(tmp_path), "STOP_AT": at, "STOP_BY": str(int(by))}
    done = subprocess.run(
        command(SAMPLES / "ada", tmp_path / "out"),
        cwd=ROOT,
        env=os.environ | told,
        capture_output=True,
        text=True,
    )
    assert (done.returncode, done.stdout, done.stderr.strip()) == (CODES[by], "", "stopped")


@pytest.mark.parametrize("by", CODES)
def test_a_stopped_run_keeps_its_grades_and_leaves_nothing_else(by, tmp_path):
    for path in sorted(SAMPLES.iterdir()):
        if path.name != SLOW:
            shutil.copytree(path, tmp_path / "class" / path.name)
    temporary = tmp_path / "temporary"
    temporary.mkdir()
    run = subprocess.Popen(
        command(tmp_path / "class", tmp_path / "out", "--jobs", "2"),
        cwd=ROOT,
        env=os.environ | {"TMPDIR": str(temporary)},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )
    for line in run.stderr:
        if re.match(r"graded \d+ of", line):
            break
    run.send_signal(by)
    said = run.communicate()[1]  # its end: every process that held it is gone
    assert (run.returncode, said.split()[-1], "Traceback" in said) == (CODES[by], "stopped", False)
    assert list(temporary.iterdir()) == []
    with sqlite3.connect(tmp_path / "out" / "gradebook.db") as book:
        assert book.execute("SELECT count(*) > 0 FROM grades").fetchone() == (1,)


def test_no_process_outlives_a_killed_grader():
    """Each of them holds this standard error, so that reading it ends with the last."""
    run = subprocess.Popen(
        [sys.executable, "-c", GONE], cwd=ROOT, stderr=subprocess.PIPE, start_new_session=True
    )
    try:
        run.communicate(timeout=60)
    except subprocess.TimeoutExpired:
        os.killpg(run.pid, signal.SIGKILL)
        raise
    assert run.returncode == -signal.SIGKILL


@pytest.mark.parametrize(("off", "code"), [(0, 0), (1, 1)])
def test_a_process_whose_parent_has_ended_ends_itself(off, code):
    call = f"from autograder.sandbox.zygote import die_with_parent; die_with_parent({os.getpid() + off})"
    assert subprocess.run([sys.executable, "-c", call], cwd=ROOT).returncode == code


def test_an_interrupt_is_nothing_to_a_process_that_is_being_started():
    with processes(1).start(1) as executor:
        first = executor.submit(os.getppid)
        for pid in list(executor._processes):
            os.kill(pid, signal.SIGINT)
        assert first.result() == os.getpid()
        assert executor.submit(signal.getsignal, signal.SIGINT).result() == signal.SIG_IGN
        assert executor.submit(signal.pthread_sigmask, signal.SIG_BLOCK, ()).result() == set()


@pytest.mark.parametrize("threads", [0, 1])
def test_nobody_is_stopped_in_the_middle_of_starting_processes(monkeypatch, threads):
    """Nor where another thread can take the signal."""
    seen = []

    def submit(*arguments):
        os.kill(os.getpid(), signal.SIGINT)
        for _ in range(100_000):  # in which it would be answered, whoever took it
            pass
        seen.append("started")

    monkeypatch.setattr(ProcessPoolExecutor, "submit", submit)
    done = threading.Event()
    others = [threading.Thread(target=done.wait) for _ in range(threads)]
    for other in others:
        other.start()
    try:
        with pytest.raises(KeyboardInterrupt), processes(1).start(1) as executor:
            executor.submit(time.sleep, 0)
    finally:
        done.set()
        for other in others:
            other.join()
    assert seen == ["started"]
