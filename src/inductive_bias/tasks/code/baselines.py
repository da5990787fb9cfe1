"""Answers that need no network: the more frequent one, and which tokens there are in whatever order."""

from collections.abc import Mapping
from typing import TYPE_CHECKING

import numpy as np
import torch
from jaxtyping import Float64, Int64
from torch import Tensor

from inductive_bias.tasks.data import Split, TaskData
from inductive_bias.tasks.vocabulary import PAD

if TYPE_CHECKING:
    from scipy.sparse import csr_matrix

#: Names of the baselines, in the order of the pages.
MAJORITY, OF_GROUP, BAG = BASELINES = ("most frequent answer", "most frequent of the group", "bag of tokens")
#: Strengths of the penalty on the bag's weights, of which the validation part chooses one.
STRENGTHS = (1e-3, 1e-2, 1e-1, 1.0)


def counts(inputs: Int64[Tensor, "n t"], vocabulary: int) -> "csr_matrix":
    """ln(1 + how often each type occurs), a row an example; padding counts nothing."""
    from scipy import sparse  # heavy, and of use to the baselines alone

    rows, places = (inputs != PAD).nonzero(as_tuple=True)
    found = sparse.coo_matrix(
        (np.ones(len(rows)), (rows.numpy(), inputs[rows, places].numpy())), shape=(len(inputs), vocabulary)
    ).tocsr()
    found.data = np.log1p(found.data)
    return found


def bag(split: Split, vocabulary: int) -> "csr_matrix":
    """What the bag of tokens reads: the counts; of two functions |a − b| and a · b, as the networks do."""
    from scipy import sparse

    if split.inputs.ndim == 2:
        return counts(split.inputs, vocabulary)
    one, two = (counts(split.inputs[..., side], vocabulary) for side in (0, 1))
    return sparse.hstack([abs(one - two), one.multiply(two)]).tocsr()


def baseline_scores(data: TaskData, *, vocabulary: int) -> Mapping[str, Float64[np.ndarray, " n"]]:
    """The log odds of *yes* that each baseline gives to the test examples.

    The majority is that of the training part, or of the group within it (a project, a kind of bug) where there are
    groups; of two functions always *yes*, which is the better constant where F1 is asked for. The bag of tokens is a
    logistic regression on the training part, its penalty chosen by the validation part.
    """
    from sklearn.linear_model import LogisticRegression
    from sklearn.metrics import log_loss
    from sklearn.preprocessing import MaxAbsScaler

    train, validation, test = (data[name] for name in ("train", "validation", "test"))
    share = float(train.labels.double().mean())
    constant = 1.0 if train.inputs.ndim == 3 else np.log(share / (1 - share))
    bags = {name: bag(data[name], vocabulary) for name in ("train", "validation", "test")}
    scale = MaxAbsScaler().fit(bags["train"])
    read = {name: scale.transform(each) for name, each in bags.items()}
    best, least = None, np.inf
    for strength in STRENGTHS:
        model = LogisticRegression(C=strength, max_iter=1000, tol=1e-3).fit(read["train"], train.labels.numpy())
        lost = log_loss(validation.labels.numpy(), model.predict_proba(read["validation"])[:, 1], labels=[0, 1])
        if lost < least:
            best, least = model, lost
    answers = {MAJORITY: np.full(len(test), constant)}
    if "group" in test.slices:
        answers[OF_GROUP] = of_groups(train, test)
    return answers | {BAG: best.decision_function(read["test"])}


def of_groups(train: Split, test: Split) -> Float64[np.ndarray, " n"]:
    """The log odds of *yes* among the training examples of each test example's group, with one more of each answer."""
    group, asked = train.slices["group"].numpy(), test.slices["group"].numpy()
    found = np.empty(len(test))
    for each in np.unique(asked):
        labels = train.labels.numpy()[group == each]
        found[asked == each] = np.log((labels.sum() + 1) / (len(labels) - labels.sum() + 1))
    return found


def bag_vectors(inputs: Int64[Tensor, "n t"], vocabulary: int) -> Float64[Tensor, "n v"]:
    """Counts of unit length, whose products are cosines: retrieval without a network."""
    found = torch.from_numpy(counts(inputs, vocabulary).toarray())
    return torch.nn.functional.normalize(found, dim=1)
