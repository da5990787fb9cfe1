"""The score of every test example by every run and by every answer without a network, and what is known of it."""

from collections.abc import Iterator

import numpy as np
import pandas as pd
import torch

from inductive_bias.protocols.code import ASKING, RETRIEVAL, sought
from inductive_bias.studies.code import looking
from inductive_bias.studies.code.design import TRANSFORMER, folds, parts
from inductive_bias.studies.runs import Runs, Table
from inductive_bias.studies.searching import CHOSEN, STANDARD
from inductive_bias.tasks import Programs
from inductive_bias.tasks.code import BAG, bag_vectors, baseline_scores
from inductive_bias.trials import Trial

SCORES, BASELINES, KNOWN, FOUND_BY_BAG = "scores", "baselines", "examples", "retrieved"
#: The item of the other function where there is one function alone.
ALONE = -1


def scores(runs: Runs) -> pd.DataFrame:
    """The log odds of *yes* of every test example by every judged run: ``trial, example, score``."""
    frames = []
    for trial in judged(runs):
        found = runs.store.arrays(trial).get("scores/test")
        if found is not None:
            frames.append(_frame(trial, score=found.numpy().astype(np.float32)))
    return _joined(frames, ["trial", "example", "score"])


def baselines(runs: Runs) -> pd.DataFrame:
    """The same of every answer without a network: ``trial, baseline, example, score``, a trial per fold."""
    frames = []
    for trial in firsts(runs):
        found = baseline_scores(runs.data(trial), vocabulary=trial.task.vocabulary_size)
        frames += [_frame(trial, baseline=name, score=values.astype(np.float32)) for name, values in found.items()]
    return _joined(frames, ["trial", "example", "baseline", "score"])


def known(runs: Runs) -> pd.DataFrame:
    """What is known of every test example: ``trial, example, label, item, other, group, cut``, a trial per fold.

    ``item`` and ``other`` number what is drawn anew; −1 where there is no other, or no group.
    """
    frames = []
    for trial in firsts(runs):
        split = runs.data(trial)["test"]
        missing = torch.full((len(split),), ALONE)
        facts = {
            name: split.slices.get(name, missing).numpy().astype(np.int32) for name in ("item", "other", "group", "cut")
        }
        frames.append(_frame(trial, label=split.labels.numpy().astype(np.int32), **facts))
    return _joined(frames, ["trial", "example", "label", "item", "other", "group", "cut"])


def retrieved(runs: Runs) -> pd.DataFrame:
    """MAP@R by problem of cosines between bags of tokens: ``trial, baseline, problem, value``."""
    rows = []
    for trial in _seeking(runs):
        split = runs.data(trial)[RETRIEVAL]
        vectors = bag_vectors(split.inputs, trial.task.vocabulary_size).float()
        found = torch.cat(
            [
                sought(vectors[asking] @ vectors.T, asking, split.labels)
                for asking in torch.arange(len(split)).split(ASKING)
            ]
        )
        rows += [
            {
                "trial": trial.id,
                "baseline": BAG,
                "problem": problem,
                "value": found[split.labels == problem].mean().item(),
            }
            for problem in split.labels.unique().tolist()
        ]
    return pd.DataFrame(rows, columns=["trial", "baseline", "problem", "value"])


def _frame(trial: Trial, **columns: np.ndarray | str) -> pd.DataFrame:
    count = next(len(values) for values in columns.values() if isinstance(values, np.ndarray))
    return pd.DataFrame({"trial": trial.id, "example": np.arange(count, dtype=np.int32), **columns})


def _joined(frames: list[pd.DataFrame], columns: list[str]) -> pd.DataFrame:
    return pd.concat(frames, ignore_index=True)[columns] if frames else pd.DataFrame(columns=columns)


def judged(runs: Runs) -> list[Trial]:
    """All runs but those that chose a rate."""
    return runs.trials(variant=STANDARD, rate=CHOSEN)


def firsts(runs: Runs) -> list[Trial]:
    """The first Transformer of every fold: its task says what is answered."""
    return list(_firsts(runs))


def _firsts(runs: Runs) -> Iterator[Trial]:
    for data in parts(runs.scale):
        for fold in folds(runs.scale, data):
            yield from runs.trials(data=data, model=TRANSFORMER, fold=fold, variant=STANDARD, rate=CHOSEN)[:1]


def _seeking(runs: Runs) -> list[Trial]:
    return [trial for trial in firsts(runs) if isinstance(trial.task, Programs)]


#: No run is compared with another here, so that each set of data can be trained and published on its own.
TABLES = {
    name: Table(make, uses=uses, group=lambda cell, number: (cell, number))
    for name, make, uses in (
        (SCORES, scores, judged),
        (BASELINES, baselines, firsts),
        (KNOWN, known, firsts),
        (FOUND_BY_BAG, retrieved, _seeking),
        (looking.TOKENS, looking.tokens, looking.shown),
        (looking.LAGS, looking.lags, looking.recurrent),
    )
}
