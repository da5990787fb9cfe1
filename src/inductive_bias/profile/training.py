"""Training a model on the probes by the rule of the population: two rates on a pilot seed, then runs of their own."""

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import pandas as pd

from inductive_bias.engine import run_missing, trials_at_a_time
from inductive_bias.errors import SettingError
from inductive_bias.running import resolve_device
from inductive_bias.store import Store
from inductive_bias.studies.profile_budget import Budget
from inductive_bias.trials import ModelSpec, Trial

#: A profile without two runs has no interval.
FEWEST_RUNS = 2


@dataclass(frozen=True)
class Trained:
    """What training leaves.

    Attributes:
        rows: final values with ``model, probe, number, split, metric, length, value``.
        rates: the chosen learning rate by probe.
        weights: of the model, by probe.
        minutes: of training, all runs together, of one core.
        runs: judged runs of each probe.
    """

    rows: pd.DataFrame
    rates: dict[str, float]
    weights: dict[str, int]
    minutes: float
    runs: int


def train(
    model: ModelSpec,
    probes: Sequence[str],
    budget: Budget,
    store: Store,
    *,
    name: str,
    minutes: float | None = None,
    taught: Callable[[Trial], Trial] = lambda trial: trial,
    **options: object,
) -> Trained:
    """Train a model on every probe; a repeated call goes on where the last one stopped.

    Args:
        model: its settings.
        probes: names, and sources of probes of one's own.
        budget: of the population, with as many runs as are wanted.
        store: where runs are kept.
        name: of the model, in the column ``model``.
        minutes: of the clock, at most about so many: where they do not suffice there are fewer runs, never fewer than
            :data:`FEWEST_RUNS`, and never fewer probes.
        taught: what becomes of each trial, such as one with a teacher.
        options: of :func:`inductive_bias.engine.run_missing`.

    Raises:
        SettingError: if the model does not answer as a probe asks.
    """
    start = time.monotonic()
    pilots, rates = choose_rates(model, probes, budget, store, taught=taught, **options)
    judged = {probe: [taught(trial) for trial in budget.judged(model, probe, rates[probe])] for probe in probes}
    if minutes is not None:
        left = minutes - (time.monotonic() - start) / 60
        budget = replace(budget, runs=_affordable(budget, pilots, judged, store, left, _side_by_side(**options)))
        judged = {probe: trials[: budget.runs] for probe, trials in judged.items()}
    run_missing([trial for trials in judged.values() for trial in trials], store, title="runs", **options)
    everyone = [trial for each in (pilots, judged) for trials in each.values() for trial in trials]
    rows = _final_rows(judged, store, name)
    parameters = rows[rows["metric"] == "parameters"].groupby("probe", sort=False)["value"].first()
    return Trained(
        rows=rows,
        rates=rates,
        weights=parameters.astype(int).to_dict(),
        minutes=sum(store.record(trial)["minutes"] for trial in everyone),
        runs=budget.runs,
    )


def choose_rates(
    model: ModelSpec,
    probes: Sequence[str],
    budget: Budget,
    store: Store,
    *,
    taught: Callable[[Trial], Trial] = lambda trial: trial,
    **options: object,
) -> tuple[dict[str, list[Trial]], dict[str, float]]:
    """The pilot runs by probe, and the learning rate that they choose; the arguments are those of :func:`train`."""
    pilots = {probe: [taught(trial) for trial in budget.pilots(model, probe)] for probe in probes}
    run_missing([trial for trials in pilots.values() for trial in trials], store, title="pilots", **options)
    tried = pd.DataFrame(
        [
            {"probe": probe, "learning_rate": trial.optimiser.learning_rate, "nll": _validation_loss(store, trial)}
            for probe, trials in pilots.items()
            for trial in trials
        ],
        columns=["probe", "learning_rate", "nll"],
    )
    # a rate that diverged is worse than any other; of equal ones the first is taken, as the population has it
    best = tried.assign(nll=tried["nll"].fillna(float("inf"))).groupby("probe", sort=False)["nll"].idxmin()
    # a probe without training has no pilot runs, and its rate moves nothing
    rates = dict.fromkeys(probes, budget.rates[0])
    rates |= dict(zip(tried.loc[best, "probe"], tried.loc[best, "learning_rate"], strict=True))
    return pilots, rates


def _affordable(
    budget: Budget,
    pilots: dict[str, list[Trial]],
    judged: dict[str, list[Trial]],
    store: Store,
    minutes: float,
    side_by_side: int,
) -> int:
    """The number of runs of every probe that fit into these minutes, if a run takes as long as a pilot did.

    Runs that are there take no time, and so many trials run at a time.
    """
    took = [store.record(trial)["minutes"] for trials in pilots.values() for trial in trials]
    one_run = sum(took) / len(budget.rates) / max(1, min(side_by_side, len(pilots)))
    there = min(sum(map(store.has, trials)) for trials in judged.values())
    return min(budget.runs, max(FEWEST_RUNS, there + int(max(0.0, minutes) / one_run))) if one_run else budget.runs


def _side_by_side(*, jobs: int | None = None, device: str = "auto", **_: object) -> int:
    """How many trials :func:`run_missing` runs at a time with these options."""
    return trials_at_a_time(jobs, resolve_device(device))


def _validation_loss(store: Store, trial: Trial) -> float:
    rows = _final(store.rows(trial))
    return float(rows.loc[(rows["split"] == "validation") & (rows["metric"] == "nll"), "value"].iloc[0])


def _final(rows: pd.DataFrame) -> pd.DataFrame:
    return rows[rows["epoch"].isna()]


def _final_rows(judged: dict[str, list[Trial]], store: Store, name: str) -> pd.DataFrame:
    parts = [
        _final(store.rows(trial)).assign(model=name, probe=probe, number=number)
        for probe, trials in judged.items()
        for number, trial in enumerate(trials)
    ]
    if not parts:
        raise SettingError("a profile needs at least one probe")
    columns = ["model", "probe", "number", "split", "metric", "length", "value"]
    # of images there is no length
    return pd.concat(parts, ignore_index=True).reindex(columns=columns)
