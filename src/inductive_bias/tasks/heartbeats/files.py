"""Beats of two sets from files: the MIT-BIH arrhythmia database, cut into beats here, and ECG5000."""

from pathlib import Path
from typing import NamedTuple

import numpy as np
from jaxtyping import Float32, Float64, Int64

from inductive_bias.errors import DataError
from inductive_bias.tasks import downloads, files, identity
from inductive_bias.tasks.arrays import array_of, arrays_of
from inductive_bias.tasks.heartbeats import mitdb
from inductive_bias.tasks.heartbeats.cutting import AAMI, RATE, Arrays, digest
from inductive_bias.tasks.heartbeats.mitdb import BEATS, INSTEAD, PATIENTS
from inductive_bias.tasks.lines import lines_of, rows_of

#: Of ECG5000: 500 beats to learn from, and all but one of its 4,500 test beats, as text and as an array.
TRAIN, TEST_TEXT, TEST_ARRAY = (
    "ecg5000/ECG5000_TRAIN.txt",
    "ecg5000/ECG5000_TEST_4499.txt",
    "ecg5000/ECG5000_TEST.npy",
)
#: Of one's own, if it is there: beats that choose, in place of a fifth of the training beats.
OWN_VALIDATION = "ecg5000/ECG5000_VALIDATION.txt"
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
#: Where a record belongs, as published and in the words of a list of one's own.
SECTIONS = ("DS1", "DS2", "neither", "train", "validation", "test")


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
        section: ``DS1`` to learn from, ``DS2`` to test on, or ``neither`` (de Chazal et al. 2004); or, in a list of
            one's own, ``train``, ``validation`` or ``test``.
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
        return arrays_of(content, ("X", "y", "record", "rr_prev"))
    except ValueError as error:
        raise DataError(f"{path} is not a whole .npz file of beats ({' '.join(str(error).split())}).") from error


def _beats(arrays: Arrays, path: Path) -> Beats:
    x, y, record, interval = (arrays[name] for name in ("X", "y", "record", "rr_prev"))
    if x.dtype != np.uint8 or x.shape[1:] != (SAMPLES["mitbih"],):
        raise DataError(f"{path}: X should be uint8 [beats, {SAMPLES['mitbih']}], not {x.dtype} {list(x.shape)}.")
    for name, kinds in (("y", "iu"), ("record", "iu"), ("rr_prev", "iuf")):
        array = arrays[name]
        if array.ndim != 1 or array.dtype.kind not in kinds:
            wanted = "numbers" if "f" in kinds else "integers"
            raise DataError(f"{path}: {name} should be {wanted} [beats], not {array.dtype} {list(array.shape)}.")
    if not len(x) == len(y) == len(record) == len(interval):
        raise DataError(f"{path}: X, y, record and rr_prev should be as many, not {len(x)}, {len(y)}, … of them.")
    if len(y) and not 0 <= int(y.min()) <= int(y.max()) < len(AAMI):
        raise DataError(f"{path}: y should be 0 to {len(AAMI) - 1}, not {int(y.min())} to {int(y.max())}.")
    if len(record) and (np.flatnonzero(np.diff(record)).size + 1) != len(np.unique(record)):
        raise DataError(f"{path}: the beats of a record should stand together.")
    wrong = np.flatnonzero(~(np.isfinite(interval) & (interval >= 0)))
    if len(wrong):
        raise DataError(
            f"{path}: rr_prev should be finite and not below 0, but is {interval[wrong[0]]} of beat {wrong[0] + 1}; "
            f"{len(wrong)} beats are wrong."
        )
    seconds = (interval / RATE).astype(np.float32)
    return Beats((x / 127.5 - 1).astype(np.float32), y.astype(np.int64), record.astype(np.int64), seconds)


def read_patients(where: files.Places, *, download: bool, allow_other: bool) -> Read:
    """Every :class:`Patient` by record; from the headers of PhysioNet if their file is nowhere.

    Raises:
        DataError: If a file is missing, damaged, or not the expected one.
    """
    path = mitdb.find_or_make_patients(where, download=download, allow_other=allow_other)
    found = identity.read(path, PATIENTS, mitdb.SHA256, allow_other=allow_other)
    patients: dict[int, Patient] = {}
    for number, row in rows_of(found.content, path):
        try:
            record, patient = _patient(row)
        except (KeyError, ValueError, TypeError, AttributeError) as error:
            raise DataError(
                f"{path}, line {number}: should have the columns record, age, sex and split ({error})."
            ) from error
        if record in patients:
            raise DataError(f"{path}, line {number}: the patient of record {record} should be listed once, not again.")
        patients[record] = patient
    if not patients:
        raise DataError(f"{path} should hold patients below the header record,age,sex,split, but there is none in it.")
    return Read(patients, {PATIENTS: found.sha256}, (path.name,) * found.own)


def _patient(row: dict[str, str]) -> tuple[int, Patient]:
    sex, age = row["sex"].strip(), row["age"].strip()
    if sex not in SEXES:
        raise ValueError(f"the sex of record {row['record']} is {sex!r}, not one of {', '.join(SEXES)}")
    if row["split"] not in SECTIONS:
        raise ValueError(f"the split of record {row['record']} is {row['split']!r}, not one of {', '.join(SECTIONS)}")
    return int(row["record"]), Patient(row["split"], sex, int(age) if age else None)


def read_ecg5000(where: files.Places, *, download: bool, allow_other: bool) -> Read:
    """Three :class:`Beats`: the training and the test file of ECG5000, and a file that chooses if there is one's own.

    Raises:
        DataError: If a file is missing, damaged, or not the expected one.
    """
    train = downloads.find_or_fetch(TRAIN, ADDRESSES[TRAIN], SHA256, where, download=download, instead=INSTEAD)
    test, name = files.find([TEST_TEXT, f"{TEST_TEXT}.gz"], where), TEST_TEXT
    if test is None:
        name = TEST_ARRAY
        test = downloads.find_or_fetch(name, ADDRESSES[name], SHA256, where, download=download, instead=INSTEAD)
    chosen = {TRAIN: train, name: test}
    if allow_other and (chooses := files.find((OWN_VALIDATION, f"{OWN_VALIDATION}.gz"), where)):
        chosen[OWN_VALIDATION] = chooses
    parts, sha256, own = [], {}, []
    for place, path in chosen.items():
        found = identity.read(path, place, SHA256, allow_other=allow_other)
        parts.append(_rows(found.content, path))
        sha256[f"{Path(place).parent.as_posix()}/{path.name}"] = found.sha256
        own += [path.name] * found.own
    return Read((*parts, None)[:3], sha256, tuple(own))


def _rows(content: bytes, path: Path) -> Beats:
    """The class and then 140 values, one beat a row."""
    wanted, place = f"a class and {SAMPLES['ecg5000']} numbers", "row"
    if path.suffix == ".npy":
        try:
            table = array_of(content)
        except ValueError as error:
            raise DataError(f"{path} should be rows of {wanted} ({error}).") from error
        if table.dtype.kind not in "iuf" or table.shape[1:] != (SAMPLES["ecg5000"] + 1,):
            raise DataError(f"{path} should be rows of {wanted}, not {table.dtype} {list(table.shape)}.")
    else:
        table, place = _table(lines_of(content, path), wanted, path), "line"
    if not len(table):
        raise DataError(f"{path} should be rows of {wanted}, but there is none in it.")
    classes = table[:, 0]
    with np.errstate(over="ignore"):
        values = table[:, 1:].astype(np.float32)  # in both forms of the test file: the array has no more
    for wrong, what in (
        (
            ~np.isin(classes, range(1, ECG5000_CLASSES + 1)),
            f"the first column should be a class, 1 to {ECG5000_CLASSES}",
        ),
        (~np.isfinite(values).all(1), f"the numbers should be finite and below {np.finfo(np.float32).max:.2g}"),
    ):
        if wrong.any():
            raise DataError(f"{path}, {place} {int(wrong.argmax()) + 1}: {what}.")
    return Beats(values, classes.astype(np.int64) - 1, np.zeros(len(table), np.int64))


def _table(lines: list[str], wanted: str, path: Path) -> Float64[np.ndarray, "n c"]:
    table = np.empty((len(lines), SAMPLES["ecg5000"] + 1))
    for number, line in enumerate(lines, start=1):
        words = line.split()
        try:
            if len(words) != table.shape[1]:
                raise ValueError(f"it has {len(words)} words")
            table[number - 1] = words
        except ValueError as error:
            raise DataError(f"{path}, line {number}: should be {wanted} ({error}).") from error
    return table
