"""Models and sizes that the studies of formal languages have in common."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from inductive_bias.layers import ALiBiSpec, AttentionSpec, LinearRNNSpec, LSTMLayerSpec, REMSpec, RSASpec, ToeplitzSpec
from inductive_bias.layers.base import MixerSpec
from inductive_bias.models import MixingSpec
from inductive_bias.studies.scales import Scale
from inductive_bias.tasks import FormalLanguage
from inductive_bias.tasks.formal import LANGUAGE_NAMES, LANGUAGES, LanguageName
from inductive_bias.training import OptimiserSpec, ScheduleSpec
from inductive_bias.trials import Trial

LSTM, LINEAR_RNN, ATTENTION, TOEPLITZ, REM, RSA = MODELS = (
    "LSTM",
    "Linear RNN",
    "Attention",
    "Free Toeplitz",
    "REM only",
    "RSA",
)
NONE, SINUSOIDAL, ALIBI = POSITIONS = "none", "sinusoidal", "ALiBi"


def mixer_name(model: str, positions: str) -> str:
    """The name on the pages: ``RSA``, ``Attention, ALiBi``."""
    return model if positions == NONE else f"{model}, {positions}"


#: A model and how it is told positions; RSA and its twin.
Told = tuple[str, str]
TWINS: tuple[Told, Told] = ((RSA, NONE), (ATTENTION, NONE))
#: On the pages, from those that need least memory: star-free, periodic, counter.
LANGUAGE_ORDER: tuple[LanguageName, ...] = tuple(
    sorted(LANGUAGE_NAMES, key=lambda name: ("star-free", "periodic", "counter").index(LANGUAGES[name].family))
)
TITLES = {name: LANGUAGES[name].title for name in LANGUAGE_ORDER}


@dataclass(frozen=True)
class Sizes:
    """The arguments of one scale; ``task`` holds those of `FormalLanguage` that are not the published ones.

    Published are the rate, the batch and the widths, of which 32 is the Transformer's; two layers for all models
    (published: one by default, searched over). Adam where the code has RMSprop.
    """

    epochs: int
    width: int = 32
    layers: int = 2
    heads: int = 4
    learning_rate: float = 5e-3
    batch_size: int = 32
    seeds: int = 4
    task: Mapping[str, object] = field(default_factory=dict)
    languages: tuple[LanguageName, ...] = LANGUAGE_ORDER

    def trial(
        self, language: LanguageName, model: str, positions: str, *, seed: int, learning_rate: float | None = None
    ) -> Trial:
        """The run of one model on one language; gates and decays before training are kept."""
        task = FormalLanguage(language=language, **self.task)
        longest = max(each.longest for each in task.bins.values())
        return Trial(
            task=task,
            model=model_spec(model, positions, width=self.width, layers=self.layers, heads=self.heads, longest=longest),
            optimiser=OptimiserSpec(learning_rate=learning_rate or self.learning_rate),
            schedule=ScheduleSpec(epochs=self.epochs, batch_size=self.batch_size),
            seed=seed,
            checkpoints=(0,),
        )


SIZES: dict[Scale, Sizes] = {
    # every model on a language of each kind, and every line of the code; nothing is learnt
    "smoke": Sizes(
        epochs=1,
        width=8,
        layers=1,
        heads=2,
        learning_rate=1e-2,
        seeds=2,
        task={
            "train_size": 64,
            "validation_size": 16,
            "test_size": 16,
            "watched": 8,
            "train_lengths": (1, 12),
            "longer_lengths": ((13, 24), (25, 36)),
        },
        languages=("flip_flop", "d_2", "parity", "aa", "abab", "anbncn"),
    ),
    # the same lengths for all languages: up to 50 as published for Parity and Dyck-1, then to 2 and to 4 times that;
    # 800 steps. (The published ones are up to ten times as long, for (aa)* 2 to 500.)
    "laptop": Sizes(
        epochs=8,
        task={
            "train_size": 3_200,
            "validation_size": 200,
            "test_size": 200,
            "watched": 50,
            "train_lengths": (1, 50),
            "longer_lengths": ((51, 100), (101, 200)),
        },
    ),
    # published lengths, numbers of strings and epochs. The longer bins are scored after every epoch, so that their best
    # epoch can be told as published
    "paper": Sizes(epochs=25),
}


def model_spec(model: str, positions: str, *, width: int, layers: int, heads: int, longest: int) -> MixingSpec:
    """A model of the comparison; the numbers of parameters are matched to about 2 % but for the free matrices.

    With w the width, attention has 4 w² weights a layer. So many have an LSTM of .554 w states and a linear RNN of
    1.236 w; a REM has 2 w² less, which its feed-forward layer gets. The free Toeplitz matrices, as long as the longest
    string, come on top: one number a head and lag, as in the ablation they are taken from. Four heads of a REM are a
    real, a cos, a sin and a dilated real one.
    """
    mixers: dict[str, MixerSpec] = {
        LSTM: LSTMLayerSpec(states=round(0.554 * width)),
        LINEAR_RNN: LinearRNNSpec(states=round(1.236 * width)),
        ATTENTION: ALiBiSpec(heads=heads) if positions == ALIBI else AttentionSpec(heads=heads),
        TOEPLITZ: ToeplitzSpec(heads=heads, length=longest),
        REM: REMSpec(heads=heads),
        RSA: RSASpec(heads=heads),
    }
    return MixingSpec(
        mixer=mixers[model],
        positions="sinusoidal" if positions == SINUSOIDAL else "none",
        width=width,
        layers=layers,
        feedforward=3 if model == REM else 2,
    )


def cell_label(*, language: LanguageName, model: str, positions: str) -> str:
    """``Attention, sinusoidal, Tomita 4``."""
    return f"{mixer_name(model, positions)}, {TITLES[language]}"
