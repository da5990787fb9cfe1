"""What ``inductive-bias status`` prints: for every study and scale what is done here and what is published.

It imports a study only where there are local runs of it, or nobody has counted its trials: listing all designs takes
seconds.
"""

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from inductive_bias import paths
from inductive_bias.failures import FAILED, failures_in
from inductive_bias.studies import STUDIES
from inductive_bias.studies.manifest import read_manifest, trials_of_designs
from inductive_bias.studies.scales import SCALES, Scale

if TYPE_CHECKING:
    from inductive_bias.studies.study import Study

COLUMNS = ("study", "scale", "done here", "missing", "published", "data", "date", "commit", "torch", "machine")

#: So many data sets are named.
MOST_NAMED = 2


def status(studies: Sequence["Study"] = ()) -> list[tuple[str, ...]]:
    """One row a study and scale, in :data:`COLUMNS`; a dash where nothing is published.

    Args:
        studies: from outside; none are those of the package, and after them the folders of runs that belong to none of
            these: they have a row each with the number of their runs.
    """
    if studies:
        return [_row_of(study, scale) for study in studies for scale in SCALES]
    rows, counted = [], trials_of_designs()
    for name in STUDIES:
        manifest = read_manifest(name)
        for scale in SCALES:
            done, total = _progress(name, scale, counted)
            rows.append((name, scale, str(done), str(total - done), *_published(manifest.get(scale, {}))))
    return rows + [(name, "–", str(count), *("–",) * (len(COLUMNS) - 3)) for name, count in _other_folders()]


def _row_of(study: "Study", scale: Scale) -> tuple[str, ...]:
    done, total = study.progress(scale)
    return (study.name, scale, str(done), str(total - done), *_published(read_manifest(study.name).get(scale, {})))


def _other_folders() -> Iterator[tuple[str, int]]:
    """Folders of runs that are of no study of the package, and how many runs each has."""
    runs = paths.runs("")
    for folder in sorted(runs.iterdir()) if runs.is_dir() else ():
        if folder.name not in STUDIES and (count := sum(1 for _ in folder.glob("*/trial.json"))):
            yield folder.name, count


def _progress(name: str, scale: Scale, counted: dict[tuple[str, str], int]) -> tuple[int, int]:
    """Trials with a complete local run, and trials in all."""
    if paths.runs(name).is_dir() or (name, scale) not in counted:
        return STUDIES[name].progress(scale)
    return 0, counted[name, scale]


def failure_lines() -> list[str]:
    """A line for every trial of the folder of runs whose last attempt failed; ``run`` tries it again."""
    found = sorted(paths.runs("").glob(f"*/{FAILED}")) if paths.runs("").is_dir() else []
    return [f"failed: {folder.parent.name}: {each}" for folder in found for each in failures_in(folder.parent)]


def _published(entry: dict) -> tuple[str, ...]:
    """What a manifest says of a scale: trials, data, date, commit, version of torch, machine."""
    if not entry:
        return ("–",) * 6
    machine = "; ".join(entry.get("processors", entry["devices"]))
    sets = entry["data_sources"]
    data = ", ".join(sets[:MOST_NAMED]) + (f" and {len(sets) - MOST_NAMED} more" if len(sets) > MOST_NAMED else "")
    return str(entry["trials"]), data, entry["published"], entry["commit"][:10], entry["versions"]["torch"], machine
