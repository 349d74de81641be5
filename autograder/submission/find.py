"""From paths on the command line to submissions and refusals. A student's file never raises here."""

from __future__ import annotations

import io
import os
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, replace
from datetime import datetime
from difflib import get_close_matches
from pathlib import Path

from .choose import choose
from .content import kind_of, read_source
from .followers import followed
from .hand_in import HandIn
from .model import Refusal, Submission, SubmissionError, Unreadable
from .opening import open_regular
from .text import shown, student_id, visible
from .tree import Entry, Tree, walk

LAYOUTS = ("auto", "folders", "canvas", "moodle", "gradescope", "github", "nbgrader", "brightspace")

ARCHIVE_FACTOR = 8  # a student's own zip may be this many times as large as a submission
DEFAULT_MAX_BYTES = 1024 * 1024

Result = Submission | Refusal


def find_submissions(
    paths: Iterable[Path | str], *, assignment: str, max_bytes: int = DEFAULT_MAX_BYTES, layout: str = "auto"
) -> list[Result]:
    """Every student's submission in `paths`, sorted by student id; no two have the same id.

    paths: a `.py`, an `.ipynb`, a zip, or a folder, laid out plainly or as a platform does it.
    max_bytes: a larger file is refused unread. layout: one of LAYOUTS.

    Where two hand-ins have the same id, the one whose path sorts first keeps it, the next becomes
    `id (2)`, with a note. Raises SubmissionError for a path that does not exist or holds nothing.
    """
    return list(stream_submissions(paths, assignment=assignment, max_bytes=max_bytes, layout=layout))


def stream_submissions(
    paths: Iterable[Path | str],
    *,
    assignment: str,
    max_bytes: int = DEFAULT_MAX_BYTES,
    layout: str = "auto",
    every_attempt: bool = False,
) -> Iterator[Result]:
    """As `find_submissions`, but a file is read only when its turn comes, for classes of any size.

    every_attempt: the earlier ones of a student come too, in order before the last, where the layout tells
        attempts of a known time apart.
    """
    if layout not in LAYOUTS:
        raise SubmissionError(f"unknown layout {shown(layout)}; expected one of {', '.join(LAYOUTS)}.")
    given = {Path(path).absolute(): Path(path) for path in paths}
    with ExitStack() as opened:
        found: list[_Unread | Result] = []
        for path in given.values():
            # A link to a folder is followed where it is all that was given, as the instructor's own; among
            # several paths, which a shell may have listed in a class's folder, it may be a student's.
            if path.is_symlink() and path.is_dir() and len(given) > 1:
                found.append(read_file(path))
            else:
                found += _in_path(path, assignment, max_bytes, layout, opened)
        if not found:
            raise SubmissionError("no path was given; give the file or folder to grade.")
        return _in_turn(found, assignment, max_bytes, every_attempt, opened.pop_all())


@dataclass(frozen=True, slots=True)
class _Unread:
    """A hand-in that was found below `root`."""

    hand_in: HandIn
    root: Path

    @property
    def student(self) -> str:
        return self.hand_in.student


def _in_turn(
    found: list[_Unread | Result], assignment: str, max_bytes: int, every_attempt: bool, opened: ExitStack
) -> Iterator[Result]:
    """Read one after the other; only those that share an id are read at once, to tell them apart."""

    def read(item: _Unread | Result) -> Result:
        return (
            _read(item.hand_in.noted, item.root, assignment, max_bytes) if isinstance(item, _Unread) else item
        )

    with opened:  # archives, until the last of their files has been read
        count = Counter(item.student for item in found)
        shared = [read(item) for item in found if count[item.student] > 1]
        alone = [item for item in found if count[item.student] == 1]
        several = unique(shared, taken=count)
        for item in sorted([*alone, *several], key=lambda item: item.student):
            if isinstance(item, _Unread) and (timed := item.hand_in.timed):
                # The last one alone is as it is among the others: what counts makes no other grade of it.
                wanted = timed if every_attempt else timed[-1:]
                yield from followed([_read(each, item.root, assignment, max_bytes) for each in wanted])
            else:
                yield read(item)


def read_file(path: Path | str, *, max_bytes: int = DEFAULT_MAX_BYTES) -> Result:
    """The submission in one `.py` or `.ipynb` file; the student id is its stem. Raises nothing."""
    path = Path(path)
    entry = Entry((visible(path.name),), str(path))
    return _read(HandIn(student_id(path.stem), "", (entry,)), path, "", max_bytes)


def read_folder(folder: Path, student: str, *, assignment: str, max_bytes: int = DEFAULT_MAX_BYTES) -> Result:
    """The submission in a folder whose files are all one student's. Raises nothing."""
    name = visible(folder.name)
    entries = walk(folder, name).entries
    return _read(HandIn(student_id(student), f"{name}/", entries), folder, assignment, max_bytes)


def read_data(data: bytes, suffix: str, student: str) -> Result:
    """The submission in `data`, the content of a file whose name ends in `suffix`. Raises nothing."""
    entry = Entry((f"submission{suffix}",), f"submission{suffix}", lambda _: data)
    return _read(HandIn(student_id(student), "", (entry,)), entry.path, "", len(data))


def _instead(path: Path) -> str:
    """What to do about a path that is not there: the name beside it that is nearest, if one is near."""
    try:
        near = get_close_matches(path.name, os.listdir(path.parent), 1)
    except (OSError, ValueError):  # the folder is missing as well, or the path is no path
        near = []
    return f"did you mean {shown(path.with_name(near[0]))}" if near else "check the path"


def _in_path(
    path: Path, assignment: str, max_bytes: int, layout: str, opened: ExitStack
) -> Sequence[_Unread | Result]:
    if not os.path.lexists(path):
        raise SubmissionError(f"{shown(path)} does not exist; {_instead(path)}.")
    if path.is_dir():
        name = path.name if path.name not in ("", "..") else Path(os.path.realpath(path)).name
        tree = walk(path, visible(name))
        return _in_tree(tree, path, assignment, layout)
    if path.suffix.lower() != ".zip":
        return [read_file(path, max_bytes=max_bytes)]
    from .archive import read_zip

    try:
        tree = read_zip(opened.enter_context(open_regular(path)), path, visible(path.stem))
    except Unreadable as error:
        return [Refusal(student_id(path.stem), Path(visible(str(path))), f"{shown(path.name)} {error}.")]
    return _in_tree(tree, path, assignment, layout)


def _in_tree(tree: Tree, path: Path, assignment: str, layout: str) -> list[_Unread]:
    from .layouts import hand_ins

    found = [_Unread(hand_in, path) for hand_in in hand_ins(tree, assignment, layout)]
    if not found:
        raise SubmissionError(
            f"{shown(path)} holds no submissions; give a folder with one file or one sub-folder a student."
        )
    return found


def _read(hand_in: HandIn, root: Path, assignment: str, max_bytes: int) -> Result:
    """What `hand_in`, found below `root`, comes to."""
    path, label, notes = _folder(hand_in, root), hand_in.label, hand_in.notes
    theirs = tuple(entry for entry in hand_in.entries if entry.counts)  # until one of them is chosen
    try:
        if label:
            entry, more = choose(hand_in.entries, assignment)
            notes += more
            label = label + entry.shown if label.endswith("/") else f"{entry.shown} in {label}"
        else:  # a file of its own is taken whatever its name
            (entry,) = hand_in.entries
            label = entry.shown
        path, theirs = entry.path, (entry,)
        if entry.suffix == ".zip":
            entry, more = _in_own_zip(entry, assignment, max_bytes)
            notes += more
            label, path = f"{label}: {entry.shown}", entry.path
        data = entry.read(max_bytes)
        if entry.suffix not in (".py", ".ipynb"):
            raise Unreadable(_other_kind(entry.suffix, data))
        source, more = read_source(data, entry.suffix)
    except Unreadable as error:
        reason = f"{label} {error}."
        return Refusal(
            student=hand_in.student,
            path=Path(visible(str(path))),
            reason=reason,
            email=hand_in.email,
            name=hand_in.name,
            submitted_at=hand_in.submitted_at,
            late=hand_in.late,
            attempt=hand_in.attempt,
            changed_at=_changed_at(theirs),
        )
    return Submission(
        student=hand_in.student,
        source=source,
        path=Path(visible(str(path))),
        email=hand_in.email,
        submitted_at=hand_in.submitted_at,
        late=hand_in.late,
        attempt=hand_in.attempt,
        notes=notes + more,
        name=hand_in.name,
        changed_at=_changed_at(theirs),
    )


def _changed_at(entries: Iterable[Entry]) -> datetime | None:
    """When the last of them was changed; None where none is a regular file on this disk."""
    times = [time for entry in entries if (time := entry.changed_at) is not None]
    return max(times, default=None)


def _folder(hand_in: HandIn, root: Path) -> Path:
    if hand_in.entries:
        first = hand_in.entries[0]
        return first.path.parents[len(first.parts) - 1]
    return root / hand_in.label if hand_in.label.endswith("/") else root


def _in_own_zip(entry: Entry, assignment: str, max_bytes: int) -> tuple[Entry, tuple[str, ...]]:
    """The file to grade in a zip that one student handed in. Raises Unreadable."""
    from .archive import read_zip

    data = entry.read(ARCHIVE_FACTOR * max_bytes)
    chosen, notes = choose(read_zip(io.BytesIO(data), entry.path, entry.name).entries, assignment)
    if chosen.suffix == ".zip":
        raise Unreadable("holds another zip; hand in the .py or .ipynb file itself")
    return chosen, notes


def _other_kind(suffix: str, data: bytes) -> str:
    if what := kind_of(data):
        return f"is {what}; expected a .py or .ipynb file, so hand in the code itself"
    ending = f"ends in {shown(suffix, 20)}" if suffix else "has no ending"
    return f"{ending}; expected a .py or .ipynb file, so rename it if it is one, else hand in the code itself"


def unique(found: Sequence[Result], taken: Iterable[str] = ()) -> list[Result]:
    """Sorted by student id, each id once: what sorts first by path keeps it, the next becomes `id (2)`.

    taken: further ids that none may become.
    """
    taken = {*taken, *(item.student for item in found)}
    first: dict[str, Path] = {}
    result: list[Result] = []
    for item in sorted(found, key=lambda item: (item.student, str(item.path))):
        if item.student not in first:
            first[item.student] = item.path
            result.append(item)
            continue
        number = 2
        while (student := f"{item.student} ({number})") in taken:
            number += 1
        taken.add(student)
        note = f"the student id {shown(item.student)} is also that of {shown(first[item.student].name)}"
        if isinstance(item, Submission):
            result.append(replace(item, student=student, notes=(*item.notes, note)))
        else:
            result.append(replace(item, student=student, reason=f"{item.reason[:-1]}; {note}."))
    return sorted(result, key=lambda item: (item.student, str(item.path)))
