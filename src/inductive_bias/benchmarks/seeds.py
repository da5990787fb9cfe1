"""What training the seeds of small models together saves, model by model, and up to which size it does.

Three measures, each a ratio within one run, on one thread:

- *together*: trials an hour as a stack over trials an hour one after the other, for the models of the study
  ``signal_vs_samples``; with and without a compiler;
- *size*: the same, compiled, with more sequences a step; the number is what a layer passes on in a step;
- *utilisation*: floating-point operations a second in training, of those of a large product of two matrices.
"""

from collections.abc import Callable, Iterator, Sequence

import pandas as pd
import torch
from torch import nn
from torch.utils.flop_counter import FlopCounterMode

from inductive_bias.benchmarks.base import COLUMNS, Benchmark, in_turns, ratio_row
from inductive_bias.protocols.batching import EPOCH_STEPS
from inductive_bias.running import Run, reproducible
from inductive_bias.stacked_seeds import MOST, Stack, clip_each
from inductive_bias.studies.scales import PUBLISHED, Scale
from inductive_bias.studies.signal_models import PLANE_MODELS, SIZES, Kind
from inductive_bias.studies.study import Page
from inductive_bias.training import epochs_of
from inductive_bias.trials import Trial

#: Sequences a step, as multiples of the study's.
GROWN = (1, 4, 16)
#: Whose gain is measured against size: a fused softmax, and the most operations a layer.
BY_SIZE = ("Attention", "RSA")
#: Rows and columns of the product that is taken for what the machine can do.
LARGE = 1024
SOURCE = "generated:mixed signal"
PLACE = torch.device("cpu")


def measure(
    repeats: int, *, real: bool = False, scale: Scale = PUBLISHED, grown: Sequence[int] = GROWN
) -> pd.DataFrame:
    """Costs of seeds that are trained together, ``repeats`` times; the data are always generated, whatever ``real``."""
    with reproducible(0, PLACE):
        rows = [row for kind in PLANE_MODELS for row in together_rows(kind, scale, repeats)]
        rows += [
            row for kind in PLANE_MODELS if kind.model in BY_SIZE for row in size_rows(kind, scale, grown, repeats)
        ]
        rows += [
            row for kind in PLANE_MODELS if kind.model in BY_SIZE for row in utilisation_rows(kind, scale, repeats)
        ]
    order = {"together": 0, "size": 1, "utilisation": 2}
    table = pd.DataFrame(rows, columns=COLUMNS)
    return table.sort_values("measure", key=lambda names: names.map(order), kind="stable", ignore_index=True)


def trials_of(kind: Kind, scale: Scale, *, grown: int = 1) -> list[Trial]:
    """A stack's worth of the study's trials of one model, with ``grown`` times as many sequences a step."""
    sizes = SIZES[scale]
    first = sizes.trial(kind, rho=sizes.shares[1], samples=sizes.samples[-1], seed=0)
    schedule = first.schedule.model_copy(update={"batch_size": first.schedule.batch_size * grown})
    return [first.model_copy(update={"schedule": schedule, "seed": number}) for number in range(MOST)]


def alone(run: Run) -> Callable[[], object]:
    """One epoch's steps of a run."""
    return lambda: next(epochs_of(run.model, run.batches, run.loss, **run.options))


def stacked(runs: Sequence[Run], *, compiled: bool) -> Callable[[], object]:
    """One epoch's steps of all runs as a stack."""
    stack = Stack(runs, compiled=compiled)
    options = runs[0].options | {"clip": clip_each, "losses": (len(runs),)}
    return lambda: next(epochs_of(stack, stack.batches, Stack.forward, **options))


def together_rows(kind: Kind, scale: Scale, repeats: int) -> Iterator[dict]:
    """*together* of one model: trials an hour, each as long as in the study; measuring them is not counted."""
    trials = trials_of(kind, scale)
    runs = [Run(each, PLACE, None) for each in trials]
    work = {"alone": alone(runs[0])}
    work |= {"stacked": stacked(runs, compiled=False), "stacked, compiled": stacked(runs, compiled=True)}
    per_hour = 3600 / trials[0].schedule.epochs
    for repeat, took in enumerate(in_turns(work, repeats)):
        for variant in ("stacked", "stacked, compiled"):
            value, reference = per_hour * len(runs) / took[variant], per_hour / took["alone"]
            about = {"repeat": repeat, "unit": "trials an hour", "data_source": SOURCE}
            yield ratio_row("together", str(kind), variant, value=value, reference=reference, **about)


def size_rows(kind: Kind, scale: Scale, grown: Sequence[int], repeats: int) -> Iterator[dict]:
    """*size* of one model: steps a second by the numbers that a layer passes on in a step."""
    for times in grown:
        runs = [Run(each, PLACE, None) for each in trials_of(kind, scale, grown=times)]
        numbers = runs[0].trial.schedule.batch_size * runs[0].trial.task.length * runs[0].trial.model.width
        work = {"alone": alone(runs[0]), "stacked": stacked(runs, compiled=True)}
        for repeat, took in enumerate(in_turns(work, repeats)):
            value, reference = len(runs) * EPOCH_STEPS / took["stacked"], EPOCH_STEPS / took["alone"]
            about = {"size": numbers, "repeat": repeat, "unit": "steps a second", "data_source": SOURCE}
            yield ratio_row("size", str(kind), f"{numbers:,} numbers", value=value, reference=reference, **about)


def utilisation_rows(kind: Kind, scale: Scale, repeats: int) -> Iterator[dict]:
    """*utilisation* of one model, alone and as a compiled stack; the work is counted once, on a step alone."""
    runs = [Run(each, PLACE, None) for each in trials_of(kind, scale)]
    needed = EPOCH_STEPS * operations(runs[0].model, next(iter(runs[0].batches())).inputs)
    square = torch.randn(LARGE, LARGE)
    work = {"alone": alone(runs[0]), "stacked, compiled": stacked(runs, compiled=True), "peak": lambda: square @ square}
    for repeat, took in enumerate(in_turns(work, repeats)):
        peak = 2 * LARGE**3 / took["peak"] / 1e9
        for variant, models in (("alone", 1), ("stacked, compiled", len(runs))):
            about = {"repeat": repeat, "unit": "GFLOP/s", "data_source": SOURCE}
            value = models * needed / took[variant] / 1e9
            yield ratio_row("utilisation", str(kind), variant, value=value, reference=peak, **about)


def operations(model: nn.Module, inputs: torch.Tensor) -> int:
    """Floating-point operations of the products in a forward and backward pass."""
    with FlopCounterMode(display=False) as counter:
        model(inputs).sum().backward()
    model.zero_grad(set_to_none=True)
    return counter.get_total_flops()


SEEDS = Benchmark(
    "seeds",
    "How much faster is training several seeds of a small model together, and up to which size?",
    measure,
    "Results and reference",
    (Page("benchmarks", "What makes training faster?", "ratios of speed, measured in one run"),),
)
