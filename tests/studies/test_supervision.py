"""The rules on numbers made by hand, the design, the figures, and the whole study."""

import math
from collections import Counter
from dataclasses import replace
from itertools import product

import pandas as pd
import pytest
import torch

from inductive_bias.protocols.measures.automata import LAST_QUARTER
from inductive_bias.studies import state_tracking
from inductive_bias.studies.scales import SCALES
from inductive_bias.studies.state_tracking import ATTENTION, LSTM, MODELS, RSA, SETUPS
from inductive_bias.studies.supervision import STUDY, claims, figures
from inductive_bias.studies.supervision.design import (
    ALL_LABELS,
    JUDGED_SHARE,
    LABELS,
    PLANS,
    STATE,
    TUNED,
    WORDS,
    cell,
    share_in_words,
    trial,
)
from inductive_bias.tasks import StateTracking
from tests.fakes import fake_results, judged

AT = PLANS["laptop"].sparse
TEN = PLANS["laptop"]


@pytest.fixture(autouse=True)
def four_runs(monkeypatch):
    """The laptop's plan as it was at the first look: four runs of what is compared; rates chosen with enough runs."""
    monkeypatch.setattr(TUNED, "runs", lambda *_, **__: claims.ENOUGH_TO_CHOOSE)
    monkeypatch.setitem(PLANS, "laptop", replace(TEN, compared_runs=None))
    STUDY.design.forget()
    yield
    monkeypatch.undo()
    STUDY.design.forget()


@pytest.fixture
def ten_runs(monkeypatch):
    """The laptop's plan as it is now."""
    monkeypatch.setitem(PLANS, "laptop", TEN)
    STUDY.design.forget()


def made(late=None, over_all=None, scale="laptop"):
    """Runs as the paper has them: few labels break attention, fewer words do too; ``late`` says otherwise.

    Args:
        late: scores by number, of a model, a share of labels and what is equal, or of an automaton and a part.
        over_all: scores over all positions, where they are not those of the last quarter.
        scale: which.
    """
    late, over_all, length = late or {}, over_all or {}, SETUPS[scale].length

    def values(number, automaton, asked, model, kept, counted):
        score = 1.0 if model == LSTM or kept == ALL_LABELS else 0.7 if model == RSA else 0.3 * kept / JUDGED_SHARE
        score = min(score, 1.0) - 0.001 * (number % 4)
        key = (model, kept, counted) if asked == STATE else (automaton, asked)
        score = late.get(key, {}).get(number, score)
        at = ("length", length)
        return {
            ("test", "accuracy", at): over_all.get(key, {}).get(number, score),
            ("test", "accuracy", at, ("part", LAST_QUARTER)): score,
            ("test", "constant_accuracy", at, ("part", LAST_QUARTER)): 0.125,
            ("train", "steps"): 100.0 * (1 + number),
        }

    return fake_results(STUDY, values, scale=scale)


def runs(*values):
    return dict(enumerate(values))


HIGH, LOW = runs(0.999, 0.998, 0.999, 1.0), runs(0.31, 0.3, 0.29, 0.3)
#: A cell that has eight runs, of which one is right, or none.
SELDOM, NEVER = runs(*[0.3] * 7, 1.0), runs(*[0.3, 0.31] * 4)


@pytest.mark.parametrize(
    ("claim", "late", "verdict"),
    [
        ("Q7", {}, "undecided"),
        ("Q7", {(LSTM, JUDGED_SHARE, WORDS): runs(1.0, 1.0, 0.9, 1.0)}, "not reproduced"),
        ("Q7", {(LSTM, JUDGED_SHARE, WORDS): runs(1.0, 1.0, math.nan, 1.0)}, "not reproduced"),
        ("Q7", {(ATTENTION, JUDGED_SHARE, WORDS): HIGH}, "undecided"),  # four runs do not exclude that half of all fail
        ("Q7", {(ATTENTION, ALL_LABELS, WORDS): runs(1.0, 0.98, 1.0, 1.0)}, "not testable here"),
        ("Q7b", {}, "reproduced"),
        ("Q7b", {("D8", "place"): SELDOM}, "reproduced"),
        ("Q7b", {("D8", "place"): NEVER}, "not reproduced"),
        ("Q7b", {("S5", "chair"): LOW}, "undecided"),
        ("Q33", {}, "undecided"),
        ("Q33", {(ATTENTION, JUDGED_SHARE, LABELS): HIGH}, "refuted"),
        ("Q33", {(ATTENTION, JUDGED_SHARE, WORDS): HIGH}, "not testable here"),
        ("Q34", {}, "confirmed"),
        ("Q34", {(RSA, JUDGED_SHARE, WORDS): LOW}, "undecided"),
        ("Q34", {(RSA, JUDGED_SHARE, WORDS): runs(0.02, 0.0, 0.01, 0.02)}, "undecided"),
        ("Q34", {(RSA, ALL_LABELS, WORDS): LOW}, "not testable here"),
        ("Q34", {(ATTENTION, ALL_LABELS, WORDS): LOW}, "not testable here"),
    ],
)
def test_rules_judge_what_was_measured(claim, late, verdict):
    one = next(each for each in STUDY.claims if each.id == claim)
    finding = judged(STUDY, claim, made(late))
    assert one.word(finding) == verdict, finding.judgement.reason


@pytest.mark.parametrize(
    ("claim", "late", "verdict"),
    [
        ("Q7", {}, "reproduced"),
        ("Q7", {(ATTENTION, JUDGED_SHARE, WORDS): runs(*[0.999, 0.998] * 45)}, "not reproduced"),
        ("Q33", {}, "confirmed"),
        ("Q33", {(ATTENTION, JUDGED_SHARE, LABELS): runs(*[0.37, 0.33] * 45)}, "undecided"),
        ("Q34", {(RSA, JUDGED_SHARE, WORDS): runs(*[0.31, 0.3] * 45)}, "refuted"),
    ],
)
def test_more_runs_decide_what_four_leave_open(claim, late, verdict, monkeypatch):
    monkeypatch.setitem(PLANS, "laptop", replace(PLANS["laptop"], runs=90))
    for looks in ("LOOKS", "LOOKS_AT_LABELS"):  # as many runs at the first look
        monkeypatch.setattr(claims, looks, (90,))
    STUDY.design.forget()
    one = next(each for each in STUDY.claims if each.id == claim)
    finding = judged(STUDY, claim, made(late))
    assert one.word(finding) == verdict, finding.judgement.reason


@pytest.mark.usefixtures("ten_runs")
@pytest.mark.parametrize("claim", ["Q7", "Q34"])
def test_a_second_look_with_six_more_runs_is_paid_for(claim, monkeypatch):
    few = {WORDS: 0.3, LABELS: 0.0}
    scores = {(ATTENTION, JUDGED_SHARE, counted): runs(*[low + 0.01, low] * 5) for counted, low in few.items()}
    second = judged(STUDY, claim, made(scores)).judgement
    monkeypatch.setattr(claims, "LOOKS", (10,))
    only = judged(STUDY, claim, made(scores)).judgement
    assert (second.looks, only.looks) == ((4, 10), ())
    assert 0 < only.p < second.p == pytest.approx(2 * only.p)


@pytest.mark.usefixtures("ten_runs")
def test_of_three_looks_at_whether_the_number_of_labels_decides_each_is_paid_for(monkeypatch):
    few = {WORDS: 0.3, LABELS: 0.0}
    scores = {(ATTENTION, JUDGED_SHARE, counted): runs(*[low + 0.01, low] * 5) for counted, low in few.items()}
    third = judged(STUDY, "Q33", made(scores)).judgement
    monkeypatch.setattr(claims, "LOOKS_AT_LABELS", (20,))
    only = judged(STUDY, "Q33", made(scores)).judgement
    assert (third.looks, only.looks) == ((4, 10, 20), ())
    assert 0 < only.p < third.p == pytest.approx(3 * only.p)


@pytest.mark.parametrize(("runs", "verdict"), [(1, "not testable here"), (2, "not testable here"), (3, "refuted")])
def test_a_control_whose_rate_may_be_luck_tests_nothing(runs, verdict, monkeypatch):
    monkeypatch.setattr(TUNED, "runs", lambda *_, **__: runs)
    one = next(each for each in STUDY.claims if each.id == "Q33")
    finding = judged(STUDY, "Q33", made({(ATTENTION, JUDGED_SHARE, LABELS): HIGH}))
    assert one.word(finding) == verdict
    assert ("luck" in finding.judgement.untestable) == (runs < 3)


def test_the_runs_by_which_a_rate_was_chosen_are_those_of_the_file(monkeypatch):
    monkeypatch.undo()
    rows = pd.read_csv(TUNED.path).query("scale == 'laptop' and chosen").set_index(["model", "counted"])["runs"]
    assert len(rows) == 5
    assert all(TUNED.runs("laptop", model=key[0], counted=key[1]) == count for key, count in rows.items())
    assert TUNED.runs("smoke", model=ATTENTION, counted=LABELS) is None


@pytest.mark.usefixtures("ten_runs")
def test_only_cells_that_are_compared_got_further_runs():
    grown = {tuple(levels.values()) for levels, trials in STUDY.design.cells("laptop").items() if len(trials) == 10}
    few = {(model, JUDGED_SHARE, counted) for model, counted in product((ATTENTION, LSTM), (WORDS, LABELS))}
    wanted = {(model, ALL_LABELS, WORDS) for model in MODELS} | few | {(RSA, JUDGED_SHARE, WORDS)}
    assert grown == {(AT, STATE, *levels) for levels in wanted}


def test_sentences_of_the_paper_are_judged_over_all_positions():
    late, whole = {("S5", "chair"): LOW}, {("S5", "chair"): HIGH}
    assert judged(STUDY, "Q7b", made(late, whole)).judgement.verdict == "reproduced"
    finding = judged(
        STUDY, "Q7", made({(ATTENTION, JUDGED_SHARE, WORDS): LOW}, {(ATTENTION, JUDGED_SHARE, WORDS): HIGH})
    )
    assert finding.effect.estimate > 0.99
    assert "(last quarter: best 0.310" in finding.note


def test_the_corner_of_the_square_pays_for_the_look_at_four_runs():
    judgement = judged(STUDY, "Q7b", made({("D8", "place"): NEVER})).judgement
    assert judgement.looks == (4, 8)
    # none of eight, four parts, two looks
    assert judgement.p == pytest.approx(2 * 4 * 0.5**8)


@pytest.mark.parametrize("scale", SCALES)
def test_every_cell_has_a_name_and_as_many_runs_as_its_rules_need(scale):
    cells = STUDY.design.cells(scale)
    assert [name for name, count in Counter(map(STUDY.design.name, cells)).items() if count > 1] == []
    assert min(map(len, cells.values())) >= (2 if scale == "smoke" else STUDY.min_seeds)


def test_a_batch_has_as_many_labels_whether_words_or_labels_are_equal_in_number():
    usual = PLANS["laptop"].batch_size
    for levels, trials in STUDY.design.cells("laptop").items():
        for each in trials:
            assert each.task.kept * each.schedule.batch_size / usual == levels["kept"]
            assert each.schedule.batch_size == usual or levels["counted"] == LABELS
            assert each.task.kept == 1 or levels["counted"] == WORDS


def test_with_all_labels_models_and_rates_are_those_of_the_study_of_depths():
    cells, setup = STUDY.design.cells("laptop"), SETUPS["laptop"]
    for model, layers in PLANS["laptop"].layers.items():
        rate = state_tracking.rate("laptop", model)
        theirs = setup.trial(AT, setup.network(model, layers), seed=2, learning_rate=rate, epochs=60)
        assert cells[cell(AT, model)][2] == theirs
    deep = trial("laptop", cell("S5", ATTENTION, asked="chair"), seed=0, learning_rate=1e-3)
    assert deep.model.layers == 6


@pytest.mark.parametrize(("automaton", "asked", "as_much"), [("D8", "place", True), ("S5", "chair", False)])
def test_to_whoever_counts_the_actions_the_corner_of_the_square_says_the_state(automaton, asked, as_much):
    whole, part = StateTracking(automaton=automaton), StateTracking(automaton=automaton, asked=asked)
    words = whole.draw(2_000, torch.Generator().manual_seed(0))[0].numpy() - 1
    told = zip(part.labels(words)[:, -1], whole.labels(words)[:, -1], strict=True)
    assert (len(set(told)) == len(part.reading.classes)) == as_much


def test_rates_for_few_labels_are_searched_at_the_share_that_is_judged():
    cells = STUDY.tuning.design.cells("laptop")
    assert {(each["model"], each["counted"]) for each in cells} == {
        *((model, WORDS) for model in (ATTENTION, RSA, LSTM)),
        *((model, LABELS) for model in (ATTENTION, LSTM)),
    }
    for each, trials in cells.items():
        runs = 4 if each["model"] == ATTENTION else 1
        assert [trial.seed for trial in trials] == [*range(1000, 1000 + runs)]
    batches = {each["counted"]: trials[0].schedule.batch_size for each, trials in cells.items()}
    assert batches == {WORDS: 64, LABELS: 64 * JUDGED_SHARE}


def test_figures_draw_what_was_measured():
    found = made()
    drawn = figures.few_labels(found)
    means = drawn.groupby(["counted", "model", "kept"], observed=True)["value"].mean()
    assert means[LABELS, ATTENTION, ALL_LABELS] == means[WORDS, ATTENTION, ALL_LABELS]
    assert means[WORDS, ATTENTION, JUDGED_SHARE] == pytest.approx(0.2985)
    assert RSA not in set(drawn[drawn["counted"] == LABELS]["model"])
    seen = figures.labels_seen(found).set_index(["model", "counted", "kept", "number"])["labels"]
    assert seen[ATTENTION, WORDS, JUDGED_SHARE, 1] == seen[ATTENTION, LABELS, JUDGED_SHARE, 1] == 200 * 64 * 16 / 8
    asked = figures.parts(found)
    assert set(zip(asked["automaton"], asked["asked"], strict=True)) == set(PLANS["laptop"].parts.items())
    assert set(asked["constant"]) == {0.125}
    table = figures.all_runs(found).set_index(["model", "labels kept", "equal"])
    assert table.loc[(LSTM, "1", ""), "runs"].split() == ["1.000", "0.999", "0.998", "0.997"]
    assert {share_in_words(kept) for kept in PLANS["paper"].shares} == {"1", "1/2", "1/4", "1/8", "1/16", "1/32"}


def test_the_whole_state_stands_beside_its_parts_and_the_paper_beside_ours():
    found = made()
    asked = figures.asked(found)
    assert set(asked["what"]) == {"wall of Grid9", "zero of C4", "place of D8", "chair of S5", "state of D8"}
    assert len(asked) == 5 * 3 * 4 + 4  # attention that is asked for the place has eight runs
    assert figures.constant(found) == 0.125
    table = figures.asked_runs(found).set_index(["asked", "model"])
    assert table.loc[("place of D8", LSTM), ["best", "mean"]].tolist() == ["1.000", "0.998"]
    marks = figures.reported(found, "median_accuracy").set_index(["share", "model"])["mean"]
    assert marks["1/8", ATTENTION] == 0.11
    beside = figures.beside_reported(found).set_index("labels kept")
    assert beside.loc["1/8", [ATTENTION, "paper, S5: Attention"]].tolist() == ["0.298", "0.11"]


def learning(steps):
    """Validation curves at 0.5 until a run is right, after ``steps`` by model, share, what is equal and number."""

    def values(number, automaton, asked, model, kept, counted):
        right = steps.get((model, kept, counted), {}).get(number, 300)
        curve = {100.0 * look: 1.0 if 100 * look >= right else 0.5 for look in range(1, 7)}
        return {("validation", "accuracy", ("epoch", at / 100)): score for at, score in curve.items()}

    return fake_results(STUDY, values)


def test_curves_are_drawn_by_steps_and_by_labels():
    drawn = figures.curves(learning({}))
    assert set(drawn["counted"]) == {WORDS}
    one = drawn[(drawn["model"] == LSTM) & (drawn["kept"] == JUDGED_SHARE) & (drawn["number"] == 0)].groupby("by")["at"]
    assert one.max().to_dict() == {figures.BY_STEPS: 600, figures.BY_LABELS: 600 * 64 * 16 / 8}
    parts = figures.parts_learning(learning({}))
    assert set(parts["what"]) == {"wall of Grid9", "zero of C4", "place of D8", "chair of S5"}
    assert parts["steps"].max() == 600


def test_a_run_that_is_never_right_has_waited_for_all_of_its_training_and_is_last_in_the_median():
    never = 10_000
    found = learning(
        {(ATTENTION, JUDGED_SHARE, WORDS): runs(200, never, 400, 100), (RSA, ALL_LABELS, WORDS): runs(*[never] * 4)}
    )
    reached = figures.until(found).set_index(["model", "kept", "counted", "number"])
    assert reached.loc[(ATTENTION, JUDGED_SHARE, WORDS, 1), ["steps", "got"]].tolist() == [600, figures.NEVER]
    assert reached.loc[(ATTENTION, JUDGED_SHARE, WORDS, 0), ["labels", "got"]].tolist() == [
        200 * 64 * 2,
        figures.REACHED,
    ]
    table = figures.waiting(found).set_index("labels kept")
    assert table.loc["1/8", "Attention, words"] == "3 of 4: 300 (38 k)"
    assert table.loc["1", "RSA, words"] == "0 of 4"
    assert table.loc["1", "LSTM, labels"] == table.loc["1", "LSTM, words"] == "4 of 4: 300 (307 k)"
    assert list(table) == ["Attention, words", "Attention, labels", "RSA, words", "LSTM, words", "LSTM, labels"]


def test_what_the_paper_reports_are_shares():
    assert STUDY.paper_numbers()["mean"].between(0, 1).all()


@pytest.mark.slow
def test_the_whole_study_runs_at_smoke_scale(smoked):
    found = smoked(STUDY)
    for draw in (
        figures.few_labels,
        figures.labels_seen,
        figures.asked,
        figures.all_runs,
        figures.asked_runs,
        figures.curves,
        figures.until,
        figures.waiting,
        figures.beside_reported,
        figures.parts_learning,
    ):
        assert not draw(found).empty
    assert set(figures.grid(found)["model"]) == {ATTENTION, RSA, LSTM}
