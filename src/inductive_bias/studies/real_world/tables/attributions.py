"""What models look at in a heartbeat: attributions by sample, and what deletion in their order costs, as tables.

:mod:`~inductive_bias.studies.real_world.tables.explained_beats` says of which beats. A sample is taken away by putting
that of the mean training beat in its place. Runs that diverged explain nothing: of a number that has one, the others
are compared.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import lru_cache
from typing import NamedTuple

import numpy as np
import pandas as pd
import torch
from jaxtyping import Float, Int64
from torch import Tensor, nn

from inductive_bias.analysis import signal_attribution
from inductive_bias.analysis.attribution import first_tenth
from inductive_bias.studies.real_world.measures.attributions import (
    ALL_SAMPLES,
    ATTRIBUTIONS,
    COLUMNS,
    DELETIONS,
    GRADIENT,
    INTEGRATED,
    METHODS,
    OCCLUSION,
    RANDOM_ORDER,
)
from inductive_bias.studies.real_world.tables.explained_beats import (
    Beats,
    chosen,
    compared,
    diverged,
    margin_of,
    numbers,
)
from inductive_bias.studies.runs import Runs, Table
from inductive_bias.tasks.heartbeats.task import KINDS
from inductive_bias.trials import Trial

#: Steps of integrated gradients: half of those for words, since they are most of what the tables cost.
INTEGRATION_STEPS = 25
#: Samples of a window of occlusion (50 ms), and of the blocks that have one window each.
OCCLUSION_WIDTH, OCCLUSION_BLOCK = 9, 4
#: Random orders of the samples of every beat.
RANDOM_ORDERS = 20
#: Beats that are explained at a time. With 20,000 parameters 150 beats of six models take more than a minute of one
#: core: integrated gradients half of it, random orders and occlusion a quarter each.
CHUNK = 32


class Explained(NamedTuple):
    """The beats of one number, their baseline, and of every model the attributions ``[n, t]`` by method, if any."""

    beats: Beats
    baseline: Float[Tensor, "t c"]
    found: dict[Trial, dict[str, Tensor]]


def attributions(runs: Runs) -> pd.DataFrame:
    """Where the attributions lie: ``trial, kind, method, sample, share``, the mean over the beats of a kind.

    ``share`` is the attribution without its sign, divided by its sum over the beat.
    """
    frames = []
    for beats, _, found in explained(runs):
        for trial, of in found.items():
            for method, values in of.items():
                sizes = shares(values)
                for label in beats.labels.unique().tolist():
                    share = sizes[beats.labels == label].mean(0).numpy().astype(np.float32)
                    known = {"trial": trial.id, "kind": KINDS[label], "method": method}
                    frames.append(
                        pd.DataFrame(known | {"sample": np.arange(len(share), dtype=np.int32), "share": share})
                    )
    return pd.concat(frames, ignore_index=True) if frames else pd.DataFrame(columns=COLUMNS[ATTRIBUTIONS])


def shares(values: Float[Tensor, "n t"]) -> Float[Tensor, "n t"]:
    """Attributions without their signs, of every beat divided by their sum; 0 where there is none."""
    sizes = values.abs()
    return sizes / sizes.sum(1, keepdim=True).clamp(min=torch.finfo(values.dtype).tiny)


def deletions(runs: Runs) -> pd.DataFrame:
    """What the first tenth of an order is worth: ``trial, record, kind, order, lost``.

    ``lost`` is the share of the margins that goes when these samples are replaced by those of the mean training beat,
    of their sum over the chosen beats of a record and kind: a beat that was hardly right weighs little. Samples are
    ordered by attributions without their signs. The order ``random`` is the mean over 20 orders of every beat, the same
    for all models of a number; with ``all samples`` nothing of the beat is left.
    """
    rows = []
    for beats, baseline, found in explained(runs):
        n, t, _ = beats.inputs.shape
        groups = torch.stack([beats.records, beats.labels], 1).unique(dim=0).tolist()
        for trial, of in found.items():
            generator = torch.Generator().manual_seed(trial.seed)
            orders = {
                method: values.abs().argsort(dim=1, descending=True, stable=True)[None] for method, values in of.items()
            }
            orders[RANDOM_ORDER] = torch.rand(RANDOM_ORDERS, n, t, generator=generator).argsort(2)
            orders[ALL_SAMPLES] = orders[RANDOM_ORDER][:1]
            model = runs.model(trial)
            whole = margins(model, beats)
            for name, several in orders.items():
                count = t if name == ALL_SAMPLES else first_tenth(t)
                given = model, beats, whole, baseline
                lost = torch.stack([lost_first(*given, order, count) for order in several]).mean(0)
                for record, label in groups:
                    those = (beats.records == record) & (beats.labels == label)
                    rows.append(
                        {
                            "trial": trial.id,
                            "record": record,
                            "kind": KINDS[label],
                            "order": name,
                            "lost": (lost[those].sum() / whole[those].sum()).item(),
                        }
                    )
    return pd.DataFrame(rows, columns=COLUMNS[DELETIONS])


@torch.no_grad()
def margins(model: nn.Module, beats: Beats) -> Float[Tensor, " n"]:
    """The margin of every beat as it is."""
    parts = zip(*(each.split(CHUNK) for each in beats[:2]), strict=True)
    return torch.cat([margin_of(model, labels)(inputs) for inputs, labels in parts])


@torch.no_grad()
def lost_first(
    model: nn.Module,
    beats: Beats,
    whole: Float[Tensor, " n"],
    baseline: Tensor,
    order: Int64[Tensor, "n t"],
    count: int,
) -> Float[Tensor, " n"]:
    """What every beat's margin, ``whole`` as it is, loses with the first ``count`` samples of an order."""
    after = []
    for inputs, labels, first in zip(*(each.split(CHUNK) for each in (*beats[:2], order)), strict=True):
        after.append(signal_attribution.replaced_first(margin_of(model, labels), inputs, baseline, first, count))
    return whole - torch.cat(after)


def attributed(model: nn.Module, beats: Beats, baseline: Tensor) -> dict[str, Tensor]:
    """Attributions by method, ``[n, t]``, with signs."""
    found: dict[str, list[Tensor]] = {method: [] for method in METHODS}
    for inputs, labels in zip(*(each.split(CHUNK) for each in beats[:2]), strict=True):
        given = margin_of(model, labels), inputs, baseline
        found[GRADIENT].append(signal_attribution.gradient_times_difference(*given))
        found[INTEGRATED].append(signal_attribution.integrated_gradients(*given, steps=INTEGRATION_STEPS))
        found[OCCLUSION].append(signal_attribution.occlusion(*given, width=OCCLUSION_WIDTH, every=OCCLUSION_BLOCK))
    return {method: torch.cat(parts) for method, parts in found.items()}


def explained(runs: Runs) -> Iterator[Explained]:
    """What is explained of every number that has a beat to explain."""
    for trials in numbers(runs):
        found = _explained(Number(tuple(runs.store.fingerprint(trial) for trial in trials), runs, trials))
        if found.found:
            yield found


@dataclass(frozen=True)
class Number:
    """The runs of one number, alike if their files are: what both tables ask for is then made once."""

    fingerprints: tuple[str, ...]
    runs: Runs = field(compare=False)
    trials: list[Trial] = field(compare=False)


@lru_cache(maxsize=8)
def _explained(number: Number) -> Explained:
    runs, data = number.runs, number.runs.data(number.trials[0])
    models = {trial: runs.model(trial) for trial in number.trials if not diverged(runs, trial)}
    # made-up beats stand in where models learn for two steps: so that every line runs, any answer of a few will do
    beats = chosen([], data["test"], most=1) if data.is_sample else chosen(list(models.values()), data["test"])
    baseline = data["train"].inputs.mean(0)
    asked = models if len(beats.labels) else {}
    return Explained(beats, baseline, {trial: attributed(model, beats, baseline) for trial, model in asked.items()})


TABLES = {
    name: Table(make, uses=compared, group=lambda cell, number: number)
    for name, make in ((ATTRIBUTIONS, attributions), (DELETIONS, deletions))
}
