"""Tables made from the trained models: how fast they forget, and what they lose with the last inputs or words alone."""

import pandas as pd
import torch
from torch import Tensor, nn

from inductive_bias.analysis.forgetting import gradient_norms, largest_stretch
from inductive_bias.analysis.influence import bits_by_context, words_of
from inductive_bias.analysis.truncation import in_float64
from inductive_bias.layers import certified_contraction
from inductive_bias.losses import key_cross_entropy
from inductive_bias.models import RecurrentModel
from inductive_bias.protocols.measures.music import nll_per_step, scores
from inductive_bias.studies.runs import Runs, Table
from inductive_bias.studies.scales import Scale
from inductive_bias.studies.stable_benchmarks.design import CHARACTERS, CONSTRAINTS, FREE, JSB, STABLE, after
from inductive_bias.studies.stable_benchmarks.measures import TRAINED, UNTRAINED
from inductive_bias.tasks import Split, TaskData
from inductive_bias.tasks.characters import decode
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
#: Shares of the places below a value.
QUANTILES = (0.05, 0.25, 0.5, 0.75, 0.95)
#: Words before a word that a network may see; and words of a passage that have so many before them. In a pilot (an LSTM
#: of another seed, one epoch) the words beyond the fifth were worth .0001 bits per character.
WORDS_BEFORE: dict[Scale, int] = {"smoke": 3, "laptop": 12, "paper": 32}
WORDS_SCORED: dict[Scale, int] = {"smoke": 4, "laptop": 40, "paper": 40}
#: Passages of the test text, at equal distances, so that nobody chooses them; the one in the middle is shown.
PASSAGES: dict[Scale, int] = {"smoke": 2, "laptop": 50, "paper": 200}


def context_curves(runs: Runs) -> pd.DataFrame:
    """Test loss of every trained model whose states are computed from the last k inputs: ``trial, context, value``.

    The weights are those of the whole model; ``context`` 0 is the whole past.
    """
    rows = []
    for trial in of_chorales(runs):
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
    for trial, stopped in followed(runs):
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


def words_kept(runs: Runs) -> pd.DataFrame:
    """What networks lose with the last words alone: ``trial, context, value`` (bits per character).

    Over the same words of all passages, each of which has :data:`WORDS_BEFORE` words before it.
    """
    most, rows = WORDS_BEFORE[runs.scale], []
    for trial in readers(runs):
        model, bits, count = runs.model(trial), torch.zeros(most + 1, dtype=torch.float64), 0
        for symbols, words in passages(runs.data(trial), runs.scale):
            bits += bits_by_context(model, symbols, words, most)[most:].sum(0)
            count += words[-1].stop - words[most].start
        rows += [
            {"trial": trial.id, "context": context, "value": value / count}
            for context, value in enumerate(bits.tolist())
        ]
    return pd.DataFrame(rows, columns=["trial", "context", "value"])


def influence(runs: Runs) -> pd.DataFrame:
    """The passage in the middle, word by word: ``trial, place, word, context, bits``.

    ``bits`` of the word with ``context`` words before it; its fall from one context to the next is what that word gave.
    """
    most, rows = WORDS_BEFORE[runs.scale], []
    for trial in first_readers(runs):
        data = runs.data(trial)
        stretches_ = passages(data, runs.scale)
        symbols, words = stretches_[len(stretches_) // 2]
        found = bits_by_context(runs.model(trial), symbols, words, most)
        for place, word in enumerate(words):
            known = {"trial": trial.id, "place": place, "word": decode(symbols[word], data.alphabet).strip()}
            rows += [
                known | {"context": context, "bits": bits}
                for context, bits in enumerate(found[place, : place + 1].tolist())
            ]
    return pd.DataFrame(rows, columns=["trial", "place", "word", "context", "bits"])


def of_chorales(runs: Runs) -> list[Trial]:
    """Every run of chorales that went to its end."""
    return runs.trials(task=JSB, stopped=None)


def followed(runs: Runs) -> list[tuple[Trial, str | None]]:
    """Free models, chosen stable ones and rescaled ones of chorales, and when a run was stopped, in words."""
    members = runs.design.members(runs.scale)
    there = runs.trials(task=JSB, constraint=CONSTRAINTS)
    stops = {trial: members[trial.id][0]["stopped"] for trial in there}
    return [(trial, after(stops[trial]) if stops[trial] else None) for trial in there]


def models_followed(runs: Runs) -> list[Trial]:
    """The runs of :func:`followed`."""
    return [trial for trial, _ in followed(runs)]


def readers(runs: Runs) -> list[Trial]:
    """Free models and chosen stable ones of characters."""
    return runs.trials(task=CHARACTERS, constraint=[FREE, STABLE], stopped=None)


def first_readers(runs: Runs) -> list[Trial]:
    """The first run of every such model of characters."""
    return runs.firsts(task=CHARACTERS, constraint=[FREE, STABLE], stopped=None)


def passages(data: TaskData, scale: Scale) -> list[tuple[Tensor, list[slice]]]:
    """Ids and words of stretches of the test text."""
    symbols, count = data["test"].inputs, WORDS_BEFORE[scale] + WORDS_SCORED[scale]
    words = words_of(decode(symbols, data.alphabet))
    step = (len(words) - count) // PASSAGES[scale]
    found = []
    for first in range(step // 2, step * PASSAGES[scale], step):
        chosen = words[first : first + count]
        begin = chosen[0].start
        moved = [slice(word.start - begin, word.stop - begin) for word in chosen]
        found.append((symbols[begin : chosen[-1].stop + 1], moved))
    return found


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
    for make, uses in (
        (context_curves, of_chorales),
        (stretches, models_followed),
        (words_kept, readers),
        (influence, first_readers),
    )
}
