"""The table of weight gaps: how far twins have moved apart that see all of a window, or its end alone."""

from itertools import product

import pandas as pd
import torch

from inductive_bias.protocols.next_character import EPOCH_STEPS
from inductive_bias.studies.runs import Runs, Table
from inductive_bias.studies.stable_training.design import BOUNDS, STEPS


def weight_gaps(runs: Runs) -> pd.DataFrame:
    """‖w − w_k‖ after N steps, one row a truncated run and N: ``trial, trial_whole, updates, gap, moved``.

    ``moved`` is how far the weights of the run on whole windows are from their start.
    """
    rows, contexts = [], [each for each in runs.design.levels(runs.scale)["context"] if each is not None]
    for bound, steps in product(BOUNDS, STEPS):
        whole = {trial.seed: trial for trial in runs.trials(bound=bound, steps=steps, context=None)}
        for trial in runs.trials(bound=bound, steps=steps, context=contexts):
            twin = whole[trial.seed]
            ours, theirs = runs.store.arrays(trial), runs.store.arrays(twin)
            for epoch in trial.checkpoints[1:]:
                # a run that diverged has no weights from then on
                if f"weights/{epoch}" not in ours or f"weights/{epoch}" not in theirs:
                    continue
                gap = torch.linalg.vector_norm(ours[f"weights/{epoch}"] - theirs[f"weights/{epoch}"])
                moved = torch.linalg.vector_norm(theirs[f"weights/{epoch}"] - theirs["weights/0"])
                known = {"trial": trial.id, "trial_whole": twin.id, "updates": epoch * EPOCH_STEPS}
                rows.append(known | {"gap": gap.item(), "moved": moved.item()})
    return pd.DataFrame(rows)


TABLES = {"weight_gaps": Table(weight_gaps, group=lambda cell, number: (cell["bound"], cell["steps"], number))}
