"""Opens a file that a student may have made to be something else: a link, a pipe, a device, huge."""

from __future__ import annotations

import errno
import os
import stat
from datetime import UTC, datetime
from pathlib import Path
from typing import BinaryIO

from .model import Unreadable
from .text import size

# Windows has neither links of this kind by default nor pipes in folders; the flags are missing there.
_FLAGS = os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0)
_FLAGS |= getattr(os, "O_BINARY", 0) | getattr(os, "O_CLOEXEC", 0) | getattr(os, "O_NOCTTY", 0)


def open_regular(path: Path) -> BinaryIO:
    """`path` opened for reading, without following a link or waiting for a pipe.

    Raises Unreadable unless it is a regular file with one name.
    """
    if not getattr(os, "O_NOFOLLOW", 0) and path.is_symlink():
        raise Unreadable(_LINK)
    try:
        descriptor = os.open(path, _FLAGS)
    except (OSError, ValueError) as error:
        raise Unreadable(_why(error, path)) from None
    try:
        status = os.fstat(descriptor)
        if stat.S_ISDIR(status.st_mode):
            raise Unreadable("is a folder, not a file; expected one .py or .ipynb file")
        if not stat.S_ISREG(status.st_mode):
            raise Unreadable("is a pipe, socket or device, not a file; expected one .py or .ipynb file")
        if status.st_nlink > 1:
            raise Unreadable(
                f"is a hard link ({status.st_nlink} names for one file), so it may not be the student's own; "
                "replace it by a copy"
            )
        return os.fdopen(descriptor, "rb")
    except BaseException:
        os.close(descriptor)
        raise


def read_bytes(path: Path, max_bytes: int) -> bytes:
    """The bytes of a regular file of at most `max_bytes`; a larger one is refused unread.

    Raises Unreadable.
    """
    with open_regular(path) as file:
        count = os.fstat(file.fileno()).st_size
        if count > max_bytes:
            raise Unreadable(too_large(count, max_bytes))
        try:
            data = file.read(max_bytes + 1)
        except OSError as error:
            raise Unreadable(_why(error, path)) from None
    if len(data) > max_bytes:  # it grew while it was read
        raise Unreadable(too_large(len(data), max_bytes))
    return data


def changed_at(path: Path) -> datetime | None:
    """When a regular file was last changed; None for a link, what is no file, and a time that is none."""
    try:
        status = os.lstat(path)
        return datetime.fromtimestamp(status.st_mtime, UTC) if stat.S_ISREG(status.st_mode) else None
    except (OSError, ValueError, OverflowError):
        return None


def too_large(count: int, max_bytes: int) -> str:
    return (
        f"has {size(count)}, and at most {size(max_bytes)} is read; "
        "hand in the code alone, a notebook with its outputs cleared"
    )


_LINK = "is a symbolic link, which is not followed; replace it by the file itself"


def _why(error: OSError | ValueError, path: Path) -> str:
    code = getattr(error, "errno", None)
    if code in (errno.ELOOP, getattr(errno, "EMLINK", None)) or path.is_symlink():
        return _LINK
    if code in (errno.EACCES, errno.EPERM):
        return "may not be read with the present permissions; make it readable for the account that grades"
    if code == errno.ENXIO:
        return "is a pipe, socket or device, not a file; expected one .py or .ipynb file"
    if code == errno.ENOENT:
        return "does not exist; check the path"
    return f"cannot be opened ({os.strerror(code) if code else 'not a file name'}); copy it again"
