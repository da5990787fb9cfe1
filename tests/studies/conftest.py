"""The toy study with runs that are written by hand."""

import pytest
import torch

from inductive_bias.running import Outcome
from inductive_bias.store import Store
from tests.studies.toy import STUDY


def outcome_of(trial, *, source="real:mnist", value=None, splits=("test", "translate")):
    value = 0.9 - trial.seed / 100 if value is None else value
    rows = [{"split": "train", "metric": "diverged", "epoch": None, "value": 0.0, "data_source": source}]
    rows += [
        {"split": split, "metric": "accuracy", "epoch": None, "value": value, "data_source": source} for split in splits
    ]
    weights = {"w": torch.zeros(1)}
    return Outcome(rows, weights, {"features/0": torch.zeros(2, 2)}, 0.5, "cpu", {"images": "abc"})


#: What a run of a clean checkout says of its code.
COMMIT = "0123456789abcdef" * 2


@pytest.fixture
def tiny(home, monkeypatch):
    """The study without any run, in an empty project folder; its runs are those of a clean checkout."""
    for module in (
        "inductive_bias.store",
        "inductive_bias.studies.run_provenance",
        "inductive_bias.studies.publishing",
    ):
        monkeypatch.setattr(f"{module}.commit", lambda: COMMIT)
    return STUDY


@pytest.fixture
def complete(tiny) -> Store:
    """The study's store with every run there."""
    store = tiny.store()
    for trial in tiny.trials("laptop"):
        store.save(trial, outcome_of(trial))
    return store
