"""Names and sizes as they may be shown: a student chooses file names, a terminal obeys control characters."""

from __future__ import annotations

import unicodedata

# Characters that reorder the text around them; joiners stay, names in several scripts need them.
_REORDERING = frozenset("\u061c\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069")


def visible(text: str, keep: str = "") -> str:
    """`text` with every control character replaced by something that can be seen and encoded.

    C0 controls become their control pictures (a newline shows as U+240A); other controls,
    line separators, characters that reorder text and bytes that are not UTF-8 become escapes such as
    `\\x9b`. Characters of `keep` stay.
    """
    if text.isascii() and text.isprintable():
        return text
    return "".join(c if c in keep else _seen(c) for c in text)


def _seen(char: str) -> str:
    code = ord(char)
    if code < 0x20:
        return chr(0x2400 + code)
    if code == 0x7F:
        return "\u2421"
    if 0xDC80 <= code <= 0xDCFF:  # how Python carries a file name's byte that is not UTF-8
        return f"\\x{code - 0xDC00:02x}"
    if code == 0xFEFF or char in _REORDERING or unicodedata.category(char) in ("Cc", "Cs", "Zl", "Zp"):
        return f"\\x{code:02x}" if code < 0x100 else f"\\u{code:04x}"
    return char


def student_id(name: str) -> str:
    """`name` as a student id: visible, and composed, since macOS writes the same name decomposed."""
    return visible(unicodedata.normalize("NFC", name))


def shown(name: object, limit: int = 120) -> str:
    """A path or name for a sentence: visible and not endless."""
    text = visible(str(name))
    return text if len(text) <= limit else "…" + text[1 - limit :]


def listed(names: list[str], limit: int = 6) -> str:
    """Names for a sentence: the first `limit`, then how many more."""
    first = ", ".join(shown(name, 60) for name in names[:limit])
    return first if len(names) <= limit else f"{first} and {len(names) - limit} more"


def size(count: int) -> str:
    """A number of bytes in words: `900 bytes`, `50.0 MB` (1 MB = 1024 * 1024 bytes)."""
    if count < 1024:
        return f"{count} bytes"
    for unit, scale in (("KB", 1024), ("MB", 1024**2)):
        if count < 1024 * scale:
            return f"{count / scale:.1f} {unit}"
    return f"{count / 1024**3:.1f} GB"
