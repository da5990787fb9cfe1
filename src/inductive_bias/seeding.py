"""Random numbers that begin at a seed, and afterwards go on as if nothing had been drawn."""

import random
from collections.abc import Iterator
from contextlib import contextmanager

import numpy as np
import torch


@contextmanager
def seeded(seed: int, device: torch.device) -> Iterator[None]:
    """Seed the global generators of torch, of NumPy and of Python, and give their states back at the end.

    The package draws from torch's alone. Models and tasks from outside may draw from any of the three.

    Args:
        seed: a whole number of at least 0.
        device: whose generator is seeded besides that of the CPU.
    """
    before = random.getstate(), np.random.get_state()  # noqa: NPY002 — it is the global one that others draw from
    with torch.random.fork_rng(devices=[device] if device.type == "cuda" else []):
        torch.manual_seed(seed)
        random.seed(seed)
        np.random.seed(seed % 2**32)  # noqa: NPY002
        try:
            yield
        finally:
            random.setstate(before[0])
            np.random.set_state(before[1])  # noqa: NPY002
