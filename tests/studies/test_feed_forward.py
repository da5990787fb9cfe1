"""Equal sizes, the rules on numbers made by hand, the design, and the whole study on small runs."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
import torch

from inductive_bias.layers import AttentionSpec
from inductive_bias.models import MixingSpec, RecurrentSpec, TCNSpec
from inductive_bias.studies import timings
from inductive_bias.studies.feed_forward import STUDY, figures
from inductive_bias.studies.feed_forward.claims import RIVALS
from inductive_bias.studies.feed_forward.design import (
    ADDING,
    ATTENTION,
    CHARACTERS,
    CLAIMED_WINDOW,
    COPYING,
    GATED,
    GRU,
    JSB,
    LSTM,
    METRICS,
    MODELS,
    PARTS,
    RSA,
    SHORTEST_WINDOW,
    SLOW,
    TCN,
    TUNED,
    TUNING,
    WINDOWS,
    WITHOUT_WAIT,
    cell,
)
from inductive_bias.studies.feed_forward.measures import cost
from inductive_bias.studies.parameter_matching import FEEDFORWARD, TOLERANCE, blocks, match_parameters, parameters
from inductive_bias.studies.scales import SCALES
from inductive_bias.studies.timings import INFERENCE, SPEED, TRAINING, variant
from inductive_bias.studies.tuning import FIRST_TUNING_SEED
from inductive_bias.tasks.memory.copying import KINDS
from tests.fakes import fake_results, judged

LARGE = [(scale, *at) for scale in ("laptop", "paper") for at in PARTS[scale]]
MUSIC = {"channels": 88, "outputs": 88}


@pytest.mark.parametrize(("scale", "task", "steps"), LARGE)
def test_all_models_of_a_task_have_as_many_parameters_as_its_lstm(scale, task, steps):
    part = PARTS[scale][task, steps]
    sizes = {model: parameters(spec, part.task.dimensions) for model, spec in part.specs.items()}
    assert set(sizes) == set(part.models)
    lstm = sizes[SLOW] if SLOW in sizes else sizes[LSTM]
    assert {model: size for model, size in sizes.items() if abs(size / lstm - 1) > TOLERANCE} == {}
    assert {sizes[model] for model in (LSTM, *WINDOWS) if model in sizes} <= {lstm}


@pytest.mark.parametrize("wanted", [1, 3_000, 249_688])
def test_the_width_found_is_the_nearest_of_all(wanted):
    def make(width):
        return TCNSpec(levels=2, kernel=3, width=width)

    found = match_parameters(make, wanted, MUSIC)
    near = [width for width in (found.width - 1, found.width, found.width + 1) if width]
    away = [abs(parameters(make(width), MUSIC) - wanted) for width in near]
    assert min(away) == abs(parameters(found, MUSIC) - wanted)
    steps = match_parameters(make, wanted, MUSIC, step=8)
    assert steps.width % 8 == 0


def test_parameters_are_counted_as_pytorch_says_and_cost_no_random_number():
    before = torch.get_rng_state()
    assert parameters(RecurrentSpec(cell="lstm", states=200), MUSIC) == 4 * 200 * (88 + 200 + 2) + 200 * 88 + 88
    assert torch.equal(torch.get_rng_state(), before)


def test_where_heads_leave_no_width_that_fits_the_feed_forward_layers_change():
    wide = blocks(AttentionSpec(heads=6), 249_688, MUSIC, layers=2)
    assert (wide.width, wide.feedforward) == (108, 3)
    tiny = blocks(AttentionSpec(heads=6), 10, MUSIC, layers=2)
    assert (tiny.width, tiny.feedforward) == (6, 2)


def test_where_no_feed_forward_layer_fits_the_nearest_is_taken():
    mixer, wanted = AttentionSpec(heads=16), 12_000
    found = blocks(mixer, wanted, MUSIC, layers=2)
    by_hand = [
        parameters(MixingSpec(mixer=mixer, width=width, feedforward=times, layers=2), MUSIC)
        for width in (16, 32)
        for times in FEEDFORWARD
    ]
    away = [abs(size / wanted - 1) for size in by_hand]
    assert min(away) > TOLERANCE
    assert parameters(found, MUSIC) == by_hand[away.index(min(away))] == 11_624


@pytest.mark.parametrize(("scale", "task", "steps"), LARGE)
def test_a_tcn_sees_what_it_has_to_copy_or_to_add(scale, task, steps):
    part = PARTS[scale][task, steps]
    if task in (COPYING, ADDING):
        assert part.specs[TCN].receptive_field >= steps + (11 if task == COPYING else 0)
        assert GATED not in part.models


def test_a_window_is_the_whole_network_cut_short():
    part = PARTS["smoke"][JSB, None]
    for window, k in WINDOWS.items():
        assert part.specs[window] == part.specs[LSTM].model_copy(update={"context": k})


def test_rates_are_searched_with_other_seeds_and_given_to_windows_too():
    cells, tried = STUDY.design.cells("laptop"), TUNING.design.cells("laptop")
    judged_ = [cell(JSB, model) for model in (LSTM, CLAIMED_WINDOW, TCN, GRU, SHORTEST_WINDOW)]
    assert [len(cells[each]) for each in judged_] == [10, 10, 10, 4, 4]
    chosen = TUNED.chosen("laptop", task=JSB, steps=None, model=LSTM)["learning_rate"]
    assert {cells[each][1].optimiser.learning_rate for each in judged_[:2]} == {chosen} == {0.012}
    assert not any(each["model"] in WINDOWS for each in tried)
    for each, trials in tried.items():
        wanted = 2 if each["steps"] == 500 else 1
        assert [trial.seed for trial in trials] == list(range(FIRST_TUNING_SEED, FIRST_TUNING_SEED + wanted))
        assert {trial.optimiser.learning_rate for trial in trials} == {each["learning_rate"]}


def test_gradients_are_cut_in_lstms_that_start_by_remembering():
    cells, tried = STUDY.design.cells("laptop"), TUNING.design.cells("laptop")
    cut = [each for each in cells if each["bptt"] is not None]
    assert [(each["steps"], each["model"], each["bptt"]) for each in cut] == [(10, SLOW, k) for k in (5, 10, 25)]
    one, whole = (cells[cell(COPYING, SLOW, steps=10, bptt=bptt)][0] for bptt in (5, None))
    assert (one.model.bptt, whole.model.bptt, whole.model.chrono, whole.schedule.epochs) == (5, None, 10 + 20, 12)
    epochs = {(each["steps"], each["model"]): trials[0].schedule.epochs for each, trials in tried.items()}
    assert (epochs[10, SLOW], epochs[50, SLOW], epochs[50, TCN], epochs[500, TCN]) == (12, 6, 2, 6)


@pytest.fixture
def six_runs(monkeypatch):
    """Six runs of every cell at smoke scale: of four alike nothing is said of half of all runs."""
    for at, part in PARTS["smoke"].items():
        monkeypatch.setitem(PARTS["smoke"], at, replace(part, runs=6, other_runs=6))
    STUDY.design.forget()
    yield
    STUDY.design.forget()


def results(*, lost=None, copied=None, scale="smoke", lstm=8.4, guess=12.0, failing=0, tables=None):
    """Losses 8.4 (of music) and 2.0, more by a share that a model loses; and how much of the digits is copied.

    The first ``failing`` runs of a TCN copy nothing. The best answer to music without a network has the loss ``guess``.
    """
    lost, copied = {SHORTEST_WINDOW: 0.1} | (lost or {}), copied or {}

    def values(number, task, steps, model, bptt):
        spread = 0.001 * number
        if task != COPYING:
            best = lstm if task == JSB else 2.0
            naive = {("test", "baseline_nll", ("kind", each)): guess for each in ("last_step", "key_frequency")}
            own = 0.0 if model == LSTM else 1e-4 * number  # what two models differ by varies from run to run
            loss = best * (1 + lost.get(model, 0.0) + spread + own)
            return {("test", METRICS[task]): loss} | (naive if task == JSB else {})
        share = copied.get((model, steps, bptt), 1.0) - spread
        if model == TCN and number < failing:
            share = 0.0
        return {
            ("test", "nll"): 0.3 * (1 - share),
            ("test", "baseline_nll"): 0.3,
            ("test", "accuracy"): 1 / KINDS + (1 - 1 / KINDS) * share,
        }

    def searched(number, task, steps, model, learning_rate):
        return {("validation", METRICS[task]): lstm * learning_rate}

    return fake_results(STUDY, values, scale=scale, tables=tables, search=searched)


def test_costs_are_shares_of_the_loss_of_the_run_of_the_same_number():
    found = results(lost={TCN: 0.02})
    assert cost(found, JSB, TCN).estimate == pytest.approx(0.02, abs=1e-4)
    assert cost(found, CHARACTERS, LSTM, TCN).estimate == pytest.approx(-0.02, abs=1e-3)


#: At smoke scale digits wait over 2 or 8 blanks, and gradients pass over 2 or 12 steps.
NEAR, FAR = 2, 8
GUESSING = {(SLOW, FAR, None): 0.01}


@pytest.mark.parametrize(
    ("claim", "numbers", "verdict"),
    [
        ("M13", {}, "reproduced"),
        ("M13", {"lost": {TCN: -0.1}}, "reproduced"),
        ("M13", {"lost": {TCN: 0.05}}, "not reproduced"),
        ("M13", {"lstm": 9.0}, "not testable here"),
        ("M13", {"guess": 8.0}, "not testable here"),
        ("M13", {"lost": {SHORTEST_WINDOW: 0.0}}, "not testable here"),
        ("M14", {"copied": GUESSING}, "reproduced"),
        ("M14", {}, "not reproduced"),
        ("M14", {"copied": GUESSING | {(TCN, FAR, None): 0.01}}, "not reproduced"),
        ("M14", {"copied": GUESSING, "failing": 1}, "not reproduced"),
        ("M14", {"copied": GUESSING | {(SLOW, NEAR, None): 0.3}}, "not testable here"),
        ("M15", {}, "reproduced"),
        ("M15", {"lost": {CLAIMED_WINDOW: 0.05}}, "not reproduced"),
        ("M16", {"copied": {(SLOW, NEAR, 2): 0.02}}, "reproduced"),
        # at 0.1145 of the digits, six runs lie from .0958 to .1002 above chance: one is enough
        ("M16", {"copied": {(SLOW, NEAR, 2): 0.1145}}, "not reproduced"),
        ("M16", {}, "not reproduced"),
        ("M16", {"copied": {(SLOW, NEAR, 2): 0.02, (SLOW, NEAR, None): 0.3}}, "not testable here"),
    ],
)
def test_rules_judge_what_was_measured_and_ask_for_a_baseline_that_has_learnt(claim, numbers, verdict, six_runs):
    assert judged(STUDY, claim, results(**numbers)).judgement.verdict == verdict


def test_one_run_that_has_not_learnt_to_copy_is_enough_to_test_nothing():
    found = results(copied=GUESSING)
    rows = found.rows
    first = (rows["model"] == SLOW) & (rows["steps"] == NEAR) & (rows["metric"] == "accuracy") & (rows["seed"] == 0)
    rows.loc[first & rows["bptt"].isna(), "value"] = float("nan")
    finding = judged(STUDY, "M14", found)
    assert "with 2 blanks an LSTM gets 0.00 of the digits right in its worst run" in finding.judgement.reason


@pytest.mark.parametrize(
    ("claim", "numbers"), [("M14", {"copied": GUESSING}), ("M16", {"copied": {(SLOW, NEAR, 2): 0.02}})]
)
def test_two_runs_that_are_alike_say_nothing_of_half_of_all_runs(claim, numbers):
    assert judged(STUDY, claim, results(**numbers)).judgement.verdict == "undecided"


def seconds(fast=1.0, *, per=None, noise=0.02):
    """Tables of both benchmarks: an LSTM takes a second, all else ``fast``, or what ``per`` says of model and place."""
    per, after = per or {}, (f"{JSB}, after 100", f"{CHARACTERS}, after 1,000")
    places = {
        RIVALS: {"training": (JSB, CHARACTERS), "generation": after},
        SPEED: dict.fromkeys((TRAINING, INFERENCE), tuple(map(variant, (64, 4096)))),
    }
    rng = np.random.default_rng(0)
    return {
        benchmark: pd.DataFrame(
            {
                "measure": measure,
                "model": model,
                "variant": place,
                "size": {variant(size): size for size in (64, 4096)}.get(place, np.nan),
                "repeat": repeat,
                "value": (1.0 if model == LSTM else per.get((model, place), fast)) * 2 ** (noise * rng.normal()),
            }
            for measure, variants in measures.items()
            for place in variants
            for model in (LSTM, TCN, GATED, ATTENTION, RSA)
            for repeat in range(5)
        )
        for benchmark, measures in places.items()
    }


@pytest.mark.parametrize(
    ("claim", "times", "verdict"),
    [
        ("M17", {"fast": 0.8}, "reproduced"),
        ("M17", {"fast": 0.8, "per": {(TCN, CHARACTERS): 1.2}}, "not reproduced"),
        ("M17", {"fast": 0.99}, "not reproduced"),
        ("M17", {"fast": 0.95, "noise": 0.5}, "undecided"),
        ("M18", {"fast": 1.5, "per": {(ATTENTION, variant(64)): 0.8}}, "reproduced"),
        ("M18", {"fast": 1.5}, "not reproduced"),
        ("M19", {"fast": 1.5, "per": {(GATED, f"{JSB}, after 100"): 0.8}}, "reproduced"),
        ("M19", {"fast": 1.5}, "not reproduced"),
        ("R13", {"fast": 0.8}, "reproduced"),
        ("R13", {"fast": 0.8, "per": {(RSA, variant(4096)): 1.5}}, "not reproduced"),
    ],
)
def test_speed_is_judged_by_the_published_times(claim, times, verdict, monkeypatch):
    on_a_gpu = {benchmark: {"machine": {"gpu": "H100"}} for benchmark in (RIVALS, SPEED)}
    monkeypatch.setattr(timings, "read_manifest", lambda name: on_a_gpu)
    finding = judged(STUDY, claim, results(tables=seconds(**times)))
    assert finding.judgement.verdict == verdict
    assert "time of LSTM over" in finding.note


@pytest.mark.parametrize(
    ("claim", "verdict"),
    [("M17", "not testable here"), ("M18", "not testable here"), ("R13", "not testable here"), ("M19", "reproduced")],
)
def test_one_core_tests_no_sentence_about_parallel_hardware(claim, verdict, monkeypatch):
    """Whatever it measures; one more symbol has nothing to compute side by side."""
    on_a_cpu = {benchmark: {"machine": {"cores": 2, "threads": 1}} for benchmark in (RIVALS, SPEED)}
    monkeypatch.setattr(timings, "read_manifest", lambda name: on_a_cpu)
    finding = judged(STUDY, claim, results(tables=seconds(fast=0.5)))
    assert finding.judgement.verdict == verdict
    assert "time of LSTM over" in finding.note
    assert ("the times are of 1 thread of a CPU" in finding.judgement.reason) == (claim != "M19")


@pytest.mark.parametrize("claim", ["M17", "M18", "M19", "R13"])
def test_without_a_published_benchmark_no_speed_is_judged(claim):
    finding = judged(STUDY, claim, results())
    assert finding.judgement.verdict == "not testable here"
    assert "has not been published" in finding.judgement.reason


@pytest.mark.parametrize("claim", ["M13", "M14", "M15", "M16"])
def test_what_has_no_seeds_yet_tests_nothing(claim, monkeypatch):
    few = {at: replace(part, runs=2 * (at[0] == ADDING), other_runs=0) for at, part in PARTS["smoke"].items()}
    monkeypatch.setitem(PARTS, "paper", few)
    STUDY.design.forget()
    try:
        finding = judged(STUDY, claim, results(scale="paper"))
    finally:
        STUDY.design.forget()
    assert finding.judgement.verdict == "not testable here"
    assert "no runs yet" in finding.judgement.reason


def test_figures_draw_what_was_measured():
    found = results(lost={TCN: 0.02}, copied=GUESSING | {(SLOW, NEAR, 2): 0.1})
    ladder = figures.ladder(found).set_index(["task", "model"])
    assert ladder.loc[(JSB, TCN), "estimate"] == pytest.approx(0.02, abs=1e-4)
    assert ladder.loc[(JSB, SHORTEST_WINDOW), "context"] == 5
    assert ladder.loc[(JSB, TCN), "context"] == PARTS["smoke"][JSB, None].specs[TCN].receptive_field
    waiting = figures.by_wait(found).set_index(["model", "steps", "number"])["value"]
    assert waiting[SLOW, FAR, 0] == pytest.approx(0.99)
    assert waiting[TCN, FAR, 0] == pytest.approx(0.0)
    cut = figures.by_gradient(found).set_index(["bptt", "whole", "number"])["value"]
    assert cut[2, False, 0] == pytest.approx(1 / KINDS + 0.1 * (1 - 1 / KINDS))
    assert cut[NEAR + 20, True, 0] == pytest.approx(1.0)
    times = pd.DataFrame(
        {"measure": "training", "variant": task, "model": model, "ratio": ratio}
        for task in (JSB, CHARACTERS)
        for model in MODELS
        for ratio in (1.0, 2.0, 4.0)
    )
    shown = figures.against_time(found, times).set_index(["task", "model"])
    assert shown.loc[(JSB, TCN)].tolist() == pytest.approx([0.02, 2.0], abs=1e-4)
    assert shown.loc[(JSB, LSTM)].tolist() == [0.0, 2.0]
    rates = figures.grid(found)
    assert set(rates["model"]) == set(WITHOUT_WAIT) - set(WINDOWS)
    assert rates[["rate 0.002", "rate 0.004", "rate 0.008"]].iloc[0].tolist() == [
        8.4 * each for each in (2e-3, 4e-3, 8e-3)
    ]
    assert rates["T"].eq("").all()
    table = figures.beside_reported(found).set_index("model")
    assert table.loc[LSTM, "JSB chorales, nll"].endswith("(8.45)")
    assert figures.sizes(found).set_index("model").loc[LSTM, JSB] == f"{4 * 6 * (88 + 6 + 2) + 6 * 88 + 88:,}"


@pytest.mark.parametrize("scale", SCALES)
def test_every_cell_has_a_name_of_its_own_and_trials_of_its_own(scale):
    cells = STUDY.design.cells(scale)
    assert len({STUDY.design.name(cell) for cell in cells}) == len(cells)


def test_what_others_report_is_of_levels_of_the_design():
    numbers = STUDY.paper_numbers()
    assert len(numbers) == 16
    for factor in STUDY.design.factors:
        known = {level for scale in SCALES for level in STUDY.design.levels(scale)[factor]}
        assert set(numbers[factor].dropna()) <= known


@pytest.mark.slow
def test_the_whole_study_runs_at_smoke_scale(smoked):
    found = smoked(STUDY)
    assert set(found.rows["model"]) == set(MODELS)
