"""The way from the first run to all green, on a pseudo-terminal, reads as frozen.

`python tests/test_student_journey.py` writes the transcript anew.
"""

import json
import os
import select
import tempfile
from contextlib import contextmanager
from pathlib import Path

from student_folder import DEADLINE, KEYS, NO_SCALE, REFERENCE, ROOT, released, save, terminal, wrong

TRANSCRIPT = ROOT / "tests" / "transcripts" / "student_journey.txt"
NO_SELF = wrong("dscores = dS / np.sqrt(self.hs)", "dscores = dS / np.sqrt(hs)")


def journey(folder):
    """First run, watch, an exception, a wrong value, a hint, the fix, all green: all that was shown."""
    with terminal(folder) as first:
        assert first.end() == 1
    with terminal(folder, "--watch") as loop:
        loop.wait(KEYS, 1)
        save(folder, NO_SELF)
        loop.wait(KEYS, 2)
        save(folder, NO_SCALE)
        loop.wait(KEYS, 3)
        for number, key in enumerate("hnl", 4):
            loop.type(key)
            loop.wait(KEYS, number)
        save(folder, REFERENCE)
        loop.wait(KEYS, 7)
        loop.type("q")
        assert loop.end() == 0
    return f"$ python check.py\n{first.text}\n$ python check.py --watch\n{loop.text}"


def test_the_journey_from_the_stub_to_all_green(tmp_path):
    folder = released(tmp_path / "self_attention")
    assert journey(folder) == TRANSCRIPT.read_text(encoding="utf-8")
    assert json.loads((folder / ".progress.json").read_text())["tasks"] == dict.fromkeys(
        ["1.1", "1.2", "1.3"], "done"
    )


ENDLESS = wrong(
    "        return out\n", "        open('started', 'w').write('x')\n        while True:\n            pass\n"
)


def patient(tmp_path):
    """A folder whose checks have no time limit within a test's own."""
    folder = released(tmp_path / "self_attention")
    run = folder / "loop" / "run.py"
    text = run.read_text(encoding="utf-8")
    assert text.count("LIMIT = 10.0") == 1
    run.write_text(text.replace("LIMIT = 10.0", "LIMIT = 10000.0"), encoding="utf-8")
    return folder


@contextmanager
def endless(tmp_path):
    """The folder and its terminal, while a check of a layer without an end runs."""
    folder = patient(tmp_path)
    save(folder, ENDLESS)
    os.mkfifo(folder / "started")
    started = os.open(folder / "started", os.O_RDONLY | os.O_NONBLOCK)
    with terminal(folder, "--watch") as loop:
        assert select.select([started], [], [], DEADLINE)[0], loop.text
        yield folder, loop
    os.close(started)


def running(folder):
    """Processes that run checks of this folder; none is known where there is no /proc."""
    wanted = str(folder / "loop" / "run.py").encode()
    found = []
    for path in Path("/proc").glob("[0-9]*/cmdline"):
        try:
            if wanted in path.read_bytes().split(b"\0"):
                found.append(path.parent.name)
        except OSError:
            continue
    return found


def test_a_save_ends_the_run_that_it_makes_old(tmp_path):
    with endless(tmp_path) as (folder, loop):
        save(folder, REFERENCE)
        loop.wait("Next: hand in self_attention.py.")
        assert "fails" not in loop.text
        assert running(folder) == []
        loop.type("q")
        assert loop.end() == 0


def test_q_ends_a_run_without_end(tmp_path):
    with endless(tmp_path) as (folder, loop):
        loop.type("q")
        assert loop.end() == 0
        assert running(folder) == []


def test_a_file_that_is_gone_for_a_while_is_waited_for(tmp_path):
    folder = released(tmp_path / "self_attention")
    (folder / "self_attention.py").unlink()
    with terminal(folder, "--watch") as loop:
        loop.wait("waiting for it")
        save(folder, REFERENCE)
        loop.wait(KEYS, 1)
        (folder / "self_attention.py").unlink()
        for number in (2, 3):  # the second key is read after a look at the folder without the file
            loop.type("l")
            loop.wait(KEYS, number)
        save(folder, NO_SCALE)
        loop.wait(KEYS, 4)
        assert "No module named" not in loop.text
        loop.type("h")
        loop.wait("Which step of forward has no counterpart in your backward?")
        loop.type("q")
        assert loop.end() == 0


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as empty:
        TRANSCRIPT.write_text(journey(released(Path(empty) / "self_attention")), encoding="utf-8")
