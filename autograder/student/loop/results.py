"""One run of the public checks, seen from outside: starting it, waiting for it, and what it found."""

import json
import re
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from .facts import FOLDER
from .run import LIMIT

GRACE = 5.0  # seconds after which a process that does not end by itself is ended
TO_DO = "is still to be written"


class Run:
    """A process that runs the checks. `done()` is to be asked now and then."""

    def __init__(self, facts):
        self.facts = facts
        self._out = tempfile.TemporaryFile()  # noqa: SIM115 - files and not pipes: a full pipe would block
        self._err = tempfile.TemporaryFile()  # noqa: SIM115
        self._process = subprocess.Popen(
            [sys.executable, str(Path(__file__).with_name("run.py"))],
            cwd=FOLDER, stdin=subprocess.DEVNULL, stdout=self._out, stderr=self._err,
        )  # fmt: skip
        self._heard, self._size = time.monotonic(), 0

    def done(self):
        """Whether the process has ended. One that says nothing for too long is ended."""
        size = self._out.seek(0, 2)
        if size != self._size:
            self._heard, self._size = time.monotonic(), size
        if self._process.poll() is None and time.monotonic() - self._heard > LIMIT + GRACE:
            self.stop()
        return self._process.poll() is not None

    def stop(self):
        self._process.kill()
        self._process.wait()

    def finish(self):
        """Wait for the end; the results."""
        try:
            while not self.done():
                try:
                    self._process.wait(GRACE)
                except subprocess.TimeoutExpired:
                    pass
        except KeyboardInterrupt:
            self.stop()
            raise
        return self.results()

    def results(self):
        self._out.seek(0)
        self._err.seek(0)
        said = [json.loads(line) for line in self._out.read().decode().splitlines() if line.endswith("}")]
        return Results(self.facts, said, self._err.read().decode(errors="replace"), self._process.returncode)


class Check:
    """A public check and what came of it; `verdict` is "passed", "failed" or "skipped"."""

    def __init__(self, name, task):
        self.name, self.task = name, task
        self.verdict, self.message, self.printed = "skipped", "not reached", ""


class Results:
    """All checks of one run. `problem` is set when the checks themselves could not be run."""

    def __init__(self, facts, said, errors, code):
        self.facts = facts
        self.checks = [Check(*pair) for record in said for pair in record.get("checks", [])]
        self.recognised = [found for record in said for found in record.get("recognised", [])]
        self.problem = "" if self.checks else f"the public checks could not be started:\n{errors.strip()}"
        by_name, running = {check.name: check for check in self.checks}, None
        for record in said:
            running = record.get("started", running)
            if "verdict" in record:
                check, running = by_name[record["name"]], None
                check.verdict, check.message = record["verdict"], record["message"]
                check.printed = record["printed"]
        if running:
            check = by_name[running]
            check.verdict, check.message = "failed", self._ended(check, errors, code)

    def _ended(self, check, errors, code):
        """Why the process ended in the middle of a check."""
        title = f"task {check.task} ({self.facts['tasks'][check.task]['title']}): " if check.task else ""
        if "Timeout (" not in errors:
            return f"{title}Python itself ended in this check, with code {code}"
        # The innermost line of the student's own file that was being run.
        own = re.search(rf'{re.escape(self.facts["file"])}", line (\d+)', errors)
        text = source_line(self.facts, int(own[1])) if own else ""
        where = f", at line {own[1]}, `{text}`" if own else ""
        return f"{title}still running after {LIMIT:g} s{where}; the checks after this one were not run"

    def of(self, task):
        return [check for check in self.checks if check.task == task]

    @property
    def failed(self):
        return [check for check in self.checks if check.verdict == "failed"]

    @property
    def passed(self):
        return [check for check in self.checks if check.verdict == "passed"]

    def state(self, task):
        """ "done", "to do", "fails" or "waits"."""
        checks = self.of(task)
        failed = [check for check in checks if check.verdict == "failed"]
        if any(check.message.endswith(TO_DO) for check in failed):
            return "to do"
        if failed:
            return "fails"
        return "waits" if any(check.verdict == "skipped" for check in checks) else "done"

    def states(self):
        return {task: self.state(task) for task in self.facts["tasks"]}

    def current(self):
        """The task of the first failure, else the first task that is not done; "" is the given part."""
        if self.failed:
            return self.failed[0].task
        return next((task for task, state in self.states().items() if state != "done"), "")


def source(facts):
    """The lines of the student's file; none when it cannot be read as text."""
    try:
        return (FOLDER / facts["file"]).read_text(encoding="utf-8", errors="replace").splitlines()
    except OSError:
        return []


def source_line(facts, number):
    lines = source(facts)
    return lines[number - 1].strip() if 0 < number <= len(lines) else ""


def line_of(facts, task):
    """Where the method of `task` begins in the student's file, 1-based; 0 when it is not found."""
    head = re.compile(rf"\s*def\s+{re.escape(facts['tasks'][task]['method'])}\b")
    return next((n for n, line in enumerate(source(facts), 1) if head.match(line)), 0)
