"""Simulating automata on other words than those of training: longer ones, and ones with more or fewer ones."""

from functools import lru_cache, partial
from pathlib import Path
from typing import Annotated, ClassVar, Literal

import numpy as np
import torch
from jaxtyping import Bool, Float, Int64
from pydantic import Field, model_validator
from torch import Tensor

from inductive_bias.settings import Setting
from inductive_bias.tasks import card
from inductive_bias.tasks.automata.sources import Source, SourceName, source
from inductive_bias.tasks.data import IGNORED, Split, TaskData
from inductive_bias.tasks.memory.streams import stream

Share = Annotated[float, Field(ge=0, le=1)]
#: The split of words with another share of ones.
SHARES = "shares"


class ShiftedStates(Setting):
    """Words of 1 to ``length`` actions, padded on the right; the label of a position is the state after its action.

    Training draws fresh words in every step (:meth:`draw`). ``validation`` words are of the same kind, ``test`` words
    are longer, and the words of :data:`SHARES` are as long as the longest of training, with other shares of ones.

    Attributes:
        automaton: which of :data:`~inductive_bias.tasks.automata.sources.SOURCE_NAMES`.
        length: actions of the longest training word.
        longest: actions of the test words: more than twice as many.
        share: how often a one comes in training, validation and test words.
        shares: how often it comes in the other words.
        scratchpad: whether the state is written down after every action (σ₁ q₁ σ₂ q₂ …): in training the right one, in
            the test what the model said. Then positions after an action alone have a label.
        begun: whether a token of its own stands before every word, without a label.
        patient: whether training goes on when all is right.
        validation_size: validation words.
        test_size: test words, and words of each share.
        data_seed: decides the fixed words; the fresh ones are decided by the trial's seed.
    """

    generated: ClassVar[bool] = True
    data_sets: ClassVar[tuple[card.DataSet, ...]] = (card.AUTOMATA,)
    kind: Literal["generated_shifted_states"] = "generated_shifted_states"
    automaton: SourceName
    length: Annotated[int, Field(ge=1)] = 40
    longest: Annotated[int, Field(ge=3)] = 160
    share: Share = 0.5
    shares: tuple[Share, ...] = (0.05, 0.1, 0.2, 0.35, 0.5, 0.65, 0.8, 0.9, 0.95)
    scratchpad: bool = False
    begun: bool = False
    patient: bool = False
    validation_size: Annotated[int, Field(ge=2)] = 500
    test_size: Annotated[int, Field(ge=1)] = 500
    data_seed: Annotated[int, Field(ge=0)] = 0

    @model_validator(mode="after")
    def _test_words_are_longer(self) -> "ShiftedStates":
        if self.longest <= 2 * self.length:
            raise ValueError(f"longest must be more than twice length={self.length}, not {self.longest}")
        return self

    @model_validator(mode="after")
    def _one_kind_of_tokens_more(self) -> "ShiftedStates":
        if self.begun and self.scratchpad:
            raise ValueError("words have a token before them, begun, or states between them, scratchpad, but not both")
        return self

    @model_validator(mode="after")
    def _shares_rise(self) -> "ShiftedStates":
        if not self.shares or list(self.shares) != sorted(set(self.shares)):
            raise ValueError(f"shares must be at least one and rise, but they are {self.shares}")
        return self

    @property
    def origin(self) -> Source:
        """What draws the words and knows the states."""
        return source(self.automaton)

    @property
    def written(self) -> int:
        """The token of state 0, where states are written down, those of the others follow; or that before a word."""
        return len(self.origin.machine.actions) + 1

    @property
    def dimensions(self) -> dict[str, int]:
        """What a model must be made for: ids of tokens (0 is padding), and the states to choose from."""
        states = len(self.origin.machine.states)
        return {"vocabulary": self.written + states * self.scratchpad + self.begun, "outputs": states}

    @property
    def source(self) -> str:
        """Where the words come from."""
        return f"generated:{self.automaton}"

    def best_constant(self, length: int, share: float | None = None) -> Float[np.ndarray, " t"]:
        """How often the best answer that knows the position alone is right, after 1 … ``length`` actions."""
        return self.origin.best_constant(length, self.share if share is None else share)

    def draw(self, count: int, generator: torch.Generator) -> tuple[Int64[Tensor, "n t"], Int64[Tensor, "n t"]]:
        """Fresh words of 1 to ``length`` actions, as tokens (1 for action 0), and labels, −1 where there is none."""
        lengths = torch.randint(1, self.length + 1, (count,), generator=generator).numpy()
        uniform = torch.rand(count, self.length, dtype=torch.float64, generator=generator).numpy()
        tokens, labels = self.shown(*self.origin.words(uniform, self.share), lengths)
        return torch.from_numpy(tokens), torch.from_numpy(labels)

    def shown(
        self, words: Int64[np.ndarray, "n t"], states: Int64[np.ndarray, "n t"], lengths: Int64[np.ndarray, " n"]
    ) -> tuple[Int64[np.ndarray, "n m"], Int64[np.ndarray, "n m"]]:
        """Tokens and labels of words of these lengths; m is t, with a scratchpad 2t, with a token before them t + 1."""
        real: Bool[np.ndarray, "n t"] = np.arange(words.shape[1]) < lengths[:, None]
        tokens, labels = np.where(real, words + 1, 0), np.where(real, states, IGNORED)
        if self.begun:
            before = ((0, 0), (1, 0))
            tokens, labels = (
                np.pad(tokens, before, constant_values=self.written),
                np.pad(labels, before, constant_values=IGNORED),
            )
        if not self.scratchpad:
            return tokens, labels
        noted = np.where(real, states + self.written, 0)
        nothing = np.full_like(labels, IGNORED)
        return tuple(np.stack(pair, 2).reshape(len(words), -1) for pair in ((tokens, noted), (labels, nothing)))

    def load(self, root: Path | str | None = None, *, download: bool = True) -> TaskData:
        """The splits ``train``, ``validation``, ``test`` and :data:`SHARES`; no file is read, whatever the arguments.

        Inputs and labels are int64 ``[n, m]``, padded on the right with 0 and −1. The slice ``length`` counts tokens,
        ``ones`` counts ones, and ``share`` is the place in ``shares``, −1 in other splits.
        """
        makers = {name: partial(_split, self, name) for name in ("train", "validation", "test", SHARES)}
        names = self.origin.machine.states
        return TaskData(makers, classes=len(names), sha256={}, is_sample=False, label_names=names)


@lru_cache(maxsize=16)
def _split(setting: ShiftedStates, name: str) -> Split:
    kept = "train" if name == "train" else "validation" if name == "validation" else "test"
    # a quantity of its own for each: no split has the words of another
    lengths_of, numbers = (stream(setting.data_seed, kept, 2 * (name == SHARES) + more) for more in (0, 1))
    each, shares = setting.test_size, [setting.share]
    if name == SHARES:
        shares, lengths = setting.shares, np.full(each, setting.length)
    elif name == "test":
        lengths = np.full(each, setting.longest)
    else:
        lengths = lengths_of.integers(1, setting.length + 1, setting.validation_size)
    tokens, labels, ones, places = [], [], [], []
    for place, share in enumerate(shares):
        words, states = setting.origin.words(numbers.random((len(lengths), lengths.max())), share)
        shown = setting.shown(words, states, lengths)
        tokens.append(shown[0])
        labels.append(shown[1])
        real = np.arange(words.shape[1]) < lengths[:, None]
        ones.append((setting.origin.is_one(words) & real).sum(1))
        places.append(np.full(len(words), place if name == SHARES else -1))
    counted = np.tile(lengths * (1 + setting.scratchpad) + setting.begun, len(shares))
    slices = {"length": counted, "ones": np.concatenate(ones), "share": np.concatenate(places)}
    tensors = (torch.from_numpy(np.concatenate(parts)) for parts in (tokens, labels))
    return Split(*tensors, setting.source, {key: torch.from_numpy(value) for key, value in slices.items()})
