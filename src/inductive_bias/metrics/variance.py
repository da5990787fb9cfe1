"""Real-valued outputs: the share of the target's variance that they miss."""

import torch
from torch import Tensor


def unexplained(outputs: Tensor, targets: Tensor) -> float:
    """Σ (output − target)² / Σ (target − its mean)²: 0 is exact, 1 no better than a constant; 1 − this is R².

    Both are ``[…, k]``, k outputs. The mean is each output's own, over all examples and steps. NaN if an output is NaN,
    infinite if one is infinite.

    Raises:
        ValueError: if the shapes differ, there is no value, or the targets do not vary.
    """
    if outputs.shape != targets.shape or outputs.numel() == 0:
        raise ValueError(
            f"outputs and targets must have one shape, with values: {tuple(outputs.shape)}, {tuple(targets.shape)}"
        )
    outputs, targets = (x.detach().to("cpu", torch.float64).flatten(end_dim=-2) for x in (outputs, targets))
    spread = (targets - targets.mean(0)).square().sum()
    if not spread > 0:
        raise ValueError("targets must vary, but each output's are all equal")
    return ((outputs - targets).square().sum() / spread).item()
