"""The profile of a model: trained on the probes, scored, and put beside the population."""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pandas as pd

from inductive_bias import paths
from inductive_bias.errors import SettingError
from inductive_bias.plugins import Own
from inductive_bias.profile.population import SCALE, digest, published_population
from inductive_bias.profile.report import Report
from inductive_bias.profile.training import train
from inductive_bias.store import Store
from inductive_bias.studies.known_models import BY_NAME
from inductive_bias.studies.profile_axes import scores
from inductive_bias.studies.profiles.design import DEFAULT, PLANS, QUICK, TUNED, Budget
from inductive_bias.tasks.probes import PROBES
from inductive_bias.trials import Distillation, ModelSpec, Trial

#: Runs of every probe.
RUNS = 3
#: Probes and runs by the length of a profile.
LENGTHS: dict[str, tuple[tuple[str, ...], int]] = {
    "quick": (QUICK, 2),
    "default": (DEFAULT, RUNS),
    "full": (DEFAULT, 4),
}


def profile(
    model: ModelSpec,
    *,
    probes: Sequence[str] = DEFAULT,
    runs: int = RUNS,
    minutes: float | None = None,
    population: pd.DataFrame | None = None,
    taught_by: str = "",
    name: str = "",
    store: Path | None = None,
    budget: Budget | None = None,
    **options: object,
) -> Report:
    """Train a model on the probes and put it beside the population; a repeated call goes on where it stopped.

    Args:
        model: its settings: :func:`~inductive_bias.profile.model_spec` of a file of one's own, or a model of the
            package.
        probes: names, see :data:`~inductive_bias.tasks.probes.PROBES`.
        runs: of every probe, with seeds 0, 1, …
        minutes: at most about so many on the clock: fewer runs then, never fewer probes.
        population: scores of the models that it stands beside; the published ones if None.
        taught_by: name of a model of the published population that teaches: the model then learns from its answers.
        name: for people; the model's own if empty.
        store: folder of the runs.
        budget: how every run is trained; that of the published population if None.
        options: of :func:`inductive_bias.engine.run_missing`, such as ``device`` or ``jobs``.

    Raises:
        SettingError: for an unknown probe or teacher, too few runs, or a model that does not answer as asked.
    """
    if unknown := [each for each in probes if each not in PROBES]:
        raise SettingError(f"no probe {unknown[0]!r}; there are: {', '.join(PROBES)}")
    if not probes:
        raise SettingError("a profile needs at least one probe")
    if runs < 2:
        raise SettingError(f"runs={runs} must be at least 2: one run has no interval")
    if taught_by and taught_by not in BY_NAME:
        raise SettingError(f"no known model {taught_by!r} to teach; there are: {', '.join(BY_NAME)}")
    others = published_population() if population is None else population
    budget = replace(budget or PLANS[SCALE].budget, runs=runs)
    name = name or model.name
    found = train(
        model,
        probes,
        budget,
        Store(store or paths.runs("profile")),
        name=name,
        minutes=minutes,
        taught=(lambda trial: _taught(trial, taught_by, budget)) if taught_by else (lambda trial: trial),
        **options,
    )
    own = isinstance(model, Own)
    return Report(
        name=name,
        scores=scores(found.rows),
        population=others,
        rates=found.rates,
        weights=found.weights,
        minutes=found.minutes,
        runs=found.runs,
        steps=budget.steps,
        source=model.source if own else "",
        sha256=model.sha256 if own else "",
        population_sha256=digest(others),
        teacher=taught_by,
    )


def _taught(trial: Trial, teacher: str, budget: Budget) -> Trial:
    """The trial with soft targets of a model of the population, trained with the seed of the trial.

    A trial without training stays as it is.
    """
    if not trial.task.trains:
        return trial
    probe = trial.task.probe
    rate = TUNED.get(SCALE, "learning_rate", budget.rates[0], model=teacher, probe=probe)
    teaching = budget.trial(BY_NAME[teacher].spec(), probe, seed=trial.seed, learning_rate=rate)
    return trial.model_copy(update={"distill": Distillation(teacher=teaching, temperature=1.0, mixing=1.0)})
