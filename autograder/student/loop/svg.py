"""Arrays as an SVG file: yours, expected, and the difference, an entry a square."""

from xml.sax.saxutils import escape

CELL, GAP, LEFT, TOP = 14, 24, 16, 40  # in pixels


def picture(title, arrays):
    """The text of an SVG file; `arrays` by name, each with shape, yours and expected as flat lists."""
    parts, y, widest = [], TOP + 10, 400
    for name, array in arrays.items():
        if array["yours"] is None:
            continue
        columns = array["shape"][-1] if array["shape"] else 1
        rows = len(array["expected"]) // columns
        differences = [
            None if a is None else a - b for a, b in zip(array["yours"], array["expected"], strict=True)
        ]
        size = max((abs(v) for v in array["expected"]), default=0.0)
        off = max((abs(v) for v in differences if v is not None), default=0.0)
        width = columns * CELL + GAP
        each = max(width, 150)
        panels = ((f"{name}, yours", array["yours"], size), ("expected", array["expected"], size),
                  (f"yours - expected, up to {off:.1e}", differences, max(off, 1e-8 * size)))  # fmt: skip
        for number, (label, values, scale) in enumerate(panels):
            x = LEFT + number * (each + 20)
            parts.append(f'<text x="{x}" y="{y}">{escape(label)}</text>')
            parts += squares(values, columns, x, y + 8, scale or 1.0)
        widest = max(widest, LEFT + 3 * (each + 20))
        y += rows * CELL + 44
    head = (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{widest}" height="{y}" role="img" '
        f'font-family="sans-serif" font-size="11"><title>{escape(title)}</title>'
        f'<rect width="100%" height="100%" fill="white"/>'
        f'<text x="{LEFT}" y="22" font-size="14">{escape(title)}</text>'
    )
    return head + "\n".join(parts) + "</svg>\n"


def squares(values, columns, x, y, scale):
    """A square for each value; its number is its tooltip."""
    for number, value in enumerate(values):
        row, column = divmod(number, columns)
        shown = "not finite" if value is None else f"{value:.4g}"
        yield (
            f'<rect x="{x + column * CELL}" y="{y + row * CELL}" width="{CELL - 1}" height="{CELL - 1}" '
            f'fill="{colour(value, scale)}"><title>({row}, {column}): {shown}</title></rect>'
        )


def colour(value, scale):
    """Blue below zero, white at zero, red above; black for what is not a number."""
    if value is None:
        return "#000"
    share = max(-1.0, min(1.0, value / scale))
    fade = round(235 * (1 - abs(share)))
    return (
        f"rgb(235,{fade},{fade})"
        if share > 0
        else f"rgb({fade},{fade},235)"
        if share < 0
        else "rgb(240,240,240)"
    )
