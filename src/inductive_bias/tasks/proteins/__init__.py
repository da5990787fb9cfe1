"""Proteins: from a sequence of residues to whether it begins with a signal, or is cut into neuropeptides."""

from inductive_bias.tasks.proteins.baselines import BASELINES, baseline_scores
from inductive_bias.tasks.proteins.task import Proteins

__all__ = ["BASELINES", "Proteins", "baseline_scores"]
