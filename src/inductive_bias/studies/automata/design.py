"""The design: automata × models × layers, each run on words of one length that are new in every step.

The width is that of all models; depth is what is varied. Of one automaton, runs of one number see the same words in the
same order, whatever the model. Training ends when an automaton is simulated (three looks at .9995): easy ones take a
fraction of the steps. Rates are chosen by the highest validation accuracy of any evaluation, on average over some
automata.

Beside it stands what the benchmark ``speed`` measures, whose published table the study reads: five models of equal
size, by the length of the sequences that they read. The size is that of a Transformer of two blocks. Every step has
equally many tokens, whatever the length: long sequences come few at a time.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import SupportsInt

from inductive_bias.layers import AttentionSpec, LinearRNNSpec, REMSpec, RSASpec
from inductive_bias.models import MixingSpec, RecurrentSpec
from inductive_bias.models.recurrent import NAMES
from inductive_bias.studies.design import Cell, Cells, Design
from inductive_bias.studies.parameter_matching import blocks, match_parameters, parameters
from inductive_bias.studies.scales import Scale
from inductive_bias.studies.state_tracking import ATTENTION, LSTM, MODELS, RSA, SETUPS, TUNED, first_grid, rate
from inductive_bias.studies.timings import INFERENCE, SPEED, TRAINING
from inductive_bias.studies.tuning import FIRST_TUNING_SEED, Tuning, best_evaluations
from inductive_bias.tasks.automata import AUTOMATON_NAMES, GROUPS
from inductive_bias.trials import Trial

GRID, FLIP_FLOP = "Grid9", "flip-flop"
#: Automata of which a single position decides the state.
DECIDED = (GRID, FLIP_FLOP)
#: Automata in the order of the pages: walks, a memory, and groups as the paper's table ranks them.
AUTOMATA = ("Grid4", GRID, FLIP_FLOP, "C2", "D8", "D6", "Q8", "A5", "A4", "S4", "S5")
#: Those of the automata that never forget.
GROUP_AUTOMATA = tuple(name for name in AUTOMATA if name in GROUPS)
BENCHMARK = SPEED
#: Models of the benchmark in the order of the pages: what carries a state, what looks back, what does both.
LINEAR_RNN, REM = NAMES["linear"], "REM only"
SPEED_MODELS = (LSTM, LINEAR_RNN, REM, ATTENTION, RSA)
SPEED_MIXERS = {ATTENTION: AttentionSpec, RSA: RSASpec, REM: REMSpec}
#: The measures: a step of training per token; the same with as few sequences as the longest have; what the model says
#: of a sequence, per token; one more token; the most memory of a step per token; what is kept between tokens.
FEW, DECODING, MEMORY, KEPT = "training, few sequences", "decoding", "memory", "kept"
MEASURES = (TRAINING, FEW, INFERENCE, DECODING, MEMORY, KEPT)
#: A step of training of the models of this study.
STEP = "step of automata"


@dataclass(frozen=True, kw_only=True)
class Plan:
    """What is run at a scale.

    Attributes:
        automata: which.
        layers: of each model.
        epochs: at most.
        runs: of every cell.
        more_runs: of cells that have another number, by model and layers: cells that decide by *no run* or by *every
            run* need five (see :mod:`inductive_bias.verdicts.runs`), and those with one layer are cheap.
        batch_size: words.
        searched: automata by which the rates are chosen, one run of each.
        searched_layers: the number of layers of each model with which they are.
    """

    automata: tuple[str, ...]
    layers: Mapping[str, tuple[int, ...]]
    epochs: int
    runs: int
    more_runs: Mapping[tuple[str, int], int] = field(default_factory=dict)
    batch_size: int = 64
    searched: tuple[str, ...] = ()
    searched_layers: Mapping[str, int] = field(default_factory=dict)


#: Time of one core for a step at laptop scale: 6.5 ms a layer of attention alone, 5.2 where four seeds are trained
#: together (and 25 s to compile a stack; 7 where two stacks share the machine), 9 to 12 ms a layer of RSA, 5 to 7 ms an
#: LSTM and 2.5 ms a second layer of it. Without any early end the laptop scale takes 9.5 core-hours.
PLANS: dict[Scale, Plan] = {
    "smoke": Plan(
        automata=("Grid9", "flip-flop", "C2"),
        layers={ATTENTION: (1, 2), RSA: (2,), LSTM: (1, 2)},
        epochs=1,
        runs=2,
        batch_size=4,
        searched=("C2",),
        searched_layers={ATTENTION: 2, RSA: 2, LSTM: 1},
    ),
    "laptop": Plan(
        automata=AUTOMATA,
        layers={ATTENTION: (1, 2, 3, 4, 6), RSA: (2,), LSTM: (1, 2)},
        epochs=60,
        runs=4,
        more_runs={(ATTENTION, 1): 6, (LSTM, 1): 6},
        searched=("D8", "A4"),
        searched_layers={ATTENTION: 4, RSA: 2, LSTM: 1},
    ),
    # the paper has 20 runs of every cell
    "paper": Plan(
        automata=AUTOMATON_NAMES,
        layers={ATTENTION: tuple(range(1, 17)), RSA: (2, 4, 8), LSTM: (1, 2)},
        epochs=1_000,
        runs=5,
    ),
}


def trial(scale: Scale, automaton: str, model: str, layers: int, *, seed: int, learning_rate: float) -> Trial:
    """One run."""
    plan, setup = PLANS[scale], SETUPS[scale]
    options = {"epochs": plan.epochs, "batch_size": plan.batch_size, "seed": seed, "learning_rate": learning_rate}
    return setup.trial(automaton, setup.network(model, layers), **options)


def cells(scale: Scale) -> Cells:
    """Every automaton and model with every number of layers."""
    plan = PLANS[scale]
    for automaton in plan.automata:
        for model in MODELS:
            for layers in plan.layers[model]:
                seeds = range(plan.more_runs.get((model, layers), plan.runs))
                options = {"learning_rate": rate(scale, model)}
                runs = [trial(scale, automaton, model, layers, seed=seed, **options) for seed in seeds]
                yield cell(automaton, model, layers), runs


def search_cells(scale: Scale) -> Cells:
    """Every learning rate that is tried."""
    plan = PLANS[scale]
    for model, layers in plan.searched_layers.items():
        for place in TUNED.grid(scale, first_grid(scale, model), model=model):
            for automaton in plan.searched:
                runs = [trial(scale, automaton, model, layers, seed=FIRST_TUNING_SEED, **place)]
                yield {"model": model, "automaton": automaton, **place}, runs


def cell(automaton: str, model: str, layers: int) -> Cell:
    """The cell of an automaton, a model and its depth."""
    return Cell(automaton=automaton, model=model, layers=layers)


def layers_in_words(layers: SupportsInt) -> str:
    """``2 layers``."""
    return f"{int(layers)} layer{'s' * (int(layers) > 1)}"


def named(model: str, layers: int) -> str:
    """``Attention, 2 layers``."""
    return f"{model}, {layers_in_words(layers)}"


def label(*, automaton: str, model: str, layers: int) -> str:
    """``Attention with 2 layers, Grid9``."""
    return f"{model} with {layers_in_words(layers)}, {automaton}"


DESIGN = Design(cells, ("automaton", "model", "layers"), label=label, order={"model": MODELS})
TUNING = Tuning(
    Design(search_cells, ("model", "automaton", "learning_rate")), TUNED, highest=True, score=best_evaluations()
)


@dataclass(frozen=True)
class Shape:
    """The Transformer whose number of parameters all models of the benchmark have, and what it reads and says."""

    width: int = 128
    layers: int = 2
    heads: int = 4
    symbols: int = 32

    @property
    def dimensions(self) -> Mapping[str, int]:
        """What models are built for."""
        return {"vocabulary": self.symbols, "outputs": self.symbols}

    @property
    def specs(self) -> dict[str, MixingSpec | RecurrentSpec]:
        """Every model, as wide as the number of parameters allows.

        The linear RNN stands in blocks, in the place of attention, and is computed in parallel: bare, it would be one
        layer without anything that is not linear.
        """
        options = {"layers": self.layers, "positions": "sinusoidal"}
        first = MixingSpec(mixer=AttentionSpec(heads=self.heads), width=self.width, **options)
        wanted = parameters(first, self.dimensions)

        def lstm(width: int) -> RecurrentSpec:
            return RecurrentSpec(cell="lstm", states=width, embedding=width, layers=self.layers)

        def linear(width: int) -> MixingSpec:
            return MixingSpec(mixer=LinearRNNSpec(), width=width, **options)

        found = {
            name: blocks(mixer(heads=self.heads), wanted, self.dimensions, **options)
            for name, mixer in SPEED_MIXERS.items()
        }
        found |= {
            LSTM: match_parameters(lstm, wanted, self.dimensions),
            LINEAR_RNN: match_parameters(linear, wanted, self.dimensions),
        }
        return {name: found[name] for name in SPEED_MODELS}
