"""Does a profile foretell what the book's other studies measured? Relatives tell the rank of a model that is left out.

Declared on 28 November 2026, before any number here was computed: in each of five studies (:data:`OUTCOMES`), on each
of its tasks, the outcome of a model is foretold as the mean outcome of the :data:`RELATIVES` models of that study whose
profiles are nearest to its own. A task counts if at least :data:`FEWEST` models of the population have runs of it and
their outcomes are not all one. Its score is the rank correlation (Spearman) of foretold and measured outcomes over
models; a study's score is the mean over its tasks. The question is answered yes if the mean over the five studies is
above :data:`WORTH`, by the interval of the verdicts (Student's t over studies). Leaving a model out makes chance a
little less than 0: relatives lack the very outcome. Chance itself is shown beside: the profiles are exchanged among the
models :data:`EXCHANGES` times.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass

import numpy as np
import pandas as pd
from scipy.stats import spearmanr

from inductive_bias.formatting import decimals, with_interval
from inductive_bias.studies import study_named
from inductive_bias.studies.profile_distances import distance
from inductive_bias.studies.results import Results
from inductive_bias.studies.scales import PUBLISHED
from inductive_bias.verdicts import Contrast, Judgement, exceeds, single

RELATIVES = 3
FEWEST = 6
WORTH = 0.2
EXCHANGES = 200


@dataclass(frozen=True)
class Outcome:
    """What a study measured of models that the population has too.

    Attributes:
        study: its name.
        name: of what it measured, for people.
        metrics: by how much a value counts: 1 where more is better, −1 where less is.
        split: of the test.
        tasks: factors whose levels tell its tasks apart.
        models: from the levels of a cell to the population's name of its model; None for others.
    """

    study: str
    name: str
    metrics: Mapping[str, int]
    split: str
    tasks: tuple[str, ...]
    models: Callable[[Mapping[str, object]], str | None]

    def table(self, results: Results) -> pd.DataFrame:
        """The outcome of every model on every task, mean over runs: ``task, model, value``; more is better."""
        parts = []
        for metric, sign in self.metrics.items():
            rows = results.frame(metric, split=self.split)
            parts.append(rows.assign(value=sign * rows["value"]))
        rows = pd.concat(parts, ignore_index=True)
        cells = rows[list(results.design.factors)].astype(object).to_dict("records")
        rows = rows.assign(
            model=[self.models(cell) for cell in cells],
            task=[", ".join(_told(cell[factor]) for factor in self.tasks) for cell in cells],
        )
        rows = rows.dropna(subset=["model"])
        return rows.groupby(["task", "model"], sort=False)["value"].mean().reset_index()


def _told(level: object) -> str:
    return f"{level:g}" if isinstance(level, float) else str(level)


def _feed_forward(cell: Mapping[str, object]) -> str | None:
    # the LSTM that carries its state through the whole sequence alone
    if cell["bptt"] is not None and not pd.isna(cell["bptt"]):
        return None
    plain = {"LSTM": "plain LSTM", "GRU": "plain GRU", "tanh RNN": "plain tanh RNN"}
    kept = {name: name for name in ("TCN", "Gated CNN", "Attention", "RSA", "REM only")}
    return (plain | kept).get(str(cell["model"]))


def _shift(cell: Mapping[str, object]) -> str | None:
    names = {
        "no positions": "Attention",
        "sinusoidal": "Attention, sinusoidal",
        "RoPE": "Attention, RoPE",
        "ALiBi": "Attention, ALiBi",
        "Transformer-XL": "Attention, Transformer-XL",
        "RSA": "RSA, sinusoidal",
        "LSTM": "LSTM",
    }
    usual = cell["form"] == "answers" and cell["size"] == "usual"
    return names.get(str(cell["model"])) if usual else None


def _languages(cell: Mapping[str, object]) -> str | None:
    names = {
        ("LSTM", "none"): "LSTM",
        ("Linear RNN", "none"): "Linear RNN",
        ("Attention", "none"): "Attention",
        ("Attention", "sinusoidal"): "Attention, sinusoidal",
        ("Attention", "ALiBi"): "Attention, ALiBi",
        ("Free Toeplitz", "none"): "Free Toeplitz",
        ("REM only", "none"): "REM only",
        ("RSA", "none"): "RSA",
    }
    return names.get((str(cell["model"]), str(cell["positions"])))


def _chomsky(cell: Mapping[str, object]) -> str | None:
    names = {
        ("tanh RNN", "none"): "plain tanh RNN",
        ("LSTM", "none"): "plain LSTM",
        ("Transformer", "none"): "Attention",
        ("Transformer", "sinusoidal"): "Attention, sinusoidal",
        ("Transformer", "RoPE"): "Attention, RoPE",
        ("Transformer", "ALiBi"): "Attention, ALiBi",
        ("Transformer", "relative"): "Attention, Transformer-XL",
        ("RSA", "none"): "RSA",
    }
    return names.get((str(cell["model"]), str(cell["positions"])))


def _signals(cell: Mapping[str, object]) -> str | None:
    names = {
        ("LSTM", "none", "none"): "LSTM",
        ("Linear RNN", "none", "none"): "Linear RNN",
        ("Attention", "sinusoidal", "none"): "Attention, sinusoidal",
        ("Attention", "ALiBi", "none"): "Attention, ALiBi",
        ("RSA", "sinusoidal", "paper"): "RSA, sinusoidal",
        ("REM only", "none", "paper"): "REM only",
    }
    return names.get((str(cell["model"]), str(cell["positions"]), str(cell["decays"])))


OUTCOMES = (
    Outcome(
        "feed_forward",
        "music, text, memory",
        {"nll": -1, "bpc": -1, "mse": -1},
        "test",
        ("task", "steps"),
        _feed_forward,
    ),
    Outcome("shift", "longer strings", {"string_accuracy": 1}, "test", ("automaton",), _shift),
    Outcome("regular_languages", "regular languages", {"string_accuracy": 1}, "longest", ("language",), _languages),
    Outcome("chomsky", "Chomsky’s levels", {"accuracy": 1}, "test", ("task",), _chomsky),
    Outcome("signal_vs_samples", "mixed signals", {"excess_error": -1}, "test", ("rho", "samples"), _signals),
)


def distances_apart(profiles: pd.DataFrame) -> pd.DataFrame:
    """How far every two models are apart: a square, with no number on its diagonal.

    Args:
        profiles: a row a model, a column an axis; with NaN where nothing was learnt.
    """
    names = profiles.index
    return pd.DataFrame(
        [
            [np.nan if one == other else distance(profiles.loc[one], profiles.loc[other]) for other in names]
            for one in names
        ],
        index=names,
        columns=names,
    )


def foretold(apart: pd.DataFrame, outcomes: pd.Series) -> pd.Series:
    """Each model's outcome as the mean of that of its nearest relatives; of equally near ones the first counts.

    Args:
        apart: of :func:`distances_apart`.
        outcomes: by model, each of which has a profile.
    """
    # NaN, which is the model itself, is sorted to the end
    order = apart.loc[outcomes.index, outcomes.index].to_numpy().argsort(axis=1, kind="stable")
    return pd.Series(outcomes.to_numpy()[order[:, :RELATIVES]].mean(axis=1), index=outcomes.index)


def scores(apart: pd.DataFrame, table: pd.DataFrame) -> pd.Series:
    """The rank correlation of foretold and measured outcomes by task, of the tasks that count.

    Args:
        apart: of :func:`distances_apart`.
        table: ``task, model, value``.
    """
    found = {}
    for task, rows in table[table["model"].isin(apart.index)].groupby("task", sort=False):
        outcomes = rows.set_index("model")["value"].dropna()
        if len(outcomes) < FEWEST or outcomes.nunique() < 2:
            continue
        told = foretold(apart, outcomes)
        # relatives that all do equally well foretell nothing
        found[task] = float(spearmanr(told, outcomes).statistic) if told.nunique() > 1 else 0.0
    return pd.Series(found, dtype=float, name="score")


def prediction(profiles: pd.DataFrame, scale: str = PUBLISHED, *, seed: int = 0) -> pd.DataFrame:
    """Scores by task, with those of exchanged profiles: ``study, task, models, score, chance``.

    Args:
        profiles: of the population, see :func:`~inductive_bias.studies.profiles.measures.profiles`.
        scale: of the other studies.
        seed: of the exchanges.
    """
    columns = ["study", "task", "models", "score", "chance"]
    parts, rng = [pd.DataFrame(columns=columns).astype({"score": float, "chance": float})], np.random.default_rng(seed)
    # with fewer models no task counts, and no other study is opened
    for outcome in OUTCOMES if len(profiles) >= FEWEST else ():
        table = outcome.table(study_named(outcome.study).results(scale))
        known = distances_apart(profiles.loc[[name for name in profiles.index if name in set(table["model"])]])
        orders = [rng.permutation(known.index) for _ in range(EXCHANGES)]
        exchanged = [scores(known.set_axis(order, axis=0).set_axis(order, axis=1), table) for order in orders]
        found = scores(known, table)
        models = table[table["model"].isin(known.index)].groupby("task", sort=False)["model"].nunique()
        parts.append(
            pd.DataFrame(
                {"score": found, "chance": pd.concat(exchanged, axis=1).mean(axis=1), "models": models[found.index]}
            )
            .rename_axis("task")
            .reset_index()
            .assign(study=outcome.name)
        )
    return pd.concat([part for part in parts if len(part)] or parts, ignore_index=True)[columns]


def answer(table: pd.DataFrame) -> tuple[Judgement, Contrast]:
    """Whether profiles foretell outcomes: the mean over studies of their mean scores, against :data:`WORTH`.

    Args:
        table: of :func:`prediction`.
    """
    by_study = table.groupby("study", sort=False)["score"].mean()
    contrast = single(by_study, name="foretold and measured outcomes", unit="rank correlation")
    return exceeds(contrast, WORTH), contrast


def numbers(table: pd.DataFrame) -> dict[str, Callable[[], str]]:
    """Numbers that the chapter's sentences ask for by name."""

    def chance() -> str:
        return decimals(table.groupby("study", sort=False)["chance"].mean().mean())

    def estimate() -> str:
        _, contrast = answer(table)
        return with_interval(contrast.estimate, *contrast.interval())

    def verdict() -> str:
        judgement, contrast = answer(table)
        said = {"reproduced": "they do", "not reproduced": "they do not"}.get(judgement.verdict, judgement.verdict)
        return f"{said}, by {contrast.n} studies"

    return {"foretold": estimate, "foretold-chance": chance, "foretold-verdict": verdict}
