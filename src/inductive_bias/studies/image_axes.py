"""The axes of a profile of images: one number a run between 0 and 1, made of the scores on one or several probes.

What is learnt is counted above chance, and what carries over as a share of what was right before the change. A
preference is a share of answers, and counts only where the model has learnt what both rules agree on.
"""

import pandas as pd

from inductive_bias.protocols.measures.image_probes import ARRANGEMENT, INVARIANCE
from inductive_bias.protocols.measures.probes import PREFERENCE
from inductive_bias.studies.profile_axes import AXES, COLUMNS, LEARNT, Axis, above_chance
from inductive_bias.tasks.image_probes import (
    IMAGE_PROBES,
    MOVED,
    SCALED,
    TURNED,
    Digits,
    ImagePreference,
    ImageSkill,
    UntrainedImages,
)
from inductive_bias.tasks.probes import CONFLICT

#: From so much above chance on it says something which share of it is kept by a change.
KNOWN = 0.5
CALIBRATION, INVARIANT, ARRANGED = "calibration, images", "invariance", "arrangement at the start"
#: What a change of the digits asks, by the split of changed images.
CHANGE_AXES = {MOVED: "shift", SCALED: "scale", TURNED: "rotation"}
_SKILLS = {
    name: probe.axis
    for name, probe in IMAGE_PROBES.items()
    if isinstance(probe, ImageSkill) and not isinstance(probe, UntrainedImages)
}
_PREFERENCES = {name: probe.axis for name, probe in IMAGE_PROBES.items() if isinstance(probe, ImagePreference)}

IMAGE_AXES: dict[str, Axis] = {
    axis.name: axis
    for axis in (
        Axis("shape over place", "tells an image by its shape, not by where the shape stands"),
        Axis("shape over texture", "tells an image by its shape, not by the texture that fills it"),
        Axis("shape over brightness", "tells an image by its shape, not by how bright it is"),
        Axis(Digits.axis, "tells digits that stand as in training"),
        Axis("shift", "is as often right on digits that are moved by two pixels of sixteen"),
        Axis("scale", "is as often right on digits of .7 or 1.3 times the size"),
        Axis("rotation", "is as often right on digits that are turned by 30 degrees"),
        Axis(INVARIANT, "gives, when trained, one answer to a digit wherever it stands"),
        Axis("number", "tells how many dots there are"),
        Axis("sameness", "tells whether two shapes are the same"),
        Axis(CALIBRATION, "is as sure as it is right, also on changed digits", 0.05),
        Axis(UntrainedImages.axis, "gives, before any training, one answer to a digit wherever it stands"),
        Axis(ARRANGED, "tells, before any training, an image from its pieces in another order"),
    )
}
#: Axes of every group, by name: no name stands for two.
EVERY_AXIS = AXES | IMAGE_AXES


def image_scores(frame: pd.DataFrame) -> pd.DataFrame:
    """The value of every run on every axis and probe; NaN where it says nothing.

    Args:
        frame: rows of final values with ``model, probe, number, split, metric, value``.

    Returns:
        The columns :data:`~inductive_bias.studies.profile_axes.COLUMNS`.
    """
    parts = [_learnt(frame), _kept(frame), _calibrated(frame), _preferred(frame), _moved(frame)]
    return pd.concat([part[list(COLUMNS)] for part in parts if len(part)], ignore_index=True)


def _above(frame: pd.DataFrame, split: str) -> pd.DataFrame:
    """What is right above chance on a split: ``model, probe, number, value``."""
    key = ["model", "probe", "number"]
    rows = frame[frame["split"] == split]
    right, chance = (rows[rows["metric"] == name].set_index(key)["value"] for name in ("accuracy", "constant_accuracy"))
    return above_chance(right, chance).rename("value").reset_index()


def _learnt(frame: pd.DataFrame) -> pd.DataFrame:
    """Skills: what is right above chance."""
    found = _above(frame[frame["probe"].isin(_SKILLS)], "test")
    return found.assign(axis=found["probe"].map(_SKILLS))


def _kept(frame: pd.DataFrame) -> pd.DataFrame:
    """Which share of what is right on digits as they stood in training is right on changed ones."""
    rows, key = frame[frame["probe"] == Digits.name], ["model", "probe", "number"]
    before, parts = _above(rows, "test").set_index(key)["value"], []
    for split, axis in CHANGE_AXES.items():
        after = _above(rows, split).set_index(key)["value"]
        share = (after / before.where(before >= KNOWN)).clip(upper=1.0)
        parts.append(share.rename("value").reset_index().assign(axis=axis))
    return pd.concat(parts, ignore_index=True)


def _calibrated(frame: pd.DataFrame) -> pd.DataFrame:
    """One less the calibration error of skills, mean over the splits of a probe."""
    rows = frame[(frame["metric"] == "ece_20") & frame["probe"].isin(_SKILLS)]
    means = rows.groupby(["model", "probe", "number"], sort=False, observed=True)["value"].mean()
    return means.rsub(1.0).rename("value").reset_index().assign(axis=CALIBRATION)


def _preferred(frame: pd.DataFrame) -> pd.DataFrame:
    """Preferences: the share of answers by the first rule, of runs that have learnt what both rules say."""
    rows, key = frame[frame["probe"].isin(_PREFERENCES)], ["model", "probe", "number"]
    shares = rows[(rows["split"] == CONFLICT) & (rows["metric"] == PREFERENCE)].set_index(key)["value"]
    learnt = _above(rows, "test").set_index(key)["value"].reindex(shares.index) >= LEARNT
    found = shares.where(learnt).rename("value").reset_index()
    return found.assign(axis=found["probe"].map(_PREFERENCES))


def _moved(frame: pd.DataFrame) -> pd.DataFrame:
    """Answers that stay when an image moves, trained and untrained; and what its pieces in another order change."""
    stays = frame[frame["metric"] == INVARIANCE]
    axes = {Digits.name: INVARIANT, UntrainedImages.name: UntrainedImages.axis}
    torn = frame[frame["metric"] == ARRANGEMENT]
    return pd.concat(
        [
            stays.assign(value=(1 - stays["value"]).clip(lower=0.0), axis=stays["probe"].map(axes)),
            torn.assign(axis=ARRANGED),
        ]
    )
