"""One bit held among distractors: the flip-flop language of Liu et al. (2023, arXiv:2306.00946).

The flip-flop among the formal languages (Bhattamishra et al. 2020) is another: half of its symbols write, so that a
memory of a few steps is nearly enough however long a string is; and strings of 512 symbols are more than it can count.
Here writes and reads are rare.
"""

import math
from functools import lru_cache, partial
from pathlib import Path
from typing import Annotated, ClassVar, Literal

import numpy as np
import torch
from jaxtyping import Bool, Int64
from pydantic import Field, model_validator
from torch import Tensor

from inductive_bias.settings import Setting
from inductive_bias.tasks import card
from inductive_bias.tasks.data import IGNORED, Split, TaskData
from inductive_bias.tasks.memory.streams import SPLITS, stream

SOURCE = "generated:flip-flop language"
#: Symbols: 0 is padding; writing and ignoring come with a bit, reading asks for the one written last.
WRITE, IGNORE, READ = (1, 2), (3, 4), 5


class FlipFlop(Setting):
    """Say at every read which bit was written last; bits that come with *ignore* are distractors.

    A string begins with a write and ends with a read; between them every symbol is drawn by itself. An instruction and
    its bit are one symbol, where the original has two; only reads have a label.

    Attributes:
        writes: chance of a write, each bit as probable as the other.
        reads: chance of a read; what is left are distractors (0.8, as in the original).
        test_writes: chance of a write in test strings; as in training if None. Rare ones make the memory longer than
            any training string.
        train_lengths: shortest and longest training and validation string, all lengths as probable. Short strings are
            few, and may be in both.
        test_lengths: of the test strings.
        train_size: training strings; a smaller set is the beginning of a larger one.
        validation_size: validation strings.
        test_size: test strings of each length.
        data_seed: decides every draw.
    """

    generated: ClassVar[bool] = True
    data_sets: ClassVar[tuple[card.DataSet, ...]] = (card.MEMORY,)
    kind: Literal["generated_flip_flop"] = "generated_flip_flop"
    writes: Annotated[float, Field(ge=0, le=1)] = 0.1
    reads: Annotated[float, Field(ge=0, le=1)] = 0.1
    test_writes: Annotated[float, Field(ge=0, le=1)] | None = None
    train_lengths: tuple[int, int] = (2, 32)
    test_lengths: tuple[int, ...] = Field(default=(32, 64, 128, 256, 512), min_length=1)
    train_size: Annotated[int, Field(ge=1)] = 10_000
    validation_size: Annotated[int, Field(ge=1)] = 1_000
    test_size: Annotated[int, Field(ge=1)] = 200
    data_seed: Annotated[int, Field(ge=0)] = 0

    @model_validator(mode="after")
    def _fits(self) -> "FlipFlop":
        for name, writes in (("writes", self.writes), ("test_writes", self.test_writes or 0.0)):
            if writes + self.reads > 1:
                raise ValueError(f"{name}={writes} and reads={self.reads} must not be more than 1 together")
        shortest, longest = self.train_lengths
        if not 2 <= shortest <= longest:
            raise ValueError(f"train_lengths must be at least 2 (a write, a read) and rise, not {self.train_lengths}")
        if self.test_lengths[0] < 2 or list(self.test_lengths) != sorted(set(self.test_lengths)):
            raise ValueError(f"test_lengths must be at least 2 and rise, not {self.test_lengths}")
        return self

    @property
    def dimensions(self) -> dict[str, int]:
        """What a model must be made for: ids of tokens (0 is padding), and two bits to choose from."""
        return {"vocabulary": READ + 1, "outputs": 2}

    @property
    def baseline_nll(self) -> float:
        """Nats per read of a guess without memory."""
        return math.log(2)

    @staticmethod
    def asked(labels: Int64[Tensor, "n t"]) -> Bool[Tensor, "n t"]:
        """Where a bit has to be remembered: at the reads."""
        return labels != IGNORED

    @staticmethod
    def distances(inputs: Int64[Tensor, "n t"]) -> Int64[Tensor, "n t"]:
        """Symbols from a read back to the bit that it asks for, at least 1; −1 elsewhere."""
        tokens = inputs.numpy()
        return torch.from_numpy(np.where(tokens == READ, np.arange(tokens.shape[1]) - last_write(tokens), IGNORED))

    def load(self, root: Path | str | None = None, *, download: bool = True) -> TaskData:
        """The splits ``train``, ``validation`` and ``test``; no file is read, whatever the arguments.

        Inputs are int64 ``[n, t]``, padded on the right with 0; labels int64 ``[n, t]``, −1 but at reads; the slice
        ``length`` counts the symbols.
        """
        return TaskData({name: partial(_split, self, name) for name in SPLITS}, classes=2, sha256={}, is_sample=False)


@lru_cache(maxsize=8)
def _split(setting: FlipFlop, name: str) -> Split:
    if name == "test":
        longest, lengths = setting.test_lengths[-1], np.repeat(setting.test_lengths, setting.test_size)
    else:
        shortest, longest = setting.train_lengths
        size = getattr(setting, f"{name}_size")
        lengths = stream(setting.data_seed, name, 2).integers(shortest, longest, size, endpoint=True)
    shape = len(lengths), longest
    chance, bits = stream(setting.data_seed, name, 0).random(shape), stream(setting.data_seed, name, 1).random(shape)
    writes = setting.writes if name != "test" or setting.test_writes is None else setting.test_writes
    tokens = symbols(chance, (bits < 0.5).astype(np.int64), lengths, writes=writes, reads=setting.reads)
    slices = {"length": torch.from_numpy(lengths)}
    return Split(torch.from_numpy(tokens), torch.from_numpy(answers(tokens)), SOURCE, slices)


def symbols(chance: np.ndarray, bits: np.ndarray, lengths: np.ndarray, *, writes: float, reads: float) -> np.ndarray:
    """Strings ``[n, t]`` of uniform numbers and bits ``[n, t]``: the lowest numbers write, the next ones read."""
    tokens = np.where(chance < writes, WRITE[0] + bits, np.where(chance < writes + reads, READ, IGNORE[0] + bits))
    tokens[:, 0] = WRITE[0] + bits[:, 0]
    tokens[np.arange(len(lengths)), lengths - 1] = READ
    return np.where(np.arange(tokens.shape[1]) < lengths[:, None], tokens, 0)


def last_write(tokens: np.ndarray) -> np.ndarray:
    """The place of the write before or at every place ``[n, t]``; 0 before the first."""
    return np.maximum.accumulate(np.where(np.isin(tokens, WRITE), np.arange(tokens.shape[1]), 0), axis=1)


def answers(tokens: np.ndarray) -> np.ndarray:
    """The bit written last at every read, −1 elsewhere."""
    bits = np.take_along_axis(tokens, last_write(tokens), axis=1) - WRITE[0]
    return np.where(tokens == READ, bits, IGNORED)
