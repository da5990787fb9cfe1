"""Tables made from the trained models: exactness of the heads, what each head carries, and how far linearity goes.

Beside the recurrent matrices of trained networks stand random ones, drawn from seeds. Nothing of these is trained.
"""

import warnings
from collections.abc import Callable, Iterator
from dataclasses import replace
from itertools import product

import numpy as np
import pandas as pd
import torch
from jaxtyping import Float64
from torch import Tensor

from inductive_bias.analysis import AffineSystem, LinearFilter, fit_affine, fit_filter, linearise
from inductive_bias.layers import Heads, NearlyDefectiveWarning, decompose
from inductive_bias.metrics import unexplained
from inductive_bias.models import RecurrentModel
from inductive_bias.studies.rnn_heads.design import (
    ANY_FILTER,
    AT_MEAN,
    AT_ZERO,
    FITTED,
    LAG_ZERO,
    LINEAR_RNN,
    MISMATCHED,
    NETWORK,
    NONLINEAR,
    TANH_RNN,
    TRAINED,
)
from inductive_bias.studies.runs import Runs, Table
from inductive_bias.trials import Trial

#: Factors on the inputs of a finished tanh RNN; an LSTM is looked at with its own inputs only.
INPUT_SCALES = (0.1, 0.3, 1.0, 3.0, 10.0)
#: Sizes of the random matrices.
MATRIX_SIZES = (2, 4, 8, 16, 32, 64)
#: Largest modulus of an eigenvalue.
RADII = (0.5, 0.9, 1.0)
#: Distances from a matrix that has no eigenvectors to speak of, and that matrix's size and eigenvalue.
DISTANCES = (1.0, 1e-2, 1e-4, 1e-6, 1e-8, 1e-10, 1e-12, 1e-14, 0.0)
JORDAN_SIZE, JORDAN_RADIUS = 4, 0.9
#: Steps of white noise that drive the random matrices.
NOISE_STEPS = 64


def gaussian(size: int, radius: float, rng: torch.Generator) -> Float64[Tensor, "n n"]:
    """Independent normal entries, scaled to the spectral radius."""
    weight = torch.randn(size, size, dtype=torch.float64, generator=rng)
    return weight * (radius / torch.linalg.eigvals(weight).abs().max())


def orthogonal(size: int, radius: float, rng: torch.Generator) -> Float64[Tensor, "n n"]:
    """A random rotation or reflection times the radius: eigenvectors at right angles, condition number 1."""
    return torch.linalg.qr(torch.randn(size, size, dtype=torch.float64, generator=rng))[0] * radius


def triangular(size: int, radius: float, rng: torch.Generator) -> Float64[Tensor, "n n"]:
    """Eigenvalues drawn between ± radius on the diagonal, normal entries above: far from orthogonal eigenvectors."""
    above = torch.randn(size, size, dtype=torch.float64, generator=rng).triu(1) * (radius / size**0.5)
    eigenvalues = torch.rand(size, dtype=torch.float64, generator=rng) * 2 - 1
    return above + torch.diag(eigenvalues * (radius / eigenvalues.abs().max()))


FAMILIES: dict[str, Callable[[int, float, torch.Generator], Tensor]] = {
    "orthogonal": orthogonal,
    "gaussian": gaussian,
    "triangular": triangular,
}
NEARLY_DEFECTIVE = "nearly defective"


def nearly_defective(distance: float, rng: torch.Generator) -> Float64[Tensor, "n n"]:
    """One Jordan block with eigenvalue .9, four times, moved by ``distance`` in a random direction of norm 1."""
    above = torch.diag(torch.ones(JORDAN_SIZE - 1, dtype=torch.float64), 1)
    block = JORDAN_RADIUS * torch.eye(JORDAN_SIZE, dtype=torch.float64) + above
    direction = torch.randn(block.shape, dtype=torch.float64, generator=rng)
    return block + distance * direction / direction.norm()


def random_matrices(draw: int) -> Iterator[tuple[dict[str, object], Float64[Tensor, "n n"]]]:
    """Every matrix of one draw (a seed) with its labels: ``family, size, radius, draw`` and, if any, ``distance``."""
    for name, size, radius in product(FAMILIES, MATRIX_SIZES, RADII):
        labels = {"family": name, "size": size, "radius": radius, "draw": draw}
        yield labels, FAMILIES[name](size, radius, torch.Generator().manual_seed(draw))
    for distance in DISTANCES:
        labels = {"family": NEARLY_DEFECTIVE, "size": JORDAN_SIZE, "radius": JORDAN_RADIUS, "draw": draw}
        yield labels | {"distance": distance}, nearly_defective(distance, torch.Generator().manual_seed(draw))


def noise(size: int, draw: int) -> Float64[Tensor, "b t n"]:
    """What drives the random matrices: two sequences of white noise."""
    return torch.randn(2, NOISE_STEPS, size, dtype=torch.float64, generator=torch.Generator().manual_seed(1_000 + draw))


def heads_quietly(weight: Tensor) -> tuple[Heads, bool]:
    """The heads, and whether decomposing warned."""
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always", NearlyDefectiveWarning)
        heads = decompose(weight)
    return heads, any(issubclass(each.category, NearlyDefectiveWarning) for each in said)


def exactness_of(weight: Tensor, inputs: Float64[Tensor, "b t n"]) -> dict[str, object]:
    """Heads against the recurrence, step by step: ``condition, heads, state_error, power_error, warned``.

    The state error is the largest difference of a state, over the largest state; the power error is the decomposition's
    own (:class:`~inductive_bias.layers.Heads`), which may be of a neighbouring matrix; the condition is that of the
    eigenvectors of the matrix itself.
    """
    weight = weight.detach().double()
    heads, warned = heads_quietly(weight)
    state, states = torch.zeros_like(inputs[:, 0]), []
    for drive in inputs.unbind(1):
        state = state @ weight.mT + drive
        states.append(state)
    wanted, scales = torch.stack(states, 1), torch.linalg.svdvals(torch.linalg.eig(weight)[1])
    error = ((heads.apply(inputs) - wanted).abs().max() / wanted.abs().max()).item()
    return {
        "condition": (scales[0] / scales[-1]).item(),
        "heads": len(heads.kinds),
        "state_error": error,
        "power_error": heads.error,
        "warned": warned,
    }


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
