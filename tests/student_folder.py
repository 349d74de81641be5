"""What a student has: the released folder, and a terminal of 80 columns to run its check.py in."""

import fcntl
import os
import pty
import re
import select
import shutil
import struct
import subprocess
import sys
import termios
import time
from contextlib import contextmanager
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
HANDOUT = ROOT / "assignments" / "self_attention"
REFERENCE = (ROOT / "solutions" / "self_attention" / "self_attention.py").read_text(encoding="utf-8")
STUB = (HANDOUT / "self_attention.py").read_text(encoding="utf-8")
PLAIN = {
    **os.environ,
    "PYTHONIOENCODING": "utf-8",
    "TERM": "xterm",
    "NO_COLOR": "1",
    "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1",
}
for name in ("COLUMNS", "PYTHONDONTWRITEBYTECODE", "PYTHONPYCACHEPREFIX", "PYTEST_ADDOPTS"):
    PLAIN.pop(name, None)
DEADLINE = 60.0  # seconds until a text that does not come is a failure
KEYS = "(h hint, l list, n next failure, q quit)"


def wrong(old, new):
    assert REFERENCE.count(old) == 1, old
    return REFERENCE.replace(old, new)


NO_SCALE = wrong("dscores = dS / np.sqrt(self.hs)", "dscores = dS")


def released(folder):
    """A copy of what a student receives, and nothing else, in `folder`."""
    ignored = shutil.ignore_patterns("__pycache__", ".progress.json", "show-*")
    return Path(shutil.copytree(HANDOUT, folder, ignore=ignored))


def save(folder, source):
    """As editors save: a file beside, renamed."""
    (folder / "new").write_text(source, encoding="utf-8")
    (folder / "new").replace(folder / "self_attention.py")


def check(folder, *arguments, **environment):
    command = [sys.executable, "check.py", *arguments]
    return subprocess.run(
        command,
        cwd=folder,
        env=PLAIN | environment,
        capture_output=True,
        text=True,
        encoding="utf-8",
        timeout=120,
    )


class Terminal:
    """A program on a pseudo-terminal of 80 columns; `text` is all that it has shown."""

    def __init__(self, master, process):
        self.master, self.process, self.text = master, process, ""

    def wait(self, wanted, count=1):
        """Read until `wanted` was shown `count` times and its line has ended."""
        end = time.monotonic() + DEADLINE
        while len(re.findall(re.escape(wanted) + r".*\n", self.text)) < count:
            assert select.select([self.master], [], [], max(0.0, end - time.monotonic()))[0], self.text
            if not self._read():
                raise AssertionError(f"ended without {wanted!r}:\n{self.text}")

    def _read(self):
        try:
            data = os.read(self.master, 65536)
        except OSError:  # the other side is closed
            return False
        self.text += data.decode("utf-8").replace("\r\n", "\n")
        return bool(data)

    def type(self, key):
        os.write(self.master, key.encode())

    def end(self):
        """Read what is left; the exit code."""
        while self._read():
            pass
        return self.process.wait(DEADLINE)


@contextmanager
def terminal(folder, *arguments, **environment):
    master, slave = pty.openpty()
    fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack("HHHH", 24, 80, 0, 0))
    command = [sys.executable, "check.py", *arguments]
    process = subprocess.Popen(
        command,
        cwd=folder,
        env=PLAIN | environment,
        stdin=slave,
        stdout=slave,
        stderr=slave,
        start_new_session=True,
    )
    os.close(slave)
    try:
        yield Terminal(master, process)
    finally:
        process.kill()
        process.wait()
        os.close(master)
