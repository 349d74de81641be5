"""A folder or an archive as a flat list of entries; nothing is opened until an entry is read."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from datetime import datetime
from itertools import groupby
from pathlib import Path, PurePath
from sys import intern
from typing import NoReturn

from .model import SubmissionError, Unreadable
from .opening import changed_at, read_bytes
from .text import shown, visible

MAX_ENTRIES = 200_000
MAX_DEPTH = 24

# Folders that tools make; with the hidden ones (.git, .venv, .ipynb_checkpoints) they hold no hand-in.
_TOOL_FOLDERS = {"__pycache__", "__macosx", "venv", "node_modules", "site-packages"}

# What lies beside a hand-in without being one: the course's own files and those of platforms and tools.
_HELPERS = {
    "conftest.py", "gradcheck.py", "check.py", "classroom.py", "diagnosis.py", "__init__.py", "setup.py",
}  # fmt: skip
_CLUTTER = {
    "makefile", "requirements.txt", "pyproject.toml", "grading.toml", "timestamp.txt", "index.html",
    "submission_metadata.yml", "thumbs.db", "desktop.ini",
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Entry:
    """A file, or an empty folder, in a tree. A class has as many as students, so it is small.

    parts: the visible path relative to the tree's root. where: its path, for a human; the file itself
    unless there is a `reader`, which takes a limit in bytes.
    """

    parts: tuple[str, ...]
    where: str
    reader: Callable[[int], bytes] | None = None
    folder: bool = False

    @property
    def path(self) -> Path:
        return Path(self.where)

    def read(self, max_bytes: int) -> bytes:
        """Its bytes; raises Unreadable, also for what is larger or no regular file."""
        return self.reader(max_bytes) if self.reader else read_bytes(self.path, max_bytes)

    @property
    def changed_at(self) -> datetime | None:
        """The file's own time; None for what is in an archive, or no regular file."""
        return None if self.reader or self.folder else changed_at(self.path)

    @property
    def name(self) -> str:
        return self.parts[-1]

    @property
    def suffix(self) -> str:
        return PurePath(self.name).suffix.lower()

    @property
    def shown(self) -> str:
        return shown("/".join(self.parts))

    @property
    def in_folder(self) -> bool:
        return self.folder or len(self.parts) > 1

    @property
    def counts(self) -> bool:
        """Whether this may be what a student handed in."""
        ours = self.parts[-2:-1] == ("loop",) and self.suffix == ".py"  # what check.py is made of
        return not self.folder and not ours and not _beside(self.name.lower())


@dataclass(frozen=True)
class Tree:
    """What is in one folder or archive, sorted by its path; `name` is that of the folder, or of the archive
    without .zip."""

    name: str
    entries: tuple[Entry, ...]
    archive: bool = False

    def folders(self) -> dict[str, tuple[Entry, ...]]:
        """Top-level folders and what is in each, relative to it; an empty folder holds nothing."""
        found: dict[str, tuple[Entry, ...]] = {}
        for name, entries in groupby(self.entries, key=lambda entry: entry.parts[0]):
            if there := [entry for entry in entries if entry.in_folder]:
                found[name] = tuple(replace(e, parts=e.parts[1:]) for e in there if len(e.parts) > 1)
        return found

    def files(self) -> tuple[Entry, ...]:
        """Top-level files that may be hand-ins."""
        return tuple(entry for entry in self.entries if len(entry.parts) == 1 and entry.counts)


def refused(reason: str) -> Callable[[int], bytes]:
    """A `read` for what cannot be read."""

    def read(max_bytes: int) -> NoReturn:
        raise Unreadable(reason)

    return read


def skipped(name: str, folder: bool) -> bool:
    """Whether a name is hidden, or that of a folder that a tool made."""
    return name.startswith(".") or (folder and name.lower() in _TOOL_FOLDERS)


def _beside(name: str) -> bool:
    if name.endswith(".py"):
        return name in _HELPERS or name.startswith("test_") or name.endswith("_test.py")
    stem = name.partition(".")[0]
    return name in _CLUTTER or name.endswith(".csv") or stem in ("readme", "license", "contributing")


def sort(entries: Iterable[Entry]) -> tuple[Entry, ...]:
    return tuple(sorted(entries, key=lambda entry: (entry.parts, entry.where)))


def walk(root: Path, name: str) -> Tree:
    """Everything below `root` that is not hidden. Links are never followed.

    Raises SubmissionError when `root` cannot be listed or holds more than MAX_ENTRIES files.
    """
    entries: list[Entry] = []
    pending: list[tuple[str, tuple[str, ...]]] = [(str(root), ())]  # strings take less than paths
    while pending:
        folder, parts = pending.pop()
        try:
            with os.scandir(folder) as listing:
                items = [
                    item for item in listing if not skipped(item.name, item.is_dir(follow_symlinks=False))
                ]
        except OSError as error:
            if not parts:
                raise SubmissionError(
                    f"{shown(root)} cannot be listed ({error.strerror}); check its permissions."
                ) from None
            reason = f"is a folder that cannot be listed ({error.strerror}); check its permissions"
            entries.append(Entry(parts, folder, refused(reason)))
            continue
        if parts and not items:
            entries.append(Entry(parts, folder, refused("is an empty folder"), folder=True))
        for item in items:
            path, below = item.path, (*parts, visible(intern(item.name)))  # most have the same name
            if not item.is_dir(follow_symlinks=False):
                entries.append(Entry(below, path))
            elif len(below) >= MAX_DEPTH:
                entries.append(Entry(below, path, refused(f"is more than {MAX_DEPTH} folders deep")))
            else:
                pending.append((path, below))
        if len(entries) > MAX_ENTRIES:
            raise SubmissionError(
                f"{shown(root)} holds more than {MAX_ENTRIES:,} files; give the folder of submissions alone."
            )
    return Tree(name, sort(entries))
