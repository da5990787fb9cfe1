import gzip

import pytest
import torch
from pydantic import ValidationError

from inductive_bias.errors import DataError
from inductive_bias.tasks.language_modelling import REAL_PAIRS, LanguageModelling
from inductive_bias.tasks.rows import unknown_share
from inductive_bias.tasks.vocabulary import BOS, EOS, PAD, Vocabulary

TRAIN = [f"the w{i} is here ." for i in range(20)]


@pytest.fixture
def root(tmp_path, declare):
    """A WikiText-2 of 20, 2 and 1 sentences."""
    folder = tmp_path / "root" / "wikitext2"
    folder.mkdir(parents=True)
    (folder / "train.txt").write_text(" \n = A Title = \n \n" + "".join(f" {line} \n" for line in TRAIN))
    (folder / "valid.txt").write_text(" The new W1 is Here . The end . \n")
    (folder / "test.txt").write_text(f" {'the ' * 9} . \n")
    declare(tmp_path / "root")
    return tmp_path / "root"


def words(data, split):
    kept = [[token for token in row if token != PAD] for row in data[split].inputs.tolist()]
    return [" ".join(data.vocabulary.decode(row[1:-1])) for row in kept]


def test_splits_are_sentences_of_the_files_in_the_vocabulary_of_the_training_text(root):
    data = LanguageModelling().load(root)
    assert data.names == ("train", "validation", "test")
    assert data["train"].source == "real:wikitext2"
    assert sorted(words(data, "train")) == sorted(TRAIN)
    assert words(data, "validation") == ["the <unk> w1 is here .", "the <unk> ."]
    assert data["validation"].labels.tolist() == [7, 4]
    assert unknown_share(data["validation"]) == 2 / 11
    assert unknown_share(data["train"]) == 0
    assert not data.is_sample
    assert set(data.sha256) == {f"wikitext2/{part}.txt" for part in ("train", "valid", "test")}
    assert (data["train"].inputs[:, 0] == BOS).all()


def test_a_long_sentence_goes_on_in_another_row(root):
    data = LanguageModelling(max_tokens=8, pairs=()).load(root)
    test = data["test"]
    the, stop = data.vocabulary.encode(["the", "."])
    assert test.inputs.tolist() == [[BOS, *[the] * 7], [*[the] * 3, stop, EOS, *[PAD] * 3]]
    assert test.labels.tolist() == [7, 4]
    assert data.skipped == {}


def test_the_vocabulary_has_the_size_asked_for_and_dimensions_tell_it(root):
    setting = LanguageModelling(vocabulary_size=9, max_tokens=10, pairs=())
    data = setting.load(root)
    assert setting.dimensions == {"vocabulary": 9, "positions": 10}
    assert data.classes == 9
    assert len(data.vocabulary) == 9
    assert {".", "here", "is", "the"} < set(data.vocabulary.words)
    assert data["train"].inputs.max() < 9


def test_fewer_training_sentences_are_the_first_of_more_and_keep_the_vocabulary(root):
    more, fewer = (LanguageModelling(train_sentences=n).load(root) for n in (None, 7))
    assert torch.equal(more["train"].inputs[:7], fewer["train"].inputs)
    assert fewer.vocabulary == more.vocabulary
    assert words(more, "train") != TRAIN


def test_equal_settings_share_their_data(root):
    assert LanguageModelling().load(root) is LanguageModelling().load(root)


def test_a_missing_text_says_where_it_was_sought(tmp_path):
    with pytest.raises(DataError, match=r"wikitext2/train\.txt"):
        LanguageModelling().load(tmp_path, download=False)


def test_a_text_that_is_not_utf_8_is_refused(root):
    (root / "wikitext2" / "valid.txt").write_bytes(b"caf\xe9 .\n")
    with pytest.raises(DataError, match=r"valid.txt is not UTF-8 text: line 1"):
        LanguageModelling(allow_other=True).load(root)


@pytest.fixture
def wikipedia(root, declare):
    """A page more of Wikipedia, and a tested one; sentences of other test sets stand on both."""
    folder = root / "wikipedia_en"
    folder.mkdir()
    told = "The old man and his wife went to the harbour of the town"
    tested = f"{told} W{{}}.\n" * 3
    (folder / "train.txt").write_text(
        f"= One =\nThere are 1,000 pages.\nThe new W1 is Here.\n{told} {{}}.\n".format("beside the sea")
        + f"= Two =\nThis is lost too.\n{tested.format(7, 8, 9)}"
    )
    (root / "wikitext2" / "test.txt").write_text(f" {'the ' * 9} . \n" + f" {told} <unk> . \n")
    sets = root / "linzen_agreement"
    (sets / "full_sentences").mkdir(parents=True)
    (sets / "lm_testset").mkdir()
    rows = "sentence\tsubj_idx\tverb_idx\tverb_pos\tverb\tinflected_verb\nthe new w1 is here .\t2\t3\tVBZ\tis\tare\n"
    for name in ("wiki-dev", "wiki-test"):
        (sets / "full_sentences" / f"{name}.txt").write_text(rows)
    for part, text in (("text", "the w1 is here . <eos>"), ("gold", "2\tis\tare\t0"), ("eval", "2")):
        (sets / "lm_testset" / f"subj_agr_filtered.{part}").write_text(f"{text}\n")
    declare(root)
    return LanguageModelling(corpus="wikipedia", pairs=("wiki-dev",))


def test_more_of_wikipedia_is_read_without_what_is_tested(wikipedia, root):
    data = wikipedia.load(root)
    told = "the old man and his wife went to the harbour of the town beside the sea ."
    kept = [line for line in TRAIN if line != "the w1 is here ."]
    assert sorted(words(data, "train")) == sorted([*kept, "there are 1 @,@ 000 pages .", told])
    assert data["train"].source == data["test"].source == "real:wikipedia"
    assert data.skipped == {
        "equal to a tested sentence": 2,
        "frequent words of a tested sentence": 0,
        "on a tested page": 4,
    }
    alone = LanguageModelling().load(root)
    assert [len(data[split]) for split in ("validation", "test")] == [2, 2]
    assert {*data.sha256} - {*alone.sha256} == {
        "wikipedia_en/train.txt",
        "wiki-dev.txt",
        "wiki-test.txt",
        "subj_agr_filtered.text",
        "subj_agr_filtered.gold",
        "subj_agr_filtered.eval",
    }
    assert wikipedia.load(root) is data


def test_its_own_vocabulary_is_that_of_all_it_is_trained_on(wikipedia, root):
    vocabulary = wikipedia.load(root).vocabulary
    assert "harbour" in vocabulary
    assert "lost" not in vocabulary
    assert [*wikipedia.load_pairs(vocabulary, root)] == ["wiki-dev"]


@pytest.fixture
def tags(root, declare):
    """Parts of speech of some words, *w1* to *w3* among them."""
    folder = root / "linzen_agreement_extra"
    folder.mkdir()
    rows = [
        "99",
        "is VBZ 9",
        "was VBD 9",
        "w1 NN 2",
        "W1 NNS 3",
        "w2 NN 2",
        "w2 NNS 2",
        "the DT 9",
        ". . 9",
        "here RB 9",
    ]
    (folder / "wiki.vocab").write_text("\n".join(rows))
    declare(root)


@pytest.mark.usefixtures("tags")
def test_a_rare_word_stands_as_its_part_of_speech(root):
    setting = LanguageModelling(rare_words="parts of speech", vocabulary_size=4 + 4 + 7)
    data = setting.load(root)
    assert data.vocabulary.words[4:] == (".", "here", "is", "the", "CD", "DT", "NN", "NNS", "RB", "VBD", "VBZ")
    assert {"the NNS is here .", "the NN is here .", "the CD is here ."} == {*words(data, "train")}
    assert words(data, "validation") == ["the <unk> NNS is here .", "the <unk> ."]
    assert data.sha256["linzen_agreement_extra/wiki.vocab"]


@pytest.mark.usefixtures("tags")
def test_only_sentences_with_a_verb_that_shows_a_number_are_trained_on(root, declare):
    (root / "wikitext2" / "train.txt").write_text("".join(f" {line} \n" for line in [*TRAIN, "w1 was here ."]))
    declare(root)
    assert words(LanguageModelling().load(root), "train").count("w1 was here .") == 1
    data = LanguageModelling(sentences="present tense").load(root)
    assert sorted(words(data, "train")) == sorted(TRAIN)
    assert "was" not in data.vocabulary
    assert len(data["validation"]) == 2


def test_a_file_of_ones_own_makes_all_of_it_ones_own(wikipedia, root):
    (root / "wikipedia_en" / "train.txt").write_text("More of it.\n")
    with pytest.raises(DataError, match=r"is not the public file wikipedia_en/train\.txt"):
        wikipedia.load(root)
    data = wikipedia.model_copy(update={"allow_other": True}).load(root)
    assert data["test"].source == "own:train.txt"


def test_the_grammar_stands_in_without_a_file():
    setting = LanguageModelling(corpus="grammar", train_sentences=50, vocabulary_size=600)
    data = setting.load()
    assert data.is_sample
    assert len(data["train"]) == 50
    assert data["test"].source == "generated:agreement grammar"
    assert all(line.endswith(".") for line in words(data, "train"))
    assert setting.load() is data
    other = setting.model_copy(update={"data_seed": 1}).load()
    assert words(other, "train") != words(data, "train")


def test_pairs_of_the_grammar_are_balanced_and_not_in_its_training_text():
    setting = LanguageModelling(corpus="grammar", train_sentences=3_000, vocabulary_size=600)
    data = setting.load()
    (name, pairs), *others = setting.load_pairs(data.vocabulary).items()
    assert (name, others) == ("grammar", [])
    assert pairs.by_verb
    assert torch.bincount(pairs.slices["attractors"]).unique().numel() == 1
    seen = set(words(data, "train"))
    sides = [data.vocabulary.decode(ids) for side in (pairs.good, pairs.bad) for ids in side.tolist()]
    assert not seen & {" ".join(side).split(" <eos>")[0].removeprefix("<bos> ") for side in sides}


def test_pairs_follow_the_corpus_unless_named():
    assert LanguageModelling().pairs == REAL_PAIRS
    assert LanguageModelling(corpus="grammar").pairs == ("grammar",)
    assert LanguageModelling(corpus="grammar", pairs=()).pairs == ()
    assert LanguageModelling(corpus="grammar", pairs=()).load_pairs(Vocabulary(["a"])) == {}


@pytest.mark.parametrize(
    ("choice", "message"),
    [
        ({"pairs": ("wiki-train",)}, "unknown pairs 'wiki-train'; known are: wiki-dev"),
        ({"pairs": ("wiki-dev", "wiki-dev")}, "a name of its own"),
        ({"pair_files": ("a/x.jsonl", "b/x.jsonl.gz")}, "a name of its own"),
        ({"pair_files": ("wiki-dev.jsonl",)}, "a name of its own"),
        ({"pairs": ("grammar",)}, "words of the corpus 'grammar'"),
        ({"data_seed": 1}, "data_seed=1 belongs to the corpus 'grammar'"),
        ({"corpus": "wikipedia", "pairs": ("grammar",)}, "not of 'wikipedia'"),
        ({"corpus": "wikipedia", "data_seed": 1}, "not to 'wikipedia'"),
        ({"corpus": "grammar", "sentences": "present tense"}, "the corpus 'grammar' has its own"),
        ({"corpus": "grammar", "rare_words": "parts of speech"}, "the corpus 'grammar' has its own"),
        ({"vocabulary_size": 4}, "greater than or equal to 5"),
        ({"max_tokens": 1}, "greater than or equal to 2"),
        ({"train_sentences": 0}, "greater than or equal to 1"),
        ({"corpus": "wikitext-103"}, "wikitext-2"),
    ],
)
def test_a_setting_that_cannot_be_is_refused(choice, message):
    with pytest.raises(ValidationError, match=message):
        LanguageModelling(**choice)


def test_a_setting_survives_its_own_json():
    setting = LanguageModelling(corpus="grammar", pair_files=("blimp/x.jsonl.gz",))
    assert LanguageModelling.model_validate_json(setting.model_dump_json()) == setting


@pytest.fixture
def real(shared_data_folder):
    for part in ("wikitext2", "linzen_agreement", "marvin_linzen"):
        if not (shared_data_folder / part).is_dir():
            pytest.skip(f"the real files are not here: no {part}/")
    return shared_data_folder


def test_no_token_of_wikitext_is_lost(real):
    data = LanguageModelling(train_sentences=100).load(real)
    for split, part in (("validation", "valid"), ("test", "test")):
        with gzip.open(real / "wikitext2" / f"{part}.txt.gz", "rt", encoding="utf-8") as file:
            lines = [line.split() for line in file]
        text = [line for line in lines if line and not (line[0] == line[-1] == "=")]
        ends = int((data[split].inputs == EOS).sum())
        assert int(data[split].labels.sum()) == sum(map(len, text)) + ends
        assert data[split].inputs.shape[1] == 64
    assert round(unknown_share(data["test"]), 3) == 0.106


def test_the_real_sets_have_the_counts_of_their_data_card(real):
    setting = LanguageModelling(pairs=REAL_PAIRS[:3], pair_files=("marvin_linzen/simple_agrmt.jsonl.gz",))
    sets = setting.load_pairs(setting.load(real).vocabulary, real)
    assert {name: len(pairs) for name, pairs in sets.items()} == {
        "wiki-dev": 943,
        "wiki-test": 3738,
        "linzen-lm": 7197,
        "simple_agrmt": 80,
    }
    totals = {name: len(pairs) + sum(pairs.skipped.values()) for name, pairs in sets.items()}
    assert totals == {"wiki-dev": 1000, "wiki-test": 4000, "linzen-lm": 7489, "simple_agrmt": 140}
    not_verbs = [
        count
        for name in ("wiki-dev", "wiki-test")
        for reason, count in sets[name].skipped.items()
        if reason in ("POS tag where the verb should be", "token is not the verb")
    ]
    assert sum(not_verbs) == 142
    assert sets["linzen-lm"].skipped["token is not the gold form"] == 4
    assert torch.bincount(sets["linzen-lm"].slices["attractors"]).tolist() == [1831, 1914, 1886, 1251, 315]
    for pairs in sets.values():
        rows = torch.arange(len(pairs))
        differs = pairs.good != pairs.bad
        assert (differs.sum(1) == 1).all()
        assert differs[rows, pairs.position].all()
        assert pairs.unknown_share < 0.15


@pytest.mark.slow  # 152,300 pairs with every shape checked
def test_a_fixed_sample_of_marvin_and_linzens_templates_is_scored(real):
    setting = LanguageModelling(pairs=("marvin-linzen",))
    pairs = setting.load_pairs(setting.load(real).vocabulary, real)["marvin-linzen"]
    assert sorted(torch.bincount(pairs.slices["template"]).tolist()) == [80, *[200] * 17]
    assert pairs.skipped == {"differing word out of vocabulary": 45_220, "beyond 200 a template": 103_600}
    assert (pairs.position > 0).all()


@pytest.mark.slow  # 5.8 million words
def test_the_real_text_of_wikipedia_has_the_counts_of_its_data_card(real):
    if not (real / "wikipedia_en").is_dir():
        pytest.skip("the real files are not here: no wikipedia_en/")
    data = LanguageModelling(corpus="wikipedia", train_sentences=1_000).load(real)
    assert dict(data.skipped) == {
        "equal to a tested sentence": 1_700,
        "frequent words of a tested sentence": 14,
        "on a tested page": 324,
    }
    assert round(unknown_share(data["test"]), 3) == 0.108
