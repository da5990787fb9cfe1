import math

import numpy as np
import pytest
import torch
from sklearn.metrics import brier_score_loss, log_loss

from inductive_bias.metrics import brier_score, negative_log_likelihood


def example(n, classes):
    generator = torch.Generator().manual_seed(n)
    logits = 2 * torch.randn(n, classes, generator=generator)
    return logits, torch.randint(classes, (n,), generator=generator)


def numpy_probabilities(logits):
    z = logits.double().numpy()
    e = np.exp(z - z.max(axis=1, keepdims=True))
    return e / e.sum(axis=1, keepdims=True)


@pytest.mark.parametrize(("n", "classes"), [(1, 1), (1, 2), (23, 5)])
def test_scores_are_their_formulas(n, classes):
    logits, labels = example(n, classes)
    p, y = numpy_probabilities(logits), np.eye(classes)[labels.numpy()]
    nll, brier = negative_log_likelihood(logits, labels), brier_score(logits, labels)
    assert type(nll) is type(brier) is float
    assert nll == pytest.approx(-np.log((p * y).sum(axis=1)).mean(), abs=1e-12)
    assert brier == pytest.approx(np.square(p - y).sum(axis=1).mean(), abs=1e-12)


def test_scores_agree_with_scikit_learn():
    logits, labels = example(23, 5)
    p, classes = numpy_probabilities(logits), list(range(5))
    assert negative_log_likelihood(logits, labels) == pytest.approx(log_loss(labels.numpy(), p, labels=classes))
    want = brier_score_loss(labels.numpy(), p, labels=classes, scale_by_half=False)
    assert brier_score(logits, labels) == pytest.approx(want)


def test_uniform_predictions_have_closed_forms():
    logits, labels = torch.zeros(4, 10), torch.arange(4)
    assert negative_log_likelihood(logits, labels) == pytest.approx(math.log(10))
    assert brier_score(logits, labels) == pytest.approx(0.9)


def test_certainty_is_best_when_right_and_worst_when_wrong():
    logits = torch.tensor([[1e4, 0.0]])
    assert negative_log_likelihood(logits, torch.tensor([0])) == brier_score(logits, torch.tensor([0])) == 0.0
    assert negative_log_likelihood(logits, torch.tensor([1])) == pytest.approx(1e4)
    assert brier_score(logits, torch.tensor([1])) == pytest.approx(2.0)
