"""What is measured of a language model, by the words for it; one cell minus another, and half of the paper's number."""

from collections.abc import Iterable
from math import log

import pandas as pd

from inductive_bias.analysis.geometry import similarity_to
from inductive_bias.errors import NoRunsError
from inductive_bias.studies.design import NO_TEACHER, Cell, Level
from inductive_bias.studies.language_models.design import GRAMMAR, MODELS, PAIRS, cell
from inductive_bias.studies.results import Results, Wanted
from inductive_bias.verdicts import Contrast, HalfOf, half_of, paired, partners, rank, unpaired

#: Measures of agreement, best known first: metric and set of pairs. The generated grammar has a set of its own, with as
#: many pairs of each number of attractors, so that its accuracy is its A-acc.
AGREEMENT = {
    "A-acc, Linzen et al.": ("a_accuracy", "linzen-lm"),
    "accuracy, Wikipedia": ("accuracy", "wiki-test"),
    "D-acc, Wikipedia": ("d_accuracy", "wiki-test"),
    "accuracy, Marvin & Linzen": ("accuracy", "marvin-linzen"),
    "accuracy, BLiMP": ("accuracy", "blimp"),
    "A-acc, generated grammar": ("a_accuracy", "grammar"),
}
#: Its differences are ratios of perplexity, which texts share sooner than perplexities.
LOG_PERPLEXITY = "log perplexity"
CHANCE = 0.5
#: Every model without a teacher.
ALONE = [(model, NO_TEACHER) for model in MODELS]


def agreement(results: Results, **levels: Wanted) -> list[str]:
    """Measures of agreement that the runs with these levels have, or those of :func:`main_text`; A-acc is the first."""
    levels = levels or {"text": main_text(results)}
    return [words for words in AGREEMENT if results.has(**place(words), **levels)]


def place(measure: str) -> dict[str, str]:
    """Where its numbers are: metric, split and pairs."""
    if measure == LOG_PERPLEXITY:
        return {"metric": "nll", "split": "test"}
    metric, pairs = AGREEMENT[measure]
    return {"metric": metric, "split": "pairs", "pairs": pairs}


def texts_of_all(results: Results) -> list[Level]:
    """The texts that every model has read alone."""
    return _texts_with(results, ALONE)


def main_text(results: Results) -> Level:
    """The text that the chapter on models alone shows first: the last one of :func:`texts_of_all`.

    Raises:
        NoRunsError: if there is none.
    """
    return _last(texts_of_all(results))


def texts_of_students(results: Results) -> list[Level]:
    """The texts that every model has read alone and every student with its teacher."""
    return _texts_with(results, [*ALONE, *PAIRS])


def text_of_students(results: Results) -> Level:
    """The text that the chapter on students shows first: the last one of :func:`texts_of_students`.

    Raises:
        NoRunsError: if there is none.
    """
    return _last(texts_of_students(results))


def real_text(results: Results, wanted: Iterable[tuple[Level, Level]]) -> Level:
    """The text by which a claim is judged: the last real one that has these models, each with its teacher.

    Generated sentences of a small grammar are learnt to the last one (see `claims.CEILING`): they judge no sentence of
    the paper.

    Raises:
        NoRunsError: if there is none.
    """
    return _last([text for text in _texts_with(results, wanted) if text != GRAMMAR])


def _texts_with(results: Results, wanted: Iterable[tuple[Level, Level]]) -> list[Level]:
    there, wanted = set(results.cells), list(wanted)
    texts = results.design.levels(results.scale)["text"]
    return [text for text in texts if {cell(*each, text=text) for each in wanted} <= there]


def _last(texts: list[Level]) -> Level:
    if not texts:
        raise NoRunsError("no text has runs yet of all these models and students")
    return texts[-1]


def cell_of(results: Results, model: Level, teacher: Level = NO_TEACHER) -> Cell:
    """The cell of a model and its teacher on the :func:`text_of_students`."""
    return cell(model, teacher, text=text_of_students(results))


def a_acc_of(results: Results, text: Level) -> str:
    """A-acc by its words, as it is measured of the models of a text."""
    return agreement(results, text=text)[0]


def guess(results: Results, measure: str, of: Cell) -> float:
    """What a diverged run counts as: every word, and either form of a verb, is as probable as any other."""
    return log(results.cells[of][0].task.vocabulary_size) if measure == LOG_PERPLEXITY else CHANCE


def change(results: Results, measure: str, one: Cell, other: Cell) -> Contrast:
    """``one`` − ``other``, paired by number wherever the two share something.

    Models without a teacher read one order of batches, and so do all students (those of one model have the same first
    weights as well); a student has its teacher. A student and a model that did not teach it share nothing, unless every
    number has a text of its own. Of pairs, the numbers count that both have.
    """
    alone = [each["model"] for each in (one, other) if each["teacher"] == NO_TEACHER]
    drawn = len({trial.task.data_seed for trial in results.cells[one]}) > 1
    shared = drawn or len(alone) != 1 or alone[0] in (one["teacher"], other["teacher"])
    values = [results.values(**place(measure), **each) for each in (one, other)]
    return (paired if shared else unpaired)(
        *(partners(*values) if shared else values),
        name=" against ".join(results.design.name(each) for each in (one, other)),
        unit="nats a word" if measure == LOG_PERPLEXITY else measure.split(",")[0],
        failed_value=guess(results, measure, one),
    )


def rank_of_perplexity(results: Results, measure: str, *, text: Level) -> Contrast:
    """Spearman's ρ of perplexity and a measure over the models of a number; −1: the better always agrees better.

    It is of the models alone on one text.
    """

    def alone(name: str) -> pd.DataFrame:
        frame = results.frame(**place(name), text=text, teacher=NO_TEACHER)
        lost = guess(results, name, cell(frame["model"].iloc[0], text=text))
        # a run that diverged counts as a guess; a number that a model does not have counts for none of them
        return frame.fillna({"value": lost}).pivot(index="number", columns="model", values="value").dropna()

    agrees, words = alone(measure), alone(LOG_PERPLEXITY)
    return rank(agrees, words, name=f"perplexity and {measure} over {agrees.shape[1]} models")


def half_of_paper(results: Results, measure: str, one: Cell, other: Cell) -> HalfOf:
    """Half of the paper's ``one`` − ``other``: A-acc of all runs in its sheets, perplexity of those in its figures.

    The margin knows the two cells: a rule refuses it for a contrast of others.
    """
    wanted = ["perplexity", "points"] if measure == LOG_PERPLEXITY else ["a_accuracy", "sheet"]
    there = (results.paper[["metric", "source"]] == wanted).all(axis=1)
    known = results.paper[there].groupby(["model", "teacher"])["mean"].mean()
    first, second = (known[each["model"], each["teacher"]] for each in (one, other))
    effect = log(first / second) if measure == LOG_PERPLEXITY else first - second
    return half_of(effect, compared=tuple(results.design.name(each) for each in (one, other)))


def nearer(similarities: pd.DataFrame, student: Level, teacher: Level, *, form: str) -> Contrast:
    """How much more similar to models of its teacher's kind a student is than the student of its own kind.

    Both have the same first weights and order of sentences, so that they are paired by number.
    """
    near = similarity_to(similarities, form, model=teacher, teacher=NO_TEACHER)
    theirs = near[near["model"] == student].set_index(["teacher", "number"])["value"]
    return paired(theirs[teacher], theirs[student], name=f"{student}, towards {teacher}", unit="similarity")
