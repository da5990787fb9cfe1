"""Parity with one answer: what a run measures, when it ends, and which strings it learns from."""

import math

import pandas as pd
import pytest
import torch

from inductive_bias.models import FlattenedSpec, MixingSpec, RecurrentSpec, UnrolledSpec
from inductive_bias.protocols.batching import EPOCH_STEPS
from inductive_bias.running import build, protocol_of, run_trial
from inductive_bias.tasks import LastParity
from inductive_bias.training import OptimiserSpec, ScheduleSpec
from inductive_bias.trials import Trial

TASK = LastParity(length=5, train_size=19, test_size=8)
MODELS = {
    "mlp": FlattenedSpec(length=5, width=16, embedding=3),
    "lstm": RecurrentSpec(cell="lstm", states=8, embedding=4),
    "unrolled": UnrolledSpec(length=5, states=4, embedding=4),
    "attention": MixingSpec(width=8, layers=1, positions="sinusoidal"),
}


def trial(model="lstm", *, epochs=2, rate=1e-2, task=TASK):
    schedule = ScheduleSpec(epochs=epochs, batch_size=8, decay="constant")
    return Trial(task=task, model=MODELS[model], optimiser=OptimiserSpec(learning_rate=rate), schedule=schedule)


def final(rows, split, metric, length=None):
    chosen = rows[rows["epoch"].isna() & (rows["split"] == split) & (rows["metric"] == metric)]
    if "length" in chosen:
        chosen = chosen[chosen["length"].isna() if length is None else chosen["length"] == length]
    return chosen["value"].item()


@pytest.mark.parametrize("model", MODELS)
def test_every_model_is_scored_at_both_lengths_and_on_its_training_strings(model):
    rows = pd.DataFrame(run_trial(trial(model), device="cpu").rows)
    for length in (5, 10):
        assert 0 <= final(rows, "test", "accuracy", length) <= 1
    for split in ("train", "validation", "test"):
        assert final(rows, split, "nll") > 0
    assert final(rows, "train", "steps") == 2 * EPOCH_STEPS
    assert final(rows, "test", "baseline_nll") == pytest.approx(0.6931, abs=1e-4)


def test_a_diverged_run_keeps_its_place_at_every_length():
    rows = pd.DataFrame(run_trial(trial(rate=1e38), device="cpu").rows)
    assert rows.loc[rows["metric"] == "diverged", "value"].item() == 1
    for length in (None, 5, 10):
        for metric in ("nll", "accuracy"):
            assert math.isnan(final(rows, "test", metric, length))


def test_the_loss_is_that_of_the_last_bit_alone():
    rules, model = protocol_of(one := trial(), TASK.load()), build(trial())
    assert one.task == TASK
    batch = next(rules.batching.epoch(torch.Generator().manual_seed(0), torch.device("cpu")))
    logits = model(batch.inputs)[:, -1]
    wanted = torch.nn.functional.cross_entropy(logits, (batch.inputs - 1).sum(1) % 2)
    torch.testing.assert_close(rules.objective.loss(model, batch), wanted)


def test_training_ends_when_nothing_is_left_to_learn():
    task = LastParity(length=4, train_size=10, test_size=4)
    rows = pd.DataFrame(run_trial(trial(epochs=200, rate=3e-2, task=task), device="cpu").rows)
    looks = rows[(rows["split"] == "validation") & (rows["metric"] == "nll") & rows["epoch"].notna()]
    assert final(rows, "train", "steps") == EPOCH_STEPS * len(looks) < 200 * EPOCH_STEPS
    assert looks["value"].iloc[-1] < 1e-3 <= looks["value"].iloc[:-1].min()
    assert final(rows, "train", "accuracy") == final(rows, "validation", "accuracy") == 1


def test_it_learns_from_the_training_strings_alone():
    rules = protocol_of(trial(), TASK.load())
    known = {tuple(row) for row in TASK.load()["train"].inputs.tolist()}
    seen = {
        tuple(row)
        for batch in rules.batching.epoch(torch.Generator(), torch.device("cpu"))
        for row in batch.inputs.tolist()
    }
    assert seen == known
