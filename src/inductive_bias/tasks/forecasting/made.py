"""Made-up series: a cycle of a day whose size changes from day to day, and noise that lasts. Nobody measured them."""

import numpy as np
from jaxtyping import Float64

SOURCE = "generated:days with noise"
#: Columns, steps of a day, and how much of its noise a step hands on.
COLUMNS, DAY, LASTING = 3, 24, 0.8


def made_series(rng: np.random.Generator, rows: int) -> Float64[np.ndarray, "t 3"]:
    """Hourly rows; each column has its own hour at which a day is highest."""
    hours = np.arange(rows)[:, None]
    sizes = 1 + 0.3 * rng.standard_normal((rows // DAY + 1, COLUMNS))
    cycle = np.cos(2 * np.pi * (hours / DAY - np.arange(COLUMNS) / COLUMNS)) * sizes[hours[:, 0] // DAY]
    noise, shocks = np.zeros((rows, COLUMNS)), 0.3 * rng.standard_normal((rows, COLUMNS))
    for row in range(rows):
        noise[row] = shocks[row] + (LASTING * noise[row - 1] if row else 0)
    return cycle + noise
