"""From the language models' results to the tidy frames that their figures draw and the tables beside them print."""

from collections.abc import Iterable, Mapping, Sequence
from itertools import combinations

import numpy as np
import pandas as pd

from inductive_bias.analysis import Interval, rank_correlation
from inductive_bias.studies.claims import signed
from inductive_bias.studies.comparisons import gain
from inductive_bias.studies.language_models.design import CROSSED, MODELS, SELF
from inductive_bias.studies.study import Results
from inductive_bias.studies.vision.figures import mean_std

#: Measures of agreement, best known first, and where they are; the generated grammar has its own set of pairs.
MEASURES = {
    "A-acc, Linzen et al.": ("pairs:linzen-lm", "a_accuracy"),
    "accuracy, Wikipedia": ("pairs:wiki-test", "accuracy"),
    "D-acc, Wikipedia": ("pairs:wiki-test", "d_accuracy"),
    "accuracy, Marvin & Linzen": ("pairs:marvin-linzen", "accuracy"),
    "A-acc, generated grammar": ("pairs:grammar", "a_accuracy"),
    "accuracy, generated grammar": ("pairs:grammar", "accuracy"),
}


def measures(results: Results) -> dict[str, tuple[str, str]]:
    """Those of `MEASURES` that the results have, in their order."""
    there = set(results.rows[["split", "metric"]].itertuples(index=False, name=None))
    return {words: place for words, place in MEASURES.items() if place in there}


def points(results: Results, cells: Sequence[str], measure: tuple[str, str]) -> pd.DataFrame:
    """One row a trial: ``cell, seed, perplexity, agreement``, the perplexity being that of the test text.

    Args:
        results: of the study.
        cells: which.
        measure: split and metric of the agreement, such as ``("pairs:linzen-lm", "a_accuracy")``.

    Raises:
        ValueError: if a cell has no row of either.
    """
    split, metric = measure
    keys = ["cell", "seed", "trial"]
    x, y = results.final("perplexity", split="test"), results.final(metric, split=split)
    if absent := [cell for cell in cells if cell not in set(x["cell"]) & set(y["cell"])]:
        raise ValueError(f"cell {absent[0]!r} has no perplexity with {metric} on {split!r}")
    # left: a run that diverged has a perplexity (NaN) but no pairs, and must be counted
    both = x[[*keys, "value"]].merge(y[[*keys, "value"]], "left", keys, suffixes=("_x", "_y"), validate="one_to_one")
    both = both.rename(columns={"value_x": "perplexity", "value_y": "agreement"})
    both = both[both["cell"].isin(cells)].sort_values("seed", kind="stable")
    both = both.sort_values("cell", key=lambda names: names.map(list(cells).index), kind="stable")
    return both.drop(columns="trial").reset_index(drop=True)


def arrow_panels(
    results: Results, measure: tuple[str, str], known: pd.DataFrame
) -> dict[str, tuple[pd.DataFrame, list[tuple[str, str]]]]:
    """What each panel of the figure of arrows shows, by its title: runs, and ``(student alone, student taught)``.

    Args:
        results: of the study.
        measure: split and metric of the agreement.
        known: the paper's runs, ``cell, perplexity, a_accuracy``; pairs that it does not have get no arrow.

    Returns:
        Runs as ``cell, perplexity, agreement``, the models without a teacher and the pairs of the panel.
    """
    theirs = known.rename(columns={"a_accuracy": "agreement"})
    panels = {
        "here, another teacher": (points(results, [*MODELS, *CROSSED], measure), CROSSED),
        "the paper, on another text": (theirs, [pair for pair in CROSSED if pair in set(theirs["cell"])]),
        "here, its own kind": (points(results, [*MODELS, *SELF], measure), SELF),
    }
    return {title: (runs, [(student_of(pair), pair) for pair in pairs]) for title, (runs, pairs) in panels.items()}


def summary(results: Results, cells: Sequence[str]) -> pd.DataFrame:
    """Mean ± standard deviation of the perplexity and of every measure of agreement, one row a cell."""
    rows = []
    for cell in cells:
        row = {"model": unbroken(cell), "perplexity": mean_std(results.values(cell, "test", "perplexity"), 1)}
        rows.append(row | {words: mean_std(results.values(cell, *place)) for words, place in measures(results).items()})
    return pd.DataFrame(rows)


def rank_table(results: Results, cells: Sequence[str]) -> pd.DataFrame:
    """Spearman's ρ of perplexity and each measure: over all trials with its 95 % interval, and over the cells' means.

    −1 would say that the better language model always agrees better.
    """
    rows = []
    for words, place in measures(results).items():
        table = points(results, cells, place)
        table = table[np.isfinite(table[["perplexity", "agreement"]]).all(axis=1)]
        found = rank_correlation(table["perplexity"], table["agreement"], table["cell"].tolist())
        means = table.groupby("cell")[["perplexity", "agreement"]].mean().corr(method="spearman").iloc[0, 1]
        rows.append(
            {"measure": words, "trials": found.n, "ρ over trials": signed(found, 2),
             f"ρ over {table['cell'].nunique()} means": f"{means:+.2f}".replace("-", "−")}
        )  # fmt: skip
    return pd.DataFrame(rows)


def order_table(results: Results, cells: Sequence[str], measure: tuple[str, str]) -> pd.DataFrame:
    """Every two cells: differences of perplexity and agreement with 95 % Welch intervals, and what they say together.

    ``alike``: the cell of lower perplexity agrees better; ``opposite``: worse; ``open``: an interval holds zero.
    """
    rows = []
    for first, second in combinations(cells, 2):
        x, y = gain(results, first, second, "test", "perplexity"), gain(results, first, second, *measure)
        opposite = sign(x) == sign(y)
        order = "open" if 0 in (sign(x), sign(y)) else "opposite" if opposite else "alike"
        rows.append(
            {"models": f"{first} − {second}", "perplexity": signed(x, 1), "agreement": signed(y), "order": order}
        )
    return pd.DataFrame(rows)


def change_table(results: Results, pairs: Sequence[str], places: Mapping[str, tuple[str, str]]) -> pd.DataFrame:
    """What each teacher changes against the student without one: differences of means with 95 % Welch intervals.

    Args:
        results: of the study.
        pairs: cells named ``teacher → student``.
        places: split and metric of each measure, by the words for it; perplexity comes first by itself.
    """
    rows = []
    for pair in pairs:
        student = student_of(pair)
        row = {
            "teacher → student": unbroken(pair),
            "perplexity": signed(gain(results, pair, student, "test", "perplexity"), 1),
        }
        rows.append(row | {words: signed(gain(results, pair, student, *place)) for words, place in places.items()})
    return pd.DataFrame(rows)


def beside_paper(results: Results, cells: Iterable[str], paper: pd.DataFrame) -> pd.DataFrame:
    """A-acc and D-acc here (first measure of each kind) beside the paper's numbers, one row a cell.

    Args:
        results: of the study.
        cells: which.
        paper: ``paper.paper_table()``: ``cell, metric, mean, std`` and more.
    """
    kinds = {"A-acc": "a_accuracy", "D-acc": "d_accuracy"}
    places = {kind: place for kind, name in kinds.items() for place in _first(results, name)}
    rows = []
    for cell in cells:
        row = {"model": unbroken(cell)}
        for kind, place in places.items():
            row[kind] = mean_std(results.values(cell, *place))
            known = paper[(paper["cell"] == cell) & (paper["metric"] == kinds[kind])]
            row[f"{kind}, paper"] = _number(known["mean"].iloc[0], known["std"].iloc[0]) if len(known) else "–"
        rows.append(row)
    return pd.DataFrame(rows)


def student_of(pair: str) -> str:
    """``Transformer`` of ``LSTM → Transformer``."""
    return pair.split(" → ")[1]


def unbroken(cell: str) -> str:
    """A teacher and its student never part at the end of a line."""
    return cell.replace(" → ", "\u00a0→\u00a0")


def sign(interval: Interval) -> int:
    """1 or −1 if the whole interval lies on one side of zero, else 0."""
    return int(interval.low > 0) - int(interval.high < 0)


def _first(results: Results, metric: str) -> list[tuple[str, str]]:
    """Where the first set of pairs that has this metric keeps it, if one does."""
    there = set(results.final(metric)["split"])
    wanted = ("pairs:linzen-lm", "pairs:wiki-test", "pairs:grammar")
    return [(split, metric) for split in wanted if split in there][:1]


def _number(mean: float, std: float) -> str:
    return f"{mean:.3f}" if np.isnan(std) else f"{mean:.3f}\u00a0±\u00a0{std:.4f}"
