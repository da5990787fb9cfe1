"""Rules about single runs: one proves that there is one, and enough of them rule out that half of all do."""

import math

import pandas as pd
import pytest
from scipy.stats import binom

from inductive_bias.verdicts import all_of, crossed, every_run, not_, single, some_run


def runs(*values):
    return single(values, name="runs", unit="accuracy", failed_value=0.0)


@pytest.mark.parametrize(
    ("values", "some", "every"),
    [
        ([0.99, 0.2, 0.3], "reproduced", "not reproduced"),
        ([0.2] * 4, "undecided", "not reproduced"),
        ([0.2] * 5, "not reproduced", "not reproduced"),
        ([1.0] * 4, "reproduced", "undecided"),
        ([1.0] * 5, "reproduced", "reproduced"),
        ([math.nan, 1.0, 1.0, 1.0, 1.0, 1.0], "reproduced", "not reproduced"),
        ([0.99], "reproduced", "undecided"),
    ],
)
def test_verdicts(values, some, every):
    assert some_run(runs(*values), 0.99).verdict == some
    assert every_run(runs(*values), 0.99).verdict == every


@pytest.mark.parametrize("n", [1, 4, 5, 9])
def test_the_chance_is_that_of_the_binomial_distribution(n):
    assert some_run(runs(*[0.1] * n), 0.9).fails.p == pytest.approx(binom.pmf(0, n, 0.5))
    assert every_run(runs(*[0.95] * n), 0.9).holds.p == pytest.approx(binom.pmf(n, n, 0.5))


@pytest.mark.parametrize("judgement", [some_run(runs(*[0.1] * 4), 0.9), every_run(runs(*[0.95] * 4), 0.9)])
def test_an_open_sentence_says_how_many_runs_would_decide(judgement):
    assert judgement.verdict == "undecided"
    assert judgement.seeds == 5
    assert "about 5 seeds would decide" in judgement.reason


def test_a_part_that_one_run_has_proven_keeps_the_others_from_no_number_of_runs():
    found, none = some_run(runs(0.95, 0.1), 0.9), not_(some_run(runs(*[0.1] * 4), 0.9))
    assert all_of([found, none]).seeds == 5
    fallen, kept = not_(every_run(runs(0.95, 0.1), 0.9)), every_run(runs(*[0.95] * 4), 0.9)
    assert all_of([fallen, kept]).seeds == 5


def test_that_no_run_reaches_it_is_the_opposite():
    assert not_(some_run(runs(*[0.1] * 5), 0.9)).verdict == "reproduced"
    assert not_(some_run(runs(0.1, 0.95), 0.9)).verdict == "not reproduced"


def test_contrasts_without_numbers_of_single_runs_are_refused():
    table = crossed(pd.DataFrame([[1.0, 2.0], [2.0, 1.0]]), name="x", unit="u")
    with pytest.raises(ValueError, match="no numbers of single runs"):
        some_run(table, 1)
