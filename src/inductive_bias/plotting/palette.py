"""The look of a level of a factor: hue = family of models, shade = variant in it, a marker beside the colour.

`palette` and `markers` are made for seaborn's arguments of these names. What they give depends on the levels alone.
"""

from collections.abc import Hashable, Iterable, Mapping, Sequence
from numbers import Real
from typing import NamedTuple

import matplotlib as mpl
import numpy as np
import pandas as pd
from seaborn.external import husl


class Look(NamedTuple):
    """A colour and one of matplotlib's filled markers, so that neither must be read alone."""

    colour: str
    marker: str


#: Every colour has a contrast of at least 3 : 1 on white; families that share a figure stay apart for common kinds of
#: colour blindness (both are tested).
FAMILIES: dict[str, Look] = {
    "none": Look("#707070", "<"),  # no teacher: neutral
    "MLP": Look("#d35f11", "s"),
    "CNN": Look("#1172b0", "o"),
    "Bidirectional Transformer": Look("#d0470f", "s"),
    "Sequential Transformer": Look("#b2864e", "D"),
    "Universal Transformer": Look("#b452a0", "X"),
    "Sequential Universal Transformer": Look("#115b2f", "p"),
    "LSTM": Look("#155fc4", "o"),
    "Linear RNN": Look("#c96bc6", "v"),
    "tanh RNN": Look("#179e9e", "X"),
    "GRU": Look("#5b2ee9", "v"),
    "TCN": Look("#cb772a", ">"),
    "Gated CNN": Look("#2f5f79", "D"),
    "Attention": Look("#9a4123", "P"),
    "Free Toeplitz": Look("#9d7c11", "D"),
    "REM only": Look("#0c4544", "^"),
    "RSA": Look("#5d2a82", "h"),
    # verdicts of claims, the colours of their badges on a white page
    "reproduced": Look("#0b6d55", "o"),
    "not reproduced": Look("#9c1824", "X"),
    "undecided": Look("#8e670d", "s"),
    "beyond these data": Look("#2b2b2b", "^"),
    "not testable here": Look("#605297", "D"),
}
#: Variants of a family: each has one colour and one marker in the whole book, whatever else is drawn. Two that share a
#: page differ in both; a student's hue is its teacher's.
VARIANTS: dict[str, dict[str, Look]] = {
    "MLP": {
        "MLP, same steps": Look("#7c3506", "v"),
        "MLP → MLP": Look("#542103", "^"),
        "MLP → CNN": Look("#a6490b", "X"),
    },
    "CNN": {"CNN → MLP": Look("#043352", "D"), "CNN → CNN": Look("#1a97e7", "P"), "TextCNN": Look("#1a97e7", "p")},
    "Sequential Transformer": {"Small Sequential Transformer": Look("#3f2d17", "s")},
    "LSTM": {
        "Small LSTM": Look("#062e66", "^"),
        "LSTM, 2 layers": Look("#062e66", "^"),
        "LSTM, slow start": Look("#1c75ee", "p"),
        "LSTM, last 5": Look("#588dfb", "*"),
        "LSTM, last 13": Look("#0d4694", "<"),
        "LSTM, last 25": Look("#062e66", "d"),
        "unrolled LSTM": Look("#062e66", "^"),
        "BiLSTM": Look("#0d4694", "d"),
    },
    "Attention": {
        "Transformer": Look("#9a4123", "P"),  # another name of the same model
        "Attention, sinusoidal": Look("#ed683b", "X"),
        "Attention, ALiBi": Look("#54200f", "p"),
        "Attention, chosen": Look("#54200f", "d"),
    },
    "Free Toeplitz": {
        "Free Toeplitz, sinusoidal": Look("#6b5408", "X"),
        "Free Toeplitz, half plain": Look("#3d2e03", "8"),
        "Free Toeplitz, chosen": Look("#3d2e03", "h"),
    },
    "REM only": {"REM only, small decays": Look("#29a09e", "d")},
    "RSA": {
        "RSA, shared": Look("#8f44c5", "H"),
        "RSA, per head": Look("#441d61", "*"),
        "RSA, frozen": Look("#a666db", "<"),
        "RSA, undilated": Look("#af79e0", "s"),
        "RSA, small decays": Look("#af79e0", "8"),
        "RSA, printed diagonal": Look("#7e3bae", ">"),
        "RSA, half plain": Look("#6d3298", "d"),
        "RSA, chosen": Look("#441d61", "P"),
    },
}
#: Levels that are variants of a family; `register_family` adds to it.
_FAMILY_OF: dict[Hashable, str] = {
    **{level: family for family, variants in VARIANTS.items() for level in variants},
    "confirmed": "reproduced",
    "refuted": "not reproduced",
}
_OWN: dict[Hashable, Look] = {level: look for variants in VARIANTS.values() for level, look in variants.items()}
#: Words that are no model, by their place among the levels.
QUALITATIVE = ("#1172b0", "#985023", "#0f835f", "#9d5287", "#4d4d4d", "#997910", "#4097c3", "#7a1f1f")
_MARKERS = ("o", "s", "^", "D", "v", "P", "X", "p", "h", "*", "<", ">", "d", "8", "H")
#: Lightness (CIE L*) between which the shades of a hue lie; a lighter one would be too pale on white.
_DARKEST, _LIGHTEST = 20.0, 60.0
#: The one scale of colours for sizes, and the part of it that is dark enough for lines and dots on white.
SIZES, _PALEST = "viridis", 0.45


def register_family(level: Hashable, family: str, *, look: Look | None = None) -> None:
    """Declare that a level is a variant of a family of models; with ``look`` a family that is new.

    Raises:
        ValueError: if the family is unknown, or the level or the family has another look already.
    """
    if look is not None:
        new = Look(mpl.colors.to_hex(look.colour), look.marker)
        if FAMILIES.get(family, new) != new:
            raise ValueError(f"family {family!r} is drawn as {FAMILIES[family]} already, not as {new}")
        FAMILIES[family] = new
    if family not in FAMILIES:
        raise ValueError(f"no family {family!r}; there are {', '.join(FAMILIES)}")
    if (known := family_of(level)) not in (None, family):
        raise ValueError(f"{level!r} is of the family {known!r} already, not of {family!r}")
    _FAMILY_OF[level] = family


def family_of(level: Hashable) -> str | None:
    """The family of a level: its own name, or what was registered; None for what is no model."""
    return str(level) if level in FAMILIES else _FAMILY_OF.get(level)


def levels_of(column: Iterable[Hashable]) -> list[Hashable]:
    """The levels of a column in seaborn's order: categories, sorted numbers, or words as they appear; no gaps."""
    # a list goes in as objects: 1 and "1" stay what they are
    series = pd.Series(column) if hasattr(column, "dtype") else pd.Series(list(column), dtype=object)
    if isinstance(series.dtype, pd.CategoricalDtype):
        return series.cat.categories.tolist()
    found = list(dict.fromkeys(series.dropna().tolist()))
    return sorted(found) if all(map(_is_number, found)) else found


def palette(levels: Iterable[Hashable]) -> dict[Hashable, str]:
    """A colour for each level, for seaborn's ``palette``.

    A family and its variants in `VARIANTS` have the same colour everywhere. Of variants that were registered, the first
    has the family's hue where the family itself is not drawn, others its shades. Numbers go from pale to dark by rank,
    other words take a fixed palette by their place.

    Args:
        levels: a column of a frame, or the levels themselves. Of a categorical column all categories count, so that
            figures that draw some of them agree.
    """
    names = levels_of(levels)
    colours: dict[Hashable, str] = {}
    for family, variants in _families(names).items():
        colours |= {level: _OWN[level].colour for level in variants if level in _OWN}
        derived = [level for level in variants if level not in _OWN]
        colours |= dict(zip(derived, _shades(FAMILIES[family].colour, len(derived)), strict=True))
    rest = [level for level in names if level not in colours]
    if all(map(_is_number, rest)):
        scale, tones = number_scale(), np.linspace(0.0, 1.0, len(rest)) if len(rest) > 1 else [0.5]
        colours |= {level: mpl.colors.to_hex(scale(tone)) for level, tone in zip(sorted(rest), tones, strict=False)}
    else:
        count = len(QUALITATIVE)
        rounds = -(-len(rest) // count)
        shades = [_shades(colour, rounds) for colour in QUALITATIVE]
        colours |= {level: shades[place % count][place // count] for place, level in enumerate(rest)}
    return {level: colours[level] for level in names}


def markers(levels: Iterable[Hashable]) -> dict[Hashable, str]:
    """A marker for each level, for seaborn's ``markers``: that of a family or of a variant, others by their place."""
    names = levels_of(levels)
    chosen: dict[Hashable, str] = {}
    for family, variants in _families(names).items():
        derived = [level for level in variants if level not in _OWN][:1]
        owned = {level: FAMILIES[family].marker for level in derived}
        owned |= {level: _OWN[level].marker for level in variants if level in _OWN}
        chosen |= {level: marker for level, marker in owned.items() if marker not in chosen.values() or level in _OWN}
    free = [marker for marker in _MARKERS if marker not in chosen.values()] or list(_MARKERS)
    rest = [level for level in names if level not in chosen]
    chosen |= {level: free[place % len(free)] for place, level in enumerate(rest)}
    return {level: chosen[level] for level in names}


def number_scale() -> mpl.colors.Colormap:
    """The scale of colours for sizes, from pale to dark, without what is too pale for lines and dots on white."""
    tones = mpl.colormaps[SIZES](np.linspace(1 - _PALEST, 0.0, 256))
    return mpl.colors.ListedColormap(tones, name="numbers")


def look(level: Hashable, among: Iterable[Hashable] | None = None) -> Look:
    """The look of one level, as `palette` and `markers` give it among others; alone if not given.

    Raises:
        ValueError: if the level is not among them.
    """
    levels = [level] if among is None else levels_of(among)
    if level not in levels:
        raise ValueError(f"{level!r} is not among the levels {', '.join(map(repr, levels))}")
    return Look(palette(levels)[level], markers(levels)[level])


def chosen(
    data: pd.DataFrame,
    column: str,
    palette_: Mapping[Hashable, str] | None,
    markers_: Mapping[Hashable, str] | None,
    order: Sequence[Hashable] | None = None,
) -> dict[Hashable, Look]:
    """The levels of a column in order, each with its colour and marker: those given, else the derived ones.

    Raises:
        ValueError: if a level has no colour or no marker.
    """
    levels = levels_of(data[column]) if order is None else list(order)
    colours, signs = palette_ or palette(levels), markers_ or markers(levels)
    for name, given in (("palette", colours), ("markers", signs)):
        if missing := [level for level in levels if level not in given]:
            raise ValueError(f"{name} has nothing for {column} = {missing[0]!r}")
    return {level: Look(colours[level], signs[level]) for level in levels}


def check_columns(data: pd.DataFrame, *columns: str | None) -> None:
    """Refuse a table that lacks a column, by name.

    Raises:
        ValueError: naming the first column that is missing.
    """
    for column in filter(None, columns):
        if column not in data.columns:
            raise ValueError(f"the table has no column {column!r}; it has {', '.join(map(str, data.columns))}")


def _families(levels: Iterable[Hashable]) -> dict[str, list[Hashable]]:
    """The levels of each family, the one that is named like it first."""
    found: dict[str, list[Hashable]] = {}
    for level in levels:
        if family := family_of(level):
            found.setdefault(family, []).append(level)
    return {family: sorted(levels, key=lambda level: level != family) for family, levels in found.items()}


def _shades(colour: str, count: int) -> list[str]:
    """``count`` colours of one hue, this one first, their lightness as far apart as white ground allows."""
    hue, saturation, own = husl.rgb_to_husl(*mpl.colors.to_rgb(colour))

    def room(darker: int) -> float:
        lighter = count - 1 - darker
        return min((own - _DARKEST) / darker if darker else np.inf, (_LIGHTEST - own) / lighter if lighter else np.inf)

    darker = max(range(count), key=room, default=0)
    steps = [*np.linspace(own, _LIGHTEST, count - darker)[1:], *np.linspace(own, _DARKEST, darker + 1)[1:]]
    others = [husl.husl_to_rgb(hue, saturation, lightness) for lightness in steps]
    return [colour, *(mpl.colors.to_hex(np.clip(rgb, 0, 1)) for rgb in others)][:count]


def _is_number(level: object) -> bool:
    return isinstance(level, Real) and not isinstance(level, bool | np.bool_)
