"""`make screenshots`: pictures of the class report, of sixty layers graded by the command itself."""

import sys
import tempfile
from pathlib import Path

from chromium import chromium
from click.testing import CliRunner

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests"))
from classroom import MISTAKES, REFERENCE  # noqa: E402

from autograder.cli.main import group  # noqa: E402

COUNT = 60
SHOWN = "student_07"  # the one without the scale in backward


def run(*words):
    done = CliRunner().invoke(group, [str(word) for word in (*words, "--course", ROOT / "grading.toml")])
    assert done.exit_code == 0, done.output


def hand_in(folder):
    """Right layers and known mistakes, some of them made by several students."""
    names = ["", "backward-scale-missing", *list(MISTAKES)[::23]]
    folder.mkdir()
    for number in range(COUNT):
        name = names[(number * number // 7) % len(names)] if f"student_{number:02}" != SHOWN else names[1]
        text = MISTAKES[name].apply(REFERENCE) if name else REFERENCE
        (folder / f"student_{number:02}.py").write_text(text, encoding="utf-8")


def main(docs):
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        hand_in(folder / "class")
        run("grade", folder / "class", "--out", folder / "results")
        run("report", "--out", folder / "results", "--html", folder / "class.html")
        for colours, height, shown in (("light", 900, None), ("dark", 1420, SHOWN)):
            with chromium(color_scheme=colours, viewport={"width": 1000, "height": height}) as new:
                watched = new()
                page = watched.open(folder / "class.html")
                if shown:
                    page.locator("#table").get_by_role("link", name=shown).click()
                    page.locator("#student .js-plotly-plot").first.wait_for()
                page.screenshot(path=docs / f"report-{'student' if shown else 'class'}.png")
                assert watched.complaints == []


if __name__ == "__main__":
    main(ROOT / "docs")
