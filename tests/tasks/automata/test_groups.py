"""Groups against their axioms, known orders and counts, and against permutations applied point by point."""

from collections import Counter

import numpy as np
import pytest

from inductive_bias.tasks.automata import GROUPS, automaton
from inductive_bias.tasks.automata.groups import cyclic, dihedral, permutations, quaternion, shift, swap, three_cycles

ALTERNATING = {points: permutations(three_cycles(points)) for points in (4, 5)}
SYMMETRIC = {points: permutations([shift(points), swap(points)]) for points in (3, 4, 5)}
ALL = {
    "C1": cyclic(1),
    "C2": cyclic(2),
    "C7": cyclic(7),
    "D6": dihedral(3),
    "D8": dihedral(4),
    "Q8": quaternion(),
    "A4": ALTERNATING[4],
    "A5": ALTERNATING[5],
    "S3": SYMMETRIC[3],
    "S4": SYMMETRIC[4],
    "S5": SYMMETRIC[5],
}
every_group = pytest.mark.parametrize("group", ALL.values(), ids=list(ALL))


@every_group
def test_axioms(group):
    n, table = len(group), group.table
    assert table.shape == (n, n)
    assert set(table.ravel().tolist()) <= set(range(n))
    everything = np.arange(n)
    assert (table[0] == everything).all()
    assert (table[:, 0] == everything).all()
    assert (table[everything, group.inverses] == 0).all()
    assert (table[group.inverses, everything] == 0).all()
    for first in range(n):
        # (a b) c = a (b c) for all b and c
        assert (table[table[first]] == table[first][table]).all()


@every_group
def test_a_row_and_a_column_hold_every_element_once(group):
    assert all(len(set(row)) == len(group) for row in (*group.table.tolist(), *group.table.T.tolist()))


#: Order, abelian, classes of conjugate elements, derived series: standard tables of small groups.
KNOWN = {
    "C1": (1, True, 1, (1,)),
    "C2": (2, True, 2, (2, 1)),
    "C7": (7, True, 7, (7, 1)),
    "D6": (6, False, 3, (6, 3, 1)),
    "D8": (8, False, 5, (8, 2, 1)),
    "Q8": (8, False, 5, (8, 2, 1)),
    "A4": (12, False, 4, (12, 4, 1)),
    "A5": (60, False, 5, (60,)),
    "S3": (6, False, 3, (6, 3, 1)),
    "S4": (24, False, 5, (24, 12, 4, 1)),
    "S5": (120, False, 7, (120, 60)),
}


@pytest.mark.parametrize("name", KNOWN)
def test_known_properties(name):
    group = ALL[name]
    assert (len(group), bool((group.table == group.table.T).all()), group.classes, group.derived_series) == KNOWN[name]
    assert group.solvable == (name not in ("A5", "S5"))


@pytest.mark.parametrize(
    ("name", "counts"),
    [
        ("D8", {1: 1, 2: 5, 4: 2}),
        ("Q8", {1: 1, 2: 1, 4: 6}),
        ("A4", {1: 1, 2: 3, 3: 8}),
        ("A5", {1: 1, 2: 15, 3: 20, 5: 24}),
        ("S4", {1: 1, 2: 9, 3: 8, 4: 6}),
        ("S5", {1: 1, 2: 25, 3: 20, 4: 30, 5: 24, 6: 20}),
    ],
)
def test_known_numbers_of_elements_of_each_order(name, counts):
    assert Counter(ALL[name].orders.tolist()) == counts


@pytest.mark.parametrize("group", [ALTERNATING[4], SYMMETRIC[4]], ids=["A4", "S4"])
def test_products_of_permutations_are_done_one_after_the_other(group):
    for a, first in enumerate(group.elements):
        for b, second in enumerate(group.elements):
            after = tuple(second[first[point]] for point in range(4))
            assert group.elements[group.table[a, b]] == after


def test_alternating_groups_hold_the_even_permutations_alone():
    for points, group in ALTERNATING.items():
        for element in group.elements:
            inversions = sum(element[a] > element[b] for a in range(points) for b in range(a + 1, points))
            assert inversions % 2 == 0


def test_quaternions_multiply_as_hamilton_says():
    group = quaternion()

    def of(a, b):
        return group.elements[group.table[group.index(a), group.index(b)]]

    i, j, k, minus = (1, "i"), (1, "j"), (1, "k"), (-1, "1")
    assert of(i, i) == of(j, j) == of(k, k) == of(of(i, j), k) == minus
    assert of(j, i) == (-1, "k")


@pytest.mark.parametrize("corners", [3, 4, 7])
def test_dihedral_groups_are_the_symmetries_of_a_polygon(corners):
    """A turn and a reflection as permutations of the corners generate a group with the same relations and order."""
    group = dihedral(corners)
    step, turn = group.index((0, 1)), group.index((1, 0))
    assert len(group) == 2 * corners
    assert (group.orders[step], group.orders[turn]) == (corners, 2)
    assert group.table[group.table[turn, step], turn] == group.inverses[step]
    reflection = tuple(-point % corners for point in range(corners))
    polygon = permutations([shift(corners), reflection])
    assert Counter(polygon.orders.tolist()) == Counter(group.orders.tolist())


def test_subgroups_and_commutators_of_some_elements():
    group = SYMMETRIC[4]
    assert group.subgroup([]) == {0}
    three = group.index(three_cycles(4)[0])
    assert len(group.subgroup([three])) == 3
    assert group.commutators([0, three]) == {0}
    assert len(group.commutators()) == 12


def test_the_automata_that_are_called_groups_are():
    for name in GROUPS:
        machine = automaton(name)
        assert machine.permutes
        assert len(machine.monoid) == len(machine.states)  # no more maps than elements: the action is free
