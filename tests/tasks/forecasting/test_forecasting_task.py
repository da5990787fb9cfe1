"""Splits, scaling and windows against plain loops; tables from files, from a local server, and refused."""

from datetime import datetime, timedelta

import numpy as np
import pytest
import torch
from pydantic import ValidationError

from inductive_bias.errors import DataError
from inductive_bias.tasks import Forecasting
from inductive_bias.tasks.files import cache_folder, checksum
from inductive_bias.tasks.forecasting import files
from inductive_bias.tasks.forecasting.task import borders

SMALL = Forecasting(data="generated", past=5, horizon=3, rows=100)
NOWHERE = "http://127.0.0.1:9"  # the discard port: nothing listens there
START = {"WTH": datetime(2010, 1, 1), "ETTh1": datetime(2016, 7, 1), "ETTm1": datetime(2016, 7, 1)}
ROWS = {"WTH": 100, "ETTh1": 20 * 30 * 24, "ETTm1": 20 * 30 * 96}


def written(data, values, *, skip=None):
    """A table as its public file is written."""
    table = files.TABLES[data]
    steps = [step for step in range(len(values) + (skip is not None)) if step != skip]
    lines = ["date," + ",".join(f"c{column}" for column in range(values.shape[1]))]
    for step, row in zip(steps, values, strict=True):
        at = (START[data] + timedelta(minutes=table.step * step)).strftime(table.format)
        lines.append(",".join([at, *(repr(float(value)) for value in row)]))
    return "\n".join([*lines, ""]).encode()


def random_values(data):
    return np.random.default_rng(0).normal(3, 2, (ROWS[data], files.TABLES[data].columns)).round(3)


@pytest.fixture
def put(tmp_path, monkeypatch):
    """``put(data, content)`` writes a table where it is looked for, and declares it public."""

    def write(data, content, *, declared=True):
        path = tmp_path / files.TABLES[data].name
        path.parent.mkdir(exist_ok=True)
        path.write_bytes(content)
        if declared:
            monkeypatch.setitem(files.SHA256, files.TABLES[data].name, (checksum(path),))
        return path

    return write


@pytest.mark.parametrize("data", ["ETTh1", "WTH"])
def test_windows_splits_and_scaling_are_those_of_the_published_code(tmp_path, put, data):
    values = random_values(data)
    path = put(data, written(data, values))
    past, horizon = 5, 3
    found = Forecasting(data=data, past=past, horizon=horizon).load(tmp_path, download=False)
    # as in zhouhaoyi/Informer2020 data_loader.py: borders, scaler of the training rows, windows at every row
    if data == "ETTh1":
        first, last = [0, 8640 - past, 11520 - past], [8640, 11520, 14400]
    else:
        test = int(len(values) * 0.2)
        train = int(len(values) * 0.7)
        first, last = (
            [0, len(values) - test - (len(values) - train - test) - past, len(values) - test - past],
            [train, len(values) - test, len(values)],
        )
    scaled = (values - values[: last[0]].mean(0)) / values[: last[0]].std(0)
    for name, begin, end in zip(("train", "validation", "test"), first, last, strict=True):
        rows, split = scaled[begin:end], found[name]
        assert len(split) == len(rows) - past - horizon + 1
        for place in (0, 1, len(split) - 1):
            torch.testing.assert_close(split.inputs[place, :, :-1], torch.tensor(rows[place : place + past]).float())
            wanted = torch.tensor(rows[place + past : place + past + horizon]).float()
            torch.testing.assert_close(split.labels[place], wanted)
        assert split.source == f"real:{data}"
    assert found.sha256 == {files.TABLES[data].name: checksum(path)}
    assert not found.is_sample


def test_what_is_asked_of_the_test_does_not_depend_on_how_much_is_read():
    short, long = (SMALL.model_copy(update={"past": past}).load() for past in (2, 11))
    assert torch.equal(short["test"].labels, long["test"].labels)
    assert torch.equal(short["test"].inputs, long["test"].inputs[:, -2:])


def test_inputs_and_labels_follow_one_another_and_no_label_is_an_input():
    split = SMALL.load()["train"]
    for place in range(len(split) - 5):
        torch.testing.assert_close(split.inputs[place + 3, 2:, :-1], split.labels[place])


@pytest.mark.parametrize(("data", "step"), [("ETTm1", 1), ("WTH", 4)])
def test_the_last_channel_tells_the_time_in_quarters_of_an_hour(tmp_path, put, data, step):
    put(data, written(data, random_values(data)))
    times = Forecasting(data=data, past=4, horizon=2).load(tmp_path, download=False)["train"].inputs[:, :, -1]
    since = (START[data] - datetime(2007, 1, 1)).total_seconds() / 900
    assert times[0].tolist() == [since + step * row for row in range(4)]
    assert times[1, 0] == since + step
    assert files.EPOCH.weekday() == 0


def test_steps_of_a_day_and_dimensions():
    assert [Forecasting(data=data).day for data in ("ETTh1", "ETTm1", "WTH", "generated")] == [24, 96, 24, 24]
    assert Forecasting(data="WTH", horizon=7).dimensions == {"series": 12, "horizon": 7}
    assert SMALL.dimensions == {"series": 3, "horizon": 3}
    assert SMALL.load()["test"].labels.shape[1:] == (3, 3)


def test_fewer_looks_are_drawn_evenly_from_the_validation_windows_alone():
    whole, fewer = SMALL.load(), SMALL.model_copy(update={"looks": 3}).load()
    assert len(whole["validation"]) == 8
    assert torch.equal(fewer["validation"].labels, whole["validation"].labels[::3])
    assert torch.equal(fewer["test"].labels, whole["test"].labels)
    assert len(SMALL.model_copy(update={"looks": 100}).load()["validation"]) == 8
    scored = SMALL.model_copy(update={"scored": 5}).load()
    assert torch.equal(scored["test"].inputs, whole["test"].inputs[::4])
    assert torch.equal(scored["validation"].inputs, whole["validation"].inputs)


def test_made_up_series_are_decided_by_their_seed():
    again, other = SMALL.load(), SMALL.model_copy(update={"data_seed": 1}).load()
    assert again.is_sample
    assert again["train"].source == "generated:days with noise"
    assert not torch.equal(again["train"].labels, other["train"].labels)
    rows = Forecasting(data="generated", past=2, horizon=1, rows=4000).load()["train"].labels[:, 0]
    days = rows[: len(rows) // 24 * 24].unflatten(0, (-1, 24)).mean(0)
    assert (days.amax(0) - days.amin(0) > 1).all()  # a day has a course


def test_tables_are_fetched_into_the_cache_once_and_checked(tmp_path, put, serve, monkeypatch, home):
    values = random_values("WTH")
    (tmp_path / "served" / "WTH.csv").write_bytes(written("WTH", values))
    name = files.TABLES["WTH"].name
    monkeypatch.delenv("INDUCTIVE_BIAS_DATA", raising=False)
    monkeypatch.setenv("INDUCTIVE_BIAS_CACHE", str(tmp_path / "cache"))
    table = files.TABLES["WTH"]._replace(address=f"{serve}WTH.csv")
    monkeypatch.setitem(files.TABLES, "WTH", table)
    task = Forecasting(data="WTH", past=2, horizon=2)
    with pytest.raises(DataError, match=r"time_series/WTH\.csv was not found on this machine"):
        task.load()
    assert not (cache_folder() / name).exists()
    monkeypatch.setitem(files.SHA256, name, (checksum(tmp_path / "served" / "WTH.csv"),))
    assert len(task.load()["test"]) == 19
    monkeypatch.setitem(files.TABLES, "WTH", table._replace(address=NOWHERE))
    found = Forecasting(data="WTH", past=3, horizon=2).load()
    assert found.sha256 == {name: checksum(cache_folder() / name)}


def test_a_table_that_is_nowhere_says_where_it_was_looked_for(tmp_path):
    with pytest.raises(DataError, match=r"looked for ett/ETTh1\.csv or ett/ETTh1\.csv\.gz"):
        Forecasting().load(tmp_path, download=False)


def test_a_table_of_your_own_is_read_if_allowed_and_named(tmp_path, put):
    put("WTH", written("WTH", random_values("WTH")), declared=False)
    task = Forecasting(data="WTH", past=2, horizon=2)
    with pytest.raises(DataError, match=r"WTH\.csv is not the public file .*allow_other=True"):
        task.load(tmp_path, download=False)
    found = task.model_copy(update={"allow_other": True}).load(tmp_path, download=False)
    assert found["test"].source == "own:WTH.csv"


GOOD = np.arange(1200.0).reshape(100, 12)


def lines_moved(content, move, gone=None):
    """The file with line ``move[0]`` once more after line ``move[1]``, and without line ``gone``."""
    lines = content.decode().split("\n")
    copied = lines[move[0] - 1]
    if gone is not None:
        del lines[gone - 1]
    lines.insert(move[1], copied)
    return "\n".join(lines).encode()


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", r"WTH\.csv is empty: line 1 should be a header"),
        (b"date,a\n", "ends after line 1: line 2 should be a date like 01/01/2007 00:00 and 12 numbers"),
        (written("WTH", GOOD)[:-20], "line 101: should be a date .* and 12 numbers, with commas between, not '"),
        (written("WTH", GOOD).replace(b"01/04/2010 02:00", b"x"), "line 76: should be a date .*, not 'x,"),
        (b"\xff" + written("WTH", GOOD), "not UTF-8 text: line 1"),
        (written("WTH", GOOD).split(b"\n", 1)[1], "line 1: should be a header, not the row '01/01/2010 00:00,0"),
        (written("WTH", GOOD) + b"\n", "line 102: should be a date .*, not an empty one"),
        (written("WTH", GOOD) + b" \n\n", "line 102: should be a date .*, not an empty one"),
        (written("WTH", GOOD[:, :3]), "line 2: should be a date .* and 12 numbers"),
        (written("WTH", GOOD[:, :1]), "line 2: should be a date .* and 12 numbers"),
        (written("WTH", np.where(GOOD == 30, np.nan, GOOD)), "line 4: has a number that is not finite"),
        (written("WTH", GOOD, skip=50), "line 52: should have a row every 60 minutes, but .* 03:00 follows .* 01:00"),
        (lines_moved(written("WTH", GOOD), (52, 52)), "line 53: .* every 60 minutes, but (.*) follows \\1"),
        (lines_moved(written("WTH", GOOD, skip=50), (30, 30)), "line 31: .* every 60 minutes"),
        (lines_moved(written("WTH", GOOD), (70, 20), gone=70), "line 21: .* every 60 minutes"),
        (written("WTH", np.where(np.arange(12) == 4, 1, GOOD)), "column 5 is the same in all 70 rows"),
        (written("WTH", GOOD[:5]), "has 3 rows to learn from, fewer than past=4"),
    ],
)
def test_what_is_no_whole_table_is_refused(tmp_path, put, content, message):
    put("WTH", content)
    with pytest.raises(DataError, match=message):
        Forecasting(data="WTH", past=4, horizon=2).load(tmp_path, download=False)["test"]


def test_a_table_of_your_own_whose_rows_are_shuffled_is_refused(tmp_path, put):
    header, first, *rows, last, end = written("WTH", GOOD).decode().split("\n")
    rows = [rows[place] for place in np.random.default_rng(0).permutation(len(rows))]
    put("WTH", "\n".join([header, first, *rows, last, end]).encode(), declared=False)
    with pytest.raises(DataError, match=r"WTH\.csv, line 3: should have a row every 60 minutes"):
        Forecasting(data="WTH", past=4, horizon=2, allow_other=True).load(tmp_path, download=False)


def test_a_table_that_is_rewritten_is_read_again(tmp_path, put):
    task = Forecasting(data="WTH", past=4, horizon=2, allow_other=True)
    put("WTH", written("WTH", random_values("WTH")), declared=False)
    old = task.load(tmp_path, download=False)
    put("WTH", written("WTH", random_values("WTH") + 1), declared=False)
    assert task.load(tmp_path, download=False).sha256 != old.sha256


def test_parts_that_are_too_short_are_refused():
    with pytest.raises(DataError, match="has 10 rows to validate or test on, fewer than 21"):
        borders(Forecasting(data="generated", past=2, horizon=21), 100)
    with pytest.raises(DataError, match="ETTh1 has 14399 rows, and should have 14400"):
        borders(Forecasting(past=2, horizon=2), 14_399)


@pytest.mark.parametrize(
    "wrong",
    [
        {"past": 1},
        {"horizon": 0},
        {"data": "ETTh9"},
        {"order": "random"},
        {"batches": 0},
        {"looks": 0},
        {"scored": 0},
        {"rows": 9},
        {"data_seed": 1},
        {"data": "generated", "allow_other": True},
    ],
)
def test_settings_that_cannot_be_are_refused(wrong):
    with pytest.raises(ValidationError):
        Forecasting(**wrong)
