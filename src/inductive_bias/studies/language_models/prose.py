"""Numbers that the chapters' sentences ask for by name, one function per chapter."""

from collections.abc import Callable, Iterable, Mapping
from functools import partial
from math import exp

import pandas as pd

from inductive_bias.analysis import geometry
from inductive_bias.formatting import decimals, number, percent, span, with_interval
from inductive_bias.studies.design import NO_TEACHER
from inductive_bias.studies.language_models import figures, measures
from inductive_bias.studies.language_models.design import (
    FREQUENT,
    GRAMMAR,
    LSTM,
    MODELS,
    PAIRS,
    SMALL_LSTM,
    SMALL_TRANSFORMER,
    TRANSFORMER,
    WIDER,
    WIKIPEDIA,
    WIKITEXT,
    cell,
)
from inductive_bias.studies.language_models.lstm_start import AS_STUDIED, LARGE_AND_OPEN, WIDE, validation_perplexity
from inductive_bias.studies.results import Results
from inductive_bias.tasks.pairs.blimp import TEMPLATES
from inductive_bias.verdicts import Contrast

#: Values by name, each made when it is asked for: a smaller scale may have no runs for some of them.
Numbers = dict[str, Callable[[], str]]
#: Object relatives of Marvin & Linzen, with and without their *that*.
ACROSS_RELATIVES = tuple(
    words for name, words in TEMPLATES.items() if name.startswith("obj_rel") and "_across_" in name
)
TRANSFORMERS, LSTMS = (TRANSFORMER, SMALL_TRANSFORMER), (LSTM, SMALL_LSTM)
hundredths, thousandths, tenths = decimals, partial(decimals, digits=3), partial(number, form=".1f")


def perplexity(results: Results) -> Numbers:
    """Numbers of the chapter on perplexity and agreement."""

    def words(model: str, text: str = WIDER) -> float:
        return float(results.values("perplexity", split="test", **cell(model, text=text)).mean())

    def a_acc(model: str, text: str = WIDER) -> pd.Series:
        place = measures.place(measures.a_acc_of(results, text))
        return results.values(**place, **cell(model, text=text))

    def right(models: Iterable[str], text: str = WIDER) -> str:
        return span((float(a_acc(model, text).mean()) for model in models), hundredths)

    def behind(models: Iterable[str], attractors: int, text: str = WIDER) -> str:
        rows = figures.behind_attractors(results, text=text, teacher=NO_TEACHER)
        means = rows[rows["attractors"] == attractors].groupby("model", observed=True)["value"].mean()
        return span((means[model] for model in models), percent)

    def runs_of(model: str) -> str:
        return span(a_acc(model), hundredths)

    def words_of_runs(model: str) -> str:
        return span(results.values("perplexity", split="test", **cell(model, text=WIDER)), tenths)

    def runs_behind_one(model: str) -> str:
        rows = figures.behind_attractors(results, text=WIDER, teacher=NO_TEACHER, model=model)
        return span(rows.loc[rows["attractors"] == 1, "value"], percent)

    def rank(text: str) -> str:
        return hundredths(measures.rank_of_perplexity(results, measures.a_acc_of(results, text), text=text).estimate)

    def rank_of_others() -> str:
        others = measures.agreement(results, text=WIDER)[1:]
        return span((measures.rank_of_perplexity(results, each, text=WIDER).estimate for each in others), hundredths)

    def beside(measure: str, model: str, other: str, text: str = WIDER) -> Contrast:
        return measures.change(results, measure, cell(model, text=text), cell(other, text=text))

    def more(model: str, other: str, measure: str = "A-acc, Linzen et al.", text: str = WIDER) -> str:
        found = beside(measure, model, other, text)
        return with_interval(found.estimate, found.low, found.high)

    def per_cent_more_perplexity(model: str, other: str) -> str:
        found = beside(measures.LOG_PERPLEXITY, model, other)
        low, high = (percent(exp(bound) - 1, 1) for bound in (found.low, found.high))
        return f"{percent(exp(found.estimate) - 1, 1)} [{low}, {high}]"

    def in_construction(models: Iterable[str], *words: str) -> str:
        rows = figures.by_construction(results, text=WIDER, teacher=NO_TEACHER)
        rows = rows[rows["construction"].isin(words) & rows["model"].isin(list(models))]
        return span(rows.groupby(["model", "construction"], observed=True)["value"].mean(), percent)

    def behind_best() -> float:
        """The logarithm of the LSTM's perplexity on Wikipedia with 10,000 words, minus that of the best model."""
        pair = (cell(model, text=WIKIPEDIA) for model in (LSTM, TRANSFORMER))
        return measures.change(results, measures.LOG_PERPLEXITY, *pair).estimate

    def paper(models: Iterable[str]) -> str:
        known = (results.reported("a_accuracy", source="sheet", model=each, teacher=NO_TEACHER) for each in models)
        return span((mean for mean, _ in known), hundredths)

    def pilot(recipe: Mapping[str, bool | float], learning_rate: float = 0.008, model: str = LSTM) -> str:
        return tenths(validation_perplexity(learning_rate=learning_rate, model=model, **recipe))

    return {
        "pilot-studied": lambda: pilot(AS_STUDIED),
        "pilot-both": lambda: pilot(LARGE_AND_OPEN),
        "pilot-both-fast": lambda: pilot(LARGE_AND_OPEN, 0.016),
        "pilot-wide": lambda: pilot(WIDE),
        "pilot-wider": lambda: pilot(WIDE | {"embedding_std": 0.4}),
        "pilot-transformer": lambda: pilot({"embedding_std": 0.05}, 0.002, TRANSFORMER),
        "pilot-transformer-wide": lambda: pilot({"embedding_std": 0.1}, 0.004, TRANSFORMER),
        "words-transformer": lambda: tenths(words(TRANSFORMER)),
        "words-small-transformer": lambda: tenths(words(SMALL_TRANSFORMER)),
        "words-lstm": lambda: tenths(words(LSTM)),
        "words-small-lstm": lambda: tenths(words(SMALL_LSTM)),
        "more-words": lambda: per_cent_more_perplexity(LSTM, TRANSFORMER),
        "more-words-small": lambda: per_cent_more_perplexity(SMALL_LSTM, SMALL_TRANSFORMER),
        "ratio": lambda: thousandths(words(SMALL_TRANSFORMER) / min(map(words, MODELS))),
        "transformer": lambda: right([TRANSFORMER]),
        "small-transformer": lambda: right([SMALL_TRANSFORMER]),
        "lstm": lambda: right([LSTM]),
        "small-lstm": lambda: right([SMALL_LSTM]),
        "more": lambda: more(TRANSFORMER, LSTM),
        "more-small": lambda: more(SMALL_TRANSFORMER, SMALL_LSTM),
        "more-made-up": lambda: more(TRANSFORMER, LSTM, "accuracy, Marvin & Linzen"),
        "more-by-distance": lambda: more(TRANSFORMER, LSTM, "D-acc, Wikipedia"),
        "transformer-runs": lambda: runs_of(TRANSFORMER),
        "small-transformer-runs": lambda: runs_of(SMALL_TRANSFORMER),
        "lstm-runs": lambda: runs_of(LSTM),
        "small-lstm-runs": lambda: runs_of(SMALL_LSTM),
        "words-small-lstm-runs": lambda: words_of_runs(SMALL_LSTM),
        "one-every": lambda: behind(MODELS, 1),
        "narrow-more-small": lambda: more(SMALL_TRANSFORMER, SMALL_LSTM, text=FREQUENT),
        "narrow-one-small-lstm": lambda: behind([SMALL_LSTM], 1, FREQUENT),
        "narrow-words-small-transformer": lambda: tenths(words(SMALL_TRANSFORMER, FREQUENT)),
        "narrow-words-small-lstm": lambda: tenths(words(SMALL_LSTM, FREQUENT)),
        "one-small-lstm-runs": lambda: runs_behind_one(SMALL_LSTM),
        "relative-transformers": lambda: in_construction(TRANSFORMERS, *ACROSS_RELATIVES),
        "relative-lstms": lambda: in_construction(LSTMS, *ACROSS_RELATIVES),
        "complement-transformers": lambda: in_construction(TRANSFORMERS, TEMPLATES["sent_comp"]),
        "complement-lstms": lambda: in_construction(LSTMS, TEMPLATES["sent_comp"]),
        "simple": lambda: in_construction(MODELS, TEMPLATES["simple_agrmt"]),
        "paper-transformers": lambda: paper(TRANSFORMERS),
        "paper-lstms": lambda: paper(LSTMS),
        "rank": lambda: rank(WIDER),
        "rank-others": rank_of_others,
        "rank-grammar": lambda: rank(GRAMMAR),
        "high": lambda: right([*TRANSFORMERS, LSTM], GRAMMAR),
        "low": lambda: right([SMALL_LSTM], GRAMMAR),
        "wiki-transformers": lambda: right(TRANSFORMERS, WIKIPEDIA),
        "wiki-lstm-runs": lambda: span(a_acc(LSTM, WIKIPEDIA), hundredths),
        "wiki-ratio": lambda: hundredths(exp(behind_best())),
        "wikitext-one": lambda: behind(MODELS, 1, WIKITEXT),
    }


def opinions(results: Results) -> Numbers:
    """Numbers of the chapter on students of language models."""
    similarities = results.table("similarity")

    def change(measure: str, of: tuple[str, str], baseline: tuple[str, str], text: str = WIDER) -> Contrast:
        return measures.change(results, measure, cell(*of, text=text), cell(*baseline, text=text))

    def beside_teachers() -> pd.DataFrame:
        return figures.beside_teachers(results, measures.a_acc_of(results, WIDER), text=WIDER)

    def higher() -> str:
        rows = beside_teachers()
        return f"{(rows['value'] > rows['of_teacher']).sum()} of {len(rows)}"

    def apart() -> str:
        """How far the A-acc of a student lies from that of its own teacher, mean over all students."""
        rows = beside_teachers()
        return thousandths((rows["value"] - rows["of_teacher"]).abs().mean())

    def follow_teachers() -> str:
        """The correlation of the A-acc of students and of their own teachers."""
        rows = beside_teachers()
        return hundredths(rows["value"].corr(rows["of_teacher"]))

    def below_teachers(model: str) -> str:
        """What students of one kind have more in A-acc than their own teachers, mean."""
        rows = beside_teachers()
        rows = rows[rows["model"] == model]
        return thousandths((rows["value"] - rows["of_teacher"]).mean())

    def span_of_teachers(model: str) -> str:
        rows = beside_teachers()
        return span(rows.loc[rows["teacher"] == model, "of_teacher"], hundredths)

    def span_of_students(model: str, teacher: str) -> str:
        rows = beside_teachers()
        return span(rows.loc[(rows["teacher"] == teacher) & (rows["model"] == model), "value"], hundredths)

    def with_teacher(measure: str, student: str, teacher: str) -> str:
        found = change(measure, (student, teacher), (student, NO_TEACHER))
        return with_interval(found.estimate, found.low, found.high, 3)

    def straight(model: str, teacher: str = NO_TEACHER) -> float:
        smooth = geometry.smoothness_by_seed(results.table("paths")).query("form == 'cosine' and kind == 'chord'")
        name = results.design.name(cell(model, teacher, text=WIDER))
        return float(smooth.loc[smooth["cell"] == name, "value"].mean())

    def agrees(student: str, teacher: str, *, own: bool = False) -> str:
        """What a student has more in A-acc than the model alone, or than the student that its own kind taught."""
        found = change(measures.a_acc_of(results, WIDER), (student, teacher), (student, student if own else NO_TEACHER))
        return with_interval(found.estimate, found.low, found.high, 3)

    def words(student: str, teacher: str) -> str:
        """What a student has more in perplexity than the model alone."""
        found = change(measures.LOG_PERPLEXITY, (student, teacher), (student, NO_TEACHER))
        low, high = (percent(exp(bound) - 1, 1) for bound in (found.low, found.high))
        return f"{percent(exp(found.estimate) - 1, 1)} [{low}, {high}]"

    def ratios(text: str) -> list[float]:
        """By how much the perplexity of every student is above that of its own teacher."""
        behind = (change(measures.LOG_PERPLEXITY, pair, (pair[1], NO_TEACHER), text) for pair in PAIRS)
        return [exp(each) - 1 for found in behind for each in found.values]

    def follows() -> str:
        return span(ratios(WIDER), partial(percent, digits=1))

    def better_on_grammar() -> str:
        return span((1 / (1 + each) - 1 for each in ratios(GRAMMAR)), partial(percent, digits=1))

    def right(model: str, teacher: str = NO_TEACHER) -> str:
        place = measures.place(measures.a_acc_of(results, WIDER))
        return hundredths(results.values(**place, **cell(model, teacher, text=WIDER)).mean())

    def paper_losses() -> str:
        def reported(model: str, teacher: str) -> float:
            return results.reported("a_accuracy", source="sheet", model=model, teacher=teacher)[0]

        losses = [thousandths(reported(model, model) - reported(model, NO_TEACHER)) for model in MODELS]
        return f"{', '.join(losses[:-1])} and {losses[-1]}"

    def beside(model: str) -> pd.Series:
        """The students of the weakest small LSTM on generated sentences: their A-acc, and the teacher's."""
        rows = figures.beside_teachers(results, measures.a_acc_of(results, GRAMMAR), text=GRAMMAR)
        rows = rows[(rows["teacher"] == SMALL_LSTM) & (rows["model"] == model)]
        return rows.loc[rows["of_teacher"].idxmin()]

    def nearer(student: str, teacher: str) -> str:
        found = measures.nearer(similarities, student, teacher, form="centred")
        return with_interval(found.estimate, found.low, found.high)

    def wikitext(model: str, teacher: str) -> str:
        return span(results.values("perplexity", split="test", **cell(model, teacher, text=WIKITEXT)), tenths)

    return {
        "follows": follows,
        "higher": higher,
        "apart": apart,
        "follow-teachers": follow_teachers,
        "below-t": lambda: below_teachers(TRANSFORMER),
        "below-lstm": lambda: below_teachers(LSTM),
        "below-small-lstm": lambda: below_teachers(SMALL_LSTM),
        "small-lstms-that-teach": lambda: span_of_teachers(SMALL_LSTM),
        "taught-by-small-lstms": lambda: span_of_students(TRANSFORMER, SMALL_LSTM),
        "made-up-lstm-by-t": lambda: with_teacher("accuracy, Marvin & Linzen", LSTM, TRANSFORMER),
        "distance-lstm-by-t": lambda: with_teacher("D-acc, Wikipedia", LSTM, TRANSFORMER),
        "straight-students": lambda: span((straight(TRANSFORMER, each) for each in (LSTM, TRANSFORMER)), hundredths),
        "straight-t": lambda: hundredths(straight(TRANSFORMER)),
        "straight-lstm": lambda: hundredths(straight(LSTM)),
        "better-grammar": better_on_grammar,
        "weak-teacher": lambda: hundredths(beside(SMALL_LSTM)["of_teacher"]),
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
        "paper-losses": paper_losses,
        "right-t": lambda: right(TRANSFORMER),
        "right-lstm": lambda: right(LSTM),
        "right-small-lstm": lambda: right(SMALL_LSTM),
        "right-t-by-lstm": lambda: right(TRANSFORMER, LSTM),
        "right-t-by-small-lstm": lambda: right(TRANSFORMER, SMALL_LSTM),
        "agrees-t-by-t": lambda: agrees(TRANSFORMER, TRANSFORMER),
        "agrees-t-by-lstm": lambda: agrees(TRANSFORMER, LSTM),
        "agrees-t-by-small-lstm": lambda: agrees(TRANSFORMER, SMALL_LSTM),
        "agrees-lstm-by-lstm": lambda: agrees(LSTM, LSTM),
        "agrees-lstm-by-t": lambda: agrees(LSTM, TRANSFORMER),
        "agrees-small-t": lambda: agrees(SMALL_TRANSFORMER, SMALL_TRANSFORMER),
        "agrees-small-lstm": lambda: agrees(SMALL_LSTM, SMALL_LSTM),
        "words-t-by-lstm": lambda: words(TRANSFORMER, LSTM),
        "words-t-by-small-lstm": lambda: words(TRANSFORMER, SMALL_LSTM),
        "other-t-by-lstm": lambda: agrees(TRANSFORMER, LSTM, own=True),
        "other-t-by-small-lstm": lambda: agrees(TRANSFORMER, SMALL_LSTM, own=True),
        "other-lstm-by-t": lambda: agrees(LSTM, TRANSFORMER, own=True),
    }


def _behind_one(results: Results) -> str:
    """Accuracy behind one attractor of models that read WikiText-2, over the four models."""
    rows = figures.behind_attractors(results, text=WIKITEXT, teacher=NO_TEACHER)
    return span(rows[rows["attractors"] == 1].groupby("model", observed=True)["value"].mean(), percent)
