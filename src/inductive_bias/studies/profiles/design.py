"""The design: every model of the population on every probe, with a learning rate that is chosen on one pilot run each.

Every model has the rule of training that a model of one's own gets (:mod:`inductive_bias.profile`): so many steps, two
rates, of which the one with the lower validation loss of a pilot run is taken, and runs with seeds of their own. A
probe's sequences are drawn by the seed alone: runs with one number saw the same ones, whatever the model. For the probe
*untrained* a model is measured as it begins.

Probes, steps and rates were chosen by pilots with one seed (1) of six models, some of which were of members of the
population. The claims say which of their answers were seen.

The first publication had 22 models, nine probes and four runs. The other eight models, the probe *untrained*, and runs
4 to 7 of some models (:data:`REPEATED`) came later: they were declared with the claims before they ran. The claims P1
to P4 know the first publication alone (:data:`FIRST_MODELS`, :data:`FIRST_PROBES`).

The four models of about 100,000 weights (:data:`LARGE_MODELS`) and the MLP on a window were declared on 30 November
2026 with the claim P6, before any of them was trained. They have the probes, the pilots, the runs and the rule of rates
of every other model. P1 to P5 do not count them.

Students were declared on 30 November 2026 with the claims P7 to P9, before any of them was trained. Two models of the
population (:data:`TEACHERS`) each teach the other and a model of their own kind, on the probes of the first claims.
A student learns from its teacher's probabilities alone, never from labels. Its teacher is the run of the population
with the same number, so that both saw the same sequences. Students have their own pilots, and the rule of rates of
every other model. They are no members of the population: nothing else counts them.

The probes *selective copy*, *white noise*, *decay or period* and *fading sum* (:data:`FURTHER`) came last. No axis,
claim or figure of the chapter counts them. A probe joins the longest profile (:data:`FULL`) if it tells the models
apart, by the rule of :class:`~inductive_bias.studies.profile_distances.Fitness`, which stood before its runs. Half of
the runs has to foretell the order of the models in the other half by .7, and models have to differ by twice what runs
of one do. The rule was applied to the thirty models of that time: the five of :data:`LAST_MODELS` change nothing.

*Selective copy* joins, by its share above chance at the usual length: .97, and 5.3 times.

*White noise* had three axes, of which those that do not tell the models apart are left out. A run that has not learnt
its random labels counts as *not learnt*. The end of a sequence joins: .87, and 2.02 times. Its start (1.57 times) and
its count (1.72 times) do not. Pilots of one seed (1) had been seen when the rule was written. Six models of the
population learnt eight questions about 16 sequences in 500 steps; of 16 questions attention learnt 85%. The end decided
.34 of an LSTM's answers, .28 of RSA's and .04 of attention's.

*Decay or period* and *fading sum* join as well. They were declared before any model of the population was asked them.
The axis of the first one has .94 and 15 times, because of few models: nearly all decide nearly every conflict by the
decay, the free Toeplitz matrix .39 of them, and the small linear RNN .83. The axis of the second one has .83 and 23
times. Two layers that are no members had been trained before, to see whether either rule can be learnt in 500 steps.
One has exponential averages alone: it decided 1.00 of the conflicts by the decay, and learnt the fading sum. One sees
three lags of five steps alone: it decided .00.
"""

from dataclasses import dataclass, replace
from itertools import product
from pathlib import Path

from inductive_bias.studies.design import Cell, Cells, Design
from inductive_bias.studies.known_models import BY_NAME
from inductive_bias.studies.profile_budget import Budget
from inductive_bias.studies.scales import Scale
from inductive_bias.studies.tuning import Tuned, Tuning
from inductive_bias.tasks.probes import PROBES
from inductive_bias.trials import ModelSpec, Trial

#: Probes that the longest profile alone may have, once the population has them.
FURTHER = ("selective copy", "white noise", "decay or period", "fading sum")
#: Probes that a profile has by default, and in its quick form.
DEFAULT = tuple(name for name in PROBES if name not in FURTHER)
#: Probes of the longest profile: all four have joined by the rule above.
FULL = tuple(PROBES)
QUICK = ("first noun or nearest", "recency or majority", "flip-flop", "permutations", "recall", "untrained")
#: Models of about 100,000 weights; and all that came after the others.
LARGE_MODELS = tuple(name for name in BY_NAME if name.endswith(", large"))
LAST_MODELS = (*LARGE_MODELS, "MLP on a window")
#: Of the first publication: two layers or a plain recurrence; and its probes. See above.
FIRST_MODELS = tuple(
    name for name in BY_NAME if name not in LAST_MODELS and not name.endswith(("1 layer", "mixers alone"))
)
FIRST_PROBES = tuple(name for name in DEFAULT if name != "untrained")
#: Models with as many runs again, which tell whether a second profile says the same words; two of each family.
REPEATED = ("Attention", "Attention, RoPE", "RSA", "REM only", "Linear RNN", "LSTM", "TCN", "Gated CNN")
#: Models that teach each other and their own kind: today's usual attention, and a recurrent network.
TEACHERS = ("Attention, RoPE", "LSTM")
TUNED = Tuned(Path(__file__).with_name("tuned.csv"), keys=("model", "probe"))


@dataclass(frozen=True, kw_only=True)
class Plan:
    """What is run at a scale.

    Attributes:
        budget: of every model.
        models: names of the population.
        probes: names.
        weights: of every model in place of the population's own; None keeps these.
        repeated: models that have twice as many runs on the probes of :data:`DEFAULT`.
        teachers: two models whose students are trained, on those of the ``probes`` that are in :data:`FIRST_PROBES`.
    """

    budget: Budget
    models: tuple[str, ...] = tuple(BY_NAME)
    probes: tuple[str, ...] = DEFAULT
    weights: int | None = None
    repeated: tuple[str, ...] = REPEATED
    teachers: tuple[str, str] = TEACHERS

    def spec(self, model: str) -> ModelSpec:
        """The settings of a model of the population."""
        return BY_NAME[model].spec(self.weights)

    @property
    def students(self) -> dict[str, tuple[str, str]]:
        """Kind and teacher of every student, by its name."""
        pairs = product(self.teachers, self.teachers)
        return {student(kind, teacher): (kind, teacher) for kind, teacher in pairs}

    @property
    def taught_probes(self) -> tuple[str, ...]:
        """The probes that students have."""
        return tuple(probe for probe in self.probes if probe in FIRST_PROBES)


PLANS: dict[Scale, Plan] = {
    "smoke": Plan(
        budget=Budget(hundreds=1, batch_size=8, runs=2, rates=(1e-2,), warmup=10, test_size=16),
        models=("Attention", "RSA", "Linear RNN", "LSTM"),
        probes=("recency or majority", "content or position", "flip-flop", "untrained"),
        weights=1_000,
        repeated=("RSA", "LSTM"),
        teachers=("RSA", "LSTM"),
    ),
    "laptop": Plan(budget=Budget(), probes=tuple(PROBES)),
    # a GPU has time for all probes, longer training and more runs
    "paper": Plan(budget=Budget(hundreds=20, runs=8, rates=(1e-3, 3e-3, 1e-2)), probes=tuple(PROBES)),
}


def population(scale: Scale) -> tuple[str, ...]:
    """The models that others stand beside: all but students."""
    return PLANS[scale].models


def teachers(scale: Scale) -> tuple[str, str]:
    """The two models that teach each other and their own kind."""
    return PLANS[scale].teachers


def students(scale: Scale) -> dict[str, tuple[str, str]]:
    """Kind and teacher of every student, by its name."""
    return PLANS[scale].students


def taught_probes(scale: Scale) -> tuple[str, ...]:
    """The probes that students have."""
    return PLANS[scale].taught_probes


def usual_runs(scale: Scale) -> int:
    """Runs that every model has on every probe."""
    return PLANS[scale].budget.runs


def repeated_models(scale: Scale) -> tuple[str, ...]:
    """Models that have twice as many runs."""
    return PLANS[scale].repeated


def cell(model: str, probe: str) -> Cell:
    """The cell of a model and a probe."""
    return Cell(model=model, probe=probe)


def student(kind: str, teacher: str) -> str:
    """The name of a student of its kind and its teacher: ``LSTM ← Attention, RoPE``."""
    return f"{kind} ← {teacher}"


def chosen_rate(scale: Scale, model: str, probe: str) -> float:
    """The learning rate that the pilots of a model, or of a student, chose."""
    return TUNED.get(scale, "learning_rate", PLANS[scale].budget.rates[0], model=model, probe=probe)


def cells(scale: Scale) -> Cells:
    """Every model on every probe, with the rate that its pilot run chose; then the students."""
    plan = PLANS[scale]
    for model in plan.models:
        spec = plan.spec(model)
        for probe in plan.probes:
            rate = chosen_rate(scale, model, probe)
            again = model in plan.repeated and probe in DEFAULT
            budget = replace(plan.budget, runs=2 * plan.budget.runs) if again else plan.budget
            yield cell(model, probe), budget.judged(spec, probe, rate)
    for (name, (kind, teacher)), probe in product(plan.students.items(), plan.taught_probes):
        judged = plan.budget.judged(plan.spec(kind), probe, chosen_rate(scale, name, probe))
        yield cell(name, probe), [taught(scale, trial, teacher, probe) for trial in judged]


def taught(scale: Scale, trial: Trial, teacher: str, probe: str) -> Trial:
    """The trial as that of a student of a model of the population."""
    plan = PLANS[scale]
    return plan.budget.taught(trial, plan.spec(teacher), learning_rate=chosen_rate(scale, teacher, probe))


def search_cells(scale: Scale) -> Cells:
    """The pilot runs: those of the population, then those of the students, with pilot runs as their teachers."""
    plan = PLANS[scale]
    yield from plan.budget.pilot_cells({model: plan.spec(model) for model in plan.models}, plan.probes)
    for (name, (kind, teacher)), probe in product(plan.students.items(), plan.taught_probes):
        for run in plan.budget.pilots(plan.spec(kind), probe):
            place = {"model": name, "probe": probe, "learning_rate": run.optimiser.learning_rate}
            yield place, [taught(scale, run, teacher, probe)]


def family(model: str) -> str:
    """The family of a model of the population."""
    return BY_NAME[model].family


DESIGN = Design(cells, ("model", "probe"))
TUNING = Tuning(Design(search_cells, ("model", "probe", "learning_rate")), TUNED, metric="nll")
