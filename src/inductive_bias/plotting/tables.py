"""Tables and verdicts as a page shows them: rounded, escaped, and the same bytes at every run."""

import html
import zlib
from dataclasses import dataclass

import numpy as np
import pandas as pd
from pandas.io.formats.style import Styler

from inductive_bias.formatting import number
from inductive_bias.plotting.page import PageHTML

VERDICT_CLASSES = {
    "reproduced": "verdict-reproduced",
    "not reproduced": "verdict-not",
    "undecided": "verdict-undecided",
    "beyond these data": "verdict-beyond",
    "not testable here": "verdict-untestable",
    # questions of our own
    "confirmed": "verdict-confirmed",
    "refuted": "verdict-refuted",
}
#: The sign of a verdict, as the book's CSS puts it before the words of a badge.
VERDICT_SIGNS = {
    "reproduced": "✓",
    "not reproduced": "✗",
    "undecided": "?",
    "beyond these data": "○",
    "not testable here": "–",
    "confirmed": "✓",
    "refuted": "✗",
}


def verdict_badge(verdict: str, words: str = "") -> str:
    """HTML of a verdict, styled by the book's CSS (a sign and a word, so that colour is never read alone).

    ``words`` stand in place of its own.

    Raises:
        ValueError: if the verdict is unknown.
    """
    if verdict not in VERDICT_CLASSES:
        raise ValueError(f"verdict is {verdict!r}; it must be one of {', '.join(map(repr, VERDICT_CLASSES))}")
    return f'<span class="{VERDICT_CLASSES[verdict]}">{html.escape(words or verdict)}</span>'


#: Characters from which a cell is a sentence rather than a name.
LONG = 40


@dataclass(frozen=True)
class Link:
    """A cell of a table that leads to another page of the site: its words, and the page as the site calls it."""

    words: str
    page: str

    def __str__(self) -> str:
        return self.words


class PageTable(PageHTML):
    """A table as a page shows it; its plain text holds the same numbers, so that nbval compares them either way."""


def display_table(frame: pd.DataFrame, caption: str = "", *, decimals: int = 3, index: bool = True) -> PageTable:
    """A table for a page: rounded numbers, left-aligned text, no random id (equal input gives equal output).

    A NaN or None is an empty cell, an integer column stays whole, a number that names a row has no idle zeros, text is
    escaped, a `Link` becomes one, and a column named ``verdict`` becomes badges.
    """

    def plain(value: object) -> object:
        if isinstance(value, Link):
            return value
        if isinstance(value, float):  # NumPy's float64 is one
            return "" if np.isnan(value) else number(value, f".{decimals}f")
        if isinstance(value, int | np.integer):
            return number(value, "")
        return "" if pd.isna(value) else str(value)

    text = pd.DataFrame(
        {name: frame[name].map(plain, na_action=None).astype(object).to_numpy() for name in frame.columns},
        index=_without_zeros(frame.index),
    )
    lines = text.to_string(index=index)
    # every id that pandas writes is built from this; its own would be random and change the notebook at every run
    uuid = f"{zlib.crc32(f'{caption}{lines}'.encode()):08x}"
    style = Styler(text, uuid=uuid, cell_ids=False, caption=html.escape(caption) or None)
    badges = {name: verdict_badge for name in text.columns if name == "verdict"}
    style = style.format({name: badges.get(name, _as_html) for name in text.columns})
    style = style.format_index(escape="html", axis=0).format_index(escape="html", axis=1)
    words = [name for name in frame.columns if not pd.api.types.is_numeric_dtype(frame[name])]
    # a column of sentences is given room; the page's CSS says how much
    kinds = {
        name: "text long" if text[name].map(str).str.len().max() > LONG and name not in badges else "text"
        for name in words
    }
    style = style.set_td_classes(pd.DataFrame(kinds, index=text.index, columns=words))
    left = [{"selector": f"th.col{text.columns.get_loc(name)}", "props": "text-align: left"} for name in words]
    style = style.set_table_styles(left)
    style = style if index else style.hide(axis="index")
    return PageTable(style.to_html(), "\n".join(filter(None, [caption, lines])))


def _without_zeros(index: pd.Index) -> pd.Index:
    """Names of rows; numbers among them as they are said: ``0.25``, where pandas would print ``0.250000``."""
    return index.map(number).rename(index.name) if pd.api.types.is_float_dtype(index.dtype) else index


def _as_html(value: object) -> str:
    """An escaped cell; a link leads to its page."""
    words = html.escape(str(value))
    return f'<a href="{html.escape(value.page)}">{words}</a>' if isinstance(value, Link) else words
