"""Parity with one answer: whether the ones of a string are odd, asked after its last bit."""

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

SOURCE = "generated:last_parity"


class LastParity(Setting):
    """Say after the last bit of a string whether its ones are odd; nothing is asked before.

    All strings of the length stand in a random order, which has none of them twice: training takes from its beginning,
    test and validation from its end, so that no string that is tested was learnt. The test split has strings of twice
    the length besides, each drawn by itself.

    Attributes:
        length: bits of a string, T.
        train_size: training strings; a smaller set is the beginning of a larger one.
        validation_size: validation strings, or an eighth of all if these are fewer.
        test_size: test strings of either length; or of the first one a quarter of all if these are fewer.
        data_seed: decides every draw.
    """

    generated: ClassVar[bool] = True
    data_sets: ClassVar[tuple[card.DataSet, ...]] = (card.MEMORY,)
    kind: Literal["generated_last_parity"] = "generated_last_parity"
    length: Annotated[int, Field(ge=3, le=20)] = 12
    train_size: Annotated[int, Field(ge=1)] = 1_024
    validation_size: Annotated[int, Field(ge=1)] = 1_024
    test_size: Annotated[int, Field(ge=1)] = 2_048
    data_seed: Annotated[int, Field(ge=0)] = 0

    @model_validator(mode="after")
    def _strings_suffice(self) -> "LastParity":
        left = 2**self.length - self.size("validation") - self.size("test")
        if self.train_size > left:
            raise ValueError(f"of {2**self.length} strings {left} are left for training, fewer than {self.train_size}")
        return self

    def size(self, split: str) -> int:
        """Strings of :attr:`length` in a split."""
        if split == "train":
            return self.train_size
        return min(getattr(self, f"{split}_size"), 2**self.length // {"validation": 8, "test": 4}[split])

    @property
    def dimensions(self) -> dict[str, int]:
        """What a model must be made for: ids of tokens (0 is padding), and even or odd."""
        return {"vocabulary": 3, "outputs": 2}

    @property
    def baseline_nll(self) -> float:
        """Nats of a guess."""
        return math.log(2)

    @staticmethod
    def asked(labels: Int64[Tensor, "n t"]) -> Bool[Tensor, "n t"]:
        """Where something is asked: after the last bit."""
        return labels != IGNORED

    def load(self, root: Path | str | None = None, *, download: bool = True) -> TaskData:
        """The splits ``train``, ``validation`` and ``test``; no file is read, whatever the arguments.

        Inputs are int64 ``[n, t]``, 1 for the bit 0, padded on the right with 0; labels int64 ``[n, t]``, −1 but at the
        last bit; the slice ``length`` counts the bits.
        """
        return TaskData({name: partial(_split, self, name) for name in SPLITS}, classes=2, sha256={}, is_sample=False)


@lru_cache(maxsize=8)
def _order(length: int, data_seed: int) -> Int64[np.ndarray, " n"]:
    return stream(data_seed, "train").permutation(2**length)


@lru_cache(maxsize=16)
def _split(setting: LastParity, name: str) -> Split:
    order, size = _order(setting.length, setting.data_seed), setting.size(name)
    last = len(order) - (setting.size("test") if name == "validation" else 0)
    chosen = order[:size] if name == "train" else order[last - size : last]
    bits = chosen[:, None] >> np.arange(setting.length) & 1
    lengths = np.full(size, setting.length)
    if name == "test":
        longer = stream(setting.data_seed, "test").integers(0, 2, (setting.test_size, 2 * setting.length))
        bits = np.concatenate((np.pad(bits, ((0, 0), (0, setting.length))), longer))
        lengths = np.concatenate((lengths, np.full(setting.test_size, 2 * setting.length)))
    places = np.arange(bits.shape[1])
    tokens = np.where(places < lengths[:, None], bits + 1, 0)
    labels = np.where(places == lengths[:, None] - 1, bits.sum(1, keepdims=True) % 2, IGNORED)
    slices = {"length": torch.from_numpy(lengths)}
    return Split(torch.from_numpy(tokens), torch.from_numpy(labels), SOURCE, slices)
