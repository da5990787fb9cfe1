"""The design: every model of images on every probe, with a learning rate that is chosen on one pilot run each.

The rule of training is that of the population of sequences (:mod:`inductive_bias.studies.profile_budget`): so many
steps, two rates, of which the one with the lower validation loss of a pilot run is taken, and as many runs with seeds
of their own. Images are drawn by the seed alone: runs with one number saw the same ones, whatever the model. Steps and
rates were chosen by pilots with one seed (2000), which is that of no other run, of four models of the population. A
probe that asked where a shape stands was left out after them: every model knew it.

The first publication had seven models. *RSA, patches* and *LSTM, patches* came later, beside the attention between
patches that was there; nothing of theirs was seen before their runs. In 40 of the first 42 searches the higher rate was
chosen. A third, higher one would be tried in all of them, and each that chose it would have four new runs in place of
the published ones: rates are as they were.

An axis is shown whatever it says. Which axes tell models apart is judged by the rule of
:class:`~inductive_bias.studies.profile_distances.Fitness`, which was written before the runs.
"""

from dataclasses import dataclass
from pathlib import Path

from inductive_bias.studies.design import Cell, Cells, Design
from inductive_bias.studies.known_image_models import IMAGE_MODELS
from inductive_bias.studies.profile_budget import Budget
from inductive_bias.studies.scales import Scale
from inductive_bias.studies.tuning import Tuned, Tuning
from inductive_bias.tasks.image_probes import IMAGE_PROBES
from inductive_bias.trials import ModelSpec

#: Probes that a profile has by default, and in its quick form.
DEFAULT = tuple(IMAGE_PROBES)
QUICK = ("shape or place", "shape or texture", "digits", "untrained images")
TUNED = Tuned(Path(__file__).with_name("tuned.csv"), keys=("model", "probe"))


@dataclass(frozen=True, kw_only=True)
class Plan:
    """What is run at a scale.

    Attributes:
        budget: of every model.
        models: names of the population.
        probes: names.
        weights: of every model in place of the population's own; None keeps these.
    """

    budget: Budget
    models: tuple[str, ...] = tuple(IMAGE_MODELS)
    probes: tuple[str, ...] = DEFAULT
    weights: int | None = None

    def spec(self, model: str) -> ModelSpec:
        """The settings of a model of the population."""
        return IMAGE_MODELS[model].spec(self.weights)


PLANS: dict[Scale, Plan] = {
    "smoke": Plan(
        budget=Budget(hundreds=1, batch_size=8, runs=2, rates=(1e-2,), warmup=10, test_size=16),
        models=("MLP", "CNN", "Attention, patches"),
        probes=("shape or place", "digits", "how many", "untrained images"),
        weights=1_500,
    ),
    "laptop": Plan(budget=Budget(hundreds=2)),
    "paper": Plan(budget=Budget(hundreds=20, runs=8, rates=(1e-3, 3e-3, 1e-2))),
}


def cell(model: str, probe: str) -> Cell:
    """The cell of a model and a probe."""
    return Cell(model=model, probe=probe)


def cells(scale: Scale) -> Cells:
    """Every model on every probe, with the rate that its pilot run chose."""
    plan = PLANS[scale]
    for model in plan.models:
        spec = plan.spec(model)
        for probe in plan.probes:
            rate = TUNED.get(scale, "learning_rate", plan.budget.rates[0], model=model, probe=probe)
            yield cell(model, probe), plan.budget.judged(spec, probe, rate)


def search_cells(scale: Scale) -> Cells:
    """The pilot runs."""
    plan = PLANS[scale]
    yield from plan.budget.pilot_cells({model: plan.spec(model) for model in plan.models}, plan.probes)


def family(model: str) -> str:
    """The family of a model of the population."""
    return IMAGE_MODELS[model].family


DESIGN = Design(cells, ("model", "probe"))
TUNING = Tuning(Design(search_cells, ("model", "probe", "learning_rate")), TUNED, metric="nll")
