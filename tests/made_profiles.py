"""For tests of profiles: a folder with files of one's own to work in, and a population of made scores."""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path

import numpy as np
import pandas as pd
import pytest


@contextmanager
def working_in(folder: Path, files: Mapping[str, str]) -> Iterator[Path]:
    """The folder with these files as the working directory, which keeps its own runs."""
    for name, text in files.items():
        (folder / name).write_text(text)
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        patch.setenv("INDUCTIVE_BIAS_HOME", str(folder))
        yield folder


def made_population(probe_of: Mapping[str, str], models: Sequence[str]) -> pd.DataFrame:
    """Four scores in [0, 1] of every model on every axis of ``probe_of``, which names the probe of each."""
    rng = np.random.default_rng(0)
    rows = [
        {"model": model, "axis": axis, "probe": probe, "number": number, "value": rng.uniform()}
        for model in models
        for axis, probe in probe_of.items()
        for number in range(4)
    ]
    return pd.DataFrame(rows)
