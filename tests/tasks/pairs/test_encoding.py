import pytest
import torch

from inductive_bias.errors import DataError
from inductive_bias.tasks.pairs.encoding import WordPair, WordPairs, encode_pairs
from inductive_bias.tasks.vocabulary import BOS, EOS, PAD, UNK, Vocabulary

VOCABULARY = Vocabulary(["the", "dog", "dogs", "bark", "barks", "is", "are"])
THE, DOG, DOGS, BARK, BARKS = range(4, 9)


def pair(good, bad, **known):
    return WordPair(0, good.split(), bad.split(), **known)


def encode(*pairs, scoring="sentence", max_tokens=9, left_out=None, **options):
    """The pairs have the rows 1, 2, …"""
    pairs = [pair._replace(row=row) for row, pair in enumerate(pairs, start=1)]
    read = WordPairs(pairs, left_out or {}, {"file": "00"})
    return encode_pairs("made", read, VOCABULARY, max_tokens=max_tokens, scoring=scoring, source="made:here", **options)


def test_rows_are_framed_padded_to_one_width_and_positions_count_the_beginning():
    made = encode(
        pair("the dog barks", "the dog bark", slices={"distance": 1}),
        pair("the grey dogs are grey", "the grey dogs is grey", slices={"distance": 2}),
        scoring="verb",
    )
    assert made.good.tolist()[0] == [BOS, THE, DOG, BARKS, EOS, PAD, PAD]
    assert made.bad.tolist()[0] == [BOS, THE, DOG, BARK, EOS, PAD, PAD]
    assert made.good.tolist()[1][1:4] == [THE, UNK, DOGS]
    assert made.position.tolist() == [3, 4]
    assert made.slices["distance"].tolist() == [1, 2]
    assert (made.source, made.sha256, made.skipped, made.templates) == ("made:here", {"file": "00"}, {}, ())
    assert made.unknown_share == 2 / 8


def test_what_cannot_be_scored_is_left_out_and_listed_by_its_row():
    made = encode(
        pair("the dog barks", "the dog bark"),
        pair("the dog runs", "the dog run"),
        pair("the dog barks", "the dogs bark"),
        pair("the dog barks", "the dog run"),
        pair("the dog bark", "the dog bark"),
        pair("the the the dog barks", "the the the dog bark"),
        pair("", "the"),
        scoring="verb",
        max_tokens=6,
        left_out={8: "broken", 9: "broken"},
    )
    assert made.rows.tolist() == [1]
    assert made.left_out == {
        2: "verb out of vocabulary",
        3: "sentences differ in more than one word",
        4: "verb out of vocabulary",
        5: "right and wrong are identical",
        6: "longer than 6 tokens",
        7: "empty sentence",
        8: "broken",
        9: "broken",
    }


def test_pairs_of_different_lengths_need_every_word_that_only_one_has():
    made = encode(pair("the dog barks", "the barks"), pair("the dog barks", "the grey dog barks"))
    assert made.position.tolist() == [-1]
    assert made.skipped == {"differing word out of vocabulary": 1}


def test_two_differing_words_have_no_single_position():
    assert encode(pair("the dog barks", "the dogs bark")).position.tolist() == [-1]


def test_templates_are_numbered_by_alphabet_even_if_one_has_no_pair_left():
    unknown = pair("the cat", "the cats", template="b")
    made = encode(unknown, *(pair("the dog is", "the dog are", template=name) for name in "cac"))
    assert made.templates == ("a", "b", "c")
    assert made.slices["template"].tolist() == [2, 0, 2]


def test_a_draw_keeps_small_templates_whole_and_the_proportions_of_cases():
    cases = ["often"] * 60 + ["seldom"] * 20
    pairs = [
        pair(f"the x{i} dog is", f"the x{i} dog are", template="big", case=case, slices={"case": case == "often"})
        for i, case in enumerate(cases)
    ] + [pair("the dog is", "the dog are", template="small", slices={"case": 0})] * 3
    made = encode(*pairs, max_per_template=8)
    big = made.slices["template"] == 0
    assert torch.bincount(made.slices["template"]).tolist() == [8, 3]
    assert made.slices["case"][big].sum() == 6
    assert made.skipped == {"beyond 8 a template": 72}
    assert not set(made.rows.tolist()) & set(made.left_out)
    assert torch.equal(encode(*pairs, max_per_template=8).slices["case"], made.slices["case"])


def test_a_vocabulary_without_the_verbs_is_refused():
    with pytest.raises(DataError, match=r"0 of 1 pairs are left \(verb out of vocabulary: 1\).*another corpus"):
        encode(pair("the cat runs", "the cat run"), scoring="verb")


def test_a_vocabulary_that_knows_little_more_than_the_verbs_is_refused():
    with pytest.raises(DataError, match="67% of their words are unknown"):
        encode(pair("cats there are", "cats there is"), scoring="verb")


def test_an_empty_set_is_refused():
    with pytest.raises(DataError, match="0 of 0 pairs are left"):
        encode()
