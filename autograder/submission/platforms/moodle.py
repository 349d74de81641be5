"""Moodle: `Full Name_123_assignsubmission_file_/file.py`, or one file whose name begins so (from mod_assign).

The number holds for one assignment only; it is the "Participant 123" of the grading worksheet. A team has
its own name and number, or none.
"""

from __future__ import annotations

import re
from dataclasses import replace

from ..hand_in import Found, HandIn
from ..text import shown, student_id
from ..tree import Entry, Tree

EXPECTED = "names such as `Full Name_123_assignsubmission_file_`"

_NAME = re.compile(
    r"(?P<name>.+?)(?:_(?P<id>\d+))?_assignsubmission_(?P<kind>file|onlinetext)(?:_(?P<file>.*))?", re.DOTALL
)


def matches(tree: Tree, assignment: str) -> bool:
    return any(_NAME.fullmatch(entry.parts[0]) for entry in tree.entries)


def read(tree: Tree, assignment: str) -> Found:
    students: dict[tuple[str, str], tuple[list[Entry], list[Entry]]] = {}
    rest = []
    for entry in tree.entries:
        match = _NAME.fullmatch(entry.parts[0])
        if not match:
            rest.append(entry)
            continue
        files, texts = students.setdefault((match["id"] or "", match["name"]), ([], []))
        if len(entry.parts) > 1:
            entry = replace(entry, parts=entry.parts[1:])
        elif not entry.folder:
            entry = replace(entry, parts=(match["file"] or entry.name,))
        (texts if match["kind"] == "onlinetext" else files).append(entry)
    return [
        HandIn(
            student_id(number or name),
            f"the hand-in of {shown(name)}",
            tuple(files or texts),
            name=student_id(name),
        )
        for (number, name), (files, texts) in students.items()
    ], tuple(rest)
