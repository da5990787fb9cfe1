"""A whole study in one file: what a new one costs."""

import pandas as pd

from inductive_bias.studies.claims import Claim, Finding
from inductive_bias.studies.design import NO_TEACHER, Design
from inductive_bias.studies.runs import Table
from inductive_bias.studies.study import Page, Size, Study
from inductive_bias.verdicts import exceeds, paired
from tests.tiny import tiny_student, tiny_trial

MODELS = ("MLP",)


def design_of(seeds=4):
    """A model alone and taught by its like, so many runs of each."""

    def cells(scale):
        alone = [tiny_trial(seed=number) for number in range(seeds)]
        yield {"model": "MLP", "teacher": NO_TEACHER}, alone
        yield (
            {"model": "MLP", "teacher": "MLP"},
            [tiny_student(seed=10 + number, teacher=teacher) for number, teacher in enumerate(alone)],
        )

    return Design(cells, ("model", "teacher"), label=label)


def label(*, model, teacher):
    return model if teacher == NO_TEACHER else f"{teacher} → {model}"


def lends(results):
    """A student against the model that taught it, on translated digits."""
    taught, alone = (results.values("accuracy", split="translate", teacher=name) for name in (*MODELS, NO_TEACHER))
    gain = paired(taught, alone, name="taught − alone", unit="accuracy, translated", failed_value=0.0)
    return Finding(exceeds(gain, 0.01))


def seeds(runs):
    return pd.DataFrame({"trial": [trial.id for trial in runs.trials(teacher=NO_TEACHER)]})


STUDY = Study(
    name="toy",
    question="Does the machinery work?",
    part="Toys",
    design=design_of(),
    pages=(Page("toy", "Does it?", "it works"),),
    claims=(Claim("T1", "toy", "nowhere", "An MLP lends to an MLP.", "–", lends),),
    tables={"seeds": Table(seeds)},
    sizes=dict.fromkeys(("smoke", "laptop", "paper"), Size("712 digits", "tiny", "a second")),
)
