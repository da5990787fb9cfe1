"""What all layers of this room share: projections into heads and back, padding, and decoding token by token.

Padding, of every layer that takes a ``mask``:

- It says nothing: no real token gets anything of it, whatever stands there. Results at padding are finite and of no
  meaning.
- In front of the first real token or behind the last one it changes nothing for the real ones, however much there is:
  neither in ``forward`` nor in ``prefill`` and every ``step`` after it. The next token follows the last *real* one.
- A mask that looks turned round, True for padding, is warned of (:mod:`~inductive_bias.layers.turned_masks`).
- Between real tokens time passes: those on both sides are as far apart as their places are. The
  :class:`~inductive_bias.layers.LSTM` alone skips such a gap: it has no measure of time but its tokens. (Softmax
  attention without positions knows no distance, so that both are one.)
- The same holds for the tokens of a ``step`` and of a ``forward`` with an ``initial_state``: padding behind the last
  real token of a row is as if it were not there, padding in front of the first one is a gap.

Every layer goes on from what it has read: ``forward(x, mask, initial_state=cache, return_state=True)`` gives outputs
and the next :class:`Cache`. ``prefill`` is that without an initial state, ``step`` that with one.
"""

import math
from collections.abc import Callable
from typing import NamedTuple

import torch
import torch.nn.functional as F
from jaxtyping import Bool, Float, Int64, Integer
from torch import Tensor, nn

from inductive_bias.layers import checks
from inductive_bias.layers.turned_masks import notice_turned_mask
from inductive_bias.tracing import exported, recorded, refuse_fixed_length, transformed

#: Encodes where tokens are: ``positions(x, first)`` returns queries or keys ``x [b, h, t, d]`` of tokens first,
#: first + 1, … with their positions in them, as rotary embeddings do.
Positions = Callable[[Tensor, int], Tensor]


class Cache(NamedTuple):
    """What a layer keeps of the tokens read: nothing in it changes, so that one cache can be continued twice.

    Attributes:
        keys: ``[b, h, n, d]``, positions encoded; None for layers that do not look back.
        values: ``[b, h, n, d]``, or None.
        mask: ``[b, n]``, False where a token was padding; None if none was. None of it is behind the last real token:
            that of a prompt has been moved to its front.
        state: of a REM or a recurrent layer, None for others. Its size does not depend on n, but for a REM with
            dilations above 64 tokens: there it grows up to the dilation.
        length: n, tokens read, those of padding too.
        moved: ``[b]``, places of padding behind the last real token of a row that a ``step`` has moved to its front;
            None if none. The next token of a row stands at place ``length − moved``.
    """

    keys: Tensor | None
    values: Tensor | None
    mask: Tensor | None
    state: object
    length: int
    moved: Int64[Tensor, " b"] | None = None

    def detached(self) -> "Cache":
        """The cache without its history of gradients: what a next piece of a long text begins with in training."""
        state = tuple(part.detach() for part in self.state) if isinstance(self.state, tuple) else self.state
        state = state.detach() if isinstance(state, Tensor) else state
        keys, values = (None if part is None else part.detach() for part in (self.keys, self.values))
        return self._replace(keys=keys, values=values, state=state)

    def rows(self, chosen: Integer[Tensor, " n"]) -> "Cache":
        """The cache of the rows with these numbers, as often as they are named: for a search with beams."""

        def each(part: object, dim: int = 0) -> object:
            return part.index_select(dim, chosen) if isinstance(part, Tensor) else part

        lstm = isinstance(self.state, tuple)
        state = tuple(each(part, 1) for part in self.state) if lstm else each(self.state)
        keys, values, mask, moved = (each(part) for part in (self.keys, self.values, self.mask, self.moved))
        return self._replace(keys=keys, values=values, mask=mask, state=state, moved=moved)


class StatefulLayer(nn.Module):
    """A layer that goes on from what it has read; a subclass says how it reads a prompt and what follows one."""

    def prefill(
        self, x: Float[Tensor, "b t width"], mask: Bool[Tensor, "b t"] | None = None
    ) -> tuple[Float[Tensor, "b t width"], Cache]:
        """Outputs of a prompt, and the cache to go on from: the next token follows the last real one of its row."""
        raise NotImplementedError

    def step(
        self, x: Float[Tensor, "*rows width"], cache: Cache, mask: Bool[Tensor, "*rows"] | None = None
    ) -> tuple[Float[Tensor, "*rows width"], Cache]:
        """Output of the next token ``[b, width]``, or of some ``[b, t, width]``, and the next cache.

        ``mask``, ``[b]`` or ``[b, t]``, is False at padding: a row without a real token goes on as if there had been no
        step.

        Raises:
            ValueError: as :meth:`prefill`, or if the cache is of another number of rows.
        """
        if x.ndim == 3:
            return self._read_on(x, cache, mask)
        out, cache = self._read_on(x[:, None], cache, None if mask is None else mask[:, None])
        return out[:, 0], cache

    def _read_on(
        self, x: Float[Tensor, "b t width"], cache: Cache, mask: Bool[Tensor, "b t"] | None
    ) -> tuple[Float[Tensor, "b t width"], Cache]:
        """Outputs of the tokens that follow those of the cache, and the next cache."""
        raise NotImplementedError

    def _from_state(
        self, x: Tensor, mask: Tensor | None, initial_state: Cache | None, return_state: bool
    ) -> Float[Tensor, "b t width"] | tuple[Float[Tensor, "b t width"], Cache]:
        """What ``forward`` gives where a state is given or asked for."""
        both = self.prefill(x, mask) if initial_state is None else self._read_on(x, initial_state, mask)
        return both if return_state else both[0]


class HeadMixer(StatefulLayer):
    """Queries, keys and values in heads → :meth:`mix` → one linear layer; subclasses say how heads are mixed.

    ``forward(x, mask)`` takes ``[b, t, width]`` and, where some tokens are padding, ``mask [b, t]``, True for real
    ones; see the module for what padding means. ``prefill`` and ``step`` give the same token by token, or some tokens
    at a time.

    ``forward(x, memory=…)`` lets tokens see those of ``memory [b, m, width]`` before them as well, which get no
    results; gradients reach the memory unless it is detached.

    ``torch.compile``, ``torch.export``, ``torch.jit.trace`` and ``torch.func`` take the layers, at every length. A
    second derivative is refused by the fused softmax kernel: ask for it within ``sdpa_kernel(SDPBackend.MATH)``.

    Args:
        width: of inputs and outputs; ``heads`` divides it.
        heads: how many.
        causal: no token sees a later one. (Padding on the right then needs no mask, but for ``prefill``.)
        dropout: on the softmax weights.
        bias: whether the two linear layers have one.
        positions: encodes positions into queries and keys; None leaves them to the caller. They count padding in
            front too, and a ``step`` counts that behind its prompt: for positions that say more than distances this
            is another place.
        attention: which keys a query sees and how, ``attention(q, k, v, causal=…, dropout=…)``, in place of softmax
            over all: :class:`~inductive_bias.layers.ProbSparse`, ``LogSparse`` or ``RelativePositions``. It takes no
            padding, and there is no token by token then.
        projection: makes queries, keys and values, ``[b, t, width] → [b, t, 3 · width]``, in place of a linear layer.
        kv_heads: how many heads of keys and values, each for as many neighbouring heads of queries (Ainslie et al.
            2023); None for one each. It divides ``heads``. A cache holds so many.

    Raises:
        ValueError: for anything out of range; the message names it, its value and the range.
    """

    def __init__(
        self,
        width: int,
        heads: int,
        *,
        causal: bool = True,
        dropout: float = 0.0,
        bias: bool = True,
        positions: Positions | None = None,
        attention: nn.Module | None = None,
        projection: nn.Module | None = None,
        kv_heads: int | None = None,
    ):
        super().__init__()
        each = checks.head_width(width, heads)
        self.kv_heads = heads if kv_heads is None else checks.shared_heads(heads, kv_heads)
        if projection is not None and self.kv_heads != heads:
            raise ValueError(f"kv_heads must be None beside a projection of the layer's own, not {kv_heads}")
        if not 0 <= dropout < 1:
            raise ValueError(f"dropout must lie in [0, 1), not {dropout}")
        self.width, self.heads, self.causal, self.dropout, self.positions = width, heads, causal, dropout, positions
        made = width + 2 * self.kv_heads * each
        self.query_key_value = nn.Linear(width, made, bias=bias) if projection is None else projection
        self.output = nn.Linear(width, width, bias=bias)
        self.attention, self._steps = attention, attention is None and projection is None

    def mix(
        self,
        q: Float[Tensor, "b h t d"],
        k: Float[Tensor, "b h n d"],
        v: Float[Tensor, "b h n d"],
        mask: Bool[Tensor, "b n"] | None,
    ) -> Float[Tensor, "b h t d"]:
        """What the last t of n tokens get from all they may see."""
        raise NotImplementedError

    def forward(
        self,
        x: Float[Tensor, "b t width"],
        mask: Bool[Tensor, "b t"] | None = None,
        memory: Float[Tensor, "b m width"] | None = None,
        initial_state: Cache | None = None,
        return_state: bool = False,
    ) -> Float[Tensor, "b t width"] | tuple[Float[Tensor, "b t width"], Cache]:
        """Mixed tokens ``[b, t, width]``; ``mask`` is False at padding, ``memory`` are tokens from before.

        With ``initial_state`` the tokens follow those that made the cache. With ``return_state`` the cache after them
        is given too.

        Raises:
            ValueError: for a state beside a memory, and as :meth:`prefill` where a state is given or asked for.
        """
        if initial_state is not None or return_state:
            if memory is not None:
                raise ValueError("a state and a memory cannot be given together: a state holds what was before")
            return self._from_state(x, mask, initial_state, return_state)
        check_tokens(self, x, mask, self.output.weight)
        x = without_padding(x, mask)
        if memory is None:
            return self._join(self._mixed(*self._split(x, 0), mask))
        check_memory(memory, x, mask)
        q, rest = self._query_and_rest(torch.cat((memory, x), 1), memory.shape[1])
        return self._join(self._mixed(*self._in_heads(q, rest, memory.shape[1]), None))

    def in_units(self, x: Float[Tensor, "b n width"], unit: int) -> Float[Tensor, "b t width"]:
        """``forward`` of each unit of so many tokens with the unit before it as ``memory``, all at once.

        The first unit is memory alone and gets no results. Every token has one key and one value, which serve the unit
        that it is in and the one after that.

        Raises:
            ValueError: if there are not at least two whole units.
        """
        check_tokens(self, x, None, self.output.weight)
        if x.shape[1] % unit or x.shape[1] < 2 * unit:
            raise ValueError(f"there must be whole units of {unit} tokens, two at least, not {x.shape[1]} tokens")
        q, rest = self._query_and_rest(x, unit)
        mixed = self._mixed(*self._in_heads(in_rows(q, unit), with_the_one_before(rest, unit), unit), None)
        return self._join(mixed).view(len(x), x.shape[1] - unit, self.width)

    def _query_and_rest(self, x: Tensor, before: int) -> tuple[Float[Tensor, "b t width"], Float[Tensor, "b n two"]]:
        """Queries of all tokens but those ``before``; keys and values, side by side, of all."""
        return of_later_and_of_all(self.query_key_value, x, before, self.width)

    def _in_heads(self, q: Tensor, rest: Tensor, before: int) -> tuple[Tensor, Tensor, Tensor]:
        q = q.unflatten(-1, (self.heads, -1)).transpose(1, 2)
        k, v = (part.transpose(1, 2) for part in rest.unflatten(-1, (2, self.kv_heads, -1)).unbind(2))
        return (q, k, v) if self.positions is None else (self.positions(q, before), self.positions(k, 0), v)

    def prefill(
        self, x: Float[Tensor, "b t width"], mask: Bool[Tensor, "b t"] | None = None
    ) -> tuple[Float[Tensor, "b t width"], Cache]:
        """:meth:`forward`, and the cache to go on from: the next token follows the last real one of its row.

        Raises:
            ValueError: if the layer is not causal, or has an attention or a projection of its own.
        """
        check_tokens(self, x, mask, self.output.weight)
        self._refuse_steps()
        x = without_padding(x, mask)
        q, k, v = self._split(x, 0)
        out = self._join(self._mixed(q, k, v, mask))
        if mask is not None:
            x, mask = ending_together(x, mask)
            _, k, v = self._split(x, 0)
        return out, Cache(k, v, mask, self._state(self._shared(v), mask), x.shape[1])

    def _read_on(
        self, x: Float[Tensor, "b t width"], cache: Cache, mask: Bool[Tensor, "b t"] | None
    ) -> tuple[Float[Tensor, "b t width"], Cache]:
        """Outputs of the tokens that follow those of the cache, and the next cache."""
        check_tokens(self, x, mask, self.output.weight)
        self._refuse_steps()
        check_cache(cache, x)
        q, k, v = self._split(without_padding(x, mask), cache.length, cache.moved)
        if cache.keys is not None:
            k, v = torch.cat((cache.keys, k), 2), torch.cat((cache.values, v), 2)
        seen = joined_masks(cache, mask, x)
        mixed, state = self._mix_on(q, self._shared(k), self._shared(v), seen, cache.state, mask)
        out, moved = self._join(mixed), cache.moved
        if mask is not None:
            k, v, seen, behind = heads_ending_together(k, v, seen)
            moved = behind if moved is None else moved + behind
        return out, Cache(k, v, seen, state, cache.length + x.shape[1], moved)

    def _refuse_steps(self) -> None:
        refuse_bidirectional(self.causal)
        if not self._steps:
            raise ValueError("a layer with its own attention or projection does not go token by token")

    def _state(self, v: Tensor, mask: Tensor | None) -> object:
        return None

    def _mix_on(
        self, q: Tensor, k: Tensor, v: Tensor, mask: Tensor | None, state: object, new: Tensor | None
    ) -> tuple[Tensor, object]:
        """What the last t of n tokens get, and the state after them; ``new`` is the mask of the last t alone."""
        return self.mix(q, k, v, mask), None

    def _mixed(self, q: Tensor, k: Tensor, v: Tensor, mask: Tensor | None) -> Float[Tensor, "b h t d"]:
        return self.mix(q, self._shared(k), self._shared(v), mask)

    def _shared(self, x: Float[Tensor, "b g n d"]) -> Float[Tensor, "b h n d"]:
        """Keys or values, each once for every head of queries that it is for."""
        return x if self.kv_heads == self.heads else x.repeat_interleave(self.heads // self.kv_heads, 1)

    def _split(
        self, x: Float[Tensor, "b t width"], first: int, moved: Int64[Tensor, " b"] | None = None
    ) -> tuple[Tensor, Tensor, Tensor]:
        """Queries, keys and values of the tokens from place ``first`` on, less what each row has ``moved``."""
        made = self.query_key_value(x)
        if self.kv_heads == self.heads:
            # Taken apart before turned round: so gradients are stacked where the projection wants them, without a copy.
            three = made.unflatten(-1, (3, self.heads, -1)).unbind(2)
        else:
            sizes = [heads * (self.width // self.heads) for heads in (self.heads, self.kv_heads, self.kv_heads)]
            three = [part.unflatten(-1, (-1, self.width // self.heads)) for part in made.split(sizes, -1)]
        q, k, v = (part.transpose(1, 2) for part in three)
        if self.positions is None:
            return q, k, v
        refuse_fixed_length()
        return placed(self.positions, q, first, moved), placed(self.positions, k, first, moved), v

    def _join(self, mixed: Float[Tensor, "b h t d"]) -> Float[Tensor, "b t width"]:
        if exported():  # a view that depends on how a kernel has laid its results out
            return self.output(torch.cat(mixed.unbind(1), 2))
        return self.output(mixed.transpose(1, 2).flatten(2))

    def attend(
        self,
        q: Float[Tensor, "b h t d"],
        k: Float[Tensor, "b h n d"],
        v: Float[Tensor, "b h n d"],
        mask: Bool[Tensor, "b n"] | None,
        bias: Float[Tensor, "*rows #h t n"] | None = None,
    ) -> Float[Tensor, "b h t d"]:
        """Softmax attention on the fused kernel; ``bias`` is added to the scaled scores.

        A row that may see no token is 0. With ``mask`` or ``bias`` and causal, the kernel needs a mask of t × n.
        Within ``torch.func`` (``vmap``, ``grad`` …) the softmax is written out, with all t × n weights.

        Raises:
            ValueError: for a mask of padding beside an attention of the layer's own.
        """
        t, n = q.shape[2], k.shape[2]
        dropout = self.dropout if self.training else 0.0
        if self.attention is not None:
            if mask is not None or bias is not None:
                raise ValueError("a layer with its own attention takes neither a mask of padding nor a bias of scores")
            return self.attention(q, k, v, causal=self.causal, dropout=dropout)
        if mask is None and bias is None and not transformed():
            if t == n:  # not t > 1 as well: where a length is a symbol, so were the flag
                return F.scaled_dot_product_attention(q, k, v, dropout_p=dropout, is_causal=self.causal)
            if t == 1:
                return F.scaled_dot_product_attention(q, k, v, dropout_p=dropout)
        refuse_fixed_length()
        allowed = None if mask is None else mask[:, None, None, :]
        if self.causal and t > 1:
            past = torch.ones(t, n, dtype=torch.bool, device=q.device).tril(n - t)
            allowed = past if allowed is None else allowed & past
        # of a batch of none the kernel gives its bias no gradient, not even zeros
        if transformed() or (bias is not None and not recorded() and not len(q)):
            return _written_out(q, k, v, allowed, bias, dropout)
        if bias is not None:
            bias = bias.to(q.dtype)
            allowed = bias if allowed is None else torch.where(allowed, bias, -torch.inf)
        return F.scaled_dot_product_attention(q, k, v, attn_mask=allowed, dropout_p=dropout)


def _written_out(
    q: Float[Tensor, "b h t d"],
    k: Float[Tensor, "b h n d"],
    v: Float[Tensor, "b h n d"],
    allowed: Bool[Tensor, "#b #h #t n"] | Bool[Tensor, "t n"] | None,
    bias: Float[Tensor, "*rows #h t n"] | None,
    dropout: float,
) -> Float[Tensor, "b h t d"]:
    """Softmax attention by ordinary operations; the fused kernel has no rule for ``vmap`` and no second derivative."""
    return F.dropout(softmax_weights(q, k, allowed, bias), dropout, training=dropout > 0) @ v


def softmax_weights(
    q: Float[Tensor, "b h t d"],
    k: Float[Tensor, "b h n d"],
    allowed: Bool[Tensor, "#b #h #t n"] | Bool[Tensor, "t n"] | None = None,
    bias: Float[Tensor, "*rows #h t n"] | None = None,
) -> Float[Tensor, "b h t n"]:
    """softmax(q kᵀ / √d + bias) over the keys that are ``allowed``; a row without any is 0."""
    scores = q @ k.mT / math.sqrt(q.shape[-1])
    if bias is not None:
        scores = scores + bias.to(q.dtype)
    if allowed is None:
        return scores.softmax(-1)
    # not −∞: a row without any token would become NaN
    return scores.masked_fill(~allowed, torch.finfo(scores.dtype).min).softmax(-1) * allowed


def of_later_and_of_all(
    linear: nn.Module, x: Float[Tensor, "b n c"], before: int, first: int
) -> tuple[Float[Tensor, "b t first"], Float[Tensor, "b n others"]]:
    """The ``first`` outputs of the tokens that are not ``before``, and all other outputs of all tokens."""
    if type(linear) is not nn.Linear:  # another layer in its place, such as a quantised one
        made = linear(x)
        return made[:, before:, :first], made[..., first:]
    sizes = (first, linear.out_features - first)
    weights = linear.weight.split(sizes)
    biases = (None, None) if linear.bias is None else linear.bias.split(sizes)
    return F.linear(x[:, before:], weights[0], biases[0]), F.linear(x, weights[1], biases[1])


def in_rows(x: Float[Tensor, "b t c"], unit: int) -> Float[Tensor, "rows unit c"]:
    """Every unit a row."""
    return x.unflatten(1, (-1, unit)).flatten(0, 1)


def with_the_one_before(x: Float[Tensor, "b n c"], unit: int) -> Float[Tensor, "rows two c"]:
    """Every unit but the first a row, behind the unit before it."""
    units = x.unflatten(1, (-1, unit))
    return torch.cat((units[:, :-1], units[:, 1:]), 2).flatten(0, 1)


def without_padding(x: Float[Tensor, "b t width"], mask: Bool[Tensor, "b t"] | None) -> Float[Tensor, "b t width"]:
    """Tokens with zeros for padding: a NaN there would go through a weight of zero."""
    return x if mask is None else x.masked_fill(~mask[:, :, None], 0)


def ending_together(
    x: Float[Tensor, "b t c"], mask: Bool[Tensor, "b t"]
) -> tuple[Float[Tensor, "b t c"], Bool[Tensor, "b t"]]:
    """Tokens and mask with every row's padding behind its last real token moved in front of its first one.

    All rows then end with a real token, so that the next one is one step away in all of them. All other distances stay
    as they are.
    """
    place = torch.arange(x.shape[1], device=x.device)
    real = (place + 1) * mask
    behind = (x.shape[1] - real.amax(1, keepdim=True)) % x.shape[1]  # of a row of padding alone: none
    place = (place - behind) % x.shape[1]
    return x.gather(1, place[:, :, None].expand_as(x)), mask.gather(1, place)


def heads_ending_together(
    k: Float[Tensor, "b g n d"], v: Float[Tensor, "b g n d"], mask: Bool[Tensor, "b n"]
) -> tuple[Float[Tensor, "b g n d"], Float[Tensor, "b g n d"], Bool[Tensor, "b n"], Int64[Tensor, " b"]]:
    """:func:`ending_together` for keys and values, and by how many places each row was moved."""
    place = torch.arange(mask.shape[1], device=mask.device)
    behind = (mask.shape[1] - ((place + 1) * mask).amax(1)) % mask.shape[1]
    place = (place - behind[:, None]) % mask.shape[1]
    k, v = (part.take_along_dim(place[:, None, :, None], 2) for part in (k, v))
    return k, v, mask.gather(1, place), behind


def placed(
    positions: Positions, x: Float[Tensor, "b h t d"], first: int, moved: Int64[Tensor, " b"] | None
) -> Float[Tensor, "b h t d"]:
    """Queries or keys with their positions, those of each row from ``first − moved`` on."""
    if moved is None or not len(x):
        return positions(x, first)
    # an encoding knows one first place for all rows: those that have moved as far are encoded together
    amounts, order = moved.unique().tolist(), moved.argsort(stable=True)
    rows = [positions(x[moved == each], first - each) for each in amounts]
    return torch.cat(rows)[order.argsort()]


def joined_masks(
    cache: Cache, mask: Bool[Tensor, "b t"] | None, x: Float[Tensor, "b t width"]
) -> Bool[Tensor, "b n"] | None:
    """The mask of the tokens in the cache and of those after them; None if none is padding."""
    if mask is None:
        return None if cache.mask is None else F.pad(cache.mask, (0, x.shape[1]), value=True)
    before = mask.new_ones(len(x), cache.length) if cache.mask is None else cache.mask
    return torch.cat((before, mask), 1)


def last_real(mask: Bool[Tensor, "b t"]) -> Int64[Tensor, " b"]:
    """The number of tokens of each row up to its last real one, 0 for a row of padding alone."""
    return (torch.arange(1, mask.shape[1] + 1, device=mask.device) * mask).amax(1)


def check_cache(cache: Cache, x: Float[Tensor, "b t width"]) -> None:
    """Refuse what is no cache, and one of another number of rows than the tokens.

    Raises:
        ValueError: naming what was given.
    """
    if not isinstance(cache, Cache):
        raise ValueError(f"a state must be the Cache that a layer has given, not {type(cache).__name__}")
    lstm = isinstance(cache.state, tuple)
    kept = cache.values if cache.state is None else cache.state[0][0] if lstm else cache.state
    if kept is not None and len(kept) != len(x):
        raise ValueError(f"a state must have a row for each of the {len(x)} rows of tokens, not {len(kept)}")


def check_tokens(layer: nn.Module, x: Tensor, mask: Tensor | None, weight: Tensor | Callable[[], Tensor]) -> None:
    """Refuse inputs of a wrong type or shape and masks that do not fit them; warn of a mask that looks turned round.

    The ``weight`` of a linear layer that PyTorch has quantised is a function; such layers are on the CPU.

    Raises:
        ValueError: saying what does not fit, and what would.
    """
    if checks.tensor_of("x", x, "b t width", no_batch=True).shape[2] != layer.width:
        raise ValueError(f"x must have width {layer.width} in its last dimension, not {x.shape[2]}: {tuple(x.shape)}")
    if mask is not None and (mask.dtype != torch.bool or mask.shape != x.shape[:2]):
        wanted = f"bool of shape {tuple(x.shape[:2])}, True for real tokens"
        raise ValueError(f"mask must be {wanted}, not {mask.dtype} of {tuple(mask.shape)}")
    checks.one_device(x=x, mask=mask, parameters=weight if isinstance(weight, Tensor) else None)
    notice_turned_mask(layer, x, mask)


def check_memory(memory: Tensor, x: Tensor, mask: Tensor | None) -> None:
    """Refuse a memory that does not fit the tokens, or one beside padding.

    Raises:
        ValueError: saying what does not fit, and what would.
    """
    if mask is not None:
        raise ValueError("memory and a mask of padding cannot be given together: where would the memory end?")
    if memory.ndim != 3 or memory.shape[::2] != x.shape[::2]:
        raise ValueError(f"memory must be [{x.shape[0]}, m, {x.shape[2]}], not {tuple(memory.shape)}")
    checks.one_device(x=x, memory=memory)


def gate_logits(heads: int, gate: str, start: float | None) -> nn.Parameter:
    """μ of a gate: one for the ``layer`` or one for each ``head``, at ``start`` or, as in the paper, from (−3, 3).

    Raises:
        ValueError: for an unknown ``gate``, or a ``start`` that is not finite.
    """
    size = 1 if checks.choice("gate", gate, ("layer", "head")) == "layer" else heads
    if start is not None and not math.isfinite(start):
        raise ValueError(f"gate_logit must be finite or None, not {start}")
    mu = nn.Parameter(torch.empty(size).uniform_(-3, 3))
    if start is not None:
        nn.init.constant_(mu, start)
    return mu


def mixed_heads(heads: int, plain: int) -> int:
    """How many of the heads have more than softmax attention, if the last ``plain`` have not.

    Raises:
        ValueError: if ``plain`` leaves none.
    """
    checks.whole("plain", plain, least=0)
    if plain >= heads:
        raise ValueError(f"plain must leave one of heads={heads} to the matrices, not {plain}")
    return heads - plain


def and_plain(mixed: Float[Tensor, "b m t d"], attended: Float[Tensor, "b h t d"]) -> Float[Tensor, "b h t d"]:
    """Mixed values of the first m heads, attended values of the other heads."""
    if mixed.shape[1] == attended.shape[1]:
        return mixed
    return torch.cat((mixed, attended[:, mixed.shape[1] :]), 1)


def real_values(v: Float[Tensor, "b h t d"], mask: Bool[Tensor, "b t"] | None) -> Float[Tensor, "b h t d"]:
    """Zeros for values of padding."""
    return v if mask is None else v.masked_fill(~mask[:, None, :, None], 0)


def refuse_bidirectional(causal: bool) -> None:
    """Refuse to decode with a layer that is not causal.

    Raises:
        ValueError: if ``causal`` is False.
    """
    if not causal:
        raise ValueError("causal must be True to decode token by token, not False: the future is not known yet")
