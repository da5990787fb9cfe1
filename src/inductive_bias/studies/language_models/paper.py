"""What the paper reports of language models (Abnar, Dehghani & Zuidema 2020), on Linzen's sentences.

``paper_points``: perplexity and A-acc of each run in the figures of the first author's blog (source tag ``blog-fig~``).
``paper_table``: all runs in two spreadsheets of the code's history, commit 96eba35 (``sheet``): μ is accuracy over all
test sentences, D-acc the mean over distances 1 to 16, A-acc the mean over 0 to 4 attractors. Section 7.4 of our
reference file. These are development runs; hyper-parameters vary a little between the columns.
"""

import math

import pandas as pd

_POINTS = {
    "LSTM": ((56.04, 0.943), (56.22, 0.941), (55.85, 0.940), (55.48, 0.938), (56.17, 0.937)),
    "Small LSTM": ((58.89, 0.938), (58.41, 0.937), (58.80, 0.935), (58.4, 0.931), (58.70, 0.930), (58.95, 0.930)),
    "Transformer": ((57.58, 0.921), (57.38, 0.919), (57.55, 0.918), (57.72, 0.913), (57.26, 0.911)),
    "Small Transformer": ((55.49, 0.932), (55.81, 0.928), (55.97, 0.927), (55.58, 0.924), (55.46, 0.923)),
    "LSTM → Transformer": ((57.05, 0.932), (57.03, 0.930), (57.03, 0.927)),
    "Small LSTM → Transformer": ((59.1, 0.933), (59.1, 0.932), (59.1, 0.931)),
}
# runs, μ, D-acc, A-acc, standard deviation of A-acc
_SHEET = {
    "LSTM": (8, 0.9563, 0.9488, 0.9352, 0.0051),
    "Small LSTM": (9, 0.9564, 0.9479, 0.9335, 0.0034),
    "Transformer": (9, 0.9551, 0.9405, 0.9127, 0.0069),
    "Small Transformer": (9, 0.9563, 0.9461, 0.9254, 0.0038),
    "Small LSTM → Small LSTM": (4, 0.9566, 0.9477, 0.9282, 0.0028),
    "Small LSTM → LSTM": (3, 0.9571, 0.9490, 0.9310, 0.0013),
    "Small LSTM → Small Transformer": (6, 0.9572, 0.9480, 0.9248, 0.0018),
    "Small LSTM → Transformer": (4, 0.9582, 0.9500, 0.9320, 0.0013),
    "LSTM → LSTM": (4, 0.9571, 0.9490, 0.9266, 0.0023),
    "LSTM → Small LSTM": (6, 0.9564, 0.9466, 0.9232, 0.0036),
    "LSTM → Transformer": (12, 0.9583, 0.9493, 0.9272, 0.0036),
    "LSTM → Small Transformer": (10, 0.9572, 0.9471, 0.9198, 0.0058),
    "Transformer → Transformer": (5, 0.9556, 0.9372, 0.8925, 0.0055),
    "Transformer → Small Transformer": (3, 0.9551, 0.9364, 0.8827, 0.0027),
    "Transformer → Small LSTM": (3, 0.9554, 0.9396, 0.8985, 0.0057),
    "Transformer → LSTM": (3, 0.9567, 0.9439, 0.9083, 0.0044),
    "Small Transformer → Small Transformer": (3, 0.9567, 0.9455, 0.9131, 0.0014),
    "Small Transformer → Transformer": (4, 0.9572, 0.9462, 0.9178, 0.0035),
    "Small Transformer → Small LSTM": (3, 0.9569, 0.9460, 0.9157, 0.0020),
    "Small Transformer → LSTM": (3, 0.9576, 0.9499, 0.9257, 0.0027),
}


def paper_points() -> pd.DataFrame:
    """One row a run of the figures: ``cell, perplexity, a_accuracy``."""
    return pd.DataFrame(
        [
            {"cell": cell, "perplexity": perplexity, "a_accuracy": a_accuracy}
            for cell, runs in _POINTS.items()
            for perplexity, a_accuracy in runs
        ]
    )


def paper_table() -> pd.DataFrame:
    """One row a number: ``cell, split, metric, mean, std, seeds, source``; ``std`` is NaN where it is not known."""
    rows = []
    for cell, (runs, micro, by_distance, by_attractors, std) in _SHEET.items():
        numbers = (
            ("accuracy", micro, math.nan),
            ("d_accuracy", by_distance, math.nan),
            ("a_accuracy", by_attractors, std),
        )
        rows += [
            {"cell": cell, "split": "linzen", "metric": metric, "mean": mean, "std": spread, "seeds": runs,
             "source": "sheet"}
            for metric, mean, spread in numbers
        ]  # fmt: skip
    return pd.DataFrame(rows)


def reported(cell: str, metric: str) -> tuple[float, float] | None:
    """Mean and standard deviation (NaN if not known), or None where the paper has no such number."""
    table = paper_table()
    row = table[(table["cell"] == cell) & (table["metric"] == metric)]
    return None if row.empty else (float(row["mean"].iloc[0]), float(row["std"].iloc[0]))
