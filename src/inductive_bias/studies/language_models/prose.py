"""Numbers that the chapters' sentences ask for by name, one function per chapter."""

from collections.abc import Callable, Iterable, Mapping
from functools import partial
from math import exp

import pandas as pd

from inductive_bias.formatting import decimals, number, percent, span, with_interval
from inductive_bias.studies.design import NO_TEACHER, Level
from inductive_bias.studies.language_models import figures, measures
from inductive_bias.studies.language_models.design import (
    GRAMMAR,
    LSTM,
    MODELS,
    PAIRS,
    SMALL_LSTM,
    SMALL_TRANSFORMER,
    TRANSFORMER,
    WIKIPEDIA,
    WIKITEXT,
    cell,
)
from inductive_bias.studies.language_models.lstm_start import AS_STUDIED, LARGE_AND_OPEN, validation_perplexity
from inductive_bias.studies.results import Results
from inductive_bias.verdicts import Contrast

#: Values by name, each made when it is asked for: a smaller scale may have no runs for some of them.
Numbers = dict[str, Callable[[], str]]
TRANSFORMERS, LSTMS = (TRANSFORMER, SMALL_TRANSFORMER), (LSTM, SMALL_LSTM)
hundredths, thousandths, tenths = decimals, partial(decimals, digits=3), partial(number, form=".1f")


def perplexity(results: Results) -> Numbers:
    """Numbers of the chapter on perplexity and agreement."""

    def words(model: str, text: str) -> float:
        return float(results.values("perplexity", split="test", **cell(model, text=text)).mean())

    def a_acc(model: str, text: str) -> pd.Series:
        place = measures.place(measures.a_acc_of(results, text))
        return results.values(**place, **cell(model, text=text))

    def right(models: Iterable[str], text: str) -> str:
        return span((float(a_acc(model, text).mean()) for model in models), hundredths)

    def behind(models: Iterable[str], attractors: int, text: str = WIKITEXT) -> str:
        rows = figures.behind_attractors(results, text=text, teacher=NO_TEACHER)
        means = rows[rows["attractors"] == attractors].groupby("model", observed=True)["value"].mean()
        return span((means[model] for model in models), percent)

    def rank(measure: str, **levels: Level) -> float:
        return measures.rank_of_perplexity(results, measure, **levels).estimate

    def rank_of_others() -> str:
        others = measures.agreement(results, text=WIKITEXT)[1:]
        return span((rank(measure, text=WIKITEXT) for measure in others), hundredths)

    def apart(model: str) -> str:
        """By how much the perplexity of a model on generated sentences exceeds that of the best, in per cent."""
        found = measures.change(results, measures.LOG_PERPLEXITY, cell(model), cell(TRANSFORMER))
        return percent(exp(found.estimate) - 1, 1)

    def behind_best() -> float:
        """The logarithm of the LSTM's perplexity on Wikipedia, minus that of the best model."""
        pair = (cell(model, text=WIKIPEDIA) for model in (LSTM, TRANSFORMER))
        return measures.change(results, measures.LOG_PERPLEXITY, *pair).estimate

    def natural(models: Iterable[str]) -> str:
        place = measures.place("accuracy, Wikipedia")
        return span((float(results.values(**place, **cell(each, text=WIKITEXT)).mean()) for each in models), percent)

    def paper(models: Iterable[str]) -> str:
        known = (results.reported("a_accuracy", source="sheet", model=each, teacher=NO_TEACHER) for each in models)
        return span((mean for mean, _ in known), hundredths)

    def pilot(recipe: Mapping[str, bool | float], learning_rate: float = 0.008, batch_size: int = 32) -> str:
        return tenths(validation_perplexity(learning_rate=learning_rate, batch_size=batch_size, **recipe))

    return {
        "pilot-studied": lambda: pilot(AS_STUDIED),
        "pilot-studied-fast": lambda: pilot(AS_STUDIED, 0.016),
        "pilot-large": lambda: pilot(LARGE_AND_OPEN | {"forget_bias": 0.0}),
        "pilot-open": lambda: pilot(LARGE_AND_OPEN | {"scaled_embedding": False}),
        "pilot-both": lambda: pilot(LARGE_AND_OPEN),
        "pilot-both-fast": lambda: pilot(LARGE_AND_OPEN, 0.016),
        "pilot-few-steps": lambda: pilot(AS_STUDIED, batch_size=128),
        "pilot-both-few-steps": lambda: pilot(LARGE_AND_OPEN, batch_size=128),
        "pilot-transformer": lambda: tenths(validation_perplexity(learning_rate=0.002, model=TRANSFORMER)),
        "wiki-transformers": lambda: right(TRANSFORMERS, WIKIPEDIA),
        "wiki-paper": lambda: paper(TRANSFORMERS),
        "wiki-large": lambda: tenths(words(TRANSFORMER, WIKIPEDIA)),
        "wiki-small": lambda: tenths(words(SMALL_TRANSFORMER, WIKIPEDIA)),
        "wiki-lstm": lambda: tenths(words(LSTM, WIKIPEDIA)),
        "wiki-ratio": lambda: hundredths(exp(behind_best())),
        "wiki-lstm-runs": lambda: span(a_acc(LSTM, WIKIPEDIA), hundredths),
        "wiki-four": lambda: behind(TRANSFORMERS, 4, WIKIPEDIA),
        "wikitext": lambda: right(MODELS, WIKITEXT),
        "rank": lambda: hundredths(rank(measures.a_acc_of(results, GRAMMAR), text=GRAMMAR)),
        "rank-wikitext": lambda: hundredths(rank(measures.a_acc_of(results, WIKITEXT), text=WIKITEXT)),
        "rank-others": rank_of_others,
        "high": lambda: right([*TRANSFORMERS, LSTM], GRAMMAR),
        "low": lambda: right([SMALL_LSTM], GRAMMAR),
        "worst-small-lstms": lambda: span(a_acc(SMALL_LSTM, GRAMMAR).nsmallest(3), hundredths),
        "worst-transformer": lambda: hundredths(min(a_acc(each, GRAMMAR).min() for each in TRANSFORMERS)),
        "apart-lstm": lambda: apart(LSTM),
        "apart-small-lstm": lambda: apart(SMALL_LSTM),
        "one-transformers": lambda: behind(TRANSFORMERS, 1),
        "one-lstms": lambda: behind(LSTMS, 1),
        "none-transformers": lambda: behind(TRANSFORMERS, 0),
        "none-lstms": lambda: behind(LSTMS, 0),
        "natural-transformers": lambda: natural(TRANSFORMERS),
        "natural-lstms": lambda: natural(LSTMS),
        "words-lstm": lambda: tenths(words(LSTM, WIKITEXT)),
        "words-transformer": lambda: tenths(words(TRANSFORMER, WIKITEXT)),
    }


def opinions(results: Results) -> Numbers:
    """Numbers of the chapter on students of language models."""
    similarities = results.table("similarity")

    def change(measure: str, of: tuple[str, str], baseline: tuple[str, str]) -> Contrast:
        return measures.change(results, measure, cell(*of), cell(*baseline))

    def better_than_teacher() -> str:
        gains = []
        for student, teacher in PAIRS:
            found = change(measures.LOG_PERPLEXITY, (teacher, NO_TEACHER), (student, teacher))
            gains += [exp(each) - 1 for each in found.values]
        return span(gains, partial(percent, digits=1))

    def ratio(of: tuple[str, str], baseline: tuple[str, str]) -> float:
        return exp(change(measures.LOG_PERPLEXITY, of, baseline).estimate) - 1

    def beside(model: str) -> pd.Series:
        """The students of the small LSTM with the lowest A-acc: their A-acc, and that of the teacher."""
        rows = figures.beside_teachers(results, measures.a_acc_of(results, GRAMMAR), text=GRAMMAR)
        rows = rows[(rows["teacher"] == SMALL_LSTM) & (rows["model"] == model)]
        return rows.loc[rows["of_teacher"].idxmin()]

    def small_lstm_behind_four() -> str:
        rows = figures.behind_attractors(results, text=GRAMMAR, teacher=NO_TEACHER)
        lowest = beside(SMALL_LSTM)["number"]
        at = (rows["model"] == SMALL_LSTM) & (rows["attractors"] == 4) & (rows["number"] == lowest)
        return percent(float(rows.loc[at, "value"].mean()))

    def nearer(student: str, teacher: str) -> str:
        found = measures.nearer(similarities, student, teacher, form="centred")
        return with_interval(found.estimate, found.low, found.high)

    def wikitext(model: str, teacher: str) -> str:
        return span(results.values("perplexity", split="test", **cell(model, teacher, text=WIKITEXT)), tenths)

    def a_acc_gain(student: str, teacher: str) -> float:
        return change(measures.a_acc_of(results, GRAMMAR), (student, teacher), (student, NO_TEACHER)).estimate

    other_pairs = [pair for pair in PAIRS if pair != (TRANSFORMER, SMALL_LSTM)]
    return {
        "better": better_than_teacher,
        "lstm-by-transformer": lambda: percent(-ratio((LSTM, TRANSFORMER), (LSTM, LSTM)), 1),
        "transformer-by-lstm": lambda: percent(ratio((TRANSFORMER, LSTM), (TRANSFORMER, TRANSFORMER)), 1),
        "a-acc": lambda: span((a_acc_gain(*pair) for pair in other_pairs), thousandths),
        "a-acc-small": lambda: thousandths(a_acc_gain(TRANSFORMER, SMALL_LSTM)),
        "weak-teacher": lambda: hundredths(beside(SMALL_LSTM)["of_teacher"]),
        "weak-teacher-four": small_lstm_behind_four,
        "its-students": lambda: span((beside(model)["value"] for model in (SMALL_LSTM, TRANSFORMER)), hundredths),
        "wikitext-one": lambda: _behind_one(results),
        "nearer": lambda: nearer(TRANSFORMER, LSTM),
        "nearer-small": lambda: nearer(TRANSFORMER, SMALL_LSTM),
        "nearer-lstm": lambda: nearer(LSTM, TRANSFORMER),
        "wikitext-taught": lambda: wikitext(TRANSFORMER, LSTM),
        "wikitext-lstm": lambda: wikitext(LSTM, NO_TEACHER),
        "wikitext-alone": lambda: wikitext(TRANSFORMER, NO_TEACHER),
        "wikitext-lstm-own": lambda: wikitext(LSTM, LSTM),
        "wikitext-lstm-taught": lambda: wikitext(LSTM, TRANSFORMER),
    }


def _behind_one(results: Results) -> str:
    """Accuracy behind one attractor of models that read WikiText-2, over the four models."""
    rows = figures.behind_attractors(results, text=WIKITEXT, teacher=NO_TEACHER)
    return span(rows[rows["attractors"] == 1].groupby("model", observed=True)["value"].mean(), percent)
