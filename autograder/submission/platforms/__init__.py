"""How platforms lay out a class's files: a module each, with the same three names.

EXPECTED: what the layout looks like, for a sentence. `matches(tree, assignment)`: whether a tree has it.
`read(tree, assignment)`: the hand-ins, and the entries that the layout does not explain.

Where a platform numbers its users, the number is the student id, because its own gradebook is matched by
it; the full name goes along for people and for the roster. Only names are read, besides Gradescope's list
and nbgrader's time stamps.
"""

from typing import Protocol

from ..hand_in import Found
from ..tree import Tree
from . import brightspace, canvas, github, gradescope, moodle, nbgrader


class Platform(Protocol):
    EXPECTED: str

    def matches(self, tree: Tree, assignment: str) -> bool: ...

    def read(self, tree: Tree, assignment: str) -> Found: ...


# In the order of detection: the most telling first.
PLATFORMS: dict[str, Platform] = {
    "gradescope": gradescope,
    "moodle": moodle,
    "brightspace": brightspace,
    "nbgrader": nbgrader,
    "canvas": canvas,
    "github": github,
}
