"""Random numbers of generated splits: one stream for every split and quantity."""

import numpy as np

#: Splits in the order of their streams.
SPLITS = ("train", "validation", "test")


def stream(data_seed: int, split: str, quantity: int = 0) -> np.random.Generator:
    """Rows drawn from it one after the other are the same however many there are: no quantity shifts another."""
    return np.random.default_rng((data_seed, SPLITS.index(split), quantity))
