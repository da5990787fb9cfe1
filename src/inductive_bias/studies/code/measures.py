"""Scores of the runs on all folds of some data together, and of drawings anew of what they were scored on.

Functions of a commit are drawn together, and so are those of a module. A pair of two functions (or of programs of two
problems) counts as often as both are drawn (Owen 2007, the pigeonhole bootstrap): pairs share them, and drawing pairs
would be too sure.
"""

import numpy as np
import pandas as pd
import torch
from jaxtyping import Float64
from torch import Tensor

from inductive_bias.metrics import auc
from inductive_bias.protocols.code import RETRIEVAL
from inductive_bias.studies.bootstrap import DRAWN, Score, drawings
from inductive_bias.studies.code.design import CLONES, DEFECTS, INJECTED, PROGRAMS, REPAIRS, UNSEEN
from inductive_bias.studies.results import Results, once

#: Tables of the study, see :mod:`inductive_bias.studies.code.tables`.
SCORES, BASELINES, EXAMPLES, BAG_RETRIEVAL = "scores", "baselines", "examples", "retrieved"
TOKENS, LAGS = "tokens", "lags"

#: What each question is judged by. Of the unseen kinds nearly all pairs are clones, so that F1 would reward who always
#: says so.
METRIC = {DEFECTS: "accuracy", CLONES: "f1", UNSEEN: "auc", PROGRAMS: "f1", REPAIRS: "accuracy", INJECTED: "accuracy"}
#: What a run counts as that diverged.
FAILED = {"accuracy": 0.0, "f1": 0.0, "auc": 0.5}
UNITS = {"accuracy": "accuracy", "f1": "F1", "auc": "AUC", "map_at_r": "MAP@R"}
#: What is drawn anew, in words.
ITEMS = {
    DEFECTS: "commits",
    CLONES: "functions",
    UNSEEN: "functions",
    PROGRAMS: "problems",
    REPAIRS: "pairs of methods",
    INJECTED: "modules",
}


class Examples:
    """The test examples of all folds of some data, one after the other.

    Attributes:
        facts: ``fold, example, label, item, other, group, cut``.
        labels: of the examples.
        items: how many there are to draw from.
    """

    def __init__(self, results: Results, data: str, group: int | None = None):
        table = results.table(EXAMPLES)
        table = table[table["data"] == data].sort_values(["fold", "example"])
        self.facts = table if group is None else table[table["group"] == group]
        self.labels = torch.tensor(self.facts["label"].to_numpy(dtype=np.int64))
        first = self.facts["item"].to_numpy(dtype=np.int64)
        second = self.facts["other"].fillna(self.facts["item"]).to_numpy(dtype=np.int64)
        every, places = np.unique(np.concatenate([first, second]), return_inverse=True)
        self.items = len(every)
        self._places = places[: len(first)], places[len(first) :]
        self._of = f"{data} {group}"

    def weights(self) -> Float64[Tensor, "draws n"]:
        """How often every example is there in each drawing."""
        drawn = drawings(self.items, self._of)
        one, two = (drawn[:, places] for places in self._places)
        return torch.where(torch.from_numpy(self._places[0] == self._places[1]), one, one * two)

    def measured(self, metric: str, scores: Tensor, weights: Tensor | None = None) -> Float64[Tensor, " draws"]:
        """A metric of weighted examples, a row of weights each; unless given, every example counts once.

        Accuracy and F1 are of all folds together, AUC is the mean over folds: scores of two models have no order.
        """
        weights = torch.ones(1, len(scores)).double() if weights is None else weights
        if metric != "auc":
            return metric_of(metric, scores, self.labels, weights)
        fold = torch.tensor(self.facts["fold"].to_numpy(dtype=np.int64))
        parts = [fold == each for each in fold.unique()]
        found = [metric_of(metric, scores[there], self.labels[there], weights[:, there]) for there in parts]
        return torch.stack(found).nanmean(0)


def metric_of(metric: str, scores: Tensor, labels: Tensor, weights: Tensor) -> Float64[Tensor, " draws"]:
    """Accuracy, F1 of *yes* or AUC of weighted examples, a row of weights each; *yes* from log odds 0 on."""
    if metric == "auc":
        return auc(scores, labels, weights)
    said, yes = (scores >= 0).double(), labels.double()
    if metric == "accuracy":
        return weights @ (said == yes).double() / weights.sum(-1)
    both = weights @ (said + yes)
    return 2 * (weights @ (said * yes)) / both.where(both > 0, torch.ones_like(both))


@once
def score(results: Results, data: str, model: str, metric: str | None = None, group: int | None = None) -> Score:
    """A score of every run on all folds; of one group of the examples if it is told."""
    metric, examples = metric or METRIC[data], _examples(results, data, group)
    weights, every, drawn, lost = examples.weights(), {}, [], []
    for number, scores in _scores(results, data, model, examples).items():
        if scores is None:
            every[number], column = FAILED[metric], torch.full((DRAWN,), FAILED[metric]).double()
            lost.append(f"{model} on {data}, run {number}")
        else:
            every[number] = float(examples.measured(metric, scores)[0])
            column = examples.measured(metric, scores, weights)
        drawn.append(column.numpy())
    return Score(
        pd.Series(every, dtype=float), np.stack(drawn, 1), examples.items, UNITS[metric], tuple(lost), ITEMS[data]
    )


def ahead(
    results: Results, data: str, model: str, baseline: str, metric: str | None = None, group: int | None = None
) -> Score:
    """What a model has more than an answer without a network, on the same examples."""
    ours = score(results, data, model, metric, group)
    value, drawn = _baseline(results, data, baseline, metric, group)
    return Score(ours.values - value, ours.drawn - drawn[:, None], ours.items, ours.unit, ours.failed, ours.item)


def baseline_value(
    results: Results, data: str, baseline: str, metric: str | None = None, group: int | None = None
) -> float:
    """What an answer without a network is worth on all folds."""
    examples = _examples(results, data, group)
    scores = baseline_scores(results, data, baseline, examples)
    return float(examples.measured(metric or METRIC[data], scores)[0])


def baseline_names(results: Results, data: str) -> list[str]:
    """The answers without a network on some data, in their order."""
    table = results.table(BASELINES)
    return list(dict.fromkeys(table.loc[table["data"] == data, "baseline"]))


def baseline_scores(results: Results, data: str, baseline: str, examples: Examples) -> Float64[Tensor, " n"]:
    """Log odds of the examples by an answer without a network."""
    table = results.table(BASELINES)
    table = table[(table["data"] == data) & (table["baseline"] == baseline)]
    return _in_order(table, examples)


@once
def _baseline(
    results: Results, data: str, baseline: str, metric: str | None, group: int | None
) -> tuple[float, np.ndarray]:
    """The score of an answer without a network on all folds, and those of the drawings."""
    examples, metric = _examples(results, data, group), metric or METRIC[data]
    scores = baseline_scores(results, data, baseline, examples)
    value = float(examples.measured(metric, scores)[0])
    return value, examples.measured(metric, scores, examples.weights()).numpy()


@once
def _examples(results: Results, data: str, group: int | None) -> Examples:
    return Examples(results, data, group)


def _scores(results: Results, data: str, model: str, examples: Examples) -> dict[int, Tensor | None]:
    """The scores of every run by its number; None of one that diverged on some fold."""
    values = results.frame("accuracy", split="test", data=data, model=model)
    lost = set(values.loc[values["value"].isna(), "number"])
    table = results.table(SCORES)
    table = table[(table["data"] == data) & (table["model"] == model)]
    by_number = dict(iter(table.groupby("number")))
    return {
        number: None if number in lost or number not in by_number else _in_order(by_number[number], examples)
        for number in sorted(set(values["number"]))
    }


def _in_order(table: pd.DataFrame, examples: Examples) -> Float64[Tensor, " n"]:
    """Scores in the order of the examples.

    Raises:
        ValueError: if some example has none.
    """
    keys = ["fold", "example"]
    found = table.astype({"fold": int}).set_index(keys)["score"]
    wanted = found.reindex(pd.MultiIndex.from_frame(examples.facts.astype({"fold": int})[keys]))
    if wanted.isna().any():
        raise ValueError(f"{int(wanted.isna().sum())} of {len(wanted)} test examples have no score")
    return torch.tensor(wanted.to_numpy(dtype=np.float64))


def retrieval(results: Results, model: str) -> pd.DataFrame:
    """MAP@R on POJ-104: a row a run, a column a problem; 0 of a run that diverged."""
    at = {"data": PROGRAMS, "model": model}
    numbers = results.frame("accuracy", split="test", **at)["number"]
    found = results.frame("map_at_r", split=RETRIEVAL, by="item", **at)
    table = found.pivot(index="number", columns="item", values="value")
    return table.reindex(sorted(set(numbers))).fillna(0.0)


def retrieval_by_bag(results: Results) -> float:
    """The mean over problems of MAP@R of the bag of tokens."""
    return float(results.table(BAG_RETRIEVAL)["value"].mean())
