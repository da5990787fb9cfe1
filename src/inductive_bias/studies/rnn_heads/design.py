"""The trials: a linear RNN, a tanh RNN and an LSTM on a task that is linear and on one that is not, and untrained ones.

Why these tasks: on ``filter`` the best model *is* a linear RNN, whose poles are known; ``flip_flop`` needs states that
stay where a pulse has put them, which no linear system has. The linear part should explain a network of the first kind
well and one of the second badly; where a network in between would fall is what the two ends frame.
"""

from collections.abc import Mapping
from dataclasses import dataclass

from inductive_bias.models import RecurrentSpec
from inductive_bias.models.recurrent import NAMES
from inductive_bias.studies.scales import Scale
from inductive_bias.tasks import GeneratedSignals
from inductive_bias.training import OptimiserSpec, ScheduleSpec
from inductive_bias.trials import Trial

#: Tasks as the cells call them.
TARGETS = {"filter": "filter", "flip-flop": "flip_flop"}
UNTRAINED = "untrained"
#: Chosen on validation data: a linear RNN with larger steps leaves the unit circle in some of its first epochs.
RATES = {"linear": 5e-3, "tanh": 1e-2, "lstm": 1e-2}


@dataclass(frozen=True)
class Sizes:
    """The arguments of one scale."""

    sequences: int
    held_out: int
    length: int
    states: int
    epochs: int
    seeds: int


SIZES: dict[Scale, Sizes] = {
    "smoke": Sizes(sequences=96, held_out=32, length=24, states=6, epochs=2, seeds=2),
    "laptop": Sizes(sequences=1_024, held_out=256, length=50, states=16, epochs=40, seeds=5),
    # the paper trains nothing for its proposition: the same design, larger
    "paper": Sizes(sequences=4_096, held_out=512, length=100, states=64, epochs=100, seeds=10),
}


def cell_name(cell: str, target: str, *, trained: bool = True) -> str:
    """``tanh RNN, filter`` or ``tanh RNN, filter, untrained``."""
    return f"{NAMES[cell]}, {target}" + ("" if trained else f", {UNTRAINED}")


#: Trained linear RNNs, trained non-linear ones, and non-linear ones as they were born.
LINEAR = tuple(cell_name("linear", target) for target in TARGETS)
NONLINEAR = tuple(cell_name(cell, target) for cell in ("tanh", "lstm") for target in TARGETS)
CONTROLS = tuple(f"{name}, {UNTRAINED}" for name in NONLINEAR)


def cells(scale: Scale) -> Mapping[str, tuple[Trial, ...]]:
    """The named cells of one scale, each with its seeds."""
    sizes = SIZES[scale]

    def trials(cell: str, target: str, *, trained: bool) -> tuple[Trial, ...]:
        task = GeneratedSignals(
            target=TARGETS[target],
            train_size=sizes.sequences,
            validation_size=sizes.held_out,
            test_size=sizes.held_out,
            length=sizes.length,
        )
        return tuple(
            Trial(
                task=task,
                model=RecurrentSpec(cell=cell, states=sizes.states),
                optimiser=OptimiserSpec(learning_rate=RATES[cell]),
                schedule=ScheduleSpec(epochs=sizes.epochs if trained else 0, batch_size=64),
                seed=seed,
            )
            for seed in range(sizes.seeds)
        )

    found = {cell_name(cell, target): trials(cell, target, trained=True) for cell in RATES for target in TARGETS}
    for cell in ("tanh", "lstm"):
        for target in TARGETS:
            found[cell_name(cell, target, trained=False)] = trials(cell, target, trained=False)
    return found
