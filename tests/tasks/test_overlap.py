from collections import Counter

import numpy as np
import pytest

from inductive_bias.tasks import overlap
from inductive_bias.tasks.overlap import EQUAL, OF_PAGE, SAME_SKELETON, without

LONG = ["the", "old", "man", "of", "the", "sea", "and", "his", "wife", "went", "to", "the", "harbour"]


def pages_of(*sentences):
    return [[sentence.split()] for sentence in sentences]


def test_an_equal_sentence_goes_however_short():
    kept, left_out = without(pages_of("yes .", "no ."), [("yes", ".")])
    assert kept == [["no", "."]]
    assert left_out == {EQUAL: 1, SAME_SKELETON: 0, OF_PAGE: 0}


def test_a_sentence_goes_whose_rare_words_and_numbers_are_written_in_another_way(monkeypatch):
    monkeypatch.setattr(overlap, "FREQUENT", 10)
    others = pages_of(*["his wife and the old man of sea to went"] * 9, "zanzibar 1 @,@ 000 !")
    tested = [["<unk>" if word == "harbour" else word for word in LONG]]
    kept, left_out = without([[LONG], *others], tested)
    assert left_out == {EQUAL: 0, SAME_SKELETON: 1, OF_PAGE: 0}
    assert kept == [page[0] for page in others]


def test_few_frequent_words_in_common_are_chance():
    assert without(pages_of("he was born in <unk>"), [["he", "was", "born", "in", "rome"]])[0] != []


@pytest.mark.parametrize(("alike", "kept"), [(2, 1), (3, 0)])
def test_a_page_with_several_tested_sentences_goes_as_a_whole(alike, kept):
    tested = [[*LONG, word] for word in ("one", "two", "three")]
    page = [*([*words, "!"] for words in tested[:alike]), ["more", "of", "it"]]
    sentences, left_out = without([page], tested)
    assert len(sentences) == kept
    assert left_out[OF_PAGE] == (4 if alike == 3 else 0)


def naive(pages, tested, frequent_words, enough, same_page):
    """Every sentence with every tested one."""
    counts = Counter(word for page in pages for words in page for word in words if word.isalpha())
    frequent = sorted(counts, key=lambda word: (-counts[word], word))[:frequent_words]

    def alike(words, other):
        ours, theirs = ([word for word in each if word in frequent] for each in (words, other))
        return len(ours) >= enough and ours == theirs

    for page in pages:
        if sum(any(alike(words, other) for other in tested) for words in page) >= same_page:
            continue
        for words in page:
            if not any(list(words) == list(other) or alike(words, other) for other in tested):
                yield words


@pytest.mark.parametrize("seed", range(5))
def test_it_is_what_comparing_all_with_all_gives(seed, monkeypatch):
    for name, value in (("FREQUENT", 2), ("ENOUGH", 2), ("SAME_PAGE", 2)):
        monkeypatch.setattr(overlap, name, value)
    rng = np.random.default_rng(seed)

    def sentences(n):
        return [["abc7"[k] for k in rng.integers(0, 4, rng.integers(1, 6))] for _ in range(n)]

    pages, tested = [sentences(rng.integers(1, 5)) for _ in range(80)], sentences(12)
    kept, left_out = without(pages, tested)
    assert kept == list(naive(pages, tested, 2, 2, 2))
    assert len(kept) + sum(left_out.values()) == sum(map(len, pages))
    assert sum(left_out.values()) > 0


def test_nothing_tested_and_nothing_trained_on_are_no_errors():
    assert without([], [["a"]]) == ([], {EQUAL: 0, SAME_SKELETON: 0, OF_PAGE: 0})
    assert without([[["a"]], []], [])[0] == [["a"]]
