"""Classifiers of sentences: what is measured of them, and what their loss is."""

import pytest
import torch
import torch.nn.functional as F

from inductive_bias.losses import distillation_loss
from inductive_bias.protocols.measures import SCALAR_METRICS
from inductive_bias.running import build, protocol_of
from inductive_bias.tasks import Split, TaskData
from tests.protocols.conftest import frame
from tests.tiny import SENTENCES, TRANSFORMER, tiny_sentence_trial

SPLITS = ("validation", "test", "attractors")
CPU = torch.device("cpu")


@pytest.fixture(scope="module")
def rows(reader):
    return frame(reader[1])


def first_batch(protocol):
    return next(iter(protocol.batching.epoch(torch.Generator().manual_seed(0), CPU)))


def test_rows_cover_every_split_and_metric(rows):
    final = rows[rows["epoch"].isna()]
    for split in SPLITS:
        metrics = set(final.loc[final["split"] == split, "metric"])
        assert {*SCALAR_METRICS, "balanced_accuracy", "share_of_class_0"} <= metrics
        for by in ("attractors", "distance"):
            sliced = final[(final["split"] == split) & final[by].notna()]
            assert set(sliced["metric"]) == {"accuracy", "balanced_accuracy", "ece_20", "n"}
    assert set(rows["data_source"]) == {"generated:agreement grammar"}
    history = rows[rows["epoch"].notna()].set_index(["split", "metric"])["epoch"]
    assert history["train", "loss"] == history["validation", "accuracy"] == 1


def test_every_attractor_count_is_there_and_their_unweighted_mean_is_a_accuracy(rows):
    attractors = rows[rows["split"] == "attractors"]
    by_count = attractors[(attractors["metric"] == "accuracy") & attractors["attractors"].notna()]
    assert by_count["attractors"].tolist() == [0, 1, 2, 3, 4]
    assert attractors.loc[attractors["metric"] == "a_accuracy", "value"].item() == pytest.approx(
        by_count["value"].mean()
    )


def test_the_last_epoch_s_validation_accuracy_is_the_final_one(rows):
    whole = rows["attractors"].isna() & rows["distance"].isna()
    found = rows[(rows["split"] == "validation") & (rows["metric"] == "accuracy") & whole]
    assert found["value"].nunique() == 1
    assert len(found) == 2


def test_the_training_split_has_its_size_and_what_was_left_out(rows):
    train = rows[rows["split"] == "train"]
    assert train.loc[train["metric"] == "n", "value"].item() == 48
    skipped = train[train["metric"] == "skipped"].set_index("reason")["value"]
    assert skipped.to_dict() == SENTENCES.load().skipped


def test_features_and_logits_are_kept(reader, rows):
    arrays = reader[1].arrays
    assert sorted(arrays) == ["features/0", "features/1", "logits/attractors", "logits/test"]
    assert arrays["features/1"].shape == (16, 8)
    logits, labels = arrays["logits/test"], SENTENCES.load()["test"].labels
    whole = rows["attractors"].isna() & rows["distance"].isna()
    accuracy = rows[(rows["split"] == "test") & (rows["metric"] == "accuracy") & whole]["value"].item()
    assert (logits.argmax(1) == labels).double().mean().item() == accuracy


def test_without_sentences_that_have_no_attractor_the_natural_test_stands_in(reader):
    """As on the real data, whose public attractor sets begin at one."""
    trial, outcome = reader
    whole = SENTENCES.load()
    some = whole["attractors"].slices["attractors"] > 0
    part = Split(
        whole["attractors"].inputs[some],
        whole["attractors"].labels[some],
        "sample:x",
        {"attractors": whole["attractors"].slices["attractors"][some]},
    )
    makers = {name: (lambda name=name: part if name == "attractors" else whole[name]) for name in whole}
    data = TaskData(makers, classes=2, sha256={}, is_sample=True, vocabulary=whole.vocabulary)
    found = list(protocol_of(trial, data).measures.final(build(trial, outcome.weights), diverged=False))
    value = {(r["split"], r["metric"], r.get("attractors")): r["value"] for r in found if "distance" not in r}
    counts = [value["attractors", "accuracy", count] for count in (1, 2, 3, 4)]
    want = (value["test", "accuracy", None] + sum(counts)) / 5
    assert value["attractors", "a_accuracy", None] == pytest.approx(want)
    assert ("attractors", "accuracy", 0) not in value


def test_the_loss_of_a_batch_is_its_cross_entropy(reader):
    trial, outcome = reader
    protocol, model = protocol_of(trial, SENTENCES.load()), build(trial, outcome.weights)
    batch = first_batch(protocol)
    torch.testing.assert_close(
        protocol.objective.loss(model, batch), F.cross_entropy(model(batch.inputs), batch.labels)
    )


@pytest.mark.parametrize("mode", ["eval", "train"])
def test_the_loss_of_a_student_is_the_distillation_loss_of_both_models_logits(reader, mode):
    teacher_trial, outcome = reader
    settings = {"temperature": 2.0, "mixing": 0.7, "scaling": "inverse"}
    trial = tiny_sentence_trial(
        model=TRANSFORMER, seed=1, teacher=teacher_trial, distill=settings | {"teacher_mode": mode}
    )
    protocol, student = protocol_of(trial, SENTENCES.load()), build(trial)
    teacher = build(teacher_trial, outcome.weights)
    with torch.no_grad():  # so that the targets of one sentence are not nearly those of another
        for weight in (teacher.readout.weight, student.readout.weight):
            weight *= 100
    protocol.objective.set_teacher(teacher)
    assert teacher.training == (mode == "train")
    batch = first_batch(protocol)
    torch.manual_seed(0)
    found = protocol.objective.loss(student, batch)
    torch.manual_seed(0)  # the teacher's dropout, if any
    theirs = teacher(batch.inputs).detach()
    torch.testing.assert_close(found, distillation_loss(student(batch.inputs), theirs, batch.labels, **settings))
    found.backward()
    assert all(weight.grad is None for weight in teacher.parameters())


def test_an_epoch_has_the_steps_that_the_schedule_counts(reader):
    protocol = protocol_of(reader[0], SENTENCES.load())
    batches = list(protocol.batching.epoch(torch.Generator().manual_seed(0), CPU))
    assert len(batches) == protocol.batching.steps_per_epoch() == 3
    assert sum(len(batch.labels) for batch in batches) == 48
