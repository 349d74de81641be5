"""Reads `submission_metadata.yml` of a Gradescope export: the few keys that say who handed in what.

No YAML library: the file holds one fixed shape (as written by Ruby's Psych), and a full reader would be one
more parser for text in which students choose their names. Everything deeper than the keys read here, such
as the output of an autograder, is passed over by its indentation.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass, field
from datetime import datetime

from ..times import stamp

_ITEM = re.compile(r"(?P<indent> +)(?P<dash>- )?:(?P<key>name|sid|email): *(?P<value>.*)")


@dataclass
class Record:
    """What the file says of one submission. `earlier`: how many attempts came before."""

    submitters: list[dict[str, str]] = field(default_factory=list)
    created_at: datetime | None = None
    earlier: int = 0


def read_metadata(text: str) -> dict[str, Record]:
    """Folder (or file) name -> record. Lines of any other shape are passed over."""
    records: dict[str, Record] = {}
    record: Record | None = None
    section = ""
    for line in re.split(r"\r\n|\r|\n", text):
        if line and line[0] not in " #-" and line.rstrip().endswith(":"):
            record = records[_scalar(line.rstrip()[:-1])] = Record()
            section = ""
        elif record is None:
            continue
        elif match := re.match(r"  :(\w+): *(.*)", line):
            section = match[1]
            if section == "created_at":
                record.created_at = stamp(_scalar(match[2]))
        elif section == "history" and re.match(r" {2,4}- ", line):
            record.earlier += 1
        elif section == "submitters" and (item := _ITEM.fullmatch(line)):
            if item["dash"]:
                record.submitters.append({})
            if record.submitters and item["key"] not in record.submitters[-1]:
                record.submitters[-1][item["key"]] = _scalar(item["value"])
    return records


def _scalar(text: str) -> str:
    """A one-line YAML scalar: plain, 'single' or "double" quoted; null is ''."""
    text = text.strip()
    if len(text) >= 2 and text[0] == text[-1] == "'":
        return text[1:-1].replace("''", "'")
    if len(text) >= 2 and text[0] == text[-1] == '"':
        # Psych's escapes beyond JSON's: \e, \0, \xHH; the rest is the same.
        body = re.sub(r"\\x([0-9A-Fa-f]{2})", r"\\u00\1", text)
        body = body.replace("\\e", "\\u001b").replace("\\0", "\\u0000")
        try:
            return str(json.loads(body))
        except ValueError:
            return text[1:-1]
    return "" if text in ("~", "null") else text
