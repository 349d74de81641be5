"""GitHub: cloned student repositories, `assignment-username/`. No history is read: git would obey the
configuration that it finds there."""

from __future__ import annotations

import re

from ..hand_in import Found, HandIn
from ..text import shown, student_id
from ..tree import Tree

EXPECTED = "folders such as `<assignment>-<username>`"


def username(folder: str, tree: Tree, assignment: str) -> str:
    """`jane` of a folder `self-attention-jane`; '' when it does not begin with the assignment."""
    slugs = {assignment.lower(), re.sub(r"[^a-z0-9]+", "-", assignment.lower()).strip("-")}
    if tree.name.lower().endswith("-submissions"):  # as `gh classroom clone` names the folder of the clones
        slugs.add(tree.name.lower().removesuffix("-submissions"))
    for slug in sorted(slugs, key=len, reverse=True):
        if slug and folder.lower().startswith(f"{slug}-"):
            rest = folder[len(slug) + 1 :]
            return "" if rest.lower() == "submissions" else rest
    return ""


def matches(tree: Tree, assignment: str) -> bool:
    folders = tree.folders()
    return bool(folders) and not tree.files() and all(username(name, tree, assignment) for name in folders)


def read(tree: Tree, assignment: str) -> Found:
    names = {folder: username(folder, tree, assignment) for folder in tree.folders()}
    found = [
        HandIn(student_id(names[folder]), f"{shown(folder)}/", entries)
        for folder, entries in tree.folders().items()
        if names[folder]
    ]
    return found, tuple(e for e in tree.entries if not (e.in_folder and names.get(e.parts[0])))
