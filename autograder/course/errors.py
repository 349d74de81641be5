"""What is wrong with a course's files, said so that it can be mended."""

import json
from collections.abc import Iterable
from typing import Any


class CourseError(ValueError):
    """A course file is wrong; the message names the file, the key, the value and what was expected.

    Several problems of one file are several lines.
    """


def nearest(word: str, words: Iterable[str]) -> str:
    """`; did you mean "..."?` for the closest of `words`, or nothing when none is close."""
    from difflib import get_close_matches  # only wrong files need it

    close = get_close_matches(word, list(words), n=1)
    return f'; did you mean "{close[0]}"?' if close else ""


def dotted(path: Iterable[str | int]) -> str:
    """A key path as one writes it: `assignments.linear.tasks."1.1".title`, `constructor[0]`."""
    text = ""
    for key in path:
        if isinstance(key, int):
            text += f"[{key}]"
        else:
            bare = key.replace("-", "_").isidentifier()
            text += ("." if text else "") + (key if bare else f'"{key}"')
    return text


def shown(value: Any, limit: int = 60) -> str:
    """A value much as TOML has it, cut short."""
    match value:
        case bool():
            text = "true" if value else "false"
        case str():
            text = json.dumps(value, ensure_ascii=False)
        case dict():
            inside = ", ".join(f"{key} = {shown(item)}" for key, item in value.items())
            text = f"{{ {inside} }}" if value else "{}"
        case list() | tuple():
            text = "[" + ", ".join(shown(item) for item in value) + "]"
        case _:
            text = str(value)
    return text if len(text) <= limit else text[: limit - 3] + "..."
