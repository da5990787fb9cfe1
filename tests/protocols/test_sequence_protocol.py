import math

import pytest
import torch

from inductive_bias.models import MixingSpec, MLPSpec, RecurrentSpec
from inductive_bias.running import build, protocol_of, run_trial
from inductive_bias.tasks import GeneratedSignals
from inductive_bias.training import OptimiserSpec, ScheduleSpec
from inductive_bias.trials import Distillation, Trial

TASK = GeneratedSignals(train_size=64, validation_size=16, test_size=16, length=12)


def trial(cell="linear", epochs=2, **changes):
    settings = {
        "task": TASK,
        "model": RecurrentSpec(cell=cell, states=4),
        "optimiser": OptimiserSpec(learning_rate=1e-2),
        "schedule": ScheduleSpec(epochs=epochs, batch_size=16),
    }
    return Trial(**settings | changes)


def final(outcome, split):
    (value,) = [
        row["value"]
        for row in outcome.rows
        if row["split"] == split and row["metric"] == "unexplained" and row["epoch"] is None
    ]
    return value


def test_a_linear_rnn_learns_the_filter_and_measures_what_it_misses():
    before, after = (run_trial(trial(epochs=epochs), device="cpu") for epochs in (0, 60))
    assert final(after, "test") < 0.5 * final(before, "test")
    history = [row["value"] for row in after.rows if row["split"] == "validation" and row["epoch"] is not None]
    assert len(history) == 60
    assert history[-1] == final(after, "validation")
    assert {row["data_source"] for row in after.rows} == {"generated:filter"}


def test_the_loss_is_the_mean_squared_error_over_all_steps():
    each = trial()
    data = each.task.load()
    protocol, model = protocol_of(each, data), build(each)
    batch = next(protocol.batching.epoch(torch.Generator().manual_seed(0), torch.device("cpu")))
    want = (model(batch.inputs) - batch.labels).square().mean()
    torch.testing.assert_close(protocol.objective.loss(model, batch), want)
    assert protocol.batching.steps_per_epoch() == 4


def test_a_diverged_run_has_no_score():
    outcome = run_trial(trial(optimiser=OptimiserSpec(learning_rate=1e12, clip_norm=1e12), epochs=3), device="cpu")
    assert math.isnan(final(outcome, "test"))


def test_models_that_do_not_fit_and_teachers_are_refused():
    with pytest.raises(ValueError, match="kind 'mlp' cannot be trained on a task of kind 'generated_signals'"):
        trial(model=MLPSpec())
    assert trial(model=MixingSpec(width=8)).model.kind == "mixing"
    with pytest.raises(ValueError, match="'generated_signals' cannot be learnt from a teacher"):
        trial(distill=Distillation(teacher=trial()))
