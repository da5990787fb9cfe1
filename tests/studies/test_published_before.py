"""Every value that was published at commit 89a5f71 is still there, equal, under its coordinates.

But for ``signal_vs_samples``, whose trials were trained again, together. The agreement study has grown by parts since,
that of language models by a text, that of vision by CNN students without dropout, and cells may have more runs: those
beyond the ``runs`` of then are left out.
"""

import json
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from inductive_bias.studies import study_named
from inductive_bias.studies.agreement.design import PARTS
from inductive_bias.studies.language_models.design import WIKITEXT
from inductive_bias.studies.published import read_rows
from inductive_bias.studies.vision.design import NO_DROPOUT
from tests.legacy_ids import legacy_id
from tests.published_before import as_then, digest

BEFORE = json.loads(Path(__file__).with_name("published_before.json").read_text())


@pytest.mark.parametrize("name", BEFORE)
def test_every_value_published_then_is_there_under_its_coordinates(name):
    study = study_named(name)
    members = study.design.members("laptop").items()
    old_ids = {
        trial: legacy_id(each)
        for trial, (cell, run, each) in members
        if cell.get("data") not in PARTS and cell.get("text") in (None, WIKITEXT)
        if cell.get("variant") != NO_DROPOUT and run < BEFORE[name]["runs"]
    }
    assert len(set(old_ids.values())) == len(old_ids)
    rows = read_rows(name, "laptop")
    rows = rows[rows["trial"].isin(old_ids)]
    assert len(rows) == BEFORE[name]["rows"]
    assert digest(as_then(rows, old_ids)) == BEFORE[name]["sha256"]


def test_one_changed_digit_changes_the_digest():
    rows = pd.DataFrame(
        {
            "trial": ["a"],
            "seed": [0],
            "split": ["test"],
            "metric": ["accuracy"],
            "epoch": [np.nan],
            "x": [np.nan],
            "value": [0.1],
            "data_source": ["real"],
        }
    )
    assert digest(rows) != digest(rows.assign(value=np.nextafter(0.1, 1)))
