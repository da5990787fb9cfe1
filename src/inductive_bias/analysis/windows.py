"""Which inputs of a real-valued sequence an output of a causal model reads, and which of them its gradient passes to.

Both are the same where nothing is cut. Truncated back-propagation cuts the second alone: what is far back is read, but
never taught.
"""

import torch
from jaxtyping import Bool
from torch import Tensor, nn

from inductive_bias import checks

#: Random sequences that are asked: in one alone, units at rest may hide what they read.
SEQUENCES = 32


def inputs_read(model: nn.Module, steps: int, channels: int = 1, *, seed: int = 0) -> Bool[Tensor, "t t"]:
    """``out[i, j]``: whether output i depends on input j, by gradients in evaluation mode at some random sequence.

    Args:
        model: from ``[b, t, channels]`` to ``[b, t, outputs]``. It is computed in float64, so that what is small is not
            taken for nothing; its own weights stay as they are.
        steps: t.
        channels: of the inputs.
        seed: of the random sequences.

    Raises:
        ValueError: if ``steps`` or ``channels`` is no integer of at least 1.
    """
    return _reached(model, steps, channels, seed, training=False)


def inputs_taught(model: nn.Module, steps: int, channels: int = 1, *, seed: int = 0) -> Bool[Tensor, "t t"]:
    """``out[i, j]``: whether a gradient from output i reaches input j in training. Arguments as in `inputs_read`."""
    return _reached(model, steps, channels, seed, training=True)


def _reached(model: nn.Module, steps: int, channels: int, seed: int, *, training: bool) -> Bool[Tensor, "t t"]:
    checks.whole("steps", steps, least=1)
    checks.whole("channels", channels, least=1)
    was, dtype = model.training, next(model.parameters()).dtype
    inputs = torch.randn(SEQUENCES, steps, channels, dtype=torch.float64, generator=torch.Generator().manual_seed(seed))
    inputs.requires_grad_()
    try:
        # gradients pass the boundaries of truncated back-propagation in evaluation mode, and do not in training
        outputs = model.double().train(training)(inputs)
        rows = [torch.autograd.grad(outputs[:, i].sum(), inputs, retain_graph=True)[0] for i in range(steps)]
    finally:
        model.to(dtype).train(was)
    return torch.stack([row.abs().sum(dim=(0, 2)) > 0 for row in rows])
