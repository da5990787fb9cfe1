"""Schematics of the models for sentences: a box a state, a line for who reads whom, a colour for a set of weights.

What is drawn follows from a model's spec; the tests compare the lines with what gradients say of the model itself.
"""

from collections.abc import Iterable, Sequence
from typing import NamedTuple

import matplotlib.pyplot as plt
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import FancyBboxPatch

from inductive_bias.models import LSTMSpec, TransformerSpec
from inductive_bias.plotting.style import INK, MUTED

Spec = LSTMSpec | TransformerSpec

#: The first token is named after its role: CLS where it is read out, BOS elsewhere.
TOKENS = ("", "keys", "near", "doors", "EOS")
#: Blue, orange, green of Okabe & Ito (2008), in the order of the layers; one block for all layers is purple.
LAYER_COLOURS = ("#56b4e9", "#e69f00", "#009e73", "#d55e00")
SHARED_COLOUR = "#a9548a"
TOKEN_COLOUR, ANSWER_COLOUR, FAINT = "#f0f0f0", "#fff0b8", "#c9c9c9"
#: Width and height of a box; tokens are 1 apart, layers 1.
BOX = (0.74, 0.42)
ROOM = 3  # layers for which every panel has room, so that boxes are equally large in all


class Reading(NamedTuple):
    """One line of the schematic: the state (layer, token) reads the other; layer 0 are the embeddings."""

    reader: tuple[int, int]
    read: tuple[int, int]


def readings(spec: Spec, tokens: int) -> list[Reading]:
    """Every line of the schematic of a model that reads so many tokens.

    A Transformer's state reads the states of the layer below, all of them or those up to its own place; an LSTM's reads
    the one below and its left neighbour of the same layer.
    """
    found = []
    for layer in range(1, spec.layers + 1):
        for i in range(tokens):
            if isinstance(spec, LSTMSpec):
                found += [Reading((layer, i), (layer - 1, i))]
                found += [Reading((layer, i), (layer, i - 1))] if i else []
            else:
                found += [Reading((layer, i), (layer - 1, j)) for j in range(i + 1 if spec.causal else tokens)]
    return found


def read_out_at(spec: Spec, tokens: int) -> int:
    """The token whose last state gives the answer: the last, or the first of a model that looks both ways."""
    return tokens - 1 if isinstance(spec, LSTMSpec) or spec.causal else 0


def architecture(spec: Spec, *, ax: Axes | None = None, tokens: Sequence[str] = TOKENS) -> Axes:
    """The schematic of one model.

    Args:
        spec: its kind and its layers; widths are not drawn.
        ax: axes to draw on; the current ones if not given.
        tokens: the words below; an empty first one is named CLS or BOS.

    Raises:
        ValueError: without tokens, or with more layers than there are colours.
    """
    if not tokens or spec.layers > len(LAYER_COLOURS):
        raise ValueError(f"a schematic has tokens and 1 to {len(LAYER_COLOURS)} layers, not {tokens} and {spec.layers}")
    ax = ax or plt.gca()
    answer = read_out_at(spec, len(tokens))
    for reading in readings(spec, len(tokens)):
        _line(ax, reading, strong=reading.reader[1] == answer)
    for i, word in enumerate(tokens):
        _box(ax, i, 0, TOKEN_COLOUR, word or ("CLS" if answer == 0 else "BOS"))
        for layer in range(1, spec.layers + 1):
            _box(ax, i, layer, _colour(spec, layer))
    _read_out(ax, answer, spec.layers)
    _names_of_layers(ax, spec, len(tokens))
    # what a shallow model leaves empty is below it, away from its title
    ax.set(xlim=(-0.6, len(tokens) + 0.55), ylim=(min(spec.layers - ROOM, 0) - 0.4, spec.layers + 1.35))
    ax.set_title(spec.name, fontsize=10, fontweight="bold", pad=3)
    ax.set_axis_off()
    return ax


def architectures(specs: Iterable[Spec], *, tokens: Sequence[str] = TOKENS) -> Figure:
    """A new figure with the schematics of several models, two a row, and a key after the last."""
    specs = list(specs)
    rows = len(specs) // 2 + 1
    figure, axes = plt.subplots(rows, 2, figsize=(7.2, 2.75 * rows), squeeze=False)
    for ax, spec in zip(axes.flat, specs, strict=False):
        architecture(spec, ax=ax, tokens=tokens)
    for ax in axes.flat[len(specs) :]:
        ax.set_axis_off()
    key(axes.flat[len(specs)])
    return figure


#: What the key says, and at which height.
KEY = {
    3.85: "embedding of a token",
    2.85: "state in a layer; the same\ncolour: the same weights",
    1.85: "the answer, and the state\nit is read from",
    1.05: "what the read-out's token\nreads, or is handed on to it",
    0.35: "what the others read",
}


def key(ax: Axes) -> Axes:
    """What the boxes and lines of a schematic mean, in the measures of the schematics themselves."""
    word, state, answer, strong, faint = KEY
    _box(ax, 0, word, TOKEN_COLOUR, "word")
    for height, colour in ((state + 0.27, LAYER_COLOURS[0]), (state - 0.27, SHARED_COLOUR)):
        _box(ax, 0, height, colour)
    _box(ax, 0, answer, ANSWER_COLOUR, "are?")
    for height in (strong, faint):
        ax.plot([-BOX[0] / 2, BOX[0] / 2], [height, height], **_pen(height == strong))
    for height, meaning in KEY.items():
        ax.text(0.65, height, meaning, ha="left", va="center", fontsize=9, color=INK)
    ax.set(xlim=(-0.6, len(TOKENS) + 0.55), ylim=(-0.4, ROOM + 1.35))
    ax.set_axis_off()
    return ax


def _colour(spec: Spec, layer: int) -> str:
    shared = isinstance(spec, TransformerSpec) and spec.shared
    return SHARED_COLOUR if shared else LAYER_COLOURS[layer - 1]


def _box(ax: Axes, x: float | int, y: float | int, colour: str, word: str = "") -> None:
    width, height = BOX
    shape = "round,pad=0,rounding_size=0.09"
    corner = (x - width / 2, y - height / 2)
    ax.add_patch(FancyBboxPatch(corner, width, height, boxstyle=shape, fc=colour, ec=INK, lw=0.7, zorder=3))
    if word:
        ax.text(x, y, word, ha="center", va="center", fontsize=8.5, color=INK, zorder=4)


def _pen(strong: bool) -> dict[str, object]:
    return {"color": INK if strong else FAINT, "lw": 1.3 if strong else 0.8}


def _line(ax: Axes, reading: Reading, *, strong: bool) -> None:
    """From the edge of the box that is read to the edge of its reader, with a head; sideways is memory handed on."""
    (upper, i), (lower, j) = reading
    sideways = upper == lower
    strong = strong or sideways
    along, up = (BOX[0] / 2, 0.0) if sideways else (0.0, BOX[1] / 2)
    head = {"arrowstyle": "-|>,head_length=0.32,head_width=0.14" if strong else "-", "shrinkA": 0, "shrinkB": 0}
    pen = _pen(strong) | ({"lw": 2.0} if sideways else {})
    ax.annotate(
        "", xy=(i - along, upper - up), xytext=(j + along, lower + up), zorder=2 if strong else 1, arrowprops=head | pen
    )


def _read_out(ax: Axes, token: int, layer: int) -> None:
    _box(ax, token, layer + 0.95, ANSWER_COLOUR, "are?")
    head = {"arrowstyle": "-|>,head_length=0.32,head_width=0.14", "shrinkA": 0, "shrinkB": 0, "color": INK, "lw": 1.3}
    ax.annotate("", xy=(token, layer + 0.95 - BOX[1] / 2), xytext=(token, layer + BOX[1] / 2), arrowprops=head)


def _names_of_layers(ax: Axes, spec: Spec, tokens: int) -> None:
    """Right of the layers: their names, or one bracket around the applications of one block."""
    x = tokens - 0.45
    if isinstance(spec, TransformerSpec) and spec.shared:
        low, high = 1 - BOX[1] / 2, spec.layers + BOX[1] / 2
        ax.plot([x, x + 0.12, x + 0.12, x], [low, low, high, high], color=MUTED, lw=1)
        ax.text(
            x + 0.24, (low + high) / 2, f"one\nblock\n× {spec.layers}", ha="left", va="center", fontsize=8.5, color=INK
        )
        return
    for layer in range(1, spec.layers + 1):
        ax.text(x + 0.02, layer, f"layer {layer}", va="center", fontsize=8.5, color=INK)
