"""Further tables: how strongly a prediction depends on what was read so many characters before, and word by word."""

import pandas as pd
import torch

from inductive_bias.analysis.segment_reach import gradient_by_distance
from inductive_bias.studies.memory_models.reading import first_runs, influence
from inductive_bias.studies.runs import Runs, Table
from inductive_bias.tasks.data import IGNORED

#: Segments that are read before a prediction, but not more characters than this; predictions, and those at once.
SEGMENTS, LONGEST = 4, 2048
PREDICTIONS, TOGETHER = 32, 8


def reach(runs: Runs) -> pd.DataFrame:
    """Mean size of the loss's gradient by distance: ``trial, distance, value``, and ``share`` of the sum over all.

    Of a prediction after whole segments, four if they are not longer than :data:`LONGEST`, at places of the test text
    evenly apart; gradients pass into memory and states. A distance is in characters, 0 for the one read last.
    """
    frames = []
    for trial in first_runs(runs):
        model, split = runs.model(trial), runs.data(trial)["test"]
        length = min(SEGMENTS * trial.task.window, LONGEST)
        known = (split.labels[length - 1 :] != IGNORED).nonzero()[:, 0] + length - 1
        ends = known[:: max(1, len(known) // PREDICTIONS)][:PREDICTIONS]
        found = torch.zeros(length, dtype=torch.float64)
        for some in ends.split(TOGETHER):
            stretches = split.inputs[some[:, None] + torch.arange(1 - length, 1)]
            found += len(some) / len(ends) * gradient_by_distance(model, stretches, split.labels[some])
        frames.append(
            pd.DataFrame({"trial": trial.id, "distance": range(length), "value": found, "share": found / found.sum()})
        )
    return pd.concat(frames, ignore_index=True)


TABLES = {
    each.__name__: Table(each, uses=first_runs, group=lambda cell, number: (cell, number))
    for each in (reach, influence)
}
