"""Encoding of pairs of words as :class:`MinimalPairs`: what the vocabulary cannot express is left out and listed."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import NamedTuple

import numpy as np
import torch
from jaxtyping import Int64
from torch import Tensor

from inductive_bias.errors import DataError
from inductive_bias.tasks import identity
from inductive_bias.tasks.data import stratified_order
from inductive_bias.tasks.pairs.minimal_pairs import MinimalPairs, Scoring
from inductive_bias.tasks.vocabulary import Vocabulary, pad_sentences

SAMPLE_SEED = 20_180_911
OUT_OF_VOCABULARY = {"verb": "verb out of vocabulary", "sentence": "differing word out of vocabulary"}
IDENTICAL = "right and wrong are identical"
EMPTY = "empty sentence"
NOT_ONE_WORD = "sentences differ in more than one word"
# of the words of the real sets 8 % to 14 % are unknown to WikiText-2's first 10,000 words
MOST_UNKNOWN = 0.5


class WordPair(NamedTuple):
    """The words of a right and a wrong sentence, the row they came from, and what is known about them."""

    row: int
    good: Sequence[str]
    bad: Sequence[str]
    slices: Mapping[str, int] = MappingProxyType({})
    template: str = ""
    case: str = ""


@dataclass(frozen=True)
class WordPairs:
    """What a reader makes of its files: the pairs, why rows were left out, and the files' SHA-256.

    ``own`` names the files that are not the public ones; ``texts`` has both sentences as written, by row, if wanted.
    """

    pairs: Sequence[WordPair]
    left_out: Mapping[int, str] = field(default_factory=dict)
    sha256: Mapping[str, str] = field(default_factory=dict)
    own: Sequence[str] = ()
    texts: Mapping[int, tuple[str, str]] = field(default_factory=dict)


def encode_pairs(
    name: str,
    read: WordPairs,
    vocabulary: Vocabulary,
    *,
    max_tokens: int,
    scoring: Scoring,
    source: str,
    max_per_template: int | None = None,
) -> MinimalPairs:
    """Number the words of pairs, leaving out and listing those that cannot be scored.

    A pair is left out if its sentences are identical or empty, if a word in which they differ is not in the
    vocabulary, if one of them has more than ``max_tokens`` tokens with ``BOS`` and ``EOS``, or if it is to be scored by
    its verb and differs in more than that word. Other unknown words become ``<unk>``. Of what is left,
    ``max_per_template`` pairs of each template are drawn, its cases in proportion, always the same ones. ``source``
    says where the pairs come from if all files that were read are the public ones.

    Raises:
        DataError: If no pair is left, or more than half of the words of what is left are unknown: the vocabulary was
            made from another corpus then, even if it has the verbs (``is`` and ``are`` are everywhere).
    """
    kept, positions, left_out = _sort_out(read, vocabulary, max_tokens, scoring)
    if max_per_template is not None:
        chosen = _draw(kept, max_per_template)
        left_out |= {kept[i].row: f"beyond {max_per_template} a template" for i in {*range(len(kept))} - {*chosen}}
        kept, positions = [kept[i] for i in chosen], [positions[i] for i in chosen]
    # of all that were read, so that a template has the same number whatever the vocabulary leaves of the others
    templates = tuple(sorted({pair.template for pair in read.pairs} - {""}))
    rows, slices = _to_tensors(kept, vocabulary, templates)
    pairs = MinimalPairs(
        name=name,
        good=rows[: len(kept)],
        bad=rows[len(kept) :],
        position=torch.tensor(positions, dtype=torch.int64),
        rows=torch.tensor([pair.row for pair in kept], dtype=torch.int64),
        scoring=scoring,
        source=identity.source_of(source, read.own),
        slices=slices,
        templates=templates,
        left_out=left_out,
        texts=read.texts,
        paradigms={pair.row: pair.template for pair in read.pairs} if read.texts else {},
        sha256=dict(read.sha256),
    )
    if not kept or pairs.unknown_share > MOST_UNKNOWN:
        raise _another_corpus(pairs, vocabulary)
    return pairs


def _sort_out(
    read: WordPairs, vocabulary: Vocabulary, max_tokens: int, scoring: Scoring
) -> tuple[list[WordPair], list[int], dict[int, str]]:
    """The pairs that can be scored, where their sentences differ, and why rows cannot, by row."""
    kept, positions, left_out = [], [], dict(read.left_out)
    for pair in read.pairs:
        differing, position = _difference(pair)
        if reason := _why_not(pair, differing, vocabulary, max_tokens, scoring):
            left_out[pair.row] = reason
        elif scoring == "verb" and position < 1:
            left_out[pair.row] = NOT_ONE_WORD
        else:
            kept.append(pair)
            positions.append(position)
    return kept, positions, left_out


def _another_corpus(pairs: MinimalPairs, vocabulary: Vocabulary) -> DataError:
    read = len(pairs) + len(pairs.left_out)
    reasons = "; ".join(f"{reason}: {count:,}" for reason, count in pairs.skipped.items()) or "none skipped"
    return DataError(
        f"{pairs.name} cannot be scored with this vocabulary of {len(vocabulary):,} ids: {len(pairs):,} of {read:,} "
        f"pairs are left ({reasons}), and {pairs.unknown_share:.0%} of their words are unknown. "
        f"Was the vocabulary made from another corpus?"
    )


def _difference(pair: WordPair) -> tuple[set[str], int]:
    """The words in which two sentences differ, and their place in a row with ``BOS`` if it is only one, else −1."""
    if len(pair.good) != len(pair.bad):
        counts = Counter(pair.good), Counter(pair.bad)
        return {*(counts[0] - counts[1]), *(counts[1] - counts[0])}, -1
    places = [i for i, (good, bad) in enumerate(zip(pair.good, pair.bad, strict=True)) if good != bad]
    return {sentence[i] for i in places for sentence in (pair.good, pair.bad)}, places[0] + 1 if len(
        places
    ) == 1 else -1


def _why_not(
    pair: WordPair, differing: set[str], vocabulary: Vocabulary, max_tokens: int, scoring: Scoring
) -> str | None:
    if not pair.good or not pair.bad:
        return EMPTY
    if pair.good == pair.bad:
        return IDENTICAL
    # without a known word in which they differ a sum of log p would compare <unk> with something
    if not all(word in vocabulary for word in differing):
        return OUT_OF_VOCABULARY[scoring]
    if max(len(pair.good), len(pair.bad)) + 2 > max_tokens:
        return f"longer than {max_tokens} tokens"
    return None


def _draw(pairs: Sequence[WordPair], most: int) -> list[int]:
    """Places of at most ``most`` pairs of each template, cases in proportion, in the order of the pairs."""
    members: dict[str, list[int]] = {}
    for place, pair in enumerate(pairs):
        members.setdefault(pair.template, []).append(place)
    chosen = []
    for places in members.values():
        cases = sorted({pairs[i].case for i in places})
        codes = np.array([cases.index(pairs[i].case) for i in places])
        chosen += [places[i] for i in stratified_order(codes, seed=SAMPLE_SEED)[:most]]
    return sorted(chosen)


def _to_tensors(
    pairs: Sequence[WordPair], vocabulary: Vocabulary, templates: Sequence[str]
) -> tuple[Int64[Tensor, "two_n t"], dict[str, Tensor]]:
    """Rows of the right sentences, then as many of the wrong ones (in one tensor: of one width), and the slices."""
    rows = pad_sentences([vocabulary.encode(words) for words in [p.good for p in pairs] + [p.bad for p in pairs]])
    slices = {key: torch.tensor([pair.slices[key] for pair in pairs]) for key in (pairs[0].slices if pairs else ())}
    if templates:
        number = {template: i for i, template in enumerate(templates)}
        slices["template"] = torch.tensor([number[pair.template] for pair in pairs], dtype=torch.int64)
    return rows, slices
