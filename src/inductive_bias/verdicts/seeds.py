"""Which numbers count: seeds that belong together, and diverged runs as failures (intention to treat)."""

from collections.abc import Iterable
from typing import SupportsFloat, TypeVar

import numpy as np
import pandas as pd

from inductive_bias.verdicts.numbers import finite

#: A number, or a row of them, for each seed.
Values = TypeVar("Values", pd.Series, pd.DataFrame)


def counted(
    values: Iterable[SupportsFloat], failed_value: SupportsFloat | None, label: str
) -> tuple[pd.Series, tuple[str, ...]]:
    """The values by seed, those that are not finite replaced by ``failed_value``, and the names of these runs.

    A Series keeps its index (the seeds) and its name (of the cell, used for the failed runs instead of ``label``).

    Raises:
        ValueError: if there is no value, a seed occurs twice, one is not finite and ``failed_value`` is not given, or
            ``failed_value`` is not finite.
    """
    series, failed = marked(values, label)
    return series.where(np.isfinite(series), _worth(failed, failed_value)).astype(float), failed


def marked(values: Iterable[SupportsFloat], label: str) -> tuple[pd.Series, tuple[str, ...]]:
    """The values by seed as they are, and the names of the runs whose value is not finite.

    Raises:
        ValueError: if there is no value, or a seed occurs twice.
    """
    if isinstance(values, pd.Series):
        series = values.astype(float)
        label = str(values.name) if isinstance(values.name, str) and values.name != "value" else label
    else:
        series = pd.Series([float(value) for value in values], dtype=float)
    if series.empty:
        raise ValueError(f"{label} has no value")
    if series.index.has_duplicates:
        twice = series.index[series.index.duplicated()].unique().tolist()
        raise ValueError(f"{label} has more than one value of the seeds {twice}")
    lost = ~np.isfinite(series)
    return series, tuple(f"{label}, seed {seed}" for seed in series.index[lost])


def counted_frame(
    frame: pd.DataFrame, failed_value: SupportsFloat | None, label: str
) -> tuple[pd.DataFrame, tuple[str, ...]]:
    """A table of seeds × items, treated like :func:`counted` treats a row of values.

    Raises:
        ValueError: if a seed or an item stands twice, there is none, or nothing says what a diverged run counts as.
    """
    if frame.empty or frame.index.has_duplicates or frame.columns.has_duplicates:
        raise ValueError(f"{label} must have at least one seed and one item, and each once, not {frame.shape}")
    table = frame.astype(float)
    lost = ~np.isfinite(table)
    failed = tuple(
        f"{label}, seed {table.index[row]}, {table.columns[column]}" for row, column in np.argwhere(lost.to_numpy())
    )
    return table.where(~lost, _worth(failed, failed_value)).astype(float), failed


def partners(a: Values, b: Values) -> tuple[Values, Values]:
    """Values of two cells at the seeds that both have; runs beyond those are in no pair."""
    both = a.index.intersection(b.index)
    return a.loc[both], b.loc[both]


def aligned(a: pd.Series, b: pd.Series) -> pd.Series:
    """``b`` in the order of the seeds of ``a``.

    Raises:
        ValueError: if a seed has no partner.
    """
    alone = a.index.symmetric_difference(b.index).tolist()
    if alone:
        advice = "" if len(alone) < len(a) + len(b) else "; none is shared: use unpaired"
        raise ValueError(f"seeds {alone} have no partner{advice}")
    return b.reindex(a.index)


def _worth(failed: tuple[str, ...], failed_value: SupportsFloat | None) -> float:
    """What a diverged run counts as; NaN where none diverged and nothing was said."""
    if failed_value is not None:
        return finite(failed_value, "failed_value")
    if failed:
        raise ValueError(f"diverged: {'; '.join(failed)}; say with failed_value what such a run counts as")
    return float("nan")
