"""What a whole command costs: wall and CPU time of all its processes, and the largest memory of one."""

from __future__ import annotations

import ctypes
import json
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


def cost(command: list[str], cwd: Path, *, allowed: tuple[int, ...] = (0,)) -> Cost:
    """Of a command and all processes it starts. Raises SystemExit where it ends otherwise than allowed.

    It is started by a small process of its own: Linux counts what the parent had used as memory of the child.
    """
    path = f"{Path(command[0]).parent}{os.pathsep}{os.environ.get('PATH', '')}"  # tools call their neighbours
    done = subprocess.run(
        [sys.executable, "-I", "-S", __file__, *command],
        cwd=cwd,
        stdout=subprocess.PIPE,
        env={**os.environ, "PATH": path},
        check=True,
    )
    found = json.loads(done.stdout)
    if found["code"] not in allowed:
        raise SystemExit(f"{' '.join(command)} ended with {found['code']}:\n{found['said'][-2000:]}")
    return Cost(found["wall"], found["cpu"], found["largest"])


def _run(command: list[str]) -> dict[str, float | str]:
    if sys.platform == "linux":  # processes whose parent has ended come to this one, and are counted too
        ctypes.CDLL(None).prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)
    began = time.perf_counter()
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    assert process.stdout is not None
    said = process.stdout.read()
    _, status, usage = os.wait4(process.pid, 0)
    wall = time.perf_counter() - began
    while _reaped():
        pass
    spent = resource.getrusage(resource.RUSAGE_CHILDREN)
    return {
        "wall": wall, "cpu": spent.ru_utime + spent.ru_stime, "largest": usage.ru_maxrss / 1024,
        "code": os.waitstatus_to_exitcode(status), "said": said.decode(errors="replace"),
    }  # fmt: skip


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


if __name__ == "__main__":
    print(json.dumps(_run(sys.argv[1:])))
