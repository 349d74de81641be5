"""Submissions that wait to be graded, on disk, so that memory does not grow with the class."""

from __future__ import annotations

import pickle
import tempfile
from collections.abc import Iterator

from .job import Work


class Spool:
    """A queue in a file that has no name: nobody else can write to it, so what is read is what was put."""

    def __init__(self) -> None:
        self._file = tempfile.TemporaryFile(prefix="autograder-")  # noqa: SIM115 (open as long as this is)
        self.count = 0

    def put(self, item: Work) -> None:
        pickle.dump(item, self._file)
        self.count += 1

    def __iter__(self) -> Iterator[Work]:
        """All items, in order."""
        self._file.seek(0)
        for _ in range(self.count):
            yield pickle.load(self._file)
