"""Judging all claims takes half a minute: it is done once on a machine for the same code and the same tables."""

import contextlib
import hashlib
import pickle
import platform
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path

from filelock import FileLock

from inductive_bias import paths
from inductive_bias.record.tracked_results import noting
from inductive_bias.studies import STUDIES
from inductive_bias.studies.atomic_write import write
from inductive_bias.studies.claims import Finding
from inductive_bias.studies.results import Results

#: The folder in the user cache, and how many judgements of other code or tables stay in it.
FOLDER, KEPT = "judgements", 4
#: Folders of the package that show findings and make none; what is here and not read by a finding stays out as well.
SHOWING, MAKING = ("plotting", "record", "site"), ("judging.py", "tracked_results.py")
#: Packages whose version may move a number.
COMPUTING = ("numpy", "scipy", "pandas", "statsmodels", "torch")


@dataclass(frozen=True)
class Judged:
    """A claim's finding, and the runs that its rule read.

    Attributes:
        study: its name.
        claim: the id.
        finding: of the rule.
        read: ids of trials.
    """

    study: str
    claim: str
    finding: Finding
    read: frozenset[str]


def judge(opened: Mapping[str, Results]) -> list[Judged]:
    """Findings of every claim of the opened studies, in the order of the studies."""
    return [*_judging(opened)]


def judged_once(opened: Mapping[str, Results]) -> list[Judged]:
    """Findings of :func:`judge`, from the user cache if all results are the published ones.

    The cache is asked by a digest of the package's code, of the published files and of the versions of what computes:
    no change of any of them is answered with old findings. Where local runs are added to published ones, or nothing is
    published, the claims are judged anew and nothing is stored.
    """
    if any(results.listed is None for results in opened.values()):
        return judge(opened)
    file = paths.cache_folder() / FOLDER / f"{_digest(opened)}.pickle"
    file.parent.mkdir(parents=True, exist_ok=True)
    with FileLock(f"{file}.lock"):  # two notebooks that are rendered together judge once
        if not file.is_file():
            found = judge(opened)
            write(file, lambda draft: draft.write_bytes(pickle.dumps(found)))
            _remove_old(file.parent)
        return pickle.loads(file.read_bytes())


def _judging(opened: Mapping[str, Results]) -> Iterator[Judged]:
    for name, results in opened.items():
        noted = noting(results)
        for claim in STUDIES[name].claims:
            noted.read.clear()
            finding = claim.judge(noted)
            yield Judged(results.study, claim.id, finding, frozenset(noted.read))


def _digest(opened: Mapping[str, Results]) -> str:
    """The digest of all that a finding depends on."""
    found = hashlib.sha256(repr([(name, results.scale) for name, results in opened.items()]).encode())
    found.update(repr([platform.python_version(), *map(version, COMPUTING)]).encode())
    for path in _files():
        found.update(f"{path} {path.stat().st_size}\n".encode())
        found.update(path.read_bytes())
    return found.hexdigest()[:32]


def _files() -> list[Path]:
    """The package's code and tables, without what only shows findings, and the published files."""
    package, published = Path(__file__).parents[1], paths.home() / "data" / "results"
    inside = [path for suffix in ("py", "csv") for path in package.rglob(f"*.{suffix}")]
    making = [path for path in inside if path.relative_to(package).parts[0] not in SHOWING or path.name in MAKING]
    return sorted(making) + sorted(path for path in published.rglob("*") if path.is_file())


def _remove_old(folder: Path) -> None:
    """Remove all but the newest files of the folder, with their locks."""
    files = sorted(folder.glob("*.pickle"), key=lambda path: path.stat().st_mtime_ns, reverse=True)
    for old in files[KEPT:]:
        with contextlib.suppress(OSError):
            old.unlink()
            Path(f"{old}.lock").unlink()
