"""The design: a linear RNN, a tanh RNN and an LSTM × a signal that is linear or not × trained or untrained.

Why these tasks: on ``filter`` the best model *is* a linear RNN, whose poles are known; ``flip_flop`` needs states that
stay where a pulse has put them, which no linear system has. The linear part should explain a network of the first kind
well and one of the second badly; where a network in between would fall is what the two ends frame.
"""

from dataclasses import dataclass
from itertools import product

from inductive_bias.models import RecurrentSpec
from inductive_bias.models.recurrent import NAMES
from inductive_bias.studies.design import Cells, Design
from inductive_bias.studies.scales import Scale
from inductive_bias.tasks import GeneratedSignals
from inductive_bias.training import OptimiserSpec, ScheduleSpec
from inductive_bias.trials import Trial

CELLS = {name: cell for cell, name in NAMES.items()}
LINEAR_RNN, TANH_RNN, LSTM = MODELS = tuple(CELLS)
NONLINEAR = (TANH_RNN, LSTM)
FILTER, FLIP_FLOP = SIGNALS = "filter", "flip-flop"
TRAINED, UNTRAINED = TRAINING = "trained", "untrained"
#: What stands in for a network: a linear system by calculus, one that is fitted, a filter; and what is no stand-in.
AT_ZERO, AT_MEAN, FITTED = "linearised at 0", "linearised at the mean", "fitted linear RNN"
ANY_FILTER, MISMATCHED = "any linear filter", "fitted, inputs of others"
NETWORK = "the network itself"
#: The head of the present token alone.
LAG_ZERO = "lag 0"
#: Learning rates, chosen on validation data: a linear RNN with larger steps leaves the unit circle in some of its first
#: epochs.
RATES = {LINEAR_RNN: 5e-3, TANH_RNN: 1e-2, LSTM: 1e-2}


@dataclass(frozen=True)
class Sizes:
    """What is run at a scale: sizes of the data and the models, and runs of every cell."""

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


def cells(scale: Scale) -> Cells:
    """Every model on every signal; only what is not linear is also measured as it was born, untrained."""
    sizes = SIZES[scale]
    for model, signal, training in product(MODELS, SIGNALS, TRAINING):
        if training == UNTRAINED and model not in NONLINEAR:
            continue
        task = GeneratedSignals(
            target=signal.replace("-", "_"),
            train_size=sizes.sequences,
            validation_size=sizes.held_out,
            test_size=sizes.held_out,
            length=sizes.length,
        )
        trials = [
            Trial(
                task=task,
                model=RecurrentSpec(cell=CELLS[model], states=sizes.states),
                optimiser=OptimiserSpec(learning_rate=RATES[model]),
                schedule=ScheduleSpec(epochs=sizes.epochs if training == TRAINED else 0, batch_size=64),
                seed=seed,
            )
            for seed in range(sizes.seeds)
        ]
        yield {"model": model, "signal": signal, "training": training}, trials


def label(*, model: str, signal: str, training: str) -> str:
    """``LSTM, flip-flop, untrained``."""
    return f"{model}, {signal}" + ("" if training == TRAINED else f", {training}")


DESIGN = Design(cells, ("model", "signal", "training"), label=label)
