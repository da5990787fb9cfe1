"""Softmax attention to the nearest tokens alone."""

from typing import Literal

import torch
from jaxtyping import Bool, Float
from pydantic import Field
from torch import Tensor, nn

from inductive_bias.layers import checks
from inductive_bias.layers.base import QuerySpec
from inductive_bias.layers.heads import HeadMixer
from inductive_bias.layers.rotary import RotaryPositions


class WindowSpec(QuerySpec):
    """Choices of a :class:`WindowAttention`.

    Attributes:
        window: keys that a query sees at most, its own token included.
        rotary: whether queries and keys turn with their place (RoPE), so that the order within the window is known.
    """

    kind: Literal["window"] = "window"
    window: int = Field(default=4, ge=1)
    rotary: bool = False

    @property
    def name(self) -> str:
        """Name of the mixer on the book's pages."""
        return "Attention, window"

    def layer(self, width: int, **options: object) -> nn.Module:
        """One freshly initialised layer ``[b, t, width] → [b, t, width]``: softmax attention within a window."""
        places = {"positions": RotaryPositions(width // self.heads)} if self.rotary else {}
        return WindowAttention(width, self.heads, window=self.window, kv_heads=self.kv_heads, **places | options)

    def check_width(self, width: int) -> None:
        """Refuse a width that the heads do not divide, or, with rotary positions, one that leaves a head an odd width.

        Raises:
            ValueError: naming the width and what does not fit it.
        """
        super().check_width(width)
        if self.rotary:
            RotaryPositions(width // self.heads)


class WindowAttention(HeadMixer):
    """Softmax attention of every token to itself and the ``window`` − 1 before it; not causal: as many after it too.

    Further arguments as of :class:`HeadMixer`. What one layer sees of the past is the window; ``n`` layers see n times
    as far.
    """

    def __init__(self, width: int, heads: int, *, window: int, **options: object):
        super().__init__(width, heads, **options)
        self.window = checks.whole("window", window, least=1)

    def mix(
        self,
        q: Float[Tensor, "b h t d"],
        k: Float[Tensor, "b h n d"],
        v: Float[Tensor, "b h n d"],
        mask: Bool[Tensor, "b n"] | None,
    ) -> Float[Tensor, "b h t d"]:
        """Softmax attention of the queries to keys within the window."""
        n = k.shape[2]
        steps = torch.arange(n, device=q.device)
        far = (steps[n - q.shape[2] :, None] - steps).abs() >= self.window
        return self.attend(q, k, v, mask, bias=torch.zeros_like(far, dtype=q.dtype).masked_fill(far, -torch.inf)[None])
