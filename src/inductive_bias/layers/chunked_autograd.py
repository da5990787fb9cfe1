"""The core of linear-time REMs as one differentiable operation: chunks of values times two small matrices."""

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import NamedTuple

import torch
import torch.nn.functional as F
from jaxtyping import Float
from torch import Tensor

from inductive_bias.layers.chunk_matrices import Plan, tables
from inductive_bias.layers.chunked_reference import composed_gradients
from inductive_bias.layers.scan import scan, scan_adjoint

#: Numbers a tile on a CPU: what is worked on at a time shall stay in the cache.
TILE = 2**19
#: But about so many tiles at most: a compiler writes each of them out.
TILES = 32


class ChunkedREM(torch.autograd.Function):
    """``out = inner · x + read · scan(write · x)`` for every chunk x, where ``near = [[inner, read], [write, 0]]``.

    ``scan`` carries the states: each chunk gets what the chunks before it (and, for the second half of the states if
    there are twice as many as ``far`` combines, after it) have written. The adjoint has the same shape with ``near``
    transposed, and one product of what both directions filled their buffers with is the gradient of all of ``near``.
    Written by hand: a chunk and its carried states lie in one buffer, where autograd would copy both; of what is made
    on the way, these buffers alone are kept for the backward pass; and the matrices' slopes have a closed form. Where
    the gradient's own gradient is asked for, both are made by :func:`~.layers.chunked_reference.composed`.

    Values and result are ``[b, h, t, d]``; ``scale [h]`` multiplies the matrices, and ``share [h] · other`` is added;
    ``keep`` says whether there will be a backward pass.
    """

    @staticmethod
    def forward(ctx, values, decay, angle, scale, other, share, plan, keep):
        """Outputs of all chunks; what the gradient needs is kept in ``ctx``."""
        near, far = tables(plan, decay, angle, torch.promote_types(values.dtype, torch.float32))
        saved, kept = (near, far), []
        near, far, space, out = _scaled(near[0], scale, plan), far[0], _Space(near), empty_like(values)
        for rows, heads, dilation in _tiles(values, plan):
            new = near.new_empty if keep else partial(space, "theirs")
            buffer, written = _filled(_cut(values[rows, heads], plan, dilation), near[heads], far[heads], new)
            kept += (buffer, written) if keep else ()
            plus = () if other is None else (other[rows, heads], share[heads, None, None])
            _multiply(near[heads, : plan.chunk], buffer, out[rows, heads], dilation, space, *plus)
        ctx.save_for_backward(values, decay, angle, scale, other, share, *saved, *kept)
        ctx.plan = plan
        return out

    @staticmethod
    def backward(ctx, upstream):
        """Gradients of the operands from the gradient of the outputs."""
        if torch.is_grad_enabled():  # the gradient of this gradient will be asked for
            plan = ctx.plan
            options = {
                "kinds": plan.kinds,
                "dilations": plan.dilations,
                "causal": plan.causal,
                "diagonal": plan.diagonal,
            }
            found = composed_gradients(ctx.saved_tensors[:6], ctx.needs_input_grad[:6], upstream, **options)
            return *found, None, None
        _, decay, angle, scale, other, share, near, far, *kept = ctx.saved_tensors
        c = ctx.plan.chunk
        # whoever calls backward within autocast must not have these products rounded either
        with torch.autocast(upstream.device.type, enabled=False):
            d_values, d_near, d_far, d_other, d_share = _adjoint(
                upstream, _scaled(near[0], scale, ctx.plan), far[0], kept, ctx.plan, other, share
            )
            d_scale = None
            if scale is not None:
                upper = d_near[:, :c]
                d_scale = (upper * near[0, :, :c]).sum((1, 2)).to(scale.dtype)
                upper *= scale.to(near.dtype)[:, None, None]
            slopes = (near[1:] * d_near).sum((2, 3)) + (far[1:] * d_far).sum((2, 3, 4, 5))
            d_angle = slopes[1].to(angle.dtype) if len(slopes) > 1 else None
            return d_values, slopes[0].to(decay.dtype), d_angle, d_scale, d_other, d_share, None, None


class _Gradients(NamedTuple):
    values: Float[Tensor, "b h t d"]
    near: Float[Tensor, "h rows rows"]
    far: Float[Tensor, "h s g s g"]
    other: Float[Tensor, "b h t d"] | None
    share: Float[Tensor, " h"] | None


def _adjoint(
    upstream: Float[Tensor, "b h t d"],
    near: Tensor,
    far: Tensor,
    kept: Sequence[Tensor],
    plan: Plan,
    other: Tensor | None,
    share: Tensor | None,
) -> _Gradients:
    """From the buffers and states that the forward pass has ``kept``, and from ``other`` and its share."""
    found = _Gradients(
        empty_like(upstream),
        torch.zeros_like(near),
        torch.zeros_like(far),
        *((None, None) if other is None else (empty_like(upstream), torch.zeros_like(near[:, 0, 0]))),
    )
    c, space = plan.chunk, _Space(near)
    tiles = zip(_tiles(upstream, plan), kept[::2], kept[1::2], strict=True)
    for (rows, heads, dilation), theirs, written in tiles:
        adjoint = near[heads].mT
        ours = _gathered(_cut(upstream[rows, heads], plan, dilation), near, partial(space, "ours"))
        d_states = (adjoint[:, c:, :c] @ ours.flatten(2)[:, :c]).unflatten(2, ours.shape[2:])
        ours[:, c:], d_far = scan_adjoint(d_states, theirs[:, c:], written, far[heads])
        found.far[heads] += d_far
        found.near[heads].baddbmm_(ours.flatten(2), theirs.flatten(2).mT)
        _multiply(adjoint[:, :c], ours, found.values[rows, heads], dilation, space)
        if other is not None:
            d_out, d_other = upstream[rows, heads], found.other[rows, heads]
            _into(d_other, torch.mul, d_out, share[heads, None, None].to(d_out.dtype))
            product = space("mixed", d_out.transpose(1, 2).shape).transpose(1, 2)
            found.share[heads] += _into(product, torch.mul, d_out, other[rows, heads]).sum((0, 2, 3))
    return found


class _Space:
    """Memory of the last tile again: that of a new one would have to be fetched first."""

    def __init__(self, like: Tensor):
        self.like, self.kept = like, {}

    def __call__(self, name: str, shape: tuple[int, ...]) -> Tensor:
        if name not in self.kept or self.kept[name].shape != shape:
            self.kept[name] = self.like.new_empty(shape)
        return self.kept[name]


def _scaled(near: Float[Tensor, "h rows rows"], scale: Float[Tensor, " h"] | None, plan: Plan) -> Tensor:
    if scale is None:
        return near
    near = near.clone()
    near[:, : plan.chunk] *= scale.to(near.dtype)[:, None, None]
    return near


def empty_like(values: Float[Tensor, "b h t d"]) -> Float[Tensor, "b h t d"]:
    """Memory for a result, laid out as ``[b, t, h, d]``, like that of ``scaled_dot_product_attention``."""
    b, h, t, d = values.shape
    return torch.empty(b, t, h, d, dtype=values.dtype, device=values.device).transpose(1, 2)


def _tiles(values: Float[Tensor, "b h t d"], plan: Plan) -> Iterator[tuple[slice, slice, int]]:
    """Rows and heads of one dilation to be worked on together: on a CPU no more than its cache holds."""
    b, h, t, d = values.shape
    size = values.numel() if values.device.type != "cpu" else max(TILE, values.numel() // TILES)
    start = 0
    while start < h:
        dilation, stop = plan.dilations[start], start + 1
        while stop < h and plan.dilations[stop] == dilation and (stop + 1 - start) * t * d <= size:
            stop += 1
        rows = max(1, size // ((stop - start) * t * d))
        for row in range(0, b, rows):
            yield slice(row, row + rows), slice(start, stop), dilation
        start = stop


def _cut(values: Float[Tensor, "b h t d"], plan: Plan, dilation: int) -> Float[Tensor, "b h n c w d"]:
    """Chunks (n) of steps (c) of tokens (w), the last chunk filled up with zeros."""
    chunks = -(-values.shape[2] // (plan.chunk * dilation))
    if missing := chunks * plan.chunk * dilation - values.shape[2]:
        values = F.pad(values, (0, 0, 0, missing))
    return values.unflatten(2, (chunks, plan.chunk, dilation))


def _filled(
    values: Float[Tensor, "b h n c w d"], near: Float[Tensor, "h rows rows"], far: Tensor, new: Callable[..., Tensor]
) -> tuple[Float[Tensor, "h rows n m"], Float[Tensor, "h r n m"]]:
    """Chunks with the states before them, and what each chunk has written."""
    c = values.shape[3]
    buffer = _gathered(values, near, new)
    written = (near[:, c:, :c] @ buffer.flatten(2)[:, :c]).unflatten(2, buffer.shape[2:])
    buffer[:, c:] = scan(written, far)
    return buffer, written


def _gathered(
    values: Float[Tensor, "b h n c w d"], near: Tensor, new: Callable[..., Tensor]
) -> Float[Tensor, "h rows n m"]:
    """Steps of a chunk as rows, all else side by side; the rows below, for the states, are unset."""
    b, h, n, c, w, d = values.shape
    buffer = new((h, near.shape[1], n, b, w, d))
    buffer[:, :c] = values.permute(1, 3, 2, 0, 4, 5)
    return buffer.flatten(3)


def _into(out: Tensor, operation: Callable[..., Tensor], *operands: Tensor) -> Tensor:
    """``out`` becomes the result."""
    return operation(*operands, out=out)


def _multiply(
    matrix: Float[Tensor, "h c rows"],
    buffer: Float[Tensor, "h rows n m"],
    out: Float[Tensor, "b h t d"],
    dilation: int,
    space: _Space,
    other: Float[Tensor, "b h t d"] | None = None,
    share: Float[Tensor, "h 1 1"] | None = None,
) -> None:
    """``out`` becomes the matrix times the buffer, in the order of the tokens, plus ``share · other``."""
    (b, _, t, d), (h, c, _), n = out.shape, matrix.shape, buffer.shape[2]
    product = space("product", (h, c, buffer[0, 0].numel()))
    torch.bmm(matrix, buffer.flatten(2), out=product)
    tokens = product.view(h, c, n, b, dilation, d).permute(3, 0, 2, 1, 4, 5)
    if n * c * dilation == t:
        cut = (n, c, dilation)
        out = out.unflatten(2, cut)
        if other is not None:
            other, share = other.unflatten(2, cut), share[..., None, None]
    else:
        tokens = tokens.flatten(2, 4)[:, :, :t]
    if other is None:
        out.copy_(tokens)
    else:
        _into(out, torch.addcmul, tokens, other, share)
