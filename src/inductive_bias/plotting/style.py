"""One style for every figure of the book, and one colour and marker for every cell of a study."""

import zlib
from collections.abc import Iterable
from typing import NamedTuple

import matplotlib as mpl
import seaborn as sns

INK = "#1a1a1a"
MUTED = "#6b6b6b"


class CellStyle(NamedTuple):
    """How a named cell of a study is drawn: a colour and a marker, so that neither must be read alone.

    ``marker`` is one of matplotlib's: a letter, or a glyph between dollars.
    """

    colour: str
    marker: str


# Okabe & Ito (2008), Color universal design: eight colours that stay apart for every common kind of colour blindness.
# A student is drawn in its teacher's family of colours with a marker of its own.
VISION_STYLES: dict[str, CellStyle] = {
    "CNN": CellStyle("#0072b2", "o"),
    "MLP": CellStyle("#d55e00", "s"),
    "CNN → MLP": CellStyle("#009e73", "^"),
    "MLP → MLP": CellStyle("#e69f00", "D"),
    "CNN → CNN": CellStyle("#56b4e9", "v"),
    "MLP → CNN": CellStyle("#cc79a7", "P"),
    # controls: darker relatives of the cell they vary
    "MLP, same steps": CellStyle("#8c3d00", "p"),
    "CNN → MLP, teacher in train mode": CellStyle("#00513b", "<"),
    "CNN → MLP, factor 1/T²": CellStyle("#5d8c00", ">"),
    "CNN → MLP, factor 1/T², no penalty": CellStyle("#b8860b", "*"),
    "CNN → MLP, no factor": CellStyle("#6a6f73", "X"),
    "CNN → MLP, as in the original code": CellStyle("#332288", "h"),
    "CNN → MLP, T = 1": CellStyle("#882255", "d"),
    # not cells, but what was done to the line between two solutions
    "as interpolated": CellStyle("#888888", "."),
    "batch statistics again": CellStyle("#cc3311", "8"),
    "units aligned, statistics again": CellStyle("#33478f", "H"),
}
# Models of sentences. A model keeps its hue on every page, from orange (no recurrent bias) to blue (all of it). A
# student has the hue of its own architecture; shade and kind of marker tell the teacher: triangles for an LSTM, card
# suits for a sequential Universal Transformer, polygons for a sequential Transformer, bars for a Transformer.
SENTENCE_STYLES: dict[str, CellStyle] = {
    "Transformer": CellStyle("#d1491b", "s"),
    "Sequential Transformer": CellStyle("#d99a00", "D"),
    "Sequential Universal Transformer": CellStyle("#1b8a5a", "p"),
    "LSTM": CellStyle("#1f5fb4", "o"),
    "Universal Transformer": CellStyle("#b0569b", "X"),
    "Small Transformer": CellStyle("#ef8a62", "d"),
    "Small LSTM": CellStyle("#67a3dc", "8"),
    "LSTM → Transformer": CellStyle("#8f2a0c", "^"),
    "LSTM → Sequential Transformer": CellStyle("#8f6400", "v"),
    "LSTM → Sequential Universal Transformer": CellStyle("#0d5537", "<"),
    "LSTM → LSTM": CellStyle("#123a73", ">"),
    "Sequential Universal Transformer → Transformer": CellStyle("#b33b3b", "$♠$"),
    "Sequential Universal Transformer → Sequential Transformer": CellStyle("#b58100", "$♣$"),
    "Sequential Universal Transformer → Sequential Universal Transformer": CellStyle("#15704a", "$♥$"),
    "Sequential Universal Transformer → LSTM": CellStyle("#2b4d9b", "$♦$"),
    "Sequential Transformer → Transformer": CellStyle("#e26d45", "h"),
    "Sequential Transformer → Sequential Transformer": CellStyle("#e3b341", "H"),
    "Sequential Transformer → Sequential Universal Transformer": CellStyle("#3b9c70", "$⬢$"),
    "Sequential Transformer → LSTM": CellStyle("#4a86cf", "P"),
    "Transformer → Transformer": CellStyle("#e88d6a", "$▰$"),
    "Transformer → Sequential Transformer": CellStyle("#b8955a", "$▮$"),
    "Transformer → Sequential Universal Transformer": CellStyle("#63b592", "$▬$"),
    "Transformer → LSTM": CellStyle("#7f9fd9", "$◘$"),
    "LSTM → Transformer, teacher in train mode": CellStyle("#6e1f3a", "*"),
    "LSTM → Transformer, longer": CellStyle("#54301f", "$◤$"),
    "Small LSTM → Transformer": CellStyle("#a8481f", "$◢$"),
    "Small LSTM → Small LSTM": CellStyle("#3f6f9f", "$◣$"),
    "Small Transformer → Small Transformer": CellStyle("#d97b66", "$◆$"),
}
# Bare recurrent networks; their LSTM has the look of the other ones.
RECURRENT_STYLES: dict[str, CellStyle] = {
    "Linear RNN": CellStyle("#a05a8c", "v"),
    "tanh RNN": CellStyle("#2e8b8b", "^"),
}
# Position matrices beside attention. The hue tells the kind: reds plain attention, ochre a free matrix, violets and
# greens a REM, blues a recurrent network; the darker relative of two has sinusoidal positions.
MIXER_STYLES: dict[str, CellStyle] = {
    "Transformer, sinusoidal": CellStyle("#9c2f10", "P"),
    "Transformer, ALiBi": CellStyle("#e79a86", "X"),
    "Free Toeplitz": CellStyle("#c9a227", "D"),
    "Free Toeplitz, sinusoidal": CellStyle("#7d6208", "d"),
    "RSA": CellStyle("#5e2a84", "8"),
    "RSA, small decays": CellStyle("#c07bd6", "$▬$"),
    "RSA, shared": CellStyle("#8c6bc8", "^"),
    "RSA, shared, sinusoidal": CellStyle("#5a2ca0", "v"),
    "RSA, per head, sinusoidal": CellStyle("#b04fb0", "<"),
    "RSA, frozen, sinusoidal": CellStyle("#8f8f9c", "H"),
    "RSA, printed diagonal, sinusoidal": CellStyle("#d177a8", ">"),
    "RSA, undilated": CellStyle("#4fa878", "p"),
    "RSA, undilated, sinusoidal": CellStyle("#146b3f", "h"),
    "REM only": CellStyle("#2aa5a0", "*"),
    "REM only, small decays": CellStyle("#6f5f2e", "$▮$"),
}
CELL_STYLES: dict[str, CellStyle] = VISION_STYLES | SENTENCE_STYLES | RECURRENT_STYLES | MIXER_STYLES
# Parts of one model, which are never drawn beside cells: colours of their own, the plainest markers again.
PART_STYLES: dict[str, CellStyle] = {
    "block 1": CellStyle("#1f8f80", "o"),
    "block 2": CellStyle("#a0792c", "s"),
    "block 3": CellStyle("#5b1a18", "^"),
    # whose answers a student's are compared with: ever closer to its own teacher
    "student without teacher": CellStyle("#8a8a8a", "v"),
    "taught, another seed's teacher": CellStyle("#9a7fc7", "D"),
    "taught, its own teacher": CellStyle("#4b1d86", "h"),
}
# Heads of recurrence encoding matrices, and what stands in for a network; never drawn beside cells either.
HEAD_STYLES: dict[str, CellStyle] = {
    "real head": CellStyle("#7a3b00", "o"),
    "cos head": CellStyle("#00696b", "s"),
    "sin head": CellStyle("#6a1b6a", "^"),
    "lag 0": CellStyle("#77736d", "d"),
    "lowest decay": CellStyle("#56789a", "v"),
    "highest decay": CellStyle("#7d1d3f", "D"),
    "orthogonal": CellStyle("#7b8f2a", "P"),
    "gaussian": CellStyle("#3d5a80", "X"),
    "triangular": CellStyle("#b3543f", ">"),
    "nearly defective": CellStyle("#2b2b2b", "*"),
    "trained": CellStyle("#c2410c", "h"),
    "linearised at 0": CellStyle("#c08a1e", "<"),
    "linearised at the mean": CellStyle("#8a6d3b", "H"),
    "fitted linear RNN": CellStyle("#1d6996", "8"),
    "any linear filter": CellStyle("#0f7b5f", "p"),
    "fitted, inputs of others": CellStyle("#6b6862", "$■$"),
}
# Names that are not registered: dark enough for white ground, none equal to a registered colour.
_SPARE_COLOURS = ("#117733", "#44aa99", "#999933", "#aa4499", "#661100", "#88ccee", "#ddcc77", "#3f3f3f")
_SPARE_MARKERS = ("8", "*", "H", "d", "X", "p", "h")


def use_book_style() -> None:
    """Set seaborn's and matplotlib's defaults for a figure of the book: white ground, 150 dpi, colour-blind-safe."""
    sns.set_theme(
        style="whitegrid",
        context="notebook",
        palette=[style.colour for style in CELL_STYLES.values()],
        rc={
            "figure.dpi": 150,
            "savefig.dpi": 150,
            "figure.figsize": (7.2, 4.2),
            "figure.facecolor": "white",
            "axes.facecolor": "white",
            "savefig.facecolor": "white",
            "savefig.transparent": False,
            "figure.constrained_layout.use": True,
            "font.family": "DejaVu Sans",  # comes with matplotlib: the same letters on every machine
            "font.size": 10,
            "axes.titlesize": 11,
            "axes.labelsize": 10,
            "xtick.labelsize": 9,
            "ytick.labelsize": 9,
            "legend.fontsize": 9,
            "legend.frameon": False,
            "axes.spines.top": False,
            "axes.spines.right": False,
            "axes.edgecolor": MUTED,
            "text.color": INK,
            "axes.labelcolor": INK,
            "grid.color": "#e4e4e4",
            "svg.hashsalt": "inductive-bias",
        },
    )


def cell_style(name: str) -> CellStyle:
    """The fixed colour and marker of a cell; an unregistered name gets one that depends on nothing but the name."""
    if known := CELL_STYLES.get(name) or PART_STYLES.get(name) or HEAD_STYLES.get(name):
        return known
    parts = name.split(", ")
    if "→" not in name:  # "LSTM, natural" is the LSTM after other training data: the axis or the panel says which
        for known in (", ".join(parts[:k]) for k in range(len(parts) - 1, 0, -1)):
            if known in CELL_STYLES:
                return CELL_STYLES[known]
    # crc32, not hash(): Python salts hash() anew in every process
    code = zlib.crc32(name.encode())
    marker = _SPARE_MARKERS[(code // len(_SPARE_COLOURS)) % len(_SPARE_MARKERS)]
    return CellStyle(_SPARE_COLOURS[code % len(_SPARE_COLOURS)], marker)


def register_cell(name: str, colour: str, marker: str) -> None:
    """Give a cell a colour and marker of its own.

    Raises:
        ValueError: if the name has a different style already: a name looks the same on every page.
    """
    style = CellStyle(mpl.colors.to_hex(colour), marker)
    if CELL_STYLES.get(name, style) != style:
        raise ValueError(f"cell {name!r} is drawn as {CELL_STYLES[name]} already, not as {style}")
    CELL_STYLES[name] = style


def cell_colours(names: Iterable[str]) -> dict[str, str]:
    """The colour of each name, for seaborn's ``palette``."""
    return {name: cell_style(name).colour for name in names}
