"""The Transformer block: every model that is a stack of mixers is made of it."""

import torch
from jaxtyping import Bool, Float
from torch import Tensor, nn


class Block(nn.Module):
    """Pre-norm mixer and, if there is one, feed-forward layer (GELU), each added to its input.

    Args:
        mixer: a layer of :mod:`inductive_bias.layers`, or another ``mixer(x, mask)`` that keeps the shape of x.
        width: of the token representations.
        feedforward: width of the feed-forward layer as a multiple of ``width``; 0 leaves it out.
        dropout: on the output of mixer and feed-forward layer.
        inner: width of the feed-forward layer itself, in place of a multiple.
    """

    def __init__(
        self, mixer: nn.Module, width: int, *, feedforward: int = 4, dropout: float = 0.0, inner: int | None = None
    ):
        super().__init__()
        self.mixer_norm = nn.LayerNorm(width)
        self.mixer = mixer
        self.feedforward = None
        if hidden := feedforward * width if inner is None else inner:
            self.feedforward_norm = nn.LayerNorm(width)
            self.feedforward = nn.Sequential(nn.Linear(width, hidden), nn.GELU(), nn.Linear(hidden, width))
        self.dropout = nn.Dropout(dropout)

    def forward(self, x: Float[Tensor, "b t d"], mask: Bool[Tensor, "b t"] | None = None) -> Float[Tensor, "b t d"]:
        return self._after(x, self.mixer(self.mixer_norm(x), mask))

    def after(self, memory: Float[Tensor, "b m d"], x: Float[Tensor, "b t d"]) -> Float[Tensor, "b t d"]:
        """:meth:`forward` of tokens that see those of ``memory`` too: inputs of this block that came before them."""
        return self._after(x, self.mixer(self.mixer_norm(x), memory=self.mixer_norm(memory)))

    def in_units(self, memory: Float[Tensor, "b u d"], x: Float[Tensor, "b t d"]) -> Float[Tensor, "b t d"]:
        """:meth:`after` of each unit with the one before it, ``memory`` before the first; all units are as long."""
        mixed = self.mixer.in_units(self.mixer_norm(torch.cat((memory, x), 1)), memory.shape[1])
        return self._after(x, mixed)

    def prefill(
        self, x: Float[Tensor, "b t d"], mask: Bool[Tensor, "b t"] | None = None
    ) -> tuple[Float[Tensor, "b t d"], object]:
        """:meth:`forward`, and the mixer's cache to go on from."""
        mixed, cache = self.mixer.prefill(self.mixer_norm(x), *(() if mask is None else (mask,)))
        return self._after(x, mixed), cache

    def step(
        self, x: Float[Tensor, "*rows d"], cache: object, mask: Bool[Tensor, "*rows"] | None = None
    ) -> tuple[Float[Tensor, "*rows d"], object]:
        """The next token ``[b, d]``, or some ``[b, t, d]``: their rows of :meth:`forward`, and the next cache."""
        mixed, cache = self.mixer.step(self.mixer_norm(x), cache, *(() if mask is None else (mask,)))
        return self._after(x, mixed), cache

    def _after(self, x: Float[Tensor, "... d"], mixed: Float[Tensor, "... d"]) -> Float[Tensor, "... d"]:
        x = x + self.dropout(mixed)
        if self.feedforward is None:
            return x
        return x + self.dropout(self.feedforward(self.feedforward_norm(x)))
