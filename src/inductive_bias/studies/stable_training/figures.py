"""From the table of weight gaps to what the figures draw."""

from collections.abc import Iterable

import numpy as np
import pandas as pd
import seaborn as sns
from matplotlib.cm import ScalarMappable
from matplotlib.colorbar import Colorbar
from matplotlib.colors import LogNorm

from inductive_bias.studies.results import Results
from inductive_bias.studies.stable_training.claims import SMALLEST


def last_gaps(results: Results) -> pd.DataFrame:
    """Gaps after the last step, those that are more than rounding."""
    table = results.table("weight_gaps")
    return table[(table["updates"] == table["updates"].max()) & (table["gap"] > SMALLEST)].reset_index(drop=True)


def by_updates(results: Results) -> pd.DataFrame:
    """All gaps that are more than rounding."""
    table = results.table("weight_gaps")
    return table[table["gap"] > SMALLEST].reset_index(drop=True)


def geometric_mean(values: Iterable[float]) -> float:
    """Of gaps, which differ by orders of magnitude."""
    return float(np.exp(np.mean(np.log(np.fromiter(values, float)))))


def log_norm(values: pd.Series) -> LogNorm:
    """From the shortest to the longest context."""
    return LogNorm(values.min(), values.max())


def context_bar(grid: sns.FacetGrid, values: pd.Series) -> Colorbar:
    """The legend of the contexts: a bar beside all panels."""
    shown = ScalarMappable(log_norm(values), sns.color_palette("crest", as_cmap=True))
    bar = grid.figure.colorbar(shown, ax=grid.axes, label="characters that the twin sees", shrink=0.7)
    bar.set_ticks(sorted(values.unique()), labels=[str(value) for value in sorted(values.unique())])
    bar.ax.minorticks_off()
    return bar
