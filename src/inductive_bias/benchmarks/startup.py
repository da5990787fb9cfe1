"""How long it takes until something happens: processor seconds of new processes, over those of ``import torch``.

Each process has a clean start and finds bytecode from the run before it. Processor seconds are counted, not those of a
clock: what else runs on the machine matters less.
"""

import os
import resource
import subprocess
import sys
from collections.abc import Iterator, Sequence

import pandas as pd

from inductive_bias import paths
from inductive_bias.benchmarks.base import COLUMNS, Benchmark, ratio_row
from inductive_bias.errors import SettingError

#: What everything is compared with.
TORCH = "import torch"
#: What is started, by name, and what of ``import torch`` it may cost at most.
STARTED: dict[str, tuple[Sequence[str], float]] = {
    "inductive-bias --help": (("-m", "inductive_bias.cli", "--help"), 0.25),
    "inductive-bias status": (("-m", "inductive_bias.cli", "status"), 0.25),
    "import inductive_bias.studies": (("-c", "import torch, inductive_bias.studies"), 1.3),
    "import inductive_bias.layers": (("-c", "import torch, inductive_bias.layers"), 1.3),
}


def measure(repeats: int, *, real: bool = False) -> pd.DataFrame:
    """Processor seconds of each start over those of ``import torch``; columns those of every benchmark.

    There are no real data to ask for: nothing is read but the package.
    """
    return pd.DataFrame(list(_rows(repeats)), columns=COLUMNS)


def _rows(repeats: int) -> Iterator[dict]:
    started = {TORCH: ("-c", TORCH)} | {name: arguments for name, (arguments, _) in STARTED.items()}
    for arguments in started.values():  # untimed: the first start of each compiles what it imports
        processor_seconds(arguments)
    for repeat in range(repeats):
        took = {name: processor_seconds(arguments) for name, arguments in started.items()}
        for name, (_, most) in STARTED.items():
            yield ratio_row(
                "start",
                name,
                f"over {TORCH}",
                value=took[name],
                reference=took[TORCH],
                repeat=repeat,
                unit="processor seconds",
                target=most,
                bound="at most",
                data_source="generated: nothing is read",
            )


def processor_seconds(arguments: Sequence[str]) -> float:
    """Seconds that a new Python process with these arguments, and its children, keep a processor busy.

    Raises:
        SettingError: if it fails.
    """
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    kept = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    done = subprocess.run([sys.executable, *arguments], capture_output=True, text=True, env=kept, cwd=paths.home())
    if done.returncode:
        raise SettingError(f"python {' '.join(arguments)} fails: {done.stderr.strip().splitlines()[-1:]}")
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


STARTUP = Benchmark("startup", "How long does it take until a command, or an import, is there?", measure)
