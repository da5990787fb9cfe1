"""What claims and notebooks read: the rows of every seed as tidy frames, data only."""

from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property, wraps
from typing import Concatenate, NoReturn, ParamSpec, TypeVar

import numpy as np
import pandas as pd

from inductive_bias.errors import NoRunsError, SettingError
from inductive_bias.protocols.measures import COORDINATES
from inductive_bias.protocols.measures.ranges import TASK_FACTS
from inductive_bias.studies.design import RESERVED, Cell, Design, Level, joined
from inductive_bias.studies.scales import Scale
from inductive_bias.studies.task_facts import expanded
from inductive_bias.studies.trial_table import JUDGED, task_id, trial_table
from inductive_bias.trials import Trial
from inductive_bias.verdicts import HalfOf, half_of

#: One value of a column, or several.
Wanted = Level | Sequence[Level]
P, R = ParamSpec("P"), TypeVar("R")


class _CellsWithRuns(dict[Cell, tuple[Trial, ...]]):
    def __missing__(self, cell: Cell) -> tuple[Trial, ...]:
        raise NoRunsError(f"no runs yet of {joined(**cell)}")


@dataclass(frozen=True, eq=False)  # tables have no one truth value: results are equal if they are the same
class Results:
    """The results of one study at one scale.

    Attributes:
        study: its name.
        scale: which.
        design: of the study; it says which trial belongs to which cell.
        rows: one row a number: ``trial``, the factors, ``seed, split, metric, epoch``, coordinates and ``value``. A
            coordinate that is null means *over all of it*.
        facts: of the tasks: ``task_id, split, metric``, coordinates and ``value``, one row a fact, see
            :mod:`~inductive_bias.studies.task_facts`. :meth:`frame` shows them beside every trial of their task.
        tables: further tables by name, each made or read when it is asked for.
        searched: makes the results of the search for settings; None if nothing was searched.
        listed: reads the published table of trials; None where it is made from the design.
        paper: what the paper reports: factors, ``split, metric, mean, std, seeds, source``.
        provenance: one line: what was run, on which data, by which code.
    """

    study: str
    scale: Scale
    design: Design
    rows: pd.DataFrame
    facts: pd.DataFrame = field(default_factory=pd.DataFrame)
    tables: Mapping[str, Callable[[], pd.DataFrame]] = field(default_factory=dict)
    searched: "Callable[[], Results] | None" = None
    listed: Callable[[], pd.DataFrame] | None = None
    paper: pd.DataFrame = field(default_factory=pd.DataFrame)
    provenance: str = ""

    @cached_property
    def cells(self) -> Mapping[Cell, tuple[Trial, ...]]:
        """Every cell that has runs by now, with the trials that have rows; a design may be written before its runs.

        Whoever asks for another cell gets a :class:`NoRunsError`, by which a claim is *not testable here*.
        """
        there = set(self.rows["trial"].unique())
        found = {
            cell: tuple(trial for trial in trials if trial.id in there)
            for cell, trials in self.design.cells(self.scale).items()
        }
        return _CellsWithRuns({cell: trials for cell, trials in found.items() if trials})

    @cached_property
    def search(self) -> "Results":
        """The results of the runs that chose settings.

        Raises:
            SettingError: if the study searched for none.
        """
        if self.searched is None:
            raise SettingError(f"study {self.study!r} searched for no settings")
        return self.searched()

    @cached_property
    def trials(self) -> pd.DataFrame:
        """Trials of the design with their settings, one row each: factors, ``cell, seed, number, trial``.

        Then ``parameters, optimiser_steps, task_id, teacher_id`` and settings by their dotted names
        (``optimiser.learning_rate``); see :func:`~inductive_bias.studies.trial_table.trial_table`. Of published results
        the table is the published one: trials that joined the design after it are missing. Made from the design, the
        table has every trial; steps are not known there.
        """
        members = self.design.members(self.scale)
        listed = self.listed() if self.listed else trial_table({JUDGED: [trial for _, _, trial in members.values()]})
        listed = listed.rename(columns={"id": "trial"}).drop(columns=["role", "seed"])
        order = listed["trial"].map({name: place for place, name in enumerate(members)})
        listed = listed[order.notna()].iloc[order.dropna().argsort(kind="stable")].reset_index(drop=True)
        return self._labelled(listed)

    @cached_property
    def coordinates(self) -> tuple[str, ...]:
        """Columns of the rows that say what part of a measure a row is of."""
        known = {*RESERVED, *self.design.factors, "task_id"}
        columns = dict.fromkeys([*self.rows.columns, *self.facts.columns])
        return tuple(sorted(name for name in columns if name not in known))

    @cached_property
    def _by_metric(self) -> dict[tuple[str, bool], pd.DataFrame]:
        """Rows by metric and whether they are of an epoch: a book asks hundreds of times."""
        rows = self._labelled(self.rows)
        return dict(iter(rows.groupby([rows["metric"], rows["epoch"].notna()], sort=False)))

    def _rows_of(self, metric: str, *, epochs: bool) -> pd.DataFrame | None:
        """The rows of a metric; facts of tasks beside every trial of their task; None if there are none."""
        measured = self._by_metric.get((metric, epochs))
        if epochs or not len(self.facts) or not (self.facts["metric"] == metric).any():
            return measured
        found = self.made(("facts", metric), lambda: self._labelled(self._expanded_facts(metric)))
        return found if measured is None else pd.concat([measured, found])

    @cached_property
    def _task_ids(self) -> pd.Series:
        """The task of every trial that has rows, by the trial's id."""
        there = set(self.rows["trial"].unique())
        members = self.design.members(self.scale)
        tasks = {name: task_id(trial) for name, (_, _, trial) in members.items() if name in there}
        return pd.Series(tasks, name="task_id", dtype=object).rename_axis("trial")

    def _expanded_facts(self, metric: str) -> pd.DataFrame:
        return expanded(self.facts[self.facts["metric"] == metric], self._task_ids.reset_index())

    def _labelled(self, table: pd.DataFrame, suffix: str = "") -> pd.DataFrame:
        """With factors in the order of the design, and cell and number of the trials in ``trial<suffix>``."""
        known = self.design.labels(self.scale)
        labels = known.reindex(table[f"trial{suffix}"]).set_axis(table.index).add_suffix(suffix)
        rest = table.drop(columns=[name for name in labels if name in table])
        return pd.concat([labels, rest], axis=1)

    def frame(
        self,
        metric: str | Sequence[str],
        *,
        split: str | Sequence[str] | None = None,
        by: str | Sequence[str] = (),
        epochs: bool = False,
        settings: Sequence[str] = (),
        **levels: Wanted,
    ) -> pd.DataFrame:
        """Tidy rows for seaborn, one a number: factors, ``cell, seed, number, split``, coordinates ``by``, ``value``.

        Args:
            metric: which; several give the column ``metric``.
            split: which; all of them if None.
            by: coordinates that are varied, such as ``attractors``. All others must be null, or fixed in ``levels``.
            epochs: the values after each epoch, with the column ``epoch``, instead of the final ones.
            settings: columns of :attr:`trials` that are added, such as ``parameters`` or ``model.width``.
            levels: one level or several of a factor or of a coordinate; a factor that is not named is not restricted.

        Returns:
            In the order of the design. Factors and ``cell`` are ordered categories without unused ones.

        Raises:
            SettingError: if there is no such metric, factor, level or setting; the message lists what there is.
            NoRunsError: if no cell with these levels has a run at this scale.
        """
        metrics, by = _listed(metric), _listed(by)
        self._refuse_unknown((*levels, *by))
        parts = [part for name in metrics if (part := self._rows_of(name, epochs=epochs)) is not None]
        if len(parts) < len(metrics):
            there = {name for name, of_epoch in self._by_metric if of_epoch == epochs}
            there = sorted(there if epochs or not len(self.facts) else there | set(self.facts["metric"]))
            raise SettingError(f"study {self.study!r} has no metric {metric!r}; it has {', '.join(there)}")
        rows = parts[0] if len(parts) == 1 else pd.concat(parts)
        fixed = levels if split is None else {"split": split, **levels}
        conditions = [_is_one_of(rows, name, _listed(wanted)) for name, wanted in fixed.items()]
        conditions += [
            _there(rows, name) if name in by else ~_there(rows, name) for name in self.coordinates if name not in levels
        ]
        rows = rows[np.logical_and.reduce(conditions)] if conditions else rows  # at once: a selection copies columns
        if rows.empty:
            self._refuse_nothing(levels, f"study {self.study!r} has no {metric!r} on {split!r} by {by} with {levels}")
        kept = [*self.design.factors, "cell", "seed", "number", "trial", "split", *by]
        kept += [name for name in levels if name in self.coordinates and name not in by]
        kept += [*(["metric"] if len(metrics) > 1 else []), *(["epoch"] if epochs else []), "value"]
        order = ["cell", "number", *(["epoch"] if epochs else [])]
        rows = rows.assign(**{name: np.nan for name in by if name not in rows})
        rows = rows[[*kept, *(name for name in ("origin", "dataset") if name in rows)]]
        return self._with_settings(_tidied(rows.sort_values(order, kind="stable")), settings)

    def _refuse_unknown(self, names: Sequence[str], *, known: Sequence[str] = ()) -> None:
        """Refuse names that are no factor, no coordinate of the rows and not in ``known``."""
        columns = [*self.design.factors, *self.coordinates]
        if unknown := [name for name in names if name not in columns and name not in known]:
            raise SettingError(f"study {self.study!r} has no factor or coordinate {unknown[0]!r}; it has {columns}")

    def _with_settings(self, rows: pd.DataFrame, settings: Sequence[str]) -> pd.DataFrame:
        if not settings:
            return rows
        if unknown := [name for name in settings if name not in self.trials]:
            raise SettingError(f"study {self.study!r} has no setting {unknown[0]!r}; it has {', '.join(self.trials)}")
        return rows.join(self.trials.set_index("trial")[list(settings)], on="trial")

    def _refuse_nothing(self, levels: Mapping[str, Wanted], message: str) -> NoReturn:
        """No row: either what is asked for is unknown, or its cells have no run at this scale."""
        at = {name: _listed(wanted) for name, wanted in levels.items() if name in self.design.factors}
        for name, wanted in at.items():
            known = self.design.known(name)
            if unknown := [level for level in wanted if level not in known]:
                raise SettingError(f"{message}: {name} has no level {unknown[0]!r} at any scale")
        if any(all(cell[name] in wanted for name, wanted in at.items()) for cell in self.cells):
            raise SettingError(message)
        words = ", ".join("/".join(str(level) for level in wanted) for wanted in at.values())
        raise NoRunsError(f"no runs yet of {words or self.study}")

    def runs(self, **levels: Level) -> list[int]:
        """Numbers of runs that the cells with these levels have, rising and each once; 0 where no cell has them."""
        found = {len(trials) for cell, trials in self.cells.items() if levels.items() <= dict(cell).items()}
        return sorted(found or {0})

    def need(self, *cells: Mapping[str, Level]) -> None:
        """Refuse to go on where a cell has no run at this scale.

        Raises:
            NoRunsError: naming the cells that have none.
        """
        absent = [self.design.name(cell) for cell in cells if Cell(**cell) not in self.cells]
        if absent:
            raise NoRunsError(f"no runs yet of {', '.join(dict.fromkeys(absent))}")

    def has(
        self,
        metric: str | Sequence[str],
        *,
        split: str | Sequence[str] | None = None,
        by: str | Sequence[str] = (),
        epochs: bool = False,
        **levels: Wanted,
    ) -> bool:
        """Whether :meth:`frame` of the same arguments has a row.

        A metric, or a coordinate of other studies, that these results lack is an answer: they have no row of it.

        Raises:
            SettingError: if there is no such factor, and no measure has such a coordinate.
        """
        self._refuse_unknown((*levels, *_listed(by)), known=COORDINATES)
        try:
            self.frame(metric, split=split, by=by, epochs=epochs, **levels)
        except SettingError:
            return False
        return True

    def facts_of(
        self, metric: str, *, split: str | Sequence[str] | None = None, by: str | Sequence[str] = (), **levels: Wanted
    ) -> pd.DataFrame:
        """Facts of the data, one row a task: the factors that all its trials share, ``split``, ``by`` and ``value``.

        Args:
            metric: such as ``constant_accuracy``; others as for :meth:`frame`.
            split: as for :meth:`frame`.
            by: as for :meth:`frame`.
            levels: as for :meth:`frame`.

        Raises:
            SettingError: if it is no fact of a task, or there is no such factor or level.
            NoRunsError: if no cell with these levels has a run at this scale.
        """
        if metric not in TASK_FACTS:
            raise SettingError(f"study {self.study!r} has no fact {metric!r} of its tasks")
        rows = self.frame(metric, split=split, by=by, **levels)
        rows = rows.assign(task_id=rows["trial"].map(self._task_ids))
        place = ["task_id", "split", *_listed(by), *(name for name in levels if name in self.coordinates)]
        groups = rows.groupby("task_id", observed=True)
        shared = [name for name in self.design.factors if (groups[name].nunique(dropna=False) == 1).all()]
        kept = [*shared, *dict.fromkeys([*place, "value"])]
        return _tidied(rows.drop_duplicates(place)[kept])

    def values(self, metric: str, *, split: str | None = None, **levels: Level) -> pd.Series:
        """Final values of one cell, indexed by number (the place of a seed in its cell); NaN where a run diverged.

        Runs of two cells with one number belong together where the design says so: a student's teacher, a twin's twin.

        Raises:
            SettingError: if the levels leave more than one cell, split or part of a measure open; naming what is open.
        """
        key = "values", metric, split, tuple(sorted(levels.items()))
        return self.made(key, lambda: self._values(metric, split, levels)).copy()  # rules ask for the same cells

    def _values(self, metric: str, split: str | None, levels: Mapping[str, Level]) -> pd.Series:
        rows = self.frame(metric, split=split, **levels)
        if any(rows[name].nunique() > 1 for name in ("cell", "split")) or rows["number"].duplicated().any():
            open_ = [name for name in (*self.design.factors, "split") if rows[name].nunique() > 1]
            what = {name: list(rows[name].unique()) for name in open_} or "several rows of one run"
            raise SettingError(f"{metric} with {levels} is not one cell: {what}")
        return rows.set_index("number")["value"].astype(float).rename(rows["cell"].iloc[0])

    def table(self, name: str) -> pd.DataFrame:
        """A table that compares trials, with factors, ``cell``, ``seed`` and ``number`` of every column ``trial…``.

        A column ``trial_a`` gives ``model_a``, ``cell_a`` and so on.

        Raises:
            SettingError: if the study has no such table.
        """
        if name not in self.tables:
            raise SettingError(f"study {self.study!r} has no table {name!r}; it has {', '.join(self.tables)}")
        return self.made(name, lambda: self._expanded(name))

    def _expanded(self, name: str) -> pd.DataFrame:
        table = self.tables[name]()
        for column in [column for column in table.columns if column == "trial" or column.startswith("trial_")]:
            table = self._labelled(table, column.removeprefix("trial"))
        return table

    def made(self, key: Hashable, make: Callable[[], R]) -> R:
        """What ``make`` gives, made once for a key; see :func:`once`."""
        return self._known[key] if key in self._known else self._known.setdefault(key, make())

    @cached_property
    def _known(self) -> dict[Hashable, object]:
        return {}

    def reported(self, metric: str, *, split: str | None = None, **levels: Level) -> tuple[float, float] | None:
        """Mean and standard deviation (NaN if not known) in the paper, or None where it has no such number.

        Raises:
            SettingError: if the levels leave more than one number open.
        """
        rows = self.paper[self.paper["metric"] == metric]
        for name, wanted in (({"split": split} if split else {}) | levels).items():
            rows = rows[_is_one_of(rows, name, [wanted])]
        if len(rows) > 1:
            raise SettingError(f"the paper of {self.study!r} has {len(rows)} numbers of {metric} with {levels}")
        return None if rows.empty else (float(rows["mean"].iloc[0]), float(rows["std"].iloc[0]))


def half_reported(
    results: Results, metric: str, cell: Mapping[str, Level], baseline: Mapping[str, Level], *, split: str | None = None
) -> HalfOf:
    """Half of what the paper reports of one cell against another: a margin that knows its two cells.

    A rule refuses a contrast of other cells than these (:func:`inductive_bias.verdicts.half_of`).

    Raises:
        SettingError: if the paper reports nothing of one of them.
    """
    found = {results.design.label(**each): results.reported(metric, split=split, **each) for each in (cell, baseline)}
    if absent := [name for name, number in found.items() if number is None]:
        raise SettingError(f"the paper of {results.study!r} has no {metric} of {absent[0]}")
    first, second = (number[0] for number in found.values())
    return half_of(first - second, compared=tuple(found))


def once(function: Callable[Concatenate[Results, P], R]) -> Callable[Concatenate[Results, P], R]:
    """A function of results and of hashable arguments that rules ask again and again: made once for the same results.

    A cache of Python's own would hide from who asks later which runs it read, see ``record.tracked_results``.
    """

    @wraps(function)
    def known(results: Results, *args: P.args, **options: P.kwargs) -> R:
        key = function, args, tuple(sorted(options.items()))
        return results.made(key, lambda: function(results, *args, **options))

    return known


def _listed(wanted: object) -> list:
    return [wanted] if wanted is None or isinstance(wanted, str | int | float) else list(wanted)


def _there(rows: pd.DataFrame, name: str) -> pd.Series:
    return rows[name].notna() if name in rows else pd.Series(False, index=rows.index)


def _is_one_of(rows: pd.DataFrame, name: str, wanted: list) -> pd.Series:
    """Whether a column has one of these levels; None stands for no level."""
    if name not in rows:
        return pd.Series(None in wanted, index=rows.index)
    found = rows[name].isin([level for level in wanted if level is not None])
    return found | rows[name].isna() if None in wanted else found


def _tidied(rows: pd.DataFrame) -> pd.DataFrame:
    """Without unused categories, which would be empty places in a figure."""
    rows = rows.reset_index(drop=True)
    for name in rows.select_dtypes("category"):
        rows[name] = rows[name].cat.remove_unused_categories()
    return rows
