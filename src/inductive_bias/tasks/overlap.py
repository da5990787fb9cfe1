"""Leaving out of a training text what a model will be tested on.

The same sentence may stand in two sets in two spellings: rare words are ``<unk>`` in one, a part of speech in another
and written out in a third, and numbers and marks are cut in different ways. What all of them share are its frequent
words, in their order. A page may be in two sets in two versions; its title, rare as it is, does not tell.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from itertools import chain

Words = Sequence[str]

#: Frequent words that make a *skeleton*. They are known to every vocabulary of the sets that are compared here.
FREQUENT = 3_000
#: Frequent words from which two sentences of one skeleton are taken for one sentence; shorter ones must be equal.
ENOUGH = 8
#: Sentences with the skeleton of a tested one from which a page is taken for a version of a tested page.
SAME_PAGE = 3
EQUAL, SAME_SKELETON, OF_PAGE = "equal to a tested sentence", "frequent words of a tested sentence", "on a tested page"


def without(pages: Sequence[Sequence[Words]], tested: Iterable[Words]) -> tuple[list[Words], dict[str, int]]:
    """The training sentences that are not tested, in their order, and how many were left out, by reason.

    A sentence is left out if it equals a tested one, or has the same skeleton (its words among the ``FREQUENT`` of the
    training text, in their order) with at least ``ENOUGH`` words; a page is left out as a whole if that is so for the
    skeletons of ``SAME_PAGE`` of its sentences.

    Args:
        pages: of the training text, each a list of sentences; where pages are not known, one sentence each.
        tested: sentences of all test sets.
    """
    skeleton = _skeletons(pages)
    tested = list(tested)
    equal = {tuple(words) for words in tested}
    same = {found for words in tested if len(found := skeleton(words)) >= ENOUGH}
    kept, left_out = [], Counter({EQUAL: 0, SAME_SKELETON: 0, OF_PAGE: 0})
    for page in pages:
        alike = [skeleton(words) in same for words in page]
        if sum(alike) >= SAME_PAGE:
            left_out[OF_PAGE] += len(page)
            continue
        for words, is_alike in zip(page, alike, strict=True):
            if tuple(words) in equal:
                left_out[EQUAL] += 1
            elif is_alike:
                left_out[SAME_SKELETON] += 1
            else:
                kept.append(words)
    return kept, dict(left_out)


def _skeletons(pages: Iterable[Iterable[Words]]) -> Callable[[Words], tuple[str, ...]]:
    """What makes the skeleton of a sentence: its words among the most frequent ones, ties by alphabet."""
    counts = Counter(chain.from_iterable(chain.from_iterable(pages)))
    letters = sorted((word for word in counts if word.isalpha()), key=lambda word: (-counts[word], word))
    frequent = frozenset(letters[:FREQUENT])
    return lambda words: tuple([word for word in words if word in frequent])
