"""A probe without training: random symbols, of which a new model's last answer hears more or less."""

import numpy as np

from inductive_bias.tasks.data import IGNORED
from inductive_bias.tasks.probes.base import Probe, Words


class Untrained(Probe):
    """Random symbols and no question: what is measured is how a model's answer changes when they change."""

    name, axis = "untrained", "recency at the start"
    asks = "Which symbols does a model listen to before it is trained?"
    tokens, outputs, length = 16, 8, 32
    source = "our own"

    def draw(self, rng: np.random.Generator, count: int, length: int) -> Words:
        """Independent symbols; nothing is asked."""
        tokens = rng.integers(self.tokens, size=(count, length)) + 1
        return Words(tokens, np.full_like(tokens, IGNORED))
