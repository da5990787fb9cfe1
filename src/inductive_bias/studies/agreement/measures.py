"""What is measured: differences of two cells, paired wherever they share something random; gaps; similarities.

**Gaps between numbers.** Runs keep the accuracy of a test set, its balanced accuracy, and the share of its sentences
whose subject is singular. The accuracies on the two kinds of sentence follow: with share p, a = p·s + (1 − p)·l and
b = (s + l) / 2 are two equations for the accuracies s on singular and l on plural subjects.

**Similarities.** Students of one architecture and number share their initial weights and the order of their batches,
whoever teaches them: a student and its *twin*, which its own kind taught, are compared in pairs. Models that learnt
alone start elsewhere, so that they are compared with students as groups. Runs are compared with those of their block of
:data:`~inductive_bias.studies.agreement.design.BLOCK` numbers, so that the runs of a block share whom they are compared
with: alone of their own kind, two models give one similarity twice. What is drawn anew is the block. A value is the
mean over the runs of a block.
"""

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence

import pandas as pd

from inductive_bias.analysis.geometry import similarity_to
from inductive_bias.formatting import short
from inductive_bias.studies.agreement.design import (
    BLOCK,
    DRAWN,
    LADDER,
    MAIN,
    NATURAL,
    RICH,
    SAMPLE,
    STRONG,
    UNTAUGHT,
    WEAK,
    WHOLE_MAIN_SET,
    cell,
)
from inductive_bias.studies.design import NO_TEACHER, Cell, Level
from inductive_bias.studies.results import Results, Wanted
from inductive_bias.trials import Trial
from inductive_bias.verdicts import Contrast, HalfOf, half_of, paired, partners, single, spread, unpaired

#: By the words of the pages: the test set, and the metric. ``test`` has Linzen's natural distribution; A-acc is the
#: unweighted mean of the accuracies by number of attractors.
MEASURES = {
    "accuracy, natural test": ("test", "accuracy"),
    "accuracy, WikiText-2": ("wikitext", "accuracy"),
    "A-acc": ("attractors", "a_accuracy"),
    "ECE, 10⁶ bins": ("test", "ece_1e6"),
    "ECE, 20 bins": ("test", "ece_20"),
}
ACCURACY, _, A_ACC, ECE_PAPER, ECE = MEASURES
#: A run that diverged counts as one that answers by chance and is sure of it: half right, and off by half.
FAILED = 0.5
#: What a student gains by having a teacher at all.
AGAINST_ALONE = "minus the student alone"
#: What is asked of students, and whether more of it is better.
BETTER = {ACCURACY: 1, A_ACC: 1, ECE_PAPER: -1, ECE: -1}
SINGULAR, PLURAL = NUMBERS = ("singular", "plural")
#: Training sets that Q30b is judged on: their runs were there before the rule, and nobody had looked at them by number.
FAIRNESS_SETS = (NATURAL, SAMPLE, RICH)
#: What the gap is measured on: sentences as they come.
NATURAL_TEST, GAP_UNIT = "test", "accuracy on singular − on plural subjects"
#: Of a gap, a diverged run answers one number alone or guesses: its accuracy on both is taken to be equal.
GAP_FAILED = 0.0
#: Two shares nearer to one half than this leave the two equations all but equal.
EVEN = 1e-3
#: What a diverged run counts as where similarities are asked for: it resembles nobody.
UNLIKE = 0.0


def values(results: Results, measure: str, of: Mapping[str, Level]) -> pd.Series:
    """Every seed of a cell, by number."""
    split, metric = MEASURES[measure]
    return results.values(metric, split=split, **of)


def difference(results: Results, measure: str, of: Cell, baseline: Cell) -> Contrast:
    """A cell minus another; paired by number if what is random is common to the runs of one number."""
    name = " − ".join(short(results.design.name(each)) for each in (of, baseline))
    told = {"name": name, "unit": measure, "failed_value": FAILED}
    ours, theirs = (values(results, measure, each) for each in (of, baseline))
    if not all(share(a, b) for a, b in zip(results.cells[of], results.cells[baseline], strict=False)):
        return unpaired(ours, theirs, **told)
    return paired(*partners(ours, theirs), **told)


def spread_ratio(results: Results, measure: str, wide: Cell, narrow: Cell) -> Contrast:
    """How many octaves the seeds of a cell are further apart than those of another."""
    name = " / ".join(short(results.design.name(each)) for each in (wide, narrow))
    runs = (values(results, measure, each) for each in (wide, narrow))
    unit = f"log₂ of the ratio of mean distances from the median, {measure}"
    return spread(*runs, name=name, unit=unit, failed_value=FAILED)


def share(a: Trial, b: Trial) -> bool:
    """Whether one teaches the other, or both have a seed and with it their first weights or the order of sentences.

    Or sentences that were drawn for their number, be it more of them or fewer.
    """
    drawn = 0 < getattr(a.task, "data_seed", 0) == getattr(b.task, "data_seed", 0)
    alike = a.seed == b.seed and (a.model == b.model or a.task == b.task)
    return b == a.teacher or a == b.teacher or alike or drawn


def paper(results: Results, measure: str, of: Mapping[str, Level]) -> tuple[float, float]:
    """Mean and standard deviation in the paper; NaN where it reports none."""
    split, metric = MEASURES[measure]
    if any(of[factor] != level for factor, level in WHOLE_MAIN_SET.items()):
        return math.nan, math.nan
    return results.reported(metric, split=split, model=of["model"], teacher=of["teacher"]) or (math.nan, math.nan)


def half_reported(results: Results, measure: str, of: Cell, baseline: Cell) -> HalfOf:
    """Half of what the paper reports of a cell against another: a margin for the difference of the same two alone.

    Raises:
        ValueError: if the paper reports nothing of one of them.
    """
    first, second = (paper(results, measure, each)[0] for each in (of, baseline))
    return half_of(first - second, compared=tuple(results.design.name(each) for each in (of, baseline)))


def available(results: Results, measures: Iterable[str] = MEASURES) -> list[str]:
    """Measures that the scale has, of the named ones: the generated stand-in has no second natural test."""
    return [
        name for name in measures if results.has(MEASURES[name][1], split=MEASURES[name][0], model=LADDER, **UNTAUGHT)
    ]


def measured(results: Results, measures: Iterable[str], **levels: Wanted) -> pd.DataFrame:
    """Every seed of several measures, as :meth:`Results.frame` gives them, with the column ``measure``."""
    names = available(results, measures)
    places = (MEASURES[name] for name in names)
    parts = [results.frame(metric, split=split, **levels) for split, metric in places]
    frame = pd.concat([part.assign(measure=name) for name, part in zip(names, parts, strict=True)], ignore_index=True)
    return frame.assign(measure=pd.Categorical(frame["measure"], names, ordered=True))


def teacher_effects(
    results: Results, *, only: str | None = None, data: str = MAIN, asked: Sequence[str] = tuple(BETTER)
) -> pd.DataFrame:
    """Every taught student minus each of its :func:`baselines`, or ``only`` one, with the package's 95 % intervals."""
    rows = []
    for student in LADDER:
        for teacher in LADDER:
            for words, baseline in baselines(student, teacher, data):
                if only not in (None, words):
                    continue
                for measure in asked:
                    found = difference(results, measure, cell(student, teacher, data=data), baseline)
                    rows.append((teacher, student, measure, words, found.estimate, found.low, found.high, str(found)))
    columns = ["teacher", "student", "measure", "baseline", "estimate", "low", "high", "text"]
    return pd.DataFrame(rows, columns=columns)


def baselines(student: str, teacher: str, data: str = MAIN) -> Iterator[tuple[str, Cell]]:
    """What a taught student is compared with; for a teacher of its own kind the first is all there is."""
    yield AGAINST_ALONE, cell(student, data=data)
    if teacher != student:
        yield "minus taught by own kind", cell(student, student, data=data)
        yield "minus its teacher", cell(teacher, data=data)


def sizes(results: Results, data: str) -> list[int | None]:
    """Levels of ``sentences`` of a training set, from the smallest to the largest, which may be the whole of a file."""
    levels = {each["sentences"] for each in results.cells}
    swept = {level: results.cells.get(cell(WEAK, data=data, sentences=level)) for level in levels}
    known = {level: trials[0].task.train_size or math.inf for level, trials in swept.items() if trials}
    return sorted(known, key=known.__getitem__)


def drawn_data(results: Results) -> str:
    """The training set of a scale that has generated sentences."""
    return DRAWN if DRAWN in {each["data"] for each in results.cells} else MAIN


def accuracy_by_number(results: Results, split: str, **levels: Wanted) -> pd.DataFrame:
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


def number_gaps(results: Results, split: str, **levels: Wanted) -> pd.DataFrame:
    """How much better each run is on singular than on plural subjects: the tidy frame, ``value`` the difference."""
    rows = accuracy_by_number(results, split, **levels)
    singular, plural = (rows[rows["subject"] == subject] for subject in NUMBERS)
    other = plural.set_index("trial")["value"].reindex(singular["trial"]).to_numpy()
    return singular.drop(columns=["subject", "share"]).assign(value=singular["value"] - other)


def number_gap(results: Results, of: Mapping[str, Level], split: str = NATURAL_TEST) -> pd.Series:
    """How much better each run of one cell is on singular than on plural subjects, by number of the run."""
    return number_gaps(results, split, **of).set_index("number")["value"].rename_axis(None)


def own_number_gap(results: Results, of: Mapping[str, Level], split: str = NATURAL_TEST) -> Contrast:
    """The gap of one cell as a contrast with nothing."""
    name = short(results.design.name(of))
    return single(number_gap(results, of, split), name=name, unit=GAP_UNIT, failed_value=GAP_FAILED)


def wider_number_gap(results: Results, data: str, split: str = NATURAL_TEST) -> Contrast:
    """How much wider a bidirectional Transformer's gap between numbers is than that of the LSTM of its number."""
    two = (number_gap(results, cell(model, data=data), split) for model in (WEAK, STRONG))
    name = f"{short(WEAK)} − {short(STRONG)}" + f", {data}" * (data != MAIN)
    return paired(*two, name=name, unit=GAP_UNIT, failed_value=GAP_FAILED)


def nearness(similarities: pd.DataFrame, family: str, model: str, teacher: str, form: str = "centred") -> pd.Series:
    """Mean similarity of the runs of a cell to a ``family`` that learnt alone (each itself left out), by block."""
    rows = similarity_to(similarities, form, model=family, **UNTAUGHT)
    rows = rows[(rows["model"] == model) & (rows["teacher"] == teacher)]
    return by_block(rows.set_index("number")["value"])


def by_block(values: pd.Series) -> pd.Series:
    """The mean over the runs of each block, from the value of each number; a diverged run counts as :data:`UNLIKE`."""
    return values.fillna(UNLIKE).groupby(values.index // BLOCK).mean()


def moved_towards(similarities: pd.DataFrame, family: str, model: str, form: str = "centred") -> Contrast:
    """How much nearer to its teacher's family a student is than its twin."""
    blocks = (nearness(similarities, family, model, teacher, form) for teacher in (family, model))
    name, unit = f"{short(model)} by {short(family)} − its twin", f"similarity ({form}) to {short(family)}s"
    return paired(*blocks, name=name, unit=unit, failed_value=UNLIKE)


def nearer_to_own_teacher(similarities: pd.DataFrame, family: str, model: str, form: str = "centred") -> Contrast:
    """How much more like its own teacher a student is than like the other seeds of that teacher's cell."""
    rows = similarities[similarities["form"] == form]
    for name, level in {"model_a": model, "teacher_a": family, "model_b": family, "teacher_b": NO_TEACHER}.items():
        rows = rows[rows[name] == level]
    same = rows["number_a"] == rows["number_b"]
    blocks = (by_block(part.groupby("number_a")["value"].mean()) for part in (rows[same], rows[~same]))
    return paired(*blocks, name="own teacher − its siblings", unit=f"similarity ({form})", failed_value=UNLIKE)
