"""Which models are compared, which words are explained, and what an automaton itself depends on.

Compared are models of one automaton and one number. Explained is the state after the last action, of test words of
which every one of these models says it rightly: explanations of a wrong answer are no better or worse than others, they
are of something else.
"""

from collections.abc import Hashable
from typing import NamedTuple

import torch
from torch import Tensor, nn

from inductive_bias.analysis.attribution import over_other_actions
from inductive_bias.studies.automata.design import DECIDED
from inductive_bias.studies.automata.measures.explanation import COMPARED
from inductive_bias.studies.automata.tables.attention import deciding
from inductive_bias.studies.design import Cell
from inductive_bias.studies.runs import Runs
from inductive_bias.tasks import StateTracking
from inductive_bias.trials import Trial

#: Words that are explained, at most.
MOST_EXPLAINED = 500


class Words(NamedTuple):
    """Words that are explained.

    Attributes:
        tokens: ``[n, t]``.
        states: the right state after the last action, ``[n]``.
        decides: the last write, or the last visit to a wall, ``[n]``: with it and the actions since the state is known.
    """

    tokens: Tensor
    states: Tensor
    decides: Tensor

    def first(self, count: int) -> "Words":
        """The first so many words."""
        return Words(*(each[:count] for each in self))


def groups(runs: Runs) -> list[list[Trial]]:
    """The trials that are compared with one another: of those numbers of which there is a run of every model."""
    members, found = runs.design.members(runs.scale), {}
    for model, layers in COMPARED:
        for trial in runs.trials(automaton=DECIDED, model=model, layers=layers):
            cell, number, _ = members[trial.id]
            found.setdefault(together(cell, number), []).append(trial)
    return [trials for trials in found.values() if len(trials) == len(COMPARED)]


def compared(runs: Runs) -> list[Trial]:
    """All trials that are compared."""
    return [trial for trials in groups(runs) for trial in trials]


def together(cell: Cell, number: int) -> Hashable:
    """What models share that are compared: an automaton and a number."""
    return cell["automaton"], number


def explained(runs: Runs, trials: list[Trial]) -> Words:
    """Test words as long as in training whose last state all these models have right.

    Without those that are decided at the first position, or before it: all positions are to be found there, and every
    order of them would be as good.
    """
    task = trials[0].task
    split = runs.data(trials[0])["test"]
    short = split.slices["length"] == task.length
    tokens, states = split.inputs[short][:, : task.length], split.labels[short][:, task.length - 1]
    decides = deciding(task, tokens)[:, -1]
    kept = decides > 0
    for trial in trials:
        kept &= answers(runs.model(trial), tokens) == states
    return Words(tokens[kept], states[kept], decides[kept]).first(MOST_EXPLAINED)


@torch.no_grad()
def answers(model: nn.Module, tokens: Tensor) -> Tensor:
    """What a model says at the last position; a diverged one says nothing, −1."""
    logits = model(tokens)[:, -1]
    return logits.argmax(1).where(logits.isfinite().all(1), -1)


def effects(task: StateTracking, words: Words) -> Tensor:
    """What the automaton itself depends on: of all other actions at a position, the share that ends in another state.

    Of a flip-flop it is above 0 from the last write on, and 0 before. Of a walk it can be above 0 before the last visit
    to a wall: with another step before, the walk might not have come there.
    """

    def changed(tokens: Tensor) -> Tensor:
        return torch.from_numpy(task.machine.run(tokens.numpy() - 1)[:, -1] != words.states.numpy()).double()

    return over_other_actions(changed, words.tokens, len(task.machine.actions))


def since(words: Words) -> Tensor:
    """Positions from the one that decides on: ``[n, t]``."""
    return torch.arange(words.tokens.shape[1]) >= words.decides[:, None]
