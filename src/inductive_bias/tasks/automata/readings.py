"""What is asked of a state: all of it, or a part that leaves the rest open (*indirect supervision*).

A model that learns from a part must find the whole state by itself: the part after an action depends on more than the
part before it (Liu et al. 2023, section 5.1; the parts are those of their generator, ``synthseq/automata``). Of a
permutation that is who sits on the first chair. Where the first person sits would be no such part: the next action
alone moves him on.
"""

from dataclasses import dataclass
from typing import Literal, get_args

import numpy as np
from jaxtyping import Int64

from inductive_bias.tasks.automata.catalogue import CYCLIC, DIHEDRAL, PERMUTATIONS, WALLS, automaton

ReadingName = Literal["state", "wall", "chair", "place", "zero"]
READINGS: tuple[ReadingName, ...] = get_args(ReadingName)


@dataclass(frozen=True, eq=False)
class Reading:
    """The classes that are told apart.

    Attributes:
        classes: what each class is, in words.
        of: the class of every state, ``[s]``.
    """

    classes: tuple[str, ...]
    of: Int64[np.ndarray, " s"]


def reading(automaton_name: str, asked: ReadingName) -> Reading:
    """What is asked of the states of an automaton.

    ``state`` is the state itself; ``wall`` whether a walk stands at a wall; ``chair`` who of the permuted sits on the
    first chair; ``place`` the corner of a polygon without the direction; ``zero`` whether a sum is zero.

    Raises:
        ValueError: for an automaton whose states have no such part.
    """
    machine, group = automaton(automaton_name), automaton(automaton_name).group
    numbers = np.arange(len(machine.states))
    if asked == "state":
        return Reading(machine.states, numbers)
    if asked == "wall" and automaton_name in WALLS:
        return Reading(("between", "wall"), np.isin(numbers, WALLS[automaton_name]).astype(np.int64))
    if asked == "zero" and automaton_name in CYCLIC:
        return Reading(("not zero", "zero"), (numbers == group.index(0)).astype(np.int64))
    if asked == "place" and automaton_name in DIHEDRAL:
        places = np.array([place for _, place in group.elements])
        return Reading(tuple(map(str, range(places.max() + 1))), places)
    if asked == "chair" and automaton_name in PERMUTATIONS:
        sitting = np.array([permutation.index(0) for permutation in group.elements])
        return Reading(tuple(str(person + 1) for person in range(sitting.max() + 1)), sitting)
    raise ValueError(f"there is no {asked!r} in a state of {automaton_name}")
