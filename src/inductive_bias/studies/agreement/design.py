"""The trials of the agreement study: the ladder of recurrence, who teaches whom, and how much data each needs."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from inductive_bias.models import LSTMSpec, TransformerSpec
from inductive_bias.studies.scales import Scale
from inductive_bias.tasks import Agreement, GeneratedAgreement
from inductive_bias.training import OptimiserSpec, ScheduleSpec
from inductive_bias.trials import Distillation, Trial

#: The ladder, from no recurrent bias to all of it (Abnar et al. 2020, section 3).
LADDER = ("Transformer", "Sequential Transformer", "Sequential Universal Transformer", "LSTM")
#: With the bidirectional Universal Transformer, the four Transformers are every combination of two choices.
MODELS = (*LADDER, "Universal Transformer")
PAIRS = tuple(f"{teacher} → {student}" for teacher in LADDER for student in LADDER)
TRAIN_MODE = "LSTM → Transformer, teacher in train mode"
#: The main question once more with several times as many steps: would patience open the way that a teacher does not?
LONGER = ("Transformer, longer", "LSTM → Transformer, longer", "LSTM, longer")
#: Other training data for the ladder; the main study has the regime ``wikitext``.
REGIMES = ("natural", "attractor-rich")
#: Students start at this seed, so that none shares its initial weights with a teacher.
FIRST_STUDENT_SEED = 10

Model = LSTMSpec | TransformerSpec


@dataclass(frozen=True)
class Training:
    """How long and how fast one training set is learnt; the same for every model."""

    epochs: int
    batch_size: int = 128


@dataclass(frozen=True)
class Sizes:
    """The arguments of one scale.

    Attributes:
        main: the task of the ladder and of distillation; ``others`` are named further tasks for the ladder alone.
        models: by name.
        rates: learning rates by name of the model.
        training: of ``main``, of its students, and of each of ``others`` by name.
        longer: of the cells ``LONGER``; their teachers are those of the shorter training.
    """

    main: Agreement | GeneratedAgreement
    models: Mapping[str, Model]
    rates: Mapping[str, float]
    training: Training
    student_training: Training
    seeds: int
    longer: Training | None = None
    others: Mapping[str, tuple[Agreement | GeneratedAgreement, Training]] = field(default_factory=dict)


def transformers(width: int, shared_width: int, **choices: object) -> dict[str, Model]:
    """The four Transformers; those with one block for all layers are wider, at about as many weights."""
    return {
        f"{'Sequential ' * causal}{'Universal ' * shared}Transformer": TransformerSpec(
            causal=causal, shared=shared, width=shared_width if shared else width, **choices
        )
        for causal in (False, True)
        for shared in (False, True)
    }


def grammar_name(size: int, enrichment: float = 0.0) -> str:
    """The name of a training set of the generated grammar."""
    return f"grammar {size:,}" + (f", {enrichment:.0%} with attractors" if enrichment else "")


def real_name(size: int) -> str:
    """The name of a part of the main training set."""
    return f"{size:,} preambles"


#: Sizes of the sweeps at laptop scale. Small sets are seen more often, the largest least: about equally many steps.
GRAMMAR_SIZES = {300: Training(60, 32), 1_000: Training(40, 32), 3_000: Training(20, 32), 10_000: Training(8, 64)}
REAL_SIZES = {4_000: Training(16), 13_000: Training(6)}
ENRICHED = (3_000, 0.5)

#: 40,000 of the regime's 57,000 preambles, so that the whole study takes less than three hours of two cores.
LAPTOP_MAIN = Agreement(regime="wikitext", train_size=40_000, test_per_count=6_000)

SIZES: dict[Scale, Sizes] = {
    "smoke": Sizes(
        main=GeneratedAgreement(train_size=256, validation_size=64, test_size=64, per_count=16),
        models=transformers(8, 12, layers=2, heads=2) | {"LSTM": LSTMSpec(width=12)},
        rates=dict.fromkeys(MODELS, 1e-2),
        training=Training(2, 64),
        student_training=Training(2, 64),
        longer=Training(4, 64),
        seeds=2,
        others={
            grammar_name(size): (
                GeneratedAgreement(train_size=size, validation_size=64, test_size=64, per_count=16),
                Training(1, 32),
            )
            for size in (64, 128)
        },
    ),
    # about 0.85 million weights each, three quarters of them embeddings: 0.84 (four blocks of width 64), 0.88 (one
    # block of width 80, applied four times), 0.90 (two LSTM layers of width 80)
    "laptop": Sizes(
        main=LAPTOP_MAIN,
        models=transformers(64, 80, layers=4, heads=4, attention_dropout=0.0) | {"LSTM": LSTMSpec(width=80)},
        rates=dict.fromkeys(MODELS, 2e-3),
        training=Training(3),
        student_training=Training(3),
        longer=Training(12),
        seeds=4,
        others={
            regime: (LAPTOP_MAIN.model_copy(update={"regime": regime, "train_size": None}), Training(epochs))
            for regime, epochs in zip(REGIMES, (8, 4), strict=True)
        }
        | {real_name(n): (LAPTOP_MAIN.model_copy(update={"train_size": n}), t) for n, t in REAL_SIZES.items()}
        | {grammar_name(n): (GeneratedAgreement(train_size=n), t) for n, t in GRAMMAR_SIZES.items()}
        | {
            grammar_name(*ENRICHED): (
                GeneratedAgreement(train_size=ENRICHED[0], enrichment=ENRICHED[1]),
                GRAMMAR_SIZES[ENRICHED[0]],
            )
        },
    ),
    # the original code's models, split, batch size and epochs; its dropout and penalties as far as they are known
    "paper": Sizes(
        main=Agreement(regime="tsv"),
        models=transformers(
            128, 256, layers=6, heads=8, dropout=0.4, embedding_dropout=0.2, attention_dropout=0.6, l2=1e-4
        )
        | {"LSTM": LSTMSpec(width=256, dropout=0.8, embedding_dropout=0.2, l2=1e-5)},
        rates=dict.fromkeys(MODELS, 1e-3),
        training=Training(60, 64),
        student_training=Training(40, 64),
        seeds=4,
    ),
}


def checkpoints(epochs: int) -> tuple[int, ...]:
    """Every epoch of a short training; epochs 0, 1, 2, 4, 8, … and the last of a long one."""
    if epochs <= 4:
        return tuple(range(epochs + 1))
    return (0, *(2**k for k in range(epochs.bit_length()) if 2**k < epochs), epochs)


def cells(scale: Scale) -> Mapping[str, tuple[Trial, ...]]:
    """The named cells of one scale."""
    sizes = SIZES[scale]
    seeds = range(sizes.seeds)

    def trial(name: str, seed: int, task=sizes.main, training=sizes.training, **changes: object) -> Trial:
        return Trial(
            task=task,
            model=sizes.models[name],
            optimiser=OptimiserSpec(learning_rate=sizes.rates[name]),
            schedule=ScheduleSpec(epochs=training.epochs, batch_size=training.batch_size),
            seed=seed,
            **changes,
        )

    kept = checkpoints(sizes.training.epochs)
    found = {name: tuple(trial(name, seed, checkpoints=kept) for seed in seeds) for name in MODELS}

    def students(teacher: str, student: str, training=sizes.student_training, **distill: object) -> tuple[Trial, ...]:
        return tuple(
            trial(
                student,
                FIRST_STUDENT_SEED + seed,
                training=training,
                distill=Distillation(teacher=found[teacher][seed], **distill),
                checkpoints=checkpoints(training.epochs),
            )
            for seed in seeds
        )

    taught = {pair: students(*pair.split(" → ")) for pair in PAIRS}
    taught[TRAIN_MODE] = students("LSTM", "Transformer", teacher_mode="train")
    if sizes.longer:
        patient = {"training": sizes.longer, "checkpoints": checkpoints(sizes.longer.epochs)}
        for name in ("Transformer", "LSTM"):
            taught[f"{name}, longer"] = tuple(trial(name, seed, **patient) for seed in seeds)
        taught["LSTM → Transformer, longer"] = students("LSTM", "Transformer", sizes.longer)
    for other, (task, training) in sizes.others.items():
        for name in LADDER:
            found[f"{name}, {other}"] = tuple(trial(name, seed, task, training) for seed in seeds)
    return found | taught
