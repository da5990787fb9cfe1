"""What networks with and without a state cost that have equally many parameters: a step of training, a symbol to write.

Two measures, each a ratio within one run to the LSTM of the same task (float32, sizes of the study ``feed_forward``):

- *training*: seconds of a step: forward and backward pass, clipping, Adam;
- *generation*: seconds of one more symbol after n others, one sequence at a time. What carries a state goes on from it,
  attention from its keys and values; windows and convolutions compute what they see again.
"""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import partial

import pandas as pd
import torch
from torch import Tensor, nn

from inductive_bias.benchmarks.base import COLUMNS, Benchmark, timed_rows
from inductive_bias.benchmarks.publishing import read_table
from inductive_bias.models import ConvolutionalModel, MixingModel, RecurrentModel
from inductive_bias.studies.feed_forward.design import CHARACTERS, JSB, LSTM, Part, part_of
from inductive_bias.studies.scales import PUBLISHED, Scale

SOURCE = "generated: random values"


@dataclass(frozen=True)
class Sizes:
    """How much is measured.

    Attributes:
        scale: whose models and batches.
        lengths: symbols or steps of a training sequence, by task.
        steps: of training a repeat.
        contexts: symbols read before, for *generation*.
        symbols: written a repeat.
    """

    scale: Scale = PUBLISHED
    lengths: Mapping[str, int] = field(default_factory=lambda: {JSB: 60, CHARACTERS: 64})
    steps: int = 5
    contexts: tuple[int, ...] = (100, 1000)
    symbols: int = 50


def measure(repeats: int, *, real: bool = False, sizes: Sizes | None = None) -> pd.DataFrame:
    """Costs of all models, ``repeats`` times; columns :data:`~inductive_bias.benchmarks.base.COLUMNS`.

    There are no real data to ask for: what a model costs does not depend on the values.
    """
    sizes = sizes or Sizes()
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(0)
        rows = [row for task in sizes.lengths for row in training_rows(task, sizes, repeats)]
        rows += [row for task in sizes.lengths for row in generation_rows(task, sizes, repeats)]
    return pd.DataFrame(rows, columns=COLUMNS)


def times(scale: Scale) -> pd.DataFrame:
    """What the page shows at a scale: the published table at laptop scale, else one short measurement."""
    if scale == PUBLISHED:
        return read_table(RIVALS.name)
    return measure(1, sizes=Sizes(scale=scale, steps=1, contexts=(100,), symbols=2))


def training_rows(task: str, sizes: Sizes, repeats: int) -> Iterator[dict]:
    """*training* of all models of one task."""
    part = part_of(sizes.scale, task)
    inputs = inputs_of(part, part.schedule.batch_size, sizes.lengths[task])
    work = {name: partial(_train, model, part, inputs, sizes.steps) for name, model in models_of(part).items()}
    yield from timed_rows(
        "training", task, work, repeats, first=LSTM, per=sizes.steps, unit="seconds a step", data_source=SOURCE
    )


def generation_rows(task: str, sizes: Sizes, repeats: int) -> Iterator[dict]:
    """*generation* by all models of one task."""
    part = part_of(sizes.scale, task)
    for context in sizes.contexts:
        inputs = inputs_of(part, 1, context + 1)
        work = {
            name: partial(write, writer(model.eval(), inputs), sizes.symbols) for name, model in models_of(part).items()
        }
        yield from timed_rows(
            "generation",
            f"{task}, after {context:,}",
            work,
            repeats,
            size=context,
            first=LSTM,
            per=sizes.symbols,
            unit="seconds a symbol",
            data_source=SOURCE,
        )


def models_of(part: Part) -> dict[str, nn.Module]:
    """Every model of a task, as it is before training."""
    return {name: spec.build(**part.task.dimensions) for name, spec in part.specs.items()}


def inputs_of(part: Part, batch: int, length: int) -> Tensor:
    """Random symbols ``[b, t]``, or keys that sound or not ``[b, t, c]``."""
    dimensions = part.task.dimensions
    if "vocabulary" in dimensions:
        return torch.randint(dimensions["vocabulary"], (batch, length))
    return torch.randint(2, (batch, length, dimensions["channels"])).float()


def _train(model: nn.Module, part: Part, inputs: Tensor, steps: int) -> None:
    model.train()
    stepper = torch.optim.Adam(model.parameters(), fused=True)
    for _ in range(steps):
        stepper.zero_grad(set_to_none=True)
        model(inputs).square().mean().backward()
        nn.utils.clip_grad_norm_(model.parameters(), part.clip_norm)
        stepper.step()


def writer(model: nn.Module, inputs: Tensor) -> Callable[[], Tensor]:
    """What computes the last output of ``inputs [1, n + 1]``, by the cheapest way that the model has after n inputs.

    Raises:
        TypeError: for a kind of model of which no way is known.
    """
    before, new = inputs[:, :-1], inputs[:, -1:]
    with torch.no_grad():
        if isinstance(model, MixingModel):
            _, caches = model.prefill(before)
            return lambda: model.step(new[:, 0], caches)[0]
        if isinstance(model, RecurrentModel) and model.context is None:
            _, state = model.carried(before)
            return lambda: model.readout(model.carried(new, state)[0])[:, -1]
    if not isinstance(model, RecurrentModel | ConvolutionalModel):
        raise TypeError(f"it is not known how {type(model).__name__} writes one symbol after the other")
    return lambda: model.last(inputs)


@torch.no_grad()
def write(step: Callable[[], Tensor], symbols: int) -> None:
    """Call ``step`` for so many symbols, one after the other; the outputs are dropped."""
    for _ in range(symbols):
        step()


RIVALS = Benchmark(
    "rivals", "What do training and generation cost, with and without a state?", measure, "Stable recurrent networks"
)
