"""The loss on the straight line between two solutions: are they in the same basin?

Two networks are linearly mode connected if the loss does not rise on the line between them (Frankle et al. 2020). The
barrier is the largest rise above the linear interpolation of the two end losses (Entezari et al. 2022); Frankle et al.
measure it above their mean, which is the same when both ends are equally good.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from itertools import chain
from typing import SupportsFloat, TypeVar

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn.modules.batchnorm import _BatchNorm

State = Mapping[str, Tensor]
R = TypeVar("R")


def interpolate(state_a: State, state_b: State, weight: float) -> dict[str, Tensor]:
    """The state ``(1 − weight) · a + weight · b``: exactly a at 0 and b at 1.

    Floating-point entries are interpolated; integer ones (a BatchNorm's count of batches) are a's.

    Raises:
        ValueError: if the states differ in their keys or shapes, or ``weight`` is outside [0, 1].
    """
    if not 0 <= weight <= 1:
        raise ValueError(f"weight must lie in [0, 1], not {weight}")
    refuse_different(state_a, state_b)
    return {
        key: torch.lerp(a, state_b[key].to(a), weight) if a.is_floating_point() else a.clone()
        for key, a in state_a.items()
    }


def recompute_batch_statistics(model: nn.Module, batches: Iterable[Tensor]) -> None:
    """Replace the running statistics of every BatchNorm layer by the mean over ``batches`` of the batch statistics.

    A network between two others has other activations than either, and interpolated running statistics make a barrier
    where there is none (Jordan et al. 2023, REPAIR). Only the BatchNorm layers are in training mode meanwhile, so that
    dropout draws no random numbers; modes and momenta are as before afterwards. Each batch counts the same, whatever
    its size. Nothing happens if there is no such layer.

    Raises:
        ValueError: if there is no batch.
    """
    layers = [m for m in model.modules() if isinstance(m, _BatchNorm) and m.running_mean is not None]
    if not layers:
        return
    batches = iter(batches)
    first = next(batches, None)
    if first is None:
        raise ValueError("batch statistics need at least one batch")
    momenta = [layer.momentum for layer in layers]
    with _modes_restored(model), torch.no_grad():
        model.eval()
        try:
            for layer in layers:
                layer.reset_running_stats()
                layer.momentum = None  # cumulative average
                layer.train()
            for batch in chain([first], batches):
                model(batch)
        finally:
            for layer, momentum in zip(layers, momenta, strict=True):
                layer.momentum = momentum


def interpolation_curve(
    model: nn.Module,
    state_a: State,
    state_b: State,
    evaluate: Callable[[nn.Module], R],
    *,
    points: int = 11,
    prepare: Callable[[nn.Module], object] | None = None,
) -> list[tuple[float, R]]:
    """``(weight, evaluate(model))`` at equally spaced weights from 0 (state a) to 1 (state b).

    Args:
        model: any model of the states' shape, lent: its own state and modes are restored, also after an error.
        state_a: the state at weight 0.
        state_b: the state at weight 1.
        evaluate: usually a loss over fixed data, or several numbers; it sees the interpolated model.
        points: how many, both ends included.
        prepare: called on each interpolated model before ``evaluate``, e.g. `recompute_batch_statistics` with its data.

    Raises:
        ValueError: if the states differ in their keys or shapes, or ``points`` < 2.
    """
    if points < 2:
        raise ValueError(f"points must be at least 2, not {points}")
    # copies: any of the three may be the live state of this very model
    own, state_a, state_b = (
        {k: v.detach().clone() for k, v in s.items()} for s in (model.state_dict(), state_a, state_b)
    )
    curve = []
    with _modes_restored(model):
        try:
            for weight in np.linspace(0, 1, points).tolist():
                model.load_state_dict(interpolate(state_a, state_b, weight))
                if prepare is not None:
                    prepare(model)
                curve.append((weight, evaluate(model)))
        finally:
            model.load_state_dict(own)
    return curve


def barrier(weights: Sequence[SupportsFloat], losses: Sequence[SupportsFloat]) -> float:
    """Largest rise of the loss above the straight line between its end values; 0 when the line never rises above it.

    ``max_w L(w) − [(1 − w) L(a) + w L(b)]`` (Entezari et al. 2022), in the loss's unit. NaN if a loss is.

    Raises:
        ValueError: if there are fewer than two points, the lengths differ or the weights do not increase.
    """
    weight, loss = (np.asarray([float(x) for x in values]) for values in (weights, losses))
    if len(weight) != len(loss) or len(weight) < 2:
        raise ValueError(f"a barrier needs 2 or more weights with a loss each, not {len(weight)} and {len(loss)}")
    if not (np.diff(weight) > 0).all():
        raise ValueError(f"weights must increase, but are {weight.tolist()}")
    along = (weight - weight[0]) / (weight[-1] - weight[0])
    rise = loss - ((1 - along) * loss[0] + along * loss[-1])
    rise[[0, -1]] = np.where(np.isnan(loss[[0, -1]]), np.nan, 0.0)
    return float(rise.max())


def refuse_different(state_a: State, state_b: State) -> None:
    """Refuse two states that differ in their keys or shapes.

    Raises:
        ValueError: naming the first entry in which they differ.
    """
    for key in [*state_a, *state_b]:
        if key not in state_a or key not in state_b:
            raise ValueError(f"only one of the two states holds {key!r}")
        if state_a[key].shape != state_b[key].shape:
            shapes = tuple(state_a[key].shape), tuple(state_b[key].shape)
            raise ValueError(f"{key!r} has shape {shapes[0]} in one state and {shapes[1]} in the other")


@contextmanager
def _modes_restored(model: nn.Module) -> Iterator[None]:
    modes = {module: module.training for module in model.modules()}
    try:
        yield
    finally:
        for module, training in modes.items():
            module.training = training
