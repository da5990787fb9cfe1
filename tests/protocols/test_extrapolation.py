"""How much of the answers a state decides, against a twin that forms every pair, and models whose answers are known."""

import math
from itertools import combinations

import numpy as np
import pytest
import torch
from torch import nn

from inductive_bias.models import MixingSpec
from inductive_bias.protocols.measures.extrapolation import EXTRAPOLATION, FIT, Likeness, extrapolation_rows, likeness
from inductive_bias.running import run_trial
from inductive_bias.stacked_seeds import run_together
from inductive_bias.studies.profile_axes import AXES
from inductive_bias.studies.profile_budget import Budget
from inductive_bias.tasks import ProbeTask
from inductive_bias.tasks.probes import ALIKE, PROBES, STATES
from inductive_bias.training import OptimiserSpec, ScheduleSpec
from inductive_bias.trials import Trial

QUESTIONS = PROBES["white noise"].questions


def naive_likeness(answers, states):
    """Every pair of sequences, one question at a time."""
    within, across, same = [], [], []
    for question in range(answers.shape[1]):
        for one, other in combinations(range(len(answers)), 2):
            agree = float(answers[one, question] == answers[other, question])
            same.append(agree)
            (within.append(agree) if states[one] == states[other] else across.append(1 - agree))
    r_ib, d_ib, by_chance = (np.mean(part) if part else math.nan for part in (within, across, same))
    if not within or not across:
        return Likeness(r_ib, d_ib, math.nan)
    return Likeness(r_ib, d_ib, (r_ib - by_chance) / (1 - by_chance) if by_chance < 1 else 0.0)


@pytest.mark.parametrize("kinds", [1, 2, 5], ids="{}states".format)
@pytest.mark.parametrize("questions", [1, 3], ids="{}questions".format)
@pytest.mark.parametrize("n", [1, 2, 3, 17], ids="n{}".format)
@pytest.mark.parametrize("outputs", [1, 2, 4], ids="{}answers".format)
def test_pairs_are_counted_as_a_person_would(n, questions, kinds, outputs):
    rng = torch.Generator().manual_seed(n + 100 * questions + kinds)
    answers = torch.randint(outputs, (n, questions), generator=rng)
    states = torch.randint(kinds, (n,), generator=rng)
    assert likeness(answers, states) == pytest.approx(naive_likeness(answers, states), nan_ok=True)


def test_a_state_that_decides_all_answers_does_so_however_many_states_there_are():
    for kinds in (2, 4, 16):
        states = torch.arange(kinds).repeat(8)
        answers = torch.randint(2, (kinds, 40), generator=torch.Generator().manual_seed(0))[states]
        found = likeness(answers, states)
        assert found.within == found.decided == 1.0
    # of two states the answers are another in half of the questions
    answers = torch.tensor([[0, 0], [1, 0]]).repeat(5, 1)
    assert likeness(answers, torch.arange(2).repeat(5)) == Likeness(1.0, 0.5, pytest.approx(1.0))


def test_a_constant_model_is_decided_by_nothing():
    found = likeness(torch.ones(12, 3, dtype=torch.long), torch.arange(4).repeat(3))
    assert found == Likeness(1.0, 0.0, 0.0)


def test_answers_by_chance_are_decided_by_nothing():
    rng = torch.Generator().manual_seed(0)
    found = likeness(torch.randint(2, (2000, 20), generator=rng), torch.randint(16, (2000,), generator=rng))
    assert found == pytest.approx((0.5, 0.5, 0.0), abs=0.005)


class Says(nn.Module):
    """Answers what a function of the tokens says, surely."""

    def __init__(self, answer):
        super().__init__()
        self.weight, self.answer = nn.Parameter(torch.zeros(())), answer

    def forward(self, tokens):
        return 50.0 * nn.functional.one_hot(self.answer(tokens), 2).float() + self.weight


def test_a_model_that_copies_the_last_bit_is_decided_by_the_end():
    """A closed form: of two of the sixteen ends, 8 of 15 differ in the last bit."""
    data = ProbeTask(probe="white noise", test_size=4000).load()
    model = Says(lambda tokens: (tokens.roll(1, 1) == 2).long())
    rows = {row["metric"]: row["value"] for row in extrapolation_rows(model, data["train"], data["test"], QUESTIONS)}
    assert list(rows) == [FIT, *EXTRAPOLATION]
    assert rows["r_ib_end"] == rows["decided_by_end"] == 1.0
    assert rows["d_ib_end"] == pytest.approx(8 / 15, abs=0.01)
    assert (rows["r_ib_start"], rows["d_ib_start"]) == pytest.approx((0.5, 0.5), abs=0.01)
    assert rows["decided_by_start"] == pytest.approx(0.0, abs=0.01)
    # of n ones in 16 places, two sequences have the same last bit as often as (p² + (1 − p)²), p = n / 16
    assert rows["decided_by_count"] == pytest.approx(_decided_by_count(16), abs=0.01)
    ones = data["train"].labels[:, -1] == (data["train"].inputs[:, -2] == 2)
    assert rows[FIT] == pytest.approx(ones.float().mean().item())


def _decided_by_count(bits):
    weights = np.array([math.comb(bits, n) for n in range(bits + 1)]) / 2**bits
    p = np.arange(bits + 1) / bits
    within = (weights**2 * (p**2 + (1 - p) ** 2)).sum() / (weights**2).sum()
    return (within - 0.5) / 0.5


def test_a_model_that_counts_is_decided_by_the_count():
    data = ProbeTask(probe="white noise", test_size=500).load()
    model = Says(lambda tokens: (tokens == 2).long().cumsum(1) // 3 % 2)
    rows = {row["metric"]: row["value"] for row in extrapolation_rows(model, data["train"], data["test"], QUESTIONS)}
    assert rows["r_ib_count"] == rows["decided_by_count"] == 1.0
    assert rows["decided_by_end"] < 0.1


def small(seed=3, **options):
    usual = {"schedule": ScheduleSpec(epochs=1, batch_size=4), "model": MixingSpec(layers=1, width=8, feedforward=0)}
    return Trial(task=ProbeTask(probe="white noise", test_size=20, data_seed=seed), seed=seed, **usual | options)


def test_a_trial_has_the_rows_of_white_noise():
    final = [row for row in run_trial(small(), device="cpu").rows if row["epoch"] is None]
    assert {row["metric"] for row in final if row["split"] == "test"} == set(EXTRAPOLATION)
    assert FIT in {row["metric"] for row in final if row["split"] == "train"}
    assert {row["metric"] for row in final if row["split"] == "validation"} == {"accuracy", "nll"}
    by_metric = {(row["split"], row["metric"]): row["value"] for row in final}
    # validation is the training set
    assert by_metric["train", FIT] == by_metric["validation", "accuracy"]


def test_a_run_that_diverged_keeps_its_rows_without_values():
    rate = OptimiserSpec(learning_rate=1e30, method="sgd", clip_norm=None)
    lost, usual = (
        {
            (row["split"], row["metric"]): row["value"]
            for row in rows
            if row["epoch"] is None and row["split"] in ("validation", "test", "train") and row["metric"] != "diverged"
        }
        for rows in (run_trial(small(**options), device="cpu").rows for options in ({"optimiser": rate}, {}))
    )
    assert set(lost) == set(usual)
    assert all(map(math.isnan, lost.values()))
    assert not any(map(math.isnan, usual.values()))


def test_random_labels_can_be_learnt():
    model = MixingSpec(layers=1, width=32, feedforward=2)
    schedule = ScheduleSpec(epochs=3, batch_size=64, warmup=20)
    trial = small(model=model, schedule=schedule, optimiser=OptimiserSpec(learning_rate=1e-2))
    (fit,) = (row["value"] for row in run_trial(trial, device="cpu").rows if row["metric"] == FIT)
    assert fit > 0.75


def test_runs_with_one_number_have_one_set_and_others_others():
    budget = Budget(hundreds=1, runs=3, test_size=8)
    models = MixingSpec(layers=1, width=8, feedforward=0), MixingSpec(layers=1, width=16, feedforward=0)
    one, other = (budget.judged(model, "white noise", 1e-2) for model in models)
    assert [trial.task for trial in one] == [trial.task for trial in other]
    assert len({trial.task.data_seed for trial in one}) == 3
    pilots = {trial.task.data_seed for trial in budget.pilots(models[0], "white noise")}
    assert len(pilots) == 1
    assert pilots.isdisjoint(trial.task.data_seed for trial in one)
    # the other probes are as they were published
    assert {trial.task.data_seed for trial in budget.judged(models[0], "parity", 1e-2)} == {0}


def test_runs_that_are_trained_together_learn_their_own_sets():
    trials = [small(seed) for seed in (0, 1)]
    for alone, ours in zip(
        (run_trial(each, device="cpu") for each in trials), run_together(trials, compiled=False), strict=True
    ):
        told, found = (
            [(row["split"], row["metric"], row["value"]) for row in outcome.rows if row["split"] == "validation"]
            for outcome in (alone, ours)
        )
        assert [row[:2] for row in found] == [row[:2] for row in told]
        assert [row[2] for row in found] == pytest.approx([row[2] for row in told], rel=1e-2)


def test_every_state_is_an_axis():
    # the end tells known models apart, the other two do not
    assert set(ALIKE.values()) & set(AXES) == {ALIKE["end"]}
    assert len(set(ALIKE.values())) == len(STATES)
