import json
import os
import resource
import shutil
import signal
from pathlib import Path

import pandas as pd
import pytest
import torch

from inductive_bias.errors import StoreError
from inductive_bias.protocols.measures import row
from inductive_bias.running import Outcome, run_trial
from inductive_bias.store import ARRAYS, DRAFT, RECORD, ROWS, WEIGHTS, LockedError, Store, table_of
from tests.tiny import tiny_student, tiny_trial

TRIAL = tiny_trial()


def outcome(value: float = 0.5) -> Outcome:
    return Outcome(
        rows=[{"split": "test", "metric": "accuracy", "epoch": None, "value": value, "data_source": "s"}],
        weights={"w": torch.arange(3.0)},
        arrays={"features/0": torch.ones(2, 2)},
        minutes=0.1,
        device="cpu",
    )


@pytest.fixture
def store(tmp_path):
    return Store(tmp_path / "runs")


def test_what_is_saved_is_read_back(store):
    assert not store.has(TRIAL)
    store.save(TRIAL, outcome())
    assert store.has(TRIAL)
    assert store.rows(TRIAL)["value"].tolist() == [0.5]
    assert torch.equal(store.weights(TRIAL)["w"], torch.arange(3.0))
    assert torch.equal(store.arrays(TRIAL)["features/0"], torch.ones(2, 2))
    assert store.record(TRIAL)["id"] == TRIAL.id
    record = store.record(TRIAL)
    assert record["versions"]["torch"]
    assert record["threads"] == 1
    assert all(record[name] for name in ("commit", "processor", "device"))


def test_kernels_stand_among_the_versions_that_a_run_depends_on(store):
    found = outcome()
    found.kernels = {"kernel": "abc"}
    store.save(TRIAL, found)
    assert store.record(TRIAL)["versions"].keys() >= {"torch", "kernel"}
    assert store.record(TRIAL)["versions"]["kernel"] == "abc"


def test_a_real_outcome_survives_the_round_trip(store):
    found = run_trial(TRIAL, device="cpu")
    store.save(TRIAL, found)
    pd.testing.assert_frame_equal(store.rows(TRIAL), table_of(found.rows), check_exact=True)
    for name, value in found.weights.items():
        assert torch.equal(store.weights(TRIAL)[name], value)


def test_a_table_of_rows_has_the_coordinates_that_are_used_in_one_order(store):
    rows = [
        row("model", "decay", 0.5, "s", kind="real", head=1, layer=2),
        row("test", "accuracy", 1.0, "s", epoch=3, shift=4),
        row("test", "accuracy", 1.0, "s"),
    ]
    made = outcome()
    made.rows = rows
    store.save(TRIAL, made)
    for table in (table_of(rows), store.rows(TRIAL)):
        assert table.columns.tolist() == [
            "split",
            "metric",
            "epoch",
            "shift",
            "layer",
            "head",
            "kind",
            "value",
            "data_source",
        ]
        assert (table[["epoch", "shift", "layer", "head", "value"]].dtypes == "float64").all()
        assert table["kind"].isna().tolist() == [False, True, True]
        assert table["shift"].isna().tolist() == [True, False, True]
    assert table_of([]).columns.tolist() == ["split", "metric", "epoch", "value", "data_source"]


def test_a_missing_run_is_named(store):
    with pytest.raises(StoreError, match=rf"{TRIAL.id} .*has not been run"):
        store.rows(TRIAL)


@pytest.mark.parametrize("name", [ROWS, WEIGHTS, ARRAYS, RECORD])
@pytest.mark.parametrize("damage", ["truncated", "changed", "removed"])
def test_a_damaged_file_is_named_set_aside_and_its_trial_counts_as_missing(tmp_path, name, damage):
    Store(tmp_path).save(TRIAL, outcome())
    path = tmp_path / TRIAL.id / name
    content = path.read_bytes()
    if damage == "removed":
        path.unlink()
    else:
        path.write_bytes(content[: len(content) // 2] if damage == "truncated" else b"x" + content[1:])
    store = Store(tmp_path)
    with pytest.warns(UserWarning, match=rf"{name} is .*trained again"):
        assert not store.has(TRIAL)
    aside = list((tmp_path / ".damaged").iterdir())
    assert [folder.name.startswith(TRIAL.id) for folder in aside] == [True]
    store.save(TRIAL, outcome(0.75))  # nothing is in the way of training it again
    assert store.rows(TRIAL)["value"].tolist() == [0.75]


def test_a_copied_folder_does_not_become_another_seed(tmp_path):
    store, other = Store(tmp_path), tiny_trial(seed=1)
    store.save(TRIAL, outcome())
    shutil.copytree(store.folder(TRIAL), store.folder(other))
    with pytest.warns(
        UserWarning, match=rf"holds the run of another trial \({TRIAL.id}\), not of {other.id} \(MLP, seed 1"
    ):
        assert not store.has(other)
    assert Store(tmp_path).has(TRIAL)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"files": [1]}, "does not list the files"),
        ({"files": {}}, "does not list the files"),
        ({"trial": {"seed": 3}}, "holds the run of another trial"),
        ({"id": 7}, "holds the run of another trial"),
        ([], "missing or unreadable"),
    ],
    ids=str,
)
def test_a_record_that_does_not_fit_its_folder_is_named_and_set_aside(tmp_path, change, message):
    store = Store(tmp_path)
    store.save(TRIAL, outcome())
    path = store.folder(TRIAL) / RECORD
    path.write_text(json.dumps(json.loads(path.read_text()) | change if change else []))
    with pytest.warns(UserWarning, match=message):
        assert not Store(tmp_path).has(TRIAL)


def test_a_record_with_a_key_twice_is_set_aside(tmp_path):
    store = Store(tmp_path)
    store.save(TRIAL, outcome())
    path = store.folder(TRIAL) / RECORD
    path.write_text(path.read_text().replace("{", f'{{"id": "{TRIAL.id}", ', 1))
    with pytest.warns(UserWarning, match="missing or unreadable"):
        assert not Store(tmp_path).has(TRIAL)


def test_a_record_nested_without_end_is_set_aside(tmp_path):
    store = Store(tmp_path)
    store.save(TRIAL, outcome())
    (store.folder(TRIAL) / RECORD).write_text('{"id": ' + "[" * 10_000 + "]" * 10_000 + "}")
    with pytest.warns(UserWarning, match="missing or unreadable"):
        assert not Store(tmp_path).has(TRIAL)


def test_a_run_that_somebody_else_saved_first_stays(tmp_path):
    store, other = Store(tmp_path), Store(tmp_path)
    other.save(TRIAL, outcome(0.25))
    store.save(TRIAL, outcome(0.75))
    assert store.rows(TRIAL)["value"].tolist() == [0.25]
    assert [path.name for path in tmp_path.iterdir()] == [TRIAL.id]


def test_a_failure_is_kept_until_there_is_a_run(store):
    path = store.fail(TRIAL, "RuntimeError: no", "Traceback\n  here\n")
    assert json.loads(path.read_text())["traceback"] == ["Traceback", "  here"]
    (failure,) = store.failures()
    assert str(failure) == f"MLP, seed 0 ({TRIAL.id}): RuntimeError: no [{path}]"
    path.write_text("[" * 10_000)
    assert [each.reason for each in store.failures()] == ["its record cannot be read"]
    store.save(TRIAL, outcome())
    assert store.failures() == []


def test_a_file_where_a_run_should_be_is_set_aside(tmp_path):
    (tmp_path / TRIAL.id).write_text("in the way")
    store = Store(tmp_path)
    with pytest.warns(UserWarning, match="is a file where the folder of a run should be"):
        assert not store.has(TRIAL)
    store.save(TRIAL, outcome())
    assert store.has(TRIAL)


def test_drafts_of_killed_runs_are_swept_and_those_being_written_stay(tmp_path):
    store, busy = Store(tmp_path), tiny_trial(seed=1)
    left, written = tmp_path / f"{DRAFT}{TRIAL.id}-abc", tmp_path / f"{DRAFT}{busy.id}-def"
    for folder in (left, written):
        folder.mkdir()
        (folder / ROWS).write_text("half")
    with Store(tmp_path).lock(busy):
        assert store.sweep() == [left]
    assert written.exists()
    assert not left.exists()


def test_a_full_disk_is_a_clear_error_and_leaves_nothing_behind(tmp_path):
    """A real limit of the operating system, in a child process: no file may grow beyond 2,000 bytes."""
    store = Store(tmp_path)
    store.save(TRIAL, outcome(0.25))
    child = os.fork()
    if child == 0:
        code = 1
        try:
            signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
            resource.setrlimit(resource.RLIMIT_FSIZE, (2000, 2000))
            big = outcome()
            big.weights = {"w": torch.zeros(100_000)}
            store.save(tiny_trial(seed=1), big)
        except StoreError as error:
            code = 0 if "could not be saved" in str(error) and "finished trials are kept" in str(error) else 2
        finally:
            os._exit(code)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
    assert [path.name for path in tmp_path.iterdir()] == [TRIAL.id]
    assert Store(tmp_path).rows(TRIAL)["value"].tolist() == [0.25]


def test_a_place_that_cannot_be_written_is_a_clear_error(tmp_path):
    (tmp_path / "file").write_text("not a folder")
    store = Store(tmp_path / "file" / "runs")
    with pytest.raises(StoreError, match="could not be saved"):
        store.save(TRIAL, outcome())
    with pytest.raises(StoreError, match="cannot write"), store.lock(TRIAL):
        pass


def test_nothing_remains_of_a_run_that_no_file_can_hold(store):
    found = outcome()
    found.weights = {"one": torch.ones(2)}
    found.weights["two"] = found.weights["one"]
    with pytest.raises(RuntimeError, match="share memory"):
        store.save(TRIAL, found)
    assert list(store.root.iterdir()) == []


def test_a_locked_trial_is_busy_and_free_again(store):
    other = Store(store.root)
    with store.lock(TRIAL):
        with pytest.raises(LockedError), other.lock(TRIAL):
            pass
        with other.lock(tiny_student()):
            pass  # another trial is free
    with other.lock(TRIAL):
        pass


def test_no_pickle_and_no_absolute_path_in_a_run(store):
    store.save(TRIAL, outcome())
    record = json.loads((store.folder(TRIAL) / RECORD).read_text())
    assert str(Path.home()) not in json.dumps(record)
    assert sorted(record["files"]) == sorted([ROWS, WEIGHTS, ARRAYS])
