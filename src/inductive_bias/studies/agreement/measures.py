"""What the agreement study measures, and differences of two cells: paired wherever the two share something random."""

import math
from collections.abc import Iterable, Mapping, Sequence

import pandas as pd

from inductive_bias.names import short
from inductive_bias.studies.agreement.design import ALONE, LADDER, cell
from inductive_bias.studies.design import Cell, Level
from inductive_bias.studies.frames import listed, mean_std, whole
from inductive_bias.studies.results import Results, Wanted
from inductive_bias.trials import Trial
from inductive_bias.verdicts import Contrast, paired, spread, unpaired

#: By the words of the pages: the test set, and the metric. ``test`` has Linzen's natural distribution; A-acc is the
#: unweighted mean of the accuracies by number of attractors.
MEASURES = {
    "accuracy, natural test": ("test", "accuracy"),
    "accuracy, WikiText-2": ("wikitext", "accuracy"),
    "A-acc": ("attractors", "a_accuracy"),
    "ECE, 10⁶ bins": ("test", "ece_1e6"),
    "ECE, 20 bins": ("test", "ece_20"),
}
ACCURACY, _, A_ACC, ECE_PAPER, ECE = MEASURES
#: A run that diverged counts as one that answers by chance and is sure of it: half right, and off by half.
FAILED = 0.5


def values(results: Results, measure: str, of: Mapping[str, Level]) -> pd.Series:
    """Every seed of a cell, by number."""
    split, metric = MEASURES[measure]
    return results.values(metric, split=split, **of)


def difference(results: Results, measure: str, of: Cell, baseline: Cell) -> Contrast:
    """A cell minus another; paired by number if what is random is common to the runs of one number."""
    runs = (results.cells[each] for each in (of, baseline))
    constructor = paired if all(share(a, b) for a, b in zip(*runs, strict=True)) else unpaired
    name = " − ".join(short(results.design.name(each)) for each in (of, baseline))
    numbers = (values(results, measure, each) for each in (of, baseline))
    return constructor(*numbers, name=name, unit=measure, failed_value=FAILED)


def spread_ratio(results: Results, measure: str, wide: Cell, narrow: Cell) -> Contrast:
    """How many octaves the seeds of a cell are further apart than those of another."""
    name = " / ".join(short(results.design.name(each)) for each in (wide, narrow))
    runs = (values(results, measure, each) for each in (wide, narrow))
    return spread(*runs, name=name, unit=f"log₂ of the ratio of spreads, {measure}", failed_value=FAILED)


def share(a: Trial, b: Trial) -> bool:
    """Whether one teaches the other, or both have a seed and with it their first weights or the order of sentences."""
    return b == a.teacher or a == b.teacher or (a.seed == b.seed and (a.model == b.model or a.task == b.task))


def there(results: Results, measures: Iterable[str] = MEASURES) -> list[str]:
    """Those measures that the scale has: the generated stand-in has no second natural test."""
    return [name for name in measures if results.has(MEASURES[name][1], split=MEASURES[name][0], model=LADDER, **ALONE)]


def measured(results: Results, measures: Iterable[str], **levels: Wanted) -> pd.DataFrame:
    """Every seed of several measures, as :meth:`Results.frame` gives them, with the column ``measure``."""
    names = there(results, measures)
    places = (MEASURES[name] for name in names)
    parts = [results.frame(metric, split=split, **levels) for split, metric in places]
    frame = pd.concat([part.assign(measure=name) for name, part in zip(names, parts, strict=True)], ignore_index=True)
    return frame.assign(measure=pd.Categorical(frame["measure"], names, ordered=True))


def conditions(results: Results, measures: Sequence[str], cells: Mapping[str, Cell]) -> pd.DataFrame:
    """The same of named cells, with the column ``condition``; a cell that the scale does not have is left out."""
    known = {words: each for words, each in cells.items() if each in results.cells}
    parts = [measured(results, measures, **each).assign(condition=words) for words, each in known.items()]
    return pd.concat(parts, ignore_index=True)


def differences(results: Results, measures: Sequence[str], pairs: Mapping[str, tuple[Cell, Cell]]) -> pd.DataFrame:
    """Differences of cells, one row a pair (if the scale has both) and one column a measure."""
    return pd.DataFrame(
        [
            {"compared": words} | {name: str(difference(results, name, *pair)) for name in measures}
            for words, pair in pairs.items()
            if set(pair) <= set(results.cells)
        ],
        columns=["compared", *measures],
    )


def beside_paper(results: Results, frame: pd.DataFrame) -> pd.DataFrame:
    """Mean ± standard deviation here and in the paper, and every seed: one row a measure, model and teacher."""
    rows = []
    for (measure, model, teacher), runs in frame.groupby(["measure", "model", "teacher"], observed=True):
        split, metric = MEASURES[measure]
        mean, std = results.reported(metric, split=split, **cell(model, teacher)) or (math.nan, math.nan)
        paper = "–" if math.isnan(mean) else f"{mean:.4f}" if math.isnan(std) else f"{mean:.4f} ± {std:.4f}"
        rows.append(
            {"measure": measure, "model": short(model), "teacher": short(teacher), "here": mean_std(runs["value"]),
             "paper": whole(paper), "every seed": listed(runs["value"])}
        )  # fmt: skip
    return pd.DataFrame(rows)
