"""Words on a screen: the same text in a terminal, in a log and for a screen reader.

No mark carries a meaning that a word beside it does not; colour and block characters are left out where
they cannot be shown (NO_COLOR, a file, an encoding without them).
"""

import os
import shutil
import sys
import textwrap
import unicodedata

COLOURS = {"done": "32", "ok": "32", "fails": "31", "to do": "33", "waits": "2"}
WIDEST = 100
OTHERS = 8  # failures in one line each
PRINTED = 8  # lines of what the student's code printed


class Screen:
    """Writes lines to standard output, no wider than the terminal."""

    def __init__(self, out=None):
        self.out = out or sys.stdout
        self.width = max(40, min(shutil.get_terminal_size((80, 24)).columns, WIDEST))
        terminal = self.out.isatty() and os.environ.get("TERM") != "dumb"
        self.colours = (
            terminal and not os.environ.get("NO_COLOR") and (os.name != "nt" or "WT_SESSION" in os.environ)
        )
        self.bars = terminal
        try:
            "█░".encode(self.out.encoding or "ascii")
            self.blocks = True
        except UnicodeEncodeError:
            self.blocks = False

    def line(self, text=""):
        """One line, cut where the screen ends."""
        text = safe(text)
        if len(text) > self.width:
            text = text[: self.width - 3] + "..."
        self.raw(text)

    def text(self, text, indent=""):
        """As many lines as `text` needs."""
        room = self.width - len(indent)
        for paragraph in text.splitlines() or [""]:
            for part in textwrap.wrap(safe(paragraph), room, break_on_hyphens=False) or [""]:
                self.raw(indent + part)

    def raw(self, text):
        encoding = self.out.encoding or "ascii"
        self.out.write(text.encode(encoding, "backslashreplace").decode(encoding) + "\n")
        self.out.flush()

    def word(self, word, width):
        """A state in its colour, padded."""
        padded = f"{word:<{width}}"
        return f"\x1b[{COLOURS[word]}m{padded}\x1b[0m" if self.colours else padded

    def bar(self, part, whole, width=24):
        """How far along; nothing in a log, nor where the words need the room."""
        if not self.bars or self.width < 3 * width:
            return ""
        filled = width * part // max(whole, 1)
        full, empty = ("█", "░") if self.blocks else ("#", "-")
        return full * filled + empty * (width - filled) + "  "


def safe(text):
    """`text` without characters that steer a terminal or that a build log reads as a command."""
    shown = (c if unicodedata.category(c)[0] != "C" or c == "\t" else f"\\x{ord(c):02x}" for c in text)
    return "".join(shown).expandtabs(4).replace("::", ": :").replace("##[", "## [")
