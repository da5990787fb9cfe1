from collections import Counter

import pytest
import torch
from pydantic import ValidationError

from inductive_bias.tasks.grammar import GeneratedAgreement
from inductive_bias.tasks.vocabulary import BOS, EOS, PAD, UNK

SMALL = GeneratedAgreement(train_size=400, validation_size=100, test_size=200, per_count=40)
NAMES = ("train", "validation", "test", "attractors")


@pytest.fixture(scope="module")
def data():
    return SMALL.load()


def preambles(setting, split):
    return {sentence.preamble for sentence in setting.sentences(split)}


@pytest.mark.parametrize(("name", "size"), [("train", 400), ("validation", 100), ("test", 200), ("attractors", 200)])
def test_rows_are_the_framed_preambles_of_the_sentences(data, name, size):
    split, sentences = data[name], SMALL.sentences(name)
    assert len(split) == len(sentences) == size
    for row, sentence in zip(split.inputs.tolist(), sentences, strict=True):
        framed = [BOS, *data.vocabulary.encode(sentence.preamble), EOS]
        assert row == framed + [PAD] * (len(row) - len(framed))
    assert split.labels.tolist() == [sentence.number for sentence in sentences]
    assert split.slices["attractors"].tolist() == [sentence.attractors for sentence in sentences]
    assert split.slices["distance"].tolist() == [sentence.verb - sentence.subject for sentence in sentences]
    assert split.labels.dtype == split.inputs.dtype == split.slices["distance"].dtype == torch.int64
    assert split.source == "generated:agreement grammar"


def test_the_attractor_split_is_balanced_and_all_its_nouns_between_attract(data):
    split = data["attractors"]
    counts = Counter(zip(split.slices["attractors"].tolist(), split.labels.tolist(), strict=True))
    assert counts == {(count, label): 20 for count in range(5) for label in range(2)}
    assert all(sentence.intervening == sentence.attractors for sentence in SMALL.sentences("attractors"))


def test_no_preamble_is_in_two_splits():
    large = GeneratedAgreement(train_size=3_000)
    seen = [preambles(large, name) for name in NAMES]
    assert len(set().union(*seen)) == sum(map(len, seen))
    # nor would it be so without care
    assert large.load().skipped["preamble in a held-out split"] > 100


def test_training_sets_are_nested_and_held_out_splits_do_not_depend_on_them():
    larger = SMALL.model_copy(update={"train_size": 900})
    enriched = SMALL.model_copy(update={"enrichment": 0.5})
    assert larger.sentences("train")[:400] == SMALL.sentences("train")
    assert enriched.sentences("train") != SMALL.sentences("train")
    for name in NAMES[1:]:
        assert larger.sentences(name) == enriched.sentences(name) == SMALL.sentences(name)


def test_the_seed_changes_every_split_and_equal_settings_share_one_result(data):
    other = SMALL.model_copy(update={"data_seed": 1})
    assert all(other.sentences(name) != SMALL.sentences(name) for name in NAMES)
    assert SMALL.model_copy().load("/nowhere", download=False) is data


def test_enriched_training_has_more_attractors():
    plain, enriched = (
        GeneratedAgreement(train_size=500, per_count=2, enrichment=share).load()["train"].slices["attractors"]
        for share in (0.0, 1.0)
    )
    assert (plain > 0).sum() < 100
    assert (enriched > 0).all()


def test_the_vocabulary_is_that_of_the_training_preambles(data):
    words = {word for preamble in preambles(SMALL, "train") for word in preamble}
    assert set(data.vocabulary.words[4:]) == words
    assert (data["train"].inputs != UNK).all()
    assert (data["test"].inputs == UNK).any()  # a small training set lacks some words
    large = GeneratedAgreement(train_size=5_000).load()
    assert (large["test"].inputs != UNK).all()


def test_a_larger_set_can_have_the_words_of_a_smaller_one_and_then_some_are_unknown(data):
    larger = SMALL.model_copy(update={"train_size": 2_000, "vocabulary_from": 400}).load()
    assert larger.vocabulary == data.vocabulary
    assert len(larger["train"]) == 2_000
    assert (larger["train"].inputs[:400] == UNK).sum() == 0 < (larger["train"].inputs == UNK).sum()
    own = SMALL.model_copy(update={"train_size": 2_000}).load()
    assert len(own.vocabulary) > len(data.vocabulary)


def test_a_small_vocabulary_keeps_the_most_frequent_words():
    data = SMALL.model_copy(update={"vocabulary_size": 10}).load()
    assert len(data.vocabulary) == 10
    assert data.vocabulary.words[4] == "the"
    assert data["train"].inputs.max() == 9


def test_longer_preambles_are_drawn_again_and_counted():
    short = SMALL.model_copy(update={"max_tokens": 24, "train_size": 2_000})
    data = short.load()
    assert max(data[name].inputs.shape[1] for name in NAMES) == 24
    assert data.skipped["longer than max_tokens"] > 0
    assert Counter(data["attractors"].slices["attractors"].tolist()) == {count: 40 for count in range(5)}


def test_what_the_data_says_of_itself(data):
    assert data.names == NAMES
    assert data.classes == 2
    assert data.is_sample
    assert dict(data.sha256) == {}
    assert SMALL.dimensions == {"vocabulary": 1_000, "classes": 2, "positions": 64}


@pytest.mark.parametrize(
    "wrong",
    [
        {"train_size": 0},
        {"validation_size": 0},
        {"test_size": 0},
        {"per_count": 0},
        {"per_count": 3},
        {"data_seed": -1},
        {"enrichment": -0.1},
        {"enrichment": 1.1},
        {"vocabulary_size": 4},
        {"max_tokens": 23},
        {"vocabulary_from": 0},
        {"enrichment": float("nan")},
        {"attractors": 1},
    ],
)
def test_settings_out_of_range_are_refused(wrong):
    with pytest.raises(ValidationError, match=next(iter(wrong))):
        GeneratedAgreement(**wrong)


def test_an_unknown_split_is_refused():
    with pytest.raises(ValueError, match=r"one of validation, test, attractors, train, not 'dev'"):
        SMALL.sentences("dev")
