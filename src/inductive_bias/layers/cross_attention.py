"""Attention to vectors that are no tokens of the sequence: latent vectors, or the states of a recurrent block."""

import torch
import torch.nn.functional as F
from jaxtyping import Float
from torch import Tensor, nn

from inductive_bias.layers import checks
from inductive_bias.layers.heads import in_rows, of_later_and_of_all, softmax_weights, with_the_one_before


def in_heads(x: Float[Tensor, "b n width"], parts: int, heads: int) -> tuple[Float[Tensor, "b h n d"], ...]:
    """``parts`` projections that lie side by side, each as ``[b, h, n, d]``."""
    return tuple(part.transpose(1, 2) for part in x.unflatten(-1, (parts, heads, -1)).unbind(2))


def out_of_heads(x: Float[Tensor, "b h n d"]) -> Float[Tensor, "b n width"]:
    """The heads side by side."""
    return x.transpose(1, 2).flatten(2)


def of_all(
    q: Float[Tensor, "b h t d"], k: Float[Tensor, "b h n d"], v: Float[Tensor, "b h n d"], dropout_p: float = 0.0
) -> Float[Tensor, "b h t d"]:
    """Softmax attention to all keys; written out, since the fused kernel is slower for so few of them."""
    return F.dropout(softmax_weights(q, k), dropout_p, training=dropout_p > 0) @ v


class CrossAttention(nn.Module):
    """Softmax attention of x to other vectors, all of which every x sees; positions play no part.

    Args:
        width: of x, of what it sees, and of the result.
        heads: which divide it.
        dropout: on the softmax weights.
        fused: whether to leave the softmax to PyTorch's kernel, which pays where there are many vectors to see.

    Raises:
        ValueError: if ``heads`` does not divide ``width``; the message names both.
    """

    def __init__(self, width: int, heads: int, *, dropout: float = 0.0, fused: bool = False):
        super().__init__()
        checks.head_width(width, heads)
        self.heads, self.dropout, self.fused = heads, dropout, fused
        self.query = nn.Linear(width, width)
        self.key_value = nn.Linear(width, 2 * width)
        self.output = nn.Linear(width, width)

    def forward(self, x: Float[Tensor, "b t width"], seen: Float[Tensor, "b n width"]) -> Float[Tensor, "b t width"]:
        """What every x gets."""
        (q,) = in_heads(self.query(x), 1, self.heads)
        k, v = in_heads(self.key_value(seen), 2, self.heads)
        attend = F.scaled_dot_product_attention if self.fused else of_all
        return self.output(out_of_heads(attend(q, k, v, dropout_p=self.dropout if self.training else 0.0)))


class BlockRecurrence(nn.Module):
    """The recurrent cell of a Block-Recurrent Transformer (Hutchins et al. 2022, section 3), its form ``skip``.

    Tokens attend to the tokens before them and, in parallel, to the states; both results side by side pass one linear
    layer. When a block of tokens is complete, the states attend to each other and to its tokens likewise, and a gate
    mixes what comes out with what they were. Keys and values of each are shared by both directions, queries are not; a
    state is told from the others by an id that is added to it. With h what attention gives and y = W h + b:

        ``bias``:  c ← g ⊙ c + (1 − g) ⊙ y,  g = σ(b_g)          ``lstm``:  c ← σ(W_f h + b_f + 1) ⊙ c + σ(W_i h + b_i − 1) ⊙ y

    as in google-research/meliad, in which gates begin with biases of deviation .1 and kernels of a tenth of the usual
    variance, ids with deviation 1, and first states, which are learnt, with .1. Form ``skip``: no feed-forward layer.

    Args:
        width: of tokens and states.
        heads: which divide it.
        states: how many.
        attention: of tokens to tokens, as of :class:`~inductive_bias.layers.heads.HeadMixer`.
        gate: ``bias`` or ``lstm``.
        dropout: on the weights of tokens' attention to tokens.
    """  # noqa: E501

    def __init__(
        self, width: int, heads: int, states: int, *, attention: nn.Module, gate: str = "bias", dropout: float = 0.0
    ):
        super().__init__()
        checks.head_width(width, heads)
        checks.whole("states", states, least=1)
        self.heads, self.dropout, self.attention = heads, dropout, attention
        self.kind = checks.choice("gate", gate, ("bias", "lstm"))
        # two queries (to one's own kind, to the other), keys and values
        self.tokens, self.states = nn.Linear(width, 4 * width), nn.Linear(width, 4 * width)
        self.output, self.update = nn.Linear(2 * width, width), nn.Linear(2 * width, width)
        self.state_norm = nn.LayerNorm(width)
        self.ids = nn.Parameter(torch.randn(states, width))
        self.first = nn.Parameter(0.1 * torch.randn(states, width))
        if gate == "bias":
            self.kept = nn.Parameter(0.1 * torch.randn(width))
        else:
            self.forget, self.insert = nn.Linear(2 * width, width), nn.Linear(2 * width, width)
            for each in (self.forget, self.insert):
                nn.init.normal_(each.bias, std=0.1)
                each.weight.data *= 0.1**0.5

    def start(self, batch: int) -> Float[Tensor, "b s width"]:
        """The first states."""
        return self.first.expand(batch, -1, -1)

    def forward(
        self, x: Float[Tensor, "b t width"], memory: Float[Tensor, "b m width"], states: Float[Tensor, "b s width"]
    ) -> Float[Tensor, "b t width"]:
        """What tokens get from those before them, ``memory`` included, and from the states."""
        own, across, k, v = in_heads(self.tokens(torch.cat((memory, x), 1)), 4, self.heads)
        own, across = own[:, :, memory.shape[1] :], across[:, :, memory.shape[1] :]
        _, _, state_k, state_v = self._of(states)
        attended = self.attention(own, k, v, causal=True, dropout=self.dropout if self.training else 0.0)
        return self.output(_side_by_side(attended, of_all(across, state_k, state_v)))

    def in_units(
        self, x: Float[Tensor, "b n width"], states: Float[Tensor, "b s width"], unit: int
    ) -> tuple[Float[Tensor, "b t width"], Float[Tensor, "b s width"]]:
        """``forward`` and ``advance`` of unit after unit, each with the one before it as memory, and the last states.

        The first unit is memory alone. Only the states go from unit to unit; all else is computed of all units at once.
        """
        width = x.shape[2]
        queries, rest = of_later_and_of_all(self.tokens, x, unit, 2 * width)
        own, across = in_heads(in_rows(queries, unit), 2, self.heads)
        k, v = in_heads(with_the_one_before(rest, unit), 2, self.heads)
        attended = self.attention(own, k, v, causal=True, dropout=self.dropout if self.training else 0.0)
        seen = []
        for each in rest.split(unit, 1)[1:]:
            of_states = self._of(states)
            seen.append(of_states[2:])
            states = self._updated(states, of_states, *in_heads(each, 2, self.heads))
        crossed = of_all(across, *(torch.stack(part, 1).flatten(0, 1) for part in zip(*seen, strict=True)))
        return self.output(_side_by_side(attended, crossed)).view(len(x), x.shape[1] - unit, width), states

    def advance(
        self, block: Float[Tensor, "b t width"], states: Float[Tensor, "b s width"]
    ) -> Float[Tensor, "b s width"]:
        """The states after a block of tokens."""
        _, _, k, v = in_heads(self.tokens(block), 4, self.heads)
        return self._updated(states, self._of(states), k, v)

    def _updated(self, states: Tensor, of_states: tuple[Tensor, ...], k: Tensor, v: Tensor) -> Tensor:
        own, across, state_k, state_v = of_states
        hidden = _side_by_side(of_all(own, state_k, state_v), of_all(across, k, v))
        found = self.update(hidden)
        if self.kind == "bias":
            return self.kept.sigmoid() * states + (-self.kept).sigmoid() * found
        return (self.forget(hidden) + 1).sigmoid() * states + (self.insert(hidden) - 1).sigmoid() * found

    def _of(self, states: Float[Tensor, "b s width"]) -> tuple[Float[Tensor, "b h n d"], ...]:
        return in_heads(self.states(self.state_norm(states) + self.ids), 4, self.heads)


def _side_by_side(attended: Float[Tensor, "b h n d"], crossed: Float[Tensor, "b h n d"]) -> Float[Tensor, "b n two"]:
    return torch.cat((out_of_heads(attended), out_of_heads(crossed)), 2)
