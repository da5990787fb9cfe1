from itertools import product

import pytest

from inductive_bias.studies import STUDIES
from inductive_bias.studies.design import Cell, Design, combinations
from inductive_bias.studies.searching import CHOSEN, STANDARD, TUNING
from tests.studies.toy import STUDY
from tests.tiny import tiny_trial


def test_a_cell_is_a_mapping_that_can_be_a_key():
    cell = Cell(model="RSA", rho=0.5)
    assert dict(cell) == {"model": "RSA", "rho": 0.5}
    assert cell["rho"] == 0.5
    assert {cell: 1}[Cell(rho=0.5, model="RSA")] == 1
    assert cell != Cell(model="RSA", rho=1.0)
    with pytest.raises(KeyError):
        cell["width"]


def test_cells_are_the_combinations_that_have_trials_in_the_order_of_the_levels():
    def trial(scale, number, *, size, kind):
        return None if kind == "large" and size == 1 else tiny_trial(seed=10 * number + size, rate=0.1 * len(kind))

    design = Design(lambda scale: {"size": (1, 2), "kind": ("small", "large!")}, trial, seeds=lambda scale: 2)
    assert list(design.cells("smoke")) == [
        Cell(size=1, kind="small"),
        Cell(size=1, kind="large!"),
        Cell(size=2, kind="small"),
        Cell(size=2, kind="large!"),
    ]
    assert [trial.seed for trial in design.cells("smoke")[Cell(size=2, kind="small")]] == [2, 12]
    assert design.name(Cell(size=2, kind="small")) == "2, small"


def test_settings_that_are_searched_have_their_levels_in_runs_that_choose_alone():
    levels = {"variant": (STANDARD, TUNING), "rate": (CHOSEN, 1.0, 2.0), "dropout": (CHOSEN, 0.5), "layers": (1, 2)}
    found = list(combinations(levels))
    assert all(list(at) == list(levels) for at in found)
    assert [tuple(at.values()) for at in found] == [
        *((STANDARD, CHOSEN, CHOSEN, layers) for layers in (1, 2)),
        *((TUNING, rate, 0.5, layers) for rate in (1.0, 2.0) for layers in (1, 2)),
    ]


def test_without_a_search_every_combination_is_there():
    assert [tuple(at.values()) for at in combinations({"a": (1, 2), "b": ("x", "y")})] == list(product((1, 2), "xy"))


@pytest.mark.parametrize("study", STUDIES.values(), ids=list(STUDIES))
def test_no_run_of_a_study_is_at_a_combination_that_is_not_asked_for(study):
    design, levels = study.design, study.design.levels("smoke")
    asked = {Cell(**at) for at in combinations(levels)}
    for combination in product(*levels.values()):
        at = dict(zip(levels, combination, strict=True))
        if Cell(**at) in asked:
            continue
        assert (design.runs("smoke", **at) if design.runs else design.trial("smoke", 0, **at)) in (0, None)


def test_a_combination_without_a_trial_is_no_cell():
    design = Design(
        lambda scale: {"n": (1, 2)}, lambda scale, number, *, n: tiny_trial() if n == 1 else None, seeds=lambda scale: 1
    )
    assert list(design.cells("smoke")) == [Cell(n=1)]


def test_a_trial_in_two_cells_is_refused():
    design = Design(lambda scale: {"n": (1, 2)}, lambda scale, number, *, n: tiny_trial(), seeds=lambda scale: 1)
    with pytest.raises(ValueError, match="is in two cells"):
        design.cells("smoke")


def test_a_factor_cannot_have_the_name_of_another_column():
    design = Design(lambda scale: {"split": (1,)}, lambda scale, number, *, split: tiny_trial(), seeds=lambda scale: 1)
    with pytest.raises(ValueError, match="a factor cannot be called 'split'"):
        design.factors  # noqa: B018


def test_members_say_which_run_a_trial_is_and_trials_put_teachers_first():
    members = STUDY.design.members("laptop")
    cell, number, trial = members[STUDY.trials("laptop")[-1].id]
    assert (dict(cell), number, trial.seed) == ({"model": "MLP", "teacher": "MLP"}, 3, 13)
    seeds = [trial.seed for trial in STUDY.trials("laptop")]
    assert seeds.index(13) > seeds.index(3)
