"""The trusted end of the wall: starts a zygote, asks it for workers, speaks to them with deadlines."""

from __future__ import annotations

import os
import secrets
import signal
import socket
import struct
import subprocess
import sys
import time
from dataclasses import dataclass
from pathlib import Path

from . import wire
from .levels import LEVELS, offered
from .lockdown import LockdownError
from .zygote import ANSWER, FORK, KILL, READY, REQUEST

START = (
    "import sys; sys.path.insert(0, sys.argv[1]); from sandbox import zygote; "
    "del sys.path[0]; arguments = sys.argv[2:]; del sys.argv[1:]; zygote.start(arguments)"
)
NOBODY = 65534
CANARY = os.devnull  # anyone may open it; a worker must fail to, before it is trusted with a submission


class IsolationError(Exception):
    """The required isolation is not to be had here; the message says what failed."""


class ZygoteFault(Exception):
    """The zygote or its control channel broke: the grader's fault, never the student's."""


class Stopped(Exception):
    """A worker ended or was ended before it replied."""

    def __init__(self, verdict: str, detail: str):
        super().__init__(detail)
        self.verdict = verdict  # timeout, memory, crash, tampering
        self.detail = detail


@dataclass(frozen=True)
class Proof:
    """One item of a worker's self-test."""

    item: str
    holds: bool
    detail: str


class Zygote:
    """A running zygote. Use as a context manager; one thread at a time."""

    def __init__(self, level: str, *, memory_mib: int = 1024, cpu_seconds: int = 60):
        if level not in LEVELS:
            raise ValueError(f"no isolation level {level!r}; there are {', '.join(LEVELS)}")
        self.level = level
        self.cpu_seconds_spent = 0.0  # of all workers reaped so far
        self.workers_lost = 0  # that ended before a reply
        self.uid = NOBODY if hasattr(os, "geteuid") and os.geteuid() == 0 else -1
        ours, theirs = socket.socketpair()
        self._control = ours
        with theirs:
            self._process = subprocess.Popen(
                [
                    sys.executable, "-I", "-B", "-c", START, str(Path(__file__).parent.parent),
                    str(theirs.fileno()), level, str(memory_mib << 20), str(cpu_seconds), str(self.uid),
                    CANARY,
                ],
                pass_fds=[theirs.fileno()],
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.PIPE,
                env={"OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1", "MKL_NUM_THREADS": "1", **_kept()},
                cwd="/",
                start_new_session=True,  # an interrupt from the terminal is the grader's to answer
            )  # fmt: skip
        ours.settimeout(60.0)
        try:
            threads, denied = READY.unpack(ours.recv(READY.size, socket.MSG_WAITALL))
        except (OSError, struct.error) as error:
            errors = self._process.communicate()[1].decode("utf-8", "replace").strip()
            self.close()
            raise ZygoteFault(f"the zygote did not start: {errors[-500:] or error}") from error
        if denied:
            self.close()
            raise IsolationError(str(LockdownError("namespaces", denied)))
        if threads != 1:
            self.close()
            raise IsolationError(f"NumPy started {threads} threads in the zygote; one was expected")

    @property
    def pid(self) -> int:
        return self._process.pid

    def worker(self) -> Worker:
        """A fresh worker, locked in and proved. Raises IsolationError or ZygoteFault."""
        ours, theirs = socket.socketpair()
        with theirs:
            pid = self._ask(FORK, theirs)
        if pid < 0:
            ours.close()
            raise ZygoteFault(f"no worker could be forked: {os.strerror(-pid)}")
        worker = Worker(self, ours, pid)
        try:
            worker.prove()
        except BaseException:
            worker.close()
            raise
        return worker

    def kill(self, pid: int) -> int:
        """Kill and reap a worker; its wait status."""
        return self._ask(KILL, pid=pid)

    def _ask(self, operation: int, channel: socket.socket | None = None, pid: int = 0) -> int:
        try:
            packet = REQUEST.pack(operation, pid)
            if channel is None:
                self._control.send(packet)
            else:
                socket.send_fds(self._control, [packet], [channel.fileno()])
            pid, status, spent = ANSWER.unpack(self._control.recv(ANSWER.size, socket.MSG_WAITALL))
        except (OSError, struct.error) as error:
            raise ZygoteFault(f"the zygote is gone: {error}") from error
        self.cpu_seconds_spent += spent
        return status if operation == KILL else pid

    def close(self) -> None:
        self._control.close()
        if self._process.stderr:
            self._process.stderr.close()
        self._process.kill()
        self._process.wait()

    def __enter__(self) -> Zygote:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()


def _kept() -> dict[str, str]:
    """What the zygote keeps of the environment: settings of the BLAS, which change results, and no more."""
    return {k: v for k, v in os.environ.items() if k.startswith(("OPENBLAS_CORETYPE", "OPENBLAS_L2", "NPVL"))}


class Worker:
    """A locked-in process that holds one submission. Every reply is untrusted."""

    def __init__(self, zygote: Zygote, channel: socket.socket, pid: int):
        self.zygote = zygote
        self.pid = pid
        self._channel: socket.socket | None = channel
        self.proofs: tuple[Proof, ...] = ()

    def prove(self) -> None:
        """Take the self-test's result, which arrives before any byte of a submission is sent."""
        try:
            kind, _, payload = wire.receive(self._open(), time.monotonic() + 30.0, cap=1 << 16)
            items = wire.decode(payload)
            if kind != wire.HELLO:
                raise wire.WireError("the worker did not begin with its self-test")
            self.proofs = tuple(Proof(str(i), bool(ok), str(d)) for i, ok, d in items)
        except (wire.WireError, TypeError, ValueError) as error:
            raise ZygoteFault(f"a worker did not come up: {error}") from error
        failed = [p for p in self.proofs if not p.holds]
        if failed:
            raise IsolationError("; ".join(f"{p.item}: {p.detail}" for p in failed))

    def request(self, kind: int, payload: bytes, seconds: float) -> object:
        """Send one frame and take its reply. Raises Stopped; the worker is then dead."""
        frame_id = secrets.token_bytes(16)
        deadline = time.monotonic() + seconds
        channel = self._open()
        try:
            channel.settimeout(seconds)
            wire.send(channel, kind, frame_id, payload)
            answered, echoed, reply = wire.receive(channel, deadline)
            if answered != wire.REPLY or echoed != frame_id:
                raise wire.WireError("a reply that nobody asked for")
            return wire.decode(reply)
        except wire.Deadline:
            self.close()
            raise Stopped("timeout", f"no answer within {seconds:g} s") from None
        except wire.Closed:
            raise self._ended() from None
        except wire.WireError as error:
            self.close()
            raise Stopped("tampering", str(error)) from None

    def _ended(self) -> Stopped:
        self.zygote.workers_lost += 1
        status = self.close()
        if os.WIFSIGNALED(status):
            number = os.WTERMSIG(status)
            if number == signal.SIGXCPU:
                return Stopped("timeout", "the processor time ran out")
            # SIGKILL is ours, sent because the channel had closed: nothing more is known.
            name = f"signal {number}" if number != signal.SIGKILL else "a closed channel"
            return Stopped("crash", f"the process ended before its reply ({name})")
        return Stopped("crash", f"the process left before its reply (exit {os.WEXITSTATUS(status)})")

    def _open(self) -> socket.socket:
        if self._channel is None:
            raise ZygoteFault("this worker has been closed")
        return self._channel

    def close(self) -> int:
        """Kill the worker; its wait status (0 when it was closed before)."""
        if self._channel is None:
            return 0
        channel, self._channel = self._channel, None
        with channel:  # closed behind the kill: a worker that saw it would wake up to leave by itself
            return self.zygote.kill(self.pid)


def proved(level: str) -> tuple[Proof, ...]:
    """What a worker at `level` proves here. Raises IsolationError where it cannot, ZygoteFault."""
    with Zygote(level) as zygote:
        worker = zygote.worker()
        worker.close()
        return worker.proofs


def strongest() -> str | None:
    """The strongest level that a worker proves here, if any."""
    for level in offered():
        try:
            proved(level)
        except (IsolationError, ZygoteFault):
            continue
        return level
    return None
