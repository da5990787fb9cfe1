"""The smallest real trials: a few digits or sentences, a few weights, a second."""

from inductive_bias.models import CNNSpec, LSTMSpec, MLPSpec, TransformerSpec
from inductive_bias.tasks import MNIST, GeneratedAgreement, LanguageModelling
from inductive_bias.training import OptimiserSpec, ScheduleSpec
from inductive_bias.trials import Distillation, Trial

TASK = MNIST(sample=True, train_size=96, test_size=40, corruptions=("translate",))
MLP = MLPSpec(widths=(12, 8))
CNN = CNNSpec(filters=(4, 4), units=(4, 2), pools=(2, 2), dropout=0.1)

SENTENCES = GeneratedAgreement(train_size=48, validation_size=16, test_size=16, per_count=4)
LANGUAGE = LanguageModelling(corpus="grammar", train_sentences=48, vocabulary_size=200, max_tokens=32)
LSTM = LSTMSpec(layers=1, width=8)
TRANSFORMER = TransformerSpec(layers=1, width=8, heads=2)
CAUSAL = TRANSFORMER.model_copy(update={"causal": True})


def tiny_trial(
    *, seed: int = 0, epochs: int = 2, model: MLPSpec | CNNSpec = MLP, rate: float = 1e-2, **changes
) -> Trial:
    return Trial(
        task=TASK,
        model=model,
        optimiser=OptimiserSpec(learning_rate=rate),
        schedule=ScheduleSpec(epochs=epochs, batch_size=32),
        seed=seed,
        checkpoints=(0, epochs) if epochs else (0,),
        **changes,
    )


def tiny_student(*, seed: int = 1, teacher: Trial | None = None, **changes) -> Trial:
    return tiny_trial(seed=seed, distill=Distillation(teacher=teacher or tiny_trial(), temperature=5.0, **changes))


def tiny_sentence_trial(
    *,
    task: GeneratedAgreement | LanguageModelling = SENTENCES,
    model: LSTMSpec | TransformerSpec = LSTM,
    seed: int = 0,
    epochs: int = 1,
    rate: float = 1e-2,
    teacher: Trial | None = None,
    distill: dict | None = None,
    **schedule,
) -> Trial:
    """A classifier of generated sentences; with a ``teacher`` its student, ``distill`` saying how it learns."""
    return Trial(
        task=task,
        model=model,
        optimiser=OptimiserSpec(learning_rate=rate),
        schedule=ScheduleSpec(**{"epochs": epochs, "batch_size": 16} | schedule),
        seed=seed,
        distill=Distillation(teacher=teacher, **distill or {}) if teacher else None,
        checkpoints=(0, epochs) if epochs else (0,),
    )


def tiny_language_trial(*, model: LSTMSpec | TransformerSpec = LSTM, **changes) -> Trial:
    """A language model of generated sentences; the same arguments."""
    return tiny_sentence_trial(**{"task": LANGUAGE, "model": model} | changes)
