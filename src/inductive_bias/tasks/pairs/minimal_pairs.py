"""Minimal pairs: two sentences that differ in little, one of them right; a language model should prefer that one."""

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

import torch
from jaxtyping import Float, Int64
from torch import Tensor

from inductive_bias.errors import DataError
from inductive_bias.tasks.vocabulary import EOS, PAD, UNK

Scoring = Literal["verb", "sentence"]


@dataclass(frozen=True, eq=False)
class MinimalPairs:
    """Pairs of sentences as ids: each row is ``BOS words EOS`` and padding.

    Attributes:
        name: Of the set, e.g. ``"wiki-dev"``.
        good: The right sentences, ``[n, t]``.
        bad: The wrong ones, ``[n, t]``.
        position: Where in the row the sentences differ, ``[n]``; −1 if they differ in length or in more than one word.
        rows: Where each pair came from, ``[n]``: the line of its file, or its number in a list, from 1; the lines of
            several files are counted through.
        scoring: What to compare: with ``"verb"`` log p(word | words before it) of the two words at ``position``, with
            ``"sentence"`` the sum of log p over each whole sentence, ``EOS`` included.
        source: Where they came from, e.g. ``"real:wiki-dev"``; never a path.
        slices: Integers ``[n]`` by name by which results are told apart: ``attractors``, ``distance`` (words from the
            subject to the verb), ``template`` (index into ``templates``).
        templates: Names of the constructions, where the set has several.
        left_out: Why there is no pair of a row, by row.
        texts: Both sentences as they were written, by row, left-out ones too; only of pairs of one's own.
        paradigms: The construction of each pair, by row, left-out ones too; only of pairs of one's own.
        sha256: SHA-256 of every file that was read, by name.

    Raises:
        DataError: If the parts do not fit each other.
    """

    name: str
    good: Int64[Tensor, "n t"]
    bad: Int64[Tensor, "n t"]
    position: Int64[Tensor, " n"]
    rows: Int64[Tensor, " n"]
    scoring: Scoring
    source: str
    slices: Mapping[str, Tensor] = field(default_factory=dict)
    templates: tuple[str, ...] = ()
    left_out: Mapping[int, str] = field(default_factory=dict)
    texts: Mapping[int, tuple[str, str]] = field(default_factory=dict)
    paradigms: Mapping[int, str] = field(default_factory=dict)
    sha256: Mapping[str, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if self.good.shape != self.bad.shape or not len(self.position) == len(self.rows) == len(self.good):
            raise DataError(
                f"{self.name}: good {list(self.good.shape)}, bad {list(self.bad.shape)}, {len(self.position)} "
                f"positions and {len(self.rows)} rows do not fit each other."
            )
        if len({*self.rows.tolist(), *self.left_out}) < len(self.rows) + len(self.left_out):
            raise DataError(f"{self.name}: every pair, left out or not, needs a row of its own.")
        for name, values in self.slices.items():
            if len(values) != len(self):
                raise DataError(f"{self.name} has {len(self)} pairs, but {len(values)} values of {name}.")
        if same := int((self.good == self.bad).all(1).sum()):
            raise DataError(f"{self.name}: right and wrong must differ, but in {same} of {len(self)} pairs do not.")
        if empty := int((((self.good > EOS).sum(1) == 0) | ((self.bad > EOS).sum(1) == 0)).sum()):
            raise DataError(f"{self.name}: every sentence needs a word, but {empty} of {len(self)} pairs have none.")
        if self.by_verb and bool((self.position < 1).any()):
            raise DataError(f"{self.name}: every pair scored by its verb has to differ in exactly one word.")

    def __len__(self) -> int:
        return len(self.good)

    @property
    def by_verb(self) -> bool:
        """Whether the two words at ``position`` are compared, rather than the whole sentences."""
        return self.scoring == "verb"

    @property
    def skipped(self) -> Mapping[str, int]:
        """How many pairs were left out, by reason."""
        return Counter(self.left_out.values())

    @property
    def unknown_share(self) -> float:
        """Share of ``<unk>`` among the words of the right sentences; 0 if there is no pair."""
        words = int((self.good != PAD).sum()) - 2 * len(self)
        return int((self.good == UNK).sum()) / words if words else 0.0


def pair_correct(good_logprob: Float[Tensor, " n"], bad_logprob: Float[Tensor, " n"]) -> Float[Tensor, " n"]:
    """1 where the right one has the higher log-probability, 1/2 on a tie, else 0; the mean is the accuracy.

    Raises:
        ValueError: If the shapes differ or a log-probability is NaN.
    """
    if good_logprob.shape != bad_logprob.shape:
        shapes = f"{tuple(good_logprob.shape)} and {tuple(bad_logprob.shape)}"
        raise ValueError(f"there must be as many right log-probabilities as wrong ones, not {shapes}")
    if bool(torch.isnan(good_logprob).any() | torch.isnan(bad_logprob).any()):
        raise ValueError("log-probabilities must be numbers, but some are NaN")
    return (good_logprob > bad_logprob).to(good_logprob.dtype) + 0.5 * (good_logprob == bad_logprob)
