import math

import numpy as np
import pytest
import torch
from torchmetrics.functional.classification import multiclass_accuracy

from inductive_bias.metrics import accuracy, brier_score, negative_log_likelihood


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


def test_a_tie_goes_to_the_lower_class():
    assert accuracy(torch.zeros(2, 3), torch.tensor([0, 1])) == 0.5


def test_nan_logits_never_score():
    logits = torch.zeros(4, 3)
    logits[2] = float("nan")
    labels = torch.zeros(4, dtype=torch.int64)
    assert all(math.isnan(metric(logits, labels)) for metric in (accuracy, negative_log_likelihood, brier_score))


@pytest.mark.parametrize("metric", [accuracy, negative_log_likelihood, brier_score])
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
