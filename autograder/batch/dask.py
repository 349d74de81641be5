"""Grading on the workers of a Dask cluster. Each is trusted as the machine that runs the grader is."""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import CancelledError, Executor
from contextlib import contextmanager
from typing import TYPE_CHECKING

from ..grade.grader import grader_digest
from .engine import Engine
from .job import Job

if TYPE_CHECKING:
    from distributed import Client


@contextmanager
def cluster(address: str, job: Job) -> Iterator[Engine]:
    """An engine on the cluster whose scheduler is at `address`.

    Raises ValueError when Dask is not installed, nobody answers there, the cluster has no workers, or one of
    them has another autograder.
    """
    try:
        from distributed import Client, KilledWorker
    except ImportError:
        raise ValueError("--dask needs Dask; install it with `pip install 'autograder[dask]'`") from None
    try:
        client = Client(address, timeout=20, set_as_default=False)
    except (OSError, ValueError, TimeoutError) as error:
        raise ValueError(f"no Dask scheduler answers at {address} ({error})") from None
    with client:
        workers = sum(client.nthreads().values())
        if not workers:
            raise ValueError(f"the Dask cluster at {address} has no workers; start some, then grade again")
        for worker, digest in client.run(grader_digest).items():
            if digest != job.grader_digest:
                raise ValueError(f"the Dask worker {worker} has another autograder; install this one there")
        # A task whose worker is lost goes to another, by Dask itself; after several it raises KilledWorker.
        yield Engine(lambda _: _executor(client), workers, (KilledWorker, CancelledError))


def _executor(client: Client) -> Executor:
    executor: Executor = client.get_executor(pure=False, retries=0)
    return executor
