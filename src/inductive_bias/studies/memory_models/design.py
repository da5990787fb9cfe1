"""The design: three models that remember, on characters, with attention, RSA or free matrices in their layers.

All models of one kind and depth begin with the same weights but those of their mixer, and read the same streams in the
same order, if they have the same number. RSA stands where the paper has it: in half of the heads, each dilated, with
five numbers a layer; in a Block-Recurrent Transformer in all layers but the recurrent one. Beside it stand undilated
heads, free Toeplitz matrices, a Transformer-XL without memory, other depths of it, and the other gate of the states.

There are three searches, all on validation text and with seeds of their own. The first is for the learning rate alone,
on the whole text; the judged runs have its rates: other matrices, and models without rates of their own, have those of
RSA and of their kin. The second is for all settings of a mixer, on a third of the text: kinds, dilation and gate start
of the heads of RSA; rate, dropout and number of heads of attention; rate, dropout and gate start of a free matrix. Each
mixer gets as many runs of it (:data:`TRIED`). The third is on the whole text again, for the rate and the number of
heads of what the second chose, with as many runs for each mixer (:data:`FACTORS` × :data:`HEADS`).
"""

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import product
from pathlib import Path

from inductive_bias.layers import AttentionSpec, RSASpec, ToeplitzSpec
from inductive_bias.models import BlockRecurrentSpec, LanguageXLSpec, LatentBottleneckSpec
from inductive_bias.models.segments import SegmentMixer, SegmentSpec
from inductive_bias.studies.design import Cell, Cells, Design, Level
from inductive_bias.studies.heads_search import (
    GATE_LOGIT,
    HEADS,
    KINDS,
    PAPER_KINDS,
    TRIED,
    UNDILATED_HEADS,
    VARIED,
    rated,
    rates_and_heads,
    searched,
    shared_out,
    whole,
    with_heads,
)
from inductive_bias.studies.scales import Scale
from inductive_bias.studies.tuning import FIRST_TUNING_SEED, Tuned, Tuning, around
from inductive_bias.tasks import SegmentStream
from inductive_bias.training import OptimiserSpec, ScheduleSpec
from inductive_bias.trials import Trial

XL, BRT, TLB = BACKBONES = "Transformer-XL", "Block-Recurrent", "Latent Bottleneck"
#: A Transformer-XL without a memory, and a Block-Recurrent Transformer with the gate of an LSTM.
NO_MEMORY, LSTM_GATE = "Transformer-XL without memory", "Block-Recurrent, LSTM gate"
MODELS = (XL, NO_MEMORY, BRT, LSTM_GATE, TLB)
#: Whose rate a model has.
KIN = {NO_MEMORY: XL, LSTM_GATE: BRT}
ATTENTION, RSA, UNDILATED, TOEPLITZ = MIXERS = "Attention", "RSA", "RSA, undilated", "Free Toeplitz"
#: Mixers with a rate of their own; others have that of RSA.
SEARCHED = ATTENTION, RSA
#: Mixers with the settings that the searches chose in a Transformer-XL, and what they are.
CHOSEN_MIXERS = {f"{kind}, chosen": kind for kind in (ATTENTION, RSA, TOEPLITZ)}
#: The gate itself at the start.
GATE_START = 1 / (1 + math.exp(-GATE_LOGIT))


#: Layers of the paper's models.
PAPER_LAYERS = 14
#: The three searches: for the learning rate on the whole text, for all settings of a mixer on a third of it, and for
#: rate and number of heads of the chosen mixers on the whole text.
RATE, SETTINGS, CHOSEN = "rate", "settings", "rate and heads of the chosen"
TUNED = Tuned(Path(__file__).with_name("tuned.csv"), keys=("model", "mixer", "search"), settings=VARIED)


@dataclass(frozen=True, kw_only=True)
class Plan:
    """What is run at a scale.

    Attributes:
        tasks: by backbone; a segment is a window of it.
        schedules: by backbone.
        rates: learning rates from which the search begins, by backbone.
        layers: of all models but those of ``depths``.
        depths: of Transformer-XL, ``layers`` among them.
        width, heads, dropout: of all; half of the heads have a matrix.
        inner: by backbone, or by model, so that all have as many parameters.
        dilations: of the heads with a matrix, cosines before sines.
        brt, tlb: what the other two have besides, see their specs.
        runs: of every cell.
        more_runs: of some cells of the first kind, by model, mixer and depth: further ones were declared after a look.
        models: those that have runs.
        searched: the backbones whose rates are searched for, with one run a rate.
        settings_searched: by backbone, the mixers that get a search for all their settings, with one run a place.
        search_characters: length of the text of that search.
        most_places: of each mixer in that search; all of :data:`TRIED` if None.
        chosen_searched: by backbone and mixer, the numbers of heads that the chosen settings are searched with, each
            at every one of :data:`FACTORS`.
        chosen_runs: how many runs there are with chosen settings, by model, mixer and depth.
        searched_in_bfloat16: by mixer, the numbers of heads that this last search had in bfloat16, on a processor made
            for it. Other places, and all runs with chosen settings, are in float32: most processors take ten times as
            long in bfloat16.
    """

    tasks: Mapping[str, SegmentStream]
    schedules: Mapping[str, ScheduleSpec]
    rates: Mapping[str, float]
    layers: int
    depths: tuple[int, ...]
    width: int
    heads: int
    inner: Mapping[str, int]
    dilations: tuple[int, ...]
    brt: Mapping[str, int]
    tlb: Mapping[str, int]
    dropout: float = 0.0
    runs: int = 3
    more_runs: Mapping[tuple[str, str, int], int] = field(default_factory=dict)
    models: tuple[str, ...] = MODELS
    searched: tuple[str, ...] = BACKBONES
    settings_searched: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    search_characters: int | None = None
    most_places: int | None = None
    chosen_searched: Mapping[str, Mapping[str, tuple[int, ...]]] = field(default_factory=dict)
    chosen_runs: Mapping[tuple[str, str, int], int] = field(default_factory=dict)
    searched_in_bfloat16: Mapping[str, tuple[int, ...]] = field(default_factory=dict)

    def trial(
        self, model: str, mixer: str, layers: int, *, seed: int, learning_rate: float, **settings: Level
    ) -> Trial:
        """One run; ``settings`` are of the model, see :meth:`network`."""
        kin = KIN.get(model, model)
        return Trial(
            task=self.tasks[kin],
            model=self.network(model, mixer, layers, **settings),
            optimiser=OptimiserSpec(learning_rate=learning_rate),
            schedule=self.schedules[kin],
            seed=seed,
        )

    def in_float32(self) -> "Plan":
        """The plan with every training in float32."""
        schedules = {name: one.model_copy(update={"precision": "float32"}) for name, one in self.schedules.items()}
        return replace(self, schedules=schedules)

    def networks(self) -> Iterator[tuple[str, str, int]]:
        """Model, mixer and layers of every cell: controls have attention alone, and the usual depth."""
        for model in self.models:
            mixers = MIXERS if model == XL else (ATTENTION,) if model in KIN else (ATTENTION, RSA, UNDILATED)
            for mixer in mixers:
                depths = self.depths if model == XL and mixer in SEARCHED else (self.layers,)
                yield from ((model, mixer, layers) for layers in depths)

    def network(
        self, model: str, mixer: str, layers: int, *, dropout: float | None = None, **choice: Level
    ) -> SegmentSpec:
        """The settings of a model; ``choice`` are those of its mixer, see :meth:`mixer`."""
        kin = KIN.get(model, model)
        segment = self.tasks[kin].window
        options = {
            "layers": layers,
            "width": self.width,
            "inner": self.inner.get(model, self.inner[kin]),
            "dropout": self.dropout if dropout is None else dropout,
        }
        if kin == XL:
            memory = 0 if model == NO_MEMORY else segment
            return LanguageXLSpec(
                segment=segment, memory=memory, mixer=self.mixer(mixer, segment + memory, **choice), **options
            )
        if kin == BRT:
            gate = "lstm" if model == LSTM_GATE else "bias"
            longest = 2 * self.brt["window"]
            return BlockRecurrentSpec(mixer=self.mixer(mixer, longest, **choice), gate=gate, **self.brt, **options)
        return LatentBottleneckSpec(mixer=self.mixer(mixer, self.tlb["chunk"], **choice), **self.tlb, **options)

    def mixer(
        self,
        name: str,
        longest: int,
        *,
        heads: int | None = None,
        kinds: str | None = None,
        dilation: str | None = None,
        gate_logit: float | None = None,
    ) -> SegmentMixer:
        """The settings of a mixer; a free matrix covers ``longest`` tokens.

        Args:
            name: one of :data:`MIXERS`.
            longest: tokens.
            heads: the plan's if None; of RSA and of a free matrix half of them are plain attention.
            kinds: of the heads of RSA, a key of :data:`KINDS`; the paper's heads if None.
            dilation: of these heads, a key of :data:`~inductive_bias.studies.heads_search.DILATIONS`.
            gate_logit: where μ starts; where it does in the paper if None.
        """
        heads = heads or self.heads
        if name == ATTENTION:
            return AttentionSpec(heads=heads)
        plain = heads // 2
        mixed = heads - plain
        gate = GATE_LOGIT if gate_logit is None else gate_logit
        options = {"heads": heads, "plain": plain, "gate_logit": gate}
        if name == TOEPLITZ:
            return ToeplitzSpec(length=longest, **options)
        if name == UNDILATED:
            kinds, dilation = "real, cos", UNDILATED_HEADS
        if kinds is None:
            counts = shared_out(mixed, KINDS[PAPER_KINDS])
            return RSASpec(counts=(0, 0, 0, *counts), dilation=self.dilations, shared=True, **options)
        return with_heads(kinds, dilation, **options)


def everywhere(value: object) -> dict[str, object]:
    """One value for every backbone."""
    return dict.fromkeys(BACKBONES, value)


#: Laptop. A run has 1,118 steps of 22 segments, one pass over the text. In bfloat16, beside another training, it takes
#: 8 minutes of a core (XL), 7 (Latent Bottleneck) or 5 to 6 (Block-Recurrent) on a processor with AVX-512. On one
#: without, a step of a Transformer-XL takes 6 s in bfloat16 and .15 to .7 s in float32.
#: Pilots (validation, seed 1000, attention, 300 steps): XL has 2.496 bits per character with a rate of .004 and 2.518
#: with .008. Published is a segment of 512; here it has 128 characters, which are four blocks and eight chunks: were a
#: block as long as a segment, no gradient would teach the states. The gate of an LSTM waits.
PLANS: dict[Scale, Plan] = {
    "smoke": Plan(
        tasks=everywhere(SegmentStream(text="grammar", window=8, vocabulary_size=40, sentences=20)),
        schedules=everywhere(ScheduleSpec(epochs=1, batch_size=16)),
        rates=everywhere(1e-2),
        layers=2,
        depths=(1, 2),
        width=8,
        heads=4,
        inner=everywhere(8),
        dilations=(2, 3),
        brt={"window": 4, "states": 2, "recurrent": 1},
        tlb={"chunk": 4, "slow": 2, "every": 2},
        runs=2,
        searched=(XL,),
        settings_searched={XL: (ATTENTION, RSA)},
        most_places=2,
        chosen_searched={XL: dict.fromkeys((ATTENTION, RSA, TOEPLITZ), HEADS)},
        chosen_runs=dict.fromkeys(
            [*product(BACKBONES, SEARCHED, [2]), *product([XL], SEARCHED, [1]), (XL, TOEPLITZ, 2)], 2
        ),
    ),
    "laptop": Plan(
        tasks=everywhere(SegmentStream(text="wikipedia", window=128, vocabulary_size=28, characters=3_500_000)),
        schedules=everywhere(ScheduleSpec(epochs=1, batch_size=22, warmup=100, precision="bfloat16")),
        rates=everywhere(4e-3),
        layers=4,
        depths=(2, 4, 6),
        width=128,
        heads=4,
        inner={XL: 512, BRT: 367, LSTM_GATE: 303, TLB: 254},
        dilations=(6, 12),
        brt={"window": 32, "states": 64, "recurrent": 3},
        tlb={"chunk": 16, "slow": 8, "every": 2},
        models=(XL, NO_MEMORY, BRT, TLB),
        settings_searched={XL: (ATTENTION, RSA, TOEPLITZ)},
        search_characters=1_170_000,
        chosen_searched={XL: dict.fromkeys((ATTENTION, RSA, TOEPLITZ), HEADS)},
        searched_in_bfloat16={ATTENTION: HEADS, RSA: (4,)},
        # two and six layers of a Transformer-XL wait, and with them claim R7b: 24 runs, six hours of a core
        chosen_runs=dict.fromkeys([*product(BACKBONES, SEARCHED, [4]), (XL, TOEPLITZ, 4)], 6),
        more_runs=dict.fromkeys(
            [*product([XL, NO_MEMORY], [ATTENTION], [4]), *product([BRT], [ATTENTION, UNDILATED], [4])], 6
        ),
    ),
    # 50 epochs of text8 are the paper's 400,000 steps. A Block-Recurrent Transformer reads eight blocks a segment, as
    # published; sizes of chunks and slow vectors for text are not found.
    "paper": Plan(
        tasks=everywhere(SegmentStream(text="text8", window=512, vocabulary_size=28))
        | {BRT: SegmentStream(text="text8", window=4096, vocabulary_size=28)},
        schedules=everywhere(ScheduleSpec(epochs=50, batch_size=22, warmup=4_000, precision="bfloat16"))
        | {BRT: ScheduleSpec(epochs=50, batch_size=4, warmup=4_000, precision="bfloat16")},
        rates=everywhere(2.5e-4),
        layers=PAPER_LAYERS,
        depths=(8, 10, 12, PAPER_LAYERS),
        width=512,
        heads=8,
        dropout=0.1,
        inner=everywhere(2048),
        dilations=(6, 6, 12, 12),
        brt={"window": 512, "states": 512, "recurrent": 12},
        tlb={"chunk": 64, "slow": 16, "every": 2},
    ),
}


def cells(scale: Scale) -> Cells:
    """Every model with its mixers; what has no rate of its own has that of its kin, and of RSA.

    Then the models with chosen settings.
    """
    plan = PLANS[scale]
    for model, mixer, layers in plan.networks():
        kin, searched = KIN.get(model, model), mixer if mixer in SEARCHED else RSA
        rate = TUNED.get(scale, "learning_rate", plan.rates[kin], model=kin, mixer=searched, search=RATE)
        numbers = range(plan.more_runs.get((model, mixer, layers), plan.runs))
        runs = [plan.trial(model, mixer, layers, seed=seed, learning_rate=rate) for seed in numbers]
        yield {"model": model, "mixer": mixer, "layers": layers}, runs
    for (model, mixer, layers), numbers in plan.chosen_runs.items():
        settings, wide = chosen_settings(scale, model, mixer), plan.in_float32()
        runs = [wide.trial(model, mixer, layers, seed=number, **settings) for number in range(numbers)]
        yield {"model": model, "mixer": f"{mixer}, chosen", "layers": layers}, runs


def chosen_settings(scale: Scale, model: str, mixer: str) -> dict[str, Level]:
    """What the searches chose for a mixer: in a Transformer-XL, and at the rate of the model if it is another one.

    Where nothing was searched, the last place of the search, at the plan's rate: the first is that of other cells.
    """
    plan = PLANS[scale]
    chosen = TUNED.chosen(scale, model=XL, mixer=mixer, search=CHOSEN)
    found = searched(chosen or TRIED[mixer][-1] | {"learning_rate": plan.rates[XL]})
    if model == XL:
        return found
    rate = TUNED.get(scale, "learning_rate", plan.rates[model], model=model, mixer=mixer, search=RATE)
    return found | {"learning_rate": rate}


def search_cells(scale: Scale) -> Cells:
    """Every place that is tried, at the usual depth: learning rates, all settings of a mixer, then rate and heads."""
    yield from _rate_cells(scale)
    yield from _settings_cells(scale)
    yield from _chosen_cells(scale)


def _rate_cells(scale: Scale) -> Cells:
    """The learning rates of every backbone, on the whole text."""
    plan = PLANS[scale]
    for model, mixer in product(plan.searched, SEARCHED):
        key = {"model": model, "mixer": mixer, "search": RATE}
        for place in TUNED.grid(scale, whole(around(plan.rates[model])), **key):
            run = plan.trial(model, mixer, plan.layers, seed=FIRST_TUNING_SEED, learning_rate=place["learning_rate"])
            yield key | place, [run]


def _settings_cells(scale: Scale) -> Cells:
    """All settings of a mixer, on less text."""
    plan = PLANS[scale]
    short = replace(plan, tasks={name: _shortened(task, plan) for name, task in plan.tasks.items()})
    for model, mixer in ((model, mixer) for model, mixers in plan.settings_searched.items() for mixer in mixers):
        key = {"model": model, "mixer": mixer, "search": SETTINGS}
        first = [rated(place, plan.rates[model]) for place in TRIED[mixer][: plan.most_places]]
        for place in TUNED.grid(scale, whole(first), **key):
            yield key | place, [short.trial(model, mixer, plan.layers, seed=FIRST_TUNING_SEED, **searched(place))]


def _chosen_cells(scale: Scale) -> Cells:
    """Rate and number of heads of the settings that the second search chose, on the whole text.

    The seed is one of its own: one of the places is one of the first search too, and a cell owns its runs.
    """
    plan = PLANS[scale]
    for model, mixer in ((model, mixer) for model, mixers in plan.chosen_searched.items() for mixer in mixers):
        key = {"model": model, "mixer": mixer, "search": CHOSEN}
        chosen = TUNED.chosen(scale, model=model, mixer=mixer, search=SETTINGS) or TRIED[mixer][0]
        first = rates_and_heads(chosen, plan.rates[model], plan.chosen_searched[model][mixer])[: plan.most_places]
        for place in TUNED.grid(scale, whole(first), **key):
            part = plan if place["heads"] in plan.searched_in_bfloat16.get(mixer, ()) else plan.in_float32()
            yield key | place, [part.trial(model, mixer, plan.layers, seed=FIRST_TUNING_SEED + 1, **searched(place))]


def _shortened(task: SegmentStream, plan: Plan) -> SegmentStream:
    """The task with less text: a third of that of a file, half of the sentences of a grammar."""
    if task.text == "grammar":
        return task.model_copy(update={"sentences": task.sentences // 2})
    return task.model_copy(update={"characters": plan.search_characters})


def judging(scale: Scale, mixers: Sequence[str], models: Sequence[str] = (XL,)) -> dict[str, str]:
    """The mixers whose runs judge a claim about ``mixers`` in these models, by mixer.

    They have chosen settings, if the scale runs all of them in all these models at the usual depth: a claim knows one
    kind of heads.
    """
    plan = PLANS[scale]
    chosen = all(place in plan.chosen_runs for place in product(models, mixers, [plan.layers]))
    return {mixer: f"{mixer}, chosen" if chosen else mixer for mixer in mixers}


def label(*, model: str, mixer: str, layers: int) -> str:
    """``Transformer-XL, RSA, 4 layers``."""
    return f"{model}, {mixer}, {layers} layer{'s' * (layers != 1)}"


def cell(scale: Scale, model: str, mixer: str, layers: int | None = None) -> Cell:
    """The cell of a model and a mixer; of the usual depth unless told."""
    return Cell(model=model, mixer=mixer, layers=layers or PLANS[scale].layers)


DESIGN = Design(cells, ("model", "mixer", "layers"), label=label)
TUNING = Tuning(Design(search_cells, (*TUNED.keys, *TUNED.settings)), TUNED, metric="bpc")
