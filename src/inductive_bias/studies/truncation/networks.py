"""Random networks: layers at a chosen bound, drawn anew for every seed. Nothing here is trained."""

from collections.abc import Callable, Iterator
from itertools import product
from typing import NamedTuple

import torch
from torch import nn

from inductive_bias.analysis.truncation import in_float64
from inductive_bias.layers import LinearRNN, StableLSTM, StableRNN, certified_contraction
from inductive_bias.studies.truncation.design import BOUNDS, FORGET, Sizes


class Network(NamedTuple):
    """A layer in float64 with what is known of it."""

    family: str
    states: int
    limit: str
    certified: float
    rnn: nn.Module


#: Every weight of a random LSTM begins so much larger than PyTorch's, so that every budget is used up.
BEYOND = 8.0


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


FAMILIES: dict[str, Callable[[int, int], nn.Module]] = {
    "linear, orthogonal": linear_orthogonal,
    "tanh, orthogonal": tanh_orthogonal,
    "tanh, Gaussian": tanh_gaussian,
}
AT_BUDGETS = "LSTM at its budgets"
ORTHOGONAL = tuple(FAMILIES)[:2]


def lstm_at_budgets(channels: int, states: int, bound: str) -> nn.LSTM:
    """All constrained rows at their budgets; what no budget binds is as large as the rest began."""
    lstm = nn.LSTM(channels, states, batch_first=True)
    with torch.no_grad():
        for weight in lstm.parameters():
            weight.mul_(BEYOND)
    StableLSTM(forget=FORGET[bound], contraction=BOUNDS[bound]).apply_(lstm)
    return lstm


def random_networks(sizes: Sizes, draw: int) -> Iterator[Network]:
    """Every family, size and bound of one draw."""
    for family, states, bound in product(FAMILIES, sizes.drawn, BOUNDS):
        with torch.random.fork_rng(devices=[]):
            torch.manual_seed(draw)
            rnn = FAMILIES[family](sizes.channels, states)
        StableRNN(contraction=BOUNDS[bound], form="rescaled").apply_(rnn)
        rnn = in_float64(rnn)
        yield Network(family, states, bound, certified_contraction(rnn), rnn)
    for states, bound in product(sizes.drawn, FORGET):
        with torch.random.fork_rng(devices=[]):
            torch.manual_seed(draw)
            rnn = in_float64(lstm_at_budgets(sizes.channels, states, bound))
        yield Network(AT_BUDGETS, states, bound, certified_contraction(rnn, 1.0), rnn)
