"""A worker: one fork of the zygote that runs one submission and is then killed.

It locks itself in, proves that it is locked, says so, and only then takes the student's bytes. From
there on nothing that it answers is trusted.
"""

import os
import random
import sys
import types
from importlib.machinery import ModuleSpec

from . import lockdown, selftest, wire
from .interpreter import Interpreter, NotAllowed, load
from .ops import unpack
from .tracing import Tracer, Tracing


class Quiet:
    """Stands where stdout and stderr were: takes what is printed and keeps nothing."""

    encoding = "utf-8"
    errors = "replace"

    def write(self, text):
        return len(text)

    def flush(self):
        pass

    def isatty(self):
        return False

    def writable(self):
        return True

    def fileno(self):
        raise OSError("there is no file here")


class StandIn(types.ModuleType):
    """A module, class, function or value that does nothing and answers everything with itself."""

    __path__ = ()  # type: ignore[assignment]
    __all__ = ()

    def __getattr__(self, name):
        if name.startswith("__") and name.endswith("__"):
            raise AttributeError(name)
        return self

    def __call__(self, *args, **kwargs):
        return self

    def __getitem__(self, key):
        return self

    def __setitem__(self, key, value):
        pass

    def __iter__(self):
        # `fig, ax = plt.subplots()` unpacks two; nothing else is known of the caller.
        return iter((self, self))

    def __enter__(self):
        return self

    def __exit__(self, *error):
        return False


class Imports:
    """Last on sys.meta_path: stand-ins for modules that plot, a clear refusal for all others."""

    def __init__(self, stand_ins):
        self.stand_ins = frozenset(stand_ins)

    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in self.stand_ins:
            return ModuleSpec(name, self, is_package=True)  # type: ignore[arg-type]
        raise NotAllowed(name)

    def create_module(self, spec):
        return StandIn(spec.name)

    def exec_module(self, module):
        pass


def locked_in(channel, settings):
    """Lock this process in and prove it: a list of (item, holds, detail)."""
    fd, parent = channel.fileno(), os.getppid()
    try:
        lockdown.apply(
            settings.level,
            channel=fd,
            memory_bytes=settings.memory_bytes,
            cpu_seconds=settings.cpu_seconds,
            uid=settings.uid,
        )
    except lockdown.LockdownError as error:
        return [("lock-down", False, str(error))]
    return selftest.prove(settings.level, channel=fd, parent_pid=parent, canary_path=settings.canary)


def serve(channel, settings):
    """Lock in, say what was proved, then answer frames until the channel closes."""
    proof = locked_in(channel, settings)
    wire.send(channel, wire.HELLO, wire.NO_ID, wire.encode(proof))
    if not all(item[1] for item in proof):
        return
    sys.stdin = None
    sys.stdout = sys.stderr = Quiet()
    interpreter = None
    while True:
        kind, frame_id, payload = wire.receive(channel)
        if kind == wire.LOAD:
            chunks, class_name, lenient, stand_ins, traced = wire.decode(payload)
            tracer = Tracer() if traced else None
            sys.meta_path[:] = [Imports(stand_ins)]
            cls, problem, names = load(chunks, class_name, lenient, tracer)
            interpreter = None
            if cls is not None:
                interpreter = Tracing(cls, tracer) if tracer else Interpreter(cls)
            answer = wire.encode((cls is not None, problem, names))
        elif kind == wire.RUN and interpreter is not None:
            encoded = interpreter.run(unpack(payload))
            answer = b"U" + len(encoded).to_bytes(4, "little") + b"".join(encoded)
        else:
            return
        wire.send(channel, wire.REPLY, frame_id, answer)


def main(channel, settings):
    """Entry of the forked child; never returns."""
    random.seed(0)  # Python seeds it anew in every fork: the same file would answer otherwise each time
    try:
        serve(channel, settings)
    except BaseException:
        pass
    finally:
        os._exit(0)
