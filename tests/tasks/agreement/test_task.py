import pytest
from pydantic import ValidationError

from inductive_bias.errors import DataError
from inductive_bias.tasks.agreement import Agreement
from inductive_bias.tasks.vocabulary import BOS, EOS, PAD, UNK

NAMES = ("train", "validation", "test", "attractors", "wikitext")
REGIMES = ("natural", "wikitext", "attractor-rich", "official", "tsv")


def words_of(data, name):
    vocabulary = data.vocabulary
    return [" ".join(vocabulary.decode(row[row > EOS].tolist())) for row in data[name].inputs]


def load(root, **values):
    return Agreement(**values).load(root, download=False)


@pytest.mark.parametrize("regime", REGIMES)
def test_every_regime_has_the_same_five_splits_framed_and_padded(all_data, regime):
    data = load(all_data, regime=regime)
    assert data.names == NAMES
    assert data.classes == 2
    assert not data.is_sample
    for split in data.values():
        assert len(split) > 0
        assert split.source.startswith("real:")
        assert set(split.labels.tolist()) <= {0, 1}
        assert (split.inputs[:, 0] == BOS).all()
        assert ((split.inputs == EOS).sum(1) == 1).all()
        after_end = (split.inputs == EOS).cumsum(1) - (split.inputs == EOS).long()
        assert ((split.inputs == PAD) == (after_end > 0)).all()


def test_natural_cuts_the_one_percent_split_by_the_stated_shares(data):
    sizes = {name: len(split) for name, split in load(data).items()}
    assert sizes["train"] + sizes["validation"] + sizes["test"] == 110
    assert abs(sizes["test"] - 0.18 * 110) <= 2
    assert abs(sizes["validation"] - 0.065 * 110) <= 2


def test_attractor_counts_are_a_slice_and_a_quarter_of_each_is_for_training(data):
    rich = load(data, regime="attractor-rich")
    held_out = rich["attractors"].slices["attractors"]
    assert set(held_out.tolist()) == {1, 2, 3, 4, 5}
    train = rich["train"].slices["attractors"]
    assert sorted(set(train.tolist())) == [-1, 1, 2, 3, 4, 5]
    assert abs((train > 0).sum() - 0.25 * 45) <= 2
    assert (train > 0).sum() + len(held_out) == 45
    assert rich["train"].source == "real:linzen+attractors"


def test_an_attractor_preamble_of_numpred_val_is_left_out_and_counted(data, put, declare):
    path = data / "linzen_agreement" / "rnn_agr_simple" / "numpred.test.2"
    before = len(load(data)["attractors"])
    put(path, path.read_text() + "VBP\tthe cats val of the town number3\n")
    declare(data)
    loaded = load(data, max_tokens=63)
    assert loaded.skipped["attractors: preamble also in numpred.val"] == 1
    assert len(loaded["attractors"]) == before


def test_what_the_table_knows_of_a_row_are_slices(all_data):
    data = load(all_data, regime="tsv")
    assert set(data["test"].slices) == {"attractors", "distance", "intervening"}
    assert set(data["test"].slices["distance"].tolist()) == {4}
    assert set(data["attractors"].slices["attractors"].tolist()) == {1}
    # every preamble is twice in the table: one that training has is in no other split
    assert len(data["train"]) == 60


def test_train_size_keeps_the_first_of_a_fixed_order_and_the_vocabulary(data):
    whole, part = load(data), load(data, train_size=20)
    assert words_of(part, "train") == words_of(whole, "train")[:20]
    assert part.vocabulary == whole.vocabulary
    with pytest.raises(DataError, match=r"train_size should be 1\.\.\d+ here, not 5000"):
        load(data, train_size=5_000)


def test_longer_preambles_are_left_out_and_counted_and_the_longest_fits(data):
    cut = load(data, max_tokens=12)
    whole = load(data)
    lengths = (whole["attractors"].inputs > EOS).sum(1)  # unknown words are words
    assert cut["attractors"].inputs.shape[1] <= 12
    assert cut.skipped["attractors: longer than 10 words"] == len(whole["attractors"]) - len(cut["attractors"])
    assert cut.skipped["attractors: longer than 10 words"] == int((lengths > 10).sum())


def test_nothing_left_of_a_split_is_an_error(data):
    with pytest.raises(DataError, match="Nothing is left of the split"):
        load(data, max_tokens=4)


def test_words_come_from_training_only_and_rarer_ones_are_unknown(data):
    loaded = load(data, vocabulary_size=10)
    assert len(loaded.vocabulary) == 10
    assert "house" not in load(data).vocabulary
    assert "house" in load(data, regime="wikitext").vocabulary
    assert (loaded["wikitext"].inputs == UNK).any()


def test_dimensions_are_what_a_model_needs(data):
    setting = Agreement(vocabulary_size=50, max_tokens=20)
    assert setting.dimensions == {"vocabulary": 50, "classes": 2, "positions": 20}
    loaded = load(data, vocabulary_size=50, max_tokens=20)
    for split in loaded.values():
        assert split.inputs.max() < 50
        assert split.inputs.shape[1] <= 20


def test_equal_settings_share_one_result_and_every_file_has_its_sum(data):
    loaded = load(data)
    assert loaded is load(data)
    assert {name.split("/")[0] for name in loaded.sha256} == {"linzen_agreement", "wikitext2"}
    assert len(loaded.sha256) == 9  # six of Linzen's files, three of WikiText-2


@pytest.mark.parametrize(
    "wrong",
    [
        {"regime": "unnatural"},
        {"train_size": 0},
        {"vocabulary_size": 4},
        {"max_tokens": 2},
        {"attractor_share": 0.0},
        {"attractor_share": 1.0},
        {"sample": True},
    ],
)
def test_a_setting_out_of_range_is_refused(wrong):
    with pytest.raises(ValidationError):
        Agreement(**wrong)


@pytest.mark.parametrize("gone", ["linzen_agreement/rnn_agr_simple/numpred.test.3", "wikitext2/valid.txt"])
def test_a_missing_file_is_an_error_that_names_it(data, gone):
    (data / gone).unlink()
    with pytest.raises(DataError, match="Data not found"):
        load(data)


@pytest.mark.parametrize("regime", ["wiki_agreement", "wikipedia"])
def test_what_is_known_of_sentences_of_wikipedia_is_a_slice_of_their_own_test(wiki_data, regime):
    data = load(wiki_data, regime=regime)
    assert data.names == (*NAMES, "wikipedia")
    own = data["wikipedia"].slices
    assert set(own) == {"attractors", "distance", "intervening"}
    assert own["distance"].tolist() == (1 + 3 * own["intervening"]).tolist()
    assert "intervening" not in data["attractors"].slices
    assert data["wikipedia"].source == "real:wiki_agreement"
    assert {name.split("/")[0] for name in data.sha256} == {
        "linzen_agreement",
        "linzen_agreement_extra",
        "wiki_agreement",
        "wikitext2",
    }
