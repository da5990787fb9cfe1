"""The design: three models that remember, on characters, with attention, RSA or free matrices in their layers.

All models of one kind and depth begin with the same weights but those of their mixer, and read the same streams in the
same order, if they have the same number. RSA stands where the paper has it: in half of the heads, each dilated, with
five numbers a layer; in a Block-Recurrent Transformer in all layers but the recurrent one. Beside it stand undilated
heads, free Toeplitz matrices, a Transformer-XL without memory, other depths of it, and the other gate of the states.

Rates are searched for by the validation loss, for each kind of model with attention and with RSA; other matrices, and
models without rates of their own, have those of RSA and of their kin.
"""

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import product
from pathlib import Path

from inductive_bias.layers import AttentionSpec, RSASpec, ToeplitzSpec
from inductive_bias.models import BlockRecurrentSpec, LanguageXLSpec, LatentBottleneckSpec
from inductive_bias.models.segments import SegmentMixer, SegmentSpec
from inductive_bias.studies.design import Cell, Cells, Design
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
#: Where μ starts in the paper's language models.
GATE_LOGIT = 1.0
#: The gate itself at the start.
GATE_START = 1 / (1 + math.exp(-GATE_LOGIT))


#: Layers of the paper's models.
PAPER_LAYERS = 14
TUNED = Tuned(Path(__file__).with_name("tuned.csv"), keys=("model", "mixer"))


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
        models: those that have runs.
        searched: the backbones whose rates are searched for, with one run a rate.
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
    models: tuple[str, ...] = MODELS
    searched: tuple[str, ...] = BACKBONES

    def trial(self, model: str, mixer: str, layers: int, *, seed: int, learning_rate: float) -> Trial:
        """One run."""
        kin = KIN.get(model, model)
        return Trial(
            task=self.tasks[kin],
            model=self.network(model, mixer, layers),
            optimiser=OptimiserSpec(learning_rate=learning_rate),
            schedule=self.schedules[kin],
            seed=seed,
        )

    def networks(self) -> Iterator[tuple[str, str, int]]:
        """Model, mixer and layers of every cell: controls have attention alone, and the usual depth."""
        for model in self.models:
            mixers = MIXERS if model == XL else (ATTENTION,) if model in KIN else (ATTENTION, RSA, UNDILATED)
            for mixer in mixers:
                depths = self.depths if model == XL and mixer in SEARCHED else (self.layers,)
                yield from ((model, mixer, layers) for layers in depths)

    def network(self, model: str, mixer: str, layers: int) -> SegmentSpec:
        """The settings of a model."""
        kin = KIN.get(model, model)
        segment = self.tasks[kin].window
        options = {
            "layers": layers,
            "width": self.width,
            "inner": self.inner.get(model, self.inner[kin]),
            "dropout": self.dropout,
        }
        if kin == XL:
            memory = 0 if model == NO_MEMORY else segment
            return LanguageXLSpec(segment=segment, memory=memory, mixer=self.mixer(mixer, segment + memory), **options)
        if kin == BRT:
            gate = "lstm" if model == LSTM_GATE else "bias"
            longest = 2 * self.brt["window"]
            return BlockRecurrentSpec(mixer=self.mixer(mixer, longest), gate=gate, **self.brt, **options)
        return LatentBottleneckSpec(mixer=self.mixer(mixer, self.tlb["chunk"]), **self.tlb, **options)

    def mixer(self, name: str, longest: int) -> SegmentMixer:
        """The settings of a mixer; a free matrix covers ``longest`` tokens."""
        if name == ATTENTION:
            return AttentionSpec(heads=self.heads)
        plain = self.heads // 2
        mixed = self.heads - plain
        options = {"heads": self.heads, "plain": plain, "gate_logit": GATE_LOGIT}
        if name == TOEPLITZ:
            return ToeplitzSpec(length=longest, **options)
        if name == UNDILATED:
            return RSASpec(counts=(mixed - mixed // 2, mixed // 2, 0, 0, 0, 0), **options)
        half = mixed // 2
        return RSASpec(counts=(0, 0, 0, 0, mixed - half, half), dilation=self.dilations, shared=True, **options)


def everywhere(value: object) -> dict[str, object]:
    """One value for every backbone."""
    return dict.fromkeys(BACKBONES, value)


#: Laptop. A run has 1,118 steps of 22 segments, one pass over the text. In bfloat16, beside another training, it takes
#: 8 minutes of a core (XL), 7 (Latent Bottleneck) or 5 to 6 (Block-Recurrent).
#: Pilots (validation, seed 1000, attention, 300 steps): XL has 2.496 bits per character with a rate of .004 and 2.518
#: with .008. Published is a segment of 512; here it has 128 characters, which are four blocks and eight chunks: were a
#: block as long as a segment, no gradient would teach the states. The gate of an LSTM waits, and
#: two more pairs of an undilated Block-Recurrent Transformer, which would decide R7-near.
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
    """Every model with its mixers; what has no rate of its own has that of its kin, and of RSA."""
    plan = PLANS[scale]
    for model, mixer, layers in plan.networks():
        kin, searched = KIN.get(model, model), mixer if mixer in SEARCHED else RSA
        rate = TUNED.get(scale, "learning_rate", plan.rates[kin], model=kin, mixer=searched)
        runs = [plan.trial(model, mixer, layers, seed=seed, learning_rate=rate) for seed in range(plan.runs)]
        yield {"model": model, "mixer": mixer, "layers": layers}, runs


def search_cells(scale: Scale) -> Cells:
    """Every learning rate that is tried, at the usual depth."""
    plan = PLANS[scale]
    for model, mixer in product(plan.searched, SEARCHED):
        for place in TUNED.grid(scale, around(plan.rates[model]), model=model, mixer=mixer):
            run = plan.trial(model, mixer, plan.layers, seed=FIRST_TUNING_SEED, **place)
            yield {"model": model, "mixer": mixer, **place}, [run]


def label(*, model: str, mixer: str, layers: int) -> str:
    """``Transformer-XL, RSA, 4 layers``."""
    return f"{model}, {mixer}, {layers} layer{'s' * (layers != 1)}"


def cell(scale: Scale, model: str, mixer: str, layers: int | None = None) -> Cell:
    """The cell of a model and a mixer; of the usual depth unless told."""
    return Cell(model=model, mixer=mixer, layers=layers or PLANS[scale].layers)


DESIGN = Design(cells, ("model", "mixer", "layers"), label=label)
TUNING = Tuning(Design(search_cells, ("model", "mixer", "learning_rate")), TUNED, metric="bpc")
