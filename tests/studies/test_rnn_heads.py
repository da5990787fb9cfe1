"""The study of heads: its design, its linear stand-ins, and every verdict of its claims on made-up results."""

import math

import numpy as np
import pandas as pd
import pytest
import torch

from inductive_bias.models import RecurrentSpec
from inductive_bias.studies.design import Cell
from inductive_bias.studies.rnn_heads import STUDY, design, figures, measures, tables
from inductive_bias.studies.rnn_heads.tables import FAMILIES, exactness_of, nearly_defective, noise, random_matrices
from tests.fakes import fake_results, judged

SEEDS = 4


def results(missed=lambda **levels: 0.01, **made):
    """``missed`` says how much of its task's variance a network leaves unexplained."""
    values = lambda number, **levels: {("test", "unexplained"): missed(**levels)}  # noqa: E731
    return fake_results(STUDY, values, seeds=SEEDS, tables=made)


def errors(per_seed, condition=100.0):
    return pd.DataFrame(
        {
            "trial": None,
            "family": "gaussian",
            "draw": seed,
            "condition": condition,
            "state_error": error,
            "warned": condition > 1e8,
        }
        for seed, error in enumerate(per_seed)
    )


def explained(shares):
    """The table of linear parts in which all stand-ins explain ``shares(model, signal)``, one number a seed."""
    cells = STUDY.design.cells("laptop").items()
    return pd.DataFrame(
        {"trial": trial.id, "scale": 1.0, "stand_in": stand_in, "one_step": 0.01, "free": 1 - share, "task": 0.1}
        for cell, trials in cells
        if cell["model"] in design.NONLINEAR
        for stand_in in (design.FITTED, design.ANY_FILTER)
        for trial, share in zip(trials[:SEEDS], shares(cell["model"], cell["signal"]), strict=True)
    )


@pytest.mark.parametrize(
    ("worst", "verdict"),
    [
        ([1e-14, 2e-14, 1e-14, 3e-14], "reproduced"),
        ([1e-9, 2e-9, 1e-9, 3e-9], "not reproduced"),
        ([1e-14, 1e-9, 1e-14, 1e-9], "undecided"),
        ([math.nan, 1.0, math.nan, 0.1], "not reproduced"),
    ],
)
def test_exactness_is_judged_by_the_worst_well_conditioned_matrix_of_each_seed(worst, verdict):
    # a badly conditioned matrix may be off by anything
    table = pd.concat([errors(worst), errors([1e-3] * SEEDS, condition=1e12), errors([1e-16] * SEEDS)])
    finding = judged(STUDY, "R1", results(exactness=table))
    assert finding.judgement.verdict == verdict
    assert finding.shown.estimate == pytest.approx(np.log10(np.nan_to_num(worst, nan=1.0) / measures.EPS).mean())
    assert "8 of 12 matrices" in finding.note
    assert "4 warned of" in finding.note


GOOD = (0.99, 0.98, 0.99, 0.985)


@pytest.mark.parametrize(
    ("held", "verdict"),
    [
        ((0.97, 0.975, 0.97, 0.98), "reproduced"),
        ((0.6, 0.7, 0.65, 0.6), "not reproduced"),
        ((0.8, 0.99, 0.97, 0.99), "undecided"),
        ((-1e9, 0.1, math.nan, -math.inf), "not reproduced"),
    ],
)
def test_ignorable_needs_every_kind_of_network_and_one_that_surely_falls_short_fails_it(held, verdict):
    table = explained(lambda model, signal: held if (model, signal) == ("tanh RNN", "flip-flop") else GOOD)
    finding = judged(STUDY, "R1b", results(linear_part=table))
    assert finding.judgement.verdict == verdict
    assert finding.shown.name == "tanh RNN, flip-flop"
    assert 0 <= finding.shown.estimate <= 1


@pytest.mark.parametrize("missed", [0.2, math.nan])
@pytest.mark.parametrize(("others", "verdict"), [(GOOD, "not testable here"), ((0.5, 0.6, 0.5, 0.6), "not reproduced")])
def test_a_network_that_has_not_mastered_its_task_supports_nothing_but_others_can_fail(missed, others, verdict):
    table = explained(lambda model, signal: GOOD if model == "LSTM" else others)
    found = results(lambda model, **levels: missed if model == "LSTM" else 0.01, linear_part=table)
    judgement = judged(STUDY, "R1b", found).judgement
    assert judgement.verdict == verdict
    assert "LSTM, filter leaves" in judgement.untestable


def test_only_what_is_not_linear_is_also_looked_at_as_it_was_born():
    cells = STUDY.design.cells("laptop")
    untrained = {(cell["model"], cell["signal"]) for cell in cells if cell["training"] == design.UNTRAINED}
    assert untrained == {(model, signal) for model in design.NONLINEAR for signal in design.SIGNALS}
    for cell, (first, *_) in cells.items():
        assert (first.schedule.epochs == 0) == (cell["training"] == design.UNTRAINED)
        assert (first.model.name, first.task.target.replace("_", "-")) == (cell["model"], cell["signal"])


@pytest.mark.parametrize("family", FAMILIES)
def test_random_matrices_have_their_radius_and_depend_on_the_seed_alone(family):
    first, again, other = (FAMILIES[family](5, 0.9, torch.Generator().manual_seed(seed)) for seed in (3, 3, 4))
    assert torch.equal(first, again)
    assert not torch.equal(first, other)
    assert torch.linalg.eigvals(first).abs().max().item() == pytest.approx(0.9)


def test_a_draw_s_matrices_are_all_labelled():
    labels = [labels for labels, _ in random_matrices(0)]
    assert len({tuple(each.items()) for each in labels}) == len(labels) > len(FAMILIES)


def test_exactness_is_good_for_a_rotation_and_a_warning_comes_with_a_jordan_block():
    rng = torch.Generator().manual_seed(0)
    good = exactness_of(FAMILIES["orthogonal"](6, 0.9, rng), noise(6, 0))
    assert good["state_error"] < 1e-13
    assert good["condition"] == pytest.approx(1)
    assert not good["warned"]
    bad = exactness_of(nearly_defective(0.0, rng), noise(4, 0))
    assert bad["warned"]
    assert bad["condition"] > 1e8
    assert 1e-13 < bad["state_error"] < 1e-2


def model(cell):
    torch.manual_seed(0)
    return RecurrentSpec(cell=cell, states=5).build(channels=2, outputs=2).eval()


def test_shares_of_all_heads_add_up_to_the_whole_output():
    table = tables._carried(model("linear"), torch.randn(8, 20, 2))
    np.testing.assert_allclose(table.groupby("output")["share"].sum(), 1, atol=1e-9)
    assert (table.loc[table["mode"] == -1, "kind"] == design.LAG_ZERO).all()
    pairs = table[table["kind"].isin(["cos", "sin"])].groupby("mode")["kind"].unique()
    assert all(set(kinds) == {"cos", "sin"} for kinds in pairs)


@pytest.mark.parametrize(("cell", "how_many"), [("tanh", 5), ("lstm", 3)])
def test_stand_ins_follow_the_states_and_the_control_does_not(cell, how_many):
    inputs = torch.randn(200, 12, 2, generator=torch.Generator().manual_seed(0))
    found = tables.stand_ins(model(cell), inputs)
    assert len(found) == how_many
    states = model(cell).memory(inputs).double().detach()
    varying = (states - states.mean((0, 1)))[..., :5].square().sum()
    errors = {name: (system.roll_out(inputs) - states)[..., :5].square().sum() for name, system in found.items()}
    missed = {name: (error / varying).item() for name, error in errors.items()}
    assert missed[design.ANY_FILTER] <= missed[design.FITTED] < 0.2
    assert missed[design.MISMATCHED] > 0.5


def test_modes_join_a_pair_s_heads_and_leave_lag_0_out():
    trial = STUDY.design.cells("laptop")[Cell(model="Linear RNN", signal="filter", training="trained")][0].id
    kinds = [("lag 0", -1), ("real", 0), ("cos", 1), ("sin", 1)]
    table = pd.DataFrame(
        {
            "trial": trial,
            "mode": mode,
            "kind": kind,
            "decay": 0.5,
            "angle": 0.0 if mode < 1 else 1.0,
            "output": output,
            "share": 0.25,
        }
        for kind, mode in kinds
        for output in (0, 1)
    )
    found = figures.modes(results(trained_heads=table))
    assert found["kind"].tolist() == ["real", "pair"]
    assert found["share"].tolist() == [0.25, 0.5]
    np.testing.assert_allclose(found["real part"] + 1j * found["imaginary part"], [0.5, 0.5 * np.exp(1j)])
