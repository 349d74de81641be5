"""Makes a string that a student controls harmless where it is shown: one function for each kind of place.

A name, a file's name or a line of code passes unchanged unless it holds something that its place obeys.
All of them make control characters and marks that reorder text visible, and take apart what CI logs read
as commands (`::error::`, `##[group]`, `##vso[...]`), since any file may be printed into such a log.
Templates of HTML escape what is put into them, so that `inert` is enough there.
"""

from __future__ import annotations

import re

from ..submission.text import visible

_COMMAND = re.compile(r"##(?=\w*\[)")  # GitHub, Azure, TeamCity: `##[`, `##vso[`, `##teamcity[`
_MARKUP = re.compile(r"[!#$&()*+.:<=>@\[\\\]_`{|}~-]")
_FORMULA = tuple("=+-@＝＋－＠\t\r\n")  # the wide ones are read as the narrow
_NOT_XML = re.compile("[\ufffe\uffff]")  # what is left of them once control characters are visible
_NOT_PLAIN = re.compile(r"[\x7f-\x9f\u2028\u2029\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069\ufeff]")


def inert(text: str) -> str:
    """For a terminal, a log or a template that escapes: one line of plain text."""
    text = visible(text)
    while "::" in text:
        text = text.replace("::", ": :")
    return _COMMAND.sub("## ", text)


def markdown(text: str) -> str:
    """For running text or a table's cell in Markdown: shows as `inert` does; nobody is notified."""
    # A backslash by its number: one before a table's bar would escape the bar.
    marked = _MARKUP.sub(r"\\\g<0>", inert(text)).replace("\\\\", "&#92;")
    return marked.replace("@", "@\u200b")


def cell(text: str) -> str:
    """For a cell of a CSV file: what a spreadsheet would read as a formula gets an apostrophe before it.

    Ids of any platform pass unchanged, so that a gradebook finds its students again.
    """
    return ("'" if text.lstrip(" ").startswith(_FORMULA) else "") + inert(text)


def xml(text: str) -> str:
    """For text or an attribute that an XML writer will escape: only characters that XML may hold."""
    return _NOT_XML.sub("\ufffd", inert(text))


def json_line(document: str) -> str:
    """A JSON document on one line, with escapes for what a terminal or a log obeys: the same values."""
    escaped = _NOT_PLAIN.sub(lambda found: f"\\u{ord(found[0]):04x}", document)
    return _COMMAND.sub(r"#\\u0023", escaped).replace("::", r":\u003a")
