"""Profiles of the population of image models."""

import pandas as pd

from inductive_bias.protocols.measures.image_probes import ARRANGEMENT, INVARIANCE
from inductive_bias.protocols.measures.probes import METRICS, PREFERENCE
from inductive_bias.studies.image_axes import image_scores
from inductive_bias.studies.profile_axes import by_axis
from inductive_bias.studies.results import Results
from inductive_bias.tasks.image_probes import CHANGES
from inductive_bias.tasks.probes import CONFLICT


def final_rows(results: Results) -> pd.DataFrame:
    """Rows of all runs in the columns that :func:`~inductive_bias.studies.image_axes.image_scores` asks for."""
    parts = [
        results.frame(METRICS, split=("test", *CHANGES)),
        results.frame(PREFERENCE, split=CONFLICT).assign(metric=PREFERENCE),
        results.frame((INVARIANCE, ARRANGEMENT), split="test"),
    ]
    columns = ["model", "probe", "number", "split", "metric", "value"]
    return pd.concat([part[columns].astype({"model": object, "probe": object}) for part in parts], ignore_index=True)


def profile_scores(results: Results) -> pd.DataFrame:
    """Every run's value by axis and probe, see :func:`~inductive_bias.studies.image_axes.image_scores`."""
    return results.made("scores", lambda: image_scores(final_rows(results)))


def profiles(results: Results) -> pd.DataFrame:
    """The profile of every model: its mean over runs on every axis, a row a model in the order of the population."""
    means = by_axis(profile_scores(results)).groupby(["model", "axis"], sort=False)["value"].mean().unstack()
    order = [model for model in results.design.levels(results.scale)["model"] if model in means.index]
    return means.loc[order]
