"""One style for every figure of the book."""

import warnings

import seaborn as sns

from inductive_bias.plotting.palette import QUALITATIVE

INK = "#1a1a1a"
MUTED = "#6b6b6b"
#: The dash of a paper's marks.
PAPER_DASH = (0, (3, 1.5))
#: Settings of `sns.lineplot` or `sns.relplot` for the lines of single seeds behind their mean.
THIN = {"units": "seed", "estimator": None, "lw": 0.8, "alpha": 0.45}


def use_book_style() -> None:
    """Set seaborn's and matplotlib's defaults for a figure of the book: white ground, 150 dpi, colour-blind-safe."""
    # seaborn's grids lay themselves out, and matplotlib would tell every page so
    warnings.filterwarnings("ignore", message="The figure layout has changed to tight", category=UserWarning)
    sns.set_theme(
        style="whitegrid",
        context="notebook",
        palette=QUALITATIVE,
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
            "legend.title_fontsize": 9,
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
