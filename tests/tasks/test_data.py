import numpy as np
import pytest
import torch

from inductive_bias.errors import DataError
from inductive_bias.tasks import Split, TaskData
from inductive_bias.tasks.data import stratified_order


def test_split_refuses_labels_of_another_length_and_names_both_counts():
    with pytest.raises(DataError, match="3 inputs and 2 labels"):
        Split(torch.zeros(3, 1), torch.zeros(2), "made")


@pytest.mark.parametrize("n", [0, 1, 3])
def test_split_has_the_length_of_its_labels(n):
    assert len(Split(torch.zeros(n, 2), torch.zeros(n), "made")) == n


def test_splits_are_made_on_first_use_and_once():
    calls = []

    def maker(name):
        return lambda: (calls.append(name), Split(torch.zeros(1), torch.zeros(1), name))[1]

    data = TaskData({"a": maker("a"), "b": maker("b")}, classes=2, sha256={"f": "0"}, is_sample=True)
    calls.clear()  # the type checker of the tests looks at one value
    assert data.names == tuple(data) == ("a", "b")
    assert len(data) == 2
    assert "b" in data.names
    assert "b" not in calls
    assert data["b"] is data["b"]
    assert calls == ["b"]
    assert data["b"].source == "b"


def test_unknown_split_is_named_with_the_known_ones():
    data = TaskData({}, classes=2, sha256={}, is_sample=False)
    with pytest.raises(KeyError, match="no split 'test'"):
        data["test"]


@pytest.mark.parametrize("counts", [(1,), (5, 5, 5), (50, 7, 1, 92)], ids=str)
def test_every_prefix_of_the_stratified_order_is_proportional(counts):
    labels = np.repeat(np.arange(len(counts)), counts)
    order = stratified_order(labels, seed=0)
    assert sorted(order) == list(range(len(labels)))
    share = np.array(counts) / len(labels)
    for n in range(1, len(labels) + 1):
        taken = np.bincount(labels[order[:n]], minlength=len(counts))
        assert np.abs(taken - n * share).max() <= 1


def test_stratified_order_depends_on_the_seed_alone():
    labels = np.random.default_rng(0).integers(0, 3, 60)
    assert np.array_equal(stratified_order(labels, seed=1), stratified_order(labels, seed=1))
    assert not np.array_equal(stratified_order(labels, seed=1), stratified_order(labels, seed=2))
