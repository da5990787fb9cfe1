"""The trials: RNNs and LSTMs of different bounds, trained on characters; random ones beside them are drawn in tables.

The bound is what Miller & Hardt (2019) call λ. An RNN is kept inside it by clipping singular values, an LSTM by budgets
that certify it.
"""

from dataclasses import dataclass

from inductive_bias.layers import StableLSTM, StableRNN
from inductive_bias.models import RecurrentSpec
from inductive_bias.models.recurrent import NAMES
from inductive_bias.studies.design import Cells, Design
from inductive_bias.studies.scales import Scale
from inductive_bias.tasks import CharacterModelling
from inductive_bias.training import OptimiserSpec, ScheduleSpec
from inductive_bias.trials import Trial

TANH_RNN, LSTM = MODELS = NAMES["tanh"], NAMES["lstm"]
FREE = "none"
#: λ by level. What lies above 1 is drawn at random and not trained.
BOUNDS: dict[str, float] = {"0.5": 0.5, "0.8": 0.8, "0.9": 0.9, "0.95": 0.95, "0.99": 0.99, "1.05": 1.05}
TRAINED_BOUNDS = (FREE, *(name for name, bound in BOUNDS.items() if bound < 1))
#: Ceiling of an LSTM's forget gate by bound: the nearer to 1, the longer c lasts, and the smaller all other weights.
FORGET = {"0.8": 0.6, "0.9": 0.7, "0.95": 0.8, "0.99": 0.9}
#: The best of .001, .002, .004 … .032 on validation, of the models without a bound, with a seed that is not used (100).
RATES = {TANH_RNN: 1.6e-2, LSTM: 3.2e-2}


#: Random networks; an LSTM among them, all of whose budgets are used up. Trained ones are the models above.
LINEAR_ORTHOGONAL, TANH_ORTHOGONAL, TANH_GAUSSIAN, AT_BUDGETS = RANDOM_FAMILIES = (
    "linear, orthogonal",
    "tanh, orthogonal",
    "tanh, Gaussian",
    "LSTM at its budgets",
)
TANH_TRAINED, LSTM_TRAINED = TRAINED_FAMILIES = tuple(f"{model}, trained" for model in MODELS)
#: On the pages, in their order; which are LSTMs, and which begin as a rotation times their bound.
FAMILIES = (*RANDOM_FAMILIES, *TRAINED_FAMILIES)
LSTM_FAMILIES, ORTHOGONAL_FAMILIES = (AT_BUDGETS, LSTM_TRAINED), (LINEAR_ORTHOGONAL, TANH_ORTHOGONAL)
#: Inputs: uniform in [−1, 1], test text as the network embeds it, and the worst that a search finds.
RANDOM, TEXT, WORST = "random", "text", "worst"
#: Errors of a state for which a window is asked, and the gap below which float64 has nothing to say.
ERRORS = (1e-1, 1e-2, 1e-3, 1e-4, 1e-5, 1e-6)
SMALLEST = 1e-12


@dataclass(frozen=True)
class Sizes:
    """The arguments of one scale."""

    task: CharacterModelling
    states: int
    schedule: ScheduleSpec
    seeds: int
    embedding: int = 16

    def trial(self, model: str, bound: str, *, seed: int) -> Trial:
        """One run."""
        return Trial(
            task=self.task,
            model=constrained(model, bound, states=self.states, embedding=self.embedding),
            optimiser=OptimiserSpec(learning_rate=RATES[model]),
            schedule=self.schedule,
            seed=seed,
        )


SIZES: dict[Scale, Sizes] = {
    "smoke": Sizes(
        task=CharacterModelling(text="grammar", window=16, vocabulary_size=40, sentences=120),
        states=6,
        schedule=ScheduleSpec(epochs=1, batch_size=16),
        seeds=2,
    ),
    "laptop": Sizes(
        task=CharacterModelling(text="wikipedia", window=64, vocabulary_size=28, characters=1_000_000),
        states=64,
        schedule=ScheduleSpec(epochs=2, batch_size=32),
        seeds=4,
    ),
    "paper": Sizes(
        task=CharacterModelling(text="wikipedia", window=128, vocabulary_size=28, characters=5_000_000),
        states=256,
        schedule=ScheduleSpec(epochs=4, batch_size=64),
        seeds=10,
    ),
}


def constrained(model: str, bound: str, **sizes: int) -> RecurrentSpec:
    """The model of a level, inside its bound."""
    if model == LSTM:
        limit = None if bound == FREE else StableLSTM(forget=FORGET[bound], contraction=BOUNDS[bound])
        return RecurrentSpec(cell="lstm", constraint=limit, **sizes)
    limit = None if bound == FREE else StableRNN(contraction=BOUNDS[bound])
    return RecurrentSpec(cell="tanh", constraint=limit, **sizes)


def cells(scale: Scale) -> Cells:
    """Every model and bound; an LSTM's forget gate is at least one half, so that no certificate is as low as .5."""
    sizes = SIZES[scale]
    for model, bounds in {TANH_RNN: TRAINED_BOUNDS, LSTM: (FREE, *FORGET)}.items():
        for bound in bounds:
            yield {"model": model, "bound": bound}, [sizes.trial(model, bound, seed=n) for n in range(sizes.seeds)]


def label(*, model: str, bound: str) -> str:
    """``LSTM, λ ≤ 0.9``."""
    return model if bound == FREE else f"{model}, λ ≤ {bound}"


DESIGN = Design(cells, ("model", "bound"), label=label, order={"bound": TRAINED_BOUNDS})
