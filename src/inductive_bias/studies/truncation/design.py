"""The trials: RNNs and LSTMs of different bounds, trained on characters; random ones beside them are drawn in tables.

The bound is what Miller & Hardt (2019) call λ. An RNN is kept inside it by clipping singular values, an LSTM by budgets
that certify it.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field

from inductive_bias.layers import StableLSTM, StableRNN
from inductive_bias.models import RecurrentSpec
from inductive_bias.models.recurrent import NAMES
from inductive_bias.studies.design import GridDesign
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


@dataclass(frozen=True)
class Sizes:
    """The arguments of one scale.

    Attributes:
        task, states, embedding, schedule, rates: of the trained networks.
        seeds: of these, and draws of random networks.
        drawn, channels: states of the random networks, and their inputs.
        length: of the random inputs and the text.
        worst: contexts for which the worst inputs are searched, twice as long as the last of them.
        search: steps of that search.
    """

    task: CharacterModelling
    states: int
    schedule: ScheduleSpec
    seeds: int
    drawn: tuple[int, ...]
    length: int
    worst: tuple[int, ...]
    search: int = 100
    channels: int = 8
    embedding: int = 16
    rates: Mapping[str, float] = field(default_factory=lambda: RATES)


SIZES: dict[Scale, Sizes] = {
    "smoke": Sizes(
        task=CharacterModelling(text="grammar", window=16, vocabulary_size=40, sentences=120),
        states=6,
        schedule=ScheduleSpec(epochs=1, batch_size=16),
        seeds=2,
        drawn=(4,),
        length=20,
        worst=(2, 5),
        search=5,
    ),
    "laptop": Sizes(
        task=CharacterModelling(text="wikipedia", window=64, vocabulary_size=28, characters=1_000_000),
        states=64,
        schedule=ScheduleSpec(epochs=2, batch_size=32),
        seeds=4,
        drawn=(16, 64),
        length=200,
        worst=(1, 2, 5, 10, 20, 50),
    ),
    "paper": Sizes(
        task=CharacterModelling(text="wikipedia", window=128, vocabulary_size=28, characters=5_000_000),
        states=256,
        schedule=ScheduleSpec(epochs=4, batch_size=64),
        seeds=10,
        drawn=(16, 64, 256),
        length=400,
        worst=(1, 2, 5, 10, 20, 50, 100),
    ),
}


def constrained(model: str, bound: str, **sizes: int) -> RecurrentSpec:
    """The model of a level, inside its bound."""
    if model == LSTM:
        limit = None if bound == FREE else StableLSTM(forget=FORGET[bound], contraction=BOUNDS[bound])
        return RecurrentSpec(cell="lstm", constraint=limit, **sizes)
    limit = None if bound == FREE else StableRNN(contraction=BOUNDS[bound])
    return RecurrentSpec(cell="tanh", constraint=limit, **sizes)


def trial(scale: Scale, number: int, *, model: str, bound: str) -> Trial | None:
    """One run; an LSTM's forget gate is at least one half, so that no certificate is as low as .5."""
    if model == LSTM and bound not in (FREE, *FORGET):
        return None
    sizes = SIZES[scale]
    return Trial(
        task=sizes.task,
        model=constrained(model, bound, states=sizes.states, embedding=sizes.embedding),
        optimiser=OptimiserSpec(learning_rate=sizes.rates[model]),
        schedule=sizes.schedule,
        seed=number,
    )


def label(*, model: str, bound: str) -> str:
    """``LSTM, λ ≤ 0.9``."""
    return model if bound == FREE else f"{model}, λ ≤ {bound}"


DESIGN = GridDesign(
    levels=lambda scale: {"model": MODELS, "bound": TRAINED_BOUNDS},
    trial=trial,
    seeds=lambda scale: SIZES[scale].seeds,
    label=label,
)
