"""What the diagnosis asks of a layer: one program on inputs of its own, the same for every submission.

The sizes tell symbols apart: at the main shape all sizes, their roots and products differ. Nothing here
is hidden from students, so every number of a diagnosis may be shown.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from ..checks.problem import Problem
from ..layer import Described, NotRun, Raised, Ref, Results, Script
from . import fingerprint

Array = np.ndarray[Any, Any]

FREE = (3, 5, 2, 4)  # sizes of the symbols that one layer serves at any size: B, T
BOUND = (23, 7, 11, 13)  # of those that the constructor takes: C, hs
LOGITS = 60.0  # weights this many times N(0, 1/C) for logits in the thousands


@dataclass(frozen=True)
class Question:
    """One thing to compare: where it is in the results, and what it is called."""

    key: str
    check: str  # that looks at this as well
    tensor: str
    when: str  # in words, empty for the plain pass
    ref: Ref
    how: str = ""  # see fingerprint.read
    extra: Any = None

    @property
    def prefix(self) -> str:
        return self.key.partition(".")[0]


class Questions:
    """The program of an assignment. `ask` and `answers` are what the rest of the room needs."""

    def __init__(self, problem: Problem):
        self.problem, self.script = problem, Script()
        self.asked: list[Question] = []
        self._draws: dict[int, tuple[Array, list[Any]]] = {}
        self.assignment = problem.assignment
        self.out = self.assignment.output.name
        self.dinput = self.assignment.input_gradient or f"d{self.assignment.input.name}"
        free = [s for s in map(str, self.assignment.input.shape) if s not in self.assignment.constructor]
        self.main = dict(zip(self.assignment.constructor, BOUND, strict=False)) | dict(
            zip(free, FREE, strict=False)
        )
        self.free = free
        self._ask()
        # Where a layer that is wrong and nothing else gives its first answers again.
        repeating = ("again", "between", "kept", "apart", "zero again")
        self.base = {q.key: f"first.{q.tensor}" for q in self.asked if q.prefix in repeating}

        self.axes: dict[str, tuple[str | int, ...]] = {
            **self.assignment.parameters,
            **self.assignment.cache,
            **{gradient: self.assignment.parameters[name] for name, gradient in problem.pairs},
            self.assignment.input.name: self.assignment.input.shape,
            self.dinput: self.assignment.input.shape,
            self.out: self.assignment.output.shape,
            f"d{self.out}": self.assignment.output.shape,
        }

    # ---- the program ----

    def draw(self, scale: float, shape: tuple[int, ...]) -> Array:
        seed = len(self._draws)
        array: Array = fingerprint.draw(seed, scale, *shape)
        self._draws[id(array)] = (array, [seed, scale, *shape])
        return array

    def inputs(self, sizes: Mapping[str, int]) -> tuple[Array, Array]:
        """X and dout at `sizes`."""
        resolve, a = self.assignment.resolve, self.assignment
        return self.draw(1.0, resolve(a.input.shape, sizes)), self.draw(1.0, resolve(a.output.shape, sizes))

    def weights(self, sizes: Mapping[str, int], scale: float = 1.0) -> dict[str, Array]:
        """Parameters N(0, scale^2 / first axis)."""
        shapes = {n: self.assignment.resolve(d, sizes) for n, d in self.assignment.parameters.items()}
        return {n: self.draw(scale / np.sqrt(max(s[0], 1)), s) for n, s in shapes.items()}

    def layer(self, sizes: Mapping[str, int], weights: Mapping[str, Array]) -> Ref:
        self.script.group()
        layer = self.script.new(**{s: sizes[s] for s in self.assignment.constructor})
        self.script.set_all(layer, weights)
        return layer

    def _add(
        self, prefix: str, tensor: str, check: str, when: str, ref: Ref, how: str = "", extra: Any = None
    ) -> None:
        key = f"{prefix}.{tensor}"
        self.asked.append(Question(key, check, tensor, when, ref, how, extra))

    def _forward(self, prefix: str, check: str, when: str, layer: Ref, X: Any) -> Ref:
        ref = self.script.call(layer, "forward", X)
        self._add(prefix, self.out, check, when, ref)
        return ref

    def _backward(self, prefix: str, check: str, when: str, layer: Ref, G: Any) -> dict[str, Ref]:
        refs = {self.dinput: self.script.call(layer, "backward", G)}
        for _, name in self.problem.pairs:
            self.script.group()  # one that is missing keeps no other from being read
            refs[name] = self.script.get(layer, name)
        for name, ref in refs.items():
            self._add(prefix, name, check, when, ref)
        return refs

    def _both(self, prefix: str, checks: tuple[str, str], when: str, layer: Ref, X: Any, G: Any) -> None:
        self._forward(prefix, checks[0], when, layer, X)
        self._backward(prefix, checks[1], when, layer, G)

    def _ask(self) -> None:
        self.main_weights = self.weights(self.main)
        self.X, self.G = self.inputs(self.main)
        self._plain()
        self._shapes()
        self._state()
        if "zero_grad" in self.assignment.checks.present:
            self._zero_grad()
        self._initial()

    def _plain(self) -> None:
        """Forward and backward, again, on other inputs; what is left of the first answers then."""
        s, values = self.script, ("forward", "gradcheck")
        layer = self.layer(self.main, self.main_weights)
        X, G = s.array(self.X), s.array(self.G)
        out = self._forward("first", "forward", "", layer, X)
        if self.assignment.cache:
            cache = s.get(layer, "cache")
            self._add("cache", "cache", "forward", "after forward", cache)
            for number, name in enumerate(self.assignment.cache):
                self._add("cache", name, "forward", "in the cache", cache, "entry", number)
            self.cache = cache
        first = self._backward("first", "gradcheck", "", layer, G)
        self.short = Script()  # the program up to here
        self.short.ops = s.ops[:]
        s.group()
        self.names = s.names(layer)
        again = "after a second backward on the same forward"
        self._backward("again", "contract", again, layer, G)
        X2, G2 = self.inputs(self.main)
        self._both("later", ("contract", "contract"), "after a forward on other inputs", layer, X2, G2)
        kept = {
            self.assignment.input.name: X,
            f"d{self.out}": G,
            self.out: out,
            self.dinput: first[self.dinput],
        }
        for name, ref in kept.items():
            self._add("kept", name, "contract", "read again after later calls", s.reread(ref))
        for name in self.problem.parameters:
            self._add("kept", name, "contract", "after forward and backward", s.get(layer, name))
        # The same object with other contents, and the same weights with other values.
        layer = self.layer(self.main, self.main_weights)
        X = s.array(self.X)
        s.call(layer, "forward", X)
        s.set_all(layer, self.weights(self.main))
        self._both("moved", values, "after the weights have moved", layer, X, self.G)
        s.add(X, 1.0)
        self._forward("moved input", "contract", "after X has changed in place", layer, X)

    def _shapes(self) -> None:
        lesson = next(iter(self.assignment.shapes))
        cases = [("lesson", f"at the shape {lesson}", self.problem.sizes(lesson))]
        cases += [(f"one {name}", f"at {name} = 1", {**self.main, name: 1}) for name in self.free]
        small = dict(zip(self.assignment.constructor, (4, 9, 6, 5), strict=False))
        said = ", ".join(f"{symbol} = {size}" for symbol, size in small.items())
        cases.append(("wide", f"at {said}", {**self.main, **small}))
        # Where all sizes are equal hardly anything stops: what stops elsewhere gives numbers here.
        cases.append(("equal", "where all sizes are 4", dict.fromkeys(self.main, 4)))
        for prefix, when, sizes in cases:
            layer = self.layer(sizes, self.weights(sizes))
            self._both(prefix, ("forward", "gradcheck"), when, layer, *self.inputs(sizes))
        if self.assignment.distributions:
            # A row of one large negative logit is 0 / 0 without its own maximum; half of them are negative.
            short = {**self.main, self.free[-1]: 1} if self.free else self.main
            for number, sizes in enumerate([self.main, *(sizes for _, _, sizes in cases), short, short]):
                layer = self.layer(sizes, self.weights(sizes, LOGITS))
                X, _ = self.inputs(sizes)
                self._forward(f"large {number}", "forward", "with logits in the thousands", layer, X)

    def _state(self) -> None:
        s = self.script
        one = self.layer(self.main, self.main_weights)
        s.call(one, "forward", self.X)
        other = s.new(**{n: self.main[n] for n in self.assignment.constructor})
        s.call(other, "forward", self.draw(1.0, self.X.shape))
        self._backward("between", "contract", "when another layer ran in between", one, self.G)
        sizes = {**self.main, **{n: self.main[n] + 1 for n in self.free}}
        self._both(
            "resized", ("contract", "contract"), "after a call at another size", one, *self.inputs(sizes)
        )
        gradients = [name for _, name in self.problem.pairs]
        layer = self.layer(self.main, self.main_weights)
        s.call(layer, "forward", self.X)
        s.call(layer, "backward", self.G)
        refs = [s.get(layer, name) for name in gradients]
        for ref, later, name in zip(refs, refs[1:], gradients[1:], strict=False):
            s.add(ref, 1.0)
            self._add(
                "apart", name, "contract", "after another gradient was changed in place", s.reread(later)
            )

    def _zero_grad(self) -> None:
        s = self.script
        shapes = {
            gradient: "x".join(map(str, self.assignment.resolve(self.assignment.parameters[name], self.main)))
            for name, gradient in self.problem.pairs
        }
        layer = self.layer(self.main, self.main_weights)
        self._add("zero", "zero_grad", "zero_grad", "before any backward", s.call(layer, "zero_grad"))
        layer = self.layer(self.main, self.main_weights)
        s.call(layer, "forward", self.X)
        s.call(layer, "backward", self.G)
        called = s.call(layer, "zero_grad")
        for gradient, shape in shapes.items():
            s.group()
            ref = s.get(layer, gradient)
            self._add("zero", gradient, "zero_grad", "after zero_grad", ref, "cleared", [shape, called.index])
        for name in self.problem.parameters:
            self._add("zero", name, "zero_grad", "after zero_grad", s.get(layer, name))
        self._backward("zero again", "zero_grad", "in a backward after zero_grad", layer, self.G)

    def _initial(self) -> None:
        s = self.script
        seeds: list[dict[str, int]] = [{}, {}]
        if self.assignment.seed_argument:
            seeds.append({self.assignment.seed_argument: 7})
        for number, seed in enumerate(seeds):
            s.group()
            before = s.rng()
            layer = s.new(**{n: self.main[n] for n in self.assignment.constructor}, **seed)
            when = ("in a new layer", "in a second new layer", "in a new layer of seed 7")[number]
            self._add(f"initial {number}", "np.random", "contract", when, s.rng(), "changed", before.index)
            for name in self.problem.parameters:
                self._add(f"initial {number}", name, "contract", when, s.get(layer, name))

    # ---- the answers ----

    def answers(self, results: Results) -> dict[str, Any]:
        """What each question is answered with, by key; of a part of the program, what that answers."""
        values = [local(value) for value in results]
        asked = (q for q in self.asked if q.ref.index < len(values))
        return {q.key: fingerprint.read(listed(q), values) for q in asked}

    @cached_property
    def program(self) -> dict[str, Any]:
        """The program as `fingerprint.ask` reads it: JSON, inputs as seeds."""

        def plain(value: Any) -> Any:
            if isinstance(value, Ref):
                return {"ref": value.index}
            if isinstance(value, np.ndarray):
                return {"draw": self._draws[id(value)][1]}
            return [plain(item) for item in value] if isinstance(value, (list, tuple)) else value

        operations = [plain(op) for op in self.script.ops]
        return {"operations": operations, "questions": [listed(q) for q in self.asked]}


def listed(question: Question) -> list[Any]:
    return [question.key, question.ref.index, question.how, question.extra]


def local(value: Any) -> Any:
    """What came over the wire as `fingerprint.answer` reads it."""
    if isinstance(value, NotRun):
        return fingerprint.Word("not run")
    if isinstance(value, Described):
        return fingerprint.Word(f"a {value.kind}")
    if not isinstance(value, Raised):
        return value
    if value.kind == "missing":
        return fingerprint.Word(f"has no {value.name}")
    if value.kind == "unsettable":
        return fingerprint.Word(f"cannot set {value.name}")
    return fingerprint.raises(value.name, value.message)
