"""Which runs a claim's rule reads, and what one more of each costs."""

from collections.abc import Callable, Hashable, Iterable, Mapping
from dataclasses import dataclass, field, fields
from typing import TypeVar

import pandas as pd

from inductive_bias.studies.results import Results
from inductive_bias.trials import Trial

R = TypeVar("R")


@dataclass(frozen=True, eq=False)  # as Results: equal if they are the same, so that they can be a key
class Noting(Results):
    """Results that note the runs whose numbers they give out.

    Attributes:
        read: ids of the trials; of a table that compares runs, all that it names.
    """

    read: set[str] = field(default_factory=set)
    _read_for: dict[Hashable, frozenset[str]] = field(default_factory=dict)

    def frame(self, *args: object, **wanted: object) -> pd.DataFrame:
        """Rows of :meth:`Results.frame`; that they were read is noted."""
        rows = super().frame(*args, **wanted)
        self.read.update(rows["trial"])
        return rows

    def has(self, metric: str, **wanted: object) -> bool:
        """Whether :meth:`Results.has`; a row that is only looked for is not read."""
        before = set(self.read)
        there = super().has(metric, **wanted)
        self.read.intersection_update(before)
        return there

    def made(self, key: Hashable, make: Callable[[], R]) -> R:
        """Result of :meth:`Results.made`; what was read for it is noted each time that it is asked for."""
        before = set(self.read)
        self.read.clear()
        try:
            value = super().made(key, make)
            self.read.update(self._read_for.setdefault(key, frozenset(self.read)))
        finally:  # a rule may catch what cannot be made, and go on
            self.read.update(before)
        return value

    def table(self, name: str) -> pd.DataFrame:
        """Table of :meth:`Results.table`; that it was read is noted."""
        table = super().table(name)
        for column in table.columns:
            if column == "trial" or column.startswith("trial_"):
                self.read.update(table[column].dropna().unique())
        return table


def noting(results: Results) -> Noting:
    """Results that note what is read of them."""
    return Noting(**{each.name: getattr(results, each.name) for each in fields(Results)})


def minutes_per_seed(results: Results, read: Iterable[str], minutes: Mapping[str, float], *, seeds: int = 1) -> float:
    """Minutes of one more run of every cell of which runs were read, and of the cells of their teachers.

    Args:
        results: of the study.
        read: ids of trials.
        minutes: that each run took, by id.
        seeds: of the contrast that needs more of them; a cell with fewer runs has no part in it.

    Returns:
        The sum over cells of the mean minutes of a run; NaN if a run's time is not known.
    """
    members = results.design.members(results.scale)
    wanted = {name for name in read if name in members}
    for name in tuple(wanted):
        wanted.update(teacher.id for teacher in _teachers(members[name][2]) if teacher.id in members)
    spent: dict[object, list[float]] = {}
    for name in sorted(wanted):  # the order of a set is another in every process, and so is the last digit of a sum
        cell, _, trial = members[name]
        # a teacher that is in no cell is trained for its student
        outside = [teacher for teacher in _teachers(trial) if teacher.id not in members]
        own = sum(minutes.get(each.id, float("nan")) for each in (trial, *outside))
        spent.setdefault(cell, []).append(own)
    return float(sum(sum(each) / len(each) for each in spent.values() if len(each) >= seeds))


def _teachers(trial: Trial) -> list[Trial]:
    """The trial's teacher, its teacher's teacher and so on."""
    found = []
    while (trial := trial.teacher) is not None:
        found.append(trial)
    return found
