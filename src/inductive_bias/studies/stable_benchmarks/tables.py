"""Tables made from the trained models: what they lose with the last k inputs alone, and how fast they forget."""

import pandas as pd
import torch
from torch import Tensor, nn

from inductive_bias.analysis.forgetting import gradient_norms, largest_stretch
from inductive_bias.analysis.truncation import in_float64
from inductive_bias.layers import certified_contraction
from inductive_bias.losses import key_cross_entropy
from inductive_bias.models import RecurrentModel
from inductive_bias.protocols.measures.music import nll_per_step, scores
from inductive_bias.studies.runs import Runs, Table
from inductive_bias.studies.scales import Scale
from inductive_bias.studies.searching import STANDARD
from inductive_bias.studies.stable_benchmarks.design import PARTS
from inductive_bias.studies.stable_benchmarks.parts import FREE, JSB, MODELS, RESCALED
from inductive_bias.studies.stable_benchmarks.reading import first_readers, influence, readers, words_kept
from inductive_bias.tasks import Split
from inductive_bias.trials import Trial

#: Inputs that a model is left with, and steps over which a difference of the state is followed.
CONTEXTS = (1, 2, 4, 8, 16, 32, 64)
LAGS: dict[Scale, tuple[int, ...]] = {
    "smoke": (2, 10),
    "laptop": (1, 2, 4, 8, 10, 16, 32),
    "paper": (1, 2, 4, 8, 10, 16, 32, 64),
}
#: About so many places in the test pieces at which Jacobians and gradients are taken.
PLACES: dict[Scale, int] = {"smoke": 20, "laptop": 200, "paper": 1_000}
TRAINED, UNTRAINED = "trained", "untrained"
#: Which runs are looked at.
WHOLE = {"task": JSB, "variant": STANDARD}
#: Shares of the places below a value.
QUANTILES = (0.05, 0.25, 0.5, 0.75, 0.95)


def context_curves(runs: Runs) -> pd.DataFrame:
    """Test loss of every trained model whose states are computed from the last k inputs: ``trial, context, value``.

    The weights are those of the whole model; ``context`` 0 is the whole past.
    """
    rows = []
    for trial in _trials(runs):
        model, split = runs.model(trial), runs.data(trial)["test"]
        for context in (None, *CONTEXTS):
            model.context = context
            value = nll_per_step(scores(model, split), split)
            rows.append({"trial": trial.id, "context": context or 0, "value": value})
    return pd.DataFrame(rows)


def stretches(runs: Runs) -> pd.DataFrame:
    """Largest singular values of ∂h_{t+m}/∂h_t at places of the test pieces, and the certificate of the layer.

    One row a model, as it began, stopped or trained, and lag m: ``trial, when, lag, certified, below`` (share of places
    with a value below 1), ``q05 … q95`` (quantiles over the places) and ``highest``; ``visible``, the median of the
    same of the outputs alone, without the cells. Gradients ‖∂loss_{t+m}/∂h_t‖: ``gradient``, their median.
    """
    rows = []
    for trial, stopped in _followed(runs):
        split = runs.data(trial)["test"]
        models = [(stopped or TRAINED, runs.model(trial))] + ([] if stopped else [(UNTRAINED, runs.untrained(trial))])
        for when, model in models:
            model = in_float64(model)
            certified, memory = certified_contraction(model.rnn, 1.0), _memory(model, split)
            for lag in (lag for lag in LAGS[runs.scale] if lag < split.slices["length"].max()):
                found, seen, slopes = _at_places(model, memory, split, lag, trial.seed, PLACES[runs.scale])
                places = {f"q{100 * share:02.0f}": found.quantile(share).item() for share in QUANTILES}
                rows.append(
                    {
                        "trial": trial.id,
                        "when": when,
                        "lag": lag,
                        "certified": certified,
                        "below": (found < 1).double().mean().item(),
                        "highest": found.max().item(),
                        "visible": seen.median().item(),
                        "gradient": slopes.median().item(),
                    }
                    | places
                )
    return pd.DataFrame(rows)


def _trials(runs: Runs) -> list[Trial]:
    """Of chorales, without those that settings were chosen by."""
    return runs.trials(**WHOLE)


def _followed(runs: Runs) -> list[tuple[Trial, str | None]]:
    """Free models, chosen stable ones and rescaled ones of chorales, and when a run was stopped."""
    part = PARTS[runs.scale][JSB]
    shown = [(model, form) for model in MODELS for form in (FREE, part.stable(model), RESCALED)]
    whole = [(trial, None) for model, form in shown for trial in runs.trials(model=model, form=form, **WHOLE)]
    return whole + [(trial, name) for name in part.stops() for trial in runs.trials(task=JSB, variant=name)]


def _uses(runs: Runs) -> list[Trial]:
    return [trial for trial, _ in _followed(runs)]


@torch.no_grad()
def _memory(model: RecurrentModel, split: Split) -> list[Tensor]:
    """The state before every step of every piece, ``[t, m]``: zeros, and what each step hands on."""
    found = []
    for inputs, length in zip(split.inputs, split.slices["length"].tolist(), strict=True):
        states = model.memory(inputs[None, :length].double())[0]
        found.append(torch.cat((torch.zeros_like(states[:1]), states[:-1])))
    return found


def _at_places(
    model: RecurrentModel, memory: list[Tensor], split: Split, lag: int, seed: int, places: int
) -> tuple[Tensor, Tensor, Tensor]:
    """Stretch of state and of outputs, and gradient norm, at random places of longer pieces than the lag."""
    generator, parts = torch.Generator().manual_seed(seed), []
    lengths = split.slices["length"].tolist()
    long = [piece for piece, length in enumerate(lengths) if length > lag]
    for piece in long:
        for first in torch.randint(
            lengths[piece] - lag, (max(1, round(places / len(long))),), generator=generator
        ).tolist():
            inputs = split.inputs[piece, first : first + lag].double()
            parts.append((memory[piece][first], inputs, split.labels[piece, first + lag - 1]))
    starts, inputs, labels = (torch.stack(each) for each in zip(*parts, strict=True))

    def loss(logits: Tensor) -> Tensor:
        return key_cross_entropy(logits[:, None], labels[:, None])[:, 0]

    found = largest_stretch(model.rnn, inputs, starts, generator=generator)
    lstm = isinstance(model.rnn, nn.LSTM)
    seen = largest_stretch(model.rnn, inputs, starts, generator=generator, visible=True) if lstm else found
    return found, seen, gradient_norms(model.rnn, model.readout, inputs, starts, loss)


TABLES = {
    make.__name__: Table(make, uses=uses, group=lambda cell, number: (cell, number))
    for make, uses in ((context_curves, _trials), (stretches, _uses), (words_kept, readers), (influence, first_readers))
}
