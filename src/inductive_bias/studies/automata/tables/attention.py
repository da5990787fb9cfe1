"""Attention against the truth, and a few words as the trained models read them."""

import pandas as pd
import torch
from torch import Tensor

from inductive_bias.analysis.attention_maps import attention_maps, mass_at
from inductive_bias.models import MixingModel
from inductive_bias.studies.automata.design import ATTENTION, DECIDED, FLIP_FLOP, LSTM
from inductive_bias.studies.automata.measures.depth import ATTENTION_MASS, TRAINED, UNTRAINED
from inductive_bias.studies.runs import Runs, Table
from inductive_bias.tasks import Split, StateTracking
from inductive_bias.tasks.automata import WALLS, last_wall, last_write
from inductive_bias.trials import Trial

PLAYED_WORDS, LOOKED_AT = "played_words", "looked_at"
#: Automata that the page plays, and how many words of each.
PLAYED, WORDS = (*DECIDED, "D8"), 3


def deciding(task: StateTracking, tokens: Tensor) -> Tensor:
    """The position that decides the state at every position ``[n, t]``: last wall or last write; −1 before the first.

    Raises:
        ValueError: for an automaton of which no single position decides.
    """
    words = tokens.numpy() - 1
    if task.automaton == FLIP_FLOP:
        return torch.from_numpy(last_write(words))
    if task.automaton in WALLS:
        return torch.from_numpy(last_wall(task.machine, words))
    raise ValueError(f"no single position decides the states of {task.automaton}")


def attention_mass(runs: Runs) -> pd.DataFrame:
    """The mean attention of every head of a Transformer, on grid and flip-flop, to the position that decides.

    Columns ``trial, when`` (trained, or with its first weights), ``layer, head, mass`` (of test words), ``chosen_by``
    (of validation words, by which a best head is chosen) and ``even``, what attention spread evenly would give.
    """
    rows = []
    for trial in _trials(runs):
        data = runs.data(trial)
        for when, model in ((TRAINED, runs.model(trial)), (UNTRAINED, runs.untrained(trial))):
            chosen, found = (_masses(model, trial, _short(data[name], trial)) for name in ("validation", "test"))
            even = _even(trial, _short(data["test"], trial))
            for layer, heads in enumerate(found.tolist()):
                rows += [
                    {
                        "trial": trial.id,
                        "when": when,
                        "layer": layer + 1,
                        "head": head,
                        "mass": mass,
                        "chosen_by": chosen[layer, head].item(),
                        "even": even,
                    }
                    for head, mass in enumerate(heads)
                ]
    return pd.DataFrame(rows)


def _trials(runs: Runs) -> list[Trial]:
    return runs.trials(automaton=DECIDED, model=ATTENTION)


def _short(split: Split, trial: Trial) -> Tensor:
    """The words as long as those of training."""
    return split.inputs[split.slices["length"] == trial.task.length][:, : trial.task.length]


def _masses(model: MixingModel, trial: Trial, tokens: Tensor) -> Tensor:
    return mass_at(attention_maps(model, tokens), deciding(trial.task, tokens))


def _even(trial: Trial, tokens: Tensor) -> float:
    t = tokens.shape[1]
    maps = (torch.ones(t, t).tril() / torch.arange(1, t + 1)[:, None]).expand(len(tokens), 1, t, t)
    return mass_at(maps, deciding(trial.task, tokens)).item()


def played_words(runs: Runs) -> pd.DataFrame:
    """The first test words as the first run of every depth reads them.

    Columns ``trial, word, position, action, state, answer``.

    Positions count from 0. Of the automata that are shown, and of Transformers and LSTMs alone.
    """
    rows = []
    for trial in _players(runs):
        tokens = _short(runs.data(trial)["test"], trial)[:WORDS]
        states = trial.task.machine.run(tokens.numpy() - 1)
        with torch.no_grad():
            answers = runs.model(trial)(tokens).argmax(-1)
        for word, (actions, right, said) in enumerate(zip(tokens - 1, states, answers, strict=True)):
            rows += [
                {
                    "trial": trial.id,
                    "word": word,
                    "position": place,
                    "action": int(actions[place]),
                    "state": int(right[place]),
                    "answer": int(said[place]),
                }
                for place in range(len(actions))
            ]
    return pd.DataFrame(rows)


def looked_at(runs: Runs) -> pd.DataFrame:
    """What the best head of the same words takes of each position: ``trial, layer, head, word, position, at, weight``.

    Of Transformers with two layers whose automaton has a position that decides (``decides``, −1 for none); the best
    head is that of the validation words. Heads count from 1, as the page names them; those of :func:`attention_mass`
    from 0.
    """
    rows = []
    for trial in _players(runs):
        if not (trial.model.kind == "mixing" and trial.model.layers == 2 and trial.task.automaton in DECIDED):
            continue
        data, model = runs.data(trial), runs.model(trial)
        chosen = _masses(model, trial, _short(data["validation"], trial))
        layer, head = divmod(int(chosen.argmax()), chosen.shape[1])
        tokens = _short(data["test"], trial)[:WORDS]
        truth = deciding(trial.task, tokens)
        for word, weights in enumerate(attention_maps(model, tokens)[layer, :, head].tolist()):
            rows += [
                {
                    "trial": trial.id,
                    "layer": layer + 1,
                    "head": head + 1,
                    "word": word,
                    "position": place,
                    "decides": int(truth[word, place]),
                    "at": at,
                    "weight": weight,
                }
                for place, row in enumerate(weights)
                for at, weight in enumerate(row[: place + 1])
            ]
    return pd.DataFrame(rows)


def _players(runs: Runs) -> list[Trial]:
    """The first run of every depth of the automata that the page plays."""
    return runs.firsts(automaton=PLAYED, model=(ATTENTION, LSTM))


TABLES = {
    ATTENTION_MASS: Table(attention_mass, uses=_trials, group=lambda cell, number: (cell, number)),
    PLAYED_WORDS: Table(played_words, uses=_players, group=lambda cell, number: (cell, number)),
    LOOKED_AT: Table(looked_at, uses=_players),
}
