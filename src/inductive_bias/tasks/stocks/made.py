"""Made-up prices: returns nobody can foretell, on days whose size can be. No market made them."""

import numpy as np

from inductive_bias.tasks.stocks.files import TICKERS, Prices

SOURCE = "generated:quiet and wild days"
#: Deviation of a usual day's return, what a day hands on of its size, and what the market adds to all shares alike.
USUAL, LASTING, COMMON = 0.015, 0.95, 0.6


def made_prices(rng: np.random.Generator, days: int) -> Prices:
    """Made-up prices of four shares on so many ``days``."""
    size = np.zeros(days)
    for day in range(1, days):
        size[day] = LASTING * size[day - 1] + 0.25 * rng.standard_normal()
    spread = USUAL * np.exp(size)[:, None]
    market, own = rng.standard_normal((days, 1)), rng.standard_normal((days, len(TICKERS)))
    close = 100 * np.exp(np.cumsum(spread * (COMMON * market + (1 - COMMON**2) ** 0.5 * own), axis=0))
    width = spread * rng.uniform(0.5, 1.5, close.shape)
    volume = 1e6 * np.exp(size[:, None] + 0.2 * rng.standard_normal(close.shape))
    values = np.stack([close, close * np.exp(width), close * np.exp(-width), volume], axis=-1)
    return Prices(list(range(1, days + 1)), values, {}, ())
