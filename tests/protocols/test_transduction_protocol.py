"""Transductions: fresh strings of one length a step, scores by length against loops, and models that see everything."""

import math

import pandas as pd
import pytest
import torch
from torch import nn

from inductive_bias.layers import AttentionSpec, RSASpec
from inductive_bias.models import MixingSpec, RecurrentSpec
from inductive_bias.protocols.measures import transduction
from inductive_bias.running import Run, protocol_of, run_trial
from inductive_bias.stacked_seeds import reason_alone
from inductive_bias.tasks import StateTracking, Transduction
from inductive_bias.tasks.batching import Batch
from inductive_bias.tasks.transduction import RULE_NAMES
from inductive_bias.training import OptimiserSpec, ScheduleSpec
from inductive_bias.trials import Trial

SIZES = {"train_lengths": (1, 5), "test_lengths": (6, 9), "validation_size": 3, "test_size": 7, "batches": 40}
TASK = Transduction(rule="bucket_sort", **SIZES)
LSTM = RecurrentSpec(cell="lstm", states=6, embedding=4)
ENCODER = MixingSpec(mixer=AttentionSpec(heads=2), positions="sinusoidal", layers=1, width=8, causal=False)
MODELS = [
    LSTM,
    LSTM.model_copy(update={"cell": "tanh"}),
    ENCODER,
    ENCODER.model_copy(update={"mixer": RSASpec(heads=2), "positions": "none"}),
]
CPU = torch.device("cpu")


def trial(model=LSTM, *, epochs=1, seed=0, task=TASK, rate=1e-3):
    return Trial(
        task=task,
        model=model,
        optimiser=OptimiserSpec(learning_rate=rate),
        schedule=ScheduleSpec(epochs=epochs, batch_size=4, warmup=10),
        seed=seed,
    )


class Oracle(nn.Module):
    """Solves the task by reading the symbols; of strings longer than it can, it answers 0."""

    def __init__(self, task, up_to=math.inf):
        super().__init__()
        self.task, self.up_to = task, up_to
        self.scale = nn.Parameter(torch.tensor(10.0))

    def forward(self, inputs):
        said = torch.zeros_like(inputs)
        for row, tokens in zip(said, inputs, strict=True):
            symbols = tokens[(tokens > 0) & (tokens < self.task.empty)] - 1
            if len(symbols) <= self.up_to:
                answers = torch.from_numpy(self.task.spec.answer(symbols[None].numpy()))[0]
                row[len(symbols) : len(symbols) + len(answers)] = answers
        return self.scale * nn.functional.one_hot(said, self.task.spec.classes).float()


def rows_of(model, *, diverged=False, task=TASK):
    protocol = protocol_of(trial(task=task), task.load())
    return pd.DataFrame(protocol.measures.final(model, diverged=diverged)), task.load()


def value(rows, split, metric, length=None):
    rows = rows[(rows["split"] == split) & (rows["metric"] == metric)]
    return rows[rows["length"].isna() if length is None else rows["length"] == length]["value"].item()


@pytest.mark.parametrize("name", RULE_NAMES)
def test_who_solves_the_task_is_right_at_every_length(name):
    task = Transduction(rule=name, **SIZES)
    rows, _ = rows_of(Oracle(task), task=task)
    found = rows[rows["metric"] == "accuracy"]
    assert (found["value"] == 1).all()
    lengths = {*task.lengths("validation"), *task.lengths("test")}
    assert set(found["length"].dropna()) == lengths
    assert len(found) == len(task.lengths("validation")) + len(task.lengths("test")) + 2


@pytest.mark.parametrize("pairs", [2**20, 60])
def test_scores_are_those_of_loops_over_answers_and_lengths(monkeypatch, pairs):
    monkeypatch.setattr(transduction, "PAIRS", pairs)
    rows, data = rows_of(Oracle(TASK, up_to=6))
    by_length = {}
    for tokens, labels, length in zip(
        *(data["test"].inputs, data["test"].labels), data["test"].slices["length"], strict=True
    ):
        answers = [label for token, label in zip(tokens.tolist(), labels.tolist(), strict=True) if token == TASK.empty]
        right = [1.0 if length <= 6 else float(answer == 0) for answer in answers]
        by_length.setdefault(int(length), []).append(sum(right) / len(right))
    means = {length: sum(each) / len(each) for length, each in by_length.items()}
    for length, mean in means.items():
        assert value(rows, "test", "accuracy", length) == pytest.approx(mean)
    # every length weighs the same, although a longer string has more answers
    assert value(rows, "test", "accuracy") == pytest.approx(sum(means.values()) / len(means))
    assert value(rows, "validation", "accuracy") == 1


def test_nats_are_those_of_the_loss():
    torch.manual_seed(0)
    model = LSTM.build(**TASK.dimensions).eval()
    protocol = protocol_of(trial(), TASK.load())
    split, losses = TASK.load()["test"], []
    for length in (6, 9):
        chosen = split.slices["length"] == length
        part = slice(0, 2 * length)
        batch = Batch(split.inputs[chosen][:, part], split.labels[chosen][:, part], torch.arange(7))
        losses.append(protocol.objective.loss(model, batch).item())
    rows, _ = rows_of(model)
    assert value(rows, "test", "nll") == pytest.approx(sum(losses) / 2, rel=1e-5)


def test_the_best_constant_stands_beside_it():
    rows, _ = rows_of(Oracle(TASK))
    assert value(rows, "test", "constant_accuracy", 9) == pytest.approx(TASK.best_constant(9))
    both = (TASK.best_constant(6) + TASK.best_constant(9)) / 2
    assert value(rows, "test", "constant_accuracy") == pytest.approx(both)


def test_a_diverged_run_stays_in_the_table():
    rows, _ = rows_of(Oracle(TASK), diverged=True)
    found = rows[rows["metric"].isin(("accuracy", "nll"))]
    assert len(found) == 2 + 2 + 5 + 2
    assert found["value"].isna().all()


@pytest.mark.parametrize("model", MODELS, ids=lambda spec: spec.name)
def test_trials_of_one_seed_see_the_same_fresh_strings_and_no_batch_has_padding(model):
    run, other = Run(trial(model), CPU, None), Run(trial(LSTM), CPU, None)
    first, second = list(run.batches()), list(run.batches())
    assert len(first) == 40
    for ours, theirs in zip(first, other.batches(), strict=True):
        assert torch.equal(ours.inputs, theirs.inputs)
        assert len(ours.inputs) == 4
        assert (ours.inputs > 0).all()
    assert {batch.inputs.shape[1] for batch in first} == {2, 4, 6, 8, 10}
    assert any(a.inputs.shape != b.inputs.shape for a, b in zip(first, second, strict=True))
    assert "not all of one size" in reason_alone(trial(model))


@pytest.mark.parametrize("model", MODELS, ids=lambda spec: spec.name)
def test_a_run_leaves_its_scores_and_the_states_after_the_longest_strings(model):
    outcome = run_trial(trial(model), device="cpu")
    rows = pd.DataFrame(outcome.rows)
    assert 0 <= value(rows, "test", "accuracy") <= 1
    assert rows[rows["metric"] == "diverged"]["value"].tolist() == [0]
    assert outcome.arrays["features/1"].shape[0] == 15
    gates = rows[rows["metric"] == "gate"]
    assert gates.empty == (model.name != "RSA")


def test_an_encoder_may_not_simulate_an_automaton_whose_answers_stand_beside_the_actions():
    with pytest.raises(ValueError, match="is not causal"):
        trial(ENCODER, task=StateTracking(automaton="C2", length=4, test_lengths=(4,)))


def test_two_steps_lower_the_loss():
    run = Run(trial(ENCODER, rate=1e-2), CPU, None)
    batch = next(iter(run.batches()))
    stepper = torch.optim.SGD(run.model.parameters(), lr=0.05)
    losses = []
    for _ in range(3):
        loss = run.loss(run.model, batch)
        stepper.zero_grad()
        loss.backward()
        stepper.step()
        losses.append(loss.item())
    assert losses == sorted(losses, reverse=True)
