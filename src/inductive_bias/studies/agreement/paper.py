"""What the paper reports of agreement classification (Abnar, Dehghani & Zuidema 2020).

Accuracy and ECE (10⁶ bins) were read off the figures of the first author's blog by pixel measurement (source tag
``blog-fig~``, good to about .0003); A-acc is the mean over the runs in the logs of the published code (``log``), over
0 to 4 attractors of the full test set. Section 7.3 of our reference file. The paper trains on 157,700 sentences of
Linzen's set and tests on 1.4 million.
"""

import math

import pandas as pd

SEEDS = 4
_PLACES = {"accuracy": "test", "ece_1e6": "test", "a_accuracy": "attractors"}

# accuracy and its standard deviation, ECE and its; NaN where the figure does not show it
_ALONE = {
    "Transformer": (0.9541, 0.0016, 0.0549, 0.0019),
    "Sequential Transformer": (0.9638, 0.0010, 0.0446, 0.0023),
    "Sequential Universal Transformer": (0.9688, 0.0004, 0.0367, 0.0014),
    "LSTM": (0.9774, 0.0001, 0.0279, math.nan),
}
# rows: teachers; columns: students in the order of the ladder; accuracy, ECE
_DISTILLED = {
    "LSTM": ((0.9597, 0.0483), (0.9720, 0.0362), (0.9749, 0.0343), (0.9759, 0.0340)),
    "Sequential Universal Transformer": ((0.9571, 0.0501), (0.9679, 0.0420), (0.9688, 0.0408), (0.9742, 0.0390)),
    "Sequential Transformer": ((0.9556, 0.0548), (0.9629, 0.0510), (0.9635, 0.053), (0.9690, 0.0519)),
    "Transformer": ((0.9554, 0.0537), (0.9598, 0.0534), (0.9610, 0.053), (0.9680, 0.0498)),
}
# every run in the logs
_A_ACC = {
    "Transformer": (0.682, 0.720, 0.731, 0.736),
    "Sequential Universal Transformer": (0.810, 0.789, 0.800, 0.826),
    "Transformer → LSTM": (0.739, 0.764, 0.764, 0.759),
    "Transformer → Transformer": (0.704, 0.725, 0.717, 0.758),
    "Transformer → Sequential Transformer": (0.688, 0.733, 0.699),
    "Sequential Universal Transformer → LSTM": (0.856, 0.819, 0.845, 0.859),
    "Sequential Universal Transformer → Sequential Universal Transformer": (0.801, 0.791, 0.824, 0.799),
}


def paper_table() -> pd.DataFrame:
    """One row a number: ``cell, split, metric, mean, std, seeds, source``; ``std`` is NaN where it is not known."""
    rows = []

    def put(cell: str, metric: str, mean: float, std: float, seeds: int, source: str) -> None:
        rows.append(
            {"cell": cell, "split": _PLACES[metric], "metric": metric, "mean": mean, "std": std, "seeds": seeds,
             "source": source}
        )  # fmt: skip

    for cell, (accuracy, accuracy_std, ece, ece_std) in _ALONE.items():
        put(cell, "accuracy", accuracy, accuracy_std, SEEDS, "blog-fig~")
        put(cell, "ece_1e6", ece, ece_std, SEEDS, "blog-fig~")
    for teacher, students in _DISTILLED.items():
        for student, (accuracy, ece) in zip(_ALONE, students, strict=True):
            put(f"{teacher} → {student}", "accuracy", accuracy, math.nan, SEEDS, "blog-fig~")
            put(f"{teacher} → {student}", "ece_1e6", ece, math.nan, SEEDS, "blog-fig~")
    for cell, runs in _A_ACC.items():
        values = pd.Series(runs)
        put(cell, "a_accuracy", float(values.mean()), float(values.std()), len(runs), "log")
    return pd.DataFrame(rows)


def reported(cell: str, split: str, metric: str) -> tuple[float, float] | None:
    """Mean and standard deviation (NaN if not known), or None where the paper has no such number."""
    table = paper_table()
    row = table[(table["cell"] == cell) & (table["split"] == split) & (table["metric"] == metric)]
    return None if row.empty else (float(row["mean"].iloc[0]), float(row["std"].iloc[0]))
