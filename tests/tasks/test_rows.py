import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from inductive_bias.tasks.data import Split
from inductive_bias.tasks.rows import cut_into_rows, unknown_share
from inductive_bias.tasks.vocabulary import BOS, EOS, PAD, UNK, pad_sentences

texts = st.lists(st.lists(st.integers(3, 9), max_size=12), max_size=6)


@given(texts, st.integers(2, 9))
def test_every_word_and_every_end_is_predicted_exactly_once_in_order(sentences, max_tokens):
    rows, predicted = cut_into_rows(sentences, max_tokens)
    assert rows.shape[1] <= max_tokens
    read = [[token for token in row if token != PAD] for row in rows.tolist()]
    assert [token for row in read for token in row[1:]] == [t for ids in sentences for t in (*ids, EOS)]
    assert predicted.tolist() == [len(row) - 1 for row in read]
    # padding stands on the right only
    assert [row[: len(kept)] for row, kept in zip(rows.tolist(), read, strict=True)] == read
    for before, row in zip([[EOS], *read], read, strict=False):
        assert row[0] == (BOS if before[-1] == EOS else before[-1])
        assert len(row) >= 2


@given(texts)
def test_sentences_that_fit_are_framed_and_padded_as_everywhere(sentences):
    rows, _ = cut_into_rows(sentences, 14)
    assert torch.equal(rows, pad_sentences(sentences))


@pytest.mark.parametrize(("length", "rows"), [(0, 1), (2, 1), (3, 2), (5, 2), (6, 3)])
def test_a_row_more_begins_only_where_a_token_is_left(length, rows):
    assert len(cut_into_rows([[5] * length], 4)[0]) == rows


def test_a_row_of_one_token_is_refused():
    with pytest.raises(ValueError, match="at least 2 tokens, not 1"):
        cut_into_rows([[4]], 1)


def test_the_unknown_share_counts_predicted_tokens_once():
    # 7 words, the ends of 2 sentences; the unknown word that is repeated as context of the second row counts once
    rows, predicted = cut_into_rows([[4, 5, UNK, UNK, 6], [UNK, 4]], 4)
    assert unknown_share(Split(rows, predicted, "made")) == 3 / 9


def test_the_unknown_share_of_nothing_is_zero():
    assert unknown_share(Split(*cut_into_rows([], 4), "made")) == 0
