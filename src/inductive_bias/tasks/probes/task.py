"""A probe as a task: fresh sequences in every training step, or a fixed set of them; fixed ones to be measured on."""

from functools import lru_cache, partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, ClassVar, Literal

import numpy as np
import torch
from jaxtyping import Int64
from pydantic import Field
from torch import Tensor

from inductive_bias.settings import Setting
from inductive_bias.tasks import card
from inductive_bias.tasks.data import IGNORED, Split, TaskData
from inductive_bias.tasks.memory.streams import SPLITS
from inductive_bias.tasks.probes.base import Preference, Probe, Skill
from inductive_bias.tasks.probes.extrapolation import STATES, Extrapolation
from inductive_bias.tasks.probes.preferences import Content, Counting, Decay, FirstNoun, Recency
from inductive_bias.tasks.probes.skills import (
    Brackets,
    FadingSum,
    FlipFlop,
    Parity,
    Permutations,
    Recall,
    SelectiveCopy,
)
from inductive_bias.tasks.probes.untrained import Untrained

#: Every probe by its name, in the order of a profile.
PROBES: dict[str, Probe] = {
    probe.name: probe
    for probe in (
        FirstNoun(),
        Recency(),
        Content(),
        Counting(),
        Decay(),
        FlipFlop(),
        Parity(),
        Permutations(),
        Recall(),
        FadingSum(),
        Brackets(),
        SelectiveCopy(),
        Extrapolation(),
        Untrained(),
    )
}
ProbeName = Literal[
    "first noun or nearest",
    "recency or majority",
    "content or position",
    "count or memorise",
    "decay or period",
    "flip-flop",
    "parity",
    "permutations",
    "recall",
    "fading sum",
    "brackets",
    "selective copy",
    "white noise",
    "untrained",
]
#: Longer test sequences, as multiples of the training length.
STRETCHES = 1, 2, 4
#: The split on which the two rules of a preference differ.
CONFLICT = "conflict"


class Drawn:
    """What every task of drawn sequences shares, whoever wrote its probe; a subclass says which one it is.

    Attributes:
        probe: its name.
        sequences: what draws them.
        validation_size: sequences of validation.
        test_size: test sequences of each length, and sequences on which two rules differ.
        data_seed: decides the fixed sequences; the fresh ones are decided by the trial's seed.
    """

    generated: ClassVar[bool] = True
    if TYPE_CHECKING:  # pydantic would take them for fields
        probe: str
        sequences: Probe
        validation_size: int
        test_size: int
        data_seed: int

    @property
    def length(self) -> int:
        """Tokens of a training sequence."""
        return self.sequences.length

    @property
    def trains(self) -> bool:
        """Whether the probe has a question: without one a model is measured as it begins."""
        return not isinstance(self.sequences, Untrained)

    @property
    def fixed(self) -> bool:
        """Whether all there is to learn is one set, which :attr:`data_seed` decides, in place of fresh sequences."""
        return isinstance(self.sequences, Extrapolation)

    @property
    def dimensions(self) -> dict[str, int]:
        """What a model must be made for: ids of tokens (0 is padding), and the answers to choose from."""
        return {"vocabulary": self.sequences.tokens + 1, "outputs": self.sequences.outputs}

    @property
    def origin(self) -> str:
        """Where the sequences come from."""
        return f"generated:{self.probe}"

    def draw(self, count: int, generator: torch.Generator) -> tuple[Int64[Tensor, "n t"], Int64[Tensor, "n t"]]:
        """Fresh sequences as in training: tokens from 1 on, and labels, −1 where nothing is asked.

        Of a fixed set they are passes in random order.
        """
        rng = np.random.default_rng(int(torch.randint(2**62, (1,), generator=generator)))
        if self.fixed:
            train = _split(self, "train")
            passes = [rng.permutation(len(train)) for _ in range(count // len(train) + 1)]
            chosen = np.concatenate(passes)[:count]
            return train.inputs[chosen], train.labels[chosen]
        words = self.sequences.draw(rng, count, self.length)
        return torch.from_numpy(words.tokens), torch.from_numpy(words.labels)

    def load(self, root: Path | str | None = None, *, download: bool = True) -> TaskData:
        """The splits ``train``, ``validation``, ``test`` and, of a preference, ``conflict``; no file is read.

        Inputs are int64 ``[n, t]`` from 1 on, padded on the right with 0; labels int64 ``[n, t]``, −1 where nothing is
        asked; the slice ``length`` counts tokens. A test sequence of a skill has 1, 2 or 4 times the training length.
        A sequence of ``conflict`` has one label, by the first rule, and the second rule's in the slice ``second``.
        Of a fixed set ``validation`` is the training set itself. Its test sequences come with every question in turn.
        They have no label, because no answer is right; their slices are the states of
        :data:`~inductive_bias.tasks.probes.extrapolation.STATES`.
        """
        names = [*SPLITS, CONFLICT] if isinstance(self.sequences, Preference) else [*SPLITS]
        makers = {name: partial(_split, self, name) for name in names}
        return TaskData(makers, classes=self.sequences.outputs, sha256={}, is_sample=False)


class ProbeTask(Drawn, Setting):
    """One probe of the bias profile (:mod:`inductive_bias.profile`), drawn from a seed.

    Attributes:
        probe: which, see :data:`PROBES`.
        validation_size: sequences of validation, as in training; of no meaning where the training set is fixed.
        test_size: test sequences of each length, and sequences on which two rules differ.
        data_seed: decides the fixed sequences; the fresh ones are decided by the trial's seed.
    """

    data_sets: ClassVar[tuple[card.DataSet, ...]] = (card.PROBES,)
    kind: Literal["probe"] = "probe"
    probe: ProbeName
    validation_size: Annotated[int, Field(ge=2)] = 256
    test_size: Annotated[int, Field(ge=1)] = 512
    data_seed: Annotated[int, Field(ge=0)] = 0

    @property
    def sequences(self) -> Probe:
        """What draws the sequences of the probe."""
        return PROBES[self.probe]

    @property
    def source(self) -> str:
        """Where the sequences come from."""
        return self.origin


@lru_cache(maxsize=64)
def _split(task: Drawn, name: str) -> Split:
    if task.fixed:
        return _split_of_fixed(task, name)
    probe, rng = task.sequences, np.random.default_rng((task.data_seed, [*SPLITS, CONFLICT].index(name)))
    slices = {}
    if name == CONFLICT:
        words, second = probe.conflict(rng, task.test_size, task.length)
        parts, slices = [words], {"second": torch.from_numpy(second)}
    else:
        size = task.test_size if name == "test" else task.validation_size
        stretches = STRETCHES if name == "test" and isinstance(probe, Skill) else STRETCHES[:1]
        parts = [probe.draw(rng, size, stretch * task.length) for stretch in stretches]
    longest = max(part.tokens.shape[1] for part in parts)
    tokens, labels = (
        np.concatenate([_padded(getattr(part, field), longest, value) for part in parts])
        for field, value in (("tokens", 0), ("labels", IGNORED))
    )
    lengths = np.repeat([part.tokens.shape[1] for part in parts], [len(part.tokens) for part in parts])
    slices |= {"length": torch.from_numpy(lengths)}
    return Split(torch.from_numpy(tokens), torch.from_numpy(labels), task.origin, slices)


def _split_of_fixed(task: Drawn, name: str) -> Split:
    """The training set, which is that of validation too, or fresh sequences without labels."""
    probe, rng = task.sequences, np.random.default_rng((task.data_seed, int(name == "test")))
    tokens, labels = probe.draw(rng, task.test_size if name == "test" else probe.examples, probe.length)
    slices = {"length": torch.full((len(tokens),), probe.length)}
    if name == "test":
        labels = np.full_like(labels, IGNORED)
        slices |= {state: torch.from_numpy(of(tokens[:, :-1] - 1)) for state, of in STATES.items()}
    return Split(torch.from_numpy(tokens), torch.from_numpy(labels), task.origin, slices)


def _padded(values: Int64[np.ndarray, "n t"], length: int, value: int) -> Int64[np.ndarray, "n s"]:
    return np.pad(values, ((0, 0), (0, length - values.shape[1])), constant_values=value)
