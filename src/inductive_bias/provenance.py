"""Who made a number: commit, versions, machine."""

import platform
import subprocess
from importlib import metadata

from inductive_bias.places import home

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


def commit() -> str:
    """The checkout's commit, with ``+changes`` if the package differs from it; ``unknown`` outside a checkout."""
    try:
        revision = _git("rev-parse", "HEAD")
        changed = _git("status", "--porcelain", "--", "src", "requirements.lock")
    except (OSError, subprocess.CalledProcessError):
        return "unknown"
    return revision + ("+changes" if changed else "")


def _git(*arguments: str) -> str:
    answer = subprocess.run(["git", *arguments], cwd=home(), check=True, capture_output=True, text=True)
    return answer.stdout.strip()
