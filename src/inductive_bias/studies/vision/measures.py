"""What the vision study's pages show beyond its rows: loans beside the paper, errors by shift, barriers."""

from collections.abc import Callable

import numpy as np
import pandas as pd

from inductive_bias.analysis import barrier
from inductive_bias.studies.design import NO_TEACHER, Level
from inductive_bias.studies.frames import listed, mean_std, whole
from inductive_bias.studies.results import Results
from inductive_bias.studies.vision.design import SAME_STEPS, STANDARD
from inductive_bias.verdicts import unpaired

#: Test sets of the paper, and the words for them.
SETS = {"test": "MNIST", "scale": "scaled", "translate": "translated"}
#: Ways of binning for the ECE, and the words for them.
BINNINGS = {"ece_1e6": "10⁶ equal bins (paper)", "ece_20": "20 equal bins", "ece_20_mass": "20 bins of equal mass"}
STAGES = ("before training", "after training")
#: What was done to a line between two solutions, by ``(aligned, statistics)`` of the table of barriers. Alignment alone
#: is left out: a line whose batch statistics are stale is high whether or not its ends were aligned.
TREATMENTS = {
    (False, "as interpolated"): "as interpolated",
    (False, "computed again"): "batch statistics again",
    (True, "computed again"): "units aligned, statistics again",
}


def loans(results: Results, metric: str, **levels: Level) -> pd.DataFrame:
    """Students by teacher on the paper's test sets, and what each would be without one: an MLP of as many steps."""
    rows = results.frame(metric, split=levels.pop("split", list(SETS)), variant=(STANDARD, SAME_STEPS), **levels)
    shorter = (rows["model"] == "MLP") & (rows["teacher"] == NO_TEACHER) & (rows["variant"] == STANDARD)
    return rows[~shorter].replace({"split": SETS}).reset_index(drop=True)


def beside_paper(results: Results, rows: pd.DataFrame, metric: str) -> pd.DataFrame:
    """Mean ± standard deviation, the paper's, and every seed: one row a cell × test set of a frame."""
    found = []
    for (cell, split), group in rows.groupby(["cell", "split"], observed=True, sort=False):
        known = results.reported(metric, split=split, **group.iloc[0][["model", "teacher", "variant"]])
        found.append(
            {"model": whole(cell), "test set": SETS[split], "here": mean_std(group["value"]),
             "paper": whole(f"{known[0]:.3f} ± {known[1]:.4f}") if known else "–", "every seed": listed(group["value"])}
        )  # fmt: skip
    return pd.DataFrame(found)


def by_shift(results: Results, metric: str, by: tuple[str, ...] = ("shift",), **levels: Level) -> pd.DataFrame:
    """A metric of shifted images before and after training, the first being the untrained control: column ``stage``."""
    stages = [
        results.frame(metric, split="test", by=by, epochs=epochs, **levels).assign(stage=stage)
        for epochs, stage in zip((True, False), STAGES, strict=True)
    ]
    return pd.concat(stages, ignore_index=True)


def barrier_heights(table: pd.DataFrame) -> pd.DataFrame:
    """Loss barrier of every line of the table of barriers: ``kind, aligned, statistics, number_a, number_b, height``."""
    keys = ["kind", "aligned", "statistics", "number_a", "number_b"]
    groups = table[table["metric"] == "nll"].sort_values("weight").groupby(keys, sort=False)
    heights = [(*key, barrier(rows["weight"].tolist(), rows["value"].tolist())) for key, rows in groups]
    return pd.DataFrame(heights, columns=[*keys, "height"])
