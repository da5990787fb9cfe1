"""Sequences with a target that is recurrent in one part and a lookup in the other: any proportion, from a seed."""

import math
from functools import lru_cache, partial
from pathlib import Path
from typing import Annotated, ClassVar, Literal, NamedTuple

import numpy as np
import torch
from jaxtyping import Float
from pydantic import Field, model_validator

from inductive_bias.settings import Setting
from inductive_bias.tasks import card
from inductive_bias.tasks.data import Split, TaskData
from inductive_bias.tasks.signals.recurrence import impulse_response, respond, saturate, saturated_variance

SOURCE = "generated:mixed signal"
#: Which stream of random numbers a split is drawn from.
STREAMS = {"train": 0, "validation": 1, "test": 2}

Pole = Annotated[float, Field(gt=-1, lt=1)]
Pair = tuple[Annotated[float, Field(gt=0, lt=1)], Annotated[float, Field(gt=0, le=math.pi)]]


class MixedSignal(Setting):
    """The target of position t is ``√ρ · r_t + √(1 − ρ) · l_t + noise``, on the last ``scored`` positions.

    Every token carries four things, all new in every sequence: a drive (normal, variance 1), a value (the same), a key
    and a query (unit vectors of ``key_size``). The recurrent part r is the response of a linear recurrence to the
    drives, from rest (:func:`~inductive_bias.tasks.signals.recurrence.impulse_response`). The lookup part l is the
    value of that earlier token, any of them with equal probability, whose key is the query of t. Key and value stand
    in one token, so that a single layer of attention can look up; keys are directions never seen before, as many as
    there are tokens, so that a state of constant size cannot hold them all.

    Both parts are independent, with mean 0 and variance 1 on average over the scored positions: ρ is the recurrent
    part's share of the variance of the noise-free target, and 1 − ρ the lookup's. The noise has the variance ``noise``
    and depends on nothing, so no model can have an expected squared error below ``noise``; the true poles and an exact
    lookup reach it.

    Attributes:
        rho: ρ, from 0 (lookup alone) to 1 (recurrence alone).
        train_size: Training sequences; those of a smaller set are the first of a larger one.
        validation_size: Validation sequences.
        test_size: Test sequences, at least 2.
        data_seed: Decides every draw; the draws are the same for every ρ.
        length: Tokens of a sequence.
        scored: How many positions, the last ones, have a target.
        key_size: Dimensions of keys and queries.
        real_poles: λ of the recurrence's real modes.
        complex_poles: (γ, θ) of its conjugate pairs γ e^{±iθ}, θ in radians.
        gain: If given, the recurrent part is no response of poles but a state that saturates, with this weight on
            itself (:func:`~inductive_bias.tasks.signals.recurrence.saturate`).
        noise: Variance of the noise; that of the rest of the target is 1.
    """

    generated: ClassVar[bool] = True
    data_sets: ClassVar[tuple[card.DataSet, ...]] = (card.MIXED_SIGNALS,)
    kind: Literal["generated_mixed_signal"] = "generated_mixed_signal"
    rho: Annotated[float, Field(ge=0, le=1)] = 0.5
    train_size: Annotated[int, Field(ge=1)] = 1024
    validation_size: Annotated[int, Field(ge=1)] = 256
    test_size: Annotated[int, Field(ge=2)] = 512
    data_seed: Annotated[int, Field(ge=0)] = 0
    length: Annotated[int, Field(ge=2)] = 32
    scored: Annotated[int, Field(ge=1)] = 16
    key_size: Annotated[int, Field(ge=2)] = 8
    real_poles: tuple[Pole, ...] = (0.92,)
    complex_poles: tuple[Pair, ...] = ((0.88, 0.9),)
    gain: Annotated[float, Field(gt=0)] | None = None
    noise: Annotated[float, Field(ge=0)] = 0.1

    @model_validator(mode="after")
    def _fits(self) -> "MixedSignal":
        if self.scored >= self.length:
            raise ValueError(f"scored={self.scored} must be below length={self.length}: a lookup needs a past")
        if not self.real_poles and not self.complex_poles:
            raise ValueError("real_poles and complex_poles must not both be empty: the recurrence needs a pole")
        return self

    @property
    def dimensions(self) -> dict[str, int]:
        """What a model must be made for: real numbers a token, and one output a token."""
        return {"outputs": 1, "channels": 2 + 2 * self.key_size}

    @property
    def response(self) -> Float[np.ndarray, " t"]:
        """The recurrence's impulse response, by lag."""
        return impulse_response(self.real_poles, self.complex_poles, self.length, scored=self.scored)

    def load(self, root: Path | str | None = None, *, download: bool = True) -> TaskData:
        """The splits ``train``, ``validation``, ``test`` and ``crossed``; no file is read, whatever the arguments.

        Inputs are float32 ``[n, length, channels]``: drive, value, key, query; labels float32 ``[n, scored]``, of the
        last positions. Those of ``train`` and ``validation`` have noise, those of ``test`` and ``crossed`` have none.
        Sequence i of ``crossed`` has the drives of test sequence i and the values, keys and queries of the next one
        (the first follows the last): what a model's errors owe to either part can be told apart by it.
        """
        return _load(self)


class Draws(NamedTuple):
    """The random parts of n sequences: ``sources[i, t]`` is the earlier position whose key is the query of t."""

    drive: Float[np.ndarray, "n t"]
    value: Float[np.ndarray, "n t"]
    key: Float[np.ndarray, "n t k"]
    sources: np.ndarray
    noise: Float[np.ndarray, "n t"]


def draw(setting: MixedSignal, split: str, size: int) -> Draws:
    """The first ``size`` sequences of a split's stream; each quantity has a stream of its own, row after row."""

    def stream(quantity: int) -> np.random.Generator:
        return np.random.default_rng((setting.data_seed, STREAMS[split], quantity))

    shape = (size, setting.length)
    key = stream(2).standard_normal((*shape, setting.key_size))
    # the first token has no past: it asks for itself, and is never scored
    sources = np.floor(stream(3).random(shape) * np.maximum(np.arange(setting.length), 1)).astype(np.int64)
    return Draws(
        drive=stream(0).standard_normal(shape),
        value=stream(1).standard_normal(shape),
        key=key / np.linalg.norm(key, axis=-1, keepdims=True),
        sources=sources,
        noise=math.sqrt(setting.noise) * stream(4).standard_normal(shape),
    )


def crossed(draws: Draws) -> Draws:
    """The drives of every sequence with the values, keys and queries of the next."""
    return draws._replace(**{name: np.roll(getattr(draws, name), -1, 0) for name in ("value", "key", "sources")})


def inputs_of(draws: Draws) -> Float[np.ndarray, "n t c"]:
    """Drive, value, key and query of every token, side by side."""
    query = np.take_along_axis(draws.key, draws.sources[:, :, None], axis=1)
    return np.concatenate((draws.drive[:, :, None], draws.value[:, :, None], draws.key, query), axis=-1)


def parts_of(setting: MixedSignal, draws: Draws) -> tuple[Float[np.ndarray, "n s"], Float[np.ndarray, "n s"]]:
    """The recurrent and the lookup part of the scored positions, each of variance 1, before they are mixed."""
    if setting.gain is None:
        recurrent = respond(draws.drive, setting.response)
    else:
        variance = saturated_variance(setting.gain, setting.length, scored=setting.scored)
        recurrent = saturate(draws.drive, setting.gain) / math.sqrt(variance)
    lookup = np.take_along_axis(draws.value, draws.sources, axis=1)
    return recurrent[:, -setting.scored :], lookup[:, -setting.scored :]


def _split(setting: MixedSignal, draws: Draws, *, noisy: bool) -> Split:
    recurrent, lookup = parts_of(setting, draws)
    target = math.sqrt(setting.rho) * recurrent + math.sqrt(1 - setting.rho) * lookup
    if noisy:
        target = target + draws.noise[:, -setting.scored :]
    return Split(*(torch.from_numpy(each.astype(np.float32)) for each in (inputs_of(draws), target)), SOURCE)


@lru_cache(maxsize=4)
def _load(setting: MixedSignal) -> TaskData:
    sizes = {"train": setting.train_size, "validation": setting.validation_size}
    makers = {
        name: partial(lambda name, size: _split(setting, draw(setting, name, size), noisy=True), name, size)
        for name, size in sizes.items()
    }
    test = draw(setting, "test", setting.test_size)
    makers["test"] = partial(_split, setting, test, noisy=False)
    makers["crossed"] = partial(_split, setting, crossed(test), noisy=False)
    return TaskData(makers, classes=1, sha256={}, is_sample=True)
