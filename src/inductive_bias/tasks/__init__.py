"""Tasks: where the examples come from, what a label is, and the splits."""

from inductive_bias.tasks.data import Split, TaskData
from inductive_bias.tasks.mnist import MNIST

__all__ = ["MNIST", "Split", "TaskData"]
