"""Who needs how many strings for parity: the design, the rules on numbers made by hand, and the study on small runs."""

import math
from dataclasses import replace

import pytest

from inductive_bias.studies.claims import Finding
from inductive_bias.studies.design import Cell
from inductive_bias.studies.parameter_matching import TOLERANCE, parameters
from inductive_bias.studies.scales import SCALES
from inductive_bias.studies.sharing import STUDY, figures
from inductive_bias.studies.sharing.claims import doublings_needed, learnt_lengths, needed, per_bit, scores
from inductive_bias.studies.sharing.design import (
    DIMENSIONS,
    LSTM,
    MLP,
    MODELS,
    PLANS,
    RSA,
    TRANSFORMER,
    TUNING,
    UNROLLED,
    doublings,
    models_of,
)
from inductive_bias.studies.tuning import FIRST_TUNING_SEED
from tests.fakes import fake_results, judged

FULL = "paper"
#: log₂ of the strings that a model needs, by its bits.
USUAL = {
    MLP: lambda bits: bits - 1.5,
    LSTM: lambda bits: 5.5,
    UNROLLED: lambda bits: 9.5,
    TRANSFORMER: lambda bits: 8.0,
    RSA: lambda bits: 8.0,
}


def cell(model, bits, strings):
    return Cell(model=model, bits=bits, strings=strings)


def results(*, needs=None, far=None, spread=0.02, diverged=(), slow=(), scale=FULL):
    """A run is right from so many doublings on, and else guesses; of longer strings it has what ``far`` says.

    Of models and lengths that are ``slow``, run 0 never learns.
    """
    needs, far = USUAL | (needs or {}), {LSTM: 0.99, MLP: 0.5} | (far or {})

    def values(number, model, bits, strings):
        wanted = needs[model](bits) + spread * (number % 10 - 4.5)
        scatter = 0.004 * ((number * (1 + MODELS.index(model)) + bits // 2) % 10)
        share = 1.0 - scatter if math.log2(strings) >= wanted else 0.5
        share = math.nan if (model, number) in diverged else share
        share = 0.5 if (model, bits) in slow and number == 0 else share
        beyond = far.get(model, 0.5)
        beyond = beyond[number] if isinstance(beyond, tuple) else beyond
        return {
            ("test", "accuracy", ("length", float(bits))): share,
            ("test", "accuracy", ("length", 2.0 * bits)): beyond + 0.001 * (number % 2),
            ("train", "accuracy"): 1.0,
            ("train", "steps"): 20.0 * bits,
        }

    return fake_results(STUDY, values, scale=scale)


@pytest.mark.parametrize("scale", SCALES)
def test_models_of_a_length_are_of_equal_size_but_for_the_unrolled_one(scale):
    plan = PLANS[scale]
    for bits in plan.sizes:
        specs = models_of(bits, states=plan.states, layers=plan.layers, heads=plan.heads)
        sizes = {name: parameters(spec, DIMENSIONS) for name, spec in specs.items()}
        assert list(sizes) == list(MODELS)
        if scale != "smoke":  # widths of a few are too far apart
            assert all(abs(sizes[name] / sizes[LSTM] - 1) <= TOLERANCE for name in (MLP, TRANSFORMER, RSA))
        outside = parameters(specs[UNROLLED].model_copy(update={"length": 1}), DIMENSIONS)
        assert outside == sizes[LSTM]
        assert specs[MLP].length == specs[UNROLLED].length == bits


def test_runs_of_one_number_learn_from_equal_strings_and_a_smaller_set_begins_a_larger_one():
    cells = STUDY.design.cells(FULL)
    tasks = {model: [trial.task for trial in cells[cell(model, 8, 64)]] for model in MODELS}
    assert all(found == tasks[LSTM] for found in tasks.values())
    assert [task.data_seed for task in tasks[LSTM]] == list(range(PLANS[FULL].runs[LSTM]))
    more = cells[cell(LSTM, 8, 128)][3].task
    assert more == tasks[LSTM][3].model_copy(update={"train_size": 128})
    assert len({each.schedule for trials in cells.values() for each in trials}) == 1


def test_rates_are_searched_at_one_length_with_other_seeds():
    for scale in SCALES:
        plan = PLANS[scale]
        searched = TUNING.design.cells(scale)
        bits, strings = plan.searched_at
        assert {each["strings"] for each in searched} == set(strings)
        for trials in searched.values():
            seeds = [FIRST_TUNING_SEED + number for number in range(plan.search_runs)]
            assert {trial.task.length for trial in trials} == {bits}
            assert [trial.seed for trial in trials] == [trial.task.data_seed for trial in trials] == seeds
        assert {each["model"] for each in searched} == {
            name for name in MODELS if bits in plan.lengths.get(name, [bits])
        }
        assert set(strings) <= set(plan.sizes[bits])


def test_a_model_may_be_run_at_some_lengths_alone():
    plan = PLANS["smoke"]
    assert plan.lengths == {RSA: (4,)}
    cells = STUDY.design.cells("smoke")
    assert {each["bits"] for each in cells if each["model"] == RSA} == {4}
    assert {each["bits"] for each in cells if each["model"] == TRANSFORMER} == set(plan.sizes)


def test_doublings_go_from_the_first_to_the_last():
    assert doublings(8, 32) == (8, 16, 32)
    assert doublings(5, 5) == (5,)


@pytest.mark.parametrize(
    ("right", "wanted"),
    [
        ([0.5, 0.6, 0.7], 9.0),  # all of them
        ([0.97, 0.98, 1.0], 3.0),
        ([0.5, 0.95, 1.0], 4.0),
        ([0.5, 0.9, 1.0], 4.5),
        ([0.5, 0.96, 0.9], 3 + 0.45 / 0.46),  # the first crossing counts
    ],
)
def test_needed_doublings_lie_on_straight_lines_between_sizes(right, wanted):
    assert doublings_needed(9, [8, 16, 32], right) == pytest.approx(wanted)


def test_a_slope_is_that_of_its_runs():
    found = results(needs={MLP: lambda bits: bits - 1.5, LSTM: lambda bits: 5.5})
    table = needed(found).set_index(["model", "bits", "number"])["value"]
    # from half right to all right between two doublings: nine tenths of the way
    assert table[MLP, 12, 4] == pytest.approx(11 - 0.1)
    assert per_bit(found, MLP).estimate == pytest.approx(1.0, abs=0.01)
    assert abs(per_bit(found, LSTM).estimate) < 0.1


def test_a_length_counts_if_every_run_learns_there_and_at_all_longer_ones():
    # half of the strings of 6 bits, 5 doublings, are fewer than an LSTM needs
    assert learnt_lengths(results(), LSTM) == [8, 10, 12, 14, 16, 18]
    assert learnt_lengths(results(), MLP) == [6, 8, 10, 12, 14, 16, 18]
    gap = results(slow={(LSTM, 12)})
    assert learnt_lengths(gap, LSTM) == [14, 16, 18]
    assert learnt_lengths(gap, LSTM, MLP) == [14, 16, 18]
    assert per_bit(gap, LSTM).name == "LSTM, 14 to 18 bits"
    assert learnt_lengths(results(slow={(LSTM, 18)}), LSTM) == []


def test_a_run_that_never_learns_makes_no_slope():
    """As if it needed all strings, a run that fails would make the number of strings grow with the length."""
    short = results(slow={(MLP, 16), (LSTM, 8)})
    judgement = judged(STUDY, "Q25", short).judgement
    assert judgement.verdict == "not testable here"
    assert judgement.untestable.startswith("not every run learns at the 2 longest lengths: MLP 10 of 10 at 6 bits")
    assert "9 of 10 at 16 bits, 10 of 10 at 18 bits" in judgement.untestable
    # the slope that can be measured stands in the note
    assert "LSTM, 10 to 18 bits" in judged(STUDY, "Q25", short).note
    assert "MLP" not in judged(STUDY, "Q25", short).note
    # one model that surely fails is enough
    grows = results(needs={LSTM: lambda bits: bits - 1.5}, slow={(MLP, 16)})
    assert judged(STUDY, "Q25", grows).judgement.verdict == "not reproduced"


def test_sharing_is_judged_at_lengths_that_both_learn():
    some = judged(STUDY, "Q25b", results(slow={(UNROLLED, 12)}))
    assert some.judgement.verdict == "reproduced"
    none = judged(STUDY, "Q25b", results(slow={(UNROLLED, 18)})).judgement
    assert none.verdict == "not testable here"
    assert "not every run learns at the longest length" in none.untestable
    assert "unrolled LSTM" in none.untestable


def test_a_run_that_diverged_guesses_and_needs_all_strings():
    table = needed(results(diverged={(LSTM, 2)})).set_index(["model", "bits", "number"])
    assert table.loc[(LSTM, 14, 2)].tolist() == [14.0, False]
    assert table.loc[(LSTM, 14, 3), "reached"]


@pytest.mark.parametrize(
    ("claim", "numbers", "verdict"),
    [
        ("Q25", {}, "reproduced"),
        (
            "Q25",
            {"needs": {MLP: lambda bits: bits - 2.2, LSTM: lambda bits: 4 + 0.2 * bits}, "spread": 0.2},
            "undecided",
        ),
        ("Q25", {"slow": {(LSTM, 16)}}, "not testable here"),
        ("Q25", {"needs": {MLP: lambda bits: 5.5}}, "not reproduced"),
        ("Q25", {"needs": {LSTM: lambda bits: bits - 1.5}}, "not reproduced"),
        ("Q25b", {}, "reproduced"),
        ("Q25b", {"needs": {UNROLLED: lambda bits: 5.5}}, "not reproduced"),
        ("Q25b", {"needs": {UNROLLED: lambda bits: 6.5}, "spread": 0.0}, "undecided"),
        ("Q25b", {"slow": {(LSTM, 18)}}, "not testable here"),
        ("Q25c", {}, "reproduced"),
        ("Q25c", {"far": {LSTM: (*[0.99] * 9, 0.94)}}, "not reproduced"),
        ("Q25c", {"far": {MLP: (*[0.5] * 9, 0.6)}}, "not reproduced"),
        ("Q25c", {"far": {MLP: 0.9}}, "not reproduced"),
        ("Q25c", {"needs": {MLP: lambda bits: bits}}, "not testable here"),
    ],
)
def test_a_claim_says_what_its_rule_says(claim, numbers, verdict):
    judgement = judged(STUDY, claim, results(**numbers)).judgement
    assert judgement.verdict == verdict, judgement.reason


def test_runs_that_came_after_a_look_are_paid_for():
    judgement = judged(STUDY, "Q25b", results(scale="laptop")).judgement
    assert judgement.looks == (3, 5)


@pytest.mark.parametrize("claim", [each.id for each in STUDY.claims])
def test_before_the_runs_nothing_is_judged(claim, monkeypatch):
    alone = dict.fromkeys(MODELS, 0) | {TRANSFORMER: 2}
    monkeypatch.setitem(PLANS, FULL, replace(PLANS[FULL], runs=alone))
    STUDY.design.forget()
    found = judged(STUDY, claim, results()).judgement
    STUDY.design.forget()
    assert found.verdict == "not testable here"
    assert found.untestable.startswith("no runs yet")


def test_figures_hold_every_run():
    found = results()
    plan = PLANS[FULL]
    cells = sum(map(len, plan.sizes.values()))
    assert len(scores(found)) == len(figures.longer(found)) == cells * len(MODELS) * plan.runs[LSTM]
    strings = figures.strings_needed(found)
    assert len(strings) == len(plan.sizes) * len(MODELS) * plan.runs[LSTM]
    assert strings["value"].max() <= 2 ** max(plan.sizes)
    steps = figures.steps(found)
    assert (steps["value"] == 20 * steps["bits"]).all()
    assert (steps["reached"] == (figures.unseen(found)["value"] >= 0.95).to_numpy()).all()
    assert len(figures.all_runs(found)) == cells
    assert figures.sizes(found).shape == (len(plan.sizes), 1 + len(MODELS))
    assert scores(found, times=2)["value"].max() == pytest.approx(0.991)


@pytest.mark.slow
def test_the_whole_study_runs_at_smoke_scale(smoked):
    found = smoked(STUDY)
    assert set(found.rows["trial"]) == set(STUDY.design.members("smoke"))
    for claim in STUDY.claims:
        assert isinstance(claim.judge(found), Finding)
    assert not scores(found).empty
    for name in ("strings_needed", "unseen", "longer", "steps", "all_runs", "sizes", "grid"):
        assert not getattr(figures, name)(found).empty
    rates = found.search.trials["optimiser.learning_rate"]
    assert set(figures.grid(found).columns[1:]) >= {f"rate {rate:g}" for rate in rates}
