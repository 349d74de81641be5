"""The derivation as values: what the reference computes, line by line, on inputs made for diagnosis.

A program is a list of operations on a layer and the results that must come out. The reference is run
through it once, rewritten as a submission is, so that every value of its forward and backward is known.
"""

from __future__ import annotations

import ast
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import cached_property, lru_cache
from typing import Any

import numpy as np

from ..checks.problem import Problem
from ..layer import Array
from ..sandbox.interpreter import load
from ..sandbox.rewriting import hooked
from ..sandbox.tracing import Tracer, Tracing
from .programs import ZERO_GRAD, Program, Programs, Value

PRIMES = (5, 7, 11, 13, 17, 19, 23, 29)  # all sizes, their roots and their products differ
FIRST_PRIMES = (2, 3, 5, 7, 11, 13, 17, 19)  # for layers that take their time


class Derivation:
    """The programs of an assignment with the reference's values in them."""

    def __init__(self, problem: Problem, primes: Sequence[int]):
        self.problem, self.primes = problem, primes
        self.tracer = Tracer()
        cls, raised, _ = load([problem.source], problem.assignment.class_name, False, self.tracer)
        if cls is None or raised is not None:
            raise ValueError(f"the reference does not load: {raised}")
        self.layer = Tracing(cls, self.tracer)
        self.globals: dict[str, Any] = cls.__init__.__globals__
        self._follows: dict[str, Array] = {}
        self.variants: dict[tuple[str, int, int, int], list[tuple[str, Array]]] = {}
        self.make = self._programs()

    def _programs(self) -> Programs:
        """At sizes that all differ, or at the last named shape where the reference wants others."""
        assignment = self.problem.assignment
        named = [assignment.sizes(shape) for shape in assignment.shapes]
        free = [symbol for symbol in named[0] if symbol not in assignment.constructor]
        symbols = [*free, *reversed(assignment.constructor)]
        for sizes in (dict(zip(symbols, self.primes, strict=False)), *reversed(named)):
            made = Programs(self.problem, sizes)
            if sizes.keys() == named[0].keys() and self._ran([made.values(0)]):
                return made
        raise ValueError("the reference runs at none of its shapes")

    @property
    def sizes(self) -> Mapping[str, int]:
        return self.make.sizes

    @cached_property
    def programs(self) -> tuple[Program, ...]:
        """In the order in which faults are looked for; the first is one forward and one backward."""
        make = self.make
        made = [
            make.values(0),
            *make.large(0),
            *make.small(0),
            make.cache(),
            make.again(),
            make.interleaved(),
        ]
        if any(task.method == ZERO_GRAD for task in self.problem.assignment.tasks.values()):
            made += make.zero_grad()
        return (*self._ran(made), *self.initial_programs)

    @cached_property
    def initial_programs(self) -> tuple[Program, ...]:
        return self._ran(self.make.initial())

    @cached_property
    def confirmation(self) -> dict[str, Program]:
        """Programs with other numbers, by name."""
        made = [self.make.values(1), *self.make.large(1), *self.make.small(1)]
        return {program.name: program for program in self._ran(made)}

    def _ran(self, programs: Sequence[Program]) -> tuple[Program, ...]:
        """Those that the reference runs, with what it gives."""
        return tuple(p for p in programs if self._run(p) and (p.alone is None or self._run(p.alone)))

    def _run(self, p: Program) -> bool:
        """Fill in what the reference gives; False where it raises or is not finite."""
        results, raised, events = self.trace(p)
        found = [p.given.get(i, results[i]) for i in p.indices]
        if raised is not None or not all(np.isfinite(v).all() for v in found if isinstance(v, np.ndarray)):
            return False
        scales = [_largest(value) for value in found]
        floor = 1e-3 * max(scales, default=0.0)
        kept = [
            tuple(v) if isinstance(v, list) and i not in p.given else v
            for i, v in zip(p.indices, found, strict=True)
        ]
        p.expected = [(v, max(scale, floor, 1e-300)) for v, scale in zip(kept, scales, strict=True)]
        p.values = named_values(self.tracer.sites, events)
        for site, _, operation, _, array in events:
            p.recorded.setdefault((site, operation), array)
        return True

    def trace(
        self, p: Program, swaps: Mapping[tuple[int, int], Array] | None = None
    ) -> tuple[Sequence[Any], Any, list[Any]]:
        """(results by operation, exception or None, events) of one run in this process."""
        self.tracer.start(dict(swaps or {}), frozenset(range(len(self.tracer.sites))))
        with np.errstate(all="ignore"):
            results, raised = self.layer.play(p.script.ops)
        events = self.tracer.events
        self.tracer.start({}, None)
        return [_copied(value) for value in results], raised, events

    def follows(self, program: Program) -> Array:
        """(values, values) of bool: whether the second is computed from the first."""
        if program.name not in self._follows:
            rng = np.random.default_rng(3)
            before = {event[:3]: event[4] for event in self.trace(program)[2]}
            rows = []
            for value in program.values:
                swap = {(value.site, value.run): value.array + 0.5 + rng.random(value.array.shape)}
                after = {event[:3]: event[4] for event in self.trace(program, swap)[2]}
                moved = {
                    key for key in before if key not in after or not np.array_equal(after[key], before[key])
                }
                rows.append([(v.site, v.run, v.operation) in moved for v in program.values])
            self._follows[program.name] = np.array(rows)
        return self._follows[program.name]

    @cached_property
    def nodes(self) -> dict[int, ast.expr]:
        """The expression at each site of the reference, with the hooks inside it."""
        tree = Tracer().rewrite(ast.parse(self.problem.source))
        calls = [node for node in ast.walk(tree) if isinstance(node, ast.Call) and hooked(node)]
        return {node.args[0].value: node.args[1] for node in calls}  # type: ignore[attr-defined]

    @cached_property
    def instance(self) -> Any:
        """A layer of the reference, for what its expressions read from it."""
        return self.layer.cls(
            **{symbol: self.sizes[symbol] for symbol in self.problem.assignment.constructor}
        )


def _copied(value: Any) -> Any:
    return np.array(value) if isinstance(value, np.ndarray) else value


def _largest(value: Any) -> float:
    if isinstance(value, (tuple, list)):
        return max((_largest(item) for item in value), default=0.0)
    return float(np.max(np.abs(value), initial=0.0)) if isinstance(value, np.ndarray) else 0.0


def named_values(sites: Sequence[Any], events: Sequence[Any]) -> list[Value]:
    """The distinct arrays among the events of each operation; of equal ones the one with a name."""
    owners: dict[int, str] = {}
    for _, _, kind, statement, name in sites:
        if kind == "assign" and name:
            owners.setdefault(statement, name.lstrip("."))
    found: dict[tuple[Any, ...], Value] = {}
    for site, run, operation, _, array in events:
        name, statement = sites[site][4].lstrip("."), sites[site][3]
        key = (operation, array.shape, array.tobytes())
        if key not in found:
            found[key] = Value(array, name, owners.get(statement, ""), operation, site, run)
        elif name and not found[key].name:
            found[key] = replace(found[key], name=name)
        found[key].sites.append(site)
    return list(found.values())


@lru_cache(maxsize=8)
def derivation(problem: Problem, primes: Sequence[int] = PRIMES) -> Derivation:
    """Made once for all submissions. Raises ValueError when the reference does not run."""
    return Derivation(problem, primes)
