# A copy of autograder/student/loop/run.py, made by `autograder build`: edit that file and build again.
"""Runs the public checks once, in a process of its own, and writes a line of JSON for each.

pytest runs the very same functions. The few of its names that they use are stood in for here, since
pytest takes longer to start than all the checks take to run, and need not be installed.
"""

import contextlib
import faulthandler
import importlib.util
import io
import itertools
import json
import os
import sys
import traceback
import types
from pathlib import Path

LIMIT = 10.0  # seconds of one check
PRINTED = 2000  # characters of what the student's code prints in one check


class Failed(BaseException):
    """A check that fails; not an Exception, as in pytest, so that no check catches it by accident."""

    def __init__(self, msg=""):
        super().__init__(msg)
        self.msg = msg


class Skipped(Failed):
    """A check that cannot tell yet."""


def raiser(kind):
    def stop(reason="", pytrace=True):
        raise kind(reason)

    stop.Exception = kind
    return stop


def parametrize(name, values, ids=None):
    def mark(test):
        values_ = list(values)
        names = (
            [ids(value) if callable(ids) else value for value in values_] if callable(ids) else ids or values_
        )
        test.__dict__.setdefault("cases", []).append((name, list(zip(map(str, names), values_, strict=True))))
        return test

    return mark


def stand_in():
    """A module `pytest` with what public checks use."""
    module = types.ModuleType("pytest")
    module.fail, module.skip = raiser(Failed), raiser(Skipped)
    module.mark = types.SimpleNamespace(parametrize=parametrize)
    return module


def collect(module):
    """(id, task, call) of each check in the order of the file; ids are pytest's."""
    found = []
    for name, test in vars(module).items():
        if not name.startswith("test_"):
            continue
        names, choices = [], []
        for argument, values in getattr(test, "cases", []):
            names.append(argument)
            choices.append(values)
        for case in itertools.product(*choices):
            arguments = dict(zip(names, (value for _, value in case), strict=True))
            shown = f"{name}[{'-'.join(label for label, _ in case)}]" if case else name
            task = arguments.get("task", getattr(test, "task", ""))
            found.append((shown, task, lambda test=test, arguments=arguments: test(**arguments)))
    return found


def judge(call, task, facts):
    """Verdict, message, and what the student's code printed, of one check."""
    printed = io.StringIO()
    faulthandler.dump_traceback_later(LIMIT, exit=True)
    try:
        with contextlib.redirect_stdout(printed):
            call()
        verdict, message = "passed", ""
    except Skipped as stop:
        verdict, message = "skipped", stop.msg
    except Failed as stop:
        verdict, message = "failed", stop.msg
    except BaseException as error:  # also SystemExit: a layer that calls exit() fails its check
        verdict, message = "failed", stopped(error, task, facts)
    finally:
        faulthandler.cancel_dump_traceback_later()
    return verdict, message, printed.getvalue()[:PRINTED]


def stopped(error, task, facts):
    """An exception that a check let through: the student's own line, or that it is still to be written."""
    if isinstance(error, NotImplementedError) and str(error) in facts["tasks"]:
        return f"task {error} ({facts['tasks'][str(error)]['title']}) is still to be written"
    frames = traceback.extract_tb(error.__traceback__)
    own = [frame for frame in frames if Path(frame.filename).name == facts["file"]]
    where = f" at line {own[-1].lineno}, `{own[-1].line}`" if own else ""
    title = f"task {task} ({facts['tasks'][task]['title']}) " if task in facts["tasks"] else ""
    return f"{title}stops{where}: {type(error).__name__}: {error}"


def recognised(facts):
    """Known mistakes that the layer behaves like, each with names, hints and a reason."""
    if importlib.util.find_spec("diagnosis") is None:
        return []
    layer = getattr(sys.modules.get(facts["module"]), facts["class"], None)
    return [list(found) for found in importlib.import_module("diagnosis").recognise(layer)] if layer else []


def main(folder):
    out = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(os.open(os.devnull, os.O_WRONLY), 1)  # what is printed past sys.stdout does not mix with answers

    def answer(**fields):
        out.write(json.dumps(fields) + "\n")
        out.flush()

    facts = json.loads((folder / "check.json").read_text(encoding="utf-8"))
    importlib.import_module("numpy")
    # Compiled files are dated to the second: after a quick second save Python would run the first one.
    sys.dont_write_bytecode, sys.pycache_prefix = True, str(folder / "never-compiled")
    sys.path[0] = str(folder)
    sys.modules["pytest"] = stand_in()
    checks = collect(importlib.import_module(facts["tests"]))
    answer(checks=[(name, task) for name, task, _ in checks])
    failed = False
    for name, task, call in checks:
        answer(started=name)
        verdict, message, printed = judge(call, task, facts)
        failed = failed or verdict == "failed"
        answer(name=name, verdict=verdict, message=message, printed=printed)
    if failed:
        faulthandler.dump_traceback_later(LIMIT, exit=True)
        try:
            answer(recognised=recognised(facts))
        except Exception as error:  # the verdicts stand without it
            answer(recognised=[], problem=f"{type(error).__name__}: {error}")
        faulthandler.cancel_dump_traceback_later()
    out.flush()
    os._exit(0)  # whatever the student's file started does not keep this process


if __name__ == "__main__":
    main(Path(__file__).resolve().parent.parent)
