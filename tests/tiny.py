"""The smallest real trials: a few digits, a few weights, a second."""

from inductive_bias.models import CNNSpec, MLPSpec
from inductive_bias.tasks import MNIST
from inductive_bias.training import OptimiserSpec, ScheduleSpec
from inductive_bias.trials import Distillation, Trial

TASK = MNIST(sample=True, train_size=96, test_size=40, corruptions=("translate",))
MLP = MLPSpec(widths=(12, 8))
CNN = CNNSpec(filters=(4, 4), units=(4, 2), pools=(2, 2), dropout=0.1)


def tiny_trial(
    *, seed: int = 0, epochs: int = 2, model: MLPSpec | CNNSpec = MLP, rate: float = 1e-2, **changes
) -> Trial:
    return Trial(
        task=TASK,
        model=model,
        optimiser=OptimiserSpec(learning_rate=rate),
        schedule=ScheduleSpec(epochs=epochs, batch_size=32),
        seed=seed,
        checkpoints=(0, epochs),
        **changes,
    )


def tiny_student(*, seed: int = 1, teacher: Trial | None = None, **changes) -> Trial:
    return tiny_trial(seed=seed, distill=Distillation(teacher=teacher or tiny_trial(), temperature=5.0, **changes))
