"""Manifests of what is published, and how many trials every design has: read without torch and pandas."""

import csv
import json
from pathlib import Path

from inductive_bias import paths
from inductive_bias.errors import StoreError

MANIFEST = "manifest.json"
#: The table of all designs, in ``data/results/``: ``study, scale, cells, trials``; ``inductive-bias tables`` writes it.
DESIGNS = "designs.csv"


def read_manifest(study: str) -> dict:
    """The manifest of a study by scale; empty if nothing has been published.

    Raises:
        StoreError: if it is no JSON object.
    """
    path = paths.published(study) / MANIFEST
    if not path.is_file():
        return {}
    try:
        found = json.loads(path.read_text())
    except ValueError as error:
        raise StoreError(f"the manifest {path} is not JSON ({error}); restore it from git") from error
    if not isinstance(found, dict):
        raise StoreError(f"the manifest {path} must be a JSON object by scale; restore it from git")
    return found


def designs_path() -> Path:
    """``data/results/designs.csv``."""
    return paths.home() / "data" / "results" / DESIGNS


def trials_of_designs() -> dict[tuple[str, str], int]:
    """How many trials a study has at a scale, teachers and searches too; empty if the table is not there."""
    if not designs_path().is_file():
        return {}
    with designs_path().open(newline="") as file:
        return {(row["study"], row["scale"]): int(row["trials"]) for row in csv.DictReader(file)}
