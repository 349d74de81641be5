"""Whatever dies in the middle of a run, the next run ends with the bytes of an undisturbed one.

Each trial draws from its seed who is ended and when: the command itself, one of its graders, a zygote, a
worker, or the disk's free space. Seeds 0 to 4 are in `make test`, 50 seeds in `make sweep`.
"""

import os
import random
import shutil
import signal
import sqlite3
import subprocess
import sys
import time
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
SAMPLES = ROOT / "tests" / "submissions"
SLOW = "fatima"  # loops until the time limit
COUNT = 10
VICTIMS = ("command", "grader", "zygote", "worker", "disk")
QUICK = range(len(VICTIMS))
SWEEP = range(len(VICTIMS), 50)

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="finds its victims in /proc")


def command(folder, out):
    return [
        sys.executable,
        "-m",
        "autograder",
        "grade",
        str(folder),
        "--out",
        str(out),
        "--jobs",
        "2",
        "--no-diagnosis",
    ]


def run(folder, out):
    done = subprocess.run(command(folder, out), cwd=ROOT, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return done


def kept(out):
    """Every file of a run, and every row of its gradebook but for its number."""
    files = {path.name: path.read_bytes() for path in [*(out / "grades").iterdir(), out / "grades.csv"]}
    with sqlite3.connect(out / "gradebook.db") as book:
        columns = [row[1] for row in book.execute("PRAGMA table_info(grades)") if row[1] != "id"]
        rows = book.execute(f"SELECT {', '.join(columns)} FROM grades ORDER BY student, attempt").fetchall()
        sources = book.execute("SELECT * FROM sources ORDER BY digest").fetchall()
    return files, rows, sources


@pytest.fixture(scope="module")
def undisturbed(tmp_path_factory):
    """(the class, what a run over it leaves, how long it takes)."""
    base = tmp_path_factory.mktemp("undisturbed")
    names = [path.name for path in sorted(SAMPLES.iterdir()) if path.name != SLOW]
    for name in names[:COUNT]:
        shutil.copytree(SAMPLES / name, base / "class" / name)
    began = time.monotonic()
    run(base / "class", base / "out")
    files, rows, sources = kept(base / "out")
    assert len(rows) == COUNT
    return base / "class", (files, rows, sources), time.monotonic() - began


def children(pid):
    """Pids of all processes below one, each with its kind."""
    parents, found = {}, {}
    for entry in Path("/proc").iterdir():
        try:
            if entry.name.isdigit():
                stat = (entry / "stat").read_text()
                parents[int(entry.name)] = int(stat.rpartition(")")[2].split()[1])
        except OSError:
            continue  # it has just ended
    for child in parents.keys() - {pid}:
        line, above = [], child
        while above not in (0, pid) and len(line) < 9:
            line.append(above)
            above = parents.get(above, 0)
        if above == pid:
            found[child] = _kind(line)
    return found


def _kind(line):
    """From a process up to the command's own child."""
    commands = []
    for pid in line:
        try:
            commands.append(Path(f"/proc/{pid}/cmdline").read_bytes())
        except OSError:
            commands.append(b"")
    if b"zygote" in commands[0]:
        return "worker" if any(b"zygote" in c for c in commands[1:]) else "zygote"
    return "grader" if b"spawn_main" in commands[0] else "other"


def disturb(process, victim, chance, after):
    """End the victim once `after` seconds are over and there is one; whether it could be done."""
    try:
        process.wait(after)
    except subprocess.TimeoutExpired:
        pass
    while process.poll() is None:
        if victim == "command":
            process.kill()
            return True
        pids = sorted(pid for pid, kind in children(process.pid).items() if kind == victim)
        if pids:
            try:
                os.kill(chance.choice(pids), signal.SIGKILL)
                return True
            except ProcessLookupError:
                pass
    return False


def trial(seed, undisturbed, tmp_path):
    folder, expected, seconds = undisturbed
    chance = random.Random(seed)
    victim = VICTIMS[seed % len(VICTIMS)]
    out = tmp_path / "out"
    if victim == "disk":
        full_disk(folder, out, chance)
    else:
        hit, after = False, chance.uniform(0.0, 0.9) * seconds
        while not hit:  # the run was faster this time: anew, and earlier
            shutil.rmtree(out, ignore_errors=True)
            process = subprocess.Popen(
                command(folder, out), cwd=ROOT, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
            )
            hit = disturb(process, victim, chance, after)
            after /= 2
            code = process.wait()
        if victim != "command":
            assert code == 0  # it went on by itself
            assert kept(out) == expected
    if out.exists() and chance.random() < 0.5:
        damage(out, chance)
    run(folder, out)
    assert kept(out) == expected


def damage(out, chance):
    """One result, cut short."""
    for path in sorted((out / "grades").glob("*.json"))[:1]:
        path.write_bytes(path.read_bytes()[: chance.randrange(40)])


def full_disk(folder, out, chance):
    """A run whose results go to a disk that fills up; afterwards it is large enough."""
    out.mkdir()
    size = f"size={chance.randrange(120, 400)}k"
    if subprocess.run(["mount", "-t", "tmpfs", "-o", size, "tmpfs", out], capture_output=True).returncode:
        pytest.skip("a small disk needs the right to mount one")
    try:
        done = subprocess.run(command(folder, out), cwd=ROOT, capture_output=True, text=True)
        assert done.returncode == 3, done.stderr
        last = done.stderr.splitlines()[-1]
        assert "disk is full" in last or "No space left" in last, done.stderr
        assert "Traceback" not in done.stderr
        shutil.copytree(out, out.with_name("saved"))
    finally:
        subprocess.run(["umount", out], check=True)
    out.rmdir()
    out.with_name("saved").rename(out)


@pytest.mark.parametrize("seed", QUICK)
def test_a_disturbed_run_costs_nothing(seed, undisturbed, tmp_path):
    trial(seed, undisturbed, tmp_path)


@pytest.mark.sweep
@pytest.mark.parametrize("seed", SWEEP)
def test_fifty_disturbed_runs_cost_nothing(seed, undisturbed, tmp_path):
    trial(seed, undisturbed, tmp_path)
