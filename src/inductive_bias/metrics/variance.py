"""Real-valued outputs: the share of the target's variance that they miss."""

import torch
from torch import Tensor

from inductive_bias import checks


def unexplained(outputs: Tensor, targets: Tensor) -> float:
    """Σ (output − target)² / Σ (target − its mean)²: 0 is exact, 1 no better than a constant; 1 − this is R².

    Both are ``[…, k]``, k outputs. The mean is each output's own, over all examples and steps. NaN if an output is NaN,
    infinite if one is infinite.

    Raises:
        ValueError: if these are no floating-point numbers of one shape with two dimensions or more, there is no value,
            or the targets are not finite or do not vary.
    """
    checks.floats("outputs", outputs)
    checks.floats("targets", targets)
    if outputs.shape != targets.shape or outputs.numel() == 0 or outputs.ndim < 2:
        raise ValueError(
            "outputs and targets must have one shape […, k], with values: "
            f"{tuple(outputs.shape)}, {tuple(targets.shape)}"
        )
    if not targets.isfinite().all():
        raise ValueError(f"targets must be finite, but {int((~targets.isfinite()).sum())} values are not")
    outputs, targets = (x.detach().to("cpu", torch.float64).flatten(end_dim=-2) for x in (outputs, targets))
    spread = (targets - targets.mean(0)).square().sum()
    if not spread > 0:
        raise ValueError("targets must vary, but each output's are all equal")
    return ((outputs - targets).square().sum() / spread).item()
