"""The way to CodeT5, with a stand-in for the package that loads it: types start as sub-words, padding is unseen."""

import sys
from types import SimpleNamespace

import pytest
import torch
from torch import nn

from inductive_bias.errors import SettingError
from inductive_bias.models.codet5 import codet5_classifier

WORDS = ("<pad>", "int", "main", "")


class Encoder(nn.Module):
    """The mean of the real embeddings, added to each of them."""

    def __init__(self):
        super().__init__()
        self.embedding = nn.Embedding(130, 6)

    def get_input_embeddings(self):
        return self.embedding

    def forward(self, inputs_embeds, attention_mask):
        real = attention_mask[..., None]
        mean = (inputs_embeds * real).sum(1, keepdim=True) / real.sum(1, keepdim=True)
        return SimpleNamespace(last_hidden_state=inputs_embeds + mean)


@pytest.fixture
def encoder(monkeypatch):
    made = Encoder()
    tokenizer = lambda word, add_special_tokens: {"input_ids": list(map(ord, word))}  # noqa: E731
    letters = SimpleNamespace(from_pretrained=lambda name: tokenizer)
    model = SimpleNamespace(from_pretrained=lambda name: made)
    monkeypatch.setitem(sys.modules, "transformers", SimpleNamespace(AutoTokenizer=letters, T5EncoderModel=model))
    return made


def test_types_start_as_the_mean_of_their_sub_words(encoder):
    model = codet5_classifier(WORDS, classes=2, sides=2)
    table = encoder.embedding.weight
    torch.testing.assert_close(model.embedding.weight[1], table[[ord(letter) for letter in "int"]].mean(0))
    assert (model.embedding.weight[3] == 0).all()
    assert model.readout.in_features == 4 * 6


def test_padding_changes_no_answer_and_the_encoder_learns(encoder):
    model = codet5_classifier(WORDS, classes=2).eval()
    torch.testing.assert_close(model(torch.tensor([[1, 2, 0, 0]])), model(torch.tensor([[1, 2]])))
    assert any(parameter is encoder.embedding.weight for parameter in model.parameters())


def test_without_the_package_or_the_model_the_error_says_so(monkeypatch):
    monkeypatch.setitem(sys.modules, "transformers", None)
    with pytest.raises(SettingError, match="needs the package transformers"):
        codet5_classifier(WORDS, classes=2)

    def nowhere(name):
        raise OSError("no\nnetwork")

    there = SimpleNamespace(from_pretrained=nowhere)
    monkeypatch.setitem(sys.modules, "transformers", SimpleNamespace(AutoTokenizer=there, T5EncoderModel=there))
    with pytest.raises(SettingError, match=r"could not be loaded \(no network\)"):
        codet5_classifier(WORDS, classes=2)
