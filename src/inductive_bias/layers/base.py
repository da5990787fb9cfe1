"""What the settings of all token mixers have in common; those of one mixer stand beside its layer."""

from abc import abstractmethod
from typing import Literal

from pydantic import Field, model_validator
from torch import nn

from inductive_bias.layers.checks import shared_heads
from inductive_bias.layers.heads import mixed_heads
from inductive_bias.settings import Setting

#: Heads of a layer at most; several choices are kept for each of them.
MOST_HEADS = 4096


class MixerSpec(Setting):
    """Choices of one mixer: a subclass has a ``kind`` of its own, and is registered in :mod:`~.layers.registry`."""

    @property
    @abstractmethod
    def name(self) -> str:
        """Name of the mixer on the book's pages."""

    @abstractmethod
    def layer(self, width: int, **options: object) -> nn.Module:
        """One freshly initialised layer ``[b, t, width] → [b, t, width]``; it sees the past alone.

        ``options`` are further arguments of the layer, those that a model decides and not its mixer, such as
        ``causal`` or ``attention``.
        """

    def check_width(self, width: int) -> None:
        """Refuse a width that the layer cannot have.

        Raises:
            ValueError: naming width and what does not fit it.
        """


class HeadSpec(MixerSpec):
    """Choices of a mixer that has heads.

    Attributes:
        heads: how many; they divide the width.
    """

    heads: int = Field(default=4, ge=1, le=MOST_HEADS)

    def check_width(self, width: int) -> None:
        """Refuse a width that the heads do not divide.

        Raises:
            ValueError: naming both.
        """
        if width % self.heads:
            raise ValueError(f"heads={self.heads} must divide width={width}")


class QuerySpec(HeadSpec):
    """Choices of a mixer whose heads have queries, keys and values.

    Attributes:
        kv_heads: how many heads of keys and values, which divide the heads; None for one each.
    """

    kv_heads: int | None = Field(default=None, ge=1)

    @model_validator(mode="after")
    def _keys_are_shared_evenly(self) -> "QuerySpec":
        if self.kv_heads is not None:
            shared_heads(self.heads, self.kv_heads)
        return self


class GateSpec(QuerySpec):
    """Choices of a mixer in which a gate weighs a position matrix against softmax attention.

    Attributes:
        gate: one gate a ``layer`` or a ``head``.
        gate_logit: where μ starts; None draws it from (−3, 3), as the paper does.
        plain: so many heads, the last ones, are softmax attention alone.
    """

    gate: Literal["layer", "head"] = "layer"
    gate_logit: float | None = None
    plain: int = Field(default=0, ge=0)

    @model_validator(mode="after")
    def _one_head_has_a_matrix(self) -> "GateSpec":
        mixed_heads(self.heads, self.plain)
        return self

    @property
    def gate_options(self) -> dict[str, object]:
        """Arguments of the layer."""
        chosen = {"gate": self.gate, "gate_logit": self.gate_logit, "plain": self.plain}
        return chosen | {"kv_heads": self.kv_heads}


class StateSpec(MixerSpec):
    """Choices of a recurrent layer.

    Attributes:
        states: size of its state; None for the width.
    """

    states: int | None = Field(default=None, ge=1)
