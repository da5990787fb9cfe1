"""Pictures that explain: real digits of the offline sample, their corruptions, an edge filter.

They illustrate; no result is computed from them.
"""

import numpy as np
import torch
import torch.nn.functional as F
from jaxtyping import Float
from torch import Tensor

from inductive_bias.tasks import MNIST

#: Sobel's filter: answers where, from left to right, ink begins.
EDGE = ((-1.0, 0.0, 1.0), (-2.0, 0.0, 2.0), (-1.0, 0.0, 1.0))
#: Places in the sample's test set; the first has eight empty columns at its right, room for a shift.
SHIFTABLE, SHOWN = 3, 6


def example_digit(number: int = SHOWN, *, corruption: str | None = None) -> Float[np.ndarray, "28 28"]:
    """A test digit of the sample in 0..1, as it is or corrupted as in MNIST-C."""
    corruptions = () if corruption is None else (corruption,)
    # one draw is made for a whole set: take some more digits than the one shown
    data = MNIST(sample=True, test_size=max(16, number + 1), corruptions=corruptions).load()
    return data[corruption or "test"].inputs[number, 0].numpy()


def edge_map(images: Float[Tensor, "n 1 h w"]) -> Float[Tensor, "n 1 h w"]:
    """``relu(EDGE * x)``: one fixed convolution, as large as the image (zeros outside)."""
    kernel = torch.tensor(EDGE).to(images)[None, None]
    return torch.relu(F.conv2d(images, kernel, padding=1))
