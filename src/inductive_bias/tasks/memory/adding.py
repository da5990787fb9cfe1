"""The adding problem: the sum of two marked numbers of a long sequence (Hochreiter & Schmidhuber 1997)."""

from functools import lru_cache, partial
from pathlib import Path
from typing import Annotated, ClassVar, Literal

import numpy as np
import torch
from pydantic import Field

from inductive_bias.settings import Setting
from inductive_bias.tasks import card
from inductive_bias.tasks.data import Split, TaskData
from inductive_bias.tasks.memory.streams import SPLITS, stream

SOURCE = "generated:adding"


class Adding(Setting):
    """Say at the last step the sum of the two marked numbers, one in each half of the sequence.

    Numbers are uniform in [0, 1), in the first channel; the second is 1 at the two marked steps and 0 elsewhere, each
    step of a half as probable as any other. In the form of Arjovsky, Shah & Bengio (2016); the code of Bai et al.
    (2018) draws both steps from the whole sequence.

    Attributes:
        length: steps of a sequence; of an odd number the second half is the longer one.
        train_size: training sequences; a smaller set is the beginning of a larger one.
        validation_size: validation sequences.
        test_size: test sequences.
        data_seed: decides every draw.
    """

    generated: ClassVar[bool] = True
    data_sets: ClassVar[tuple[card.DataSet, ...]] = (card.MEMORY,)
    kind: Literal["generated_adding"] = "generated_adding"
    length: Annotated[int, Field(ge=2)] = 100
    train_size: Annotated[int, Field(ge=1)] = 10_000
    validation_size: Annotated[int, Field(ge=1)] = 1_000
    test_size: Annotated[int, Field(ge=1)] = 1_000
    data_seed: Annotated[int, Field(ge=0)] = 0

    @property
    def dimensions(self) -> dict[str, int]:
        """What a model must be made for: numbers and markers in, one answer at every step."""
        return {"channels": 2, "outputs": 1}

    @property
    def baseline_mse(self) -> float:
        """Squared error of the constant 1: the variance of a sum of two independent uniform numbers, 1/12 each."""
        return 1 / 6

    def load(self, root: Path | str | None = None, *, download: bool = True) -> TaskData:
        """The splits ``train``, ``validation`` and ``test``; no file is read, whatever the arguments.

        Inputs are float32 ``[n, length, 2]``; labels float32 ``[n, 1]``, of the last step.
        """
        makers = {name: partial(_split, self, name, getattr(self, f"{name}_size")) for name in SPLITS}
        return TaskData(makers, classes=0, sha256={}, is_sample=False)


@lru_cache(maxsize=8)
def _split(setting: Adding, name: str, size: int) -> Split:
    numbers = stream(setting.data_seed, name, 0).random((size, setting.length), np.float32)
    half, rows = setting.length // 2, np.arange(size)
    first = stream(setting.data_seed, name, 1).integers(0, half, size)
    second = stream(setting.data_seed, name, 2).integers(half, setting.length, size)
    markers = np.zeros_like(numbers)
    markers[rows, first] = markers[rows, second] = 1
    sums = (numbers[rows, first] + numbers[rows, second])[:, None]
    return Split(torch.from_numpy(np.stack((numbers, markers), -1)), torch.from_numpy(sums), SOURCE)
