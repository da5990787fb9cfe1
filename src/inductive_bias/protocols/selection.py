"""The model at its best look at the validation set: what is measured and kept where longer training overfits."""

import math

from torch import Tensor, nn


class Best:
    """The weights with the lowest validation error so far.

    Attributes:
        error: that error; infinite before the first look.
        epoch: when it was.
    """

    def __init__(self) -> None:
        self.error, self.epoch = math.inf, 0
        self._weights: dict[str, Tensor] = {}

    def look(self, model: nn.Module, error: float, epoch: int) -> None:
        """Keep a copy of the model's weights if its error is the lowest; an error that is no number never is."""
        if error < self.error:
            self.error, self.epoch = error, epoch
            self._weights = {name: value.detach().clone() for name, value in model.state_dict().items()}

    def restore(self, model: nn.Module) -> bool:
        """Give the model these weights; False, and nothing done, if there was no look."""
        if self._weights:
            model.load_state_dict(self._weights)
        return bool(self._weights)
