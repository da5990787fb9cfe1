"""What training on sentences costs: where the loop's time goes, what buckets by length save, and the output layer.

Four measures, each a ratio within one run:

- *time share*: of the loop's time, the part in forward, backward and optimiser;
- *speed*: sentences a second of the package's loop over those of a plain one;
- *output layer*: tokens a second, forward and backward, over ``cross_entropy(linear(…))``;
- *padding*: of the tokens that are computed, those that are padding.
"""

import copy
import os
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import partial

import pandas as pd
import torch
import torch.nn.functional as F
from torch import Tensor

from inductive_bias.benchmarks.base import COLUMNS, Benchmark, in_turns, ratio_row
from inductive_bias.benchmarks.loops import Epoch, package_epoch, plain_epoch
from inductive_bias.losses import OutputLayer, vocabulary_cross_entropy
from inductive_bias.protocols import Protocol
from inductive_bias.running import build, protocol_of
from inductive_bias.studies.agreement.design import LAPTOP_SAMPLE, SIZES
from inductive_bias.studies.language_models.design import PARTS, WIKITEXT
from inductive_bias.studies.scales import PUBLISHED, Scale
from inductive_bias.studies.study import Page
from inductive_bias.tasks import Agreement, GeneratedAgreement
from inductive_bias.tasks.files import ENV_DATA
from inductive_bias.tasks.vocabulary import PAD, lengths_of
from inductive_bias.training import OptimiserSpec, ScheduleSpec
from inductive_bias.trials import Trial

MODELS = ("LSTM", "Bidirectional Transformer")
#: What the loop promises: its own share of the time is small, and buckets pay.
LEAST_SHARE, LEAST_SPEED = 0.95, 1.5


@dataclass(frozen=True)
class Sizes:
    """How much is measured.

    Attributes:
        scale: whose models and batch sizes.
        sentences: an epoch.
        tokens: a call of the output layer, about those of a batch.
        words: of the output layer.
        calls: of the output layer a repeat.
    """

    scale: Scale = PUBLISHED
    sentences: int = 12_000
    tokens: int = 1024
    words: int = 10_000
    calls: int = 10


def measure(repeats: int, *, real: bool = False, sizes: Sizes = Sizes()) -> pd.DataFrame:
    """Measures of the training loop, ``repeats`` times; columns :data:`~inductive_bias.benchmarks.base.COLUMNS`.

    Raises:
        DataError: if the real data are asked for (by ``real``, or by naming their folder in ``INDUCTIVE_BIAS_DATA``)
            and missing or damaged; otherwise sentences of the grammar stand in, and ``data_source`` says so.
    """
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(0)
        trials = {name: trial_of(name, sizes, real=real) for name in MODELS}
        rows = [row for name, trial in trials.items() for row in loop_rows(name, trial, repeats)]
        rows += padding_rows(trials[MODELS[0]], repeats)
        rows += output_rows(sizes, repeats)
    order = {"time share": 0, "speed": 1, "padding": 2, "output layer": 3}
    table = pd.DataFrame(rows, columns=COLUMNS)
    return table.sort_values("measure", key=lambda names: names.map(order), kind="stable", ignore_index=True)


def trial_of(model: str, sizes: Sizes, *, real: bool) -> Trial:
    """The agreement study's trial of ``model``, with a part of its sentences."""
    study = SIZES[sizes.scale]
    return Trial(
        task=_task(sizes, real=real),
        model=study.models[model],
        optimiser=OptimiserSpec(learning_rate=study.rate),
        schedule=ScheduleSpec(epochs=1, batch_size=study.training.batch_size),
    )


def _task(sizes: Sizes, *, real: bool) -> Agreement | GeneratedAgreement:
    if real or os.environ.get(ENV_DATA):
        return LAPTOP_SAMPLE.model_copy(update={"train_size": sizes.sentences})
    return GeneratedAgreement(train_size=sizes.sentences)


def loop_rows(name: str, trial: Trial, repeats: int) -> Iterator[dict]:
    """*time share* and *speed* of one model; both loops start from the same weights in every repeat."""
    data = trial.task.load()
    protocol, model, train = protocol_of(trial, data), build(trial), data["train"]

    def both(repeat: int) -> tuple[Epoch, Epoch]:
        ours = package_epoch(trial, protocol, copy.deepcopy(model), seed=repeat)
        return ours, plain_epoch(trial, train, copy.deepcopy(model), seed=repeat)

    both(0)  # untimed: the first calls of a process choose kernels and fill the caches
    for repeat in range(repeats):
        ours, plain = both(repeat)
        about = {"repeat": repeat, "data_source": train.source}
        shares = ours.phases | {"all three": sum(ours.phases.values())}
        for phase, spent in shares.items():
            target = {"target": LEAST_SHARE} if phase == "all three" else {}
            yield ratio_row(
                "time share", name, phase, value=spent, reference=ours.seconds, unit="seconds", **about, **target
            )
        yield ratio_row(
            "speed",
            name,
            "buckets over a plain loop",
            value=ours.sentences / ours.seconds,
            reference=plain.sentences / plain.seconds,
            unit="sentences a second",
            target=LEAST_SPEED,
            **about,
        )


def padding_rows(trial: Trial, repeats: int) -> Iterator[dict]:
    """*padding* of an epoch: with buckets, padded to the longest of a random batch, or to the longest of the set."""
    data = trial.task.load()
    protocol, train = protocol_of(trial, data), data["train"]
    for repeat in range(repeats):
        for variant, batches in _paddings(trial, protocol, repeat).items():
            counts = [(int((tokens == PAD).sum()), tokens.numel()) for tokens in batches]
            padding, computed = (float(sum(column)) for column in zip(*counts, strict=True))
            about = {"repeat": repeat, "unit": "tokens", "data_source": train.source}
            yield ratio_row("padding", "any", variant, value=padding, reference=computed, **about)


def _paddings(trial: Trial, protocol: Protocol, seed: int) -> dict[str, Iterable[Tensor]]:
    """The tokens of each batch of an epoch, by the way of padding; every way has every sentence once."""
    train, order = protocol.given.train, torch.Generator().manual_seed(seed)
    buckets = [batch.inputs for batch in protocol.batching.epoch(order, torch.device("cpu"))]
    chosen = torch.randperm(len(train), generator=order).split(trial.schedule.batch_size)
    plain = [train.inputs[index, : int(lengths_of(train.inputs[index]).max())] for index in chosen]
    return {"buckets": buckets, "longest of a random batch": plain, "longest of the set": [train.inputs]}


def output_rows(sizes: Sizes, repeats: int) -> Iterator[dict]:
    """*output layer*: the chunked loss in two precisions over the plain one in float32, forward and backward."""

    def calls(loss: Callable[[], Tensor]) -> None:
        for _ in range(sizes.calls):
            loss().backward()

    tokens = sizes.tokens * sizes.calls
    work = {name: partial(calls, loss) for name, loss in output_losses(sizes).items()}
    for repeat, took in enumerate(in_turns(work, repeats)):
        for variant in ("float32", "bfloat16"):
            yield ratio_row(
                "output layer",
                f"{sizes.words:,} words",
                variant,
                value=tokens / took[variant],
                reference=tokens / took["plain"],
                repeat=repeat,
                unit="tokens a second",
                data_source="generated: random states",
            )


def output_losses(sizes: Sizes) -> dict[str, Callable[[], Tensor]]:
    """The three losses of the same random states, by name; each forgets the gradients of the call before."""
    random = torch.Generator().manual_seed(0)
    width = PARTS[sizes.scale][WIKITEXT].models[0].width
    states = torch.randn(sizes.tokens, width, generator=random, requires_grad=True)
    weight = (torch.randn(sizes.words, width, generator=random) * 0.05).requires_grad_()
    output = OutputLayer(weight, torch.zeros(sizes.words, requires_grad=True))
    targets = torch.randint(sizes.words, (sizes.tokens,), generator=random)

    def fresh(loss: Callable[[], Tensor]) -> Callable[[], Tensor]:
        def call() -> Tensor:
            for leaf in (states, *output):
                leaf.grad = None
            return loss()

        return call

    return {
        "plain": fresh(lambda: F.cross_entropy(F.linear(states, *output), targets)),
        "float32": fresh(lambda: vocabulary_cross_entropy(states, output, targets)),
        "bfloat16": fresh(lambda: vocabulary_cross_entropy(states, output, targets, precision=torch.bfloat16)),
    }


TRAINING = Benchmark(
    "training",
    "Which parts of training on sentences take the most time, and how much do buckets save?",
    measure,
    "Results and reference",
    (Page("benchmarks", "What makes training faster?", "ratios of speed, measured in one run"),),
)
