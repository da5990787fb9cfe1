"""Days in their order, scaling by the first of them alone, windows and baselines against loops; files refused."""

import math
import time
from datetime import date, timedelta

import numpy as np
import pytest
import torch
from pydantic import ValidationError

from inductive_bias.errors import DataError
from inductive_bias.tasks import Stocks
from inductive_bias.tasks.files import checksum
from inductive_bias.tasks.stocks import BASELINES, baseline_forecasts, files, price_persistence
from inductive_bias.tasks.stocks.baselines import DECAY, EWMA, MAJORITY, MEAN, ZERO, fading_mean
from inductive_bias.tasks.stocks.files import TICKERS
from inductive_bias.tasks.stocks.task import prepared

MADE = Stocks(data="generated", past=5, days=103)
#: Of 102 returns: 72 to learn from, 10 that choose, 20 for the test.
ENDS = (72, 82, 102)


def written(days=80, seed=0, **changed):
    """A file of a share, its columns in the order of the public ones."""
    rng = np.random.default_rng(seed)
    close = 100 * np.exp(np.cumsum(0.01 * rng.standard_normal(days)))
    lines = ["Date,High,Low,Open,Close,Volume,Adj Close,Name"]
    for day, price in enumerate(close):
        row = {
            "Date": date(2015, 1, 12) + timedelta(days=day),
            "High": price * rng.uniform(1.01, 1.02),
            "Low": price * 0.99,
            "Open": price,
            "Close": 2 * price,
            "Volume": rng.uniform(1e6, 2e6),
            "Adj Close": price,
            "Name": "X",
        }
        lines.append(",".join(str(value) for value in (row | (changed if day == 3 else {})).values()))
    return "\n".join([*lines, ""]).encode()


@pytest.fixture
def put(tmp_path, monkeypatch):
    def write(ticker, content, *, declared=True):
        name = f"stocks/{ticker}.csv"
        path = tmp_path / name
        path.parent.mkdir(exist_ok=True)
        path.write_bytes(content)
        if declared:
            monkeypatch.setitem(files.SHA256, name, (checksum(path),))
        return path

    return write


def test_labels_are_the_next_days_returns_of_the_adjusted_close_scaled_by_the_days_to_learn_from():
    prices, data = MADE.prices(), MADE.load()
    close = prices.values[:, :, 0]
    returns = np.log(close[1:] / close[:-1])
    scaled = returns / returns[: ENDS[0]].std(0)
    for name, first, last in (("train", 5, ENDS[0]), ("validation", ENDS[0], ENDS[1]), ("test", ENDS[1], ENDS[2])):
        split = data[name]
        assert len(split) == 4 * (last - first)
        wanted = torch.from_numpy(scaled[first:last]).float().flatten()
        torch.testing.assert_close(split.labels[:, 0], wanted)
        assert split.slices["day"].tolist() == [day for day in range(last - first) for _ in TICKERS]
        assert split.slices["ticker"].tolist() == list(range(4)) * (last - first)
    sizes, signs = (
        MADE.model_copy(update={"target": target}).load()["test"].labels for target in ("size", "direction")
    )
    torch.testing.assert_close(sizes, data["test"].labels.abs())
    assert signs.tolist() == (data["test"].labels[:, 0] > 0).tolist()


def test_windows_hold_the_days_before_and_nothing_of_the_day_itself():
    prices, data = MADE.prices(), MADE.load()
    close, high, low, volume = np.moveaxis(prices.values, -1, 0)
    returns, spread, traded = np.diff(np.log(close), axis=0), np.log(high / low)[1:], np.log(volume)[1:]
    for ticker in range(4):
        row = 4 * 3 + ticker  # the fourth day of the test
        day = ENDS[1] + 3
        learnt = slice(0, ENDS[0])
        for channel, values in enumerate((returns, spread, traded)):
            own = values[:, ticker]
            centre = 0 if channel == 0 else own[learnt].mean()
            wanted = (own[day - 5 : day] - centre) / own[learnt].std()
            torch.testing.assert_close(data["test"].inputs[row, :, channel], torch.from_numpy(wanted).float())


def test_nothing_of_the_test_days_decides_how_the_days_to_learn_from_are_scaled():
    prices = MADE.prices()
    changed = prices._replace(values=prices.values.copy())
    changed.values[ENDS[0] + 1 :] *= np.random.default_rng(0).uniform(1, 9, changed.values[ENDS[0] + 1 :].shape)
    one, two = (prepared(each, 5) for each in (prices, changed))
    np.testing.assert_array_equal(one.features[: ENDS[0]], two.features[: ENDS[0]])
    assert not np.allclose(one.returns[ENDS[0] :], two.returns[ENDS[0] :])


def test_a_fading_mean_step_by_step():
    values = np.random.default_rng(0).random((7, 2))
    mean, found = values[0], [values[0]]
    for row in values[1:]:
        mean = DECAY * mean + (1 - DECAY) * row
        found.append(mean)
    np.testing.assert_allclose(fading_mean(values), np.array(found))
    np.testing.assert_allclose(fading_mean(values[:1]), values[:1])


def test_baselines_know_the_days_before_alone():
    found = {
        target: baseline_forecasts(MADE.model_copy(update={"target": target}))
        for target in ("return", "size", "direction")
    }
    assert list(found["return"]) == [ZERO, MEAN]
    assert list(found["size"]) == [ZERO, MEAN, EWMA]
    assert list(found["direction"]) == [MAJORITY]
    assert {name for each in found.values() for name in each} == set(BASELINES)
    days = prepared(MADE.prices(), 5)
    sizes = np.abs(days.returns)
    for day in (0, 7):
        for ticker in range(4):
            at = 4 * day + ticker
            assert found["size"][MEAN][at] == pytest.approx(sizes[5 : ENDS[0], ticker].mean())
            known = sizes[: ENDS[1] + day, ticker]
            mean = known[0]
            for size in known[1:]:
                mean = DECAY * mean + (1 - DECAY) * size
            assert found["size"][EWMA][at] == pytest.approx(mean)
    more = (MADE.model_copy(update={"target": "direction"}).load()["train"].labels == 1).double().mean() > 0.5
    assert set(found["direction"][MAJORITY].tolist()) == {float(more)}
    assert len(found["return"][ZERO]) == len(MADE.load()["test"])
    train = baseline_forecasts(MADE, "train")
    assert len(train[MEAN]) == len(MADE.load()["train"])


def test_yesterdays_price_explains_a_walk_of_which_nothing_can_be_foretold():
    found = price_persistence(Stocks(data="generated", days=1000))
    assert list(found) == list(TICKERS)
    assert min(found.values()) > 0.8


def test_files_are_read_by_the_names_of_their_columns(put, tmp_path):
    for seed, ticker in enumerate(TICKERS):
        put(ticker, written(seed=seed))
    prices = Stocks().prices(tmp_path, download=False)
    rows = written(seed=2).decode().splitlines()
    last = dict(zip(rows[0].split(","), rows[-1].split(","), strict=True))
    wanted = [float(last[name]) for name in ("Adj Close", "High", "Low", "Volume")]
    assert prices.values[-1, 2].tolist() == wanted
    data = Stocks(past=3).load(tmp_path, download=False)
    assert data["test"].source == "real:stocks"
    assert len(data["test"]) == 4 * int(0.2 * 79)
    assert not data.is_sample


def test_files_are_fetched_into_the_cache_and_checked(tmp_path, serve, monkeypatch):
    for ticker in TICKERS:
        path = tmp_path / "served" / f"{ticker}_data.csv"
        path.write_bytes(written())
        monkeypatch.setitem(files.SHA256, f"stocks/{ticker}.csv", (checksum(path),))
    monkeypatch.setattr(files, "ADDRESS", serve.rstrip("/"))
    assert len(Stocks(past=2).load()["test"]) == 4 * 15


def test_files_of_your_own_are_read_if_allowed_and_named(put, tmp_path):
    for ticker in TICKERS:
        put(ticker, written(), declared=ticker != "GOOG")
    with pytest.raises(DataError, match=r"GOOG\.csv is not the public file"):
        Stocks().load(tmp_path, download=False)
    assert Stocks(allow_other=True).load(tmp_path, download=False)["test"].source == "own:GOOG.csv"


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", "there is none in it"),
        (written().replace(b"Adj Close", b"Adjusted"), "line 2: should have a Date and numbers"),
        (written(High="x"), "line 5: should have a Date and numbers"),
        (written(Volume=0), "line 5: .* should be positive"),
        (written(High=math.nan), "line 5: .* should be positive"),
        (written(Date="2015-01-12"), "line 5: days should follow one another"),
        (written(Date="12.1.2015"), "line 5: should have a Date and numbers"),
        (written(Low=1e6), "line 5: High should not be below Low, but .* is below 1000000.0"),
        (written(High="1" * 200_000), "line 5: a field should have at most 131,072 characters"),
        (written().replace(b"2015-01-14", b"\n2015-01-14x"), "line 5: should have a Date"),
        (written(days=70), "has other days than AAPL"),
    ],
)
def test_what_is_no_table_of_days_is_refused(put, tmp_path, content, message):
    for ticker in TICKERS:
        put(ticker, content if ticker == "MSFT" else written())
    with pytest.raises(DataError, match=message):
        Stocks().load(tmp_path, download=False)


def test_sixty_thousand_days_are_read_in_seconds(tmp_path):
    row = "1.5,1.4,1,1,1000,1"
    days = "\n".join(f"{date.fromordinal(day)},{row}" for day in range(600_000, 660_000))
    started = time.process_time()
    assert len(files._days(f"Date,High,Low,Close,Volume,Adj Close\n{days}\n".encode(), tmp_path)) == 60_000
    assert time.process_time() - started < 10


def test_too_few_days_or_a_price_that_stands_still_are_refused():
    prices = MADE.prices()
    with pytest.raises(DataError, match="of which 72 to learn from: fewer than past=80"):
        prepared(prices, 80)
    still = prices._replace(values=np.ones_like(prices.values))
    with pytest.raises(DataError, match="does not change"):
        prepared(still, 5)


@pytest.mark.parametrize(
    "wrong",
    [
        {"past": 1},
        {"target": "price"},
        {"data_seed": 1},
        {"days": 100},
        {"data": "generated", "allow_other": True},
        {"data": "generated", "days": 59},
    ],
)
def test_settings_that_cannot_be_are_refused(wrong):
    with pytest.raises(ValidationError):
        Stocks(**wrong)


def test_the_public_prices_have_the_properties_that_are_reported(shared_data_folder):
    if not (shared_data_folder / "stocks").is_dir():
        pytest.skip("the real files are not here")
    data = Stocks(target="direction").load(shared_data_folder, download=False)
    assert len(data["test"]) == 4 * 251
    up = [data["test"].labels[data["test"].slices["ticker"] == ticker].double().mean().item() for ticker in range(4)]
    assert (min(up), max(up)) == pytest.approx((0.538, 0.590), abs=0.001)
    explained = price_persistence(Stocks(), root=shared_data_folder, download=False)
    assert (min(explained.values()), max(explained.values())) == pytest.approx((0.935, 0.993), abs=0.001)
