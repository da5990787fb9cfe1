"""Transferring inductive biases by distillation, on vision: CNN and MLP, MNIST and its corruptions."""

from inductive_bias.studies.study import Study
from inductive_bias.studies.vision.claims import CLAIMS
from inductive_bias.studies.vision.design import cells
from inductive_bias.studies.vision.tables import TABLES

STUDY = Study(
    name="vision",
    question="Can a convolutional teacher lend its bias to a perceptron?",
    cells=cells,
    tables=TABLES,
    claims=CLAIMS,
)
