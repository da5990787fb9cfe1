"""Automata against words run by hand in their own terms; exact distributions against all words there are."""

from itertools import product as words_of

import numpy as np
import pytest
from sympy.combinatorics import Permutation, PermutationGroup

from inductive_bias.tasks.automata import AUTOMATON_NAMES, WALLS, automaton
from inductive_bias.tasks.automata.groups import shift, swap, three_cycles
from inductive_bias.tasks.automata.semiautomata import Semiautomaton, flip_flop, walk

RANDOM = np.random.default_rng(0)
every_automaton = pytest.mark.parametrize("name", AUTOMATON_NAMES)


def brute(name: str, word: list[int]) -> list[str]:
    """The states of one word in words, from what the automaton is about, without a table."""
    family, number = name.rstrip("²³")[0], int("".join(filter(str.isdigit, name.rstrip("²³"))) or 0)
    found = []
    if name == "flip-flop":
        memory = "empty"
        for action in word:
            memory = str(action) if action else memory
            found.append(memory)
    elif family == "G":
        cell = 0
        for action in word:
            cell = min(max(cell + (1 if action else -1), 0), number - 1)
            found.append(str(cell))
    elif name in ("C2²", "C2³"):
        bits = 2 if name == "C2²" else 3
        state = 0
        for action in word:
            state ^= action
            found.append(" ".join(f"{state:0{bits}b}"))
    elif family == "C":
        for end in range(len(word)):
            found.append(str(sum(word[: end + 1]) % number))
    elif family == "D":
        place, way = 0, 1
        for action in word:
            if action == 0:
                way = -way
            else:
                place = (place + way) % (number // 2)
            found.append(f"{'→' if way > 0 else '←'} {place}")
    elif family == "Q":
        # units as 2 × 2 matrices
        units = [np.eye(2), np.diag([1j, -1j]), np.array([[0, 1], [-1, 0]]), np.array([[0, 1j], [1j, 0]])]
        state = np.eye(2)
        for action in word:
            state = state @ units[action]
            sign, unit = next((s, u) for s in (1, -1) for u in range(4) if np.allclose(state, s * units[u]))
            found.append(f"{'' if sign > 0 else '−'}{'1ijk'[unit]}")
    else:
        moves = three_cycles(number) if family == "A" else [shift(number), swap(number)]
        state = list(range(number))
        for action in word:
            if action:
                state = [moves[action - 1][point] for point in state]
            found.append("".join(str(point + 1) for point in state))
    return found


@every_automaton
def test_states_are_those_of_a_run_by_hand(name):
    machine = automaton(name)
    words = RANDOM.integers(0, len(machine.actions), (20, 17))
    states = machine.run(words)
    for word, row in zip(words.tolist(), states, strict=True):
        assert [machine.states[state] for state in row] == brute(name, word)


@every_automaton
def test_states_have_names_of_their_own_and_can_all_be_reached(name):
    machine = automaton(name)
    assert len(set(machine.states)) == len(machine.states)
    assert len(set(machine.actions)) == len(machine.actions)
    assert {image[0] for image in machine.monoid} == set(range(len(machine.states)))


@pytest.mark.parametrize("name", ["Grid4", "flip-flop", "C3", "D6", "Q8", "S4"])
@pytest.mark.parametrize("length", [1, 5])
def test_distributions_are_those_of_all_words(name, length):
    machine = automaton(name)
    words = np.array(list(words_of(range(len(machine.actions)), repeat=length)))
    weights = machine.chances[words].prod(axis=1)
    states = machine.run(words)
    wanted = np.array([np.bincount(column, weights, len(machine.states)) for column in states.T])
    np.testing.assert_allclose(machine.distribution(length), wanted, atol=1e-12)
    np.testing.assert_allclose(machine.best_constant(length), wanted.max(axis=1), atol=1e-12)


def test_best_constants_end_at_one_state_of_all():
    assert automaton("S5").best_constant(400)[-1] == pytest.approx(1 / 120)
    assert automaton("C2").best_constant(3) == pytest.approx([0.5] * 3)
    # after one action of S4 three elements are equally probable
    assert automaton("S4").best_constant(1) == pytest.approx([1 / 3])
    assert automaton("C2").best_constant(0).shape == (0,)


def test_a_read_leaves_what_was_written():
    machine = flip_flop(3, reads=0.4)
    assert machine.run(np.array([[0, 2, 0, 0, 3, 0, 1]])).tolist() == [[0, 2, 2, 2, 3, 3, 1]]
    np.testing.assert_allclose(machine.chances, [0.4, 0.2, 0.2, 0.2])


@pytest.mark.parametrize("cells", [2, 4, 9])
def test_walks_make_as_many_maps_as_there_are_clipped_shifts(cells):
    """Maps x → clip(x + a, low, high): (n − m + 1)² for every image of m > 1 of the n cells, and n constants."""
    assert len(walk(cells).monoid) == sum(k * k for k in range(1, cells)) + cells


def test_only_walks_and_memories_forget_and_neither_counts():
    forget = [name for name in AUTOMATON_NAMES if not automaton(name).permutes]
    assert sorted(forget) == sorted([*WALLS, "flip-flop"])
    small = [name for name in AUTOMATON_NAMES if len(automaton(name).states) <= 24]
    assert [name for name in small if automaton(name).aperiodic] == [name for name in small if name in forget]
    assert len(flip_flop().monoid) == 3


@pytest.mark.parametrize("name", [name for name in AUTOMATON_NAMES if automaton(name).permutes])
def test_the_group_of_its_actions_is_that_of_sympy(name):
    machine = automaton(name)
    theirs = PermutationGroup([Permutation(column) for column in machine.moves.T.tolist()])
    group = machine.permutations
    assert len(group) == theirs.order() == len(machine.states)
    assert (bool((group.table == group.table.T).all()), group.solvable) == (theirs.is_abelian, theirs.is_solvable)
    assert group.derived_series == tuple(each.order() for each in theirs.derived_series())
    if machine.group is not None:
        assert sorted(group.orders) == sorted(machine.group.orders)


def test_actions_that_forget_make_no_group():
    with pytest.raises(ValueError, match="some action leads two states to one"):
        _ = walk(3).permutations


def test_what_does_not_fit_is_refused():
    moves = np.zeros((2, 1), np.int64)
    with pytest.raises(ValueError, match="2 states × 2 actions"):
        Semiautomaton(("a", "b"), ("x", "y"), moves)
    with pytest.raises(ValueError, match=r"moves must lie in 0 … 1"):
        Semiautomaton(("a", "b"), ("x",), moves + 2)
    with pytest.raises(ValueError, match="sum to 1"):
        Semiautomaton(("a", "b"), ("x",), moves, np.array([0.9]))


@every_automaton
@pytest.mark.parametrize("length", [1, 2, 5, 16])
def test_a_word_joined_in_pairs_does_what_its_actions_do_one_by_one(name, length):
    machine = automaton(name)
    word = RANDOM.integers(len(machine.actions), size=length)
    rounds = machine.joined(word)
    assert [len(each) for each in rounds] == [-(-length // 2**k) for k in range((length - 1).bit_length() + 1)]
    for k, found in enumerate(rounds):
        for i, row in enumerate(found):
            state = np.arange(len(machine.states))
            for action in word[i * 2**k : (i + 1) * 2**k]:
                state = machine.moves[state, action]
            np.testing.assert_array_equal(row, state)
    assert rounds[-1][0, 0] == machine.run(word[None])[0, -1]


def test_an_empty_word_joins_nothing():
    with pytest.raises(ValueError, match="it is empty"):
        walk(3).joined(np.zeros(0, np.int64))
