"""Tables made from random networks and from trained ones: gaps by context, windows that are enough, one-step ratios."""

import math
from collections.abc import Iterator, Sequence

import pandas as pd
import torch
from torch import Tensor, nn

from inductive_bias.analysis.truncation import gaps, in_float64, largest_ratio, last_state, size, window, worst_inputs
from inductive_bias.layers import certified_contraction
from inductive_bias.studies.runs import Runs, Table
from inductive_bias.studies.truncation.design import SIZES, Sizes
from inductive_bias.studies.truncation.networks import Network, random_networks
from inductive_bias.trials import Trial

#: Inputs: uniform in [−1, 1], test text as the network embeds it, and the worst that a search finds.
RANDOM, TEXT, WORST = "random", "text", "worst"
#: Sequences of random inputs or text that are looked at; the largest gap of them counts.
SEQUENCES = 8
#: Errors of a state for which a window is asked, and the gap below which float64 has nothing to say.
ERRORS = (1e-1, 1e-2, 1e-3, 1e-4, 1e-5, 1e-6)
SMALLEST = 1e-12


def gaps_by_context(runs: Runs) -> pd.DataFrame:
    """The gap of the last state by context, one row a network, kind of inputs and context.

    Columns ``family, states, limit`` (the level of its bound), ``certified, draw, trial`` (of trained ones), ``inputs,
    context, gap``, ``tightness`` (the largest gap/(λ^k ‖h_{t−k}‖) of a sequence; none without a certificate) and
    ``relative``, gap/‖h_t‖. The worst inputs are searched for every context anew, at one length.
    """
    sizes = SIZES[runs.scale]
    return pd.DataFrame(row for draw, known in _networks(runs) for row in _gaps(*known, draw, sizes))


def windows(runs: Runs) -> pd.DataFrame:
    """The smallest context from which on the gap stays below an error, beside the formula's; ``needed, formula``.

    On random inputs and text, of networks with a certificate below 1. A window that the formula places beyond the
    sequence is left out, as is an error below what float64 tells apart.
    """
    sizes = SIZES[runs.scale]
    return pd.DataFrame(row for draw, known in _networks(runs) for row in _windows(*known, draw, sizes))


def ratios(runs: Runs) -> pd.DataFrame:
    """The certificate of every network and the largest one-step ratio that a search finds: ``certified, measured``."""
    rows = []
    for draw, (network, trial, _) in _networks(runs):
        if not isinstance(network.rnn, nn.RNNBase):
            continue  # of a linear one both are the norm
        measured = largest_ratio(network.rnn, generator=_generator(draw), steps=SIZES[runs.scale].search)
        rows.append(_labels(network, trial, draw) | {"measured": measured})
    return pd.DataFrame(rows)


def _networks(runs: Runs) -> Iterator[tuple[int, tuple[Network, Trial | None, Tensor | None]]]:
    """By draw: random networks, then the trained ones of the same seed with the text that they read."""
    trials = runs.trials()
    for draw in sorted({trial.seed for trial in trials}):
        for network in random_networks(SIZES[runs.scale], draw):
            yield draw, (network, None, None)
    for trial in trials:
        model, bound = runs.model(trial), _bound(runs, trial)
        text = runs.data(trial)["test"].inputs.flatten()[: SEQUENCES * SIZES[runs.scale].length]
        driven = model.driven(text.unflatten(0, (SEQUENCES, -1))).detach().double()
        rnn = in_float64(model.rnn)
        family = f"{trial.model.name}, trained"
        yield (
            trial.seed,
            (Network(family, trial.model.states, bound, certified_contraction(rnn, 1.0), rnn), trial, driven),
        )


def _bound(runs: Runs, trial: Trial) -> str:
    return runs.design.members(runs.scale)[trial.id][0]["bound"]


def _labels(network: Network, trial: Trial | None, draw: int) -> dict[str, object]:
    known = {name: value for name, value in network._asdict().items() if name != "rnn"}
    return known | {"draw": draw, "trial": trial.id if trial else None}


def _generator(draw: int) -> torch.Generator:
    return torch.Generator().manual_seed(1_000 + draw)


def _sequences(network: Network, text: Tensor | None, draw: int, sizes: Sizes) -> dict[str, Tensor]:
    channels = sizes.channels if text is None else text.shape[-1]
    uniform = torch.rand(SEQUENCES, sizes.length, channels, dtype=torch.float64, generator=_generator(draw)) * 2 - 1
    return {RANDOM: uniform} | ({} if text is None else {TEXT: text})


def _gaps(
    network: Network, trial: Trial | None, text: Tensor | None, draw: int, sizes: Sizes
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
    network: Network, trial: Trial | None, text: Tensor | None, draw: int, sizes: Sizes
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
