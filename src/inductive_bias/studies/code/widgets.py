"""The editor of the page: functions of Python's library with a bug in them, and what each token is worth."""

import pandas as pd

from inductive_bias import plotting
from inductive_bias.plotting import PageWidget
from inductive_bias.studies.code.design import MODELS, TEXT_CNN
from inductive_bias.studies.code.measures import TOKENS
from inductive_bias.studies.results import Results

#: The answers in words.
ANSWERS = ("as it was", "changed")


def editor(results: Results) -> PageWidget:
    """Some changed test functions, by the first run of every model."""
    found = results.table(TOKENS)
    found = found.assign(model=pd.Categorical(found["model"], MODELS), name=found["name"].str.replace(":", ", "))
    found = found.sort_values(["model", "example", "place"])
    return plotting.code_widget(
        found,
        answers=ANSWERS,
        instead="The first figure shows how often every network answers rightly.",
        start=TEXT_CNN,  # the only one whose answer depends on tokens
    )
