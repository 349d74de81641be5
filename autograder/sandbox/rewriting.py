"""Rewrites a layer's source so that a tracer sees what its lines compute. Knows no course.

Expressions inside functions are wrapped in a call of one hook, which hands every value on. A place in
the source is a site: (line, last line, kind, statement, name).
"""

import ast

from .interpreter import HOOK

PLACE = ("lineno", "col_offset", "end_lineno", "end_col_offset")
# Kinds of sites. The first four are what a statement leaves behind; the others stand inside one.
ASSIGN, RETURN, UPDATE, EFFECT, PART, NAME = "assign", "return", "update", "effect", "part", "name"


class Rewriter(ast.NodeTransformer):
    """Puts the hook around expressions in function bodies; module and class bodies stay as they are."""

    def __init__(self):
        self.sites = []
        self.methods = []  # (name, line) of functions, in order
        self.depth = 0
        self.statement = -1

    def wrap(self, node, kind, name=""):
        if hooked(node):  # a part that turns out to be all of a statement's value
            site = node.args[0].value
            self.sites[site] = (*self.sites[site][:2], kind, self.statement, name)
            return node
        site = self.site(node, kind, name)
        at = {name: getattr(node, name) for name in PLACE}
        return ast.Call(ast.Name(HOOK, ast.Load(), **at), [ast.Constant(site, **at), node], [], **at)

    def is_part(self, node):
        return self.sites[node.args[0].value][2] == PART

    def site(self, node, kind, name=""):
        self.sites.append((node.lineno, node.end_lineno or node.lineno, kind, self.statement, name))
        return len(self.sites) - 1

    def whole(self, node, kind, name=""):
        """A statement's value: the elements of a display each for itself."""
        if isinstance(node, (ast.Tuple, ast.List)):
            node.elts = [e if isinstance(e, ast.Starred) else self.whole(e, kind, name) for e in node.elts]
        elif isinstance(node, ast.Dict):
            node.values = [self.whole(value, kind, name) for value in node.values]
        elif isinstance(node, (ast.ListComp, ast.GeneratorExp)):
            node.elt = self.whole(node.elt, kind)
        elif isinstance(node, ast.DictComp):
            node.value = self.whole(node.value, kind)
        elif isinstance(node, ast.IfExp):
            node.body, node.orelse = self.whole(node.body, kind, name), self.whole(node.orelse, kind, name)
        elif name.startswith(".") or not isinstance(node, ALONE):
            return self.wrap(node, kind, name)
        return node

    def visit(self, node):
        if self.depth and isinstance(node, ast.stmt):
            outer, self.statement = self.statement, len(self.sites)
            try:
                return super().visit(node)
            finally:
                self.statement = outer
        return super().visit(node)

    def visit_FunctionDef(self, node):
        self.methods.append((node.name[:100], node.lineno))
        self.depth += 1
        node.body = [new for old in node.body for new in as_list(self.visit(old))]
        self.depth -= 1
        return node

    def visit_ClassDef(self, node):
        depth, self.depth = self.depth, 0
        self.generic_visit(node)
        self.depth = depth
        return node

    def visit_Lambda(self, node):
        if self.depth:
            node.body = self.whole(self.visit(node.body), RETURN)
        return node

    def visit_Assign(self, node):
        if not self.depth:
            return node
        node.value = self.visit(node.value)
        unpacked = [t for t in node.targets if isinstance(t, (ast.Tuple, ast.List))]
        if unpacked and not isinstance(node.value, (ast.Tuple, ast.List)):
            after = [self.after(e, ASSIGN) for t in unpacked for e in t.elts if isinstance(e, PLAIN)]
            return [node, *after]
        names = [named(e) for t in node.targets for e in (t.elts if unpacked else [t])]
        if len(node.targets) > 1 and not unpacked and all(isinstance(t, PLAIN) for t in node.targets):
            return [node, *(self.after(t, ASSIGN) for t in node.targets)]
        if unpacked and len(node.value.elts) == len(names):
            elements = zip(node.value.elts, names, strict=True)
            node.value.elts = [self.whole(e, ASSIGN, name) for e, name in elements]
        else:
            node.value = self.whole(node.value, ASSIGN, next((n for n in names if n), ""))
        return node

    def visit_AnnAssign(self, node):
        if self.depth and node.value is not None:
            node.value = self.whole(self.visit(node.value), ASSIGN, named(node.target))
        return node

    def visit_NamedExpr(self, node):
        if self.depth:
            node.value = self.whole(self.visit(node.value), ASSIGN)
        return node

    def visit_AugAssign(self, node):
        if not self.depth:
            return node
        node.value = self.visit(node.value)
        return [node, self.after(node.target, UPDATE)] if repeatable(node.target) else node

    def after(self, target, kind):
        """A statement that shows what `target` holds now."""
        loaded = ast.parse(ast.unparse(target), mode="eval").body
        for part in ast.walk(loaded):
            ast.copy_location(part, target)
        shown = self.wrap(loaded, kind, named(target))
        assigned = isinstance(target, PLAIN)
        new = ast.Assign([target], shown) if assigned else ast.Expr(shown)
        return ast.fix_missing_locations(ast.copy_location(new, target))

    def visit_Return(self, node):
        if self.depth and node.value is not None:
            node.value = self.whole(self.visit(node.value), RETURN)
        return node

    def visit_Expr(self, node):
        if self.depth and isinstance(node.value, (ast.Call, ast.BinOp)):
            node.value = self.whole(self.visit(node.value), EFFECT)
            call = node.value.args[1]
            if isinstance(call, ast.Call):  # `rows.append(x @ W)` keeps its argument
                call.args = [self.whole(a, ASSIGN) if hooked(a) and self.is_part(a) else a for a in call.args]
        elif self.depth:
            self.generic_visit(node)
        return node

    def visit_Yield(self, node):
        if self.depth and node.value is not None:
            node.value = self.whole(self.visit(node.value), RETURN)
        return node

    def visit_Call(self, node):
        if not self.depth:
            return node
        if isinstance(node.func, ast.Attribute):
            if isinstance(node.func.value, ast.Name):
                self.site(
                    node.func, NAME, named(node.func)
                )  # what is called is not shown, only known to be read
            node.func.value = self.visit(node.func.value)
        elif not isinstance(node.func, ast.Name):
            node.func = self.visit(node.func)
        node.args = [self.visit(argument) for argument in node.args]
        for keyword in node.keywords:
            keyword.value = self.visit(keyword.value)
        return self.wrap(node, PART)

    def part(self, node):
        self.generic_visit(node)
        return self.wrap(node, PART) if self.depth else node

    visit_BinOp = visit_UnaryOp = part

    def load(self, node):
        if isinstance(getattr(node, "ctx", None), ast.Load) and self.depth:
            if not isinstance(node, ast.Name):
                node.value = self.visit(node.value)
            return self.wrap(node, NAME, named(node))
        return node

    visit_Name = visit_Attribute = visit_Subscript = load

    def leave(self, node):
        return node

    visit_JoinedStr = visit_AsyncFunctionDef = visit_Delete = visit_Match = leave


PLAIN = (ast.Name, ast.Attribute)
ALONE = (ast.Constant, ast.Lambda, ast.Starred, ast.Yield, ast.YieldFrom, ast.Await)


def hooked(node):
    return isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == HOOK


def as_list(value):
    return value if isinstance(value, list) else [value]


def named(target):
    """What a value is called: "name" for a local, ".name" on an object, "" for anything else."""
    if isinstance(target, ast.Attribute):
        return "." + target.attr[:100]
    return target.id[:100] if isinstance(target, ast.Name) else ""


def repeatable(target):
    """Whether reading `target` once more does nothing else."""
    return not any(isinstance(n, (ast.Call, ast.NamedExpr, ast.Await)) for n in ast.walk(target))
