"""Strings, and what is answered about them at empty tokens after them; also longer ones than those trained on."""

from functools import lru_cache, partial
from pathlib import Path
from typing import Annotated, ClassVar, Literal

import numpy as np
import torch
from jaxtyping import Int64
from pydantic import Field, model_validator
from torch import Tensor

from inductive_bias.settings import Setting
from inductive_bias.tasks import card
from inductive_bias.tasks.data import IGNORED, Split, TaskData
from inductive_bias.tasks.memory.streams import SPLITS, stream
from inductive_bias.tasks.transduction.rules import RULES, Rule, RuleName


class Transduction(Setting):
    """Read a string, then give its answers at as many empty tokens, which are all the same (Delétang et al. 2023).

    Nothing that was answered is ever an input. Training draws fresh strings in every step, all of one length
    (:meth:`draw`); the split ``train`` holds some of the same kind, by which data are shown and checked.

    Attributes:
        rule: which of :data:`~inductive_bias.tasks.transduction.RULE_NAMES`.
        train_lengths: shortest and longest training string, each length as probable as another.
        test_lengths: of the test strings, in order. Expressions are of odd length: an even one is one symbol shorter,
            here and in training, as in the paper's code.
        validation_size: validation strings of each training length.
        test_size: test strings of each length.
        batches: of an epoch: so many steps are made between two looks at the validation strings.
        data_seed: decides the fixed strings; the fresh ones are decided by the trial's seed.
    """

    generated: ClassVar[bool] = True
    data_sets: ClassVar[tuple[card.DataSet, ...]] = (card.TRANSDUCTIONS,)
    kind: Literal["generated_transduction"] = "generated_transduction"
    rule: RuleName
    train_lengths: tuple[int, int] = (1, 40)
    test_lengths: tuple[int, ...] = Field(default=tuple(range(41, 501)), min_length=1)
    validation_size: Annotated[int, Field(ge=1)] = 8
    test_size: Annotated[int, Field(ge=1)] = 64
    batches: Annotated[int, Field(ge=1)] = 250
    data_seed: Annotated[int, Field(ge=0)] = 0

    @model_validator(mode="after")
    def _lengths_rise(self) -> "Transduction":
        shortest, longest = self.train_lengths
        if not 1 <= shortest <= longest:
            raise ValueError(f"train_lengths must be at least 1 and rise, not {self.train_lengths}")
        if self.test_lengths[0] < 1 or list(self.test_lengths) != sorted(set(self.test_lengths)):
            raise ValueError(f"test_lengths must be at least 1 and rise, not {self.test_lengths}")
        return self

    @property
    def spec(self) -> Rule:
        """The rule itself."""
        return RULES[self.rule]

    @property
    def empty(self) -> int:
        """The id of the token at which answers are given."""
        return self.spec.symbols + 1

    @property
    def dimensions(self) -> dict[str, int]:
        """What a model must be made for: ids of tokens (0 is padding, the last one is empty), and classes."""
        return {"vocabulary": self.spec.symbols + 2, "outputs": self.spec.classes}

    @property
    def source(self) -> str:
        """Where the strings come from."""
        return f"generated:{self.rule}"

    def best_constant(self, length: int) -> float:
        """How often the best answer is right that knows a string's length and the place of an answer alone."""
        return float(self.spec.constant(self.spec.fitting(length)).mean())

    def lengths(self, split: str) -> tuple[int, ...]:
        """Lengths of the strings of a split, each once, in order."""
        first, last = self.train_lengths
        wanted = self.test_lengths if split == "test" else range(first, last + 1)
        return tuple(dict.fromkeys(map(self.spec.fitting, wanted)))

    def written(self, strings: Int64[np.ndarray, "n t"]) -> tuple[Int64[np.ndarray, "n a"], Int64[np.ndarray, "n a"]]:
        """Strings of one length as tokens (1 for symbol 0) with the empty ones, and the answers at these, −1 before."""
        answers = self.spec.answer(strings)
        tokens = np.concatenate((strings + 1, np.full_like(answers, self.empty)), axis=1)
        return tokens, np.concatenate((np.full_like(strings, IGNORED), answers), axis=1)

    def draw(self, count: int, generator: torch.Generator) -> tuple[Int64[Tensor, "n a"], Int64[Tensor, "n a"]]:
        """Fresh strings of one training length: tokens and labels, without padding."""
        shortest, longest = self.train_lengths
        length = self.spec.fitting(int(torch.randint(shortest, longest + 1, (), generator=generator)))
        uniform = torch.rand(count, length, dtype=torch.float64, generator=generator)
        tokens, labels = self.written(self.spec.drawn(uniform.numpy()))
        return torch.from_numpy(tokens), torch.from_numpy(labels)

    def load(self, root: Path | str | None = None, *, download: bool = True) -> TaskData:
        """The splits ``train``, ``validation`` and ``test``; no file is read, whatever the arguments.

        Inputs are int64 ``[n, a]``, 1 for symbol 0, empty tokens after them, padded on the right with 0; labels int64
        ``[n, a]``, −1 but at empty tokens; the slice ``length`` counts the symbols. Strings come by their lengths.
        """
        makers = {name: partial(_split, self, name) for name in SPLITS}
        return TaskData(makers, classes=self.spec.classes, sha256={}, is_sample=False)


@lru_cache(maxsize=16)
def _split(setting: Transduction, name: str) -> Split:
    lengths = setting.lengths(name)
    size = setting.test_size if name == "test" else setting.validation_size
    longest = lengths[-1] + setting.spec.outputs(lengths[-1])
    tokens = np.zeros((len(lengths) * size, longest), np.int64)
    labels = np.full_like(tokens, IGNORED)
    for place, length in enumerate(lengths):
        # a stream for every length: another choice of lengths leaves the strings of this one as they are
        uniform = stream(setting.data_seed, name, length).random((size, length))
        rows = slice(place * size, (place + 1) * size)
        written = setting.written(setting.spec.drawn(uniform))
        tokens[rows, : written[0].shape[1]], labels[rows, : written[0].shape[1]] = written
    slices = {"length": torch.from_numpy(np.repeat(lengths, size))}
    return Split(torch.from_numpy(tokens), torch.from_numpy(labels), setting.source, slices)
