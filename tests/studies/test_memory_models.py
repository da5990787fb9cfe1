"""The design, the rules on numbers made by hand, and the whole study on small runs."""

import math
from dataclasses import replace
from itertools import product
from typing import ClassVar

import numpy as np
import pandas as pd
import pytest

from inductive_bias.plotting import influence_widget
from inductive_bias.running import build
from inductive_bias.studies.claims import Finding
from inductive_bias.studies.heads_search import FACTORS, HEADS, TRIED
from inductive_bias.studies.memory_models import STUDY, figures
from inductive_bias.studies.memory_models.claims import half_of_gains, worth
from inductive_bias.studies.memory_models.design import (
    ATTENTION,
    BACKBONES,
    BRT,
    CHOSEN,
    CHOSEN_MIXERS,
    KIN,
    LSTM_GATE,
    MIXERS,
    MODELS,
    NO_MEMORY,
    PLANS,
    RATE,
    RSA,
    SEARCHED,
    SETTINGS,
    TLB,
    TOEPLITZ,
    TUNED,
    UNDILATED,
    XL,
    cell,
    cells,
    judging,
)
from inductive_bias.studies.memory_models.measures import between, final_gain, gain, paper_gains
from inductive_bias.studies.memory_models.tables import READERS, SEGMENTS_READ, WORDS_BEFORE, WORDS_SHOWN, passage
from inductive_bias.studies.results import Results
from inductive_bias.studies.scales import SCALES
from inductive_bias.studies.tuning import FIRST_TUNING_SEED, around
from inductive_bias.tasks.characters import decode
from inductive_bias.verdicts import exceeds
from tests.fakes import fake_results, judged

LAPTOP = STUDY.design.cells("laptop")
#: Every cell, also those that the laptop scale does not have by now.
FULL = "paper"
USUAL = PLANS[FULL].layers
#: How much of ``spread`` the runs of a mixer have.
SCATTER = {ATTENTION: 0.0, RSA: 1.0, UNDILATED: 1.0, TOEPLITZ: 0.5}


def first(model, mixer, layers=None, scale="laptop"):
    return STUDY.design.cells(scale)[cell(scale, model, mixer, layers)][0]


def test_the_grid_has_every_backbone_with_its_controls():
    wanted = {(model, mixer, USUAL) for model in BACKBONES for mixer in (ATTENTION, RSA, UNDILATED)}
    wanted |= {(XL, mixer, depth) for mixer in (ATTENTION, RSA) for depth in (8, 10, 12)}
    wanted |= {(XL, TOEPLITZ, USUAL), (NO_MEMORY, ATTENTION, USUAL), (LSTM_GATE, ATTENTION, USUAL)}
    found = {tuple(each.values()): trials for each, trials in STUDY.design.cells(FULL).items()}
    assert set(found) == wanted
    assert {len(trials) for trials in found.values()} == {3}


@pytest.mark.parametrize("scale", SCALES)
def test_models_of_one_number_differ_in_their_mixer_alone(scale):
    cells = STUDY.design.cells(scale)
    for each, trials in cells.items():
        if each["mixer"] == ATTENTION:
            continue
        base = cells[cell(scale, each["model"], ATTENTION, each["layers"])]
        for plain, other in zip(base, trials, strict=False):  # controls may have fewer runs
            searched = {"dropout": other.model.dropout} if each["mixer"] in CHOSEN_MIXERS else {}
            same = plain.model.model_copy(update={"mixer": other.model.mixer} | searched)
            wide = {"precision": "float32"} if each["mixer"] in CHOSEN_MIXERS else {}
            changed = {"model": same, "optimiser": other.optimiser, "schedule": plain.schedule.model_copy(update=wide)}
            assert plain.model_copy(update=changed) == other


def test_chosen_mixers_have_what_the_file_says_and_other_models_their_own_rate(monkeypatch):
    """A design that runs all of them at the laptop's scale, and rows of the file that are read here by hand."""
    usual = [*product(BACKBONES, SEARCHED, [4]), (XL, TOEPLITZ, 4)]
    everywhere = dict.fromkeys([*usual, *product([XL], SEARCHED, [2, 6])], 6)
    monkeypatch.setitem(PLANS, "laptop", replace(PLANS["laptop"], chosen_runs=everywhere))
    found = {tuple(each.values()): trials for each, trials in cells("laptop") if each["mixer"] in CHOSEN_MIXERS}
    with_free = {key for key in found if key[1] == f"{TOEPLITZ}, chosen"}
    assert with_free == {(XL, f"{TOEPLITZ}, chosen", 4)}
    assert len(found) == 3 * 2 + 1 + 2 * 2
    table = pd.read_csv(TUNED.path).query("scale == 'laptop' and chosen").fillna({"dropout": 0.0})
    for (model, name, layers), trials in found.items():
        kind = CHOSEN_MIXERS[name]
        rows = table[(table["search"] == CHOSEN) & (table["mixer"] == kind)]
        if rows.empty:  # not searched by now: the last place that is tried
            rows = pd.DataFrame([TRIED[kind][-1] | {"learning_rate": 4e-3, "heads": 4}])
        row = rows.iloc[0]
        assert [trial.seed for trial in trials] == [0, 1, 2, 3, 4, 5]
        for trial in trials:
            mixer = trial.model.mixer
            assert (trial.model.layers, trial.model.dropout, mixer.heads) == (layers, row["dropout"], row["heads"])
            assert trial.schedule.precision == "float32"
            assert trial.optimiser.learning_rate == (row["learning_rate"] if model == XL else 4e-3)
            if kind == RSA:
                assert row["kinds"] == "real, cos"
                assert mixer.counts == (row["heads"] / 4, row["heads"] / 4, 0, 0, 0, 0)
            if kind != ATTENTION:
                assert (mixer.plain, mixer.gate_logit) == (row["heads"] / 2, row["gate_logit"])


FIRST_PART = dict.fromkeys([(XL, ATTENTION, 4), (XL, RSA, 4)], 6)


@pytest.mark.parametrize(
    ("claim", "more", "chosen"),
    [
        ((SEARCHED,), [], True),
        (((RSA, TOEPLITZ),), [], False),
        (((RSA, TOEPLITZ),), [(XL, TOEPLITZ, 4)], True),
        ((SEARCHED, (BRT,)), [], False),
        ((SEARCHED, BACKBONES), product((BRT, TLB), SEARCHED, [4]), True),
        ((SEARCHED, BACKBONES), product([BRT], SEARCHED, [4]), False),
    ],
)
def test_chosen_settings_judge_a_claim_when_all_that_it_names_has_them(monkeypatch, claim, more, chosen):
    run = FIRST_PART | dict.fromkeys(more, 6)
    monkeypatch.setitem(PLANS, "laptop", replace(PLANS["laptop"], chosen_runs=run))
    wanted = {mixer: f"{mixer}, chosen" if chosen else mixer for mixer in claim[0]}
    assert judging("laptop", *claim) == wanted


def test_where_no_settings_were_chosen_the_papers_heads_judge():
    assert judging("paper", (RSA, ATTENTION)) == {RSA: RSA, ATTENTION: ATTENTION}


@pytest.fixture
def laptop_runs(monkeypatch):
    """From places with chosen settings to the laptop's design that has these alone."""

    def only(chosen):
        monkeypatch.setitem(PLANS, "laptop", replace(PLANS["laptop"], chosen_runs=chosen))
        STUDY.design.forget()

    yield only
    monkeypatch.undo()
    STUDY.design.forget()


def gains_if_chosen(at=(2, 4, 6)):
    """RSA gains with chosen settings at these depths, and loses with the paper's heads everywhere."""

    def values(number, model, mixer, layers):
        chosen = mixer in CHOSEN_MIXERS and layers in at
        gained = {ATTENTION: 0.0, RSA: 0.02 if chosen else -0.02}.get(CHOSEN_MIXERS.get(mixer, mixer), 0.0)
        return {("test", "bpc"): 2.0 + 0.01 * number - gained + 0.0004 * (number % 3) * (gained != 0)}

    return fake_results(STUDY, values, scale="laptop")


def test_a_part_with_chosen_settings_judges_its_claims_alone(laptop_runs):
    laptop_runs(FIRST_PART)
    found = gains_if_chosen()
    claims = "R7", "R7-XL", "R7-BRT", "R7b", "R8-XL"
    verdicts = {claim: judged(STUDY, claim, found).judgement.verdict for claim in claims}
    assert verdicts == {
        "R7": "not reproduced",
        "R7-XL": "reproduced",
        "R7-BRT": "not reproduced",
        "R7b": "not testable here",
        "R8-XL": "not reproduced",
    }
    assert judged(STUDY, "R7-XL", found).effect.n == 6
    regimes = {claim.id: claim.regime_at(found) for claim in STUDY.claims if claim.id in verdicts}
    assert {key for key, words in regimes.items() if "chosen on validation text, 6 runs" in words} == {"R7-XL", "R7b"}
    assert regimes["R7b"].startswith("4 layers of width 128, ")
    assert regimes["R7b"].endswith(", 6 runs; none of 2 and 6 layers")


def test_the_claim_on_depths_names_those_that_wait_and_tells_of_both_kinds_of_heads(laptop_runs):
    laptop_runs(FIRST_PART)
    found = judged(STUDY, "R7b", gains_if_chosen())
    assert found.shown is None
    assert found.judgement.untestable.endswith("Transformer-XL of 2 and 6 layers with heads chosen on validation text")
    chosen, papers = found.note.split("; heads of a 14-layer model: ")
    assert chosen.startswith("heads chosen on validation text: Transformer-XL, 4 layers: ")
    assert "+0.0" in chosen
    assert "−" not in chosen.replace("Attention, chosen − RSA", "")
    assert papers.count("−0.02") >= 3


@pytest.mark.parametrize(
    ("at", "verdict"), [((2, 4, 6), "reproduced"), ((2, 4), "not reproduced"), ((4,), "not reproduced")]
)
def test_chosen_settings_judge_the_claim_on_depths_when_every_depth_has_them(laptop_runs, at, verdict):
    laptop_runs(FIRST_PART | dict.fromkeys(product([XL], SEARCHED, [2, 6]), 6))
    results = gains_if_chosen(at)
    found, claim = judged(STUDY, "R7b", results), next(each for each in STUDY.claims if each.id == "R7b")
    assert found.judgement.verdict == verdict
    assert found.judgement.deciding.n == 6
    assert claim.regime_at(results) == "2, 4, 6 layers of width 128, heads chosen on validation text, 6 runs"


def test_every_wait_of_the_laptop_is_of_the_claim_on_depths():
    found = results(scale="laptop")
    waiting = [claim.id for claim in STUDY.claims if claim.judge(found).judgement.verdict == "not testable here"]
    assert waiting == ["R7b"]


@pytest.mark.parametrize("scale", SCALES)
def test_rsa_is_that_of_the_paper(scale):
    plan = PLANS[scale]
    for model in BACKBONES:
        mixer = plan.network(model, RSA, plan.layers).mixer
        mixed = plan.heads - plan.heads // 2
        assert mixer.counts == (0, 0, 0, 0, mixed // 2, mixed // 2)
        assert (mixer.plain, mixer.shared, mixer.gate_logit) == (plan.heads // 2, True, 1.0)
        assert set(mixer.dilation) == set(plan.dilations)
        undilated = plan.network(model, UNDILATED, plan.layers).mixer
        assert undilated.counts == (mixed // 2, mixed // 2, 0, 0, 0, 0)
    free = plan.network(XL, TOEPLITZ, plan.layers)
    assert free.mixer.length == free.segment + free.memory


def test_parameters_are_matched_within_one_percent_by_the_width_of_the_feed_forward_layers():
    plan = PLANS["laptop"]

    def size(model, mixer, layers=plan.layers):
        trial = first(XL, ATTENTION).model_copy(update={"model": plan.network(model, mixer, layers)})
        return sum(one.numel() for one in build(trial).parameters())

    usual = [size(model, mixer) for model in MODELS for mixer in MIXERS]
    assert max(usual) / min(usual) < 1.01
    assert size(XL, RSA) - size(XL, ATTENTION) == 5 * 4
    assert size(BRT, RSA) - size(BRT, ATTENTION) == 5 * 3
    for depth in (2, 6):
        assert size(XL, RSA, depth) - size(XL, ATTENTION, depth) == 5 * depth


@pytest.mark.parametrize("scale", SCALES)
def test_a_segment_is_a_step_and_holds_several_blocks_and_chunks(scale):
    plan = PLANS[scale]
    for model in BACKBONES:
        network, segment = plan.network(model, RSA, plan.layers), plan.tasks[model].window
        if model == XL:
            assert network.segment == network.memory == segment
        else:
            assert segment % network.unit == 0
            assert segment >= 2 * network.unit
    assert plan.network(NO_MEMORY, ATTENTION, plan.layers).memory == 0
    assert plan.network(LSTM_GATE, ATTENTION, plan.layers).gate == "lstm"


def test_the_paper_scale_is_as_published():
    trial = first(XL, RSA, scale="paper")
    assert (trial.model.layers, trial.model.width, trial.model.inner, trial.model.dropout) == (14, 512, 2048, 0.1)
    assert trial.task.window == trial.model.memory == 512
    assert trial.schedule.batch_size == 22
    assert trial.optimiser.learning_rate == 2.5e-4
    # 90 % of text8 in segments of 512, 22 side by side
    assert 90_000_000 // 22 // 512 * trial.schedule.epochs == pytest.approx(400_000, rel=0.01)


def test_rates_are_searched_with_other_seeds_for_attention_and_for_rsa():
    searched = STUDY.tuning.design.cells("laptop")
    assert {each["mixer"] for each in searched if each["search"] == RATE} == {ATTENTION, RSA}
    judged = {trial.seed for trials in STUDY.design.cells("laptop").values() for trial in trials}
    seeds = {each["search"]: {trial.seed for trial in trials} for each, trials in searched.items()}
    assert seeds == {RATE: {FIRST_TUNING_SEED}, SETTINGS: {FIRST_TUNING_SEED}, CHOSEN: {FIRST_TUNING_SEED + 1}}
    assert not judged & set().union(*seeds.values())
    for key in product(PLANS["laptop"].searched, SEARCHED, [RATE]):
        rates = {each["learning_rate"] for each in searched if tuple(each[name] for name in TUNED.keys) == key}
        assert rates >= {place["learning_rate"] for place in around(PLANS["laptop"].rates[key[0]])}


class TestSearchForAllSettings:
    """The search for all settings of a mixer."""

    cells: ClassVar = {
        each: trials[0] for each, trials in STUDY.tuning.design.cells("laptop").items() if each["search"] == SETTINGS
    }

    def test_every_mixer_has_as_many_runs_of_the_first_grid(self):
        assert {len(places) for places in TRIED.values()} == {18}
        for model, mixer in {(each["model"], each["mixer"]) for each in self.cells}:
            there = [each for each in self.cells if (each["model"], each["mixer"]) == (model, mixer)]
            assert len(there) >= 18
        searched = {(model, mixer) for model, mixers in PLANS["laptop"].settings_searched.items() for mixer in mixers}
        assert {(each["model"], each["mixer"]) for each in self.cells} == searched

    def test_a_place_is_what_its_trial_has(self):
        for each, trial in self.cells.items():
            mixer = trial.model.mixer
            assert trial.optimiser.learning_rate == each["learning_rate"]
            assert trial.model.dropout == (each["dropout"] or 0.0)
            assert mixer.heads == (each["heads"] or 4)
            if each["mixer"] == ATTENTION:
                continue
            assert (mixer.plain, mixer.gate_logit) == (2, each["gate_logit"])
            if each["mixer"] == RSA:
                real, cos, sin = (sum(mixer.counts[kind::3]) for kind in range(3))
                wanted = {"real": (2, 0, 0), "real, cos": (1, 1, 0), "cos, sin": (0, 1, 1)}
                assert (real, cos, sin) == wanted[each["kinds"]]
                near, far = sum(mixer.counts[:3]), sum(mixer.counts[3:])
                assert (near, far) == ((2, 0) if each["dilation"] == "none" else (0, 2))
                if far:
                    told = {"2 characters": 2, "4 characters": 4, "6 and 12 characters": (6, 12)}
                    assert mixer.dilation == told[each["dilation"]]

    def test_its_text_is_none_that_judges(self):
        judged_task, search_task = first(XL, RSA).task, next(iter(self.cells.values())).task
        assert search_task.characters < 0.9 * judged_task.characters  # where validation and test begin
        assert search_task.model_copy(update={"characters": judged_task.characters}) == judged_task


class TestSearchForRateAndHeads:
    """The search on the whole text, of what the search for all settings chose."""

    cells: ClassVar = {
        each: trials[0] for each, trials in STUDY.tuning.design.cells("laptop").items() if each["search"] == CHOSEN
    }

    def test_every_number_of_heads_has_three_rates(self):
        searched = PLANS["laptop"].chosen_searched[XL]
        for mixer, tried in searched.items():
            there = {(each["heads"], each["learning_rate"]) for each in self.cells if each["mixer"] == mixer}
            assert there >= {(heads, float(f"{4e-3 * factor:.2g}")) for heads in tried for factor in FACTORS}
            assert set(tried) <= set(HEADS)
        # all three have as many runs each
        assert searched == PLANS["smoke"].chosen_searched[XL] == dict.fromkeys((ATTENTION, RSA, TOEPLITZ), HEADS)

    def test_text_and_length_are_those_of_judged_runs_and_all_else_was_chosen(self):
        for each, trial in self.cells.items():
            chosen = TUNED.chosen("laptop", model=each["model"], mixer=each["mixer"], search=SETTINGS)
            assert trial.task == first(XL, ATTENTION).task
            narrow = each["mixer"] == ATTENTION or (each["mixer"], each["heads"]) == (RSA, 4)
            precision = {"precision": "bfloat16" if narrow else "float32"}
            assert trial.schedule == first(XL, ATTENTION).schedule.model_copy(update=precision)
            kept = {name: each[name] for name in chosen if name not in ("learning_rate", "heads")}
            assert kept == {name: chosen[name] for name in kept}
            assert trial.model.mixer.heads == each["heads"]
            assert trial.optimiser.learning_rate == each["learning_rate"]
            if each["mixer"] != ATTENTION:
                assert trial.model.mixer.plain == each["heads"] // 2
            if each["mixer"] == RSA:
                assert sum(trial.model.mixer.counts) == each["heads"] // 2


def test_what_was_not_searched_has_the_rate_of_its_kin(monkeypatch):
    rates = {(BRT, ATTENTION): 0.5, (BRT, RSA): 2.0}
    monkeypatch.setattr(
        type(TUNED), "get", lambda self, scale, name, default, model, mixer, search: rates.get((model, mixer), default)
    )
    found = {tuple(at.values()): trials[0].optimiser.learning_rate for at, trials in cells(FULL)}
    assert found[BRT, RSA, USUAL] == found[BRT, UNDILATED, USUAL] == 2.0
    assert found[BRT, ATTENTION, USUAL] == found[LSTM_GATE, ATTENTION, USUAL] == 0.5
    assert found[NO_MEMORY, ATTENTION, USUAL] == PLANS[FULL].rates[XL]


def results(
    *,
    scale=FULL,
    gains=None,
    depth=None,
    memory=0.05,
    free=0.02,
    diverged=(),
    spread=0.0005,
    parts=False,
    tables=None,
    absent=(),
):
    """Two bits with attention, less by what RSA gains in a model; ``free`` more with free matrices than with RSA."""
    gains = dict.fromkeys(BACKBONES, 0.01) | (gains or {})

    def values(number, model, mixer, layers):
        if (model, mixer, layers) in absent:
            return {}
        mixer = CHOSEN_MIXERS.get(mixer, mixer)
        gained = (depth or {}).get(layers, gains[KIN.get(model, model)])
        # what scatters differs from mixer to mixer, so that the differences of no two are equal
        value = 2.0 + 0.01 * number + spread * (number - 1) * SCATTER[mixer]
        value -= {ATTENTION: 0.0, RSA: gained, UNDILATED: gained / 2, TOEPLITZ: gained - free}[mixer]
        value += (model == NO_MEMORY) * (memory + spread * (number - 1))
        value = math.nan if (model, mixer, number) in diverged else value
        found = {("test", "bpc"): value}
        if parts:
            for coordinate in ("position", "context"):
                found |= {("test", "bpc", (coordinate, float(step))): value + 1 / step for step in (1, 2, 4)}
            if mixer != ATTENTION:
                found["model", "gate", ("layer", 1.0), ("head", 0.0)] = 0.6
        return found

    search = lambda learning_rate, **levels: {("validation", "bpc"): learning_rate}  # noqa: E731
    return fake_results(STUDY, values, scale=scale, tables=tables, search=search)


@pytest.mark.parametrize(
    ("claim", "numbers", "verdict"),
    [
        ("R7", {}, "reproduced"),
        ("R7", {"gains": dict.fromkeys(BACKBONES, 0.0), "spread": 0.0002}, "not reproduced"),
        ("R7", {"gains": {TLB: -0.01}}, "not reproduced"),
        ("R7", {"gains": {TLB: 0.00135}}, "undecided"),
        ("R7", {"spread": 0.02}, "undecided"),
        ("R7-XL", {"gains": {TLB: -0.01}}, "reproduced"),
        ("R7-TLB", {"gains": {TLB: -0.01}}, "not reproduced"),
        ("R7-BRT", {"gains": {BRT: 0.004}}, "reproduced"),
        ("R7-BRT", {"gains": {BRT: 0.0}, "spread": 0.0002}, "not reproduced"),
        ("R7b", {}, "reproduced"),
        ("R7b", {"depth": {8: -0.01}}, "not reproduced"),
        ("R7b", {"depth": {12: 0.001}}, "undecided"),
        ("R7-near", {}, "reproduced"),
        ("R7-near", {"gains": {TLB: -0.01}}, "not reproduced"),
        ("R7-near", {"gains": {BRT: 0.0025}}, "undecided"),
        ("R7-near", {"gains": {XL: -0.01}}, "reproduced"),
        ("R7c", {}, "reproduced"),
        ("R7c", {"memory": 0.0}, "not reproduced"),
        ("R6-XL", {}, "reproduced"),
        ("R6-XL", {"free": -0.02}, "not reproduced"),
        ("R8-XL", {}, "reproduced"),
        ("R8-XL", {"free": -0.05}, "not reproduced"),
        ("R8-XL", {"gains": {XL: -0.01}}, "not reproduced"),
    ],
)
def test_a_claim_says_what_its_rule_says(claim, numbers, verdict):
    finding = judged(STUDY, claim, results(**numbers))
    assert finding.judgement.verdict == verdict, finding.judgement.reason


@pytest.mark.parametrize(("scale", "looks"), [("laptop", (3, 6)), (FULL, ())])
def test_the_claim_about_memory_pays_for_its_second_look(scale, looks):
    finding = judged(STUDY, "R7c", results(scale=scale))
    assert finding.judgement.looks == looks
    assert finding.effect.n == max(looks, default=3)
    assert finding.judgement.verdict == "reproduced"


def test_runs_that_were_added_for_one_claim_change_no_pair_of_another():
    # attention in a Transformer-XL has six runs, RSA with the paper's heads three
    found = results(scale="laptop")
    assert gain(found, XL).n == gain(found, XL, UNDILATED).n == 3
    assert gain(found, BRT).n == gain(found, TLB, UNDILATED).n == 3
    assert {len(LAPTOP[cell("laptop", model, ATTENTION)]) for model in (XL, NO_MEMORY, BRT)} == {6}
    assert len(LAPTOP[cell("laptop", TLB, ATTENTION)]) == 3


@pytest.mark.parametrize(("scale", "looks", "regime"), [("laptop", (3, 6), "3 or 6 runs"), (FULL, (), "3 runs")])
def test_the_claim_about_neighbours_pays_for_the_second_look_at_one_of_its_models(scale, looks, regime):
    found = results(scale=scale)
    recurrent, latent = judged(STUDY, "R7-near", found).judgement.parts
    assert (recurrent.looks, latent.looks) == (looks, ())
    single = exceeds(gain(found, BRT, UNDILATED), worth(found))
    assert recurrent.p == max(1, len(looks)) * single.p
    claim = next(each for each in STUDY.claims if each.id == "R7-near")
    assert claim.regime(found).endswith(f", {regime}")


@pytest.mark.parametrize(
    ("claim", "missing", "of"),
    [
        ("R7", (TLB, RSA), TLB),
        ("R7-XL", (XL, RSA), XL),
        ("R7b", (XL, RSA, 8), "8"),
        ("R7-near", (BRT, UNDILATED), UNDILATED),
        ("R7c", (NO_MEMORY, ATTENTION), NO_MEMORY),
        ("R6-XL", (XL, TOEPLITZ), TOEPLITZ),
        ("R8-XL", (XL, TOEPLITZ), TOEPLITZ),
    ],
)
def test_what_has_no_runs_yet_tests_nothing(claim, missing, of):
    finding = judged(STUDY, claim, results(absent=[(*missing, USUAL)[:3]]))
    assert finding.judgement.verdict == "not testable here"
    assert finding.judgement.untestable.startswith("no runs yet of")
    assert of in finding.judgement.untestable


def test_controls_are_told_of_where_they_have_runs(monkeypatch):
    found = results()
    told, lines = judged(STUDY, "R7-XL", found).note, figures.effects(found)
    monkeypatch.setattr(Results, "cells", {cell(FULL, XL, mixer): () for mixer in (ATTENTION, RSA)})
    without = results()
    assert "undilated" in told
    assert "undilated" not in judged(STUDY, "R7-XL", without).note
    dropped = set(lines["what"]) - set(figures.effects(without)["what"])
    theirs = {f"{name}, paper’s heads" for name in (BRT, TLB, *(f"{XL}, {depth} layers" for depth in (8, 10, 12)))}
    controls = {f"{model}, undilated heads" for model in BACKBONES}
    assert dropped == {f"{XL}, paper’s heads, over free matrices"} | theirs | controls


def test_the_papers_gains_are_those_of_the_notes():
    found = results()
    assert final_gain(found) == pytest.approx(0.0027)
    assert paper_gains(found, BRT, ATTENTION, "Enwik8")["final"] == pytest.approx(0.0063)
    depths = paper_gains(found, BRT, ATTENTION, "Enwik8").drop("final")
    assert depths[["8", "10", "12", "14"]].tolist() == pytest.approx([0.007, 0.002, 0.006, 0.007])
    free = paper_gains(found, XL, TOEPLITZ, "Text8")
    assert free[["8", "10", "12", "14"]].tolist() == pytest.approx([0.012, 0.018, 0.019, 0.018])


def test_only_a_margin_of_the_same_kinds_of_models_is_the_papers_effect_and_it_judges_no_others():
    found = results()
    papers = {"R7-BRT": 0.0027, "R6-XL": 0.012}
    for claim in ("R7-XL", "R7-BRT", "R7-TLB", "R7b", "R7-near", "R7c", "R6-XL", "R8-XL"):
        asked = [each.paper for each in judged(STUDY, claim, found).judgement.asked]
        assert asked == [pytest.approx(papers[claim])] if claim in papers else set(asked) == {None}
    assert worth(found) == pytest.approx(0.0027 / 2)
    assert {each.margin for each in judged(STUDY, "R7", found).judgement.asked} == {worth(found)}
    assert judged(STUDY, "R7b", found).judgement.asked[0].margin == pytest.approx(0.001)
    half = half_of_gains(found, 0.01, XL, (RSA, TOEPLITZ))
    assert exceeds(gain(found, XL, over=TOEPLITZ), half).verdict == "reproduced"
    with pytest.raises(ValueError, match="one baseline"):
        exceeds(gain(found, XL), half)


def test_a_run_that_diverged_is_a_uniform_guess_and_numbers_are_those_of_both():
    found = results(diverged={(BRT, RSA, 1)})
    contrast = gain(found, BRT)
    assert contrast.values[1] == pytest.approx(2.01 - math.log2(27))
    assert isinstance(judged(STUDY, "R7", found), Finding)
    more, fewer = pd.Series([2.0, 2.1, 2.2]), pd.Series([1.9, 2.0])
    assert between(more, fewer, "x").values.tolist() == pytest.approx([0.1, 0.1])


def test_figures_hold_every_cell_and_every_seed():
    found = results(parts=True)
    assert len(figures.losses(found)) == 12 * 3
    gains = figures.gains(found)
    assert len(gains) == (7 + 3) * 3
    means = gains.groupby(["what", "mixer"])["value"].mean()
    assert means[XL, RSA] == means[f"{XL}, 8 layers", RSA] == pytest.approx(0.01)
    assert means[BRT, UNDILATED] == pytest.approx(0.005)
    lines = figures.effects(found).set_index("what")
    assert lines.loc[f"{BRT}, paper’s heads", "paper"] == pytest.approx(0.0027)
    assert lines.loc[f"{BRT}, paper’s heads", "low"] < 0.01 < lines.loc[f"{BRT}, paper’s heads", "high"]
    assert lines[lines["whose"] == "paper"]["estimate"].gt(0).all()
    assert lines.loc[f"{TLB}, undilated heads", "estimate"] == pytest.approx(0.005)
    assert lines.loc[f"{XL}, 8 layers, paper’s heads", "estimate"] == pytest.approx(0.01)
    assert len(lines) == (3 + 3 + 3 + 1) + 2 + 4 + 4
    assert figures.by_position(found)["position"].unique().tolist() == [1, 2, 4]
    assert len(figures.by_past(found)) == 12 * 3 * 3
    assert len(figures.gates(found)) == 7 * 3
    assert figures.grid(found).shape == (6, 2 + 3)
    table = figures.table(found)
    assert table["model"].tolist() == [XL, XL, XL, XL, BRT, TLB, NO_MEMORY, LSTM_GATE]
    assert table[TOEPLITZ].ne("").sum() == 1
    ends = figures.limits(found)
    assert ends.loc[ends["part"] == "segment and memory", "characters"].item() == 1024
    assert np.isinf(ends["characters"]).sum() == 2


def test_reach_is_grouped_by_powers_of_two():
    values = [9.0, 4, 2, 1, 1, 0, 0, 0, 2]
    trial = first(XL, RSA, scale=FULL).id
    rows = pd.DataFrame({"trial": trial, "distance": range(9), "value": values, "share": 0.0})
    found = figures.reach(results(tables={"reach": rows})).set_index("distance")["share"]
    assert found.to_dict() == pytest.approx({1: 0.4, 2: 0.2, 4: 0.1, 8: 0.05})


def test_a_passage_is_whole_words_of_the_middle_and_a_symbol_more():
    data = first(XL, RSA, scale="smoke").task.load()
    symbols, words = passage(data, 4)
    text = decode(symbols, data.alphabet)
    assert words[0].start == 0
    assert words[-1].stop == len(text) - 1
    assert [text[word].split() for word in words] == [[each] for each in text.split()[:4]]
    assert text in decode(data["test"].inputs, data.alphabet)


@pytest.mark.slow
def test_it_runs_from_the_first_trial_to_the_last_figure(smoked):
    found = smoked(STUDY)
    assert set(found.rows["trial"]) == set(STUDY.design.members("smoke"))
    for claim in STUDY.claims:
        assert isinstance(claim.judge(found), Finding)
    for name in (
        "losses",
        "gains",
        "effects",
        "by_position",
        "by_past",
        "reach",
        "limits",
        "gates",
        "table",
        "grid",
        "chosen_tried",
        "word_by_word",
    ):
        assert not getattr(figures, name)(found).empty
    words = figures.word_by_word(found)
    assert words["place"].nunique() == WORDS_BEFORE["smoke"] + WORDS_SHOWN["smoke"]
    widget = influence_widget(words, kept=1, instead="See the figure.")
    assert all(f"{model}, {mixer}" in widget.html for model, mixer in READERS)
    table = found.table("reach")
    assert table["trial"].nunique() == len(READERS)
    assert set(table["distance"]) == set(range(SEGMENTS_READ * 8))
    without = table[table["model"] == NO_MEMORY]
    assert without.loc[without["distance"] >= 8, "value"].eq(0).all()
    for model in (BRT, TLB):
        assert table.loc[(table["model"] == model) & (table["distance"] >= 16), "value"].gt(0).any()
