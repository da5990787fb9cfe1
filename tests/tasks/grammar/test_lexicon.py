from collections import Counter

import numpy as np
import pytest

from inductive_bias.tasks.grammar import lexicon
from inductive_bias.tasks.grammar.lexicon import with_s, zipf_edges
from tests.tasks.grammar.reader import noun_number, verb_number


@pytest.mark.parametrize(
    ("word", "form"),
    [
        ("key", "keys"),
        ("city", "cities"),
        ("box", "boxes"),
        ("watch", "watches"),
        ("wish", "wishes"),
        ("cough", "coughs"),
    ],
)
def test_the_ending_is_spelt_as_in_english(word, form):
    assert with_s(word) == form


def test_no_form_is_in_two_lists_or_twice_in_one():
    pairs = [form for forms in lexicon.NOUNS + lexicon.VERBS + lexicon.SPEECH for form in forms]
    lists = (lexicon.ADJECTIVES, lexicon.ADVERBS, lexicon.OPENING_ADVERBS, lexicon.PREPOSITIONS, lexicon.SUBORDINATORS)
    determiners = set(lexicon.DETERMINERS[0]) | set(lexicon.DETERMINERS[1])
    every = [*pairs, *(word for words in lists for word in words), *determiners, lexicon.THAT, lexicon.COMMA, "an", "."]
    assert [word for word, count in Counter(every).items() if count > 1] == []
    assert len(every) < 1_000 - 4


def test_there_are_enough_nouns_and_verbs():
    assert len(lexicon.NOUNS) >= 120
    assert len(lexicon.VERBS) >= 45
    assert sum(not plural.endswith("s") for _, plural in lexicon.NOUNS) >= 6
    assert set(lexicon.PLACES) < set(lexicon.PREPOSITIONS)


def test_the_number_of_every_form_can_be_read_off_its_spelling():
    for forms in lexicon.NOUNS:
        assert [noun_number(form) for form in forms] == [0, 1]
    for forms in lexicon.VERBS + lexicon.SPEECH:
        assert [verb_number(form) for form in forms] == [0, 1]


@pytest.mark.parametrize("size", [1, 2, 60])
def test_edges_are_the_sums_of_probabilities_that_fall_with_the_rank(size):
    edges = [0, *zipf_edges(size), 1]
    weights = 1 / np.arange(3, size + 3)
    np.testing.assert_allclose(np.diff(edges), weights / weights.sum())
