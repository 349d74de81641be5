"""What a layer is asked for when its lines are looked for: calls, and the results that must come out."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from ..checks.problem import Problem
from ..layer import Array, Ref, Script

TOLERANCE = 1e-8  # of the largest entry: correct styles differ by 1e-15, single precision by 1e-7
ZERO_GRAD = "zero_grad"


@dataclass(frozen=True, eq=False)
class Value:
    """One array of the derivation."""

    array: Array
    name: str  # "dS"; "" for what has none
    owner: str  # the named value that the reference computes with it
    operation: int  # the operation of the program in which it arises
    site: int  # of the reference
    run: int  # how often that site had run before
    sites: list[int] = field(default_factory=list)  # where else it is seen in that operation


@dataclass
class Program:
    """Operations, the results to watch, and what the reference makes of them."""

    name: str
    parameters: tuple[str, ...] = ()
    script: Script = field(default_factory=Script)
    watched: list[tuple[str, int]] = field(default_factory=list)  # (tensor, operation)
    given: dict[int, Any] = field(
        default_factory=dict
    )  # operation -> what is expected, if not the reference's
    loose: float = 1.0  # how much larger errors may be than TOLERANCE
    expected: list[tuple[Any, float]] = field(default_factory=list)
    values: list[Value] = field(default_factory=list)
    recorded: dict[tuple[int, int], Array] = field(default_factory=dict)  # (site, operation) of the reference
    alone: Program | None = None  # the same calls, each pass with a layer of its own
    twin: dict[int, int] = field(default_factory=dict)  # of `alone`: operation there, by operation here

    def watch(self, tensor: str, ref: Ref, *expected: Any) -> None:
        if expected:
            self.given[ref.index] = expected[0]
        self.watched.append((tensor, ref.index))

    @property
    def indices(self) -> list[int]:
        return [index for _, index in self.watched]

    def method(self, operation: int) -> str:
        """The method that an operation calls, "__init__" for a new layer, else ""."""
        op = self.script.ops[operation]
        if op[0] == "new":
            return "__init__"
        return str(op[2]) if op[0] == "call" else ""

    @property
    def limit(self) -> float:
        return TOLERANCE * self.loose


class Programs:
    """The programs of an assignment at given sizes, before the reference has run them."""

    def __init__(self, problem: Problem, sizes: Mapping[str, int]):
        self.problem, self.sizes = problem, sizes

    def arrays(self, seed: int, sizes: Mapping[str, int]) -> tuple[Array, Array]:
        """The input and the upstream gradient."""
        assignment, rng = self.problem.assignment, np.random.default_rng(7001 + seed)
        shapes = (assignment.input.shape, assignment.output.shape)
        x, g = (rng.standard_normal(assignment.resolve(shape, sizes)) for shape in shapes)
        return x, g

    def weights(self, seed: int, scale: float = 1.0) -> dict[str, Array]:
        assignment, rng = self.problem.assignment, np.random.default_rng(8001 + seed)
        found = {}
        for name, symbols in assignment.parameters.items():
            dims = assignment.resolve(symbols, self.sizes)
            found[name] = rng.standard_normal(dims) * (scale / np.sqrt(max(dims[0], 1)))
        return found

    def _new(self, script: Script, seed: int | None = None) -> Ref:
        assignment = self.problem.assignment
        arguments: dict[str, Any] = {symbol: self.sizes[symbol] for symbol in assignment.constructor}
        if seed is not None and assignment.seed_argument:
            arguments[assignment.seed_argument] = seed
        return script.new(**arguments)

    def _layer(self, program: Program, seed: int, scale: float = 1.0) -> Ref:
        program.script.group()
        layer = self._new(program.script)
        program.script.set_all(layer, self.weights(seed, scale))
        return layer

    @property
    def names(self) -> tuple[str, str]:
        """What forward and backward return."""
        assignment = self.problem.assignment
        return assignment.output.name, assignment.input_gradient or f"d{assignment.input.name}"

    def _program(self, name: str, loose: float = 1.0) -> Program:
        return Program(name, self.problem.parameters, loose=loose)

    def values(self, seed: int) -> Program:
        """One forward and one backward."""
        p = self._program("values")
        self._pass(p, self._layer(p, seed), *self.arrays(seed, self.sizes))
        return p

    def _pass(self, p: Program, layer: Ref, x: Any, g: Any) -> tuple[Ref, Ref]:
        forward, backward = p.script.call(layer, "forward", x), p.script.call(layer, "backward", g)
        for name, ref in zip(self.names, (forward, backward), strict=True):
            p.watch(name, ref)
        self._gradients(p, layer)
        return forward, backward

    def _gradients(self, p: Program, layer: Ref) -> None:
        for name, ref in self.problem.gradients(p.script, layer).items():
            p.watch(name, ref)

    def large(self, seed: int) -> list[Program]:
        """Values far from zero: exp overflows where nothing prevents it."""
        found = []
        ones = dict.fromkeys((n for n in self.sizes if n not in self.problem.assignment.constructor), 1)
        for name, sizes, sign in (("large", {}, 1.0), ("large+", ones, 1.0), ("large-", ones, -1.0)):
            p = self._program(name, loose=10.0)
            weights = self.weights(seed, 60.0)
            layer = self._layer(p, seed, 60.0)
            first = next(iter(weights))
            p.script.set(layer, first, sign * weights[first])
            x, _ = self.arrays(seed, {**self.sizes, **sizes})
            p.watch(self.names[0], p.script.call(layer, "forward", x))
            found.append(p)
        return found

    def small(self, seed: int) -> list[Program]:
        """Axes of length one, each alone and all together."""
        free = [symbol for symbol in self.sizes if symbol not in self.problem.assignment.constructor]
        found = []
        for ones in [[symbol] for symbol in free] + ([free] if len(free) > 1 else []):
            # At T = 1 an exact zero is judged against the others.
            p = self._program("small " + " ".join(ones), loose=1e3)
            self._pass(p, self._layer(p, seed), *self.arrays(seed, {**self.sizes, **dict.fromkeys(ones, 1)}))
            found.append(p)
        return found

    def cache(self) -> Program:
        """What forward keeps, where the assignment says what that is."""
        p = self._program("cache")
        if self.problem.assignment.cache:
            layer = self._layer(p, 0)
            p.script.call(layer, "forward", self.arrays(0, self.sizes)[0])
            p.watch("cache", p.script.get(layer, "cache"))
        return p

    def again(self) -> Program:
        """One layer used several times; what it gave before and what it was given must stay."""
        p, alone = self._program("again"), self._program("alone")
        s, (out, dinput), layer = p.script, self.names, self._layer(p, 0)
        x, g = self.arrays(0, self.sizes)
        constructor = self.problem.assignment.constructor
        more = {name: n if name in constructor else n + 1 for name, n in self.sizes.items()}
        x2, g2 = self.arrays(4, self.sizes)
        x3, g3 = self.arrays(2, more)
        first, upstream = s.array(x), s.array(g)
        self._both(p, alone, layer, 0, (first, x), (upstream, g))
        self._both(p, alone, layer, 0, (s.array(x2), x2), (s.array(g2), g2))
        self._both(p, alone, layer, 0, (s.array(x3), x3), (s.array(g3), g3))
        again = s.call(layer, "backward", s.array(g3))
        p.watch(dinput, again)
        alone.twin[again.index] = max(alone.twin.values())
        self._gradients(p, layer)
        p.watch(self.problem.assignment.input.name, s.reread(first), x)
        p.watch(f"d{out}", s.reread(upstream), g)
        for name, value in self.weights(0).items():
            p.watch(name, s.get(layer, name), value)
        # The same array once more, after the parameters have changed.
        layer = self._layer(p, 0)
        kept = s.array(x)
        self._both(p, alone, layer, 0, (kept, x), None)
        s.set_all(layer, self.weights(2))
        self._both(p, alone, layer, 2, (kept, x), (g, g))
        self._gradients(p, layer)
        p.alone = alone
        return p

    def interleaved(self) -> Program:
        """Two layers in turn."""
        p, alone = self._program("interleaved"), self._program("alone")
        s = p.script
        layers: list[tuple[Ref, Ref, Array, Array]] = []
        for seed in (0, 2):
            layer = self._layer(p, seed) if not layers else self._new(s)
            s.set_all(layer, self.weights(seed))
            layers.append((layer, self._layer(alone, seed), *self.arrays(seed, self.sizes)))
        twins = [self._pass(alone, apart, x, g) for _, apart, x, g in layers]
        for at, method in enumerate(("forward", "backward")):
            for (layer, _, *inputs), twin in zip(layers, twins, strict=True):
                ref = s.call(layer, method, inputs[at])
                p.watch(self.names[at], ref)
                alone.twin[ref.index] = twin[at].index
        for layer, *_ in layers:
            self._gradients(p, layer)
        p.alone = alone
        return p

    def _both(self, p: Program, alone: Program, layer: Ref, seed: int, x: Any, g: Any) -> None:
        """Forward and, with `g`, backward; in `alone` the same with a layer of its own."""
        apart = self._layer(alone, seed)
        for name, tensor, pair in zip(("forward", "backward"), self.names, (x, g), strict=True):
            if pair is not None:
                ref = p.script.call(layer, name, pair[0])
                p.watch(tensor, ref)
                alone.twin[ref.index] = alone.script.call(apart, name, pair[1]).index

    def zero_grad(self) -> list[Program]:
        """Gradients become None or zeros; parameters and what backward needs stay."""
        weights, (x, g), found = self.weights(0), self.arrays(0, self.sizes), []
        for name in ("zero_grad first", "zero_grad", "zero_grad between"):
            p = self._program(name)
            s, layer = p.script, self._layer(p, 0)
            if name != "zero_grad first":
                s.call(layer, "forward", x)
                s.call(layer, "backward", g)
            p.watch(ZERO_GRAD, s.call(layer, ZERO_GRAD), None)
            if name == "zero_grad":
                for parameter, gradient in self.problem.pairs:
                    p.watch(gradient, s.get(layer, gradient), list(weights[parameter].shape))
                for parameter, value in weights.items():
                    p.watch(parameter, s.get(layer, parameter), value)
            elif name == "zero_grad between":
                p.watch(self.names[1], s.call(layer, "backward", g))
                self._gradients(p, layer)
            found.append(p)
        return found

    def initial(self) -> list[Program]:
        """Freshly drawn parameters, and NumPy's global generator left alone."""
        found = []
        for seed in (7, None) if self.problem.assignment.seed_argument else (None,):
            p = self._program("initial" if seed is None else "initial seed", loose=1e-4)
            before = p.script.rng()
            layer = self._new(p.script, seed)
            for name in self.problem.parameters:
                p.watch(name, p.script.get(layer, name))
            p.watch("np.random", p.script.rng(), before)
            found.append(p)
        return found
