"""What the keys of a grading.toml say about each other, each rule on its own.

Rules yield `(key path, value, what was expected)`.
"""

import math
from collections.abc import Iterable, Iterator
from datetime import UTC, timedelta
from typing import Any

from autograder.course.errors import dotted, nearest, shown
from autograder.course.models import Assignment, Course
from autograder.course.specs import CheckSpec

Keys = tuple[str | int, ...]
Problem = tuple[Keys, Any, str]


def inconsistencies(course: Course) -> list[str]:
    """One sentence for each problem of a course whose keys and types are right."""
    problems = []
    for name, assignment in course.assignments.items():
        rules = (_points, _names, _symbols, _gradients, _checks, _parts, _deadline)
        found = [problem for rule in rules for problem in rule(assignment)]
        solution = course.solution_path(name)
        if not solution.is_file():
            found.append(((), None, f"the reference {solution}, which is not there"))
        for path, value, expected in found:
            where = dotted(("assignments", name, *path))
            given = "" if value is None else f" = {shown(value)}"
            problems.append(f"{where}{given}: expected {expected}")
    return problems


def _points(assignment: Assignment) -> Iterator[Problem]:
    checks = assignment.checks.present
    if not checks:
        yield ("checks",), {}, f"at least one of {', '.join(type(assignment.checks).model_fields)}"
        return
    yield from _sum(("points",), assignment.points, (spec.points for spec in checks.values()), "checks")
    for name, spec in checks.items():
        yield from _sum(("checks", name, "points"), spec.points, spec.parts.values(), "parts")


def _sum(path: Keys, points: float, terms: Iterable[float], of: str) -> Iterator[Problem]:
    terms = tuple(terms)
    if not math.isclose(points, math.fsum(terms), rel_tol=0, abs_tol=1e-9):
        sum_ = " + ".join(f"{term:g}" for term in terms)
        yield path, points, f"the sum of its {of}, {sum_} = {math.fsum(terms):g}"


def _names(assignment: Assignment) -> Iterator[Problem]:
    """Names that would stand for two things."""
    if assignment.seed_argument in assignment.constructor:
        yield ("seed_argument",), assignment.seed_argument, "a name that is not in constructor"
    if assignment.input.name in assignment.parameters:
        yield ("input", "name"), assignment.input.name, "a name that is not a parameter's"
    attributes: dict[str, str] = dict.fromkeys(assignment.parameters, "a parameter")
    for parameter, attribute in assignment.gradients.items():
        if attribute in attributes:
            yield (
                ("gradients", parameter),
                attribute,
                f"an attribute of its own; it is {attributes[attribute]} already",
            )
        attributes[attribute] = f"the gradient of {parameter}"


def _symbols(assignment: Assignment) -> Iterator[Problem]:
    """Every symbol has a size at every shape, and every size is of a symbol."""
    used = list(_uses(assignment))
    symbols = {symbol for _, symbol in used}
    sized = {symbol for shape in assignment.shapes.values() for symbol in shape}
    for path, symbol in used:
        if symbol not in sized:
            yield path, symbol, f"a symbol that the shapes give a size{nearest(symbol, sized)}"
    for name, shape in assignment.shapes.items():
        for symbol in sorted(shape.keys() - symbols):
            yield (
                ("shapes", name, symbol),
                shape[symbol],
                f"a symbol of the layer{nearest(symbol, symbols - shape.keys())}",
            )
        for symbol in sorted((symbols & sized) - shape.keys()):
            yield ("shapes", name), shape, f"a size for {symbol} too"


def _uses(assignment: Assignment) -> Iterator[tuple[Keys, str]]:
    places: list[tuple[Keys, tuple[str | int, ...]]] = [
        (("constructor",), assignment.constructor),
        (("input", "shape"), assignment.input.shape),
        (("output", "shape"), assignment.output.shape),
        *((("parameters", name), dims) for name, dims in assignment.parameters.items()),
        *((("cache", name), dims) for name, dims in assignment.cache.items()),
    ]
    for path, dims in places:
        for index, dim in enumerate(dims):
            if isinstance(dim, str):
                yield (*path, index), dim


def _gradients(assignment: Assignment) -> Iterator[Problem]:
    for name, attribute in assignment.gradients.items():
        yield from _known(("gradients", name), attribute, name, assignment.parameters, "parameter")
    for index, name in enumerate(assignment.distributions):
        yield from _known(("distributions", index), name, name, assignment.cache, "cache entry")


def _checks(assignment: Assignment) -> Iterator[Problem]:
    """A check names shapes and parameters that exist."""
    for check, spec in assignment.checks.present.items():
        for key in ("shape", "large_shape"):
            if (shape := getattr(spec, key, None)) is not None:
                yield from _known(("checks", check, key), shape, shape, assignment.shapes, "shape")
        for key in ("shapes", "further_shapes"):
            for index, shape in enumerate(getattr(spec, key, ())):
                yield from _known(("checks", check, key, index), shape, shape, assignment.shapes, "shape")
        for index, name in enumerate(getattr(spec, "frozen", ())):
            path = ("checks", check, "frozen", index)
            yield from _known(path, name, name, assignment.gradients, "parameter with a gradient")


def _parts(assignment: Assignment) -> Iterator[Problem]:
    """A part is one that its check knows, and the layer has what it looks at."""
    tensors = [*assignment.gradients, *([assignment.input.name] if assignment.input_gradient else [])]
    for check, spec in assignment.checks.present.items():
        for part, points in spec.parts.items():
            path = ("checks", check, "parts", part)
            known = spec.PARTS or tensors
            yield from _known(path, points, part, known, "part" if spec.PARTS else "tensor with a gradient")
            if part in known and (needed := _needed(assignment, spec, check, part)):
                yield path, points, f"{needed} for this part to look at"
        if check in ("monotone_loss", "zero_grad") and not assignment.gradients:
            yield ("gradients",), {}, f"the gradients that checks.{check} works with"


def _needed(assignment: Assignment, spec: CheckSpec, check: str, part: str) -> str | None:
    """The empty key that a part cannot do without."""
    needs = {
        ("forward", "shapes"): ("shapes", spec),
        ("forward", "cache"): ("cache", assignment),
        ("forward", "rows"): ("distributions", assignment),
        ("monotone_loss", "frozen"): ("frozen", spec),
    }
    key, owner = needs.get((check, part), ("", None))
    return f"a key {key} that is not empty" if owner is not None and not getattr(owner, key) else None


def _deadline(assignment: Assignment) -> Iterator[Problem]:
    if assignment.counts == "last-before-deadline" and assignment.late is None:
        yield ("counts",), assignment.counts, "a table late with its due date"
    if (late := assignment.late) is None:
        return
    try:
        due = late.due.astimezone(UTC)
    except OverflowError:
        yield ("late", "due"), late.due, "a time that is from the year 1 to the year 9999 in UTC too"
        return
    try:
        grace = timedelta(minutes=late.grace_minutes)
        _ = due + grace, late.due + grace  # both are reckoned with
    except OverflowError:
        expected = f"minutes that end before the year 10000, counted from due = {late.due}"
        yield ("late", "grace_minutes"), late.grace_minutes, expected


def _known(path: Keys, value: Any, name: str, names: Iterable[str], kind: str) -> Iterator[Problem]:
    names = list(names)
    if name not in names:
        listed = f"one of {', '.join(names)}" if names else "but there is none"
        yield path, value, f"the name of a {kind}, {listed}{nearest(name, names)}"
