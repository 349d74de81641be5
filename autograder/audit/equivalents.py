"""Changes to a reference that change nothing a caller can rely on, listed by hand with the reason.

solutions/NAME/equivalents.toml holds [[equivalent]] tables: the function (`method`), the statement as the
audit prints it (`before`), what may stand in its place (`after`, a list) and why that is no mistake.
"""

from __future__ import annotations

import tomllib
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from ..course.errors import CourseError, dotted, shown
from .mutants import Mutant

Text = Annotated[str, Field(min_length=1)]


class Equivalent(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True, strict=True)

    method: Text
    before: Text
    after: Annotated[tuple[Text, ...], Field(min_length=1, strict=False)]
    reason: Text


class _File(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True, strict=True)

    equivalent: Annotated[tuple[Equivalent, ...], Field(strict=False)] = ()


def load_equivalents(path: Path, mutants: Sequence[Mutant]) -> dict[Mutant, str]:
    """The listed mutants with their reasons; empty when there is no file.

    Raises CourseError for a file of another form, and for an entry that fits no mutant.
    """
    if not path.is_file():
        return {}
    try:
        listed = _File.model_validate(tomllib.loads(path.read_text(encoding="utf-8")))
    except (OSError, tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise CourseError(f"{path}: cannot be read: {error}") from None
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        given = "" if first["type"] == "missing" else f" = {shown(first['input'])}"
        raise CourseError(f"{path}: {dotted(first['loc'])}{given}: {first['msg']}") from None
    found: dict[Mutant, str] = {}
    for entry in listed.equivalent:
        for after in entry.after:
            key = (entry.method, entry.before, after)
            fitting = [m for m in mutants if (m.method, m.before, m.after) == key]
            if not fitting:
                raise CourseError(
                    f"{path}: no change to {entry.method} makes {entry.before!r} into {after!r}; "
                    "copy both from what `autograder audit` prints, or take the entry out"
                )
            found |= dict.fromkeys(fitting, entry.reason)
    return found
