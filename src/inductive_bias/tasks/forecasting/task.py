"""Forecasting as a task: from the last rows of several series to the next ones."""

from functools import partial
from pathlib import Path
from typing import Annotated, ClassVar, Literal, NamedTuple

import numpy as np
import torch
from jaxtyping import Float64
from pydantic import Field, model_validator
from torch import Tensor

from inductive_bias.errors import DataError
from inductive_bias.settings import Setting
from inductive_bias.tasks import card, files, identity
from inductive_bias.tasks.data import Split, TaskData
from inductive_bias.tasks.forecasting.files import QUARTER, TABLES, Series, read_series
from inductive_bias.tasks.forecasting.made import COLUMNS, SOURCE, made_series
from inductive_bias.tasks.kept import kept

#: Rows of made-up series unless said otherwise.
MADE = 480
#: Months of 30 days of ETT to learn from, to validate on and to test on; the last ones of its two years are not used.
MONTHS, MONTH = (12, 4, 4), 30
#: Shares of the weather to learn from and to test on, each rounded down; what is between them is for validation.
SHARES = (0.7, 0.2)
#: Minutes of a day.
DAY = 24 * 60


class Borders(NamedTuple):
    """First row after the training, the validation and the test part."""

    train: int
    validation: int
    test: int


class Forecasting(Setting):
    """Say the next ``horizon`` rows of all series, from the ``past`` rows before them.

    Splits, windows and scaling are those of Zhou et al. (2021, zhouhaoyi/Informer2020): ETT is cut after 12, 16 and 20
    months of 30 days, the weather (WTH) after 70 and 80 %; windows begin at every row, and the first windows of
    validation and test look back into the split before. Every column is standardised by mean and standard deviation of
    the training rows. All windows of the test part are scored, where the published code leaves out those of an
    incomplete last batch, unless fewer are asked for.

    What the windows of a test split have to say does not depend on ``past``, so that models which read more or less of
    it can be compared.

    Attributes:
        data: Hourly (``ETTh1``, ``ETTh2``) or quarter-hourly (``ETTm1``) load and oil temperature of transformers, the
            hourly weather at a station (``WTH``), or made-up series (``generated``), which stand in for them in small
            runs.
        past: Rows that a model reads.
        horizon: Rows that it has to say.
        order: Of the training windows: ``shuffled`` anew in every epoch; ``consecutive``, where a batch is neighbouring
            windows (what Informer's code does without its shuffle); or ``streams``, where batches are read in the order
            of time and hold one window of each of as many equal parts of the series.
        batches: Of an epoch at most, drawn evenly over the training windows; None for all.
        looks: Windows at most of the validation split, drawn evenly; None for all.
        scored: The same of the test split.
        rows: Of the made-up series; 480 unless said otherwise.
        data_seed: Decides the made-up series.
        allow_other: Read tables of your own in place of the public ones; the source of every split then names the file.
            Three tables that follow one another, such as ``ett/ETTh1.train.csv``, ``ETTh1.validation.csv`` and
            ``ETTh1.test.csv``, are the splits.
    """

    generated: ClassVar[bool] = False
    data_sets: ClassVar[tuple[card.DataSet, ...]] = (card.ETT, card.WTH, card.MADE_SERIES)
    kind: Literal["forecasting"] = "forecasting"
    data: Literal["ETTh1", "ETTh2", "ETTm1", "WTH", "generated"] = "ETTh1"
    past: Annotated[int, Field(ge=2)] = 96
    horizon: Annotated[int, Field(ge=1)] = 24
    order: Literal["shuffled", "consecutive", "streams"] = "shuffled"
    batches: Annotated[int, Field(ge=1)] | None = None
    looks: Annotated[int, Field(ge=1)] | None = None
    scored: Annotated[int, Field(ge=1)] | None = None
    rows: Annotated[int, Field(ge=1)] | None = None
    data_seed: Annotated[int, Field(ge=0)] = 0
    allow_other: bool = False

    @model_validator(mode="after")
    def _made_up_series_have_choices_of_their_own(self) -> "Forecasting":
        if self.data != "generated" and (self.data_seed or self.rows):
            raise ValueError(
                f"rows={self.rows} and data_seed={self.data_seed} belong to the data 'generated', not to {self.data!r}"
            )
        if self.data == "generated" and self.allow_other:
            raise ValueError("allow_other=True belongs to data that are read from a file, not to 'generated'")
        return self

    @property
    def dimensions(self) -> dict[str, int]:
        """What a model must be made for: how many series, and how many steps to say."""
        columns = COLUMNS if self.data == "generated" else TABLES[self.data].columns
        return {"series": columns, "horizon": self.horizon}

    @property
    def day(self) -> int:
        """Steps of a day."""
        return DAY // (60 if self.data == "generated" else TABLES[self.data].step)

    def load(self, root: Path | str | None = None, *, download: bool = True) -> TaskData:
        """The splits ``train``, ``validation`` and ``test``, each made when first asked for.

        Inputs are float32 ``[n, past, series + 1]``: standardised values and, last, the time of a row in quarters of an
        hour since Monday, 1 January 2007. Labels are float32 ``[n, horizon, series]``. Both are views of one table:
        only windows that are selected are copied. Equal settings share one result per process.

        Args:
            root: Folder with ``ett/`` and ``time_series/``; searched before ``INDUCTIVE_BIAS_DATA`` and the user cache.
            download: Whether to fetch what is nowhere on this machine into the user cache.

        Raises:
            DataError: If the file is missing, damaged, or not the expected one; or if a split is shorter than a window.
        """
        return _load(self, self._places(root), download)

    def series(self, root: Path | str | None = None, *, download: bool = True) -> Series:
        """The whole table as it is in its file, in its own units; arguments and errors as of :meth:`load`."""
        return _read(self, self._places(root), download)

    def _places(self, root: Path | str | None) -> files.Places:
        return () if self.data == "generated" else files.places(root)


def _read(setting: Forecasting, where: files.Places, download: bool) -> Series:
    if setting.data == "generated":
        values = made_series(np.random.default_rng(setting.data_seed), setting.rows or MADE)
        return Series(values, np.arange(len(values)) * (60 // QUARTER), {}, ())
    return read_series(setting.data, where, download=download, allow_other=setting.allow_other)


@kept(maxsize=4)
def _load(setting: Forecasting, where: files.Places, download: bool) -> TaskData:
    values, quarters, sha256, own, given = _read(setting, where, download)
    source = SOURCE if setting.data == "generated" else identity.source_of(f"real:{setting.data}", own)
    ends = borders(setting, len(values), given)
    table = torch.from_numpy(np.column_stack([standardised(values, ends.train), quarters])).float()
    return TaskData(
        {name: partial(_split, setting, table, ends, name, source) for name in Borders._fields},
        classes=0,
        sha256=sha256,
        is_sample=setting.data == "generated",
    )


def borders(setting: Forecasting, rows: int, given: tuple[int, ...] | None = None) -> Borders:
    """Where the parts of a table end: where their own files do (``given``), or as the published code cuts it.

    Raises:
        DataError: If the table is too short for them.
    """
    if given is not None:
        first, *_ = ends = list(given)
    elif setting.data.startswith("ETT"):
        first, *_ = ends = [sum(MONTHS[: part + 1]) * MONTH * setting.day for part in range(3)]
    else:
        first, last = (int(share * rows) for share in SHARES)
        ends = [first, rows - last, rows]
    if ends[-1] > rows:
        raise DataError(f"{setting.data} has {rows} rows, and should have {ends[-1]} at least.")
    if first < setting.past + setting.horizon:
        raise DataError(
            f"{setting.data} has {first} rows to learn from, fewer than past={setting.past} + "
            f"horizon={setting.horizon}."
        )
    shortest = min(ends[1] - ends[0], ends[2] - ends[1])
    if shortest < setting.horizon:
        raise DataError(f"{setting.data} has {shortest} rows to validate or test on, fewer than {setting.horizon}.")
    return Borders(*ends)


def standardised(values: Float64[np.ndarray, "t c"], train: int) -> Float64[np.ndarray, "t c"]:
    """Columns less their mean over the first ``train`` rows, divided by the standard deviation of these.

    Raises:
        DataError: If a column does not change in those rows.
    """
    mean, deviation = values[:train].mean(0), values[:train].std(0)
    if (deviation == 0).any():
        raise DataError(f"column {int(deviation.argmin()) + 1} is the same in all {train} rows to learn from.")
    return (values - mean) / deviation


def _split(setting: Forecasting, table: Tensor, ends: Borders, name: str, source: str) -> Split:
    place = Borders._fields.index(name)
    start = 0 if place == 0 else ends[place - 1] - setting.past
    rows = table[start : ends[place]]
    inputs = rows[: len(rows) - setting.horizon].unfold(0, setting.past, 1).transpose(1, 2)
    labels = rows[setting.past :, :-1].unfold(0, setting.horizon, 1).transpose(1, 2)
    most = {"validation": setting.looks, "test": setting.scored}.get(name)
    if most is not None:
        every = -(-len(inputs) // most)
        inputs, labels = inputs[::every], labels[::every]
    return Split(inputs, labels, source)
