import pytest
import torch

from inductive_bias.tasks.vocabulary import BOS, EOS, PAD, SPECIALS, UNK, Vocabulary, lengths_of, pad_sentences

TEXT = [["b", "a", "b"], ["c", "a"], [], ["d"]]


class TestVocabulary:
    def test_the_four_special_ids_come_first_then_the_words_in_their_order(self):
        vocabulary = Vocabulary(["zoo", "ant"])
        assert [vocabulary.id(word) for word in (*SPECIALS, "zoo", "ant")] == [PAD, BOS, EOS, UNK, 4, 5]
        assert len(vocabulary) == 6

    def test_encoding_and_decoding_are_inverse_but_for_unknown_words(self):
        vocabulary = Vocabulary(["zoo", "ant"])
        assert vocabulary.encode(["ant", "bee", "zoo"]) == [5, UNK, 4]
        assert vocabulary.decode([5, UNK, 4]) == ["ant", "<unk>", "zoo"]
        assert vocabulary.encode([]) == []
        assert vocabulary.id("bee") == UNK
        assert "ant" in vocabulary
        assert "bee" not in vocabulary

    def test_the_most_frequent_words_come_first_and_ties_by_alphabet(self):
        assert Vocabulary.most_frequent(TEXT, 99).words[4:] == ("a", "b", "c", "d")
        assert Vocabulary.most_frequent([*TEXT, ["d", "d"]], 99).words[4:] == ("d", "a", "b", "c")

    def test_the_order_of_the_sentences_does_not_matter(self):
        assert Vocabulary.most_frequent(TEXT, 7) == Vocabulary.most_frequent(TEXT[::-1], 7)

    @pytest.mark.parametrize("size", [5, 6, 8, 99])
    def test_the_size_counts_the_special_ids(self, size):
        assert len(Vocabulary.most_frequent(TEXT, size)) == min(size, 8)

    def test_rare_words_are_left_out_even_where_there_is_room(self):
        assert Vocabulary.most_frequent(TEXT, 99, min_count=2).words[4:] == ("a", "b")
        assert Vocabulary.most_frequent(TEXT, 99, min_count=3).words == SPECIALS

    def test_the_spelling_of_a_special_id_in_the_text_is_that_id(self):
        vocabulary = Vocabulary.most_frequent([["<unk>", "<unk>", "a"]], 99)
        assert vocabulary.words[4:] == ("a",)
        assert vocabulary.encode(["<unk>"]) == [UNK]

    @pytest.mark.parametrize("words", [["a", "b", "a"], ["<pad>"], ["a", "<unk>"]])
    def test_a_word_twice_or_a_special_one_is_refused_by_its_name(self, words):
        with pytest.raises(ValueError, match=f"{'a' if 'b' in words else words[-1]}' is twice"):
            Vocabulary(words)

    @pytest.mark.parametrize(("size", "min_count", "message"), [(4, 1, "at least 5, not 4"), (9, 0, "at least 1")])
    def test_numbers_out_of_range_are_refused(self, size, min_count, message):
        with pytest.raises(ValueError, match=message):
            Vocabulary.most_frequent(TEXT, size, min_count=min_count)

    def test_the_fingerprint_changes_with_any_word_and_any_order(self):
        same = Vocabulary(["a", "b"]), Vocabulary(["a", "b"])
        others = [Vocabulary(words) for words in (["b", "a"], ["a"], ["a", "b", "c"], ["ab"], ["a", "B"], [])]
        assert same[0] == same[1]
        assert hash(same[0]) == hash(same[1])
        assert same[0].fingerprint == same[1].fingerprint
        assert len({vocabulary.fingerprint for vocabulary in (same[0], *others)}) == 7
        assert all(vocabulary != same[0] for vocabulary in others)
        assert same[0] != ("a", "b")

    def test_the_fingerprint_is_the_same_in_every_version(self):
        """Published runs are told apart by it."""
        assert Vocabulary(["a", "b"]).fingerprint == "adf2cdaf1caef054"


def naive(sentences):
    """One token at a time."""
    rows = [[BOS, *sentence, EOS] for sentence in sentences]
    width = max((len(row) for row in rows), default=2)
    return [row + [PAD] * (width - len(row)) for row in rows]


SENTENCES = {
    "one": [[4, 5, 6]],
    "one without a word": [[]],
    "none with a word": [[], []],
    "many": [[4, 5], [], [6], [7, 8, 9, 10], [4]],
}


@pytest.mark.parametrize("sentences", SENTENCES.values(), ids=list(SENTENCES))
def test_padding_is_that_of_a_plain_loop(sentences):
    padded = pad_sentences(sentences)
    assert padded.tolist() == naive(sentences)
    assert padded.dtype == torch.int64
    assert lengths_of(padded).tolist() == [len(sentence) + 2 for sentence in sentences]


def test_no_sentences_are_a_tensor_without_rows():
    padded = pad_sentences([])
    assert padded.shape == (0, 2)
    assert padded.dtype == torch.int64
    assert lengths_of(padded).shape == (0,)


def test_padding_that_was_added_later_does_not_count():
    tokens = torch.nn.functional.pad(pad_sentences(SENTENCES["many"]), (0, 3), value=PAD)
    assert torch.equal(lengths_of(tokens), lengths_of(pad_sentences(SENTENCES["many"])))
