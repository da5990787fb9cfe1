"""What a teacher says of generated sentences: of those that it learnt from, and of others of the same draw."""

from collections.abc import Iterator

import pandas as pd

from inductive_bias.protocols.measures.rows import logits_of
from inductive_bias.studies.agreement.design import ALONE, of_size
from inductive_bias.studies.agreement.grammar import FURTHER
from inductive_bias.studies.agreement.parts import DRAWN, STRONG, WEAK
from inductive_bias.studies.results import Results
from inductive_bias.studies.runs import Runs
from inductive_bias.trials import Trial

#: Sentences that a teacher learnt from itself, and those that it has not read.
LEARNT, OTHERS = "learnt from", "further"


def teachers(runs: Runs) -> list[Trial]:
    """The two teachers that are compared, of every draw; those of the main set where that is a generated one."""
    known = {"model": (WEAK, STRONG), **ALONE}
    trials = runs.trials(**known | {"data": DRAWN}) or runs.trials(**known)
    return [trial for trial in trials if trial.task.generated]


def lessons(runs: Runs) -> pd.DataFrame:
    """How often a teacher is right on sentences that it learnt from, and on others, by their number of attractors.

    Columns ``trial, lesson`` (:data:`LEARNT` or :data:`OTHERS`), ``attractors, n, right`` (a share).
    """
    found = (row for trial in teachers(runs) for row in _lessons(runs, trial))
    return pd.DataFrame(found, columns=["trial", "lesson", "attractors", "n", "right"])


def _lessons(runs: Runs, trial: Trial) -> Iterator[dict[str, object]]:
    learnt = trial.task.train_size
    split = of_size(trial.task, FURTHER).load()["train"]
    right = logits_of(runs.model(trial), split.inputs).argmax(1) == split.labels
    counts = split.slices["attractors"]
    for words, part in {LEARNT: slice(learnt), OTHERS: slice(learnt, None)}.items():
        for count in counts[part].unique().tolist():
            of = counts[part] == count
            share = float(right[part][of].double().mean())
            yield {"trial": trial.id, "lesson": words, "attractors": count, "n": int(of.sum()), "right": share}


def misleading(results: Results) -> pd.DataFrame:
    """Of sentences with an attractor the share of which a teacher is right: one row a teacher and kind of sentences.

    Columns ``model, number, lesson, value``.
    """
    rows = results.table("lessons")
    rows = rows[rows["attractors"] > 0].assign(hits=rows["n"] * rows["right"])
    found = rows.groupby(["model", "number", "lesson"], observed=True)[["hits", "n"]].sum().reset_index()
    found["lesson"] = pd.Categorical(found["lesson"], [LEARNT, OTHERS], ordered=True)
    return found.assign(value=found["hits"] / found["n"]).sort_values(["model", "lesson", "number"])
