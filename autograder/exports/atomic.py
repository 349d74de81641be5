"""Writing a file so that a reader sees the old one or the new one, and nothing between."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TextIO


@contextmanager
def replacing(path: Path) -> Iterator[TextIO]:
    """A text file (UTF-8, line ends as written) that becomes `path` when the block ends without an error."""
    path.parent.mkdir(parents=True, exist_ok=True)
    beside = path.with_name(f".{path.name}.{os.getpid()}.tmp")
    try:
        with beside.open("w", encoding="utf-8", newline="") as file:
            yield file
        beside.replace(path)
    except BaseException:
        beside.unlink(missing_ok=True)
        raise
