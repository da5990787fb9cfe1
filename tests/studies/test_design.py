import pytest

from inductive_bias.studies.design import Cell, Design
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
