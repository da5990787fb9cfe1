"""The trials of the language-model study: perplexity against agreement, alone and distilled."""

from collections.abc import Mapping
from dataclasses import dataclass

from inductive_bias.models import LSTMSpec, TransformerSpec
from inductive_bias.studies.scales import Scale
from inductive_bias.tasks import LanguageModelling
from inductive_bias.training import OptimiserSpec, ScheduleSpec
from inductive_bias.trials import Distillation, Trial

#: The paper's four language models.
MODELS = ("Transformer", "Small Transformer", "LSTM", "Small LSTM")
#: Each model as its own teacher, the two architectures as each other's, and the small LSTM that teaches a better
#: Transformer than itself to agree (claim 11 of our notes).
SELF = tuple(f"{model} → {model}" for model in MODELS)
CROSSED = ("LSTM → Transformer", "Transformer → LSTM", "Small LSTM → Transformer")
PAIRS = (*CROSSED, *SELF)
FIRST_STUDENT_SEED = 10


@dataclass(frozen=True)
class Sizes:
    """The arguments of one scale; ``rates`` are learning rates by name of the model."""

    task: LanguageModelling
    models: Mapping[str, LSTMSpec | TransformerSpec]
    rates: Mapping[str, float]
    schedule: ScheduleSpec
    seeds: int


def _transformer(width: int, **choices: object) -> TransformerSpec:
    return TransformerSpec(causal=True, width=width, **choices)


WITHOUT_DROPOUT = {"dropout": 0.0, "embedding_dropout": 0.0}

SIZES: dict[Scale, Sizes] = {
    "smoke": Sizes(
        task=LanguageModelling(corpus="grammar", train_sentences=300, vocabulary_size=400),
        models={
            "Transformer": _transformer(16, layers=2, heads=2),
            "Small Transformer": _transformer(8, layers=2, heads=2),
            "LSTM": LSTMSpec(width=16),
            "Small LSTM": LSTMSpec(width=8),
        },
        rates=dict.fromkeys(MODELS, 1e-2),
        schedule=ScheduleSpec(epochs=1, batch_size=32),
        seeds=2,
    ),
    # one pass over WikiText-2 in small batches, without dropout as nothing is seen twice: with a 10,000-word softmax
    # such a trial costs several times a classifier's. Rates by validation perplexity after 20,000 sentences, one seed:
    # Transformer 196 (.003, with dropout .1 203), LSTM 296, 247, 205 (.003, .008 with dropout .2; .012 without)
    "laptop": Sizes(
        task=LanguageModelling(),
        models={
            "Transformer": _transformer(96, layers=4, heads=4, **WITHOUT_DROPOUT, attention_dropout=0.0),
            "Small Transformer": _transformer(48, layers=4, heads=4, **WITHOUT_DROPOUT, attention_dropout=0.0),
            "LSTM": LSTMSpec(width=96, **WITHOUT_DROPOUT),
            "Small LSTM": LSTMSpec(width=48, **WITHOUT_DROPOUT),
        },
        rates={"Transformer": 3e-3, "Small Transformer": 3e-3, "LSTM": 1.2e-2, "Small LSTM": 1.2e-2},
        schedule=ScheduleSpec(epochs=1, batch_size=16, output_precision="bfloat16"),
        seeds=3,
    ),
    # the original code's sizes and dropout (its text is Linzen's; ours is WikiText-2) and its default of 60 epochs
    "paper": Sizes(
        task=LanguageModelling(),
        models={
            "Transformer": _transformer(
                512, layers=6, heads=8, dropout=0.4, embedding_dropout=0.2, attention_dropout=0.6
            ),
            "Small Transformer": _transformer(
                256, layers=6, heads=8, dropout=0.2, embedding_dropout=0.2, attention_dropout=0.3
            ),
            "LSTM": LSTMSpec(width=1024, dropout=0.5, embedding_dropout=0.2),
            "Small LSTM": LSTMSpec(width=512, dropout=0.3, embedding_dropout=0.2),
        },
        rates={"Transformer": 1e-4, "Small Transformer": 1e-4, "LSTM": 1e-3, "Small LSTM": 1e-3},
        schedule=ScheduleSpec(epochs=60, batch_size=64, precision="bfloat16"),
        seeds=4,
    ),
}


def cells(scale: Scale) -> Mapping[str, tuple[Trial, ...]]:
    """The named cells of one scale; students take as many steps as the models without a teacher."""
    sizes = SIZES[scale]

    def trial(name: str, seed: int, **changes: object) -> Trial:
        return Trial(
            task=sizes.task,
            model=sizes.models[name],
            optimiser=OptimiserSpec(learning_rate=sizes.rates[name]),
            schedule=sizes.schedule,
            seed=seed,
            **changes,
        )

    found = {name: tuple(trial(name, seed) for seed in range(sizes.seeds)) for name in MODELS}
    for pair in PAIRS:
        teacher, student = pair.split(" → ")
        found[pair] = tuple(
            trial(student, FIRST_STUDENT_SEED + seed, distill=Distillation(teacher=found[teacher][seed]))
            for seed in range(sizes.seeds)
        )
    return found
