"""What studies of automata have in common: words, networks and steps at each scale, the scores of a cell, their words.

Models say the state of an automaton after every action. The paper, Liu et al. 2023, scores *all positions* of words as
long as those trained on; questions of our own are judged by the *last quarter* of the positions, which is harder: a
mean over all positions is high for whoever knows the first ones.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

import pandas as pd

from inductive_bias.layers import AttentionSpec, RSASpec
from inductive_bias.models import MixingSpec, RecurrentSpec
from inductive_bias.models.recurrent import NAMES
from inductive_bias.protocols.measures.automata import LAST_QUARTER
from inductive_bias.studies.design import Level
from inductive_bias.studies.results import Results
from inductive_bias.studies.scales import Scale
from inductive_bias.studies.tuning import Tuned, around
from inductive_bias.tasks import StateTracking
from inductive_bias.tasks.automata import ReadingName
from inductive_bias.training import OptimiserSpec, ScheduleSpec
from inductive_bias.trials import Trial
from inductive_bias.verdicts import Contrast

PAPER = "Liu et al. 2023 (arXiv:2210.10749)"
MODELS = ATTENTION, RSA, LSTM = "Attention", "RSA", NAMES["lstm"]
MIXERS = {ATTENTION: AttentionSpec, RSA: RSASpec}
#: An automaton is simulated from here on: in a sentence of the paper over all positions, in ours over the last quarter.
SOLVED = 0.99
#: A diverged run has no state right.
FAILED = 0.0
#: What a run can have, and what one can have more than another.
SHARES = GAINS = (0.0, 1.0)
UNIT_OF_LAST_QUARTER, UNIT_OF_ALL = "of the last quarter’s states", "of the states"
#: Pilots (validation, all positions, seeds from 1000 on; half a cosine over the steps named). Attention, D8, 4 layers,
#: 1,000 steps: .63 with rate .0005, .70 to .80 with .001 (four seeds), .82 with .002; A5, 6 layers, 1,500 steps: .70
#: with .001, .90 with .002. RSA, D8, 2 layers, 1,000 steps: .99 with .001, where attention has .63; it has its twin's
#: rate. LSTM, S5, 2,000 steps: .986 with .003, .996 with .01; Grid9 is simulated after 500 steps.
RATES = {ATTENTION: 2e-3, RSA: 2e-3, LSTM: 1e-2}
#: Rates that the study ``automata`` found, where every label is kept.
TUNED = Tuned(Path(__file__).parent / "automata" / "tuned.csv", keys=("model",))


@dataclass(frozen=True, kw_only=True)
class Setup:
    """Words, networks and steps at a scale.

    Attributes:
        length: of the training words; test words are as long, and twice as long.
        width, heads: of every model.
        warmup: steps.
        rates: by model, from which the search begins.
        test_size, validation_size: words.
    """

    length: int
    width: int
    heads: int
    warmup: int = 200
    rates: Mapping[str, float] = field(default_factory=lambda: RATES)
    test_size: int = 2_000
    validation_size: int = 500

    def trial(
        self,
        automaton: str,
        network: MixingSpec | RecurrentSpec,
        *,
        seed: int,
        learning_rate: float,
        epochs: int,
        batch_size: int = 64,
        asked: ReadingName = "state",
        kept: float = 1.0,
    ) -> Trial:
        """One run of at most so many epochs, of :data:`~inductive_bias.protocols.batching.FRESH_STEPS` steps each."""
        return Trial(
            task=StateTracking(
                automaton=automaton,
                asked=asked,
                kept=kept,
                length=self.length,
                test_lengths=(self.length, 2 * self.length),
                validation_size=self.validation_size,
                test_size=self.test_size,
            ),
            model=network,
            optimiser=OptimiserSpec(learning_rate=learning_rate),
            schedule=ScheduleSpec(epochs=epochs, batch_size=batch_size, warmup=self.warmup),
            seed=seed,
        )

    def network(self, model: str, layers: int) -> MixingSpec | RecurrentSpec:
        """The network of that name and depth."""
        if model == LSTM:
            return RecurrentSpec(cell="lstm", states=self.width, embedding=self.width, layers=layers)
        mixer = MIXERS[model](heads=self.heads)
        return MixingSpec(mixer=mixer, positions="sinusoidal", layers=layers, width=self.width)


SETUPS: Mapping[Scale, Setup] = {
    "smoke": Setup(length=4, width=8, heads=2, warmup=10, test_size=20, validation_size=10),
    "laptop": Setup(length=16, width=64, heads=4),
    # the paper's width, rate and number of steps are not known to us
    "paper": Setup(length=100, width=128, heads=4, rates={ATTENTION: 3e-4, RSA: 3e-4, LSTM: 3e-3}),
}


def rate(scale: Scale, model: str) -> float:
    """The learning rate of a model where every label is kept."""
    return TUNED.get(scale, "learning_rate", SETUPS[scale].rates[model], model=model)


def first_grid(scale: Scale, model: str) -> list[dict[str, float]]:
    """The rates of a model that are tried first: of several that are equally good, the usual one is chosen."""
    return around(SETUPS[scale].rates[model], (1.0, 0.5, 2.0))


def trained_length(results: Results) -> int:
    """Actions of a training word."""
    return next(iter(results.cells.values()))[0].task.length


def over_all(results: Results, **cell: Level) -> pd.Series:
    """Scores of a cell over all positions, the paper's measure, by number; a diverged run is NaN."""
    return results.values("accuracy", split="test", length=trained_length(results), **cell)


def late(results: Results, **cell: Level) -> pd.Series:
    """Scores of a cell over the last quarter of the positions, by number; a diverged run is NaN."""
    return results.values("accuracy", split="test", length=trained_length(results), part=LAST_QUARTER, **cell)


def summary(contrast: Contrast, last: pd.Series) -> str:
    """Best, median, mean and number of runs in words, and the same of the last quarter of the positions."""
    words = f"{contrast.name}: best of {len(contrast.values)} {_middle(contrast.values)}"
    return f"{words} (last quarter: best {_middle(last.fillna(FAILED))})"


def _middle(values: pd.Series) -> str:
    return f"{values.max():.3f}, median {values.median():.3f}, mean {values.mean():.3f}"


def size_in_words(results: Results, paper: bool = False) -> str:
    """``words of 16 actions, width 64``, with the paper's length beside ours if wanted."""
    trials = results.trials
    theirs = " (paper: 100)" if paper else ""
    return f"words of {trials['task.length'].max()} actions{theirs}, width {trials['model.width'].max()}"
