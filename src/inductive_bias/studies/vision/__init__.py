"""Transferring inductive biases by distillation, on vision: CNN and MLP, MNIST and its corruptions."""

from pathlib import Path

from inductive_bias.studies.study import Page, Size, Study
from inductive_bias.studies.vision.claims import CLAIMS
from inductive_bias.studies.vision.design import DESIGN
from inductive_bias.studies.vision.tables import TABLES

PAGES = (
    Page(
        "vision/convolution",
        "Can the bias of a convolution be measured in a trained network?",
        "convolution is translation equivariant, pooling makes it nearly invariant",
    ),
    Page(
        "vision/generalisation",
        "How accurate are CNNs and MLPs on images unlike those in training?",
        "CNN and MLP are equal on clean digits; on scaled and translated ones the CNN is far ahead, and varies less",
    ),
    Page(
        "vision/distillation",
        "Does an MLP generalise like a CNN after training on the answers of a CNN?",
        "a CNN teacher makes an MLP better on translated digits, and better calibrated; an MLP teacher does not",
    ),
    Page(
        "vision/paths",
        "Is the training path of a student smoother, and closer to the path of its teacher?",
        "a CNN-taught MLP takes a smoother path through training",
    ),
    Page(
        "vision/solutions",
        "Do teacher and student have similar representations, in one basin of the loss?",
        "representations of students move towards their teacher's; teacher and student end in one basin",
    ),
)

STUDY = Study(
    name="vision",
    question="Can an MLP learn the bias of a CNN by distillation?",
    part="Transferring a bias by distillation",
    design=DESIGN,
    pages=PAGES,
    claims=CLAIMS,
    tables=TABLES,
    sizes={
        "smoke": Size("712 real digits from a registry package", "tiny", "half a minute on 2 cores"),
        "laptop": Size(
            "MNIST, 15 corruptions generated from it", "the paper's MLP, a smaller CNN", "3 h 40 min on 2 cores"
        ),
        "paper": Size("the same", "the paper's, 400 epochs", "one GPU; not measured yet"),
    },
    paper=Path(__file__).with_name("paper.csv"),
)
