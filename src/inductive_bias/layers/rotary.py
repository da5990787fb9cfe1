"""Rotary positions (RoPE, Su et al. 2021): queries and keys turn with their place, so that scores know the distance."""

from typing import Literal

import torch
from jaxtyping import Float
from torch import Tensor, nn

from inductive_bias.layers import checks
from inductive_bias.layers.attention import PlainAttention
from inductive_bias.layers.base import QuerySpec
from inductive_bias.layers.relative import LONGEST_WAVE


class RoPESpec(QuerySpec):
    """Choices of softmax attention with rotary positions."""

    kind: Literal["rope"] = "rope"

    @property
    def name(self) -> str:
        """Name of the mixer on the book's pages."""
        return "Attention, RoPE"

    def check_width(self, width: int) -> None:
        """Refuse a width that the heads do not divide, or that leaves a head an odd width.

        Raises:
            ValueError: naming the width and what does not fit it.
        """
        super().check_width(width)
        RotaryPositions(width // self.heads)

    def layer(self, width: int, **options: object) -> nn.Module:
        """One freshly initialised layer ``[b, t, width] → [b, t, width]``: softmax attention with rotary positions."""
        return PlainAttention(
            width, self.heads, positions=RotaryPositions(width // self.heads), kv_heads=self.kv_heads, **options
        )


class RotaryPositions(nn.Module):
    """Queries or keys, turned by their place; for the ``positions`` of any layer with heads.

    The channels 2i and 2i + 1 are a complex number that a token at place m turns by m · 10,000^(−2i/d). So q_m · k_n
    depends on m − n alone (Su et al. 2021, section 3.2.2). Of an odd width the last channel stays as it is.

    Args:
        width: d, of a head.
    """

    def __init__(self, width: int):
        super().__init__()
        self.width = checks.whole("the width of a head with rotary positions", width, least=2)

    def forward(self, x: Float[Tensor, "b h t d"], first: int) -> Float[Tensor, "b h t d"]:
        """Queries or keys of the tokens ``first``, ``first`` + 1 and so on, turned by the angle of their place.

        Raises:
            ValueError: if the heads have another width.
        """
        if x.shape[3] != self.width:
            raise ValueError(f"heads must have width={self.width}, not {x.shape[3]}")
        pairs = self.width // 2
        # made of the settings at each use: no state dict has them, and a layer may be built without memory
        exact = torch.promote_types(x.dtype, torch.float32)
        rates = LONGEST_WAVE ** -(torch.arange(0, 2 * pairs, 2, device=x.device, dtype=exact) / self.width)
        angles = torch.arange(first, first + x.shape[2], device=x.device, dtype=exact)[:, None] * rates
        cosine, sine = angles.cos().to(x.dtype), angles.sin().to(x.dtype)
        even, odd = x[..., : 2 * pairs].unflatten(3, (pairs, 2)).unbind(4)
        turned = torch.stack((even * cosine - odd * sine, even * sine + odd * cosine), 4).flatten(3)
        return turned if self.width == 2 * pairs else torch.cat((turned, x[..., 2 * pairs :]), 3)

    def extra_repr(self) -> str:
        """The width."""
        return f"width={self.width}"
