"""Two generated tasks on real-valued sequences: one that a linear RNN solves exactly, and one that it cannot.

``filter``: each output is its channel of white noise behind a filter with known poles, ``z_t = p z_{t−1} + u_t``, read
out as Re z_t. It is itself a linear RNN, so the poles that a model should find are known.

``flip_flop`` (Sussillo & Barak 2013, *Opening the black box*): rare pulses of ±1 on each channel, and the output holds
the sign of the last one. Held for ever and forgotten at once: no linear system does both.
"""

import cmath
import math
from functools import lru_cache, partial
from pathlib import Path
from typing import Annotated, ClassVar, Literal

import numpy as np
import torch
from jaxtyping import Float64
from pydantic import Field

from inductive_bias.settings import Setting
from inductive_bias.tasks import card
from inductive_bias.tasks.data import Split, TaskData

#: The poles of ``filter``, one a channel: a slow decay, and a turn by 30° a step.
POLES: tuple[complex, ...] = (0.9 + 0j, 0.95 * cmath.exp(1j * math.pi / 6))
CHANNELS = len(POLES)
#: Chance of a pulse of ``flip_flop`` at each step of each channel.
PULSES = 0.1
SPLITS = ("train", "validation", "test")


class GeneratedSignals(Setting):
    """Say at every step what the filters, or the flip-flops, of the two channels hold.

    Attributes:
        target: ``filter`` or ``flip_flop``.
        train_size: training sequences; a smaller set is the beginning of a larger one.
        validation_size: validation sequences.
        test_size: test sequences.
        length: steps of each.
        data_seed: decides every draw.
    """

    generated: ClassVar[bool] = True
    data_sets: ClassVar[tuple[card.DataSet, ...]] = (card.SIGNALS,)
    kind: Literal["generated_signals"] = "generated_signals"
    target: Literal["filter", "flip_flop"] = "filter"
    train_size: Annotated[int, Field(ge=1)] = 1_024
    validation_size: Annotated[int, Field(ge=1)] = 128
    test_size: Annotated[int, Field(ge=1)] = 256
    length: Annotated[int, Field(ge=2)] = 50
    data_seed: Annotated[int, Field(ge=0)] = 0

    @property
    def dimensions(self) -> dict[str, int]:
        """What a model must be made for: channels in, outputs at every step."""
        return {"channels": CHANNELS, "outputs": CHANNELS}

    def load(self, root: Path | str | None = None, *, download: bool = True) -> TaskData:
        """The splits ``train``, ``validation`` and ``test``; no file is read, whatever the arguments.

        Inputs and labels are float32 ``[n, length, 2]``; the labels of ``filter`` have unit variance in the long run.
        """
        sizes = {name: getattr(self, f"{name}_size") for name in SPLITS}
        makers = {name: partial(_split, self, name, size) for name, size in sizes.items()}
        return TaskData(makers, classes=0, sha256={}, is_sample=True)


@lru_cache(maxsize=8)
def _split(setting: GeneratedSignals, name: str, size: int) -> Split:
    rng = np.random.default_rng((setting.data_seed, SPLITS.index(name)))
    shape = (size, setting.length, CHANNELS)
    if setting.target == "filter":
        inputs = rng.standard_normal(shape)
        labels = filtered(inputs)
    else:
        inputs = rng.choice((-1.0, 0.0, 1.0), p=(PULSES / 2, 1 - PULSES, PULSES / 2), size=shape)
        labels = last_pulse(inputs)
    source = f"generated:{setting.target.replace('_', '-')}"
    return Split(torch.tensor(inputs, dtype=torch.float32), torch.tensor(labels, dtype=torch.float32), source)


def filtered(inputs: Float64[np.ndarray, "n t c"]) -> Float64[np.ndarray, "n t c"]:
    """Re z_t of ``z_t = p z_{t−1} + u_t`` for each channel's pole p, divided by its deviation under white noise."""
    poles = np.array(POLES)
    state, found = np.zeros((len(inputs), CHANNELS), dtype=complex), []
    for step in range(inputs.shape[1]):
        state = poles * state + inputs[:, step]
        found.append(state.real)
    # Σ (Re pⁿ)² over all lags, in closed form: Re² = (|p|²ⁿ + Re p²ⁿ) / 2
    variance = (1 / (1 - np.abs(poles) ** 2) + (1 / (1 - poles**2)).real) / 2
    return np.stack(found, 1) / np.sqrt(variance)


def last_pulse(inputs: Float64[np.ndarray, "n t c"]) -> Float64[np.ndarray, "n t c"]:
    """The last value of each channel that was not 0, or 0 before the first."""
    steps = np.arange(inputs.shape[1])[None, :, None]
    last = np.maximum.accumulate(np.where(inputs != 0, steps, 0), axis=1)
    return np.take_along_axis(inputs, last, axis=1)
