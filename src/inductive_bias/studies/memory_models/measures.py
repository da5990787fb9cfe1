"""What the claims compare and the page draws: bits per character of cells, gains run by run, and gains of the paper.

All numbers are bits per character of all characters of the test text. A *gain* is the bits of one less those of the
other, run by run of one number: both began with the same weights and read the same streams. Where cells have different
numbers of runs, those that both have. A run that diverged counts as a uniform guess among the 27 symbols.
"""

import math
from itertools import product

import pandas as pd

from inductive_bias.studies.design import Cell
from inductive_bias.studies.memory_models.design import (
    ATTENTION,
    BACKBONES,
    BRT,
    LSTM_GATE,
    NO_MEMORY,
    RSA,
    TOEPLITZ,
    UNDILATED,
    XL,
    cell,
)
from inductive_bias.studies.results import Results
from inductive_bias.verdicts import Contrast, paired, partners

UNIT = "bits per character"
UNIFORM = math.log2(27)
#: Texts of the paper.
TEXT8, ENWIK8 = "Text8", "Enwik8"
#: Model and mixer of every cell of the usual depth, in the order of the page.
PAGE_CELLS = (
    *product(BACKBONES, (ATTENTION, RSA, UNDILATED)),
    (XL, TOEPLITZ),
    (NO_MEMORY, ATTENTION),
    (LSTM_GATE, ATTENTION),
)


def has_runs(results: Results, model: str, mixer: str, layers: int | None = None) -> bool:
    """Whether the scale has the cell by now: some are added later than others."""
    return cell(results.scale, model, mixer, layers) in results.cells


def usual_cells(results: Results) -> list[Cell]:
    """The cells of the usual depth that have runs, in the order of the page."""
    return [cell(results.scale, *each) for each in PAGE_CELLS if has_runs(results, *each)]


def depths(results: Results) -> list[int]:
    """The depths of Transformer-XL."""
    return sorted(results.design.levels(results.scale)["layers"])


def bits(results: Results, model: str, mixer: str, layers: int | None = None) -> pd.Series:
    """Bits per character of one cell by number; NaN where a run diverged."""
    return results.values("bpc", split="test", **cell(results.scale, model, mixer, layers))


def between(worse: pd.Series, better: pd.Series, name: str) -> Contrast:
    """Bits per character that the second model saves against the first, over the numbers that both have."""
    return paired(*partners(worse, better), name=name, unit=UNIT, failed_value=UNIFORM)


def gain(
    results: Results, model: str, mixer: str = RSA, *, over: str = ATTENTION, layers: int | None = None
) -> Contrast:
    """What a mixer gains over another in the same model."""
    depth = f", {layers} layer{'s' * (layers != 1)}" if layers else ""
    name = f"{model}{depth}: {over} − {mixer}"
    return between(bits(results, model, over, layers), bits(results, model, mixer, layers), name)


def paper_gains(results: Results, base: str, over: str, text: str) -> pd.Series:
    """The bits that RSA gains over another mixer in the paper's own models of that base, by depth."""
    found = results.paper
    found = found[(found["metric"] == "bpc") & (found["model"] == base) & (found["text"] == text)]
    by_mixer = {name: rows.set_index("depth")["mean"] for name, rows in found.groupby("mixer")}
    return (by_mixer[over] - by_mixer[RSA]).dropna()


def final_gain(results: Results) -> float:
    """The gain of RSA in the Block-Recurrent Transformer on Text8: the smallest reported one of a final model."""
    return float(paper_gains(results, BRT, ATTENTION, TEXT8)["final"])
