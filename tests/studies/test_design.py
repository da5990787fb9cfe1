import pytest

from inductive_bias.studies.design import Cell, Design
from tests.studies.toy import STUDY
from tests.tiny import tiny_trial


def listed(*cells, factors=("size", "kind"), **options):
    """A design of these cells at every scale: levels, and seeds of their trials."""

    def found(scale):
        for levels, seeds in cells:
            yield levels, [tiny_trial(seed=seed, rate=0.01 * (1 + len(str(levels)))) for seed in seeds]

    return Design(found, factors, **options)


SMALL, LARGE = {"size": 1, "kind": "small"}, {"size": 2, "kind": "large!"}


def test_a_cell_is_a_mapping_that_can_be_a_key():
    cell = Cell(model="RSA", rho=0.5)
    assert dict(cell) == {"model": "RSA", "rho": 0.5}
    assert cell["rho"] == 0.5
    assert {cell: 1}[Cell(rho=0.5, model="RSA")] == 1
    assert cell != Cell(model="RSA", rho=1.0)
    with pytest.raises(KeyError):
        cell["width"]


def test_cells_stand_in_the_order_in_which_they_are_listed_and_those_without_a_run_are_none():
    design = listed((LARGE, [2, 12]), (SMALL, [0]), ({"size": 3, "kind": "none"}, []))
    assert list(design.cells("smoke")) == [Cell(**LARGE), Cell(**SMALL)]
    assert [trial.seed for trial in design.cells("smoke")[Cell(**LARGE)]] == [2, 12]
    assert design.name(Cell(**LARGE)) == "2, large!"


def test_levels_have_the_order_of_their_first_cells_or_the_one_that_is_given():
    cells = (LARGE, [0]), (SMALL, [0])
    assert listed(*cells).levels("smoke") == {"size": (2, 1), "kind": ("large!", "small")}
    ordered = listed(*cells, order={"kind": ("small", "medium", "large!")})
    assert ordered.levels("smoke") == {"size": (2, 1), "kind": ("small", "large!")}
    assert ordered.known("size") == {1, 2}


@pytest.mark.parametrize("level", ["medium", None], ids=str)
def test_a_level_that_the_given_order_lacks_is_refused_by_name(level):
    design = listed((SMALL, [0]), ({"size": 2, "kind": level}, [0]), order={"kind": ("small", "large!")})
    for ask in (design.levels, design.labels):
        with pytest.raises(ValueError, match=f"the order of the factor 'kind' lacks its level {level!r}"):
            ask("smoke")


def test_factors_may_be_given_in_any_order_but_must_be_those_of_the_design():
    assert list(listed(({"kind": "small", "size": 1}, [0])).cells("smoke")) == [Cell(**SMALL)]
    with pytest.raises(ValueError, match=r"a cell has the factors .*width.*; the design has"):
        listed((SMALL | {"width": 1}, [0])).cells("smoke")
    with pytest.raises(ValueError, match="a cell has the factors"):
        listed(({"size": 1}, [0])).cells("smoke")


def test_no_level_is_left_out_of_a_name():
    assert listed(({"size": None, "kind": "small"}, [0])).name(Cell(size=None, kind="small")) == "small"


def test_a_cell_that_is_listed_twice_is_refused():
    with pytest.raises(ValueError, match="is in the design twice"):
        listed((SMALL, [0]), (SMALL, [1])).cells("smoke")


def test_a_trial_in_two_cells_is_refused():
    def cells(scale):
        yield SMALL, [tiny_trial()]
        yield LARGE, [tiny_trial()]

    with pytest.raises(ValueError, match="is in two cells"):
        Design(cells, ("size", "kind")).cells("smoke")


@pytest.mark.parametrize("name", ["split", "number", "origin", "value"])
def test_a_factor_cannot_have_the_name_of_another_column(name):
    with pytest.raises(ValueError, match=f"a factor cannot be called '{name}'"):
        listed(factors=("size", name))


def test_members_say_which_run_a_trial_is_and_trials_put_teachers_first():
    members = STUDY.design.members("laptop")
    cell, number, trial = members[STUDY.trials("laptop")[-1].id]
    assert (dict(cell), number, trial.seed) == ({"model": "MLP", "teacher": "MLP"}, 3, 13)
    seeds = [trial.seed for trial in STUDY.trials("laptop")]
    assert seeds.index(13) > seeds.index(3)


def test_what_a_search_has_found_is_read_anew_when_a_design_forgets():
    rate = [0.1]

    def cells(scale):
        yield SMALL, [tiny_trial(rate=rate[0])]

    design = Design(cells, ("size", "kind"))
    (first,) = design.members("smoke")
    rate[0] = 0.2
    assert list(design.members("smoke")) == [first]
    design.forget()
    assert list(design.members("smoke")) != [first]
