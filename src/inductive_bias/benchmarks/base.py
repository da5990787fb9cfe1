"""What a benchmark is: a function that returns a tidy table of ratios, all of them measured in one run.

A time says something of a machine, a ratio of two times from one run says something of the code. So a benchmark never
reports a time alone: every row holds what was measured, what it is divided by, and the ratio.
"""

import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass

import numpy as np
import pandas as pd
import torch

from inductive_bias.errors import SettingError
from inductive_bias.studies.study import Page

#: One row a repeat: ``ratio`` = ``value`` / ``reference``, both in ``unit``; ``target`` is the ratio promised,
#: ``at least`` or ``at most`` (``bound``), or NaN where there is no such promise. ``size`` is the number that a variant
#: differs by, such as tokens; NaN where it is none.
COLUMNS = [
    "measure",
    "model",
    "variant",
    "size",
    "repeat",
    "ratio",
    "value",
    "reference",
    "unit",
    "target",
    "bound",
    "data_source",
]
#: How a bound is written before its number.
SIGNS = {"at least": "≥", "at most": "≤"}


@dataclass(frozen=True)
class Benchmark:
    """A named question about cost.

    Attributes:
        name: on the command line and in ``data/results/benchmarks/``.
        question: what it measures, in a sentence.
        part: of the book, in which its pages stand.
        pages: the chapters that show it.
        measure: ``measure(repeats, real=…)`` returns rows with :data:`COLUMNS`; with ``real`` it refuses to replace
            real data by generated ones.
        threads: of torch while it measures; as many as it is started with if None.
    """

    name: str
    question: str
    measure: Callable[..., pd.DataFrame]
    part: str = ""
    pages: tuple[Page, ...] = ()
    threads: int | None = None

    @contextmanager
    def on_its_threads(self) -> Iterator[None]:
        """Context in which torch has as many threads as the benchmark asks for."""
        before = torch.get_num_threads()
        torch.set_num_threads(self.threads or before)
        try:
            yield
        finally:
            torch.set_num_threads(before)

    def run(self, repeats: int = 5, *, real: bool = False) -> pd.DataFrame:
        """The table of ``repeats`` measurements of every ratio.

        Raises:
            SettingError: if ``repeats`` is below 1. DataError: if ``real`` data are asked for and not there.
            ValueError: if :func:`problems_of` finds one in the rows.
        """
        if repeats < 1:
            raise SettingError(f"repeats={repeats} must be at least 1")
        with self.on_its_threads():
            table = self.measure(repeats, real=real)
        if problems := problems_of(table):
            raise ValueError(f"benchmark {self.name} returned a bad table: {'; '.join(problems)}")
        return table


def ratio_row(measure: str, model: str, variant: str, *, value: float, reference: float, **others: object) -> dict:
    """One row; ``others`` are ``repeat, unit, data_source``, a ``size``, and a ``target`` with its ``bound`` if any."""
    ratio = value / reference
    named = {"measure": measure, "model": model, "variant": variant, "ratio": ratio, "value": value}
    return {"size": np.nan, "target": np.nan, "bound": "at least"} | named | {"reference": reference} | others


def problems_of(table: pd.DataFrame) -> list[str]:
    """What is wrong with a benchmark's table; empty if nothing is."""
    if list(table.columns) != COLUMNS:
        return [f"columns are {list(table.columns)}, expected {COLUMNS}"]
    found = [] if len(table) else ["there is no row"]
    if not np.isfinite(table[["ratio", "value", "reference"]].to_numpy(float)).all():
        found.append("a ratio is not finite")
    elif not np.allclose(table["ratio"], table["value"] / table["reference"]):
        found.append("a ratio is not value / reference")
    if not set(table["bound"]) <= SIGNS.keys():
        found.append(f"a bound is not one of {', '.join(SIGNS)}")
    if table.groupby(["measure", "model", "variant"])["repeat"].apply(sorted).map(tuple).nunique() > 1:
        found.append("not every ratio was measured in every repeat")
    return found


def seconds(work: Callable[[], object]) -> float:
    """How long one call takes."""
    start = time.perf_counter()
    work()
    return time.perf_counter() - start


def in_turns(work: Mapping[str, Callable[[], object]], repeats: int) -> list[dict[str, float]]:
    """Seconds of each by name, once a repeat and in turns (A, B, A, B).

    Whatever else slows the machine for a while then slows all of them. Each is called once before, untimed.
    """
    for each in work.values():
        each()
    return [{name: seconds(each) for name, each in work.items()} for _ in range(repeats)]


def timed_rows(
    measure: str,
    variant: str,
    work: Mapping[str, Callable[[], object]],
    repeats: int,
    *,
    first: str,
    per: int,
    **others: object,
) -> Iterator[dict]:
    """Rows of everything that is timed in turns: seconds of each, per so many of what it does, over those of ``first``.

    ``others`` are those of :func:`ratio_row`, without the repeat.
    """
    for repeat, took in enumerate(in_turns(work, repeats)):
        for name in work:
            yield ratio_row(
                measure, name, variant, value=took[name] / per, reference=took[first] / per, repeat=repeat, **others
            )


def summary(table: pd.DataFrame, measure: str | None = None) -> pd.DataFrame:
    """Median and range of every ratio over the repeats: what a page and the command line show.

    Args:
        table: of a benchmark.
        measure: only this one, without its column, and without those of the target if it has none.

    Returns:
        Columns ``measure, model, variant, median, lowest, highest, promised, reached``; the last two, ``≥ 1.5`` and
        ``yes`` or ``no``, are empty where there is no target.

    Raises:
        SettingError: for a measure that the table does not have.
    """
    groups = _rows_of(table, measure).groupby(["measure", "model", "variant"], sort=False)
    found = groups["ratio"].agg(median="median", lowest="min", highest="max").reset_index()
    targets, bounds = groups["target"].first().to_numpy(), groups["bound"].first().to_numpy()
    above = np.where(bounds == "at least", found["median"] >= targets, found["median"] <= targets)
    without = np.isnan(targets)
    promised = [f"{SIGNS[bound]}\u00a0{target:g}" for bound, target in zip(bounds, targets, strict=True)]
    found["promised"] = np.where(without, "", promised)
    found["reached"] = np.where(without, "", np.where(above, "yes", "no"))
    if measure is None:
        return found
    return found.drop(columns=["measure", *(["promised", "reached"] if without.all() else [])])


def rates(table: pd.DataFrame, measure: str) -> pd.DataFrame:
    """What the ratios of one measure are made of: medians over the repeats, which hold for one machine only.

    Returns:
        Columns ``model, variant``, the two sides of the ratio (``ours, reference``), and ``unit``.

    Raises:
        SettingError: for a measure that the table does not have.
    """
    groups = _rows_of(table, measure).groupby(["model", "variant"], sort=False)
    return groups.agg(ours=("value", "median"), reference=("reference", "median"), unit=("unit", "first")).reset_index()


def _rows_of(table: pd.DataFrame, measure: str | None) -> pd.DataFrame:
    if measure is not None and measure not in set(table["measure"]):
        raise SettingError(f"no measure {measure!r}; there are: {', '.join(table['measure'].unique())}")
    return table if measure is None else table[table["measure"] == measure]
