"""Names for numbers: which size of the problem, or root or quotient of sizes, a factor is."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np


def constant(sizes: Mapping[str, int], ratio: float) -> str:
    """`ratio` in terms of the sizes where that is possible, else its digits."""
    named = {"1": 1.0, "2": 2.0, "3": 3.0}
    for symbol, size in sizes.items():
        named |= {symbol: float(size), f"sqrt({symbol})": float(np.sqrt(size))}
    pairs = {f"{a}/{b}": x / y for a, x in named.items() for b, y in named.items() if a != b}
    for text, value in {**named, **pairs}.items():
        if abs(abs(ratio) - value) < 1e-7 * value:
            text = text.removesuffix("/1")
            return text if ratio > 0 else f"-{text}"
    return f"{ratio:.4g}"
