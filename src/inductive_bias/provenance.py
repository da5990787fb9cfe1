"""Who made a number: commit, versions, machine."""

import platform
import subprocess
from functools import cache
from importlib import metadata
from pathlib import Path

PACKAGES = ("inductive-bias", "torch", "torchvision", "numpy", "scikit-learn", "scikit-image", "pandas")


def versions() -> dict[str, str]:
    """Versions of Python and of the packages that a result depends on; absent ones are left out."""
    found = {"python": platform.python_version()}
    for name in PACKAGES:
        try:
            found[name] = metadata.version(name)
        except metadata.PackageNotFoundError:
            continue
    return found


#: After a commit that the package's source differs from.
CHANGED = "+changes"


@cache
def commit() -> str:
    """The commit of the package's own checkout; ``+changes`` after it if the source differs, ``unknown`` outside one.

    Files ``tuned.csv`` are no source: a search writes them while it goes on, and a trial has its settings itself.

    Asked once a process: a long run is of the code that it was started with.
    """
    try:
        revision = _git("rev-parse", "HEAD")
        changed = _git("status", "--porcelain", "--", "src", "requirements.lock", ":(exclude,glob)src/**/tuned.csv")
    except (OSError, subprocess.CalledProcessError):
        return "unknown"
    return revision + (CHANGED if changed else "")


@cache
def processor() -> str:
    """Kind of machine: equal kinds give equal numbers, others may differ in the last digits and, later, in more."""
    import torch

    return f"{processor_name()}, {torch.backends.cpu.get_cpu_capability()}"


def processor_name() -> str:
    """The name that Linux gives the processor, else whatever Python knows."""
    try:
        lines = Path("/proc/cpuinfo").read_text().splitlines()
    except OSError:
        return platform.processor() or platform.machine()
    return next((line.split(":")[1].strip() for line in lines if line.startswith("model name")), platform.machine())


def _git(*arguments: str) -> str:
    checkout = Path(__file__).resolve().parents[2]
    answer = subprocess.run(["git", *arguments], cwd=checkout, check=True, capture_output=True, text=True)
    return answer.stdout.strip()
