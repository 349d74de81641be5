"""A zip archive as a tree. Entries are read in memory one by one; nothing is ever written to disk."""

from __future__ import annotations

import re
import stat
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO

from .model import Unreadable
from .opening import too_large
from .text import shown, visible
from .tree import MAX_DEPTH, MAX_ENTRIES, Entry, Tree, refused, skipped, sort

if TYPE_CHECKING:
    from zipfile import ZipFile, ZipInfo

MAX_RATIO = 200  # source code shrinks 3 to 20 times; deflate reaches 1,032
RATIO_FROM = 64 * 1024  # bytes: below this a file of blanks is no danger
MAX_TOTAL = 1024**3  # bytes that one archive may give in all
MAX_NAME = 255  # characters of one name, as on any disk


def read_zip(file: BinaryIO, path: Path, name: str) -> Tree:
    """The tree of an open zip. `file` must stay open while entries are read.

    An entry that leaves the archive, is a link, is encrypted, or has a name that occurs twice stays in the
    tree, so that its student is told, and refuses to be read. Raises Unreadable for what is no zip.
    """
    from zipfile import ZipFile  # a plain .py needs none of it: 10 ms at start-up

    try:
        archive = ZipFile(file)
        infos = archive.infolist()
    except Exception:  # zipfile raises more than BadZipFile on a damaged directory
        raise Unreadable("is not a readable zip archive; make it again, or hand in the file itself") from None
    if len(infos) > MAX_ENTRIES:
        raise Unreadable(
            f"holds {len(infos):,} files, and {MAX_ENTRIES:,} is the limit; leave out all but code"
        )
    left = [MAX_TOTAL]
    entries: list[Entry] = []
    empty: dict[tuple[str, ...], Path] = {}
    seen = Counter(_parts(info)[0] for info in infos if not info.is_dir())
    for info in infos:
        parts, problem = _parts(info)
        if not parts or any(skipped(part, True) for part in parts[:-1]) or skipped(parts[-1], info.is_dir()):
            continue
        where = path.joinpath(*parts)
        if info.is_dir():
            if not problem:
                empty[parts] = where
            continue
        if not problem and seen[parts] > 1:
            problem = f"occurs {seen[parts]} times in the archive, and only one can count; make the zip again"
        problem = problem or _problem(info)
        entries.append(
            Entry(parts, str(where), refused(problem) if problem else _reader(archive, info, left))
        )
    filled = {parts[:n] for parts in [*(e.parts for e in entries), *empty] for n in range(1, len(parts))}
    for parts, where in empty.items():
        if parts not in filled:
            entries.append(Entry(parts, str(where), refused("is an empty folder"), folder=True))
    return Tree(name, sort(entries), archive=True)


def _parts(info: ZipInfo) -> tuple[tuple[str, ...], str]:
    """(Visible path inside the archive, why it is refused or '')."""
    # Some Windows tools write backslashes; zipfile itself cuts a name at its first NUL.
    raw = _name(info).replace("\\", "/")
    pieces = [piece for piece in raw.split("/") if piece not in ("", ".")]
    parts = tuple(visible(piece)[:MAX_NAME] for piece in pieces if piece != "..")
    if ".." in pieces or raw.startswith("/") or re.match(r"[A-Za-z]:", raw):
        problem = f"has a path that leaves the archive ({shown(raw, 60)}); make the zip again"
        return parts or ("unnamed",), problem
    if "\0" in raw or len(parts) > MAX_DEPTH or any(len(piece) > MAX_NAME for piece in pieces):
        return parts[:MAX_DEPTH], "has a name that no disk would hold; make the zip again"
    return parts, ""


def _name(info: ZipInfo) -> str:
    """A name as it was meant: macOS and `zip` may write UTF-8 without the flag that says so."""
    name = info.orig_filename
    if name.isascii() or info.flag_bits & 0x800:
        return name
    try:
        return name.encode("cp437").decode("utf-8")  # zipfile took the bytes for code page 437
    except UnicodeError:
        return name


def _problem(info: ZipInfo) -> str:
    mode = info.external_attr >> 16
    if stat.S_ISLNK(mode):
        return "is a symbolic link, which is not followed; put the file itself into the archive"
    if stat.S_IFMT(mode) and not stat.S_ISREG(mode):
        return "is not a regular file; put the file itself into the archive"
    if info.flag_bits & 0x1:
        return "is encrypted; hand it in without a password"
    # zipfile bounds what deflate gives to each read, but not what bzip2 and lzma give.
    if info.compress_type not in (0, 8):
        return "is compressed in a way that is not read; make the zip with the usual method (deflate)"
    return ""


def _reader(archive: ZipFile, info: ZipInfo, left: list[int]) -> Callable[[int], bytes]:
    """`left` is the number of bytes that the archive may still give, shared by its entries."""

    def read(max_bytes: int) -> bytes:
        if info.file_size > max_bytes:
            raise Unreadable(too_large(info.file_size, max_bytes))
        if info.file_size > max(RATIO_FROM, MAX_RATIO * info.compress_size):
            ratio = info.file_size // max(1, info.compress_size)
            raise Unreadable(
                f"would grow {ratio:,} times when unpacked, and {MAX_RATIO} times is the limit (zip bombs); "
                "hand in the file itself"
            )
        if info.file_size > left[0]:
            raise Unreadable(
                "comes after the first GB of its archive, where reading ends; make smaller archives"
            )
        left[0] -= info.file_size
        try:
            with archive.open(info) as file:
                return file.read(max_bytes + 1)
        except Exception:  # BadZipFile, zlib.error, EOFError, struct.error, a lying header
            raise Unreadable("is damaged inside its archive; make the zip again") from None

    return read
