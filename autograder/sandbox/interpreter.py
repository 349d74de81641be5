"""Carries out the operations of one frame on a layer class. Knows no check, seed or expected value.

The same code runs in a worker, where its answers are worth no more than the student's file, and in
process for trusted layers. An operation is a tuple (name, *arguments); its result can be named by
later ones as `Ref(index)`. Every result is encoded as soon as it exists, so that nothing done later
can change it. After an exception the rest of its group is not run; `("group",)` starts another.
"""

import ast
import sys

import numpy as np

from .values import NOT_RUN, Described, Raised, Ref
from .wire import MAX_PAYLOAD, WireError, crosses, encode

FILE = "<submission>"  # the name that the submission is compiled under
LARGEST = MAX_PAYLOAD // 2  # bytes of one array that crosses
ROOM = MAX_PAYLOAD - 2**20  # bytes of a frame's answers together; the rest is for those that only describe
HOOK = "__at__"  # the name under which a rewritten submission finds its tracer

# Looked up now: a submission may put something else under these names, by mistake or not.
global_state = np.random.get_state

# What runs of a notebook: whatever may define the class, and nothing that only uses it.
DEFINING = (
    ast.Import, ast.ImportFrom, ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.Assign,
    ast.AnnAssign, ast.AugAssign, ast.If, ast.Try,
)  # fmt: skip


class Wanting(Exception):
    """The submission lacks something that an operation needs."""

    def __init__(self, kind, name):
        super().__init__(name)
        self.raised = Raised(kind, name)


class NotAllowed(ImportError):
    """A module that the exercise does not allow."""


def student_lines(error):
    """1-based lines of the submission in the traceback of `error`, outermost first, the last 16."""
    lines = []
    traceback = error.__traceback__
    while traceback is not None:
        if traceback.tb_frame.f_code.co_filename == FILE:
            lines.append(traceback.tb_lineno or 0)
        traceback = traceback.tb_next
    return tuple(lines[-16:])


def raised(error):
    """`Raised` for any exception, whatever its class does when it is printed."""
    if isinstance(error, Wanting):
        return error.raised
    lines = student_lines(error)
    try:
        message = str(error)[:500]
    except BaseException:
        message = ""
    name = type(error).__name__
    if isinstance(error, NotAllowed):
        return Raised("import", message, "", lines)
    if isinstance(error, MemoryError):
        return Raised("memory", name, message, lines)
    return Raised("raised", str(name)[:100], message, lines)


def portable(value, depth=0):
    """`value` as something that crosses the wire exactly, else `Described`."""
    kind = type(value)
    if value is None or kind in (bool, float, str, Raised):
        return value if kind is not str else value[:1000]
    if kind is int:
        return value if -(2**63) <= value < 2**63 else Described("int")
    if kind is np.ndarray:
        if value.nbytes > LARGEST:
            return oversized(value)
        return value if crosses(value) else Described("ndarray", value.dtype.name, value.shape)
    if isinstance(value, (tuple, list)) and depth < 2 and len(value) <= 16:
        items = [portable(item, depth + 1) for item in value]
        return items if isinstance(value, list) else tuple(items)
    if isinstance(value, (np.ndarray, np.generic)):
        return Described(kind.__name__[:100], value.dtype.name, value.shape)
    return Described(kind.__name__[:100])


def oversized(array):
    return Described("oversized_ndarray", array.dtype.name, array.shape)


def laid_out(array, layout, readonly):
    """A fresh copy of `array` in memory order "C", "F" or "strided" (a view with gaps)."""
    if layout == "F":
        result = np.array(array, order="F")
    elif layout == "strided":
        wide = np.zeros(tuple(2 * n for n in array.shape), array.dtype)
        result = wide[tuple(slice(None, None, 2) for _ in array.shape)]
        result[...] = array
    else:
        result = np.array(array)
    if readonly:
        result.flags.writeable = False
    return result


class Interpreter:
    exact: frozenset[str] = frozenset()  # operations whose results cross whole or not at all

    def __init__(self, cls):
        self.cls = cls
        self.results = []

    def run(self, ops):
        """Encoded results, one for each of `ops`."""
        encoded = []
        results = self.results = []
        size = 0
        failed = False
        for name, *args in ops:
            if name == "group":
                failed = False
            if failed:
                results.append(None)
                encoded.append(BEHIND)
                continue
            try:
                args = [results[a.index] if type(a) is Ref else a for a in args]
                result = getattr(self, "op_" + name)(*args)
                answer = NOTHING if name in QUIET else self.answer(name, result, ROOM - size)
            except BaseException as error:
                failed = True
                result, answer = None, encode(raised(error))
            results.append(result)
            encoded.append(answer)
            size += len(answer)
        self.results = []
        return encoded

    def answer(self, name, result, room):
        """`result` encoded, or where that takes more than `room` bytes what it is."""
        try:
            answer = encode(result if name in self.exact else portable(result))
        except WireError:  # a tuple's arrays together, of which each would fit
            answer = None
        if answer is None or len(answer) > room:
            answer = encode(oversized(result) if type(result) is np.ndarray else Described("oversized"))
        return answer

    def resolve(self, value):
        return self.results[value.index] if type(value) is Ref else value

    # One method an operation; layers, arrays and names are already resolved.

    def op_group(self):
        return None

    def op_array(self, array, layout, readonly):
        return laid_out(array, layout, readonly)

    def op_new(self, arguments):
        return self.cls(**dict(arguments))

    def op_get(self, layer, name):
        return attribute(layer, name)

    def op_set(self, layer, name, array):
        """Change a parameter in place, so that views and fused matrices see it."""
        parameter(layer, name, array.shape)[...] = array

    def op_setattr(self, layer, name, value):
        setattr(layer, name, value)

    def op_call(self, layer, name, args):
        method = attribute(layer, name)
        return method(*[self.resolve(a) for a in args])

    def op_add(self, array, amount):
        """Change an earlier result in place: shows what shares its memory."""
        array += amount

    def op_reread(self, value):
        return value

    def op_names(self, layer):
        """Public names of the layer, joined by blanks."""
        return " ".join(name for name in dir(layer) if not name.startswith("_"))

    def op_rng(self):
        """State of NumPy's global generator, (625,) of integers."""
        state = global_state()
        return np.append(state[1].astype(np.int64), state[2])  # type: ignore[index]

    def op_sweep(self, layer, name, base, directions, points, method, X):
        """Outputs with parameter `name` (the input if empty) at base + point * direction.

        base (*s), directions (k, *s), points (m,) -> (k, m, *out).
        """
        target = parameter(layer, name, base.shape) if name else None
        call = attribute(layer, method)
        outputs: list[np.ndarray] = []
        for direction in directions:
            for point in points:
                moved = base + point * direction
                if target is None:
                    out = call(moved)
                else:
                    target[...] = moved
                    out = call(X)
                if not real(out) or (outputs and out.shape != outputs[0].shape):
                    raise Wanting("shape", method)
                outputs.append(np.array(out, dtype=float))
        if target is not None:
            target[...] = base
        return np.array(outputs).reshape(len(directions), len(points), *outputs[0].shape)

    def op_train(self, layer, X, Y, rate, steps, pairs, zero_grad):
        """Outputs (steps + 1, *out) while the mean squared error falls by gradient descent.

        The losses are worked out elsewhere, from the outputs. Gradients are forgotten before each
        step: by `zero_grad` where it is named, else by assignment.
        """
        outputs = []
        self.trails: dict[str, list[np.ndarray]] = {name: [] for name, _ in pairs}
        for step in range(steps + 1):
            if zero_grad:
                attribute(layer, zero_grad)()
            else:
                for _, gradient in pairs:
                    forget(layer, gradient)
            out = attribute(layer, "forward")(X)
            if not real(out) or out.shape != Y.shape:
                raise Wanting("shape", "forward")
            outputs.append(np.array(out, dtype=float))
            for name, trail in self.trails.items():
                trail.append(np.array(attribute(layer, name)))
            if step == steps:
                break
            attribute(layer, "backward")((out - Y) / out.size)
            for name, gradient in pairs:
                value = attribute(layer, gradient)
                weight = parameter(layer, name, np.shape(value))
                weight -= rate * value
        return np.array(outputs)

    def op_trail(self, name):
        """A parameter at each output of the training before this, (steps + 1, *s)."""
        return np.array(self.trails[name])


NOTHING, BEHIND = encode(None), encode(NOT_RUN)
QUIET = frozenset({"group", "array", "new", "set", "setattr", "add"})


def attribute(layer, name):
    try:
        return getattr(layer, name)
    except AttributeError:
        if name in dir(layer):
            raise
        raise Wanting("missing", name) from None


def parameter(layer, name, shape):
    """The array behind a parameter, ready to be written to in place."""
    value = attribute(layer, name)
    if not isinstance(value, np.ndarray) or value.shape != tuple(shape):
        raise Wanting("unsettable", name)
    return value


def real(value):
    return type(value) is np.ndarray and value.dtype in (np.float64, np.float32, np.float16)


def forget(layer, gradient):
    try:
        setattr(layer, gradient, None)
    except AttributeError:  # a property computes it: nothing to forget
        pass


def load(chunks, class_name, lenient, tracer=None):
    """Run the submission's chunks and return (class or None, Raised or None, class names).

    A `.py` file is one chunk and must run. A notebook is many, and lenient: only its definitions,
    imports and assignments run, each for itself, so that plots, training and failed cells do not
    matter. A tracer rewrites what runs, so that it can be watched.
    """
    module = type(sys)("submission")
    sys.modules["submission"] = module
    space = module.__dict__
    if tracer is not None:
        tracer.watch(space)
    problem = None
    offset = 0
    for chunk in chunks:
        try:
            if lenient or tracer is not None:
                tree = ast.parse(chunk, FILE)
                if offset:
                    ast.increment_lineno(tree, offset)
                if tracer is not None:
                    tree = tracer.rewrite(tree)
            if lenient:
                kept = [node for node in tree.body if isinstance(node, DEFINING)]
                for node in kept:
                    try:
                        exec(compile(ast.Module([node], []), FILE, "exec"), space)
                    except BaseException as error:
                        problem = problem or raised(error)
            else:
                program = chunk if tracer is None else tree
                exec(compile(program, FILE, "exec", dont_inherit=True), space)
        except SyntaxError as error:
            lines = student_lines(error) or ((error.lineno or 0) + offset,)
            problem = problem or Raised("syntax", type(error).__name__, str(error.msg)[:300], lines)
        except BaseException as error:
            problem = problem or raised(error)
        offset += chunk.count(b"\n") + 1
    names = [n for n, v in list(space.items()) if isinstance(v, type) and v.__module__ == "submission"]
    cls = space.get(class_name)
    if not isinstance(cls, type):
        cls = None
    if lenient and cls is not None:
        problem = None
    return cls, problem, [str(n)[:100] for n in names[:32]]
