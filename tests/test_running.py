import math

import pandas as pd
import pytest
import torch

from inductive_bias import running
from inductive_bias.errors import SettingError
from inductive_bias.layers import kernels
from inductive_bias.losses import soft_cross_entropy
from inductive_bias.models import RecurrentSpec
from inductive_bias.protocols.measures import SCALAR_METRICS
from inductive_bias.running import Run, build, resolve_device, run_trial
from inductive_bias.tasks import Heartbeats
from inductive_bias.training import DivergedError, OptimiserSpec, ScheduleSpec
from inductive_bias.trials import Trial
from tests.tiny import CNN, TASK, tiny_student, tiny_trial


def rows_of(outcome) -> pd.DataFrame:
    return pd.DataFrame(outcome.rows)


def same(a: pd.DataFrame, b: pd.DataFrame) -> None:
    pd.testing.assert_frame_equal(a, b, check_exact=True)


@pytest.mark.parametrize("name", ["tpu9", "cuda:99", ""])
def test_a_device_that_is_not_there(name):
    with pytest.raises(SettingError, match="not available here"):
        resolve_device(name)


def test_a_student_without_its_teacher():
    with pytest.raises(ValueError, match="teacher_weights"):
        run_trial(tiny_student(), device="cpu")


def test_the_same_trial_twice_gives_identical_rows_and_weights():
    state = torch.random.get_rng_state()
    first, again = (run_trial(tiny_trial(model=CNN), device="cpu") for _ in range(2))
    same(rows_of(first), rows_of(again))
    for name, value in first.weights.items():
        assert torch.equal(value, again.weights[name])
    assert torch.equal(torch.random.get_rng_state(), state)  # nobody else's random numbers were touched


def test_the_number_of_threads_changes_nothing():
    threads = torch.get_num_threads()
    try:
        found = []
        for count in (1, 2):
            torch.set_num_threads(count)
            found.append(rows_of(run_trial(tiny_trial(), device="cpu")))
            assert torch.get_num_threads() == count
    finally:
        torch.set_num_threads(threads)
    same(*found)


@pytest.mark.parametrize("before", [True, False])
def test_a_run_does_without_cudnn_attention_and_leaves_the_choice_as_it_was(before):
    chosen = torch.backends.cuda.cudnn_sdp_enabled()
    try:
        torch.backends.cuda.enable_cudnn_sdp(before)
        with running.reproducible(0, torch.device("cpu")):
            assert not torch.backends.cuda.cudnn_sdp_enabled()
        assert torch.backends.cuda.cudnn_sdp_enabled() == before
    finally:
        torch.backends.cuda.enable_cudnn_sdp(chosen)


def test_denormal_numbers_are_flushed_in_runs_that_ask_for_it_and_nowhere_else(monkeypatch):
    found = []

    def look(*args, **options):
        found.append((torch.full((8,), 1e-40) * 1).max().item())
        raise RuntimeError("seen")

    monkeypatch.setattr(running, "fit", look)
    schedule = tiny_trial().schedule
    for wanted in (False, True):
        update = {"schedule": schedule.model_copy(update={"flush_denormals": wanted})}
        trial = tiny_trial().model_copy(update=update)
        with pytest.raises(RuntimeError, match="seen"):
            run_trial(trial, device="cpu")
    found.append((torch.full((8,), 1e-40) * 1).max().item())
    assert found == [pytest.approx(1e-40, rel=1e-4), 0.0, pytest.approx(1e-40, rel=1e-4)]


@pytest.mark.parametrize(("named", "used"), [("", False), ("0", False), ("1", True)])
def test_a_trial_uses_a_kernel_only_where_it_is_asked_for_and_says_so(named, used, monkeypatch):
    monkeypatch.setenv("INDUCTIVE_BIAS_KERNEL", named)
    wanted = []
    monkeypatch.setattr(running, "fit", lambda *given, **options: wanted.append(kernels.asked()))
    outcome = run_trial(tiny_trial(), device="cpu")
    assert wanted == [used]
    assert outcome.kernels == (kernels.kernel_versions() if used else {})
    assert bool(outcome.kernels) is used


def test_rows_cover_every_split_and_metric():
    outcome = run_trial(tiny_trial(), device="cpu")
    rows = rows_of(outcome)
    final = rows[rows["epoch"].isna()]
    for split in ("validation", "test", "translate"):
        assert set(SCALAR_METRICS) <= set(final.loc[final["split"] == split, "metric"])
    assert rows["data_source"].str.startswith("sample:").all()
    history = rows[(rows["split"] == "train") & (rows["metric"] == "loss")]
    assert history["epoch"].tolist() == [1, 2]
    assert sorted(outcome.arrays) == ["features/0", "features/2"]
    assert outcome.arrays["features/2"].shape == (500, 8)
    accuracies = final[(final["split"] == "test") & (final["metric"] == "accuracy")].set_index("shift")["value"]
    shifted, clean = accuracies[accuracies.index.notna()], accuracies[accuracies.index.isna()].item()
    assert shifted.index.tolist() == list(range(9))
    assert shifted[0] == pytest.approx(clean)  # a shift by nothing is the test set itself


def test_reliability_rows_add_up_to_the_test_set():
    rows = rows_of(run_trial(tiny_trial(epochs=1), device="cpu"))
    counts = rows[(rows["split"] == "test") & (rows["metric"] == "reliability_count")]
    assert counts["value"].sum() == 40
    assert len(counts) == 20


@pytest.fixture(scope="module")
def teacher():
    return run_trial(tiny_trial(epochs=6), device="cpu")


class TestDistillation:
    def student(self, **changes):
        return tiny_student(teacher=tiny_trial(epochs=6), **changes)

    def test_a_student_comes_closer_to_its_teacher_than_an_undistilled_model(self, teacher):
        student = self.student().model_copy(update={"schedule": tiny_trial(epochs=12).schedule})
        alone = tiny_trial(seed=1, epochs=12)
        data = TASK.load()["train"].inputs
        targets = build(tiny_trial(), teacher.weights)(data).detach()
        distance = {}
        for name, outcome in {
            "student": run_trial(student, device="cpu", teacher_weights=teacher.weights),
            "alone": run_trial(alone, device="cpu"),
        }.items():
            distance[name] = float(soft_cross_entropy(build(alone, outcome.weights)(data).detach(), targets))
        assert distance["student"] < distance["alone"]

    def test_a_student_starts_where_its_undistilled_twin_starts(self, teacher):
        student = run_trial(self.student(), device="cpu", teacher_weights=teacher.weights)
        twin = run_trial(tiny_trial(seed=1), device="cpu")
        assert torch.equal(student.arrays["features/0"], twin.arrays["features/0"])
        assert not torch.equal(student.arrays["features/2"], twin.arrays["features/2"])

    def test_every_setting_changes_what_is_learnt(self, teacher):
        changes = [{}, {"scaling": "inverse"}, {"scaling": "none"}, {"teacher_mode": "train"}, {"mixing": 0.5}]
        found = [run_trial(self.student(**c), device="cpu", teacher_weights=teacher.weights) for c in changes]
        losses = [tuple(rows_of(f).query("metric == 'loss'")["value"]) for f in found]
        assert len(set(losses)) == len(changes)

    def test_a_diverged_teacher_makes_a_diverged_student_that_stays_in_the_table(self, teacher):
        broken = {
            name: torch.full_like(value, math.nan) if value.is_floating_point() else value
            for name, value in teacher.weights.items()
        }
        rows = rows_of(run_trial(self.student(), device="cpu", teacher_weights=broken))
        diverged = rows[rows["metric"] == "diverged"]
        assert diverged["value"].tolist() == [1.0]
        assert diverged["epoch"].tolist() == [1]
        final = rows[rows["epoch"].isna()]
        values = final[(final["split"] == "test") & (final["metric"] == "accuracy")]["value"]
        assert len(values) == 1
        assert values.isna().all()


def test_weights_that_are_no_numbers_end_a_run_whatever_its_score():
    """A share of right answers is finite even where every output is NaN."""
    trial = Trial(
        task=Heartbeats(data="generated", beats=8, batches=1),
        model=RecurrentSpec(cell="lstm", states=4),
        optimiser=OptimiserSpec(),
        schedule=ScheduleSpec(epochs=2, batch_size=16),
    )
    run = Run(trial, torch.device("cpu"), None)
    with torch.no_grad():
        next(run.model.parameters()).fill_(math.nan)
    with pytest.raises(DivergedError, match="epoch 1"):
        run.after_epoch(1, 0.5)
    scores = [each["value"] for each in run.rows if each["metric"] == "macro_f1"]
    assert len(scores) == 1
    assert math.isfinite(scores[0])


def test_a_loss_that_explodes_is_recorded_as_diverged():
    # a learning rate so large that the weight penalty overflows
    rows = rows_of(run_trial(tiny_trial(epochs=3, rate=1e30), device="cpu"))
    assert rows.loc[rows["metric"] == "diverged", "value"].item() == 1.0
