"""Simulating a semiautomaton: after every action, say in which state it is, or something about that state."""

from functools import lru_cache, partial
from pathlib import Path
from typing import Annotated, ClassVar, Literal

import numpy as np
import torch
from jaxtyping import Float, Int64
from pydantic import Field, model_validator
from torch import Tensor

from inductive_bias.settings import Setting
from inductive_bias.tasks import card
from inductive_bias.tasks.automata.catalogue import AutomatonName, automaton
from inductive_bias.tasks.automata.readings import Reading, ReadingName, reading
from inductive_bias.tasks.automata.semiautomata import Semiautomaton
from inductive_bias.tasks.data import IGNORED, Split, TaskData
from inductive_bias.tasks.memory.streams import SPLITS, stream


class StateTracking(Setting):
    """Words of actions, each drawn by itself; the label of a position is what is asked of the state after its action.

    Training draws fresh words in every step (:meth:`draw`), as in the paper. The split ``train`` holds some of the same
    kind, by which data are shown and checked; ``validation`` and ``test`` are fixed.

    Attributes:
        automaton: which of :data:`~inductive_bias.tasks.automata.AUTOMATON_NAMES`.
        length: actions of a training and of a validation word (the paper: 100).
        test_lengths: of the test words, the shortest first; longer ones than in training show whether more than the
            length was learnt. The first one is the length of training.
        asked: what of the state (:func:`~inductive_bias.tasks.automata.readings.reading`); a part is *indirect
            supervision*.
        kept: the chance that a label of a training word is kept, each by itself and drawn once with the word
            (*incomplete supervision*). Words that score keep all of theirs.
        validation_size: validation words.
        test_size: test words of each length.
        data_seed: decides the fixed words; the fresh ones are decided by the trial's seed.
    """

    generated: ClassVar[bool] = True
    data_sets: ClassVar[tuple[card.DataSet, ...]] = (card.AUTOMATA,)
    kind: Literal["generated_states"] = "generated_states"
    automaton: AutomatonName
    length: Annotated[int, Field(ge=1)] = 16
    test_lengths: tuple[int, ...] = Field(default=(16, 32), min_length=1)
    asked: ReadingName = "state"
    kept: Annotated[float, Field(gt=0, le=1)] = 1.0
    validation_size: Annotated[int, Field(ge=2)] = 500
    test_size: Annotated[int, Field(ge=1)] = 2_000
    data_seed: Annotated[int, Field(ge=0)] = 0

    @model_validator(mode="after")
    def _lengths_rise(self) -> "StateTracking":
        if self.test_lengths[0] != self.length or list(self.test_lengths) != sorted(set(self.test_lengths)):
            raise ValueError(
                f"test_lengths must begin with length={self.length} and rise, but they are {self.test_lengths}"
            )
        return self

    @model_validator(mode="after")
    def _states_have_it(self) -> "StateTracking":
        reading(self.automaton, self.asked)
        return self

    @property
    def machine(self) -> Semiautomaton:
        """The automaton itself."""
        return automaton(self.automaton)

    @property
    def reading(self) -> Reading:
        """What is asked of its states."""
        return reading(self.automaton, self.asked)

    @property
    def dimensions(self) -> dict[str, int]:
        """What a model must be made for: ids of tokens (0 is padding), and the classes to choose from."""
        return {"vocabulary": len(self.machine.actions) + 1, "outputs": len(self.reading.classes)}

    @property
    def source(self) -> str:
        """Where the words come from."""
        return f"generated:{self.automaton}"

    def labels(self, words: Int64[np.ndarray, "n t"]) -> Int64[np.ndarray, "n t"]:
        """What is asked of the state after every action of words of one length."""
        return self.reading.of[self.machine.run(words)]

    def best_constant(self, length: int) -> Float[np.ndarray, " t"]:
        """How often the best answer that knows the position alone is right, after 1 … ``length`` actions."""
        return self.machine.best_constant(length, self.reading.of)

    def draw(self, count: int, generator: torch.Generator) -> tuple[Int64[Tensor, "n t"], Int64[Tensor, "n t"]]:
        """Fresh words of the training length, as tokens (1 for action 0), and their labels, −1 where none is kept."""
        uniform = torch.rand(count, self.length, dtype=torch.float64, generator=generator)
        words = self.machine.drawn(uniform.numpy())
        # drawn even where all are kept: whatever the share, the words of a seed are the same
        known = torch.rand(count, self.length, dtype=torch.float64, generator=generator) < self.kept
        return torch.from_numpy(words + 1), torch.from_numpy(self.labels(words)).where(known, IGNORED)

    def load(self, root: Path | str | None = None, *, download: bool = True) -> TaskData:
        """The splits ``train``, ``validation`` and ``test``; no file is read, whatever the arguments.

        Inputs are int64 ``[n, t]``, 1 for action 0, padded on the right with 0; labels int64 ``[n, t]``, −1 at padding
        alone; the slice ``length`` counts the actions.
        """
        makers = {name: partial(_split, self, name) for name in SPLITS}
        classes = self.dimensions["outputs"]
        return TaskData(makers, classes=classes, sha256={}, is_sample=False, label_names=self.reading.classes)


@lru_cache(maxsize=16)
def _split(setting: StateTracking, name: str) -> Split:
    lengths = np.repeat(
        *{
            "train": ([setting.length], setting.validation_size),
            "validation": ([setting.length], setting.validation_size),
            "test": (setting.test_lengths, setting.test_size),
        }[name]
    )
    shape = len(lengths), lengths.max()
    words = setting.machine.drawn(stream(setting.data_seed, name).random(shape))
    real = np.arange(shape[1]) < lengths[:, None]
    tokens, labels = np.where(real, words + 1, 0), np.where(real, setting.labels(words), IGNORED)
    return Split(*map(torch.from_numpy, (tokens, labels)), setting.source, {"length": torch.from_numpy(lengths)})
