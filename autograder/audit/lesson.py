"""What a layer gets if only the lesson's three tests run: shown to the teacher beside the hidden checks.

A two-point gradient check of the loss itself on the layer's small initial weights, a loss that falls, and
a zero_grad that leaves None or zeros.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ..checks.monotone_loss import losses
from ..course import Assignment
from ..gradcheck import naive_gradient, relative_error


def passes_the_lesson(cls: type, assignment: Assignment) -> bool:
    """Whether a layer passes all three, as far as the assignment has them. Raises what the layer raises."""
    return _gradients(cls, assignment) and _falls(cls, assignment) and _forgets(cls, assignment)


def _case(cls: type, assignment: Assignment, shape: str, seed: int) -> tuple[Any, Any, Any]:
    """A layer with its default seed, an input, and an array of the output's shape."""
    sizes = assignment.sizes(shape)
    rng = np.random.RandomState(seed)
    X = rng.randn(*assignment.resolve(assignment.input.shape, sizes))
    G = rng.randn(*assignment.resolve(assignment.output.shape, sizes))
    return cls(**{symbol: sizes[symbol] for symbol in assignment.constructor}), X, G


def _gradients(cls: type, assignment: Assignment) -> bool:
    spec = assignment.checks.gradcheck
    if spec is None:
        return True
    layer, X, G = _case(cls, assignment, spec.shapes[0], spec.seed)
    layer.forward(X)
    pairs = [(X, layer.backward(G))]
    pairs += [(getattr(layer, w), getattr(layer, g)) for w, g in assignment.gradients.items()]
    return all(
        relative_error(yours, naive_gradient(lambda: layer.forward(X), x, G)) < spec.threshold
        for x, yours in pairs
    )


def _falls(cls: type, assignment: Assignment) -> bool:
    spec = assignment.checks.monotone_loss
    if spec is None:
        return True
    layer, X, Y = _case(cls, assignment, spec.shape, spec.seed)
    outputs = []
    for _ in range(spec.steps):
        out = layer.forward(X)
        outputs.append(np.array(out))
        layer.backward((out - Y) / out.size)
        for weight, gradient in assignment.gradients.items():
            setattr(layer, weight, getattr(layer, weight) - spec.learning_rate * getattr(layer, gradient))
    return bool(np.all(np.diff(losses(np.array(outputs), Y)) < 0))


def _forgets(cls: type, assignment: Assignment) -> bool:
    spec = assignment.checks.zero_grad
    if spec is None:
        return True
    layer, X, G = _case(cls, assignment, spec.shape, spec.seed)
    layer.forward(X)
    layer.backward(G)
    layer.zero_grad()
    found = [getattr(layer, gradient) for gradient in assignment.gradients.values()]
    return all(value is None or not np.any(value) for value in found)
