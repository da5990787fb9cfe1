"""One epoch of training, twice: by the package's loop with a clock at every phase, and by a plain loop.

The plain loop is what one writes first: a ``DataLoader`` that shuffles, and every sentence padded to the longest of the
set. Model, loss, optimiser, clipping, batch size and threads are the same in both. CPU only: on a GPU these clocks
would measure how fast work is queued.
"""

import contextlib
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass

import torch
import torch.nn.functional as F
from torch import Tensor, nn
from torch.optim.optimizer import register_optimizer_step_post_hook, register_optimizer_step_pre_hook
from torch.utils.data import DataLoader, TensorDataset

from inductive_bias.losses import weight_penalty
from inductive_bias.protocols import Protocol
from inductive_bias.tasks import Split
from inductive_bias.tasks.batching import Batch
from inductive_bias.training import fit
from inductive_bias.trials import Trial


@dataclass(frozen=True)
class Epoch:
    """What one epoch took and did; ``seconds`` is all of it, from building the optimiser to reading the mean loss.

    Attributes:
        phases: seconds by phase, empty if there was no clock. ``forward`` is the loss function; ``backward`` reaches
            from there to the optimiser, which includes forgetting old gradients and clipping; ``optimiser`` is its
            step. What is left is the loop's own: choosing and trimming batches, the learning rate, adding losses.
    """

    seconds: float
    sentences: int
    steps: int
    loss: float
    phases: dict[str, float]


class _Clock:
    """Adds up the seconds between the ends of one phase and the next."""

    def __init__(self) -> None:
        self.phases = dict.fromkeys(("forward", "backward", "optimiser"), 0.0)
        self.sentences = self.steps = 0
        self._since = 0.0

    def start(self) -> None:
        """A phase begins; the time before belongs to none."""
        self._since = time.perf_counter()

    def end(self, phase: str) -> None:
        """A phase ends and the next begins."""
        now = time.perf_counter()
        self.phases[phase] += now - self._since
        self._since = now

    def timing(self, loss: Callable[[nn.Module, Batch], Tensor]) -> Callable[[nn.Module, Batch], Tensor]:
        """``loss`` as the phase ``forward``; also counts steps and sentences."""

        def timed(model: nn.Module, batch: Batch) -> Tensor:
            self.steps, self.sentences = self.steps + 1, self.sentences + len(batch.labels)
            self.start()
            value = loss(model, batch)
            self.end("forward")
            return value

        return timed


@contextlib.contextmanager
def _around_steps(before: Callable[[], None], after: Callable[[], None]) -> Iterator[None]:
    """Calls at the beginning and end of every optimiser's step; ``fit`` builds its optimiser by itself."""
    hooks = [
        register_optimizer_step_pre_hook(lambda *_: before()),
        register_optimizer_step_post_hook(lambda *_: after()),
    ]
    try:
        yield
    finally:
        for hook in hooks:
            hook.remove()


def package_epoch(trial: Trial, protocol: Protocol, model: nn.Module, *, seed: int) -> Epoch:
    """One epoch by :func:`inductive_bias.training.fit`, fed as in a trial; ``model`` is trained in place."""
    order, clock = torch.Generator().manual_seed(seed), _Clock()
    means: list[float] = []
    start = time.perf_counter()
    with _around_steps(lambda: clock.end("backward"), lambda: clock.end("optimiser")):
        fit(
            model,
            lambda: protocol.batching.epoch(order, torch.device("cpu")),
            clock.timing(lambda model, batch: protocol.objective.loss(model, batch) + _penalty(trial, model)),
            steps_per_epoch=protocol.batching.steps_per_epoch(),
            optimiser=trial.optimiser,
            schedule=trial.schedule.model_copy(update={"epochs": 1}),
            after_epoch=lambda epoch, mean_loss: means.append(mean_loss),
        )
    return Epoch(time.perf_counter() - start, clock.sentences, clock.steps, means[0], clock.phases)


def plain_epoch(trial: Trial, split: Split, model: nn.Module, *, seed: int) -> Epoch:
    """One epoch by a loop over a ``DataLoader``, without a clock in it; ``model`` is trained in place."""
    loader = DataLoader(
        TensorDataset(split.inputs, split.labels),
        batch_size=trial.schedule.batch_size,
        shuffle=True,
        generator=torch.Generator().manual_seed(seed),
    )
    start = time.perf_counter()
    stepper = trial.optimiser.build(model)
    model.train()
    total, sentences, steps = torch.zeros(()), 0, 0
    for tokens, labels in loader:
        stepper.zero_grad()
        value = F.cross_entropy(model(tokens), labels) + _penalty(trial, model)
        value.backward()
        nn.utils.clip_grad_norm_(model.parameters(), trial.optimiser.clip_norm)
        stepper.step()
        total += value.detach()
        sentences, steps = sentences + len(labels), steps + 1
    loss = float(total) / steps
    return Epoch(time.perf_counter() - start, sentences, steps, loss, {})


def _penalty(trial: Trial, model: nn.Module) -> Tensor:
    return weight_penalty(model, l1=trial.model.l1, l2=trial.model.l2)
