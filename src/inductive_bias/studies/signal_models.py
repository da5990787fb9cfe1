"""Models and sizes that the studies of signals and samples have in common: RSA, its attention-only twin, and others.

All are trained on a sum of a recurrent part and a lookup, and differ in what mixes the tokens alone.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

from inductive_bias.layers import ALiBiSpec, AttentionSpec, LinearRNNSpec, LSTMLayerSpec, REMSpec, RSASpec
from inductive_bias.layers.base import MixerSpec
from inductive_bias.models import MixingSpec
from inductive_bias.studies.scales import Scale
from inductive_bias.tasks import MixedSignal
from inductive_bias.training import OptimiserSpec, ScheduleSpec
from inductive_bias.trials import Trial


class Kind(NamedTuple):
    """What mixes the tokens: ``decays`` start as in the ``paper`` or ``small``; a mixer without a REM has ``none``."""

    model: str
    positions: str = "none"
    decays: str = "none"

    def __str__(self) -> str:
        """``RSA, small decays`` or ``Attention, ALiBi``."""
        return self.model + ", small decays" * (self.decays == "small") + ", ALiBi" * (self.positions == "ALiBi")


TWIN, TWIN_ALIBI = Kind("Attention", "sinusoidal"), Kind("Attention", "ALiBi")
RSA, RSA_SMALL = Kind("RSA", "sinusoidal", "paper"), Kind("RSA", "sinusoidal", "small")
RNNS = LSTM, LINEAR_RNN = Kind("LSTM"), Kind("Linear RNN")
REM, REM_SMALL = Kind("REM only", decays="paper"), Kind("REM only", decays="small")
#: All else is equal but for the states of recurrent layers. RSA starts from a neutral gate, its heads spread over the
#: kinds of REM.
MIXERS: dict[Kind, MixerSpec] = {
    LSTM: LSTMLayerSpec(),
    LINEAR_RNN: LinearRNNSpec(),
    TWIN: AttentionSpec(),
    TWIN_ALIBI: ALiBiSpec(),
    RSA: RSASpec(gate_logit=0.0),
    RSA_SMALL: RSASpec(gate_logit=0.0, decay_start="small"),
    REM: REMSpec(),
    REM_SMALL: REMSpec(decay_start="small"),
}
#: Trained at every place of the plane; and their levels, for :meth:`Results.frame`.
PLANE_MODELS = (LSTM, LINEAR_RNN, TWIN, RSA)
PLANE = {factor: tuple({getattr(kind, factor): None for kind in PLANE_MODELS}) for factor in Kind._fields}

# A first design (32 tokens, keys of 8 dimensions, 1,000 steps with a falling rate) was trained once and given up: the
# attention model had not begun to look up by then wherever that is a small part of the signal (ρ = .75: error .25 with
# 8,192 sequences in every seed), so that the plane showed steps and not samples. Chosen again on that model at ρ = .75
# with 8,192 sequences and seeds that the study does not use (100 to 102): excess errors .25, .25, .13 with 8 dimensions
# and 2,000 steps, .02, .18, .26 with 4; at a constant rate and 24 tokens .03 and .02 after 2,500 steps. RSA was not
# looked at for that: it has the rate of its twin. Earlier, at 800 or 1,000 steps: LSTM .006, .012, .024 gave .57, .59,
# .61 at ρ = .5; linear RNN .003: .55, and .012 broke it; sinusoidal positions beat ALiBi (.17 against .35).
RATES = {"attention": 6e-3, "alibi": 6e-3, "rsa": 6e-3, "rem": 6e-3, "linear_rnn": 3e-3, "lstm": 6e-3}


@dataclass(frozen=True)
class Sizes:
    """The arguments of one scale.

    The ``task`` gets its ρ (one of ``shares``), training size (one of ``samples``) and seed. Recurrent layers have so
    many ``states`` that all models have as many parameters.
    """

    task: MixedSignal
    shares: tuple[float, ...]
    samples: tuple[int, ...]
    base: Mapping[str, int]
    heads: int
    states: Mapping[str, int]
    schedule: ScheduleSpec
    seeds: int
    rates: Mapping[str, float] = field(default_factory=lambda: RATES)

    def trial(self, kind: Kind, *, rho: float, samples: int, seed: int, **signal: object) -> Trial:
        """One run; models are compared on equal sequences seed by seed. ``signal`` are further choices of the task."""
        mixer = MIXERS[kind]
        size = {"states": self.states[mixer.kind]} if mixer.kind in self.states else {"heads": self.heads}
        added = "sinusoidal" if kind.positions == "sinusoidal" else "none"  # those of ALiBi are in the mixer
        return Trial(
            task=self.task.model_copy(update={"rho": rho, "train_size": samples, "data_seed": seed} | signal),
            model=MixingSpec(mixer=mixer.model_copy(update=size), positions=added, **self.base),
            optimiser=OptimiserSpec(learning_rate=self.rates[mixer.kind]),
            schedule=self.schedule,
            seed=seed,
            checkpoints=(0, self.schedule.epochs),
        )


SIZES: dict[Scale, Sizes] = {
    "smoke": Sizes(
        task=MixedSignal(length=12, scored=6, key_size=4, validation_size=32, test_size=32),
        shares=(0.0, 0.5, 1.0),
        samples=(16, 64),
        base={"layers": 1, "width": 8, "feedforward": 2},
        heads=4,
        states={"lstm": 4, "linear_rnn": 10},
        schedule=ScheduleSpec(epochs=2, batch_size=16),
        seeds=2,
    ),
    # sized so that attention masters the lookup and the recurrence with 8,192 sequences and neither with 32
    "laptop": Sizes(
        task=MixedSignal(length=24, scored=12, key_size=4),
        shares=(0.0, 0.25, 0.5, 0.75, 1.0),
        samples=(32, 128, 512, 2048, 8192),
        base={"layers": 1, "width": 32, "feedforward": 2},
        heads=4,
        states={"lstm": 18, "linear_rnn": 40},
        schedule=ScheduleSpec(epochs=100, batch_size=32, decay="constant"),
        seeds=4,
    ),
    # the paper draws the plane and measures nothing on it: these are longer sequences, two layers and more seeds
    "paper": Sizes(
        task=MixedSignal(length=128, scored=64, key_size=16),
        shares=(0.0, 0.125, 0.25, 0.375, 0.5, 0.625, 0.75, 0.875, 1.0),
        samples=(32, 128, 512, 2048, 8192, 32768),
        base={"layers": 2, "width": 96, "feedforward": 4},
        heads=6,
        states={"lstm": 53, "linear_rnn": 119},
        schedule=ScheduleSpec(epochs=400, batch_size=32),
        seeds=10,
        rates=dict.fromkeys(RATES, 3e-3),
    ),
}


def place_label(*, rho: float, samples: int, **kind: str) -> str:
    """``RSA, ρ = 0.5, n = 128``."""
    return f"{Kind(**kind)}, ρ = {rho:g}, n = {samples}"
