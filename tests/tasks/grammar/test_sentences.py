import numpy as np
import pytest

from inductive_bias.tasks.grammar import PLURAL, SINGULAR, Sentence, generate, lexicon
from inductive_bias.tasks.grammar.sentences import Writer, capacity
from tests.tasks.grammar.reader import read

NOUNS = {form for forms in lexicon.NOUNS for form in forms}
OTHER = {form: forms[1 - place] for forms in lexicon.VERBS for place, form in enumerate(forms)}


@pytest.fixture(scope="module")
def mixed():
    return [
        sentence
        for seed, attractors in enumerate((None, None, 0, 1, 2, 3, 4, 9))
        for sentence in generate(150, rng=np.random.default_rng(seed), attractors=attractors)
    ] + generate(300, rng=np.random.default_rng(9), enrichment=1.0)


def test_a_reader_of_the_words_finds_the_same_head_verb_and_nouns_between(mixed):
    for sentence in mixed:
        reading = read(sentence.words, NOUNS, OTHER)
        others = sum(number != reading.number for number in reading.intervening)
        assert (reading.subject, reading.verb, reading.number) == (sentence.subject, sentence.verb, sentence.number)
        assert (len(reading.intervening), others) == (sentence.intervening, sentence.attractors)


def test_every_verb_of_a_clause_agrees_and_the_wrong_form_does_not(mixed):
    for sentence in mixed:
        verb = sentence.words[sentence.verb]
        assert OTHER[verb] == sentence.wrong_verb
        assert verb.endswith("s") == (sentence.number == SINGULAR)
        for may_agree_with, number in read(sentence.words, NOUNS, OTHER).inner:
            assert number in may_agree_with


def test_relative_clauses_of_all_three_kinds_nest(mixed):
    kinds = {"verb": 0, "noun": 0}
    for sentence in mixed:
        for place in range(sentence.subject, sentence.verb):
            if sentence.words[place] == "that":
                kinds["noun" if sentence.words[place + 1] in {"the", "a", "my", "our"} else "verb"] += 1
    assert min(kinds.values()) > 200
    assert max(sentence.preamble[sentence.subject :].count("that") for sentence in mixed) >= 3


def test_parts_of_a_sentence_fit_together():
    words = ("the", "keys", "to", "the", "door", "are", "old", ".")
    sentence = Sentence(words, 1, 5, "is", PLURAL, 1, 1)
    assert sentence.preamble == words[:5]
    assert sentence.distance == 4
    assert " ".join(sentence.wrong_words) == "the keys to the door is old ."


def test_an_stands_before_vowels_and_a_before_nothing_else(mixed):
    seen = set()
    for sentence in mixed:
        for article, following in zip(sentence.words, sentence.words[1:], strict=False):
            if article in ("a", "an"):
                seen.add(article)
                assert (article == "an") == (following[0] in "aeiou")
    assert seen == {"a", "an"}


def test_every_sentence_ends_with_its_only_full_stop(mixed):
    assert all(sentence.words.index(".") == len(sentence.words) - 1 for sentence in mixed)


def test_nouns_stand_before_the_head_as_often_as_the_grammar_says(mixed):
    before = [any(word in NOUNS for word in sentence.words[: sentence.subject]) for sentence in mixed]
    assert 0.3 < np.mean(before) < 0.42  # .14 + .11 + .11 by the grammar


def most_nouns(depth):
    return 0 if depth == 0 else 2 * (1 + most_nouns(depth - 1))


@pytest.mark.parametrize("depth", [0, 1, 2, 3, 5])
def test_capacity_is_two_modifiers_a_noun(depth):
    assert capacity(depth) == most_nouns(depth)


@pytest.mark.parametrize("depth", [2, 3])
def test_the_fullest_sentence_of_a_depth_can_be_written(depth):
    numbers = [1, 0] * (capacity(depth) // 2)
    sentence = Writer(np.random.default_rng(0), depth).write((0, numbers))
    assert read(sentence.words, NOUNS, OTHER).intervening == numbers
