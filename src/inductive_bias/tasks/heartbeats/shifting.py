"""A beat that lies elsewhere in its window: what a detector of beats that is late or early would hand on."""

import torch
from jaxtyping import Float
from torch import Tensor


def shifted(inputs: Float[Tensor, "n t c"], by: int) -> Float[Tensor, "n t c"]:
    """All beats ``by`` samples later (earlier if negative); the first or last value fills the gap.

    Raises:
        ValueError: if a beat would leave its window.
    """
    length = inputs.shape[1]
    if abs(by) >= length:
        raise ValueError(f"by must lie in −{length - 1} … {length - 1}, not {by}")
    places = (torch.arange(length, device=inputs.device) - by).clamp(0, length - 1)
    return inputs[:, places]
