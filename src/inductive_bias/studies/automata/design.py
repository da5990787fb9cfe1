"""The design: automata × models × layers, each run on words of one length that are new in every step.

The width is that of all models; depth is what is varied. Of one automaton, runs of one number see the same words in the
same order, whatever the model. Training ends when an automaton is simulated (three looks at .9995): easy ones take a
fraction of the steps.
"""

import math
from collections.abc import Mapping
from dataclasses import dataclass, field

from inductive_bias.layers import AttentionSpec, RSASpec
from inductive_bias.models import MixingSpec, RecurrentSpec
from inductive_bias.models.recurrent import NAMES
from inductive_bias.studies.design import Cell, GridDesign, Level
from inductive_bias.studies.scales import Scale
from inductive_bias.studies.searching import CHOSEN, STANDARD, TUNING, Searched, rates_of, seed_of, variants_of
from inductive_bias.tasks import StateTracking
from inductive_bias.tasks.automata import AUTOMATON_NAMES, GROUPS
from inductive_bias.training import OptimiserSpec, ScheduleSpec
from inductive_bias.trials import Trial

MODELS = ATTENTION, RSA, LSTM = "Attention", "RSA", NAMES["lstm"]
MIXERS = {ATTENTION: AttentionSpec, RSA: RSASpec}
GRID, FLIP_FLOP = "Grid9", "flip-flop"
#: In the order of the pages: walks, a memory, and groups as the paper's table ranks them.
SHOWN = ("Grid4", GRID, FLIP_FLOP, "C2", "D8", "D6", "Q8", "A5", "A4", "S4", "S5")
#: Those of them that never forget.
SHOWN_GROUPS = tuple(name for name in SHOWN if name in GROUPS)


@dataclass(frozen=True)
class Plan(Searched):
    """What is run at a scale; ``seeds`` are of every cell, and factors on rates are by model.

    Attributes:
        automata: which.
        layers: of each model.
        deepest: the most layers that are run on an automaton, if not all are, but where rates are searched: deep
            networks take most of the time.
        more: runs of cells that have another number, by model and layers: cells that decide by *no run* or by *every
            run* need five (see :mod:`inductive_bias.verdicts.runs`), and those with one layer are cheap.
        length: of the training words; test words are as long, and twice as long.
        width, heads: of every model.
        epochs: of :data:`~inductive_bias.protocols.batching.FRESH_STEPS` steps each, at most.
        batch_size, warmup: as the names say.
        rates: by model, before the factor.
        searched: automata by which the rates are chosen.
        search: the number of layers of each model with which they are.
        test_size, validation_size: words.
    """

    automata: tuple[str, ...]
    layers: Mapping[str, tuple[int, ...]]
    length: int
    width: int
    heads: int
    epochs: int
    batch_size: int = 64
    warmup: int = 200
    deepest: Mapping[str, int] = field(default_factory=dict)
    rates: Mapping[str, float] = field(default_factory=lambda: RATES)
    searched: tuple[str, ...] = ()
    search: Mapping[str, int] = field(default_factory=dict)
    test_size: int = 2_000
    validation_size: int = 500

    def runs(self, *, automaton: str, model: str, layers: int, variant: str = STANDARD, rate: float = CHOSEN) -> int:
        """How many runs of a cell there are."""
        if variant == TUNING:
            wanted = automaton in self.searched and layers == self.search.get(model)
            return self.tuning_runs(model, rate) if wanted else 0
        wanted = rate == CHOSEN and layers in self.depths(automaton, model)
        return self.more.get((model, layers), self.seeds) if wanted else 0

    def depths(self, automaton: str, model: str) -> tuple[int, ...]:
        """The numbers of layers of a model that are run on an automaton."""
        if automaton not in self.automata:
            return ()
        return tuple(layers for layers in self.layers.get(model, ()) if layers <= self.deepest.get(automaton, math.inf))

    def trial(self, number: int, *, automaton: str, model: str, layers: int, variant: str, rate: float) -> Trial:
        """One run."""
        factor = self.factor(model, variant=variant, rate=rate)
        sizes = {"validation_size": self.validation_size, "test_size": self.test_size}
        return Trial(
            task=StateTracking(automaton=automaton, length=self.length, test_lengths=self.test_lengths, **sizes),
            model=self.model(model, layers),
            optimiser=OptimiserSpec(learning_rate=factor * self.rates[model]),
            schedule=ScheduleSpec(epochs=self.epochs, batch_size=self.batch_size, warmup=self.warmup),
            seed=seed_of(number, variant),
        )

    def model(self, name: str, layers: int) -> MixingSpec | RecurrentSpec:
        """The network of that name and depth."""
        if name == LSTM:
            return RecurrentSpec(cell="lstm", states=self.width, embedding=self.width, layers=layers)
        mixer = MIXERS[name](heads=self.heads)
        return MixingSpec(mixer=mixer, positions="sinusoidal", layers=layers, width=self.width)

    @property
    def test_lengths(self) -> tuple[int, int]:
        """As long as in training, and twice as long."""
        return self.length, 2 * self.length


#: Pilots (validation, all positions, seeds from 1000 on; half a cosine over the steps named). Attention, D8, 4 layers,
#: 1,000 steps: .63 with rate .0005, .70 to .80 with .001 (four seeds), .82 with .002; A5, 6 layers, 1,500 steps: .70
#: with .001, .90 with .002. RSA, D8, 2 layers, 1,000 steps: .99 with .001, where attention has .63; it has its twin's
#: rate. LSTM, S5, 2,000 steps: .986 with .003, .996 with .01; Grid9 is simulated after 500 steps.
RATES = {ATTENTION: 2e-3, RSA: 2e-3, LSTM: 1e-2}
#: Time of one core for a step at laptop scale: 6.5 ms a layer of attention alone, 5.2 where four seeds are trained
#: together (and 25 s to compile a stack; 7 where two stacks share the machine), 9 to 12 ms a layer of RSA, 5 to 7 ms an
#: LSTM and 2.5 ms a second layer of it. Without any early end the laptop scale takes 9.5 core-hours.
PLANS: dict[Scale, Plan] = {
    "smoke": Plan(
        ("Grid9", "flip-flop", "C2"),
        {ATTENTION: (1, 2), RSA: (2,), LSTM: (1, 2)},
        seeds=2,
        length=4,
        width=8,
        heads=2,
        epochs=1,
        batch_size=4,
        warmup=10,
        test_size=20,
        validation_size=10,
        tuned=1,
        searched=("C2",),
        search={ATTENTION: 2, RSA: 2, LSTM: 1},
    ),
    "laptop": Plan(
        SHOWN,
        {ATTENTION: (1, 2, 3, 4, 6), RSA: (2,), LSTM: (1, 2)},
        seeds=4,
        length=16,
        width=64,
        heads=4,
        epochs=60,
        more={(ATTENTION, 1): 6, (LSTM, 1): 6},
        factors={ATTENTION: 0.5},
        tuned=1,
        searched=("D8", "A4"),
        search={ATTENTION: 4, RSA: 2, LSTM: 1},
        further={ATTENTION: (0.25,)},
    ),
    # the paper's width, rate and number of steps are not known to us; it has 20 runs of every cell
    "paper": Plan(
        AUTOMATON_NAMES,
        {ATTENTION: tuple(range(1, 17)), RSA: (2, 4, 8), LSTM: (1, 2)},
        seeds=5,
        length=100,
        width=128,
        heads=4,
        epochs=1_000,
        rates={ATTENTION: 3e-4, RSA: 3e-4, LSTM: 3e-3},
    ),
}


def levels(scale: Scale) -> dict[str, tuple[Level, ...]]:
    """The factors and their levels."""
    plan = PLANS[scale]
    return {
        "automaton": plan.automata,
        "model": MODELS,
        "layers": tuple(sorted({depth for depths in plan.layers.values() for depth in depths})),
        "variant": variants_of([plan]),
        "rate": rates_of([plan]),
    }


def label(*, automaton: str, model: str, layers: int, variant: str, rate: float) -> str:
    """``Attention with 2 layers, Grid9``."""
    more = f", rate × {rate:g}" if variant == TUNING else ""
    return f"{model} with {layers} layer{'s' * (layers > 1)}, {automaton}{more}"


def cell(automaton: str, model: str, layers: int) -> Cell:
    """The cell of an automaton, a model and its depth, at the chosen rate."""
    return Cell(automaton=automaton, model=model, layers=layers, variant=STANDARD, rate=CHOSEN)


def depths(scale: Scale, model: str) -> tuple[int, ...]:
    """The numbers of layers of a model, on the automata that have all of them."""
    return PLANS[scale].layers[model]


def named(model: str, layers: int) -> str:
    """``Attention, 2 layers``."""
    return f"{model}, {layers} layer{'s' * (layers > 1)}"


def deep(scale: Scale) -> tuple[str, ...]:
    """The automata that have all of them."""
    plan = PLANS[scale]
    return tuple(name for name in plan.automata if name not in plan.deepest)


DESIGN = GridDesign.of_plans(PLANS, levels=levels, label=label)
