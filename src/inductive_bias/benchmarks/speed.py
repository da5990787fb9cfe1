"""What models of equal size cost by the length of what they read: to train, to read, to write, and in memory.

Seven measures, each a ratio within one run to the LSTM at the same length, on one thread, in float32. The models are
those of :mod:`inductive_bias.studies.automata.design`; REMs are computed in chunks, as in all trials.

- *training*: seconds of a step per token: forward and backward pass, clipping, Adam; equally many tokens per step at
  every length;
- *training, few sequences*: the same with as few sequences at every length as the longest have. Between the two lies
  what a machine gains from sequences side by side;
- *inference*: seconds of a forward pass per token, without gradients;
- *decoding*: seconds of one more token after n others, one sequence at a time, with what is kept of them;
- *memory*: the most bytes that tensors hold in a forward and backward pass, per token;
- *kept*: bytes that are kept between tokens when n were read;
- *step of automata*: seconds of a step of training of the models of the study ``automata``, by their layers; the ratio
  is to one layer of an LSTM.
"""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import partial

import pandas as pd
import torch
import torch.nn.functional as F
from torch import Tensor, nn
from torch.utils._pytree import tree_leaves

from inductive_bias.benchmarks.base import COLUMNS, Benchmark, ratio_row, timed_rows
from inductive_bias.benchmarks.memory import peak_bytes
from inductive_bias.benchmarks.publishing import provenance_line, read_table
from inductive_bias.benchmarks.rivals import write, writer
from inductive_bias.layers import kernel
from inductive_bias.models import MixingModel, RecurrentModel
from inductive_bias.studies.automata.design import (
    BENCHMARK,
    DECODING,
    DESIGN,
    FEW,
    KEPT,
    LSTM,
    MEMORY,
    STEP,
    Shape,
    named,
)
from inductive_bias.studies.scales import PUBLISHED, Scale
from inductive_bias.studies.timings import INFERENCE, TRAINING, variant
from inductive_bias.training import OptimiserSpec

SOURCE = "generated: random values"
PER_TOKEN = {"unit": "seconds per token", "data_source": SOURCE}


@dataclass(frozen=True)
class Sizes:
    """How much is measured.

    Attributes:
        shape: of the models.
        lengths: tokens of a sequence.
        tokens: of a step of training and of a forward pass; each length divides it.
        held: tokens of the pass whose memory is counted.
        written: tokens that are decoded per repeat.
        scale: whose models of the study ``automata``.
        steps: of their training per repeat.
    """

    shape: Shape = field(default_factory=Shape)
    lengths: tuple[int, ...] = (64, 128, 256, 512, 1024, 2048, 4096)
    tokens: int = 8192
    held: int = 4096
    written: int = 20
    scale: Scale = PUBLISHED
    steps: int = 3


def measure(repeats: int, *, real: bool = False, sizes: Sizes | None = None) -> pd.DataFrame:
    """All measures, ``repeats`` times; columns :data:`~inductive_bias.benchmarks.base.COLUMNS`.

    There are no real data to ask for: what a model costs does not depend on the values.
    """
    sizes = sizes or Sizes()
    measures = (training_rows, few_rows, inference_rows, decoding_rows, memory_rows, automata_rows)
    with torch.random.fork_rng(devices=[]), kernel(False):
        torch.manual_seed(0)
        rows = [row for rows_of in measures for row in rows_of(sizes, repeats)]
    return pd.DataFrame(rows, columns=COLUMNS)


def sizes_of(scale: Scale) -> Sizes:
    """How much is measured at a scale: of the models of its study, and at smoke scale of tiny models."""
    if scale != "smoke":
        return Sizes(scale=scale)
    tiny = Shape(width=16, layers=1, heads=2, symbols=8)
    return Sizes(shape=tiny, lengths=(64, 1024, 4096), tokens=4096, written=2, scale=scale, steps=1)


def times(scale: Scale) -> pd.DataFrame:
    """What the page shows at a scale: the published table at laptop scale, else one short measurement.

    Raises:
        StoreError: at laptop scale, if nothing has been published.
    """
    return read_table(BENCHMARK) if scale == PUBLISHED else measure(1, sizes=sizes_of(scale))


def origin(scale: Scale) -> str:
    """One line: where the table of :func:`times` comes from."""
    return provenance_line(BENCHMARK) if scale == PUBLISHED else f"Benchmark {BENCHMARK}: measured here, not published."


def training_rows(sizes: Sizes, repeats: int) -> Iterator[dict]:
    """*training*, equally many tokens per step."""
    return _step_rows(TRAINING, sizes, repeats, sizes.tokens)


def few_rows(sizes: Sizes, repeats: int) -> Iterator[dict]:
    """*training, few sequences*: as many as the longest have in *training*."""
    return _step_rows(FEW, sizes, repeats, None)


def _step_rows(measure: str, sizes: Sizes, repeats: int, tokens: int | None) -> Iterator[dict]:
    few = sizes.tokens // max(sizes.lengths)
    for length in sizes.lengths:
        batch = few if tokens is None else tokens // length
        inputs = _tokens(sizes.shape.symbols, batch, length)
        work = {name: trainer(model, inputs) for name, model in models_of(sizes).items()}
        yield from timed_rows(
            measure, variant(length), work, repeats, size=length, first=LSTM, per=inputs.numel(), **PER_TOKEN
        )


def inference_rows(sizes: Sizes, repeats: int) -> Iterator[dict]:
    """*inference*, of the tokens of a step of training."""
    for length in sizes.lengths:
        inputs = _tokens(sizes.shape.symbols, sizes.tokens // length, length)
        work = {name: partial(_read, model.eval(), inputs) for name, model in models_of(sizes).items()}
        yield from timed_rows(
            INFERENCE, variant(length), work, repeats, size=length, first=LSTM, per=inputs.numel(), **PER_TOKEN
        )


def decoding_rows(sizes: Sizes, repeats: int) -> Iterator[dict]:
    """*decoding*, and beside it *kept*, after so many tokens."""
    for length in sizes.lengths:
        inputs, models = _tokens(sizes.shape.symbols, 1, length + 1), models_of(sizes)
        work = {name: partial(write, writer(model.eval(), inputs), sizes.written) for name, model in models.items()}
        yield from timed_rows(
            DECODING, variant(length), work, repeats, size=length, first=LSTM, per=sizes.written, **PER_TOKEN
        )
        kept = {name: float(kept_bytes(model, inputs[:, :-1])) for name, model in models.items()}
        yield from _counted(KEPT, length, kept, repeats, unit="bytes")


def memory_rows(sizes: Sizes, repeats: int) -> Iterator[dict]:
    """*memory* of a forward and backward pass over equally many tokens; the weights themselves are not counted."""
    for length in sizes.lengths:
        inputs, found = _tokens(sizes.shape.symbols, sizes.held // length, length), {}
        for name, model in models_of(sizes).items():
            known = (inputs, *model.parameters())
            found[name] = peak_bytes(partial(_backward, model, inputs), known=known) / inputs.numel()
        yield from _counted(MEMORY, length, found, repeats, unit="bytes per token")


def automata_rows(sizes: Sizes, repeats: int) -> Iterator[dict]:
    """*step of automata*: every model of the study with its layers, on words of the last automaton of its plan."""
    last = DESIGN.levels(sizes.scale)["automaton"][-1]
    work = {}
    for at, (trial, *_) in DESIGN.cells(sizes.scale).items():
        if at["automaton"] == last:
            dimensions = trial.task.dimensions
            inputs = _tokens(dimensions["vocabulary"], trial.schedule.batch_size, trial.task.length)
            step = trainer(trial.model.build(**dimensions), inputs)
            work[named(at["model"], at["layers"])] = partial(_again, step, sizes.steps)
    return timed_rows(
        STEP,
        "any automaton",
        work,
        repeats,
        first=named(LSTM, 1),
        per=sizes.steps,
        unit="seconds per step",
        data_source=SOURCE,
    )


def models_of(sizes: Sizes) -> dict[str, nn.Module]:
    """Every model, as it is before training."""
    return {name: spec.build(**sizes.shape.dimensions) for name, spec in sizes.shape.specs.items()}


def trainer(model: nn.Module, inputs: Tensor) -> Callable[[], None]:
    """One step of training, as a trial makes it: each position has its own class to say."""
    settings = OptimiserSpec()
    stepper, targets = settings.build(model.train()), torch.zeros(inputs.shape, dtype=torch.int64)

    def step() -> None:
        stepper.zero_grad(set_to_none=True)
        F.cross_entropy(model(inputs).flatten(0, 1), targets.flatten()).backward()
        nn.utils.clip_grad_norm_(model.parameters(), settings.clip_norm)
        stepper.step()

    return step


@torch.no_grad()
def kept_bytes(model: MixingModel | RecurrentModel, inputs: Tensor) -> int:
    """What a model keeps of ``inputs [1, n]`` to go on from: keys and values, states, or both."""
    _, kept = model.prefill(inputs) if isinstance(model, MixingModel) else model.carried(inputs)
    return sum(each.numel() * each.element_size() for each in tree_leaves(kept) if isinstance(each, Tensor))


def _tokens(symbols: int, batch: int, length: int) -> Tensor:
    return torch.randint(symbols, (batch, length))


def _backward(model: nn.Module, inputs: Tensor) -> None:
    model(inputs).square().mean().backward()


@torch.no_grad()
def _read(model: nn.Module, inputs: Tensor) -> None:
    model(inputs)


def _again(step: Callable[[], object], times: int) -> None:
    for _ in range(times):
        step()


def _counted(measure: str, length: int, found: Mapping[str, float], repeats: int, *, unit: str) -> Iterator[dict]:
    """What is the same in every repeat."""
    about = {"size": length, "unit": unit, "data_source": SOURCE}
    for repeat in range(repeats):
        for name, value in found.items():
            yield ratio_row(measure, name, variant(length), value=value, reference=found[LSTM], repeat=repeat, **about)


SPEED = Benchmark(
    BENCHMARK,
    "What do models of equal size cost, by the length of what they read?",
    measure,
    "Automata and real data",
    threads=1,
)
