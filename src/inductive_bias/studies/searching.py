"""Learning rates that are searched for: runs of other seeds choose them, and are published beside those they serve.

A study has the factors ``variant`` (:data:`STANDARD` or :data:`TUNING`) and ``rate``: of a run that chooses, the factor
on the rate from which the search begins; of all others :data:`CHOSEN`. Where the best stands at the end of the grid,
the grid goes on. A part of a design inherits from :class:`Searched`.
"""

from collections.abc import Hashable, Iterable, Mapping
from dataclasses import dataclass, field

from inductive_bias.settings import Setting
from inductive_bias.training import ScheduleSpec

#: Runs that are judged, and runs by which settings are chosen.
STANDARD, TUNING = "standard", "tuning"
#: The level of ``rate`` of a run with the chosen rate; and the factors that are tried of every model.
CHOSEN, FACTORS = -1.0, (0.5, 1.0, 2.0)
#: First seed of the runs that choose.
FIRST_TUNING_SEED = 1000


@dataclass(frozen=True, kw_only=True)
class Searched:
    """How many runs a part of a design has by now, and what its search found.

    Attributes:
        factors: chosen, by model or whatever has a rate of its own; 1 where nothing was chosen.
        further: factors beyond :data:`FACTORS`, where the best stood at the end of these.
        seeds: runs of what the claims are about.
        others: runs of everything else.
        more: runs of cells that have another number, by whatever tells them apart.
        tuned: runs of each factor.
        tuning_epochs: of runs that choose, at most; as many as the others have if None.
    """

    factors: Mapping[Hashable, float] = field(default_factory=dict)
    further: Mapping[Hashable, tuple[float, ...]] = field(default_factory=dict)
    seeds: int = 0
    others: int = 0
    more: Mapping[Hashable, int] = field(default_factory=dict)
    tuned: int = 0
    tuning_epochs: int | None = None

    @property
    def most(self) -> int:
        """Runs of the cell that has the most."""
        return max(self.seeds, self.others, self.tuned, *self.more.values())

    @property
    def begun(self) -> bool:
        """Whether there is any run."""
        return self.most > 0

    def tuning_runs(self, key: Hashable, rate: float) -> int:
        """Runs by which the rate of ``key`` is chosen, with this factor."""
        return self.tuned if rate in (*FACTORS, *self.further.get(key, ())) else 0

    def factor(self, key: Hashable, *, variant: str, rate: float) -> float:
        """What a run's rate is multiplied by."""
        return rate if variant == TUNING else self.factors.get(key, 1.0)

    def trained_for(self, whole: int, *, variant: str) -> int:
        """Epochs of a run where one that is judged has ``whole``."""
        return min(whole, self.tuning_epochs or whole) if variant == TUNING else whole


@dataclass(frozen=True)
class Grid:
    """What learning rate and dropout are chosen from: the best on validation after a shorter training.

    Where that was at the end of ``rates``, the grid went on beyond it: ``further`` rates by model, or by whatever has
    settings of its own.
    """

    task: Setting
    training: ScheduleSpec
    rates: tuple[float, ...]
    dropouts: tuple[float, ...]
    further: Mapping[Hashable, tuple[float, ...]] = field(default_factory=dict)

    @property
    def every_rate(self) -> tuple[float, ...]:
        """Of any model."""
        return (*self.rates, *(rate for rates in self.further.values() for rate in rates))

    def has(self, key: Hashable, rate: float, dropout: float) -> bool:
        """Whether it is a place of the grid of that model."""
        return rate in (*self.rates, *self.further.get(key, ())) and dropout in self.dropouts


def seed_of(number: int, variant: str) -> int:
    """The seed of the run with this number: no run that chooses shares one with a run that is judged."""
    return number + FIRST_TUNING_SEED * (variant == TUNING)


def rates_of(parts: Iterable[Searched]) -> tuple[float, ...]:
    """Levels of ``rate``: :data:`CHOSEN`, and every factor that some part tries."""
    tried = {factor for part in parts if part.tuned for each in (FACTORS, *part.further.values()) for factor in each}
    return CHOSEN, *sorted(tried)


def variants_of(parts: Iterable[Searched]) -> tuple[str, ...]:
    """Levels of ``variant``."""
    return STANDARD, *([TUNING] if any(part.tuned for part in parts) else [])
