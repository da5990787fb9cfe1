"""From the agreement study's results to the frames and tables of the ladder: Transformer to LSTM, without a teacher."""

from collections.abc import Sequence

import numpy as np
import pandas as pd

from inductive_bias.analysis import bootstrap_interval
from inductive_bias.names import short_name
from inductive_bias.studies import frames
from inductive_bias.studies.agreement.claims import SHORT
from inductive_bias.studies.agreement.design import LADDER
from inductive_bias.studies.agreement.paper import paper_table, reported
from inductive_bias.studies.comparisons import finite
from inductive_bias.studies.frames import listed, mean_std, whole
from inductive_bias.studies.study import Results

#: A number that is followed through the page: its test set and its metric.
Place = tuple[str, str]
#: Words for the measures that the ladder is compared by, in the order of the panels.
MEASURES: dict[str, Place] = {
    "accuracy, natural test": ("test", "accuracy"),
    "accuracy, WikiText-2": ("wikitext", "accuracy"),
    "A-acc": ("attractors", "a_accuracy"),
}
BINNINGS = {"ece_1e6": "10⁶ bins (as the paper)", "ece_20": "20 bins"}
SETS = {"test": "natural test", "wikitext": "WikiText-2", "attractors": "attractors"}


def measures(results: Results) -> dict[str, Place]:
    """Those of `MEASURES` that this scale has: the generated stand-in has no second natural test."""
    return {words: place for words, place in MEASURES.items() if len(results.values(LADDER[0], *place))}


def sets(results: Results, *, natural: bool = False) -> dict[str, str]:
    """The test sets that this scale has and the words for them; only those of natural distribution if ``natural``."""
    there = {split: words for split, words in SETS.items() if len(results.values(LADDER[0], split, "accuracy"))}
    return {split: words for split, words in there.items() if not (natural and split == "attractors")}


def measured(results: Results, cells: Sequence[str], place: Place) -> pd.DataFrame:
    """Every seed of one measure: ``cell, set, seed, value``; ``set`` is the words for the test set.

    Raises:
        ValueError: if a cell was not measured there.
    """
    split, metric = place
    return frames.seeds_of(results, metric, cells, {split: SETS[split]})


def on_natural_tests(results: Results, cells: Sequence[str], metric: str) -> pd.DataFrame:
    """Every seed of one metric on the tests of natural distribution: ``cell, set, seed, value``."""
    return frames.seeds_of(results, metric, cells, sets(results, natural=True))


def paper_marks(cells: Sequence[str], place: Place) -> dict[tuple[str, str], float]:
    """The paper's means by ``(set, cell)``, for the dashed marks of a plot; what it does not report is left out."""
    split, metric = place
    known = {cell: reported(cell, split, metric) for cell in cells}
    return {(SETS[split], cell): numbers[0] for cell, numbers in known.items() if numbers}


def beside_paper(results: Results, cells: Sequence[str], places: dict[str, Place]) -> pd.DataFrame:
    """Mean ± standard deviation here and in the paper, and every seed; one row a measure × cell."""
    rows = []
    for words, (split, metric) in places.items():
        for cell in cells:
            values = results.values(cell, split, metric)
            row = {"measure": words, "model": short_name(cell), "here": mean_std(values)}
            rows.append(row | {"paper": _printed(cell, split, metric), "every seed": listed(values)})
    return pd.DataFrame(rows)


def _printed(cell: str, split: str, metric: str) -> str:
    known = reported(cell, split, metric)
    if known is None:
        return "–"
    mean, std = known
    return whole(f"{mean:.3f} ± {std:.4f}" if np.isfinite(std) else f"{mean:.3f}")


def calibration(results: Results, cells: Sequence[str]) -> pd.DataFrame:
    """ECE by both binnings beside the paper's, NLL and Brier score; one row a natural test × cell."""
    names = BINNINGS | {"nll": "NLL (nats)", "brier": "Brier score"}
    rows = []
    for split, words in sets(results, natural=True).items():
        for cell in cells:
            found = {name: mean_std(results.values(cell, split, metric)) for metric, name in names.items()}
            row = {"test set": words, "model": short_name(cell)} | found
            row["paper, 10⁶ bins"] = _printed(cell, split, "ece_1e6")
            rows.append(row)
    return pd.DataFrame(rows)


def attractor_curves(results: Results, metric: str, cells: Sequence[str]) -> pd.DataFrame:
    """A metric by the number of attractors: ``cell, seed, attractors, value``.

    Where the attractor test begins at one, the natural test stands at zero, as in the A-acc.

    Args:
        results: of the study.
        metric: ``accuracy``, ``balanced_accuracy`` or ``ece_20``.
        cells: which.

    Raises:
        ValueError: if a cell has no such row.
    """
    parts = []
    for cell in cells:
        rows = results.final(f"{metric} by attractors", split="attractors", cell=cell)
        if rows.empty:
            raise ValueError(f"cell {cell!r} has no {metric} by attractors")
        if not (rows["x"] == 0).any():
            rows = pd.concat([results.final(metric, split="test", cell=cell).assign(x=0.0), rows])
        parts.append(rows.assign(attractors=rows["x"].astype(int)).sort_values(["seed", "x"]))
    return pd.concat(parts)[["cell", "seed", "attractors", "value"]].reset_index(drop=True)


def attractor_counts(results: Results, cell: str = LADDER[0]) -> dict[int, int]:
    """How many examples are behind each number of attractors in :func:`attractor_curves`.

    Raises:
        ValueError: if the seeds of the cell were tested on different numbers of examples.
    """
    rows = results.final("n by attractors", split="attractors", cell=cell)
    if not (rows["x"] == 0).any():
        bins = results.final("reliability_count", split="test", cell=cell).groupby("seed", as_index=False)["value"]
        rows = pd.concat([bins.sum().assign(x=0.0), rows])
    found = rows.groupby("x")["value"].agg(["min", "max"])
    if (found["min"] != found["max"]).any():
        raise ValueError(f"the seeds of {cell!r} were tested on different numbers of examples")
    return {int(x): int(n) for x, n in found["min"].items()}


def majority_share(results: Results, split: str, cell: str = LADDER[0]) -> float:
    """Accuracy of always answering with the more frequent number of that test set."""
    singular = results.values(cell, split, "share_of_class_0")[0]
    return max(singular, 1 - singular)


def attractor_table(results: Results, cells: Sequence[str]) -> pd.DataFrame:
    """Accuracy (mean ± standard deviation) by attractors, one row a count with its number of examples."""
    curves = attractor_curves(results, "accuracy", cells)
    table = curves.groupby(["attractors", "cell"])["value"].apply(mean_std).unstack()[list(cells)]
    table.columns = [SHORT.get(cell, short_name(cell)) for cell in cells]
    table.insert(0, "n", pd.Series(attractor_counts(results, cells[0])))
    return table.reset_index()


def spread(results: Results, cells: Sequence[str], places: dict[str, Place], *, samples: int = 2000) -> pd.DataFrame:
    """Standard deviation over seeds: ``cell, measure, std, low, high, paper``.

    The ends are of a 95 % percentile bootstrap over seeds, which is too narrow for four of them; ``paper`` is NaN where
    the paper has no number.
    """
    known = paper_table().set_index(["cell", "split", "metric"])["std"]
    rows = []
    for words, (split, metric) in places.items():
        for cell in cells:
            values = finite(results.values(cell, split, metric))
            found = bootstrap_interval(values, lambda sample: np.std(sample, ddof=1), samples=samples)
            rows.append(
                {"cell": cell, "measure": words, "std": found.mean, "low": found.low, "high": found.high,
                 "paper": float(known.get((cell, split, metric), np.nan))}
            )  # fmt: skip
    return pd.DataFrame(rows)


def spread_table(table: pd.DataFrame) -> pd.DataFrame:
    """The rows of :func:`spread` as a page shows them."""

    def written(name: str) -> pd.Series:
        return table[name].map(lambda value: f"{value:.4f}" if np.isfinite(value) else "–")

    ends = (written("low") + " to " + written("high")).map(whole)
    names = table["cell"].map(short_name)
    columns = {"measure": table["measure"], "model": names, "std": written("std"), "bootstrap interval": ends}
    return pd.DataFrame(columns | {"paper": written("paper")})
