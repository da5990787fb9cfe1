"""Whom a model serves worse: sentences whose subject is singular, or plural.

Runs keep the accuracy of a test set, its balanced accuracy, and the share of its sentences that are singular. The
accuracies on the two kinds of sentence follow: with share p, a = p·s + (1 − p)·l and b = (s + l) / 2 are two equations
for the accuracies s on singular and l on plural subjects.
"""

from collections.abc import Mapping, Sequence

import pandas as pd

from inductive_bias.formatting import short
from inductive_bias.studies.agreement.design import cell
from inductive_bias.studies.agreement.parts import MAIN, NATURAL, RICH, SAMPLE, STRONG, WEAK
from inductive_bias.studies.design import Level
from inductive_bias.studies.results import Results, Wanted
from inductive_bias.verdicts import Contrast, paired, single

SINGULAR, PLURAL = NUMBERS = ("singular", "plural")
#: Training sets that Q30b is judged on: their runs were there before the rule, and nobody had looked at them by number.
UNSEEN = (NATURAL, SAMPLE, RICH)
#: What the gap is measured on: sentences as they come.
TEST, UNIT = "test", "accuracy on singular − on plural subjects"
#: A diverged run answers one number alone or guesses: it is taken to serve both equally badly.
FAILED = 0.0
#: Two shares nearer to one half than this leave the two equations all but equal.
EVEN = 1e-3


def by_number(results: Results, split: str, **levels: Wanted) -> pd.DataFrame:
    """Accuracy on the sentences of each number: the tidy frame of :meth:`Results.frame` with the column ``subject``.

    Its ``share`` is that of the test sentences. No row where a test has as many of one number as of the other, which
    leaves the two unknown.
    """
    metrics = ["accuracy", "balanced_accuracy", "share_of_class_0"]
    found = results.frame(metrics, split=split, **levels)
    runs = found.drop(columns=["metric", "value"]).drop_duplicates("trial").set_index("trial")
    accuracy, balanced, share = (found[found["metric"] == name].set_index("trial")["value"] for name in metrics)
    runs = runs[(share[runs.index] - 0.5).abs() > EVEN]
    singular = (accuracy - 2 * balanced * (1 - share)) / (2 * share - 1)
    parts = [
        runs.assign(subject=subject, share=shares[runs.index], value=values[runs.index]).reset_index()
        for subject, shares, values in ((SINGULAR, share, singular), (PLURAL, 1 - share, 2 * balanced - singular))
    ]
    rows = pd.concat(parts, ignore_index=True)
    return rows.assign(subject=pd.Categorical(rows["subject"], NUMBERS, ordered=True))


def gaps(results: Results, split: str, **levels: Wanted) -> pd.DataFrame:
    """How much better each run is on singular than on plural subjects: the tidy frame, ``value`` the difference."""
    rows = by_number(results, split, **levels)
    singular, plural = (rows[rows["subject"] == subject] for subject in NUMBERS)
    other = plural.set_index("trial")["value"].reindex(singular["trial"]).to_numpy()
    return singular.drop(columns=["subject", "share"]).assign(value=singular["value"] - other)


def gap(results: Results, of: Mapping[str, Level], split: str = TEST) -> pd.Series:
    """The same of one cell, by number of the run."""
    return gaps(results, split, **of).set_index("number")["value"].rename_axis(None)


def own(results: Results, of: Mapping[str, Level], split: str = TEST) -> Contrast:
    """The gap of one cell as a contrast with nothing."""
    name = short(results.design.name(of))
    return single(gap(results, of, split), name=name, unit=UNIT, failed_value=FAILED)


def beyond(results: Results, data: str, split: str = TEST) -> Contrast:
    """How much wider the gap of a bidirectional Transformer is than that of the LSTM of its number."""
    two = (gap(results, cell(model, data=data), split) for model in (WEAK, STRONG))
    name = f"{short(WEAK)} − {short(STRONG)}" + f", {data}" * (data != MAIN)
    return paired(*two, name=name, unit=UNIT, failed_value=FAILED)


def table(results: Results, splits: Mapping[str, str], models: Sequence[str]) -> pd.DataFrame:
    """A row per test and model that learnt alone: share of singular sentences, both accuracies and the gap."""
    rows = []
    for split, words in splits.items():
        for model in models:
            runs = by_number(results, split, **cell(model))
            if runs.empty:
                continue
            means = runs.groupby("subject", observed=True)["value"].mean()
            rows.append(
                {
                    "test": words,
                    "model": short(model),
                    "share singular": f"{runs['share'].iloc[0]:.0%}",
                    **{f"right on {name}": f"{means[name]:.3f}" for name in NUMBERS},
                    "gap": str(own(results, cell(model), split)),
                }
            )
    return pd.DataFrame(rows)
