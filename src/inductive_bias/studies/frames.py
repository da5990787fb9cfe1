"""From a study's results to tidy frames and to the words of tables: what the figures of several studies share."""

from collections.abc import Iterable, Mapping, Sequence

import numpy as np
import pandas as pd

from inductive_bias.names import short_name
from inductive_bias.studies.comparisons import finite
from inductive_bias.studies.study import Results


def seeds_of(results: Results, metric: str, cells: Sequence[str], splits: Mapping[str, str]) -> pd.DataFrame:
    """Final values, one row a seed: ``cell, set, seed, value``, in the order of ``cells`` and ``splits``.

    Args:
        results: of the study.
        metric: a scalar metric.
        cells: which cells.
        splits: test sets and the words for them, which become the column ``set``.

    Raises:
        ValueError: if a cell has no row of a set.
    """
    frames = []
    for cell in cells:
        for split, words in splits.items():
            rows = results.final(metric, split=split, cell=cell).sort_values("seed")
            if rows.empty:
                raise ValueError(f"cell {cell!r} has no {metric} on {split!r}")
            frames.append(rows[["cell", "seed", "value"]].assign(set=words))
    return pd.concat(frames, ignore_index=True)


def reliability(results: Results, cell: str, split: str) -> pd.DataFrame:
    """Twenty bins of all seeds together: ``confidence, accuracy, share``; empty bins are left out."""
    parts = {
        name: results.final(f"reliability_{name}", split=split, cell=cell).set_index(["seed", "x"])["value"]
        for name in ("count", "mean_confidence", "accuracy")
    }
    count = parts["count"][parts["count"] > 0]
    total = count.groupby("x").sum()
    return pd.DataFrame(
        {
            "confidence": (parts["mean_confidence"] * count).groupby("x").sum() / total,
            "accuracy": (parts["accuracy"] * count).groupby("x").sum() / total,
            "share": total / total.sum(),
        }
    ).loc[total.index].reset_index(drop=True)  # fmt: skip


def confidence_gap(results: Results, cells: Sequence[str], splits: Mapping[str, str]) -> pd.DataFrame:
    """Mean confidence, accuracy, and the first minus the second (positive: over-confident), all seeds together."""
    rows = []
    for cell in cells:
        for split, words in splits.items():
            bins = reliability(results, cell, split)
            confidence, accuracy = (float((bins[name] * bins["share"]).sum()) for name in ("confidence", "accuracy"))
            rows.append(
                {"model": short_name(cell), "test set": words, "mean confidence": confidence, "accuracy": accuracy,
                 "over-confidence": confidence - accuracy}
            )  # fmt: skip
    return pd.DataFrame(rows)


def listed(values: Iterable[float], decimals: int = 3) -> str:
    """The values of all seeds, side by side; a diverged one is a dash."""
    return whole(" ".join(f"{value:.{decimals}f}" if np.isfinite(value) else "–" for value in values))


def mean_std(values: Iterable[float], decimals: int = 3) -> str:
    """``0.373 ± 0.0151``, over the seeds that did not diverge; one seed has no deviation."""
    kept = finite(list(values))
    if not kept:
        return "–"
    mean = f"{np.mean(kept):.{decimals}f}"
    return whole(f"{mean} ± {np.std(kept, ddof=1):.{decimals + 1}f}" if len(kept) > 1 else mean)


def whole(text: str) -> str:
    """A number and its spread never part at the end of a line."""
    return text.replace(" ", "\u00a0")
