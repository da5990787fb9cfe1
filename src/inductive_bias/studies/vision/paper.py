"""What the paper reports of vision (Abnar, Dehghani & Zuidema 2020): mean ± standard deviation of 4 seeds.

Tables 7.1 (without distillation) and 7.2 (distilled) of our reference file, which reads them from the images of tables
on the first author's blog (source tag ``blog-tab``). The ECE there is computed with 10⁶ bins of equal width, so it
stands beside our ``ece_1e6`` and no other.
"""

import pandas as pd

SEEDS = 4
SPLITS = ("test", "scale", "translate")
METRICS = ("accuracy", "ece_1e6")

Six = tuple[tuple[float, float], ...]
# in the order of METRICS × SPLITS: accuracy on MNIST, scaled, translated, then ECE on the same
_WITHOUT_DISTILLATION: dict[str, Six] = {
    "CNN": ((0.992, 0.0009), (0.962, 0.0021), (0.981, 0.0003), (0.011, 0.0006), (0.060, 0.0044), (0.028, 0.0016)),
    "MLP": ((0.985, 0.0011), (0.794, 0.0154), (0.373, 0.0151), (0.015, 0.0006), (0.175, 0.0081), (0.564, 0.0091)),
}
_DISTILLED: dict[str, Six] = {
    "CNN → CNN": ((0.991, 0.0004), (0.951, 0.0046), (0.978, 0.0003), (0.014, 0.0004), (0.068, 0.0043), (0.033, 0.0006)),
    "MLP → CNN": ((0.990, 0.0007), (0.955, 0.0065), (0.976, 0.0012), (0.013, 0.0005), (0.054, 0.0063), (0.030, 0.0016)),
    "CNN → MLP": ((0.988, 0.0005), (0.904, 0.0073), (0.510, 0.0148), (0.013, 0.0004), (0.109, 0.0053), (0.432, 0.0136)),
    "MLP → MLP": ((0.985, 0.0015), (0.839, 0.0096), (0.395, 0.0069), (0.015, 0.0012), (0.155, 0.0079), (0.555, 0.0038)),
}


def paper_table() -> pd.DataFrame:
    """One row a number: ``cell, split, metric, mean, std, seeds, table, source``."""
    places = [(split, metric) for metric in METRICS for split in SPLITS]
    rows = [
        {"cell": cell, "split": split, "metric": metric, "mean": mean, "std": std, "seeds": SEEDS, "table": table,
         "source": "blog-tab"}
        for table, cells in (("7.1", _WITHOUT_DISTILLATION), ("7.2", _DISTILLED))
        for cell, six in cells.items()
        for (split, metric), (mean, std) in zip(places, six, strict=True)
    ]  # fmt: skip
    return pd.DataFrame(rows)


def reported(cell: str, split: str, metric: str) -> tuple[float, float] | None:
    """Mean and standard deviation, or None where the paper has no such number."""
    table = paper_table()
    row = table[(table["cell"] == cell) & (table["split"] == split) & (table["metric"] == metric)]
    return None if row.empty else (float(row["mean"].iloc[0]), float(row["std"].iloc[0]))
