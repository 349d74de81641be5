"""Bytes of one file -> the source to be graded, or the reason why they are none."""

from __future__ import annotations

import codecs
import hashlib

from .model import Source, Unreadable

_WIDE = (codecs.BOM_UTF32_LE, codecs.BOM_UTF32_BE, codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)
_MAGIC = {
    b"%PDF-": "a PDF document",
    b"PK\x03\x04": "a zip archive or office document",
    b"\x1f\x8b": "a gzip archive",
    b"\x7fELF": "a program",
    b"\x89PNG": "a picture",
}


def kind_of(data: bytes) -> str:
    """What the first bytes say the file is, '' when they say nothing."""
    return next((what for start, what in _MAGIC.items() if data.startswith(start)), "")


def read_source(data: bytes, suffix: str) -> tuple[Source, tuple[str, ...]]:
    """(Source, notes) of a file whose name ends in `suffix`, `.py` or `.ipynb`.

    Python's bytes pass unchanged: BOM, line ends and coding cookies are for the compiler. Raises Unreadable.
    """
    if what := kind_of(data):
        raise Unreadable(f"is {what} under another name; hand in the .py or .ipynb file itself")
    if data.startswith(_WIDE) or b"\0" in data:
        raise Unreadable(
            "is not UTF-8 text (it is UTF-16 or holds NUL bytes); save it in your editor as UTF-8 (Save As, "
            "Encoding) and hand it in again"
        )
    content = data.removeprefix(codecs.BOM_UTF8).strip()
    if not content:
        raise Unreadable("is empty; hand in the file that holds the class")
    digest = hashlib.sha256(data).hexdigest()
    looks_so = content.startswith(b"{") and b'"cells"' in content and b'"cell_type"' in content
    disguised = suffix == ".py" and looks_so
    if suffix == ".ipynb" or disguised:
        from .notebook import notebook_chunks

        chunks, notes = notebook_chunks(data)
        if disguised:
            notes = ("a notebook saved as .py, read as a notebook", *notes)
        return Source(chunks, "ipynb", digest), notes
    return Source((data,), "py", digest), ()
