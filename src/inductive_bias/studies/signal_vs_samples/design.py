"""The trials: every model on every proportion of recurrent signal and every number of training sequences."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

from inductive_bias.layers import ALiBiSpec, AttentionSpec, LinearRNNSpec, LSTMLayerSpec, REMSpec, RSASpec
from inductive_bias.layers.base import MixerSpec
from inductive_bias.models import MixingSpec
from inductive_bias.studies.design import GridDesign, Level
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
#: Trained at every place of the plane. All else is equal but for the states of recurrent layers. RSA starts from a
#: neutral gate, its heads spread over the kinds of REM.
MODELS: dict[Kind, MixerSpec] = {
    LSTM: LSTMLayerSpec(),
    LINEAR_RNN: LinearRNNSpec(),
    TWIN: AttentionSpec(),
    RSA: RSASpec(gate_logit=0.0),
}
#: Their levels, for :meth:`Results.frame`.
PLANE = {factor: tuple({getattr(kind, factor): None for kind in MODELS}) for factor in Kind._fields}

#: How the decays start, with attention and without; and whether attention was given the worse encoding of positions.
#: Beside each mixer stand the kind that it varies and the ρ for which it is trained.
CONTROLS: dict[Kind, tuple[MixerSpec, Kind, tuple[float, ...]]] = {
    RSA_SMALL: (RSASpec(gate_logit=0.0, decay_start="small"), RSA, (0.5, 1.0)),
    REM: (REMSpec(), RSA, (1.0,)),
    REM_SMALL: (REMSpec(decay_start="small"), REM, (1.0,)),
    TWIN_ALIBI: (ALiBiSpec(), TWIN, (0.5, 1.0)),
}


@dataclass(frozen=True)
class Sizes:
    """The arguments of one scale.

    ``task`` is but for its ρ (one of ``shares``), training size (one of ``samples``) and seed; ``control_size`` is the
    training size beside the plane. Recurrent layers have so many ``states`` that all models have as many parameters.
    Where no signal is recurrent, RSA and its twin have ``price_seeds`` by training size: small sets scatter, and R3
    asks for a small difference there. Where some of it is, both have ``saving_seeds`` at every size: R2 asks for a mean
    over all of these places. With the most sequences there are ``gate_seeds`` by model: R4 asks for the order of RSA's
    gates within each.
    """

    task: MixedSignal
    shares: tuple[float, ...]
    samples: tuple[int, ...]
    control_size: int
    base: Mapping[str, int]
    heads: int
    states: Mapping[str, int]
    schedule: ScheduleSpec
    seeds: int
    price_seeds: Mapping[int, int] = field(default_factory=dict)
    saving_seeds: int = 0
    gate_seeds: Mapping[str, int] = field(default_factory=dict)
    rates: Mapping[str, float] = field(default_factory=lambda: RATES)


# A first design (32 tokens, keys of 8 dimensions, 1,000 steps with a falling rate) was trained once and given up: the
# attention model had not begun to look up by then wherever that is a small part of the signal (ρ = .75: error .25 with
# 8,192 sequences in every seed), so that the plane showed steps and not samples. Chosen again on that model at ρ = .75
# with 8,192 sequences and seeds that the study does not use (100 to 102): excess errors .25, .25, .13 with 8 dimensions
# and 2,000 steps, .02, .18, .26 with 4; at a constant rate and 24 tokens .03 and .02 after 2,500 steps. RSA was not
# looked at for that: it has the rate of its twin. Earlier, at 800 or 1,000 steps: LSTM .006, .012, .024 gave .57, .59,
# .61 at ρ = .5; linear RNN .003: .55, and .012 broke it; sinusoidal positions beat ALiBi (.17 against .35).
RATES = {"attention": 6e-3, "alibi": 6e-3, "rsa": 6e-3, "rem": 6e-3, "linear_rnn": 3e-3, "lstm": 6e-3}

SIZES: dict[Scale, Sizes] = {
    "smoke": Sizes(
        task=MixedSignal(length=12, scored=6, key_size=4, validation_size=32, test_size=32),
        shares=(0.0, 0.5, 1.0),
        samples=(16, 64),
        control_size=64,
        base={"layers": 1, "width": 8, "feedforward": 2},
        heads=4,
        states={"lstm": 4, "linear_rnn": 10},
        schedule=ScheduleSpec(epochs=2, batch_size=16),
        seeds=2,
        price_seeds={16: 3},
    ),
    # sized so that attention masters the lookup and the recurrence with 8,192 sequences and neither with 32
    "laptop": Sizes(
        task=MixedSignal(length=24, scored=12, key_size=4),
        shares=(0.0, 0.25, 0.5, 0.75, 1.0),
        samples=(32, 128, 512, 2048, 8192),
        control_size=2048,
        base={"layers": 1, "width": 32, "feedforward": 2},
        heads=4,
        states={"lstm": 18, "linear_rnn": 40},
        schedule=ScheduleSpec(epochs=100, batch_size=32, decay="constant"),
        seeds=4,
        price_seeds={32: 48, 128: 16},
        # so many were to decide R2, by the mean and the spread of four (before it was two claims)
        saving_seeds=30,
        # so many decide R4 by the spread of 24 (probability .8, if what these found is true)
        gate_seeds={"Attention": 24, "RSA": 117},
    ),
    # the paper draws the plane and measures nothing on it: these are longer sequences, two layers and more seeds
    "paper": Sizes(
        task=MixedSignal(length=128, scored=64, key_size=16),
        shares=(0.0, 0.125, 0.25, 0.375, 0.5, 0.625, 0.75, 0.875, 1.0),
        samples=(32, 128, 512, 2048, 8192, 32768),
        control_size=8192,
        base={"layers": 2, "width": 96, "feedforward": 4},
        heads=6,
        states={"lstm": 53, "linear_rnn": 119},
        schedule=ScheduleSpec(epochs=400, batch_size=32),
        seeds=10,
        rates=dict.fromkeys(RATES, 3e-3),
    ),
}


def levels(scale: Scale) -> Mapping[str, tuple[Level, ...]]:
    """What mixes the tokens, and the two axes of the plane."""
    kinds = [*MODELS, *CONTROLS]
    factors = {factor: tuple({getattr(kind, factor): None for kind in kinds}) for factor in Kind._fields}
    return factors | {"rho": SIZES[scale].shares, "samples": SIZES[scale].samples}


def seeds_of(scale: Scale, kind: Kind, *, rho: float, samples: int) -> int:
    """How many runs of a cell there are, if it is one."""
    sizes = SIZES[scale]
    if kind not in (RSA, TWIN):
        return sizes.seeds
    placed = sizes.price_seeds.get(samples, 0) if rho == 0 else sizes.saving_seeds
    gated = sizes.gate_seeds.get(kind.model, 0) if samples == sizes.samples[-1] else 0
    return max(sizes.seeds, placed, gated)


def trial(scale: Scale, number: int, *, rho: float, samples: int, **kind: str) -> Trial | None:
    """One run; models are compared on the same sequences number by number."""
    sizes, kind = SIZES[scale], Kind(**kind)
    if number >= seeds_of(scale, kind, rho=rho, samples=samples):
        return None
    mixer = MODELS.get(kind)
    if kind in CONTROLS and samples == sizes.control_size and rho in CONTROLS[kind][2]:
        mixer = CONTROLS[kind][0]
    if mixer is None:
        return None
    size = {"states": sizes.states[mixer.kind]} if mixer.kind in sizes.states else {"heads": sizes.heads}
    added = "sinusoidal" if kind.positions == "sinusoidal" else "none"  # those of ALiBi are in the mixer
    return Trial(
        task=sizes.task.model_copy(update={"rho": rho, "train_size": samples, "data_seed": number}),
        model=MixingSpec(mixer=mixer.model_copy(update=size), positions=added, **sizes.base),
        optimiser=OptimiserSpec(learning_rate=sizes.rates[mixer.kind]),
        schedule=sizes.schedule,
        seed=number,
        checkpoints=(0, sizes.schedule.epochs),
    )


def label(*, rho: float, samples: int, **kind: str) -> str:
    """``RSA, ρ = 0.5, n = 128``."""
    return f"{Kind(**kind)}, ρ = {rho:g}, n = {samples}"


def most_seeds(scale: Scale) -> int:
    """Of any cell."""
    sizes = SIZES[scale]
    return max(sizes.seeds, sizes.saving_seeds, *sizes.gate_seeds.values(), *sizes.price_seeds.values())


DESIGN = GridDesign(levels, trial, seeds=most_seeds, label=label)
