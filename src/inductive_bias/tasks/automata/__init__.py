"""Semiautomata: groups, walks between walls, memories; and the task of saying which state every prefix leads to."""

from inductive_bias.tasks.automata.catalogue import AUTOMATON_NAMES, GROUPS, WALLS, AutomatonName, automaton
from inductive_bias.tasks.automata.groups import Group
from inductive_bias.tasks.automata.readings import READINGS, Reading, ReadingName, reading
from inductive_bias.tasks.automata.semiautomata import Semiautomaton
from inductive_bias.tasks.automata.shifted import SHARES, ShiftedStates
from inductive_bias.tasks.automata.sources import SOURCE_NAMES, Source, SourceName, source
from inductive_bias.tasks.automata.task import StateTracking
from inductive_bias.tasks.automata.truth import last_visit, last_wall, last_write

__all__ = [
    "AUTOMATON_NAMES",
    "GROUPS",
    "READINGS",
    "SHARES",
    "SOURCE_NAMES",
    "WALLS",
    "AutomatonName",
    "Group",
    "Reading",
    "ReadingName",
    "Semiautomaton",
    "ShiftedStates",
    "Source",
    "SourceName",
    "StateTracking",
    "automaton",
    "last_visit",
    "last_wall",
    "last_write",
    "reading",
    "source",
]
