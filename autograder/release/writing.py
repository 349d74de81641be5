"""A release on disk: a folder, or a zip whose bytes depend on its files alone."""

from __future__ import annotations

import io
import zipfile
from pathlib import Path

from autograder.build import BuildError
from autograder.exports.atomic import write_whole
from autograder.release.sources import Files

_DATE = (1980, 1, 1, 0, 0, 0)  # the earliest that a zip can hold: no clock in the bytes
_PROGRAMS = ("setup.sh", "run_autograder")


def write_folder(files: Files, folder: Path) -> None:
    """Write all files below `folder`, which is empty, absent, or holds an earlier release.

    Raises BuildError for a folder with other files in it, so that no student's work is written over.
    """
    there = {p.relative_to(folder).as_posix() for p in folder.rglob("*") if p.is_file()}
    others = sorted(there - set(files))
    if others:
        raise BuildError(
            f"{folder}: holds {others[0]}, which is no part of the release; give an empty folder"
        )
    try:
        for relative, content in files.items():
            path = folder / relative
            write_whole(path, content)
            if path.name in _PROGRAMS:
                path.chmod(0o755)
    except OSError as error:
        raise BuildError(f"{error.filename or folder}: cannot be written ({error.strerror})") from None


def write_zip(files: Files, path: Path) -> None:
    """Raises BuildError."""
    try:
        write_whole(path, zipped(files))
    except OSError as error:
        raise BuildError(f"{path}: cannot be written ({error.strerror})") from None


def zipped(files: Files) -> bytes:
    """A zip of `files`, sorted; programs are executable in it."""
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w", zipfile.ZIP_DEFLATED) as archive:
        for relative in sorted(files):
            info = zipfile.ZipInfo(relative, _DATE)
            info.external_attr = (0o100755 if relative in _PROGRAMS else 0o100644) << 16
            info.compress_type = zipfile.ZIP_DEFLATED
            archive.writestr(info, files[relative])
    return made.getvalue()
