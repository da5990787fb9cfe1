"""What the figures of the chapter draw and the tables beside them print."""

import pandas as pd

from inductive_bias.formatting import number
from inductive_bias.studies.profile_axes import AXES, ORDER_AXIS, by_axis, preferred_shares, reliability, table_of_axes
from inductive_bias.studies.profile_distances import nearest
from inductive_bias.studies.profiles.design import family
from inductive_bias.studies.profiles.measures import PREFERENCES, default_runs, first_runs, profiles, repeated_words
from inductive_bias.studies.results import Results
from inductive_bias.tasks.probes import PROBES, Extrapolation, Preference, Untrained

#: All other axes.
ABILITIES = tuple(name for name in AXES if name not in PREFERENCES)


def table_of_profiles(results: Results) -> pd.DataFrame:
    """The mean over runs: a row a model in the order of the population, a column an axis in the order of the axes."""
    return table_of_axes(profiles(results), AXES)


def preferences(results: Results) -> pd.DataFrame:
    """Every run's share of answers by the first rule: ``model, axis, number, value, family``."""
    return preferred_shares(default_runs(results), PREFERENCES, family)


def before_training(results: Results) -> pd.DataFrame:
    """What every model listens to as it begins, mean over runs: ``model, family`` and the two axes of it."""
    table = profiles(results)[[Untrained.axis, ORDER_AXIS]].reset_index()
    return table.assign(family=table["model"].map(family)).rename_axis(columns=None)


def words_table(results: Results) -> pd.DataFrame:
    """Axes on which two profiles of a model from other runs say the same word, and the words where they do not."""
    words, rows = repeated_words(results), []
    for model, found in words.groupby("model", sort=False):
        other = found[found["first"] != found["second"]]
        said = "; ".join(
            f"{axis}: {first}, then {second}"
            for axis, first, second in zip(other["axis"], other["first"], other["second"], strict=True)
        )
        rows.append((model, f"{len(found) - len(other)} of {len(found)}", said))
    return pd.DataFrame(rows, columns=["model", "same word", "other words"])


def probe_table(results: Results) -> pd.DataFrame:
    """What every probe asks, of which axis, at which length, and how many models have learnt it in every run."""
    found, rows = first_runs(results), []
    for name in results.design.levels(results.scale)["probe"]:
        probe = PROBES[name]
        if isinstance(probe, Untrained):
            rows.append((name, f"{probe.axis}, {ORDER_AXIS}", probe.asks, probe.length, "none is trained"))
            continue
        # a preference has a value where both rules' answer was learnt, white noise where its labels were; a skill where
        # it is on the axis of length
        axis = probe.axis if isinstance(probe, (Preference, Extrapolation)) else "length"
        values = found[(found["probe"] == name) & (found["axis"] == axis)].groupby("model")["value"]
        learnt = int((values.count() == values.size()).sum())
        rows.append((name, probe.axis, probe.asks, probe.length, f"{learnt} of {values.ngroups}"))
    return pd.DataFrame(rows, columns=["probe", "axis", "what it asks", "tokens", "models that learnt it"])


def reliability_table(results: Results) -> pd.DataFrame:
    """How far models differ on an axis, how far runs of one model do, and whether half of the runs foretells the other.

    ``repeats`` is the rank correlation over models between the first and the second half of the runs.
    """
    table = by_axis(default_runs(results))
    runs = table.groupby(["axis", "model"])["value"]
    repeats = reliability(table)
    rows = [
        (
            axis,
            runs.mean()[axis].count(),
            number(runs.mean()[axis].std(), ".2f"),
            number(runs.std()[axis].mean(), ".2f"),
            number(repeats[axis], ".2f"),
        )
        for axis in AXES
        if axis in repeats.index
    ]
    return pd.DataFrame(rows, columns=["axis", "models", "SD of models", "SD of runs", "repeats"])


def relatives(results: Results) -> pd.DataFrame:
    """The nearest other model of each, with the distance of their profiles."""
    found, rows = profiles(results), []
    for model, own in found.iterrows():
        ((other, apart),) = nearest(own, found.drop(index=model), most=1).items()
        rows.append((model, family(model), other, number(apart, ".2f")))
    return pd.DataFrame(rows, columns=["model", "family", "nearest", "distance"])
