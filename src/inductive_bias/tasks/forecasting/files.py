"""Tables of Informer's benchmark: the temperature of transformers (ETT), and the weather at a station (WTH)."""

from collections.abc import Mapping
from datetime import datetime, timedelta
from pathlib import Path
from typing import NamedTuple

import numpy as np
from jaxtyping import Float64, Int64

from inductive_bias.errors import DataError
from inductive_bias.tasks import downloads, files, identity
from inductive_bias.tasks.lines import lines_of
from inductive_bias.tasks.own_splits import OwnFile, read_own_splits

#: Time is counted in quarters of an hour from here, a Monday and the first day of a year. A number below 2²⁴ of them,
#: 478 years, is exact in float32.
EPOCH, QUARTER = datetime(2007, 1, 1), 15
# one commit each, so that the addresses keep their content
_ETT = "https://raw.githubusercontent.com/zhouhaoyi/ETDataset/1d16c8f4f943005d613b5bc962e9eeb06058cf07/ETT-small"
_WTH = (
    "https://raw.githubusercontent.com/COMP6258-Reproducibility-Challenge/COMP6258-Encoding-Recurrence-into-Transformers/"
    "0fcead2e80600a98f14fe7c920909dbbdeabdbb2/rsa-Informer/data/ETT"
)


class Table(NamedTuple):
    """What is known of a table before it is read.

    Attributes:
        name: of its file, below a folder of data.
        address: where that file is fetched.
        format: of its dates.
        columns: besides the date.
        step: minutes from row to row.
    """

    name: str
    address: str
    format: str
    columns: int
    step: int


ISO, AMERICAN = "%Y-%m-%d %H:%M:%S", "%m/%d/%Y %H:%M"
TABLES = {
    "ETTh1": Table("ett/ETTh1.csv", f"{_ETT}/ETTh1.csv", ISO, 7, 60),
    "ETTh2": Table("ett/ETTh2.csv", f"{_ETT}/ETTh2.csv", ISO, 7, 60),
    "ETTm1": Table("ett/ETTm1.csv", f"{_ETT}/ETTm1.csv", ISO, 7, 15),
    "WTH": Table("time_series/WTH.csv", f"{_WTH}/WTH.csv", AMERICAN, 12, 60),
}
SHA256: dict[str, tuple[str, ...]] = {
    "ett/ETTh1.csv": ("f18de3ad269cef59bb07b5438d79bb3042d3be49bdeecf01c1cd6d29695ee066",),
    "ett/ETTh2.csv": ("a3dc2c597b9218c7ce1cd55eb77b283fd459a1d09d753063f944967dd6b9218b",),
    "ett/ETTm1.csv": ("6ce1759b1a18e3328421d5d75fadcb316c449fcd7cec32820c8dafda71986c9e",),
    "time_series/WTH.csv": ("153fead3ea2a83dc5c4127d3994af6b167322f6f5e292c99491f43a2caf14cd4",),
}


class Series(NamedTuple):
    """Values ``[rows, columns]`` as they are in the file; quarters of an hour since :data:`EPOCH` of every row.

    ``sha256`` is that of the file by its name; ``own`` names the file if it is not the public one. ``ends`` are the
    first rows after the three splits if each has a file of its own; else None.
    """

    values: Float64[np.ndarray, "t c"]
    quarters: Int64[np.ndarray, " t"]
    sha256: dict[str, str]
    own: tuple[str, ...]
    ends: tuple[int, ...] | None = None


def read_series(data: str, where: files.Places, *, download: bool, allow_other: bool) -> Series:
    """One of the tables in :data:`TABLES`.

    Args:
        data: Which.
        where: Where to look for its file.
        download: Whether to fetch it into the user cache if it is nowhere on this machine.
        allow_other: Whether it may be another than the public one, or three, one of each split.

    Raises:
        DataError: If the file is missing, damaged or not the expected one, has other columns than it should, no number
            where there should be one, or rows that do not follow one another in equal steps, from file to file too.
    """
    table = TABLES[data]
    if ours := read_own_splits(table.name, where, allow_other=allow_other):
        return _joined(ours, table)
    path = downloads.find_or_fetch(table.name, table.address, SHA256, where, download=download)
    found = identity.read(path, table.name, SHA256, allow_other=allow_other)
    values, quarters = _parsed(found.content, table, path)
    return Series(values, quarters, {table.name: found.sha256}, (path.name,) * found.own)


def _joined(ours: Mapping[str, OwnFile], table: Table) -> Series:
    """The tables of the three splits as one, each where the last one ends."""
    values, quarters, last = [], [], None
    for file in ours.values():
        found = _parsed(file.content, table, file.path)
        if last and found[1][0] - quarters[-1][-1] != table.step // QUARTER:
            raise DataError(
                f"{file.path}, line 2: should go on {table.step} minutes after the last row of {last}: splits follow "
                "one another."
            )
        values.append(found[0])
        quarters.append(found[1])
        last = file.path.name
    sha256 = {f"{Path(table.name).parent.as_posix()}/{file.path.name}": file.sha256 for file in ours.values()}
    return Series(
        np.concatenate(values),
        np.concatenate(quarters),
        sha256,
        tuple(file.path.name for file in ours.values()),
        tuple(np.cumsum([len(part) for part in values]).tolist()),
    )


def _parsed(content: bytes, table: Table, path: Path) -> tuple[Float64[np.ndarray, "t c"], Int64[np.ndarray, " t"]]:
    lines = lines_of(content, path)
    expected = f"a date like {EPOCH.strftime(table.format)} and {table.columns} numbers, with commas between"
    if not lines:
        raise DataError(f"{path} is empty: line 1 should be a header, and every line after it {expected}.")
    header, *rows = (line.split(",") for line in lines)
    if _time(header[0], table) is not None:
        raise DataError(f"{path}, line 1: should be a header, not the row {lines[0]!r:.60}; then {expected}.")
    if not rows:
        raise DataError(f"{path} ends after line 1: line 2 should be {expected}.")
    values, step, times = np.empty((len(rows), table.columns)), timedelta(minutes=table.step), []
    for number, row in enumerate(rows, start=2):
        time = _time(row[0], table)
        try:
            values[number - 2] = row[1:]
        except ValueError:
            time = None
        if time is None or len(row) != table.columns + 1:
            found = f"{lines[number - 1]!r:.60}" if lines[number - 1].strip() else "an empty one"
            raise DataError(f"{path}, line {number}: should be {expected}, not {found}.")
        if not np.isfinite(values[number - 2]).all():
            raise DataError(f"{path}, line {number}: has a number that is not finite.")
        if times and time - times[-1] != step:
            raise DataError(
                f"{path}, line {number}: should have a row every {table.step} minutes, but {row[0]} follows "
                f"{rows[number - 3][0]}."
            )
        times.append(time)
    start = int((times[0] - EPOCH).total_seconds()) // (60 * QUARTER)
    return values, start + np.arange(len(values)) * (table.step // QUARTER)


def _time(text: str, table: Table) -> datetime | None:
    """The time that a cell says; None if it says none."""
    try:
        return datetime.strptime(text, table.format)
    except ValueError:
        return None
