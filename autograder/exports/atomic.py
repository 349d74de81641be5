"""Writing a file so that a reader sees the old one or the new one, and nothing between."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TextIO


@contextmanager
def replacing(path: Path) -> Iterator[TextIO]:
    """A text file (UTF-8, line ends as written) that becomes `path` when the block ends without an error."""
    with _beside(path) as beside, beside.open("w", encoding="utf-8", newline="") as file:
        yield file


def write_whole(path: Path, content: bytes) -> None:
    """Make `path` a file of `content`."""
    with _beside(path) as beside:
        beside.write_bytes(content)


@contextmanager
def _beside(path: Path) -> Iterator[Path]:
    path.parent.mkdir(parents=True, exist_ok=True)
    beside = path.with_name(f".{path.name}.{os.getpid()}.tmp")
    try:
        yield beside
        beside.replace(path)
    except BaseException:
        beside.unlink(missing_ok=True)
        raise
