"""A study small enough to write its runs by hand."""

import pandas as pd
import pytest
import torch

from inductive_bias.running import Outcome
from inductive_bias.store import Store
from inductive_bias.studies.claims import Claim, Finding
from inductive_bias.studies.study import Study
from tests.tiny import tiny_student, tiny_trial


def cells(scale):
    teachers = tuple(tiny_trial(seed=seed) for seed in range(4))
    students = tuple(tiny_student(seed=10 + seed, teacher=teacher) for seed, teacher in enumerate(teachers))
    return {"MLP": teachers, "MLP → MLP": students}


def seeds_table(runs):
    return pd.DataFrame({"seed": [trial.seed for trial in runs.cells["MLP"]]})


TINY = Study(
    name="tiny",
    question="Does the machinery work?",
    cells=cells,
    tables={"seeds": seeds_table},
    claims=(Claim("T1", "nowhere", "It works.", "–", lambda r: Finding("reproduced", 1.0, 0.5, 1.5, "units")),),
)


def outcome_of(trial, *, source="real:mnist", value=None, splits=("test", "translate")):
    value = 0.9 - trial.seed / 100 if value is None else value
    rows = [{"split": "train", "metric": "diverged", "epoch": None, "x": None, "value": 0.0, "data_source": source}]
    rows += [
        {"split": split, "metric": "accuracy", "epoch": None, "x": None, "value": value, "data_source": source}
        for split in splits
    ]
    weights = {"w": torch.zeros(1)}
    return Outcome(rows, weights, {"features/0": torch.zeros(2, 2)}, 0.5, "cpu", {"images": "abc"})


@pytest.fixture
def tiny(home):
    """The study without any run, in an empty project folder."""
    return TINY


@pytest.fixture
def complete(tiny) -> Store:
    """The study's store with every run there."""
    store = tiny.store()
    for trial in tiny.trials("laptop"):
        store.save(trial, outcome_of(trial))
    return store
