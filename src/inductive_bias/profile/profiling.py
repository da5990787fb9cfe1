"""The profile of a model: trained on the probes, scored, and put beside the population."""

import warnings
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

import pandas as pd
import torch

from inductive_bias import paths
from inductive_bias.errors import SettingError
from inductive_bias.own_probes import OwnProbeTask, is_own
from inductive_bias.plugins import Own
from inductive_bias.profile.contract import NO_FUTURE
from inductive_bias.profile.first_look import future_seen, look_at
from inductive_bias.profile.groups import RUNS, Group, group_of
from inductive_bias.profile.own import described, name_of, sources_of
from inductive_bias.profile.population import digest, published_population
from inductive_bias.profile.report import Report, diverged_in, warning_of, without_diverged
from inductive_bias.profile.training import choose_rates, train
from inductive_bias.running import resolve_device
from inductive_bias.store import Store
from inductive_bias.studies.profile_budget import Budget, probe_of
from inductive_bias.studies.scales import PUBLISHED
from inductive_bias.trials import ModelSpec, Trial


def profile(
    model: ModelSpec,
    *,
    probes: Sequence[str] | None = None,
    runs: int = RUNS["default"],
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
            package. What takes images is asked with images, and stands beside known models of images.
        probes: names, see :data:`~inductive_bias.tasks.probes.PROBES` and
            :data:`~inductive_bias.tasks.image_probes.IMAGE_PROBES`; one of one's own as ``my_probe.py:MyProbe``, or by
            the name of an entry point (:mod:`inductive_bias.own_probes`). The usual ones if None.
        runs: of every probe, with seeds 0, 1, …
        minutes: at most about so many on the clock: fewer runs then, never fewer probes.
        population: scores of the models that it stands beside; the published ones if None.
        taught_by: name of a model of the published population that teaches: the model then learns from its answers.
        name: for people; the model's own if empty.
        store: folder of the runs.
        budget: how every run is trained; that of the published population if None.
        options: of :func:`inductive_bias.engine.run_missing`, such as ``device`` or ``jobs``.

    Raises:
        SettingError: for an unknown probe or teacher, too few runs, no minutes, or a model that does not answer as
            asked.
    """
    group = group_of(model)
    probes = group.lengths["default"] if probes is None else probes
    probes = sources_of(probes, group)
    if not probes:
        raise SettingError("a profile needs at least one probe")
    if runs < 2:
        raise SettingError(f"runs={runs} must be at least 2: one run has no interval")
    if minutes is not None and not minutes > 0:
        raise SettingError(f"minutes={minutes} must be more than 0")
    refuse_other_teachers(taught_by, group)
    others = published_population(group) if population is None else population
    budget = replace(budget or group.budget, runs=runs)
    name, kept = name or model.name, Store(store or paths.runs("profile"))
    place = resolve_device(str(options.get("device", "auto")))
    firsts = [trial for probe in probes for trial in budget.pilots(model, probe)[:1]]
    look_at([trial for trial in firsts if not kept.has(trial)], place)
    checks = _checks(model, group, place)
    if said := warning_of(checks):  # whoever sees it now need not wait for the training
        warnings.warn(said, stacklevel=2)
    own_probes, rates = described(probes, budget.test_size), {}
    if taught_by and own_probes:  # nobody has searched the teacher's rates on these
        teacher = group.members[taught_by].spec()
        rates = choose_rates(teacher, [each for each in probes if is_own(each)], budget, kept, **options)[1]
    found = train(
        model,
        probes,
        budget,
        kept,
        name=name,
        minutes=minutes,
        taught=(lambda trial: _taught(trial, taught_by, budget, group, rates)) if taught_by else (lambda trial: trial),
        **options,
    )
    rows = found.rows.assign(probe=found.rows["probe"].map({each: name_of(each) for each in probes}))
    own_sequences = {name_of(each): OwnProbeTask(each).sequences for each in probes if is_own(each)}
    own = isinstance(model, Own)
    # those of images have no probes of one's own
    scores = group.scores(rows, own_sequences) if own_sequences else group.scores(rows)
    return Report(
        name=name,
        scores=without_diverged(scores, rows),
        population=others,
        rates={name_of(each): rate for each, rate in found.rates.items()},
        weights={name_of(each): weights for each, weights in found.weights.items()},
        minutes=found.minutes,
        runs=found.runs,
        steps=budget.steps,
        source=model.source if own else "",
        sha256=model.sha256 if own else "",
        population_sha256=digest(others),
        teacher=taught_by,
        checks=checks | diverged_in(rows),
        own_probes=own_probes,
    )


def refuse_other_teachers(name: str, group: Group) -> None:
    """Refuse a teacher that is no known model; a command asks this before it trains.

    Raises:
        SettingError: naming those that there are.
    """
    if name and name not in group.members:
        raise SettingError(f"no known model {name!r} to teach; there are: {', '.join(group.members)}")


def _checks(model: ModelSpec, group: Group, place: torch.device) -> dict[str, str]:
    """Whether a model of sequences sees the future, in words."""
    return {NO_FUTURE: future_seen(model, place)} if group.name == "sequences" else {}


def _taught(trial: Trial, teacher: str, budget: Budget, group: Group, rates: Mapping[str, float]) -> Trial:
    """The trial with a model of the population as its teacher; ``rates`` are the teacher's on one's own probes."""
    probe = probe_of(trial)
    known = group.tuned.get(PUBLISHED, "learning_rate", budget.rates[0], model=teacher, probe=probe)
    return budget.taught(trial, group.members[teacher].spec(), learning_rate=rates.get(probe, known))
