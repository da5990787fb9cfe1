"""Scores of the runs of a cell, and of drawings anew of what they were scored on: patients, proteins, weeks.

Never of beats or shares: beats of one patient are alike, and so are shares of one day.
"""

from collections.abc import Callable

import numpy as np
import pandas as pd
import torch
from jaxtyping import Float64
from torch import Tensor

from inductive_bias.errors import NoRunsError
from inductive_bias.metrics import auc, macro_f1, matthews
from inductive_bias.protocols.heartbeats import SHIFTED
from inductive_bias.studies.bootstrap import DRAWN, Score, drawings
from inductive_bias.studies.design import Cell
from inductive_bias.studies.real_world.design import (
    DIRECTIONS,
    ECG5000,
    MITBIH,
    MODELS,
    PROFET,
    SHIFTS,
    SIGNALP,
    USUAL_LAYERS,
)
from inductive_bias.studies.results import Results

#: Tables of the study, see :mod:`inductive_bias.studies.real_world.tables`.
BASELINES, SCORES, PROTEIN_FACTS = "baselines", "scores", "proteins"
#: What the sets with classes are judged by.
METRICS = {MITBIH: ("macro_f1",), ECG5000: ("macro_f1",), SIGNALP: ("mcc", "auc"), PROFET: ("auc",)}
#: Q21: scores that differ by less are alike. Q24: what is lost by one model more than by another.
ALIKE = 0.03

#: What a run counts as that diverged: nothing right, no better than a guess, an error twice that of the baseline.
FAILED = {"macro_f1": 0.0, "mcc": 0.0, "auc": 0.5, "accuracy": 0.0, "r2": -1.0}
UNITS = {"macro_f1": "macro-F1", "mcc": "MCC", "auc": "AUC", "accuracy": "of the directions", "r2": "R²"}
#: What is drawn anew, by the metric, in words.
ITEMS = {"macro_f1": "patients", "mcc": "proteins", "auc": "proteins", "accuracy": "weeks", "r2": "weeks"}


def cell_of(results: Results, data: str, model: str, layers: int | None = None) -> Cell:
    """The cell of a model on some data; of its usual depth unless told.

    Raises:
        NoRunsError: if it has no run.
    """
    wanted = USUAL_LAYERS.get(model) if layers is None else layers  # a TCN has one depth on each set
    for at in results.cells:
        if at["data"] == data and at["model"] == model and wanted in (None, at["layers"]):
            return at
    raise NoRunsError(f"no runs yet of {model} on {data}")


def trained(results: Results, data: str) -> list[str]:
    """Models with runs on some data."""
    there = {at["model"] for at in results.cells if at["data"] == data}
    return [model for model in MODELS if model in there]


def beats(results: Results, at: Cell, *, shifted: bool = False) -> Score:
    """Macro-F1 on test beats, or on those moved within their windows; patients are drawn anew.

    The record of one patient alone (ECG5000) cannot be drawn from: runs are all there is then.
    """
    where = {"split": SHIFTED, "shift": list(SHIFTS)} if shifted else {"split": "test"}
    counts, records, values = counts_by_record(results, at, **where)
    every = pd.Series(macro_f1(counts.sum(1)).numpy(), index=values.index)
    if len(records) == 1:
        return _score(values, every, every.to_numpy()[None], 1, "macro_f1", at)
    weights = drawings(len(records), f"records {records[0]} {records[-1]}")
    drawn = macro_f1(torch.einsum("bi,sijk->bsjk", weights, counts)).numpy()
    return _score(values, every, drawn, len(records), "macro_f1", at)


def counts_by_record(
    results: Results, at: Cell, **where: object
) -> tuple[Float64[Tensor, "runs records classes classes"], list[int], pd.Series]:
    """Beats by record, class and answer, of every run; the records; and macro-F1 by number of the run.

    A run that diverged counted nothing.
    """
    values = _finals(results, "macro_f1", at, **where)
    found = results.frame("count", by=("item", "label", "answer"), **where, **at)
    records, classes = sorted(set(found["item"].astype(int).tolist())), int(found["label"].max()) + 1
    places = [{value: place for place, value in enumerate(each)} for each in (values.index, records)]
    index = [found["number"].map(places[0]), found["item"].map(places[1]), found["label"], found["answer"]]
    counts = torch.zeros(len(values), len(records), classes, classes).double()
    counts.index_put_(
        tuple(torch.tensor(each.to_numpy(dtype=int)) for each in index),
        torch.tensor(found["value"].to_numpy()),
        accumulate=True,
    )
    return counts, records, values


def proteins(results: Results, at: Cell, metric: str, split: str = "test", *, shared: bool = True) -> Score:
    """MCC or AUC on the proteins of a split; without ``shared`` on those that begin like none to learn from."""
    values = _finals(results, metric, at, split=split)
    facts = results.table(PROTEIN_FACTS)
    facts = facts[(facts["data"] == at["data"]) & (facts["split"] == split)].sort_values("item")
    kept = torch.ones(len(facts), dtype=torch.bool) if shared else torch.tensor(facts["shared"].to_numpy() == 0)
    labels = torch.tensor(facts["label"].to_numpy(dtype=np.int64))[kept]
    table = results.table(SCORES)
    for factor in ("data", "model", "layers"):
        table = table[table[factor] == at[factor]]
    table = table[table["split"] == split].pivot(index="item", columns="number", values="score").sort_index()
    weights = drawings(len(labels), f"{at['data']} {split} {shared}")
    of = auc if metric == "auc" else _mcc
    every, drawn = pd.Series(index=values.index, dtype=float), np.full((DRAWN, len(values)), np.nan)
    for place, number in enumerate(values.index):
        if number in table:
            found = torch.tensor(table[number].to_numpy(dtype=np.float64))[kept]
            every[number] = float(of(found, labels, torch.ones(1, len(labels)).double())[0])
            drawn[:, place] = of(found, labels, weights).numpy()
    return _score(values, every, drawn, len(labels), metric, at)


def _mcc(scores: Tensor, labels: Tensor, weights: Tensor) -> Tensor:
    kinds = torch.nn.functional.one_hot(2 * labels + (scores >= 0).long(), 4).double()
    return matthews((weights @ kinds).unflatten(-1, (2, 2)))


def directions(results: Results, at: Cell, baseline: str) -> Score:
    """Share of right directions beyond those of a baseline; weeks are drawn anew."""
    values = _finals(results, "loss", at, split="test")
    right, count = (_blocks(results, metric, at, values) for metric in ("right", "n"))
    theirs = _baseline(results, DIRECTIONS, "right", baseline)
    weights = drawings(len(theirs), DIRECTIONS)

    def score(chosen: Tensor) -> Tensor:
        return (chosen @ (right - theirs).T) / (chosen @ count.T)

    return _of_blocks(values, score, weights, "accuracy", at)


def errors(results: Results, at: Cell, baseline: str) -> Score:
    """R² against a baseline: the share of its squared error that a model saves; weeks are drawn anew."""
    values = _finals(results, "loss", at, split="test")
    ours, theirs = (
        _blocks(results, "squared_error", at, values),
        _baseline(results, str(at["data"]), "squared_error", baseline),
    )
    weights = drawings(len(theirs), "weeks")

    def score(chosen: Tensor) -> Tensor:
        return 1 - (chosen @ ours.T) / (chosen @ theirs)[:, None]

    return _of_blocks(values, score, weights, "r2", at)


def _of_blocks(values: pd.Series, score: Callable[[Tensor], Tensor], weights: Tensor, metric: str, at: Cell) -> Score:
    every = score(torch.ones(1, weights.shape[1]).double())[0].numpy()
    return _score(values, pd.Series(every, index=values.index), score(weights).numpy(), weights.shape[1], metric, at)


def _blocks(results: Results, metric: str, at: Cell, values: pd.Series) -> Float64[Tensor, "runs blocks"]:
    """Sums by block of every run; NaN of one that diverged."""
    found = results.frame(metric, split="test", by="item", **at)
    table = found.pivot(index="number", columns="item", values="value").sort_index(axis=1)
    return torch.tensor(table.reindex(values.index).to_numpy(dtype=np.float64))


def _baseline(results: Results, data: str, metric: str, name: str) -> Float64[Tensor, " blocks"]:
    table = results.table(BASELINES)
    chosen = (table["data"] == data) & (table["baseline"] == name) & (table["metric"] == metric)
    found = table[chosen & table["item"].notna()].sort_values("item")
    return torch.tensor(found["value"].to_numpy(dtype=np.float64))


def baseline_value(results: Results, data: str, metric: str, name: str, split: str = "test") -> float:
    """What an answer without a network is worth on all of a split."""
    table = results.table(BASELINES)
    chosen = (table["data"] == data) & (table["baseline"] == name) & (table["metric"] == metric)
    found = table.loc[chosen & table["item"].isna() & (table["split"] == split), "value"]
    return float(found.iloc[0])


def baseline_names(results: Results, data: str) -> list[str]:
    """The answers without a network on some data, in their order."""
    table = results.table(BASELINES)
    return list(dict.fromkeys(table.loc[table["data"] == data, "baseline"]))


def _finals(results: Results, metric: str, at: Cell, **where: object) -> pd.Series:
    """A final value of every run by number, NaN of one that diverged: it says which runs there are."""
    found = results.frame(metric, **where, **at)
    return found.groupby("number")["value"].mean()


def _score(values: pd.Series, every: pd.Series, drawn: np.ndarray, items: int, metric: str, at: Cell) -> Score:
    """With the runs that diverged counted as failures."""
    lost = values.isna().to_numpy()
    drawn = np.where(lost[None, :], FAILED[metric], drawn)
    return Score(every.where(~lost, FAILED[metric]), drawn, items, UNITS[metric], diverged(values, at), ITEMS[metric])


def diverged(values: pd.Series, at: Cell) -> tuple[str, ...]:
    """The runs of a cell that have no value, in words."""
    return tuple(f"{at['model']} on {at['data']}, run {number}" for number in values.index[values.isna()])
