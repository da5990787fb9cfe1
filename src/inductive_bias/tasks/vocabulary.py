"""Words as numbers: a vocabulary with four special ids, and sentences framed and padded into one tensor."""

import hashlib
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from itertools import chain

import numpy as np
import torch
from jaxtyping import Int64
from torch import Tensor

PAD, BOS, EOS, UNK = range(4)
SPECIALS = ("<pad>", "<bos>", "<eos>", "<unk>")


class Vocabulary:
    """Words and their ids: 0 padding, 1 beginning, 2 end of sentence, 3 unknown word, then ``words`` in their order.

    Raises:
        ValueError: if a word appears twice or has the spelling of a special id.
    """

    def __init__(self, words: Sequence[str]) -> None:
        self.words = (*SPECIALS, *words)
        self._ids = {word: number for number, word in enumerate(self.words)}
        if len(self._ids) < len(self.words):
            twice = next(word for word, count in Counter(self.words).items() if count > 1)
            raise ValueError(
                f"a word may be in a vocabulary once and {', '.join(SPECIALS)} never, but {twice!r} is twice"
            )

    @classmethod
    def most_frequent(cls, sentences: Iterable[Sequence[str]], size: int, *, min_count: int = 1) -> "Vocabulary":
        """The most frequent words of ``sentences``, at most ``size`` ids with the four special ones; ties by alphabet.

        Words seen fewer than ``min_count`` times are left out. With 2 the unknown word is met in training even where
        there is room for every word, so that a model knows what to make of one.

        Raises:
            ValueError: if ``size`` leaves no room for a word, or ``min_count`` is below 1.
        """
        if min_count < 1:
            raise ValueError(f"min_count must be at least 1, not {min_count}")
        if size <= len(SPECIALS):
            raise ValueError(f"vocabulary size must be at least {len(SPECIALS) + 1}, not {size}")
        counts = Counter(chain.from_iterable(sentences))
        for special in SPECIALS:
            counts.pop(special, None)
        ranked = sorted((w for w in counts if counts[w] >= min_count), key=lambda word: (-counts[word], word))
        return cls(ranked[: size - len(SPECIALS)])

    def __len__(self) -> int:
        return len(self.words)

    def __contains__(self, word: object) -> bool:
        return word in self._ids

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Vocabulary) and self.words == other.words

    def __hash__(self) -> int:
        return hash(self.words)

    def id(self, word: str) -> int:
        """The word's id, or that of the unknown word."""
        return self._ids.get(word, UNK)

    def encode(self, words: Iterable[str]) -> list[int]:
        """Ids of the words; nothing is added at the ends."""
        known = self._ids.get
        return [known(word, UNK) for word in words]

    def decode(self, ids: Iterable[int]) -> list[str]:
        """The words of ``ids``, special ones included."""
        return [self.words[number] for number in ids]

    @property
    def fingerprint(self) -> str:
        """16 hexadecimal digits that change with any word or its place: two models agree on ids if these are equal."""
        return hashlib.sha256("\n".join(self.words).encode()).hexdigest()[:16]


class TaggedVocabulary(Vocabulary):
    """A vocabulary in which a word that is not in it stands as its part of speech, and as unknown only without one.

    Args:
        words: in the order of their ids.
        tags: names of the parts of speech; their ids come after those of the words.
        tag_of: the tag of a word, or None.

    Raises:
        ValueError: if a word or tag appears twice or has the spelling of a special id.
    """

    def __init__(self, words: Sequence[str], tags: Sequence[str], tag_of: Callable[[str], str | None]) -> None:
        super().__init__([*words, *tags])
        self._tag_of, self._found = tag_of, {}

    def id(self, word: str) -> int:
        """The word's id, or that of its part of speech, or that of the unknown word."""
        found = self._ids.get(word)
        if found is None:
            found = self._found.get(word)
        if found is None:
            found = self._found[word] = self._ids.get(self._tag_of(word), UNK)
        return found

    def encode(self, words: Iterable[str]) -> list[int]:
        """Ids of the words or of their parts of speech; nothing is added at the ends."""
        return [self.id(word) for word in words]


def pad_sentences(sentences: Sequence[Sequence[int]]) -> Int64[Tensor, "n t"]:
    """Ids of sentences, each between ``BOS`` and ``EOS``, padded on the right to the longest.

    An empty list gives a tensor ``[0, 2]``.
    """
    longest = max(map(len, sentences), default=0)
    lengths = np.fromiter(map(len, sentences), dtype=np.int64, count=len(sentences))
    out = np.full((len(sentences), longest + 2), PAD, dtype=np.int64)
    out[:, 0] = BOS
    out[:, 1:-1][np.arange(longest) < lengths[:, None]] = np.fromiter(chain.from_iterable(sentences), dtype=np.int64)
    out[np.arange(len(sentences)), lengths + 1] = EOS
    return torch.from_numpy(out)


def lengths_of(tokens: Int64[Tensor, "n t"]) -> Int64[Tensor, " n"]:
    """Tokens a sentence, the two framing ones included, padding not."""
    return (tokens != PAD).sum(1)
