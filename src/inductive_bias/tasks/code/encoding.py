"""Functions as rows of ids: the most frequent types of the training part, cut where they are too long."""

from collections.abc import Mapping, Sequence
from itertools import chain

import numpy as np
import torch
from jaxtyping import Int64
from torch import Tensor

from inductive_bias.errors import DataError
from inductive_bias.tasks.data import Split
from inductive_bias.tasks.vocabulary import PAD, Vocabulary

Tokens = Sequence[str]
Numbers = Sequence[int] | np.ndarray


def vocabulary_of(functions: Sequence[Tokens], size: int) -> Vocabulary:
    """The most frequent types, at most ``size`` ids; one that occurs once stands as unknown."""
    return Vocabulary.most_frequent(functions, size, min_count=2)


def rows(functions: Sequence[Tokens], vocabulary: Vocabulary, length: int) -> Int64[Tensor, "n t"]:
    """Ids of the first ``length`` tokens, padded on the right; a function without a token is one unknown token.

    Raises:
        DataError: if there is no function.
    """
    if not functions:
        raise DataError("there must be a function to encode, but there is none.")
    ids = [vocabulary.encode(each[:length]) or vocabulary.encode(["<nothing>"]) for each in functions]
    table = np.full((len(ids), max(map(len, ids))), PAD, np.int64)
    for row, each in zip(table, ids, strict=True):
        row[: len(each)] = each
    return torch.from_numpy(table)


def single_split(
    functions: Sequence[Tokens],
    labels: Sequence[int],
    vocabulary: Vocabulary,
    length: int,
    source: str,
    **slices: Numbers,
) -> Split:
    """One function an example: inputs ``[n, t]``, see :func:`paired_split` for slices."""
    inputs = rows(functions, vocabulary, length)
    return Split(inputs, torch.tensor(list(labels)), source, _slices(inputs, [functions], length, slices))


def paired_split(
    functions: Sequence[Tokens],
    pairs: Sequence[tuple[int, int]],
    labels: Sequence[int],
    vocabulary: Vocabulary,
    length: int,
    source: str,
    **slices: Numbers,
) -> Split:
    """Two functions an example, side by side: inputs ``[n, t, 2]``.

    Besides what is given, the slices ``length``, tokens of the (longer) function as it is read, and ``cut``, how many
    were taken off (of both).
    """
    first, second = ([functions[pair[side]] for pair in pairs] for side in (0, 1))
    known = {number: row for row, number in enumerate(dict.fromkeys(chain.from_iterable(pairs)))}
    table = rows([functions[number] for number in known], vocabulary, length)
    inputs = torch.stack([table[[known[pair[side]] for pair in pairs]] for side in (0, 1)], dim=-1)
    return Split(inputs, torch.tensor(list(labels)), source, _slices(inputs, [first, second], length, slices))


def _slices(
    inputs: Int64[Tensor, "n t *two"], sides: list[Sequence[Tokens]], length: int, more: Mapping[str, Numbers]
) -> dict[str, Tensor]:
    real = (inputs != PAD).sum(1)
    cut = [sum(max(0, len(each) - length) for each in both) for both in zip(*sides, strict=True)]
    return {
        "length": real.amax(1) if real.ndim > 1 else real,
        "cut": torch.tensor(cut),
        **{name: torch.tensor(list(values), dtype=torch.int64) for name, values in more.items()},
    }
