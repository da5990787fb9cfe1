"""Rows of probes for images, from models whose answers are known."""

import math

import numpy as np
import pytest
import torch
from sklearn.metrics import accuracy_score, log_loss
from torch import nn

from inductive_bias.models import MLPSpec
from inductive_bias.protocols.measures.image_probes import (
    answer_rows,
    arrangement_sensitivity,
    cue_rows,
    in_pieces,
    movement_rows,
)
from inductive_bias.running import run_trial
from inductive_bias.tasks import ImageProbeTask, Split
from inductive_bias.tasks.image_probes import CHANGES, MOVE, SIZE
from inductive_bias.tasks.probes import CONFLICT
from inductive_bias.training import OptimiserSpec, ScheduleSpec
from inductive_bias.trials import Distillation, Trial


class Says(nn.Module):
    """Answers what a function of the images says."""

    def __init__(self, answer):
        super().__init__()
        self.weight = nn.Parameter(torch.zeros(()))
        self.answer = answer

    def forward(self, images):
        return self.answer(images) + self.weight


def rows_by_metric(rows):
    return {row["metric"]: row["value"] for row in rows}


def small(probe="how many", **options):
    options = {"schedule": ScheduleSpec(epochs=1, batch_size=4), "seed": 3} | options
    model = MLPSpec(widths=(6,), dropout=0.0, l1=0.0, l2=0.0)
    return Trial(task=ImageProbeTask(probe=probe, test_size=20, validation_size=8), model=model, **options)


def test_metrics_are_those_of_sklearn():
    split = ImageProbeTask(probe="how many", test_size=50).load()["test"]
    logits = torch.randn(50, 6, generator=torch.Generator().manual_seed(0))
    found = rows_by_metric(answer_rows(Says(lambda images: logits), split, "test"))
    labels = split.labels.numpy()
    assert found["accuracy"] == pytest.approx(accuracy_score(labels, logits.argmax(1).numpy()))
    assert found["nll"] == pytest.approx(
        log_loss(labels, logits.double().softmax(1).numpy(), labels=range(6)), rel=1e-5
    )
    assert found["constant_accuracy"] == pytest.approx(np.bincount(labels).max() / 50)
    assert 0 < found["ece_20"] < 1


def test_answers_that_are_no_numbers_are_equally_likely():
    split = ImageProbeTask(probe="how many", test_size=50).load()["test"]
    found = rows_by_metric(answer_rows(Says(lambda images: torch.full((50, 6), math.nan)), split, "test"))
    assert found["nll"] == pytest.approx(math.log(6))


@pytest.mark.parametrize(("first", "second"), [(20, 0), (0, 20), (5, 15), (6, 2), (0, 0)])
def test_a_preference_is_a_share_of_what_is_decided(first, second):
    split = ImageProbeTask(probe="shape or place", test_size=20).load()[CONFLICT]
    other = split.slices["second"]
    neither = torch.tensor(
        [next(k for k in range(4) if k not in (a, b)) for a, b in zip(split.labels, other, strict=True)]
    )
    told = torch.cat((split.labels[:first], other[first : first + second], neither[first + second :]))
    found = rows_by_metric(cue_rows(Says(lambda images: nn.functional.one_hot(told, 4).float()), split, CONFLICT))
    assert found["decided_share"] == (first + second) / 20
    if first + second:
        assert found["preference"] == pytest.approx(first / (first + second))
    else:
        assert math.isnan(found["preference"])


def split_of(images):
    return Split(images, torch.zeros(len(images), dtype=torch.long), "made")


def test_a_sum_stays_when_nothing_leaves_the_image():
    images = torch.zeros(6, 1, SIZE, SIZE)
    images[..., 6:10, 6:10] = torch.rand(6, 1, 4, 4)
    found = rows_by_metric(
        movement_rows(Says(lambda x: x.sum((2, 3)) * torch.tensor([1.0, -1.0])), split_of(images), "test", pieces=True)
    )
    assert found["invariance_error"] == pytest.approx(0.0, abs=1e-6)
    assert found["arrangement_sensitivity"] == pytest.approx(0.0, abs=1e-5)


def test_the_error_is_that_of_a_loop():
    """Logits are pixels: the distance to the moved image in units of that between images, by the definition."""
    images = torch.rand(5, 1, SIZE, SIZE, generator=torch.Generator().manual_seed(1))
    found = rows_by_metric(movement_rows(Says(lambda x: x.flatten(1)), split_of(images), "test", pieces=False))
    errors = []
    for axis, pixels in ((2, MOVE), (2, -MOVE), (3, MOVE), (3, -MOVE)):
        there = images.roll(pixels, axis)
        gone = [slice(None)] * 4
        gone[axis] = slice(0, MOVE) if pixels > 0 else slice(SIZE - MOVE, SIZE)
        there[tuple(gone)] = 0
        own = [float((there[i] - images[i]).square().sum()) for i in range(5)]
        strange = [float((there[i] - images[j]).square().sum()) for i in range(5) for j in range(5) if i != j]
        errors.append(math.sqrt(np.mean(own) / np.mean(strange)))
    assert found["invariance_error"] == pytest.approx(np.mean(errors), rel=1e-4)


def test_pieces_change_places_and_keep_their_pixels():
    images = torch.arange(2 * 3 * 64.0).view(2, 3, 8, 8)
    torn = in_pieces(images)
    for row in range(2):
        for column in range(2):
            wanted = images[..., 4 * (1 - row) : 4 * (2 - row), 4 * (1 - column) : 4 * (2 - column)]
            assert torch.equal(torn[..., 4 * row : 4 * row + 4, 4 * column : 4 * column + 4], wanted)


@pytest.mark.parametrize(
    ("answer", "wanted"),
    [
        (lambda x: x.mean((2, 3)) * torch.tensor([1.0, 2.0]), 0.0),  # a bag of pixels
        (lambda x: torch.ones(len(x), 2), 0.0),  # a constant listens to nothing
    ],
)
def test_what_sees_a_bag_does_not_tell_pieces(answer, wanted):
    images = torch.rand(4, 1, SIZE, SIZE)
    assert arrangement_sensitivity(Says(answer), images) == pytest.approx(wanted, abs=1e-4)


def test_a_pixel_tells_pieces():
    images = torch.rand(400, 1, SIZE, SIZE, generator=torch.Generator().manual_seed(0))
    found = arrangement_sensitivity(Says(lambda x: x[:, :, 0, 0]), images)
    # two independent pixels differ as much within an image as between images
    assert found == pytest.approx(1.0, abs=0.1)


@pytest.mark.parametrize("probe", ["how many", "shape or place", "digits", "untrained images"])
def test_a_run_has_the_rows_of_its_probe(probe):
    trial = small(probe)
    if not trial.task.trains:
        trial = small(probe, schedule=ScheduleSpec(epochs=0, batch_size=4))
    final = [row for row in run_trial(trial, device="cpu").rows if row["epoch"] is None]
    found = {(row["split"], row["metric"]) for row in final if row["split"] not in ("model", "train")}
    answers = {"accuracy", "constant_accuracy", "nll", "ece_20"}
    wanted = {("validation", "accuracy"), ("validation", "nll"), *(("test", metric) for metric in answers)}
    if probe == "shape or place":
        wanted |= {(CONFLICT, "preference"), (CONFLICT, "decided_share")}
    if probe == "digits":
        wanted |= {(change, metric) for change in CHANGES for metric in answers} | {("test", "invariance_error")}
    if probe == "untrained images":
        wanted = {("test", "invariance_error"), ("test", "arrangement_sensitivity")}
    assert {each for each in found if each[1] not in ("diverged", "loss")} == wanted
    assert [row["value"] for row in final if row["metric"] == "parameters"]


@pytest.mark.parametrize("probe", ["how many", "shape or place", "digits"])
def test_a_run_that_diverged_keeps_its_rows_without_values(probe):
    rate = OptimiserSpec(learning_rate=1e30, method="sgd", clip_norm=None)
    lost, usual = (
        [row for row in run_trial(small(probe, **options), device="cpu").rows if row["epoch"] is None]
        for options in ({"optimiser": rate}, {})
    )
    key = [(row["split"], row["metric"]) for row in usual if row["split"] in ("validation", "test", CONFLICT, *CHANGES)]
    found = {(row["split"], row["metric"]): row["value"] for row in lost}
    assert all(math.isnan(found[each]) for each in key)


def test_runs_of_one_seed_see_the_same_images():
    first, second, other = (small(seed=seed).task.draw(4, torch.Generator().manual_seed(seed)) for seed in (1, 1, 2))
    assert torch.equal(first[0], second[0])
    assert not torch.equal(first[0], other[0])


def test_a_student_learns_from_a_teacher():
    """Soft targets alone: the student of a teacher is not the model that learnt alone."""
    teacher, alone = small(seed=5), small()
    student = small(distill=Distillation(teacher=teacher, temperature=1.0, mixing=1.0))
    weights = run_trial(teacher, device="cpu").weights
    losses = [
        [row["value"] for row in run_trial(each, device="cpu", **given).rows if row["metric"] == "loss"]
        for each, given in ((alone, {}), (student, {"teacher_weights": weights}))
    ]
    assert losses[0] != losses[1]
