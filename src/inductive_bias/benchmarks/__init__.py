"""What the package costs, as ratios measured in one run: ``inductive-bias bench NAME``."""

from inductive_bias.benchmarks.attention import ATTENTION
from inductive_bias.benchmarks.base import Benchmark, rates, summary
from inductive_bias.benchmarks.publishing import machine_table, measure_and_publish, provenance_line, read_table
from inductive_bias.benchmarks.rivals import RIVALS
from inductive_bias.benchmarks.seeds import SEEDS
from inductive_bias.benchmarks.speed import SPEED
from inductive_bias.benchmarks.startup import STARTUP
from inductive_bias.benchmarks.training import TRAINING
from inductive_bias.errors import SettingError

BENCHMARKS: dict[str, Benchmark] = {each.name: each for each in (TRAINING, SEEDS, ATTENTION, RIVALS, SPEED, STARTUP)}


def benchmark_named(name: str) -> Benchmark:
    """The benchmark ``name``.

    Raises:
        SettingError: if there is none.
    """
    if name not in BENCHMARKS:
        raise SettingError(f"unknown benchmark {name!r}; choose one of {', '.join(BENCHMARKS)}")
    return BENCHMARKS[name]


__all__ = [
    "BENCHMARKS",
    "Benchmark",
    "benchmark_named",
    "machine_table",
    "measure_and_publish",
    "provenance_line",
    "rates",
    "read_table",
    "summary",
]
