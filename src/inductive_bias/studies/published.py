"""Reading what has been published: tidy tables and a manifest in ``data/results/<study>/``."""

from pathlib import Path

import pandas as pd

from inductive_bias import paths
from inductive_bias.errors import StoreError
from inductive_bias.studies.manifest import read_manifest

#: The folder of ``data/results/`` that holds what benchmarks measured, one table each.
BENCHMARKS = "benchmarks"


#: The published tables of every study beside its rows: what the records of runs say, the settings of all trials, facts
#: of the tasks, and the rows of the runs that chose settings.
RUNS, TRIALS, FACTS, SEARCH = "runs", "trials", "facts", "search"


def table_path(study: str, scale: str, name: str | None = None) -> Path:
    """``<scale>.parquet``, or ``<scale>-<name>.parquet`` for a further table."""
    return paths.published(study) / f"{scale}{'-' + name if name else ''}.parquet"


def read_rows(study: str, scale: str, name: str | None = None) -> pd.DataFrame | None:
    """The published rows of what is judged, or of another table of rows; None if it has not been published."""
    path = table_path(study, scale, name)
    return read_parquet(path) if path.is_file() else None


def check_length(study: str, scale: str, name: str | None, rows: pd.DataFrame) -> None:
    """Refuse a table that lost or gained rows since it was published, or whose manifest does not name it.

    Raises:
        StoreError: naming the table, if its manifest says another number of rows, or none.
    """
    path = table_path(study, scale, name)
    promised = read_manifest(study).get(scale, {}).get("files", {}).get(path.name, {}).get("rows", "nothing of it")
    if promised != len(rows):
        raise StoreError(f"{path} has {len(rows)} rows; its manifest says {promised}: restore both from git")


def read_table(study: str, scale: str, name: str) -> pd.DataFrame:
    """A further published table."""
    return read_parquet(table_path(study, scale, name))


def measured_path(benchmark: str) -> Path:
    """``data/results/benchmarks/<benchmark>.parquet``."""
    return paths.published(BENCHMARKS) / f"{benchmark}.parquet"


def read_parquet(path: Path) -> pd.DataFrame:
    """A published file.

    Raises:
        StoreError: if it cannot be read, naming it.
    """
    try:
        return pd.read_parquet(path)
    except (OSError, ValueError) as error:
        raise StoreError(
            f"the published table {path} cannot be read ({error}); restore it from git, or publish the study again"
        ) from error
