"""Which runs of MIT-BIH are compared in what they look at, which beats are explained, and what of them.

Compared are the six models of one number at their usual depths. Explained is the margin of the right class after the
last sample, of test beats which all of these answer rightly: models of unequal accuracy are asked about the same beats.
"""

from typing import NamedTuple

import torch
from jaxtyping import Bool, Float, Int64
from torch import Tensor, nn

from inductive_bias.analysis.attribution import margin
from inductive_bias.analysis.signal_attribution import Score
from inductive_bias.protocols.measures import outputs_of
from inductive_bias.protocols.objectives import at_end
from inductive_bias.studies.real_world.design import MITBIH, MODELS, USUAL_LAYERS
from inductive_bias.studies.runs import Runs
from inductive_bias.tasks import Split
from inductive_bias.trials import Trial

#: Beats of a kind and record at most: that models are asked about, and that are explained.
MOST_ASKED, MOST_EXPLAINED = 100, 3
#: The least margin of a beat, since what is lost is a share of it.
LEAST_MARGIN = 0.1


class Beats(NamedTuple):
    """Beats that are explained.

    Attributes:
        inputs: ``[n, t, c]``.
        labels: the right classes, ``[n]``.
        records: whose they are, ``[n]``.
    """

    inputs: Float[Tensor, "n t c"]
    labels: Int64[Tensor, " n"]
    records: Int64[Tensor, " n"]


def margin_of(model: nn.Module, labels: Int64[Tensor, " n"]) -> Score:
    """The margin of ``labels`` after the last sample, as a score of signals ``[n, t, c]``."""
    return lambda inputs: margin(at_end(model(inputs), inputs), labels)


def numbers(runs: Runs) -> list[list[Trial]]:
    """The runs that are compared with one another: of those numbers of which there is a run of every model."""
    members, found = runs.design.members(runs.scale), {}
    for trial in runs.trials(data=MITBIH):
        at, number, _ = members[trial.id]
        if at["layers"] == USUAL_LAYERS.get(at["model"], at["layers"]):
            found.setdefault(number, []).append(trial)
    return [trials for trials in found.values() if len(trials) == len(MODELS)]


def compared(runs: Runs) -> list[Trial]:
    """All runs that are compared with one another."""
    return [trial for trials in numbers(runs) for trial in trials]


def diverged(runs: Runs, trial: Trial) -> bool:
    """Whether a run has no score."""
    rows = runs.store.rows(trial)
    found = rows.loc[(rows["split"] == "test") & (rows["metric"] == "macro_f1"), "value"]
    return bool(found.isna().any())


def chosen(models: list[nn.Module], split: Split, *, most: int = MOST_EXPLAINED) -> Beats:
    """Beats that every given model classifies rightly: at most ``most`` of a kind and record, evenly spread.

    At most 100 beats of a kind and record are tried, evenly spread too.
    """
    records, groups = split.slices["record"], []
    for record in records.unique().tolist():
        for label in split.labels.unique().tolist():
            groups.append(evenly(((records == record) & (split.labels == label)).nonzero()[:, 0], MOST_ASKED))
    asked = torch.cat(groups)
    right = torch.zeros(split.labels.shape, dtype=torch.bool)
    right[asked] = True
    for model in models:
        right[asked] &= rightly(model, split.inputs[asked], split.labels[asked])
    kept = torch.cat([evenly(places[right[places]], most) for places in groups])
    return Beats(split.inputs[kept], split.labels[kept], records[kept].long())


def evenly(places: Int64[Tensor, " n"], most: int) -> Int64[Tensor, " m"]:
    """A choice of at most ``most`` places, spread evenly from the first to the last."""
    if len(places) <= most:
        return places
    return places[torch.linspace(0, len(places) - 1, most, dtype=torch.float64).round().long()]


def rightly(model: nn.Module, inputs: Tensor, labels: Int64[Tensor, " n"]) -> Bool[Tensor, " n"]:
    """Whether the right class is ahead of every other one, and of their mean by a margin worth the name."""
    with torch.no_grad():
        logits = outputs_of(lambda chunk: at_end(model(chunk), chunk), inputs)
    return (logits.argmax(1) == labels) & (margin(logits, labels) >= LEAST_MARGIN)
