"""Answers that need no network: the most frequent kind, the nearest mean beat, and the rhythm without the beat."""

from collections.abc import Mapping

import numpy as np
from jaxtyping import Int64

from inductive_bias.tasks.data import TaskData

#: Names of the baselines, in the order of the pages; the last two need the task's ``rhythm``.
MAJORITY, CENTROID, BEFORE, BOTH = BASELINES = (
    "most frequent kind",
    "nearest mean beat",
    "interval before alone",
    "both intervals alone",
)


def baseline_answers(
    data: TaskData, *, rhythm: TaskData | None = None, split: str = "test"
) -> Mapping[str, Int64[np.ndarray, " n"]]:
    """What each baseline, fitted on ``train``, says of the beats of a split.

    Args:
        data: of a :class:`Heartbeats` task.
        rhythm: of the same task with its intervals; without it the baselines that read these are left out.
        split: which is answered.
    """
    from sklearn.dummy import DummyClassifier
    from sklearn.linear_model import LogisticRegression
    from sklearn.neighbors import NearestCentroid

    answers = {
        MAJORITY: _answers(DummyClassifier(strategy="most_frequent"), data, split),
        CENTROID: _answers(NearestCentroid(), data, split),
    }
    for name, channels in (BEFORE, slice(1, 2)), (BOTH, slice(1, 3)):
        if rhythm is not None:
            # without weights no beat would be called supraventricular
            answers[name] = _answers(LogisticRegression(class_weight="balanced"), rhythm, split, channels)
    return answers


def _answers(model: object, data: TaskData, split: str, channels: slice | None = None) -> Int64[np.ndarray, " n"]:
    """Of a scikit-learn classifier of whole beats, or of what does not change over a beat."""

    def read(name: str) -> np.ndarray:
        inputs = data[name].inputs
        return (inputs[:, :, 0] if channels is None else inputs[:, 0, channels]).numpy()

    return model.fit(read("train"), data["train"].labels.numpy()).predict(read(split))
