"""Where chunks run: any `concurrent.futures.Executor`, and how it says that a worker of it was lost."""

from __future__ import annotations

import multiprocessing
import os
import signal
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import BrokenExecutor, Executor, Future, ProcessPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from types import TracebackType
from typing import Any

from ..sandbox.zygote import die_with_parent

STOPS = (signal.SIGINT, signal.SIGTERM)
MASKS = hasattr(signal, "pthread_sigmask")  # not on Windows


class NoWorkers(Exception):
    """Nothing is left to grade on; what has been graded is kept, and the message says what to do."""


@dataclass(frozen=True)
class Engine:
    """start: an executor of that many workers, anew after each loss; used as a context manager.
    lost: what a future, or submitting, raises when the worker that had the chunk is gone."""

    start: Callable[[int], Executor]
    workers: int
    lost: tuple[type[BaseException], ...] = (BrokenExecutor,)


def processes(jobs: int) -> Engine:
    """Processes on this machine, each with a zygote of its own."""
    context = multiprocessing.get_context("spawn")  # a fork would take this process's threads' locks along
    return Engine(lambda count: _Processes(count, context, _start, (os.getpid(),)), jobs)


def here() -> Engine:
    """This process, one chunk after the other."""
    return Engine(lambda _: _Here(), 1)


def _start(parent: int) -> None:
    die_with_parent(parent)
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the parent answers it and ends these
    if MASKS:
        signal.pthread_sigmask(signal.SIG_UNBLOCK, STOPS)


@contextmanager
def _unstopped() -> Iterator[None]:
    """What stops this process waits until the end of the block; what is started in it begins so."""
    if not MASKS or threading.current_thread() is not threading.main_thread():
        yield
        return
    before = signal.pthread_sigmask(signal.SIG_BLOCK, ())
    seen: list[int] = []  # another thread, such as that of a progress bar, takes what this one blocks
    handlers: dict[signal.Signals, Any] = {}
    try:
        for stop in STOPS:
            handlers[stop] = signal.getsignal(stop)
            signal.signal(stop, lambda number, _: seen.append(number))
        signal.pthread_sigmask(signal.SIG_BLOCK, STOPS)  # inherited by what is started
        yield
    finally:
        for stop, handler in handlers.items():
            signal.signal(stop, signal.SIG_DFL if handler is None else handler)
        signal.pthread_sigmask(signal.SIG_SETMASK, before)
        for number in seen[:1]:
            signal.raise_signal(number)


class _Processes(ProcessPoolExecutor):
    # All processes are there before the pool's thread watches them. Started one by one as they are needed,
    # one that ends early goes unseen, and one that starts while another is lost is awaited for ever.
    _safe_to_dynamically_spawn_children = property(lambda self: False, lambda self, value: None)

    def submit(self, fn: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Future[Any]:
        # The first call starts all processes. One that is stopped while it imports would print where, and one
        # that this process is stopped in the middle of starting would be ended by nobody.
        with _unstopped():
            future = super().submit(fn, *args, **kwargs)
        # Where processes are killed, the pool's thread ends each open future, and dies of a cancelled one;
        # this process then waits for ever. What is queued goes with the processes.
        future.cancel = lambda: False  # type: ignore[method-assign]
        return future

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> bool | None:
        if kind is not None:  # nobody waits for what is being graded now, which may take a minute
            for process in list((self._processes or {}).values()):
                process.kill()
        return super().__exit__(kind, error, trace)


class _Here(Executor):
    def submit(self, fn: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Future[Any]:
        future: Future[Any] = Future()
        try:
            future.set_result(fn(*args, **kwargs))
        except Exception as error:
            future.set_exception(error)
        return future
