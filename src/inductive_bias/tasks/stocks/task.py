"""Share prices as a task: tomorrow's return, from those of the last days."""

from functools import partial
from pathlib import Path
from typing import Annotated, ClassVar, Literal, NamedTuple

import numpy as np
import torch
from jaxtyping import Float64
from pydantic import Field, model_validator

from inductive_bias.errors import DataError
from inductive_bias.settings import Setting
from inductive_bias.tasks import card, files, identity
from inductive_bias.tasks.data import Split, TaskData
from inductive_bias.tasks.kept import kept
from inductive_bias.tasks.stocks.files import TICKERS, Prices, read_prices
from inductive_bias.tasks.stocks.made import SOURCE, made_prices

#: Shares of the days, in the order of time, that are for the test and, before them, choose rates and epochs.
TEST, VALIDATION = 0.2, 0.1
#: Made-up days unless said otherwise.
MADE = 240
SPLITS = ("train", "validation", "test")


class Days(NamedTuple):
    """What is made of prices, a row a day and a column a share; day t is that after which t + 1 is foretold.

    Attributes:
        returns: log returns over each day's own standard deviation over the days to learn from, ``[d, s]``.
        features: what a model reads of a day, ``[d, s, 3]``: that return, the logarithms of high over low and of the
            volume, the last two standardised over the days to learn from.
        ends: the first day after the training, the validation and the test part.
    """

    returns: Float64[np.ndarray, "d s"]
    features: Float64[np.ndarray, "d s 3"]
    ends: tuple[int, int, int]


class Stocks(Setting):
    """Foretell a share's next day from its last ones.

    The log return of the adjusted close (``return``), whether it is above 0 (``direction``), or its absolute value
    (``size``, which stands for volatility). Days are split in the order of time: the last 20 % of them are for the
    test, a tenth before those chooses rates and epochs. Whatever is scaled is scaled by the days to learn from alone.
    Prices themselves are never an answer: they change so little from day to day that yesterday's explains nearly all.

    Attributes:
        data: Four shares over five years (``daily``), or made-up ones (``generated``), which stand in in small runs.
        target: What is to be said.
        past: Days that are read.
        batches: Of an epoch at most; None for all.
        days: Made-up ones; 240 unless said otherwise.
        data_seed: Decides the made-up prices.
        allow_other: Read files of your own in place of the public ones; the source of every split then names them.
            Three files of each share, such as ``stocks/AAPL.train.csv``, ``AAPL.validation.csv`` and
            ``AAPL.test.csv``, are the splits; their days follow one another.
    """

    generated: ClassVar[bool] = False
    data_sets: ClassVar[tuple[card.DataSet, ...]] = (card.STOCKS, card.MADE_STOCKS)
    kind: Literal["stocks"] = "stocks"
    data: Literal["daily", "generated"] = "daily"
    target: Literal["return", "direction", "size"] = "return"
    past: Annotated[int, Field(ge=2)] = 20
    batches: Annotated[int, Field(ge=1)] | None = None
    days: Annotated[int, Field(ge=60)] | None = None
    data_seed: Annotated[int, Field(ge=0)] = 0
    allow_other: bool = False
    #: All answers count alike.
    weights: ClassVar[str] = "none"

    @model_validator(mode="after")
    def _made_up_days_have_choices_of_their_own(self) -> "Stocks":
        if self.data != "generated" and (self.data_seed or self.days):
            raise ValueError(
                f"days={self.days} and data_seed={self.data_seed} belong to the data 'generated', not to {self.data!r}"
            )
        if self.data == "generated" and self.allow_other:
            raise ValueError("allow_other=True belongs to data that are read from files, not to 'generated'")
        return self

    @property
    def dimensions(self) -> dict[str, int]:
        """What a model must be made for: numbers that it reads of a day, and one number or two answers."""
        return {"outputs": 2 if self.target == "direction" else 1, "channels": 3}

    @property
    def length(self) -> int:
        """Days that are read."""
        return self.past

    def load(self, root: Path | str | None = None, *, download: bool = True) -> TaskData:
        """The splits ``train``, ``validation`` and ``test``.

        Inputs are float32 ``[n, past, 3]``, all shares of a day side by side; labels float32 ``[n, 1]``, in standard
        deviations of the share's returns over the days to learn from, or int64 ``[n]`` of the direction, 1 for up. The
        slices ``day`` (from 0 on within the split) and ``ticker`` say which day is foretold of which share. Equal
        settings share one result per process.

        Args:
            root: Folder with ``stocks/``; searched before ``INDUCTIVE_BIAS_DATA`` and the user cache.
            download: Whether to fetch what is nowhere on this machine into the user cache.

        Raises:
            DataError: If a file is missing, damaged, or not the expected one, or there are too few days.
        """
        where = () if self.data == "generated" else files.places(root)
        return _load(self.model_copy(update={"batches": None}), where, download)

    def prices(self, root: Path | str | None = None, *, download: bool = True) -> Prices:
        """The prices themselves, for baselines that read them."""
        if self.data == "generated":
            return made_prices(np.random.default_rng(self.data_seed), self.days or MADE)
        return read_prices(files.places(root), download=download, allow_other=self.allow_other)


@kept(maxsize=8)
def _load(setting: Stocks, where: files.Places, download: bool) -> TaskData:
    if setting.data == "generated":
        prices, source = setting.prices(), SOURCE
    else:
        prices = read_prices(where, download=download, allow_other=setting.allow_other)
        source = identity.source_of("real:stocks", prices.own)
    days = prepared(prices, setting.past)
    return TaskData(
        {name: partial(_split, setting, days, name, source) for name in SPLITS},
        classes=2 if setting.target == "direction" else 0,
        sha256=prices.sha256,
        is_sample=setting.data == "generated",
        label_names=("down", "up") if setting.target == "direction" else (),
    )


def prepared(prices: Prices, past: int) -> Days:
    """Returns and features of all days but the first, scaled by those to learn from.

    Raises:
        DataError: If there are too few days to learn from, or a share does not change.
    """
    close, high, low, volume = np.moveaxis(prices.values, -1, 0)
    returns = np.diff(np.log(close), axis=0)
    count = len(returns)
    test, validation = int(TEST * count), int(VALIDATION * count)
    ends = (count - test - validation, count - test, count)
    if prices.ends is not None:
        ends = tuple(end - 1 for end in prices.ends)  # of the first day there is no return
    if ends[0] <= past + 1:
        raise DataError(f"there are {count + 1} days, of which {ends[0]} to learn from: fewer than past={past} and one")
    learnt = slice(0, ends[0])
    deviation = returns[learnt].std(0)
    others = np.stack([np.log(high / low)[1:], np.log(volume)[1:]], axis=-1)
    spread = others[learnt].std(0)
    if (deviation == 0).any() or (spread == 0).any():
        raise DataError(f"one of {', '.join(TICKERS)} does not change over the {ends[0]} days to learn from")
    scaled = returns / deviation
    features = np.concatenate([scaled[..., None], (others - others[learnt].mean(0)) / spread], axis=-1)
    return Days(scaled, features, ends)


def _split(setting: Stocks, days: Days, name: str, source: str) -> Split:
    """Windows that end the day before each day of a part; the first days of all have no window."""
    place = SPLITS.index(name)
    first = setting.past if place == 0 else days.ends[place - 1]
    foretold = np.arange(first, days.ends[place])
    windows = np.stack([days.features[day - setting.past : day] for day in foretold])
    inputs = torch.from_numpy(windows).float().movedim(2, 1).flatten(0, 1)
    wanted = torch.from_numpy(days.returns[foretold]).flatten()
    labels = {
        "return": wanted.float()[:, None],
        "size": wanted.abs().float()[:, None],
        "direction": (wanted > 0).long(),
    }[setting.target]
    day, ticker = torch.meshgrid(torch.arange(len(foretold)), torch.arange(len(TICKERS)), indexing="ij")
    return Split(inputs.contiguous(), labels, source, {"day": day.flatten(), "ticker": ticker.flatten()})
