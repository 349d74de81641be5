"""Which of the files that one student handed in is the submission."""

from __future__ import annotations

from collections.abc import Sequence

from .model import Unreadable
from .text import listed
from .tree import Entry


def choose(entries: Sequence[Entry], assignment: str) -> tuple[Entry, tuple[str, ...]]:
    """(The entry to grade, notes about what was passed over).

    In this order: `<assignment>.py`, `<assignment>.ipynb` (the one least deep), the only .py, the only
    .ipynb, the only .zip. Test files and the course's own helpers do not count. Raises Unreadable.
    """
    files = [entry for entry in entries if entry.counts]
    wanted = f"expected one file, best named {assignment}.py or {assignment}.ipynb"
    for suffix in (".py", ".ipynb"):
        named = [entry for entry in files if entry.name.lower() == f"{assignment}{suffix}".lower()]
        depth = min((len(entry.parts) for entry in named), default=0)
        nearest = [entry for entry in named if len(entry.parts) == depth]
        if len(nearest) > 1:
            raise Unreadable(f"holds {len(nearest)} files of that name ({_names(nearest)}); {wanted}")
        if nearest:
            return nearest[0], _passed_over(files, nearest[0])
    for suffix in (".py", ".ipynb", ".zip"):
        only = [entry for entry in files if entry.suffix == suffix]
        if len(only) > 1:
            raise Unreadable(f"holds several files that may be meant ({_names(only)}); {wanted}")
        if only:
            return only[0], _passed_over(files, only[0])
    if not entries:
        raise Unreadable(f"holds no files; {wanted}")
    raise Unreadable(f"holds no .py or .ipynb file to grade (found {_names(entries)}); {wanted}")


def _passed_over(files: Sequence[Entry], chosen: Entry) -> tuple[str, ...]:
    others = [e.shown for e in files if e is not chosen and e.suffix in (".py", ".ipynb")]
    return (f"graded {chosen.shown}; also found, not graded: {listed(others)}",) if others else ()


def _names(entries: Sequence[Entry]) -> str:
    return listed(["/".join(e.parts) + (" (empty folder)" if e.folder else "") for e in entries])
