"""Chunks out, grades in, at most a few chunks at once; a lost worker's chunks are graded again."""

from __future__ import annotations

from collections.abc import Generator, Iterable, Iterator
from concurrent.futures import FIRST_COMPLETED, Executor, Future, wait
from itertools import groupby

from ..grade.model import Grade
from .engine import Engine, NoWorkers
from .job import Job, Work
from .worker import fault_of, grade_chunk

CHUNK = 25  # amortises what a chunk costs (about a millisecond) and still ends evenly
AHEAD = 2  # chunks for each worker: the next is there when one is done, and memory stays bounded
LIVES = 3  # workers that may be lost on one submission, alone in its chunk, before that is called its fault

Graded = tuple[Work, Grade]


def chunk_size(count: int, workers: int) -> int:
    """Submissions a chunk: at most CHUNK, and at least four chunks for each worker where there are enough."""
    return max(1, min(CHUNK, count // (4 * workers))) if workers > 1 else 1


def grade_all(
    job: Job, work: Iterable[Work], engine: Engine, chunk: int = 1
) -> Generator[Graded, None, None]:
    """Each item with its grade, as they come, each exactly once.

    Raises IsolationError when the level is not to be had, NoWorkers, and what making a grader raises.
    """
    chunks = _batched(work, chunk)
    broken = True
    while broken:
        with engine.start(engine.workers) as executor:
            lost, broken = yield from _drain(job, chunks, engine, executor)
        yield from _alone(job, lost, engine)


def _drain(
    job: Job, chunks: Iterator[list[Work]], engine: Engine, executor: Executor
) -> Generator[Graded, None, tuple[list[Work], bool]]:
    """Grade until nothing is left or the executor is broken; (the items of lost chunks, whether it is)."""
    flying: dict[Future[list[str]], list[Work]] = {}
    lost: list[Work] = []
    broken = False
    try:
        while True:
            while not broken and len(flying) < AHEAD * engine.workers and (items := next(chunks, None)):
                try:
                    flying[executor.submit(grade_chunk, job, items)] = items
                except engine.lost:
                    lost += items
                    broken = True
            if not flying:
                return lost, broken
            for future in wait(flying, return_when=FIRST_COMPLETED).done:
                items = flying.pop(future)
                try:
                    texts = future.result()
                except engine.lost:
                    lost += items
                else:
                    yield from zip(items, map(Grade.model_validate_json, texts), strict=True)
    finally:
        for future in flying:  # none are left unless this run ends early
            future.cancel()


def _alone(job: Job, items: list[Work], engine: Engine) -> Iterator[Graded]:
    """Items of which one may have ended its worker: one at a time, so that it is known which."""
    losses = 0
    while items:
        with engine.start(1) as executor:
            while items:
                try:
                    text = _one(executor, job, items[0], losses)
                except engine.lost:
                    losses += 1
                    if losses > 2 * LIVES:  # also those that had only to say that there is no grade
                        raise NoWorkers(
                            f"{losses} workers in a row ended before they answered; finished grades are "
                            "kept. Look at the memory that there is, then grade again with fewer --jobs"
                        ) from None
                    break
                losses = 0
                yield items.pop(0), Grade.model_validate_json(text)


def _one(executor: Executor, job: Job, item: Work, losses: int) -> str:
    if losses < LIVES:
        texts: list[str] = executor.submit(grade_chunk, job, [item]).result()
        return texts[0]
    reason = f"the process that graded it ended {losses} times"
    text: str = executor.submit(fault_of, job, item, reason).result()
    return text


def _batched(work: Iterable[Work], size: int) -> Iterator[list[Work]]:
    """Chunks of `size`, or a little more: a student's attempts stay together, and so in order."""
    chunk: list[Work] = []
    for _, attempts in groupby(work, key=lambda item: item.student):
        chunk += attempts
        if len(chunk) >= size:
            yield chunk
            chunk = []
    if chunk:
        yield chunk
