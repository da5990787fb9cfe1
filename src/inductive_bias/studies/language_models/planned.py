"""The design as it is to be: the published cells, and the same models on a text from which agreement can be learnt.

The paper's language models read Linzen's sentences, each with a verb whose form shows a number and with parts of speech
in place of rare words. ``Wikipedia`` is such a text of 4.1 million tokens (see :class:`LanguageModelling`).

A design cannot hold cells without published runs: whoever opened a page would train them. So these wait here. `TUNING`
chooses learning rates and dropout, on validation and with seeds of its own; `PLANNED` takes them from `CHOSEN`::

    inductive-bias run language_models --scale laptop --planned tuning
    inductive-bias run language_models --scale laptop --planned wikipedia

When its runs are all there, `PLANNED` becomes the study's design in the commit that publishes them
(``inductive-bias publish --extend``).
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from typing import NamedTuple

from inductive_bias.models import LSTMSpec
from inductive_bias.studies.agreement.design import checkpoints
from inductive_bias.studies.design import NO_TEACHER, Cell, Design, Level
from inductive_bias.studies.language_models import design
from inductive_bias.studies.language_models.design import (
    FIRST_STUDENT_SEED,
    LSTM,
    MODELS,
    SMALL_LSTM,
    TRANSFORMER,
    causal,
)
from inductive_bias.studies.scales import Scale
from inductive_bias.tasks import LanguageModelling
from inductive_bias.tasks.language_modelling import REAL_PAIRS
from inductive_bias.training import OptimiserSpec, ScheduleSpec
from inductive_bias.trials import Distillation, Trial

TEXTS = ("WikiText-2", "Wikipedia")
PUBLISHED_TEXT, WIKIPEDIA = TEXTS
#: What a model learns from, which decides how it is best trained.
TARGETS = ("labels", "soft")
LABELS, SOFT = TARGETS
SEEDS = 4
TUNING_SEED = 100
#: Model and teacher of the runs whose training paths are compared.
PATHS = ((LSTM, NO_TEACHER), (TRANSFORMER, NO_TEACHER), (TRANSFORMER, LSTM), (TRANSFORMER, TRANSFORMER))


def _kind(model: str) -> str:
    return "lstm" if model in (LSTM, SMALL_LSTM) else "transformer"


class Chosen(NamedTuple):
    """How a model is trained on a kind of target."""

    rate: float
    dropout: float


#: The grid, by kind of model. It has a rate on either side of every winner: a winner at an edge moves the grid, and its
#: model and kind of target have ``FURTHER`` rates.
RATES: Mapping[str, Sequence[float]] = {"lstm": (2e-3, 4e-3, 8e-3), "transformer": (1e-3, 2e-3, 4e-3)}
FURTHER: Mapping[tuple[str, str], Sequence[float]] = {}
DROPOUTS = (0.0, 0.1, 0.3)
#: Until the grid has been run, its middle. To be written before the first run of `PLANNED`.
MIDDLE = {"lstm": Chosen(4e-3, 0.1), "transformer": Chosen(2e-3, 0.1)}
CHOSEN: dict[tuple[str, str], Chosen] = {
    (model, targets): MIDDLE[_kind(model)] for model, targets in product(MODELS, TARGETS)
}


@dataclass(frozen=True)
class Sizes:
    """The arguments of one scale; widths in the order of `MODELS`, precision by kind of model."""

    task: LanguageModelling
    widths: tuple[int, int, int, int]
    layers: Mapping[str, int]
    schedule: ScheduleSpec
    precision: Mapping[str, str]
    tuning_sentences: int
    tuning_epochs: int


_TEXT = LanguageModelling(
    corpus="wikipedia", sentences="present tense", rare_words="parts of speech", pairs=(*REAL_PAIRS, "blimp")
)
SIZES: dict[Scale, Sizes] = {
    "smoke": Sizes(
        task=LanguageModelling(corpus="grammar", train_sentences=600, vocabulary_size=400, data_seed=1),
        widths=(16, 8, 16, 8),
        layers={"lstm": 2, "transformer": 2},
        schedule=ScheduleSpec(epochs=1, batch_size=32),
        precision={"lstm": "float32", "transformer": "float32"},
        tuning_sentences=100,
        tuning_epochs=1,
    ),
    # three eighths of the paper's widths. A search has three epochs of half of the sentences: a third of the steps,
    # and no sentence is seen as often
    "laptop": Sizes(
        task=_TEXT,
        widths=(192, 96, 384, 192),
        layers={"lstm": 2, "transformer": 4},
        schedule=ScheduleSpec(epochs=5, batch_size=256, output_precision="bfloat16"),
        precision={"lstm": "bfloat16", "transformer": "bfloat16"},
        tuning_sentences=72_000,
        tuning_epochs=3,
    ),
    "paper": Sizes(
        task=_TEXT,
        widths=(512, 256, 1024, 512),
        layers={"lstm": 2, "transformer": 6},
        schedule=ScheduleSpec(epochs=60, batch_size=64),
        precision={"lstm": "bfloat16", "transformer": "bfloat16"},
        tuning_sentences=140_000,
        tuning_epochs=20,
    ),
}  # fmt: skip


def levels(scale: Scale) -> Mapping[str, Sequence[Level]]:
    """The published factors and the text that is read."""
    return {"text": TEXTS, **design.levels(scale)}


def trial(scale: Scale, number: int, *, text: str, model: str, teacher: str) -> Trial | None:
    """On the published text the published trial; on the other a model alone, or a student of the teacher's number."""
    published = design.trial(scale, number, model=model, teacher=teacher)
    if text == PUBLISHED_TEXT:
        return published if number < design.SIZES[scale].seeds else None
    if published is None:  # nobody asks for this pair
        return None
    seed, taught_by, targets = number, None, LABELS
    if teacher != NO_TEACHER:
        seed, targets = number + FIRST_STUDENT_SEED, SOFT
        taught_by = trial(scale, number, text=text, model=teacher, teacher=NO_TEACHER)
    sizes = SIZES[scale]
    kept = checkpoints(sizes.schedule.epochs) if (model, teacher) in PATHS else ()
    return _made(scale, model, CHOSEN[model, targets], seed, taught_by).model_copy(update={"checkpoints": kept})


def label(text: str, model: str, teacher: str) -> str:
    """``LSTM, Wikipedia``, or ``Small LSTM → Sequential Transformer, WikiText-2``."""
    return f"{design.label(model, teacher)}, {text}"


def tuning_levels(scale: Scale) -> Mapping[str, Sequence[Level]]:
    """Every model and kind of target with every rate of its grid and every dropout."""
    rates = sorted({rate for each in (*RATES.values(), *FURTHER.values()) for rate in each})
    return {"model": MODELS, "targets": TARGETS, "rate": rates, "dropout": DROPOUTS}


def tuning_trial(scale: Scale, number: int, *, model: str, targets: str, rate: float, dropout: float) -> Trial | None:
    """A short training on the first sentences, without pairs. Soft targets are those of its own kind."""
    if rate not in grid(model, targets):
        return None
    seed, taught_by = TUNING_SEED + number, None
    if targets == SOFT:
        taught_by = _made(scale, model, CHOSEN[model, LABELS], seed, None, tuning=True)
        seed += FIRST_STUDENT_SEED
    return _made(scale, model, Chosen(rate, dropout), seed, taught_by, tuning=True)


def grid(model: str, targets: str) -> Sequence[float]:
    """The learning rates that are tried."""
    return (*RATES[_kind(model)], *FURTHER.get((model, targets), ()))


def winners(validation: Mapping[Cell, float]) -> dict[tuple[str, str], Chosen]:
    """From the mean validation perplexity of every cell of `TUNING`: the best of each model and kind of target.

    Raises:
        ValueError: if a winner has the lowest or highest rate of its grid: then nobody knows where the best one is.
    """
    found: dict[tuple[str, str], tuple[float, Chosen]] = {}
    for cell, value in validation.items():
        place, chosen = (cell["model"], cell["targets"]), Chosen(cell["rate"], cell["dropout"])
        found[place] = min(found.get(place, (value, chosen)), (value, chosen))
    for (model, targets), (_, chosen) in found.items():
        tried = grid(model, targets)
        if chosen.rate in (min(tried), max(tried)):
            raise ValueError(f"{model} with {targets}: the best rate {chosen.rate:g} is at the edge of {tried}")
    return {place: chosen for place, (_, chosen) in found.items()}


def _made(scale: Scale, model: str, chosen: Chosen, seed: int, teacher: Trial | None, *, tuning: bool = False) -> Trial:
    sizes, kind = SIZES[scale], _kind(model)
    task, epochs = sizes.task, sizes.schedule.epochs
    if tuning:
        task = task.model_copy(update={"train_sentences": sizes.tuning_sentences, "pairs": ()})
        epochs = sizes.tuning_epochs
    width, dropout = sizes.widths[MODELS.index(model)], {"dropout": chosen.dropout, "embedding_dropout": chosen.dropout}
    if kind == "lstm":
        spec = LSTMSpec(width=width, layers=sizes.layers[kind], **dropout)
    else:
        heads = 2 if scale == "smoke" else max(4, width // 64)
        spec = causal(width=width, layers=sizes.layers[kind], heads=heads, attention_dropout=chosen.dropout, **dropout)
    return Trial(
        task=task,
        model=spec,
        optimiser=OptimiserSpec(learning_rate=chosen.rate),
        schedule=sizes.schedule.model_copy(update={"precision": sizes.precision[kind], "epochs": epochs}),
        seed=seed,
        distill=Distillation(teacher=teacher) if teacher else None,
    )


PLANNED = Design(levels, trial, lambda scale: SEEDS, label)
TUNING = Design(tuning_levels, tuning_trial, lambda scale: 1)
