"""Where the command begins and ends: what stops it is answered from here on, in the imports too."""

from __future__ import annotations

import signal
import sys
from types import FrameType

STOPPED, TERMINATED = 2, 128 + signal.SIGTERM  # exit codes of Ctrl-C and, as a shell gives it, of SIGTERM


class Terminated(KeyboardInterrupt):
    """SIGTERM, which stops the command as Ctrl-C does."""


def main() -> None:
    """The command. Leaves with an exit code, in words where it was stopped."""
    try:
        # A process that is the first of a container ignores SIGTERM unless it asks for it.
        signal.signal(signal.SIGTERM, _terminate)
        from autograder.cli.main import run

        code = run()
    except KeyboardInterrupt as stop:
        code = stopped(stop)
    sys.exit(code)


def stopped(stop: BaseException | None) -> int:
    """Say so; the exit code."""
    print("stopped", file=sys.stderr)
    return TERMINATED if isinstance(stop, Terminated) else STOPPED


def _terminate(number: int, frame: FrameType | None) -> None:
    raise Terminated
