"""The trials of the vision study: CNN and MLP, alone and as each other's teachers and students, and the controls."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from inductive_bias.models import CNNSpec, MLPSpec
from inductive_bias.studies.design import NO_TEACHER, Design, Level
from inductive_bias.studies.scales import Scale
from inductive_bias.tasks import MNIST
from inductive_bias.tasks.mnist_c import CORRUPTIONS as ALL_SETS
from inductive_bias.training import OptimiserSpec, ScheduleSpec
from inductive_bias.trials import Distillation, Trial

#: The corruptions of the heat map; `identity` is the test set itself.
CORRUPTIONS = tuple(name for name in ALL_SETS if name != "identity")
#: Students start at this seed, so that none shares its initial weights with a teacher. The undistilled twin "MLP, same
#: steps" has the students' seeds: the same initial weights and the same order of batches.
FIRST_STUDENT_SEED = 10
TEMPERATURE = 5.0

MODELS = ("CNN", "MLP")
STANDARD, SAME_STEPS, NO_PENALTY = "standard", "same steps", "factor 1/T², no penalty"
#: What is varied about the CNN teacher of an MLP: variant → changed settings. One of them also leaves the student's
#: weights without penalty: did the shrunken loss lose to it?
RECIPES: dict[str, dict[str, object]] = {
    "teacher in train mode": {"teacher_mode": "train"},
    "factor 1/T²": {"scaling": "inverse"},
    NO_PENALTY: {"scaling": "inverse"},
    "no factor": {"scaling": "none"},
    "as in the original code": {"teacher_mode": "train", "scaling": "inverse"},
    "T = 1": {"temperature": 1.0},
}


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


def levels(scale: Scale) -> Mapping[str, Sequence[Level]]:
    """The factors and their levels, the same at every scale."""
    return {"model": MODELS, "teacher": (NO_TEACHER, *MODELS), "variant": (STANDARD, SAME_STEPS, *RECIPES)}


def trial(scale: Scale, number: int, *, model: str, teacher: str, variant: str) -> Trial | None:
    """The paper's six cells, the undistilled twin of the MLP students, and an MLP taught by a CNN in other ways."""
    twin = (model, teacher, variant) == ("MLP", NO_TEACHER, SAME_STEPS)
    varied = (model, teacher) == ("MLP", "CNN") and variant in RECIPES
    if not (variant == STANDARD or twin or varied):
        return None
    student = twin or teacher != NO_TEACHER
    sizes, role = SIZES[scale], f"{'student_' if student else ''}{model.lower()}"
    spec, epochs = getattr(sizes, model.lower()), getattr(sizes, f"{role}_epochs")
    distill = None
    if teacher != NO_TEACHER:
        taught_by = trial(scale, number, model=teacher, teacher=NO_TEACHER, variant=STANDARD)
        distill = Distillation(teacher=taught_by, **{"temperature": TEMPERATURE} | RECIPES.get(variant, {}))
    if variant == NO_PENALTY:
        spec = spec.model_copy(update={"l1": 0.0, "l2": 0.0})
    return Trial(
        task=sizes.task,
        model=spec,
        optimiser=OptimiserSpec(learning_rate=getattr(sizes, f"{role}_rate")),
        schedule=ScheduleSpec(epochs=epochs),
        seed=FIRST_STUDENT_SEED * student + number,
        distill=distill,
        checkpoints=checkpoints(epochs),
    )


def label(*, model: str, teacher: str, variant: str) -> str:
    """``CNN → MLP, T = 1``: who taught whom, and how."""
    name = model if teacher == NO_TEACHER else f"{teacher} → {model}"
    return name if variant == STANDARD else f"{name}, {variant}"


DESIGN = Design(levels, trial, seeds=lambda scale: SIZES[scale].seeds, label=label)
