"""The trusted end of the wall: starts a zygote, asks it for workers, speaks to them with deadlines."""

from __future__ import annotations

import os
import secrets
import socket
import struct
import subprocess
import sys
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from . import ONE_THREAD, wire
from .levels import LEVELS, offered
from .lockdown import LockdownError
from .zygote import ANSWER, FORK, KILL, READY, REQUEST

START = (
    "import sys; sys.path.insert(0, sys.argv[1]); from sandbox import zygote; "
    "del sys.path[0]; entry, *arguments = sys.argv[2:]; del sys.argv[1:]; getattr(zygote, entry)(arguments)"
)
NOBODY = 65534
SIGKILL, SIGXCPU = 9, 24  # Windows has no names for them
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
        self.settings = [level, memory_mib << 20, cpu_seconds, self.uid, CANARY]
        self._begin()

    def _begin(self) -> None:
        ours, theirs = socket.socketpair()
        self._control = ours
        with theirs:
            fd = theirs.fileno()
            self._process = python("start", fd, os.getpid(), *self.settings, pass_fds=[fd])
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
        """Kill and reap a worker; its exit code, or -N where signal N ended it."""
        return os.waitstatus_to_exitcode(self._ask(KILL, pid=pid))

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
        if operation == KILL and pid < 0:
            raise IsolationError(f"end a worker: {os.strerror(-pid)}; the grader may not signal other users")
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


# What the zygote keeps of the environment: settings of the BLAS, which change results, and the one
# variable that Windows needs to start anything.
KEPT = ("OPENBLAS_CORETYPE", "OPENBLAS_L2", "NPVL", "SYSTEMROOT")
# Arrays come in pages of 2 MB where Linux has them, and the heap is longer by two of these than what is in
# use (in bytes): hundreds of page faults less a worker.
LARGE_PAGES = {"GLIBC_TUNABLES": f"glibc.malloc.hugetlb=1:glibc.malloc.top_pad={4 << 20}"}


def python(entry: str, *arguments: object, **options: Any) -> subprocess.Popen[bytes]:
    """A clean interpreter that calls `entry` of the module `zygote`."""
    command = [sys.executable, "-I", "-B", "-c", START, Path(__file__).parent.parent, entry, *arguments]
    return subprocess.Popen(
        [str(word) for word in command],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        env=ONE_THREAD | LARGE_PAGES | {k: v for k, v in os.environ.items() if k.startswith(KEPT)},
        cwd="/",
        start_new_session=True,  # an interrupt from the terminal is the grader's to answer
        **options,
    )


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
        code = self.close()
        if code < 0:
            if -code == SIGXCPU:
                return Stopped("timeout", "the processor time ran out")
            # SIGKILL is ours, sent because the channel had closed: nothing more is known.
            name = f"signal {-code}" if -code != SIGKILL else "a closed channel"
            return Stopped("crash", f"the process ended before its reply ({name})")
        return Stopped("crash", f"the process left before its reply (exit {code})")

    def _open(self) -> socket.socket:
        if self._channel is None:
            raise ZygoteFault("this worker has been closed")
        return self._channel

    def close(self) -> int:
        """Kill the worker; its exit code as of `Zygote.kill` (0 when it was closed before)."""
        if self._channel is None:
            return 0
        channel, self._channel = self._channel, None
        with channel:  # closed behind the kill: a worker that saw it would wake up to leave by itself
            return self.zygote.kill(self.pid)


def starter() -> type[Zygote]:
    """What starts workers on this platform. macOS can fork, but its own BLAS need not survive that."""
    if sys.platform == "linux":
        return Zygote
    from .spawned import Spawner

    return Spawner


def proved(level: str) -> tuple[Proof, ...]:
    """What a worker at `level` proves here. Raises IsolationError where it cannot, ZygoteFault."""
    with starter()(level) as zygote:
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
