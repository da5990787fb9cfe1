"""Real-valued sequences with a real-valued target at every step."""

from collections.abc import Iterator

import torch.nn.functional as F
from torch import Tensor, nn

from inductive_bias.evaluation import Row, outputs_of, row
from inductive_bias.metrics import unexplained
from inductive_bias.protocols.base import ShuffledProtocol
from inductive_bias.tasks.batching import Batch


class SequenceProtocol(ShuffledProtocol):
    """Mean squared error over all steps; measured as the share of the target's variance that is left unexplained."""

    def set_teacher(self, teacher: nn.Module) -> None:
        raise NotImplementedError("real-valued sequences are not learnt from a teacher")

    def loss(self, model: nn.Module, batch: Batch) -> Tensor:
        return F.mse_loss(model(batch.inputs), batch.labels)

    def _unexplained(self, model: nn.Module, name: str) -> float:
        device, split = next(model.parameters()).device, self.data[name]
        return unexplained(outputs_of(lambda chunk: model(chunk.to(device)), split.inputs), split.labels)

    def after_epoch(self, model: nn.Module, epoch: int) -> Iterator[Row]:
        value = self._unexplained(model, "validation")
        yield row("validation", "unexplained", value, self.validation.source, epoch=epoch)

    def final(self, model: nn.Module, *, diverged: bool) -> Iterator[Row]:
        for name in ("validation", "test"):
            value = float("nan") if diverged else self._unexplained(model, name)
            yield row(name, "unexplained", value, self.data[name].source)
