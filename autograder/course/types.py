"""What a single value of grading.toml may be."""

from keyword import iskeyword
from typing import Annotated, Any

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, PlainValidator, StringConstraints


class Table(BaseModel):
    """A TOML table: unknown keys and wrong types are errors, nothing is converted, nothing changes later."""

    model_config = ConfigDict(extra="forbid", frozen=True, strict=True, allow_inf_nan=False)


def _identifier(value: str) -> str:
    if not value.isidentifier() or iskeyword(value):
        raise ValueError('a Python name, such as "Wq"')
    return value


def _dim(value: Any) -> str | int:
    if isinstance(value, str) and value.isidentifier():
        return value
    if type(value) is int and value > 0:
        return value
    raise ValueError('a symbol, such as "T", or a size of at least 1')


def _distinct(values: tuple[Any, ...]) -> tuple[Any, ...]:
    for index, value in enumerate(values):
        if value in values[:index]:
            raise ValueError(f"each value once, but {value!r} stands there again")
    return values


Text = Annotated[str, StringConstraints(min_length=1)]
Identifier = Annotated[str, AfterValidator(_identifier)]
Identifiers = Annotated[tuple[Identifier, ...], AfterValidator(_distinct)]
Names = Annotated[tuple[Text, ...], AfterValidator(_distinct)]
# The size of one axis: a symbol that the shapes table gives a number, or the number itself.
Dim = Annotated[str | int, PlainValidator(_dim)]
Dims = tuple[Dim, ...]
Size = Annotated[int, Field(ge=1)]
Seed = Annotated[int, Field(ge=0)]
Count = Annotated[int, Field(ge=1)]
Positive = Annotated[float, Field(gt=0)]
Part = Annotated[float, Field(ge=0)]
