"""Further tables: how strongly a prediction depends on what was read so many characters before."""

import pandas as pd
import torch

from inductive_bias.analysis.segment_reach import gradient_by_distance
from inductive_bias.studies.memory_models.design import ATTENTION, BACKBONES, NO_MEMORY, RSA, cell
from inductive_bias.studies.runs import Runs, Table
from inductive_bias.tasks.data import IGNORED
from inductive_bias.trials import Trial

#: Segments that are read before a prediction, but not more characters than this; predictions, and those at once.
SEGMENTS, LONGEST = 4, 2048
PREDICTIONS, TOGETHER = 32, 8
#: Models whose reach is looked at, one run each.
LOOKED_AT = ((NO_MEMORY, ATTENTION), *((model, mixer) for model in BACKBONES for mixer in (ATTENTION, RSA)))


def reach(runs: Runs) -> pd.DataFrame:
    """Mean size of the loss's gradient by distance: ``trial, distance, value``, and ``share`` of the sum over all.

    Of a prediction after whole segments, four if they are not longer than :data:`LONGEST`, at places of the test text
    evenly apart; gradients pass into memory and states. A distance is in characters, 0 for the one read last.
    """
    frames = []
    for trial in _firsts(runs):
        model, split = runs.model(trial), runs.data(trial)["test"]
        length = min(SEGMENTS * trial.task.window, LONGEST)
        known = (split.labels[length - 1 :] != IGNORED).nonzero()[:, 0] + length - 1
        ends = known[:: max(1, len(known) // PREDICTIONS)][:PREDICTIONS]
        found = torch.zeros(length, dtype=torch.float64)
        for some in ends.split(TOGETHER):
            stretches = split.inputs[some[:, None] + torch.arange(1 - length, 1)]
            found += len(some) / len(ends) * gradient_by_distance(model, stretches, split.labels[some])
        frames.append(pd.DataFrame({"trial": trial.id, "distance": range(length), "value": found,
                                    "share": found / found.sum()}))  # fmt: skip
    return pd.concat(frames, ignore_index=True)


def _firsts(runs: Runs) -> list[Trial]:
    return [trial for each in LOOKED_AT for trial in runs.trials(**cell(runs.scale, *each))[:1]]


TABLES = {"reach": Table(reach, uses=_firsts, group=lambda cell, number: (cell, number))}
