"""Rows of probes, from models whose answers are known."""

import math

import numpy as np
import pytest
import torch
from sklearn.metrics import accuracy_score
from torch import nn

from inductive_bias.models import MixingSpec
from inductive_bias.protocols.measures.probes import asked_of, constant_accuracy, preference_rows, skill_rows
from inductive_bias.running import run_trial
from inductive_bias.tasks import ProbeTask, Split
from inductive_bias.tasks.probes import CONFLICT
from inductive_bias.training import OptimiserSpec, ScheduleSpec
from inductive_bias.trials import Trial


class Says(nn.Module):
    """Answers what a function of the tokens says, surely."""

    def __init__(self, answer, outputs):
        super().__init__()
        self.weight = nn.Parameter(torch.zeros(()))
        self.answer, self.outputs = answer, outputs

    def forward(self, tokens):
        return 50.0 * nn.functional.one_hot(self.answer(tokens), self.outputs).float() + self.weight


def parity(tokens):
    return (tokens == 2).long().cumsum(1) % 2


def small(probe="parity", **options):
    model = MixingSpec(layers=1, width=8, feedforward=0)
    options = {"schedule": ScheduleSpec(epochs=1, batch_size=4), "seed": 3} | options
    return Trial(task=ProbeTask(probe=probe, test_size=20, validation_size=8), model=model, **options)


def test_a_model_that_knows_the_rule_is_right_at_every_length():
    split = ProbeTask(probe="parity", test_size=30).load()["test"]
    rows = list(skill_rows(Says(parity, 2), split, "test"))
    assert {row["length"] for row in rows} == {24.0, 48.0, 96.0}
    assert {row["value"] for row in rows if row["metric"] == "accuracy"} == {1.0}
    assert all(row["value"] < 1e-6 for row in rows if row["metric"] in ("nll", "ece_20"))


def test_accuracy_and_chance_are_those_of_sklearn():
    split = ProbeTask(probe="brackets", test_size=40).load()["test"]
    model = Says(lambda tokens: tokens % 3, 3)
    rows = {(row["metric"], row["length"]): row["value"] for row in skill_rows(model, split, "test")}
    for length in (32, 64, 128):
        chosen = split.slices["length"] == length
        labels, answers = split.labels[chosen].numpy(), (split.inputs[chosen] % 3).numpy()
        asked = labels >= 0
        assert rows["accuracy", length] == pytest.approx(accuracy_score(labels[asked], answers[asked]))
        counts = np.bincount(labels[asked])
        assert rows["constant_accuracy", length] == pytest.approx(counts.max() / counts.sum())


def test_a_state_that_overflows_gives_no_answer():
    class Overflows(Says):
        def forward(self, tokens):
            logits = super().forward(tokens)
            return logits / 0.0 if tokens.shape[1] > 24 else logits

    split = ProbeTask(probe="parity", test_size=400).load()["test"]
    rows = {(row["metric"], row["length"]): row["value"] for row in skill_rows(Overflows(parity, 2), split, "test")}
    assert rows["accuracy", 24] == 1.0
    assert rows["nll", 48] == rows["nll", 96] == pytest.approx(math.log(2))
    assert rows["accuracy", 96] == pytest.approx(0.5, abs=0.02)
    assert rows["ece_20", 96] == pytest.approx(0.0, abs=0.02)


def test_answers_are_in_the_order_of_the_sequences():
    tokens = torch.tensor([[1, 2, 0], [1, 0, 0], [2, 1, 2]])
    labels = torch.tensor([[-1, 1, -1], [0, -1, -1], [1, -1, 0]])
    split = Split(tokens, labels, "made", {"length": torch.tensor([2, 1, 3])})
    found = asked_of(Says(lambda tokens: tokens, 3), split)
    assert found.sequence.tolist() == [0, 1, 2, 2]
    assert found.labels.tolist() == [1, 0, 1, 0]
    assert found.logits.argmax(-1).tolist() == [2, 1, 2, 2]


@pytest.mark.parametrize(("first", "second", "neither"), [(20, 0, 0), (0, 20, 0), (5, 15, 0), (6, 2, 12), (0, 0, 20)])
def test_a_preference_is_a_share_of_what_is_decided(first, second, neither):
    split = ProbeTask(probe="content or position", test_size=20).load()[CONFLICT]
    told = split.labels[:, -1].clone()
    told[first : first + second] = split.slices["second"][first : first + second]
    other = torch.arange(8).expand(20, -1)
    wrong = (other != split.labels[:, -1:]) & (other != split.slices["second"][:, None])
    told[first + second :] = wrong[first + second :].long().argmax(1)
    by_tokens = {tuple(row): answer for row, answer in zip(split.inputs.tolist(), told.tolist(), strict=True)}
    model = Says(lambda tokens: torch.tensor([[by_tokens[tuple(row)]] * len(row) for row in tokens.tolist()]), 8)
    preference, decided = (row["value"] for row in preference_rows(model, split, CONFLICT))
    assert decided == (first + second) / 20
    if neither == 20:
        assert math.isnan(preference)
    else:
        assert preference == pytest.approx(first / (first + second))


@pytest.mark.parametrize(("rule", "told"), [("decay", 1.0), ("period", 0.0)])
def test_each_rule_of_decay_or_period_is_right_in_the_test_and_decides_its_conflicts(rule, told):
    def answer(tokens):
        values = 2.0 * tokens[:, :-1] - 3
        sums = {
            "decay": (values * 0.85 ** torch.arange(15, -1, -1)).sum(1),
            "period": values[:, -5] + values[:, -10] + values[:, -15],
        }
        return (sums[rule] > 0).long()[:, None].expand_as(tokens)

    data, model = ProbeTask(probe="decay or period", test_size=200).load(), Says(answer, 2)
    rows = {row["metric"]: row["value"] for row in skill_rows(model, data["test"], "test")}
    assert rows["accuracy"] == 1
    assert rows["constant_accuracy"] == pytest.approx(0.5, abs=0.1)
    assert [row["value"] for row in preference_rows(model, data[CONFLICT], CONFLICT)] == [told, 1.0]


def test_a_state_of_one_number_solves_the_fading_sum_at_every_length():
    def answer(tokens):
        state, answers = torch.zeros(len(tokens), dtype=torch.float64), []
        for column in tokens.T:
            state = 0.9 * state + 2.0 * column - 3
            answers.append((state > 0).long())
        return torch.stack(answers, 1)

    split = ProbeTask(probe="fading sum", test_size=40).load()["test"]
    rows = [row for row in skill_rows(Says(answer, 2), split, "test") if row["metric"] == "accuracy"]
    assert {row["length"]: row["value"] for row in rows} == {32.0: 1.0, 64.0: 1.0, 128.0: 1.0}


def test_a_constant_is_right_as_often_as_the_most_frequent_answer():
    assert constant_accuracy(torch.tensor([0, 1, 1, 2])) == 0.5


def test_a_trial_has_the_rows_of_its_probe():
    outcome = run_trial(small(), device="cpu")
    final = [row for row in outcome.rows if row["epoch"] is None]
    assert {row["metric"] for row in final if row["split"] == "test"} == {
        "accuracy",
        "constant_accuracy",
        "nll",
        "ece_20",
    }
    assert {row["metric"] for row in final if row["split"] == "validation"} == {"accuracy", "nll"}
    assert not [row for row in final if row["split"] == CONFLICT]
    outcome = run_trial(small("recency or majority"), device="cpu")
    assert {row["metric"] for row in outcome.rows if row["split"] == CONFLICT} == {"preference", "decided_share"}


@pytest.mark.parametrize("probe", ["parity", "recency or majority"])
def test_a_run_that_diverged_keeps_its_rows_without_values(probe):
    rate = OptimiserSpec(learning_rate=1e30, method="sgd", clip_norm=None)
    lost, usual = (
        [row for row in run_trial(small(probe, **options), device="cpu").rows if row["epoch"] is None]
        for options in ({"optimiser": rate}, {})
    )
    key = [
        (row["split"], row["metric"], row.get("length"))
        for row in usual
        if row["split"] in ("validation", "test", CONFLICT)
    ]
    found = {(row["split"], row["metric"], row.get("length")): row["value"] for row in lost}
    assert all(math.isnan(found[each]) for each in key)


def test_a_student_learns_from_a_teacher():
    teacher = small()
    weights = run_trial(teacher, device="cpu").weights
    from inductive_bias.trials import Distillation

    student = teacher.model_copy(update={"distill": Distillation(teacher=teacher)})
    outcome = run_trial(student, device="cpu", teacher_weights=weights)
    assert outcome.rows
