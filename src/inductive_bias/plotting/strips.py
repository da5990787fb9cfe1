"""A picture the size of a stamp: a row a condition, a dot a seed."""

import html
from collections.abc import Mapping, Sequence
from statistics import fmean

#: Of the drawing: its width, where the dots begin and end, the height of a row. The text is as large as that of a page.
WIDTH, LEFT, RIGHT, ROW = 320, 132, 306, 24


def seed_strip(rows: Mapping[str, Sequence[float]], *, limits: tuple[float, float], words: str) -> str:
    """Inline SVG in the colours of the page: every value a dot, their mean a bar.

    Args:
        rows: values by condition, from top to bottom.
        limits: of the axis.
        words: what the axis shows; also the picture's name for who cannot see it.

    Raises:
        ValueError: if there is no row, or one without a value.
    """
    if not rows or not all(rows.values()):
        raise ValueError("a picture of seeds needs a row, and every row a value")
    low, high = limits

    def across(value: float) -> str:
        share = (min(max(value, low), high) - low) / (high - low)
        return f"{LEFT + share * (RIGHT - LEFT):.1f}"

    lines = []
    for place, (name, values) in enumerate(rows.items()):
        y, mean = ROW * place + 16, across(fmean(values))
        lines.append(f'<text x="{LEFT - 12}" y="{y + 4}" text-anchor="end">{html.escape(name)}</text>')
        lines.append(f'<line class="rule" x1="{LEFT}" x2="{RIGHT}" y1="{y}" y2="{y}"/>')
        lines += [f'<circle cx="{across(value)}" cy="{y}" r="4"/>' for value in values]
        lines.append(f'<line class="mean" x1="{mean}" x2="{mean}" y1="{y - 8}" y2="{y + 8}"/>')
    foot = ROW * len(rows) + 22
    lines.append(f'<text class="axis" x="{LEFT}" y="{foot}">{low:g}</text>')
    middle = f'x="{(LEFT + RIGHT) / 2:g}" y="{foot}" text-anchor="middle"'
    lines.append(f'<text class="axis" {middle}>{html.escape(words)}</text>')
    lines.append(f'<text class="axis" x="{RIGHT}" y="{foot}" text-anchor="end">{high:g}</text>')
    label = html.escape(f"{words}: " + ", ".join(f"{name} {fmean(values):.2f}" for name, values in rows.items()))
    return f'<svg class="strip" viewBox="0 0 {WIDTH} {foot + 8}" role="img" aria-label="{label}">{"".join(lines)}</svg>'
