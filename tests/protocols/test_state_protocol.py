"""Simulating automata: fresh words by the trial's seed, scores in every place, and training that ends when solved."""

import math

import pandas as pd
import pytest
import torch
from torch import nn
from torch.testing import assert_close

from inductive_bias.layers import AttentionSpec, RSASpec
from inductive_bias.models import MixingSpec, RecurrentSpec
from inductive_bias.protocols import automata
from inductive_bias.protocols.batching import FRESH_STEPS
from inductive_bias.protocols.measures.automata import LAST_QUARTER
from inductive_bias.running import Run, protocol_of, run_trial
from inductive_bias.stacked_seeds import reason_alone, run_together, stacks
from inductive_bias.tasks import StateTracking
from inductive_bias.training import OptimiserSpec, ScheduleSpec
from inductive_bias.trials import Trial

TASK = StateTracking(automaton="D6", length=8, test_lengths=(8, 12), validation_size=20, test_size=30)
LSTM = RecurrentSpec(cell="lstm", states=6, embedding=4)
ATTENTION = MixingSpec(mixer=AttentionSpec(heads=2), positions="sinusoidal", layers=1, width=8)
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
    """Runs the automaton; after some actions it says that it is in state 0."""

    def __init__(self, task, gives_up=math.inf):
        super().__init__()
        self.machine, self.gives_up = task.machine, gives_up
        self.scale = nn.Parameter(torch.tensor(10.0))

    def forward(self, inputs):
        states = torch.from_numpy(self.machine.run((inputs - 1).clamp(min=0).numpy()))
        states[:, int(min(self.gives_up, states.shape[1])) :] = 0
        return self.scale * nn.functional.one_hot(states, len(self.machine.states)).float()


def rows_of(model, *, diverged=False, task=TASK):
    protocol = protocol_of(trial(task=task), task.load())
    return pd.DataFrame(protocol.measures.final(model, diverged=diverged)), task.load()["test"]


def value(rows, metric, **at):
    for name in ("length", "part", "position"):
        rows = rows[rows[name] == at[name] if name in at else rows[name].isna()]
    return rows[rows["metric"] == metric]["value"].item()


def test_who_runs_the_automaton_is_right_everywhere():
    rows, _ = rows_of(Oracle(TASK))
    assert (rows[rows["metric"].isin(("accuracy", "string_accuracy"))]["value"] == 1).all()
    for length in (8, 12):
        assert len(rows[(rows["length"] == length) & (rows["metric"] == "accuracy")]) == length + 2


def test_scores_are_those_of_loops_over_the_words_of_one_length():
    rows, split = rows_of(Oracle(TASK, gives_up=6))
    for length in (8, 12):
        words = [
            labels[:length].tolist()
            for labels, size in zip(split.labels, split.slices["length"], strict=True)
            if size == length
        ]
        right = [[state == 0 or place < 6 for place, state in enumerate(word)] for word in words]
        late = [flag for word in right for flag in word[length - length // 4 :]]
        assert value(rows, "accuracy", length=length) == pytest.approx(sum(map(sum, right)) / (len(right) * length))
        assert value(rows, "accuracy", length=length, part=LAST_QUARTER) == pytest.approx(sum(late) / len(late))
        assert value(rows, "string_accuracy", length=length) == pytest.approx(sum(map(all, right)) / len(right))
        at_seven = sum(word[6] for word in right) / len(right)
        assert value(rows, "accuracy", length=length, position=7) == pytest.approx(at_seven)


def test_the_best_constant_stands_beside_it():
    rows, _ = rows_of(Oracle(TASK))
    best = TASK.machine.best_constant(12)
    assert value(rows, "constant_accuracy", length=12, position=3) == pytest.approx(best[2])
    assert value(rows, "constant_accuracy", length=12) == pytest.approx(best.mean())
    assert value(rows, "constant_accuracy", length=8, part=LAST_QUARTER) == pytest.approx(best[6:8].mean())


def test_a_diverged_run_stays_in_the_table():
    rows, _ = rows_of(Oracle(TASK), diverged=True)
    wanted = rows[rows["metric"].isin(("accuracy", "string_accuracy"))]
    assert len(wanted) == 6
    assert wanted["value"].isna().all()


@pytest.mark.parametrize(
    "model", [LSTM, ATTENTION, ATTENTION.model_copy(update={"mixer": RSASpec(heads=2)})], ids=lambda spec: spec.name
)
def test_trials_of_one_seed_see_the_same_fresh_words(model):
    run, other = Run(trial(model), CPU, None), Run(trial(LSTM), CPU, None)
    first, second = list(run.batches()), list(run.batches())
    assert len(first) == FRESH_STEPS
    assert {tuple(batch.inputs.shape) for batch in first} == {(4, 8)}
    seen = torch.cat([batch.inputs for batch in first])
    assert torch.equal(seen, torch.cat([batch.inputs for batch in other.batches()]))
    assert not torch.equal(seen, torch.cat([batch.inputs for batch in second]))
    assert not torch.equal(seen, torch.cat([batch.inputs for batch in Run(trial(model, seed=1), CPU, None).batches()]))
    for batch in first[:3]:
        assert batch.labels.tolist() == TASK.machine.run(batch.inputs.numpy() - 1).tolist()


def test_training_ends_when_the_last_looks_found_the_states(monkeypatch):
    monkeypatch.setattr(automata, "SOLVED", 0.0)
    outcome = run_trial(trial(epochs=9), device="cpu")
    epochs = [row["epoch"] for row in outcome.rows if row["metric"] == "loss"]
    assert epochs == [1, 2, 3]
    assert [row["value"] for row in outcome.rows if row["metric"] == "steps"] == [300]
    assert set(outcome.arrays) == {"features/3"}


def test_a_place_without_a_label_counts_nowhere():
    protocol = protocol_of(trial(), TASK.load())
    right = torch.tensor([[1, 1, -1, -1], [1, 0, 1, 1]])
    assert protocol.measures.accuracy(right) == pytest.approx(5 / 6)


def test_looks_must_follow_one_another():
    protocol = protocol_of(trial(), TASK.load())
    for epoch, model in enumerate([Oracle(TASK), Oracle(TASK), Oracle(TASK, 2), *[Oracle(TASK)] * 3], start=1):
        assert not protocol.measures.should_stop
        list(protocol.measures.after_epoch(model, epoch))
    assert protocol.measures.should_stop


def test_a_stack_gives_what_each_run_gives_alone():
    trials = [trial(ATTENTION, seed=seed) for seed in range(3)]
    assert reason_alone(trials[0]) == ""
    assert "fused kernel" in reason_alone(trial(LSTM)) or "mixers" in reason_alone(trial(LSTM))
    assert stacks([*trials, trial(LSTM)]) == [trials, [trial(LSTM)]]
    for ours, alone in zip(run_together(trials, compiled=False), map(run_trial, trials), strict=True):
        losses = [[row["value"] for row in each.rows if row["metric"] == "loss"] for each in (ours, alone)]
        assert_close(*losses, rtol=1e-3, atol=0)


def test_a_run_of_a_stack_that_is_finished_keeps_its_weights(monkeypatch):
    trials = [trial(ATTENTION, seed=seed, epochs=3) for seed in range(2)]
    short = run_trial(trial(ATTENTION, seed=0, epochs=3).model_copy(), device="cpu")
    after = automata.StateMeasures.after_epoch

    def first_is_solved(measures, model, epoch):
        yield from after(measures, model, epoch)
        measures._solved = automata.EVALUATIONS if measures.given.run.seed == 0 and epoch == 1 else 0

    monkeypatch.setattr(automata.StateMeasures, "after_epoch", first_is_solved)
    alone = run_trial(trials[0], device="cpu")
    found = run_together(trials, compiled=False)
    for outcome, epochs in zip(found, ([1], [1, 2, 3]), strict=True):
        assert [row["epoch"] for row in outcome.rows if row["metric"] == "loss"] == epochs
    for name, weight in alone.weights.items():
        assert_close(found[0].weights[name], weight, rtol=1e-2, atol=1e-3)
    moved = [(found[0].weights[name] - weight).abs().max() for name, weight in short.weights.items()]
    assert max(moved) > 1e-3


def test_an_lstm_learns_a_walk():
    task = StateTracking(automaton="Grid4", length=6, test_lengths=(6,), validation_size=100, test_size=100)
    model = RecurrentSpec(cell="lstm", states=16, embedding=8)
    easy = trial(model, task=task, epochs=5, rate=1e-2)
    easy = easy.model_copy(update={"schedule": ScheduleSpec(epochs=5, batch_size=32)})
    rows = pd.DataFrame(run_trial(easy, device="cpu").rows)
    assert value(rows[rows["split"] == "test"], "accuracy", length=6) > 0.95
