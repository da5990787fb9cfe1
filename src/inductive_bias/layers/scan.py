"""The states of a linear recurrence before every chunk, from what each chunk writes, and the adjoint of that."""

import torch
from jaxtyping import Float
from torch import Tensor


def scan(written: Float[Tensor, "h r n m"], far: Float[Tensor, "h s g s g"]) -> Float[Tensor, "h r n m"]:
    """``S_i = Σ_{j<i} ρ^{C(i−j−1)} u_j`` for every chunk i, a group of chunks at a time.

    Args:
        written: u, with r = s states a head (real and imaginary part), or 2 s: the second half runs backwards in time.
        far: ρ^{C(i−j)} for j ≤ i, else 0, one row and column more than there are chunks in a group: of the state
            carried into a group and its u it makes the group's states and the next carry.
    """
    ordered = _one_direction(written, far)
    count, group = ordered.shape[2], far.shape[2] - 1
    if count <= group:  # nothing is carried into the only group: a chunk's column is its u, its row the state before it
        return _two_directions(_product(far[:, :, :count, :, 1 : count + 1], ordered), written)
    states, carry = [], torch.zeros_like(ordered[:, :, :1])
    for part in ordered.split(group, 2):
        size = part.shape[2] + 1
        sums = _product(far[:, :, :size, :, :size], torch.cat((carry, part), 2))
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
    ordered, d_far = [_one_direction(x, far) for x in (d_states, states, written)], torch.zeros_like(far)
    count, group = ordered[0].shape[2], far.shape[2] - 1
    if count <= group:
        rows, columns = slice(count), slice(1, count + 1)
        d_far[:, :, rows, :, columns] = _outer(ordered[0], ordered[2])
        d_written = _product(far[:, :, rows, :, columns].permute(0, 3, 4, 1, 2), ordered[0])
        return _two_directions(d_written, written), d_far
    d_written, d_carry = [], torch.zeros_like(ordered[0][:, :, :1])
    for d_out, state, part in reversed(list(zip(*(x.split(group, 2) for x in ordered), strict=True))):
        # the carry into a group is the state before its first chunk
        inputs, d_sums = torch.cat((state[:, :, :1], part), 2), torch.cat((d_out, d_carry), 2)
        size = inputs.shape[2]
        d_inputs = _product(far[:, :, :size, :, :size].permute(0, 3, 4, 1, 2), d_sums)
        d_far[:, :, :size, :, :size] += _outer(d_sums, inputs)
        d_carry = d_inputs[:, :, :1]
        d_written.insert(0, d_inputs[:, :, 1:])
    return _two_directions(torch.cat(d_written, 2), written), d_far


def _product(far: Float[Tensor, "h s k s k"], x: Float[Tensor, "h s k m"]) -> Float[Tensor, "h s k m"]:
    return (far.flatten(3).flatten(1, 2) @ x.flatten(1, 2)).view(x.shape)


def _outer(x: Float[Tensor, "h s k m"], y: Float[Tensor, "h s k m"]) -> Float[Tensor, "h s k s k"]:
    h, s, k, _ = x.shape
    return (x.flatten(1, 2) @ y.flatten(1, 2).mT).view(h, s, k, s, k)


def _one_direction(x: Float[Tensor, "h r n m"], far: Float[Tensor, "h s g s g"]) -> Float[Tensor, "h s n columns"]:
    """States carried backwards in time become more columns of reversed order."""
    s = far.shape[1]
    return x if x.shape[1] == s else torch.cat((x[:, :s], x[:, s:].flip(2)), 3)


def _two_directions(x: Float[Tensor, "h s n columns"], like: Float[Tensor, "h r n m"]) -> Float[Tensor, "h r n m"]:
    if x.shape == like.shape:
        return x
    forwards, backwards = x.chunk(2, 3)
    return torch.cat((forwards, backwards.flip(2)), 1)
