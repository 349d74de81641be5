"""Every small change to a reference: one operator, operand, constant, argument, keyword or statement.

The changes are made in the syntax tree and written back into the source statement by statement, so that
a mutant's difference from the reference is the line that changed. Mutation libraries (cosmic-ray, mutmut,
mutatest) change operators, comparisons and numbers; what goes wrong in a layer, another operand, axis,
transpose or attribute, none of them makes, and they run test suites over files instead of giving sources.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise, permutations

OPERATORS = (ast.Add, ast.Sub, ast.Mult, ast.Div, ast.FloorDiv, ast.MatMult, ast.Pow)
COMMUTATIVE = (ast.Add, ast.Mult)
FUNCTIONS = {
    "sum": ("mean", "max"), "mean": ("sum", "max"), "max": ("min", "mean"), "min": ("max",), "exp": ("exp2",),
    "sqrt": ("square",), "var": ("std", "mean"), "standard_normal": ("random",),
}  # fmt: skip
PLAIN = (ast.Assign, ast.AugAssign, ast.AnnAssign, ast.Return, ast.Expr, ast.Delete, ast.Assert, ast.Raise)

Change = tuple[str, ast.AST]  # the kind of change, and what stands in the node's place


@dataclass(frozen=True)
class Mutant:
    """The reference with one change."""

    kind: str  # "operand", "axis or constant"
    method: str  # the function that it is in
    line: int  # 1-based, in the reference
    before: str  # the statement as the syntax tree writes it
    after: str
    source: str


@dataclass(frozen=True)
class _Names:
    """What an expression could have read instead."""

    local: tuple[str, ...]  # names that have a value at this statement
    attributes: tuple[str, ...]  # data attributes that the constructor makes


@dataclass(frozen=True)
class _Unit:
    """A simple statement, or an expression in the head of a compound one: what is written back whole."""

    node: ast.stmt | ast.expr
    names: _Names
    text: str
    head: str = ""  # first line of the compound statement


def mutants(source: str) -> list[Mutant]:
    """All mutants of a reference in the order of its lines, each distinct from it and from every other."""
    tree = ast.parse(source)
    attributes = _attributes(tree)
    seen = {ast.dump(tree)}
    found = []
    for function in _functions(tree):
        for mutant in _of_function(source, function, attributes):
            try:
                changed = ast.parse(mutant.source)
                key = ast.dump(changed)
                compile(changed, "mutant", "exec", dont_inherit=True)
            except (SyntaxError, ValueError):
                continue
            if key not in seen:
                seen.add(key)
                found.append(mutant)
    return sorted(found, key=lambda mutant: mutant.line)  # stable: within a line as they were made


def _functions(tree: ast.Module) -> Iterator[ast.FunctionDef]:
    """The module's functions and the methods of its classes."""
    for node in tree.body:
        for inner in node.body if isinstance(node, ast.ClassDef) else (node,):
            if isinstance(inner, ast.FunctionDef):
                yield inner


def _attributes(tree: ast.Module) -> tuple[str, ...]:
    """What constructors store on `self`."""
    found: dict[str, None] = {}
    for function in _functions(tree):
        for node in ast.walk(function) if function.name == "__init__" else ():
            if _of_self(node) and isinstance(node.ctx, ast.Store):  # type: ignore[attr-defined]
                found[node.attr] = None  # type: ignore[attr-defined]
    return tuple(found)


def _of_self(node: ast.AST) -> bool:
    return isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id == "self"


def _of_function(source: str, function: ast.FunctionDef, attributes: tuple[str, ...]) -> Iterator[Mutant]:
    def mutant(kind: str, unit: _Unit, after: str) -> Mutant:
        shown = (unit.text, after)
        if unit.head:
            shown = (unit.head, unit.head.replace(unit.text, after, 1))
        text = _replaced(source, unit.node, after)
        return Mutant(kind, function.name, unit.node.lineno, *shown, text)

    arguments = [arg.arg for arg in function.args.args if arg.arg != "self"]
    for default in function.args.defaults:
        unit = _Unit(default, _Names((), attributes), ast.unparse(default), _head(function))
        for kind, after in _changed(unit):
            yield mutant(kind, unit, after)
    for unit in _units(function.body, arguments, attributes):
        if not unit.head:
            yield mutant("statement dropped", unit, "pass")
            for kind, node in _statements(unit.node):
                yield mutant(kind, unit, ast.unparse(node))
        for kind, after in _changed(unit):
            yield mutant(kind, unit, after)
    for first, second in _neighbours(function.body):
        moved = _replaced(source, second, ast.unparse(first))
        moved = _replaced(moved, first, ast.unparse(second))
        before, after = ast.unparse(first), ast.unparse(second)
        yield Mutant(
            "statements swapped",
            function.name,
            first.lineno,
            f"{before}; {after}",
            f"{after}; {before}",
            moved,
        )


def _units(body: list[ast.stmt], names: list[str], attributes: tuple[str, ...]) -> Iterator[_Unit]:
    """Every unit below `body`, with the names that have a value when it runs; `names` grows on the way."""
    for node in body:
        known = _Names(tuple(dict.fromkeys(names)), attributes)
        if isinstance(node, PLAIN):
            if not _is_text(node):
                yield _Unit(node, known, ast.unparse(node))
            names += [
                n.id for n in ast.walk(node) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)
            ]
            continue
        if isinstance(node, ast.For):
            yield _Unit(node.iter, known, ast.unparse(node.iter), _head(node))
            names += [n.id for n in ast.walk(node.target) if isinstance(n, ast.Name)]
        elif isinstance(node, (ast.If, ast.While)):
            yield _Unit(node.test, known, ast.unparse(node.test), _head(node))
        for field in ("body", "orelse"):
            yield from _units(getattr(node, field, []), names, attributes)


def _is_text(node: ast.stmt) -> bool:
    return isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)


def _neighbours(body: list[ast.stmt]) -> Iterator[tuple[ast.stmt, ast.stmt]]:
    """Simple statements that follow each other; after a return nothing runs."""
    for first, second in pairwise(body):
        if isinstance(first, PLAIN) and isinstance(second, PLAIN) and not _is_text(first):
            yield first, second
    for node in body:
        for field in ("body", "orelse"):
            inner = getattr(node, field, [])
            yield from _neighbours(inner if isinstance(inner, list) else [])


def _statements(node: ast.AST) -> Iterator[Change]:
    """Changes of a whole statement."""
    match node:
        case ast.Assign(targets=[ast.Name() | ast.Attribute() as target], value=value):
            yield "+= for =", ast.AugAssign(target, ast.Add(), value)
        case ast.Assign(targets=[_, _, *_] as targets, value=value):
            for left in targets:
                yield "target dropped", ast.Assign([t for t in targets if t is not left], value, lineno=0)
        case ast.AugAssign(target=target, value=value):
            yield "= for +=", ast.Assign([target], value, lineno=0)


def _changed(unit: _Unit) -> Iterator[tuple[str, str]]:
    """(kind, the unit's new text) for every change of one node in it."""
    wrapper = ast.Expression(unit.node) if isinstance(unit.node, ast.expr) else unit.node
    for parent in ast.walk(wrapper):
        if isinstance(parent, ast.UnaryOp) and _number(parent) is not None:
            continue  # -1 is changed as one number
        for field, value in ast.iter_fields(parent):
            items = value if isinstance(value, list) else [value]
            for index, node in enumerate(items):
                if not isinstance(node, ast.AST):
                    continue
                for kind, other in _variants(node, unit.names):
                    if isinstance(value, list):
                        value[index] = other
                    else:
                        setattr(parent, field, other)
                    root = wrapper.body if isinstance(wrapper, ast.Expression) else wrapper
                    yield kind, ast.unparse(root)
                    if isinstance(value, list):
                        value[index] = node
                    else:
                        setattr(parent, field, node)


def _variants(node: ast.AST, names: _Names) -> Iterator[Change]:
    """What could stand in a node's place."""
    number = _number(node)
    if number is not None:
        yield from (("constant", ast.Constant(n)) for n in (number + 1, -number, type(number)(0)))
        return
    match node:
        case ast.Constant(value=bool(value)):
            yield "constant", ast.Constant(not value)
        case ast.Constant(value=None):
            yield "constant", ast.Constant(0)
        case ast.BinOp(left=left, op=op, right=right):
            for other in OPERATORS:
                if not isinstance(op, other):
                    yield "operator", ast.BinOp(left, other(), right)
            if not isinstance(op, COMMUTATIVE):
                yield "operands swapped", ast.BinOp(right, op, left)
            yield "operand dropped", left
            yield "operand dropped", right
        case ast.UnaryOp(operand=operand):
            yield "sign dropped", operand
        case ast.Name(id=name, ctx=ast.Load()) if name in names.local:
            for other_name in names.local:
                if other_name != name:
                    yield "operand", ast.Name(other_name, node.ctx)
        case ast.Attribute(attr=name) if _of_self(node) and name in names.attributes:
            for other_name in names.attributes:
                if other_name != name:
                    yield "attribute", ast.Attribute(node.value, other_name, node.ctx)
        case ast.Attribute(attr="T", value=value):
            yield "transpose", value
        case ast.Subscript(value=value, ctx=ast.Load()):
            yield "subscript dropped", value
        case ast.Tuple(elts=[_, _, *_] as elements, ctx=context):
            for i in range(len(elements) - 1):
                swapped = [*elements[:i], elements[i + 1], elements[i], *elements[i + 2 :]]
                yield "order", ast.Tuple(swapped, context)
            for i in range(len(elements) if isinstance(context, ast.Load) else 0):
                yield "element dropped", ast.Tuple([*elements[:i], *elements[i + 1 :]], context)
        case ast.Call():
            yield from _calls(node, names)


def _calls(node: ast.Call, names: _Names) -> Iterator[Change]:
    for keyword in node.keywords:
        yield (
            "keyword dropped",
            ast.Call(node.func, node.args, [k for k in node.keywords if k is not keyword]),
        )
    for i in range(len(node.args) - 1):
        swapped = [*node.args[:i], node.args[i + 1], node.args[i], *node.args[i + 2 :]]
        yield "arguments swapped", ast.Call(node.func, swapped, node.keywords)
    match node.func:
        case ast.Attribute(attr="transpose", value=value) if node.args:
            for axes in permutations(node.args):
                yield "transpose", ast.Call(node.func, list(axes), node.keywords)
            yield "transpose", value
        case ast.Attribute(value=value, attr=name):
            if _root(value) in names.local:
                yield "call dropped", value
            elif node.args:
                yield "call dropped", node.args[0]
            for other in FUNCTIONS.get(name, ()):
                yield "function", ast.Call(ast.Attribute(value, other, ast.Load()), node.args, node.keywords)
        case ast.Name() if node.args:
            yield "call dropped", node.args[0]


def _root(node: ast.AST) -> str:
    """The name at the start of `a.b.c`."""
    while isinstance(node, (ast.Attribute, ast.Subscript, ast.Call)):
        node = node.func if isinstance(node, ast.Call) else node.value
    return node.id if isinstance(node, ast.Name) else ""


def _number(node: ast.AST) -> int | float | None:
    match node:
        case ast.Constant(value=int() | float() as value) if not isinstance(value, bool):
            return value
        case ast.UnaryOp(op=ast.USub(), operand=ast.Constant(value=int() | float() as value)):
            return -value
    return None


def _head(node: ast.stmt) -> str:
    return ast.unparse(node).splitlines()[0].removesuffix(":")


def _replaced(source: str, node: ast.stmt | ast.expr, text: str) -> str:
    """The source with `text` where `node` stands; what is around it stays."""
    lines = source.splitlines(keepends=True)
    first, last = node.lineno - 1, (node.end_lineno or node.lineno) - 1
    # Columns of the tree count bytes.
    before = lines[first].encode()[: node.col_offset].decode()
    after = lines[last].encode()[node.end_col_offset :].decode()
    text = text.replace("\n", "\n" + " " * node.col_offset)
    return "".join([*lines[:first], before + text + after, *lines[last + 1 :]])
