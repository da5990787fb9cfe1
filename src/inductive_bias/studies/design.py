"""The design of a study: factors, their levels, and the trial that belongs to a combination of levels and a seed."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import product, takewhile
from typing import Protocol, runtime_checkable

from inductive_bias.studies.scales import Scale
from inductive_bias.studies.searching import CHOSEN, TUNING
from inductive_bias.trials import Trial, in_order

#: A level of a factor. A number stays a number; a word is what people call it.
Level = str | int | float
#: The level of the factor ``teacher`` of a model that has none.
NO_TEACHER = "none"
#: Names that rows have besides factors and coordinates.
RESERVED = ("trial", "cell", "seed", "number", "split", "metric", "epoch", "value", "data_source")


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


def joined(**levels: Level) -> str:
    """The plainest name of a cell: its levels, one after the other."""
    return ", ".join(f"{level:g}" if isinstance(level, float) else str(level) for level in levels.values())


def combinations(levels: Mapping[str, Sequence[Level]]) -> Iterator[dict[str, Level]]:
    """Every combination of levels; of settings that are searched only those that can have a run.

    All of them are at CHOSEN, or none is and the variant is TUNING: in a large grid that is one combination of thirty.
    """
    searched = [place for place, known in enumerate(levels.values()) if CHOSEN in known]
    variant = list(levels).index("variant") if searched else None
    for combination in product(*levels.values()):
        if all((combination[place] == CHOSEN) != (combination[variant] == TUNING) for place in searched):
            yield dict(zip(levels, combination, strict=True))


@runtime_checkable
class Plan(Protocol):
    """What is run at one scale."""

    @property
    def most(self) -> int:
        """Runs of the cell that has the most."""

    def runs(self, **levels: Level) -> int:
        """How many runs of a combination there are; 0 if it is not in the design."""

    def trial(self, number: int, **levels: Level) -> Trial:
        """The run of a combination with that number."""


@dataclass(frozen=True)
class Design:
    """Factors × levels, and a trial for every combination that is wanted.

    A factor with the level :data:`~.searching.CHOSEN` is a setting that is searched: its other levels belong to runs of
    the variant :data:`~.searching.TUNING` alone, and ``CHOSEN`` to all others. No other combination is asked for.

    Attributes:
        levels: from a scale to the levels of every factor, in the order of the pages. The factors are the same at every
            scale.
        trial: ``trial(scale, number, **levels)`` is the run of that combination with that number (0, 1, …; the n-th
            seed), or None if the combination is not in the design. A student's teacher is a trial of this function too.
        seeds: from a scale to the number of runs of a cell.
        runs: ``runs(scale, **levels)`` is that number where it is not the same for all cells, 0 where a combination is
            not in the design.
        label: ``label(**levels)`` is the cell's name for people. It is made last, and never parsed.
    """

    levels: Callable[[Scale], Mapping[str, Sequence[Level]]]
    trial: Callable[..., Trial | None]
    seeds: Callable[[Scale], int]
    label: Callable[..., str] = joined
    runs: Callable[..., int] | None = None

    @classmethod
    def of_plans(
        cls,
        plans: Mapping[Scale, Plan],
        *,
        levels: Callable[[Scale], Mapping[str, Sequence[Level]]],
        label: Callable[..., str] = joined,
    ) -> "Design":
        """A design whose plan at a scale counts and makes the runs of every combination itself."""
        return cls(
            levels=levels,
            trial=lambda scale, number, **at: plans[scale].trial(number, **at),
            seeds=lambda scale: plans[scale].most,
            runs=lambda scale, **at: plans[scale].runs(**at),
            label=label,
        )

    def __hash__(self) -> int:
        return id(self)

    def __eq__(self, other: object) -> bool:
        return self is other

    @property
    def factors(self) -> tuple[str, ...]:
        """The names of the factors, in their order.

        Raises:
            ValueError: if a factor has the name of another column.
        """
        found = tuple(self.levels("smoke"))
        if taken := [name for name in found if name in RESERVED]:
            raise ValueError(f"a factor cannot be called {taken[0]!r}: rows have a column of that name already")
        return found

    @cache  # noqa: B019 — designs are few and live as long as the program
    def cells(self, scale: Scale) -> Mapping[Cell, tuple[Trial, ...]]:
        """Every cell of a scale with its trials, in order of their numbers.

        Raises:
            ValueError: if a trial is in two cells: its rows would be counted twice.
        """
        found, owner = {}, {}
        for at in combinations(self.levels(scale)):
            count = self.seeds(scale) if self.runs is None else self.runs(scale, **at)
            made = (self.trial(scale, number, **at) for number in range(count))
            # the first None tells that the combination is not in the design: most are not
            if trials := tuple(takewhile(lambda trial: trial is not None, made)):
                cell = Cell(**at)
                found[cell] = trials
            for trial in trials:
                if trial.id in owner:
                    raise ValueError(f"trial {trial.id} is in two cells: {owner[trial.id]} and {cell}")
                owner[trial.id] = cell
        return found

    def name(self, cell: Cell) -> str:
        """The cell's name for people."""
        return self.label(**cell)

    def members(self, scale: Scale) -> dict[str, tuple[Cell, int, Trial]]:
        """By id of the trial: its cell, its number in the cell, and the trial itself."""
        return {
            trial.id: (cell, number, trial)
            for cell, trials in self.cells(scale).items()
            for number, trial in enumerate(trials)
        }

    def trials(self, scale: Scale) -> list[Trial]:
        """Every trial and every teacher once, teachers first."""
        return in_order(trial for trials in self.cells(scale).values() for trial in trials)
