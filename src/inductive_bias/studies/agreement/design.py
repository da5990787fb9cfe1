"""The design of the agreement study: the ladder of recurrence, who teaches whom, on which data and how much.

A cell is a model, its teacher, the training data, how many of its sentences, and a variant of the training.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from inductive_bias.models import LSTMSpec, TransformerSpec
from inductive_bias.studies.design import NO_TEACHER, Cell, Design, Level
from inductive_bias.studies.scales import Scale
from inductive_bias.tasks import Agreement, GeneratedAgreement
from inductive_bias.training import OptimiserSpec, ScheduleSpec
from inductive_bias.trials import Distillation, Trial

#: The ladder, from no recurrent bias to all of it (Abnar et al. 2020, section 3).
LADDER = ("Bidirectional Transformer", "Sequential Transformer", "Sequential Universal Transformer", "LSTM")
WEAK, SEQUENTIAL, SHARED, STRONG = LADDER
#: With the Universal Transformer that reads both ways, the four Transformers are every combination of two choices.
MODELS = (*LADDER, "Universal Transformer")
#: Training data, from the fewest attractors to the most; the main set is Linzen's sample with WikiText-2.
NATURAL, MAIN, RICH, GRAMMAR, ENRICHED = "natural", "main", "attractor-rich", "grammar", "grammar, enriched"
#: The number of sentences that stands for the whole of a training set.
ALL = 0
STANDARD, TRAIN_MODE, LONGER = "standard", "teacher in train mode", "longer"
#: Model and teacher that are trained several times as long too: would patience open the way that a teacher does not?
PATIENT = ((WEAK, NO_TEACHER), (WEAK, STRONG), (STRONG, NO_TEACHER))
#: Students start at this seed, so that none shares its initial weights with a teacher.
FIRST_STUDENT_SEED = 10
#: Levels: the main training set as a whole, and what learns from its labels.
WHOLE = {"data": MAIN, "sentences": ALL, "variant": STANDARD}
ALONE = {"teacher": NO_TEACHER, **WHOLE}

Task = Agreement | GeneratedAgreement


@dataclass(frozen=True)
class Sizes:
    """The arguments of one scale. All models learn at one rate, and students as long as others unless told.

    ``longer`` has teachers of the shorter training; ``others`` are training sets by data and number of sentences.
    """

    main: Task
    models: Mapping[str, LSTMSpec | TransformerSpec]
    rate: float
    training: ScheduleSpec
    seeds: int
    student_training: ScheduleSpec | None = None
    longer: ScheduleSpec | None = None
    others: Mapping[tuple[str, int], tuple[Task, ScheduleSpec]] = field(default_factory=dict)


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
MAIN_SIZES = {4_000: steps(16), 13_000: steps(6)}

#: 40,000 of the regime's 57,000 preambles, so that the whole study takes less than three hours of two cores.
LAPTOP_MAIN = Agreement(regime="wikitext", train_size=40_000, test_per_count=6_000)
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
        main=LAPTOP_MAIN,
        models=models(LSTMSpec(width=80), width=64, shared_width=80, layers=4, heads=4, attention_dropout=0.0),
        rate=2e-3,
        training=steps(3),
        longer=steps(12),
        seeds=4,
        others={
            (regime, ALL): (LAPTOP_MAIN.model_copy(update={"regime": regime, "train_size": None}), steps(epochs))
            for regime, epochs in ((NATURAL, 8), (RICH, 4))
        }
        | {(MAIN, n): (LAPTOP_MAIN.model_copy(update={"train_size": n}), t) for n, t in MAIN_SIZES.items()}
        | {(GRAMMAR, n): (GeneratedAgreement(train_size=n), t) for n, t in GRAMMAR_SIZES.items()}
        | {(ENRICHED, 3_000): (GeneratedAgreement(train_size=3_000, enrichment=0.5), GRAMMAR_SIZES[3_000])},
    ),
    # the original code's models, split, batch size and epochs; its dropout and penalties as far as they are known
    "paper": Sizes(
        main=Agreement(regime="tsv"),
        models=models(
            LSTMSpec(width=256, dropout=0.8, embedding_dropout=0.2, l2=1e-5),
            width=128, shared_width=256, layers=6, heads=8,
            dropout=0.4, embedding_dropout=0.2, attention_dropout=0.6, l2=1e-4,
        ),
        rate=1e-3,
        training=steps(60, 64),
        student_training=steps(40, 64),
        seeds=4,
    ),
}  # fmt: skip


def checkpoints(epochs: int) -> tuple[int, ...]:
    """Every epoch of a short training; epochs 0, 1, 2, 4, 8, … and the last of a long one."""
    if epochs <= 4:
        return tuple(range(epochs + 1))
    return (0, *(2**k for k in range(epochs.bit_length()) if 2**k < epochs), epochs)


def levels(scale: Scale) -> dict[str, Sequence[Level]]:
    """The factors and their levels."""
    others = SIZES[scale].others
    there = {MAIN, *(data for data, _ in others)}
    return {
        "model": MODELS,
        "teacher": (NO_TEACHER, *LADDER),
        "data": [data for data in (NATURAL, MAIN, RICH, GRAMMAR, ENRICHED) if data in there],
        "sentences": sorted({ALL, *(sentences for _, sentences in others)}),
        "variant": (STANDARD, TRAIN_MODE, LONGER),
    }


def wanted(sizes: Sizes, *, model: str, teacher: str, data: str, sentences: int, variant: str) -> bool:
    """Whether the combination is in the design: teachers and variants on the whole of the main set only."""
    if (data, sentences) != (MAIN, ALL):
        return (data, sentences) in sizes.others and (teacher, variant) == (NO_TEACHER, STANDARD) and model in LADDER
    if variant == STANDARD:
        return teacher == NO_TEACHER or model in LADDER
    if variant == LONGER:
        return sizes.longer is not None and (model, teacher) in PATIENT
    return (model, teacher) == (WEAK, STRONG)


def trial(scale: Scale, number: int, **at: Level) -> Trial | None:
    """The run of a combination with that number; a student's teacher is the one of the same number."""
    sizes = SIZES[scale]
    if not wanted(sizes, **at):
        return None
    taught, of_main = at["teacher"] != NO_TEACHER, (at["data"], at["sentences"]) == (MAIN, ALL)
    task, schedule = (sizes.main, sizes.training) if of_main else sizes.others[at["data"], at["sentences"]]
    schedule = (sizes.student_training or schedule) if taught else schedule
    schedule = sizes.longer if at["variant"] == LONGER else schedule
    lender = trial(scale, number, model=at["teacher"], **ALONE) if taught else None
    mode = "train" if at["variant"] == TRAIN_MODE else "eval"
    return Trial(
        task=task,
        model=sizes.models[at["model"]],
        optimiser=OptimiserSpec(learning_rate=sizes.rate),
        schedule=schedule,
        seed=number + FIRST_STUDENT_SEED * taught,
        distill=Distillation(teacher=lender, teacher_mode=mode) if lender else None,
        checkpoints=checkpoints(schedule.epochs) if of_main else (),
    )


def label(*, model: str, teacher: str, data: str, sentences: int, variant: str) -> str:
    """``LSTM → Bidirectional Transformer, longer`` or ``LSTM, grammar, 3,000 sentences``."""
    parts = [model if teacher == NO_TEACHER else f"{teacher} → {model}"]
    parts += [data] if data != MAIN else []
    parts += [f"{sentences:,} sentences"] if sentences != ALL else []
    parts += [variant] if variant != STANDARD else []
    return ", ".join(parts)


def cell(model: str, teacher: str = NO_TEACHER, **other: Level) -> Cell:
    """A cell of the main training set, or one that is ``other`` in some factor."""
    return Cell(**{"model": model, "teacher": teacher, **WHOLE, **other})


DESIGN = Design(levels=levels, trial=trial, seeds=lambda scale: SIZES[scale].seeds, label=label)
