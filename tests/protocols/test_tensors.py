"""Protocols of tasks from tensors: losses and measures against plain loops, and models that do not fit."""

import math

import pytest
import torch
import torch.nn.functional as F
from torch import nn

from inductive_bias.errors import SettingError
from inductive_bias.models import LSTMSpec, MixingSpec
from inductive_bias.plugins import GivenModel, GivenTask
from inductive_bias.protocols.tensors import last_real
from inductive_bias.running import protocol_of, run_trial
from inductive_bias.tasks import OwnText
from inductive_bias.tasks.batching import Batch
from inductive_bias.tasks.tensors import NextToken, Regression, SequenceClassification, TokenLabels
from inductive_bias.training import ScheduleSpec
from inductive_bias.trials import Trial


def tokens(count=30, length=7, padding=0, seed=0):
    """Rows of different lengths, with padding on the right."""
    generator = torch.Generator().manual_seed(seed)
    drawn = torch.randint(1, 5, (count, length), generator=generator)
    lengths = torch.randint(1, length + 1, (count,), generator=generator)
    lengths[0] = length
    return drawn.where(torch.arange(length) < lengths[:, None], torch.tensor(padding)), lengths


class Reader(nn.Module):
    """An LSTM with a read-out at every position, or at the last."""

    def __init__(self, outputs, vocabulary=None, channels=None, whole=False, flat=False):
        super().__init__()
        self.embedding = nn.Linear(channels, 6) if vocabulary is None else nn.Embedding(vocabulary, 6)
        self.lstm, self.readout = nn.LSTM(6, 6, batch_first=True), nn.Linear(6, outputs)
        self.whole, self.flat = whole, flat

    def forward(self, inputs):
        found = self.readout(self.lstm(self.embedding(inputs))[0])
        found = found[:, -1] if self.whole else found
        return found[:, 0] if self.flat else found


def trial(task, model=Reader, **schedule):
    given = GivenTask(task)
    causal = isinstance(task, NextToken)
    chosen = model if not callable(model) else GivenModel(model, causal=causal)
    return Trial(task=given, model=chosen, schedule=ScheduleSpec(**{"epochs": 1, "batch_size": 8} | schedule))


def made(task, model=Reader):
    """Protocol, model and the test split of a task."""
    run = trial(task, model)
    data = run.task.load()
    torch.manual_seed(0)
    return protocol_of(run, data), run.model.build(**run.task.dimensions), data["test"]


def measured(task, model=Reader):
    protocol, built, split = made(task, model)
    return {each["metric"]: each["value"] for each in protocol.measures.measured(built, split, "test")}, built, split


@pytest.mark.parametrize("padding", [0, 9])
def test_a_sequence_is_read_at_its_last_real_token(padding):
    inputs, lengths = tokens(padding=padding)
    labels = lengths % 3
    task = SequenceClassification(*((inputs, labels),) * 3, padding=padding)
    rows, model, split = measured(task)
    alone = torch.cat([model(row[None, :n])[:, -1] for row, n in zip(split.inputs, lengths, strict=True)])
    assert rows["nll"] == pytest.approx(F.cross_entropy(alone, labels).item(), rel=1e-5)
    assert rows["accuracy"] == pytest.approx((alone.argmax(1) == labels).double().mean().item())
    assert rows["constant_accuracy"] == pytest.approx(labels.bincount().max().item() / len(labels))


def test_labels_of_tokens_are_averaged_over_all_that_are_known():
    inputs, _ = tokens()
    labels = inputs.where(inputs != 2, torch.tensor(-100))
    rows, model, split = measured(TokenLabels(*((inputs, labels),) * 3))
    known = split.labels >= 0
    outputs = model(split.inputs)
    assert rows["nll"] == pytest.approx(F.cross_entropy(outputs[known], split.labels[known]).item(), rel=1e-5)
    assert rows["n"] == int(known.sum()) < inputs.numel()


def test_the_next_token_is_measured_without_padding():
    inputs, lengths = tokens()
    rows, model, _ = measured(NextToken(inputs, inputs, inputs))
    total, count = 0.0, 0
    for row, n in zip(inputs, lengths, strict=True):
        if n > 1:
            total += F.cross_entropy(model(row[None, : n - 1])[0], row[1:n], reduction="sum").item()
            count += int(n) - 1
    assert rows["n"] == count
    assert rows["perplexity"] == pytest.approx(math.exp(total / count), rel=1e-5)


@pytest.mark.parametrize("shape", ["whole", "flat", "each"])
def test_errors_are_averaged_over_the_numbers_that_are_known(shape):
    inputs = torch.randn(20, 5, 2, generator=torch.Generator().manual_seed(0))
    labels = inputs.cumsum(1) if shape == "each" else inputs.sum(1)
    labels = labels[..., 0] if shape == "flat" else labels
    labels[3] = float("nan")

    def build(outputs, channels):
        return Reader(outputs, channels=channels, whole=shape != "each", flat=shape == "flat")

    rows, model, split = measured(Regression(*((inputs, labels),) * 3), build)
    outputs = model(split.inputs).reshape(split.labels.shape)
    known = ~split.labels.isnan()
    wanted = (outputs - split.labels)[known]
    assert rows["mse"] == pytest.approx(wanted.square().mean().item(), rel=1e-5)
    assert rows["mae"] == pytest.approx(wanted.abs().mean().item(), rel=1e-5)
    protocol, _, _ = made(Regression(*((inputs, labels),) * 3), build)
    loss = protocol.objective.loss(model, Batch(split.inputs, split.labels, torch.arange(20)))
    loss.backward()
    assert loss.item() == pytest.approx(rows["mse"], rel=1e-5)
    assert all(weight.grad.isfinite().all() for weight in model.parameters())


def test_a_run_learns_from_the_numbers_that_are_known():
    inputs = torch.randn(40, 5, 2, generator=torch.Generator().manual_seed(0))
    labels = inputs.cumsum(1)
    labels[:, :2] = float("nan")
    task = Regression(*((inputs, labels),) * 3)
    found = [row["value"] for row in run_trial(trial(task, epochs=8)).rows if row["metric"] == "loss"]
    assert found[-1] < found[0]


def test_an_epoch_has_every_example_once_with_its_label():
    inputs, lengths = tokens(count=21)
    protocol, _, _ = made(TokenLabels(*((inputs, inputs),) * 3))
    met = list(protocol.batching.epoch(torch.Generator().manual_seed(0), torch.device("cpu")))
    assert sorted(torch.cat([batch.index for batch in met]).tolist()) == list(range(21))
    for batch in met:
        assert batch.inputs.shape[1] == lengths[batch.index].max()
        assert torch.equal(batch.labels, batch.inputs.where(batch.inputs != 0, torch.tensor(-1)))


def test_last_real_takes_answers_that_are_one_a_sequence_as_they_are():
    answers = torch.randn(3, 2)
    assert torch.equal(last_real(answers, torch.ones(3, 5), 0), answers)


def test_models_of_the_package_fit_and_learn():
    inputs, _ = tokens(count=60)
    task = SequenceClassification(*((inputs, (inputs[:, 0] > 2).long()),) * 3)
    for model in (LSTMSpec(layers=1, width=8), MixingSpec(layers=1, width=8)):
        run = trial(task, model, epochs=2)
        found = {each["metric"]: each["value"] for each in run_trial(run).rows if each["split"] == "test"}
        assert 0 <= found["accuracy"] <= 1


def test_models_of_the_package_want_0_as_padding():
    inputs, lengths = tokens(padding=9)
    with pytest.raises(SettingError, match="take token 0 for padding, and here padding is 9"):
        trial(SequenceClassification(*((inputs, lengths % 2),) * 3, padding=9), LSTMSpec(layers=1, width=8))


class Backwards(Reader):
    def forward(self, inputs):
        return super().forward(inputs.flip(1)).flip(1)


def test_a_model_that_sees_the_next_token_is_refused():
    inputs, _ = tokens()
    with pytest.raises(SettingError, match=r"python:Backwards.*says that it is causal"):
        run_trial(trial(NextToken(inputs, inputs, inputs), Backwards))


@pytest.mark.parametrize("wrong", [1, 4])
def test_answers_of_another_shape_are_refused_with_both_shapes(wrong):
    inputs, lengths = tokens()

    def build(vocabulary):
        return Reader(wrong, vocabulary)

    with pytest.raises(SettingError, match=rf"must give outputs \(8, 3\), or \(8, 7, 3\).*not \(8, 7, {wrong}\)"):
        run_trial(trial(SequenceClassification(*((inputs, lengths % 3),) * 3), build))
    with pytest.raises(SettingError, match="must give outputs"):
        run_trial(trial(Regression(*((inputs, torch.randn(30, 2)),) * 3), build))


def test_messages_name_the_user_s_files_and_not_the_run(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "mine.txt").write_text("one two . three four . five six . seven eight . nine ten . " * 4)
    run = Trial(task=OwnText(file="mine.txt", vocabulary_size=20), model=LSTMSpec(layers=1, width=4))
    assert protocol_of(run, run.task.load()).given.origin == "mine.txt (LSTM, seed 0)"
