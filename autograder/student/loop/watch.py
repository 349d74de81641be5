"""The same report after every save.

A file is taken as saved when its content differs: no notices of the file system are needed, which network
mounts do not send, and times are not compared, which they round.
"""

import hashlib
import os
import select
import sys
import time

from . import hints, report
from .facts import FOLDER, remember
from .results import Run

POLL = 0.2  # seconds between two looks at the file
BUSY = 0.02  # seconds between two looks at a run
KEYS = "h hint, l list, n next failure, q quit"


class Keys:
    """Single keys from a terminal, without Enter; none when standard input is something else."""

    def __init__(self):
        self.terminal = sys.stdin is not None and sys.stdin.isatty()
        self._before = None

    def __enter__(self):
        if self.terminal and os.name == "posix":
            import termios
            import tty

            self._before = termios.tcgetattr(sys.stdin)
            tty.setcbreak(sys.stdin)
        return self

    def __exit__(self, *error):
        if self._before is not None:
            import termios

            termios.tcsetattr(sys.stdin, termios.TCSADRAIN, self._before)

    def get(self, seconds):
        """The next key, or "" after so many seconds."""
        if self._before is not None:
            if select.select([sys.stdin], [], [], seconds)[0]:
                return (
                    os.read(sys.stdin.fileno(), 1).decode("ascii", "replace") or "q"
                )  # the terminal is gone
            return ""
        if self.terminal:
            import msvcrt

            if msvcrt.kbhit():
                return msvcrt.getwch()
        time.sleep(seconds)
        return ""


def fingerprint(path):
    """What tells one state of the file from another; None while it is not there, as amid a save."""
    try:
        return hashlib.sha256(path.read_bytes()).digest()
    except OSError:
        return None


def watch(screen, facts):
    """Check now and after each save, until q. Returns the exit code."""
    path = FOLDER / facts["file"]
    seen = run = results = None
    at = 0  # which failure was shown last
    with Keys() as keys:
        screen.line(f"Watching {facts['file']}: {KEYS if keys.terminal else 'Ctrl-C ends it'}.")
        if fingerprint(path) is None:
            screen.line(f"{facts['file']} is not beside check.py; waiting for it.")
        try:
            while True:
                now = fingerprint(path)
                if now is not None and now != seen:
                    if run:
                        run.stop()
                    if seen is not None:
                        screen.line("-" * (screen.width - 1))
                    seen, run, at = now, Run(facts), 0
                key = keys.get(BUSY if run else POLL)
                if run and run.done():
                    results, run = run.results(), None
                    report.whole(screen, results, remember()["tasks"])
                    if not results.problem:
                        remember(tasks=results.states())
                    prompt(screen, keys)
                if key == "q":
                    return 0
                if key and results and not run and not results.problem:
                    at = answer(screen, results, key, at)
                    prompt(screen, keys)
        finally:
            if run:
                run.stop()


def prompt(screen, keys):
    if keys.terminal:
        screen.line(f"({KEYS})")


def answer(screen, results, key, at):
    """Do what a key asks for; which failure was shown last."""
    if key == "l":
        report.listing(screen, results)
    elif key == "h" and results.current():
        hints.hint(screen, results, results.current())
    elif key == "h" and results.failed:
        screen.line("There is no hint for this one: mend it first.")
    elif key == "h":
        screen.line("Nothing to hint at: no task fails.")
    elif key == "n" and results.failed:
        at = (at + 1) % len(results.failed)
        screen.line(f"Failure {at + 1} of {len(results.failed)}:")
        report.failure(screen, results, results.failed[at])
    elif key == "n":
        screen.line("There is no failure.")
    return at
