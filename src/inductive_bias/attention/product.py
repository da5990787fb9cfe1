"""The core of linear-time REMs as one differentiable operation: chunks of values times two small matrices."""

import torch
from jaxtyping import Float
from torch import Tensor


class ChunkedProduct(torch.autograd.Function):
    """``out = inner · x + read · scan(write · x)`` for every chunk x, where ``near = [[inner, read], [write, 0]]``.

    ``scan`` carries the states: each chunk gets what the chunks before it (and, for the second half of the states if
    there are twice as many as ``far`` combines, after it) have written. The adjoint has the same shape with ``near``
    transposed, and one product of what both directions filled their buffers with is the gradient of all of ``near``.
    Written by hand since a chunk and its carried states must lie in one buffer, and autograd would copy both there.

    Shapes: values ``[b, h, n, c, w, d]`` (w sequences of n chunks of c steps); the result joins n, c and w; near
    ``[h, c + r, c + r]``; far ``[h, s, g + 1, s, g + 1]``, with s states a head and up to g chunks a group.
    """

    @staticmethod
    def forward(ctx, values, near, far):
        """See the class."""
        c = values.shape[3]
        buffer = _gather(values, near)
        written = (near[:, c:, :c] @ buffer.flatten(2)[:, :c]).unflatten(2, buffer.shape[2:])
        buffer[:, c:] = scan(written, far)
        ctx.save_for_backward(buffer, written, near, far)
        ctx.steps = values.shape[2:5]
        return _scatter(near[:, :c] @ buffer.flatten(2), values)

    @staticmethod
    def backward(ctx, upstream):
        """See the class."""
        # whoever calls backward within autocast must not have these products rounded either
        with torch.autocast(upstream.device.type, enabled=False):
            return ChunkedProduct._backward(ctx, upstream)

    @staticmethod
    def _backward(ctx, upstream):
        buffer, written, near, far = ctx.saved_tensors
        n, c, w = ctx.steps
        upstream = upstream.unflatten(2, (n, c, w))
        ours, adjoint = _gather(upstream, near), near.mT
        d_states = (adjoint[:, c:, :c] @ ours.flatten(2)[:, :c]).unflatten(2, ours.shape[2:])
        ours[:, c:], d_far = scan_adjoint(d_states, buffer[:, c:], written, far)
        d_near = ours.flatten(2) @ buffer.flatten(2).mT
        d_values = _scatter(adjoint[:, :c] @ ours.flatten(2), upstream)
        return d_values.unflatten(2, (n, c, w)), d_near, d_far


def _gather(values: Float[Tensor, "b h n c w d"], near: Float[Tensor, "h rows rows"]) -> Float[Tensor, "h rows n m"]:
    """Steps of a chunk as rows, all else side by side; the rows below, for the states, are unset."""
    b, h, n, c, w, d = values.shape
    buffer = near.new_empty(h, near.shape[1], n, b, w, d)
    buffer[:, :c] = values.permute(1, 3, 2, 0, 4, 5)
    return buffer.flatten(3)


def _scatter(product: Float[Tensor, "h c columns"], like: Float[Tensor, "b h n c w d"]) -> Float[Tensor, "b h t d"]:
    """The way back, in the type of ``like``."""
    b, h, n, c, w, d = like.shape
    out = torch.empty(b, n, c, w, h, d, dtype=like.dtype, device=like.device)
    out.copy_(product.view(h, c, n, b, w, d).permute(3, 2, 1, 4, 0, 5))
    return out.flatten(1, 3).transpose(1, 2)


def scan(written: Float[Tensor, "h r n m"], far: Float[Tensor, "h s g s g"]) -> Float[Tensor, "h r n m"]:
    """States before every chunk: ``S_i = Σ_{j<i} ρ^{C(i−j−1)} u_j``, a group of chunks at a time.

    ``far`` holds ρ^{C(i−j)}, j ≤ i: of a group's carried state and its u it makes the group's states and next carry.
    """
    ordered = _one_direction(written, far)
    states, carry = [], torch.zeros_like(ordered[:, :, :1])
    for part in ordered.split(far.shape[2] - 1, 2):
        sums = _combine(far, torch.cat((carry, part), 2))
        states.append(sums[:, :, :-1])
        carry = sums[:, :, -1:]
    return _two_directions(torch.cat(states, 2), written)


def scan_adjoint(
    d_states: Float[Tensor, "h r n m"],
    states: Float[Tensor, "h r n m"],
    written: Float[Tensor, "h r n m"],
    far: Float[Tensor, "h s g s g"],
) -> tuple[Float[Tensor, "h r n m"], Float[Tensor, "h s g s g"]]:
    """Gradients of :func:`scan` with respect to ``written`` and ``far``: the groups from the last to the first."""
    ordered = torch.stack([_one_direction(x, far) for x in (d_states, states, written)])
    d_written, d_far = [], torch.zeros_like(far)
    d_carry = torch.zeros_like(ordered[0, :, :, :1])
    for d_out, state, part in reversed(ordered.split(far.shape[2] - 1, 3)):
        # the carry into a group is the state before its first chunk
        inputs, d_sums = torch.cat((state[:, :, :1], part), 2), torch.cat((d_out, d_carry), 2)
        d_inputs = _combine(far.permute(0, 3, 4, 1, 2), d_sums)
        size = inputs.shape[2]
        d_far[:, :, :size, :, :size] += (d_sums.flatten(1, 2) @ inputs.flatten(1, 2).mT).view(
            -1, *d_sums.shape[1:3], *d_sums.shape[1:3]
        )
        d_carry = d_inputs[:, :, :1]
        d_written.insert(0, d_inputs[:, :, 1:])
    return _two_directions(torch.cat(d_written, 2), written), d_far


def _combine(far: Float[Tensor, "h s g s g"], x: Float[Tensor, "h s k m"]) -> Float[Tensor, "h s k m"]:
    h, s, k, _ = x.shape
    return (far[:, :, :k, :, :k].reshape(h, s * k, s * k) @ x.flatten(1, 2)).view(x.shape)


def _one_direction(x: Float[Tensor, "h r n m"], far: Float[Tensor, "h s g s g"]) -> Float[Tensor, "h s n columns"]:
    """States carried backwards in time become more columns of reversed order."""
    s = far.shape[1]
    return x if x.shape[1] == s else torch.cat((x[:, :s], x[:, s:].flip(2)), 3)


def _two_directions(x: Float[Tensor, "h s n columns"], like: Float[Tensor, "h r n m"]) -> Float[Tensor, "h r n m"]:
    if x.shape == like.shape:
        return x
    forwards, backwards = x.chunk(2, 3)
    return torch.cat((forwards, backwards.flip(2)), 1)
