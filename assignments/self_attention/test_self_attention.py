"""The public checks of the self-attention layer: run `python check.py` or `pytest` in this folder.

They need NumPy, pytest and two files beside this one: `self_attention.py` (yours) and `gradcheck.py` (given).
All passed means that the public checks pass; your course has further ones.
"""

import functools
import importlib
import sys
import traceback
from pathlib import Path

import numpy as np
import pytest

sys.path.insert(0, str(Path(__file__).resolve().parent))
import gradcheck  # noqa: E402

TASKS = {"1.1": "forward", "1.2": "backward", "1.3": "zero_grad"}
GRADIENTS = {"Wq": "dWq", "Wk": "dWk", "Wv": "dWv"}
SHAPES = {"lesson": (2, 5, 8, 4), "exercise 1": (3, 7, 16, 8)}  # (B, T, C, hs)
OTHER_SHAPES = [(1, 1, 3, 2), (3, 1, 6, 5), (1, 6, 5, 3), (2, 4, 4, 4), (4, 7, 5, 9)]
THRESHOLD = 1e-5  # of the gradient check; a right layer is below 1e-8 here
SAME = 1e-8  # two right ways to compute the same numbers differ by about 1e-15
LOSSES = "0.6470 0.6077 0.5770 0.5530 0.5340 0.5190 0.5070 0.4974 0.4897 0.4835".split()


# ---- what a failure says: None, type, shape, dtype, finite, values, in this order ----


def fail(task, message):
    """End the test with one sentence; `task` is an id of TASKS, or "" for the part that is given."""
    pytest.fail(f"task {task} ({TASKS[task]}){message}" if task else message.lstrip(": "), pytrace=False)


def check_form(task, name, value, shape):
    """`value` must be a finite float64 array of `shape`."""
    if value is None:
        fail(task, f": {name} is None; expected an array {shape}")
    if not isinstance(value, np.ndarray):
        fail(task, f": {name} is a {type(value).__name__}; expected a NumPy array {shape}")
    if value.shape != shape:
        fail(task, f": {name} has shape {value.shape}; expected {shape}")
    if value.dtype != np.float64:
        fail(task, f": {name} {shape} has dtype {value.dtype}; expected float64")
    if not np.isfinite(value).all():
        at = tuple(int(i) for i in np.argwhere(~np.isfinite(value))[0])
        fail(task, f": {name} {shape} is not finite, first at {at}: yours {value[at]}")


def check_values(task, name, value, expected, because="", limit=SAME, figure=gradcheck.floored_error):
    """`value` must have the form of the array `expected` and a relative error below `limit` against it."""
    check_form(task, name, value, expected.shape)
    error = figure(value, expected)
    if not error < limit:
        at = tuple(int(i) for i in np.unravel_index(np.argmax(np.abs(value - expected)), value.shape))
        numbers = f"largest difference at {at}: yours {value[at]:.6g}, expected {expected[at]:.6g}"
        why = f" ({because})" if because else ""
        fail(task, f": {name} {value.shape}: relative error {error:.1e}, limit {limit:.0e}; {numbers}{why}")


def stopped(error):
    """The student's own line on which an exception came up, and what it says."""
    frames = traceback.extract_tb(error.__traceback__)
    own = [frame for frame in frames if Path(frame.filename).name == "self_attention.py"]
    where = f" at line {own[-1].lineno}, `{own[-1].line}`" if own else ""
    return f"stops{where}: {type(error).__name__}: {error}"


# ---- running the layer ----


def new_layer(C, hs):
    """A fresh layer with its default seed."""
    try:
        return importlib.import_module("self_attention").SelfAttention(C, hs)
    except SyntaxError as error:
        message = f"self_attention.py cannot be read: line {error.lineno}: {error.msg}"
    except Exception as error:
        message = f"SelfAttention({C}, {hs}) {stopped(error)}"
    fail("", message)


def case(B, T, C, hs, seed=42):
    """A layer, an input X (B, T, C) and an upstream gradient G (B, T, hs)."""
    rng = np.random.RandomState(seed)  # the stream of np.random.seed, without touching the global one
    X = rng.randn(B, T, C)
    return new_layer(C, hs), X, rng.randn(B, T, hs)


def run(layer, task, *arguments):
    """Call the method of `task`; a TODO or an exception in it becomes one sentence."""
    try:
        return getattr(layer, TASKS[task])(*arguments)
    except NotImplementedError:
        message = " is still to be written"
    except Exception as error:
        message = f" {stopped(error)}"
    fail(task, message)


def run_backward(layer, G):
    """One backward: copies of what it returns and stores, by name."""
    arrays = {"dX": run(layer, "1.2", G), **{name: getattr(layer, name, None) for name in GRADIENTS.values()}}
    return {name: value if value is None else np.copy(value) for name, value in arrays.items()}


def first_run(task):
    """Run `task` once at the lesson's shape; fails unless it gives arrays of the right form."""
    layer, X, G = case(*SHAPES["lesson"])
    if task in ("1.1", "1.2"):
        check_form("1.1", "out", run(layer, "1.1", X), G.shape)
    if task == "1.2":
        check_form("1.2", "dX", run(layer, "1.2", G), X.shape)
        for weight, gradient in GRADIENTS.items():
            check_form("1.2", gradient, getattr(layer, gradient, None), getattr(layer, weight).shape)
    if task == "1.3":
        run(layer, "1.3")


def need(*tasks):
    """Skip the test, and say why, when one of `tasks` does not run yet; "" is the given part."""
    for task in tasks:
        try:
            first_run(task)
        except pytest.fail.Exception as failure:
            pytest.skip(failure.msg)


def check(task, needs=("1.1", "1.2")):
    """Mark a test as one of `task`; it is skipped, with the reason, while a task in `needs` does not run."""

    def mark(test):
        @functools.wraps(test)
        def checked(**arguments):
            need(*needs)
            test(**arguments)

        checked.task = task
        return checked

    return mark


@check("", needs=())
def test_constructor_is_as_given():
    layer, rng = new_layer(8, 4), np.random.default_rng(42)
    for weight in GRADIENTS:
        check_values("", weight, getattr(layer, weight, None), rng.standard_normal((8, 4)) * 0.02)


# ---- task 1.1, forward ----


@check("1.1", needs=("",))
def test_forward_runs():
    first_run("1.1")


@pytest.mark.parametrize("shape", OTHER_SHAPES, ids=str)
@check("1.1", needs=("1.1",))
def test_forward_serves_any_shape(shape):
    (B, T, C, hs), (layer, X, G) = shape, case(*shape)
    check_form("1.1", "out", run(layer, "1.1", X), G.shape)
    if not isinstance(layer.cache, (tuple, list)) or len(layer.cache) != 5:
        fail("1.1", ": cache is not a sequence of five; expected exactly the arrays X, Q, K, V, A")
    forms = {"X": (B, T, C), "Q": (B, T, hs), "K": (B, T, hs), "V": (B, T, hs), "A": (B, T, T)}
    for (name, form), value in zip(forms.items(), layer.cache, strict=True):
        check_form("1.1", f"{name} of the cache", value, form)
    check_values("1.1", "row sums of A", layer.cache[4].sum(axis=-1), np.ones((B, T)))


@pytest.mark.parametrize("T", [1, 5])
@check("1.1", needs=("1.1",))
def test_queries_of_zero_give_the_mean(T):
    layer, X, _ = case(2, T, 8, 4)
    layer.Wq[...] = 0.0  # all scores are zero, so every row of A is 1/T; one token gives its own V
    mean = np.einsum("btc,ch->bh", X, layer.Wv) / T
    mean = np.stack([mean] * T, axis=1)  # (B, T, hs), the same at each token
    check_values("1.1", "out", run(layer, "1.1", X), mean, "with Wq = 0, out is the mean of V")


@check("1.1", needs=("1.1",))
def test_a_case_by_hand():
    """Two tokens, hs = 4. Scores are [[0, ln 3], [0, 0]] after the scale, so A = [[1/4, 3/4], [1/2, 1/2]]."""
    layer = new_layer(2, 4)
    layer.Wq[...] = [[0, 2 * np.log(3), 0, 0], [0, 0, 0, 0]]
    layer.Wk[...] = [[1, 0, 0, 0], [0, 1, 0, 0]]
    layer.Wv[...] = [[4, 0, 0, 0], [0, 4, 0, 0]]
    expected = np.array([[[1.0, 3.0, 0.0, 0.0], [2.0, 2.0, 0.0, 0.0]]])
    out = run(layer, "1.1", np.eye(2)[None])
    check_values("1.1", "out", out, expected, "by hand, A is [[1/4, 3/4], [1/2, 1/2]]")


@check("1.1", needs=("1.1",))
def test_order_and_company_do_not_matter():
    layer, X, _ = case(3, 5, 8, 4)
    out = np.copy(run(layer, "1.1", X))
    reverse = run(layer, "1.1", X[:, ::-1])
    check_values("1.1", "out", reverse, out[:, ::-1], "tokens in reverse order: the same rows, reversed")
    alone = run(layer, "1.1", X[1:2])
    check_values("1.1", "out", alone, out[1:2], "a sequence alone: the same as in its batch")


# ---- task 1.2, backward ----


@check("1.2", needs=("1.1",))
def test_backward_runs():
    first_run("1.2")


@pytest.mark.parametrize("tensor", ["Wq", "Wk", "Wv", "X"])
@pytest.mark.parametrize("shape", SHAPES)
@check("1.2")
def test_gradient_check(shape, tensor):
    """The gradient of sum(out * G): yours against four-point differences of your own forward."""
    layer, X, G = case(*SHAPES[shape])
    run(layer, "1.1", X)
    name, x = ("dX", X) if tensor == "X" else (GRADIENTS[tensor], getattr(layer, tensor))
    yours = run_backward(layer, G)[name]
    numeric = gradcheck.numerical_gradient(lambda: run(layer, "1.1", X), x, G)
    check_values("1.2", name, yours, numeric, f"{shape} shape", THRESHOLD, gradcheck.relative_error)


@check("1.2")
def test_a_second_backward_gives_the_same():
    layer, X, G = case(*SHAPES["lesson"])
    run(layer, "1.1", X)
    first, second = run_backward(layer, G), run_backward(layer, G)
    for name, value in first.items():
        check_values(
            "1.2", name, second[name], value, "second backward: store this call's gradient, add nothing"
        )


@check("1.2")
def test_what_comes_in_stays_as_it_was():
    layer, X, G = case(*SHAPES["lesson"])
    held = {"X": X, "dout": G, **{name: getattr(layer, name) for name in GRADIENTS}}
    before = {name: np.copy(value) for name, value in held.items()}
    for task, argument in (("1.1", X), ("1.2", G)):
        run(layer, task, argument)
        for name, value in held.items():
            check_values(task, name, value, before[name], f"{TASKS[task]} changes it in place")


@check("1.2")
def test_two_layers_do_not_share():
    (one, X, G), (other, X2, G2) = case(*SHAPES["lesson"]), case(*SHAPES["lesson"], seed=7)
    run(one, "1.1", X)
    alone = run_backward(one, G)
    run(one, "1.1", X)
    run(other, "1.1", X2)
    run(other, "1.2", G2)
    for name, value in run_backward(one, G).items():
        check_values("1.2", name, value, alone[name], "another layer ran between forward and backward")


# ---- it learns ----


def train(frozen=(), zero_first=False):
    """The ten losses of the lesson; weights named in `frozen` are not updated."""
    layer, X, Y = case(*SHAPES["lesson"], seed=0)
    losses = []
    for _ in range(10):
        if zero_first:
            run(layer, "1.3")
        out = run(layer, "1.1", X)
        losses.append(0.5 * float(np.mean((out - Y) ** 2)))
        run(layer, "1.2", (out - Y) / out.size)
        for weight, gradient in GRADIENTS.items():
            if weight not in frozen:
                setattr(layer, weight, getattr(layer, weight) - 0.5 * getattr(layer, gradient))
    return losses


@pytest.mark.parametrize("frozen", [(), ("Wv",)], ids=["all weights", "exercise 2, Wv frozen"])
@check("1.2")
def test_the_loss_falls_at_every_step(frozen):
    losses = train(frozen)
    for step, (before, after) in enumerate(zip(losses, losses[1:], strict=False), 2):
        if not after < before:
            fail("1.2", f": the loss does not fall at step {step}: {before:.8f}, then {after:.8f}")


@pytest.mark.parametrize("task", ["1.2", "1.3"], ids=["as it is", "zero_grad first"])
@check("1.2")
def test_the_ten_losses(task):
    need(task)
    for step, (yours, expected) in enumerate(zip(train(zero_first=task == "1.3"), LOSSES, strict=True), 1):
        if f"{yours:.4f}" != expected:
            fail(task, f": the loss of step {step} is {yours:.4f}; expected {expected}")


# ---- task 1.3, zero_grad ----


@check("1.3", needs=("",))
def test_zero_grad_runs():
    first_run("1.3")


@check("1.3", needs=("1.1", "1.2", "1.3"))
def test_zero_grad_forgets_the_gradients_and_nothing_else():
    layer, X, G = case(*SHAPES["lesson"])
    before = {name: np.copy(getattr(layer, name)) for name in GRADIENTS}
    run(layer, "1.1", X)
    dX = run_backward(layer, G)["dX"]
    run(layer, "1.3")
    for weight, gradient in GRADIENTS.items():
        if getattr(layer, gradient, None) is not None:
            check_values("1.3", gradient, getattr(layer, gradient), np.zeros((8, 4)), "zeros or None")
        check_values("1.3", weight, getattr(layer, weight), before[weight], "zero_grad changes a weight")
    check_values("1.3", "dX", run(layer, "1.2", G), dX, "backward after zero_grad")
