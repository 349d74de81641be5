"""The fault in formula terms: which single change of a step of the derivation gives the value that was found.

No list of mistakes is needed. The reference's own expression for the right value is changed in one place
at a time and evaluated on the recorded values; a change that gives the student's numbers, in whatever
order, describes the fault. Words name quantities and kinds of change, never code: what has to be written
instead is for the student to work out.
"""

from __future__ import annotations

import ast
import copy
import warnings
from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np

from ..layer import Array
from ..sandbox.rewriting import hooked
from .derivation import Derivation
from .programs import Program, Value

LEVELS = 2  # how many steps of the derivation one line of a student may hold
CLOSE = 1e-8
OPERATORS: dict[type[ast.operator], str] = {
    ast.Add: "added", ast.Sub: "subtracted", ast.Mult: "multiplied", ast.Div: "divided",
    ast.FloorDiv: "divided and rounded down", ast.Pow: "base and exponent",
}  # fmt: skip

Edit = tuple[str, ast.expr]  # words, and the expression with one change


def described(known: Derivation, program: Program, found: Array, right: Value) -> list[str]:
    """Words for how `found` differs from what belongs in its place; the cheapest explanations, or none."""
    result = next(
        (t for t, _ in program.watched if (e := expected(program, t)) is not None and alike(e, right.array)),
        "",
    )
    name = right.name or result or right.owner or "the value"
    if not np.isfinite(found).all():
        return [f"{name} is not finite"]
    if not found.any():
        return [f"{name} is zero everywhere"]
    ratio = factor(known, found, right.array)
    if ratio:
        return [f"{name} is {ratio} times what the derivation gives"]
    for level in range(LEVELS + 1):
        words = [
            t.format(name=name) for t, value in variants(known, program, right, level) if alike(found, value)
        ]
        if words:
            return list(dict.fromkeys(words))[:3]
    return other(program, found, right, name)


def variants(known: Derivation, program: Program, right: Value, level: int) -> list[tuple[str, Array]]:
    """What every single change of the steps that give `right` gives instead: worked out once for all submissions."""
    key = (program.name, right.site, right.run, level)
    if key not in known.variants:
        steps = Steps(known, program, right.operation)
        expressions = {}
        for site in right.sites:
            expression = steps.expression(site, level)
            if expression is not None:
                expressions.setdefault(ast.dump(expression), expression)
        found = []
        for expression in expressions.values():
            for text, changed in edits(expression, steps):
                value = steps.value(changed)
                if isinstance(value, (np.ndarray, np.floating)) and value.dtype.kind == "f":
                    found.append((text, np.asarray(value)))
        known.variants[key] = found
    return known.variants[key]


def expected(program: Program, tensor: str) -> Array | None:
    """What a watched result should be."""
    for (name, _), (value, _) in zip(program.watched, program.expected, strict=True):
        if name == tensor:
            return value if isinstance(value, np.ndarray) else None
    return None


def factor(known: Derivation, found: Array, right: Array) -> str:
    """The constant, with its name where a size or its root explains it, or ""."""
    if found.size != right.size or found.size < 2:
        return ""
    for sign, mine in ((1.0, np.sort(found, axis=None)), (-1.0, -np.sort(found, axis=None)[::-1])):
        theirs = np.sort(right, axis=None)
        ratio = sign * float(np.linalg.norm(mine) / np.linalg.norm(theirs))
        if abs(ratio - 1.0) > 1e-6 and np.allclose(mine, abs(ratio) * theirs, rtol=1e-7, atol=1e-12):
            return _constant(known, ratio)
    return ""


def _constant(known: Derivation, ratio: float) -> str:
    named = {"1": 1.0, "2": 2.0, "3": 3.0}
    for symbol, size in known.sizes.items():
        named |= {symbol: float(size), f"sqrt({symbol})": float(np.sqrt(size))}
    pairs = {f"{a}/{b}": x / y for a, x in named.items() for b, y in named.items() if a != b}
    for text, value in {**named, **pairs}.items():
        if abs(abs(ratio) - value) < 1e-7 * value:
            text = text.removesuffix("/1")
            return text if ratio > 0 else f"-{text}"
    return f"{ratio:.4g}"


def other(program: Program, found: Array, right: Value, name: str) -> list[str]:
    """Another value of the derivation stands there, or only a part of the right one."""
    for value in program.values:
        if value.name and value.name != right.name and alike(found, value.array):
            return [f"the value here is {value.name}, where the derivation has {name}"]
    if found.shape == right.array.shape:
        same = np.isclose(found, right.array, rtol=1e-8, atol=1e-12)
        for axis in range(found.ndim):
            whole = same.all(axis=tuple(a for a in range(found.ndim) if a != axis))
            if whole.any() and not whole.all():
                kept = ", ".join(str(i) for i in np.flatnonzero(whole)[:4])
                return [f"{name} is right only at index {kept} of axis {axis}"]
        with np.errstate(all="ignore"):
            for value in program.values:
                if value.name and value.array.shape == found.shape:
                    for sign, text in ((1.0, "too much"), (-1.0, "missing")):
                        if alike(found - right.array, sign * value.array):
                            return [f"{name} has the term {value.name} {text}"]
    return []


def alike(found: Array, value: Any) -> bool:
    """Whether two arrays hold the same numbers, whatever their axes."""
    if not isinstance(value, (np.ndarray, np.floating)) or np.size(value) != found.size:
        return False
    mine, theirs = np.sort(found, axis=None), np.sort(np.asarray(value, dtype=float), axis=None)
    scale = float(np.max(np.abs(theirs), initial=0.0))
    return bool(np.isfinite(scale) and np.max(np.abs(mine - theirs), initial=0.0) <= CLOSE * scale)


class Steps:
    """The reference's steps in one program, as expressions over recorded values."""

    def __init__(self, known: Derivation, program: Program, operation: int):
        self.known, self.program, self.operation = known, program, operation

    def expression(self, site: int, level: int) -> ast.expr | None:
        """The step at a site, with `level` steps before it written out; None where nothing is computed."""
        node = self.known.nodes.get(site)
        if node is None:
            return None
        filled: ast.expr = _Filled(self, level).visit(copy.deepcopy(node))
        return None if isinstance(filled, ast.Name) else filled

    def array(self, name: str) -> Array:
        """The recorded value behind a name that `expression` made."""
        return self.program.recorded[(int(name[2:]), self.operation)]

    def value(self, expression: ast.expr) -> Any:
        """What an expression gives, None when it does not run."""
        names = {n.id for n in ast.walk(expression) if isinstance(n, ast.Name) and n.id.startswith("_s")}
        space: Mapping[str, Any] = {
            **self.known.globals, "self": self.known.instance, **{n: self.array(n) for n in names},
        }  # fmt: skip
        whole = ast.fix_missing_locations(ast.Expression(expression))
        try:
            with np.errstate(all="ignore"), warnings.catch_warnings():
                warnings.simplefilter("ignore")
                return eval(compile(whole, "<derivation>", "eval"), dict(space))
        except Exception:  # a change that makes no sense, of our own reference
            return None

    def title(self, name: str) -> str:
        return str(self.known.tracer.sites[int(name[2:])][4]).lstrip(".")


class _Filled(ast.NodeTransformer):
    """Takes the hooks out; a name that was read becomes the value that it had."""

    def __init__(self, steps: Steps, level: int):
        self.steps, self.level = steps, level

    def visit_Call(self, node: ast.Call) -> ast.AST:
        if not hooked(node):
            return self.generic_visit(node)
        site, inner = node.args[0].value, node.args[1]  # type: ignore[attr-defined]
        recorded = self.steps.program.recorded
        array = recorded.get((site, self.steps.operation))
        if array is None or not isinstance(inner, (ast.Name, ast.Attribute)) or inner_call(inner):
            return self.visit(inner)  # type: ignore[no-any-return]
        if self.level and isinstance(inner, ast.Name):
            for (other, operation), value in recorded.items():
                assigned = self.steps.known.tracer.sites[other]
                if operation == self.steps.operation and assigned[2] == "assign" and assigned[4] == inner.id:
                    if other < site and value is not None and np.array_equal(value, array):
                        node_of = self.steps.known.nodes.get(other)
                        if node_of is not None:
                            return _Filled(self.steps, self.level - 1).visit(copy.deepcopy(node_of))  # type: ignore[no-any-return]
        return ast.Name(f"_s{site}", ast.Load())


def inner_call(node: ast.expr) -> bool:
    """Whether an attribute is one of a computed value, as `.T` is, and not of an object."""
    return (
        isinstance(node, ast.Attribute)
        and hooked(node.value)
        and not isinstance(node.value, ast.Name)
        and (
            not isinstance(node.value.args[1], ast.Name) or node.value.args[1].id != "self"  # type: ignore[attr-defined]
        )
    )


def edits(expression: ast.expr, steps: Steps) -> Iterator[Edit]:
    """Every expression that differs in one place, with words for the difference."""
    nodes = [n for n in ast.walk(expression) if isinstance(n, ast.expr)]
    for index, node in enumerate(nodes):
        for words, new in _changes(node, steps):
            changed = copy.deepcopy(expression)
            target = [n for n in ast.walk(changed) if isinstance(n, ast.expr)][index]
            yield words, _Replaced(target, new).visit(changed)


class _Replaced(ast.NodeTransformer):
    def __init__(self, old: ast.AST, new: ast.AST):
        self.old, self.new = old, new

    def visit(self, node: ast.AST) -> Any:
        return copy.deepcopy(self.new) if node is self.old else super().visit(node)


def _changes(node: ast.expr, steps: Steps) -> Iterator[Edit]:
    if isinstance(node, ast.Name) and node.id.startswith("_s"):
        yield from _operands(node, steps)
    elif isinstance(node, ast.BinOp):
        yield from _operations(node, steps)
    elif isinstance(node, ast.Attribute) and node.attr == "T":
        yield "{name}: " + _titled(node.value, steps) + " is not transposed", node.value
    elif isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id == "self":
        for symbol in steps.known.sizes:
            if symbol != node.attr:
                size = ast.Constant(steps.known.sizes[symbol])
                yield f"{{name}}: {symbol} stands where the derivation has {node.attr}", size
    elif isinstance(node, ast.Call):
        yield from _calls(node, steps)


def _operands(node: ast.Name, steps: Steps) -> Iterator[Edit]:
    mine, title = steps.array(node.id), steps.title(node.id)
    yield f"{{name}}: {title} is transposed", _method(node, "swapaxes", -1, -2) if mine.ndim > 1 else node
    seen = {title}
    for (site, operation), array in steps.program.recorded.items():
        name = steps.title(f"_s{site}")
        if operation == steps.operation and name and name not in seen and array.ndim == mine.ndim:
            seen.add(name)
            yield (
                f"{{name}}: {name} stands where the derivation has {title}",
                ast.Name(f"_s{site}", ast.Load()),
            )
    if mine.ndim > 1:
        for at, text in ((0, "first"), (-1, "last")):
            part = ast.Subscript(
                node, ast.Slice(ast.Constant(at) if at else None, None if at else ast.Constant(1))
            )
            yield f"{{name}}: only the {text} item of {title} is used", part
    yield f"{{name}}: {title} is taken as ones", _call("ones_like", node)


def _operations(node: ast.BinOp, steps: Steps) -> Iterator[Edit]:
    left, right = _titled(node.left, steps), _titled(node.right, steps)
    scale = steps.value(node.right)
    for kept, dropped in ((node.left, right), (node.right, left)):
        if isinstance(node.op, (ast.Add, ast.Sub)):
            yield f"{{name}}: the term {dropped} is missing", kept
        elif kept is node.left or not isinstance(node.op, ast.Div):
            yield f"{{name}}: the factor {dropped} is missing", kept
    if isinstance(node.op, (ast.Mult, ast.Div)) and np.ndim(scale) == 0:
        yield f"{{name}}: the factor {right} is applied twice", ast.BinOp(node, node.op, node.right)
    yield f"{{name}}: {left} and {right} have changed places", ast.BinOp(node.right, node.op, node.left)
    if isinstance(node.op, ast.Sub):
        yield (
            f"{{name}}: {right} is added where it is subtracted",
            ast.BinOp(node.left, ast.Add(), node.right),
        )
    for new, text in OPERATORS.items():
        if not isinstance(node.op, (new, ast.MatMult)):
            yield f"{{name}}: {left} and {right} are {text}", ast.BinOp(node.left, new(), node.right)
    if isinstance(node.op, ast.MatMult):
        for new in (ast.Mult, ast.Add, ast.Sub):
            yield (
                f"{{name}}: no matrix product of {left} and {right}",
                ast.BinOp(node.left, new(), node.right),
            )
    if isinstance(node.op, ast.Mult):
        yield (
            f"{{name}}: a matrix product of {left} and {right}",
            ast.BinOp(node.left, ast.MatMult(), node.right),
        )
        yield (
            f"{{name}}: {left} with 1 - {left} in place of the sum",
            ast.BinOp(node, ast.Mult(), ast.BinOp(ast.Constant(1.0), ast.Sub(), node.left)),
        )


def _calls(node: ast.Call, steps: Steps) -> Iterator[Edit]:
    function = node.func
    if not isinstance(function, ast.Attribute):
        if node.args:
            yield f"{{name}}: {ast.unparse(function)} is left out", node.args[0]
            if node.keywords:
                yield from _keywords(node)
            yield (
                f"{{name}}: {ast.unparse(function)} is applied twice",
                ast.Call(function, [node, *node.args[1:]], node.keywords),
            )
        return
    on_module = isinstance(function.value, ast.Name) and not function.value.id.startswith("_s")
    subject = node.args[0] if on_module and node.args else function.value
    title = _titled(subject, steps)
    if function.attr in ("transpose", "swapaxes", "moveaxis"):
        yield f"{{name}}: {title} is not transposed", subject
        array = steps.value(subject)
        if isinstance(array, np.ndarray):
            yield f"{{name}}: all axes of {title} are reversed", ast.Attribute(subject, "T", ast.Load())
            shape = np.shape(steps.value(node))
            yield f"{{name}}: {title} is reshaped where it is transposed", _method(subject, "reshape", *shape)
    elif on_module:
        yield f"{{name}}: {function.attr} is left out", subject
        for new in _FUNCTIONS.get(function.attr, ()):
            renamed = ast.Attribute(function.value, new, ast.Load())
            yield (
                f"{{name}}: {new} stands where the derivation has {function.attr}",
                ast.Call(renamed, node.args, node.keywords),
            )
        yield from _keywords(node)


_FUNCTIONS = {"sum": ("mean", "max"), "mean": ("sum",), "exp": ("exp2",), "sqrt": ("square",), "max": ("min", "mean"),
              "var": ("std",)}  # fmt: skip


def _keywords(node: ast.Call) -> Iterator[Edit]:
    for at, keyword in enumerate(node.keywords):
        rest = [k for i, k in enumerate(node.keywords) if i != at]
        yield f"{{name}}: {keyword.arg} is not given", ast.Call(node.func, node.args, rest)
        for axis in (-1, -2, 0, 1, None, (1, 2)) if keyword.arg == "axis" else ():
            new = [*rest, ast.keyword("axis", ast.Constant(axis))]
            where = "over everything" if axis is None else f"over axis {axis}"
            yield (
                f"{{name}}: {where} where the derivation has another axis",
                ast.Call(node.func, node.args, new),
            )


def _titled(node: ast.expr, steps: Steps) -> str:
    """A short name for an operand: its own, or the quantities in it."""
    names = [steps.title(n.id) for n in ast.walk(node) if isinstance(n, ast.Name) and n.id.startswith("_s")]
    if isinstance(node, ast.Name) and names:
        return names[0]
    value = steps.value(node)
    if np.ndim(value) == 0 and isinstance(value, (float, int, np.floating)):
        return _constant(steps.known, float(value))
    return "of " + " and ".join(dict.fromkeys(names)) if names else "number"


def _method(value: ast.expr, name: str, *arguments: int) -> ast.expr:
    return ast.Call(ast.Attribute(value, name, ast.Load()), [ast.Constant(int(a)) for a in arguments], [])


def _call(name: str, argument: ast.expr) -> ast.expr:
    return ast.Call(ast.Attribute(ast.Name("np", ast.Load()), name, ast.Load()), [argument], [])
