"""nbgrader: `submitted/<student>/<assignment>/<notebook>.ipynb`, with an optional timestamp.txt."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime

from ..hand_in import Found, HandIn
from ..model import SubmissionError, Unreadable
from ..text import listed, shown, student_id
from ..times import stamp
from ..tree import Entry, Tree

EXPECTED = "folders such as `submitted/<student>/<assignment>`"


def matches(tree: Tree, assignment: str) -> bool:
    """Some `<student>/<assignment>/`; outside a folder `submitted` everything must be laid out so."""
    folders = tree.folders()
    if "submitted" in folders:
        folders = Tree("", folders["submitted"]).folders()
    ours = [any(e.parts[0] == assignment and len(e.parts) > 1 for e in found) for found in folders.values()]
    sure = tree.name == "submitted" or "submitted" in tree.folders()
    return any(ours) and (sure or (all(ours) and not tree.files()))


def read(tree: Tree, assignment: str) -> Found:
    """`[submitted/]<student>/<assignment>/`; other assignments, and what lies beside, are no hand-ins."""
    if "submitted" in tree.folders():
        tree = Tree("submitted", tree.folders()["submitted"])
    students = {name: Tree(name, entries).folders() for name, entries in tree.folders().items()}
    there = sorted({assigned for found in students.values() for assigned in found})
    if not there:
        return [], tree.entries
    wanted = assignment if assignment in there or len(there) > 1 else there[0]
    if wanted not in there:
        raise SubmissionError(
            f"nobody handed in {shown(assignment)} in {shown(tree.name)}, found {listed(there)}; grade that "
            "assignment, or rename its folders."
        )
    note = () if wanted == assignment else (f"nbgrader calls the assignment {shown(wanted)}",)
    found = []
    for name, assigned in students.items():
        if wanted in assigned:
            when, why = _timestamp(assigned[wanted])
            label = f"{shown(name)}/{shown(wanted)}/"
            found.append(
                HandIn(student_id(name), label, assigned[wanted], submitted_at=when, notes=note + why)
            )
    return found, tuple(entry for entry in tree.entries if not entry.in_folder)


def _timestamp(entries: Iterable[Entry]) -> tuple[datetime | None, tuple[str, ...]]:
    for entry in entries:
        if entry.parts == ("timestamp.txt",):
            try:
                when = stamp(entry.read(1024).decode("utf-8", "replace"))
            except Unreadable:
                when = None
            return when, () if when else ("timestamp.txt could not be read",)
    return None, ()
