"""Manifests of what is published, and how many trials every design has: read without torch and pandas."""

import csv
from pathlib import Path

from inductive_bias import paths
from inductive_bias.errors import StoreError
from inductive_bias.strict_json import strict_json
from inductive_bias.studies.scales import SCALES

MANIFEST = "manifest.json"
#: What the entry of a scale has, as far as it is read without its tables.
FIELDS: dict[str, type | tuple[type, ...]] = {
    "published": str,
    "commit": str,
    "trials": int,
    "seeds_per_cell": int,
    "minutes": (int, float),
    "minutes_per_trial": dict,
    "versions": dict,
    "devices": list,
    "data_sources": list,
    "data_sha256": dict,
    "files": dict,
}
_SAID = {str: "text", int: "a whole number", (int, float): "a number", dict: "a JSON object", list: "a list"}
#: The table of all designs, in ``data/results/``: ``study, scale, cells, trials``; ``inductive-bias tables`` writes it.
DESIGNS = "designs.csv"


def read_manifest(study: str) -> dict:
    """The manifest of a study by scale; empty if nothing has been published.

    Raises:
        StoreError: if it is no JSON object, or an entry has not what :data:`FIELDS` says.
    """
    path = paths.published(study) / MANIFEST
    if not path.is_file():
        return {}
    try:
        found = strict_json(path.read_text())
    except (OSError, ValueError, RecursionError) as error:
        raise StoreError(f"the manifest {path} is not JSON ({error}); restore it from git") from error
    if not isinstance(found, dict):
        raise StoreError(f"the manifest {path} must be a JSON object by scale; restore it from git")
    for scale, entry in found.items():
        if problem := _problem(entry, FIELDS if scale in SCALES else {}):
            raise StoreError(f"the manifest {path} is damaged at {scale}: {problem}; restore it from git")
    return found


def _problem(entry: object, fields: dict[str, type | tuple[type, ...]]) -> str:
    """What is wrong with the entry of a scale; empty if nothing is."""
    if not isinstance(entry, dict):
        return f"it must be a JSON object, not {entry!r:.40}"
    for name, wanted in fields.items():
        if not isinstance(entry.get(name), wanted) or isinstance(entry[name], bool):
            return f"{name} must be {_SAID[wanted]}, not {entry.get(name)!r:.40}"
    if not fields:
        return ""
    lists = (name for name, wanted in fields.items() if wanted is list)
    if odd := next((name for name in lists if not all(isinstance(each, (str, int)) for each in entry[name])), ""):
        return f"{odd} must list names"
    sound = all(isinstance(version, str) for version in entry["versions"].values()) and "torch" in entry["versions"]
    return "" if sound else "versions must be text by package, torch among them"


def designs_path() -> Path:
    """``data/results/designs.csv``."""
    return paths.home() / "data" / "results" / DESIGNS


def trials_of_designs() -> dict[tuple[str, str], int]:
    """How many trials a study has at a scale, teachers and searches too; empty if the table is not there."""
    if not designs_path().is_file():
        return {}
    with designs_path().open(newline="") as file:
        return {(row["study"], row["scale"]): int(row["trials"]) for row in csv.DictReader(file)}
