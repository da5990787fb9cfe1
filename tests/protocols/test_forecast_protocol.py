"""Reading orders, errors by step against loops, and whole runs of every backbone."""

import pandas as pd
import pytest
import torch
from torch import nn

from inductive_bias.layers import RSASpec
from inductive_bias.models import InformerSpec, LogSparseSpec, TransformerXLSpec
from inductive_bias.protocols.forecasting import by_part, forecast_errors, reading_order
from inductive_bias.running import protocol_of, run_trial
from inductive_bias.tasks import Adding, Forecasting
from inductive_bias.training import ScheduleSpec
from inductive_bias.trials import Trial

TASK = Forecasting(data="generated", past=8, horizon=6, rows=160, batches=3, looks=4, scored=7)
RSA = RSASpec(counts=(1, 1, 0, 1, 1, 0), gate_logit=0.0)
SMALL = {"mixer": RSA, "width": 8, "feedforward": 1}
MODELS = (InformerSpec(prompt=4, **SMALL), LogSparseSpec(prompt=4, **SMALL), TransformerXLSpec(memory=3, **SMALL))


def order_of(order, windows, size, steps, seed=0):
    return reading_order(order, windows, size, steps, torch.Generator().manual_seed(seed))


def test_shuffled_batches_hold_every_window_once_at_most_and_change():
    found = order_of("shuffled", 23, 4, 5)
    assert found.shape == (5, 4)
    assert len(found.unique()) == 20
    assert not torch.equal(found, order_of("shuffled", 23, 4, 5, seed=1))


def test_consecutive_batches_are_neighbours():
    assert order_of("consecutive", 23, 4, 5).tolist() == [[4 * step + i for i in range(4)] for step in range(5)]
    assert order_of("consecutive", 40, 4, 5)[:, 0].tolist() == [0, 8, 16, 24, 32]


def test_streams_are_parts_read_side_by_side():
    assert order_of("streams", 23, 4, 5).tolist() == [[step + 5 * part for part in range(4)] for step in range(5)]
    fewer = order_of("streams", 40, 4, 3)
    assert fewer[:, 0].tolist() == [0, 3, 6]
    assert (fewer.diff(dim=1) == 10).all()


@pytest.mark.parametrize("order", ["shuffled", "consecutive", "streams"])
def test_an_epoch_has_as_many_batches_as_are_asked_for_in_each_order(order):
    trial = Trial(
        task=TASK.model_copy(update={"order": order}), model=MODELS[0], schedule=ScheduleSpec(epochs=1, batch_size=8)
    )
    batching = protocol_of(trial, trial.task.load()).batching
    batches = list(batching.epoch(torch.Generator().manual_seed(0), torch.device("cpu")))
    assert len(batches) == batching.steps_per_epoch() == 3
    train = trial.task.load()["train"]
    for batch in batches:
        assert batch.inputs.shape == (8, 8, 4)
        assert torch.equal(batch.labels, train.labels[batch.index])


class Last(nn.Module):
    """Says the last row again and again."""

    def __init__(self):
        super().__init__()
        self.one = nn.Parameter(torch.ones(()))

    def forward(self, rows):
        return rows[:, -1:, :-1].expand(-1, TASK.horizon, -1) * self.one


def test_errors_are_means_over_windows_and_series_by_step():
    split = TASK.model_copy(update={"scored": None}).load()["test"]
    squared, absolute = forecast_errors(Last(), split)
    for step in (0, 5):
        away = (split.inputs[:, -1, :-1] - split.labels[:, step]).double()
        assert squared[step].item() == pytest.approx(away.square().mean().item())
        assert absolute[step].item() == pytest.approx(away.abs().mean().item())


def test_parts_of_the_horizon_end_at_their_last_step():
    assert by_part(torch.arange(3.0).double()) == [(1, 0.0), (2, 1.0), (3, 2.0)]
    found = by_part(torch.arange(48.0).double())
    assert [last for last, _ in found] == list(range(2, 49, 2))
    assert found[1][1] == 2.5
    assert sum(value for _, value in by_part(torch.arange(50.0).double())) > 0


@pytest.mark.parametrize("model", MODELS, ids=lambda model: model.kind)
def test_a_run_leaves_errors_by_part_gates_and_the_best_epoch_and_is_repeatable(model):
    trial = Trial(task=TASK, model=model, schedule=ScheduleSpec(epochs=3, batch_size=8, decay="halved"))
    outcome = run_trial(trial, device="cpu")
    rows = pd.DataFrame(outcome.rows)
    looks = rows[(rows["split"] == "validation") & rows["epoch"].notna()]
    final = rows[rows["epoch"].isna() & rows["position"].isna()].set_index(["split", "metric"])["value"]
    assert final["validation", "mse"] == pytest.approx(looks["value"].min())
    assert final["train", "selected_epoch"] == looks.loc[looks["value"].idxmin(), "epoch"]
    parts = rows[rows["position"].notna() & (rows["metric"] == "mse")]
    assert parts["position"].tolist() == [1, 2, 3, 4, 5, 6]
    assert final["test", "mse"] == pytest.approx(parts["value"].mean())
    gates = rows[rows["metric"] == "gate"]
    assert len(gates) == (2 if model.kind == "transformer_xl" else 3)
    assert {"real", "cos"} == set(rows.loc[rows["metric"] == "decay", "kind"])
    again = run_trial(trial, device="cpu")
    assert again.rows == outcome.rows


def test_a_rate_is_halved_after_every_epoch():
    schedule = ScheduleSpec(epochs=3, decay="halved")
    assert [schedule.rate(step, 12) for step in (0, 3, 4, 7, 8, 11, 12)] == [1, 1, 0.5, 0.5, 0.25, 0.25, 0.25]


def test_the_protocol_wants_series():
    with pytest.raises(ValueError, match="cannot be trained on a task of kind 'generated_adding'"):
        Trial(task=Adding(), model=MODELS[0])
