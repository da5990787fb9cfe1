"""Scores that need no network: how often each residue occurs, and which residue stands where."""

from collections.abc import Mapping

import numpy as np
from jaxtyping import Float64

from inductive_bias.tasks.data import Split, TaskData
from inductive_bias.tasks.proteins.files import LETTERS

#: Names of the baselines, in the order of the pages.
MAJORITY, COMPOSITION, START, POSITIONS = BASELINES = (
    "most frequent answer",
    "composition",
    "composition of the first 30",
    "residue at every position",
)
#: Residues whose composition :data:`START` reads.
FIRST = 30


def composition(split: Split, first: int | None = None) -> Float64[np.ndarray, "n r"]:
    """Shares of every letter among the residues, or among the first of them."""
    tokens = split.inputs.numpy()[:, :first]
    counts = np.stack([(tokens == number).sum(1) for number in range(1, len(LETTERS) + 1)], axis=1)
    return counts / counts.sum(1, keepdims=True)


def at_positions(split: Split, length: int) -> Float64[np.ndarray, "n f"]:
    """A 1 for the letter that stands at each of the first positions; all 0 behind the end."""
    tokens = split.inputs.numpy()[:, :length]
    tokens = np.pad(tokens, ((0, 0), (0, length - tokens.shape[1])))
    return np.eye(len(LETTERS) + 1)[tokens][:, :, 1:].reshape(len(tokens), -1)


def baseline_scores(data: TaskData, *, length: int, split: str = "test") -> Mapping[str, Float64[np.ndarray, " n"]]:
    """The log odds of *yes* that each baseline, fitted on ``train``, gives to the proteins of a split.

    Args:
        data: of a :class:`Proteins` task.
        length: positions that are read where they are told apart.
        split: which is scored.
    """
    from sklearn.linear_model import LogisticRegression
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import StandardScaler

    train, asked = data["train"], data[split]
    labels = train.labels.numpy()
    share = labels.mean()
    scores = {MAJORITY: np.full(len(asked), np.log(share / (1 - share)))}
    for name, first in ((COMPOSITION, None), (START, FIRST)):
        line = make_pipeline(StandardScaler(), LogisticRegression(max_iter=1000))
        line.fit(composition(train, first), labels)
        scores[name] = line.decision_function(composition(asked, first))
    # letters of one position add up to 1: they need no scale
    line = LogisticRegression(max_iter=1000).fit(at_positions(train, length), labels)
    scores[POSITIONS] = line.decision_function(at_positions(asked, length))
    return scores
