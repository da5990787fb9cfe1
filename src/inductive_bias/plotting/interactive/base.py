"""What all widgets share: controls, one style, one script of helpers, one line that says what the picture shows."""

import html
import json
import math
import re
import zlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from importlib.resources import files

import numpy as np
from matplotlib.colors import to_hex, to_rgb
from seaborn.external import husl

from inductive_bias.plotting.heat import relative_luminance
from inductive_bias.plotting.page import PageHTML

#: The ground of the site at night, and the least contrast with it of what is drawn.
NIGHT, CONTRAST = "#14181e", 4.5


class PageWidget(PageHTML):
    """A widget as a page shows it."""


@dataclass(frozen=True)
class Slider:
    """A range, its name and, written by the script, its value in words.

    Attributes:
        role: by which the script knows it.
        name: what a reader sees.
        low: its first value.
        high: its last.
        start: where it stands at first.
        step: from one value to the next.
        says: the name for a screen reader, if the one that is seen is a symbol.
    """

    role: str
    name: str
    low: float | int
    high: float | int
    start: float | int
    step: float | int = 1
    says: str = ""

    def html(self, prefix: str) -> str:
        """The control; ``prefix`` makes names that no other widget of the page has."""
        ends = f'min="{self.low:g}" max="{self.high:g}" step="{self.step:g}" value="{self.start:g}"'
        name = html.escape(self.name)
        return (
            f'<label class="slider"><span class="name">{name}</span><span class="value"></span>'
            f'<input type="range" data-role="{self.role}" {ends} aria-label="{html.escape(self.says or self.name)}">'
            "</label>"
        )


@dataclass(frozen=True)
class Choice:
    """One of several: buttons side by side if they are ``open``, a list that unfolds if not; the script gets its place.

    Attributes:
        role: by which the script knows it.
        name: what a reader sees.
        options: in words.
        start: the place of the one that is chosen at first.
        open: whether all options are in sight.
    """

    role: str
    name: str
    options: Sequence[str]
    start: int = 0
    open: bool = False

    def html(self, prefix: str) -> str:
        """The control; ``prefix`` makes names that no other widget of the page has."""
        name = html.escape(self.name)
        options = [(place, html.escape(words)) for place, words in enumerate(self.options)]
        if not self.open:
            listed = "".join(
                f'<option value="{place}"{" selected" * (place == self.start)}>{words}</option>'
                for place, words in options
            )
            return f'<label><span class="name">{name}</span><select data-role="{self.role}">{listed}</select></label>'
        buttons = "".join(
            f'<label><input type="radio" name="{prefix}-{self.role}" value="{place}"'
            f"{' checked' * (place == self.start)}>{words}</label>"
            for place, words in options
        )
        return f'<fieldset data-role="{self.role}"><legend>{name}</legend>{buttons}</fieldset>'


@dataclass(frozen=True)
class Switch:
    """Something that is on or off."""

    role: str
    name: str

    def html(self, prefix: str) -> str:
        """The control."""
        return f'<label><input type="checkbox" data-role="{self.role}">{html.escape(self.name)}</label>'


Control = Slider | Choice | Switch


def page_widget(
    kind: str,
    data: Mapping[str, object],
    *,
    controls: Sequence[Control],
    pictures: Mapping[str, str],
    text: str,
    instead: str,
    colours: Sequence[str] = (),
) -> PageWidget:
    """A widget whose script is ``<kind>.js``.

    Args:
        kind: name of the script, and the first part of the element's id.
        data: what the script knows as ``DATA``; see `rounded`.
        controls: from the top down; those of one sort stand side by side.
        pictures: what the script draws, by role, each with a caption (or ``""``).
        text: what the widget is, for a screen reader and where there is no HTML.
        instead: a sentence for who has no JavaScript: which figure shows the same.
        colours: drawn as ``var(--c0)``, ``var(--c1)`` …, at night by day's hue but lighter.
    """
    room = files("inductive_bias.plotting.interactive")
    style, helpers, script = (
        room.joinpath(name).read_text(encoding="utf-8") for name in ("base.css", "base.js", f"{kind}.js")
    )
    # "</script>" inside of a text would end the script, and "<!--<script>" would swallow the rest of the page
    values = json.dumps(data, ensure_ascii=False, separators=(",", ":"), allow_nan=False)
    values = re.sub(r"<(?=[/!?a-zA-Z])", r"\\u003c", values)
    drawn = "".join(
        f'<div class="picture"><svg data-role="{role}" role="img"></svg>'
        + (f'<div class="caption">{html.escape(caption)}</div>' if caption else "")
        + "</div>"
        for role, caption in pictures.items()
    )
    parts = f"{style}{helpers}{script}{values}{drawn}{controls}{colours}{text}"
    name = f"{kind}-{zlib.crc32(parts.encode()):08x}"
    # neighbours of one sort share a row
    rows: list[list[Control]] = []
    for control in controls:
        if rows and type(rows[-1][0]) is type(control) and not getattr(control, "open", False):
            rows[-1].append(control)
        else:
            rows.append([control])
    asked = "\n".join(f'<div class="controls">{"".join(each.html(name) for each in row)}</div>' for row in rows)
    known = f'class="bias-widget" id="{name}" data-widget="{kind}" role="group" aria-label="{html.escape(text)}"'
    page = f"""<div {known} hidden>
<style>
{style}{_colours(name, colours)}</style>
{asked}
<div class="pictures">{drawn}</div>
<p data-role="words" aria-hidden="true"></p>
<p role="status" class="spoken" data-role="spoken"></p>
<script>
(() => {{
const ID = "{name}", DATA = {values};
{helpers}{script}}})();
</script>
</div>
<noscript>This part needs JavaScript. {html.escape(instead)}</noscript>"""
    return PageWidget(page, text)


def night(colour: str) -> str:
    """The colour of the same hue that has enough contrast on the dark page; itself if it has."""
    hue, saturation, lightness = husl.rgb_to_husl(*to_rgb(colour))
    ground = relative_luminance(to_rgb(NIGHT))
    for lighter in np.arange(lightness, 100, 1.0):
        found = to_hex(np.clip(husl.husl_to_rgb(hue, saturation, float(lighter)), 0, 1))
        if (relative_luminance(to_rgb(found)) + 0.05) / (ground + 0.05) >= CONTRAST:
            return found
    return "#ffffff"


def rounded(value: float, digits: int = 3) -> float | None:
    """Significant digits that are enough for what is shown; None, JavaScript's null, for what is no finite number."""
    return float(f"{value:.{digits}g}") if math.isfinite(value) else None


def _colours(name: str, colours: Sequence[str]) -> str:
    """One rule by day and one by night."""
    if not colours:
        return ""
    day, dark = (
        " ".join(f"--c{place}: {make(colour)};" for place, colour in enumerate(colours)) for make in (str, night)
    )
    return f'#{name} {{ {day} }}\nhtml[data-theme="dark"] #{name} {{ {dark} }}\n'
