import pytest

from inductive_bias.errors import DataError
from inductive_bias.tasks.files import places
from inductive_bias.tasks.parts_of_speech import read_tags
from inductive_bias.tasks.vocabulary import UNK, TaggedVocabulary


def read(tmp_path, text):
    (tmp_path / "linzen_agreement_extra").mkdir(exist_ok=True)
    (tmp_path / "linzen_agreement_extra" / "wiki.vocab").write_text(text)
    return read_tags(places(tmp_path), allow_other=True)


def test_a_word_has_the_most_frequent_tag_of_all_its_spellings(tmp_path):
    tags = read(tmp_path, "12\nRun NNP 2\nrun\tVB 3\nRUN NNP 2\nruns VBZ 1\nare VBP 1\n, , 7\n2 CD 4\nx NN 2\nx JJ 2\n")
    assert [tags.of(word) for word in ("run", "runs", ",", "2", "1990s", "never", "x")] == [
        "NNP",
        "VBZ",
        None,
        "CD",
        "CD",
        None,
        "JJ",
    ]
    assert tags.names == ("CD", "JJ", "NNP", "VBP", "VBZ")
    assert [tags.shows_number(word) for word in ("run", "runs", "are", "never")] == [False, True, True, False]
    assert tags.own == ("wiki.vocab",)


@pytest.mark.parametrize("line", ["a", "a NN", "a NN x", "a b NN 3"])
def test_a_line_of_another_form_is_refused_with_its_number(tmp_path, line):
    with pytest.raises(DataError, match="line 2: should be a word, its tag and a number"):
        read(tmp_path, f"9\n{line}\n")


@pytest.mark.parametrize("text", ["", "9\n"])
def test_a_file_without_words_is_refused(tmp_path, text):
    with pytest.raises(DataError, match=r"wiki\.vocab should hold words, a line a word, its tag and a number"):
        read(tmp_path, text)


def test_a_missing_and_another_file_are_refused(tmp_path):
    with pytest.raises(DataError, match=r"linzen_agreement_extra/wiki\.vocab\.gz.*TalLinzen"):
        read_tags(places(tmp_path))
    read(tmp_path, "9\na NN 2\n")
    with pytest.raises(DataError, match=r"is not the public file linzen_agreement_extra/wiki\.vocab"):
        read_tags(places(tmp_path))


def test_a_word_is_itself_or_its_tag_or_unknown():
    vocabulary = TaggedVocabulary(["a", "b"], ["NN", "NNS"], {"dogs": "NNS", "runs": "VBZ", "a": "NN"}.get)
    assert vocabulary.words[4:] == ("a", "b", "NN", "NNS")
    assert vocabulary.encode(["a", "dogs", "NN", "runs", "never"]) == [4, 7, 6, UNK, UNK]
    assert [vocabulary.id(word) for word in ("b", "dogs", "runs")] == [5, 7, UNK]
    assert "dogs" not in vocabulary
    with pytest.raises(ValueError, match="'NN' is twice"):
        TaggedVocabulary(["NN"], ["NN"], {}.get)
