import random
import signal
import subprocess
import sys
import time
from pathlib import Path

import pandas as pd
import pytest

from inductive_bias.engine import missing, run_missing
from inductive_bias.errors import DataError, SettingError
from inductive_bias.store import WEIGHTS, Store
from inductive_bias.trials import in_order
from tests.run_tiny_study import TRIALS
from tests.tiny import tiny_student, tiny_trial

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


def test_ray_is_asked_for_clearly_where_it_is_not_installed(tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "ray.util.joblib", None)
    with pytest.raises(SettingError, match=r"needs the cluster extra: pip install .*\[cluster\]'"):
        run_missing([tiny_trial()], Store(tmp_path), device="cpu", engine="ray", progress=False)


@pytest.mark.slow
def test_a_ray_cluster_gives_the_results_of_one_process(tmp_path, uninterrupted, monkeypatch):
    ray = pytest.importorskip("ray", reason="the optional cluster extra is not installed")
    monkeypatch.setenv("RAY_USAGE_STATS_ENABLED", "0")
    monkeypatch.setenv("PYTHONPATH", str(SCRIPT.parents[1]))
    try:
        run_missing(TRIALS, Store(tmp_path), device="cpu", jobs=2, engine="ray", progress=False)
    finally:
        ray.shutdown()
    pd.testing.assert_frame_equal(table(Store(tmp_path)), uninterrupted, check_exact=True)
