"""Steps of the reference over recorded values, and every step that differs from one in one place."""

from __future__ import annotations

import ast
import copy
import warnings
from collections import deque
from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np

from ..layer import Array
from ..sandbox.rewriting import hooked
from .constants import constant
from .derivation import Derivation
from .programs import Program

OPERATORS: dict[type[ast.operator], str] = {
    ast.Add: "added", ast.Sub: "subtracted", ast.Mult: "multiplied", ast.Div: "divided",
    ast.FloorDiv: "divided and rounded down", ast.Pow: "base and exponent",
}  # fmt: skip

Edit = tuple[str, ast.expr]  # words, and the expression with one change


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

    def before(self, site: int, name: str, array: Array) -> ast.expr | None:
        """The expression whose value a name has at a site."""
        for (other, operation), value in self.program.recorded.items():
            _, _, kind, _, assigned = self.known.tracer.sites[other]
            here = operation == self.operation and other < site and kind == "assign" and assigned == name
            if here and np.array_equal(value, array):
                return self.known.nodes.get(other)
        return None

    def earlier(self, name: str) -> ast.expr | None:
        """The step behind a name that is given more than one value in this operation; else None."""
        title, sites = self.title(name), self.known.tracer.sites
        given = [
            s for s, o in self.program.recorded if o == self.operation and sites[s][2::2] == ("assign", title)
        ]
        step = self.before(int(name[2:]), title, self.array(name)) if len(given) > 1 else None
        if step is None:
            return None
        filled: ast.expr = _Filled(self, 0).visit(copy.deepcopy(step))
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
            step = self.steps.before(site, inner.id, array)
            if step is not None:
                return _Filled(self.steps, self.level - 1).visit(copy.deepcopy(step))  # type: ignore[no-any-return]
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
    for node, path in _walk(expression):
        if isinstance(node, ast.expr):
            for words, new in _changes(node, steps):
                yield words, _replaced(path, new)


Path = tuple[tuple[ast.AST, str, int | None], ...]  # (node, field, index in a list) from the top on


def _walk(top: ast.AST) -> Iterator[tuple[ast.AST, Path]]:
    """Each node in the order of `ast.walk`, and the way to it."""
    waiting: deque[tuple[ast.AST, Path]] = deque([(top, ())])
    while waiting:
        node, path = waiting.popleft()
        yield node, path
        for field, value in ast.iter_fields(node):
            for index, child in enumerate(value) if isinstance(value, list) else [(None, value)]:
                if isinstance(child, ast.AST):
                    waiting.append((child, (*path, (node, field, index))))


def _replaced(path: Path, new: ast.expr) -> ast.expr:
    """The whole with `new` at the end of `path`; what lies beside it is shared."""
    whole: Any = new
    for node, field, index in reversed(path):
        value = getattr(node, field)
        changed = copy.copy(node)
        setattr(changed, field, whole if index is None else [*value[:index], whole, *value[index + 1 :]])
        whole = changed
    return whole  # type: ignore[no-any-return]


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


_FUNCTIONS = {
    "sum": ("mean", "max"), "mean": ("sum",), "exp": ("exp2",), "sqrt": ("square",), "max": ("min", "mean"),
    "var": ("std",),
}  # fmt: skip


def _keywords(node: ast.Call) -> Iterator[Edit]:
    for at, keyword in enumerate(node.keywords):
        rest = [k for i, k in enumerate(node.keywords) if i != at]
        yield f"{{name}}: {keyword.arg} is not given", ast.Call(node.func, node.args, rest)
        for axis in (-1, -2, 0, 1, None, (1, 2)) if keyword.arg == "axis" else ():
            new = [*rest, ast.keyword("axis", ast.parse(repr(axis), mode="eval").body)]
            where = "over everything" if axis is None else f"over axis {axis}"
            yield (
                f"{{name}}: {where} where the derivation has another axis",
                ast.Call(node.func, node.args, new),
            )


def _titled(node: ast.expr, steps: Steps) -> str:
    """A short name for an operand: its own, or the quantities in it."""
    names = [n.id for n in ast.walk(node) if isinstance(n, ast.Name) and n.id.startswith("_s")]
    if isinstance(node, ast.Name) and names:
        step = steps.earlier(names[0])  # a name that is given several values says too little
        return _titled(step, steps) if step is not None else steps.title(names[0])
    value = steps.value(node)
    if np.ndim(value) == 0 and isinstance(value, (float, int, np.floating)):
        return constant(steps.known.sizes, float(value))
    return "of " + " and ".join(dict.fromkeys(map(steps.title, names))) if names else "number"


def _method(value: ast.expr, name: str, *arguments: int) -> ast.expr:
    return ast.Call(ast.Attribute(value, name, ast.Load()), [ast.Constant(int(a)) for a in arguments], [])


def _call(name: str, argument: ast.expr) -> ast.expr:
    return ast.Call(ast.Attribute(ast.Name("np", ast.Load()), name, ast.Load()), [argument], [])
