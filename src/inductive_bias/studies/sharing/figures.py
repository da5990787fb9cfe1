"""Tables behind the figures of the page on shared weights."""

import pandas as pd

from inductive_bias.studies.frames import listed, search_table
from inductive_bias.studies.results import Results
from inductive_bias.studies.sharing.claims import RIGHT, needed, scores
from inductive_bias.studies.sharing.design import MODELS, TUNING


def strings_needed(results: Results) -> pd.DataFrame:
    """Strings to learn parity by length: ``model, bits, number, value, reached``, ``value`` in strings."""
    found = needed(results)
    return found.assign(value=2 ** found["value"])


def unseen(results: Results) -> pd.DataFrame:
    """Every judged run on unseen strings as long as those learnt from: ``model, bits, strings, number, value``."""
    return scores(results)


def longer(results: Results) -> pd.DataFrame:
    """Every judged run on strings twice as long: ``model, bits, strings, number, value``."""
    return scores(results, times=2)


def steps(results: Results) -> pd.DataFrame:
    """Steps that each judged run made: ``model, bits, strings, number, value``, and whether it has :data:`RIGHT`."""
    keys = ["model", "bits", "strings", "number"]
    made = results.frame("steps", split="train")[[*keys, "value"]]
    both = made.merge(scores(results), on=keys, suffixes=("", "_unseen"))
    return both.assign(reached=both["value_unseen"] >= RIGHT)[[*keys, "value", "reached"]]


def all_runs(results: Results) -> pd.DataFrame:
    """A row per length and number of strings, a column per model: every run's share of unseen strings."""
    found = scores(results).groupby(["bits", "strings", "model"], observed=True)["value"].agg(listed)
    table = found.unstack("model").fillna("")
    return table[[model for model in MODELS if model in table]].reset_index()


def sizes(results: Results) -> pd.DataFrame:
    """Parameters of every model, a row per length."""
    found = results.trials.drop_duplicates(["model", "bits"])
    table = found.pivot(index="bits", columns="model", values="parameters")
    return table.map("{:,}".format, na_action="ignore").rename_axis(columns=None).reset_index()


def grid(results: Results) -> pd.DataFrame:
    """The search for learning rates: validation losses by model, a column per rate."""
    return search_table(results, TUNING)
