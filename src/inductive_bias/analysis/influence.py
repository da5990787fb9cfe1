"""What earlier words are worth to a later one: its bits when the model sees the last few words alone."""

import math
from collections.abc import Iterator
from itertools import pairwise

import torch
import torch.nn.functional as F
from jaxtyping import Float, Int64
from torch import Tensor, nn

from inductive_bias import checks


def words_of(text: str) -> list[slice]:
    """Where the words of a text are: each is the white space before it and its letters, in this order.

    What stands before the first white space and after the last is left out, since the one lacks its beginning and the
    other may lack its end.
    """
    begins = [place for place, letter in enumerate(text) if letter.isspace()]
    return [slice(first, last) for first, last in pairwise(begins)]


@torch.no_grad()
def bits_by_context(
    model: nn.Module, symbols: Int64[Tensor, " n"], words: list[slice], most: int
) -> Float[Tensor, "w c"]:
    """Bits of every word from its own symbols so far and the last c words before it, for c = 0 … ``most``.

    A word's bits are those of what follows each of its symbols: of its letters, as its first symbol is the space before
    it, and of the space after it. The difference of two columns, c − 1 and c, is what the c-th word before it is worth.

    Args:
        model: causal; ids ``[b, t]`` to logits ``[b, t, k]``, from a state without a past.
        symbols: ids of a text, all of them known.
        words: slices of it side by side, the last of which ends before the text does.
        most: words before a word that are seen.

    Returns:
        ``[w, most + 1]``; NaN where there are fewer words before.

    Raises:
        ValueError: if the words do not follow one another, or the text ends with them.
    """
    checks.whole("most", most, least=0)
    if any(one.stop != next_one.start for one, next_one in pairwise(words)):
        raise ValueError("words must follow one another without a gap")
    if not words or words[-1].stop >= len(symbols):
        raise ValueError("there must be words, and a symbol after the last of them")
    found = torch.full((len(words), most + 1), torch.nan, dtype=torch.float64)
    for first, last, bits in _from_every_word(model, symbols, words, most):
        for place in range(first, last):
            word = slice(words[place].start - words[first].start, words[place].stop - words[first].start)
            found[place, place - first] = bits[word].sum()
    return found


def _from_every_word(
    model: nn.Module, symbols: Tensor, words: list[slice], most: int
) -> Iterator[tuple[int, int, Tensor]]:
    """First word, end and bits of every symbol after those of a text that begins there, ``most`` words further on."""
    ends = [min(first + most + 1, len(words)) for first in range(len(words))]
    parts = [symbols[words[first].start : words[last - 1].stop + 1] for first, last in enumerate(ends)]
    rows = nn.utils.rnn.pad_sequence(parts, batch_first=True)  # what is behind a text changes nothing in it
    logits = model(rows[:, :-1])
    nats = F.cross_entropy(logits.transpose(1, 2), rows[:, 1:], reduction="none").double()
    for first, last in enumerate(ends):
        yield first, last, nats[first] / math.log(2)
