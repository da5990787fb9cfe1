"""Accuracy by attractors and by distance against a table grouped by pandas."""

import math

import pandas as pd
import pytest
import torch
from torchmetrics.functional.classification import multiclass_calibration_error

from inductive_bias.protocols.measures import slice_rows
from inductive_bias.protocols.measures.sentences import mean_over
from inductive_bias.tasks import Split

N = 300
GENERATOR = torch.Generator().manual_seed(0)
LOGITS = torch.randn(N, 2, generator=GENERATOR)
LABELS = torch.randint(2, (N,), generator=GENERATOR)
SLICES = {
    "attractors": torch.randint(-1, 4, (N,), generator=GENERATOR),
    "distance": torch.randint(1, 9, (N,), generator=GENERATOR),
}


@pytest.fixture(scope="module")
def rows():
    split = Split(torch.zeros(N, 3, dtype=torch.int64), LABELS, "sample:x", SLICES)
    return pd.DataFrame(slice_rows(LOGITS, split, "test"))


@pytest.fixture(scope="module")
def examples():
    table = pd.DataFrame({"label": LABELS, "correct": (LOGITS.argmax(1) == LABELS).double()})
    return table.assign(**{name: values.numpy() for name, values in SLICES.items()})


def found(rows, metric, by):
    return rows[(rows["metric"] == metric) & rows[by].notna()].set_index(by)["value"]


@pytest.mark.parametrize("by", list(SLICES))
def test_accuracy_and_number_are_those_of_pandas_groups(rows, examples, by):
    groups = examples[examples[by] >= 0].groupby(by)["correct"]
    assert found(rows, "accuracy", by).to_dict() == pytest.approx(groups.mean().to_dict())
    assert found(rows, "n", by).to_dict() == groups.size().to_dict()


@pytest.mark.parametrize("by", list(SLICES))
def test_balanced_accuracy_is_the_mean_over_the_classes_of_a_group(rows, examples, by):
    within = examples[examples[by] >= 0].groupby([by, "label"])["correct"].mean()
    want = within.groupby(by).mean().to_dict()
    assert found(rows, "balanced_accuracy", by).to_dict() == pytest.approx(want)


def test_the_calibration_error_of_a_slice_is_that_of_its_examples(rows):
    for count, value in found(rows, "ece_20", "attractors").items():
        there = SLICES["attractors"] == count
        want = multiclass_calibration_error(LOGITS[there], LABELS[there], num_classes=2, n_bins=20, norm="l1")
        assert value == pytest.approx(want.item(), abs=1e-6)  # torchmetrics computes in float32


def test_examples_whose_value_is_not_known_are_in_no_slice(rows):
    assert not {-1.0} & {*rows["attractors"], *rows["distance"]}
    assert found(rows, "n", "attractors").sum() == int((SLICES["attractors"] >= 0).sum()) < N


def test_the_whole_split_has_its_balanced_accuracy_and_its_share_of_class_0(rows, examples):
    whole = rows[rows["attractors"].isna() & rows["distance"].isna()].set_index("metric")["value"]
    assert whole["balanced_accuracy"] == pytest.approx(examples.groupby("label")["correct"].mean().mean())
    assert whole["share_of_class_0"] == pytest.approx((examples["label"] == 0).mean())


def test_a_split_without_slices_has_its_two_numbers_only():
    split = Split(torch.zeros(N, 3, dtype=torch.int64), LABELS, "sample:x")
    assert [each["metric"] for each in slice_rows(LOGITS, split, "test")] == ["balanced_accuracy", "share_of_class_0"]


def test_a_mean_over_counts_is_unweighted_and_nan_where_one_is_missing():
    assert mean_over({0.0: 1.0, 1.0: 0.5, 2.0: 0.0, 9.0: 7.0}, range(3)) == pytest.approx(0.5)
    assert math.isnan(mean_over({0.0: 1.0, 2.0: 0.0}, range(3)))
