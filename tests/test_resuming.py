"""A training that goes on from a file gives the very numbers of one that was never interrupted."""

import math
import os
import random
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
import torch

from inductive_bias import resuming, running
from inductive_bias.engine import run_missing
from inductive_bias.errors import SettingError
from inductive_bias.layers import RSASpec
from inductive_bias.models import BlockRecurrentSpec, MixingSpec, RecurrentSpec
from inductive_bias.plugins import OwnModel
from inductive_bias.protocols import TruncatedBPTT
from inductive_bias.resuming import ENV_MINUTES, minutes_between
from inductive_bias.running import Outcome, run_trial
from inductive_bias.stacked_seeds import Stack, run_together
from inductive_bias.store import Store
from inductive_bias.tasks import LastParity, NextCharacter, ProbeTask, SegmentStream, WordModelling
from inductive_bias.training import OptimiserSpec, ScheduleSpec
from inductive_bias.trials import Distillation, Trial
from tests.test_stacked_seeds import signal as stackable
from tests.tiny import CAUSAL, CNN, SENTENCES, tiny_language_trial, tiny_sentence_trial, tiny_student, tiny_trial

TEXT = {"text": "grammar", "vocabulary_size": 40, "sentences": 60}
SMALL = {"width": 8, "inner": 8, "layers": 2, "mixer": RSASpec(heads=4), "dropout": 0.1}


def of(task, model, **schedule) -> Trial:
    schedule = ScheduleSpec(**{"epochs": 2, "batch_size": 8} | schedule)
    return Trial(task=task, model=model, optimiser=OptimiserSpec(learning_rate=1e-2), schedule=schedule)


def taught_by_one_that_changes() -> Trial:
    """A teacher in training mode has dropout and running means."""
    teacher = tiny_trial(model=CNN, epochs=1)
    how = Distillation(teacher=teacher, temperature=5.0, teacher_mode="train")
    return tiny_trial(seed=1).model_copy(update={"distill": how})


TRIALS = {
    "dropout and running means": tiny_trial(model=CNN),
    "buckets": tiny_sentence_trial(epochs=2),
    "language model": tiny_language_trial(epochs=2),
    "teacher": tiny_student(),
    "teacher that changes": taught_by_one_that_changes(),
    "endless stream, best weights": of(
        LastParity(length=5, train_size=19, test_size=8), RecurrentSpec(cell="lstm", states=8, embedding=4)
    ),
    "states that go on": of(
        WordModelling(window=6, **TEXT | {"vocabulary_size": 240}),
        RecurrentSpec(cell="lstm", states=8, embedding=6, cutoffs=(100,)),
    ),
    "memory of segments": of(
        SegmentStream(window=8, **TEXT), BlockRecurrentSpec(window=4, states=2, recurrent=1, **SMALL), batch_size=32
    ),
    "plain descent in float64": Trial(
        task=NextCharacter(window=10, **TEXT),
        model=RecurrentSpec(states=4, embedding=3),
        optimiser=OptimiserSpec(learning_rate=0.5, method="sgd", clip_norm=None),
        schedule=ScheduleSpec(epochs=2, batch_size=4, decay="inverse", precision="float64"),
        checkpoints=(0, 2),
    ),
    "white noise": of(
        ProbeTask(probe="white noise", test_size=8, data_seed=1), MixingSpec(layers=1, width=8, feedforward=0)
    ),
    # no LSTM: a processor without AVX-512 has no kernel for it in bfloat16
    "bfloat16": tiny_language_trial(model=CAUSAL, epochs=2, precision="bfloat16"),
}
#: What takes seconds: four trainings, and what is measured after each.
LONG_ONES = {
    "dropout and running means",
    "memory of segments",
    "language model",
    "plain descent in float64",
    "bfloat16",
}


class Killed(BaseException):
    """As of a process that is killed: nothing catches it."""


def struck(step: int):
    """Something to tell steps to that strikes after a number of them."""

    def tell(made: int, steps: int) -> None:
        if made == step:
            raise Killed

    return tell


def steps_of(trial: Trial, **options) -> tuple[Outcome, int]:
    made = [0]
    found = run_trial(trial, device="cpu", tell=lambda step, steps: made.append(step), **options)
    return found, made[-1]


def same(one: Outcome, other: Outcome) -> None:
    pd.testing.assert_frame_equal(pd.DataFrame(one.rows), pd.DataFrame(other.rows), check_exact=True)
    for name in ("weights", "arrays"):
        ours, theirs = getattr(one, name), getattr(other, name)
        assert ours.keys() == theirs.keys()
        for each, value in ours.items():
            assert torch.equal(value.nan_to_num(7.0), theirs[each].nan_to_num(7.0)), each


def teacher_weights(trial: Trial):
    return run_trial(trial.teacher, device="cpu").weights if trial.teacher else None


@pytest.fixture
def every_step(monkeypatch):
    monkeypatch.setenv(ENV_MINUTES, "0")


@pytest.mark.parametrize("name", [pytest.param(n, marks=[pytest.mark.slow] if n in LONG_ONES else []) for n in TRIALS])
def test_a_training_killed_twice_gives_the_rows_and_weights_of_one_that_is_not(name, tmp_path, every_step):
    trial, file = TRIALS[name], tmp_path / "here" / "trial.pt"
    theirs = teacher_weights(trial)
    whole, steps = steps_of(trial, teacher_weights=theirs)
    assert steps > 3
    assert not file.exists()
    for step in (steps // 3, steps - 1):  # within the first and within the last epoch
        with pytest.raises(Killed):
            run_trial(trial, device="cpu", teacher_weights=theirs, checkpoint=file, tell=struck(step))
    made = []
    ours = run_trial(
        trial, device="cpu", teacher_weights=theirs, checkpoint=file, tell=lambda step, steps: made.append(step)
    )
    same(ours, whole)
    assert ours.resumed == 2
    assert whole.resumed == 0
    assert ours.minutes > 0


@pytest.mark.parametrize("dropout", [0.0, 0.2])
def test_a_stack_goes_on_as_well(tmp_path, every_step, dropout):
    trials = [stackable(number=number, dropout=dropout) for number in range(2)]
    whole = run_together(trials, compiled=False)
    with pytest.raises(Killed):
        run_together(trials, compiled=False, checkpoint=tmp_path / "trial.pt", tell=struck(30))
    losses = []
    forward = Stack.forward
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Stack, "forward", lambda stack, batches: losses.append(1) or forward(stack, batches))
        found = run_together(trials, compiled=False, checkpoint=tmp_path / "trial.pt")
    for ours, theirs in zip(found, whole, strict=True):
        same(ours, theirs)
        assert ours.resumed == 1
    assert len(losses) < 25


def test_only_what_was_not_kept_is_trained_again(tmp_path, every_step, monkeypatch):
    trial, file = tiny_trial(epochs=4), tmp_path / "trial.pt"
    _, steps = steps_of(trial)
    with pytest.raises(Killed):
        run_trial(trial, device="cpu", checkpoint=file, tell=struck(steps - 2))
    losses = []
    loss = running.Run.loss
    monkeypatch.setattr(running.Run, "loss", lambda run, *given: losses.append(1) or loss(run, *given))
    run_trial(trial, device="cpu", checkpoint=file)
    assert len(losses) == 2


def test_nothing_is_written_by_a_short_training(tmp_path):
    run_trial(tiny_trial(), device="cpu", checkpoint=tmp_path / "trial.pt")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("change", ["code", "versions", "processor", "trial"])
def test_a_training_of_other_code_or_another_machine_starts_anew(tmp_path, every_step, monkeypatch, change):
    trial, file = tiny_trial(), tmp_path / "trial.pt"
    with pytest.raises(Killed):
        run_trial(trial, device="cpu", checkpoint=file, tell=struck(3))
    if change == "trial":
        trial = tiny_trial(seed=1)
    else:
        value = {"other": "1"} if change == "versions" else "other"
        monkeypatch.setattr(resuming, {"code": "_code"}.get(change, change), lambda: value)
    with pytest.warns(UserWarning, match=rf"was made with another {change}: MLP, seed \d is trained from the start"):
        found = run_trial(trial, device="cpu", checkpoint=file)
    assert found.resumed == 0
    same(found, run_trial(trial, device="cpu"))


@pytest.mark.parametrize("damage", ["cut", "nonsense", "pickle"])
def test_a_damaged_file_is_named_and_nothing_in_it_is_run(tmp_path, every_step, damage):
    trial, file = tiny_trial(), tmp_path / "trial.pt"
    with pytest.raises(Killed):
        run_trial(trial, device="cpu", checkpoint=file, tell=struck(3))
    if damage == "pickle":
        torch.save({"identity": Dangerous(str(tmp_path / "run"))}, file)
    else:
        file.write_bytes(file.read_bytes()[:1000] if damage == "cut" else b"nonsense")
    with pytest.warns(UserWarning, match=r"trial\.pt cannot be read .* is trained from the start"):
        found = run_trial(trial, device="cpu", checkpoint=file)
    same(found, run_trial(trial, device="cpu"))
    assert not (tmp_path / "run").exists()


class Dangerous:
    """What makes a file when it is unpickled."""

    def __init__(self, path: str):
        self.path = path

    def __reduce__(self):
        return Path.touch, (Path(self.path),)


def test_a_counter_in_a_model_of_ones_own_goes_on(tmp_path, every_step, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("mine.py").write_text(
        "from torch import nn\n\n"
        "class Counts(nn.Module):\n"
        "    def __init__(self, classes):\n"
        "        super().__init__()\n"
        "        self.linear, self.calls, self.last = nn.Linear(784, classes), 0, None\n\n"
        "    def forward(self, images):\n"
        "        if self.training:\n"
        "            self.calls += 1\n"
        "        answer = self.linear(images.flatten(1)) / (1 + max(0, self.calls - 4))\n"
        "        self.last = answer.detach().mean()\n"
        "        return answer\n"
    )
    trial = tiny_trial().model_copy(update={"model": OwnModel("mine.py:Counts")})
    whole = run_trial(trial, device="cpu")
    with pytest.raises(Killed):
        run_trial(trial, device="cpu", checkpoint=tmp_path / "trial.pt", tell=struck(4))
    same(run_trial(trial, device="cpu", checkpoint=tmp_path / "trial.pt"), whole)


def test_random_numbers_of_numpy_go_on(tmp_path, every_step, monkeypatch):
    loss = running.Run.loss
    monkeypatch.setattr(running.Run, "loss", lambda run, *given: loss(run, *given) * (1 + np.random.random()))  # noqa: NPY002
    trial, file = tiny_trial(), tmp_path / "trial.pt"
    whole = run_trial(trial, device="cpu")
    with pytest.raises(Killed):
        run_trial(trial, device="cpu", checkpoint=file, tell=struck(4))
    same(run_trial(trial, device="cpu", checkpoint=file), whole)


def test_all_generators_are_put_back():
    place = torch.device("cpu")
    kept = resuming._random_state(place)
    drawn = torch.rand(1), np.random.random(), random.random()  # noqa: NPY002
    resuming._set_random_state(kept, place)
    assert random.getstate() == kept["python"]  # first: the checks of annotations in tests draw from it
    assert (torch.rand(1), np.random.random()) == drawn[:2]  # noqa: NPY002


def test_batches_that_cannot_be_drawn_again_let_the_training_start_anew(tmp_path, every_step, monkeypatch):
    trial, file = tiny_trial(), tmp_path / "trial.pt"
    with pytest.raises(Killed):
        run_trial(trial, device="cpu", checkpoint=file, tell=struck(4))
    whole, order = run_trial(trial, device="cpu"), torch.Generator.get_state
    draws = []

    def another_the_first_time(generator):
        draws.append(1)
        return order(generator) + (len(draws) == 1)

    monkeypatch.setattr(resuming, "_order_of", lambda run: another_the_first_time(run.order))
    found = run_trial(trial, device="cpu", checkpoint=file)
    assert found.resumed == 0
    same(found, whole)


def test_what_no_file_can_hold_is_said_and_training_goes_on(tmp_path, every_step, monkeypatch):
    start = TruncatedBPTT.__init__

    def with_more(self, given):
        start(self, given)
        self.more = object()

    monkeypatch.setattr(TruncatedBPTT, "__init__", with_more)
    trial = TRIALS["states that go on"]
    with pytest.warns(UserWarning, match="is not kept while it is trained: it has a object"):
        run_trial(trial, device="cpu", checkpoint=tmp_path / "trial.pt")
    assert list(tmp_path.iterdir()) == []


def test_a_place_that_cannot_be_written_is_said_and_training_goes_on(tmp_path, every_step):
    (tmp_path / "file").write_text("in the way")
    with pytest.warns(UserWarning, match="could not be written, training goes on"):
        found = run_trial(tiny_trial(), device="cpu", checkpoint=tmp_path / "file" / "trial.pt")
    same(found, run_trial(tiny_trial(), device="cpu"))


@pytest.mark.parametrize(("named", "minutes"), [("", 5.0), ("0", 0.0), ("2.5", 2.5), ("inf", math.inf)])
def test_minutes_are_what_the_environment_says(monkeypatch, named, minutes):
    monkeypatch.setenv(ENV_MINUTES, named)
    assert minutes_between() == minutes


@pytest.mark.parametrize("named", ["-1", "nan", "often"])
def test_minutes_that_are_none_are_refused(monkeypatch, named):
    monkeypatch.setenv(ENV_MINUTES, named)
    with pytest.raises(SettingError, match=f"{ENV_MINUTES} must be a number of minutes"):
        minutes_between()


SCRIPT = """
import sys
from pathlib import Path
from inductive_bias.engine import run_missing
from inductive_bias.store import Store
from tests.test_resuming import LONG
run_missing([LONG], Store(Path(sys.argv[1])), device="cpu", jobs=1, progress=False)
"""
LONG = tiny_sentence_trial(task=SENTENCES.model_copy(update={"train_size": 480}), epochs=30)


@pytest.mark.slow
def test_a_process_killed_in_the_middle_of_a_trial_loses_no_row(tmp_path):
    store, whole = Store(tmp_path / "killed"), Store(tmp_path / "whole")
    told = os.environ | {ENV_MINUTES: "0.002", "PYTHONPATH": os.pathsep.join(sys.path)}
    command = [sys.executable, "-c", SCRIPT, str(store.root)]
    file = store.checkpoint(LONG)
    for _ in range(2):
        before = file.stat().st_mtime_ns if file.exists() else 0
        with subprocess.Popen(command, env=told) as process:
            deadline = time.monotonic() + 120
            while time.monotonic() < deadline and (not file.exists() or file.stat().st_mtime_ns == before):
                time.sleep(0.005)
            time.sleep(0.1)
            process.send_signal(signal.SIGKILL)
        assert not store.has(LONG)
    subprocess.run(command, env=told, check=True, timeout=300)
    assert store.record(LONG)["resumed"] == 2
    assert not file.exists()
    run_missing([LONG], whole, device="cpu", jobs=1, progress=False)
    assert "resumed" not in whole.record(LONG)
    pd.testing.assert_frame_equal(store.rows(LONG), whole.rows(LONG), check_exact=True)
    for name, value in whole.weights(LONG).items():
        assert torch.equal(store.weights(LONG)[name], value)
