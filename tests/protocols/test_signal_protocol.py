"""Signals: as many steps for every sample size, the model of the best look, errors against the noise-free target."""

import math

import pytest
import torch

from inductive_bias.models import MixingSpec
from inductive_bias.protocols.batching import EPOCH_STEPS
from inductive_bias.running import build, protocol_of, run_trial
from inductive_bias.tasks import MixedSignal
from inductive_bias.training import OptimiserSpec, ScheduleSpec
from inductive_bias.trials import Distillation, Trial

SIZES = {"train_size": 20, "validation_size": 12, "test_size": 16, "length": 10, "scored": 4, "key_size": 2}


def trial(*, task=None, mixer=None, epochs=2, batch_size=8, rate=1e-2, **changes) -> Trial:
    rsa = {"kind": "rsa", "heads": 2, "counts": (1, 1, 0, 0, 0, 0), "gate_logit": 0.0}
    return Trial(
        task=MixedSignal(**SIZES | (task or {})),
        model=MixingSpec(mixer=mixer or rsa, layers=1, width=8),
        optimiser=OptimiserSpec(learning_rate=rate),
        schedule=ScheduleSpec(epochs=epochs, batch_size=batch_size),
        checkpoints=(0, epochs) if epochs else (0,),
        **changes,
    )


def final(rows, split, metric):
    (found,) = (row["value"] for row in rows if (row["split"], row["metric"], row["epoch"]) == (split, metric, None))
    return found


def by_epoch(rows, split, metric):
    return {
        row["epoch"]: row["value"]
        for row in rows
        if (row["split"], row["metric"]) == (split, metric) and row["epoch"] is not None
    }


@pytest.mark.parametrize("size", [1, 8, 20, 500])
def test_an_epoch_has_as_many_steps_for_every_sample_size(size):
    one = trial(task={"train_size": size})
    protocol = protocol_of(one, one.task.load())
    assert protocol.batching.steps_per_epoch() == EPOCH_STEPS
    order = torch.Generator().manual_seed(0)
    batches = [batch for _ in range(2) for batch in protocol.batching.epoch(order, torch.device("cpu"))]
    assert len(batches) == 2 * EPOCH_STEPS
    assert {len(batch.labels) for batch in batches} == {min(size, 8)}
    steps_a_pass = max(1, size // 8)
    for at in range(0, len(batches) - steps_a_pass, steps_a_pass):  # no example twice in a pass, epochs or not
        seen = torch.cat([batch.index for batch in batches[at : at + steps_a_pass]])
        assert len(seen.unique()) == len(seen)


def test_what_is_kept_and_measured_is_the_model_of_the_lowest_validation_error():
    one = trial(epochs=6, rate=0.03)
    outcome = run_trial(one, device="cpu")
    errors = by_epoch(outcome.rows, "validation", "excess_error")
    best = min(errors, key=errors.get)
    assert best < 6  # overfitted at last, or this test shows nothing
    assert final(outcome.rows, "train", "selected_epoch") == best
    assert final(outcome.rows, "validation", "excess_error") == errors[best]
    model, data = build(one, outcome.weights), one.task.load()
    with torch.no_grad():
        again = (model(data["validation"].inputs)[:, -4:, 0] - data["validation"].labels).square().mean().item()
    assert again - one.task.noise == pytest.approx(errors[best], rel=1e-5)


def test_the_test_error_is_the_distance_from_the_noise_free_target():
    one = trial(task={"noise": 5.0})
    outcome = run_trial(one, device="cpu")
    model, test = build(one, outcome.weights), one.task.load()["test"]
    with torch.no_grad():
        distance = (model(test.inputs)[:, -4:, 0] - test.labels).square().mean().item()
    assert final(outcome.rows, "test", "excess_error") == pytest.approx(distance, rel=1e-5)


class OnlyDrives(torch.nn.Module):
    """Predicts the recurrent part exactly and nothing of the lookup."""

    def __init__(self, task):
        super().__init__()
        self.share, self.unused = math.sqrt(task.rho), torch.nn.Parameter(torch.zeros(()))
        self.register_buffer("response", torch.from_numpy(task.response).float())

    def forward(self, inputs):
        padded = torch.nn.functional.pad(inputs[:, :, 0], (len(self.response) - 1, 0))
        found = torch.nn.functional.conv1d(padded[:, None], self.response.flip(0)[None, None])
        return self.share * found[:, 0, :, None]


def test_a_model_of_the_recurrent_part_alone_has_the_lookup_s_error_alone():
    one = trial(task={"rho": 0.3, "test_size": 4_000})
    rows = list(protocol_of(one, one.task.load()).measures.final(OnlyDrives(one.task), diverged=False))
    assert final(rows, "test", "recurrent_error") == pytest.approx(0, abs=0.03)
    assert final(rows, "test", "lookup_error") == pytest.approx(0.7, rel=0.05)
    assert final(rows, "test", "excess_error") == pytest.approx(0.7, rel=0.05)


def test_gates_and_decays_are_kept_from_the_start_to_the_end():
    outcome = run_trial(trial(epochs=2), device="cpu")
    gates, decays = (by_epoch(outcome.rows, "model", metric) for metric in ("gate", "decay"))
    assert list(gates) == list(decays) == [0, 1, 2]
    assert gates[0] == 0.5  # a neutral start
    assert gates[2] != 0.5
    last = [row for row in outcome.rows if row["metric"] == "decay" and row["epoch"] is None]
    assert [(row["layer"], row["head"], row["kind"]) for row in last] == [(1, 0, "real"), (1, 1, "cos")]
    parameters = final(outcome.rows, "model", "parameters")
    assert parameters == sum(each.numel() for each in outcome.weights.values())


@pytest.mark.parametrize("mixer", ["attention", "lstm", "linear_rnn", "rem"])
def test_models_without_a_gate_have_no_row_of_one(mixer):
    rows = run_trial(trial(epochs=1, mixer={"kind": mixer}), device="cpu").rows
    metrics = {row["metric"] for row in rows if row["split"] == "model"}
    assert metrics == {"parameters"} | ({"decay", "angle"} if mixer == "rem" else set())


def test_an_untrained_model_can_be_measured():
    rows = run_trial(trial(epochs=0), device="cpu").rows
    assert final(rows, "train", "selected_epoch") == 0
    assert final(rows, "test", "excess_error") > 0


def test_a_diverged_run_keeps_its_rows_without_numbers():
    rows = run_trial(trial(rate=1e38), device="cpu").rows
    assert list(by_epoch(rows, "train", "diverged").values()) == [1]
    assert all(math.isnan(final(rows, "test", f"{part}_error")) for part in ("excess", "recurrent", "lookup"))


def test_the_same_trial_gives_the_same_rows():
    assert run_trial(trial(), device="cpu").rows == run_trial(trial(), device="cpu").rows


def test_a_teacher_is_refused():
    with pytest.raises(ValueError, match="'generated_mixed_signal' cannot be learnt from a teacher"):
        trial(distill=Distillation(teacher=trial()), seed=1)
