"""Daily prices of four shares, 2015 to 2020, an export of Yahoo Finance."""

import math
from collections.abc import Mapping
from datetime import date
from pathlib import Path
from typing import NamedTuple

import numpy as np
from jaxtyping import Float64

from inductive_bias.errors import DataError
from inductive_bias.tasks import downloads, files, identity
from inductive_bias.tasks.lines import rows_of
from inductive_bias.tasks.own_splits import OwnFile, read_own_splits

TICKERS = ("AAPL", "AMZN", "GOOG", "MSFT")
# one commit, so that the address keeps its content
ADDRESS = (
    "https://raw.githubusercontent.com/Shiva-gs/ML-Project-Stock-Predict/b76ea6038e7f7d4a5689f6a0825019b7ed4fb2f2/"
    "individual_stocks_5yr"
)
SHA256: dict[str, tuple[str, ...]] = {
    "stocks/AAPL.csv": ("9630a128e6f227f2f26bc0744f0d09abae276c6d9b45696999a01488ff558078",),
    "stocks/AMZN.csv": ("532391fa4a239c4eb7ff35fdc74899370933d55479b25dbb5cd94c17e515125c",),
    "stocks/GOOG.csv": ("51752dad8f543f64649df5403d3fc7a1d42fe20deeda16c10377ed35bb2d01dd",),
    "stocks/MSFT.csv": ("2a2718dffe48b5d46f54e6acf4cc7fb9fbe2a881c43dfbcdb1aa4c61b07a6479",),
}
#: What is read of a day: the close with dividends and splits taken out, the extremes, and shares traded.
COLUMNS = ("Adj Close", "High", "Low", "Volume")


class Prices(NamedTuple):
    """Days of every share, side by side.

    Attributes:
        days: dates as their ordinal numbers, rising.
        values: :data:`COLUMNS` of :data:`TICKERS`, ``[days, tickers, columns]``, all positive.
        sha256: of every file by its name.
        own: files that are not public ones.
        ends: the first days after the three splits if each has files of its own; else None.
    """

    days: list[int]
    values: Float64[np.ndarray, "d s c"]
    sha256: dict[str, str]
    own: tuple[str, ...]
    ends: tuple[int, ...] | None = None


def read_prices(where: files.Places, *, download: bool, allow_other: bool) -> Prices:
    """The days of all four shares.

    Args:
        where: Where to look for the files, zipped or not.
        download: Whether to fetch into the user cache what is nowhere on this machine.
        allow_other: Whether the files may be others than the public ones, or three of each share, one of each split.

    Raises:
        DataError: If a file is missing, damaged, or not the expected one, or the shares have not the same days.
    """
    tables, sha256, own, ends = {}, {}, [], {}
    for ticker in TICKERS:
        name = f"stocks/{ticker}.csv"
        if ours := read_own_splits(name, where, allow_other=allow_other):
            tables[ticker], ends[ticker] = _joined(ours)
            sha256 |= {f"stocks/{file.path.name}": file.sha256 for file in ours.values()}
            own += [file.path.name for file in ours.values()]
            continue
        instead = "data='generated' needs no download"
        url = f"{ADDRESS}/{ticker}_data.csv"
        path = downloads.find_or_fetch(name, url, SHA256, where, download=download, instead=instead)
        found = identity.read(path, name, SHA256, allow_other=allow_other)
        tables[ticker] = _days(found.content, path)
        sha256[f"stocks/{path.name}"] = found.sha256
        own += [path.name] * found.own
    first, *others = tables.values()
    for ticker, table in tables.items():
        if list(table) != list(first):
            raise DataError(f"{ticker} has other days than {TICKERS[0]}: {len(table)} and {len(first)} of them.")
        if ends.get(ticker) != ends.get(TICKERS[0]):
            raise DataError(f"{ticker} should have a file of each split, with the days that {TICKERS[0]} has in it.")
    values = np.stack([np.array(list(table.values())) for table in (first, *others)], axis=1)
    return Prices(list(first), values, sha256, tuple(own), ends.get(TICKERS[0]))


def _joined(ours: Mapping[str, OwnFile]) -> tuple[dict[int, list[float]], tuple[int, ...]]:
    """The days of the three splits, which must follow one another, and where each split ends."""
    days, ends, last = {}, [], None
    for file in ours.values():
        found = _days(file.content, file.path)
        if last and min(found) <= max(days):
            raise DataError(f"{file.path}, line 2: days should follow those of {last}.")
        days |= found
        ends.append(len(days))
        last = file.path.name
    return days, tuple(ends)


def _days(content: bytes, path: Path) -> dict[int, list[float]]:
    """The columns of every day; they stand in another order than is usual, and are read by name."""
    found: dict[int, list[float]] = {}
    last = 0
    for number, row in rows_of(content, path):
        place = f"{path}, line {number}"
        try:
            day, values = date.fromisoformat(row["Date"]).toordinal(), [float(row[name]) for name in COLUMNS]
        except (KeyError, TypeError, ValueError) as error:
            raise DataError(f"{place}: should have a Date and numbers as {', '.join(COLUMNS)} ({error!r}).") from error
        if not all(math.isfinite(value) and value > 0 for value in values):
            raise DataError(f"{place}: {', '.join(COLUMNS)} should be positive, not {values}.")
        _, high, low, _ = values
        if high < low:
            raise DataError(f"{place}: High should not be below Low, but {row['High']} is below {row['Low']}.")
        if day <= last:
            raise DataError(f"{place}: days should follow one another, but {row['Date']} does not follow.")
        found[day], last = values, day
    if not found:
        raise DataError(f"{path} should hold days below a header, from line 2 on, but there is none in it.")
    return found
