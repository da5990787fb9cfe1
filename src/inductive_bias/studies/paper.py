"""What a paper reports, from the ``paper.csv`` of a study: one schema for all."""

from collections.abc import Sequence
from pathlib import Path

import pandas as pd

#: Besides the study's factors. ``std`` and ``seeds`` may be empty; the header comment explains ``source``.
COLUMNS = ("split", "metric", "mean", "std", "seeds", "source")


def paper_numbers(path: Path, factors: Sequence[str]) -> pd.DataFrame:
    """The numbers, one row each; lines that begin with # tell where they come from. Empty if there is no file.

    A factor that a number is not about is empty (null). Further columns are what the paper varies and the study does
    not, such as the depth of its models.

    Raises:
        ValueError: if a factor or one of :data:`COLUMNS` is not among the columns, or a mean is missing.
    """
    wanted = [*factors, *COLUMNS]
    if not path.is_file():
        return pd.DataFrame(columns=wanted)
    # "none", the level of a model without a teacher, is a word and not a missing value
    table = pd.read_csv(path, comment="#", keep_default_na=False, na_values=[""])
    if lacking := [name for name in wanted if name not in table]:
        raise ValueError(f"{path} has no column {lacking[0]!r}; it has {', '.join(table)}")
    if table["mean"].isna().any():
        raise ValueError(f"{path} has a row without a mean")
    return table[[*factors, *(name for name in table if name not in wanted), *COLUMNS]]
