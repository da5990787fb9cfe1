"""The automata by name, each with the actions of the generator of Liu et al. (2023, ``synthseq/automata``).

Own tables, not that generator's: its symmetric groups lose the swap where there are more than three actions. The paper
names dihedral groups by their order: D8 are the moves of a square.
"""

from collections.abc import Callable
from functools import cache
from typing import Literal, get_args

from inductive_bias.tasks.automata import groups
from inductive_bias.tasks.automata.semiautomata import Semiautomaton, cayley, flip_flop, product, walk

AutomatonName = Literal[
    "Grid4",
    "Grid9",
    "flip-flop",
    "C2",
    "C3",
    "C4",
    "C5",
    "C6",
    "C7",
    "C8",
    "C2²",
    "C2³",
    "D6",
    "D8",
    "Q8",
    "A4",
    "A5",
    "S4",
    "S5",
]
AUTOMATON_NAMES: tuple[AutomatonName, ...] = get_args(AutomatonName)
#: States at which a walk is stopped.
WALLS: dict[AutomatonName, tuple[int, int]] = {"Grid4": (0, 3), "Grid9": (0, 8)}
#: Groups of one kind: sums, moves of a polygon, permutations.
CYCLIC: tuple[AutomatonName, ...] = ("C2", "C3", "C4", "C5", "C6", "C7", "C8")
DIHEDRAL: tuple[AutomatonName, ...] = ("D6", "D8")
PERMUTATIONS: tuple[AutomatonName, ...] = ("A4", "A5", "S4", "S5")
#: Automata whose states are the elements of a group: no action forgets.
GROUPS: tuple[AutomatonName, ...] = tuple(name for name in AUTOMATON_NAMES if name not in (*WALLS, "flip-flop"))


def cyclic(order: int) -> Semiautomaton:
    """Action i adds i."""
    return cayley(groups.cyclic(order), {f"+{number}": number for number in range(order)})


def dihedral(corners: int) -> Semiautomaton:
    """Turn round, or step on in the present direction."""
    group = groups.dihedral(corners)
    names = tuple(f"{'→' if direction == 0 else '←'} {place}" for direction, place in group.elements)
    return cayley(group, {"turn": groups.TOGGLE, "step": groups.STEP}, names)


def quaternion() -> Semiautomaton:
    """Multiply by 1, i, j or k on the right."""
    group = groups.quaternion()
    names = tuple(f"{'' if sign > 0 else '−'}{unit}" for sign, unit in group.elements)
    return cayley(group, {f"· {unit}": (1, unit) for unit in groups.UNITS}, names)


def alternating(points: int) -> Semiautomaton:
    """Leave all, or move three points round: (1 2 x)."""
    cycles = groups.three_cycles(points)
    actions = {"stay": tuple(range(points))}
    actions |= {f"(1 2 {third})": cycle for third, cycle in enumerate(cycles, start=3)}
    return _of_permutations(groups.permutations(cycles), actions)


def symmetric(points: int) -> Semiautomaton:
    """Leave all, shift all by one, or swap the first two."""
    moving = {"shift": groups.shift(points), "swap": groups.swap(points)}
    group = groups.permutations(list(moving.values()))
    return _of_permutations(group, {"stay": tuple(range(points))} | moving)


def _of_permutations(group: groups.Group, actions: dict[str, tuple[int, ...]]) -> Semiautomaton:
    names = tuple("".join(str(point + 1) for point in element) for element in group.elements)
    return cayley(group, actions, names)


def _square() -> Semiautomaton:
    return product(cyclic(2), cyclic(2))


#: Made when asked for: S5 has a table of 120 × 120 products.
MAKERS: dict[AutomatonName, Callable[[], Semiautomaton]] = {
    "Grid4": lambda: walk(4),
    "Grid9": lambda: walk(9),
    "flip-flop": flip_flop,
    **{f"C{order}": lambda order=order: cyclic(order) for order in range(2, 9)},
    "C2²": _square,
    "C2³": lambda: product(_square(), cyclic(2)),
    "D6": lambda: dihedral(3),
    "D8": lambda: dihedral(4),
    "Q8": quaternion,
    "A4": lambda: alternating(4),
    "A5": lambda: alternating(5),
    "S4": lambda: symmetric(4),
    "S5": lambda: symmetric(5),
}


@cache
def automaton(name: AutomatonName) -> Semiautomaton:
    """The automaton of that name, made once."""
    return MAKERS[name]()
