"""What ``inductive-bias status`` prints: for every study and scale what is done here and what is published.

It imports a study only where there are local runs of it, or nobody has counted its trials: listing all designs takes
seconds.
"""

from inductive_bias import paths
from inductive_bias.failures import FAILED, failures_in
from inductive_bias.studies import STUDIES
from inductive_bias.studies.manifest import read_manifest, trials_of_designs
from inductive_bias.studies.scales import SCALES, Scale

COLUMNS = ("study", "scale", "done here", "missing", "published", "data", "date", "commit", "torch", "machine")

#: So many data sets are named.
MOST_NAMED = 2


def status() -> list[tuple[str, ...]]:
    """One row a study and scale, in :data:`COLUMNS`; a dash where nothing is published."""
    rows, counted = [], trials_of_designs()
    for name in STUDIES:
        manifest = read_manifest(name)
        for scale in SCALES:
            done, total = _progress(name, scale, counted)
            rows.append((name, scale, str(done), str(total - done), *_published(manifest.get(scale, {}))))
    return rows


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
