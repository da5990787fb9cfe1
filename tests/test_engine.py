import json
import os
import random
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import pandas as pd
import pytest
import torch

from inductive_bias import engine, locks, running
from inductive_bias.engine import missing, run_missing
from inductive_bias.errors import DataError, FailedTrialsError, SettingError, StoreError
from inductive_bias.failures import FAILED
from inductive_bias.plugins import OwnModel
from inductive_bias.running import reason_not_here, run_trial
from inductive_bias.store import LOCKS, WEIGHTS, Store
from inductive_bias.trials import Trial, in_order
from tests.run_tiny_study import TRIALS
from tests.tiny import CAUSAL, tiny_language_trial, tiny_student, tiny_trial

SCRIPT = Path(__file__).with_name("run_tiny_study.py")


def table(store: Store) -> pd.DataFrame:
    return pd.concat([store.rows(trial).assign(trial=trial.id) for trial in in_order(TRIALS)], ignore_index=True)


def start(runs: Path, jobs: int = 1) -> subprocess.Popen:
    return subprocess.Popen([sys.executable, str(SCRIPT), str(runs), str(jobs)], stdout=subprocess.PIPE, text=True)


@pytest.fixture(scope="module")
def uninterrupted(tmp_path_factory):
    store = Store(tmp_path_factory.mktemp("uninterrupted"))
    assert run_missing(TRIALS, store, device="cpu", jobs=1, progress=False) == 8
    return table(store)


def test_teachers_are_trained_first_and_each_trial_once(tmp_path):
    store = Store(tmp_path)
    student = tiny_student()
    assert missing([student], store) == [student.teacher, student]
    assert run_missing([student, student], store, device="cpu", jobs=1, progress=False) == 2
    assert missing([student], store) == []
    assert run_missing([student], store, device="cpu", jobs=1, progress=False) == 0


@pytest.mark.slow
def test_worker_processes_give_the_results_of_one_process(tmp_path, uninterrupted):
    store = Store(tmp_path)
    assert run_missing(TRIALS, store, device="cpu", jobs=2, progress=False) == 8
    pd.testing.assert_frame_equal(table(store), uninterrupted, check_exact=True)


@pytest.mark.slow
def test_a_killed_run_loses_at_most_the_trial_in_flight(tmp_path, uninterrupted):
    """``kill -9`` again and again, at moments that no code could prepare for; then the same command finishes."""
    moments, store = random.Random(0), Store(tmp_path)
    kills, kept = 0, set()
    while missing(TRIALS, store) and kills < 20:
        process = start(tmp_path)
        ahead = {trial.id for trial in missing(TRIALS, store)}
        deadline, wanted = time.monotonic() + 300, moments.choice([0, 1, 2])  # a guard: slow machines are killed too
        # wait for a number of finished trials, then strike while another one is being trained or written
        while process.poll() is None and time.monotonic() < deadline:
            if len(ahead & {path.name for path in tmp_path.iterdir()}) >= wanted:
                time.sleep(moments.uniform(0, 0.4))
                process.send_signal(signal.SIGKILL)
                break
            time.sleep(0.01)
        process.wait()
        process.stdout.close()
        kills += process.returncode == -signal.SIGKILL
        done = {trial.id for trial in in_order(TRIALS)} - {trial.id for trial in missing(TRIALS, Store(tmp_path))}
        assert kept <= done  # nothing that was finished is lost
        kept = done
        if kills >= 4:
            break
    assert kills >= 3
    run_missing(TRIALS, store, device="cpu", jobs=1, progress=False)
    pd.testing.assert_frame_equal(table(store), uninterrupted, check_exact=True)


@pytest.mark.slow
def test_two_processes_share_the_work_of_one_study(tmp_path, uninterrupted):
    processes = [start(tmp_path) for _ in range(2)]
    counts = [int(process.communicate(timeout=600)[0].split()[-1]) for process in processes]
    assert [process.returncode for process in processes] == [0, 0]
    assert sum(counts) == 8  # each trial was trained once
    pd.testing.assert_frame_equal(table(Store(tmp_path)), uninterrupted, check_exact=True)


def test_a_damaged_teacher_is_trained_again_and_its_student_stays(tmp_path):
    store, student = Store(tmp_path), tiny_student()
    run_missing([student], store, device="cpu", jobs=1, progress=False)
    before = store.rows(student)
    (store.folder(student.teacher) / WEIGHTS).write_bytes(b"nonsense")
    with pytest.warns(UserWarning, match=r"weights\.safetensors is damaged"):
        assert run_missing([student], Store(tmp_path), device="cpu", jobs=1, progress=False) == 1
    pd.testing.assert_frame_equal(Store(tmp_path).rows(student), before)


def test_the_bar_counts_trials(tmp_path, capsys):
    run_missing([tiny_trial()], Store(tmp_path), device="cpu", jobs=1, progress=True)
    shown = capsys.readouterr().err
    assert "0/1" in shown
    assert "1/1" in shown
    assert "MLP, seed 0" in shown


@pytest.mark.parametrize(("changes", "message"), [({"jobs": 0}, "jobs=0"), ({"device": "cuda:77"}, "cuda:77")])
def test_bad_settings_are_refused_before_anything_is_written(tmp_path, changes, message):
    with pytest.raises(SettingError, match=message):
        run_missing([tiny_trial()], Store(tmp_path / "runs"), progress=False, **{"device": "cpu"} | changes)
    assert not (tmp_path / "runs").exists()


def test_a_data_folder_that_is_not_there_is_refused_even_if_nothing_reads_it(tmp_path):
    store = Store(tmp_path / "runs")
    with pytest.raises(DataError, match=r"root= should name a folder of data, but .*nowhere is not a folder"):
        run_missing([tiny_trial()], store, device="cpu", root=tmp_path / "nowhere", progress=False)
    run_missing([tiny_trial()], store, device="cpu", jobs=1, progress=False)
    with pytest.raises(DataError, match="is not a folder"):  # complete: there is nothing to read at all
        run_missing([tiny_trial()], store, device="cpu", root=tmp_path / "nowhere", progress=False)
    assert run_missing([], store, device="cpu", root=tmp_path / "nowhere", progress=False) == 0


ALONE = {"device": "cpu", "jobs": 1, "progress": False}


class TestFailures:
    @pytest.fixture
    def broken(self, monkeypatch):
        """Ids of trials that fail, each with its error."""
        found: dict[str, BaseException] = {}

        def run(trial: Trial, **options):
            if trial.id in found:
                raise found[trial.id]
            return run_trial(trial, **options)

        monkeypatch.setattr(engine, "run_trial", run)
        return found

    @pytest.mark.parametrize("error", [RuntimeError("out of\nmemory"), MemoryError(), SystemExit(3)], ids=repr)
    def test_a_trial_that_fails_stops_no_other_and_is_kept_with_its_traceback(self, tmp_path, broken, error):
        store, trials = Store(tmp_path), [tiny_trial(seed=seed, epochs=1) for seed in range(3)]
        broken[trials[0].id] = error
        with pytest.raises(
            FailedTrialsError, match=rf"1 of 3 trials have no run.*MLP, seed 0 \({trials[0].id}\): "
        ) as e:
            run_missing(trials, store, **ALONE)
        assert e.value.exit_status == 1
        assert e.value.ran == 2
        assert missing(trials, store) == [trials[0]]
        (failure,) = store.failures()
        assert (failure.id, failure.label) == (trials[0].id, "MLP, seed 0")
        assert failure.reason == f"{type(error).__name__}: {' '.join(str(error).split())}"
        assert failure.path == tmp_path / FAILED / f"{trials[0].id}.json"
        record = json.loads(failure.path.read_text())
        assert "raise found[trial.id]" in "\n".join(record["traceback"])
        broken.clear()
        assert run_missing(trials, store, **ALONE) == 1  # it is tried again
        assert store.failures() == []
        assert not failure.path.exists()

    def test_what_is_wrong_with_every_trial_stands_first_and_the_folder_after_it(self, tmp_path, broken):
        trials = [tiny_trial(seed=seed, epochs=1) for seed in range(2)]
        for trial in trials:
            broken[trial.id] = ValueError("wrong shape")
        with pytest.raises(FailedTrialsError) as error:
            run_missing(trials, Store(tmp_path), **ALONE)
        said = str(error.value)
        assert said.startswith(f"ValueError: wrong shape (MLP, seed 0 ({trials[0].id}), MLP, seed 1 (")
        assert said.endswith(
            f". 2 of 2 trials have no run. Tracebacks are in {tmp_path / FAILED}. The next call tries them again."
        )

    def test_a_student_of_a_teacher_that_failed_is_not_tried(self, tmp_path, broken):
        store, student = Store(tmp_path), tiny_student()
        broken[student.teacher.id] = ValueError("no")
        broken[student.id] = AssertionError("it was tried")
        with pytest.raises(FailedTrialsError, match="2 of 2 trials have no run") as error:
            run_missing([student], store, **ALONE)
        assert f"its teacher, MLP, seed 0 ({student.teacher.id}), has no run" in error.value.failed[student.id]
        assert [failure.id for failure in store.failures()] == [student.teacher.id]

    def test_data_that_cannot_be_read_are_looked_for_once_a_task(self, tmp_path, broken):
        trials = [tiny_trial(seed=seed, epochs=1) for seed in range(3)]
        other = trials[0].model_copy(update={"task": trials[0].task.model_copy(update={"test_size": 39})})
        broken[trials[0].id] = DataError("there is no file")
        broken[trials[1].id] = broken[trials[2].id] = AssertionError("it was tried")
        with pytest.raises(FailedTrialsError, match=r"3 of 4 .*seed 0 .*, MLP, seed 1 .*: there is no file") as error:
            run_missing([*trials, other], Store(tmp_path), **ALONE)
        assert set(error.value.failed.values()) == {"there is no file"}

    def test_a_place_that_cannot_be_written_stops_the_call(self, tmp_path, broken):
        trials = [tiny_trial(seed=seed, epochs=1) for seed in range(2)]
        broken[trials[0].id] = StoreError("the disk is full")
        broken[trials[1].id] = AssertionError("it was tried")
        with pytest.raises(StoreError, match="the disk is full"):
            run_missing(trials, Store(tmp_path), **ALONE)

    def test_many_failures_are_told_in_a_line(self, tmp_path, broken):
        trials = [tiny_trial(seed=seed, epochs=1) for seed in range(9)]
        for number, each in enumerate(trials):
            broken[each.id] = ValueError(str(min(number // 2, 3) if number < 8 else 4))
        with pytest.raises(FailedTrialsError) as error:
            run_missing(trials, Store(tmp_path), **ALONE)
        assert "\n" not in str(error.value)
        assert "and 2 further reasons" in str(error.value)
        assert len(str(error.value)) < 600


OWN = """
import os, signal, sys, time
from torch import nn

class Odd(nn.Module):
    def __init__(self, classes, how="", file=""):
        super().__init__()
        self.linear, self.how, self.file = nn.Linear(784, classes), how, file

    def forward(self, images):
        if self.training:
            if self.how == "raises":
                raise RuntimeError("no memory of the future")
            if self.how == "killed":
                os.kill(os.getpid(), signal.SIGKILL)
            if self.how == "sleeps":
                open(self.file, "a").write(f"{os.getpid()}\\n")
                time.sleep(600)
        return self.linear(images.flatten(1))
"""


@pytest.fixture
def odd(tmp_path, monkeypatch):
    """From what goes wrong to a trial of a model of one's own."""
    monkeypatch.chdir(tmp_path)
    Path("odd.py").write_text(OWN)

    def trial(seed: int = 0, **arguments: str) -> Trial:
        model = OwnModel("odd.py:Odd", arguments=arguments)
        return tiny_trial(seed=seed, epochs=1).model_copy(update={"model": model})

    return trial


@pytest.mark.slow
def test_a_worker_that_is_killed_takes_its_own_trial_along_and_no_other(tmp_path, odd):
    trials = [odd(0, how="killed"), odd(1, how="raises"), *(odd(seed) for seed in range(2, 6))]
    store = Store(tmp_path / "runs")
    with pytest.raises(FailedTrialsError, match="2 of 6 trials have no run") as error:
        run_missing(trials, store, device="cpu", jobs=2, progress=False)
    assert error.value.failed[trials[0].id] == (
        "its process was ended from outside (SIGKILL(-9)): was there too little memory?"
    )
    assert "RuntimeError: no memory of the future" in error.value.failed[trials[1].id]
    assert missing(trials, store) == trials[:2]
    assert {failure.id for failure in store.failures()} == {each.id for each in trials[:2]}


@pytest.mark.slow
@pytest.mark.parametrize("how", [signal.SIGTERM, signal.SIGKILL])
def test_workers_end_with_their_parent_and_their_trials_are_free(tmp_path, odd, how):
    trials = [odd(seed, how="sleeps", file=str(tmp_path / "pids")) for seed in range(2)]
    code = (
        "import sys; from pathlib import Path; from inductive_bias.engine import run_missing\n"
        "from inductive_bias.store import Store; from inductive_bias.trials import Trial\n"
        "trials = [Trial.model_validate_json(each) for each in sys.argv[1:]]\n"
        "run_missing(trials, Store(Path('runs')), device='cpu', jobs=2, progress=False)\n"
    )
    told = [sys.executable, "-c", code, *(each.model_dump_json() for each in trials)]
    store, pids = Store(tmp_path / "runs"), set()
    with subprocess.Popen(told) as parent:
        deadline = time.monotonic() + 120
        while len(pids) < 2 and time.monotonic() < deadline:
            time.sleep(0.05)
            pids = set((tmp_path / "pids").read_text().split()) if (tmp_path / "pids").exists() else set()
        assert {store.holder(each).pid for each in trials} == set(map(int, pids))
        parent.send_signal(how)
    deadline = time.monotonic() + 10
    while any(Path(f"/proc/{pid}").exists() for pid in pids) and time.monotonic() < deadline:
        time.sleep(0.05)
    assert not [pid for pid in pids if Path(f"/proc/{pid}").exists()]
    for each in trials:
        with store.lock(each):
            pass


class TestOthers:
    """Trials that another process is running."""

    def test_it_is_said_who_runs_a_trial_and_waited_for(self, tmp_path, monkeypatch):
        store, other, trial = Store(tmp_path), Store(tmp_path), tiny_trial(epochs=1)
        monkeypatch.setattr(engine, "LOOK", 0.01)
        outcome = run_trial(trial, device="cpu")
        begun, told = threading.Event(), threading.Event()

        def run():
            with other.lock(trial):
                begun.set()
                told.wait(20)
                other.save(trial, outcome)

        thread = threading.Thread(target=run)
        thread.start()
        begun.wait(20)
        monkeypatch.setattr(engine.time, "sleep", lambda seconds: told.set())
        wanted = rf"waiting for MLP, seed 0 \({trial.id}\): {trial.id} is held by process {os.getpid()} on .* since 20"
        with pytest.warns(UserWarning, match=wanted):
            assert run_missing([trial], store, **ALONE) == 0
        thread.join()
        assert store.has(trial)

    def test_nobody_waits_for_ever_for_who_does_not_say_who_it_is(self, tmp_path, monkeypatch):
        store, trials = Store(tmp_path), [tiny_trial(seed=seed, epochs=1) for seed in range(2)]
        monkeypatch.setattr(engine, "LOOK", 0.0)
        monkeypatch.setattr(engine, "STALE", 0.05)
        with store.lock(trials[0]):
            (tmp_path / LOCKS / f"{trials[0].id}.json").unlink()
            with pytest.warns(UserWarning, match="held by another process"), pytest.raises(FailedTrialsError) as error:
                run_missing(trials, store, **ALONE)
        assert f"somebody holds {tmp_path / LOCKS / trials[0].id}.lock without" in error.value.failed[trials[0].id]
        assert store.has(trials[1])

    def test_a_holder_on_another_machine_without_a_sign_of_life_is_replaced(self, tmp_path):
        store, trial = Store(tmp_path), tiny_trial(epochs=1)
        note = tmp_path / LOCKS / f"{trial.id}.json"
        with store.lock(trial):
            note.write_text(json.dumps(json.loads(note.read_text()) | {"host": "elsewhere"}))
            os.utime(note, (time.time() - 2 * locks.STALE,) * 2)
            assert run_missing([trial], store, **ALONE) == 1


class TestPrecision:
    @pytest.fixture
    def old(self, monkeypatch):
        """A processor without kernels for an LSTM in bfloat16."""
        monkeypatch.setattr(
            running, "_reason_without_bfloat16", lambda kind: "no kernel" if kind is torch.nn.LSTM else ""
        )

    def test_what_the_processor_cannot_run_is_left_out_before_the_first_trial(self, tmp_path, old):
        store, fine = Store(tmp_path), tiny_trial(epochs=1)
        lstm, other = (tiny_language_trial(precision="bfloat16", **more) for more in ({}, {"model": CAUSAL}))
        with (
            pytest.warns(
                UserWarning, match=r"1 of 3 missing trials are left out \(the first: LSTM, seed 0\): no kernel"
            ),
            pytest.raises(FailedTrialsError, match=r"1 of 3 .*LSTM, seed 0 .*: no kernel") as error,
        ):
            run_missing([lstm, fine, other], store, **ALONE)
        assert error.value.ran == 2
        assert missing([lstm, fine, other], store) == [lstm]
        with pytest.raises(SettingError, match=r"LSTM, seed 0 .*: no kernel"):
            run_trial(lstm, device="cpu")

    def test_other_precisions_and_devices_are_not_asked_about(self, old):
        assert reason_not_here(tiny_language_trial(), torch.device("cpu")) == ""
        half = tiny_language_trial(precision="bfloat16")
        assert reason_not_here(half, torch.device("cpu")) == "no kernel"
        assert reason_not_here(half, torch.device("meta")) == ""

    @pytest.mark.slow
    def test_the_kernel_itself_is_asked(self):
        """With the instructions of an older processor oneDNN has no such kernel."""
        code = (
            "import torch; from inductive_bias.running import reason_not_here\n"
            "from tests.tiny import tiny_language_trial\n"
            "print(reason_not_here(tiny_language_trial(precision='bfloat16'), torch.device('cpu')))"
        )
        told = os.environ | {"ONEDNN_MAX_CPU_ISA": "AVX2", "PYTHONPATH": os.pathsep.join(sys.path)}
        answer = subprocess.run([sys.executable, "-c", code], env=told, capture_output=True, text=True, check=True)
        assert answer.stdout.startswith(
            "this processor has no kernel for LSTM in bfloat16 (could not create a primitive"
        )
