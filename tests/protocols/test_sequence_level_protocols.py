"""One answer a sequence: where it is read, how classes are weighed, what is counted, and whole runs of every model."""

import math

import numpy as np
import pandas as pd
import pytest
import torch
import torch.nn.functional as F
from sklearn.metrics import f1_score, matthews_corrcoef, roc_auc_score
from sklearn.utils.class_weight import compute_class_weight
from torch import nn

from inductive_bias.layers import AttentionSpec
from inductive_bias.models import FlattenedSpec, MixingSpec, RecurrentSpec, TCNSpec
from inductive_bias.protocols.heartbeats import SHIFTED, beat_answers, beat_rows
from inductive_bias.protocols.objectives import SequenceLevel, at_end
from inductive_bias.protocols.proteins import LONG, chunks_of_residues, log_odds, score_rows
from inductive_bias.protocols.stocks import BLOCK, block_rows, mean_loss
from inductive_bias.running import protocol_of, run_trial
from inductive_bias.tasks import Heartbeats, Proteins, Split, Stocks
from inductive_bias.tasks.heartbeats import shifted
from inductive_bias.training import OptimiserSpec, ScheduleSpec
from inductive_bias.trials import Trial

BEATS = Heartbeats(data="generated", beats=12, shifts=(-10, 10), batches=2)
PROTEINS = Proteins(data="generated", batches=3)
STOCKS = Stocks(data="generated", past=6, days=103)
LSTM = RecurrentSpec(cell="lstm", states=5, embedding=3)


def trial(task, model=LSTM, epochs=1, rate=1e-2, **options):
    return Trial(
        task=task,
        model=model,
        optimiser=OptimiserSpec(learning_rate=rate),
        schedule=ScheduleSpec(epochs=epochs, batch_size=16),
        **options,
    )


def protocol(of):
    return protocol_of(of, of.task.load())


def frame(of):
    return pd.DataFrame(run_trial(of, device="cpu").rows)


def test_tokens_are_read_at_their_last_one_and_numbers_at_the_end():
    outputs = torch.randn(3, 4, 2)
    assert torch.equal(at_end(outputs, torch.randn(3, 4, 1)), outputs[:, 3])
    tokens = torch.tensor([[1, 2, 0, 0], [1, 2, 3, 4], [5, 0, 0, 0]])
    assert torch.equal(at_end(outputs, tokens), torch.stack([outputs[0, 1], outputs[1, 3], outputs[2, 0]]))


def test_padding_changes_no_answer_of_a_causal_model():
    model = MixingSpec(width=8, mixer=AttentionSpec(heads=2), positions="sinusoidal").build(outputs=2, vocabulary=9)
    short = torch.tensor([[3, 1, 4]])
    long = torch.tensor([[3, 1, 4, 0, 0]])
    torch.testing.assert_close(at_end(model(long), long), at_end(model(short), short))


@pytest.mark.parametrize(("weights", "of_number"), [("root", torch.sqrt), ("inverse", lambda counts: counts)])
def test_weights_are_inverse_to_the_number_or_its_root_and_an_example_counts_one_on_average(weights, of_number):
    objective = protocol(trial(BEATS.model_copy(update={"weights": weights}))).objective
    labels = BEATS.load()["train"].labels
    counts = labels.bincount().double()
    raw = 1 / of_number(counts)
    torch.testing.assert_close(objective.weights.double(), raw / raw[labels].mean(), rtol=1e-6, atol=0)
    assert objective.weights[labels].mean().item() == pytest.approx(1)
    assert protocol(trial(BEATS)).objective.weights is None


def test_inverse_weights_are_those_of_scikit_learn_and_all_classes_count_alike():
    objective = protocol(trial(BEATS.model_copy(update={"weights": "inverse"}))).objective
    labels = BEATS.load()["train"].labels
    wanted = compute_class_weight("balanced", classes=np.unique(labels), y=labels.numpy())
    np.testing.assert_allclose(objective.weights, wanted, rtol=1e-6)
    np.testing.assert_allclose(objective.weights * labels.bincount(), len(labels) / 3, rtol=1e-6)


@pytest.mark.parametrize(
    "task",
    [
        BEATS,
        BEATS.model_copy(update={"weights": "root"}),
        BEATS.model_copy(update={"weights": "inverse"}),
        PROTEINS,
        STOCKS,
        STOCKS.model_copy(update={"target": "direction"}),
    ],
    ids=["beats", "weighted beats", "balanced beats", "proteins", "returns", "directions"],
)
def test_the_loss_is_that_of_each_example_by_itself(task):
    parts = protocol(trial(task))
    torch.manual_seed(0)
    model = LSTM.build(**task.dimensions)
    batch = next(iter(parts.batching.epoch(torch.Generator().manual_seed(0), torch.device("cpu"))))
    found, single = parts.objective.loss(model, batch), []
    for inputs, label in zip(batch.inputs, batch.labels, strict=True):
        real = inputs if inputs.is_floating_point() else inputs[inputs != 0]
        answer = model(real[None])[0, -1]
        if label.is_floating_point():
            single.append(((answer - label) ** 2).mean())
        else:
            weight = 1.0 if parts.objective.weights is None else parts.objective.weights[label]
            single.append(-F.log_softmax(answer, 0)[label] * weight)
    torch.testing.assert_close(found, torch.stack(single).mean())
    grads = [
        torch.autograd.grad(each, model.readout.weight, retain_graph=True)[0]
        for each in (found, torch.stack(single).mean())
    ]
    torch.testing.assert_close(*grads)


@pytest.mark.parametrize(("task", "most"), [(BEATS, 2), (PROTEINS, 3), (STOCKS, None)])
def test_an_epoch_has_as_many_batches_as_are_asked_for_drawn_anew(task, most):
    batching = protocol(trial(task)).batching
    generator = torch.Generator().manual_seed(0)
    first, second = (list(batching.epoch(generator, torch.device("cpu"))) for _ in range(2))
    assert len(first) == len(second) == batching.steps_per_epoch() == (most or len(task.load()["train"]) // 16)
    seen = [torch.cat([batch.index for batch in each]) for each in (first, second)]
    assert len(seen[0].unique()) == len(seen[0])
    assert not torch.equal(*(each.sort().values for each in seen)) or most is None


class Tall(nn.Module):
    """Says that a beat is wide where its mean is large."""

    def __init__(self):
        super().__init__()
        self.level = nn.Parameter(torch.tensor(-0.75))

    def forward(self, inputs):
        high = (inputs[..., 0].mean(1) > self.level).float()
        return torch.stack([1 - high, 0 * high, high], -1)[:, None].expand(-1, inputs.shape[1], -1)


def test_counts_by_record_add_up_to_the_scores_of_scikit_learn():
    split, model = BEATS.load()["test"], Tall()
    answers = beat_answers(model, split.inputs)
    assert answers.tolist() == model(split.inputs)[:, -1].argmax(1).tolist()
    moved = beat_answers(model, split.inputs, 10)
    assert moved.tolist() == model(shifted(split.inputs, 10))[:, -1].argmax(1).tolist()
    rows = pd.DataFrame(beat_rows(answers, split, "test", 3))
    found = rows.set_index("metric")["value"]
    assert found["macro_f1"] == pytest.approx(f1_score(split.labels, answers, average="macro", zero_division=0))
    assert found["accuracy"] == pytest.approx((split.labels == answers).double().mean().item())
    counts = rows[rows["metric"] == "count"]
    assert (counts["value"] > 0).all()
    for each in counts.to_dict("records"):
        there = (split.slices["record"] == each["item"]) & (split.labels == each["label"]) & (answers == each["answer"])
        assert there.sum().item() == each["value"]
    assert counts["value"].sum() == len(split)


def test_scores_of_proteins_are_those_of_scikit_learn_and_of_each_protein_alone():
    split = PROTEINS.load()["long"]
    model = LSTM.build(**PROTEINS.dimensions)
    scores = log_odds(model, split)
    for row in (0, 5):
        alone = model(split.inputs[row, : int(split.slices["length"][row])][None])[0, -1]
        torch.testing.assert_close(scores[row], (alone[1] - alone[0]).detach())
    found = {row["metric"]: row["value"] for row in score_rows(scores, split, "long")}
    assert found["auc"] == pytest.approx(roc_auc_score(split.labels, scores))
    assert found["mcc"] == pytest.approx(matthews_corrcoef(split.labels, scores >= 0))
    assert found["n"] == len(split)
    one = split.labels == 1
    assert "auc" not in {row["metric"] for row in score_rows(scores, split, "long", one)}
    assert [row["metric"] for row in score_rows(scores, split, "long", one & ~one)] == ["n"]


def test_chunks_hold_every_protein_once_and_as_many_residues_as_fit():
    lengths = torch.from_numpy(np.random.default_rng(0).integers(1, 60, 50))
    lengths[7] = 500
    chunks = list(chunks_of_residues(lengths, 100))
    assert sorted(torch.cat(chunks).tolist()) == list(range(50))
    assert all(len(chunk) == 1 or len(chunk) * lengths[chunk].max() <= 100 for chunk in chunks)
    ends = [int(lengths[chunk].max()) for chunk in chunks]
    assert ends == sorted(ends)


def test_errors_and_right_directions_are_summed_by_week():
    data = STOCKS.load()["test"]
    found = torch.randn(len(data), 1)
    rows = pd.DataFrame(block_rows(found, data, "test"))
    errors = rows[rows["metric"] == "squared_error"].set_index("item")["value"]
    for block in range(4):
        there = data.slices["day"] // BLOCK == block
        assert errors[block] == pytest.approx(((found - data.labels)[there] ** 2).sum().item(), rel=1e-5)
    assert rows[rows["metric"] == "n"]["value"].tolist() == [20.0] * 4
    signs = Split(data.inputs, (data.labels[:, 0] > 0).long(), "generated:x", data.slices)
    outputs = torch.randn(len(data), 2)
    right = pd.DataFrame(block_rows(outputs, signs, "test")).query("metric == 'right'")["value"].sum()
    assert right == (outputs.argmax(1) == signs.labels).sum().item()
    model = nn.Sequential()  # the inputs themselves
    wide = Split(torch.randn(9, 3, 1), torch.randn(9, 1), "generated:x", {})
    assert mean_loss(_with_parameter(model), wide) == pytest.approx(
        F.mse_loss(wide.inputs[:, -1], wide.labels).item(), rel=1e-5
    )


def _with_parameter(model):
    model.register_parameter("unused", nn.Parameter(torch.zeros(1)))
    return model


MODELS = {
    "lstm": lambda task: LSTM,
    "mixing": lambda task: MixingSpec(width=8, mixer=AttentionSpec(heads=2), layers=1),
    "tcn": lambda task: TCNSpec(levels=1, kernel=2, width=4, embedding=3),
    "flattened": lambda task: FlattenedSpec(length=task.length, width=4, embedding=3),
}


@pytest.mark.parametrize("model", MODELS)
@pytest.mark.parametrize("task", [BEATS, PROTEINS, STOCKS], ids=["beats", "proteins", "stocks"])
def test_every_model_is_trained_and_measured(task, model):
    rows = frame(trial(task, MODELS[model](task), epochs=2))
    assert rows["value"].notna().all()
    metric = {"heartbeats": "macro_f1", "proteins": "auc", "stocks": "loss"}[task.kind]
    every = rows[(rows["metric"] == metric) & (rows["split"] == "validation")]
    looks, final = (every[every["epoch"].notna() == of]["value"] for of in (True, False))
    best = looks.min() if metric == "loss" else looks.max()
    assert final.iloc[0] == pytest.approx(best, rel=1e-5)  # what is scored is the best look
    assert {"parameters", "selected_epoch"} <= set(rows["metric"])
    if task.kind == "heartbeats":
        assert sorted(rows[(rows["split"] == SHIFTED) & (rows["metric"] == "macro_f1")]["shift"]) == [-10, 10]
    if task.kind == "proteins":
        assert {"test", LONG} <= set(rows["split"])
        kept = run_trial(trial(task, MODELS[model](task), epochs=1), device="cpu").arrays
        assert len(kept["scores/test"]) == len(task.load()["test"])
        assert len(kept[f"scores/{LONG}"]) == len(task.load()[LONG])


@pytest.mark.parametrize("task", [BEATS, PROTEINS, STOCKS], ids=["beats", "proteins", "stocks"])
def test_a_run_that_diverges_is_in_the_table_as_no_number(task, monkeypatch):
    monkeypatch.setattr(SequenceLevel, "loss", lambda self, model, batch: model.readout.bias.sum() * math.nan)
    rows = frame(trial(task))
    metric = {"heartbeats": "macro_f1", "proteins": "auc", "stocks": "loss"}[task.kind]
    finals = rows[rows["epoch"].isna() & (rows["metric"] == metric)]
    assert {"validation", "test"} <= set(finals["split"])
    assert finals["value"].isna().all()
    assert not {"count", "squared_error", "selected_epoch"} & set(rows["metric"])


def test_a_tiny_task_is_learnt():
    task = PROTEINS.model_copy(update={"proteins": 400, "batches": None})
    rows = frame(trial(task, FlattenedSpec(length=40, width=16), epochs=6))
    found = rows[(rows["split"] == "test") & (rows["metric"] == "auc") & rows["part"].isna() & rows["epoch"].isna()]
    assert found["value"].iloc[0] > 0.9
