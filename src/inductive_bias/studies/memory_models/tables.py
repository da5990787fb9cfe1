"""Further tables: how strongly a prediction depends on what was read so many characters before."""

import pandas as pd

from inductive_bias.analysis.segment_reach import gradient_by_distance
from inductive_bias.studies.memory_models.design import ATTENTION, BACKBONES, NO_MEMORY, RSA, cell
from inductive_bias.studies.runs import Runs, Table
from inductive_bias.tasks.data import IGNORED
from inductive_bias.trials import Trial

#: Segments that are read before a prediction, and predictions.
SEGMENTS, PREDICTIONS = 4, 32
#: Models whose reach is looked at, one run each.
LOOKED_AT = ((NO_MEMORY, ATTENTION), *((model, mixer) for model in BACKBONES for mixer in (ATTENTION, RSA)))


def reach(runs: Runs) -> pd.DataFrame:
    """Mean size of the loss's gradient by distance: ``trial, distance, value``, and ``share`` of the sum over all.

    Of the last prediction of a segment, after four segments, at places of the test text evenly apart; gradients pass
    into memory and states. A distance is in characters, 0 for the one read last.
    """
    frames = []
    for trial in _firsts(runs):
        length, split = SEGMENTS * trial.task.window, runs.data(trial)["test"]
        known = [end for end in range(length - 1, len(split)) if int(split.labels[end]) != IGNORED]
        ends = known[:: max(1, len(known) // PREDICTIONS)][:PREDICTIONS]
        stretches = split.inputs.unfold(0, length, 1)[[end - length + 1 for end in ends]]
        found = gradient_by_distance(runs.model(trial), stretches, split.labels[ends]).double()
        frames.append(pd.DataFrame({"trial": trial.id, "distance": range(length), "value": found,
                                    "share": found / found.sum()}))  # fmt: skip
    return pd.concat(frames, ignore_index=True)


def _firsts(runs: Runs) -> list[Trial]:
    return [trial for each in LOOKED_AT for trial in runs.trials(**cell(runs.scale, *each))[:1]]


TABLES = {"reach": Table(reach, uses=_firsts, group=lambda cell, number: (cell, number))}
