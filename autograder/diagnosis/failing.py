"""What keeps a submission from running, in words: a file that does not load, a name that is not there,
an exception, and on which of the student's own lines."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from itertools import islice

from ..grade.model import Line
from ..layer import Loaded, Raised
from ..submission import Source

READ = 5000  # lines of a submission, at most
FEW = 3  # lines that may be shown for want of better


@dataclass(frozen=True)
class Failing:
    """Evidence, the lines it points at, and what to do."""

    evidence: tuple[str, ...]
    lines: tuple[Line, ...] = ()
    next: str = ""


def line(source: Source, number: int, proved: bool = False) -> Line:
    return Line(number=number, text=source.line_text(number).strip(), proved=proved)


# Lines are found as text here: nothing of a submission is parsed.


def where_defined(source: Source, pattern: str) -> tuple[Line, ...]:
    """The first line that begins as `pattern`."""
    written = re.compile(r"\s*" + pattern)
    numbers = (n for n, text in enumerate(source.texts(READ), 1) if written.match(text))
    return tuple(line(source, number) for number in islice(numbers, 1))


def where_set(source: Source, method: str, names: Sequence[str], drawn: bool) -> tuple[Line, ...]:
    """The lines of `method` that set an attribute of `names`; if none does, its lines if they are few.

    With `drawn`, lines that make a random generator as well.
    """
    code = body(source, method)
    named = "|".join(map(re.escape, names))
    writes = re.compile(rf"[^#]*\bself\.({named})\b[^=#]*(?<![=!<>])=(?!=)|[^#]*[\"']({named})[\"']")
    found = [number for number, text in code.items() if writes.match(text)]
    if drawn:
        made = [number for number, text in code.items() if re.search(r"\b(seed|default_rng|rng\s*=)", text)]
        found = [*(number for number in made if number not in found), *found]
    if not found and len(code) <= FEW:
        found = list(code)
    return tuple(line(source, number) for number in found)


def body(source: Source, method: str) -> dict[int, str]:
    """The code below `def method`, as far as it is indented more, by line."""
    found: dict[int, str] = {}
    outer, quoted = -1, False
    for number, text in enumerate(source.texts(READ), 1):
        stripped = text.strip()
        indent = len(text) - len(text.lstrip())
        if outer < 0:
            if re.match(rf"(async\s+)?def\s+{re.escape(method)}\b", stripped):
                outer = indent
            continue
        quotes = stripped.count('"""') + stripped.count("'''")
        if stripped and not quoted and indent <= outer:
            break
        if stripped and not quoted and not quotes and not stripped.startswith("#"):
            found[number] = text
        quoted ^= quotes % 2 == 1
    return found


def near(name: str, names: Iterable[str]) -> str:
    """The one of `names` that `name` may have been meant as, or ""."""
    plain = {"".join(c for c in given.lower() if c.isalnum()): given for given in names}
    found = get_close_matches("".join(c for c in name.lower() if c.isalnum()), plain, 1, 0.75)
    return plain[found[0]] if found else ""


def not_loaded(loaded: Loaded, source: Source, class_name: str) -> Failing:
    """Why running the file gave no class."""
    if loaded.problem is not None:
        return _problem(loaded.problem, source)
    meant = near(class_name, loaded.classes)
    if meant:
        return Failing(
            (f"The file has no class {class_name}. It has {meant}.",),
            where_defined(source, rf"class\s+{re.escape(meant)}\b"),
            f"call the class {class_name}; spelling and capitals count",
        )
    others = f"; it has {', '.join(loaded.classes[:4])}" if loaded.classes else " and no other"
    return Failing(
        (f"The file has no class {class_name}{others}.",),
        next=f"start from the file that you were given, which defines {class_name}",
    )


def _problem(problem: Raised, source: Source) -> Failing:
    lines = tuple(line(source, number) for number in problem.lines[-1:])
    if problem.kind == "syntax":
        return Failing(
            (f"The file is not Python, so nothing in it can run: {problem.message}.",),
            lines,
            "look there and on the line before: Python notices a fault where it can go on no longer",
        )
    if problem.kind == "import":
        return Failing(
            (f"The file imports {problem.name}, which this exercise does not allow.",),
            lines,
            "write it with NumPy and the standard library",
        )
    said = f"{problem.name}: {problem.message}".rstrip(": ")
    return Failing((f"Running the file itself stops with {said}.",), lines, "run the file once by itself")


def missing(wanted: str, names: Sequence[str], source: Source, calls: bool) -> Failing:
    """A method or an attribute that the layer lacks; `names` are those that it has."""
    meant = near(wanted, [name for name in names if name != wanted])
    what = f"{wanted}()" if calls else wanted
    if not meant:
        do = f"write def {wanted}(self, ...) in the class" if calls else f"set self.{wanted}"
        return Failing((f"The layer has no {what}.",), next=do)
    pattern = rf"(async\s+)?def\s+{re.escape(meant)}\b" if calls else rf".*\bself\.{re.escape(meant)}\b"
    return Failing(
        (f"The layer has no {what}. It has {meant}.",),
        where_defined(source, pattern),
        f"call it {wanted}; spelling and capitals count",
    )


def stopped_lines(raised: Raised, source: Source) -> tuple[Line, ...]:
    """The student's own line that an exception came up on."""
    return tuple(line(source, number) for number in raised.lines[-1:] if number > 0)


def calls_of(raised: Raised) -> str:
    """The lines that led there: "called on line 34, from line 20"."""
    own = [number for number in raised.lines if number > 0]
    outer = [number for number in reversed(own[:-1]) if number != own[-1]]  # a comprehension calls itself
    return "called on line " + ", from line ".join(map(str, outer[:4])) if outer else ""
