"""The trials of the vision study: CNN and MLP, alone and as each other's teachers and students, and the controls."""

from collections.abc import Mapping
from dataclasses import dataclass

from inductive_bias.models import CNNSpec, MLPSpec
from inductive_bias.studies.scales import Scale
from inductive_bias.tasks import MNIST
from inductive_bias.tasks.mnist_c import CORRUPTIONS as ALL_SETS
from inductive_bias.training import OptimiserSpec, ScheduleSpec
from inductive_bias.trials import Distillation, Trial

#: The corruptions of the heat map; `identity` is the test set itself.
CORRUPTIONS = tuple(name for name in ALL_SETS if name != "identity")
#: Students start at this seed, so that none shares its initial weights with a teacher. The undistilled control
#: "MLP, same steps" has the students' seeds: the same initial weights and the same order of batches as its twin.
FIRST_STUDENT_SEED = 10
TEMPERATURE = 5.0

CNN_TO_MLP = "CNN → MLP"
SAME_STEPS = "MLP, same steps"
#: The paper's six cells, in the order of its two tables.
INDEPENDENT = ("CNN", "MLP")
PAIRS = ("CNN → CNN", "MLP → CNN", CNN_TO_MLP, "MLP → MLP")
#: What is varied about the CNN teacher of an MLP: name → changed settings.
CONTROLS: dict[str, dict[str, object]] = {
    f"{CNN_TO_MLP}, teacher in train mode": {"teacher_mode": "train"},
    f"{CNN_TO_MLP}, factor 1/T²": {"scaling": "inverse"},
    f"{CNN_TO_MLP}, no factor": {"scaling": "none"},
    f"{CNN_TO_MLP}, as in the original code": {"teacher_mode": "train", "scaling": "inverse"},
    f"{CNN_TO_MLP}, T = 1": {"temperature": 1.0},
}
#: The factor 1/T² once more, for a student whose weights are not penalised: did the shrunken loss lose to the penalty?
NO_PENALTY = f"{CNN_TO_MLP}, factor 1/T², no penalty"


@dataclass(frozen=True)
class Sizes:
    """The arguments of one scale."""

    task: MNIST
    cnn: CNNSpec
    mlp: MLPSpec
    cnn_epochs: int
    mlp_epochs: int
    student_cnn_epochs: int
    student_mlp_epochs: int
    cnn_rate: float
    mlp_rate: float
    student_cnn_rate: float
    student_mlp_rate: float
    seeds: int


SIZES: dict[Scale, Sizes] = {
    # a few hundred real digits and models of a few thousand weights: every line runs, nothing is learnt well
    "smoke": Sizes(
        task=MNIST(sample=True, train_size=512, test_size=200, corruptions=CORRUPTIONS),
        cnn=CNNSpec(filters=(4, 4, 8), units=(4, 4, 4), pools=(2, 2, 1), dropout=0.1),
        mlp=MLPSpec(widths=(32, 16, 8)),
        cnn_epochs=2,
        mlp_epochs=2,
        student_cnn_epochs=2,
        student_mlp_epochs=4,
        cnn_rate=1e-2,
        mlp_rate=1e-2,
        student_cnn_rate=1e-2,
        student_mlp_rate=1e-2,
        seeds=2,
    ),
    # the paper's MLP, and its CNN with 2 to 8 times fewer filters that pools one block earlier (half the pixels in the
    # blocks that cost); its max-out, 16 last maps and global pooling stay
    "laptop": Sizes(
        task=MNIST(corruptions=CORRUPTIONS),
        cnn=CNNSpec(filters=(16, 32, 64), units=(16, 32, 16), pools=(2, 2, 1)),
        mlp=MLPSpec(),
        cnn_epochs=10,
        mlp_epochs=20,
        student_cnn_epochs=10,
        student_mlp_epochs=40,
        cnn_rate=2e-3,
        mlp_rate=1e-3,
        student_cnn_rate=2e-3,
        student_mlp_rate=1e-3,
        seeds=4,
    ),
    # the architecture, batch size, temperature, rates and number of epochs of the original code
    "paper": Sizes(
        task=MNIST(corruptions=CORRUPTIONS),
        cnn=CNNSpec(),
        mlp=MLPSpec(),
        cnn_epochs=400,
        mlp_epochs=400,
        student_cnn_epochs=400,
        student_mlp_epochs=400,
        cnn_rate=1e-3,
        mlp_rate=1e-3,
        student_cnn_rate=1e-4,
        student_mlp_rate=1e-4,
        seeds=4,
    ),
}


def checkpoints(epochs: int) -> tuple[int, ...]:
    """Epochs 0, 1, 2, 4, 8, … and the last, as in the original code."""
    powers = [2**k for k in range(epochs.bit_length()) if 2**k < epochs]
    return (0, *powers, epochs) if epochs else (0,)


def cells(scale: Scale) -> Mapping[str, tuple[Trial, ...]]:
    """The named cells of one scale, the dearest first so that parallel workers finish together."""
    sizes = SIZES[scale]

    def trial(model: str, seed: int, *, student: bool, **distill: object) -> Trial:
        role = f"{'student_' if student else ''}{model}"
        epochs = getattr(sizes, f"{role}_epochs")
        return Trial(
            task=sizes.task,
            model=getattr(sizes, model),
            optimiser=OptimiserSpec(learning_rate=getattr(sizes, f"{role}_rate")),
            schedule=ScheduleSpec(epochs=epochs),
            seed=seed,
            distill=Distillation(**distill) if distill else None,
            checkpoints=checkpoints(epochs),
        )

    seeds = range(sizes.seeds)
    alone = {model.upper(): tuple(trial(model, seed, student=False) for seed in seeds) for model in ("cnn", "mlp")}

    def students(teacher: str, model: str, **changed: object) -> tuple[Trial, ...]:
        settings = {"temperature": TEMPERATURE} | changed
        return tuple(
            trial(model, FIRST_STUDENT_SEED + seed, student=True, teacher=alone[teacher][seed], **settings)
            for seed in seeds
        )

    found = dict(alone)
    for pair in PAIRS:
        teacher, student = pair.split(" → ")
        found[pair] = students(teacher, student.lower())
    found[SAME_STEPS] = tuple(trial("mlp", FIRST_STUDENT_SEED + seed, student=True) for seed in seeds)
    for name, changed in CONTROLS.items():
        found[name] = students("CNN", "mlp", **changed)
    free = sizes.mlp.model_copy(update={"l1": 0.0, "l2": 0.0})
    penalised = found[f"{CNN_TO_MLP}, factor 1/T²"]
    found[NO_PENALTY] = tuple(student.model_copy(update={"model": free}) for student in penalised)
    return found
