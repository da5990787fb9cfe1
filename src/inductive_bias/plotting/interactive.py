"""Parts of a page that a reader can move: plain HTML and JavaScript, nothing fetched, the same bytes at every run.

Each stands beside a static figure that shows the same, for print and for readers without JavaScript.
"""

import zlib
from importlib.resources import files
from string import Template

from inductive_bias.plotting.page import PageHTML


class PageWidget(PageHTML):
    """A widget as a page shows it."""


class _Dollars(Template):
    """``$id`` and ``$length`` alone: the script's own ``${…}`` is JavaScript."""

    pattern = r"""
    \$(?:(?P<escaped>\$) | (?P<named>id\b|length\b) | (?P<braced>(?!)) | (?P<invalid>(?!)))
    """


def rem_widget(length: int = 24) -> PageWidget:
    """A recurrence encoding matrix with sliders for λ or γ, θ and dilation, and switches for future and diagonal.

    Its script computes the same lags as :func:`inductive_bias.layers.rem_lags`, and offers them to tests as
    ``element.remLags(kind, decay, angle, length, dilation, diagonal)``.

    Args:
        length: tokens, at least 2.

    Raises:
        ValueError: if there are fewer than 2 tokens.
    """
    if length < 2:
        raise ValueError(f"length must be at least 2, not {length}")
    template = files("inductive_bias.plotting").joinpath("rem_widget.html").read_text(encoding="utf-8")
    name = f"rem-{zlib.crc32(f'{length}{template}'.encode()):08x}"
    text = f"Interactive recurrence encoding matrix of {length} tokens: kind, λ or γ, θ, dilation, causality, diagonal."
    return PageWidget(_Dollars(template).substitute(id=name, length=length), text)
