"""How settings are chosen: a grid, runs with seeds of their own, a score on validation, and a file of what was found.

The file is ``tuned.csv`` of a study: one row a place of the grid, with its score and whether it was chosen. Only
``inductive-bias tune STUDY`` writes it (:meth:`~inductive_bias.studies.study.Study.tune`), and the study's design reads
it through :class:`Tuned`. The grid grows at its edges: where the best place is the lowest or highest learning rate that
was tried, the next one is tried.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import numpy as np
import pandas as pd

from inductive_bias.errors import SettingError
from inductive_bias.studies.atomic_write import write
from inductive_bias.studies.design import Design, Level
from inductive_bias.studies.results import Results

#: First seed of the runs that choose: none of them shares a seed with a run that is judged.
FIRST_TUNING_SEED = 1000
#: Columns of ``tuned.csv`` after scale, keys and settings.
FOUND = ("runs", "score", "chosen")
#: So often a grid grows at one edge before a search gives up.
MOST_FURTHER = 6


def around(rate: float, factors: Sequence[float] = (0.5, 1.0, 2.0)) -> list[dict[str, float]]:
    """The first grid of a search for one learning rate."""
    return [{"learning_rate": factor * rate} for factor in factors]


def best_evaluations(
    metric: str = "accuracy", split: str = "validation", *, highest: bool = True
) -> Callable[[Results], pd.DataFrame]:
    """A score for :class:`Tuning`: the best value of a metric after any epoch, one row a run."""

    def score(results: Results) -> pd.DataFrame:
        found = results.frame(metric, split=split, epochs=True)
        best = found.groupby("trial", sort=False)["value"].agg("max" if highest else "min")
        runs = found.drop_duplicates("trial")
        return runs.assign(value=runs["trial"].map(best))

    return score


class Tuned:
    """What a search found, by scale and key, read from ``tuned.csv``.

    Args:
        path: the file; nothing is tuned where there is none.
        keys: what has settings of its own, such as ``model``; columns of the file.
        settings: what is searched, such as ``learning_rate``; columns of the file.
    """

    def __init__(self, path: Path, *, keys: Sequence[str], settings: Sequence[str] = ("learning_rate",)):
        self.path, self.keys, self.settings = path, tuple(keys), tuple(settings)

    @cached_property
    def table(self) -> pd.DataFrame:
        """All rows of the file.

        Raises:
            SettingError: if the file has other columns, or does not say of every place whether it was chosen.
        """
        columns = ["scale", *self.keys, *self.settings, *FOUND]
        if not self.path.is_file():
            return pd.DataFrame(columns=columns)
        table = pd.read_csv(self.path, keep_default_na=False, na_values={"score": [""]})
        if list(table.columns) != columns:
            raise SettingError(f"{self.path} has the columns {', '.join(table)}; expected {', '.join(columns)}")
        if len(table) and table["chosen"].dtype != bool:  # a word is true, whatever it says
            raise SettingError(f"{self.path} has other values than True and False in the column 'chosen'")
        for name in (*self.keys, *self.settings):
            if (table[name] == "").any():  # no level; numbers stay numbers beside it
                table[name] = pd.Series([_level(word) for word in table[name]], dtype=object)
        return table

    @cached_property
    def _by_key(self) -> dict[tuple, list[dict]]:
        found: dict[tuple, list[dict]] = {}
        for row in self.table.to_dict("records"):
            found.setdefault((row["scale"], *(row[name] for name in self.keys)), []).append(row)
        return found

    def write(self, scale: str, found: pd.DataFrame, further: Iterable[Mapping[str, Level]] = ()) -> None:
        """Put the rows of one scale into the file; ``further`` places are there without a score, to be run next.

        Raises:
            StoreError: if it cannot be written.
        """
        places = pd.DataFrame([{"scale": scale, "runs": 0, "chosen": False, **place} for place in further])
        others = self.table[self.table["scale"] != scale]
        table = pd.concat([each for each in (others, found, places) if len(each)], ignore_index=True)
        columns = ["scale", *self.keys, *self.settings, *FOUND]
        write(self.path, lambda draft: table[columns].to_csv(draft, index=False, lineterminator="\n"))
        for name in ("table", "_by_key"):
            self.__dict__.pop(name, None)

    def _rows(self, scale: str, key: Mapping[str, Level]) -> list[dict]:
        return self._by_key.get((scale, *(key[name] for name in self.keys)), [])

    def _chosen(self, scale: str, key: Mapping[str, Level]) -> dict | None:
        return next((row for row in self._rows(scale, key) if row["chosen"]), None)

    def tried(self, scale: str, **key: Level) -> list[dict[str, float]]:
        """The places of the grid of one key, in the order of the file: each a mapping from setting to value."""
        return [{name: row[name] for name in self.settings} for row in self._rows(scale, key)]

    def chosen(self, scale: str, **key: Level) -> dict[str, float] | None:
        """The settings that were chosen for one key; None where nothing was searched."""
        row = self._chosen(scale, key)
        return row and {name: row[name] for name in self.settings}

    def get(self, scale: str, setting: str, default: float, **key: Level) -> float:
        """The chosen value of one setting; the default where nothing was searched."""
        row = self._chosen(scale, key)
        return row[setting] if row else default

    def score(self, scale: str, **key: Level) -> float | None:
        """The score of the settings that were chosen for one key; None where nothing was searched."""
        row = self._chosen(scale, key)
        return row and row["score"]

    def runs(self, scale: str, **key: Level) -> int | None:
        """How many runs the chosen settings of one key were scored by; None where nothing was searched."""
        row = self._chosen(scale, key)
        return row and int(row["runs"])

    def grid(self, scale: str, first: Iterable[Mapping[str, float]], **key: Level) -> list[dict[str, float]]:
        """The places where the search of one key has runs: the first grid, and where the file says that it went on."""
        places = [dict(place) for place in first]
        return places + [place for place in self.tried(scale, **key) if place not in places]


@dataclass(frozen=True)
class Tuning:
    """The search for settings of a study.

    Attributes:
        design: of the runs that choose. Its factors are the keys and the settings; over any other a score is averaged,
            as it is over the runs.
        tuned: the file that it fills.
        metric, split: the score of a run.
        highest: whether a higher score is better; a function says it of every row of a table of keys.
        alike: where all scores of a key lie within this share of the best, no place is better than another: a model
            that guesses does so at every rate.
        too_late: places that were tried when the judged runs had been made: they are scored, and never chosen.
        score: from the results of the search to the scores of all runs: keys, settings and ``value``, one row a run.
            The final ``metric`` on ``split`` if None. A diverged run (NaN) is worse than any other.
    """

    design: Design
    tuned: Tuned
    metric: str = "nll"
    split: str = "validation"
    highest: bool | Callable[[pd.DataFrame], pd.Series] = False
    alike: float = 0.0
    too_late: tuple[Mapping[str, Level], ...] = ()
    score: Callable[[Results], pd.DataFrame] | None = None

    @property
    def keys(self) -> tuple[str, ...]:
        """What has settings of its own."""
        return self.tuned.keys

    @property
    def settings(self) -> tuple[str, ...]:
        """What is searched."""
        return self.tuned.settings

    def values(self, results: Results) -> pd.DataFrame:
        """The score of every run, of the search or of the study: factors, ``trial`` and ``value``, one row a run."""
        return self.score(results) if self.score else results.frame(self.metric, split=self.split)

    def sign(self, table: pd.DataFrame) -> np.ndarray:
        """What makes a cost of a score, for each row of a table of keys: −1 where higher scores are better, or 1."""
        return np.where(self._higher(table), -1.0, 1.0)

    def scores(self, results: Results) -> pd.DataFrame:
        """Every place of the grid with its mean score, in the columns of ``tuned.csv``.

        A chosen place is the best of its key; of equal scores the first in the order of the grid.

        Args:
            results: of the search (``results.search`` of the study).
        """
        places = [*self.keys, *self.settings]
        table = self._means(results)
        table["chosen"] = self._is_chosen(table)
        levels = self.design.levels(results.scale)
        for name in places:
            table[name] = _as_levels(table[name], levels[name])
        return table.assign(scale=results.scale)[["scale", *places, *FOUND]]

    def _means(self, results: Results) -> pd.DataFrame:
        """Keys, settings, ``runs`` and the mean ``score``, one row a place."""
        found = self.values(results)
        values, places = found["value"].astype(float), [*self.keys, *self.settings]
        found = found.assign(value=values.where(values.notna(), np.where(self._higher(found), -np.inf, np.inf)))
        groups = found.astype(dict.fromkeys(places, object)).groupby(places, sort=False, observed=True, dropna=False)
        return groups["value"].agg(runs="size", score="mean").reset_index()

    def _is_chosen(self, table: pd.DataFrame) -> pd.Series:
        """The best place of each key, or the first of those that are as good; none where all runs diverged."""
        keys = list(self.keys)
        cost = table["score"] * self.sign(table)
        for place in self.too_late:
            cost = cost.mask((table[list(place)] == pd.Series(place)).all(axis=1), np.inf)
        by_key = table.assign(cost=cost).groupby(keys, sort=False, dropna=False)["cost"]
        best, last = by_key.transform("min"), by_key.transform("max")
        is_best = ((cost == best) | (last - best <= self.alike * best.abs())) & np.isfinite(cost)
        return is_best & ~table[is_best].duplicated(keys).reindex(table.index, fill_value=False)

    def _higher(self, table: pd.DataFrame) -> pd.Series:
        if callable(self.highest):
            return self.highest(table).astype(bool)
        return pd.Series(self.highest, index=table.index)

    def edges(self, table: pd.DataFrame) -> list[dict[str, Level]]:
        """What is to be tried next: places beyond the best learning rate of a key, where it is the last one tried.

        Nothing for a key whose finite scores, two or more, are all :attr:`alike`: the first place is chosen there, and
        a model that guesses would guess at the next rate too.
        """
        further = []
        if "learning_rate" not in self.settings:
            return further
        for _, rows in table.groupby(list(self.keys), sort=False, dropna=False):
            rates, best = sorted(rows["learning_rate"].unique()), rows[rows["chosen"]]
            costs = (rows["score"] * self.sign(rows))[np.isfinite(rows["score"])]
            no_better = len(costs) > 1 and costs.max() - costs.min() <= self.alike * abs(costs.min())
            if best.empty or len(rates) < 2 or no_better:
                continue
            place = best.iloc[0][[*self.keys, *self.settings]].to_dict()
            ends = {rates[0]: rates[0] / (rates[1] / rates[0]), rates[-1]: rates[-1] * (rates[-1] / rates[-2])}
            if place["learning_rate"] in ends:
                further.append(place | {"learning_rate": float(f"{ends[place['learning_rate']]:.6g}")})
        return further


def _as_levels(column: pd.Series, levels: Iterable[Level]) -> pd.Series:
    """A column with the levels of a design: a frame turns whole numbers beside missing ones into fractions."""
    known = {level: level for level in levels}
    found = pd.Series([None if pd.isna(level) else known.get(level, level) for level in column], dtype=object)
    return found if found.isna().any() else found.infer_objects()


def _level(word: str) -> Level:
    """What a word of the file stands for: nothing, a whole number, a fraction, or itself."""
    for kind in (int, float):
        try:
            return kind(word) if word else None
        except ValueError:
            continue
    return word
