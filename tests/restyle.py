"""Writes a layer another way: for known mistakes as other students would have made them."""

from __future__ import annotations

import ast
import difflib
import re
from collections.abc import Callable, Iterator

NAMES = {"Q": "queries", "K": "keys", "V": "values", "A": "attn", "scores": "logits", "dA": "grad_attn",
         "dS": "grad_soft", "dscores": "grad_logits", "dQ": "gq", "dK": "gk", "dV": "gv", "dX": "gx",
         "e": "powers", "out": "result"}  # fmt: skip


class _Renamed(ast.NodeTransformer):
    def visit_Name(self, node: ast.Name) -> ast.AST:
        node.id = NAMES.get(node.id, node.id)
        return node


def renamed(source: str) -> str:
    """Other names for everything local, no comments."""
    return ast.unparse(_Renamed().visit(ast.parse(source))) + "\n"


class _Steps(ast.NodeTransformer):
    """One operation a line: what stands inside an expression gets a name and a line of its own."""

    def __init__(self) -> None:
        self.before: list[ast.stmt] = []
        self.count = 0

    def _named(self, node: ast.expr) -> ast.expr:
        self.count += 1
        name = f"step{self.count}"
        self.before.append(ast.Assign([ast.Name(name, ast.Store())], node, lineno=0))
        return ast.Name(name, ast.Load())

    def visit_BinOp(self, node: ast.BinOp) -> ast.expr:
        self.generic_visit(node)
        return self._named(node)

    def visit_Call(self, node: ast.Call) -> ast.expr:
        self.generic_visit(node)
        return self._named(node)

    def visit_Lambda(self, node: ast.Lambda) -> ast.expr:
        return node

    visit_ListComp = visit_GeneratorExp = visit_IfExp = visit_BoolOp = visit_Lambda  # type: ignore[assignment]


def _in_steps(body: list[ast.stmt]) -> list[ast.stmt]:
    found: list[ast.stmt] = []
    for node in body:
        if isinstance(node, (ast.Assign, ast.AugAssign, ast.Return)) and node.value is not None:
            steps = _Steps()
            steps.count = sum(isinstance(n, ast.Assign) for n in found) * 10
            node.value = steps.visit(node.value)
            last = steps.before[-1] if steps.before else None
            if isinstance(last, ast.Assign) and isinstance(node.value, ast.Name):
                node.value = last.value  # the outermost operation stays where it was
                steps.before.pop()
            found += steps.before
        else:
            for name in ("body", "orelse"):
                if inner := getattr(node, name, None):
                    setattr(node, name, _in_steps(inner))
        found.append(node)
    return found


def stepwise(source: str) -> str:
    """One operation a line."""
    tree = ast.parse(source)
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef):
            node.body = _in_steps(node.body)
    return ast.unparse(ast.fix_missing_locations(tree)) + "\n"


def respelled(source: str) -> str:
    """The same operations by other functions of NumPy."""
    source = re.sub(r"(\b[\w.]+)\.transpose\(0, 2, 1\)", r"np.swapaxes(\1, 1, 2)", source)
    source = re.sub(r"np\.sum\(([^()]+(?:\([^()]*\)[^()]*)*), axis=", r"np.add.reduce(\1, axis=", source)
    source = source.replace(" / np.sqrt(self.hs)", " * self.hs ** -0.5")
    return re.sub(r"(\b\w+) @ (self\.\w+)\b(?!\.)", r"np.matmul(\1, \2)", source)


WAYS: dict[str, Callable[[str], str]] = {
    "as it is": lambda source: source,
    "renamed": renamed,
    "stepwise": stepwise,
    "respelled": respelled,
}


def changed_lines(before: str, after: str) -> set[int]:
    """1-based lines of `after` that differ from `before`; of a line taken away, those beside the gap."""
    found: set[int] = set()
    matcher = difflib.SequenceMatcher(None, before.splitlines(), after.splitlines(), autojunk=False)
    for kind, _, _, first, last in matcher.get_opcodes():
        if kind == "delete":
            found |= {first, first + 1}
        elif kind != "equal":
            found |= set(range(first + 1, last + 1))
    return found


def statements(source: str) -> Iterator[set[int]]:
    """The lines of each simple statement."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.stmt) and not hasattr(node, "body"):
            yield set(range(node.lineno, (node.end_lineno or node.lineno) + 1))


def whole(source: str, lines: set[int]) -> set[int]:
    """`lines` with the rest of the statements that they belong to."""
    return lines.union(*(statement for statement in statements(source) if statement & lines))
