"""Canvas: `studentname_[LATE_]userid_attachmentid_file.py`, all in one folder (from its ContentZipper).

Canvas adds -1, -2 to a name that the student handed in before.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace

from ..hand_in import Found, HandIn
from ..text import listed, shown, student_id
from ..tree import Entry, Tree

EXPECTED = "names such as `studentname_123_4567_file.py`"

_UPLOAD = r"_(?P<file>\d+)_(?P<original>.+)"
_NAMED = re.compile(r"(?P<name>.+?)(?P<late>_late)?_(?P<user>\d+)" + _UPLOAD, re.IGNORECASE | re.DOTALL)
_ANONYMOUS = re.compile(r"(?P<late>late_)?(?P<user>anon_[a-z0-9]+)" + _UPLOAD, re.IGNORECASE | re.DOTALL)
_TYPED = re.compile(  # text or a link, handed in without a file
    r"(?P<name>.+?)(?P<late>_late)?_(?P<user>\d+)_(?P<original>(?:text|link)\.html)",
    re.IGNORECASE | re.DOTALL,
)
_AGAIN = re.compile(r"(?P<stem>.+)-(?P<number>\d{1,3})(?P<suffix>\.\w+)", re.DOTALL)


@dataclass(frozen=True)
class _File:
    """One file of the download; `entry` has the student's own name for it, without Canvas's number."""

    entry: Entry
    user: str
    name: str | None
    late: bool
    attachment: int
    again: int


def matches(tree: Tree, assignment: str) -> bool:
    """All files are named so, with ids too long to be a date or a group number."""
    names = [entry.name for entry in tree.files() if entry.suffix != ".html"]
    found = [_ANONYMOUS.fullmatch(name) or _NAMED.fullmatch(name) for name in names]
    return bool(found) and all(m and len(m["file"]) >= 4 and len(m["user"]) >= 2 for m in found)


def read(tree: Tree, assignment: str) -> Found:
    students: dict[str, list[_File]] = {}
    rest = []
    for entry in tree.entries:
        if file := _file(entry):
            students.setdefault(file.user, []).append(file)
        else:
            rest.append(entry)
    return [_hand_in(user, files) for user, files in students.items()], tuple(rest)


def _file(entry: Entry) -> _File | None:
    if len(entry.parts) > 1 or entry.folder:
        return None
    match = _ANONYMOUS.fullmatch(entry.name) or _NAMED.fullmatch(entry.name) or _TYPED.fullmatch(entry.name)
    if not match:
        return None
    groups = match.groupdict()
    again = _AGAIN.fullmatch(match["original"])
    own_name = again["stem"] + again["suffix"] if again else match["original"]
    return _File(
        replace(entry, parts=(own_name,)),
        match["user"],
        groups.get("name"),
        bool(match["late"]),
        int((groups.get("file") or "0")[:18]),
        int(again["number"]) if again else 0,
    )


def _hand_in(user: str, files: list[_File]) -> HandIn:
    latest: dict[str, _File] = {}
    for file in sorted(files, key=lambda file: (file.again, file.attachment)):
        latest[file.entry.name.lower()] = file
    kept = latest.values()
    earlier = sorted(file.entry.path.name for file in files if file not in kept)
    again = max(file.again for file in kept)
    return HandIn(
        student_id(user),
        f"the hand-in of Canvas user {shown(user)}",
        tuple(file.entry for file in kept),
        late=any(file.late for file in kept),
        attempt=again + 1 if again else None,
        notes=(f"earlier attempts, not graded: {listed(earlier)}",) if earlier else (),
        name=files[0].name,
    )
