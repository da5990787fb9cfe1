"""The rules of the study of truncation on tables made by hand, and its tables on small networks."""

import numpy as np
import pandas as pd
import pytest
import torch

from inductive_bias.layers import certified_contraction
from inductive_bias.studies.truncation import STUDY
from inductive_bias.studies.truncation.design import (
    AT_BUDGETS,
    BOUNDS,
    FORGET,
    LINEAR_ORTHOGONAL,
    LSTM,
    ORTHOGONAL_FAMILIES,
    RANDOM,
    SMALLEST,
    TANH_RNN,
    WORST,
)
from inductive_bias.studies.truncation.measures import fit, slope
from inductive_bias.studies.truncation.tables import DRAWS, RANDOM_RNNS, _steps, random_networks
from tests.fakes import fake_results, judged

FOUR = range(4)


def gap_rows(*, decay=lambda limit: limit, beyond=0.5, share=0.9):
    """Gaps that fall like powers of ``decay(limit)``, with the worst inputs at a ``share`` of the bound."""
    rows = []
    for draw in FOUR:
        for family in ORTHOGONAL_FAMILIES:
            for name, limit in BOUNDS.items():
                for inputs in (RANDOM, WORST):
                    for context in (1, 2, 5, 10):
                        gap = (decay(limit) * (1 - 1e-4 * draw)) ** context
                        rows.append(
                            {
                                "family": family,
                                "states": 16,
                                "limit": name,
                                "certified": limit,
                                "draw": draw,
                                "trial": None,
                                "inputs": inputs,
                                "context": context,
                                "gap": gap,
                                "tightness": share - 0.001 * draw if limit < 1 else np.nan,
                                "relative": beyond + 0.01 * draw,
                            }
                        )
    return pd.DataFrame(rows)


def window_rows(factor=0.5, noise=0.1):
    rng = np.random.default_rng(0)
    return pd.DataFrame(
        {
            "family": family,
            "states": 16,
            "draw": draw,
            "trial": None,
            "formula": float(k),
            "needed": factor * k + noise * rng.normal(),
        }
        for draw in FOUR
        for family in RANDOM_RNNS
        for k in range(5, 100, 5)
    )


def ratio_rows(measured=0.6):
    return pd.DataFrame(
        {"family": AT_BUDGETS, "draw": draw, "trial": None, "certified": 0.9, "measured": measured + 0.001 * draw}
        for draw in FOUR
    )


def results(**tables):
    known = {"gaps_by_context": gap_rows(), "windows": window_rows(), "ratios": ratio_rows()}
    return fake_results(STUDY, lambda **cell: {("test", "bpc"): 2.0}, seeds=2, tables=known | tables)


def verdict(claim, **tables):
    return str(judged(STUDY, claim, results(**tables)).judgement.verdict)


@pytest.mark.parametrize("claim", ["M1", "M2", "M2-tight", "M4", "M11"])
def test_every_claim_holds_where_the_theorem_does(claim):
    assert verdict(claim) == "reproduced"


def test_gaps_that_fall_too_slowly_or_exceed_their_bound_fail_the_theorem():
    assert verdict("M1", gaps_by_context=gap_rows(decay=lambda limit: limit + 0.04)) == "not reproduced"
    assert verdict("M1", gaps_by_context=gap_rows(share=1.2)) == "not reproduced"


def test_one_network_beyond_its_bound_is_enough_to_fail_the_theorem():
    rows = gap_rows()
    rows.loc[
        (rows["draw"] == 2) & (rows["family"] == ORTHOGONAL_FAMILIES[0]) & (rows["certified"] < 1), "tightness"
    ] = 1.01
    assert verdict("M1", gaps_by_context=rows) == "not reproduced"


def test_networks_that_all_reach_their_bound_exactly_do_not_exceed_it():
    assert verdict("M1", gaps_by_context=gap_rows().assign(tightness=1.0)) == "reproduced"


def test_what_rounding_can_move_does_not_count_against_the_bound():
    tiny = gap_rows(share=1.0003)
    tiny = tiny.assign(states=64, gap=tiny["gap"] * 5e-9)
    assert (tiny["gap"] < 1e-8).all()
    mixed = pd.concat([gap_rows(), tiny], ignore_index=True)
    assert verdict("M1", gaps_by_context=mixed) == "reproduced"


def test_windows_that_the_formula_does_not_explain_or_that_outgrow_it_do_not_grow_like_it():
    assert verdict("M2-tight", windows=window_rows(noise=60)) == "not reproduced"
    assert verdict("M2-tight", windows=window_rows(factor=1.3)) == "not reproduced"


def test_a_window_of_the_formula_is_enough_however_little_is_needed():
    # what the formula does not explain, but never exceeds
    below = window_rows().assign(needed=1 + np.arange(len(window_rows())) % 4)
    assert verdict("M2", windows=below) == "reproduced"
    assert verdict("M2-tight", windows=below) == "not reproduced"


def test_one_window_beyond_the_formula_rounded_up_refutes_the_bound():
    rows = window_rows().assign(formula=lambda table: table["formula"] - 0.6)
    rows["needed"] = np.ceil(rows["formula"])
    assert verdict("M2", windows=rows) == "reproduced"
    rows.loc[7, "needed"] += 1
    finding = judged(STUDY, "M2", results(windows=rows))
    assert finding.judgement.verdict == "not reproduced"
    assert finding.shown.n == len(FOUR) * len(RANDOM_RNNS)


def test_few_networks_within_the_formula_do_not_prove_it():
    rows = window_rows()
    assert verdict("M2", windows=rows[rows["family"] == LINEAR_ORTHOGONAL]) == "undecided"


def test_networks_that_can_be_cut_beyond_one_and_steps_beyond_the_certificate_fail():
    assert verdict("M4", gaps_by_context=gap_rows(beyond=0.01)) == "not reproduced"
    assert verdict("M11", ratios=ratio_rows(measured=0.95)) == "not reproduced"


def test_a_slope_is_of_what_float64_can_tell_apart():
    rows = pd.DataFrame({"context": [1, 2, 3, 50], "gap": [0.5, 0.25, 0.125, SMALLEST / 10]})
    assert slope(rows) == pytest.approx(np.log(0.5))
    assert np.isnan(slope(rows[2:]))


def test_a_fit_is_that_of_least_squares_and_needs_three_windows():
    rows = pd.DataFrame({"formula": [10.0, 20.0, 30.0], "needed": [6, 11, 16]})
    found = fit(rows)
    assert found["slope"] == pytest.approx(0.5)
    assert found["explained"] == pytest.approx(1)
    assert found["slack"] == pytest.approx(20 / 11)
    assert fit(rows[:2]).isna().all()


def test_random_networks_are_at_their_bound_and_the_same_for_a_draw():
    sizes = DRAWS["smoke"]
    networks, again = (list(random_networks(sizes, 3)) for _ in range(2))
    assert len(networks) == len(sizes.states) * (len(RANDOM_RNNS) * len(BOUNDS) + len(FORGET))
    for network, twin in zip(networks, again, strict=True):
        assert network.certified == certified_contraction(network.rnn, 1.0)
        assert all(torch.equal(a, b) for a, b in zip(network.rnn.parameters(), twin.rnn.parameters(), strict=True))
        if network.family == AT_BUDGETS:
            assert 0.9 * BOUNDS[network.limit] < network.certified <= BOUNDS[network.limit] * (1 + 1e-6)
        else:
            assert network.certified == pytest.approx(BOUNDS[network.limit], rel=1e-5)


def test_models_of_the_design_are_certified_where_they_have_a_bound():
    cells = STUDY.design.cells("laptop")
    assert {cell["bound"] for cell in cells if cell["model"] == LSTM} == {"none", *FORGET}
    for cell, trials in cells.items():
        model = trials[0].model.build(**trials[0].task.dimensions)
        if cell["bound"] in BOUNDS:
            assert certified_contraction(model.rnn, 1.0) <= BOUNDS[cell["bound"]] * (1 + 1e-5)
    assert {cell["model"] for cell in cells} == {TANH_RNN, LSTM}


@pytest.mark.parametrize(("length", "wanted"), [(2, (1,)), (4, (1, 2, 3)), (20, (1, 2, 3, 4, 5, 6, 8, 10, 13, 16, 19))])
def test_contexts_are_about_three_per_doubling_and_end_with_the_whole(length, wanted):
    assert _steps(length) == wanted
