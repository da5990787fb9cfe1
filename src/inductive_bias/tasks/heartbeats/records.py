"""Records as MIT-BIH has them: a header, two leads in format 212, and annotations in the MIT format.

After the WFDB Applications Guide (Moody): https://www.physionet.org/physiotools/wag/header-5.htm, ``signal-5.htm`` and
``annot-5.htm``. The library ``wfdb`` reads every form there is, but brings ten packages along, sound files among them;
these two forms take less.
"""

from typing import NamedTuple

import numpy as np
from jaxtyping import Int16, Int64

from inductive_bias.errors import DataError

#: Codes of annotations that mark a beat. Others mark a change of rhythm, noise, a wave or a remark.
SYMBOLS = {
    1: "N",
    2: "L",
    3: "R",
    4: "a",
    5: "V",
    6: "F",
    7: "J",
    8: "A",
    9: "S",
    10: "E",
    11: "j",
    12: "/",
    13: "Q",
    25: "B",
    30: "?",
    34: "e",
    35: "n",
    38: "f",
    41: "r",
}
#: Codes that are no annotations: a pause that is longer than ten bits; number, subtype and channel of the annotation
#: before; and a text that belongs to it.
SKIP, NUM, SUB, CHN, AUX = 59, 60, 61, 62, 63


class Lead(NamedTuple):
    """A signal of a record.

    Attributes:
        name: where it was taken, like ``MLII``.
        gain: units a millivolt.
        zero: the unit of 0 mV.
        first: unit of the first sample.
        total: sum of all samples, of which 16 bits are kept.
    """

    name: str
    gain: float
    zero: int
    first: int
    total: int


class Header(NamedTuple):
    """What a record's header says: samples a second, how many samples there are, its leads, and its remarks."""

    rate: int
    length: int
    leads: tuple[Lead, ...]
    remarks: tuple[str, ...]


class Marks(NamedTuple):
    """Beats of a record: the sample of each R mark, and its symbol."""

    samples: Int64[np.ndarray, " n"]
    symbols: tuple[str, ...]


def header_of(content: bytes, name: str) -> Header:
    """What a ``.hea`` file says.

    Raises:
        DataError: If it is no header of a record whose leads stand in one file in format 212.
    """
    lines = [line.strip() for line in content.decode("ascii", "replace").splitlines()]
    remarks = tuple(line[1:].strip() for line in lines if line.startswith("#"))
    try:
        first, *others = (line.split() for line in lines if line and not line.startswith("#"))
        count, rate, length = (int(word) for word in first[1:4])
        if len(others) != count or {words[1] for words in others} != {"212"}:
            raise ValueError(f"{count} leads in format 212 should be described")
        leads = tuple(Lead(words[8], float(words[2]), *map(int, words[4:7])) for words in others)
    except (ValueError, IndexError) as error:
        raise DataError(f"{name} is not a header of leads in format 212 ({error}).") from error
    return Header(rate, length, leads, remarks)


def leads_of(content: bytes, header: Header, name: str) -> Int16[np.ndarray, "t 2"]:
    """The samples of two leads from a ``.dat`` file in format 212.

    Three bytes hold a sample of each lead in twelve bits: the low byte of the first; the high four bits of the first
    (low half of the byte) and of the second (high half); the low byte of the second.

    Raises:
        DataError: If there are not as many samples as the header says, or their first one or their sum is another.
    """
    if len(header.leads) != 2 or len(content) != 3 * header.length:
        raise DataError(
            f"{name} should hold {header.length} samples of {len(header.leads)} leads in format 212, two in three "
            f"bytes; it has {len(content)} bytes."
        )
    low, both, other = np.frombuffer(content, np.uint8).reshape(-1, 3).astype(np.int16).T
    units = np.stack([low | (both & 0x0F) << 8, other | (both & 0xF0) << 4], axis=1)
    # two's complement in twelve bits
    units -= (units & 0x800) << 1
    for lead, column in zip(header.leads, units.T, strict=True):
        found = int(column.sum(dtype=np.int64))
        if (len(column) and int(column[0]) != lead.first) or (found - lead.total) % 2**16:
            raise DataError(f"{name}: the samples of {lead.name} are not those that the header sums up; it is damaged.")
    return units


def beats_of(content: bytes, name: str) -> Marks:
    """The beats among the annotations of a ``.atr`` file.

    Raises:
        DataError: If the file does not end as annotations do.
    """
    words = np.frombuffer(content[: len(content) // 2 * 2], "<u2").tolist()
    samples, symbols, sample, place = [], [], 0, 0
    try:
        while word := words[place]:
            # six bits say what it is; ten are the samples since the annotation before, or the length of a text
            code, value = word >> 10, word & 0x3FF
            place += 1
            if code == SKIP:
                pause = words[place] << 16 | words[place + 1]
                sample += pause - (pause >> 31 << 32)
                place += 2
            elif code == AUX:
                place += (value + 1) // 2
            elif code not in (NUM, SUB, CHN):
                sample += value
                if code in SYMBOLS:
                    samples.append(sample)
                    symbols.append(SYMBOLS[code])
    except IndexError as error:
        raise DataError(f"{name} is not a whole file of annotations: their end is missing.") from error
    return Marks(np.array(samples, np.int64), tuple(symbols))
