"""The way from the first run to all green, on a pseudo-terminal, reads as frozen.

`python tests/test_student_journey.py` writes the transcript anew.
"""

import json
import tempfile
from pathlib import Path

from student_folder import KEYS, NO_SCALE, REFERENCE, ROOT, released, save, terminal, wrong

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


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as empty:
        TRANSCRIPT.write_text(journey(released(Path(empty) / "self_attention")), encoding="utf-8")
