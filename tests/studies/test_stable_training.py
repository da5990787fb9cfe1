"""The rule of training equivalence on weight gaps made by hand, and the twins of the design."""

import numpy as np
import pandas as pd
import pytest

from inductive_bias.studies.stable_training import STUDY
from inductive_bias.studies.stable_training.design import CONSTRAINED, FALLING, STARTS, UNSTABLE
from inductive_bias.studies.stable_training.measures import curves, exponents
from tests.fakes import fake_results, judged

CELLS = STUDY.design.cells("laptop")


def gaps(*, fall=0.2, power=0.5, free=0.0, bend=0.0, noise=0.01):
    """ln gap = power · ln N − fall · k − bend · √k + noise; networks from 1.5 have ``free`` in place of ``fall``."""
    rows, rng = [], np.random.default_rng(0)
    for cell, trials in CELLS.items():
        if cell["context"] is None:
            continue
        whole = CELLS[type(cell)(**{**cell, "context": None})]
        for number, trial in enumerate(trials):
            k, rate = cell["context"], free if cell["bound"] == UNSTABLE else fall
            for updates in (100, 300, 1000):
                gap = updates**power * np.exp(-rate * k - bend * np.sqrt(k)) * np.exp(noise * rng.normal())
                rows.append(
                    {"trial": trial.id, "trial_whole": whole[number].id, "updates": updates, "gap": gap, "moved": 5.0}
                )
    return pd.DataFrame(rows)


def results(**options):
    return fake_results(STUDY, lambda **cell: {("test", "bpc"): 3.0}, tables={"weight_gaps": gaps(**options)})


def verdict(**options):
    return str(judged(STUDY, "M3", results(**options)).judgement.verdict)


def test_gaps_that_fall_geometrically_are_the_theorem():
    assert verdict() == "reproduced"


@pytest.mark.parametrize(
    "options",
    [{"fall": 0.01}, {"power": 2.5}, {"free": 0.2}, {"fall": 0.06, "bend": 3.0}],
    ids=["too flat", "too steep in N", "unstable ones fall too", "no line"],
)
def test_each_part_of_the_rule_can_fail(options):
    assert verdict(**options) == "not reproduced"


def test_slopes_and_powers_are_those_that_the_gaps_were_made_with():
    found = results(fall=0.3, power=0.7, noise=0.0)
    lines, powers = curves(found), exponents(found)
    stable = lines[(lines["bound"] != UNSTABLE) & (lines["steps"] == FALLING)]
    np.testing.assert_allclose(stable["slope"], -0.3, rtol=1e-6)
    np.testing.assert_allclose(stable["explained"], 1, rtol=1e-6)
    np.testing.assert_allclose(powers["exponent"], 0.7, rtol=1e-6)


def test_twins_differ_in_their_context_alone():
    for cell, trials in CELLS.items():
        whole = CELLS[type(cell)(**{**cell, "context": None})]
        for trial, twin in zip(trials, whole, strict=True):
            cut = trial.model.model_copy(update={"context": None})
            assert trial.model_copy(update={"model": cut}) == twin
            assert trial.model.context == cell["context"]
        model = trials[0].model
        assert model.spectral_norm == STARTS[cell["bound"]]
        assert (model.constraint is not None) == (cell["bound"] in CONSTRAINED)
        assert trials[0].optimiser.clip_norm is None
        assert trials[0].schedule.precision == "float64"
