"""Shows, and replaces, the values that a layer's own lines compute. Knows no course and no derivation.

The hook of a rewritten file keeps copies of arrays while a program is recorded, and puts other arrays
in their place while a trial is run.
"""

import time

import numpy as np

from .interpreter import HOOK, Interpreter, raised
from .rewriting import ASSIGN, EFFECT, NAME, PART, RETURN, UPDATE, Rewriter
from .values import NOT_RUN, Ref

MAX_RUNS = 512  # executions of one site that are kept
MAX_EVENTS = 6000
MAX_BYTES = 12 * 2**20
NOTHING = np.zeros(0)


class Tracer:
    """The hook and what it keeps. One for a loaded file."""

    def __init__(self):
        self.sites = []
        self.methods = []
        self.wanted = None  # sites to keep, None when nothing is recorded
        self.swaps = {}  # (site, nth execution) -> array, for one trial
        self.space = {}  # the names of the file that is watched
        self.start({}, None)

    def watch(self, space):
        """Be called by what runs with these names."""
        self.space = space
        self.hook()

    def hook(self):
        """Put the least that will do in the hook's place: most sites of a trial only hand their value on."""
        if self.wanted is not None or self.state is not None:
            self.space[HOOK] = self.at
            return
        swapped, at = self.swapped, self.at
        self.space[HOOK] = lambda site, value: at(site, value) if site in swapped else value

    def rewrite(self, tree):
        rewriter = Rewriter()
        rewriter.sites, rewriter.methods = self.sites, self.methods  # chunks count on
        return rewriter.visit(tree)

    def start(self, swaps, wanted):
        self.swaps, self.wanted = swaps, wanted
        self.swapped = frozenset(site for site, _ in swaps)
        self.runs, self.events, self.bytes, self.operation = {}, [], 0, 0
        self.returned = []  # what functions returned last: where it turns up it is not computed anew
        self.kept, self.state, self.before, self.changes = [], None, -1, []
        self.hook()

    def keep(self, name, array):
        """Watch an array for changes in place; `name` is an attribute, or "" for an operation's result."""
        small = type(array) is np.ndarray and array.nbytes <= 1 << 16 and len(self.kept) < 64
        if small and not any(array is other for _, _, other, _ in self.kept):
            self.kept.append((self.operation, name, array, array.tobytes()))

    def look(self, site):
        """Note which of the kept arrays are not what they were, and NumPy's global generator."""
        at = np.random.get_state(legacy=True)[2]  # type: ignore[index]  # how far it has been used up: less after a seed, more after a draw
        if self.state is not None and at != self.state:
            self.changes.append((-1, "np.random", self.operation, self.before, site))
        self.state = at
        for index, (operation, name, array, content) in enumerate(self.kept):
            now = array.tobytes()
            if now != content:
                self.changes.append((operation, name, self.operation, self.before, site))
                self.kept[index] = (operation, name, array, now)
        self.before = site

    def at(self, site, value):
        if self.state is not None and self.sites[site][2] not in (PART, NAME):
            self.look(site)
        if site in self.swapped:
            run = self.runs[site] = self.runs.get(site, -1) + 1
            new = self.swaps.get((site, run))
            if new is not None:
                value = put(value, new, self.sites[site][2])
            if self.wanted is not None and site in self.wanted:
                self.runs[site] -= 1
                self.note(site, value)
        elif self.wanted is not None and site in self.wanted:
            self.note(site, value)
        return value

    def note(self, site, value):
        run = self.runs[site] = self.runs.get(site, -1) + 1
        if run >= MAX_RUNS or len(self.events) >= MAX_EVENTS:
            return
        array = (
            np.array(float(value)) if type(value) is int and self.sites[site][2] == ASSIGN else numbers(value)
        )
        if array is None and self.sites[site][4].startswith(".") and self.sites[site][2] == ASSIGN:
            array = NOTHING  # that an attribute was written is worth knowing whatever it holds
        if array is None or self.bytes + array.nbytes > MAX_BYTES:
            return
        self.bytes += array.nbytes
        handed_on = any(value is other for other in self.returned)
        if self.sites[site][2] == RETURN:
            self.returned = [*self.returned[-3:], value]
        self.events.append((site, run, self.operation, handed_on, array))


def numbers(value):
    """A float64 copy of an array, a number or a nested list of numbers; None for anything else."""
    kind = type(value)
    if kind is np.ndarray or isinstance(value, np.floating):
        if value.dtype.kind != "f" or value.ndim > 6 or value.size > 1 << 18:
            return None
        return np.array(value, dtype=np.float64)
    if kind is float:
        return np.array(value)
    if isinstance(value, (np.random.Generator, np.random.RandomState)):
        return generator_state(value)
    if kind is list and value and (type(value[0]) is float or (type(value[0]) is list and value[0])):
        try:
            array = np.array(value, dtype=np.float64)
        except (TypeError, ValueError):
            return None
        return array if array.size <= 1 << 18 and array.ndim <= 6 else None
    return None


def generator_state(generator):
    """The state of a generator in numbers, (8,) for the one that NumPy makes by default."""
    try:
        state = generator.bit_generator.state["state"]
        words = [state[key] >> shift & 0xFFFFFFFF for key in ("state", "inc") for shift in (0, 32, 64, 96)]
    except (AttributeError, KeyError, TypeError):
        words = [-1.0] * 3  # of a size that nothing else has
    return np.array(words, dtype=np.float64)


def generator_of(words):
    """A default generator in the state that `generator_state` gave."""
    generator = np.random.default_rng(0)
    numbers = [sum(int(word) << 32 * i for i, word in enumerate(words[at : at + 4])) for at in (0, 4)]
    generator.bit_generator.state = {
        **generator.bit_generator.state,
        "state": {"state": numbers[0], "inc": numbers[1]},
    }
    return generator


def put(value, new, kind):
    """`new` as the kind of thing that `value` is; into it where the statement changes it in place."""
    if isinstance(value, (np.random.Generator, np.random.RandomState)):
        return generator_of(new) if new.shape == (8,) else np.random.default_rng(12345)
    if type(value) is list:
        return new.tolist()
    if type(value) is int and new.ndim == 0 and float(new).is_integer():
        return int(new)
    if type(value) is not np.ndarray:
        return float(new) if new.ndim == 0 else np.array(new)
    if kind in (UPDATE, EFFECT) and value.shape == new.shape and value.flags.writeable:
        value[...] = new
        return value
    return np.array(new)


def apart(value, expected, scale):
    """The largest difference between a result and what it should be, over `scale`.

    A list of sizes expects None or zeros of that shape. Infinite for another type, shape or dtype, and for
    what is not finite.
    """
    if expected is None or type(expected) is list:
        zeros = type(value) is np.ndarray and list(value.shape) == expected and not value.any()
        return 0.0 if value is None or zeros else np.inf
    if type(expected) is tuple:
        if not isinstance(value, (tuple, list)) or len(value) != len(expected):
            return np.inf
        return max((apart(v, e, scale) for v, e in zip(value, expected, strict=True)), default=0.0)
    if type(value) is not np.ndarray or value.shape != expected.shape or value.dtype != expected.dtype:
        return np.inf
    error = float(np.abs(value - expected).max(initial=0.0)) / scale
    return error if np.isfinite(error) else np.inf


def swaps(arrays, trial):
    """What stands where in a trial: (site, nth run) -> array."""
    return {(site, run): arrays[number] if at < 0 else arrays[number][at] for site, run, number, at in trial}


class Tracing(Interpreter):
    """An interpreter whose layer was rewritten: three operations more."""

    exact = frozenset({"sites", "record", "trials", "changes"})

    def __init__(self, cls, tracer):
        super().__init__(cls)
        self.tracer = tracer

    def op_sites(self):
        return list(self.tracer.sites[:4000]), list(self.tracer.methods[:500])

    def op_record(self, ops, watched, expected, kinds, statements, arrays, trial):
        """(errors (k,), exception or None, events) of one run of a program.

        `watched` are indices into `ops` whose results are held against `expected`: (array, sizes or the
        result of another operation, scale of errors). Kept are the sites of `kinds`, of all statements
        or of the given ones; events are (site, nth run, operation, handed on, array). `trial` as below.
        """
        sites = enumerate(self.tracer.sites)
        kept = {i for i, s in sites if s[2] in kinds and (not statements or s[3] in statements)}
        self.tracer.start(swaps(arrays, trial), frozenset(kept))
        results, problem = self.play(ops)
        events = self.tracer.events
        self.tracer.start({}, None)
        return self.errors(results, watched, expected), problem, events

    def op_changes(self, ops):
        """What is changed in place: (operation it comes from, attribute or "", operation, site before, site).

        Watched are the results of operations and what the layer keeps, from when they are there.
        """
        self.tracer.start({}, None)
        np.random.seed(1)
        np.random.random()  # so that a seed set once more is a change
        self.tracer.look(-1)
        self.tracer.hook()
        self.play(ops, self.keep)
        changes = self.tracer.changes[:64]
        self.tracer.start({}, None)
        return changes, len(changes)

    def keep(self, name, result, layer):
        """After an operation: look for changes, and watch what it gave."""
        tracer = self.tracer
        if name in ("set", "setattr", "add"):  # ours
            tracer.kept = [(o, n, array, array.tobytes()) for o, n, array, _ in tracer.kept]
            return
        tracer.look(-1)
        tracer.keep("", result)
        for attribute, value in list(getattr(layer, "__dict__", {}).items()):
            for array in value if isinstance(value, (tuple, list)) else (value,):
                tracer.keep(str(attribute)[:100], array)

    def op_trials(self, ops, watched, expected, arrays, trials, seconds):
        """Errors (m, k): the program with other values in some places, once for each of `trials`.

        A trial is a list of (site, nth run, index into `arrays`, index along the array's first axis
        or -1). Stops after `seconds` of processor time; what was not tried is not in the result.
        """
        end = time.process_time() + seconds
        found = []
        for trial in trials:
            self.tracer.start(swaps(arrays, trial), None)
            results, _ = self.play(ops)
            found.append(self.errors(results, watched, expected))
            if time.process_time() > end:
                break
        self.tracer.start({}, None)
        return np.array(found).reshape(len(found), len(watched))

    def play(self, ops, after=None):
        """Results by operation, and the first exception. A group ends where something raised in it."""
        player = Interpreter(self.cls)
        results = player.results
        problem, failed = None, False
        for number, (name, *args) in enumerate(ops):
            self.tracer.operation = number
            failed = failed and name != "group"
            result = NOT_RUN
            if not failed:
                try:
                    args = [results[a.index] if type(a) is Ref else a for a in args]
                    result = getattr(player, "op_" + name)(*args)
                except BaseException as error:
                    failed = True
                    problem = problem or error
            results.append(result)
            if after is not None and not failed:
                after(name, result, args[0] if name == "call" else result)
        return results, raised(problem) if problem is not None else None

    def errors(self, results, watched, expected):
        found = []
        for index, (value, scale) in zip(watched, expected, strict=True):
            right = results[value.index] if type(value) is Ref else value
            found.append(apart(results[index], right, scale))
        return np.array(found)


__all__ = ["Tracer", "Tracing"]
