import gzip

import pytest
import torch

from inductive_bias.errors import DataError
from inductive_bias.tasks import WordModelling
from inductive_bias.tasks.words import END, words_of

TEXTS = {
    "train": ["the", "cat", "saw", "the", "dog", END, "the", "dog", END],
    "validation": ["the", "dog", "saw", "a", "cat", END],
    "test": ["dog", "the", "dog", "cat", END],
}


def made(**options):
    return words_of(WordModelling(window=2, vocabulary_size=6, **options), TEXTS, "own", {})


def test_ids_go_from_the_most_frequent_word_down_and_ties_by_name():
    data = made()
    # the 3, <eos> 2, dog 2, cat 1, saw 1
    assert data["train"].inputs.tolist() == [0, 3, 4, 0, 2, 1, 0, 2]
    assert data["train"].labels.tolist() == [3, 4, 0, 2, 1, 0, 2, 1]


def test_a_word_that_training_does_not_have_is_no_label_and_the_rarest_input():
    data = made()
    assert data["validation"].labels.tolist() == [2, 4, -1, 3, 1]
    assert data["validation"].inputs.tolist() == [0, 2, 4, 4, 3]
    assert data.skipped["unknown word, validation"] == 1
    assert data.skipped["unknown word, test"] == 0


def test_too_many_words_or_too_short_a_text_is_refused():
    with pytest.raises(DataError, match="5 different words; vocabulary_size must be at least as large, not 4"):
        words_of(WordModelling(window=2, vocabulary_size=4), TEXTS, "own", {})
    with pytest.raises(DataError, match="test text of 5 words is no longer than a window"):
        words_of(WordModelling(window=4, vocabulary_size=6), TEXTS, "own", {})


def test_lines_are_read_with_their_ends_headings_and_case(tmp_path):
    folder = tmp_path / "wikitext2"
    folder.mkdir()
    for name in ("train", "valid", "test"):
        with gzip.open(folder / f"{name}.txt.gz", "wt", encoding="utf-8") as file:
            file.write(" \n = Title = \n \n The cat <unk> . \n")
    data = WordModelling(window=3, vocabulary_size=9, allow_other=True).load(tmp_path)
    assert len(data["train"].inputs) == 4 + 7 - 1
    assert "own" in data["test"].source
    assert set(data.sha256) == {f"wikitext2/{name}.txt.gz" for name in ("train", "valid", "test")}
    with pytest.raises(DataError, match=r"wikitext2/train\.txt"):
        WordModelling(window=3).load(tmp_path)


def test_the_grammar_stands_in_and_says_so():
    data = WordModelling(text="grammar", window=5, vocabulary_size=240, sentences=50).load()
    assert data.is_sample
    assert data["train"].source.startswith("generated")
    assert torch.equal(data["train"].inputs[1:], data["train"].labels[:-1])
    with pytest.raises(ValueError, match="belong to the text 'grammar'"):
        WordModelling(sentences=5)
