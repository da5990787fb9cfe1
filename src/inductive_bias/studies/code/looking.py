"""A look into the models: what each token of a function is worth to them, and what their REMs have learnt."""

from difflib import SequenceMatcher

import numpy as np
import pandas as pd
import torch
from jaxtyping import Float, Int64
from torch import Tensor, nn

from inductive_bias.studies.code.design import INJECTED, MODELS, RSA
from inductive_bias.studies.runs import Runs
from inductive_bias.studies.searching import CHOSEN, STANDARD
from inductive_bias.tasks.code.injected import Changed
from inductive_bias.tasks.code.tokens import places_of
from inductive_bias.tasks.vocabulary import UNK
from inductive_bias.trials import Trial

TOKENS, LAGS = "tokens", "lags"
#: Changed test functions of each kind of bug that are shown, and their tokens, from and to.
SHOWN, SIZE = 4, (20, 90)
#: Lags of the curves, from 0 on.
LONGEST = 64


@torch.no_grad()
def worth(model: nn.Module, tokens: Int64[Tensor, " t"]) -> tuple[float, Float[Tensor, " t"]]:
    """The log odds of *yes*, and by how much they fall where each token is made an unknown one (occlusion)."""
    other = tokens.repeat(len(tokens) + 1, 1)
    other[torch.arange(len(tokens)), torch.arange(len(tokens))] = UNK
    outputs = model(other).float()
    odds = outputs[:, 1] - outputs[:, 0]
    return odds[-1].item(), odds[-1] - odds[:-1]


def altered(function: Changed) -> list[bool]:
    """Of every token whether the change put it there."""
    before, after = (
        [token for token, _ in places_of(text, comments="python")] for text in (function.original, function.text)
    )
    found = [False] * len(after)
    for tag, _, _, first, last in SequenceMatcher(None, before, after, autojunk=False).get_opcodes():
        if tag != "equal":
            found[first:last] = [True] * (last - first)
    return found


def chosen(functions: list[Changed]) -> list[int]:
    """Places of the functions that are shown: the first changed ones of each kind that are neither short nor long."""
    fits = [place for place, each in enumerate(functions) if each.label and SIZE[0] <= len(each.tokens) <= SIZE[1]]
    kinds = sorted({functions[place].kind for place in fits})
    return [place for kind in kinds for place in [each for each in fits if functions[each].kind == kind][:SHOWN]]


def tokens(runs: Runs) -> pd.DataFrame:
    """What tokens of some test functions are worth: a row a run, function and token.

    Columns: ``trial, example, name, kind, place, token, line, column, altered, odds, worth``. The functions are those
    of Python's library, whose licence (PSF-2.0) lets them be shown.
    """
    rows = []
    for trial in shown(runs):
        model, split = runs.model(trial), runs.data(trial)["test"]
        functions = trial.task.functions(runs.root)
        for example in chosen(functions):
            function = functions[example]
            odds, found = worth(model, split.inputs[example, : len(function.tokens)])
            lines = np.cumsum([0, *(len(line) + 1 for line in function.text.split("\n"))])
            marked = altered(function)
            for place, (token, start) in enumerate(places_of(function.text, comments="python")):
                line = int(np.searchsorted(lines, start, side="right")) - 1
                rows.append(
                    {
                        "trial": trial.id,
                        "example": example,
                        "name": function.name,
                        "kind": trial.task.groups[function.kind],
                        "place": place,
                        "token": token,
                        "line": line,
                        "column": start - int(lines[line]),
                        "altered": marked[place],
                        "odds": odds,
                        "worth": found[place].item(),
                    }
                )
    columns = ["trial", "example", "name", "kind", "place", "token", "line", "column", "altered", "odds", "worth"]
    return pd.DataFrame(rows, columns=columns)


def lags(runs: Runs) -> pd.DataFrame:
    """What the REMs have learnt: ``trial, layer, head, kind, gate, lag, value``; ``value`` is f of the lag."""
    rows = []
    for trial in recurrent(runs):
        for layer, block in enumerate(runs.model(trial).blocks, start=1):
            rem = block.mixer.rem
            gate = block.mixer.gate.mean().item()
            curves = rem.matrix(LONGEST + 1)[:, 0].detach()
            for head, kind in enumerate(rem.kinds):
                name = kind + (" dilated" if rem.dilations[head] > 1 else "")
                rows += [
                    {
                        "trial": trial.id,
                        "layer": layer,
                        "head": head,
                        "kind": name,
                        "gate": gate,
                        "lag": lag,
                        "value": value,
                    }
                    for lag, value in enumerate(curves[head].tolist())
                ]
    return pd.DataFrame(rows, columns=["trial", "layer", "head", "kind", "gate", "lag", "value"])


def shown(runs: Runs) -> list[Trial]:
    """The first run of every model on injected bugs."""
    return [
        trial
        for model in MODELS
        for trial in runs.trials(data=INJECTED, model=model, variant=STANDARD, rate=CHOSEN)[:1]
    ]


def recurrent(runs: Runs) -> list[Trial]:
    """Every judged run that has an REM."""
    return runs.trials(model=RSA, variant=STANDARD, rate=CHOSEN)
