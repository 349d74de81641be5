"""The inputs of the checks: sizes and seeds turned into arrays, and the reference's answers."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from ..layer import InProcessLayer, Ref, Script, trusted_layer

if TYPE_CHECKING:
    from ..course import Assignment

Array = np.ndarray[Any, Any]


class Problem:
    """An assignment with its reference, as the checks need it. Made once for all submissions."""

    def __init__(self, assignment: Assignment, reference: bytes):
        self.assignment = assignment
        self.source = reference

    @cached_property
    def reference(self) -> InProcessLayer:
        """Raises ValueError when the reference does not define its class."""
        return trusted_layer(self.source, self.assignment.class_name)

    @property
    def parameters(self) -> tuple[str, ...]:
        return tuple(self.assignment.parameters)

    @property
    def pairs(self) -> list[tuple[str, str]]:
        """(parameter, name of its gradient)."""
        return list(self.assignment.gradients.items())

    @property
    def hidden_seeds(self) -> list[int]:
        """Of all checks that have one: where a check without its own draws what nobody is to know."""
        specs = self.assignment.checks.present.values()
        return [seed for spec in specs if (seed := getattr(spec, "hidden_seed", None)) is not None]

    def sizes(self, shape: str) -> dict[str, int]:
        return self.assignment.sizes(shape)

    def input_shape(self, shape: str) -> tuple[int, ...]:
        return self.assignment.resolve(self.assignment.input.shape, self.sizes(shape))

    def output_shape(self, shape: str) -> tuple[int, ...]:
        return self.assignment.resolve(self.assignment.output.shape, self.sizes(shape))

    def lesson_arrays(self, shape: str, seed: int) -> tuple[Array, Array]:
        """X, then an array of the output's shape, as the lesson draws them: np.random.seed, randn, randn."""
        rng = np.random.RandomState(seed)
        return rng.randn(*self.input_shape(shape)), rng.randn(*self.output_shape(shape))

    def weights(self, shape: str, seed: int, scale: float = 1.0) -> dict[str, Array]:
        """Parameters N(0, scale^2 / first axis), so that no true gradient is near zero by accident."""
        rng = np.random.default_rng(seed)
        values = {}
        for name, symbols in self.assignment.parameters.items():
            dims = self.assignment.resolve(symbols, self.sizes(shape))
            values[name] = rng.standard_normal(dims) * (scale / np.sqrt(max(dims[0], 1)))
        return values

    def initial(self, shape: str, seed: int | None = None) -> dict[str, Array]:
        """The reference's own initial parameters."""
        script = Script()
        layer = self.new(script, shape, seed)
        refs = {name: script.get(layer, name) for name in self.parameters}
        results = self.reference.run(script)
        return {name: results[ref] for name, ref in refs.items()}

    def new(self, script: Script, shape: str, seed: int | None = None) -> Ref:
        """A layer of the sizes that `shape` names."""
        sizes = self.sizes(shape)
        arguments: dict[str, Any] = {symbol: sizes[symbol] for symbol in self.assignment.constructor}
        if seed is not None and self.assignment.seed_argument:
            arguments[self.assignment.seed_argument] = seed
        return script.new(**arguments)

    def gradients(self, script: Script, layer: Ref) -> dict[str, Ref]:
        """Reads every parameter's gradient."""
        return {name: script.get(layer, name) for _, name in self.pairs}
