"""Permutation symmetry: the hidden units of an MLP can be renumbered without changing its function.

Two solutions that lie in different basins may lie in the same one up to such a renumbering. It is found by weight
matching, the coordinate descent of Ainsworth et al. (2023, Git Re-Basin, algorithm 1).

A chain of layers is described by an explicit list, output layer last: the name of each linear layer, and the names of
the per-unit layers (BatchNorm) that follow it::

    [("hidden.0.linear", ["hidden.0.norm"]), ("hidden.1.linear", ["hidden.1.norm"]), ("head", [])]

Element-wise layers (activations, dropout) need no mention.
"""

from collections.abc import Mapping, Sequence

import numpy as np
import torch
from jaxtyping import Float, Int
from scipy.optimize import linear_sum_assignment
from torch import Tensor

from inductive_bias.analysis.barrier import refuse_different

State = Mapping[str, Tensor]
Layers = Sequence[tuple[str, Sequence[str]]]
Permutations = list[Int[np.ndarray, " _"]]


def match_hidden_units(state_a: State, state_b: State, layers: Layers) -> Permutations:
    """Order of b's hidden units, layer by layer, that matches a's best: ``b[order[i]]`` plays the part of ``a[i]``.

    Maximises the inner product of a's parameters with b's renumbered ones, one layer at a time given the others, each
    time exactly (a linear assignment), until no layer improves. Descends from two starts, the identity and a greedy
    match from the input upwards, and keeps the better end: never worse than leaving b as it is, though a local optimum
    (the whole problem is NP-hard). Deterministic.

    Raises:
        ValueError: if the states differ in keys or shapes, or do not hold the chain of layers described.
    """
    refuse_different(state_a, state_b)
    a, b = _chain(state_a, layers), _chain(state_b, layers)
    identity = [np.arange(len(weight)) for weight, _ in a[:-1]]
    greedy: Permutations = []
    for k in range(len(a) - 1):
        greedy.append(_assign(_gain(a, b, greedy, k, outgoing=False)))
    ends = [_descend(a, b, start) for start in (identity, greedy)]
    return max(ends, key=lambda orders: _objective(a, b, orders))


def permute_hidden_units(state: State, layers: Layers, orders: Permutations) -> dict[str, Tensor]:
    """An equal function with its hidden units renumbered: new unit i of layer k is old unit ``orders[k][i]``.

    Raises:
        ValueError: if an order is not a permutation of its layer's units, or the chain of layers is not in the state.
    """
    sizes = [len(weight) for weight, _ in _chain(state, layers)[:-1]]
    if [len(order) for order in orders] != sizes or any(set(o.tolist()) != set(range(len(o))) for o in orders):
        raise ValueError(f"orders must be permutations of {sizes} hidden units")
    permuted = {key: value.clone() for key, value in state.items()}
    for k, (linear, norms) in enumerate(layers):
        if k > 0:
            permuted[f"{linear}.weight"] = permuted[f"{linear}.weight"][:, torch.from_numpy(orders[k - 1])]
        if k < len(orders):
            for key in _entries(state, [linear, *norms]):
                permuted[key] = permuted[key][torch.from_numpy(orders[k])]
    return permuted


def align_hidden_units(state_a: State, state_b: State, layers: Layers) -> dict[str, Tensor]:
    """State b with its hidden units renumbered to match a's: the same function, as near to a as `match_hidden_units`.

    Raises:
        ValueError: as `match_hidden_units`.
    """
    return permute_hidden_units(state_b, layers, match_hidden_units(state_a, state_b, layers))


# one layer: its weight [units, inputs] and its other per-unit parameters side by side [units, p]
_Layer = tuple[Float[np.ndarray, "_ _"], Float[np.ndarray, "_ _"]]


def _entries(state: State, names: Sequence[str]) -> list[str]:
    """Keys of the per-unit entries of the named layers; BatchNorm's scalar count of batches is none."""
    return [key for key in state if key.rpartition(".")[0] in names and state[key].ndim > 0]


def _chain(state: State, layers: Layers) -> list[_Layer]:
    if len(layers) < 2:
        raise ValueError(f"a chain needs a hidden and an output layer, not {len(layers)} layers")
    chain, width = [], None
    for linear, norms in layers:
        missing = [f"{name}.weight" for name in (linear, *norms) if f"{name}.weight" not in state]
        if missing:
            raise ValueError(f"the state holds no {missing[0]!r}; it holds {', '.join(state)}")
        weight = state[f"{linear}.weight"]
        if weight.ndim != 2 or width not in (None, weight.shape[1]):
            raise ValueError(f"{linear!r} has weights of shape {tuple(weight.shape)} after a layer of {width} units")
        width = weight.shape[0]
        # running statistics are carried along, but only trained parameters are matched
        rest = [state[k] for k in _entries(state, [linear, *norms]) if not k.endswith(("running_mean", "running_var"))]
        rest = [entry for entry in rest if entry.ndim == 1]
        if any(len(entry) != width for entry in rest):
            raise ValueError(f"the layers {[linear, *norms]} do not all have {width} units")
        vectors = np.stack([_numpy(entry) for entry in rest], axis=1) if rest else np.zeros((width, 0))
        chain.append((_numpy(weight), vectors))
    return chain


def _numpy(tensor: Tensor) -> Float[np.ndarray, "..."]:
    return tensor.detach().to("cpu", torch.float64).numpy()


def _gain(
    a: list[_Layer], b: list[_Layer], orders: Permutations, k: int, *, outgoing: bool = True
) -> Float[np.ndarray, "h h"]:
    """``gain[i, j]``: what matching unit i of a's layer k with unit j of b's adds to the objective, others fixed."""
    (weight_a, rest_a), (weight_b, rest_b) = a[k], b[k]
    gain = weight_a @ (weight_b if k == 0 else weight_b[:, orders[k - 1]]).T + rest_a @ rest_b.T
    if outgoing:
        above = b[k + 1][0] if k + 1 == len(a) - 1 else b[k + 1][0][orders[k + 1]]
        gain = gain + a[k + 1][0].T @ above
    return gain


def _assign(gain: Float[np.ndarray, "h h"]) -> Int[np.ndarray, " h"]:
    return linear_sum_assignment(gain, maximize=True)[1]


def _descend(a: list[_Layer], b: list[_Layer], start: Permutations) -> Permutations:
    orders, improved = list(start), True
    while improved:
        improved = False
        for k in range(len(orders)):
            gain, units = _gain(a, b, orders, k), np.arange(len(orders[k]))
            best = _assign(gain)
            before, after = gain[units, orders[k]].sum(), gain[units, best].sum()
            # beyond rounding, or equal assignments would take turns for ever
            if after > before + 1e-9 * np.abs(gain).max():
                orders[k], improved = best, True
    return orders


def _objective(a: list[_Layer], b: list[_Layer], orders: Permutations) -> float:
    total = 0.0
    for k, ((weight_a, rest_a), (weight_b, rest_b)) in enumerate(zip(a, b, strict=True)):
        columns = slice(None) if k == 0 else orders[k - 1]
        rows = slice(None) if k == len(orders) else orders[k]
        total += np.vdot(weight_a, weight_b[:, columns][rows]) + np.vdot(rest_a, rest_b[rows])
    return float(total)
