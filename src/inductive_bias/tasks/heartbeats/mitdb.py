"""The files of MIT-BIH that this project reads, made from the records of PhysioNet where they are not at hand.

Each record has three files, looked for in ``mitbih/raw/`` of every place and fetched where they are not: 94 MB, 144
files, once. The SHA-256 of all of them stand in ``mitdb.sha256``, as PhysioNet publishes them.
"""

import hashlib
import io
import os
import tempfile
from pathlib import Path

import numpy as np

from inductive_bias.errors import DataError
from inductive_bias.tasks import downloads, files, identity
from inductive_bias.tasks.heartbeats.cutting import SECTIONS, Arrays, cut, digest, patients_table

BEATS, PATIENTS, RAW = "mitbih/mitbih_beats.npz", "mitbih/patients.csv", "mitbih/raw"
#: Where files that were made here and are not the public ones are kept.
OTHER = "mitbih/other"
ADDRESS = "https://physionet.org/files/mitdb/1.0.0"
ENDINGS = ("hea", "dat", "atr")
#: What holds beats without any file.
INSTEAD = "data='generated' needs no download"
#: Of the records' files.
RECORDS: dict[str, tuple[str, ...]] = {
    f"{RAW}/{name}": (sum_,)
    for sum_, name in map(str.split, Path(__file__).with_name("mitdb.sha256").read_text("ascii").splitlines())
}
#: Of the two files made from them: one form of the whole file, and of the beats what is in it, however it is packed.
SHA256: dict[str, tuple[str, ...]] = {
    BEATS: ("cbb7533e074011331a99d7fcf4cf767b89be3c94dd06a7c57f319aa1f560dce4",),
    PATIENTS: ("cf2b42f1c99991af91915c4f59b12b278ca7da1f35328b3a22779c22b255a513",),
}
ARRAYS: dict[str, tuple[str, ...]] = {BEATS: ("067f4e2beef238866ffaf5b75248ebb026e67b5408a709045471cc10a4a51608",)}


def find_or_cut_beats(where: files.Places, *, download: bool, allow_other: bool) -> Path:
    """The file of the beats; cut from the records into the user cache if it is nowhere.

    Raises:
        DataError: If a record is nowhere and may or can not be fetched, or is damaged; or if the cut is not the public
            one and may not be another.
    """
    path = files.find([BEATS, f"{BEATS}.gz"], where)
    if path is not None:
        return path
    _expect(BEATS, ENDINGS, where, download=download)
    arrays = cut(SECTIONS, lambda name: _content(name, where, download=download, allow_other=allow_other))
    packed = io.BytesIO()
    np.savez_compressed(packed, **arrays)
    return _kept(BEATS, packed.getvalue(), digest(arrays), ARRAYS[BEATS], allow_other=allow_other)


def find_or_make_patients(where: files.Places, *, download: bool, allow_other: bool) -> Path:
    """The file of the patients; made from the headers of the records if it is nowhere.

    Raises:
        DataError: As :func:`find_or_cut_beats`.
    """
    path = files.find([PATIENTS, f"{PATIENTS}.gz"], where)
    if path is not None:
        return path
    _expect(PATIENTS, ENDINGS[:1], where, download=download)
    table = patients_table(SECTIONS, lambda name: _content(name, where, download=download, allow_other=allow_other))
    return _kept(PATIENTS, table, hashlib.sha256(table).hexdigest(), SHA256[PATIENTS], allow_other=allow_other)


def is_public(found: identity.Identified, arrays: Arrays, path: Path, *, allow_other: bool) -> bool:
    """Whether a file of beats has the public ones, packed here or elsewhere.

    Raises:
        DataError: If it has others, and may not.
    """
    if not found.own:
        return True
    sha256 = digest(arrays)
    public = sha256 in ARRAYS[BEATS]
    if not public and not allow_other:
        expected = " or ".join(ARRAYS[BEATS])
        raise identity.refusal(path, BEATS, f"the SHA-256 of its arrays is {sha256}, expected {expected}")
    return public


def _expect(name: str, endings: tuple[str, ...], where: files.Places, *, download: bool) -> None:
    """Refuse early, and by the name of the file that is wanted, if a record is nowhere and may not be fetched."""
    raw = [f"{RAW}/{number}.{ending}" for number in SECTIONS for ending in endings]
    absent = [] if download else [each for each in raw if files.find([each, f"{each}.gz"], where) is None]
    if absent:
        hint = f"it is made from the {len(raw)} files of PhysioNet, {ADDRESS}/, of which {len(absent)} are missing"
        raise DataError(f"{files.missing([name, f'{name}.gz', absent[0]], where)} ({hint}; {INSTEAD})")


def _content(name: str, where: files.Places, *, download: bool, allow_other: bool) -> bytes:
    """Of a file of a record."""
    place = f"{RAW}/{name}"
    path = downloads.find_or_fetch(place, f"{ADDRESS}/{name}", RECORDS, where, download=download, instead=INSTEAD)
    return identity.read(path, place, RECORDS, allow_other=allow_other).content


def _kept(name: str, content: bytes, found: str, declared: tuple[str, ...], *, allow_other: bool) -> Path:
    """Save what was made here in the user cache; what is not public under a name that is never looked for."""
    if (own := found not in declared) and not allow_other:
        raise DataError(
            f"{name}, made from the records of PhysioNet, is not the public one: the SHA-256 of what is in it is "
            f"{found}, expected {' or '.join(declared)}. Set allow_other=True to read it as a file of your own."
        )
    place = files.cache_folder() / (f"{OTHER}/{Path(name).name}" if own else name)
    try:
        place.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=place.parent, prefix="made-") as scratch:
            new = Path(scratch) / place.name
            new.write_bytes(content)
            os.replace(new, place)
    except OSError as error:
        raise DataError(f"{place} cannot be saved ({error}).") from error
    return place
