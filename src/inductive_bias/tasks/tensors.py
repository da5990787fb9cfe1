"""Tasks of one's own from tensors: a label a sequence, a label a token, numbers, or the next token.

Each is made from three splits, or from one that is cut into three. A split is a pair ``(inputs, labels)`` of tensors,
arrays or lists of sequences; a ``torch`` data set of such pairs; or the path of an ``.npz`` file with the arrays
``inputs`` and ``labels``. :class:`NextToken` has no labels: its splits are sequences alone.

*Inputs* are tokens, whole numbers ``[n, t]`` with padding on the right, or real values ``[n, t, channels]`` (also
``[n, channels]``, one step), which have no padding. Sequences of different lengths in a list are padded here.

*A model* is called with the inputs of a batch, trimmed to its longest sequence. It is built with those of the
``dimensions`` that it takes by name:

==============  ====================================================================================================
``vocabulary``  ids of tokens, the largest one and 1 more, that of the padding included
``padding``     the id of padding, or None
``channels``    real values a step; tasks have these or a vocabulary
``positions``   the longest sequence of any split
``classes``     of the labels (also by the name ``outputs``, which the package's models of sequences take)
``outputs``     numbers or classes to answer
==============  ====================================================================================================
"""

import hashlib
from collections.abc import Iterator, Sequence, Sized
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Any, ClassVar, cast

import numpy as np
import torch
from torch import Tensor
from torch.utils.data import Dataset

from inductive_bias.errors import DataError
from inductive_bias.tasks.data import IGNORED, Split, TaskData
from inductive_bias.tasks.identity import OWN
from inductive_bias.tasks.vocabulary import PAD

#: What a split may be given as.
Given = Any
#: The arrays of an ``.npz`` file of a split.
INPUTS, LABELS = "inputs", "labels"
SPLITS = ("train", "validation", "test")
#: What PyTorch's losses leave out.
TORCH_IGNORES = -100
#: The slice with the length of every sequence.
LENGTH = "length"


@dataclass(frozen=True)
class _Part:
    """One split as it was given: its name and where it came from, its sequences and what is to be said of them."""

    name: str
    where: str
    inputs: Tensor
    labels: Tensor
    lengths: Tensor
    source: str
    sha256: dict[str, str]


class TensorTask:
    """A task of tensors in memory; see the module for what a split may be.

    Args:
        train: to learn from; cut into three if neither of the others is given.
        validation: for choosing: the weights of the epoch with the lowest loss here are measured.
        test: for measuring.
        padding: the token that fills up sequences on the right; None if all are whole. Real values have none.
        vocabulary: how many tokens there are, if more than are met.
        validation_share: of the examples, where one split is cut. Equal inputs never fall into two splits.
        test_share: likewise.
        split_seed: decides which example falls where.
        name: of the data, in rows and messages.

    Raises:
        DataError: naming the split, the row and what was expected.
    """

    protocol: ClassVar[str]
    #: Whether the labels have a number a position.
    by_position: ClassVar[bool] = False
    generated: ClassVar[bool] = False

    def __init__(
        self,
        train: Given,
        validation: Given = None,
        test: Given = None,
        *,
        padding: int | None = PAD,
        vocabulary: int | None = None,
        validation_share: float = 0.1,
        test_share: float = 0.2,
        split_seed: int = 0,
        name: str = "tensors",
    ):
        if (validation is None) != (test is None):
            raise DataError("give train, validation and test, or train alone, which is then cut into three")
        self.name, self.padding = name, padding
        given = {"train": train} if validation is None else dict(zip(SPLITS, (train, validation, test), strict=True))
        parts = {each: self._part(each, split) for each, split in given.items()}
        if len({part.inputs.is_floating_point() for part in parts.values()}) > 1:
            raise DataError(f"{name}: some splits hold tokens (whole numbers), others real values")
        if validation is None:
            parts = _cut(parts["train"], validation_share, test_share, split_seed)
        self._parts = {each: parts[each] for each in SPLITS}
        if self._tokens:
            largest = max(int(part.inputs.max()) for part in parts.values())
            self.vocabulary = max(largest + 1, (padding or 0) + 1) if vocabulary is None else vocabulary
            if largest >= self.vocabulary:
                where = next(part.where for part in parts.values() if int(part.inputs.max()) == largest)
                raise DataError(f"{where}: token {largest} is met, but vocabulary={vocabulary}: ids run from 0 on")
        else:
            self.padding, self.vocabulary = None, None
            if len(sizes := {part.inputs.shape[2] for part in parts.values()}) > 1:
                raise DataError(f"{name}: all splits should have equally many channels, not {sorted(sizes)}")
        self._check()

    @cached_property
    def digest(self) -> str:
        """SHA-256 of everything that the task hands out, and of how it is read."""
        whole = hashlib.sha256(repr((self.protocol, self.name, self.dimensions)).encode())
        for each, part in self._parts.items():
            for tensor in (part.inputs, part.labels, part.lengths):
                whole.update(repr((each, tensor.dtype, tuple(tensor.shape))).encode())
                whole.update(tensor.contiguous().numpy().tobytes())
        return whole.hexdigest()

    @property
    def dimensions(self) -> dict[str, object]:
        """What a model may ask for by name when it is built."""
        longest = max(part.inputs.shape[1] for part in self._parts.values())
        first = self._parts["train"].inputs
        tokens = {"vocabulary": self.vocabulary, "padding": self.padding}
        return (tokens if self._tokens else {"channels": first.shape[-1]}) | {"positions": longest} | self._answers()

    def load(self, root: Path | str | None = None) -> TaskData:
        """The splits; no file is read, whatever ``root`` is."""
        parts = self._parts.values()
        return TaskData(
            {part.name: (lambda part=part: _split(part)) for part in parts},
            classes=int(self._answers()["outputs"]),
            sha256={file: found for part in parts for file, found in part.sha256.items()},
            is_sample=False,
        )

    def __repr__(self) -> str:
        sizes = ", ".join(f"{each}: {len(part.inputs):,}" for each, part in self._parts.items())
        return f"{type(self).__name__}({self.name}; {sizes})"

    @property
    def _tokens(self) -> bool:
        return not self._parts["train"].inputs.is_floating_point()

    def _answers(self) -> dict[str, int]:
        raise NotImplementedError

    def _check(self) -> None:
        """Refuse labels that cannot be learnt."""

    def _labels(self, labels: Tensor, inputs: Tensor, lengths: Tensor, where: str) -> Tensor:
        raise NotImplementedError

    def _part(self, split: str, given: Given) -> _Part:
        where, source, sha256 = f"{self.name}, {split}", f"{OWN}{self.name}", {}
        if isinstance(given, str | Path):
            path = Path(given)
            where, source = str(path), f"{OWN}{path.name}"
            given, sha256[path.name] = _file(path, labels=self._has_labels)
        inputs, labels = _pairs(given, where) if self._has_labels else (_sequences(given), None)
        inputs = _stacked(inputs, self.padding, where)
        if inputs.is_floating_point():
            inputs = _steps(inputs.float(), where)
            lengths = torch.full((len(inputs),), inputs.shape[1])
        else:
            inputs, lengths = inputs.long(), _lengths(inputs, self.padding, where)
        if not len(inputs):
            raise DataError(f"{where} should hold examples, but there is none in it")
        if self._has_labels:
            labels = _stacked(labels, self._filling, f"{where}: labels")
            if len(labels) != len(inputs):
                raise DataError(f"{where}: there should be a label for each of {len(inputs)} inputs, not {len(labels)}")
        else:
            labels = inputs
        return _Part(split, where, inputs, self._labels(labels, inputs, lengths, where), lengths, source, sha256)

    #: Whether a split has labels besides inputs.
    _has_labels: ClassVar[bool] = True
    #: What shorter rows of labels are filled up with.
    _filling: ClassVar[float] = IGNORED


class _Classes(TensorTask):
    """Base of the two whose labels are classes."""

    def _answers(self) -> dict[str, int]:
        classes = 1 + max(int(part.labels.max()) for part in self._parts.values())
        return {"classes": classes, "outputs": classes}

    def _check(self) -> None:
        _refuse_one_class(self._parts["train"])


class SequenceClassification(_Classes):
    """One class for a whole sequence: labels ``[n]``, whole numbers from 0 on.

    A model answers logits ``[b, classes]``, or ``[b, t, outputs]``, of which the last real position is read.
    """

    protocol = "sequence_classification"

    def _labels(self, labels: Tensor, inputs: Tensor, lengths: Tensor, where: str) -> Tensor:
        labels = _whole(labels, where)
        if labels.ndim != 1:
            raise DataError(f"{where}: labels should be one a sequence, [n], not {list(labels.shape)}; see TokenLabels")
        if (labels < 0).any():
            row = int((labels < 0).nonzero()[0])
            raise DataError(f"{where}, row {row}: a class should be 0 or more, and is {int(labels[row])}")
        return labels


class TokenLabels(_Classes):
    """One class for every position: labels ``[n, t]``, whole numbers from 0 on.

    Positions with the label ``ignored`` (−100, as PyTorch's losses have it, or −1) and those of padding are left out of
    the loss and of every measure. A model answers logits ``[b, t, classes]``, and may see the whole sequence.
    """

    protocol = "token_labels"
    by_position = True

    def __init__(self, *splits: Given, ignored: int = TORCH_IGNORES, **options: Any):
        self.ignored = ignored
        super().__init__(*splits, **options)

    def _labels(self, labels: Tensor, inputs: Tensor, lengths: Tensor, where: str) -> Tensor:
        labels = _whole(labels, where)
        if labels.shape != inputs.shape[:2]:
            raise DataError(
                f"{where}: labels should be one a position, {list(inputs.shape[:2])}, not {list(labels.shape)}"
            )
        known = (labels != self.ignored) & (labels != IGNORED) & _real(inputs, lengths)
        if (labels[known] < 0).any():
            row, place = ((labels < 0) & known).nonzero()[0].tolist()
            raise DataError(
                f"{where}, row {row}, position {place}: a class should be 0 or more, or ignored={self.ignored}, and is "
                f"{int(labels[row, place])}"
            )
        if not known.any():
            raise DataError(f"{where}: every label is ignored, or stands at padding")
        return labels.where(known, torch.tensor(IGNORED))


class Regression(TensorTask):
    """Numbers: ``[n]`` or ``[n, k]`` for a whole sequence, ``[n, t, k]`` for every position; NaN is not known.

    What is NaN, or stands at padding, is left out of the loss and of every measure. A model answers ``[b, outputs]``
    or ``[b, t, outputs]``; for a whole sequence the last real position of the latter is read. Values are not scaled.
    """

    protocol = "regression"
    _filling = float("nan")

    @property
    def by_position(self) -> bool:
        """Whether the labels have a number a position."""
        return self._parts["train"].labels.ndim == 3

    def _answers(self) -> dict[str, int]:
        return {"outputs": self._parts["train"].labels.shape[-1]}

    def _check(self) -> None:
        shapes = {(part.labels.ndim, part.labels.shape[-1]) for part in self._parts.values()}
        if len(shapes) > 1:
            raise DataError(f"{self.name}: labels of all splits should have one shape")

    def _labels(self, labels: Tensor, inputs: Tensor, lengths: Tensor, where: str) -> Tensor:
        labels = labels.float()
        if labels.ndim == 1:
            labels = labels[:, None]
        if labels.ndim == 3 and labels.shape[:2] == inputs.shape[:2]:
            labels = labels.where(_real(inputs, lengths)[..., None], torch.tensor(float("nan")))
        elif labels.ndim != 2:
            raise DataError(
                f"{where}: labels should be [n], [n, k] or, a row a position, [n, t, k] with [n, t] = "
                f"{list(inputs.shape[:2])}, not {list(labels.shape)}"
            )
        if labels.isinf().any() or labels.isnan().all():
            raise DataError(f"{where}: labels should be finite, or NaN where not known, and some must be known")
        return labels


class NextToken(TensorTask):
    """The next token of every sequence; splits are sequences of tokens without labels.

    A model answers logits ``[b, t, vocabulary]``, those at position i for the token at i + 1. It must be causal, and
    that is checked. Padding is never predicted.
    """

    protocol = "next_token"
    by_position = True
    _has_labels = False

    def _answers(self) -> dict[str, int]:
        return {"outputs": cast(int, self.vocabulary)}

    def _labels(self, labels: Tensor, inputs: Tensor, lengths: Tensor, where: str) -> Tensor:
        if inputs.is_floating_point():
            raise DataError(f"{where}: tokens should be whole numbers [n, t], not {inputs.dtype}")
        if inputs.shape[1] < 2:
            raise DataError(f"{where}: sequences should have 2 tokens or more: the first one is never predicted")
        following = torch.full_like(inputs, IGNORED)
        following[:, :-1] = inputs[:, 1:].where(_real(inputs, lengths)[:, 1:], torch.tensor(IGNORED))
        return following


def _split(part: _Part) -> Split:
    return Split(part.inputs, part.labels, part.source, {LENGTH: part.lengths})


def _file(path: Path, *, labels: bool) -> tuple[Given, str]:
    """The arrays of an ``.npz`` file, and its SHA-256; nothing in it is run."""
    try:
        content = path.read_bytes()
    except OSError as error:
        raise DataError(f"{path} cannot be read: {error.strerror}") from error
    if path.suffix != ".npz":
        raise DataError(f"{path} should be an .npz file with the arrays {INPUTS} and {LABELS} (numpy.savez)")
    try:
        with np.load(path, allow_pickle=False) as found:
            arrays = [found[name] for name in ((INPUTS, LABELS) if labels else (INPUTS,))]
    except KeyError as error:
        raise DataError(f"{path} should hold the arrays {INPUTS} and {LABELS}: {error}") from error
    except Exception as error:
        raise DataError(f"{path} is no .npz file that can be read without running it: {error}") from error
    return tuple(arrays) if labels else arrays[0], hashlib.sha256(content).hexdigest()


def _sequences(given: Given) -> Given:
    """Sequences of tokens: as they are, or the first tensors of a data set."""
    if isinstance(given, Dataset):
        return [each[0] if isinstance(each, tuple | list) else each for each in _items(given)]
    return given


def _pairs(given: Given, where: str) -> tuple[Given, Given]:
    """Inputs and labels of a pair, or of a data set of pairs."""
    if isinstance(given, Dataset):
        items = list(_items(given))
        if not all(isinstance(each, tuple | list) and len(each) == 2 for each in items):
            raise DataError(f"{where}: each item of the data set should be a pair (inputs, label)")
        return [each[0] for each in items], [each[1] for each in items]
    if isinstance(given, tuple | list) and len(given) == 2:
        return given[0], given[1]
    raise DataError(
        f"{where} should be a pair (inputs, labels), a torch data set of such pairs or the path of an .npz file, not "
        f"{type(given).__name__}"
    )


def _items(given: Dataset) -> Iterator[Any]:
    """Every item once, in order; a data set that only iterates is iterated."""
    if hasattr(type(given), "__getitem__") and isinstance(given, Sized):
        return (given[place] for place in range(len(given)))
    return iter(cast(Any, given))


def _stacked(given: Given, filling: int | float | None, where: str) -> Tensor:
    """One tensor; sequences of different lengths are filled up on the right."""
    if isinstance(given, Tensor | np.ndarray):
        return torch.as_tensor(given).detach().cpu()
    if not isinstance(given, Sequence):
        raise DataError(f"{where} should be a tensor, an array or a list of sequences, not {type(given).__name__}")
    try:
        rows = [torch.as_tensor(each).detach().cpu() for each in given]
        if not rows:
            return torch.empty(0, 1)
        if len({row.shape for row in rows}) > 1 and all(row.ndim for row in rows):
            if filling is None:
                raise ValueError("they have different lengths, and padding=None says that nothing fills them up")
            if rows[0].is_floating_point() and filling == filling:
                raise ValueError("sequences of real values should have one length: add a channel that marks real steps")
            return torch.nn.utils.rnn.pad_sequence(rows, batch_first=True, padding_value=filling)
        return torch.stack(rows)
    except (TypeError, ValueError, RuntimeError) as error:
        raise DataError(f"{where}: rows cannot be put together: {error}") from error


def _steps(inputs: Tensor, where: str) -> Tensor:
    """Real values ``[n, t, channels]``; finite."""
    if inputs.ndim == 2:
        inputs = inputs[:, None]
    if inputs.ndim != 3 or 0 in inputs.shape[1:]:
        raise DataError(
            f"{where}: real values should be [n, t, channels] or [n, channels], not {list(inputs.shape)}; a series of "
            "single numbers is [n, t, 1]"
        )
    if not (finite := inputs.isfinite().flatten(1).all(1)).all():
        raise DataError(f"{where}, row {int((~finite).nonzero()[0])}: inputs should be finite")
    return inputs


def _lengths(inputs: Tensor, padding: int | None, where: str) -> Tensor:
    """Real tokens of every row, which must stand before its padding."""
    if inputs.ndim != 2 or inputs.dtype == torch.bool or not inputs.shape[1]:
        raise DataError(f"{where}: tokens should be whole numbers [n, t], not {inputs.dtype} {list(inputs.shape)}")
    if (inputs < 0).any():
        row = int((inputs < 0).any(1).nonzero()[0])
        raise DataError(f"{where}, row {row}: a token should be 0 or more, and is {int(inputs[row].min())}")
    if padding is None:
        return torch.full((len(inputs),), inputs.shape[1])
    real = inputs != padding
    lengths = real.sum(1)
    if not (lengths > 0).all():
        raise DataError(f"{where}, row {int((lengths == 0).nonzero()[0])}: every token is padding ({padding})")
    if (inside := (real != _real(inputs, lengths)).any(1)).any():
        row = int(inside.nonzero()[0])
        raise DataError(
            f"{where}, row {row}: padding ({padding}) stands before a token, and should be on the right alone; if "
            f"{padding} is a token, name another padding= or None"
        )
    return lengths


def _real(inputs: Tensor, lengths: Tensor) -> Tensor:
    return torch.arange(inputs.shape[1]) < lengths[:, None]


def _whole(labels: Tensor, where: str) -> Tensor:
    if labels.is_floating_point():
        raise DataError(f"{where}: classes should be whole numbers, not {labels.dtype}; for numbers see Regression")
    return labels.long()


def _refuse_one_class(train: _Part) -> None:
    known = train.labels[train.labels != IGNORED]
    if len(known) and (known == known.flatten()[0]).all():
        raise DataError(f"{train.where}: every label is {int(known.flatten()[0])}; one class leaves nothing to learn")


def _cut(part: _Part, validation: float, test: float, seed: int) -> dict[str, _Part]:
    """Three splits by distinct inputs, so that no test example was learnt from."""
    if not (validation > 0 and test > 0 and validation + test < 1):
        raise DataError(f"validation_share={validation} and test_share={test} should be above 0, and leave a rest")
    _, group = torch.unique(part.inputs.flatten(1), dim=0, return_inverse=True)
    order = torch.randperm(int(group.max()) + 1, generator=torch.Generator().manual_seed(seed))
    place, count = order[group], len(order)
    ends = round(test * count), round(test * count) + round(validation * count)
    chosen = {"test": place < ends[0], "validation": (place >= ends[0]) & (place < ends[1]), "train": place >= ends[1]}
    if empty := [each for each, rows in chosen.items() if not rows.any()]:
        raise DataError(
            f"{part.where}: {len(order)} different examples are too few to cut a split {empty[0]} from: give more, "
            "or larger shares"
        )
    return {
        each: replace(part, name=each, inputs=part.inputs[rows], labels=part.labels[rows], lengths=part.lengths[rows])
        for each, rows in chosen.items()
    }
