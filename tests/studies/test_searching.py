"""A search: which runs there are of each factor, which factor the others take, and the levels of a design."""

import pandas as pd
import pytest

from inductive_bias.studies.frames import by_rate
from inductive_bias.studies.searching import CHOSEN, FACTORS, STANDARD, TUNING, Searched, rates_of, seed_of, variants_of


def test_every_factor_has_its_runs_and_further_ones_where_the_grid_went_on():
    part = Searched(tuned=3, further={"a": (4.0,)}, factors={"a": 2.0}, seeds=5)
    assert [part.tuning_runs("a", rate) for rate in (*FACTORS, 4.0, 8.0, CHOSEN)] == [3, 3, 3, 3, 0, 0]
    assert part.tuning_runs("b", 4.0) == 0
    assert part.factor("a", variant=STANDARD, rate=CHOSEN) == 2
    assert part.factor("b", variant=STANDARD, rate=CHOSEN) == 1
    assert part.factor("a", variant=TUNING, rate=0.5) == 0.5
    assert part.most == 5


def test_levels_are_those_that_some_part_tries():
    tried = Searched(tuned=1, further={"a": (8.0, 4.0)})
    untouched = Searched(seeds=2, further={"b": (16.0,)})
    assert rates_of([tried, untouched]) == (CHOSEN, 0.5, 1.0, 2.0, 4.0, 8.0)
    assert variants_of([tried, untouched]) == (STANDARD, TUNING)
    assert rates_of([untouched]) == (CHOSEN,)
    assert variants_of([untouched]) == (STANDARD,)
    assert untouched.begun
    assert not Searched(further={"b": (16.0,)}).begun


def test_runs_that_choose_share_no_seed_with_those_that_are_judged():
    assert [seed_of(number, STANDARD) for number in range(3)] == [0, 1, 2]
    assert not {seed_of(n, STANDARD) for n in range(1000)} & {seed_of(n, TUNING) for n in range(1000)}


@pytest.mark.parametrize(("highest", "best"), [(False, [1.0, 3.0]), (True, [2.0, 3.0])])
def test_a_table_of_the_search_has_the_best_of_each_factor(highest, best):
    found = pd.DataFrame({"model": "a", "rate": [0.5, 0.5, 2.0], "value": [1.0, 2.0, 3.0]})
    table = by_rate(found, ["model"], highest=highest)
    assert table.columns.tolist() == ["model", "× 0.5", "× 2"]
    assert table.iloc[0, 1:].tolist() == best
