"""Which submissions share structure: winnowed fingerprints of their tokens, the stub's taken out.

The method is that of Schleimer, Wilkerson and Aiken, "Winnowing: local algorithms for document
fingerprinting" (SIGMOD 2003), which MOSS uses. Nothing is parsed: tokens are cut by one pattern that never
fails and so takes linear time, whatever the bytes. Names that a student can choose are all one token; so are
numbers, and strings, but where two files are called the same.
"""

from __future__ import annotations

import builtins
import hashlib
import keyword
import re
import zlib
from collections import Counter, defaultdict, deque
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from itertools import chain, combinations

from .submission import Source

GRAM = 12  # tokens; nothing shorter is ever a match. A line of such a layer has about ten.
WINDOW = 8  # any match of GRAM + WINDOW - 1 tokens is found
COMMON = 10, 0.05  # what more than ten, and more than this part of a class, have is common knowledge
SHARE = 0.5  # of the shorter one's fingerprints: pairs below are not listed
FEWEST = 5  # fingerprints that make a pair or a group worth a look

_TOKEN = re.compile(
    rb"""(?P<blank>[ \t\f\r\n\\]+|\#[^\r\n]*)
    |(?P<string>[bfrtuBFRTU]{0,2}(?:\"{3}.*?(?:\"{3}|\Z)|'{3}.*?(?:'{3}|\Z)
        |\"(?:\\.|[^\"\\\r\n])*\"?|'(?:\\.|[^'\\\r\n])*'?))
    |(?P<name>[A-Za-z_\x80-\xff][\w\x80-\xff]*)
    |(?P<number>\.?[0-9][\w.]*)
    |(?P<operator>\*\*|//|->|:=|[<>=!]=|.)""",
    re.DOTALL | re.VERBOSE,
)
_PRIME = (1 << 61) - 1
_BASE = 1_000_003


@dataclass(frozen=True)
class Pair:
    """Two submissions that share fingerprints. shared: how many; of: the fewer that one of them has.
    lines: for each, 1-based lines of its chunks joined that hold what is shared, in order."""

    students: tuple[str, str]
    shared: int
    of: int
    lines: tuple[tuple[int, ...], tuple[int, ...]]


@dataclass(frozen=True)
class Similar:
    """same: students whose files differ in nothing but names, comments and layout. groups: students who have
    the same passages in files that do differ, such as in a number or a short statement. pairs: the most alike
    first; of students with the same passages one is compared. count: submissions looked at."""

    same: tuple[tuple[str, ...], ...]
    groups: tuple[tuple[str, ...], ...]
    pairs: tuple[Pair, ...]
    count: int


def similar(sources: Iterable[tuple[str, Source]], stub: bytes) -> Similar:
    """Compare all submissions of a class; `sources` yields each student once."""
    fixed = vocabulary(stub)
    given = set(fingerprints(Source((stub,), "py", ""), fixed))
    groups: defaultdict[frozenset[int], defaultdict[bytes, list[str]]]
    groups = defaultdict(lambda: defaultdict(list))  # by fingerprints, then by all tokens
    places: dict[frozenset[int], dict[int, tuple[int, int]]] = {}
    count = 0
    for student, source in sources:
        count += 1
        found = {
            print_: lines for print_, lines in fingerprints(source, fixed).items() if print_ not in given
        }
        key = frozenset(found)
        groups[key][_digest(source, fixed)].append(student)
        places.setdefault(key, found)
    groups.pop(frozenset(), None)  # the stub as it was
    worth = [files.values() for key, files in groups.items() if len(key) >= FEWEST]
    same = sorted(tuple(sorted(students)) for files in worth for students in files if len(students) > 1)
    alike = sorted(tuple(sorted(chain(*files))) for files in worth if len(files) > 1)
    pairs = _pairs({min(chain(*files.values())): places[key] for key, files in groups.items()}, count)
    return Similar(tuple(same), tuple(alike), tuple(pairs), count)


def _pairs(prints: Mapping[str, Mapping[int, tuple[int, int]]], count: int) -> Iterator[Pair]:
    """Pairs above the thresholds, the most alike first; what is common knowledge counts for nobody."""
    holders: defaultdict[int, list[str]] = defaultdict(list)
    for student in sorted(prints):
        for print_ in prints[student]:
            holders[print_].append(student)
    limit = max(COMMON[0], COMMON[1] * count)
    rare = {print_ for print_, students in holders.items() if len(students) <= limit}
    sizes = {student: sum(p in rare for p in found) for student, found in prints.items()}
    shared = Counter(pair for p in rare for pair in combinations(holders[p], 2))
    found = []
    for (one, two), number in shared.items():
        fewer = min(sizes[one], sizes[two])
        if number >= max(FEWEST, SHARE * fewer):
            found.append((-number / fewer, -number, one, two, fewer))
    for _, number, one, two, fewer in sorted(found):
        both = prints[one].keys() & prints[two].keys() & rare
        lines = (_covered(prints[one], both), _covered(prints[two], both))
        yield Pair((one, two), -number, fewer, lines)


def _covered(found: Mapping[int, tuple[int, int]], both: set[int]) -> tuple[int, ...]:
    return tuple(sorted({line for p in both for line in range(found[p][0], found[p][1] + 1)}))


@cache
def _known() -> frozenset[bytes]:
    """Names of Python and NumPy, which nobody can rename."""
    import numpy as np

    names = {*keyword.kwlist, *dir(builtins), *dir(np), *dir(np.ndarray), *dir(np.linalg), *dir(np.random)}
    return frozenset(name.encode() for name in names | {"np", "numpy", "axis", "keepdims", "self"})


def vocabulary(stub: bytes) -> frozenset[bytes]:
    """Names that mean the same in every submission: of Python, of NumPy, of the stub."""
    return _known() | {match[0] for match in _TOKEN.finditer(stub) if match.lastgroup == "name"}


def fingerprints(source: Source, fixed: frozenset[bytes]) -> dict[int, tuple[int, int]]:
    """The winnowed hashes of a source's k-grams, each with the first and last line of its first place."""
    tokens = [
        (zlib.crc32(kind if kind in (b"string", b"number") else token) + 1, line)
        for kind, token, line in _tokens(source, fixed)
    ]
    window: deque[tuple[int, int]] = deque()  # (hash, index), hashes rising
    chosen: dict[int, tuple[int, int]] = {}
    for index, value in enumerate(_grams([value for value, _ in tokens])):
        while window and window[-1][0] >= value:  # of equal ones the rightmost
            window.pop()
        window.append((value, index))
        if window[0][1] <= index - WINDOW:
            window.popleft()
        if index >= WINDOW - 1 or index == len(tokens) - GRAM:
            smallest, at = window[0]
            chosen.setdefault(smallest, (tokens[at][1], tokens[at + GRAM - 1][1]))
    return chosen


def _digest(source: Source, fixed: frozenset[bytes]) -> bytes:
    """Of all tokens in order, with the values of numbers and strings."""
    total = hashlib.sha256()
    for kind, token, _ in _tokens(source, fixed):
        if kind == b"string" and token.endswith((b'"""', b"'''")):
            token = b" ".join(token.split())  # a docstring follows its method's indentation
        total.update(b"%d:%b" % (len(token), token))
    return total.digest()


def _grams(values: list[int]) -> Iterator[int]:
    """A rolling hash of every GRAM values in a row."""
    leaving = pow(_BASE, GRAM, _PRIME)
    rolling = 0
    for index, value in enumerate(values):
        rolling = (rolling * _BASE + value) % _PRIME
        if index >= GRAM:
            rolling = (rolling - values[index - GRAM] * leaving) % _PRIME
        if index >= GRAM - 1:
            yield rolling


def _tokens(source: Source, fixed: frozenset[bytes]) -> Iterator[tuple[bytes, bytes, int]]:
    """(kind, token, its line) without blanks and comments; a name that is not `fixed` is the token `name`."""
    text = b"\n".join(source.chunks)
    line, counted = 1, 0
    for match in _TOKEN.finditer(text):
        kind = match.lastgroup
        if kind == "blank":
            continue
        token = match[0]
        if kind == "name" and token not in fixed:
            token = b"name"
        line += text.count(b"\n", counted, match.start())
        counted = match.start()
        yield (kind or "").encode(), token, line
