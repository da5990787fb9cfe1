"""Formal languages: strings of any length, and for each prefix what may follow or whether it is a member."""

from inductive_bias.tasks.formal.automata import DEAD, Automaton
from inductive_bias.tasks.formal.languages import LANGUAGE_NAMES, LANGUAGES, Bin, Language, LanguageName
from inductive_bias.tasks.formal.task import LONGER, FormalLanguage

__all__ = [
    "DEAD",
    "LANGUAGES",
    "LANGUAGE_NAMES",
    "LONGER",
    "Automaton",
    "Bin",
    "FormalLanguage",
    "Language",
    "LanguageName",
]
