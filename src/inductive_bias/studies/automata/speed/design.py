"""What the benchmark ``speed`` measures: five models of equal size, by the length of the sequences that they read.

The size is that of a Transformer of two blocks. Every step has equally many tokens, whatever the length: long sequences
come few at a time.
"""

from collections.abc import Mapping
from dataclasses import dataclass

from inductive_bias.layers import AttentionSpec, LinearRNNSpec, REMSpec, RSASpec
from inductive_bias.models import MixingSpec, RecurrentSpec
from inductive_bias.models.recurrent import NAMES
from inductive_bias.studies.automata.design import ATTENTION, LSTM, RSA
from inductive_bias.studies.parameter_matching import blocks, match_parameters, parameters
from inductive_bias.studies.timings import INFERENCE, SPEED, TRAINING

BENCHMARK = SPEED
LINEAR, REM = NAMES["linear"], "REM only"
#: In the order of the pages: what carries a state, what looks back, what does both.
MODELS = (LSTM, LINEAR, REM, ATTENTION, RSA)
MIXERS = {ATTENTION: AttentionSpec, RSA: RSASpec, REM: REMSpec}
#: The measures: a step of training per token; the same with as few sequences as the longest have; what the model says
#: of a sequence, per token; one more token; the most memory of a step per token; what is kept between tokens.
FEW, DECODING, MEMORY, KEPT = "training, few sequences", "decoding", "memory", "kept"
MEASURES = (TRAINING, FEW, INFERENCE, DECODING, MEMORY, KEPT)
#: A step of training of the models of the study ``automata``.
STEP = "step of automata"


@dataclass(frozen=True)
class Shape:
    """The Transformer whose number of parameters is that of all, and what it reads and says."""

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
            name: blocks(mixer(heads=self.heads), wanted, self.dimensions, **options) for name, mixer in MIXERS.items()
        }
        found |= {
            LSTM: match_parameters(lstm, wanted, self.dimensions),
            LINEAR: match_parameters(linear, wanted, self.dimensions),
        }
        return {name: found[name] for name in MODELS}
