"""Splits between patients and between beats, intervals and shifts against loops; files that are read or refused."""

import gzip
import io

import numpy as np
import pytest
import torch
from pydantic import ValidationError

from inductive_bias.errors import DataError
from inductive_bias.tasks import Heartbeats
from inductive_bias.tasks.files import checksum
from inductive_bias.tasks.heartbeats import BASELINES, baseline_answers, files, mitdb, shifted
from inductive_bias.tasks.heartbeats.task import VALIDATION

MADE = Heartbeats(data="generated", beats=12)
RECORDS = {101: "DS1", 201: "DS1", **dict.fromkeys(VALIDATION, "DS1"), 100: "DS2", 202: "DS2", 102: "neither"}


def packed(per_record=8, **changed):
    """A file like that of the beats: in every record N, S, V, F, Q, N …; the values of beat i are all i."""
    records = np.repeat(sorted(RECORDS), per_record)
    n = len(records)
    interval = np.full(n, 360)
    interval[::per_record] = 0
    interval[1::per_record] = 180
    arrays = {
        "X": np.repeat((np.arange(n) % 256)[:, None], 144, 1).astype(np.uint8),
        "record": records,
        "y": (np.arange(n) % per_record % 5).astype(np.uint8),
        "rr_prev": interval,
    }
    stream = io.BytesIO()
    np.savez(stream, **{name: array for name, array in (arrays | changed).items() if array is not None})
    return stream.getvalue()


def patients():
    rows = [f"{record},60,F,{split}" for record, split in RECORDS.items()]
    return "\n".join(["record,age,sex,split", *rows, ""]).encode()


def ecg5000(rows, seed=0):
    rng = np.random.default_rng(seed)
    table = np.column_stack([np.arange(rows) % 5 + 1, rng.normal(size=(rows, 140))])
    return "\n".join(" ".join(f"{value:.7e}" for value in row) for row in table).encode() + b"\n"


@pytest.fixture
def put(tmp_path, monkeypatch):
    """``put(name, content)`` writes a file where it is looked for, and declares it public."""

    def write(name, content, *, declared=True):
        path = tmp_path / name
        path.parent.mkdir(exist_ok=True)
        path.write_bytes(content)
        if declared:
            table = mitdb.SHA256 if name in mitdb.SHA256 else files.SHA256
            monkeypatch.setitem(table, name, (checksum(path),))
        return path

    return write


@pytest.fixture
def mitbih(put, tmp_path):
    put(files.BEATS, packed())
    put(files.PATIENTS, patients())
    return tmp_path


def test_patients_are_of_one_split_alone_and_the_man_of_both_sides_is_of_one(mitbih):
    data = Heartbeats().load(mitbih, download=False)
    who = {name: set(split.slices["record"].tolist()) for name, split in data.items()}
    assert who == {"train": {101, 201}, "validation": set(VALIDATION), "test": {100}}
    kept = Heartbeats(left_out=()).load(mitbih, download=False)
    assert set(kept["test"].slices["record"].tolist()) == {100, 202}
    assert data["test"].source == "real:mitbih"
    assert set(data.sha256) == {files.BEATS, files.PATIENTS}


def test_beats_are_those_of_the_file_scaled_and_fusion_and_unknown_ones_are_left_out(mitbih):
    data = Heartbeats().load(mitbih, download=False)
    split, place = data["test"], sorted(RECORDS).index(100)
    assert split.labels.tolist() == [0, 1, 2, 0, 1, 2]
    assert split.inputs.shape == (6, 144, 1)
    wanted = [(8 * place + beat) % 256 / 127.5 - 1 for beat in (0, 1, 2, 5, 6, 7)]
    torch.testing.assert_close(split.inputs[:, 7, 0], torch.tensor(wanted))


def test_intervals_are_seconds_to_both_neighbours_whatever_their_kind(mitbih):
    inputs = Heartbeats(rhythm=True).load(mitbih, download=False)["test"].inputs
    assert inputs.shape == (6, 144, 3)
    assert (inputs[:, :, 1:] == inputs[:, :1, 1:]).all()
    # of beats 0, 1, 2, 5, 6, 7 of a record, in whose file a beat follows after a second, the second after a half
    before, after = [0.5, 0.5, 1, 1, 1, 1], [0.5, 1, 1, 1, 1, 1]
    for channel, seconds in ((1, before), (2, after)):
        torch.testing.assert_close(inputs[:, 0, channel], torch.log(torch.tensor(seconds) / 0.8))


def test_a_random_split_has_as_many_beats_but_patients_on_all_sides(mitbih):
    patients_apart, leaking = (Heartbeats(split=split).load(mitbih, download=False) for split in ("patients", "beats"))
    assert [len(leaking[name]) for name in leaking] == [len(patients_apart[name]) for name in patients_apart]
    who = [set(leaking[name].slices["record"].tolist()) for name in ("train", "test")]
    assert who[0] & who[1]

    def seen(data):
        return sorted(value for split in data.values() for value in split.inputs[:, 0, 0].tolist())

    assert seen(leaking) == seen(patients_apart)  # every beat once
    again, other = (Heartbeats(split="beats", data_seed=seed).load(mitbih, download=False) for seed in (0, 1))
    assert torch.equal(again["train"].inputs, leaking["train"].inputs)
    assert not torch.equal(other["train"].inputs, leaking["train"].inputs)


def test_fewer_looks_and_scores_are_drawn_evenly():
    whole, some = MADE.load(), MADE.model_copy(update={"scored": 20, "looks": 5}).load()
    assert torch.equal(some["test"].inputs, whole["test"].inputs[::3])
    assert torch.equal(some["validation"].labels, whole["validation"].labels[::3])
    assert torch.equal(some["train"].inputs, whole["train"].inputs)


@pytest.mark.parametrize("by", [-3, -1, 0, 1, 4])
def test_a_shift_moves_every_channel_and_repeats_the_end(by):
    inputs = torch.randn(2, 5, 3)
    found = shifted(inputs, by)
    for place in range(5):
        torch.testing.assert_close(found[:, place], inputs[:, min(max(place - by, 0), 4)])
    with pytest.raises(ValueError, match="by must lie in −4 … 4"):
        shifted(inputs, 5)


def test_settings_that_change_no_data_share_the_data():
    assert MADE.load() is MADE.model_copy(update={"shifts": (3,), "weights": "root", "batches": 2}).load()


def test_made_up_beats_are_a_sample_with_patients_apart():
    data = MADE.load()
    assert data.is_sample
    assert data.label_names == ("N", "S", "V")
    who = [set(split.slices["record"].tolist()) for split in data.values()]
    assert not (who[0] & who[1] | who[0] & who[2] | who[1] & who[2])
    assert data["train"].inputs.abs().max() <= 1
    assert MADE.dimensions == {"outputs": 3, "channels": 1}
    assert MADE.length == 144
    assert Heartbeats(data="ecg5000").dimensions == {"outputs": 5, "channels": 1}


def test_ecg5000_is_read_as_text_or_as_an_array_and_a_fifth_of_the_training_chooses(put, tmp_path, serve, monkeypatch):
    train, test = ecg5000(50), ecg5000(15, seed=1)
    put(files.TRAIN, train)
    put(files.TEST_TEXT, test)
    task = Heartbeats(data="ecg5000")
    data = task.load(tmp_path, download=False)
    assert {name: len(split) for name, split in data.items()} == {"train": 40, "validation": 10, "test": 15}
    assert data["validation"].labels.bincount().tolist() == [2] * 5
    table = np.array([line.split() for line in test.decode().splitlines()], dtype=np.float32)
    torch.testing.assert_close(data["test"].inputs[..., 0], torch.from_numpy(table[:, 1:]))
    assert data["test"].labels.tolist() == (table[:, 0] - 1).astype(int).tolist()
    # elsewhere, from their public addresses
    stream = io.BytesIO()
    np.save(stream, table)
    for name, content in ((files.TRAIN, train), (files.TEST_ARRAY, stream.getvalue())):
        served = tmp_path / "served" / name.split("/")[1]
        served.write_bytes(content)
        monkeypatch.setitem(files.ADDRESSES, name, f"{serve}{served.name}")
        monkeypatch.setitem(files.SHA256, name, (checksum(served),))
    fetched = task.load()
    torch.testing.assert_close(fetched["test"].inputs, data["test"].inputs)
    assert set(fetched.sha256) == {files.TRAIN, files.TEST_ARRAY}


def test_files_of_your_own_are_read_if_allowed_and_named(put, tmp_path):
    put(files.BEATS, packed(), declared=False)
    put(files.PATIENTS, patients())
    with pytest.raises(DataError, match="is not the public file"):
        Heartbeats().load(tmp_path, download=False)
    assert Heartbeats(allow_other=True).load(tmp_path, download=False)["test"].source == "own:mitbih_beats.npz"


def test_files_that_are_nowhere_are_asked_for(tmp_path):
    with pytest.raises(DataError, match=r"looked for mitbih/mitbih_beats\.npz.*144 files of PhysioNet.*144 are"):
        Heartbeats().load(tmp_path, download=False)
    with pytest.raises(DataError, match=r"looked for mitbih/patients\.csv.*48 files of PhysioNet"):
        Heartbeats().patients(tmp_path, download=False)
    with pytest.raises(DataError, match=r"looked for ecg5000/ECG5000_TRAIN\.txt"):
        Heartbeats(data="ecg5000").load(tmp_path, download=False)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"no zip", "not a whole .npz file of beats"),
        (packed()[:-40], "not a whole .npz file of beats"),
        (packed(X=None), "not a whole .npz file of beats"),
        (packed(X=np.zeros((72, 143), np.uint8)), r"should be uint8 \[beats, 144\]"),
        (packed(y=np.zeros(3, np.uint8)), "should be as many"),
        (packed(y=np.full(72, 5, np.uint8)), "y should be 0 to 4"),
        (packed(y=np.full(72, np.nan)), r"y should be integers \[beats\], not float64 \[72\]"),
        (packed(y=np.full(72, "N")), r"y should be integers \[beats\], not <U1"),
        (packed(y=np.zeros((72, 2), np.uint8)), r"y should be integers \[beats\], not uint8 \[72, 2\]"),
        (packed(y=np.uint8(0)), r"y should be integers \[beats\], not uint8 \[\]"),
        (packed(record=np.full(72, 100.5)), r"record should be integers \[beats\]"),
        (packed(rr_prev=np.full(72, "soon")), r"rr_prev should be numbers \[beats\]"),
        (packed(rr_prev=np.where(np.arange(72) == 4, np.nan, 1.0)), "not below 0, but is nan of beat 5; 1 beats"),
        (packed(rr_prev=np.arange(72) - 1), "rr_prev should be finite and not below 0, but is -1 of beat 1"),
        (packed(record=np.tile([100, 101], 36)), "of a record should stand together"),
        (packed(record=np.repeat([100, 999], 36)), r"beats of the records \[999\], of which no split is known"),
        (packed(y=np.zeros(72, np.uint8)), "the split train has no beat of class S, V"),
    ],
)
def test_what_is_no_file_of_beats_is_refused(put, tmp_path, content, message):
    put(files.BEATS, content)
    put(files.PATIENTS, patients())
    with pytest.raises(DataError, match=message):
        Heartbeats().load(tmp_path, download=False)


def test_whose_records_there_are(put, tmp_path):
    put(files.PATIENTS, b"record,age,sex,split\n100,69,M,DS2\n103,,F,DS1\n")
    assert Heartbeats().patients(tmp_path) == {100: ("DS2", "M", 69), 103: ("DS1", "F", None)}
    assert Heartbeats(data="ecg5000").patients(tmp_path) == {}
    made = MADE.patients()
    test = set(MADE.load()["test"].slices["record"].tolist())
    assert {record for record, patient in made.items() if patient.section == "DS2"} == test
    assert {made[record].sex for record in test} == {"F", "M"}


@pytest.mark.parametrize(
    "content",
    [
        b"record,age,sex,split\n1,60,F,DS3\n",
        b"a,b\n1,2\n",
        b"record,age,sex,split\nx,60,F,DS1\n",
        b"record,age,sex,split\n1,60,X,DS1\n",
        b"record,age,sex,split\n1,old,F,DS1\n",
        b"record,age,sex,split\n1\n",
    ],
)
def test_what_is_no_list_of_patients_is_refused(put, tmp_path, content):
    put(files.BEATS, packed())
    put(files.PATIENTS, content)
    with pytest.raises(DataError, match="should have the columns record, age, sex and split"):
        Heartbeats().load(tmp_path, download=False)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"record,age,sex,split\n1,60,F,DS1\n2,60,F,DS1\n1,60,F,DS2\n", "line 4: the patient of record 1 .* once"),
        (b"", "should hold patients below the header"),
        (b"record,age,sex,split\n\n", "should hold patients below the header"),
        (b"record,age,sex,split\n\n1," + b"6" * 200_000, "line 3: a field should have at most 131,072 characters"),
    ],
)
def test_what_a_list_of_patients_lacks_is_said(put, tmp_path, content, message):
    put(files.PATIENTS, content, declared=False)
    with pytest.raises(DataError, match=rf"patients\.csv,? {message}"):
        Heartbeats(allow_other=True).patients(tmp_path, download=False)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", "there is none in it"),
        (ecg5000(5) + b"\n", "line 6: should be a class and 140 numbers"),
        (ecg5000(5) + b"1 2\n", "line 6: should be a class and 140 numbers"),
        (ecg5000(5).replace(b"\n3", b"\n7"), "line 3: the first column should be a class, 1 to 5"),
        (ecg5000(5).replace(b"\n3.0000000e+00", b"\nnan"), "line 3: the first column should be a class"),
        (ecg5000(5).replace(b"\n3", b" 1\n3"), "line 2: should be a class and 140 numbers"),
        (ecg5000(5)[:-5] + b"e+39\n", "line 5: the numbers should be finite and below"),
        (ecg5000(4), "has 4 beats; there should be 5 at least"),
    ],
)
def test_which_line_is_no_beat_is_said(put, tmp_path, content, message):
    put(files.TRAIN, content, declared=False)
    put(files.TEST_TEXT, ecg5000(5))
    with pytest.raises(DataError, match=rf"ECG5000_TRAIN.*{message}"):
        Heartbeats(data="ecg5000", allow_other=True).load(tmp_path, download=False)


def test_an_array_of_beats_that_claims_more_than_it_has_is_refused(put, tmp_path):
    stream = io.BytesIO()
    np.lib.format.write_array_header_1_0(stream, {"descr": "<f4", "fortran_order": False, "shape": (10**13, 141)})
    put(files.TRAIN, ecg5000(5))
    put(files.TEST_ARRAY, stream.getvalue())
    with pytest.raises(DataError, match=r"claims float32 \[10000000000000, 141\]"):
        Heartbeats(data="ecg5000").load(tmp_path, download=False)


def test_beats_that_are_rewritten_are_read_again(mitbih):
    task = Heartbeats(allow_other=True)
    old = task.load(mitbih, download=False)
    (mitbih / files.BEATS).write_bytes(packed(13))
    new = task.load(mitbih, download=False)
    assert len(new["test"]) > len(old["test"])
    assert new.sha256[files.BEATS] != old.sha256[files.BEATS]


@pytest.mark.parametrize(
    "content", [b"1 2 3\n", b"1 x\n", ecg5000(5).replace(b"e", b"f"), b"7" + ecg5000(5)[1:], b"\x1f\x8b"]
)
def test_what_is_no_table_of_beats_is_refused(put, tmp_path, content):
    put(files.TRAIN, content)
    put(files.TEST_TEXT, ecg5000(5))
    with pytest.raises(DataError, match="ECG5000_TRAIN"):
        Heartbeats(data="ecg5000").load(tmp_path, download=False)


@pytest.mark.parametrize(
    "wrong",
    [
        {"data": "ecg5000", "rhythm": True},
        {"data": "ecg5000", "split": "beats"},
        {"beats": 9},
        {"data_seed": 1},
        {"data": "generated", "allow_other": True},
        {"shifts": (0,)},
        {"shifts": (1, 1)},
        {"shifts": (3, -144)},
        {"data": "ecg5000", "shifts": (140,)},
        {"batches": 0},
        {"weights": "all"},
    ],
)
def test_settings_that_cannot_be_are_refused(wrong):
    with pytest.raises(ValidationError):
        Heartbeats(**wrong)


def test_baselines_are_those_of_scikit_learn_done_by_hand():
    task = MADE.model_copy(update={"beats": 40})
    data = task.load()
    answers = baseline_answers(data, rhythm=task.model_copy(update={"rhythm": True}).load())
    assert tuple(answers) == BASELINES
    assert set(answers[BASELINES[0]].tolist()) == {0}
    train, test = data["train"], data["test"]
    means = torch.stack([train.inputs[train.labels == kind].mean(0) for kind in range(3)])
    nearest = ((test.inputs[:, None] - means) ** 2).sum((2, 3)).argmin(1)
    assert answers[BASELINES[1]].tolist() == nearest.tolist()
    # early and wide beats of made-up records come early: the interval before tells them from the usual ones
    usual = answers[BASELINES[2]] == 0
    assert (usual == (test.labels.numpy() == 0)).mean() > 0.95
    assert tuple(baseline_answers(data)) == BASELINES[:2]


def test_the_public_files_have_what_is_declared(shared_data_folder):
    for name in (files.BEATS, files.PATIENTS):
        if not (shared_data_folder / name).is_file():
            pytest.skip("the real files are not here")
    data = Heartbeats().load(shared_data_folder, download=False)
    assert data["test"].labels.bincount().tolist() == [42179, 1782, 3201]
    assert data["train"].labels.bincount().tolist() == [38905 + 0, 721, 3015]
    answers = baseline_answers(data)
    assert (answers[BASELINES[0]] == data["test"].labels.numpy()).mean() == pytest.approx(0.894, abs=0.001)


def test_gzip_of_the_text_is_read_too(put, tmp_path):
    content = ecg5000(20)
    put(files.TRAIN, content)
    (tmp_path / files.TRAIN).unlink()
    (tmp_path / f"{files.TRAIN}.gz").write_bytes(gzip.compress(content))
    put(files.TEST_TEXT, ecg5000(5))
    assert len(Heartbeats(data="ecg5000").load(tmp_path, download=False)["train"]) == 16
