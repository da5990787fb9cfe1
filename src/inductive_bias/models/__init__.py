"""One model family a file, readable top to bottom; a ``…Spec`` holds the choices and builds the module."""

from inductive_bias.models.cnn import CNN, CNNSpec
from inductive_bias.models.mlp import MLP, MLPSpec

__all__ = ["CNN", "MLP", "CNNSpec", "MLPSpec"]
