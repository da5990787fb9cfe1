"""What is measured of a language model, by the words for it; a cell minus another; and what the paper has beside it."""

from collections.abc import Mapping

import numpy as np

from inductive_bias.studies.design import NO_TEACHER, Cell
from inductive_bias.studies.results import Results
from inductive_bias.verdicts import Contrast, paired, rank, unpaired

#: Measures of agreement, best known first: metric and set of pairs. The generated grammar has a set of its own.
AGREEMENT = {
    "A-acc, Linzen et al.": ("a_accuracy", "linzen-lm"),
    "accuracy, Wikipedia": ("accuracy", "wiki-test"),
    "D-acc, Wikipedia": ("d_accuracy", "wiki-test"),
    "accuracy, Marvin & Linzen": ("accuracy", "marvin-linzen"),
    "A-acc, generated grammar": ("a_accuracy", "grammar"),
    "accuracy, generated grammar": ("accuracy", "grammar"),
}
#: Its differences are those of perplexity as a ratio, so that other texts compare.
LOG_PERPLEXITY = "log perplexity"
CHANCE = 0.5


def agreement(results: Results) -> list[str]:
    """Those of `AGREEMENT` that were measured, in their order; the first is A-acc."""
    return [words for words in AGREEMENT if results.has(**place(words))]


def place(measure: str) -> dict[str, str]:
    """Where its numbers are: metric, split and pairs."""
    if measure == LOG_PERPLEXITY:
        return {"metric": "nll", "split": "test"}
    metric, pairs = AGREEMENT[measure]
    return {"metric": metric, "split": "pairs", "pairs": pairs}


def change(results: Results, measure: str, cell: Mapping[str, str], other: Mapping[str, str]) -> Contrast:
    """``cell`` − ``other``, paired by number wherever the two share something.

    Models without a teacher read one order of batches, and so do all students (those of one model have the same first
    weights as well); a student belongs to its teacher. Only a student and a model that did not teach it share nothing.
    A diverged run counts as one that guesses.
    """
    of_teacher = other == Cell(model=cell["teacher"], teacher=NO_TEACHER)
    alike = (cell["teacher"] == NO_TEACHER) == (other["teacher"] == NO_TEACHER)
    return (paired if alike or of_teacher else unpaired)(
        *(results.values(**place(measure), **each) for each in (cell, other)),
        name=" minus ".join(results.design.name(each) for each in (cell, other)),
        unit="nats a word" if measure == LOG_PERPLEXITY else measure.split(",")[0],
        failed_value=guess(results, measure),
    )


def guess(results: Results, measure: str) -> float:
    """The measure of a model that knows nothing: every word, and either form of a verb, is as probable as any."""
    task = next(iter(results.cells.values()))[0].task
    return float(np.log(task.vocabulary_size)) if measure == LOG_PERPLEXITY else CHANCE


def rank_of_perplexity(results: Results, measure: str) -> Contrast:
    """Spearman's ρ of perplexity and a measure of agreement over the four models, seed by seed; −1: one order."""
    tables = [
        results.frame(**place(name), teacher=NO_TEACHER)
        .pivot(index="number", columns="model", values="value")
        .fillna(guess(results, name))
        for name in (measure, LOG_PERPLEXITY)
    ]
    return rank(*tables, name=f"perplexity and {measure} over the four models of a seed")


def behind_one(results: Results, model: str) -> float:
    """Share of right verbs behind a single attractor, of a model without a teacher; mean over seeds."""
    at = place(agreement(results)[0]) | {"metric": "accuracy", "attractors": 1}
    return float(results.values(**at, model=model, teacher=NO_TEACHER).mean())


def of_paper(results: Results, metric: str, model: str, teacher: str = NO_TEACHER) -> float:
    """The paper's mean: A-acc of all runs in its sheets, perplexity of the single runs in its figures."""
    source = "points" if metric == "perplexity" else "sheet"
    wanted = {"metric": metric, "model": model, "teacher": teacher, "source": source}
    return float(results.paper.loc[(results.paper[list(wanted)] == wanted).all(axis=1), "mean"].mean())
