"""The copying task: ten digits, a long wait, and then the digits again (Hochreiter & Schmidhuber 1997)."""

import math
from functools import lru_cache, partial
from pathlib import Path
from typing import Annotated, ClassVar, Literal

import torch
from jaxtyping import Bool, Int64
from pydantic import Field
from torch import Tensor

from inductive_bias.settings import Setting
from inductive_bias.tasks import card
from inductive_bias.tasks.data import Split, TaskData
from inductive_bias.tasks.memory.streams import SPLITS, stream

SOURCE = "generated:copying"
#: Digits to remember, and how many different ones there are: 1 … 8.
DIGITS, KINDS = 10, 8
#: What stands where there is nothing to read or to say, and what asks for the digits.
BLANK, DELIMITER = 0, 9


class Copying(Setting):
    """Say ``BLANK`` at every position but the last ten, and there the ten digits that came first, in their order.

    In the form of Arjovsky, Shah & Bengio (2016) and of the code of Bai et al. (2018): with T blanks a sequence has
    T + 20 positions, 10 digits, T − 1 blanks and 11 delimiters. The loss is a mean over all of them. A first answer is
    T + 10 steps behind the digit that it repeats, and so is every other.

    Departures from the code of Bai et al.: tokens are symbols, not one real number; there is a validation set.

    Attributes:
        blanks: T.
        train_size: training sequences; a smaller set is the beginning of a larger one.
        validation_size: validation sequences.
        test_size: test sequences.
        data_seed: decides every draw.
    """

    generated: ClassVar[bool] = True
    data_sets: ClassVar[tuple[card.DataSet, ...]] = (card.MEMORY,)
    kind: Literal["generated_copying"] = "generated_copying"
    blanks: Annotated[int, Field(ge=1)] = 50
    train_size: Annotated[int, Field(ge=1)] = 10_000
    validation_size: Annotated[int, Field(ge=1)] = 1_000
    test_size: Annotated[int, Field(ge=1)] = 1_000
    data_seed: Annotated[int, Field(ge=0)] = 0

    @property
    def dimensions(self) -> dict[str, int]:
        """What a model must be made for: symbols that it reads, and answers that it chooses among."""
        return {"vocabulary": DELIMITER + 1, "outputs": DELIMITER + 1}

    @property
    def length(self) -> int:
        """Positions of a sequence: the digits, the blanks and delimiters, and where the digits are asked for."""
        return self.blanks + 2 * DIGITS

    @property
    def baseline_nll(self) -> float:
        """Nats per position of the best guess without memory: the blanks are certain, a digit is one of eight."""
        return DIGITS * math.log(KINDS) / self.length

    @staticmethod
    def asked(labels: Int64[Tensor, "n t"]) -> Bool[Tensor, "n t"]:
        """Where a digit has to be remembered."""
        return labels > BLANK

    def load(self, root: Path | str | None = None, *, download: bool = True) -> TaskData:
        """The splits ``train``, ``validation`` and ``test``; no file is read, whatever the arguments.

        Inputs and labels are int64 ``[n, blanks + 20]``; the slice ``length`` is the same for all.
        """
        makers = {name: partial(_split, self, name, getattr(self, f"{name}_size")) for name in SPLITS}
        return TaskData(makers, classes=DELIMITER + 1, sha256={}, is_sample=False)


@lru_cache(maxsize=8)
def _split(setting: Copying, name: str, size: int) -> Split:
    digits = torch.from_numpy(stream(setting.data_seed, name).integers(1, KINDS, (size, DIGITS), endpoint=True))
    inputs, labels = (torch.full((size, setting.length), BLANK) for _ in range(2))
    inputs[:, :DIGITS] = labels[:, -DIGITS:] = digits
    inputs[:, -DIGITS - 1 :] = DELIMITER
    return Split(inputs, labels, SOURCE, {"length": torch.full((size,), setting.length)})
