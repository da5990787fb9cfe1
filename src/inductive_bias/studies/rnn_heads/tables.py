"""Tables made from the trained models: exactness of the heads, what each head carries, and how far linearity goes."""

from collections.abc import Iterator
from dataclasses import replace

import numpy as np
import pandas as pd
import torch
from torch import Tensor

from inductive_bias.analysis import AffineSystem, LinearFilter, fit_affine, fit_filter, linearise
from inductive_bias.layers import Heads
from inductive_bias.metrics import unexplained
from inductive_bias.models import RecurrentModel
from inductive_bias.studies.rnn_heads.design import LINEAR_RNN, NONLINEAR, TANH_RNN, TRAINED
from inductive_bias.studies.rnn_heads.matrices import exactness as exactness_of
from inductive_bias.studies.rnn_heads.matrices import heads_quietly, noise, random_matrices
from inductive_bias.studies.runs import Runs, Table
from inductive_bias.trials import Trial

#: Factors on the inputs of a finished tanh RNN; an LSTM is looked at with its own inputs only.
INPUT_SCALES = (0.1, 0.3, 1.0, 3.0, 10.0)
#: What stands in for a network.
AT_ZERO, AT_MEAN, FITTED = "linearised at 0", "linearised at the mean", "fitted linear RNN"
ANY_FILTER, MISMATCHED = "any linear filter", "fitted, inputs of others"
NETWORK, LAG_ZERO = "the network itself", "lag 0"


def exactness(runs: Runs) -> pd.DataFrame:
    """Heads against recurrence, one row a matrix: random ones, and those of the trained linear RNNs.

    ``draw`` is the seed: of the random matrices, which have no ``trial``, and of their noise; of the trained network.
    """
    trials, rows = runs.trials(model=LINEAR_RNN), []
    for draw in sorted({trial.seed for trial in trials}):
        rows += [labels | exactness_of(weight, noise(len(weight), draw)) for labels, weight in random_matrices(draw)]
    for trial in trials:
        model, inputs = runs.model(trial).double(), runs.data(trial)["test"].inputs.double()
        weight = model.rnn.recurrent.detach()
        radius = torch.linalg.eigvals(weight).abs().max().item()
        labels = {"trial": trial.id, "family": TRAINED, "size": len(weight), "radius": radius}
        rows.append(labels | {"draw": trial.seed} | exactness_of(weight, model.rnn.input(inputs).detach()))
    return pd.DataFrame(rows)


def trained_heads(runs: Runs) -> pd.DataFrame:
    """What each head of a trained linear RNN carries of each output, on the test sequences.

    ``share`` is the projection of the head's part of the output on the output (without the read-out's bias), so the
    shares of an output add up to 1 and can be negative. A pair's cos and sin heads have one ``mode``; lag 0 has −1.
    """
    found = (
        _carried(runs.model(trial), runs.data(trial)["test"].inputs).assign(trial=trial.id)
        for trial in runs.trials(model=LINEAR_RNN)
    )
    return pd.concat(found, ignore_index=True)


@torch.no_grad()
def _carried(model: RecurrentModel, inputs: Tensor) -> pd.DataFrame:
    model = model.double()
    values, heads = model.rnn.input(inputs.double()), heads_quietly(model.rnn.recurrent)[0]
    real = heads.kinds.count("real")
    pairs = range(real, (real + len(heads.kinds)) // 2)
    known = {"mode": [-1, *range(real), *pairs, *pairs], "kind": [LAG_ZERO, *heads.kinds]}
    known |= {"decay": [0.0, *heads.decay.tolist()], "angle": [0.0, *heads.angle.tolist()]}
    parts = [_one(heads, place).apply(values) - values for place in range(len(heads.kinds))]
    outputs = torch.stack([values, *parts]) @ model.readout.weight.mT
    total = outputs.sum(0)
    shares = (outputs * total).sum((1, 2)) / total.square().sum((0, 1))
    return pd.concat([pd.DataFrame(known).assign(output=k, share=share) for k, share in enumerate(shares.T.tolist())])


def _one(heads: Heads, place: int) -> Heads:
    """One head alone."""
    names = ("kinds", "decay", "angle", "maps")
    return replace(heads, **{name: getattr(heads, name)[place : place + 1] for name in names})


def linear_part(runs: Runs) -> pd.DataFrame:
    """How much of a network's held-out states a linear stand-in explains, by factor on the inputs.

    Columns ``trial, scale, stand_in, radius, one_step, free, task``: shares of variance left unexplained, of the states
    predicted one step ahead and from the inputs alone, and of the task's target with the stand-in's states read out by
    the network's own read-out. Fits see training sequences, every number is of test sequences.
    """
    return pd.DataFrame(
        {"trial": trial.id, "scale": scale} | row
        for trial in runs.trials(model=NONLINEAR)
        for scale in (INPUT_SCALES if trial.model.name == TANH_RNN else (1.0,))
        for row in _stand(runs, trial, scale)
    )


@torch.no_grad()
def _stand(runs: Runs, trial: Trial, scale: float) -> Iterator[dict[str, object]]:
    model, data = runs.model(trial), runs.data(trial)
    inputs, labels = scale * data["test"].inputs, data["test"].labels
    memory, size = model.memory(inputs), trial.model.states
    for name, system in stand_ins(model, scale * data["train"].inputs).items():
        given = inputs.roll(1, 0) if name == MISMATCHED else inputs
        states, row = system.roll_out(given)[..., :size], {"stand_in": name}
        if isinstance(system, AffineSystem):
            row["radius"] = torch.linalg.eigvals(system.recurrent).abs().max().item()
            row["one_step"] = unexplained(system.one_step(given, memory)[..., :size], memory[..., :size])
        row["free"] = unexplained(states, memory[..., :size])
        yield row | {"task": unexplained(model.double().readout(states), labels)}
        model.float()
    yield {"stand_in": NETWORK, "one_step": 0.0, "free": 0.0, "task": unexplained(model(inputs), labels)}


@torch.no_grad()
def stand_ins(model: RecurrentModel, inputs: Tensor) -> dict[str, AffineSystem | LinearFilter]:
    """Everything linear that can stand in for a network, fitted on these sequences; for tanh also by calculus."""
    memory = model.memory(inputs)
    found: dict[str, AffineSystem | LinearFilter] = {}
    if model.cell == "tanh":
        state, value = memory.mean((0, 1)), inputs.mean((0, 1))
        found[AT_ZERO] = linearise(model.rnn, torch.zeros_like(state), torch.zeros_like(value))
        found[AT_MEAN] = linearise(model.rnn, state, value)
    found[FITTED] = fit_affine(inputs, memory)
    found[ANY_FILTER] = fit_filter(inputs, memory)
    # the control: right dynamics, wrong inputs
    found[MISMATCHED] = fit_affine(inputs.roll(1, 0), memory)
    return found


@torch.no_grad()
def traces(runs: Runs) -> pd.DataFrame:
    """One test sequence of the first seed: ``trial, output, step, series, value``, to look at."""
    rows = []
    for trial in (trial for trial in runs.trials(model=NONLINEAR, training=TRAINED) if trial.seed == 0):
        model, data = runs.model(trial), runs.data(trial)
        inputs, systems = data["test"].inputs[:1], stand_ins(model, data["train"].inputs)
        series = {"input": inputs, "target": data["test"].labels[:1], NETWORK: model(inputs)}
        for name in (FITTED, ANY_FILTER):
            states = systems[name].roll_out(inputs)[..., : trial.model.states]
            series[name] = model.double().readout(states)
        rows += [
            {"trial": trial.id, "output": output, "step": step, "series": name, "value": value}
            for name, values in series.items()
            for (step, output), value in np.ndenumerate(values[0].double().numpy())
        ]
    return pd.DataFrame(rows)


TABLES = {make.__name__: Table(make) for make in (exactness, trained_heads, linear_part, traces)}
