"""What a probe is: a small generated task that asks one thing of a model, with sequences of one length at a time."""

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import ClassVar, NamedTuple

import numpy as np
from jaxtyping import Float64, Int64

from inductive_bias.tasks.data import IGNORED


class Words(NamedTuple):
    """Sequences of one length: ``tokens [n, t]`` from 1 on, and ``labels [n, t]``, −1 where nothing is asked."""

    tokens: Int64[np.ndarray, "n t"]
    labels: Int64[np.ndarray, "n t"]


@dataclass(frozen=True)
class Question:
    """What a probe of sequences or of images asks.

    Attributes:
        name: of the probe, for people and files.
        axis: what the probe says something about.
        asks: the question in one sentence.
        source: where the idea comes from.
    """

    name: ClassVar[str]
    axis: ClassVar[str]
    asks: ClassVar[str]
    source: ClassVar[str] = ""


@dataclass(frozen=True)
class Probe(Question, ABC):
    """One question about sequences; a subclass draws them.

    Attributes:
        tokens: how many there are, without padding.
        outputs: answers to choose from.
        length: tokens of a training sequence.
        claim: the sentence that a high value stands for; empty if there is none.
    """

    claim: ClassVar[str] = ""
    tokens: ClassVar[int]
    outputs: ClassVar[int]
    length: ClassVar[int]

    @abstractmethod
    def draw(self, rng: np.random.Generator, count: int, length: int) -> Words:
        """Draw ``count`` sequences of one length, as they are in training."""


class Skill(Probe):
    """A rule to be learnt: every label has one right answer, at the training length and at longer ones."""


class Preference(Probe):
    """Training data that two rules explain; other sequences, on which the rules differ, show which one was learnt.

    Attributes:
        rules: the two; a share of 1 means that the first one was learnt.
    """

    rules: ClassVar[tuple[str, str]]

    @abstractmethod
    def conflict(self, rng: np.random.Generator, count: int, length: int) -> tuple[Words, Int64[np.ndarray, " n"]]:
        """Sequences with one question each, labelled by the first rule; and what the second rule answers."""


def asked_once(
    tokens: Int64[np.ndarray, "n t"], places: Int64[np.ndarray, " n"] | int, answers: Int64[np.ndarray, " n"]
) -> Words:
    """Sequences with one label each, at ``places``."""
    labels = np.full(tokens.shape, IGNORED)
    labels[np.arange(len(tokens)), places] = answers
    return Words(tokens, labels)


def fading_sums(values: Int64[np.ndarray, "n t"], decay: float) -> Float64[np.ndarray, "n t"]:
    """The sum of all values so far at every place, of which each fades: ``s_t = decay · s_{t−1} + values_t``."""
    sums, state = np.empty(values.shape), np.zeros(len(values))
    for place in range(values.shape[1]):
        sums[:, place] = state = decay * state + values[:, place]
    return sums
