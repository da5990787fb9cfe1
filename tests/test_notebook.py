"""What the notebooks call: opening a study, refusing unknown parameters, and the table of verdicts."""

import math
from types import SimpleNamespace

import pandas as pd
import pytest

from inductive_bias import notebook
from inductive_bias.errors import SettingError
from inductive_bias.notebook import claim_table, effect_text, open_study, refuse_unknown
from inductive_bias.studies import Results, Study
from inductive_bias.studies.claims import Claim, Finding


def claim(name: str, **changed) -> Claim:
    finding = {"verdict": "reproduced", "effect": 0.137, "low": 0.11, "high": 0.164, "unit": "accuracy"} | changed
    return Claim(name, "a paper", f"statement of {name}", "+.137", lambda results: Finding(**finding))


@pytest.fixture
def results() -> Results:
    claims = (claim("A1"), claim("A2", verdict="not reproduced", note="because"))
    study = Study(name="toy", question="?", cells=lambda scale: {}, tables={}, claims=claims)
    return Results(study, "smoke", pd.DataFrame(), complete_publication=False)


def test_the_claim_table_shows_statement_paper_effect_interval_and_verdict(results):
    table = claim_table(results)
    for text in ("A1", "statement of A1", "+.137", "+0.137\u00a0[+0.110,\u00a0+0.164] accuracy", "because"):
        assert text in table.html
        assert text in table.text
    assert '<span class="verdict-reproduced">reproduced</span>' in table.html
    assert '<span class="verdict-not">not reproduced</span>' in table.html


def test_the_claim_table_keeps_the_order_asked_for_and_nothing_else(results):
    assert "A1" not in claim_table(results, ["A2"]).text
    both = claim_table(results, ["A2", "A1"]).text
    assert both.index("A2") < both.index("A1")


def test_a_note_follows_its_effect(results):
    assert "+0.164] accuracy; because" in claim_table(results, ["A2"]).html


def test_the_notes_can_be_left_out(results):
    assert "because" not in claim_table(results, note=False).text


def test_an_unknown_claim_is_refused(results):
    with pytest.raises(SettingError, match=r"'toy' has no claim 'A9'; it has A1, A2"):
        claim_table(results, ["A1", "A9"])


@pytest.mark.parametrize(
    ("effect", "low", "high", "text"),
    [
        (-0.5, -0.75, 0.25, "−0.500\u00a0[−0.750,\u00a0+0.250] u"),
        (0.0012, -0.0034, 0.0058, "+0.0012\u00a0[−0.0034,\u00a0+0.0058] u"),
        (3.0, math.nan, math.nan, "3 u"),
        (-0.5, -math.inf, math.inf, "−0.5 u"),
        (math.nan, math.nan, math.nan, "– (u)"),
    ],
    ids=["negative", "small", "count", "one seed", "nothing"],
)
def test_an_effect_is_written_with_its_sign_and_interval(effect, low, high, text):
    assert effect_text(Finding("inconclusive", effect, low, high, "u")) == text


def test_a_notebook_refuses_a_parameter_it_does_not_have():
    with pytest.raises(SettingError, match=r"unknown parameter sclae='paper'; this notebook knows scale, device"):
        refuse_unknown({"scale": "smoke", "device": "auto", "sclae": "paper", "_dh": ["."], "In": [""]})


def test_a_study_is_opened_with_the_notebooks_scale_and_device(monkeypatch, results):
    asked = []
    study = SimpleNamespace(results=lambda scale, device: asked.append((scale, device)) or results)
    monkeypatch.setattr(notebook, "study_named", lambda name: study)
    monkeypatch.setattr(notebook.plotting, "use_book_style", lambda: None)
    assert open_study("toy", {"scale": "smoke"}, scale="smoke", device="cpu") is results
    assert asked == [("smoke", "cpu")]
