"""Splits of the formal languages: lengths, sizes, no leak, and targets by brute force."""

import numpy as np
import pytest
import torch
from pydantic import ValidationError

from inductive_bias.tasks import FormalLanguage
from inductive_bias.tasks.formal import LANGUAGE_NAMES, LANGUAGES, Bin
from inductive_bias.tasks.formal.drawing import Source
from tests.tasks.formal.test_automata import MEMBERS

SHORT = {
    "train_size": 300,
    "validation_size": 60,
    "test_size": 40,
    "train_lengths": (1, 16),
    "longer_lengths": ((17, 30), (31, 40)),
}
#: One string of each length at most.
SINGLE = ("aa", "abab", "tomita_1", "tomita_2", "anbncn")


def strings_of(name, split):
    symbols = LANGUAGES[name].make(3).symbols
    return ["".join(symbols[token - 1] for token in row if token) for row in split.inputs.tolist()]


def short(name, **changes):
    return FormalLanguage(language=name, **SHORT | changes).load()


@pytest.mark.parametrize("name", LANGUAGE_NAMES)
def test_every_string_is_a_member_of_the_length_of_its_split(name):
    data = short(name)
    for split, (low, high) in zip(data.values(), [(1, 16), (1, 16), (17, 30), (31, 40)], strict=True):
        found = strings_of(name, split)
        assert all(MEMBERS[name](string) for string in found)
        assert split.slices["length"].tolist() == [len(string) for string in found]
        assert all(low <= len(string) <= high for string in found)


@pytest.mark.parametrize("name", LANGUAGE_NAMES)
def test_no_string_of_the_training_is_held_out_where_there_are_enough(name):
    data = short(name)
    train, validation = (strings_of(name, data[split]) for split in ("train", "validation"))
    assert len(train) == 300
    if name in SINGLE:
        # the training's own strings: there are no others of these lengths
        assert set(validation) >= set(train)
    else:
        assert not set(train) & set(validation)
        assert len(validation) == 60


@pytest.mark.parametrize("name", LANGUAGE_NAMES)
def test_held_out_strings_differ(name):
    data = short(name)
    for split in ("validation", "longer", "longest"):
        found = strings_of(name, data[split])
        assert len(set(found)) == len(found)
        assert len(found) == len({len(string) for string in found}) or name not in SINGLE


def target_by_definition(name, prefix, symbols):
    """The target after ``prefix``, from the recogniser alone: a continuation is sought by trying."""
    member = MEMBERS[name]
    kind = LANGUAGES[name].target
    if kind == "membership":
        return [int(not member(prefix)), int(bool(member(prefix)))]
    if kind == "state":
        last = prefix.replace("0", "")[-1:] or "0"
        return [int(last == symbol) for symbol in symbols]
    if kind == "accepting next":
        return [int(bool(member(prefix + symbol))) for symbol in symbols]
    endings = {
        "tomita_1": [""],
        "tomita_2": ["", "0"],
        "tomita_4": [""],
        "tomita_7": [""],
        "anbncn": ["b" * b + "c" * c for b in range(20) for c in range(20)],
        "dyck_1": [")" * n for n in range(50)],
    }.get(name, ["b" * n for n in range(6)])
    return [int(any(member(prefix + symbol + end) for end in endings)) for symbol in symbols]


@pytest.mark.parametrize("name", LANGUAGE_NAMES)
def test_targets_are_those_of_the_definition_at_every_position(name):
    symbols = LANGUAGES[name].make(3).symbols
    for part in ("validation", "longer"):
        split = short(name)[part]
        rows = zip(strings_of(name, split)[:6], split.labels[:6].tolist(), strict=True)
        for string, labels in rows:
            for end in range(1, len(string) + 1):
                assert labels[end - 1] == target_by_definition(name, string[:end], symbols), string[:end]
            assert not torch.tensor(labels[len(string) :]).any()


def test_tomita_3_asks_what_keeps_the_string_a_member_as_the_published_code_does():
    """After 1, the symbol 0 is legal (100 is a member) but 10 is not a member."""
    language = LANGUAGES["tomita_3"]
    answers = language.targets(language.make(3))
    assert answers[1].tolist() == [0, 1]
    assert language.make(3).legal(language.make(3).live)[1].tolist() == [True, True]


@pytest.mark.parametrize("name", LANGUAGE_NAMES)
def test_dimensions_are_those_of_the_data(name):
    task = FormalLanguage(language=name, **SHORT)
    data = task.load()
    assert data["train"].labels.shape[2] == task.dimensions["outputs"] == data.classes
    assert int(data["train"].inputs.max()) < task.dimensions["vocabulary"]


def test_published_lengths_and_sizes_are_the_default():
    assert FormalLanguage(language="parity").bins == {"train": Bin(2, 50, 10_000), "longer": Bin(51, 100, 2_000)}
    assert FormalLanguage(language="aa").bins == {"train": Bin(2, 500, 250), "longer": Bin(504, 594, 30)}
    assert FormalLanguage(language="d_2").bins["train"] == Bin(2, 100, 5_000)
    assert list(FormalLanguage(language="dyck_1").bins) == ["train", "longer", "longest"]
    data = FormalLanguage(language="aa").load()
    assert {name: len(split) for name, split in data.items()} == {"train": 250, "validation": 250, "longer": 30}
    assert data["longer"].slices["length"].max() <= 594


def test_lengths_are_spread_evenly():
    lengths = short("parity", train_size=4_000)["train"].slices["length"].bincount()[2:]
    assert lengths.min() > 0.7 * lengths.float().mean()
    assert lengths.max() < 1.3 * lengths.float().mean()


def test_at_most_half_the_strings_of_a_length_are_held_out():
    """Of Parity's two strings of two symbols, 00 and 11, one is left to train on."""
    data = short("parity", train_size=2_000, validation_size=500)
    held_out = strings_of("parity", data["validation"])
    for length in range(2, 17):
        assert sum(len(string) == length for string in held_out) <= 2 ** (length - 2)
    assert {len(string) for string in strings_of("parity", data["train"])} >= set(range(2, 17))


def test_the_size_of_the_training_does_not_change_what_is_held_out():
    large, small = (short("d_3", train_size=size) for size in (300, 50))
    for name in ("validation", "longer", "longest"):
        assert torch.equal(large[name].inputs, small[name].inputs)


def test_another_seed_draws_other_strings_and_the_same_seed_the_same():
    first, other = (short("parity", data_seed=seed)["train"] for seed in (0, 1))
    assert strings_of("parity", first) != strings_of("parity", other)
    again = short("parity", test_size=41)["train"]  # another setting: nothing is taken from the cache
    assert torch.equal(first.inputs, again.inputs)


class TestBadInput:
    @pytest.mark.parametrize(
        ("changes", "message"),
        [
            ({"language": "esperanto"}, "Input should be 'parity'"),
            ({"train_size": 0}, "greater than or equal to 1"),
            ({"train_lengths": (0, 5)}, "lengths must be at least 1"),
            ({"train_lengths": (9, 5)}, "the shortest first"),
            ({"train_lengths": (1, 60)}, "each bin must be longer"),
            ({"longer_lengths": ()}, "at least 1 item"),
            ({"longer_lengths": ((51, 60), (61, 70), (71, 80))}, "at most 2 items"),
            ({"loss": "hinge"}, "Input should be 'mse' or 'bce'"),
        ],
    )
    def test_settings(self, changes, message):
        with pytest.raises(ValidationError, match=message):
            FormalLanguage(**{"language": "parity"} | changes)

    def test_lengths_without_a_string(self):
        task = FormalLanguage(language="abab", train_lengths=(1, 3), longer_lengths=((4, 8),))
        with pytest.raises(ValueError, match="no string of 1 to 3 symbols"):
            task.load()

    def test_a_length_of_which_everything_is_held_out(self):
        source = Source(LANGUAGES["parity"].make(3), 3)
        both = frozenset({bytes([0, 0]), bytes([1, 1])})
        with pytest.raises(ValueError, match="no string of 2 symbols is left"):
            source.draw(2, 3, 5, np.random.default_rng(0), without=both)

    def test_fewer_strings_than_asked_for_are_all_taken(self):
        source = Source(LANGUAGES["parity"].make(3), 3)
        found = source.draw_distinct(2, 3, 99, np.random.default_rng(0))
        assert sorted(string.tolist() for string in found) == [
            [0, 0],
            [0, 0, 0],
            [0, 1, 1],
            [1, 0, 1],
            [1, 1],
            [1, 1, 0],
        ]
