"""What the figures draw of weight gaps, and what the table of scores prints."""

from collections.abc import Iterable

import numpy as np
import pandas as pd
import seaborn as sns
from matplotlib.cm import ScalarMappable
from matplotlib.colorbar import Colorbar
from matplotlib.colors import LogNorm

from inductive_bias import plotting
from inductive_bias.studies.results import Results


def scores(results: Results) -> pd.DataFrame:
    """Bits per character on test text; the whole window stands as context 0."""
    return results.frame("bpc", split="test").fillna({"context": 0}).astype({"context": int})


def geometric_mean(values: Iterable[float]) -> float:
    """Geometric mean, for gaps that differ by orders of magnitude."""
    return float(np.exp(np.mean(np.log(np.fromiter(values, float)))))


def log_norm(values: pd.Series) -> LogNorm:
    """Colours from the shortest to the longest context."""
    return LogNorm(values.min(), values.max())


def context_bar(grid: sns.FacetGrid, values: pd.Series) -> Colorbar:
    """The legend of the contexts: a bar beside all panels."""
    shown = ScalarMappable(log_norm(values), plotting.number_scale())
    bar = grid.figure.colorbar(shown, ax=grid.axes, label="characters that the twin sees", shrink=0.7)
    bar.set_ticks(sorted(values.unique()), labels=[f"{value:g}" for value in sorted(values.unique())])
    bar.ax.minorticks_off()
    return bar
