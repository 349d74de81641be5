"""Brightspace: `123-456 - Full Name - May 18, 2026 1224 PM/`, a folder for each attempt.

The numbers are the user's and the assignment folder's; the time is local and has no colon.
"""

from __future__ import annotations

import re

from ..hand_in import Found, HandIn, latest
from ..text import shown, student_id
from ..times import spoken
from ..tree import Tree

EXPECTED = "folders such as `123-456 - Full Name - May 18, 2026 1224 PM`"

_NAME = re.compile(r"(?P<id>\d+)-(?P<other>\d+) ?- ?(?P<name>.+) - (?P<date>.+)", re.DOTALL)


def matches(tree: Tree, assignment: str) -> bool:
    return any(_NAME.fullmatch(name) for name in tree.folders())


def read(tree: Tree, assignment: str) -> Found:
    found = []
    for folder, entries in tree.folders().items():
        if match := _NAME.fullmatch(folder):
            when = spoken(match["date"])
            notes = () if when else (f"the date of {shown(folder)} could not be read",)
            label, name = f"{shown(folder)}/", student_id(match["name"])
            found.append(HandIn(match["id"], label, entries, submitted_at=when, notes=notes, name=name))
    return latest(found), tuple(e for e in tree.entries if not (e.in_folder and _NAME.fullmatch(e.parts[0])))
