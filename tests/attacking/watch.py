"""Runs a command and says what it leaves running: `python watch.py REPORT SECONDS COMMAND...`.

Becomes the parent of every orphan below it, so that nothing which outlives the command goes unseen.
REPORT is JSON: the exit code (None past the time limit) and the command lines of what is left.
"""

import ctypes
import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

PR_SET_CHILD_SUBREAPER = 36
GRACE = 10.0  # seconds for what has been killed to be gone


def children() -> dict[int, str]:
    """Command lines of the processes whose parent this is."""
    found = {}
    for path in Path("/proc").glob("[0-9]*"):
        try:
            parent = (path / "stat").read_text().rpartition(")")[2].split()[1]
            if int(parent) == os.getpid():
                found[int(path.name)] = (path / "cmdline").read_bytes().replace(b"\0", b" ").decode()[:200]
        except OSError:  # it has just ended
            pass
    return found


def left() -> list[str]:
    """Command lines of children that are still there after `GRACE` seconds; they are then killed."""
    signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGCHLD})
    deadline = time.monotonic() + GRACE
    while time.monotonic() < deadline:
        try:
            while os.waitpid(-1, os.WNOHANG)[0]:
                pass
        except ChildProcessError:
            return []
        signal.sigtimedwait({signal.SIGCHLD}, 0.5)
    found = children()
    for pid in found:
        os.kill(pid, signal.SIGKILL)
    return list(found.values())


def main(report: str, seconds: str, *command: str) -> None:
    if ctypes.CDLL(None).prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0):
        raise OSError("the orphans of the command cannot be watched")
    try:
        code = subprocess.run(
            command, stdin=subprocess.DEVNULL, timeout=float(seconds), check=False
        ).returncode
    except subprocess.TimeoutExpired:
        code = None
    Path(report).write_text(json.dumps({"code": code, "left": left()}))


main(*sys.argv[1:])
