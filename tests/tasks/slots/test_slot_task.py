"""Slot filling: ids, labels, later words, unknown words, and tags that training does not have."""

import numpy as np
import pytest
import torch
from pydantic import ValidationError

from inductive_bias.errors import DataError
from inductive_bias.tasks import SlotFilling
from inductive_bias.tasks.data import IGNORED
from inductive_bias.tasks.slots.grammar import FILLERS, PATTERNS, all_tags, all_words, requests
from inductive_bias.tasks.slots.task import TAGS, WORDS
from inductive_bias.tasks.vocabulary import EOS, PAD, SPECIALS, UNK
from tests.tasks.slots.conftest import SETS, framed

OURS = {"train": "train", "validation": "valid", "test": "test"}
SMALL = {"allow_other": True, "tags": 4, "vocabulary_size": 12}
MADE = SlotFilling(data="generated", sentences=20)


@pytest.mark.parametrize("data", ["atis", "snips"])
@pytest.mark.parametrize("lookahead", [0, 1, 3])
def test_the_tag_of_a_word_is_answered_so_many_words_later(root, data, lookahead):
    task = SlotFilling(data=data, lookahead=lookahead, min_count=1, **SMALL)
    found = task.load(root)
    known = set(found.vocabulary.words)
    for ours, theirs in OURS.items():
        split = found[ours]
        assert split.inputs.shape[1] == max(len(words.split()) for words, _ in SETS[theirs]) + lookahead
        for row, (text, answer) in enumerate(SETS[theirs]):
            words, tags = text.split(), answer.split()
            read = [word if word in known else "<unk>" for word in words] + ["<eos>"] * lookahead
            ids = split.inputs[row].tolist()
            assert found.vocabulary.decode(ids[: len(read)]) == read
            assert set(ids[len(read) :]) <= {PAD}
            for place, label in enumerate(split.labels[row].tolist()):
                word = place - lookahead
                if 0 <= word < len(words):
                    assert found.label_names[label] == tags[word]
                else:
                    assert label == IGNORED
        assert split.slices["length"].tolist() == [len(words.split()) for words, _ in SETS[theirs]]
        assert split.source == f"real:{data}"


def test_tags_that_training_does_not_have_come_after_those_that_a_model_can_answer(root):
    found = SlotFilling(**SMALL).load(root)
    assert found.label_names == ("O", "B-day", "B-to", "I-to", "B-airline")
    assert found.classes == SlotFilling(**SMALL).dimensions["outputs"] == 4
    assert found["train"].labels.max() == 3
    assert (found["test"].labels == 4).sum() == 1


class TestWords:
    def test_words_that_training_does_not_have_or_has_but_once_are_unknown(self, root):
        every, twice = (SlotFilling(min_count=n, **SMALL).load(root) for n in (1, 2))
        assert set(every.vocabulary.words[4:]) == {"fly", "to", "new", "york", "boston", "today"}
        assert set(twice.vocabulary.words[4:]) == {"fly", "to", "boston"}
        assert every["test"].inputs[0].tolist()[0] == UNK  # delta
        assert (twice["train"].inputs == UNK).sum() == 3
        assert (every["train"].inputs == UNK).sum() == 0

    def test_a_smaller_vocabulary_keeps_the_most_frequent_words(self, root):
        found = SlotFilling(min_count=1, **SMALL | {"vocabulary_size": 6}).load(root)
        assert found.vocabulary.words[4:] == ("boston", "fly")


@pytest.mark.parametrize("tags", [None, 3, 5])
def test_another_number_of_tags_than_training_has_is_refused_with_the_right_one(root, tags):
    with pytest.raises(DataError, match=r"have 4 different tags; tags must be as many, not (120|3|5)"):
        SlotFilling(**SMALL | {"tags": tags}).load(root)


def test_sentences_without_an_outside_tag_are_sentences(root, put):
    put("atis/atis-2.train.w-intent.iob", framed((("boston", "B-to"),)).encode())
    found = SlotFilling(**SMALL | {"tags": 2}).load
    with pytest.raises(DataError, match="have 1 different tags"):
        found(root)
    put("atis/atis-2.train.w-intent.iob", framed((("new york", "B-to I-to"),)).encode())
    data = found(root)
    assert data.label_names[:2] == ("B-to", "I-to")
    assert {split.source for split in data.values()} == {"own:atis-2.train.w-intent.iob"}


class TestMadeUpRequests:
    def test_they_depend_on_the_seed_alone_and_say_what_they_are(self):
        data = MADE.load()
        assert {split.source for split in data.values()} == {"generated:flight requests"}
        assert data.is_sample
        assert [len(data[name]) for name in data] == [20, 50, 50]
        again = SlotFilling(data="generated", sentences=25).load()
        other = SlotFilling(data="generated", sentences=20, data_seed=1).load()
        assert data["test"].slices["length"].tolist() == again["test"].slices["length"].tolist()
        assert data["test"].slices["length"].tolist() != other["test"].slices["length"].tolist()
        assert len(SlotFilling(data="generated").load()["train"]) == 200

    @pytest.mark.parametrize("sentences", [len(PATTERNS), 40])
    @pytest.mark.parametrize("seed", range(3))
    def test_every_tag_is_in_training_and_every_size_fits(self, sentences, seed):
        task = SlotFilling(data="generated", sentences=sentences, data_seed=seed)
        data = task.load()
        assert len(data.label_names) == data.classes == task.dimensions["outputs"] == len(all_tags())
        assert len(data.vocabulary) <= task.dimensions["vocabulary"] == len(all_words()) + len(SPECIALS)

    def test_what_stands_in_a_slot_is_one_of_its_fillers(self):
        for request in requests(np.random.default_rng(0), 200):
            assert set(request.words) <= all_words()
            filler, kind = [], None
            for word, tag in zip((*request.words, ""), (*request.tags, "O"), strict=True):
                if not tag.startswith("I-") and filler:
                    assert " ".join(filler) in FILLERS[kind]
                    filler = []
                if tag != "O":
                    filler, kind = [*filler, word], tag[2:]

    def test_the_first_city_of_some_requests_needs_the_next_word(self):
        """So that a small run can tell a model that looks ahead from one that does not."""
        first = [pattern.split()[:2] for pattern in PATTERNS if pattern.startswith("{")]
        assert [after for _, after in first] == ["to", "flights"]
        assert FILLERS["fromloc.city_name"] == FILLERS["toloc.city_name"]


@pytest.mark.parametrize(
    ("choices", "message"),
    [
        ({"sentences": 40}, "belong to the data 'generated', not to 'atis'"),
        ({"data": "snips", "data_seed": 1}, "belong to the data 'generated', not to 'snips'"),
        ({"data": "generated", "allow_other": True}, "allow_other=True belongs to data that are read from files"),
        ({"tags": 7}, "tags=7 belongs to allow_other=True"),
        ({"tags": 1, "allow_other": True}, "greater than or equal to 2"),
        ({"data": "generated", "sentences": len(PATTERNS) - 1}, f"greater than or equal to {len(PATTERNS)}"),
        ({"lookahead": -1}, "greater than or equal to 0"),
        ({"min_count": 3}, "Input should be 1 or 2"),
        ({"vocabulary_size": len(SPECIALS)}, f"greater than {len(SPECIALS)}"),
        ({"data": "conll"}, "Input should be 'atis'"),
    ],
)
def test_settings_that_do_not_fit_are_refused(choices, message):
    with pytest.raises(ValidationError, match=message):
        SlotFilling(**choices)


@pytest.mark.parametrize("data", ["atis", "snips"])
@pytest.mark.parametrize("min_count", [1, 2])
def test_a_model_is_as_large_as_the_real_training_text_needs(shared_data_folder, data, min_count):
    if not (shared_data_folder / data).is_dir():
        pytest.skip(f"the real files are not here: no {data}/ in INDUCTIVE_BIAS_DATA or ../shared/data")
    task = SlotFilling(data=data, min_count=min_count)
    found = task.load(shared_data_folder)
    assert task.dimensions == {"vocabulary": len(found.vocabulary), "outputs": found.classes}
    assert len(found.vocabulary) == WORDS[data][min_count] + 4
    assert found.classes == TAGS[data]
    unseen = set(found.label_names[found.classes :])
    assert len(unseen) == (7 if data == "atis" else 0)
    if data == "atis":
        assert {"B-flight", "I-state_name", "I-return_date.day_number"} < unseen
    assert (found["train"].labels < found.classes).all()
    assert not (found["train"].inputs == EOS).any()


def test_the_frame_of_atis_is_neither_read_nor_scored(shared_data_folder):
    if not (shared_data_folder / "atis").is_dir():
        pytest.skip("the real files are not here: no atis/ in INDUCTIVE_BIAS_DATA or ../shared/data")
    found = SlotFilling(min_count=1).load(shared_data_folder)
    assert not {"BOS", "EOS"} & set(found.vocabulary.words)
    for split in found.values():
        assert torch.equal(split.labels != IGNORED, split.inputs != PAD)
