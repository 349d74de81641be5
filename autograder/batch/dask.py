"""Grading on the workers of a Dask cluster. Each is trusted as the machine that runs the grader is."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator
from concurrent.futures import CancelledError, Executor, Future
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING, Any

from ..grade.grader import grader_digest
from .engine import Engine, NoWorkers
from .job import Job

if TYPE_CHECKING:
    from distributed import Client

PATIENCE = 20.0  # seconds for which a scheduler may not answer: at the start, and once it was lost
LOOK = 1.0  # seconds between two looks at how many workers there are


@contextmanager
def cluster(address: str, job: Job, say: Callable[[str], object]) -> Iterator[Engine]:
    """An engine on the cluster whose scheduler is at `address`; its executors raise NoWorkers.

    say: takes a line for a person, when no workers are left.

    Raises ValueError when Dask is not installed, nobody answers there, the cluster has no workers, or one of
    them has no autograder or another one.
    """
    import asyncio  # takes a while, and grading without Dask has no use for it

    try:
        from distributed import Client, KilledWorker
        from distributed.comm.addressing import get_address_host_port
    except ImportError:
        raise ValueError("--dask needs Dask; install it with `pip install 'autograder[dask]'`") from None
    try:
        get_address_host_port(address)  # a client that cannot read its address does not close either
    except ValueError as error:
        raise ValueError(f"--dask {address!r} ({error}); give one such as tcp://host:8786") from None
    try:
        client = Client(address, timeout=PATIENCE, set_as_default=False)
    except (OSError, ValueError, TimeoutError) as error:
        raise ValueError(f"no Dask scheduler answers at {address} ({error})") from None
    with client:
        workers = sum(client.nthreads().values())
        if not workers:
            raise ValueError(f"the Dask cluster at {address} has no workers; start some, then grade again")
        for worker, digest in client.run(grader_digest, on_error="return").items():
            if isinstance(digest, Exception):
                raise ValueError(
                    f"the Dask worker {worker} has no autograder that runs ({digest}); install this one there"
                )
            if digest != job.grader_digest:
                raise ValueError(f"the Dask worker {worker} has another autograder; install this one there")
        loop: Any = client.loop
        watch = asyncio.run_coroutine_threadsafe(_watch(client, address, say), loop.asyncio_loop)
        try:
            # A task whose worker is lost goes to another, by Dask itself; after several that is KilledWorker.
            yield Engine(lambda _: _Tasks(client, address), workers, (KilledWorker, CancelledError))
        finally:
            watch.cancel()
            # Closed while it looks for a lost scheduler, a client logs a traceback.
            logging.getLogger("distributed.client").setLevel(logging.CRITICAL)


class _Tasks(Executor):
    """Dask's executor, with an end: once its client has given the scheduler up, nothing can be submitted.

    Dask cancels what it had submitted when it loses the scheduler, and what it took since when it gives up.
    The end of this executor waits for nothing: Dask's own would wait for what no scheduler can answer.
    """

    def __init__(self, client: Client, address: str) -> None:
        self._client, self._address = client, address
        self._executor: Executor = client.get_executor(pure=False, retries=0)

    def submit(self, fn: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Future[Any]:
        try:
            future = self._executor.submit(fn, *args, **kwargs)
        except Exception:
            if self._lives():
                raise
        # After submitting: what a client takes while it closes never ends.
        if not self._lives():
            raise NoWorkers(
                f"the Dask scheduler at {self._address} is gone; finished grades are kept. "
                "Start it again, then give the same command again"
            )
        return future

    def _lives(self) -> bool:
        return self._client.status in ("running", "connecting")


async def _watch(client: Client, address: str, say: Callable[[str], object]) -> None:
    """Say it, once each time, when no workers are left: Dask waits for one without a word."""
    import asyncio

    left = True
    while True:
        with suppress(Exception):  # a scheduler that does not answer; whoever submits hears of it
            before, left = left, bool(await client.nthreads())
            if before and not left:
                say(f"no workers left at {address}; waiting for one")
        await asyncio.sleep(LOOK)
