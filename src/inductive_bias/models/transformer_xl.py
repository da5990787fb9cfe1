"""Transformer-XL (Dai et al. 2019) as a forecaster: relative positions, a memory without gradient, a direct head."""

from typing import ClassVar, Literal

import torch
from jaxtyping import Float
from pydantic import Field, model_validator
from torch import Tensor, nn

from inductive_bias.layers import RelativePositions
from inductive_bias.models.forecasting import ForecasterSpec, SeriesEmbedding, SeriesLayer


class TransformerXLSpec(ForecasterSpec):
    """Choices of a :class:`TransformerXL`.

    Attributes:
        layers: on top of one another.
        memory: the first rows of what is read: they are seen by the others, and no gradient passes them.
    """

    causal: ClassVar[bool] = True

    kind: Literal["transformer_xl"] = "transformer_xl"
    layers: int = Field(default=2, ge=1)
    memory: int = Field(default=0, ge=0)

    @model_validator(mode="after")
    def _mixer_has_a_memory(self) -> "TransformerXLSpec":
        if self.mixer.kind == "rem":
            raise ValueError("mixer 'rem' cannot be that of a Transformer-XL: it takes no memory")
        return self

    @property
    def name(self) -> str:
        """Name of the model on the book's pages."""
        return "Transformer-XL"

    def mixing(self) -> nn.Module:
        """The mixer of a layer."""
        return self.self_attention(causal=True, attention=lambda: RelativePositions(self.width, self.mixer.heads))

    def build(self, *, series: int, horizon: int) -> "TransformerXL":
        """A freshly initialised model."""
        return TransformerXL(self, series=series, horizon=horizon)


class TransformerXL(nn.Module):
    """Causal layers with relative positions over the rows after the memory; the last row says the whole horizon.

    The memory of a layer is what the same layer was given for the rows before. The paper keeps it from the last step of
    a stream, with weights that are one step old; here it is computed anew in every step, without gradient, from the
    same rows. So training may read windows in any order, and a score depends on no order.

    Attributes:
        blocks: the layers, each with its ``mixer``.
    """

    def __init__(self, spec: TransformerXLSpec, *, series: int, horizon: int):
        super().__init__()
        self.memory, self.horizon = spec.memory, horizon
        self.embedding = SeriesEmbedding(series, spec.width, positions=False, dropout=spec.dropout)
        self.blocks = nn.ModuleList(SeriesLayer(spec.mixing(), spec) for _ in range(spec.layers))
        self.readout = nn.Linear(spec.width, horizon * series)

    def states(self, rows: Float[Tensor, "b t c"]) -> Float[Tensor, "b s d"]:
        """What is known at every row after the memory.

        Raises:
            ValueError: if there are no more rows than those of the memory.
        """
        x, memories = self._begun(rows)
        for block, memory in zip(self.blocks, memories, strict=True):
            x = block(x, memory)
        return x

    def forward(self, rows: Float[Tensor, "b t c"]) -> Float[Tensor, "b h s"]:
        x, memories = self._begun(rows)
        for block, memory in zip(self.blocks[:-1], memories[:-1], strict=True):
            x = block(x, memory)
        # the last of the states is read: in the last layer its row alone looks back, which saves half of the work
        before = [part for part in (memories[-1], x[:, :-1]) if part is not None]
        state = self.blocks[-1](x[:, -1:], torch.cat(before, 1))[:, 0]
        return self.readout(state).unflatten(1, (self.horizon, -1))

    def _begun(self, rows: Tensor) -> tuple[Float[Tensor, "b s d"], list[Float[Tensor, "b m d"] | None]]:
        """The rows after the memory, embedded, and what each layer was given for those before."""
        if rows.shape[1] <= self.memory:
            raise ValueError(f"rows must be more than those of the memory={self.memory}, not {rows.shape[1]}")
        memories: list[Tensor | None] = [None] * len(self.blocks)
        if self.memory:
            with torch.no_grad():
                memories[0] = self.embedding(rows[:, : self.memory])
                for place, block in enumerate(self.blocks[:-1]):
                    memories[place + 1] = block(memories[place])
        return self.embedding(rows[:, self.memory :]), memories
