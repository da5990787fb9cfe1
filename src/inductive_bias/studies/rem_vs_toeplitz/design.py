"""The trials of the comparison of position matrices on a character model: positions × model × variant.

All cells share embedding, width, layers, feed-forward layers, windows and learning rate; only what mixes the tokens
differs, and how it is told positions. The paper's own base is Transformer-XL, whose relative positions our model does
not have: every mixer of attention therefore comes as a pair, without positions (where a REM is all that tells an order)
and with sinusoidal ones (where it has to add to what is there).

In the paper half of the heads are plain attention. So it is in the variants ``half plain`` and ``chosen``; in all
others every head has a matrix.

The cells ``chosen`` have settings that a search chose for them on validation text, with sinusoidal positions and seeds
of its own. It has two steps, each with as many runs for attention, RSA and free matrices
(:mod:`~inductive_bias.studies.heads_search`). The first chooses kinds, dilation and gate start of the heads of RSA;
rate, dropout and number of heads of attention; rate, dropout and gate start of a free matrix. The second chooses rate
and number of heads of what the first chose. ``chosen, shared`` is the chosen RSA with one decay and one angle a kind.
``chosen kinds`` and ``chosen kinds, shared`` are these two with a matrix in every head. Where the search chose one head
of each kind, they alone tell what sharing costs.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from itertools import product
from pathlib import Path

from inductive_bias.layers import ALiBiSpec, AttentionSpec, LinearRNNSpec, LSTMLayerSpec, REMSpec, RSASpec, ToeplitzSpec
from inductive_bias.layers.base import MixerSpec
from inductive_bias.models import MixingSpec
from inductive_bias.studies.design import Cell, Cells, Design, Level
from inductive_bias.studies.heads_search import (
    ATTENTION,
    GATE_LOGIT,
    RSA,
    TOEPLITZ,
    TRIED,
    VARIED,
    rated,
    rates_and_heads,
    searched,
    whole,
    with_heads,
)
from inductive_bias.studies.scales import Scale
from inductive_bias.studies.tuning import FIRST_TUNING_SEED, Tuned, Tuning
from inductive_bias.tasks import CharacterModelling
from inductive_bias.training import OptimiserSpec, ScheduleSpec
from inductive_bias.trials import Trial

LINEAR_RNN = "Linear RNN"
SINUSOIDAL, NONE, ALIBI = "sinusoidal", "none", "ALiBi"
STANDARD, HALF = "standard", "half plain"
CHOSEN, CHOSEN_SHARED = "chosen", "chosen, shared"
CHOSEN_KINDS, CHOSEN_KINDS_SHARED = "chosen kinds", "chosen kinds, shared"
POSITIONS = (SINUSOIDAL, NONE, ALIBI)
MODELS = (ATTENTION, TOEPLITZ, RSA, "REM only", LINEAR_RNN, "LSTM")
#: Variants of RSA with the settings that the search chose: whether heads share, and whether half of them are plain.
OF_CHOSEN = {
    CHOSEN: {"shared": False, "half_plain": True},
    CHOSEN_SHARED: {"shared": True, "half_plain": True},
    CHOSEN_KINDS: {"shared": False, "half_plain": False},
    CHOSEN_KINDS_SHARED: {"shared": True, "half_plain": False},
}
VARIANTS = (STANDARD, "shared", "per head", "frozen", "printed diagonal", "undilated", HALF, *OF_CHOSEN)
#: Layers of the paper's models.
PAPER_LAYERS = 14
#: The two steps of the search.
SETTINGS, RATE_AND_HEADS = "settings", "rate and heads"
#: Mixers whose settings are searched.
SEARCHED = ATTENTION, RSA, TOEPLITZ
TUNED = Tuned(Path(__file__).with_name("tuned.csv"), keys=("model", "search"), settings=VARIED)


@dataclass(frozen=True)
class Sizes:
    """What is run at a scale.

    Attributes:
        task: the text.
        base: what all models have.
        states: of the linear RNN and the LSTM, so that a layer has about the parameters of attention.
        schedule: of every run.
        seeds: runs of a cell.
        more: runs of a cell that has another number.
        heads: of every mixer that has some.
        rate: the learning rate.
        linear_rate: the learning rate of the linear RNN, which nothing keeps from growing without bound.
        chosen: runs of a cell with chosen settings; nothing is searched if 0.
        chosen_kinds: runs of RSA with chosen settings and a matrix in every head.
        most_places: of a mixer in a step of the search; all if None. The second step then waits for the first.
    """

    task: CharacterModelling
    base: Mapping[str, object]
    states: tuple[int, int]
    schedule: ScheduleSpec
    seeds: int
    heads: int = 4
    rate: float = 1e-2
    linear_rate: float = 5e-3
    more: Mapping[Cell, int] = field(default_factory=dict)
    chosen: int = 0
    chosen_kinds: int = 0
    most_places: int | None = None

    def trial(self, spec: MixingSpec, rate: float, seed: int) -> Trial:
        """One run."""
        optimiser = OptimiserSpec(learning_rate=rate)
        return Trial(task=self.task, model=spec, optimiser=optimiser, schedule=self.schedule, seed=seed)

    def searched(
        self,
        model: str,
        *,
        dropout: float | None = None,
        heads: int | None = None,
        kinds: str | None = None,
        dilation: str | None = None,
        gate_logit: float | None = None,
        shared: bool = False,
        half_plain: bool = True,
    ) -> MixingSpec:
        """A model with settings of the search, and those of the other cells where there are none."""
        heads = heads or self.heads
        plain = heads // 2 if half_plain else 0
        gated = {"heads": heads, "plain": plain, "gate_logit": GATE_LOGIT if gate_logit is None else gate_logit}
        if model == ATTENTION:
            mixer = AttentionSpec(heads=heads)
        elif model == TOEPLITZ:
            mixer = ToeplitzSpec(length=self.task.window, **gated)
        else:
            mixer = with_heads(kinds, dilation, shared=shared, **gated)
        more = {} if dropout is None else {"dropout": dropout}
        return MixingSpec(mixer=mixer, positions=SINUSOIDAL, **self.base | more)


#: The two cells of R10: after five runs the claim was undecided, and four more of each were said to be enough.
DIAGONALS = tuple(Cell(positions=SINUSOIDAL, model=RSA, variant=kind) for kind in ("shared", "printed diagonal"))
SIZES: dict[Scale, Sizes] = {
    "smoke": Sizes(
        task=CharacterModelling(text="grammar", sentences=400, window=32),
        base={"layers": 2, "width": 16},
        states=(20, 9),
        schedule=ScheduleSpec(epochs=1, batch_size=16),
        seeds=2,
        chosen=2,
        chosen_kinds=2,
        most_places=2,
    ),
    # Tuned by validation BPC of attention with sinusoids alone, after one epoch (490 steps) of a seed of its own: 3.35,
    # 3.12 and 2.93 with rates of .002, .005 and .01; after all three epochs 2.45 with .01 and 2.51 with .02, where the
    # undilated RSA has 2.31 with either. All have .01 but the linear RNN, which diverges with it: 2.57, 2.36 and 2.32
    # with rates of .001, .003 and .005.
    "laptop": Sizes(
        task=CharacterModelling(),
        base={"layers": 2, "width": 64},
        states=(79, 35),
        schedule=ScheduleSpec(epochs=3, batch_size=16),
        seeds=5,
        more=dict.fromkeys(DIAGONALS, 9),
        chosen=6,
        chosen_kinds=16,
    ),
    # RSA-XL as far as this model allows: no memory of the window before, no relative positions. ``half plain`` has its
    # heads. 50 epochs of text8 are the paper's 400,000 steps.
    "paper": Sizes(
        task=CharacterModelling(text="text8", window=512, vocabulary_size=28),
        base={"layers": PAPER_LAYERS, "width": 512, "dropout": 0.1},
        heads=8,
        states=(628, 286),
        rate=2.5e-4,
        linear_rate=2.5e-4,
        schedule=ScheduleSpec(epochs=50, batch_size=22, precision="bfloat16"),
        seeds=4,
    ),
}


def dilated(heads: int) -> dict[str, tuple[int, ...]]:
    """The paper's heads for text8: as many cosines as sines, the cosines dilated by 6 and the sines by 12."""
    half = heads // 2
    return {"counts": (0, 0, 0, 0, half, half), "dilation": (6,) * half + (12,) * half}


def mixers(positions: str, sizes: Sizes) -> dict[tuple[str, str], MixerSpec]:
    """All mixers that are compared with these positions, by model and variant."""
    heads, plain = {"heads": sizes.heads}, sizes.heads // 2
    if positions == ALIBI:
        return {(ATTENTION, STANDARD): ALiBiSpec(**heads)}
    gated = {**heads, "gate_logit": GATE_LOGIT}
    many, free = {**gated, **dilated(sizes.heads)}, {**gated, "length": sizes.task.window}
    undilated = (sizes.heads // 2, sizes.heads // 4, sizes.heads // 4, 0, 0, 0)
    everywhere = {
        (ATTENTION, STANDARD): AttentionSpec(**heads),
        (TOEPLITZ, STANDARD): ToeplitzSpec(**free),
        (RSA, "shared"): RSASpec(**many, shared=True),
        (RSA, "undilated"): RSASpec(**gated, counts=undilated),
    }
    if positions == SINUSOIDAL:
        return everywhere | {
            (TOEPLITZ, HALF): ToeplitzSpec(**free, plain=plain),
            (RSA, "per head"): RSASpec(**many),
            (RSA, "frozen"): RSASpec(**many, shared=True, frozen=True),
            (RSA, "printed diagonal"): RSASpec(**many, shared=True, diagonal="printed"),
            (RSA, HALF): RSASpec(**gated, **dilated(sizes.heads - plain), shared=True, plain=plain),
        }
    linear, lstm = sizes.states
    return everywhere | {
        ("REM only", STANDARD): REMSpec(**heads, counts=undilated),
        (LINEAR_RNN, STANDARD): LinearRNNSpec(states=linear),
        ("LSTM", STANDARD): LSTMLayerSpec(states=lstm),
    }


def cells(scale: Scale) -> Cells:
    """Every mixer; runs of one number read the same windows in the same order and start from the same embedding."""
    sizes = SIZES[scale]
    for positions in POSITIONS:
        known = mixers(positions, sizes)
        for model, variant in (each for each in product(MODELS, VARIANTS) if each in known):
            told = SINUSOIDAL if positions == SINUSOIDAL else NONE
            spec = MixingSpec(mixer=known[model, variant], positions=told, **sizes.base)
            rate = sizes.linear_rate if model == LINEAR_RNN else sizes.rate
            at = cell(model, variant, positions)
            yield at, [sizes.trial(spec, rate, seed) for seed in range(sizes.more.get(at, sizes.seeds))]
    for model, variant in [(ATTENTION, CHOSEN), (TOEPLITZ, CHOSEN), *((RSA, variant) for variant in OF_CHOSEN)]:
        place, options = chosen_settings(scale, model), OF_CHOSEN[variant]
        spec = sizes.searched(model, **options, **_of_the_model(place))
        runs = sizes.chosen if options["half_plain"] else sizes.chosen_kinds
        yield cell(model, variant), [sizes.trial(spec, place["learning_rate"], seed) for seed in range(runs)]


def has_chosen_cells(scale: Scale) -> bool:
    """Whether a scale has cells with chosen settings."""
    return SIZES[scale].chosen > 0


def chosen_settings(scale: Scale, model: str) -> dict[str, Level]:
    """What the search chose for a mixer; where nothing was searched, the last place of the first step."""
    return TUNED.chosen(scale, model=model, search=RATE_AND_HEADS) or rated(TRIED[model][-1], SIZES[scale].rate)


def search_cells(scale: Scale) -> Cells:
    """Every place of both steps of the search, with one run each; the second step has a seed of its own."""
    sizes = SIZES[scale]
    if not sizes.chosen:
        return
    for model in SEARCHED:
        first = [rated(place, sizes.rate) for place in TRIED[model]]
        steps, best = {SETTINGS: first}, TUNED.chosen(scale, model=model, search=SETTINGS)
        if best or sizes.most_places:
            steps[RATE_AND_HEADS] = rates_and_heads(best or first[-1], sizes.rate)
        for number, (search, places) in enumerate(steps.items()):
            key = {"model": model, "search": search}
            for place in TUNED.grid(scale, whole(places[: sizes.most_places]), **key):
                spec = sizes.searched(model, **_of_the_model(place))
                yield key | place, [sizes.trial(spec, place["learning_rate"], FIRST_TUNING_SEED + number)]


def _of_the_model(place: Mapping[str, Level]) -> dict[str, Level]:
    """The settings of a place that are searched, without the learning rate."""
    return {name: level for name, level in searched(place).items() if name != "learning_rate"}


def mixer_name(positions: str, model: str, variant: str) -> str:
    """What mixes the tokens, for people: ``RSA, half plain``, ``Attention, ALiBi``."""
    return ", ".join([model, *([] if variant == STANDARD else [variant]), *([ALIBI] if positions == ALIBI else [])])


def label(*, positions: str, model: str, variant: str) -> str:
    """``RSA, half plain, sinusoidal``."""
    name = mixer_name(positions, model, variant)
    return f"{name}, {positions}" if positions == SINUSOIDAL else name


def cell(model: str, variant: str = STANDARD, positions: str = SINUSOIDAL) -> Cell:
    """A cell of the design."""
    return Cell(positions=positions, model=model, variant=variant)


def twin_of(positions: str, variant: str = STANDARD) -> Cell:
    """Attention with the same positions (of ALiBi and of models without attention: without positions).

    The twin of a model with chosen settings has settings that were chosen for it.
    """
    if variant in OF_CHOSEN:
        return cell(ATTENTION, CHOSEN)
    return cell(ATTENTION, positions=SINUSOIDAL if positions == SINUSOIDAL else NONE)


DESIGN = Design(cells, ("positions", "model", "variant"), label=label, order={"variant": VARIANTS})
TUNING = Tuning(Design(search_cells, (*TUNED.keys, *TUNED.settings)), TUNED, metric="bpc")
