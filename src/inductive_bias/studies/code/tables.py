"""Scores of every test example, by every run and by answers without a network; and what the models have learnt.

Of what they have learnt: what each token of a function is worth to them, and the curves of their REMs.
"""

from difflib import SequenceMatcher

import numpy as np
import pandas as pd
import torch
from jaxtyping import Float, Int64
from torch import Tensor, nn

from inductive_bias.protocols.code import ASKING, RETRIEVAL, sought
from inductive_bias.studies.code.design import INJECTED, PROGRAMS, RSA, TRANSFORMER
from inductive_bias.studies.code.measures import BAG_RETRIEVAL, BASELINES, EXAMPLES, LAGS, SCORES, TOKENS
from inductive_bias.studies.runs import Runs, Table
from inductive_bias.tasks.code import BAG, bag_vectors, baseline_scores
from inductive_bias.tasks.code.injected import Changed
from inductive_bias.tasks.code.tokens import places_of
from inductive_bias.tasks.vocabulary import UNK
from inductive_bias.trials import Trial

#: Changed test functions of each kind of bug that are shown, and their tokens, from and to.
FUNCTIONS_OF_A_KIND, FUNCTION_TOKENS = 4, (20, 90)
#: Lags of the curves, from 0 on.
LONGEST_LAG = 64


def scores(runs: Runs) -> pd.DataFrame:
    """The log odds of *yes* of every test example by every judged run: ``trial, example, score``."""
    frames = []
    for trial in runs.trials():
        found = runs.store.arrays(trial).get("scores/test")
        if found is not None:
            frames.append(_frame(trial, score=found.numpy().astype(np.float32)))
    return _joined(frames, ["trial", "example", "score"])


def baselines(runs: Runs) -> pd.DataFrame:
    """Log odds by every answer without a network: ``trial, baseline, example, score``, a trial per fold."""
    frames = []
    for trial in firsts(runs):
        found = baseline_scores(runs.data(trial), vocabulary=trial.task.vocabulary_size)
        frames += [_frame(trial, baseline=name, score=values.astype(np.float32)) for name, values in found.items()]
    return _joined(frames, ["trial", "example", "baseline", "score"])


def examples(runs: Runs) -> pd.DataFrame:
    """What is known of every test example: ``trial, example, label, item, other, group, cut``, a trial per fold.

    ``item`` and ``other`` number what is drawn anew; ``other`` and ``group`` are missing where there is none.
    """
    frames = []
    for trial in firsts(runs):
        split = runs.data(trial)["test"]
        facts = {name: split.slices[name].numpy().astype(np.int32) for name in ("item", "cut")}
        facts |= {name: _whole(split.slices.get(name), len(split)) for name in ("other", "group")}
        frames.append(_frame(trial, label=split.labels.numpy().astype(np.int32), **facts))
    return _joined(frames, ["trial", "example", "label", "item", "other", "group", "cut"])


def bag_retrieval(runs: Runs) -> pd.DataFrame:
    """MAP@R by problem of cosines between bags of tokens: ``trial, baseline, problem, value``."""
    rows = []
    for trial in asked_to_retrieve(runs):
        split = runs.data(trial)[RETRIEVAL]
        vectors = bag_vectors(split.inputs, trial.task.vocabulary_size).float()
        found = torch.cat(
            [
                sought(vectors[asking] @ vectors.T, asking, split.labels)
                for asking in torch.arange(len(split)).split(ASKING)
            ]
        )
        rows += [
            {
                "trial": trial.id,
                "baseline": BAG,
                "problem": problem,
                "value": found[split.labels == problem].mean().item(),
            }
            for problem in split.labels.unique().tolist()
        ]
    return pd.DataFrame(rows, columns=["trial", "baseline", "problem", "value"])


def _frame(trial: Trial, **columns: np.ndarray | pd.api.extensions.ExtensionArray | str) -> pd.DataFrame:
    count = next(len(values) for values in columns.values() if not isinstance(values, str))
    return pd.DataFrame({"trial": trial.id, "example": np.arange(count, dtype=np.int32), **columns})


def _whole(numbers: Tensor | None, count: int) -> pd.api.extensions.ExtensionArray:
    """Whole numbers as a column, all of them missing where there are none."""
    return pd.array([pd.NA] * count if numbers is None else numbers.numpy(), dtype="Int32")


def _joined(frames: list[pd.DataFrame], columns: list[str]) -> pd.DataFrame:
    return pd.concat(frames, ignore_index=True)[columns] if frames else pd.DataFrame(columns=columns)


@torch.no_grad()
def worth(model: nn.Module, tokens: Int64[Tensor, " t"]) -> tuple[float, Float[Tensor, " t"]]:
    """The log odds of *yes*, and by how much they fall where each token is made an unknown one (occlusion)."""
    other = tokens.repeat(len(tokens) + 1, 1)
    other[torch.arange(len(tokens)), torch.arange(len(tokens))] = UNK
    outputs = model(other).float()
    odds = outputs[:, 1] - outputs[:, 0]
    return odds[-1].item(), odds[-1] - odds[:-1]


def altered(function: Changed) -> list[bool]:
    """Whether the change put a token there, token by token."""
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
    fits = [
        place
        for place, each in enumerate(functions)
        if each.label and FUNCTION_TOKENS[0] <= len(each.tokens) <= FUNCTION_TOKENS[1]
    ]
    kinds = sorted({functions[place].kind for place in fits})
    return [
        place
        for kind in kinds
        for place in [each for each in fits if functions[each].kind == kind][:FUNCTIONS_OF_A_KIND]
    ]


def tokens(runs: Runs) -> pd.DataFrame:
    """What tokens of some test functions are worth: a row a run, function and token.

    Columns: ``trial, example, name, kind, place, token, line, column, altered, odds, worth``. The functions are those
    of Python's library, whose licence (PSF-2.0) lets them be shown.
    """
    rows = []
    for trial in readers(runs):
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
    for trial in with_rem(runs):
        for layer, block in enumerate(runs.model(trial).blocks, start=1):
            rem = block.mixer.rem
            gate = block.mixer.gate.mean().item()
            curves = rem.matrix(LONGEST_LAG + 1)[:, 0].detach()
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


def firsts(runs: Runs) -> list[Trial]:
    """The first Transformer of every fold: its task says what is answered."""
    return runs.firsts(model=TRANSFORMER)


def asked_to_retrieve(runs: Runs) -> list[Trial]:
    """The first Transformer on programs, among which a program's likes are sought."""
    return runs.firsts(model=TRANSFORMER, data=PROGRAMS)


def readers(runs: Runs) -> list[Trial]:
    """The first run of every model on injected bugs."""
    return runs.firsts(data=INJECTED)


def with_rem(runs: Runs) -> list[Trial]:
    """Every run whose model has an REM."""
    return runs.trials(model=RSA)


#: No run is compared with another here, so that each set of data can be trained and published on its own.
TABLES = {
    name: Table(make, uses=uses, group=lambda cell, number: (cell, number))
    for name, make, uses in (
        (SCORES, scores, Runs.trials),
        (BASELINES, baselines, firsts),
        (EXAMPLES, examples, firsts),
        (BAG_RETRIEVAL, bag_retrieval, asked_to_retrieve),
        (TOKENS, tokens, readers),
        (LAGS, lags, with_rem),
    )
}
