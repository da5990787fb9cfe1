"""What the figures of the page on image models draw and the tables beside them print."""

import numpy as np
import pandas as pd
from jaxtyping import Float32

from inductive_bias.formatting import number
from inductive_bias.studies.image_axes import IMAGE_AXES
from inductive_bias.studies.image_profiles.design import family
from inductive_bias.studies.image_profiles.measures import profile_scores, profiles
from inductive_bias.studies.profile_axes import by_axis, preferred_shares, table_of_axes
from inductive_bias.studies.profile_distances import fitness_of, nearest
from inductive_bias.studies.results import Results
from inductive_bias.tasks.image_probes import CHANGES, IMAGE_PROBES, Digits, ImagePreference

#: Axes of which rule a model follows.
PREFERENCES = tuple(probe.axis for probe in IMAGE_PROBES.values() if isinstance(probe, ImagePreference))


def table_of_profiles(results: Results) -> pd.DataFrame:
    """The mean over runs: a row a model in the order of the population, a column an axis in the order of the axes."""
    return table_of_axes(profiles(results), IMAGE_AXES)


def preferences(results: Results) -> pd.DataFrame:
    """Every run's share of answers by the shape: ``model, axis, number, value, family``."""
    return preferred_shares(profile_scores(results), PREFERENCES, family)


def probe_table(results: Results) -> pd.DataFrame:
    """What every probe asks, of which axis, with how many answers, and where the idea comes from."""
    rows = []
    for name in results.design.levels(results.scale)["probe"]:
        probe = IMAGE_PROBES[name]
        rows.append((name, probe.axis, probe.asks, probe.classes, probe.source))
    return pd.DataFrame(rows, columns=["probe", "axis", "what it asks", "answers", "source"])


def fitness_table(results: Results) -> pd.DataFrame:
    """How far models differ on an axis, how far runs of one model do, whether an axis repeats, and what the rule says.

    ``repeats`` is the rank correlation over models between the first and the second half of the runs.
    """
    found, rows = by_axis(profile_scores(results)), []
    for axis in (name for name in IMAGE_AXES if name in set(found["axis"])):
        table = found[found["axis"] == axis]
        runs, fit = table.groupby("model")["value"], fitness_of(table)
        deviations = runs.mean().std(), runs.std().mean(), fit.repeats
        rows.append(
            (axis, runs.mean().count(), *(number(each, ".2f") for each in deviations), "yes" if fit.joins else "no")
        )
    return pd.DataFrame(rows, columns=["axis", "models", "SD of models", "SD of runs", "repeats", "tells models apart"])


def relatives(results: Results) -> pd.DataFrame:
    """The nearest other model of each, with the distance of their profiles."""
    found, rows = profiles(results), []
    for model, own in found.iterrows():
        ((other, apart),) = nearest(own, found.drop(index=model), most=1).items()
        rows.append((model, family(model), other, number(apart, ".2f")))
    return pd.DataFrame(rows, columns=["model", "family", "nearest", "distance"])


def example_images(seed: int = 0) -> dict[str, Float32[np.ndarray, "h w"]]:
    """Example images by name: of each preference one as in training and one of the test; a digit and its changes."""
    found = {}
    for probe in (each for each in IMAGE_PROBES.values() if isinstance(each, ImagePreference)):
        other = probe.name.removeprefix("shape or ")
        train = probe.draw(np.random.default_rng(seed), 1)
        conflict, _ = probe.conflict(np.random.default_rng(seed), 1)
        found[f"{other}: training"] = train.images[0, 0]
        found[f"{other}: test"] = conflict.images[0, 0]
    digits = Digits()
    found["digit: training"] = digits.held_out(np.random.default_rng(seed), 1, "test").images[0, 0]
    for change in CHANGES:
        found[f"digit: {change}"] = digits.changed(np.random.default_rng(seed), 1, change).images[0, 0]
    return found
