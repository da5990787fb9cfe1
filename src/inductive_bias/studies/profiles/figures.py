"""What the figures of the two chapters draw and the tables beside them print."""

import math
from itertools import product

import pandas as pd

from inductive_bias.formatting import number
from inductive_bias.studies.profile_axes import AXES, ORDER_AXIS, by_axis, preferred_shares, reliability, table_of_axes
from inductive_bias.studies.profile_comparison import NOTHING, Compared, compare
from inductive_bias.studies.profile_distances import nearest
from inductive_bias.studies.profiles import design
from inductive_bias.studies.profiles.design import family, population, student, teachers
from inductive_bias.studies.profiles.measures import (
    PREFERENCES,
    default_runs,
    distances,
    first_runs,
    on_first_probes,
    profiles,
    repeated_words,
    taught,
)
from inductive_bias.studies.results import Results
from inductive_bias.studies.scales import Scale
from inductive_bias.tasks.probes import PROBES, Extrapolation, Preference, Untrained


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


def from_one_teacher_to_the_other(scale: Scale) -> tuple[str, ...]:
    """The two teachers and their students, in an order: from the second teacher to the first."""
    first, second = teachers(scale)
    return (second, *(student(kind, teacher) for kind, teacher in product((second, first), (second, first))), first)


def students(results: Results) -> pd.DataFrame:
    """Every run of the two teachers and of their students: ``model, axis, number, value, family``.

    Models are in the order of :func:`from_one_teacher_to_the_other`, axes in their own.
    """
    table, order = taught(results).dropna(), from_one_teacher_to_the_other(results.scale)
    kinds = {name: kind for name, (kind, _) in design.students(results.scale).items()}
    table = table.assign(family=table["model"].map(lambda name: family(kinds.get(name, name))))
    table["model"] = pd.Categorical(table["model"], [name for name in order if name in set(table["model"])])
    table["axis"] = pd.Categorical(table["axis"], [axis for axis in AXES if axis in set(table["axis"])])
    return table.sort_values(["axis", "model", "number"], ignore_index=True)


def student_table(results: Results) -> pd.DataFrame:
    """The two teachers and their students: the mean over runs, a row a model, a column an axis."""
    means = students(results).groupby(["model", "axis"], observed=True)["value"].mean().unstack()
    return means.rename_axis(index=None, columns=None)


def student_distances(results: Results) -> pd.DataFrame:
    """How far every student, and each of the two alone, is from the two teachers: mean over runs, smallest, largest."""
    table, rows = taught(results), []
    for model in from_one_teacher_to_the_other(results.scale):
        row = [model]
        for teacher in teachers(results.scale):
            apart = distances(table, [(model, teacher)])
            mean, low, high = (number(value, ".2f") for value in (apart.mean(), apart.min(), apart.max()))
            row.append("–" if model == teacher else f"{mean} ({low} to {high})")
        rows.append(row)
    return pd.DataFrame(rows, columns=["model", *(f"from {teacher}" for teacher in teachers(results.scale))])


def moved(results: Results, kind: str, teacher: str) -> list[Compared]:
    """Every axis of a student beside the student of its own kind; what spread is usual is that of all known models."""
    table, scale = taught(results), results.scale
    own, other = (table[table["model"] == student(kind, taught_by)] for taught_by in (teacher, kind))
    return compare(own, other, on_first_probes(results, population(scale)))


def moved_table(results: Results) -> pd.DataFrame:
    """What another teacher moves, by axis: the differences of both students from their own kind's, and a word."""
    first, second = teachers(results.scale)
    pairs = ((first, second), (second, first))
    columns = {
        student(*pair): pd.Series({each.axis: _told(each) for each in moved(results, *pair)}, dtype=object)
        for pair in pairs
    }
    return pd.DataFrame(columns).rename_axis("axis").reset_index()


def _told(found: Compared) -> str:
    if math.isnan(found.visible):  # the student, or that of its own kind, has a run without a value
        return NOTHING
    difference, low, high = (
        number(value, "+.2f") for value in (found.difference, found.difference_low, found.difference_high)
    )
    return f"{found.word}: {difference} [{low}, {high}]"
