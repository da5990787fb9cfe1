"""Blocks in which every token sees all others: attention, or unmasked self-attention with recurrence (RSA)."""

from typing import Annotated, Literal

from jaxtyping import Bool, Float
from pydantic import Field, model_validator
from torch import Tensor, nn

from inductive_bias.layers import AttentionSpec, RSASpec
from inductive_bias.models.block import Block
from inductive_bias.models.code_classifier import FunctionSpec
from inductive_bias.models.positions import sinusoidal_positions


class BidirectionalSpec(FunctionSpec):
    """Choices of a bidirectional Transformer; with an RSA mixer its position matrices see past and future alike.

    Attributes:
        mixer: attention or RSA; its heads divide the width.
        positions: added to the embeddings: ``none``, or ``sinusoidal`` ones.
        layers: blocks.
        feedforward: width of the feed-forward layers as a multiple of ``width``.
    """

    kind: Literal["bidirectional"] = "bidirectional"
    mixer: Annotated[AttentionSpec | RSASpec, Field(discriminator="kind")] = AttentionSpec()
    positions: Literal["none", "sinusoidal"] = "sinusoidal"
    layers: int = Field(default=2, ge=1)
    feedforward: int = Field(default=4, ge=0)

    @model_validator(mode="after")
    def _mixer_fits(self) -> "BidirectionalSpec":
        self.mixer.check_width(self.width)
        return self

    @property
    def name(self) -> str:
        """Name of the model on the book's pages."""
        return "Transformer" if self.mixer.kind == "attention" else self.mixer.name

    def encoder(self) -> "Bidirectional":
        """A freshly initialised encoder of blocks that see all tokens."""
        return Bidirectional(self)


class Bidirectional(nn.Module):
    """Blocks and a normalisation.

    Attributes:
        d: of the outputs.
        blocks: their ``mixer`` is the layer under comparison.
    """

    def __init__(self, spec: BidirectionalSpec):
        super().__init__()
        self.d, self.sinusoidal = spec.width, spec.positions == "sinusoidal"
        options = {"feedforward": spec.feedforward, "dropout": spec.dropout}
        self.blocks = nn.ModuleList(
            Block(spec.mixer.layer(spec.width, causal=False), spec.width, **options) for _ in range(spec.layers)
        )
        self.norm = nn.LayerNorm(spec.width)

    def forward(self, x: Float[Tensor, "b t d"], real: Bool[Tensor, "b t"]) -> Float[Tensor, "b t d"]:
        """States of every token; padding is seen by none."""
        if self.sinusoidal:
            x = x + sinusoidal_positions(x.shape[1], x.shape[2]).to(x)
        # without padding the fused kernel needs no mask
        mask = None if bool(real.all()) else real
        for block in self.blocks:
            x = block(x, mask)
        return self.norm(x)
