"""Beats of two sets from files: the MIT-BIH arrhythmia database, cut into beats here, and ECG5000."""

import csv
import io
import zipfile
import zlib
from pathlib import Path
from typing import NamedTuple

import numpy as np
from jaxtyping import Float32, Int64

from inductive_bias.errors import DataError
from inductive_bias.tasks import downloads, files, identity
from inductive_bias.tasks.heartbeats import mitdb
from inductive_bias.tasks.heartbeats.cutting import AAMI, RATE, Arrays, digest
from inductive_bias.tasks.heartbeats.mitdb import BEATS, INSTEAD, PATIENTS
from inductive_bias.tasks.lines import lines_of

#: Of ECG5000: 500 beats to learn from, and all but one of its 4,500 test beats, as text and as an array.
TRAIN, TEST_TEXT, TEST_ARRAY = (
    "ecg5000/ECG5000_TRAIN.txt",
    "ecg5000/ECG5000_TEST_4499.txt",
    "ecg5000/ECG5000_TEST.npy",
)
_GITHUB = "https://raw.githubusercontent.com"
# one commit each, so that the addresses keep their content
ADDRESSES = {
    TRAIN: f"{_GITHUB}/sushantsk1/DL/ba8fc49832fe4919a83e1e73525c3581cfef0600/ECG5000_TRAIN.txt",
    TEST_ARRAY: (
        f"{_GITHUB}/femartip/XAI_time_series/e5ff77193660ffce29718807e6e603229d10b89f/data/ECG5000/ECG5000_TEST.npy"
    ),
}
SHA256: dict[str, tuple[str, ...]] = {
    TRAIN: ("0d96aff193311a6dc6111bf0dbd2f7d2313987fbf7a1da4a383d92563876057b",),
    TEST_TEXT: ("910f1b96a79a04124f6efc1aed9609cbc48ee986424d7b78940016264ced71c0",),
    TEST_ARRAY: ("838df676a7096332aa55210e64fc69e27b06795d93603c7348f6f078ababdcb5",),
}
#: Numbers of a beat.
SAMPLES = {"mitbih": 144, "ecg5000": 140}
ECG5000_CLASSES = 5
SEXES = ("F", "M")


class Beats(NamedTuple):
    """Beats of all records, one after the other as they came.

    Attributes:
        values: between −1 and 1 for MIT-BIH, z-normalised for ECG5000.
        classes: numbers in :data:`AAMI`, or of the five classes of ECG5000, from 0 on.
        records: whose beat it is.
        intervals: seconds since the beat before, 0 for the first of a record; None where they are not known.
    """

    values: Float32[np.ndarray, "n t"]
    classes: Int64[np.ndarray, " n"]
    records: Int64[np.ndarray, " n"]
    intervals: Float32[np.ndarray, " n"] | None = None


class Patient(NamedTuple):
    """What the header of a record says of its patient.

    Attributes:
        section: ``DS1`` to learn from, ``DS2`` to test on, or ``neither`` (de Chazal et al. 2004).
        sex: ``F`` or ``M``.
        age: in years; None where it is not known.
    """

    section: str
    sex: str
    age: int | None


class Read(NamedTuple):
    """What was read, the SHA-256 of every file by its name, and the files that are not public ones."""

    content: object
    sha256: dict[str, str]
    own: tuple[str, ...]


def read_beats(where: files.Places, *, download: bool, allow_other: bool) -> Read:
    """The :class:`Beats` of MIT-BIH; cut from the records of PhysioNet if their file is nowhere.

    Raises:
        DataError: If a file is missing, damaged, or not the expected one.
    """
    path = mitdb.find_or_cut_beats(where, download=download, allow_other=allow_other)
    found = identity.read(path, BEATS, mitdb.SHA256, allow_other=True)
    arrays = _unpacked(found.content, path)
    public = mitdb.is_public(found, arrays, path, allow_other=allow_other)
    # a file that was packed here is known by its arrays: it has other bytes on another machine
    sha256 = digest(arrays) if public and found.own else found.sha256
    return Read(_beats(arrays, path), {BEATS: sha256}, (path.name,) * (not public))


def _unpacked(content: bytes, path: Path) -> dict[str, np.ndarray]:
    try:
        with np.lib.npyio.NpzFile(io.BytesIO(content), allow_pickle=False) as opened:
            return {name: opened[name] for name in ("X", "y", "record", "rr_prev")}
    except (ValueError, KeyError, EOFError, OSError, zlib.error, zipfile.BadZipFile) as error:
        raise DataError(f"{path} is not a whole .npz file of beats ({' '.join(str(error).split())}).") from error


def _beats(arrays: Arrays, path: Path) -> Beats:
    x, y, record, interval = (arrays[name] for name in ("X", "y", "record", "rr_prev"))
    if x.dtype != np.uint8 or x.shape[1:] != (SAMPLES["mitbih"],):
        raise DataError(f"{path}: X should be uint8 [beats, {SAMPLES['mitbih']}], not {x.dtype} {list(x.shape)}.")
    if not len(x) == len(y) == len(record) == len(interval):
        raise DataError(f"{path}: X, y, record and rr_prev should be as many, not {len(x)}, {len(y)}, … of them.")
    if len(y) and not 0 <= int(y.min()) <= int(y.max()) < len(AAMI):
        raise DataError(f"{path}: y should be 0 to {len(AAMI) - 1}, not {int(y.min())} to {int(y.max())}.")
    if len(record) and (np.flatnonzero(np.diff(record)).size + 1) != len(np.unique(record)):
        raise DataError(f"{path}: the beats of a record should stand together.")
    seconds = (interval / RATE).astype(np.float32)
    return Beats((x / 127.5 - 1).astype(np.float32), y.astype(np.int64), record.astype(np.int64), seconds)


def read_patients(where: files.Places, *, download: bool, allow_other: bool) -> Read:
    """Every :class:`Patient` by record; from the headers of PhysioNet if their file is nowhere.

    Raises:
        DataError: If a file is missing, damaged, or not the expected one.
    """
    path = mitdb.find_or_make_patients(where, download=download, allow_other=allow_other)
    found = identity.read(path, PATIENTS, mitdb.SHA256, allow_other=allow_other)
    try:
        patients = dict(map(_patient, csv.DictReader(lines_of(found.content, path))))
    except (KeyError, ValueError, TypeError, AttributeError) as error:
        raise DataError(f"{path} should have the columns record, age, sex and split ({error}).") from error
    return Read(patients, {PATIENTS: found.sha256}, (path.name,) * found.own)


def _patient(row: dict[str, str]) -> tuple[int, Patient]:
    sex, age = row["sex"].strip(), row["age"].strip()
    if sex not in SEXES:
        raise ValueError(f"the sex of record {row['record']} is {sex!r}, not one of {', '.join(SEXES)}")
    return int(row["record"]), Patient(row["split"], sex, int(age) if age else None)


def read_ecg5000(where: files.Places, *, download: bool, allow_other: bool) -> Read:
    """A pair of :class:`Beats`: the training and the test file of ECG5000.

    Raises:
        DataError: If a file is missing, damaged, or not the expected one.
    """
    train = downloads.find_or_fetch(TRAIN, ADDRESSES[TRAIN], SHA256, where, download=download, instead=INSTEAD)
    test, name = files.find([TEST_TEXT, f"{TEST_TEXT}.gz"], where), TEST_TEXT
    if test is None:
        name = TEST_ARRAY
        test = downloads.find_or_fetch(name, ADDRESSES[name], SHA256, where, download=download, instead=INSTEAD)
    parts, sha256, own = [], {}, []
    for place, path in ((TRAIN, train), (name, test)):
        found = identity.read(path, place, SHA256, allow_other=allow_other)
        parts.append(_rows(found.content, path))
        sha256[f"{Path(place).parent.as_posix()}/{path.name}"] = found.sha256
        own += [path.name] * found.own
    return Read(tuple(parts), sha256, tuple(own))


def _rows(content: bytes, path: Path) -> Beats:
    """The class and then 140 values, one beat a row."""
    try:
        table = (
            np.load(io.BytesIO(content), allow_pickle=False)
            if path.suffix == ".npy"
            else np.array([line.split() for line in lines_of(content, path)], dtype=np.float64)
        )
    except (ValueError, EOFError, OSError) as error:
        raise DataError(f"{path} should be rows of a class and {SAMPLES['ecg5000']} numbers ({error}).") from error
    if table.ndim != 2 or table.shape[1] != SAMPLES["ecg5000"] + 1 or not np.isfinite(table).all():
        raise DataError(f"{path} should be rows of a class and {SAMPLES['ecg5000']} numbers, not {list(table.shape)}.")
    classes = table[:, 0].astype(np.int64) - 1
    if (classes + 1 != table[:, 0]).any() or classes.min() < 0 or classes.max() >= ECG5000_CLASSES:
        raise DataError(f"{path}: the first column should be a class from 1 to {ECG5000_CLASSES}.")
    # float32 in both forms of the test file: the array has no more
    return Beats(table[:, 1:].astype(np.float32), classes, np.zeros(len(table), np.int64))
