"""Tasks from tensors: what splits may be given as, what a model is told, and what is refused by name."""

import numpy as np
import pytest
import torch
from torch.utils.data import Dataset, IterableDataset, TensorDataset

from inductive_bias.errors import DataError
from inductive_bias.tasks.data import IGNORED
from inductive_bias.tasks.tensors import LENGTH, NextToken, Regression, SequenceClassification, TokenLabels

TOKENS = torch.tensor([[1, 2, 3], [2, 1, 0], [3, 0, 0], [1, 1, 1]])
CLASSES = torch.tensor([0, 1, 0, 2])
SPLIT = (TOKENS, CLASSES)


def three(task, split, **options):
    return task(split, split, split, **options)


def test_a_classifier_of_tokens_is_told_what_it_may_ask_for():
    task = three(SequenceClassification, SPLIT)
    assert task.dimensions == {"vocabulary": 4, "padding": 0, "positions": 3, "classes": 3, "outputs": 3}
    split = task.load()["test"]
    assert split.slices[LENGTH].tolist() == [3, 2, 1, 3]
    assert split.source == "own:tensors"


def test_a_classifier_of_real_values_has_channels_and_no_padding():
    task = three(SequenceClassification, (torch.randn(4, 5, 2), CLASSES))
    assert task.dimensions == {"channels": 2, "positions": 5, "classes": 3, "outputs": 3}
    assert task.padding is None
    flat = three(SequenceClassification, (torch.randn(4, 7), CLASSES))
    assert flat.load()["train"].inputs.shape == (4, 1, 7)


class Pairs(Dataset):
    def __len__(self):
        return len(TOKENS)

    def __getitem__(self, place):
        return TOKENS[place][TOKENS[place] != 0], int(CLASSES[place])


class Streamed(IterableDataset):
    def __iter__(self):
        return (Pairs()[place] for place in range(4))


@pytest.mark.parametrize(
    "given",
    [
        TensorDataset(TOKENS, CLASSES),
        Pairs(),
        Streamed(),
        ([[1, 2, 3], [2, 1], [3], [1, 1, 1]], [0, 1, 0, 2]),
        (TOKENS.numpy(), CLASSES.numpy()),
    ],
    ids=["TensorDataset", "Dataset", "IterableDataset", "lists", "numpy"],
)
def test_every_form_of_a_split_gives_the_same_task(given):
    assert three(SequenceClassification, given).digest == three(SequenceClassification, SPLIT).digest


def test_a_file_is_named_as_the_source_and_its_digest_is_kept(tmp_path):
    for name in ("a", "b", "c"):
        np.savez(tmp_path / f"{name}.npz", inputs=TOKENS.numpy(), labels=CLASSES.numpy())
    data = SequenceClassification(*(tmp_path / f"{name}.npz" for name in "abc")).load()
    assert [data[name].source for name in ("train", "validation", "test")] == ["own:a.npz", "own:b.npz", "own:c.npz"]
    assert set(data.sha256) == {"a.npz", "b.npz", "c.npz"}
    (tmp_path / "a.npz").write_bytes(b"not an archive")
    with pytest.raises(DataError, match=r"a\.npz is no .npz file"):
        SequenceClassification(tmp_path / "a.npz")
    with pytest.raises(DataError, match=r"d\.npz cannot be read"):
        SequenceClassification(tmp_path / "d.npz")


def test_nothing_in_a_file_is_run(tmp_path):
    np.savez(tmp_path / "a.npz", inputs=np.array([{1}, {2}], dtype=object), labels=CLASSES.numpy())
    with pytest.raises(DataError, match="without running it"):
        SequenceClassification(tmp_path / "a.npz")


def test_one_split_is_cut_and_equal_inputs_never_fall_into_two():
    inputs = torch.arange(1, 41).repeat(3)[:, None].expand(-1, 4)
    data = SequenceClassification((inputs, inputs[:, 0] % 2)).load()
    met = [set(data[name].inputs[:, 0].tolist()) for name in ("train", "validation", "test")]
    assert sum(map(len, met)) == len(set.union(*met)) == 40
    assert [len(each) for each in met] == [28, 4, 8]


def test_ignored_labels_and_padding_are_left_out():
    labels = torch.tensor([[0, -100, 1], [1, 0, 1], [0, 0, 0], [-1, 1, 1]])
    task = three(TokenLabels, (TOKENS, labels))
    assert task.load()["train"].labels.tolist() == [[0, IGNORED, 1], [1, 0, IGNORED], [0, IGNORED, IGNORED], [-1, 1, 1]]
    assert task.dimensions["classes"] == 2
    other = three(TokenLabels, (TOKENS, labels.where(labels != -100, torch.tensor(9))), ignored=9)
    assert other.load()["train"].labels.tolist() == task.load()["train"].labels.tolist()


@pytest.mark.parametrize("padding", [0, 7, None])
def test_padding_may_be_any_token_or_none(padding):
    tokens = TOKENS if padding is None else TOKENS.where(TOKENS != 0, torch.tensor(padding))
    task = three(SequenceClassification, (tokens, CLASSES), padding=padding)
    want = [3, 3, 3, 3] if padding is None else [3, 2, 1, 3]
    assert task.load()["train"].slices[LENGTH].tolist() == want
    assert task.dimensions["vocabulary"] == (8 if padding == 7 else 4)


def test_the_next_token_is_the_label_and_padding_never_is():
    task = three(NextToken, TOKENS)
    assert task.load()["train"].labels.tolist() == [[2, 3, -1], [1, -1, -1], [-1, -1, -1], [1, 1, -1]]
    assert task.dimensions["outputs"] == task.dimensions["vocabulary"] == 4


def test_numbers_that_are_not_known_stay_so_and_those_at_padding_become_so():
    one = three(Regression, (TOKENS, torch.tensor([1.0, float("nan"), 3.0, 4.0])))
    assert one.dimensions["outputs"] == 1
    assert not one.by_position
    each = three(Regression, (TOKENS, torch.ones(4, 3, 2)))
    assert each.by_position
    assert each.load()["train"].labels.isnan().any(2).tolist() == (TOKENS == 0).tolist()


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda: SequenceClassification((TOKENS, CLASSES[:3])), "a label for each of 4 inputs, not 3"),
        (lambda: SequenceClassification((TOKENS, CLASSES.float())), "see Regression"),
        (lambda: SequenceClassification((TOKENS, CLASSES - 1)), "row 0: a class should be 0 or more, and is -1"),
        (lambda: SequenceClassification((TOKENS, TOKENS)), "see TokenLabels"),
        (lambda: three(SequenceClassification, (TOKENS, torch.ones(4).long())), "every label is 1"),
        (lambda: SequenceClassification((TOKENS.flip(1), CLASSES)), "row 1: padding .0. stands before a token"),
        (lambda: SequenceClassification((TOKENS - 1, CLASSES)), "row 1: a token should be 0 or more, and is -1"),
        (lambda: SequenceClassification((TOKENS * 0, CLASSES)), "row 0: every token is padding"),
        (lambda: SequenceClassification(SPLIT), "too few to cut a split"),
        (lambda: SequenceClassification(SPLIT, SPLIT), "train, validation and test"),
        (lambda: SequenceClassification((torch.full((4, 2, 1), torch.inf), CLASSES)), "row 0: inputs should be finite"),
        (lambda: SequenceClassification("data.csv"), "data.csv cannot be read"),
        (lambda: SequenceClassification(TOKENS), "should be a pair"),
        (lambda: SequenceClassification((TOKENS[:0], CLASSES[:0])), "there is none in it"),
        (lambda: TokenLabels((TOKENS, CLASSES)), "one a position"),
        (lambda: TokenLabels((TOKENS, TOKENS * 0 - 100)), "every label is ignored"),
        (
            lambda: TokenLabels((TOKENS, TOKENS * 0 - 5)),
            "row 0, position 0: a class should be 0 or more, or ignored=-100",
        ),
        (lambda: Regression((TOKENS, torch.ones(4, 2, 2))), r"with \[n, t\] = \[4, 3\]"),
        (lambda: NextToken(torch.randn(4, 3)), "whole numbers"),
        (lambda: NextToken(torch.randn(4, 3, 2)), "whole numbers"),
        (lambda: three(SequenceClassification, SPLIT, vocabulary=3), "token 3 is met, but vocabulary=3"),
    ],
)
def test_what_cannot_be_learnt_is_refused_by_name(make, words):
    with pytest.raises(DataError, match=words):
        make()


def test_digest_is_of_everything_that_is_handed_out():
    made = [
        three(SequenceClassification, SPLIT),
        three(SequenceClassification, (TOKENS, CLASSES.flip(0))),
        SequenceClassification(SPLIT, SPLIT, (TOKENS[:3], CLASSES[:3])),
        three(SequenceClassification, SPLIT, padding=None),
        three(SequenceClassification, SPLIT, vocabulary=9),
        three(NextToken, TOKENS),
    ]
    assert len({task.digest for task in made}) == len(made)
