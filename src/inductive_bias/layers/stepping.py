"""A recurrence encoding matrix one token at a time, with a state of at most as many slots as the largest dilation.

What token p hands on is for token p + d, d the dilation of a head: ``S_{p+d} = ρ (S_p + v_p)``, with real and imaginary
part of ρ = decay · e^{iθ} apart. The last slot is what the last token hands on, the one before it what the token before
hands on, and so on. A head of dilation d reads the d-th slot from the end; older ones are 0. All slots are there from
the start; where a dilation is above :data:`SLOTS`, there are none at first, and one more with every token.
"""

import torch
import torch.nn.functional as F
from jaxtyping import Float, Int64
from torch import Tensor

from inductive_bias.layers.lags import flags, powers, turning, within

#: Up to so many slots a state has the same size at every token, which is what compilers and buffers like best.
SLOTS = 64


def empty_state(
    value: Float[Tensor, "b h d"], kinds: tuple[str, ...], dilations: tuple[int, ...]
) -> Float[Tensor, "b h s slots d"]:
    """The state before any token, at least in float32."""
    b, h, d = value.shape
    parts = 1 if set(kinds) == {"real"} else 2
    wide = torch.promote_types(value.dtype, torch.float32)
    return torch.zeros(b, h, parts, slots_after(0, dilations), d, dtype=wide, device=value.device)


def slots_after(length: int, dilations: tuple[int, ...]) -> int:
    """How many slots a state has after so many tokens."""
    most = max(dilations)
    return most if most <= SLOTS else min(length, most)


def carried(
    state: Float[Tensor, "b h s slots d"],
    places: Int64[Tensor, "b n"],
    kinds: tuple[str, ...],
    decay: Float[Tensor, " h"],
    angle: Float[Tensor, " h"] | None,
    dilations: tuple[int, ...],
    *,
    turns: int,
) -> Float[Tensor, "b h s n d"]:
    """What a state is for tokens at ``places`` after it (0 is the next one) if nothing else is written.

    Token i of a head with dilation d reads the slot of its residue, ``ρ^⌊i/d⌋`` times. With ``turns`` 1 it is what the
    token hands on, ``ρ^(⌊i/d⌋ + 1)`` times that, and ``i`` may be down to −d: the state itself.
    """
    dilation = torch.tensor(dilations, device=state.device)[:, None, None]
    rounds = places.div(dilation, rounding_mode="floor")
    # a slot of zeros in front: what is read where a dilation is longer than the past
    slots = F.pad(state, (0, 0, 1, 0))
    place = (slots.shape[3] - dilation + places - rounds * dilation).clamp(min=0).transpose(0, 1)
    held = slots.take_along_dim(place[:, :, None, :, None], 3)
    rounds = rounds + turns
    weights = powers(decay, turning(kinds, angle), rounds.clamp(min=0).flatten(1))
    x, y = (
        None if part is None else (part.unflatten(1, places.shape) * (rounds >= 0)).to(state.dtype).transpose(0, 1)
        for part in weights
    )
    x, real = x[..., None], held[:, :, 0]
    if y is None:
        return (x * real)[:, :, None]
    y, imaginary = y[..., None], held[:, :, 1]
    return torch.stack((x * real - y * imaginary, y * real + x * imaginary), 2)


def read(state: Float[Tensor, "b h s n d"], kinds: tuple[str, ...]) -> Float[Tensor, "b h n d"]:
    """Real parts of real and cos heads, imaginary parts of sin heads."""
    if state.shape[2] == 1:
        return state[:, :, 0]
    return torch.where(flags(kinds, "sin", state.device)[:, None, None], state[:, :, 1], state[:, :, 0])


def state_on(
    state: Float[Tensor, "b h s slots d"],
    values: Float[Tensor, "b h t d"],
    lengths: Int64[Tensor, " b"] | None,
    kinds: tuple[str, ...],
    decay: Float[Tensor, " h"],
    angle: Float[Tensor, " h"] | None,
    dilations: tuple[int, ...],
) -> Float[Tensor, "b h s next d"]:
    """The state after ``values`` that follow ``state``; of a row with ``lengths`` only so many of them are there."""
    t, most = values.shape[2], max(dilations)
    lengths = torch.full((len(values),), t, device=values.device) if lengths is None else lengths
    order = (torch.arange(t, device=values.device) + lengths[:, None]) % t  # what is not there comes first
    values = values.take_along_dim(order[:, None, :, None], 2)
    own = state_after(values, kinds, decay, angle, dilations)
    slots = most if most <= SLOTS else min(state.shape[3] + t, most)
    with torch.autocast(values.device.type, enabled=False):
        places = lengths[:, None] - torch.arange(slots, 0, -1, device=values.device)
        before = carried(state, places, kinds, decay, angle, dilations, turns=1)
        return before + F.pad(own, (0, 0, slots - own.shape[3], 0))


def state_after(
    values: Float[Tensor, "b h t d"],
    kinds: tuple[str, ...],
    decay: Float[Tensor, " h"],
    angle: Float[Tensor, " h"] | None,
    dilations: tuple[int, ...],
) -> Float[Tensor, "b h s slots d"]:
    """The state after all of ``values``, in time and memory linear in their number."""
    state, length = empty_state(values[:, :, 0], kinds, dilations), values.shape[2]
    slots = slots_after(length, dilations)
    turned = turning(kinds, angle)
    with torch.autocast(values.device.type, enabled=False):
        parts = []
        for dilation, heads in (groups := by_dilation(within(dilations, length))):
            rows = -(-length // dilation)
            # zeros before the first token: every row is then of as many tokens
            padded = F.pad(values[:, heads].to(state.dtype), (0, 0, rows * dilation - length, 0))
            ages = torch.arange(rows, 0, -1, device=values.device)
            weights = powers(decay[heads], None if turned is None else turned[heads], ages)
            weights = torch.stack([part for part in weights if part is not None], 1).to(state.dtype)
            handed_on = torch.einsum("hsm,bhmwd->bhswd", weights, padded.unflatten(2, (rows, dilation)))
            parts.append(F.pad(handed_on, (0, 0, slots - dilation, 0)))
        order = torch.tensor([head for _, heads in groups for head in heads], device=values.device)
        return torch.cat(parts, 1)[:, order.argsort()]


def by_dilation(dilations: tuple[int, ...]) -> list[tuple[int, list[int]]]:
    """The heads of every dilation."""
    return [(one, [head for head, each in enumerate(dilations) if each == one]) for one in sorted(set(dilations))]


def advance(
    state: Float[Tensor, "b h s slots d"],
    value: Float[Tensor, "b h d"],
    kinds: tuple[str, ...],
    decay: Float[Tensor, " h"],
    angle: Float[Tensor, " h"] | None,
    dilations: tuple[int, ...],
    diagonal: str,
) -> tuple[Float[Tensor, "b h d"], Float[Tensor, "b h s next d"]]:
    """One token: its row of the matrix times all values so far, and the next state with ``ρ (S + v)`` in the end."""
    device, new = value.device, value.to(state.dtype)
    # a slot of zeros in front: what a head reads whose dilation is longer than the past
    state = F.pad(state, (0, 0, 1, 0))
    place = torch.tensor([max(state.shape[3] - each, 0) for each in dilations], device=device)
    held = state.take_along_dim(place[None, :, None, None, None], 3).squeeze(3)
    x, y = powers(decay, turning(kinds, angle), torch.ones(1, dtype=torch.int64, device=device))
    x = x.to(state.dtype)
    real = held[:, :, 0] + new
    if y is None:
        out, following = held[:, :, 0], (x * real)[:, :, None]
    else:
        y, imaginary = y.to(state.dtype), held[:, :, 1]
        out = torch.where(flags(kinds, "sin", device)[:, None], imaginary, held[:, :, 0])
        following = torch.stack((x * real - y * imaginary, y * real + x * imaginary), 2)
    if diagonal == "printed":
        out = out + flags(kinds, "cos", device)[:, None] * new
    first = max(state.shape[3] + 1 - max(dilations), 1)
    state = torch.cat((state[:, :, :, first:], following[:, :, :, None]), 3)
    if len(set(dilations)) > 1:
        ages = torch.arange(state.shape[3], 0, -1, device=device)
        read = torch.tensor([min(each, state.shape[3]) for each in dilations], device=device)
        state = state.masked_fill((ages > read[:, None])[:, None, :, None], 0)
    return out.to(value.dtype), state
