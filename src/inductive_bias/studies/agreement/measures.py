"""What the agreement study measures, and differences of two cells: paired wherever the two share something random."""

from collections.abc import Iterable, Mapping

import pandas as pd

from inductive_bias.names import short
from inductive_bias.studies.agreement.design import ALONE, LADDER
from inductive_bias.studies.design import Cell, Level
from inductive_bias.studies.results import Results
from inductive_bias.trials import Trial
from inductive_bias.verdicts import Contrast, paired, unpaired

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


def values(results: Results, measure: str, cell: Mapping[str, Level]) -> pd.Series:
    """Every seed of a cell, by number."""
    split, metric = MEASURES[measure]
    return results.values(metric, split=split, **cell)


def difference(results: Results, measure: str, cell: Cell, baseline: Cell) -> Contrast:
    """A cell minus another; paired by number if what is random is common to the runs of one number."""
    runs = (results.cells[each] for each in (cell, baseline))
    constructor = paired if all(share(a, b) for a, b in zip(*runs, strict=True)) else unpaired
    name = " − ".join(short(results.design.name(each)) for each in (cell, baseline))
    numbers = (values(results, measure, each) for each in (cell, baseline))
    return constructor(*numbers, name=name, unit=measure, failed_value=FAILED)


def share(a: Trial, b: Trial) -> bool:
    """Whether one teaches the other, or both have a seed and with it their first weights or the order of sentences."""
    return b == a.teacher or a == b.teacher or (a.seed == b.seed and (a.model == b.model or a.task == b.task))


def paper_mean(results: Results, measure: str, cell: Mapping[str, Level]) -> float:
    """The paper's mean.

    Raises:
        KeyError: if it reports none.
    """
    split, metric = MEASURES[measure]
    known = results.reported(metric, split=split, **cell)
    if known is None:
        raise KeyError(f"the paper has no {measure} of {cell}")
    return known[0]


def there(results: Results, measures: Iterable[str] = MEASURES) -> list[str]:
    """Those measures that the scale has: the generated stand-in has no second natural test."""
    return [name for name in measures if results.has(MEASURES[name][1], split=MEASURES[name][0], model=LADDER, **ALONE)]
