"""check.json: what the student's loop has to know of an assignment, so that its programs serve any."""

from __future__ import annotations

import json
from typing import Any

import numpy as np

from autograder.build.errors import BuildError
from autograder.checks.problem import Problem
from autograder.course import Assignment
from autograder.layer import Script

DIGITS = 10  # of public numbers: fewer than machines differ in


def facts(assignment: Assignment, reference: bytes) -> str:
    """The text of check.json: names, tasks, hints, the public inputs, and what `forward` gives there.

    No seed, shape or number in it comes from a hidden input.
    """
    shape, seed = assignment.public_case()
    sizes = assignment.sizes(shape)
    content = {
        "title": assignment.title,
        "file": f"{assignment.name}.py",
        "module": assignment.name,
        "tests": f"test_{assignment.name}",
        "class": assignment.class_name,
        "tasks": {
            task: {"title": entry.title, "method": entry.method, "hints": entry.hints}
            for task, entry in assignment.tasks.items()
        },
        "pictures": [e.method for e in assignment.tasks.values() if e.method in ("forward", "backward")],
        "output": assignment.output.name,
        "cache": list(assignment.cache),
        "distributions": assignment.distributions,
        "gradients": assignment.gradients,
        "input_gradient": assignment.input_gradient,
        "public": {
            "constructor": {symbol: sizes[symbol] for symbol in assignment.constructor},
            "input": assignment.resolve(assignment.input.shape, sizes),
            "output": assignment.resolve(assignment.output.shape, sizes),
            "seed": seed,
            "arrays": _expected(Problem(assignment, reference), shape, seed),
        },
        "hidden": [
            {"title": spec.title, "points": spec.points, "parts": [p.replace("_", " ") for p in spec.parts]}
            for spec in assignment.checks.present.values()
        ],
    }
    return json.dumps(content, indent=1, ensure_ascii=False) + "\n"


def _expected(problem: Problem, shape: str, seed: int) -> dict[str, Any]:
    """The output and the distributions of the cache at the public input."""
    script, assignment = Script(), problem.assignment
    X, _ = problem.lesson_arrays(shape, seed)
    layer = problem.new(script, shape)
    out, cache = script.call(layer, "forward", X), script.get(layer, "cache")
    results = problem.reference.run(script)
    if raised := results.first_raised():
        raise BuildError(
            f"{assignment.name}: its reference raises {raised.name}; "
            f"`autograder audit {assignment.name}` says what is missing"
        )
    arrays = {assignment.output.name: results[out]}
    if assignment.distributions:
        kept = dict(zip(assignment.cache, results[cache], strict=True))
        arrays |= {name: kept[name] for name in assignment.distributions}
    return {name: _rounded(array) for name, array in arrays.items()}


def _rounded(array: np.ndarray[Any, Any]) -> Any:
    flat = [float(f"{value:.{DIGITS}g}") for value in array.ravel()]
    return np.array(flat).reshape(array.shape).tolist()
