"""The known mistakes of an assignment, each written down as a substitution on its reference.

One list serves three readers: the audit (every mistake must lose points in the check it names), the
diagnosis (a submission is recognised by what a mistake does) and the class report (causes). So the list
is read strictly, and a substitution that no longer fits the reference is an error with its name.
"""

from __future__ import annotations

import re
import tomllib
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError, model_validator

from autograder.course.errors import CourseError, dotted, shown

CheckId = Literal["forward", "gradcheck", "monotone_loss", "zero_grad", "contract"]
INIT = "init"  # the task of a mistake in the constructor, which the student is given
_BODY = re.compile(r"# BEGIN SOLUTION (\S+)[^\n]*\n(.*?)# END SOLUTION", re.DOTALL)
_SHORTEST_SECRET = 8  # characters without blanks: `return` and `else:` give nothing away


class _Record(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True, strict=True)


class Substitution(_Record):
    """What stands in the reference, and what the student writes instead."""

    find: Annotated[str, Field(min_length=1)]
    replace: str


class Mistake(_Record):
    """A known mistake: how to make it, why people make it, and three hints that lead out of it."""

    name: Annotated[str, Field(pattern=r"^[a-z0-9]+(-[a-z0-9]+)*$")]
    task: str  # a task of the reference's solution markers, or "init"
    check: CheckId  # the check that has to take points
    substitutions: Annotated[tuple[Substitution, ...], Field(min_length=1, strict=False)]
    why: Annotated[str, Field(min_length=1)]
    hints: Annotated[tuple[str, str, str], Field(strict=False)]  # a question, the formula, where to look
    reported: Annotated[tuple[str, ...], Field(strict=False)] = ()  # public issues or threads

    @model_validator(mode="before")
    @classmethod
    def _one_substitution(cls, data: Any) -> Any:
        """`find` and `replace` on the mistake itself are short for one substitution."""
        if not isinstance(data, dict) or not {"find", "replace"} & data.keys():
            return data
        if "substitutions" in data:
            raise ValueError("has both `substitutions` and `find` or `replace`; keep one of the two forms")
        data = dict(data)
        only = {key: data.pop(key) for key in ("find", "replace") if key in data}
        return {**data, "substitutions": [only]}

    def apply(self, source: str) -> str:
        """The source with this mistake made in it.

        Raises CourseError when a `find` does not occur exactly once.
        """
        for number, change in enumerate(self.substitutions, 1):
            if source.count(change.find) != 1:
                raise CourseError(_not_once(self.name, number, change.find, source))
            source = source.replace(change.find, change.replace)
        return source

    def line(self, source: str) -> int:
        """The 1-based number of the first line that the mistake changes, counted in `apply(source)`."""
        before, after = source.splitlines(), self.apply(source).splitlines()
        same = (
            number for number, pair in enumerate(zip(before, after, strict=False), 1) if pair[0] != pair[1]
        )
        return next(same, min(len(before), len(after)))


def load_mistakes(path: Path, reference_source: str, content: bytes | None = None) -> tuple[Mistake, ...]:
    """Read a mistakes.toml, whose `content` may be known, against the reference it belongs to.

    Raises CourseError, naming the file and the mistake, for TOML that does not parse, a missing or unknown
    key, an unknown task or check, a name used twice, hints that are not three or that hold a line of the
    solution, a substitution that does not apply exactly once, changes nothing or does not compile.
    A file of comments alone gives no mistakes.
    """
    bodies = _BODY.findall(reference_source)
    tasks = [task for task, _ in bodies] + [INIT]
    secrets = [line for _, body in bodies for line in _code_lines(body)]
    mistakes: dict[str, Mistake] = {}
    for number, entry in enumerate(_entries(path, content), 1):
        mistake = _mistake(path, number, entry)
        try:
            if mistake.name in mistakes:
                raise CourseError(f"mistake {mistake.name!r} is listed twice; give one of them another name")
            _validate(mistake, reference_source, tasks, secrets)
        except CourseError as error:
            raise CourseError(f"{path}: {error}") from None
        mistakes[mistake.name] = mistake
    return tuple(mistakes.values())


def stale(path: Path, reference_source: str) -> list[str]:
    """One sentence for each mistake whose substitutions no longer apply to the reference; else empty.

    What loading a course checks: a sixth of the time of `load_mistakes`, which says everything else.
    Raises CourseError for a file that is not a list of mistakes.
    """
    sentences = []
    for number, entry in enumerate(_entries(path), 1):
        if not isinstance(entry, dict):
            continue
        source = reference_source
        changes = entry.get("substitutions", [entry])
        for index, change in enumerate(changes if isinstance(changes, list) else [], 1):
            match change:
                case {"find": str(find), "replace": str(replace)} if source.count(find) == 1:
                    source = source.replace(find, replace)
                case {"find": str(find)}:
                    name = str(entry.get("name", f"number {number}"))
                    sentences.append(_not_once(name, index, find, source))
                    break
    return sentences


def _not_once(name: str, number: int, find: str, source: str) -> str:
    return (
        f"mistake {name!r}: `find` of substitution {number} occurs {source.count(find)} times in the "
        f"reference, expected exactly once: {find.strip()!r}; copy the text as it stands there now, "
        "with more of its surroundings if it is not unique"
    )


def _entries(path: Path, content: bytes | None = None) -> list[Any]:
    """The file's [[mistake]] tables as they stand there."""
    try:
        entries = tomllib.loads((path.read_bytes() if content is None else content).decode())
    except OSError as error:
        raise CourseError(
            f"{path}: cannot be read ({error.strerror}); expected the list of known mistakes"
        ) from None
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise CourseError(f"{path}: not valid TOML: {error}") from None
    unknown = sorted(entries.keys() - {"mistake"})
    if unknown or not isinstance(entries.setdefault("mistake", []), list):
        got = f"unknown key {unknown[0]!r}" if unknown else "a key mistake"
        raise CourseError(f"{path}: {got}; expected a list of [[mistake]] tables and nothing else")
    listed: list[Any] = entries["mistake"]
    return listed


def _mistake(path: Path, number: int, entry: Any) -> Mistake:
    try:
        return Mistake.model_validate(entry)
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        name = entry.get("name", f"number {number}") if isinstance(entry, dict) else f"number {number}"
        key = dotted(first["loc"])
        got = "" if first["type"] in ("missing", "value_error") else f", got {shown(first['input'])}"
        where = f", key {key!r}" if key else ""
        raise CourseError(f"{path}: mistake {name!r}{where}: {first['msg']}{got}") from None


def _validate(mistake: Mistake, reference: str, tasks: list[str], secrets: list[str]) -> None:
    if mistake.task not in tasks:
        raise CourseError(
            f"mistake {mistake.name!r}: unknown task {mistake.task!r}; expected one of {', '.join(tasks)}"
        )
    mutated = mistake.apply(reference)
    if mutated == reference:
        raise CourseError(
            f"mistake {mistake.name!r}: its substitutions change nothing; `replace` equals `find`"
        )
    try:
        compile(mutated, mistake.name, "exec", dont_inherit=True)
    except (SyntaxError, ValueError) as error:
        raise CourseError(
            f"mistake {mistake.name!r}: the mutated reference does not compile: {error}"
        ) from None
    for number, hint in enumerate(mistake.hints, 1):
        squeezed = "".join(hint.split())
        if any(secret in squeezed for secret in secrets):
            raise CourseError(
                f"mistake {mistake.name!r}: hint {number} holds a line of the solution; "
                f"say it as a formula: {hint!r}"
            )


def _code_lines(body: str) -> list[str]:
    """The lines of a solution without blanks and comments, those long enough to give something away."""
    lines = ("".join(line.split("#")[0].split()) for line in body.splitlines())
    return [line for line in lines if len(line) >= _SHORTEST_SECRET]
