"""Character models: bits per character, windows that depend on the seed alone, and what the mixers have learned."""

import math

import pandas as pd
import pytest
import torch
import torch.nn.functional as F

from inductive_bias.layers import LSTMLayerSpec, REMSpec, RSASpec, ToeplitzSpec
from inductive_bias.models import MixingSpec
from inductive_bias.protocols.measures.characters import by_context, mean_bits
from inductive_bias.running import build, protocol_of
from inductive_bias.tasks import CharacterModelling
from inductive_bias.tasks.data import IGNORED, Split, TaskData
from inductive_bias.training import OptimiserSpec, ScheduleSpec
from inductive_bias.trials import Distillation, Trial
from tests.protocols.conftest import frame, run

TASK = CharacterModelling(text="grammar", sentences=60, window=16)
RSA = MixingSpec(mixer=RSASpec(heads=4, counts=(1, 1, 0, 0, 0, 2), gate_logit=1.0), width=8, layers=2)
CPU = torch.device("cpu")


def trial_of(model=RSA, *, rate=1e-2, **changes):
    schedule = ScheduleSpec(epochs=1, batch_size=8)
    return Trial(task=TASK, model=model, optimiser=OptimiserSpec(learning_rate=rate), schedule=schedule, **changes)


def order():
    return torch.Generator().manual_seed(3)


@pytest.fixture(scope="module")
def outcome():
    return run(trial_of())


@pytest.fixture(scope="module")
def rows(outcome):
    return frame(outcome).fillna({"part": "whole"})


@pytest.fixture(scope="module")
def protocol():
    return protocol_of(trial_of(), TASK.load())


def test_the_bits_are_those_of_an_explicit_softmax(outcome, rows):
    model, test = build(trial_of(), outcome.weights), TASK.load()["test"]
    there = test.labels != IGNORED
    p = model(test.inputs).detach().double().softmax(-1).gather(-1, test.labels.clamp(min=0)[..., None])[..., 0]
    bits = p.log2().neg().where(there, math.nan)
    final = rows[rows["epoch"].isna() & (rows["split"] == "test")]
    whole = final[final["context"].isna()].set_index(["metric", "part"])["value"]
    assert whole["bpc", "whole"] == pytest.approx(float(bits.nanmean()), rel=1e-5)
    assert whole["bpc", "second half"] == pytest.approx(float(bits[:, 8:].nanmean()), rel=1e-5)
    assert whole["characters", "whole"] == there.sum().item()
    curve = final[(final["metric"] == "bpc") & final["context"].notna()].set_index("context")["value"]
    assert curve.index.tolist() == [1, 2, 4, 8, 16]
    assert curve[8.0] == pytest.approx(float(bits[:, 4:8].nanmean()), rel=1e-5)


def test_a_model_that_knows_nothing_needs_the_logarithm_of_its_choices(protocol):
    model = build(trial_of())
    with torch.no_grad():
        for value in model.readout.parameters():
            value.zero_()
    final = pd.DataFrame(protocol.measures.final(model, diverged=False)).query("metric == 'bpc'")
    assert final.loc[final["context"].isna() & final["part"].isna(), "value"].tolist() == pytest.approx(
        [math.log2(66)] * 2
    )
    batch = next(protocol.batching.epoch(order(), CPU))
    assert protocol.objective.loss(model, batch).item() == pytest.approx(math.log(66))


def test_bins_of_context_hold_every_position_once():
    found = torch.arange(1.0, 12)[None]  # the bits at a position are its context
    assert list(by_context(found)) == [(1, 1), (2, 2), (4, 3.5), (8, 6.5), (11, 10)]
    assert list(by_context(found[:, :1])) == [(1, 1)]


def test_unknown_characters_are_left_out_of_loss_and_bits(protocol):
    model = build(trial_of())
    batch = next(protocol.batching.epoch(order(), CPU))
    labels = batch.labels.clone()
    labels[:, 5:] = IGNORED
    left = F.cross_entropy(model(batch.inputs)[:, :5].flatten(0, 1), labels[:, :5].flatten())
    torch.testing.assert_close(protocol.objective.loss(model, batch._replace(labels=labels)), left)
    assert mean_bits(torch.tensor([1.0, math.nan, 2.0])) == 1.5


def test_windows_are_stretches_of_the_text_and_depend_on_the_seed_alone(protocol):
    text = TASK.load()["train"]
    batches, again = (list(protocol.batching.epoch(order(), CPU)) for _ in range(2))
    other = list(
        protocol_of(trial_of(MixingSpec(mixer=LSTMLayerSpec(), width=8)), TASK.load()).batching.epoch(order(), CPU)
    )
    assert len(batches) == protocol.batching.steps_per_epoch() == len(text) // 16 // 8
    for batch, same, theirs in zip(batches, again, other, strict=True):
        assert torch.equal(batch.inputs, same.inputs)
        assert torch.equal(batch.inputs, theirs.inputs)
        for row, start in enumerate(batch.index.tolist()):
            assert torch.equal(batch.inputs[row], text.inputs[start : start + 16])
            assert torch.equal(batch.labels[row], text.labels[start : start + 16])
    starts = torch.cat([batch.index for batch in batches])
    assert starts.min() >= 0
    assert starts.max() <= len(text) - 16


def test_a_text_of_one_window_and_a_batch_larger_than_the_text_are_one_step():
    data = TASK.load()
    short = Split(data["train"].inputs[:16], data["train"].labels[:16], "short")
    makers = {name: (lambda name=name: short if name == "train" else data[name]) for name in data}
    protocol = protocol_of(trial_of(), TaskData(makers, classes=data.classes, sha256={}, is_sample=True))
    assert protocol.batching.steps_per_epoch() == 1
    (batch,) = protocol.batching.epoch(order(), CPU)
    assert (batch.index == 0).all()


def test_models_of_one_seed_start_from_the_same_embedding():
    def start(model):
        torch.manual_seed(5)
        return build(trial_of(model)).embedding.weight

    lstm = MixingSpec(mixer=LSTMLayerSpec(states=3), width=8, positions="sinusoidal")
    assert torch.equal(start(RSA), start(lstm))


def test_gates_and_decays_are_rows_by_layer_and_head(outcome, rows):
    model = build(trial_of(), outcome.weights)
    of_model = rows[rows["split"] == "model"].fillna({"kind": "any"})
    found = of_model.set_index(["metric", "layer", "head", "kind"])["value"]
    for layer, block in enumerate(model.blocks, start=1):
        rem = block.mixer.rem
        assert found["gate", layer, 0, "any"] == pytest.approx(block.mixer.gate.item())
        for head, kind in enumerate(rem.kinds):
            assert found["decay", layer, head, kind] == pytest.approx(rem.decay[head].item())
            if kind != "real":
                assert found["angle", layer, head, kind] == pytest.approx(rem.angle[head].item())
            else:
                assert ("angle", layer, head, kind) not in found.index
    assert found["gate", 1, 0, "any"] != pytest.approx(torch.tensor(1.0).sigmoid().item(), abs=1e-4)


@pytest.mark.parametrize(
    ("model", "metrics"),
    [
        (MixingSpec(width=8), set()),
        (MixingSpec(mixer=REMSpec(heads=1, counts=(1, 0, 0, 0, 0, 0)), width=8), {"decay"}),
        (MixingSpec(mixer=ToeplitzSpec(heads=2, length=16, gate="head"), width=8), {"gate"}),
    ],
)
def test_a_mixer_has_rows_of_what_it_has(protocol, model, metrics):
    found = pd.DataFrame(protocol.measures.final(build(trial_of(model)), diverged=False))
    assert set(found.loc[found["split"] == "model", "metric"]) == metrics


def test_a_diverged_trial_keeps_its_rows_as_nan():
    rows = frame(run(trial_of(rate=1e12)))
    assert rows.loc[rows["metric"] == "diverged", "value"].item() == 1
    final = rows[rows["epoch"].isna() & (rows["metric"] == "bpc")]
    assert final["part"].fillna("whole").tolist() == ["whole", "second half"] * 2
    assert final["value"].isna().all()


def test_the_history_ends_where_the_final_value_stands(rows):
    there = (rows["split"] == "validation") & (rows["metric"] == "bpc")
    found = rows[there & rows["context"].isna() & (rows["part"] == "whole")]["value"]
    assert len(found) == 2
    assert found.nunique() == 1


def test_features_are_kept_of_every_validation_window(outcome):
    assert outcome.arrays["features/1"].shape == (len(TASK.load()["validation"]), 8)


def test_a_student_learns_from_its_teacher_s_probabilities(outcome):
    student = trial_of(seed=1, distill=Distillation(teacher=trial_of()))
    protocol = protocol_of(student, TASK.load())
    teacher, model = build(trial_of(), outcome.weights), build(trial_of(), outcome.weights)
    protocol.objective.set_teacher(teacher)
    batch = next(protocol.batching.epoch(order(), CPU))
    loss = protocol.objective.loss(model, batch)
    log_p = model(batch.inputs).detach().flatten(0, 1).log_softmax(1)
    torch.testing.assert_close(loss, -(log_p.exp() * log_p).sum(1).mean())  # the teacher's entropy: nothing to learn
    loss.backward()
    assert max(float(value.grad.abs().max()) for value in model.parameters()) < 1e-5
