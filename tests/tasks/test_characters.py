"""Character modelling: cut by position, every character predicted once, no other alphabet passes."""

import pytest
import torch
from pydantic import ValidationError

from inductive_bias.errors import DataError
from inductive_bias.tasks import CharacterModelling
from inductive_bias.tasks.characters import CUTS, UNKNOWN, characters_of, decode, encode
from inductive_bias.tasks.data import IGNORED

TEXT = "abcde" * 40


def data_of(text=TEXT, **choices):
    return characters_of(CharacterModelling(**{"text": "grammar", "window": 4} | choices), text, "made up", {})


def test_the_text_is_cut_by_position_and_no_character_is_in_two_parts():
    text = "".join(chr(ord("a") + i % 26) for i in range(200))
    data = data_of(text, window=3)
    train = data["train"]
    assert len(train) == 179  # of 180 characters the first is not predicted
    assert train.labels[:-1].tolist() == train.inputs[1:].tolist()
    decode = ["?", *sorted(set(text))]
    for name, start in (("validation", 180), ("test", 190)):
        windows = data[name]
        assert windows.inputs.shape == windows.labels.shape == (3, 3)
        assert "".join(decode[i] for i in windows.inputs.flatten()) == text[start : start + 9]
        assert "".join(decode[i] for i in windows.labels.flatten()) == text[start + 1 : start + 10]


def test_ids_follow_the_sorted_alphabet_and_zero_is_for_all_others():
    assert encode("badz~é", ["a", "b", "d"]).tolist() == [2, 1, 3, UNKNOWN, UNKNOWN, UNKNOWN]
    assert encode("", ["a"]).tolist() == []
    assert decode(encode("badz~é", ["a", "b", "d"]), "abd") == "bad\N{REPLACEMENT CHARACTER}" + 2 * "\ufffd"


def test_unknown_characters_are_counted_and_never_asked_for():
    text = TEXT[:190] + "aZcdeabcde"
    long = TEXT * 19 + text  # one in about 200 characters of the test text
    data = data_of(long)
    assert data.skipped == {
        "unknown character, train": 0,
        "unknown character, validation": 0,
        "unknown character, test": 1,
    }
    labels, inputs = data["test"].labels.flatten(), data["test"].inputs.flatten()
    assert (labels == IGNORED).sum() == 1
    assert inputs[1:][labels[:-1] == IGNORED].tolist() == [UNKNOWN]


def test_a_held_out_text_of_another_alphabet_is_refused():
    with pytest.raises(DataError, match="10 of the 10 characters of the validation text are not in the training text"):
        data_of(TEXT[:180] + "x" * 20)


@pytest.mark.parametrize(
    ("choices", "message"),
    [
        ({"vocabulary_size": 5}, "has 5 different characters; vocabulary_size must be larger, not 5"),
        ({"window": 10}, "validation text of 10 characters is no longer than a window"),
    ],
)
def test_a_text_that_does_not_fit_is_refused(choices, message):
    with pytest.raises(DataError, match=message):
        data_of(**choices)


def test_a_window_may_be_all_but_one_character_of_a_part():
    assert data_of(window=9)["test"].inputs.shape == (1, 9)
    assert data_of(vocabulary_size=6).classes == 6


@pytest.mark.parametrize(
    "choices",
    [
        {"window": 1},
        {"vocabulary_size": 2},
        {"text": "enwik8"},
        {"sentences": 5},
        {"data_seed": 1},
        {"text": "grammar", "allow_other": True},
        {"text": "text8", "form": "as written"},
    ],
)
def test_settings_out_of_range_are_refused(choices):
    with pytest.raises(ValidationError):
        CharacterModelling(**choices)


def test_dimensions_are_those_of_a_model_that_reads_and_predicts_ids():
    assert CharacterModelling(vocabulary_size=28).dimensions == {"vocabulary": 28, "outputs": 28}


def test_the_grammar_stands_in_for_a_text_and_its_seed_decides_it():
    task = CharacterModelling(text="grammar", sentences=60, window=16)
    data = task.load()
    assert data.is_sample
    assert data.sha256 == {}
    assert data["train"].source == "generated:agreement grammar"
    assert task.load() is data
    other = CharacterModelling(text="grammar", sentences=60, window=16, data_seed=1).load()
    assert not torch.equal(other["train"].inputs[:500], data["train"].inputs[:500])


def test_tiny_shakespeare_has_its_65_characters(shared_data_folder):
    if not (shared_data_folder / "tinyshakespeare").is_dir():
        pytest.skip("the real file is not here: no tinyshakespeare/")
    data = CharacterModelling().load(shared_data_folder)
    assert not data.is_sample
    assert data["train"].source == "real:tinyshakespeare"
    assert len(data["train"]) == int(1_115_394 * CUTS[0]) - 1
    assert data["train"].inputs.unique().tolist() == list(range(1, 66))
    assert data["validation"].inputs.shape == data["test"].inputs.shape == (435, 128)
    assert set(data.skipped.values()) == {0}
    assert list(data.sha256) == ["tinyshakespeare/input.txt.gz"]
