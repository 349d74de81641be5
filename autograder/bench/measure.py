"""What a whole command costs: wall and CPU time of all its processes, and the largest memory of one."""

from __future__ import annotations

import ctypes
import os
import resource
import subprocess
import sys
import time
from dataclasses import dataclass
from pathlib import Path
from statistics import median

PR_SET_CHILD_SUBREAPER = 36

# Runs the command in a process that writes its own peak down as it ends.
_PEAK = """
import atexit, resource, sys
where = sys.argv.pop(1)
def peak():
    with open(where, "w") as file:
        file.write(str(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss))
atexit.register(peak)
sys.argv[0] = "autograder"
if __name__ == "__main__":
    from autograder.cli import main
    main()
"""


@dataclass(frozen=True)
class Cost:
    """wall, cpu: seconds. largest: MiB of the largest process. own: MiB of the command's own process."""

    wall: float
    cpu: float
    largest: float
    own: float = 0.0


def adopt() -> None:
    """Let processes whose parent has ended come to this one, so that their time is counted too."""
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)


def cost(command: list[str], cwd: Path, *, allowed: tuple[int, ...] = (0,)) -> Cost:
    """Of a command and all processes it starts. Raises SystemExit where it ends otherwise than allowed."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    began = time.perf_counter()
    path = f"{Path(command[0]).parent}{os.pathsep}{os.environ.get('PATH', '')}"  # tools call their neighbours
    process = subprocess.Popen(
        command,
        cwd=cwd,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        env={**os.environ, "PATH": path},
    )
    assert process.stdout is not None
    said = process.stdout.read()
    _, status, usage = os.wait4(process.pid, 0)
    wall = time.perf_counter() - began
    process.returncode = os.waitstatus_to_exitcode(status)
    while _reaped():
        pass
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    if process.returncode not in allowed:
        raise SystemExit(f"{' '.join(command)} ended with {process.returncode}:\n{said.decode()[-2000:]}")
    cpu = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return Cost(wall, cpu, usage.ru_maxrss / 1024)


def _reaped() -> bool:
    try:
        os.waitpid(-1, 0)
    except ChildProcessError:
        return False
    return True


def grading(arguments: list[str], cwd: Path, folder: Path) -> Cost:
    """Of `autograder` with these arguments; `folder` is for notes of this module."""
    note = folder / "peak"
    found = cost([sys.executable, "-c", _PEAK, str(note), *arguments], cwd)
    return Cost(found.wall, found.cpu, found.largest, int(note.read_text()) / 1024)


def medians(costs: list[Cost]) -> Cost:
    """The median of each figure by itself."""
    return Cost(
        median(c.wall for c in costs),
        median(c.cpu for c in costs),
        median(c.largest for c in costs),
        median(c.own for c in costs),
    )
