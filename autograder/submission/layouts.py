"""Which layout a tree has, and its hand-ins: one a student."""

from __future__ import annotations

from dataclasses import replace
from pathlib import PurePath

from .hand_in import HandIn
from .model import SubmissionError
from .platforms import PLATFORMS
from .platforms.github import username
from .text import listed, shown, student_id
from .tree import Tree


def hand_ins(tree: Tree, assignment: str, layout: str) -> list[HandIn]:
    """The hand-ins in `tree`. What a platform's layout does not explain is read as the plain one.

    Raises SubmissionError when `layout` is forced and nothing in the tree has it.
    """
    if layout == "auto":
        tree, layout = _detect(tree, assignment)
    if layout == "folders":
        return _one_student(tree, assignment) or _folders(tree)
    platform = PLATFORMS[layout]
    found, rest = platform.read(tree, assignment)
    inner = _only_folder(tree)
    if not found and inner:
        found, rest = platform.read(inner, assignment)
    if not found:
        there = sorted({entry.parts[0] for entry in tree.entries})
        raise SubmissionError(
            f"{shown(tree.name)} is not laid out as {layout} does it: expected {platform.EXPECTED}, "
            f"found {listed(there)}; leave the layout to be detected, or name another."
        )
    return found + _folders(replace(tree, entries=rest))


def _detect(tree: Tree, assignment: str) -> tuple[Tree, str]:
    """(The tree, or its only folder where an archive wraps all in one; the layout's name)."""
    for name, platform in PLATFORMS.items():
        if platform.matches(tree, assignment):
            return tree, name
    inner = _only_folder(tree)
    if inner:
        for name, platform in PLATFORMS.items():
            wrapped = name != "github" or inner.name.lower().endswith("-submissions")
            if wrapped and platform.matches(inner, assignment):
                return inner, name
        if tree.archive and _holds_a_class(inner, assignment):
            return inner, "folders"
    return tree, "folders"


def _folders(tree: Tree) -> list[HandIn]:
    """The plain layout, one file or sub-folder a student: the id is the file's stem or the folder's name."""
    files = [HandIn(student_id(PurePath(e.name).stem), "", (e,)) for e in tree.files()]
    return files + [
        HandIn(student_id(name), f"{shown(name)}/", found) for name, found in tree.folders().items()
    ]


def _one_student(tree: Tree, assignment: str) -> list[HandIn]:
    """A folder that holds nothing but files named after the assignment is one student's own, else []."""
    files = tree.files()
    code = [entry for entry in tree.entries if entry.counts and entry.suffix in (".py", ".ipynb", ".zip")]
    deeper = any(len(entry.parts) > 1 for entry in code)
    if deeper or not files or not all(_named(entry.name, assignment) for entry in files):
        return []
    student = username(tree.name, tree, assignment) or tree.name
    return [HandIn(student_id(student), f"{shown(tree.name)}/", files)]


def _holds_a_class(tree: Tree, assignment: str) -> bool:
    files = tree.files()
    if any(_named(entry.name, assignment) for entry in files):
        return False
    students = sum(any(e.counts for e in found) for found in tree.folders().values())
    return len(files) + students > 1


def _only_folder(tree: Tree) -> Tree | None:
    folders = tree.folders()
    if len(folders) != 1 or tree.files():
        return None
    ((name, entries),) = folders.items()
    return replace(tree, name=name, entries=entries) if entries else None


def _named(name: str, assignment: str) -> bool:
    return name.lower() in (f"{assignment}.py".lower(), f"{assignment}.ipynb".lower())
