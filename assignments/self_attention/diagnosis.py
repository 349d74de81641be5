# A copy of autograder/diagnosis/fingerprint.py, made by `autograder build`: edit that file and build again.
"""Recognises a known mistake by what a layer does: its answers beside the answers of each mistake.

NumPy only: students receive a copy of this file, with `fingerprints.json` beside it. There stand a
program (operations on a fresh layer, inputs drawn from seeds), the answers of a right layer, and the
answers that each known mistake changes. An answer is a word ("None", "tuple of 2", "raises ValueError
5 7") or, for an array, [form, norm, projection]: two numbers that hardly another array of its form has.
"""

import json
import re
from pathlib import Path

import numpy as np

SAME = 1e-5  # of the norm: the same wrong array, computed in another way
NOISE = 1e-5  # of the norm: nearer than this, a wrong array is off by rounding, such as float32's
RIGHT = 1e-8  # of the norm: nearer than this is right
LEAST = 1e-2  # that a norm is taken for: what should be zero is so but for rounding
ROUNDING = "rounding"
VARIES = "varies"  # the answer of a mistake that gives another one each time


class Word(str):
    """The answer of an operation that gave no value."""


# ---- answers ----


def form(value):
    """Sizes and, unless it is float64, type of an array: `3x5x7 float32`."""
    sizes = "x".join(map(str, value.shape)) or "scalar"
    return sizes if value.dtype == np.float64 else f"{sizes} {value.dtype}"


def answer(value):
    """What `value` is: one word, or [form, norm, projection] of an array of numbers."""
    if value is None or isinstance(value, Word):
        return str(value)
    if isinstance(value, (tuple, list)):
        return f"tuple of {len(value)}"
    if type(value) is not np.ndarray:
        return f"a {type(value).__name__}"
    if value.dtype.kind not in "fiu":
        return form(value)
    array = np.asarray(value, dtype=float).ravel()
    if not np.isfinite(array).all():
        return f"{form(value)}, not finite"
    with np.errstate(all="ignore"):
        return [form(value), float(np.sqrt(array @ array)), float(_direction(array.size) @ array)]


_drawn = {}


def _direction(size):
    """A fixed random direction, (size,)."""
    if size not in _drawn:
        _drawn[size] = np.random.RandomState(size).standard_normal(size)
    return _drawn[size]


def raises(name, message=""):
    """The answer of an operation that raised: the exception, and the numbers in what it says."""
    return Word(" ".join(["raises", name, *re.findall(r"\d+", message)[:12]]))


def read(question, results):
    """The answer to one question, [key, operation, how, extra], in the results of a program."""
    _, at, how, extra = question
    value = results[at]
    if how == "entry" and isinstance(value, (tuple, list)) and extra < len(value):
        value = value[extra]  # of a sequence
    if how == "cleared":  # None, or zeros of a form, by an operation
        zeros_form, by = extra
        zeros = type(value) is np.ndarray and form(value) == zeros_form and not np.any(value)
        ran = not isinstance(results[by], Word)
        return ("cleared" if value is None or zeros else answer(value)) if ran else "not run"
    if how == "changed":  # since operation `extra`
        before = results[extra]
        if type(value) is np.ndarray and type(before) is np.ndarray:
            return "unchanged" if np.array_equal(value, before) else "changed"
    return answer(value)


def apart(one, other):
    """How far two answers are from each other, of their norm: 0 for equal words, infinity for unlike ones."""
    if isinstance(one, str) or isinstance(other, str) or one[0] != other[0]:
        return 0.0 if one == other else float("inf")
    size = max(abs(one[1]), abs(other[1]), LEAST)
    return max(abs(a - b) for a, b in zip(one[1:], other[1:])) / size  # noqa: B905


def changed(answers, right, limit=RIGHT):
    """The answers that differ from the right ones, by key; "rounding" for what is off by rounding alone."""
    found = {}
    for key, value in answers.items():
        distance = apart(value, right[key])
        if distance > limit:
            found[key] = value if distance > NOISE else ROUNDING
    return found


# ---- recognising ----


def clear(found):
    """Without what is off by rounding alone, unless everything is."""
    return {key: value for key, value in found.items() if value != ROUNDING} or found


def agrees(yours, theirs):
    """Whether a changed answer is the one that a mistake gives."""
    return theirs == VARIES or apart(yours, theirs) <= SAME


def fits(found, theirs):
    """Whether these are the answers that a mistake changes, and the values that it gives them."""
    found, theirs = clear(found), clear(theirs)
    if ROUNDING in found.values():  # all of it: whether one more answer is off is chance
        slight = all(value == ROUNDING for value in theirs.values())
        return slight and len(found.keys() ^ theirs.keys()) <= 0.3 * len(theirs)
    if found.keys() != theirs.keys() or not all(agrees(found[key], theirs[key]) for key in found):
        return False
    varying = {}  # by tensor: what is another each time is not the same twice
    for key in found:
        if theirs[key] == VARIES:
            varying.setdefault(key.partition(".")[2], []).append(found[key])
    return all(value not in values[:n] for values in varying.values() for n, value in enumerate(values))


def exactly(found, known):
    """Names of the mistakes of `known` (name -> changed answers) that change these answers in this way."""
    names = [name for name, theirs in known.items() if fits(found, theirs)]
    # What is different each time says less than numbers that agree.
    certain = [name for name in names if VARIES not in known[name].values()]
    return certain or names


# ---- asking a class that runs here ----


class _Missing(Exception):
    """What the layer lacks; its text is the answer."""


def _get(_, layer, name):
    try:
        return getattr(layer, name)
    except AttributeError:
        if name in dir(layer):
            raise
        raise _Missing(f"has no {name}") from None


def _set(_, layer, name, array):
    held = _get(_, layer, name)
    if not isinstance(held, np.ndarray) or held.shape != array.shape:
        raise _Missing(f"cannot set {name}")
    held[...] = array


def _add(_, array, amount):
    array += amount


def _rng(_):
    state = np.random.get_state()
    return np.append(state[1].astype(np.int64), state[2])


_OPERATIONS = {
    "group": lambda _: None,
    "array": lambda _, value, *layout: value,
    "new": lambda cls, arguments: cls(**dict(arguments)),
    "get": _get,
    "set": _set,
    "setattr": lambda _, layer, name, value: setattr(layer, name, value),
    "call": lambda _, layer, name, arguments: _get(_, layer, name)(*arguments),
    "add": _add,
    "reread": lambda _, value: value,
    "names": lambda _, layer: None,  # the grader asks for these
    "rng": _rng,
}


def draw(seed, scale, *shape):
    """The array that {"draw": [seed, scale, *shape]} stands for."""
    return scale * np.random.default_rng(seed).standard_normal(shape)


def ask(cls, program):
    """The answers of a class that runs here, by key."""
    live, kept = [], []  # results as they are now, and as they were

    def plain(value):
        if isinstance(value, dict):
            return live[value["ref"]] if "ref" in value else draw(*value["draw"])
        return [plain(item) for item in value] if isinstance(value, list) else value

    failed = False
    for name, *arguments in program["operations"]:
        failed = failed and name != "group"
        result = Word("not run")
        if not failed:
            try:
                with np.errstate(all="ignore"):
                    result = _OPERATIONS[name](cls, *[plain(argument) for argument in arguments])
            except _Missing as error:
                failed, result = True, Word(error)
            except Exception as error:
                failed, result = True, raises(type(error).__name__, str(error))
        live.append(None if failed else result)
        kept.append(_copy(result))
    return {question[0]: read(question, kept) for question in program["questions"]}


def _copy(value):
    if isinstance(value, (tuple, list)):
        return tuple(_copy(item) for item in value)
    return value.copy() if type(value) is np.ndarray else value


def recognise(cls):
    """The mistakes recognised in a class, each as (names that cannot be told apart, hints, why).

    The class runs in this process: for your own work only.
    """
    known = json.loads(Path(__file__).with_name("fingerprints.json").read_text(encoding="utf-8"))
    found = changed(ask(cls, known["program"]), known["right"])
    mistakes = known["mistakes"]
    names = exactly(found, {name: mistake["changes"] for name, mistake in mistakes.items()}) if found else []
    return [(names, mistakes[names[0]]["hints"], mistakes[names[0]]["why"])] if names else []
