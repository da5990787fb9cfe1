import math

import pytest
import torch
import torch.nn.functional as F

from inductive_bias.analysis.influence import bits_by_context, words_of
from inductive_bias.models import RecurrentSpec

TEXT = "ing the cat sat on a mat and pu"
ALPHABET = sorted(set(TEXT))
SYMBOLS = torch.tensor([1 + ALPHABET.index(letter) for letter in TEXT])


def network(cell="lstm", seed=0):
    torch.manual_seed(seed)
    size = len(ALPHABET) + 1
    return RecurrentSpec(cell=cell, states=8, embedding=5).build(outputs=size, vocabulary=size).eval()


class Table(torch.nn.Module):
    """The next symbol from this one alone, by a table of logits."""

    def __init__(self):
        super().__init__()
        generator = torch.Generator().manual_seed(1)
        self.logits = torch.randn(len(ALPHABET) + 1, len(ALPHABET) + 1, generator=generator)

    def forward(self, inputs):
        return self.logits[inputs]


def naive(model, symbols, words, place, before):
    """Bits of one word: the text cut out, and every symbol by itself."""
    inputs = symbols[words[place - before].start : words[place].stop]
    wanted = symbols[words[place - before].start + 1 : words[place].stop + 1]
    letters = words[place].stop - words[place].start
    with torch.no_grad():
        chances = model(inputs[None])[0].softmax(-1)
    return -sum(math.log2(chances[t, wanted[t]].item()) for t in range(len(wanted) - letters, len(wanted)))


def test_words_are_the_space_before_them_and_their_letters():
    assert [TEXT[word] for word in words_of(TEXT)] == [" the", " cat", " sat", " on", " a", " mat", " and"]
    assert [("a\nb cd"[word]) for word in words_of("a\nb cd")] == ["\nb"]
    assert words_of("word") == words_of("a word") == []


@pytest.mark.parametrize("cell", ["lstm", "tanh", "gru"])
@pytest.mark.parametrize("most", [0, 2, 20])
def test_bits_are_those_of_the_text_cut_out(cell, most):
    model, words = network(cell), words_of(TEXT)
    found = bits_by_context(model, SYMBOLS, words, most)
    assert found.shape == (len(words), most + 1)
    for place in range(len(words)):
        for before in range(most + 1):
            if before > place:
                assert found[place, before].isnan()
            else:
                want = naive(model, SYMBOLS, words, place, before)
                assert found[place, before].item() == pytest.approx(want, rel=1e-5)


def test_of_a_model_that_sees_one_symbol_no_earlier_word_is_worth_anything():
    found = bits_by_context(Table(), SYMBOLS, words_of(TEXT), 3)
    for row in found:
        known = row[~row.isnan()]
        torch.testing.assert_close(known, known[:1].expand_as(known))


def test_with_all_words_before_it_the_bits_add_up_to_those_of_the_text():
    model, words = network(), words_of(TEXT)
    found = bits_by_context(model, SYMBOLS, words, len(words) - 1)
    inputs, wanted = SYMBOLS[words[0].start : words[-1].stop], SYMBOLS[words[0].start + 1 : words[-1].stop + 1]
    whole = F.cross_entropy(model(inputs[None])[0], wanted, reduction="sum").item() / math.log(2)
    assert found.diagonal().sum().item() == pytest.approx(whole, rel=1e-5)


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ([], "there must be words"),
        ([slice(3, len(TEXT))], "a symbol after the last"),
        ([slice(3, 7), slice(8, 11)], "without a gap"),
    ],
)
def test_bad_words_are_refused(words, message):
    with pytest.raises(ValueError, match=message):
        bits_by_context(network(), SYMBOLS, words, 1)
