"""The trials of the language-model study: perplexity against agreement, alone and distilled."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial

from inductive_bias.models import LSTMSpec, TransformerSpec
from inductive_bias.studies.design import NO_TEACHER, Design, Level
from inductive_bias.studies.scales import Scale
from inductive_bias.tasks import LanguageModelling
from inductive_bias.training import OptimiserSpec, ScheduleSpec
from inductive_bias.trials import Distillation, Trial

#: The paper's four language models; its Transformers are causal, as every language model must be.
MODELS = ("Sequential Transformer", "Small Sequential Transformer", "LSTM", "Small LSTM")
TRANSFORMER, SMALL_TRANSFORMER, LSTM, SMALL_LSTM = MODELS
#: Who teaches each model besides its own kind: the two architectures each other, and the small LSTM the Transformer,
#: which agrees better after it than its teacher (claim L11).
OTHER_TEACHERS = {TRANSFORMER: (LSTM, SMALL_LSTM), LSTM: (TRANSFORMER,)}
FIRST_STUDENT_SEED = 10


@dataclass(frozen=True)
class Sizes:
    """The arguments of one scale: models in the order of `MODELS`, learning rates by their kind."""

    task: LanguageModelling
    models: tuple[TransformerSpec, TransformerSpec, LSTMSpec, LSTMSpec]
    rates: Mapping[str, float]
    schedule: ScheduleSpec
    seeds: int


causal = partial(TransformerSpec, causal=True)
WITHOUT_DROPOUT = {"dropout": 0.0, "embedding_dropout": 0.0}
DEEP = {"layers": 4, "heads": 4, **WITHOUT_DROPOUT, "attention_dropout": 0.0}
DEEPER = {"layers": 6, "heads": 8, "embedding_dropout": 0.2}

SIZES: dict[Scale, Sizes] = {
    "smoke": Sizes(
        task=LanguageModelling(corpus="grammar", train_sentences=300, vocabulary_size=400),
        models=(causal(width=16, layers=2, heads=2), causal(width=8, layers=2, heads=2),
                LSTMSpec(width=16), LSTMSpec(width=8)),
        rates={"transformer": 1e-2, "lstm": 1e-2},
        schedule=ScheduleSpec(epochs=1, batch_size=32),
        seeds=2,
    ),
    # one pass over WikiText-2 in small batches, without dropout as nothing is seen twice: with a 10,000-word softmax
    # such a trial costs several times a classifier's. Rates by validation perplexity after 20,000 sentences, one seed:
    # Transformer 196 (.003, with dropout .1 203), LSTM 296, 247, 205 (.003, .008 with dropout .2; .012 without)
    "laptop": Sizes(
        task=LanguageModelling(),
        models=(causal(width=96, **DEEP), causal(width=48, **DEEP),
                LSTMSpec(width=96, **WITHOUT_DROPOUT), LSTMSpec(width=48, **WITHOUT_DROPOUT)),
        rates={"transformer": 3e-3, "lstm": 1.2e-2},
        schedule=ScheduleSpec(epochs=1, batch_size=16, output_precision="bfloat16"),
        seeds=3,
    ),
    # the original code's sizes and dropout (its text is Linzen's; ours is WikiText-2) and its default of 60 epochs
    "paper": Sizes(
        task=LanguageModelling(),
        models=(causal(width=512, dropout=0.4, attention_dropout=0.6, **DEEPER),
                causal(width=256, dropout=0.2, attention_dropout=0.3, **DEEPER),
                LSTMSpec(width=1024, dropout=0.5, embedding_dropout=0.2),
                LSTMSpec(width=512, dropout=0.3, embedding_dropout=0.2)),
        rates={"transformer": 1e-4, "lstm": 1e-3},
        schedule=ScheduleSpec(epochs=60, batch_size=64, precision="bfloat16"),
        seeds=4,
    ),
}  # fmt: skip


def levels(scale: Scale) -> Mapping[str, Sequence[Level]]:
    """Four models, without a teacher or taught by one of them."""
    return {"model": MODELS, "teacher": (NO_TEACHER, *MODELS)}


def trial(scale: Scale, number: int, *, model: str, teacher: str) -> Trial | None:
    """A model alone; or a student of the teacher with its number, which takes as many steps as it does alone."""
    if teacher not in (NO_TEACHER, model, *OTHER_TEACHERS.get(model, ())):
        return None
    sizes, seed, distill = SIZES[scale], number, None
    if teacher != NO_TEACHER:
        seed += FIRST_STUDENT_SEED
        distill = Distillation(teacher=trial(scale, number, model=teacher, teacher=NO_TEACHER))
    spec = sizes.models[MODELS.index(model)]
    optimiser = OptimiserSpec(learning_rate=sizes.rates[spec.kind])
    return Trial(task=sizes.task, model=spec, optimiser=optimiser, schedule=sizes.schedule, seed=seed, distill=distill)


def label(model: str, teacher: str) -> str:
    """``LSTM``, or ``Small LSTM → Sequential Transformer``."""
    return model if teacher == NO_TEACHER else f"{teacher} → {model}"


DESIGN = Design(levels, trial, lambda scale: SIZES[scale].seeds, label)
