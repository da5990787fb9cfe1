"""Random networks, and tables of these and of trained ones: gaps by context, windows that are enough, one-step ratios.

Random networks are layers at a chosen bound, drawn anew for every seed. None of them is trained.
"""

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import product
from typing import NamedTuple

import pandas as pd
import torch
from torch import Tensor, nn

from inductive_bias.analysis.truncation import gaps, in_float64, largest_ratio, last_state, size, window, worst_inputs
from inductive_bias.layers import LinearRNN, StableLSTM, StableRNN, certified_contraction
from inductive_bias.studies.runs import Runs, Table
from inductive_bias.studies.scales import Scale
from inductive_bias.studies.truncation.design import (
    AT_BUDGETS,
    BOUNDS,
    ERRORS,
    FORGET,
    LINEAR_ORTHOGONAL,
    RANDOM,
    SMALLEST,
    TANH_GAUSSIAN,
    TANH_ORTHOGONAL,
    TEXT,
    WORST,
)
from inductive_bias.trials import Trial

#: Sequences of random inputs or text that are looked at; the largest gap of them counts.
SEQUENCES = 8


@dataclass(frozen=True)
class Draws:
    """What is drawn and measured at one scale.

    Attributes:
        states: of the random networks.
        length: of the random inputs and the text.
        worst: contexts for which the worst inputs are searched, twice as long as the last of them.
        search: steps of that search.
        channels: inputs of the random networks.
    """

    states: tuple[int, ...]
    length: int
    worst: tuple[int, ...]
    search: int = 100
    channels: int = 8


DRAWS: dict[Scale, Draws] = {
    "smoke": Draws(states=(4,), length=20, worst=(2, 5), search=5),
    "laptop": Draws(states=(16, 64), length=200, worst=(1, 2, 5, 10, 20, 50)),
    "paper": Draws(states=(16, 64, 256), length=400, worst=(1, 2, 5, 10, 20, 50, 100)),
}


class Network(NamedTuple):
    """A layer in float64 with what is known of it."""

    family: str
    states: int
    limit: str
    certified: float
    rnn: nn.Module


#: Every weight of a random LSTM begins so much larger than PyTorch's, so that every budget is used up.
OVERSIZED = 8.0


def linear_orthogonal(channels: int, states: int) -> LinearRNN:
    """A rotation times the bound: every difference shrinks by exactly so much per step."""
    return LinearRNN(channels, states, radius=1.0).requires_grad_(False)


def tanh_orthogonal(channels: int, states: int) -> nn.RNN:
    """W a rotation times the bound, and no bias: near the zero state it is almost linear."""
    rnn = nn.RNN(channels, states, batch_first=True, bias=False)
    nn.init.orthogonal_(rnn.weight_hh_l0)
    return rnn


def tanh_gaussian(channels: int, states: int) -> nn.RNN:
    """W with normal entries, scaled so that its norm is the bound; most directions shrink faster."""
    rnn = nn.RNN(channels, states, batch_first=True)
    nn.init.normal_(rnn.weight_hh_l0)
    return rnn


RANDOM_RNNS: dict[str, Callable[[int, int], nn.Module]] = {
    LINEAR_ORTHOGONAL: linear_orthogonal,
    TANH_ORTHOGONAL: tanh_orthogonal,
    TANH_GAUSSIAN: tanh_gaussian,
}


def lstm_at_budgets(channels: int, states: int, bound: str) -> nn.LSTM:
    """All constrained rows at their budgets; what no budget binds is as large as the rest began."""
    lstm = nn.LSTM(channels, states, batch_first=True)
    with torch.no_grad():
        for weight in lstm.parameters():
            weight.mul_(OVERSIZED)
    StableLSTM(forget=FORGET[bound], contraction=BOUNDS[bound]).apply_(lstm)
    return lstm


def random_networks(sizes: Draws, draw: int) -> Iterator[Network]:
    """Every family, size and bound of one draw."""
    for family, states, bound in product(RANDOM_RNNS, sizes.states, BOUNDS):
        with torch.random.fork_rng(devices=[]):
            torch.manual_seed(draw)
            rnn = RANDOM_RNNS[family](sizes.channels, states)
        StableRNN(contraction=BOUNDS[bound], form="rescaled").apply_(rnn)
        rnn = in_float64(rnn)
        yield Network(family, states, bound, certified_contraction(rnn), rnn)
    for states, bound in product(sizes.states, FORGET):
        with torch.random.fork_rng(devices=[]):
            torch.manual_seed(draw)
            rnn = in_float64(lstm_at_budgets(sizes.channels, states, bound))
        yield Network(AT_BUDGETS, states, bound, certified_contraction(rnn, 1.0), rnn)


def gaps_by_context(runs: Runs) -> pd.DataFrame:
    """The gap of the last state by context, one row a network, kind of inputs and context.

    Columns ``family, states, limit`` (the level of its bound), ``certified, draw, trial`` (of trained ones), ``inputs,
    context, gap``, ``tightness`` (the largest gap/(λ^k ‖h_{t−k}‖) of a sequence; none without a certificate) and
    ``relative``, gap/‖h_t‖. The worst inputs are searched for every context anew, at one length.
    """
    sizes = DRAWS[runs.scale]
    return pd.DataFrame(row for draw, known in _networks(runs) for row in _gaps(*known, draw, sizes))


def windows(runs: Runs) -> pd.DataFrame:
    """The smallest context from which on the gap stays below an error, beside the formula's; ``needed, formula``.

    On random inputs and text, of networks with a certificate below 1. A window that the formula places beyond the
    sequence is left out, as is an error below what float64 tells apart.
    """
    sizes = DRAWS[runs.scale]
    return pd.DataFrame(row for draw, known in _networks(runs) for row in _windows(*known, draw, sizes))


def ratios(runs: Runs) -> pd.DataFrame:
    """The certificate of every network and the largest one-step ratio that a search finds: ``certified, measured``."""
    rows = []
    for draw, (network, trial, _) in _networks(runs):
        if not isinstance(network.rnn, nn.RNNBase):
            continue  # of a linear one both are the norm
        measured = largest_ratio(network.rnn, generator=_generator(draw), steps=DRAWS[runs.scale].search)
        rows.append(_labels(network, trial, draw) | {"measured": measured})
    return pd.DataFrame(rows)


def _networks(runs: Runs) -> Iterator[tuple[int, tuple[Network, Trial | None, Tensor | None]]]:
    """Each draw with its random networks, then the trained ones of the same seed with the text that they read."""
    members = runs.design.members(runs.scale)
    for draw in sorted({trial.seed for trial in runs.trials()}):
        for network in random_networks(DRAWS[runs.scale], draw):
            yield draw, (network, None, None)
    for trial in runs.trials():
        model, (cell, _, _) = runs.model(trial), members[trial.id]
        text = runs.data(trial)["test"].inputs.flatten()[: SEQUENCES * DRAWS[runs.scale].length]
        driven = model.driven(text.unflatten(0, (SEQUENCES, -1))).detach().double()
        rnn = in_float64(model.rnn)
        family, certified = f"{cell['model']}, trained", certified_contraction(rnn, 1.0)
        yield trial.seed, (Network(family, trial.model.states, cell["bound"], certified, rnn), trial, driven)


def _labels(network: Network, trial: Trial | None, draw: int) -> dict[str, object]:
    known = {name: value for name, value in network._asdict().items() if name != "rnn"}
    return known | {"draw": draw, "trial": trial.id if trial else None}


def _generator(draw: int) -> torch.Generator:
    return torch.Generator().manual_seed(1_000 + draw)


def _sequences(network: Network, text: Tensor | None, draw: int, sizes: Draws) -> dict[str, Tensor]:
    channels = sizes.channels if text is None else text.shape[-1]
    uniform = torch.rand(SEQUENCES, sizes.length, channels, dtype=torch.float64, generator=_generator(draw)) * 2 - 1
    return {RANDOM: uniform} | ({} if text is None else {TEXT: text})


def _gaps(
    network: Network, trial: Trial | None, text: Tensor | None, draw: int, sizes: Draws
) -> Iterator[dict[str, object]]:
    labels = _labels(network, trial, draw)
    for name, inputs in _sequences(network, text, draw, sizes).items():
        yield from _rows(network, inputs, _steps(inputs.shape[1]), labels | {"inputs": name})
    channels = sizes.channels if text is None else text.shape[-1]
    for context in sizes.worst:
        worst = worst_inputs(
            network.rnn, context, 2 * sizes.worst[-1], channels=channels, generator=_generator(draw), steps=sizes.search
        )
        yield from _rows(network, worst, (context,), labels | {"inputs": WORST})


def _rows(
    network: Network, inputs: Tensor, contexts: Sequence[int], labels: dict[str, object]
) -> Iterator[dict[str, object]]:
    found, before = gaps(network.rnn, inputs, contexts)
    relative = found / size(network.rnn, last_state(network.rnn, inputs))[:, None].clamp(min=SMALLEST)
    for place, context in enumerate(contexts):
        tight = found[:, place] / (network.certified**context * before[:, place]).clamp(min=SMALLEST)
        usable = network.certified < 1 and found[:, place].max() > SMALLEST
        yield labels | {
            "context": context,
            "gap": found[:, place].max().item(),
            "tightness": tight[found[:, place] > SMALLEST].max().item() if usable else math.nan,
            "relative": relative[:, place].max().item(),
        }


def _steps(length: int) -> tuple[int, ...]:
    """1, 2, 3, 5, 8, … about three per doubling, and the whole length less one."""
    found = sorted({round(2 ** (step / 3)) for step in range(3 * length.bit_length())} | {length - 1})
    return tuple(step for step in found if step < length)


def _windows(
    network: Network, trial: Trial | None, text: Tensor | None, draw: int, sizes: Draws
) -> Iterator[dict[str, object]]:
    if network.certified >= 1:
        return
    labels = _labels(network, trial, draw)
    for name, inputs in _sequences(network, text, draw, sizes).items():
        contexts = range(1, inputs.shape[1])
        found, before = (each.amax(0) for each in gaps(network.rnn, inputs, contexts))
        for error in ERRORS:
            formula = window(network.certified, error, before.max().item())
            if formula >= inputs.shape[1] - 1:
                continue
            above = (found > error).nonzero()
            needed = 1 + (int(above.max()) + 1 if len(above) else 0)
            yield labels | {"inputs": name, "error": error, "needed": needed, "formula": formula}


TABLES = {make.__name__: Table(make) for make in (gaps_by_context, windows, ratios)}
