"""The LSTM for sentences: sequential, without direct access to the past, recursive over time."""

import math
from typing import ClassVar, Literal

import torch
from jaxtyping import Float, Int64
from pydantic import Field
from torch import Tensor, nn

from inductive_bias.models.sentence_heads import LanguageModel, SentenceClassifier
from inductive_bias.settings import Setting


class LSTMSpec(Setting):
    """Choices of an :class:`LSTMEncoder`.

    Attributes:
        layers: one on top of the other.
        width: of embeddings and hidden states (equal, so that a language model can tie its output layer).
        dropout: between layers and on the last states (``hidden dropout``; none within the recurrence).
        embedding_dropout: on the embeddings (``input dropout``).
        embedding_std: standard deviation of the embeddings at the start.
        scaled_embedding: embeddings are multiplied by √width where they enter the network, as in a Transformer. Weights
            that are small enough for the output layer are then large enough for the input.
        forget_bias: bias of every forget gate at the start, beside that of PyTorch, which is about 0.
        l1: weight of the sum of absolute weights in the loss.
        l2: weight of the sum of squared weights in the loss.
    """

    inputs: ClassVar[tuple[frozenset[str], ...]] = (frozenset({"vocabulary", "positions"}),)
    causal: ClassVar[bool] = True

    kind: Literal["lstm"] = "lstm"
    layers: int = Field(default=2, ge=1)
    width: int = Field(default=256, ge=1)
    dropout: float = Field(default=0.2, ge=0, lt=1)
    embedding_dropout: float = Field(default=0.2, ge=0, lt=1)
    embedding_std: float = Field(default=0.05, gt=0)
    scaled_embedding: bool = False
    forget_bias: float = 0.0
    l1: float = Field(default=0.0, ge=0)
    l2: float = Field(default=0.0, ge=0)

    @property
    def name(self) -> str:
        """Name of the model on the book's pages."""
        return "LSTM"

    def build(self, *, vocabulary: int, positions: int, classes: int | None = None) -> nn.Module:
        """A freshly initialised classifier of sentences, or a language model if there are no ``classes``.

        ``positions`` is not needed: a recurrent model reads sentences of any length.
        """
        encoder = LSTMEncoder(self, vocabulary=vocabulary)
        return LanguageModel(encoder) if classes is None else SentenceClassifier(encoder, classes, readout="last")


class LSTMEncoder(nn.Module):
    """Embeddings and a stack of LSTM layers (Hochreiter & Schmidhuber 1997, with forget gates).

    Attributes:
        embedding: of the words; a language model's output layer has the same weights.
    """

    def __init__(self, spec: LSTMSpec, *, vocabulary: int):
        super().__init__()
        self.width = spec.width
        self.embedding = nn.Embedding(vocabulary, spec.width)
        nn.init.normal_(self.embedding.weight, std=spec.embedding_std)
        self.scale = math.sqrt(spec.width) if spec.scaled_embedding else 1.0
        self.input_dropout = nn.Dropout(spec.embedding_dropout)
        # torch warns of dropout between layers where there is one layer only
        between = spec.dropout if spec.layers > 1 else 0.0
        self.lstm = nn.LSTM(spec.width, spec.width, spec.layers, batch_first=True, dropout=between)
        if spec.forget_bias:
            self._add_to_forget_gates(spec.forget_bias)
        self.output_dropout = nn.Dropout(spec.dropout)

    @torch.no_grad()
    def _add_to_forget_gates(self, bias: float) -> None:
        for layer in range(self.lstm.num_layers):
            # torch keeps the gates in the order input, forget, cell, output
            getattr(self.lstm, f"bias_ih_l{layer}")[self.width : 2 * self.width] += bias

    def embed(self, tokens: Int64[Tensor, "n t"]) -> Float[Tensor, "n t d"]:
        """The words' embeddings."""
        return self.embedding(tokens)

    def attention_mask(self, tokens: Int64[Tensor, "n t"]) -> None:
        """Nothing is masked: padding is on the right, where no state of a word can see it."""

    def from_embedded(self, embedded: Float[Tensor, "n t d"], mask: None = None) -> Float[Tensor, "n t d"]:
        """The states above given embeddings; split off so that gradients with respect to them can be taken."""
        entering = embedded if self.scale == 1 else self.scale * embedded
        return self.output_dropout(self.lstm(self.input_dropout(entering))[0])

    def forward(self, tokens: Int64[Tensor, "n t"]) -> Float[Tensor, "n t d"]:
        return self.from_embedded(self.embed(tokens))
