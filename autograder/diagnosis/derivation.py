"""The derivation as values: what the reference computes, line by line, on inputs made for diagnosis.

A program is a list of operations on a layer and the results that must come out. The reference is run
through it once, rewritten as a submission is, so that every value of its forward and backward is known.
"""

from __future__ import annotations

import ast
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property, lru_cache
from typing import Any

import numpy as np

from ..checks.problem import Problem
from ..layer import Array, Ref, Script
from ..sandbox.interpreter import load
from ..sandbox.tracing import Tracer, Tracing

PRIMES = (5, 7, 11, 13, 17, 19, 23, 29)  # all sizes, their roots and their products differ
TOLERANCE = 1e-8  # of the largest entry: correct styles differ by 1e-15, single precision by 1e-7
ZERO_GRAD = "zero_grad"


@dataclass(frozen=True)
class Value:
    """One array of the derivation."""

    array: Array
    name: str  # "dS"; "" for what has none
    owner: str  # the named value that the reference computes with it
    operation: int  # the operation of the program in which it arises
    site: int  # of the reference


@dataclass
class Program:
    """Operations, the results to watch, and what the reference makes of them."""

    name: str
    script: Script = field(default_factory=Script)
    watched: list[tuple[str, int]] = field(default_factory=list)  # (tensor, operation)
    given: dict[int, Any] = field(default_factory=dict)  # operation -> what is expected, if not the reference's
    loose: float = 1.0  # how much larger errors may be than TOLERANCE
    expected: list[tuple[Any, float]] = field(default_factory=list)
    values: list[Value] = field(default_factory=list)

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


class Derivation:
    """The programs of an assignment with the reference's values in them."""

    def __init__(self, problem: Problem):
        self.problem = problem
        self.tracer = Tracer()
        cls, raised, _ = load([problem.source], problem.assignment.class_name, False, self.tracer)
        if cls is None or raised is not None:
            raise ValueError(f"the reference does not load: {raised}")
        self.layer = Tracing(cls, self.tracer)
        self.sizes = self._sizes()

    def _sizes(self) -> dict[str, int]:
        """Sizes that all differ, or those of the last named shape where the reference wants others."""
        assignment = self.problem.assignment
        named = [assignment.sizes(shape) for shape in assignment.shapes]
        free = [symbol for symbol in named[0] if symbol not in assignment.constructor]
        symbols = [*free, *reversed(assignment.constructor)]
        primes = dict(zip(symbols, PRIMES, strict=False))
        for sizes in (primes, *reversed(named)):
            if sizes.keys() == named[0].keys():
                try:
                    self.sizes = sizes
                    self.values(0)
                except ValueError:
                    continue
                return sizes
        raise ValueError("the reference runs at none of its shapes")

    @cached_property
    def programs(self) -> tuple[Program, ...]:
        """In the order in which faults are looked for."""
        made = [self.values(0), self.large(), self.small(), self.cache(), self.again(), self.interleaved()]
        made += [self.zero_grad()] if self._has(ZERO_GRAD) else []
        return (*made, self.initial())

    @cached_property
    def confirmation(self) -> dict[str, Program]:
        """The same programs with other numbers, by name."""
        made = [self.values(1), self.large(1), self.small(1), self.again(1), self.interleaved(1)]
        return {program.name: program for program in made}

    def _has(self, method: str) -> bool:
        return any(task.method == method for task in self.problem.assignment.tasks.values())

    # Inputs

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

    # Programs

    def values(self, seed: int) -> Program:
        """One forward and one backward."""
        p = Program("values")
        self._pass(p, self._layer(p, seed), *self.arrays(seed, self.sizes))
        return self._run(p)

    def _pass(self, p: Program, layer: Ref, x: Any, g: Any, gradients: bool = True) -> None:
        out, dinput = self.names
        p.watch(out, p.script.call(layer, "forward", x))
        p.watch(dinput, p.script.call(layer, "backward", g))
        if gradients:
            self._gradients(p, layer)

    def _gradients(self, p: Program, layer: Ref, *expected: Any) -> None:
        for name, ref in self.problem.gradients(p.script, layer).items():
            p.watch(name, ref, *expected)

    def large(self, seed: int = 0) -> Program:
        """Values far from zero: exp overflows where nothing prevents it."""
        p = Program("large", loose=10.0)
        constructor = self.problem.assignment.constructor
        for ones in (False, True):  # all far below zero is likely only where there are few
            sizes = {name: 1 if ones and name not in constructor else n for name, n in self.sizes.items()}
            for sign in (60.0, -60.0) if ones else (60.0,):
                weights = self.weights(seed, 60.0)
                layer = self._layer(p, seed, 60.0)
                first = next(iter(weights))
                p.script.set(layer, first, np.sign(sign) * weights[first])
                p.watch(self.names[0], p.script.call(layer, "forward", self.arrays(seed, sizes)[0]))
        return self._run(p)

    def small(self, seed: int = 0) -> Program:
        """Axes of length one, each alone and all together."""
        p = Program("small", loose=1e3)  # at T = 1 an exact zero is judged against the others
        constructor = self.problem.assignment.constructor
        free = [symbol for symbol in self.sizes if symbol not in constructor]
        for ones in ([*[[symbol] for symbol in free], free] if len(free) > 1 else [free]):
            sizes = {**self.sizes, **dict.fromkeys(ones, 1)}
            self._pass(p, self._layer(p, seed), *self.arrays(seed, sizes))
        return self._run(p)

    def cache(self) -> Program:
        """What forward keeps, where the assignment says what that is."""
        p = Program("cache")
        if self.problem.assignment.cache:
            layer = self._layer(p, 0)
            p.script.call(layer, "forward", self.arrays(0, self.sizes)[0])
            p.watch("cache", p.script.get(layer, "cache"))
        return self._run(p)

    def again(self, seed: int = 0) -> Program:
        """One layer used several times; what it gave before and what it was given must stay."""
        p = Program("again")
        s, (out, dinput), layer = p.script, self.names, self._layer(p, seed)
        x, g = self.arrays(seed, self.sizes)
        constructor = self.problem.assignment.constructor
        more = {name: n if name in constructor else n + 1 for name, n in self.sizes.items()}
        x2, g2 = self.arrays(seed + 2, more)
        first, upstream = s.array(x), s.array(g)
        p.watch(out, s.call(layer, "forward", first))
        p.watch(dinput, s.call(layer, "backward", upstream))
        self._pass(p, layer, s.array(x2), s.array(g2), gradients=False)
        p.watch(dinput, s.call(layer, "backward", s.array(g2)))
        self._gradients(p, layer)
        p.watch(self.problem.assignment.input.name, s.reread(first), x)
        p.watch(f"d{out}", s.reread(upstream), g)
        for name, value in self.weights(seed).items():
            p.watch(name, s.get(layer, name), value)
        # The same array once more, after the parameters have changed.
        layer = self._layer(p, seed)
        kept = s.array(x)
        s.call(layer, "forward", kept)
        s.set_all(layer, self.weights(seed + 2))
        self._pass(p, layer, kept, g)
        return self._run(p)

    def interleaved(self, seed: int = 0) -> Program:
        """Two layers in turn."""
        p = Program("interleaved")
        s, (out, dinput) = p.script, self.names
        a = self._layer(p, seed)
        b = self._new(s)
        s.set_all(b, self.weights(seed + 2))
        (x, g), (x2, g2) = self.arrays(seed, self.sizes), self.arrays(seed + 2, self.sizes)
        p.watch(out, s.call(a, "forward", x))
        p.watch(out, s.call(b, "forward", x2))
        p.watch(dinput, s.call(a, "backward", g))
        p.watch(dinput, s.call(b, "backward", g2))
        self._gradients(p, a)
        self._gradients(p, b)
        return self._run(p)

    def zero_grad(self) -> Program:
        """Gradients become None or zeros; parameters and what backward needs stay."""
        p = Program("zero_grad")
        s, weights = p.script, self.weights(0)
        x, g = self.arrays(0, self.sizes)
        layer = self._layer(p, 0)
        p.watch(ZERO_GRAD, s.call(layer, ZERO_GRAD), None)
        for further in (False, True):
            layer = self._layer(p, 0)
            s.call(layer, "forward", x)
            s.call(layer, "backward", g)
            p.watch(ZERO_GRAD, s.call(layer, ZERO_GRAD), None)
            if not further:
                self._gradients(p, layer, None)
                for name, value in weights.items():
                    p.watch(name, s.get(layer, name), value)
            else:
                p.watch(self.names[1], s.call(layer, "backward", g))
                self._gradients(p, layer)
        return self._run(p)

    def initial(self) -> Program:
        """Freshly drawn parameters, and NumPy's global generator left alone."""
        p = Program("initial", loose=1e-4)
        seeded = self.problem.assignment.seed_argument
        for seed in (None, 7) if seeded else (None,):
            p.script.group()
            before = p.script.rng()
            layer = self._new(p.script, seed)
            p.watch("np.random", p.script.rng(), before)
            for name in self.problem.parameters:
                p.watch(name, p.script.get(layer, name))
        return self._run(p)

    def _run(self, p: Program) -> Program:
        """Fill in what the reference gives. Raises ValueError where it does not run."""
        results, raised, events = self.trace(self.layer, p)
        if raised is not None:
            raise ValueError(f"the reference does not run: {raised}")
        found = [p.given.get(i, results[i]) for i in p.indices]
        scales = [_largest(value) for value in found]
        floor = 1e-3 * max(scales, default=0.0)
        p.expected = [
            (tuple(v) if isinstance(v, (tuple, list)) else v, max(scale, floor, 1e-300))
            for v, scale in zip(found, scales, strict=True)
        ]
        p.values = named_values(self.tracer.sites, events)
        return p

    @staticmethod
    def trace(layer: Tracing, p: Program) -> tuple[Sequence[Any], Any, list[Any]]:
        """(results by operation, exception or None, events) of one run in this process."""
        layer.tracer.start({}, frozenset(range(len(layer.tracer.sites))))
        results, raised = layer.play(p.script.ops)
        events = layer.tracer.events
        layer.tracer.start({}, None)
        return [_copied(value) for value in results], raised, events

    @cached_property
    def tree(self) -> ast.Module:
        return ast.parse(self.problem.source)


def _copied(value: Any) -> Any:
    return np.array(value) if isinstance(value, np.ndarray) else value


def _largest(value: Any) -> float:
    if isinstance(value, (tuple, list)):
        return max((_largest(item) for item in value), default=0.0)
    return float(np.max(np.abs(value), initial=0.0)) if isinstance(value, np.ndarray) else 0.0


def named_values(sites: Sequence[Any], events: Sequence[Any]) -> list[Value]:
    """The distinct arrays among the events of each operation; of equal ones the one with a name."""
    owners = {}
    for _, _, kind, statement, name in sites:
        if kind == "assign" and name:
            owners.setdefault(statement, name.lstrip("."))
    found: dict[tuple[Any, ...], Value] = {}
    for site, _, operation, _, array in events:
        name, statement = sites[site][4].lstrip("."), sites[site][3]
        key = (operation, array.shape, array.tobytes())
        if key not in found or (name and not found[key].name):
            first = found[key].site if key in found else site
            found[key] = Value(array, name, owners.get(statement, ""), operation, first)
    return list(found.values())


@lru_cache(maxsize=8)
def derivation(problem: Problem) -> Derivation:
    """Made once for all submissions. Raises ValueError when the reference does not run."""
    return Derivation(problem)
