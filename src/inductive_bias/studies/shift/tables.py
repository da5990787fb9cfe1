"""What models of parity count: how often they are right by the ones that they have read."""

import pandas as pd

from inductive_bias.protocols.measures.shifted import right_states
from inductive_bias.studies.runs import Runs, Table
from inductive_bias.studies.shift.design import ANSWERS, PARITY, START_TOKEN, USUAL_SIZE
from inductive_bias.tasks.automata import SHARES
from inductive_bias.trials import Trial

COUNTS = "counts"


def counts(runs: Runs) -> pd.DataFrame:
    """Answers to words of all shares of ones, by how many ones were read so far.

    Columns ``trial, ones, alone`` (whether nothing but ones was read), ``right`` (a share) and ``n``, the states.
    """
    rows = []
    for trial in _trials(runs):
        split = runs.data(trial)[SHARES]
        is_one = trial.task.origin.is_one(split.inputs[:, trial.task.begun :].numpy() - 1)
        right = right_states(runs.model(trial), trial.task, split)
        found = pd.DataFrame(
            {
                "ones": is_one.cumsum(1).flatten(),
                "alone": is_one.cumprod(1).astype(bool).flatten(),
                "right": right.flatten(),
            }
        )
        groups = found.groupby(["ones", "alone"])["right"].agg(["mean", "size"]).reset_index()
        rows.append(groups.rename(columns={"mean": "right", "size": "n"}).assign(trial=trial.id))
    return pd.concat(rows, ignore_index=True)


def _trials(runs: Runs) -> list[Trial]:
    return runs.trials(automaton=PARITY, form=(ANSWERS, START_TOKEN), size=USUAL_SIZE)


TABLES = {COUNTS: Table(counts, uses=_trials, group=lambda cell, number: (cell, number))}
