import json

import pytest

from inductive_bias.errors import DataError
from inductive_bias.tasks.files import places
from inductive_bias.tasks.language_modelling import LanguageModelling
from inductive_bias.tasks.pairs.loading import file_name, load_set
from inductive_bias.tasks.vocabulary import Vocabulary

VOCABULARY = Vocabulary(["the", "dog", "barks", "bark", "."])
LINE = json.dumps({"sentence_good": "The dog barks.", "sentence_bad": "The dog bark."})


@pytest.mark.parametrize("absolute", [True, False])
def test_a_users_file_is_found_by_its_path_or_below_a_data_folder(write, absolute):
    root = write("mine/agreement.jsonl", [LINE])
    path = str(root / "mine" / "agreement.jsonl") if absolute else "mine/agreement.jsonl"
    sets = LanguageModelling(pairs=(), pair_files=(path,)).load_pairs(VOCABULARY, root)
    assert list(sets) == ["agreement"]
    assert sets["agreement"].source == "own:agreement.jsonl"
    assert not sets["agreement"].by_verb
    assert sets["agreement"].position.tolist() == [3]


def test_a_users_file_that_is_nowhere_is_an_error(tmp_path):
    with pytest.raises(DataError, match=r"looked for mine\.jsonl"):
        LanguageModelling(pairs=(), pair_files=("mine.jsonl",)).load_pairs(VOCABULARY, tmp_path)


def test_equal_requests_share_one_result(write):
    where = places(write("mine.jsonl", [LINE]))
    first, second = (
        load_set("mine.jsonl", vocabulary=Vocabulary(VOCABULARY.words[4:]), max_tokens=9, where=where, download=False)
        for _ in range(2)
    )
    assert first is second


def test_a_changed_file_is_read_again(write):
    setting = LanguageModelling(pairs=(), pair_files=("mine.jsonl",))
    assert len(setting.load_pairs(VOCABULARY, write("mine.jsonl", [LINE]))["mine"]) == 1
    assert len(setting.load_pairs(VOCABULARY, write("mine.jsonl", [LINE, LINE]))["mine"]) == 2


def test_the_grammars_words_cannot_score_wikipedia(write):
    rows = ["sentence\tsubj_idx\tverb_idx\tverb_pos\tverb\tinflected_verb"]
    rows += ["another interpretation amongst NNS is valid\t1\t4\tVBZ\tis\tare"] * 3
    root = write("linzen_agreement/full_sentences/wiki-dev.txt", rows)
    grammar = LanguageModelling(corpus="grammar", train_sentences=100, vocabulary_size=600).load()
    with pytest.raises(DataError, match="another corpus"):
        LanguageModelling(pairs=("wiki-dev",), allow_other=True).load_pairs(grammar.vocabulary, root)


@pytest.mark.parametrize("path", ["agreement.jsonl.gz", "/a/b.c/agreement.jsonl", "agreement"])
def test_a_file_is_called_by_its_name_without_endings(path):
    assert file_name(path) == "agreement"
