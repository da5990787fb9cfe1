"""The beats of MIT-BIH, cut from the records that PhysioNet publishes.

A beat is what lies from 100 samples before its R mark to 188 after it (.8 s at 360 a second). It is halved to 180 a
second by a low-pass filter that sees nothing beyond its two ends, so that those bend towards 0 mV; then it is scaled
from its smallest to its largest value to 0 to 255. A beat whose window leaves the record is left out, but counts as the
beat before the next one.
"""

import hashlib
from collections.abc import Callable, Iterable, Mapping

import numpy as np
from jaxtyping import Float64, UInt8

from inductive_bias.errors import DataError
from inductive_bias.tasks.heartbeats.records import Header, beats_of, header_of, leads_of

#: Samples a second, in which the intervals between beats are counted too.
RATE = 360
BEFORE, AFTER = 100, 188
#: The lead of all records but two, which have another as their first.
USUAL_LEAD = "MLII"
#: Classes of the AAMI: normal, supraventricular, ventricular, fusion, unknown (paced beats among them).
AAMI = ("N", "S", "V", "F", "Q")
#: Symbols of the annotations of each class.
OF_CLASS = {"N": "NLRej", "S": "AaJS", "V": "VE", "F": "F", "Q": "/fQ"}
CLASSES = {symbol: AAMI.index(name) for name, symbols in OF_CLASS.items() for symbol in symbols}
#: Of de Chazal, O'Dwyer & Reilly (2004): records to learn from and to test on; those with a pacemaker are in neither.
DS1 = (101, 106, 108, 109, 112, 114, 115, 116, 118, 119, 122, 124, 201, 203, 205, 207, 208, 209, 215, 220, 223, 230)
DS2 = (100, 103, 105, 111, 113, 117, 121, 123, 200, 202, 210, 212, 213, 214, 219, 221, 222, 228, 231, 232, 233, 234)
PACED = (102, 104, 107, 217)
SECTIONS = dict(
    sorted(
        dict.fromkeys(DS1, "DS1").items() | dict.fromkeys(DS2, "DS2").items() | dict.fromkeys(PACED, "neither").items()
    )
)
#: Of a header, where an age is not known.
NO_AGE = -1

#: ``X`` uint8 ``[n, 144]``, the class ``y``, ``symbol``, ``record``, ``r_sample`` (of the R mark) and ``rr_prev``
#: (samples since the beat before; 0 for the first of a record).
Arrays = Mapping[str, np.ndarray]
#: The content of a file of a record, by its name.
Content = Callable[[str], bytes]


def cut(numbers: Iterable[int], content: Content) -> Arrays:
    """The beats of records, one record after the other.

    Args:
        numbers: of the records.
        content: of ``100.hea``, ``100.dat`` and ``100.atr``, and so on; of a folder ``lambda name: (folder /
            name).read_bytes()``.

    Raises:
        DataError: If a file is damaged, or a beat is marked by a symbol that MIT-BIH does not have.
    """
    parts = [cut_record(number, content) for number in numbers]
    return {name: np.concatenate([part[name] for part in parts]) for name in parts[0]}


def cut_record(number: int, content: Content) -> Arrays:
    """The beats of one record; see :func:`cut`.

    Raises:
        DataError: if the rate or a symbol is unknown, or no beat's window lies within the record.
    """
    names = [f"{number}.{ending}" for ending in ("hea", "dat", "atr")]
    header = header_of(content(names[0]), names[0])
    if header.rate != RATE:
        raise DataError(f"{names[0]}: a record should have {RATE} samples a second, not {header.rate}.")
    leads = [lead.name for lead in header.leads]
    column = leads.index(USUAL_LEAD) if USUAL_LEAD in leads else 0
    millivolts = in_millivolts(header, column, leads_of(content(names[1]), header, names[1])[:, column])
    samples, symbols = beats_of(content(names[2]), names[2])
    if unknown := set(symbols) - set(CLASSES):
        raise DataError(f"{names[2]}: beats are marked {', '.join(sorted(unknown))}, of which no class is known.")
    whole = (samples >= BEFORE) & (samples + AFTER <= len(millivolts))
    at = samples[whole]
    if not len(at):
        raise DataError(f"{names[2]}: the window of no beat lies within the record.")
    return {
        "X": scaled(np.stack([millivolts[each - BEFORE : each + AFTER] for each in at.tolist()])),
        "y": np.array([CLASSES[symbol] for symbol in symbols], np.uint8)[whole],
        "symbol": np.array(symbols, "<U1")[whole],
        "record": np.full(len(at), number, np.int16),
        "r_sample": at.astype(np.int32),
        "rr_prev": np.diff(samples, prepend=samples[:1]).astype(np.int32)[whole],
    }


def in_millivolts(header: Header, column: int, units: np.ndarray) -> Float64[np.ndarray, " t"]:
    """Samples of a lead in millivolts."""
    return (units - float(header.leads[column].zero)) / header.leads[column].gain


def scaled(windows: Float64[np.ndarray, "n t"]) -> UInt8[np.ndarray, "n t//2"]:
    """Every beat halved and then scaled to 0 to 255."""
    from scipy.signal import resample_poly

    halved = resample_poly(windows, 1, 2, axis=1, window=("kaiser", 5.0), padtype="constant")
    low, span = halved.min(1, keepdims=True), np.ptp(halved, axis=1, keepdims=True)
    return np.rint((halved - low) / np.where(span > 0, span, 1) * 255).astype(np.uint8)


def digest(arrays: Arrays) -> str:
    """SHA-256 of what a task reads of the beats: form and bytes of ``X``, ``y``, ``record`` and ``rr_prev``.

    A zipped file of the same arrays has other bytes where another library wrote it.
    """
    total = hashlib.sha256()
    for name in ("X", "y", "record", "rr_prev"):
        array = np.ascontiguousarray(arrays[name])
        total.update(f"{name} {array.dtype.str} {array.shape}".encode() + array.tobytes())
    return total.hexdigest()


def patients_table(numbers: Iterable[int], content: Content) -> bytes:
    """Record, age, sex and section of every patient, as a file of comma-separated values.

    Age and sex begin the first remark of a header.

    Raises:
        DataError: If a header has no such remark.
    """
    rows = ["record,age,sex,split"]
    for number in numbers:
        name = f"{number}.hea"
        remarks = header_of(content(name), name).remarks
        try:
            age, sex = remarks[0].split()[:2]
            rows.append(f"{number},{'' if int(age) == NO_AGE else int(age)},{sex},{SECTIONS[number]}")
        except (IndexError, ValueError) as error:
            raise DataError(f"{name} should say age and sex in its first remark ({error}).") from error
    return "".join(f"{row}\n" for row in rows).encode()
