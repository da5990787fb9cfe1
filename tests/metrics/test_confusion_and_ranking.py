"""Scores of counts and of weighted rankings, against scikit-learn."""

import math

import numpy as np
import pytest
import torch
from jaxtyping import TypeCheckError
from sklearn.metrics import confusion_matrix, f1_score, matthews_corrcoef, recall_score, roc_auc_score

from inductive_bias.metrics import auc, confusion, macro_f1, matthews, recalls


def drawn(n, classes, seed=0):
    rng = np.random.default_rng(seed)
    return rng.integers(classes, size=n), rng.integers(classes, size=n)


@pytest.mark.parametrize(("n", "classes"), [(1, 2), (7, 2), (50, 3), (301, 5)])
def test_scores_of_counts_are_those_of_scikit_learn(n, classes):
    labels, answers = drawn(n, classes, seed=n)
    counts = confusion(torch.from_numpy(labels), torch.from_numpy(answers), classes)
    every = range(classes)
    np.testing.assert_array_equal(counts.numpy(), confusion_matrix(labels, answers, labels=every))
    options = {"labels": every, "average": None, "zero_division": 0}
    np.testing.assert_allclose(recalls(counts).numpy(), recall_score(labels, answers, **options))
    wanted = f1_score(labels, answers, labels=every, average="macro", zero_division=0)
    assert macro_f1(counts).item() == pytest.approx(wanted)
    if n > 1:
        assert matthews(counts).item() == pytest.approx(matthews_corrcoef(labels, answers))


def test_weighted_tables_are_scored_many_at_a_time():
    (labels, answers), weights = drawn(60, 3), np.random.default_rng(1).integers(0, 4, (5, 60)).astype(float)
    tables = torch.stack(
        [
            confusion(torch.tensor([label]), torch.tensor([answer]), 3)
            for label, answer in zip(labels, answers, strict=True)
        ]
    )
    many = torch.einsum("bi,ijk->bjk", torch.from_numpy(weights), tables)
    for row, weight in enumerate(weights):
        options = {"sample_weight": weight}
        assert macro_f1(many)[row].item() == pytest.approx(f1_score(labels, answers, average="macro", **options))
        assert matthews(many)[row].item() == pytest.approx(matthews_corrcoef(labels, answers, **options))


def test_one_answer_for_all_and_an_empty_table_score_nothing():
    assert matthews(confusion(torch.tensor([0, 1, 1]), torch.tensor([1, 1, 1]), 2)).item() == 0
    assert macro_f1(torch.zeros(3, 3)).item() == 0


def test_what_is_no_class_is_refused():
    with pytest.raises(ValueError, match="lie in 0 … 1, not 0 … 2"):
        confusion(torch.tensor([0, 2]), torch.tensor([0, 1]), 2)
    with pytest.raises((ValueError, TypeCheckError)):
        confusion(torch.tensor([0, 1]), torch.tensor([0]), 2)


@pytest.mark.parametrize("ties", [False, True], ids=["no ties", "ties"])
def test_the_area_is_that_of_scikit_learn_for_every_weighting(ties):
    rng = np.random.default_rng(3)
    labels, scores = rng.integers(2, size=101), rng.standard_normal(101)
    scores = scores.round(0) if ties else scores
    weights = rng.integers(0, 3, (4, 101)).astype(float)
    tensors = torch.from_numpy(scores), torch.from_numpy(labels)
    assert auc(*tensors).item() == pytest.approx(roc_auc_score(labels, scores))
    found = auc(*tensors, torch.from_numpy(weights))
    assert found.tolist() == pytest.approx([roc_auc_score(labels, scores, sample_weight=each) for each in weights])


def test_an_area_needs_two_classes_and_numbers():
    assert math.isnan(auc(torch.tensor([0.1, 0.2]), torch.tensor([1, 1])).item())
    assert math.isnan(auc(torch.tensor([0.1, math.nan]), torch.tensor([0, 1])).item())
    assert auc(torch.tensor([0.1, 0.2]), torch.tensor([0, 1])).item() == 1
    with pytest.raises(ValueError, match="labels must be 0 or 1"):
        auc(torch.tensor([0.1, 0.2]), torch.tensor([0, 2]))
    with pytest.raises((ValueError, TypeCheckError)):
        auc(torch.tensor([0.1, 0.2]), torch.tensor([0]))
