"""The design of the agreement study: the ladder of recurrence, its pairs of teacher and student, and their data.

A cell is a model, its teacher, the training data, how many of its sentences (all of them if None), and a variant of the
training.

At laptop scale the study grows in steps, since a session has hours and the whole takes ten: a :class:`TrainingSet` says
how many runs of each of its cells there are. To grow, raise these numbers, commit, and call ``inductive-bias run
agreement --scale laptop --extend``, then ``inductive-bias publish agreement --scale laptop --extend --mixed``. Students
and the tables that compare runs need the teachers of their numbers, so that a block of :data:`BLOCK` numbers is run as
a whole.
"""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from itertools import product
from pathlib import Path

from inductive_bias.models import LSTMSpec, TransformerSpec
from inductive_bias.studies.design import NO_TEACHER, Cell, Cells, Design, Level
from inductive_bias.studies.scales import Scale
from inductive_bias.studies.tuning import FIRST_TUNING_SEED, Tuned, Tuning
from inductive_bias.tasks import Agreement, GeneratedAgreement
from inductive_bias.training import OptimiserSpec, ScheduleSpec
from inductive_bias.trials import Distillation, Trial

#: The ladder, from no recurrent bias to all of it (Abnar et al. 2020, section 3).
LADDER = ("Bidirectional Transformer", "Sequential Transformer", "Sequential Universal Transformer", "LSTM")
WEAK, SEQUENTIAL, SHARED, STRONG = LADDER
#: With the Universal Transformer that reads both ways, the four Transformers are every combination of two choices.
MODELS = (*LADDER, "Universal Transformer")
#: What the claims are judged on, at every scale. At laptop scale it has the paper's size: sentences of today's
#: Wikipedia, which one set of rules has found, Linzen's sample and WikiText-2.
MAIN = "main"
#: Smaller or plainer sets of real sentences: Linzen's sample, that and WikiText-2, that and some attractors; and those
#: of today's Wikipedia alone.
NATURAL, SAMPLE, RICH, PLAIN = "natural", "small sample", "attractor-rich", "wiki_agreement"
#: Of generated ones: one draw, one with more attractors, and a draw for every number.
GRAMMAR, ENRICHED, DRAWN = "grammar", "grammar, enriched", "grammar, drawn anew"
#: Sets that the study grows by. Runs of :data:`BLOCK` numbers that follow each other are compared in tables, and must
#: be there together.
GROWING, BLOCK = (MAIN, PLAIN, DRAWN), 2
#: Variants of the training; of the last, a student's start and order, with the labels for a teacher.
STANDARD, TRAIN_MODE, LONGER, LABELS = VARIANTS = ("standard", "teacher in train mode", "longer", "hard labels")
#: Model and teacher that are also trained several times as long: do more steps help where a teacher does not?
TRAINED_LONGER = ((WEAK, NO_TEACHER), (WEAK, STRONG), (STRONG, NO_TEACHER))
#: A teacher that learnt from 3,000 drawn sentences speaks of so many, if it speaks of others.
FURTHER = 10_000
#: Levels: the main training set as a whole, and what learns from its labels.
WHOLE_MAIN_SET = {"data": MAIN, "sentences": None, "variant": STANDARD}
UNTAUGHT = {"teacher": NO_TEACHER, **WHOLE_MAIN_SET}
TUNED = Tuned(Path(__file__).with_name("tuned.csv"), keys=("data", "model"), settings=("learning_rate", "dropout"))
Task = Agreement | GeneratedAgreement
Spec = LSTMSpec | TransformerSpec


@dataclass(frozen=True)
class Search:
    """The grid that learning rate and dropout of a training set are chosen from, and the training that chooses.

    Attributes:
        task, schedule: of every run.
        rates, dropouts: the first grid; ``tuned.csv`` knows where it went on.
        models: each has one run at every place.
    """

    task: Task
    schedule: ScheduleSpec
    rates: tuple[float, ...]
    dropouts: tuple[float, ...]
    models: tuple[str, ...]

    @property
    def first(self) -> list[dict[str, float]]:
        """The places of the first grid."""
        return [{"learning_rate": rate, "dropout": dropout} for rate, dropout in product(self.rates, self.dropouts)]


@dataclass(frozen=True)
class TrainingSet:
    """A training set, and how many runs of each cell there are by now.

    Attributes:
        task: of a number and of a number of sentences, all of them if None; some are drawn anew for each number.
        schedules: training of every model, by number of sentences.
        settings_of: the set by whose search learning rate and dropout were chosen; those of the scale if None.
        search: what they are chosen from, if this is that set.
        undistilled: runs of each model without a teacher.
        distilled: runs of each pair of the ladder.
        labels: runs of a Transformer that starts as its students do.
        train_mode: runs of a Transformer whose LSTM keeps its dropout, if it has any.
        longer, longer_runs: a longer training, and how many runs of each of :data:`TRAINED_LONGER` have it.
        by_size: runs at each number of sentences without a teacher, by model.
        extra_distilled: runs at each number of sentences, by student and teacher: the teacher learnt from the whole,
            and teaches on other sentences.
        student_schedule: training of students, if it is another.
        first_student_seed: students start at this seed, so that none shares its first weights with a teacher.
        has_checkpoints: whether runs on the whole keep them.
    """

    task: Callable[[int, int | None], Task]
    schedules: Mapping[int | None, ScheduleSpec]
    settings_of: str | None = None
    search: Search | None = None
    undistilled: Mapping[str, int] = field(default_factory=dict)
    distilled: int = 0
    labels: int = 0
    train_mode: int = 0
    longer: ScheduleSpec | None = None
    longer_runs: int = 0
    by_size: Mapping[str, int] = field(default_factory=dict)
    extra_distilled: Mapping[tuple[str, str], int] = field(default_factory=dict)
    student_schedule: ScheduleSpec | None = None
    first_student_seed: int = 10
    has_checkpoints: bool = False

    def runs(self) -> Iterator[tuple[tuple[str, str, int | None, str], int]]:
        """Model, teacher, number of sentences and variant of every cell, and how many runs it has."""
        for model, count in self.undistilled.items():
            yield (model, NO_TEACHER, None, STANDARD), count
        for model, teacher in product(LADDER, LADDER):
            yield (model, teacher, None, STANDARD), self.distilled
        yield (WEAK, NO_TEACHER, None, LABELS), self.labels
        yield (WEAK, STRONG, None, TRAIN_MODE), self.train_mode
        for model, teacher in TRAINED_LONGER:
            yield (model, teacher, None, LONGER), self.longer_runs
        for sentences in filter(None, self.schedules):
            for model, count in self.by_size.items():
                yield (model, NO_TEACHER, sentences, STANDARD), count
            for (model, teacher), count in self.extra_distilled.items():
                yield (model, teacher, sentences, STANDARD), count


@dataclass(frozen=True)
class Sizes:
    """The arguments of one scale: all models, their learning rate where none was searched for, and training sets."""

    models: Mapping[str, Spec]
    rate: float
    sets: Mapping[str, TrainingSet]

    @property
    def training(self) -> ScheduleSpec:
        """How long the whole of the main training set is learnt."""
        return self.sets[MAIN].schedules[None]


def steps(epochs: int, batch_size: int = 128) -> ScheduleSpec:
    """How long one training set is learnt; equal for every model."""
    return ScheduleSpec(epochs=epochs, batch_size=batch_size)


def of_size(task: Task, sentences: int | None) -> Task:
    """A task with so many sentences, all of them if None.

    Generated ones keep the words of the usual set, whose models can then teach on them.
    """
    if sentences is None:
        return task
    words = {"vocabulary_from": task.train_size} if isinstance(task, GeneratedAgreement) else {}
    return task.model_copy(update={"train_size": sentences, **words})


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


def every_pair(runs: int, longer: ScheduleSpec | None = None) -> dict[str, object]:
    """Equally many runs of every model, of every pair of the ladder, and of the controls."""
    patient = {"longer": longer, "longer_runs": runs} if longer else {}
    return {"undistilled": dict.fromkeys(MODELS, runs), "distilled": runs, "train_mode": runs, **patient}


#: Sizes of the sweeps at laptop scale. Small sets are seen more often, the largest least: about equally many steps.
GRAMMAR_SIZES = {300: steps(60, 32), 1_000: steps(40, 32), 3_000: steps(20, 32), 10_000: steps(8, 64)}
SAMPLE_SIZES = {4_000: steps(16), 13_000: steps(6)}
#: Thirds of 150,000, and fewer steps the smaller the set: four sizes take little longer than the whole.
WIKIPEDIA_SIZES = {2_000: steps(30, 32), 5_500: steps(16, 64), 17_000: steps(8), 50_000: steps(5)}

#: 40,000 of the regime's 57,000 preambles, so that the whole study takes less than three hours of two cores.
LAPTOP_SAMPLE = Agreement(regime="wikitext", train_size=40_000, test_per_count=6_000)
LAPTOP_WIKIPEDIA = Agreement(regime="wikipedia")
LAPTOP_SETS = {
    # validation decides in the search, so that the rarest attractor tests need not be whole there
    MAIN: TrainingSet(
        task=lambda number, sentences: of_size(LAPTOP_WIKIPEDIA, sentences),
        schedules={None: steps(3), **WIKIPEDIA_SIZES},
        settings_of=MAIN,
        search=Search(
            task=LAPTOP_WIKIPEDIA.model_copy(update={"train_size": 50_000, "test_per_count": 500}),
            schedule=steps(3),
            rates=(1e-3, 2e-3, 4e-3),
            dropouts=(0.0, 0.1, 0.2),
            models=MODELS,
        ),
        undistilled=dict.fromkeys(LADDER, 10) | {"Universal Transformer": 4},
        distilled=10,
        labels=10,
        train_mode=10,
        longer=steps(12),
        longer_runs=6,
        by_size=dict.fromkeys(LADDER, 4),
        first_student_seed=100,
        has_checkpoints=True,
    ),
    # plainer sentences of the same encyclopedia
    PLAIN: TrainingSet(
        task=lambda number, sentences: Agreement(regime="wiki_agreement"),
        schedules={None: steps(5)},
        settings_of=MAIN,
        undistilled=dict.fromkeys(LADDER, 6),
    ),
    DRAWN: TrainingSet(
        # no draw is that of GRAMMAR, the first
        task=lambda number, sentences: of_size(GeneratedAgreement(train_size=3_000, data_seed=1 + number), sentences),
        schedules={None: GRAMMAR_SIZES[3_000], FURTHER: GRAMMAR_SIZES[10_000]},
        settings_of=DRAWN,
        # sentences of a draw that nothing else has; an error more or less in the usual thousand of validation would
        # decide, so that there are more here
        search=Search(
            task=GeneratedAgreement(train_size=3_000, validation_size=4_000, data_seed=FIRST_TUNING_SEED),
            schedule=GRAMMAR_SIZES[3_000],
            rates=(1e-3, 2e-3, 4e-3),
            dropouts=(0.0, 0.1, 0.2, 0.4),
            models=LADDER,
        ),
        undistilled=dict.fromkeys(LADDER, 24),
        distilled=12,
        by_size={WEAK: 8},
        extra_distilled=dict.fromkeys(product((WEAK, STRONG), repeat=2), 8),
        first_student_seed=100,
    ),
    SAMPLE: TrainingSet(
        task=lambda number, sentences: of_size(LAPTOP_SAMPLE, sentences),
        schedules={None: steps(3), **SAMPLE_SIZES},
        by_size=dict.fromkeys(LADDER, 4),
        has_checkpoints=True,
        **every_pair(4, longer=steps(12)),
    ),
    NATURAL: TrainingSet(
        task=lambda number, sentences: LAPTOP_SAMPLE.model_copy(update={"regime": NATURAL, "train_size": None}),
        schedules={None: steps(8)},
        undistilled=dict.fromkeys(LADDER, 4),
    ),
    RICH: TrainingSet(
        task=lambda number, sentences: LAPTOP_SAMPLE.model_copy(update={"regime": RICH, "train_size": None}),
        schedules={None: steps(4)},
        undistilled=dict.fromkeys(LADDER, 4),
    ),
    GRAMMAR: TrainingSet(
        task=lambda number, sentences: GeneratedAgreement(train_size=sentences),
        schedules=GRAMMAR_SIZES,
        by_size=dict.fromkeys(LADDER, 4),
    ),
    ENRICHED: TrainingSet(
        task=lambda number, sentences: GeneratedAgreement(train_size=sentences, enrichment=0.5),
        schedules={3_000: GRAMMAR_SIZES[3_000]},
        by_size=dict.fromkeys(LADDER, 4),
    ),
}
SMOKE_MAIN = GeneratedAgreement(train_size=256, validation_size=64, test_size=64, per_count=16)

SIZES: dict[Scale, Sizes] = {
    "smoke": Sizes(
        models=models(LSTMSpec(width=12), width=8, shared_width=12, layers=2, heads=2),
        rate=1e-2,
        sets={
            MAIN: TrainingSet(
                task=lambda number, sentences: SMOKE_MAIN,
                schedules={None: steps(2, 64)},
                has_checkpoints=True,
                **every_pair(2, longer=steps(4, 64)),
            ),
            GRAMMAR: TrainingSet(
                task=lambda number, sentences: SMOKE_MAIN.model_copy(update={"train_size": sentences}),
                schedules=dict.fromkeys((64, 128), steps(1, 32)),
                by_size=dict.fromkeys(LADDER, 2),
            ),
        },
    ),
    # about 0.85 million weights each, three quarters of them embeddings: 0.84 (four blocks of width 64), 0.88 (one
    # block of width 80, applied four times), 0.90 (two LSTM layers of width 80)
    "laptop": Sizes(
        models=models(LSTMSpec(width=80), width=64, shared_width=80, layers=4, heads=4, attention_dropout=0.0),
        rate=2e-3,
        sets=LAPTOP_SETS,
    ),
    # the original code's models, split, batch size and epochs; its dropout and penalties as far as they are known
    "paper": Sizes(
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
        sets={
            MAIN: TrainingSet(
                task=lambda number, sentences: Agreement(regime="tsv"),
                schedules={None: steps(60, 64)},
                student_schedule=steps(40, 64),
                has_checkpoints=True,
                **every_pair(4),
            )
        },
    ),
}
#: All levels of every factor, in the order of the pages.
ORDER: Mapping[str, tuple[Level, ...]] = {
    "model": MODELS,
    "teacher": (NO_TEACHER, *LADDER),
    "data": (MAIN, SAMPLE, NATURAL, RICH, PLAIN, GRAMMAR, ENRICHED, DRAWN),
    "sentences": (None, 64, 128, *sorted({*GRAMMAR_SIZES, *SAMPLE_SIZES, *WIKIPEDIA_SIZES})),
    "variant": VARIANTS,
}


def cells(scale: Scale) -> Cells:
    """Every cell of every training set, in the order of the pages."""
    found = [
        (dict(zip(ORDER, (model, teacher, data, sentences, variant), strict=True)), count)
        for data, learnt in SIZES[scale].sets.items()
        for (model, teacher, sentences, variant), count in learnt.runs()
        if count and (variant != TRAIN_MODE or teacher_has_dropout(scale, data))
    ]
    found.sort(key=lambda each: [levels.index(each[0][factor]) for factor, levels in ORDER.items()])
    for levels, count in found:
        yield levels, [trial(scale, number, **levels) for number in range(count)]


def teacher_has_dropout(scale: Scale, data: str) -> bool:
    """Whether an LSTM has a dropout that it may keep while it teaches; settings that are not chosen yet may have."""
    settings = settings_of(scale, data, STRONG)
    return settings is None or settings["dropout"] > 0


def settings_of(scale: Scale, data: str, model: str) -> dict[str, float] | None:
    """Learning rate and dropout that a search chose for a model on a training set; None if there was none."""
    return TUNED.chosen(scale, data=SIZES[scale].sets[data].settings_of, model=model)


def trial(
    scale: Scale, number: int, *, model: str, teacher: str, data: str, sentences: int | None, variant: str
) -> Trial:
    """The run of a cell with that number; a student's teacher is the one of that number, alone on the whole."""
    sizes, learnt, distill = SIZES[scale], SIZES[scale].sets[data], None
    schedule = learnt.schedules[sentences]
    if teacher != NO_TEACHER:
        taught_by = trial(scale, number, **{**UNTAUGHT, "model": teacher, "data": data})
        distill = Distillation(teacher=taught_by, teacher_mode="train" if variant == TRAIN_MODE else "eval")
        schedule = learnt.student_schedule or schedule
    schedule = learnt.longer if variant == LONGER else schedule
    spec, settings = sizes.models[model], settings_of(scale, data, model)
    as_student = teacher != NO_TEACHER or variant == LABELS
    return Trial(
        task=learnt.task(number, sentences),
        model=with_dropout(spec, settings["dropout"]) if settings else spec,
        optimiser=OptimiserSpec(learning_rate=settings["learning_rate"] if settings else sizes.rate),
        schedule=schedule,
        seed=number + learnt.first_student_seed * as_student,
        distill=distill,
        checkpoints=checkpoints(schedule.epochs) if learnt.has_checkpoints and sentences is None else (),
    )


def with_dropout(spec: Spec, dropout: float) -> Spec:
    """A model with one dropout, but for that of its attention."""
    return spec.model_copy(update={"dropout": dropout, "embedding_dropout": dropout})


def search_cells(scale: Scale) -> Cells:
    """Every place of the grid of every training set that has one, with one run."""
    for data, learnt in SIZES[scale].sets.items():
        for model in learnt.search.models if learnt.search else ():
            for place in TUNED.grid(scale, learnt.search.first, data=data, model=model):
                run = Trial(
                    task=learnt.search.task,
                    model=with_dropout(SIZES[scale].models[model], place["dropout"]),
                    optimiser=OptimiserSpec(learning_rate=place["learning_rate"]),
                    schedule=learnt.search.schedule,
                    seed=FIRST_TUNING_SEED,
                )
                yield {"data": data, "model": model, **place}, [run]


def checkpoints(epochs: int) -> tuple[int, ...]:
    """Every epoch of a short training; epochs 0, 1, 2, 4, 8, … and the last of a long one."""
    if epochs <= 4:
        return tuple(range(epochs + 1))
    return (0, *(2**k for k in range(epochs.bit_length()) if 2**k < epochs), epochs)


def label(*, model: str, teacher: str, data: str, sentences: int | None, variant: str) -> str:
    """``LSTM → Bidirectional Transformer, longer`` or ``LSTM, grammar, 3,000 sentences``."""
    parts = [model if teacher == NO_TEACHER else f"{teacher} → {model}"]
    parts += [data] if data != MAIN else []
    parts += [f"{sentences:,} sentences"] if sentences else []
    parts += [variant] if variant != STANDARD else []
    return ", ".join(parts)


def cell(model: str, teacher: str = NO_TEACHER, **other: Level) -> Cell:
    """A cell of the main training set, or one that is ``other`` in some factor."""
    return Cell(**{"model": model, "teacher": teacher, **WHOLE_MAIN_SET, **other})


def drawn_cell(model: str, teacher: str = NO_TEACHER, **other: Level) -> Cell:
    """A cell of sentences that are drawn anew for every number, or one that is ``other`` in some factor."""
    return cell(model, teacher, **{"data": DRAWN, **other})


DESIGN = Design(cells, tuple(ORDER), label=label, order=ORDER)
TUNING = Tuning(
    Design(search_cells, ("data", "model", "learning_rate", "dropout")), TUNED, metric="accuracy", highest=True
)
