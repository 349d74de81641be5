"""Which known mistakes a submission's answers are the answers of: one, a group that cannot be told apart,
or two that were made together."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from heapq import nsmallest
from itertools import combinations

import numpy as np

from ..course.errors import CourseError
from ..layer import trusted_layer
from . import fingerprint
from .known import SLIGHT, Answers, Known

Group = tuple[str, ...]

TRIED = 12  # pairs of mistakes that are made together and run, at most


@dataclass(frozen=True)
class Match:
    """The recognised mistakes, a group for each fault, and what they leave unexplained."""

    groups: tuple[Group, ...] = ()
    unexplained: frozenset[str] = field(default_factory=frozenset)  # keys


class Matcher:
    """Compares with the known mistakes of one assignment."""

    def __init__(self, known: Known):
        self.known, self.questions = known, known.questions

    def match(self, answers: Answers, found: Answers) -> Match:
        """`found` is what of `answers` is not right."""
        names = fingerprint.exactly(found, self.known.changes)
        if names:
            return Match((tuple(names),))
        found = fingerprint.clear(found)
        return self._apart(found) or self._together(answers, found) or self._part(found)

    # ---- two that do not touch each other ----

    def _consistent(self, found: Answers) -> dict[str, Answers]:
        """Mistakes whose every change is among `found`."""
        return {
            name: clear
            for name, theirs in self.known.changes.items()
            if (clear := fingerprint.clear(theirs))
            and clear.keys() <= found.keys()
            and all(fingerprint.agrees(found[key], value) for key, value in clear.items())
        }

    def _apart(self, found: Answers) -> Match | None:
        """Two mistakes that together change exactly these answers, each as it does alone."""
        fitting = self._consistent(found)
        best: list[tuple[int, str, str]] = []
        for one, other in combinations(fitting, 2):
            if fitting[one].keys() | fitting[other].keys() == found.keys():
                shared = len(fitting[one].keys() & fitting[other].keys())
                best.append((shared, one, other))
        if not best:
            return None
        least = min(best)[0]
        pairs = [(one, other) for shared, one, other in best if shared == least]
        firsts = dict.fromkeys(one for one, _ in pairs)
        seconds = dict.fromkeys(other for _, other in pairs if other not in firsts)
        return Match((tuple(firsts), tuple(seconds)) if seconds else (tuple(firsts),))

    def _part(self, found: Answers) -> Match:
        """The mistake that explains all of one area, zero_grad say, while others are not explained."""
        areas: dict[str, set[str]] = {}
        for key in found:
            areas.setdefault(_area(key), set()).add(key)
        names: dict[str, list[str]] = {}
        for name, theirs in self._consistent(found).items():
            area = _area(next(iter(theirs)))
            if theirs.keys() == areas[area] and any(not isinstance(value, str) for value in theirs.values()):
                names.setdefault(area, []).append(name)
        explained = {key for area in names for key in areas[area]}
        return Match(tuple(map(tuple, names.values())), frozenset(found.keys() - explained))

    # ---- two that change the same answers ----

    def _together(self, answers: Answers, found: Answers) -> Match | None:
        """Two mistakes that, made in one layer, give exactly these answers."""
        for one, other in self._worth_trying(answers, found):
            if self._made(one, other, found):
                return Match(tuple((name, *self._twins[name]) for name in (one, other)))
        return None

    def _worth_trying(self, answers: Answers, found: Answers) -> Iterator[tuple[str, str]]:
        """Pairs that agree with the answers on what only one of them changes, closest first."""
        bits = {key: 1 << number for number, key in enumerate(self.known.right)}  # sets of keys as integers
        all_found = sum(bits[key] for key in found)
        own = sum(bits[key] for key in self._own(answers, found))
        touched, agreeing = {}, {}
        for name, theirs in self.known.changes.items():
            clear = fingerprint.clear(theirs)
            touched[name] = sum(bits[key] for key in clear)
            agreeing[name] = sum(
                bits[key] for key in clear if key in found and fingerprint.agrees(found[key], clear[key])
            )
        scored = []
        for one, other in combinations([name for name in touched if touched[name]], 2):
            together = touched[one] | touched[other]
            agree = agreeing[one] | agreeing[other]
            if own & ~together or not agree:
                continue
            sole = touched[one] ^ touched[other]
            missed = (sole & all_found & ~agree).bit_count() + (together ^ all_found).bit_count()
            scored.append((missed - (agree & sole).bit_count(), one, other))
        for _, one, other in nsmallest(TRIED, scored):
            yield one, other

    def _own(self, answers: Answers, found: Answers) -> set[str]:
        """What is wrong by itself, not because a first answer was: the keys that a mistake has to touch."""
        return {
            key
            for key in found
            if (base := self.questions.base.get(key)) not in found
            or fingerprint.apart(answers[key], answers[base]) > 1e-9
        }

    def _made(self, one: str, other: str, found: Answers) -> bool:
        """Whether both in one layer change these answers; False where they do not go together."""
        reference = self.questions.problem.source.decode()
        try:
            source = self.known.mistakes[other].apply(self.known.mistakes[one].apply(reference))
            layer = trusted_layer(source.encode(), self.questions.assignment.class_name)
        except (CourseError, ValueError):
            return False
        # The first forward and backward alone rule most pairs out, in a tenth of the time.
        for script in (self.questions.short, self.questions.script):
            with np.errstate(all="ignore"):
                given = self.questions.answers(layer.run(script))
            changes = fingerprint.changed(given, self.known.right, SLIGHT)
            same = {key: value for key, value in found.items() if key in given}
            if (same or changes) and not fingerprint.fits(same, changes):
                return False
        return True

    @cached_property
    def _twins(self) -> Mapping[str, list[str]]:
        """Mistakes that no question tells apart, by name."""
        return {
            name: [other for other in fingerprint.exactly(theirs, self.known.changes) if other != name]
            for name, theirs in self.known.changes.items()
        }


def _area(key: str) -> str:
    """What is wrong in one of these says nothing of the others: the constructor, zero_grad, the rest."""
    return next((area for area in ("initial", "zero") if key.startswith(area)), "")
