"""Sentences as rows of at most so many tokens for next-word prediction, in which every token is predicted once."""

from collections.abc import Iterable, Sequence
from itertools import chain

import numpy as np
import torch
from jaxtyping import Int64
from torch import Tensor

from inductive_bias.tasks.data import Split
from inductive_bias.tasks.vocabulary import BOS, EOS, PAD, UNK


def cut_into_rows(
    sentences: Iterable[Sequence[int]], max_tokens: int
) -> tuple[Int64[Tensor, "n t"], Int64[Tensor, " n"]]:
    """Rows ``BOS ids EOS``, padded on the right, and how many tokens are predicted in each (all but its first).

    A sentence of more than ``max_tokens`` tokens, ``BOS`` and ``EOS`` included, goes on in further rows. Such a row
    begins with the last token of the row before in place of ``BOS``: that token is context there and was predicted
    above. So the words and the ``EOS`` of a sentence are predicted exactly once, whatever ``max_tokens`` is.

    Raises:
        ValueError: If ``max_tokens`` is below 2.
    """
    if max_tokens < 2:
        raise ValueError(f"a row needs at least 2 tokens, not {max_tokens}")
    rows = [
        tokens[start : start + max_tokens]
        for tokens in ([BOS, *ids, EOS] for ids in sentences)
        for start in range(0, len(tokens) - 1, max_tokens - 1)
    ]
    lengths = np.fromiter(map(len, rows), np.int64, len(rows))
    table = np.full((len(rows), lengths.max(initial=2)), PAD, np.int64)
    # one assignment instead of one a row: WikiText-2 has about 80,000 rows
    table[np.arange(table.shape[1]) < lengths[:, None]] = np.fromiter(
        chain.from_iterable(rows), np.int64, int(lengths.sum())
    )
    return torch.from_numpy(table), torch.from_numpy(lengths - 1)


def unknown_share(split: Split) -> float:
    """Share of ``<unk>`` among the predicted tokens of a split, ``EOS`` included; 0 if it is empty."""
    predicted = int(split.labels.sum())
    return int((split.inputs[:, 1:] == UNK).sum()) / predicted if predicted else 0.0
