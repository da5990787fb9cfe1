"""What is built on an encoder of sentences: a classifier that reads one state, or a language model (tied weights)."""

from typing import Literal

import torch
import torch.nn.functional as F
from jaxtyping import Float, Int64
from torch import Tensor, nn

from inductive_bias.tasks.vocabulary import lengths_of


class SentenceClassifier(nn.Module):
    """Classes from one state of a sentence ``BOS … EOS``: the ``first`` (CLS) or the ``last`` that is not padding.

    Only padding on the right is allowed. ``features`` returns the state that is read, whose geometry the
    representation analyses compare.
    """

    def __init__(self, encoder: nn.Module, classes: int, *, readout: Literal["first", "last"]):
        super().__init__()
        self.encoder, self.readout_at = encoder, readout
        self.readout = nn.Linear(encoder.width, classes)

    def features(self, tokens: Int64[Tensor, "n t"]) -> Float[Tensor, "n d"]:
        """The penultimate layer: the state that the read-out sees."""
        states = self.encoder(tokens)
        if self.readout_at == "first":
            return states[:, 0]
        return states[torch.arange(len(tokens), device=tokens.device), lengths_of(tokens) - 1]

    def forward(self, tokens: Int64[Tensor, "n t"]) -> Float[Tensor, "n k"]:
        return self.readout(self.features(tokens))


class LanguageModel(nn.Module):
    """Next-word logits from a causal encoder; the output layer has the embedding's weights and a bias of its own."""

    def __init__(self, encoder: nn.Module):
        super().__init__()
        self.encoder = encoder
        self.bias = nn.Parameter(torch.zeros(encoder.embedding.num_embeddings))

    @property
    def output_weight(self) -> Float[Tensor, "v d"]:
        """The tied weights of the output layer."""
        return self.encoder.embedding.weight

    def states(self, tokens: Int64[Tensor, "n t"]) -> Float[Tensor, "n t d"]:
        """The penultimate layer: the state that predicts the next token, at every token."""
        return self.encoder(tokens)

    def features(self, tokens: Int64[Tensor, "n t"]) -> Float[Tensor, "n d"]:
        """The state after the last word of each sentence, which predicts its end."""
        last_word = lengths_of(tokens) - 2
        return self.states(tokens)[torch.arange(len(tokens), device=tokens.device), last_word]

    def forward(self, tokens: Int64[Tensor, "n t"]) -> Float[Tensor, "n t v"]:
        return F.linear(self.states(tokens), self.output_weight, self.bias)
