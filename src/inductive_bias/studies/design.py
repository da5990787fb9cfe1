"""The design of a study: a list of cells, each a combination of levels of its factors with its runs."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import wraps
from typing import Any

import pandas as pd

from inductive_bias.studies.scales import SCALES, Scale
from inductive_bias.trials import Trial, in_order

#: A level of a factor. A number stays a number; a word is what people call it; None is no level, such as no teacher.
Level = str | int | float | None
#: The level of the factor ``teacher`` of a model that has none.
NO_TEACHER = "none"
#: Names that rows have besides factors and coordinates.
RESERVED = ("trial", "cell", "seed", "number", "split", "metric", "epoch", "value", "origin", "dataset")


class Cell(Mapping[str, Level]):
    """One combination of levels, by factor: a mapping that can be a key."""

    __slots__ = ("_items",)

    def __init__(self, **levels: Level):
        self._items = tuple(levels.items())

    def __getitem__(self, factor: str) -> Level:
        for name, level in self._items:
            if name == factor:
                return level
        raise KeyError(factor)

    def __iter__(self) -> Iterator[str]:
        return (name for name, _ in self._items)

    def __len__(self) -> int:
        return len(self._items)

    def __hash__(self) -> int:
        return hash(frozenset(self._items))

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Cell) and dict(self._items) == dict(other._items)

    def __repr__(self) -> str:
        return f"Cell({', '.join(f'{name}={level!r}' for name, level in self._items)})"


#: What a design yields: the levels of a cell, and its trials in the order of their numbers.
Cells = Iterable[tuple[Mapping[str, Level], Sequence[Trial]]]


def joined(**levels: Level) -> str:
    """The plainest name of a cell: its levels, one after the other."""
    words = (f"{level:g}" if isinstance(level, float) else str(level) for level in levels.values() if level is not None)
    return ", ".join(words)


def _kept(method: Callable[..., Any]) -> Callable[..., Any]:
    """A method that answers once for each argument, until its design is told to :meth:`Design.forget`."""

    @wraps(method)
    def answer(self: "Design", *args: Any) -> Any:
        key = method.__name__, *args
        if key not in self._made:
            self._made[key] = method(self, *args)
        return self._made[key]

    return answer


class Design:
    """A list of cells at each scale.

    Args:
        cells: ``cells(scale)`` yields each cell once: its levels by factor, and its trials. The n-th trial of a cell is
            its run number n, so that runs of two cells with one number can be pairs. A cell without a trial is not in
            the design. A student's teacher need not be in a cell.
        factors: the names of the factors, in the order of the columns; every cell has exactly these.
        label: ``label(**levels)`` is the cell's name for people. It is made last, and never parsed.
        order: by factor, all its levels in the order of the pages; that of their first cells where nothing is said.
    """

    def __init__(
        self,
        cells: Callable[[Scale], Cells],
        factors: Sequence[str],
        *,
        label: Callable[..., str] = joined,
        order: Mapping[str, Sequence[Level]] | None = None,
    ):
        if taken := [name for name in factors if name in RESERVED]:
            raise ValueError(f"a factor cannot be called {taken[0]!r}: rows have a column of that name already")
        self.factors = tuple(factors)
        self.label = label
        self._cells = cells
        self._order = dict(order or {})
        self._made: dict[tuple, Any] = {}

    @_kept
    def cells(self, scale: Scale) -> Mapping[Cell, tuple[Trial, ...]]:
        """Every cell of a scale with its trials, in order of their numbers.

        Raises:
            ValueError: if a cell has other factors than the design or is there twice, or a trial is in two cells: its
                rows would be counted twice.
        """
        found, owner = {}, {}
        for levels, trials in self._cells(scale):
            if set(levels) != set(self.factors):
                raise ValueError(f"a cell has the factors {tuple(levels)}; the design has {self.factors}")
            if not trials:
                continue
            cell = Cell(**{factor: levels[factor] for factor in self.factors})
            if cell in found:
                raise ValueError(f"{cell} is in the design twice")
            found[cell] = tuple(trials)
            for trial in trials:
                if trial.id in owner:
                    raise ValueError(f"trial {trial.id} is in two cells: {owner[trial.id]} and {cell}")
                owner[trial.id] = cell
        return found

    @_kept
    def levels(self, scale: Scale) -> Mapping[str, tuple[Level, ...]]:
        """The levels of every factor at a scale, in the order of the pages.

        Raises:
            ValueError: if the order of a factor was given, and a cell has a level that is not in it.
        """
        cells = self.cells(scale)
        found = {factor: dict.fromkeys(cell[factor] for cell in cells) for factor in self.factors}
        for factor, there in found.items():
            if absent := [level for level in there if level not in self._order.get(factor, there)]:
                raise ValueError(f"the order of the factor {factor!r} lacks its level {absent[0]!r}")
        return {
            factor: tuple(level for level in self._order.get(factor, there) if level in there)
            for factor, there in found.items()
        }

    @_kept
    def known(self, factor: str) -> frozenset[Level]:
        """The levels that a factor has at any scale."""
        return frozenset(level for scale in SCALES for level in self.levels(scale)[factor])

    def name(self, cell: Mapping[str, Level]) -> str:
        """The cell's name for people."""
        return self.label(**cell)

    @_kept
    def members(self, scale: Scale) -> Mapping[str, tuple[Cell, int, Trial]]:
        """Trials by id, each with its cell and its number in the cell."""
        return {
            trial.id: (cell, number, trial)
            for cell, trials in self.cells(scale).items()
            for number, trial in enumerate(trials)
        }

    @_kept
    def labels(self, scale: Scale) -> pd.DataFrame:
        """What a table says of every trial: its levels by factor, ``cell, seed, number``; one row a trial, by its id.

        Factors with words for levels, and ``cell``, are categories in the order of the pages.
        """
        members = self.members(scale)
        found = pd.DataFrame(
            [(*cell.values(), self.name(cell), trial.seed, number) for cell, number, trial in members.values()],
            columns=[*self.factors, "cell", "seed", "number"],
            index=list(members),
        )
        for factor, levels in self.levels(scale).items():
            if any(isinstance(level, str) for level in levels):
                named = [level for level in levels if level is not None]
                found[factor] = pd.Categorical(found[factor], categories=named, ordered=True)
        return found.assign(
            cell=pd.Categorical(found["cell"], categories=list(dict.fromkeys(found["cell"])), ordered=True)
        )

    def forget(self) -> None:
        """List the cells of this design anew: what a search has found may have changed them."""
        self._made.clear()

    def trials(self, scale: Scale) -> list[Trial]:
        """Every trial and every teacher once, teachers first."""
        return in_order(trial for trials in self.cells(scale).values() for trial in trials)
