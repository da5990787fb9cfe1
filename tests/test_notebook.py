"""What the notebooks call: opening a study, refusing unknown parameters, and the boxes of verdicts."""

import re
from dataclasses import replace
from types import SimpleNamespace

import pytest

from inductive_bias import notebook
from inductive_bias.errors import SettingError
from inductive_bias.notebook import (
    claim_boxes,
    effect_text,
    few_runs,
    in_text,
    open_study,
    refuse_unknown,
    verdict_chips,
    with_interval,
)
from inductive_bias.studies import STUDIES
from inductive_bias.studies.claims import Claim, Finding
from inductive_bias.studies.study import Page
from inductive_bias.verdicts import every_run, exceeds, falls_below, single, some_run, untestable
from tests.fakes import fake_results
from tests.studies.toy import STUDY as TOY


def numbers(*, number, model, teacher):
    alone = 0.5 + 0.001 * (-1) ** number  # runs that are all equal would decide nothing
    return {("translate", "accuracy"): (0.7 if teacher == "MLP" else alone) + 0.01 * number}


def small(results):
    """A rule that fails, with a note."""
    taught = results.values("accuracy", split="translate", teacher="MLP")
    return Finding(falls_below(single(taught, name="taught", unit="accuracy"), 0.1), note="because")


@pytest.fixture
def results(monkeypatch):
    """Of a study with one claim on one page and two on another."""
    claims = (
        *TOY.claims,
        Claim("T2", "other", "a paper", "statement of T2", "+.137", small, regime="width 1"),
        Claim("T3", "other", "a paper", "statement of T3", "–", small, own=True),
    )
    study = replace(TOY, claims=claims, pages=(*TOY.pages, Page("other", "?", "t")))
    monkeypatch.setitem(STUDIES, "toy", study)
    return fake_results(study, numbers)


def test_a_box_shows_statement_paper_effect_interval_verdict_and_folded_how_it_was_judged(results):
    boxes = claim_boxes(results, "other")
    for text in ("T2", "statement of T2", "+.137", "+0.715\u00a0[+0.694,\u00a0+0.736] accuracy", "because"):
        assert text in boxes.html
        assert text in boxes.text
    assert '<span class="verdict-not">not reproduced</span>' in boxes.html
    assert "because" in boxes.html.split("<details>")[1]
    assert '<span class="verdict-reproduced">reproduced</span>' in claim_boxes(results, "toy").html


def test_a_question_of_our_own_has_words_of_its_own(results):
    box = claim_boxes(results, "other", ["T3"]).html
    assert '<span class="verdict-refuted">refuted</span>' in box
    assert "a question of our own" in box
    assert "a question of our own" not in claim_boxes(results, "other", ["T2"]).html


def test_a_verdict_stands_with_the_size_at_which_it_was_found(results):
    """The claim's own words are true of the published scale alone; elsewhere, and without them, the study's stand."""
    assert "seen at: width 1" in claim_boxes(results, "other", ["T2"]).html
    assert "seen at: tiny; 712 digits" in claim_boxes(results, "other", ["T3"]).html
    smoke = claim_boxes(replace(results, scale="smoke"), "other", ["T2"]).html
    assert "width 1" not in smoke
    assert "seen at: tiny; 712 digits" in smoke
    assert 'title="statement of T2 not reproduced (seen at: width 1)"' in verdict_chips(results, "other").html


@pytest.mark.parametrize(
    ("n", "words"), [(2, "two runs, .* 64 %"), (3, "three runs, .* 51 %"), (4, "four runs, .* 41 %")]
)
def test_so_few_runs_say_what_they_miss(n, words):
    judgement = exceeds(single([1.0, 1.1, 0.9, 1.0, 1.05][:n], name="", unit=""), 0.5)
    assert re.search(words, few_runs(judgement))


def test_enough_runs_and_a_run_that_was_found_need_no_such_words():
    assert few_runs(exceeds(single([1.0, 1.1, 0.9, 1.0, 1.05], name="", unit=""), 0.5)) == ""
    best = single([1.0, 0.1, 0.2], name="", unit="")
    assert few_runs(some_run(best, 0.99)) == ""
    assert few_runs(every_run(best, 0.99)) == ""  # a run below was found
    assert "three runs" in few_runs(every_run(best, 0.05))
    assert few_runs(untestable("nothing to lend")) == ""


def test_what_few_runs_mean_is_read_in_the_box_without_unfolding(results):
    box = claim_boxes(results, "other", ["T2"]).html
    assert '<p class="claim-few">With four runs,' in box.split("<details>")[0]


def test_a_verdict_whose_p_does_not_survive_the_correction_is_marked_in_its_chapter(results, monkeypatch):
    p = notebook.finding(results, "T2").judgement.p
    for limit, marked in ((p, False), (0.9 * p, True), (float("nan"), True)):
        notebook._shown_on.cache_clear()
        monkeypatch.setattr(notebook, "surviving_p", lambda limit=limit: limit)
        assert ("†" in claim_boxes(results, "other", ["T2"]).html) == marked
        assert ("T2 not reproduced†" in verdict_chips(results, "other").text) == marked
    assert "†" not in claim_boxes(replace(results, scale="smoke"), "other", ["T2"]).html
    notebook._shown_on.cache_clear()


def test_the_largest_p_that_survives_is_published():
    assert 0 < notebook.surviving_p() < 0.05


def test_a_page_has_its_own_claims_in_their_order_or_in_that_asked_for(results):
    assert "T2" not in claim_boxes(results, "toy").text
    own, asked = claim_boxes(results, "other").text, claim_boxes(results, "other", ["T3", "T2"]).text
    assert own.index("T2 ") < own.index("T3 ")
    assert asked.index("T3 ") < asked.index("T2 ")
    assert "T3 " not in claim_boxes(results, "other", ["T2"]).text


def test_chips_lead_to_the_boxes_of_the_same_page(results):
    chips, boxes = verdict_chips(results, "other").html, claim_boxes(results, "other").html
    led = re.findall(r'href="#([^"]+)"', chips)
    assert led == re.findall(r'id="([^"]+)"', boxes) == ["claim-T2", "claim-T3"]
    words = "T2 not reproduced (seen at: width 1)\nT3 refuted (seen at: tiny; 712 digits)"
    assert verdict_chips(results, "other").text == words


def test_a_claim_that_a_page_does_not_have_is_refused(results):
    with pytest.raises(SettingError, match=r"page 'other' has no claim T1 of 'toy'; it has T2, T3"):
        claim_boxes(results, "other", ["T2", "T1"])
    with pytest.raises(SettingError, match=r"page 'elsewhere' has no claim at all of 'toy'"):
        claim_boxes(results, "elsewhere")
    with pytest.raises(SettingError, match=r"page 'elsewhere' has no claim at all of 'toy'"):
        verdict_chips(results, "elsewhere")


@pytest.mark.parametrize(
    ("values", "text"),
    [
        ([-0.5, -0.4, -0.6], "−0.500\u00a0[−0.748,\u00a0−0.252] u"),
        ([0.001, 0.002, 0.003], "+0.002\u00a0[−0.00048,\u00a0+0.0045] u"),
        ([-0.5], "−0.500\u00a0[−∞,\u00a0+∞] u"),
    ],
    ids=["negative", "small", "one seed"],
)
def test_an_effect_is_written_with_its_sign_and_interval(values, text):
    assert effect_text(single(values, name="effect", unit="u")) == text


def test_nothing_measured_is_a_dash():
    assert effect_text(None) == "–"


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


@pytest.fixture
def displayed(monkeypatch):
    """What a notebook shows: bundles of outputs with their metadata."""
    shown = []
    monkeypatch.setattr("IPython.display.display", lambda bundle, **more: shown.append((bundle, more)))
    return shown


def test_numbers_for_sentences_are_outputs_that_myst_nb_takes_out_of_the_page(results, displayed):
    from myst_nb.ext.glue import extract_glue_data_cell
    from nbformat.v4 import new_code_cell, new_output

    in_text(results, lead=lambda: ".46", runs=lambda: "4 runs")
    outputs = [new_output("display_data", bundle, metadata=more["metadata"]) for bundle, more in displayed]
    cell = new_code_cell(outputs=outputs)
    assert {name: given["data"] for name, given in extract_glue_data_cell(cell)} == {
        "lead": {"text/plain": "'.46'"},
        "runs": {"text/plain": "'4 runs'"},
    }
    assert cell.outputs == []


def test_a_number_without_runs_is_a_dash_except_at_the_published_scale(results, displayed):
    def absent():
        raise KeyError("no such cell")

    with pytest.raises(KeyError, match="no such cell"):
        in_text(results, lead=absent)
    small = replace(results, scale="smoke")
    in_text(small, lead=absent, effect=lambda: Finding(untestable("no runs")).shown.estimate)
    assert [[*bundle.values()] for bundle, _ in displayed] == [["'–'"], ["'–'"]]


def test_an_effect_stands_with_its_interval_and_true_minus_signs():
    found = single([0.3, 0.4, -0.4, 0.1], name="", unit="")
    assert with_interval(found) == "0.10 [−0.47, 0.67]".replace("0.", ".").replace(" ", "\u00a0")
    assert with_interval(single([1.5], name="", unit=""), 1) == "1.5\u00a0[−∞,\u00a0∞]"


def test_a_claim_is_judged_once_for_the_sentences_and_the_boxes_of_a_page(results):
    found = notebook.finding(results, "T2")
    deciding, *_ = (each for _, each in notebook.contrasts(found.judgement))
    assert notebook.contrast_of(results, "T2") is notebook.contrast_of(results, "T2", deciding.name) is deciding
    with pytest.raises(KeyError, match="T2 has no contrast 'loss'; it has "):
        notebook.contrast_of(results, "T2", "loss")
    assert found is notebook.finding(results, "T2")
    assert found.note == "because"
    with pytest.raises(KeyError):
        notebook.finding(results, "T9")
