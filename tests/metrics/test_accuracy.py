import math
import warnings

import numpy as np
import pytest
import torch
from sklearn.metrics import balanced_accuracy_score
from torchmetrics.functional.classification import multiclass_accuracy

from inductive_bias.metrics import accuracy, balanced_accuracy, brier_score, negative_log_likelihood

EVERY = (accuracy, balanced_accuracy, negative_log_likelihood, brier_score)


@pytest.mark.parametrize(("n", "classes"), [(1, 1), (1, 3), (37, 10)])
def test_accuracy_is_torchmetrics_micro_accuracy(n, classes):
    generator = torch.Generator().manual_seed(n)
    logits = torch.randn(n, classes, generator=generator)
    labels = torch.randint(classes, (n,), generator=generator)
    ours = accuracy(logits, labels)
    assert type(ours) is float
    assert ours == pytest.approx(float(np.mean(logits.numpy().argmax(1) == labels.numpy())))
    if classes > 1:  # torchmetrics knows no single class
        assert ours == pytest.approx(multiclass_accuracy(logits, labels, classes, average="micro").item())


@pytest.mark.parametrize(("n", "classes"), [(1, 2), (37, 2), (200, 5)])
def test_balanced_accuracy_is_scikit_learn_s_and_torchmetrics_macro_accuracy(n, classes):
    generator = torch.Generator().manual_seed(n)
    logits = torch.randn(n, classes, generator=generator)
    # mostly of class 0, so that the plain accuracy is another number
    labels = torch.randint(classes, (n,), generator=generator) * (torch.rand(n, generator=generator) < 0.3)
    ours = balanced_accuracy(logits, labels)
    assert type(ours) is float
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # a predicted class that has no example is nothing to warn of here
        assert ours == pytest.approx(balanced_accuracy_score(labels, logits.argmax(1)))
    if len(labels.unique()) == classes:
        assert ours == pytest.approx(multiclass_accuracy(logits, labels, classes, average="macro").item())
        assert ours != accuracy(logits, labels)


def test_the_majority_s_class_alone_is_worth_one_class_in_balanced_accuracy():
    logits = torch.tensor([[1.0, 0.0]]).expand(10, 2)
    labels = torch.tensor([0] * 9 + [1])
    assert accuracy(logits, labels) == pytest.approx(0.9)
    assert balanced_accuracy(logits, labels) == 0.5
    assert balanced_accuracy(logits[:9], labels[:9]) == 1.0  # a class without an example has no accuracy


def test_a_tie_goes_to_the_lower_class():
    assert accuracy(torch.zeros(2, 3), torch.tensor([0, 1])) == 0.5


def test_nan_logits_never_score():
    logits = torch.zeros(4, 3)
    logits[2] = float("nan")
    labels = torch.zeros(4, dtype=torch.int64)
    assert all(math.isnan(metric(logits, labels)) for metric in EVERY)


@pytest.mark.parametrize("metric", EVERY)
def test_bad_input_is_refused_by_every_metric_of_logits(metric):
    with pytest.raises(ValueError, match=r"labels must lie in \[0, 2\], not \[0, 3\]"):
        metric(torch.zeros(2, 3), torch.tensor([0, 3]))
    with pytest.raises(ValueError, match=r"labels must lie in \[0, 2\], not \[-1, 0\]"):
        metric(torch.zeros(2, 3), torch.tensor([0, -1]))
    with pytest.raises(ValueError, match="no example"):
        metric(torch.zeros(0, 3), torch.zeros(0, dtype=torch.int64))
    with pytest.raises((ValueError, TypeError), match="labels"):
        metric(torch.zeros(2, 3), torch.tensor([0]))
    with pytest.raises((ValueError, TypeError), match="labels"):
        metric(torch.zeros(2, 3), torch.tensor([[0], [1]]))
