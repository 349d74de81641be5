"""pydantic's errors about a grading.toml, as sentences about its keys."""

from collections.abc import Mapping
from typing import Any, get_args, get_origin

from pydantic import BaseModel

from autograder.course.errors import dotted, nearest, shown
from autograder.course.models import FILLED_IN, Course

# What pydantic calls an error, and what the file's reader is told was expected.
_EXPECTED = {
    "string_type": "a string",
    "string_too_short": "a string that is not empty",
    "string_pattern_mismatch": 'numbers and dots, such as "1.2"',
    "int_type": "a whole number",
    "float_type": "a number",
    "finite_number": "a finite number",
    "tuple_type": "an array",
    "dict_type": "a table",
    "model_type": "a table",
    "too_short": "at least one entry",
    "datetime_type": "a date and time without quotes",
    "timezone_aware": "a zone too, such as 2026-03-01T23:59:00+01:00",
    "bool_type": "true or false",
    "greater_than": "a number above {gt:g}",
    "greater_than_equal": "at least {ge:g}",
    "literal_error": "one of {expected}",
    "value_error": "{error}",
}


def sentence(problem: Mapping[str, Any]) -> str:
    """One of `ValidationError.errors()` as `key = value: what was expected`."""
    kind, path = problem["type"], list(problem["loc"])
    of_key = path[-1] == "[key]"
    if of_key:
        path.pop()
    where = dotted(path)
    if kind == "missing":
        return f"{where}: missing; expected {_description(path)}"
    value = shown(problem["input"])
    if kind == "extra_forbidden":
        return f"{where} = {value}: unknown key{nearest(str(path[-1]), _keys(path[:-1]))}"
    expected = _EXPECTED.get(kind, problem["msg"]).format(**problem.get("ctx", {}))
    return f"{where}: as a key, expected {expected}" if of_key else f"{where} = {value}: expected {expected}"


def _description(path: list[str | int]) -> str:
    return getattr(_at(path), "description", None) or "a value"


def _keys(path: list[str | int]) -> list[str]:
    """The keys that the table at a path may have."""
    model = _model(_at(path))
    return [key for key in _aliases(model) if key not in FILLED_IN.get(model, ())] if model else []


def _at(path: list[str | int]) -> Any:
    """What the models have at a key path: a field, or the type of a dictionary's values."""
    found: Any = Course
    for key in path:
        annotation = getattr(found, "annotation", found)
        if get_origin(annotation) is dict:
            found = get_args(annotation)[1]
        elif model := _model(found):
            found = _aliases(model).get(str(key))
        else:
            return None
    return found


def _model(found: Any) -> type[BaseModel] | None:
    annotation = getattr(found, "annotation", found)
    for candidate in (annotation, *get_args(annotation)):  # `ForwardSpec | None`
        if isinstance(candidate, type) and issubclass(candidate, BaseModel):
            return candidate
    return None


def _aliases(model: type[BaseModel]) -> dict[str, Any]:
    return {field.alias or name: field for name, field in model.model_fields.items()}
