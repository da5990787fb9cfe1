"""The models that a profile stands beside: those that the book has published, or a table of one's own."""

import hashlib
from pathlib import Path

import pandas as pd

from inductive_bias import paths
from inductive_bias.errors import SettingError
from inductive_bias.profile.groups import GROUPS, Group
from inductive_bias.studies import study_named
from inductive_bias.studies.profile_axes import COLUMNS
from inductive_bias.studies.published import table_path
from inductive_bias.studies.scales import PUBLISHED

#: What a population is of, if nothing else is said.
SEQUENCES = GROUPS["sequences"]


def published_population(group: Group = SEQUENCES) -> pd.DataFrame:
    """Scores of the models of the book, in the columns of :func:`~inductive_bias.studies.profile_axes.scores`.

    Where the project's folder is another one, they are those of the checkout that this package is in.

    Raises:
        SettingError: if none is published in either.
    """
    study = study_named(group.study)
    if not study.is_published(PUBLISHED) and (book := paths.checkout()) not in (None, paths.home()):
        with paths.at(book):
            return published_population(group)
    # asked for results that are not published, a study would begin to train them
    if not study.is_published(PUBLISHED):
        raise SettingError(
            f"no population is published here ({table_path(group.study, PUBLISHED)}): give one with --population, or "
            "work in a checkout of the book"
        )
    return group.known(study.results(PUBLISHED))


def read_population(path: Path | str) -> pd.DataFrame:
    """Scores from a parquet file that :func:`add_to_population` wrote.

    Raises:
        SettingError: if the file cannot be read or has other columns.
    """
    if not Path(path).exists():
        raise SettingError(f"{path} cannot be read as a population: there is no such file")
    try:
        table = pd.read_parquet(path)
    except (OSError, ValueError) as error:
        raise SettingError(f"{path} cannot be read as a population: {error}") from error
    if list(table.columns) != list(COLUMNS):
        raise SettingError(f"{path} is no population: it has the columns {', '.join(map(str, table))}")
    return table


def others_in(path: Path | str, name: str) -> pd.DataFrame:
    """The population of a file without an older profile of the model itself.

    Raises:
        SettingError: if the file is no population, or has no other model.
    """
    found = read_population(path)
    others = found[found["model"] != name]
    if others.empty:
        raise SettingError(f"{path} has no other model than {name} to stand beside")
    return others


def add_to_population(path: Path | str, scores: pd.DataFrame) -> int:
    """Put a model's scores into a population's file, in place of an older profile of that name.

    Returns how many models it then has.

    Raises:
        SettingError: if the file is no population, or cannot be written.
    """
    path, parts = Path(path), []
    if path.is_file():
        table = read_population(path)
        parts = [table[~table["model"].isin(scores["model"].unique())]]
    table = pd.concat([*parts, scores[list(COLUMNS)]], ignore_index=True)
    try:
        table.to_parquet(path, index=False)
    except OSError as error:
        raise SettingError(f"{path} cannot be written: {error}") from error
    return table["model"].nunique()


def refuse_no_place(path: Path | None) -> None:
    """Refuse a file that :func:`add_to_population` could not add to; a command asks this before it trains.

    Raises:
        SettingError: if it is something else than a population, or its folder is not there.
    """
    if path is None:
        return
    if path.exists():
        read_population(path)
    elif not path.parent.is_dir():
        raise SettingError(f"{path} cannot be written: there is no folder {path.parent}")


def digest(population: pd.DataFrame) -> str:
    """SHA-256 of a population's scores, whatever their order."""
    rows = population[list(COLUMNS)].astype({"model": str}).sort_values(list(COLUMNS[:-1]), kind="stable")
    return hashlib.sha256(rows.to_csv(index=False).encode()).hexdigest()
