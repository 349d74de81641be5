"""Gradescope: a folder for each submission, and `submission_metadata.yml`, which says whose it is."""

from __future__ import annotations

from ..hand_in import Found, HandIn, latest
from ..model import SubmissionError, Unreadable
from ..text import listed, shown, student_id
from ..tree import Tree
from .gradescope_metadata import read_metadata

METADATA = "submission_metadata.yml"
EXPECTED = f"{METADATA} beside the folders"

_METADATA_BYTES = 128 * 1024**2  # it repeats what every autograder printed


def matches(tree: Tree, assignment: str) -> bool:
    return any(entry.parts == (METADATA,) for entry in tree.entries)


def read(tree: Tree, assignment: str) -> Found:
    """One hand-in for each submitter: the members of a group share their files."""
    metadata = next((entry for entry in tree.entries if entry.parts == (METADATA,)), None)
    if metadata is None:
        return [], tree.entries
    try:
        records = read_metadata(metadata.read(_METADATA_BYTES).decode("utf-8-sig", "replace"))
    except Unreadable as error:
        raise SubmissionError(f"{METADATA} {error}.") from None
    found = []
    explained = set()
    folders = tree.folders()
    for folder, record in records.items():
        entries = folders.get(folder, tuple(e for e in tree.entries if e.parts == (folder,)))
        group = [_submitter(person) for person in record.submitters]
        people = [person for person in record.submitters if _submitter(person)]
        for person in people:
            note = f"handed in by a group: {listed(group)}" if len(group) > 1 else ""
            found.append(
                HandIn(
                    student_id(_submitter(person)),
                    "" if entries and folder not in folders else f"{shown(folder)}/",
                    entries,
                    email=student_id(person.get("email", "")) or None,
                    submitted_at=record.created_at,
                    attempt=record.earlier + 1,
                    notes=(note,) if note else (),
                    name=student_id(person.get("name", "")) or None,
                )
            )
        if people:
            explained.add(folder)
    return latest(found), tuple(e for e in tree.entries if e.parts[0] not in explained)


def _submitter(person: dict[str, str]) -> str:
    return person.get("sid") or person.get("email") or person.get("name") or ""
