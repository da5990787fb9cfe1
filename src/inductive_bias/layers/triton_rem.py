"""A REM times values on a GPU, in Triton: chunk after chunk within one kernel, the states in registers.

**Not measured on a GPU.** Its numbers are checked in Triton's interpreter (``TRITON_INTERPRET=1``); whether it is
faster than the chunks, and how many steps a chunk should have, has to be seen on one. So it is used only where it is
asked for (:mod:`~inductive_bias.layers.kernels`).

A program walks through one dilated sequence of one head: step a of a chunk is ``near @ v + ρᵃ · state``, and the next
state ``ρ^C · state + Σ ρ^{C−c} v_c``. Powers are made in float64 outside; all else is float32.
"""

import torch
import triton
import triton.language as tl
from jaxtyping import Float
from torch import Tensor

from inductive_bias.layers.lags import powers

#: Steps a chunk.
CHUNK = 32


@triton.jit
def _multiply(
    x,
    other,
    out,
    lag,
    power,
    sines,
    scale,
    share,
    dilations,
    tokens,
    heads,
    width,
    x_b,
    x_h,
    x_t,
    x_d,
    other_b,
    other_h,
    other_t,
    other_d,
    out_b,
    out_h,
    out_t,
    out_d,
    MIXED: tl.constexpr,
    BACKWARDS: tl.constexpr,
    C: tl.constexpr,
    D: tl.constexpr,
):
    """``out = scale · matrix @ x [+ share · other]``, in one direction in time."""
    row = tl.program_id(0).to(tl.int64)
    b, h = row // heads, row % heads
    residue, lane = tl.program_id(1), tl.program_id(2) * D + tl.arange(0, D)
    step, dilation = tl.arange(0, C), tl.load(dilations + h)
    back = step[:, None] - step[None, :]
    near = tl.load(lag + h * C + back, mask=back >= 0, other=0.0)
    table = power + h * 4 * (C + 1)
    re, im = tl.load(table + step), tl.load(table + C + 1 + step)
    sine = tl.load(sines + h) != 0
    read_re, read_im = tl.where(sine, im, re), tl.where(sine, re, -im)
    write_re, write_im = tl.load(table + C - step), tl.load(table + 2 * C + 1 - step)
    carry_re, carry_im = tl.load(table + C), tl.load(table + 2 * C + 1)
    gate = tl.load(scale + h)
    state_re, state_im = tl.zeros([D], tl.float32), tl.zeros([D], tl.float32)
    # a head of a smaller dilation has fewer sequences than there are programs
    steps = tl.where(residue < dilation, (tokens - residue + dilation - 1) // dilation, 0)
    for chunk in range(0, (steps + C - 1) // C):
        token = (chunk * C + step) * dilation + residue
        inside = (token < tokens)[:, None] & (lane < width)[None, :]
        place = tokens - 1 - token if BACKWARDS else token
        rows = x + b * x_b + h * x_h + place[:, None] * x_t
        v = tl.load(rows + lane[None, :] * x_d, mask=inside, other=0.0).to(tl.float32)
        y = tl.dot(near, v, input_precision="ieee")
        y = gate * (y + read_re[:, None] * state_re[None, :] + read_im[:, None] * state_im[None, :])
        if MIXED:
            rows = other + b * other_b + h * other_h + place[:, None] * other_t
            y += tl.load(share + h) * tl.load(rows + lane[None, :] * other_d, mask=inside, other=0.0).to(tl.float32)
        rows = out + b * out_b + h * out_h + place[:, None] * out_t
        tl.store(rows + lane[None, :] * out_d, y.to(out.dtype.element_ty), mask=inside)
        new_re = carry_re * state_re - carry_im * state_im + tl.sum(write_re[:, None] * v, 0)
        state_im = carry_im * state_re + carry_re * state_im + tl.sum(write_im[:, None] * v, 0)
        state_re = new_re


@triton.jit
def _slopes(
    x,
    up,
    sums,
    lag,
    power,
    sines,
    dilations,
    tokens,
    heads,
    width,
    x_b,
    x_h,
    x_t,
    x_d,
    up_b,
    up_h,
    up_t,
    up_d,
    BACKWARDS: tl.constexpr,
    C: tl.constexpr,
    D: tl.constexpr,
):
    """A program's sums of ``up`` times the slope of the states in ρ (real, imaginary), and times ``matrix @ x``."""
    row = tl.program_id(0).to(tl.int64)
    b, h = row // heads, row % heads
    residue, lane = tl.program_id(1), tl.program_id(2) * D + tl.arange(0, D)
    step, dilation = tl.arange(0, C), tl.load(dilations + h)
    back = step[:, None] - step[None, :]
    table, n = power + h * 4 * (C + 1), C + 1
    near = tl.load(lag + h * C + back, mask=back >= 0, other=0.0)
    slope_near_re = tl.load(table + 2 * n + back, mask=back >= 0, other=0.0)
    slope_near_im = tl.load(table + 3 * n + back, mask=back >= 0, other=0.0)
    re, im = tl.load(table + step)[:, None], tl.load(table + n + step)[:, None]
    slope_re, slope_im = tl.load(table + 2 * n + step)[:, None], tl.load(table + 3 * n + step)[:, None]
    sine = tl.load(sines + h) != 0
    write_re, write_im = tl.load(table + C - step)[:, None], tl.load(table + n + C - step)[:, None]
    slope_write_re = tl.load(table + 2 * n + C - step)[:, None]
    slope_write_im = tl.load(table + 3 * n + C - step)[:, None]
    carry_re, carry_im = tl.load(table + C), tl.load(table + n + C)
    slope_carry_re, slope_carry_im = tl.load(table + 2 * n + C), tl.load(table + 3 * n + C)
    s_re, s_im = tl.zeros([1, D], tl.float32), tl.zeros([1, D], tl.float32)
    d_re, d_im = tl.zeros([1, D], tl.float32), tl.zeros([1, D], tl.float32)
    of_re, of_im, of_f = tl.zeros([D], tl.float32), tl.zeros([D], tl.float32), tl.zeros([D], tl.float32)
    steps = tl.where(residue < dilation, (tokens - residue + dilation - 1) // dilation, 0)
    for chunk in range(0, (steps + C - 1) // C):
        token = (chunk * C + step) * dilation + residue
        inside = (token < tokens)[:, None] & (lane < width)[None, :]
        place = tokens - 1 - token if BACKWARDS else token
        rows = x + b * x_b + h * x_h + place[:, None] * x_t
        v = tl.load(rows + lane[None, :] * x_d, mask=inside, other=0.0).to(tl.float32)
        rows = up + b * up_b + h * up_h + place[:, None] * up_t
        u = tl.load(rows + lane[None, :] * up_d, mask=inside, other=0.0).to(tl.float32)
        f = tl.dot(near, v, input_precision="ieee")
        f += tl.where(sine, im, re) * s_re + tl.where(sine, re, -im) * s_im
        along = tl.dot(slope_near_re, v, input_precision="ieee")
        along += re * d_re - im * d_im + slope_re * s_re - slope_im * s_im
        across = tl.dot(slope_near_im, v, input_precision="ieee")
        across += im * d_re + re * d_im + slope_im * s_re + slope_re * s_im
        of_re += tl.sum(u * along, 0)
        of_im += tl.sum(u * across, 0)
        of_f += tl.sum(u * f, 0)
        new_re = carry_re * d_re - carry_im * d_im + slope_carry_re * s_re - slope_carry_im * s_im
        new_im = carry_im * d_re + carry_re * d_im + slope_carry_im * s_re + slope_carry_re * s_im
        d_re = new_re + tl.sum(slope_write_re * v, 0)[None, :]
        d_im = new_im + tl.sum(slope_write_im * v, 0)[None, :]
        new_re = carry_re * s_re - carry_im * s_im + tl.sum(write_re * v, 0)[None, :]
        s_im = carry_im * s_re + carry_re * s_im + tl.sum(write_im * v, 0)[None, :]
        s_re = new_re
    at = (tl.program_id(0) * tl.num_programs(1) + residue) * tl.num_programs(2) + tl.program_id(2)
    tl.store(sums + at * 3, tl.sum(of_re, 0))
    tl.store(sums + at * 3 + 1, tl.sum(of_im, 0))
    tl.store(sums + at * 3 + 2, tl.sum(of_f, 0))


class _Heads:
    """What the kernels read of the heads, and how programs are laid out over them."""

    def __init__(self, values, decay, angle, kinds, dilations, printed):
        b, h, self.tokens, self.width = values.shape
        device = values.device
        self.kinds = torch.tensor(kinds, device=device)
        self.dilations = torch.tensor(dilations, dtype=torch.int32, device=device)
        self.sines = (self.kinds == 2).to(torch.int32)
        self.angle = torch.zeros_like(decay) if angle is None else torch.where(self.kinds == 0, 0, angle)
        n = torch.arange(CHUNK + 1, device=device)
        re, im = powers(decay, self.angle, n)
        before = (n - 1).clamp(min=0)
        x, y = powers(decay, self.angle, before)
        self.powers = torch.stack((re, im, n * x, n * y), 1).float().contiguous()
        self.lag = torch.where(self.sines[:, None] != 0, im, re)[:, :CHUNK].float().contiguous()
        self.lag[:, 0] = 0
        self.lag_with_diagonal = self.lag.clone()
        if printed:
            self.lag_with_diagonal[:, 0] = (self.kinds == 1).float()
        self.block = max(16, min(64, triton.next_power_of_2(self.width)))
        self.grid = (b * h, max(dilations), triton.cdiv(self.width, self.block))

    def multiply(self, x, scale, other, share, *, causal, backwards, dtype):
        """``scale · matrix @ x [+ share · other]``, the matrix upside down if ``backwards``."""
        if causal:
            return self._one_way(x, scale, other, share, self.lag_with_diagonal, backwards=backwards, dtype=dtype)
        later = self._one_way(x, scale, other, share, self.lag, backwards=True, dtype=torch.float32)
        ones = torch.ones_like(scale)
        return self._one_way(x, scale, later, ones, self.lag_with_diagonal, backwards=False, dtype=dtype)

    def _one_way(self, x, scale, other, share, lag, *, backwards, dtype):
        b, h, t, d = x.shape
        out = x.new_empty(b, t, h, d, dtype=dtype).transpose(1, 2)
        mixed = other is not None
        other, share = (other, share) if mixed else (x, scale)  # a place for them is needed, but is not read
        _multiply[self.grid](
            x,
            other,
            out,
            lag,
            self.powers,
            self.sines,
            scale,
            share,
            self.dilations,
            t,
            h,
            d,
            *x.stride(),
            *other.stride(),
            *out.stride(),
            MIXED=mixed,
            BACKWARDS=backwards,
            C=CHUNK,
            D=self.block,
        )
        return out

    def slopes(self, x, up, *, causal):
        """``[3, h]``, in float64: the sums of :func:`_slopes` over all programs of a head."""
        found = 0
        for backwards in (False,) if causal else (False, True):
            sums = x.new_empty(*self.grid, 3, dtype=torch.float32)
            _slopes[self.grid](
                x,
                up,
                sums,
                self.lag if backwards else self.lag_with_diagonal,
                self.powers,
                self.sines,
                self.dilations,
                self.tokens,
                x.shape[1],
                self.width,
                *x.stride(),
                *up.stride(),
                BACKWARDS=backwards,
                C=CHUNK,
                D=self.block,
            )
            found = found + sums.double().unflatten(0, x.shape[:2]).sum((0, 2, 3)).T
        return found


def rem(values, decay, angle, scale, other, share, kinds, dilations, causal, printed) -> Float[Tensor, "b h t d"]:
    """``inductive_bias::rem`` on a GPU."""
    heads = _Heads(values, decay, angle, kinds, dilations, printed)
    gate, rest = (_of_heads(x, decay) for x in (scale, share))
    return heads.multiply(values, gate, other, rest, causal=causal, backwards=False, dtype=values.dtype)


def rem_backward(
    upstream, values, decay, angle, scale, other, share, kinds, dilations, causal, printed
) -> tuple[Float[Tensor, "b h t d"], Float[Tensor, "..."], Float[Tensor, "four h"]]:
    """``inductive_bias::rem_backward`` on a GPU."""
    heads = _Heads(values, decay, angle, kinds, dilations, printed)
    gate, rest = (_of_heads(x, decay) for x in (scale, share))
    d_values = heads.multiply(upstream, gate, None, None, causal=causal, backwards=True, dtype=values.dtype)
    re, im, d_scale = heads.slopes(values, upstream, causal=causal)
    cos, sin, sine = heads.angle.double().cos(), heads.angle.double().sin(), heads.kinds == 2
    along, across = re * cos - im * sin, re * sin + im * cos
    d_decay = gate * torch.where(sine, across, along)
    d_angle = gate * decay.double() * torch.where(heads.kinds == 0, 0, torch.where(sine, along, -across))
    d_other, d_share = values.new_empty(0), torch.zeros_like(d_scale)
    if other is not None:
        d_other = (rest[:, None, None] * upstream).to(other.dtype)
        d_share = (upstream.double() * other).sum((0, 2, 3))
    return d_values, d_other, torch.stack((d_decay, d_angle, d_scale, d_share))


def _of_heads(x: Tensor | None, decay: Tensor) -> Tensor:
    """A factor a head, 1 where there is none."""
    return torch.ones_like(decay, dtype=torch.float32) if x is None else x.float().contiguous()


torch.library.impl("inductive_bias::rem", "CUDA", rem)
torch.library.impl("inductive_bias::rem_backward", "CUDA", rem_backward)
