"""Which position decides a state: in closed form, against a loop, and against changing every earlier action."""

import numpy as np
import pytest

from inductive_bias.tasks.automata import automaton, last_visit, last_wall, last_write
from inductive_bias.tasks.automata.semiautomata import walk

WORDS = np.random.default_rng(1).integers(0, 2, (40, 33))


def by_hand(marked):
    found = []
    for row in marked:
        last, places = -1, []
        for place, mark in enumerate(row):
            last = place if mark else last
            places.append(last)
        found.append(places)
    return found


@pytest.mark.parametrize("length", [1, 7])
def test_the_last_visit_is_found_as_a_loop_finds_it(length):
    marked = np.random.default_rng(0).random((30, length)) < 0.2
    assert last_visit(marked).tolist() == by_hand(marked)


@pytest.mark.parametrize("cells", [4, 9])
def test_a_walk_is_at_the_wall_of_its_last_visit_and_goes_on_freely_from_there(cells):
    """The state in closed form: the wall, and the sum of the steps since."""
    machine = walk(cells)
    states, walls = machine.run(WORDS), last_wall(machine, WORDS)
    steps = np.where(WORDS == 1, 1, -1)
    for row in range(len(WORDS)):
        for place in range(WORDS.shape[1]):
            wall = walls[row, place]
            start = 0 if wall < 0 else states[row, wall]
            assert start in (0, cells - 1)
            assert states[row, place] == start + steps[row, wall + 1 : place + 1].sum()
            assert not set(states[row, wall + 1 : place + 1]) & {0, cells - 1}


def test_walls_are_those_of_a_walk_by_hand():
    cell, marked = 0, []
    for action in WORDS[0]:
        cell = min(max(cell + (1 if action else -1), 0), 8)
        marked.append(cell in (0, 8))
    assert last_wall(automaton("Grid9"), WORDS[:1]).tolist() == by_hand([marked])


def test_a_memory_depends_on_its_last_write_and_on_no_other_position():
    machine = automaton("flip-flop")
    words = np.random.default_rng(2).choice(3, (20, 9), p=machine.chances)
    written = last_write(words)
    assert written.tolist() == by_hand(words != 0)
    states = machine.run(words)
    for row, word in enumerate(words):
        for place in range(len(word)):
            for earlier in range(place + 1):
                if earlier <= written[row, place]:
                    other = word.copy()
                    other[earlier] = 2 if word[earlier] != 2 else 1
                    changed = machine.run(other[None])[0, place] != states[row, place]
                    assert changed == (earlier == written[row, place])
