"""What is measured: differences of two cells, paired wherever they share something random, and tidy frames of parts."""

import math
from collections.abc import Iterable, Mapping, Sequence

import pandas as pd

from inductive_bias.formatting import short
from inductive_bias.studies.agreement.design import ALONE, SIZES, WHOLE, cell
from inductive_bias.studies.agreement.parts import LADDER, MAIN, MODELS, WEAK
from inductive_bias.studies.design import NO_TEACHER, Cell, Level
from inductive_bias.studies.frames import listed, mean_std, whole
from inductive_bias.studies.results import Results, Wanted
from inductive_bias.studies.searching import STANDARD, TUNING
from inductive_bias.trials import Trial
from inductive_bias.verdicts import (
    Contrast,
    HalfOf,
    Judgement,
    after_looks,
    half_of,
    paired,
    partners,
    single,
    spread,
    unpaired,
)

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
BOTH_WAYS, LEFT_TO_RIGHT = "both ways", "left to right"
OWN, ONE = "a block for each layer", "one block for all layers"
#: What may stand between subject and verb, and the test that knows it.
BETWEEN = {"attractors": "attractors", "intervening": "wikipedia", "distance": "wikipedia"}
#: So many examples a point of a curve has at least: fewer say little.
LEAST_EXAMPLES = 50
#: Whose answers a model's are compared with: equal data, equal architecture, the very network.
WHOSE = ("student without teacher", "taught, another seed's teacher", "taught, its own teacher")


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
    if any(of[factor] != level for factor, level in WHOLE.items()):
        return math.nan, math.nan
    return results.reported(metric, split=split, model=of["model"], teacher=of["teacher"]) or (math.nan, math.nan)


def half_reported(results: Results, measure: str, of: Cell, baseline: Cell) -> HalfOf:
    """Half of what the paper reports of a cell against another: a margin for the difference of the same two alone.

    Raises:
        ValueError: if the paper reports nothing of one of them.
    """
    first, second = (paper(results, measure, each)[0] for each in (of, baseline))
    return half_of(first - second, compared=tuple(results.design.name(each) for each in (of, baseline)))


def looked(results: Results, judgement: Judgement, looks: tuple[int, ...]) -> Judgement:
    """The judgement, which at the published scale pays for the numbers of runs at which the data were looked at."""
    return after_looks(judgement, looks) if results.scale == "laptop" else judgement


def there(results: Results, measures: Iterable[str] = MEASURES) -> list[str]:
    """Those measures that the scale has: the generated stand-in has no second natural test."""
    return [name for name in measures if results.has(MEASURES[name][1], split=MEASURES[name][0], model=LADDER, **ALONE)]


def measured(results: Results, measures: Iterable[str], **levels: Wanted) -> pd.DataFrame:
    """Every seed of several measures, as :meth:`Results.frame` gives them, with the column ``measure``."""
    names = there(results, measures)
    places = (MEASURES[name] for name in names)
    parts = [results.frame(metric, split=split, **levels) for split, metric in places]
    frame = pd.concat([part.assign(measure=name) for name, part in zip(names, parts, strict=True)], ignore_index=True)
    return frame.assign(measure=pd.Categorical(frame["measure"], names, ordered=True))


def conditions(results: Results, measures: Sequence[str], cells: Mapping[str, Cell]) -> pd.DataFrame:
    """The same of named cells, with the column ``condition``; a cell that the scale does not have is left out."""
    known = {words: each for words, each in cells.items() if each in results.cells}
    parts = [measured(results, measures, **each).assign(condition=words) for words, each in known.items()]
    return pd.concat(parts, ignore_index=True)


def differences(results: Results, measures: Sequence[str], pairs: Mapping[str, tuple[Cell, Cell]]) -> pd.DataFrame:
    """Differences of cells, one row a pair (if the scale has both) and one column a measure."""
    known = {words: pair for words, pair in pairs.items() if set(pair) <= set(results.cells)}
    rows = [[words, *(difference(results, name, *pair) for name in measures)] for words, pair in known.items()]
    return pd.DataFrame(rows, columns=["compared", *measures])


def beside_paper(results: Results, frame: pd.DataFrame) -> pd.DataFrame:
    """Mean ± standard deviation here and in the paper, and every seed: one row a measure, model and teacher."""
    rows = []
    for (measure, model, teacher), runs in frame.groupby(["measure", "model", "teacher"], observed=True):
        mean, std = paper(results, measure, cell(model, teacher))
        words = "–" if math.isnan(mean) else f"{mean:.4f}" if math.isnan(std) else f"{mean:.4f} ± {std:.4f}"
        rows.append(
            {
                "measure": measure,
                "model": short(model),
                "teacher": short(teacher),
                "here": mean_std(runs["value"]),
                "paper": whole(words),
                "every seed": listed(runs["value"]),
            }
        )
    return pd.DataFrame(rows)


def by_attractors(results: Results, metric: str, **levels: Wanted) -> pd.DataFrame:
    """A metric by the number of attractors; where that test begins at one, the natural test is 0, as in the A-acc."""
    rows = results.frame(metric, split="attractors", by="attractors", **levels)
    if (rows["attractors"] == 0).any():
        return rows
    natural = results.frame(metric, split="test", **levels).assign(attractors=0.0)
    return pd.concat([natural, rows], ignore_index=True)


def between(results: Results, way: str, **levels: Wanted) -> pd.DataFrame:
    """Accuracy by one of :data:`BETWEEN`, where there are enough examples, if there are anywhere.

    Empty where no test knows it.
    """
    split = BETWEEN[way]
    if not results.has("accuracy", split=split, by=way, **levels):
        return pd.DataFrame(columns=[way, "model", "number", "value"])
    if way == "attractors":
        rows = by_attractors(results, "accuracy", **levels)
    else:
        rows = results.frame("accuracy", split=split, by=way, **levels)
    counts = results.frame("n", split=split, by=way, **levels).groupby(way)["value"].first()
    few = counts.index[counts < LEAST_EXAMPLES]
    return rows if len(few) == len(counts) else rows[~rows[way].isin(few)]


def searched(results: Results, data: str = MAIN) -> pd.DataFrame:
    """Validation accuracy at every place of a training set's grid: a row per model and rate, a column per dropout.

    ✓ marks what the models were given.
    """
    search = {"split": "validation", "variant": TUNING, "data": data}
    if not results.has("accuracy", **search):
        return pd.DataFrame(columns=["model", "rate"])
    rows = results.frame("accuracy", **search)
    settings = SIZES[results.scale].parts[data].settings
    chosen = [settings.get(each.model) == (each.rate, each.dropout) for each in rows.itertuples()]
    rows["shown"] = [f"{value:.4f}" + " ✓" * ticked for value, ticked in zip(rows["value"], chosen, strict=True)]
    rows["order"] = rows["model"].map(MODELS.index).astype(int)
    table = rows.pivot(index=["order", "model", "rate"], columns="dropout", values="shown").fillna("")
    table = table.rename(columns="dropout {:g}".format).reset_index().drop(columns="order")
    return table.rename_axis(columns=None).assign(
        model=table["model"].map(short), rate=table["rate"].map("{:g}".format)
    )


def attractor_counts(results: Results) -> dict[int, int]:
    """How many examples are behind each number of attractors in :func:`by_attractors`."""
    rows = results.frame("n", split="attractors", by="attractors", model=WEAK, **ALONE)
    counts = rows.groupby("attractors")["value"].first()
    if 0 not in counts:
        bins = results.frame("reliability_count", split="test", by="bin", model=WEAK, **ALONE)
        counts = pd.concat([pd.Series({0.0: bins.loc[bins["number"] == 0, "value"].sum()}), counts])
    return {int(count): int(n) for count, n in counts.items()}


def with_training_size(results: Results, frame: pd.DataFrame) -> pd.DataFrame:
    """The frame with ``n``, the sentences that each run has learnt from."""
    sizes = results.frame("n", split="train").set_index("trial")["value"]
    return frame.assign(n=frame["trial"].map(sizes).astype(int))


def as_choices(frame: pd.DataFrame) -> pd.DataFrame:
    """The four Transformers as two choices: ``attention`` (may it look ahead?) and ``blocks`` (one for each layer?)."""
    specs = [SIZES["paper"].models[model] for model in frame["model"]]
    attention = [LEFT_TO_RIGHT if spec.causal else BOTH_WAYS for spec in specs]
    return frame.assign(attention=attention, blocks=[ONE if spec.shared else OWN for spec in specs])


def effects(frame: pd.DataFrame) -> pd.DataFrame:
    """Effect of each choice and of both together: one row an effect, one column a ``measure``.

    A contrast is taken within a seed (the four models share its order of sentences), where all four have a run of it.
    The interaction is how much more sharing does where attention looks only back.
    """
    columns = {}
    for measure, runs in as_choices(frame).groupby("measure", observed=True):
        complete = runs.groupby("number")["model"].transform("nunique") == runs["model"].nunique()
        seeds = runs[complete].pivot(index="number", columns=["attention", "blocks"], values="value").fillna(FAILED)
        back, ahead = seeds[LEFT_TO_RIGHT], seeds[BOTH_WAYS]
        found = {
            "reading left to right": (back - ahead).mean(axis=1),
            "sharing one block": (back[ONE] - back[OWN] + ahead[ONE] - ahead[OWN]) / 2,
            "interaction": back[ONE] - back[OWN] - (ahead[ONE] - ahead[OWN]),
        }
        columns[measure] = {name: str(single(by_seed, name=name, unit=measure)) for name, by_seed in found.items()}
    return pd.DataFrame(columns).rename_axis("effect").reset_index()


def equal_answers(overlap: pd.DataFrame) -> pd.DataFrame:
    """Of the table ``error_overlap``: answers in common with a teacher, beyond what such accuracies share by chance.

    Columns ``model, compared`` (the teacher's model), ``split, whose`` (one of `WHOSE`), ``number, value``.
    """
    alone = overlap[overlap["teacher"] == NO_TEACHER]
    taught = overlap[(overlap["teacher"] != NO_TEACHER) & (overlap["variant"] == STANDARD)]
    own, other = "agreement_with_teacher", "agreement_with_other_teacher"
    parts = zip(WHOSE, (alone, taught, taught), (own, other, own), strict=True)
    parts = [rows.assign(whose=whose, value=rows[column] - rows["chance"]) for whose, rows, column in parts]
    found = pd.concat(parts, ignore_index=True)
    for name, levels in {"model": LADDER, "compared": LADDER, "whose": WHOSE}.items():
        found[name] = pd.Categorical(found[name].astype(str), levels, ordered=True)
    return found[["model", "compared", "split", "whose", "number", "value"]]
