"""Small generated tasks that each ask one thing of a model: the probes of the bias profile."""

from inductive_bias.tasks.probes.base import Preference, Probe, Skill, Words
from inductive_bias.tasks.probes.extrapolation import ALIKE, STATES, Extrapolation
from inductive_bias.tasks.probes.task import CONFLICT, PROBES, STRETCHES, Drawn, ProbeTask
from inductive_bias.tasks.probes.untrained import Untrained

__all__ = [
    "ALIKE",
    "CONFLICT",
    "PROBES",
    "STATES",
    "STRETCHES",
    "Drawn",
    "Extrapolation",
    "Preference",
    "Probe",
    "ProbeTask",
    "Skill",
    "Untrained",
    "Words",
]
