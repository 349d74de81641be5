"""Writing a file so that a reader sees the old one or the new one, and nothing between."""

import os
import stat
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


def sweep(folder: Path) -> None:
    """Remove what writers that were killed have left in `folder`; those that live go on writing."""
    for left in folder.glob(".*.tmp"):
        pid = left.name.removesuffix(".tmp").rpartition(".")[2]
        if pid.isdecimal() and not _lives(int(pid)):
            left.unlink(missing_ok=True)


def _lives(pid: int) -> bool:
    if os.name != "posix":  # there, asking would end it
        return pid != os.getpid()
    try:
        os.kill(pid, 0)
    except (ProcessLookupError, OverflowError):
        return False
    except PermissionError:  # somebody else's
        return True
    return pid != os.getpid()  # in a container the next run often has the number of the last


@contextmanager
def _beside(path: Path) -> Iterator[Path]:
    path.parent.mkdir(parents=True, exist_ok=True)
    if in_place(path):
        yield path
        return
    beside = path.with_name(f".{path.name}.{os.getpid()}.tmp")
    try:
        yield beside
        beside.replace(path)
    except BaseException:
        beside.unlink(missing_ok=True)
        raise


def in_place(path: Path) -> bool:
    """Whether it is nothing that a file may take the place of: a device, a pipe, /dev/stdout."""
    try:
        mode = path.stat().st_mode
    except OSError:
        return False
    ordinary = stat.S_ISREG(mode) or stat.S_ISDIR(mode)
    return not ordinary or str(path.absolute().parent) in ("/dev", "/dev/fd")
