"""What values a metric may have: a number outside was never measured, nor was a metric that nobody has written here."""

import math

import pandas as pd

SHARE, POSITIVE, CORRELATION, ANY = (0.0, 1.0), (0.0, math.inf), (-1.0, 1.0), (-math.inf, math.inf)
#: By metric, the smallest and the largest value.
RANGES: dict[str, tuple[float, float]] = {
    **dict.fromkeys(
        (
            "accuracy",
            "balanced_accuracy",
            "a_accuracy",
            "d_accuracy",
            "string_accuracy",
            "position_accuracy",
            "reliability_accuracy",
            "reliability_mean_confidence",
            "ece_20",
            "ece_20_mass",
            "ece_1e6",
            "share_of_class_0",
            "unknown_share",
            "gate",
            "diverged",
            "auc",
            "f1",
            "constant_accuracy",
            "preference",
            "order_sensitivity",
            "arrangement_sensitivity",
            "recency_of_influence",
            "decided_share",
            "cut",
            "frame_accuracy",
            "macro_f1",
            "map_at_r",
            "recall",
            "span_f1",
            "span_precision",
            "span_recall",
            "fit",
            *(f"{part}_{state}" for part in ("r_ib", "d_ib") for state in ("end", "start", "count")),
        ),
        SHARE,
    ),
    **dict.fromkeys(
        (
            "nll",
            "bpc",
            "n",
            "skipped",
            "tokens",
            "characters",
            "parameters",
            "reliability_count",
            "unexplained",
            "selected_epoch",
            "invariance_error",
            "equivariance_error",
            "linear_equivariance_error",
            "baseline_mse",
            "baseline_nll",
            "count",
            "loss",
            "mae",
            "mse",
            "pieces",
            "right",
            "spans",
            "squared_error",
            "steps",
            "unseen_spans",
            "words",
        ),
        POSITIVE,
    ),
    # the first is a correlation, the second the factor of a step; what a state decides may fall below nothing by
    # chance, and so may errors beyond a floor
    **dict.fromkeys(("mcc", "decay", "decided_by_end", "decided_by_start", "decided_by_count"), CORRELATION),
    **dict.fromkeys(("angle", "excess_error", "lookup_error", "recurrent_error"), ANY),
    "brier": (0.0, 2.0),
    "perplexity": (1.0, math.inf),
}
#: What is measured of the data alone: equal for every model of a task. Publications keep it once.
TASK_FACTS = frozenset(
    {
        "baseline_mse",
        "baseline_nll",
        "characters",
        "constant_accuracy",
        "cut",
        "n",
        "pieces",
        "share_of_class_0",
        "skipped",
        "spans",
        "tokens",
        "unknown_share",
        "unseen_spans",
        "words",
    }
)
#: Not defined where nothing was measured: the bins of a reliability diagram in which no confidence lies.
MAY_BE_EMPTY = ("reliability_accuracy", "reliability_mean_confidence")


def implausible(rows: pd.DataFrame) -> pd.Series:
    """Which values no measurement gives: outside the metric's range, or not finite though the run did not diverge.

    So are all of a metric without a range: its protocol has yet to say what it may be.

    Args:
        rows: with ``trial, metric, value``; a run that diverged has the metric ``diverged`` at 1.
    """
    diverged = set(rows.loc[(rows["metric"] == "diverged") & (rows["value"] == 1), "trial"])
    low, high = (rows["metric"].map({name: ends[end] for name, ends in RANGES.items()}).astype(float) for end in (0, 1))
    finite = rows["value"].map(math.isfinite).astype(bool)
    outside = (rows["value"] < low) | (rows["value"] > high)
    excused = rows["trial"].isin(diverged) | rows["metric"].isin(MAY_BE_EMPTY)
    return (finite & outside) | (~finite & ~excused) | ~rows["metric"].isin(RANGES)
