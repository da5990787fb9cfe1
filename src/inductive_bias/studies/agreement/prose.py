"""Numbers that the chapters' sentences ask for by name, one function per chapter.

A value is written as a sentence has it: ``12 points`` for a difference of .12 between two accuracies.
"""

from collections.abc import Callable, Iterable, Mapping
from functools import partial
from itertools import product

import pandas as pd

from inductive_bias.analysis.geometry import between, smoothness
from inductive_bias.formatting import decimals, percent, points, points_between, ratio, span, with_interval
from inductive_bias.studies.agreement import figures, measures
from inductive_bias.studies.agreement.design import (
    FURTHER,
    GRAMMAR,
    LADDER,
    LONGER,
    MAIN,
    NATURAL,
    PLAIN,
    RICH,
    SAMPLE,
    SEQUENTIAL,
    SHARED,
    STRONG,
    UNTAUGHT,
    WEAK,
    cell,
    drawn_cell,
)
from inductive_bias.studies.agreement.figures.bias_probes import STAGES
from inductive_bias.studies.agreement.measures import A_ACC, ACCURACY, ECE, ECE_PAPER, difference, values
from inductive_bias.studies.design import NO_TEACHER, Cell, Level
from inductive_bias.studies.results import Results
from inductive_bias.verdicts import Contrast

TRANSFORMERS = LADDER[:-1]
#: Values by name, each made when it is asked for: a smaller scale may have no runs for some of them.
Numbers = dict[str, Callable[[], str]]
whole_points, thousandths = partial(points, digits=0), partial(decimals, digits=3)


def bias(curves: pd.DataFrame, order: pd.DataFrame) -> Numbers:
    """Numbers of the chapter on the three parts of the bias, from what untrained models may see.

    Args:
        curves: of :func:`~.figures.bias_probes.reach_by_distance`.
        order: of :func:`~.figures.bias_probes.order_table`.
    """

    def reach(model: str, distance: int) -> float:
        rows = curves[(curves["stage"] == STAGES[-1]) & (curves["distance"] == distance)]
        return rows.groupby("model")["value"].mean()[model]

    def moved(models: Iterable[str]) -> str:
        return span((order.set_index("model")["effect of order"][model] for model in models), decimals)

    return {
        "far-lstm": lambda: thousandths(reach(STRONG, 16)),
        "far": lambda: span((reach(model, 16) for model in TRANSFORMERS), decimals),
        "next-lstm": lambda: decimals(reach(STRONG, 1)),
        "next": lambda: span((reach(model, 1) for model in TRANSFORMERS), decimals),
        "order-both-ways": lambda: moved([WEAK, "Universal Transformer"]),
        "order-causal": lambda: moved([SEQUENTIAL, SHARED]),
        "order-lstm": lambda: moved([STRONG]),
    }


def ladder(results: Results) -> Numbers:
    """Numbers of the chapter on the four models of the ladder."""
    gain, theirs, mean = partial(_gain, results), partial(_paper_difference, results), partial(_mean, results)

    def lead(measure: str = A_ACC, **other: Level) -> float:
        return gain(measure, cell(STRONG, **other), cell(WEAK, **other))

    def way(of: Callable[[str, Cell, Cell], float]) -> str:
        """How much of the way from the bidirectional Transformer to the LSTM the sequential Universal one goes."""
        return percent(ratio(of(A_ACC, cell(SHARED), cell(WEAK)), of(A_ACC, cell(STRONG), cell(WEAK))))

    def size(which: int) -> Level:
        return measures.sizes(results, MAIN)[which]

    def right(models: Iterable[str], attractors: int, metric: str = "accuracy") -> str:
        rows = figures.by_attractors(results, metric, model=list(models), **UNTAUGHT)
        means = rows[rows["attractors"] == attractors].groupby("model", observed=True)["value"].mean()
        return span(means, percent)

    def first_attractor() -> str:
        rows = figures.by_attractors(results, "accuracy", model=list(TRANSFORMERS), **UNTAUGHT)
        means = rows.pivot_table(index="model", columns="attractors", values="value", observed=True)
        return span(means[0] - means[1], whole_points)

    def moved(measure: str, of: str, baseline: str) -> str:
        """What another training set changes in the Transformers."""
        changes = (gain(measure, cell(model, data=of), cell(model, data=baseline)) for model in TRANSFORMERS)
        return span(changes, points)

    def deviation(model: str, measure: str = ACCURACY) -> str:
        return points(values(results, measure, cell(model)).std(), 2)

    def on_wikitext(models: Iterable[str]) -> str:
        found = (results.values("ece_20", split="wikitext", **cell(model)).mean() for model in models)
        return span(found, thousandths)

    return {
        "lstm": lambda: percent(mean(A_ACC, cell(STRONG))),
        "weak": lambda: percent(mean(A_ACC, cell(WEAK))),
        "lead": lambda: points(lead()),
        "lead-paper": lambda: points(theirs(A_ACC, cell(STRONG), cell(WEAK))),
        "lead-natural": lambda: points(lead(ACCURACY)),
        "lead-natural-paper": lambda: points(theirs(ACCURACY, cell(STRONG), cell(WEAK))),
        "last": lambda: points(gain(A_ACC, cell(STRONG), cell(SHARED))),
        "first": lambda: _between(difference(results, ACCURACY, cell(SEQUENTIAL), cell(WEAK))),
        "first-a-acc": lambda: _between(difference(results, A_ACC, cell(SEQUENTIAL), cell(WEAK))),
        "first-ece": lambda: thousandths(gain(ECE_PAPER, cell(SEQUENTIAL), cell(WEAK))),
        "second": lambda: points(gain(ACCURACY, cell(SHARED), cell(SEQUENTIAL))),
        "second-ece": lambda: thousandths(gain(ECE_PAPER, cell(SEQUENTIAL), cell(SHARED))),
        "first-ninth": lambda: points(gain(A_ACC, *(cell(each, sentences=size(-3)) for each in (SEQUENTIAL, WEAK)))),
        "second-ninth": lambda: points(gain(A_ACC, *(cell(each, sentences=size(-3)) for each in (SEQUENTIAL, SHARED)))),
        "way": lambda: way(gain),
        "way-paper": lambda: way(theirs),
        "one-attractor": first_attractor,
        "four-attractors": lambda: right(TRANSFORMERS, 4),
        "four-attractors-lstm": lambda: right([STRONG], 4),
        "five-attractors-lstm": lambda: right([STRONG], 5),
        "five-balanced-lstm": lambda: right([STRONG], 5, "balanced_accuracy"),
        "plain-lead": lambda: _between(difference(results, A_ACC, cell(STRONG, data=PLAIN), cell(WEAK, data=PLAIN))),
        "plain-lstm": lambda: points(gain(A_ACC, cell(STRONG), cell(STRONG, data=PLAIN))),
        "plain-behind": lambda: points(gain(A_ACC, cell(SEQUENTIAL, data=PLAIN), cell(STRONG, data=PLAIN))),
        "plain-transformers": lambda: moved(A_ACC, PLAIN, MAIN),
        "plain-natural-lstm": lambda: points(gain(ACCURACY, cell(STRONG), cell(STRONG, data=PLAIN))),
        "third": lambda: points(gain(A_ACC, cell(STRONG, sentences=size(-2)), cell(WEAK))),
        "third-natural": lambda: points(gain(ACCURACY, cell(STRONG, sentences=size(-2)), cell(WEAK))),
        "third-drawn": lambda: points(gain(A_ACC, drawn_cell(STRONG), drawn_cell(WEAK, sentences=FURTHER))),
        "ninth": lambda: percent(mean(A_ACC, cell(STRONG, sentences=size(-3)))),
        "fewest": lambda: points(lead(sentences=size(0))),
        "fewest-grammar": lambda: points(lead(data=GRAMMAR, sentences=measures.sizes(results, GRAMMAR)[0])),
        "lead-third": lambda: points(lead(sentences=size(-2))),
        "lead-ninth": lambda: points(lead(sentences=size(-3))),
        "lead-natural-third": lambda: points(lead(ACCURACY, sentences=size(-2))),
        "lead-natural-ninth": lambda: points(lead(ACCURACY, sentences=size(-3))),
        "lead-natural-fewest": lambda: points(lead(ACCURACY, sentences=size(0))),
        "ece-lstm": lambda: thousandths(mean(ECE_PAPER, cell(STRONG))),
        "ece": lambda: span((mean(ECE_PAPER, cell(model)) for model in TRANSFORMERS), thousandths),
        "ece-20-lstm": lambda: thousandths(mean(ECE, cell(STRONG))),
        "ece-20": lambda: span((mean(ECE, cell(model)) for model in TRANSFORMERS), thousandths),
        "ece-20-wikitext-lstm": lambda: on_wikitext([STRONG]),
        "ece-20-wikitext": lambda: on_wikitext([SEQUENTIAL, SHARED]),
        "ece-worst-20": lambda: thousandths(mean(ECE, cell(WEAK))),
        "ece-worst": lambda: thousandths(mean(ECE_PAPER, cell(SEQUENTIAL))),
        "deviation-lstm": lambda: deviation(STRONG),
        "deviation-weak": lambda: deviation(WEAK),
        "deviation-sequential": lambda: deviation(SEQUENTIAL),
        "deviation-universal": lambda: deviation("Universal Transformer"),
        "deviation-lstm-a-acc": lambda: deviation(STRONG, A_ACC),
        "deviation-weak-a-acc": lambda: deviation(WEAK, A_ACC),
        "rich": lambda: moved(A_ACC, RICH, NATURAL),
        "rich-natural": lambda: moved(ACCURACY, RICH, NATURAL),
        "rich-lstm": lambda: points(gain(A_ACC, cell(STRONG, data=RICH), cell(STRONG, data=NATURAL))),
        "rich-natural-lstm": lambda: points(gain(ACCURACY, cell(STRONG, data=RICH), cell(STRONG, data=NATURAL))),
    }


def inheritance(results: Results) -> Numbers:
    """Numbers of the chapter on teachers and students, with the gap between singular and plural subjects."""
    taught, alone, twin = cell(WEAK, STRONG), cell(WEAK), cell(WEAK, WEAK)
    by_own, by_weak = cell(STRONG, STRONG), cell(STRONG, WEAK)
    long_alone, long_taught, long_lstm = (cell(*each, variant=LONGER) for each in ((WEAK,), (WEAK, STRONG), (STRONG,)))
    gain, theirs = partial(_gain, results), partial(_paper_difference, results)

    def lost(measure: str) -> dict[str, float]:
        return {teacher: gain(measure, cell(STRONG), cell(STRONG, teacher)) for teacher in TRANSFORMERS}

    def lost_share(measure: str) -> list[float]:
        return [ratio(each, gain(measure, cell(STRONG), cell(teacher))) for teacher, each in lost(measure).items()]

    def shared(student: str, teacher: str, whose: int) -> str:
        return thousandths(_overlap(results, student, teacher, whose))

    others = [teacher for teacher in LADDER if teacher != WEAK]
    return {
        "lost": lambda: span(lost(A_ACC).values(), whole_points),
        "lost-share": lambda: span(lost_share(A_ACC), percent),
        "lost-natural": lambda: span(lost(ACCURACY).values(), points),
        "lost-natural-share": lambda: span(lost_share(ACCURACY), percent),
        "harm": lambda: points(gain(A_ACC, by_own, by_weak)),
        "harm-paper": lambda: points(theirs(A_ACC, by_own, by_weak)),
        "own-kind": lambda: points(gain(A_ACC, by_own, cell(STRONG))),
        "univ-lost": lambda: span((gain(A_ACC, cell(SHARED), cell(SHARED, each)) for each in TRANSFORMERS), points),
        "gain": lambda: points(gain(ACCURACY, taught, alone)),
        "gain-paper": lambda: points(theirs(ACCURACY, taught, alone)),
        "gain-univ": lambda: points(gain(ACCURACY, cell(WEAK, SHARED), alone)),
        "gain-twin": lambda: _between(difference(results, ACCURACY, taught, twin)),
        "gain-seq": lambda: _between(difference(results, ACCURACY, cell(SEQUENTIAL, STRONG), cell(SEQUENTIAL))),
        "gain-shared": lambda: points(gain(ACCURACY, cell(SHARED, STRONG), cell(SHARED))),
        "half-twin": lambda: points(theirs(ACCURACY, taught, twin) / 2, 2),
        "a-acc-change": lambda: span((gain(A_ACC, cell(each, STRONG), cell(each)) for each in TRANSFORMERS), points),
        "a-acc-twin": lambda: _between(difference(results, A_ACC, taught, twin)),
        "behind": lambda: span((gain(A_ACC, cell(STRONG), cell(each, STRONG)) for each in TRANSFORMERS), whole_points),
        "ece-twin": lambda: thousandths(gain(ECE_PAPER, twin, taught)),
        "ece-twin-paper": lambda: thousandths(theirs(ECE_PAPER, twin, taught)),
        "ece-20": lambda: span((gain(ECE, alone, cell(WEAK, each)) for each in others), thousandths),
        "ece-20-own": lambda: thousandths(gain(ECE, alone, twin)),
        "overlap-lstm": lambda: shared(STRONG, WEAK, 0),
        "overlap-lstm-taught": lambda: shared(STRONG, WEAK, 1),
        "overlap-lstm-own": lambda: shared(STRONG, WEAK, 2),
        "overlap-weak": lambda: shared(WEAK, STRONG, 0),
        "overlap-weak-taught": lambda: shared(WEAK, STRONG, 1),
        "long-alone": lambda: points(gain(ACCURACY, alone, long_alone)),
        "long-taught": lambda: points(gain(ACCURACY, taught, long_taught)),
        "long-lstm": lambda: points(gain(ACCURACY, cell(STRONG), long_lstm)),
        "long-gain": lambda: points(gain(ACCURACY, long_taught, long_alone)),
        "long-ece": lambda: thousandths(gain(ECE, long_alone, long_taught)),
        "long-ece-alone": lambda: thousandths(gain(ECE, long_alone, alone)),
        "long-ece-taught": lambda: thousandths(gain(ECE, long_taught, taught)),
        "long-a-acc-alone": lambda: points(gain(A_ACC, long_alone, alone)),
        "long-a-acc-taught": lambda: points(gain(A_ACC, long_taught, taught)),
        "long-lead": lambda: points(gain(A_ACC, long_lstm, long_taught)),
        **_number_gaps(results),
    }


def _number_gaps(results: Results) -> Numbers:
    """Gaps between singular and plural subjects: by test, training set, number of sentences and teacher."""

    def gap(model: str, teacher: str = NO_TEACHER, split: str = measures.NATURAL_TEST, **other: Level) -> float:
        return float(measures.number_gap(results, cell(model, teacher, **other), split).mean())

    def with_fewest(model: str) -> float:
        return gap(model, sentences=measures.sizes(results, MAIN)[0])

    def wider(data: str) -> str:
        return _between(measures.wider_number_gap(results, data))

    sequential = (SEQUENTIAL, SHARED)
    return {
        "gap-weak": lambda: points(gap(WEAK)),
        "gap-lstm": lambda: points(gap(STRONG)),
        "gap-transformers": lambda: span(map(gap, TRANSFORMERS), points),
        "gap-wikitext": lambda: span((gap(model, split="wikitext") for model in TRANSFORMERS), whole_points),
        "gap-wikitext-lstm": lambda: whole_points(gap(STRONG, split="wikitext")),
        "gap-attractors": lambda: span((-gap(model, split="attractors") for model in TRANSFORMERS), points),
        "gap-attractors-lstm": lambda: points(gap(STRONG, split="attractors")),
        "gap-fewest": lambda: span(map(with_fewest, TRANSFORMERS), whole_points),
        "gap-fewest-lstm": lambda: whole_points(with_fewest(STRONG)),
        "gap-plain-weak": lambda: points(gap(WEAK, data=PLAIN)),
        "gap-plain-lstm": lambda: points(gap(STRONG, data=PLAIN)),
        "gap-plain-sequential": lambda: span((gap(model, data=PLAIN) for model in sequential), points),
        "gap-taught": lambda: span((gap(STRONG, teacher) for teacher in TRANSFORMERS), points),
        "gap-own-kind": lambda: points(gap(STRONG, STRONG)),
        "gap-weak-taught": lambda: points(gap(WEAK, STRONG)),
        "wider-main": lambda: wider(MAIN),
        "wider-natural": lambda: wider(NATURAL),
        "wider-sample": lambda: wider(SAMPLE),
        "wider-rich": lambda: wider(RICH),
    }


def representations(results: Results) -> Numbers:
    """Numbers of the chapter on what finished models and their paths have in common."""
    similarities, paths = results.table("similarity"), results.table("paths")

    def near(family: str, model: str, teacher: str = NO_TEACHER) -> float:
        return float(measures.nearness(similarities, family, model, teacher).mean())

    def way(teacher: str) -> float:
        """How much of the way to the family of its teacher an LSTM goes that a Transformer taught."""
        stands = near(teacher, STRONG)
        return ratio(near(teacher, STRONG, teacher) - stands, near(teacher, teacher) - stands)

    def alike() -> Iterable[float]:
        square = figures.grouped(similarities, "teacher", models=TRANSFORMERS)
        return square.stack()

    def moved(form: str = "centred") -> str:
        return _plain_between(measures.moved_towards(similarities, STRONG, WEAK, form))

    def of_the_way() -> str:
        step = measures.moved_towards(similarities, STRONG, WEAK).estimate
        return percent(ratio(step, near(STRONG, STRONG) - near(STRONG, WEAK, WEAK)))

    def smooth(teacher: str, kind: str) -> str:
        path = between(paths, model=WEAK, teacher=teacher)
        return decimals(float(smoothness(path, "cosine", kind).mean()))

    return {
        "lstms": lambda: decimals(near(STRONG, STRONG)),
        "weaks": lambda: decimals(near(WEAK, WEAK)),
        "apart": lambda: thousandths(near(STRONG, STRONG) - near(WEAK, WEAK)),
        "transformers": lambda: span((near(STRONG, model) for model in TRANSFORMERS), decimals),
        "panel": lambda: span(alike(), decimals),
        "self-lstm": lambda: thousandths(near(STRONG, STRONG, STRONG) - near(STRONG, STRONG)),
        "self-weak": lambda: thousandths(near(WEAK, WEAK, WEAK) - near(WEAK, WEAK)),
        "student": lambda: decimals(near(STRONG, WEAK, STRONG)),
        "twin": lambda: decimals(near(STRONG, WEAK, WEAK)),
        "moved": moved,
        "moved-cosine": lambda: moved("cosine"),
        "moved-cka": lambda: moved("cka"),
        "of-the-way": of_the_way,
        "lstm-moved": lambda: span(
            (near(teacher, STRONG, teacher) - near(teacher, STRONG) for teacher in TRANSFORMERS), decimals
        ),
        "lstm-way": lambda: span(map(way, TRANSFORMERS), percent),
        "chord-taught": lambda: smooth(STRONG, "chord"),
        "chord-twin": lambda: smooth(WEAK, "chord"),
        "code-taught": lambda: smooth(STRONG, "difference"),
        "code-twin": lambda: smooth(WEAK, "difference"),
    }


def grammar(results: Results) -> Numbers:
    """Numbers of the chapter on generated sentences."""
    gain, mean = partial(_gain, results), partial(_mean, results)
    student, twin = (drawn_cell(WEAK, teacher) for teacher in (STRONG, WEAK))
    student_further, twin_further = (drawn_cell(WEAK, teacher, sentences=FURTHER) for teacher in (STRONG, WEAK))
    taught_further, own_further = (drawn_cell(STRONG, teacher, sentences=FURTHER) for teacher in (WEAK, STRONG))

    def changes() -> Iterable[float]:
        pairs = product(LADDER, LADDER)
        return (gain(A_ACC, drawn_cell(model, teacher), drawn_cell(model)) for model, teacher in pairs)

    def right(model: str, lesson: str) -> str:
        rows = figures.right_behind_attractors(results)
        return percent(rows.loc[(rows["model"] == model) & (rows["lesson"] == lesson), "value"].mean(), 1)

    learnt, further = figures.LESSONS
    return {
        "lstm": lambda: percent(mean(A_ACC, drawn_cell(STRONG)), 1),
        "transformers": lambda: span((mean(A_ACC, drawn_cell(model)) for model in TRANSFORMERS), percent),
        "weak": lambda: percent(mean(A_ACC, drawn_cell(WEAK))),
        "lead": lambda: points(gain(A_ACC, drawn_cell(STRONG), drawn_cell(WEAK))),
        "lead-real": lambda: points(gain(A_ACC, cell(STRONG), cell(WEAK))),
        "first": lambda: points(gain(A_ACC, drawn_cell(SEQUENTIAL), drawn_cell(WEAK))),
        "second": lambda: _between(difference(results, A_ACC, drawn_cell(SHARED), drawn_cell(SEQUENTIAL))),
        "last": lambda: points(gain(A_ACC, drawn_cell(STRONG), drawn_cell(SHARED))),
        "changes": lambda: span(changes(), points),
        "by-weak": lambda: percent(mean(A_ACC, drawn_cell(STRONG, WEAK)), 1),
        "by-lstm": lambda: percent(mean(A_ACC, drawn_cell(STRONG, STRONG)), 1),
        "gain": lambda: _between(difference(results, A_ACC, student, twin)),
        "learnt-weak": lambda: right(WEAK, learnt),
        "further-weak": lambda: right(WEAK, further),
        "further-lstm": lambda: right(STRONG, further),
        "gain-further": lambda: points(gain(A_ACC, student_further, twin_further), 0),
        "gain-share": lambda: percent(
            ratio(gain(A_ACC, student_further, twin_further), gain(A_ACC, drawn_cell(STRONG), twin_further))
        ),
        "student-further": lambda: percent(mean(A_ACC, student_further)),
        "labels-further": lambda: percent(mean(A_ACC, drawn_cell(WEAK, sentences=FURTHER))),
        "lost-further": lambda: points(gain(A_ACC, own_further, taught_further), 0),
        "lost-share": lambda: percent(
            ratio(gain(A_ACC, own_further, taught_further), gain(A_ACC, own_further, drawn_cell(WEAK)))
        ),
        "behind": lambda: points(gain(A_ACC, drawn_cell(STRONG), drawn_cell(WEAK, sentences=FURTHER)), 0),
    }


def _mean(results: Results, measure: str, of: Mapping[str, Level]) -> float:
    return float(values(results, measure, of).mean())


def _gain(results: Results, measure: str, of: Mapping[str, Level], baseline: Mapping[str, Level]) -> float:
    return difference(results, measure, of, baseline).estimate


def _paper_difference(results: Results, measure: str, of: Mapping[str, Level], baseline: Mapping[str, Level]) -> float:
    ours, theirs = (measures.paper(results, measure, each)[0] for each in (of, baseline))
    return ours - theirs


def _overlap(results: Results, student: str, teacher: str, whose: int) -> float:
    """Equal answers beyond chance on sentences with attractors, for one of :data:`figures.WHOSE`."""
    rows = figures.equal_answers(results.table("error_overlap")).query("split == 'attractors'")
    rows = rows[(rows["model"] == student) & (rows["compared"] == teacher) & (rows["whose"] == figures.WHOSE[whose])]
    return float(rows["value"].mean())


def _between(found: Contrast) -> str:
    return points_between(found.estimate, found.low, found.high)


def _plain_between(found: Contrast) -> str:
    """An estimate with its interval, of what is no share."""
    return with_interval(found.estimate, found.low, found.high, 3)
