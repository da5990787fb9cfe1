"""What models of parity count: their answers by the ones that they have read, and the counter that comes nearest."""

import pandas as pd
import torch
from torch import Tensor

from inductive_bias.studies.automata.shift.design import ANSWERS, BEGUN, PARITY, USUAL
from inductive_bias.studies.runs import Runs, Table
from inductive_bias.studies.searching import STANDARD
from inductive_bias.tasks.automata import SHARES
from inductive_bias.trials import Trial

COUNTS, COUNTERS = "counts", "counters"


def counts(runs: Runs) -> pd.DataFrame:
    """Answers to words of all shares of ones, by how many ones were read so far.

    Columns ``trial, ones, alone`` (whether nothing but ones was read), ``right`` (a share) and ``n``, the states.
    """
    rows = []
    for trial in _trials(runs):
        ones, alone, labels, said = _answers(runs, trial)
        found = pd.DataFrame({"ones": ones.flatten(), "alone": alone.flatten(), "right": (said == labels).flatten()})
        groups = found.groupby(["ones", "alone"])["right"].agg(["mean", "size"]).reset_index()
        rows.append(groups.rename(columns={"mean": "right", "size": "n"}).assign(trial=trial.id))
    return pd.concat(rows, ignore_index=True)


def counters(runs: Runs) -> pd.DataFrame:
    """The counter with an end whose answers are most often those of a run: ``trial, end, agree`` (a share).

    Of counters that are equally near, the one with the lowest end.
    """
    rows = []
    for trial in _trials(runs):
        ones, _, _, said = _answers(runs, trial)
        agree = [(counted(ones, end) == said).double().mean().item() for end in range(trial.task.length + 1)]
        rows.append({"trial": trial.id, "end": max(range(len(agree)), key=agree.__getitem__), "agree": max(agree)})
    return pd.DataFrame(rows)


def counted(ones: Tensor, end: int) -> Tensor:
    """What a counter says that counts ones as far as ``end`` and then stops: 1 where its count is odd."""
    return ones.clamp(max=end) % 2


def _answers(runs: Runs, trial: Trial) -> tuple[Tensor, Tensor, Tensor, Tensor]:
    """Ones so far, whether there are ones alone, right states and answers, each ``[n, t]``."""
    split = runs.data(trial)[SHARES]
    model, first = runs.model(trial), int(trial.task.begun)
    is_one = torch.from_numpy(trial.task.origin.is_one(split.inputs[:, first:].numpy() - 1)).long()
    with torch.no_grad():
        said = model(split.inputs)[:, first:].argmax(-1)
    return is_one.cumsum(1), is_one.cumprod(1).bool(), split.labels[:, first:], said


def _trials(runs: Runs) -> list[Trial]:
    return runs.trials(automaton=PARITY, form=(ANSWERS, BEGUN), size=USUAL, variant=STANDARD)


TABLES = {
    COUNTS: Table(counts, uses=_trials, group=lambda cell, number: (cell, number)),
    COUNTERS: Table(counters, uses=_trials, group=lambda cell, number: (cell, number)),
}
