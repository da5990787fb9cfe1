"""What is asked of a state: against other ways to compute it, and that it is a part that leaves the rest open."""

from itertools import product

import numpy as np
import pytest

from inductive_bias.tasks.automata import AUTOMATON_NAMES, READINGS, automaton, reading

#: Every automaton with every part that its states have.
PARTS = [
    *((name, "zero") for name in ("C2", "C3", "C4", "C5", "C6", "C7", "C8")),
    *((name, "place") for name in ("D6", "D8")),
    *((name, "chair") for name in ("A4", "A5", "S4", "S5")),
    *((name, "wall") for name in ("Grid4", "Grid9")),
]


def words_of(machine, length=9, number=200):
    return machine.drawn(np.random.default_rng(0).random((number, length)))


@pytest.mark.parametrize("name", AUTOMATON_NAMES)
def test_the_state_is_a_reading_of_itself(name):
    whole = reading(name, "state")
    assert whole.classes == automaton(name).states
    assert whole.of.tolist() == list(range(len(whole.classes)))


def test_whoever_sits_on_the_first_chair_is_found_by_moving_people():
    machine = automaton("S5")
    shift, swap = (1, 2, 3, 4, 0), (1, 0, 2, 3, 4)
    for word in words_of(machine):
        chairs = [1, 2, 3, 4, 5]
        for action, state in zip(word, machine.run(word[None])[0], strict=True):
            if action:
                to = (shift, swap)[action - 1]
                moved = [0] * 5
                for chair, person in enumerate(chairs):
                    moved[to[chair]] = person
                chairs = moved
            found = reading("S5", "chair")
            assert found.classes[found.of[state]] == str(chairs[0])


def test_sums_corners_and_walls_are_those_of_a_walker():
    for word in words_of(automaton("C4")):
        zero = reading("C4", "zero").of[automaton("C4").run(word[None])[0]]
        assert zero.tolist() == [int(sum(word[: end + 1]) % 4 == 0) for end in range(len(word))]
    for word in words_of(automaton("D8")):
        direction, corner = 1, 0
        for action, state in zip(word, automaton("D8").run(word[None])[0], strict=True):
            direction, corner = (-direction, corner) if action == 0 else (direction, (corner + direction) % 4)
            assert reading("D8", "place").of[state] == corner
    for word in words_of(automaton("Grid4")):
        cell = 0
        for action, state in zip(word, automaton("Grid4").run(word[None])[0], strict=True):
            cell = min(max(cell + 2 * action - 1, 0), 3)
            assert reading("Grid4", "wall").of[state] == (cell in (0, 3))


@pytest.mark.parametrize(("name", "asked"), PARTS)
def test_every_class_is_the_answer_for_some_state(name, asked):
    found = reading(name, asked)
    assert set(found.of.tolist()) == set(range(len(found.classes)))
    assert len(found.of) == len(automaton(name).states)


INDIRECT = [*PARTS[2:7], *PARTS[7:]]


@pytest.mark.parametrize(("name", "asked"), INDIRECT)
def test_the_part_and_the_action_do_not_tell_the_next_part(name, asked):
    machine, of = automaton(name), reading(name, asked).of
    after = {}
    for state, action in product(range(len(machine.states)), range(len(machine.actions))):
        after.setdefault((of[state], action), set()).add(of[machine.moves[state, action]])
    assert any(len(parts) > 1 for parts in after.values())


@pytest.mark.parametrize(("name", "asked"), PARTS)
def test_the_best_constant_answer_is_that_of_all_words(name, asked):
    machine, of = automaton(name), reading(name, asked).of
    length = 4
    shares = np.zeros((length, of.max() + 1))
    for word in product(range(len(machine.actions)), repeat=length):
        chance = machine.chances[list(word)].prod()
        for place, state in enumerate(machine.run(np.array(word)[None])[0]):
            shares[place, of[state]] += chance
    np.testing.assert_allclose(machine.best_constant(length, of), shares.max(axis=1), atol=1e-12)


@pytest.mark.parametrize("name", AUTOMATON_NAMES)
def test_no_automaton_has_parts_of_another(name):
    for asked in set(READINGS) - {"state"} - {part for each, part in PARTS if each == name}:
        with pytest.raises(ValueError, match=f"there is no '{asked}' in a state of {name}"):
            reading(name, asked)
