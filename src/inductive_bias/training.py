"""The one training loop: model + batches + loss → trained model and the mean loss of every epoch."""

import contextlib
import math
from collections.abc import Callable, Iterable, Iterator
from typing import Literal

import torch
from pydantic import Field
from torch import Tensor, nn

from inductive_bias import checks
from inductive_bias.settings import Setting
from inductive_bias.tasks.batching import Batch


class OptimiserSpec(Setting):
    """Adam with the paper's epsilon and gradient clipping (Abnar et al. 2020, `util/train_params.py`)."""

    learning_rate: float = Field(1e-3, gt=0)
    epsilon: float = Field(1e-8, gt=0)
    clip_norm: float = Field(1.0, gt=0)

    def build(self, model: nn.Module) -> torch.optim.Optimizer:
        """The optimiser of all of the model's parameters."""
        return torch.optim.Adam(model.parameters(), lr=self.learning_rate, eps=self.epsilon, fused=True)


class ScheduleSpec(Setting):
    """How long to train, and how the learning rate falls: not at all, or as half a cosine to ``floor`` of its start.

    ``precision`` is that of the forward pass; ``bfloat16`` means autocast. ``output_precision`` is that of the products
    in a language model's output layer, which has a loss of its own.
    """

    epochs: int = Field(60, ge=0)
    batch_size: int = Field(128, ge=2)
    decay: Literal["constant", "cosine"] = "cosine"
    floor: float = Field(0.0, ge=0, le=1)
    precision: Literal["float32", "bfloat16"] = "float32"
    output_precision: Literal["float32", "bfloat16"] = "float32"

    def rate(self, progress: float) -> float:
        """The learning rate's factor after the part ``progress`` (0 … 1) of all steps.

        Raises:
            ValueError: if ``progress`` is outside.
        """
        checks.number("progress", progress, low=0, high=1)
        if self.decay == "constant":
            return 1.0
        return self.floor + (1 - self.floor) * (1 + math.cos(math.pi * progress)) / 2


class DivergedError(Exception):
    """The loss became NaN or infinite; ``epoch`` says when."""

    def __init__(self, epoch: int):
        super().__init__(f"the training loss is not finite in epoch {epoch}")
        self.epoch = epoch


def fit(
    model: nn.Module,
    epoch_batches: Callable[[], Iterable[Batch]],
    loss: Callable[[nn.Module, Batch], Tensor],
    *,
    steps_per_epoch: int,
    optimiser: OptimiserSpec,
    schedule: ScheduleSpec,
    after_epoch: Callable[[int, float], None] = lambda epoch, mean_loss: None,
) -> None:
    """Train ``model`` in place.

    ``after_epoch(epoch, mean_loss)`` is called with epoch 1, 2, … while the model is in evaluation mode.

    Raises:
        DivergedError: when the mean loss of an epoch is not finite; the model keeps the weights of that epoch.
        ValueError: if ``steps_per_epoch`` is no integer of at least 1, the model has no parameter, an epoch has no
            batch, or a loss is not a single number.
    """
    options = {"steps_per_epoch": steps_per_epoch, "optimiser": optimiser, "schedule": schedule}
    for epoch, (mean_loss,) in epochs_of(model, epoch_batches, loss, **options):
        if not math.isfinite(mean_loss):
            raise DivergedError(epoch)
        after_epoch(epoch, mean_loss)


def epochs_of(
    model: nn.Module,
    epoch_batches: Callable[[], Iterable[Batch]],
    loss: Callable[[nn.Module, Batch], Tensor],
    *,
    steps_per_epoch: int,
    optimiser: OptimiserSpec,
    schedule: ScheduleSpec,
    clip: Callable[[Iterable[Tensor], float], object] = nn.utils.clip_grad_norm_,
    losses: tuple[int, ...] = (),
) -> Iterator[tuple[int, list[float]]]:
    """Train ``model`` an epoch at a time: yields 1, 2, … and the mean losses, with the model in evaluation mode.

    ``losses`` is the shape of a loss: ``()``, or ``(s,)`` of s models that are trained side by side as one; ``clip``
    then clips the gradients of each. See :func:`fit` for the rest.
    """
    checks.whole("steps_per_epoch", steps_per_epoch, least=1)
    if next(model.parameters(), None) is None:
        raise ValueError(f"model must have a parameter to train, but {type(model).__name__} has none")
    stepper = optimiser.build(model)
    steps = max(1, schedule.epochs * steps_per_epoch)
    rate = torch.optim.lr_scheduler.LambdaLR(stepper, lambda step: schedule.rate(min(1.0, step / steps)))
    device = next(model.parameters()).device
    for epoch in range(1, schedule.epochs + 1):
        model.train()
        # summed on the device and read once an epoch: reading every step would stall a GPU
        total, count = torch.zeros(losses, device=device), 0
        for batch in epoch_batches():
            with _precision(schedule.precision, device):
                value = loss(model, batch)
            if value.shape != losses:
                wanted = f"of shape {losses}" if losses else "a single number"
                raise ValueError(f"loss must be {wanted}, not of shape {tuple(value.shape)}")
            stepper.zero_grad(set_to_none=True)
            value.sum().backward()
            clip(model.parameters(), optimiser.clip_norm)
            stepper.step()
            rate.step()
            total += value.detach()
            count += 1
        model.eval()
        if not count:
            raise ValueError(f"epoch_batches must give at least one batch an epoch, but gave none in epoch {epoch}")
        yield epoch, [each / count for each in total.flatten().tolist()]


def _precision(precision: str, device: torch.device) -> contextlib.AbstractContextManager[object]:
    if precision == "bfloat16":
        return torch.autocast(device.type, torch.bfloat16)
    return contextlib.nullcontext()


@torch.no_grad()
def predict(function: Callable[[Tensor], Tensor], chunks: Iterable[Tensor]) -> Tensor:
    """``function`` of every chunk, joined; the caller puts the model into the mode it wants.

    Raises:
        ValueError: if there is no chunk.
    """
    found = [function(chunk) for chunk in chunks]
    if not found:
        raise ValueError("chunks must hold at least one, but there is none to predict")
    return torch.cat(found)
