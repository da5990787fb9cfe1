"""The design of the agreement study: the ladder of recurrence, who teaches whom, on which data and how much.

A cell is a model, its teacher, the training data, how many of its sentences, a variant of the training, and, of runs
that settings are chosen by, learning rate and dropout.

At laptop scale the study grows in steps, since a session has hours and the whole takes ten: a :class:`Part` says how
many runs of each of its cells there are. To grow, raise these numbers, commit, and call ``inductive-bias run agreement
--scale laptop --extend``, then ``inductive-bias publish agreement --scale laptop --extend --mixed``. Students and the
tables that compare runs need the teachers of their numbers, so that a block of :data:`BLOCK` numbers is run as a whole.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import product

from inductive_bias.models import LSTMSpec, TransformerSpec
from inductive_bias.studies.agreement.parts import (
    ALL,
    DRAWN,
    ENRICHED,
    GRAMMAR,
    LABELS,
    LADDER,
    LONGER,
    MAIN,
    MODELS,
    NATURAL,
    PATIENT,
    PLAIN,
    RICH,
    SAMPLE,
    SEQUENTIAL,
    SHARED,
    STRONG,
    TRAIN_MODE,
    WEAK,
    Part,
    Task,
)
from inductive_bias.studies.design import NO_TEACHER, Cell, GridDesign, Level
from inductive_bias.studies.scales import Scale
from inductive_bias.studies.searching import CHOSEN, FIRST_TUNING_SEED, STANDARD, TUNING, Grid
from inductive_bias.tasks import Agreement, GeneratedAgreement
from inductive_bias.training import OptimiserSpec, ScheduleSpec
from inductive_bias.trials import Distillation, Trial

#: Students start at this seed, so that none shares its initial weights with a teacher.
FIRST_STUDENT_SEED = 10
#: The same where there may be more numbers.
FIRST_OF_MANY = 100
#: Runs of so many numbers that follow each other are compared in tables, and must be there together.
BLOCK = 2
#: Levels: the main training set as a whole, and what learns from its labels.
WHOLE = {"data": MAIN, "sentences": ALL, "variant": STANDARD, "rate": CHOSEN, "dropout": CHOSEN}
ALONE = {"teacher": NO_TEACHER, **WHOLE}


@dataclass(frozen=True)
class Sizes:
    """The arguments of one scale. All models learn at one rate, and students as long as others unless told.

    ``main`` has the level ``data``; ``longer`` has teachers of the shorter training; ``others`` are training sets by
    data and number of sentences, ``parts`` those that the scale grows by.
    """

    main: Task
    models: Mapping[str, LSTMSpec | TransformerSpec]
    rate: float
    training: ScheduleSpec
    seeds: int
    student_training: ScheduleSpec | None = None
    longer: ScheduleSpec | None = None
    others: Mapping[tuple[str, int], tuple[Task, ScheduleSpec]] = field(default_factory=dict)
    data: str = MAIN
    parts: Mapping[str, Part] = field(default_factory=dict)


def steps(epochs: int, batch_size: int = 128) -> ScheduleSpec:
    """How long one training set is learnt; the same for every model."""
    return ScheduleSpec(epochs=epochs, batch_size=batch_size)


def models(
    lstm: LSTMSpec, *, width: int, shared_width: int, **choices: object
) -> dict[str, LSTMSpec | TransformerSpec]:
    """An LSTM and the four Transformers; those with one block for all layers are wider, at about as many weights."""
    transformers = [
        TransformerSpec(causal=causal, shared=shared, width=shared_width if shared else width, **choices)
        for causal in (False, True)
        for shared in (False, True)
    ]
    return {spec.name: spec for spec in (*transformers, lstm)}


#: Sizes of the sweeps at laptop scale. Small sets are seen more often, the largest least: about equally many steps.
GRAMMAR_SIZES = {300: steps(60, 32), 1_000: steps(40, 32), 3_000: steps(20, 32), 10_000: steps(8, 64)}
SAMPLE_SIZES = {4_000: steps(16), 13_000: steps(6)}
#: Thirds of 150,000, and fewer steps the smaller the set: four sizes take little longer than the whole.
WIKIPEDIA_SIZES = {2_000: steps(30, 32), 5_500: steps(16, 64), 17_000: steps(8), 50_000: steps(5)}

#: 40,000 of the regime's 57,000 preambles, so that the whole study takes less than three hours of two cores.
LAPTOP_SAMPLE = Agreement(regime="wikitext", train_size=40_000, test_per_count=6_000)
LAPTOP_WIKIPEDIA = Agreement(regime="wikipedia")
#: Validation decides, so that the rarest attractor tests need not be whole.
WIKIPEDIA_GRID = Grid(
    task=LAPTOP_WIKIPEDIA.model_copy(update={"train_size": 50_000, "test_per_count": 500}),
    training=steps(3),
    rates=(1e-3, 2e-3, 4e-3),
    dropouts=(0.0, 0.1, 0.2),
    further={WEAK: (5e-4,), SHARED: (5e-4,), SEQUENTIAL: (8e-3,), STRONG: (8e-3,)},
)
#: The winners of the grid. Plainer sentences of the same encyclopedia are learnt with them too.
WIKIPEDIA_SETTINGS = {
    WEAK: (1e-3, 0.0),
    SEQUENTIAL: (4e-3, 0.0),
    SHARED: (1e-3, 0.1),
    "Universal Transformer": (2e-3, 0.0),
    STRONG: (4e-3, 0.0),
}
#: The same for sentences of the grammar, of a draw that nothing else has. An error more or less in its usual thousand
#: of validation would decide: it has more here.
GRAMMAR_GRID = Grid(
    task=GeneratedAgreement(train_size=3_000, validation_size=4_000, data_seed=FIRST_TUNING_SEED),
    training=GRAMMAR_SIZES[3_000],
    rates=(1e-3, 2e-3, 4e-3),
    dropouts=(0.0, 0.1, 0.2, 0.4),
    further={WEAK: (5e-4,), STRONG: (8e-3, 16e-3, 32e-3)},
)
GRAMMAR_SETTINGS = {WEAK: (1e-3, 0.2), SEQUENTIAL: (2e-3, 0.2), SHARED: (2e-3, 0.1), STRONG: (16e-3, 0.4)}
PARTS = {
    MAIN: Part(
        task=lambda number: LAPTOP_WIKIPEDIA,
        training=steps(3),
        longer=steps(12),
        sizes=WIKIPEDIA_SIZES,
        grid=WIKIPEDIA_GRID,
        settings=WIKIPEDIA_SETTINGS,
        alone=10,
        universal=4,
        taught=10,
        controls=10,
        patient=6,
        sized=dict.fromkeys(LADDER, 4),
        tuned=dict.fromkeys(MODELS, 1),
    ),
    PLAIN: Part(
        task=lambda number: Agreement(regime="wiki_agreement"), training=steps(5), settings=WIKIPEDIA_SETTINGS, alone=6
    ),
    DRAWN: Part(
        # no draw is that of GRAMMAR, the first
        task=lambda number: GeneratedAgreement(train_size=3_000, data_seed=1 + number),
        training=GRAMMAR_SIZES[3_000],
        sizes={10_000: GRAMMAR_SIZES[10_000]},
        grid=GRAMMAR_GRID,
        settings=GRAMMAR_SETTINGS,
        tuned=dict.fromkeys(LADDER, 1),
        alone=24,
        taught=12,
        sized={WEAK: 8},
        shown=dict.fromkeys(product((WEAK, STRONG), repeat=2), 8),
    ),
}
SMOKE_MAIN = GeneratedAgreement(train_size=256, validation_size=64, test_size=64, per_count=16)

SIZES: dict[Scale, Sizes] = {
    "smoke": Sizes(
        main=SMOKE_MAIN,
        models=models(LSTMSpec(width=12), width=8, shared_width=12, layers=2, heads=2),
        rate=1e-2,
        training=steps(2, 64),
        longer=steps(4, 64),
        seeds=2,
        others={(GRAMMAR, n): (SMOKE_MAIN.model_copy(update={"train_size": n}), steps(1, 32)) for n in (64, 128)},
    ),
    # about 0.85 million weights each, three quarters of them embeddings: 0.84 (four blocks of width 64), 0.88 (one
    # block of width 80, applied four times), 0.90 (two LSTM layers of width 80)
    "laptop": Sizes(
        main=LAPTOP_SAMPLE,
        models=models(LSTMSpec(width=80), width=64, shared_width=80, layers=4, heads=4, attention_dropout=0.0),
        rate=2e-3,
        training=steps(3),
        longer=steps(12),
        seeds=4,
        others={
            (regime, ALL): (LAPTOP_SAMPLE.model_copy(update={"regime": regime, "train_size": None}), steps(epochs))
            for regime, epochs in ((NATURAL, 8), (RICH, 4))
        }
        | {(SAMPLE, n): (LAPTOP_SAMPLE.model_copy(update={"train_size": n}), t) for n, t in SAMPLE_SIZES.items()}
        | {(GRAMMAR, n): (GeneratedAgreement(train_size=n), t) for n, t in GRAMMAR_SIZES.items()}
        | {(ENRICHED, 3_000): (GeneratedAgreement(train_size=3_000, enrichment=0.5), GRAMMAR_SIZES[3_000])},
        data=SAMPLE,
        parts=PARTS,
    ),
    # the original code's models, split, batch size and epochs; its dropout and penalties as far as they are known
    "paper": Sizes(
        main=Agreement(regime="tsv"),
        models=models(
            LSTMSpec(width=256, dropout=0.8, embedding_dropout=0.2, l2=1e-5),
            width=128,
            shared_width=256,
            layers=6,
            heads=8,
            dropout=0.4,
            embedding_dropout=0.2,
            attention_dropout=0.6,
            l2=1e-4,
        ),
        rate=1e-3,
        training=steps(60, 64),
        student_training=steps(40, 64),
        seeds=4,
    ),
}


def levels(scale: Scale) -> dict[str, Sequence[Level]]:
    """The factors and their levels."""
    sizes = SIZES[scale]
    parts = {data: part for data, part in sizes.parts.items() if part.begun}
    there = {sizes.data, *(data for data, _ in sizes.others), *parts}
    numbers = {ALL, *(sentences for _, sentences in sizes.others)}
    numbers |= {sentences for part in parts.values() if part.sized or part.shown for sentences in part.sizes}
    grids = [part.grid for part in parts.values() if part.tuned]
    controls = [LABELS] if any(part.controls for part in parts.values()) else []
    order = (MAIN, SAMPLE, NATURAL, RICH, PLAIN, GRAMMAR, ENRICHED, DRAWN)
    return {
        "model": MODELS,
        "teacher": (NO_TEACHER, *LADDER),
        "data": [data for data in order if data in there],
        "sentences": sorted(numbers | {grid.task.train_size for grid in grids}),
        "variant": (STANDARD, TRAIN_MODE, LONGER, *controls, *([TUNING] if grids else [])),
        "rate": sorted({CHOSEN, *(rate for grid in grids for rate in grid.every_rate)}),
        "dropout": sorted({CHOSEN, *(dropout for grid in grids for dropout in grid.dropouts)}),
    }


def runs(scale: Scale, *, data: str, **at: Level) -> int:
    """How many runs of a combination there are; 0 if it is not in the design."""
    sizes = SIZES[scale]
    if data in sizes.parts:
        return sizes.parts[data].runs(**at)
    rate, dropout = at.pop("rate"), at.pop("dropout")
    return sizes.seeds if (rate, dropout) == (CHOSEN, CHOSEN) and wanted(sizes, data=data, **at) else 0


def wanted(sizes: Sizes, *, model: str, teacher: str, data: str, sentences: int, variant: str) -> bool:
    """Whether the combination is among those of no part: teachers and variants on the whole of the main set only."""
    if (data, sentences) != (sizes.data, ALL):
        return (data, sentences) in sizes.others and (teacher, variant) == (NO_TEACHER, STANDARD) and model in LADDER
    if variant == STANDARD:
        return teacher == NO_TEACHER or model in LADDER
    if variant == LONGER:
        return sizes.longer is not None and (model, teacher) in PATIENT
    return variant == TRAIN_MODE and (model, teacher) == (WEAK, STRONG)


def trial(scale: Scale, number: int, **at: Level) -> Trial | None:
    """The run of a combination with that number; a student's teacher is the one of the same number."""
    if not runs(scale, **at):
        return None
    sizes = SIZES[scale]
    if at["data"] in sizes.parts:
        return _trial_of_part(scale, sizes.parts[at["data"]], number, **at)
    taught, of_main = at["teacher"] != NO_TEACHER, (at["data"], at["sentences"]) == (sizes.data, ALL)
    task, schedule = (sizes.main, sizes.training) if of_main else sizes.others[at["data"], at["sentences"]]
    schedule = (sizes.student_training or schedule) if taught else schedule
    schedule = sizes.longer if at["variant"] == LONGER else schedule
    return Trial(
        task=task,
        model=sizes.models[at["model"]],
        optimiser=OptimiserSpec(learning_rate=sizes.rate),
        schedule=schedule,
        seed=number + FIRST_STUDENT_SEED * taught,
        distill=_distillation(scale, number, at),
        checkpoints=checkpoints(schedule.epochs) if of_main else (),
    )


def _trial_of_part(scale: Scale, part: Part, number: int, **at: Level) -> Trial:
    model = SIZES[scale].models[at["model"]]
    tuning, whole = at["variant"] == TUNING, at["sentences"] == ALL
    task, schedule = (part.grid.task, part.grid.training) if tuning else (part.task(number), part.training)
    schedule = part.longer if at["variant"] == LONGER else schedule
    if not (tuning or whole):
        task = of_size(task, at["sentences"])
        schedule = part.sizes[at["sentences"]]
    rate, dropout = part.settings.get(at["model"], (SIZES[scale].rate, model.dropout))
    rate, dropout = (at["rate"], at["dropout"]) if tuning else (rate, dropout)
    as_student = at["teacher"] != NO_TEACHER or at["variant"] == LABELS
    first = FIRST_TUNING_SEED if tuning else FIRST_OF_MANY if as_student else 0
    return Trial(
        task=task,
        model=model.model_copy(update={"dropout": dropout, "embedding_dropout": dropout}),
        optimiser=OptimiserSpec(learning_rate=rate),
        schedule=schedule,
        seed=first + number,
        distill=_distillation(scale, number, at),
        checkpoints=checkpoints(schedule.epochs) if whole and at["data"] == MAIN else (),
    )


def of_size(task: Task, sentences: int) -> Task:
    """So many sentences. Generated ones keep the words of the usual set, whose models can then teach on them."""
    words = {"vocabulary_from": task.train_size} if isinstance(task, GeneratedAgreement) else {}
    return task.model_copy(update={"train_size": sentences, **words})


def _distillation(scale: Scale, number: int, at: Mapping[str, Level]) -> Distillation | None:
    """From the run of the same number and data that learnt alone from the whole; None without a teacher."""
    if at["teacher"] == NO_TEACHER:
        return None
    lender = trial(scale, number, **{**at, **ALONE, "data": at["data"], "model": at["teacher"]})
    return Distillation(teacher=lender, teacher_mode="train" if at["variant"] == TRAIN_MODE else "eval")


def checkpoints(epochs: int) -> tuple[int, ...]:
    """Every epoch of a short training; epochs 0, 1, 2, 4, 8, … and the last of a long one."""
    if epochs <= 4:
        return tuple(range(epochs + 1))
    return (0, *(2**k for k in range(epochs.bit_length()) if 2**k < epochs), epochs)


def label(*, model: str, teacher: str, data: str, sentences: int, variant: str, rate: float, dropout: float) -> str:
    """``LSTM → Bidirectional Transformer, longer`` or ``LSTM, grammar, 3,000 sentences``."""
    parts = [model if teacher == NO_TEACHER else f"{teacher} → {model}"]
    parts += [data] if data != MAIN else []
    parts += [f"{sentences:,} sentences"] if sentences != ALL else []
    parts += [variant] if variant != STANDARD else []
    parts += [f"rate {rate:g}, dropout {dropout:g}"] if variant == TUNING else []
    return ", ".join(parts)


def cell(model: str, teacher: str = NO_TEACHER, **other: Level) -> Cell:
    """A cell of the main training set, or one that is ``other`` in some factor."""
    return Cell(**{"model": model, "teacher": teacher, **WHOLE, **other})


DESIGN = GridDesign(levels=levels, trial=trial, seeds=lambda scale: SIZES[scale].seeds, runs=runs, label=label)
