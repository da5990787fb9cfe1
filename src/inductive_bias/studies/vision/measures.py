"""Numbers and contrasts of the vision study: gains over twins, similarities, errors by shift, barriers."""

from collections.abc import Callable, Iterable, Mapping, Sequence

import pandas as pd

from inductive_bias.analysis import barrier
from inductive_bias.studies.design import Level
from inductive_bias.studies.results import Results
from inductive_bias.studies.vision.design import MLP_ALONE, TWIN, label
from inductive_bias.verdicts import Contrast, HalfOf, half_of, paired, partners, unpaired

Levels = Mapping[str, Level]
#: Test sets of the paper, in words.
SETS = {"test": "MNIST", "scale": "scaled", "translate": "translated"}
BINNINGS = {"ece_1e6": "10⁶ bins", "ece_20": "20 bins", "ece_20_mass": "20 bins of equal mass"}
METRICS = {"accuracy": "accuracy"} | {name: f"ECE ({words})" for name, words in BINNINGS.items()}
GUESSED = 0.1  # accuracy of a run that diverged
STAGES = ("before training", "after training")
#: What was done to a line, by ``(aligned, statistics)``; with stale statistics it is high, aligned or not: left out.
TREATMENTS = {
    (False, "as interpolated"): "as interpolated",
    (False, "computed again"): "batch statistics again",
    (True, "computed again"): "units aligned, statistics again",
}


def gain(
    results: Results,
    cell: Levels,
    baseline: Levels,
    split: str,
    metric: str = "accuracy",
    numbers: Iterable[int] | None = None,
) -> Contrast:
    """``cell`` minus ``baseline`` on one test set, paired by number: the same start, or the same teacher.

    Where one of the two has more runs, those with numbers that both have are compared; of these only ``numbers``, if
    they are given.
    """
    values = [results.values(metric, split=split, **levels) for levels in (cell, baseline)]
    if numbers is not None:
        values = [each[each.index.isin(list(numbers))] for each in values]
    name, unit = f"{label(**cell)} against {label(**baseline)}", f"{METRICS[metric]}, {SETS[split]}"
    # a run that diverged guesses, and is sure of it
    return paired(*partners(*values), name=name, unit=unit, failed_value=GUESSED if metric == "accuracy" else 0.9)


def lead(results: Results, cell: Levels, baseline: Levels, split: str, metric: str = "accuracy") -> Contrast:
    """``cell`` minus ``baseline`` on one test set, of all runs: the two share neither a start nor a teacher."""
    values = (results.values(metric, split=split, **levels) for levels in (cell, baseline))
    name, unit = f"{label(**cell)} against {label(**baseline)}", f"{METRICS[metric]}, {SETS[split]}"
    return unpaired(*values, name=name, unit=unit, failed_value=GUESSED if metric == "accuracy" else 0.9)


def reported(results: Results, metric: str, cell: Levels, split: str) -> float:
    """What the paper reports of a cell on one test set.

    The paper has one MLP without a teacher, and its students have as many epochs as this MLP. So this MLP stands for
    the twin beside students. Beside a CNN it stands for the MLP on its own schedule.
    """
    mean, _ = results.reported(metric, split=split, **(MLP_ALONE if cell == TWIN else cell))
    return mean


def half(results: Results, metric: str, cell: Levels, baseline: Levels, split: str) -> HalfOf:
    """Half of what the paper reports of one cell against another on one test set: a margin that knows its two cells."""
    ours, theirs = (reported(results, metric, each, split) for each in (cell, baseline))
    return half_of(ours - theirs, compared=(label(**cell), label(**baseline)))


def jackknifed(statistic: Callable[[list[int]], float], numbers: Sequence[int]) -> pd.Series:
    """A statistic of all runs as one number a run: n · (of all) − (n − 1) · (of all but this one).

    These are Tukey's pseudo-values. For means over pairs of runs: every run is in several pairs, which are
    not independent.
    """
    whole, n = statistic(list(numbers)), len(numbers)
    without = {number: statistic([each for each in numbers if each != number]) for number in numbers}
    return pd.Series({number: n * whole - (n - 1) * rest for number, rest in without.items()}).rename_axis("number")


def apart(similarities: pd.DataFrame, form: str, first: Levels, second: Levels) -> pd.DataFrame:
    """Similarity of runs of one cell (rows) to those of another (columns), by number; NaN where both are of one number.

    A run of one number is the same run, or a student's own teacher. A run that diverged is like no other (0).
    """
    rows = similarities[
        (similarities["form"] == form)
        & (similarities["cell_a"] == label(**first))
        & (similarities["cell_b"] == label(**second))
    ]
    square = rows.pivot(index="number_a", columns="number_b", values="value").fillna(0.0)
    return square.mask(square.index.to_numpy()[:, None] == square.columns.to_numpy()[None])


def by_shift(results: Results, metric: str, *by: str, **levels: Level | Sequence[Level]) -> pd.DataFrame:
    """A metric of shifted images by ``stage``: before training (the untrained control) and after it."""
    stages = [
        results.frame(metric, split="test", by=("shift", *by), epochs=stage == STAGES[0], **levels).assign(stage=stage)
        for stage in STAGES
    ]
    return pd.concat(stages, ignore_index=True).astype(dict.fromkeys(("shift", *by), int))


def barrier_lines(table: pd.DataFrame) -> pd.DataFrame:
    """Test loss (nats) on the lines of the table of barriers, by ``treatment`` and ``pair``."""
    done = pd.Series(list(zip(table["aligned"], table["statistics"], strict=True)), index=table.index).map(TREATMENTS)
    rows = table.assign(treatment=pd.Categorical(done, list(TREATMENTS.values()), ordered=True))
    rows["pair"] = rows["seed_a"].astype(str) + " – " + rows["seed_b"].astype(str)
    return rows[(rows["metric"] == "nll") & done.notna()].reset_index(drop=True)


def barrier_heights(table: pd.DataFrame) -> pd.DataFrame:
    """The barrier of every line: ``kind, treatment, pair, number_a, number_b, value`` (nats)."""
    keys = ["kind", "treatment", "pair", "number_a", "number_b"]
    groups = barrier_lines(table).sort_values("weight", kind="stable").groupby(keys, sort=False, observed=True)
    heights = groups.apply(lambda line: barrier(line["weight"].tolist(), line["value"].tolist()))
    return heights.rename("value").reset_index()
