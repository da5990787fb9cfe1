"""The trials: one tanh RNN trained on whole windows, and its truncated twins, step by step on the same examples.

Twins share the initial weights, the order of the windows and the size of every step; what differs is how many of the
last characters of a window they see. Trained in float64 and without clipping, which would hide instability.
"""

from dataclasses import dataclass

from inductive_bias.layers import StableRNN
from inductive_bias.models import RecurrentSpec
from inductive_bias.studies.design import Cells, Design
from inductive_bias.studies.scales import Scale
from inductive_bias.tasks import NextCharacter
from inductive_bias.training import OptimiserSpec, ScheduleSpec
from inductive_bias.trials import Trial

#: λ ≤ .8 or .95, by clipping singular values after every step; or a start with a norm above 1, and no constraint.
STABLE, NEARLY, SLIGHTLY, UNSTABLE = BOUNDS = "λ ≤ 0.8", "λ ≤ 0.95", "free, from 1.05", "free, from 1.5"
CONSTRAINED = {STABLE: 0.8, NEARLY: 0.95}
STARTS = {STABLE: 0.8, NEARLY: 0.95, SLIGHTLY: 1.05, UNSTABLE: 1.5}
#: Step t has the size α/t, as in the theorem, or the same size always.
FALLING, CONSTANT = STEPS = "falling", "constant"
DECAYS = {FALLING: "inverse", CONSTANT: "constant"}
#: α or the constant size. In a pilot (seed 100, λ ≤ .95) 300 steps with α = 1 left 4.07 bits per character, with 4 it
#: was 3.72; constant steps of .1 3.64, of .3 3.40. The larger ones learn something.
RATES = {FALLING: 4.0, CONSTANT: 0.3}


@dataclass(frozen=True)
class Sizes:
    """The arguments of one scale: twins see the last ``contexts`` characters; at the epochs ``kept`` weights are."""

    task: NextCharacter
    states: int
    contexts: tuple[int, ...]
    schedule: ScheduleSpec
    kept: tuple[int, ...]
    seeds: int

    def trial(self, bound: str, steps: str, context: int | None, *, seed: int) -> Trial:
        """One run; those of one seed, bound and kind of steps are twins."""
        limit = StableRNN(contraction=CONSTRAINED[bound]) if bound in CONSTRAINED else None
        return Trial(
            task=self.task,
            model=RecurrentSpec(
                cell="tanh",
                states=self.states,
                embedding=16,
                constraint=limit,
                spectral_norm=STARTS[bound],
                context=context,
            ),
            optimiser=OptimiserSpec(learning_rate=RATES[steps], method="sgd", clip_norm=None),
            schedule=self.schedule.model_copy(update={"decay": DECAYS[steps]}),
            seed=seed,
            checkpoints=(0, *self.kept),
        )


SIZES: dict[Scale, Sizes] = {
    "smoke": Sizes(
        task=NextCharacter(text="grammar", window=8, vocabulary_size=40, sentences=120),
        states=4,
        contexts=(1, 2, 4),
        schedule=ScheduleSpec(epochs=2, batch_size=4, precision="float64"),
        kept=(1, 2),
        seeds=2,
    ),
    "laptop": Sizes(
        task=NextCharacter(text="wikipedia", window=128, vocabulary_size=28, characters=5_000_000),
        states=32,
        contexts=(1, 2, 4, 8, 16, 32, 64),
        schedule=ScheduleSpec(epochs=20, batch_size=32, precision="float64"),
        kept=(2, 6, 20),
        seeds=4,
    ),
    "paper": Sizes(
        task=NextCharacter(text="wikipedia", window=200, vocabulary_size=28),
        states=64,
        contexts=(1, 2, 4, 8, 16, 32, 64, 128),
        schedule=ScheduleSpec(epochs=200, batch_size=64, precision="float64"),
        kept=(2, 6, 20, 60, 200),
        seeds=10,
    ),
}


def cells(scale: Scale) -> Cells:
    """Every bound and kind of steps, on the whole window (context None) and on its end alone."""
    sizes = SIZES[scale]
    for bound in BOUNDS:
        for steps in STEPS:
            for context in (None, *sizes.contexts):
                runs = [sizes.trial(bound, steps, context, seed=seed) for seed in range(sizes.seeds)]
                yield {"bound": bound, "steps": steps, "context": context}, runs


def label(*, bound: str, steps: str, context: int | None) -> str:
    """``λ ≤ 0.8, steps falling, last 16``."""
    return f"{bound}, steps {steps}, " + ("whole window" if context is None else f"last {context}")


DESIGN = Design(cells, ("bound", "steps", "context"), label=label)
