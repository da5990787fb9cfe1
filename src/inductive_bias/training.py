"""Training loop of all models: model + batches + loss → trained model and the mean loss of every epoch."""

import contextlib
import math
from collections.abc import Callable, Iterable, Iterator
from itertools import islice
from typing import Literal, Protocol, runtime_checkable

import torch
from pydantic import Field, model_validator
from torch import Tensor, nn

from inductive_bias import checks
from inductive_bias.settings import Setting
from inductive_bias.tasks.batching import Batch


class OptimiserSpec(Setting):
    """Adam with the paper's epsilon and gradient clipping (Abnar et al. 2020, `util/train_params.py`), or plain steps.

    Attributes:
        learning_rate: at the start; the schedule says how it falls.
        epsilon: of Adam.
        clip_norm: the gradient's norm at most, after the backward pass. None does not clip, as the code of Bai et al.
            2018 (locuslab/TCN) does not, where clipping stands before the backward pass.
        method: ``adam``; ``adamw``, whose weight decay is apart from the gradient (Loshchilov & Hutter 2019); or
            ``sgd``: stochastic gradient descent without momentum.
        weight_decay: of ``adamw``, before every step each weight times ``1 - learning rate * weight_decay``.
    """

    learning_rate: float = Field(default=1e-3, gt=0)
    epsilon: float = Field(default=1e-8, gt=0)
    clip_norm: float | None = Field(default=1.0, gt=0)
    method: Literal["adam", "adamw", "sgd"] = "adam"
    weight_decay: float = Field(default=0.0, ge=0)

    @model_validator(mode="after")
    def _decay_has_an_effect(self) -> "OptimiserSpec":
        if self.weight_decay and self.method != "adamw":
            raise ValueError(f"weight_decay={self.weight_decay:g} belongs to method='adamw', not to {self.method!r}")
        return self

    def build(self, model: nn.Module) -> torch.optim.Optimizer:
        """The optimiser of all of the model's parameters."""
        if self.method == "sgd":
            return torch.optim.SGD(model.parameters(), lr=self.learning_rate)
        if self.method == "adamw":
            options = {"weight_decay": self.weight_decay, "eps": self.epsilon, "fused": True}
            return torch.optim.AdamW(model.parameters(), lr=self.learning_rate, **options)
        return torch.optim.Adam(model.parameters(), lr=self.learning_rate, eps=self.epsilon, fused=True)


class ScheduleSpec(Setting):
    """How long to train, and how the learning rate falls.

    ``decay``: not at all, as half a cosine to ``floor`` of its start, in a straight line (``linear``) to there, as the
    ``inverse`` of the steps made, α/t, or ``halved`` after every epoch.
    ``warmup`` is over how many steps the rate first rises to what ``decay`` says, in equal parts.
    ``precision`` is that of the forward pass; ``bfloat16`` means autocast, ``float64`` a model whose weights are in it.
    ``output_precision`` is that of the products in a language model's output layer, which has a loss of its own.
    ``flush_denormals`` takes numbers below the smallest normal one (1.2 · 10⁻³⁸ in float32) for 0 on a CPU: gradients
    that vanish over hundreds of steps end there, and arithmetic with them is ten times as slow.
    """

    epochs: int = Field(default=60, ge=0)
    batch_size: int = Field(default=128, ge=2)
    decay: Literal["constant", "cosine", "linear", "inverse", "halved"] = "cosine"
    floor: float = Field(default=0.0, ge=0, le=1)
    precision: Literal["float32", "bfloat16", "float64"] = "float32"
    output_precision: Literal["float32", "bfloat16"] = "float32"
    flush_denormals: bool = False
    warmup: int = Field(default=0, ge=0)

    def rate(self, step: int, steps: int) -> float:
        """The learning rate's factor after ``step`` (0, 1, …) of ``steps`` steps.

        Raises:
            ValueError: if ``step`` is negative or ``steps`` not at least 1.
        """
        checks.whole("step", step, least=0)
        checks.whole("steps", steps, least=1)
        return self._decayed(step, steps) * min(1.0, (step + 1) / max(1, self.warmup))

    def _decayed(self, step: int, steps: int) -> float:
        if self.decay == "constant":
            return 1.0
        if self.decay == "inverse":
            return 1 / (step + 1)
        if self.decay == "halved":
            return 0.5 ** (min(step, steps - 1) * self.epochs // steps)
        progress = min(1.0, step / steps)
        if self.decay == "linear":
            return self.floor + (1 - self.floor) * (1 - progress)
        return self.floor + (1 - self.floor) * (1 + math.cos(math.pi * progress)) / 2


class DivergedError(Exception):
    """The loss became NaN or infinite; ``epoch`` says when."""

    def __init__(self, epoch: int):
        super().__init__(f"the training loss is not finite in epoch {epoch}")
        self.epoch = epoch


@runtime_checkable
class Keeper(Protocol):
    """What writes down where a training stands, and lets it go on from there (:mod:`inductive_bias.resuming`).

    Attributes:
        epoch: of the training that goes on; 0 if it starts at the beginning.
        step: steps made of that epoch.
    """

    epoch: int
    step: int

    def restore(self, stepper: torch.optim.Optimizer, rate: torch.optim.lr_scheduler.LRScheduler) -> Tensor:
        """Put everything back as it was after that step; returns the sum of the epoch's losses until then."""

    def look(
        self,
        epoch: int,
        step: int,
        total: Tensor,
        stepper: torch.optim.Optimizer,
        rate: torch.optim.lr_scheduler.LRScheduler,
    ) -> None:
        """Write everything down if it is time to."""


def fit(
    model: nn.Module,
    epoch_batches: Callable[[], Iterable[Batch]],
    loss: Callable[[nn.Module, Batch], Tensor],
    *,
    steps_per_epoch: int,
    optimiser: OptimiserSpec,
    schedule: ScheduleSpec,
    after_epoch: Callable[[int, float], bool | None] = lambda epoch, mean_loss: None,
    keeper: Keeper | None = None,
) -> None:
    """Train ``model`` in place.

    ``after_epoch(epoch, mean_loss)`` is called with epoch 1, 2, … while the model is in evaluation mode; training ends
    before its time where it returns True. A ``keeper`` writes down where training stands, and lets it go on from there.

    Raises:
        DivergedError: when the mean loss of an epoch is not finite; the model keeps the weights of that epoch.
        ValueError: if ``steps_per_epoch`` is no integer of at least 1, the model has no parameter, an epoch has no
            batch, or a loss is not a single number.
    """
    options = {"steps_per_epoch": steps_per_epoch, "optimiser": optimiser, "schedule": schedule, "keeper": keeper}
    for epoch, (mean_loss,) in epochs_of(model, epoch_batches, loss, **options):
        if not math.isfinite(mean_loss):
            raise DivergedError(epoch)
        if after_epoch(epoch, mean_loss):
            return


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
    keeper: Keeper | None = None,
) -> Iterator[tuple[int, list[float]]]:
    """Train ``model`` an epoch at a time: yields 1, 2, … and the mean losses, with the model in evaluation mode.

    ``losses`` is the shape of a loss: ``()``, or ``(s,)`` of s models that are trained side by side as one; ``clip``
    then clips the gradients of each. See :func:`fit` for the rest.

    Raises:
        ValueError: as :func:`fit`.
    """
    checks.whole("steps_per_epoch", steps_per_epoch, least=1)
    if next(model.parameters(), None) is None:
        raise ValueError(f"model must have a parameter to train, but {type(model).__name__} has none")
    stepper = optimiser.build(model)
    steps = max(1, schedule.epochs * steps_per_epoch)
    rate = torch.optim.lr_scheduler.LambdaLR(stepper, lambda step: schedule.rate(step, steps))
    constrain = getattr(model, "constrain_", None)
    device = next(model.parameters()).device
    for epoch in range(1, schedule.epochs + 1):
        model.train()
        # summed on the device and read once an epoch: reading every step would stall a GPU
        total, count = torch.zeros(losses, device=device), 0
        batches = iter(epoch_batches())
        if keeper is not None and epoch <= keeper.epoch:
            # drawn again, since the order of the next ones hangs on them
            count = sum(1 for _ in islice(batches, keeper.step if epoch == keeper.epoch else None))
            if epoch < keeper.epoch:
                continue
            total = keeper.restore(stepper, rate)
        for batch in batches:
            with _precision(schedule.precision, device):
                value = loss(model, batch)
            if value.shape != losses:
                wanted = f"of shape {losses}" if losses else "a single number"
                raise ValueError(f"loss must be {wanted}, not of shape {tuple(value.shape)}")
            stepper.zero_grad(set_to_none=True)
            value.sum().backward()
            if optimiser.clip_norm is not None:
                clip(model.parameters(), optimiser.clip_norm)
            stepper.step()
            if constrain is not None:
                constrain()
            rate.step()
            total += value.detach()
            count += 1
            if keeper is not None:
                keeper.look(epoch, count, total, stepper, rate)
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
