"""Attention against the truth: how much of it every head gives to the position that decides the state."""

import pandas as pd
import torch
from torch import Tensor

from inductive_bias.analysis.attention_maps import attention_maps, mass_at
from inductive_bias.models import MixingModel
from inductive_bias.running import build, reproducible
from inductive_bias.studies.automata.design import ATTENTION, FLIP_FLOP, GRID
from inductive_bias.studies.runs import Runs, Table
from inductive_bias.tasks import Split, StateTracking
from inductive_bias.tasks.automata import last_wall, last_write
from inductive_bias.trials import Trial

TRAINED, UNTRAINED = "trained", "untrained"
ATTENTION_MASS = "attention_mass"


def deciding(task: StateTracking, tokens: Tensor) -> Tensor:
    """The position that decides the state at every position ``[n, t]``: last wall or last write; −1 before the first.

    Raises:
        ValueError: for an automaton of which no single position decides.
    """
    words = tokens.numpy() - 1
    if task.automaton == FLIP_FLOP:
        return torch.from_numpy(last_write(words))
    if task.automaton.startswith("Grid"):
        return torch.from_numpy(last_wall(task.machine, words))
    raise ValueError(f"no single position decides the states of {task.automaton}")


def attention_mass(runs: Runs) -> pd.DataFrame:
    """Of every head of a Transformer on the grid and on the flip-flop: its mean attention to the position that decides.

    Columns ``trial, when`` (trained, or with its first weights), ``layer, head, mass`` (of test words), ``chosen_by``
    (of validation words, by which a best head is chosen) and ``even``, what attention spread evenly would give.
    """
    rows = []
    for trial in _trials(runs):
        data = runs.data(trial)
        for when, model in ((TRAINED, runs.model(trial)), (UNTRAINED, _untrained(trial))):
            chosen, found = (_masses(model, trial, _short(data[name], trial)) for name in ("validation", "test"))
            even = _even(trial, _short(data["test"], trial))
            for layer, heads in enumerate(found.tolist()):
                rows += [{"trial": trial.id, "when": when, "layer": layer + 1, "head": head, "mass": mass,
                          "chosen_by": chosen[layer, head].item(), "even": even}
                         for head, mass in enumerate(heads)]  # fmt: skip
    return pd.DataFrame(rows)


def _trials(runs: Runs) -> list[Trial]:
    return runs.trials(automaton=(GRID, FLIP_FLOP), model=ATTENTION)


def _short(split: Split, trial: Trial) -> Tensor:
    """The words as long as those of training."""
    return split.inputs[split.slices["length"] == trial.task.length][:, : trial.task.length]


def _masses(model: MixingModel, trial: Trial, tokens: Tensor) -> Tensor:
    return mass_at(attention_maps(model, tokens), deciding(trial.task, tokens))


def _even(trial: Trial, tokens: Tensor) -> float:
    t = tokens.shape[1]
    maps = (torch.ones(t, t).tril() / torch.arange(1, t + 1)[:, None]).expand(len(tokens), 1, t, t)
    return mass_at(maps, deciding(trial.task, tokens)).item()


def _untrained(trial: Trial) -> MixingModel:
    with reproducible(trial.seed, torch.device("cpu")):
        return build(trial)


TABLES = {ATTENTION_MASS: Table(attention_mass, uses=_trials, group=lambda cell, number: (cell, number))}
