"""Tasks: where the examples come from, what a label is, and the splits."""

from inductive_bias.tasks.agreement import Agreement, OwnPreambles
from inductive_bias.tasks.automata import ShiftedStates, StateTracking
from inductive_bias.tasks.characters import CharacterModelling, CharacterStream, NextCharacter, SegmentStream
from inductive_bias.tasks.code import Clones, Defects, InjectedBugs, Programs, Repairs
from inductive_bias.tasks.data import Split, TaskData
from inductive_bias.tasks.forecasting import Forecasting
from inductive_bias.tasks.formal import FormalLanguage
from inductive_bias.tasks.grammar import GeneratedAgreement
from inductive_bias.tasks.heartbeats import Heartbeats
from inductive_bias.tasks.image_probes import ImageProbeTask
from inductive_bias.tasks.language_modelling import LanguageModelling
from inductive_bias.tasks.memory import Adding, Copying, FlipFlop, LastParity
from inductive_bias.tasks.mnist import MNIST
from inductive_bias.tasks.music import PolyphonicMusic
from inductive_bias.tasks.own_text import OwnText
from inductive_bias.tasks.probes import ProbeTask
from inductive_bias.tasks.proteins import Proteins
from inductive_bias.tasks.signals import GeneratedSignals, MixedSignal
from inductive_bias.tasks.slots import SlotFilling
from inductive_bias.tasks.stocks import Stocks
from inductive_bias.tasks.transduction import Transduction
from inductive_bias.tasks.words import WordModelling

__all__ = [
    "MNIST",
    "Adding",
    "Agreement",
    "CharacterModelling",
    "CharacterStream",
    "Clones",
    "Copying",
    "Defects",
    "FlipFlop",
    "Forecasting",
    "FormalLanguage",
    "GeneratedAgreement",
    "GeneratedSignals",
    "Heartbeats",
    "ImageProbeTask",
    "InjectedBugs",
    "LanguageModelling",
    "LastParity",
    "MixedSignal",
    "NextCharacter",
    "OwnPreambles",
    "OwnText",
    "PolyphonicMusic",
    "ProbeTask",
    "Programs",
    "Proteins",
    "Repairs",
    "SegmentStream",
    "ShiftedStates",
    "SlotFilling",
    "Split",
    "StateTracking",
    "Stocks",
    "TaskData",
    "Transduction",
    "WordModelling",
]
