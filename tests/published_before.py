"""What was published at commit 89a5f71, as one digest a study, and how today's tables are put into the form of then.

Then a row had ``trial, seed, split, metric, epoch, x, value, data_source``, with facts packed into ``split`` and
``metric``; today each fact has a column, and trials with mixers have other ids. Going back must give every value.
"""

import hashlib

import numpy as np
import pandas as pd

COLUMNS = ["trial", "seed", "split", "metric", "epoch", "x", "value", "data_source"]
#: Coordinates that stood in the name of a metric, ``accuracy by attractors``, with their value in ``x``.
BY = ("attractors", "distance", "template", "length", "position", "context")


def digest(rows: pd.DataFrame) -> str:
    """SHA-256 of the rows as sorted lines; floats with all their digits."""
    text = {name: rows[name].map(repr if name in ("epoch", "x", "value") else str) for name in COLUMNS}
    lines = pd.DataFrame(text)[COLUMNS].agg("\t".join, axis=1).sort_values()
    return hashlib.sha256("\n".join(lines).encode()).hexdigest()


def as_then(rows: pd.DataFrame, old_ids: dict[str, str]) -> pd.DataFrame:
    """Today's rows in the columns of then; ``old_ids`` from a trial's id to the one that it had."""
    rows = rows.assign(trial=rows["trial"].map(old_ids), x=np.nan)
    there = {name: rows[name].notna() for name in rows.columns}
    none = pd.Series(False, index=rows.index)

    def put(where: pd.Series, **columns: pd.Series) -> None:
        for name, values in columns.items():
            rows.loc[where, name] = values[where]

    for name in BY:
        if name in rows:
            put(there[name], x=rows[name], metric=rows["metric"] + f" by {name}")
    if "part" in rows:
        put(there["part"], metric=rows["metric"] + ", " + rows["part"])
    if "reason" in rows:
        put(there["reason"], metric=rows["metric"] + ": " + rows["reason"])
    if "bin" in rows:
        put(there["bin"], x=rows["bin"])
    if "pairs" in rows:
        put(there["pairs"], split="pairs:" + rows["pairs"])
    if "shift" in rows:
        put(there["shift"], x=rows["shift"], split=pd.Series("shift", index=rows.index))
        in_block = there["shift"] & there.get("layer", none)
        put(in_block, metric=rows["metric"] + " block " + rows["layer"].fillna(0).astype(int).astype(str))
    if "head" in rows:
        put(there["head"], x=rows["head"])
        # the signals' models had the split "model" and no kind; only models of one layer were published
        signal = rows["data_source"].str.contains("mixed")
        by_layer = there["head"] & ~signal
        put(by_layer, split="layer " + rows["layer"].fillna(0).astype(int).astype(str))
        put(by_layer & there["kind"], metric=rows["metric"] + ", " + rows["kind"].fillna(""))
    return rows[COLUMNS]
