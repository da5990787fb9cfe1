"""Transformers for sentences: bidirectional or causal, with layers of their own or one block applied again and again.

Four architectures in one file, since they differ in two choices only (Abnar et al. 2020, section 3):

================================ ======== ========
name                             causal   shared
================================ ======== ========
Bidirectional Transformer        no       no
Sequential Transformer           yes      no
Universal Transformer            no       yes
Sequential Universal Transformer yes     yes
================================ ======== ========

``causal`` masks the future and reads the last token, which is sequentiality; ``shared`` applies one block ``layers``
times, which is recursion in depth (Dehghani et al. 2019, without adaptive halting).
"""

from typing import ClassVar, Literal

from jaxtyping import Bool, Float, Int64
from pydantic import Field, model_validator
from torch import Tensor, nn

from inductive_bias.layers import PlainAttention
from inductive_bias.layers.base import MOST_HEADS
from inductive_bias.models.block import Block
from inductive_bias.models.sentence_heads import LanguageModel, SentenceClassifier
from inductive_bias.settings import Setting
from inductive_bias.tasks.vocabulary import PAD

#: Of all weights at the start (Abnar et al. 2020, the settings of the code).
INITIAL_STD = 0.05


class TransformerSpec(Setting):
    """Choices of a :class:`TransformerEncoder`.

    Attributes:
        causal: mask the future; a classifier then reads the last token instead of the first.
        shared: one block for all ``layers`` applications.
        layers: blocks applied.
        width: of the token representations; ``heads`` divides it. The feed-forward layer is four times as wide.
        dropout: on the output of attention and feed-forward layer.
        embedding_dropout: on the sum of word and position.
        attention_dropout: on the attention weights.
        embedding_std: standard deviation of the embeddings of words and positions at the start.
        l1: weight of the sum of absolute weights in the loss.
        l2: weight of the sum of squared weights in the loss.
    """

    inputs: ClassVar[tuple[frozenset[str], ...]] = (frozenset({"vocabulary", "positions"}),)

    kind: Literal["transformer"] = "transformer"
    causal: bool = False
    shared: bool = False
    layers: int = Field(default=6, ge=1)
    heads: int = Field(default=8, ge=1, le=MOST_HEADS)
    width: int = Field(default=128, ge=1)
    dropout: float = Field(default=0.1, ge=0, lt=1)
    embedding_dropout: float = Field(default=0.1, ge=0, lt=1)
    attention_dropout: float = Field(default=0.1, ge=0, lt=1)
    embedding_std: float = Field(default=INITIAL_STD, gt=0)
    l1: float = Field(default=0.0, ge=0)
    l2: float = Field(default=0.0, ge=0)

    @model_validator(mode="after")
    def _heads_divide(self) -> "TransformerSpec":
        if self.width % self.heads:
            raise ValueError(f"heads={self.heads} must divide width={self.width}")
        return self

    @property
    def name(self) -> str:
        """Name of the model on the book's pages: ``Sequential Universal Transformer``."""
        words = ["Sequential"] * self.causal + ["Universal"] * self.shared
        return " ".join([*(words or ["Bidirectional"]), "Transformer"])

    def build(self, *, vocabulary: int, positions: int, classes: int | None = None) -> nn.Module:
        """A freshly initialised classifier of sentences, or a language model if there are no ``classes``.

        Raises:
            ValueError: for a language model that is not causal: it would see the word that it predicts.
        """
        if classes is None and not self.causal:
            raise ValueError("a language model must not see the future: set causal=True")
        encoder = TransformerEncoder(self, vocabulary=vocabulary, positions=positions)
        if classes is None:
            return LanguageModel(encoder)
        return SentenceClassifier(encoder, classes, readout="last" if self.causal else "first")


class TransformerEncoder(nn.Module):
    """Word and learned position embeddings, ``layers`` applications of a block, a final normalisation.

    Attributes:
        embedding: of the words; a language model's output layer has the same weights.
        positions: the longest sentence, in tokens.
    """

    def __init__(self, spec: TransformerSpec, *, vocabulary: int, positions: int):
        super().__init__()
        self.applications, self.causal, self.positions, self.width = spec.layers, spec.causal, positions, spec.width
        self.embedding = nn.Embedding(vocabulary, spec.width)
        self.position = nn.Embedding(positions, spec.width)
        self.dropout = nn.Dropout(spec.embedding_dropout)
        self.blocks = nn.ModuleList(_block(spec) for _ in range(1 if spec.shared else spec.layers))
        self.norm = nn.LayerNorm(spec.width)
        self.apply(_initialise)
        if spec.embedding_std != INITIAL_STD:
            for table in (self.embedding, self.position):
                nn.init.normal_(table.weight, std=spec.embedding_std)

    def attention_mask(self, tokens: Int64[Tensor, "n t"]) -> Bool[Tensor, "n t"] | None:
        """Which tokens may be attended to, or None where the causal mask alone decides.

        Padding is on the right: no token of a causal model ever sees it.
        """
        return None if self.causal else tokens != PAD

    def embed(self, tokens: Int64[Tensor, "n t"]) -> Float[Tensor, "n t d"]:
        """Embeddings of words plus those of their positions, before any block.

        Raises:
            ValueError: if a sentence is longer than the model has positions.
        """
        if tokens.shape[1] > self.positions:
            raise ValueError(
                f"a sentence of {tokens.shape[1]} tokens is longer than the model's {self.positions} positions"
            )
        return self.embedding(tokens) + self.position.weight[: tokens.shape[1]]

    def from_embedded(
        self, embedded: Float[Tensor, "n t d"], mask: Bool[Tensor, "n t"] | None
    ) -> Float[Tensor, "n t d"]:
        """The states above given embeddings; split off so that gradients with respect to them can be taken."""
        x = self.dropout(embedded)
        for application in range(self.applications):
            x = self.blocks[application % len(self.blocks)](x, mask)
        return self.norm(x)

    def forward(self, tokens: Int64[Tensor, "n t"]) -> Float[Tensor, "n t d"]:
        return self.from_embedded(self.embed(tokens), self.attention_mask(tokens))


def _block(spec: TransformerSpec) -> Block:
    attention = PlainAttention(spec.width, spec.heads, causal=spec.causal, dropout=spec.attention_dropout)
    return Block(attention, spec.width, dropout=spec.dropout)


def _initialise(module: nn.Module) -> None:
    """Normal weights of standard deviation ``INITIAL_STD`` and no bias, as in the paper's settings."""
    if isinstance(module, nn.Linear | nn.Embedding):
        nn.init.normal_(module.weight, std=INITIAL_STD)
    if isinstance(module, nn.Linear):
        nn.init.zeros_(module.bias)
