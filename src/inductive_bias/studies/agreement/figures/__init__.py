"""What the pages draw and print, as tidy frames."""

import math
from collections.abc import Mapping, Sequence

import pandas as pd

from inductive_bias.formatting import short
from inductive_bias.studies.agreement.design import LADDER, MAIN, MODELS, STANDARD, STRONG, TUNING, UNTAUGHT, WEAK, cell
from inductive_bias.studies.agreement.measures import (
    FAILED,
    NUMBERS,
    UNLIKE,
    accuracy_by_number,
    difference,
    measured,
    moved_towards,
    nearer_to_own_teacher,
    nearness,
    own_number_gap,
    paper,
)
from inductive_bias.studies.design import NO_TEACHER, Cell
from inductive_bias.studies.frames import listed, mean_std, whole
from inductive_bias.studies.results import Results, Wanted
from inductive_bias.verdicts import single, unpaired

BOTH_WAYS, LEFT_TO_RIGHT = "both ways", "left to right"
OWN_BLOCKS, ONE_BLOCK = "a block for each layer", "one block for all layers"
#: What may stand between subject and verb, and the test that knows it.
BETWEEN = {"attractors": "attractors", "intervening": "wikipedia", "distance": "wikipedia"}
#: So many examples a point of a curve has at least: fewer say little.
LEAST_EXAMPLES = 50
#: Sentences that a teacher learnt from itself, and those that it has not read; see the table ``lessons``.
LESSONS = ("learnt from", "further")
#: Whose answers a model's are compared with: equal data, equal architecture, the very network.
WHOSE = ("student without teacher", "taught, another seed's teacher", "taught, its own teacher")


def conditions(results: Results, measures: Sequence[str], cells: Mapping[str, Cell]) -> pd.DataFrame:
    """Every seed of several measures of named cells, with the column ``condition``.

    A cell that the scale does not have is left out.
    """
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
    if results.search.rows.empty:
        return pd.DataFrame(columns=["model", "rate"])
    found = TUNING.scores(results.search).query("data == @data")
    found["words"] = [f"{row.score:.4f}" + " ✓" * row.chosen for row in found.itertuples()]
    found["model"] = pd.Categorical(found["model"], MODELS, ordered=True)
    table = found.pivot(index=["model", "learning_rate"], columns="dropout", values="words").sort_index().fillna("")
    table = table.rename(columns="dropout {:g}".format).reset_index().rename(columns={"learning_rate": "rate"})
    return table.rename_axis(columns=None).assign(
        model=table["model"].map(short).astype(object), rate=table["rate"].map("{:g}".format)
    )


def attractor_counts(results: Results) -> dict[int, int]:
    """How many examples are behind each number of attractors in :func:`by_attractors`."""
    known = {"model": WEAK, **UNTAUGHT}
    rows = results.frame("n", split="attractors", by="attractors", **known)
    counts = rows.groupby("attractors")["value"].first()
    if 0 not in counts:
        bins = results.frame("reliability_count", split="test", by="bin", **known)
        counts = pd.concat([pd.Series({0.0: bins.loc[bins["number"] == 0, "value"].sum()}), counts])
    return {int(count): int(n) for count, n in counts.items()}


def with_training_size(results: Results, frame: pd.DataFrame) -> pd.DataFrame:
    """The frame with ``n``, the sentences that each run has learnt from."""
    sizes = results.frame("n", split="train").set_index("trial")["value"]
    return frame.assign(n=frame["trial"].map(sizes).astype(int))


def as_choices(frame: pd.DataFrame) -> pd.DataFrame:
    """Four Transformers as two choices: ``attention`` (may it look ahead?) and ``blocks`` (one for each layer?).

    Args:
        frame: their runs, with the settings ``model.causal`` and ``model.shared``.
    """
    attention = [LEFT_TO_RIGHT if causal else BOTH_WAYS for causal in frame["model.causal"]]
    blocks = [ONE_BLOCK if shared else OWN_BLOCKS for shared in frame["model.shared"]]
    return frame.assign(attention=attention, blocks=blocks)


def effects(frame: pd.DataFrame) -> pd.DataFrame:
    """Effect of each of the two :func:`as_choices` and of both together: one row an effect, one column a ``measure``.

    A contrast is taken within a seed (the four models share its order of sentences), where all four have a run of it.
    The interaction is how much more sharing does where attention looks only back.
    """
    columns = {}
    for measure, runs in frame.groupby("measure", observed=True):
        complete = runs.groupby("number")["model"].transform("nunique") == runs["model"].nunique()
        seeds = runs[complete].pivot(index="number", columns=["attention", "blocks"], values="value").fillna(FAILED)
        back, ahead = seeds[LEFT_TO_RIGHT], seeds[BOTH_WAYS]
        found = {
            "reading left to right": (back - ahead).mean(axis=1),
            "sharing one block": (back[ONE_BLOCK] - back[OWN_BLOCKS] + ahead[ONE_BLOCK] - ahead[OWN_BLOCKS]) / 2,
            "interaction": back[ONE_BLOCK] - back[OWN_BLOCKS] - (ahead[ONE_BLOCK] - ahead[OWN_BLOCKS]),
        }
        columns[measure] = {name: str(single(by_seed, name=name, unit=measure)) for name, by_seed in found.items()}
    return pd.DataFrame(columns).rename_axis("effect").reset_index()


def equal_answers(overlap: pd.DataFrame) -> pd.DataFrame:
    """Answers in common with a teacher beyond what such accuracies share by chance, from the table ``error_overlap``.

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


def who_is_right(table: pd.DataFrame) -> pd.DataFrame:
    """Shares of the sentences of each attractor count by which model is right in more than half of its seeds."""
    strong, weak = (table[f"{column}_right"] > table["seeds"] / 2 for column in ("lstm", "transformer"))
    kinds = {
        "both": strong & weak,
        f"only the {STRONG}": strong & ~weak,
        f"only the {WEAK}": ~strong & weak,
        "neither": ~strong & ~weak,
    }
    groups = pd.DataFrame(kinds).groupby(table["attractors"])
    return groups.mean().reset_index().assign(sentences=groups.size().to_numpy())


def separating(table: pd.DataFrame, *, counts: tuple[int, ...] = (1, 2, 3), each: int = 1) -> pd.DataFrame:
    """Sentences on which the models' probabilities of the right verb differ most, for each count and direction.

    Of sentences that differ equally the shortest come first. The columns are those of a page.
    """
    ahead = table[table["attractors"].isin(counts)].assign(
        ahead=table["lstm"] - table["transformer"],
        length=table["preamble"].str.len(),
        sentence=table["preamble"] + " …",
        verbs=table["verb"] + " / " + table["wrong_verb"],
    )
    sides = (ahead.sort_values(["ahead", "length"], ascending=[ascending, True]) for ascending in (False, True))
    found = pd.concat(
        [side.groupby("attractors").head(each).sort_values("attractors", kind="stable") for side in sides]
    )
    names = {"verbs": "right / wrong", "lstm": STRONG, "transformer": WEAK}
    columns = ["sentence", "verbs", "attractors", "lstm", "transformer"]
    return found[columns].rename(columns=names).reset_index(drop=True)


def fairness_table(results: Results, splits: Mapping[str, str], models: Sequence[str]) -> pd.DataFrame:
    """A row per test and model that learnt alone: share of singular sentences, both accuracies and the gap."""
    rows = []
    for split, words in splits.items():
        for model in models:
            runs = accuracy_by_number(results, split, **cell(model))
            if runs.empty:
                continue
            means = runs.groupby("subject", observed=True)["value"].mean()
            rows.append(
                {
                    "test": words,
                    "model": short(model),
                    "share singular": f"{runs['share'].iloc[0]:.0%}",
                    **{f"right on {name}": f"{means[name]:.3f}" for name in NUMBERS},
                    "gap": str(own_number_gap(results, cell(model), split)),
                }
            )
    return pd.DataFrame(rows)


def towards_teachers(similarities: pd.DataFrame, form: str = "centred") -> pd.DataFrame:
    """All pairs: how similar to its teacher's family a model of the student's kind is ``alone``, and ``taught`` by it.

    With contrasts: ``against alone`` (groups), ``against its twin`` (pairs; None of a twin), ``own − siblings``.
    """
    rows = []
    for teacher in LADDER:
        for student in LADDER:
            taught, alone = (nearness(similarities, teacher, student, each, form) for each in (teacher, NO_TEACHER))
            other = student != teacher
            change = unpaired(taught, alone, name="taught − alone", unit="similarity", failed_value=UNLIKE)
            rows.append(
                {
                    "student": student,
                    "teacher": teacher,
                    "alone": alone.mean(),
                    "taught": taught.mean(),
                    "against alone": change,
                    "against its twin": moved_towards(similarities, teacher, student, form) if other else None,
                    "own − siblings": nearer_to_own_teacher(similarities, teacher, student, form),
                }
            )
    return pd.DataFrame(rows)


def grouped(
    similarities: pd.DataFrame, by: str, *, models: Sequence[str] = LADDER, form: str = "centred"
) -> pd.DataFrame:
    """Mean similarity of two models of two groups, a square: ``by`` architecture (``model``) or by ``teacher``.

    Models of one architecture and one seed, which have the same first weights, and each with itself are left out.
    """
    rows = similarities[similarities["form"] == form]
    for end in ("model_a", "model_b"):
        rows = rows[rows[end].isin(models)]
    twins = (rows["model_a"].astype(str) == rows["model_b"].astype(str)) & (rows["seed_a"] == rows["seed_b"])
    levels = [name for name in rows[f"{by}_a"].cat.categories if (rows[f"{by}_a"] == name).any()]
    square = rows[~twins].pivot_table(index=f"{by}_a", columns=f"{by}_b", values="value", observed=True)
    return square.reindex(index=levels, columns=levels).rename_axis(index=None, columns=None)


def right_behind_attractors(results: Results) -> pd.DataFrame:
    """Share of the sentences with an attractor of which a teacher is right: one row a teacher and kind of sentences.

    Columns ``model, number, lesson, value``.
    """
    rows = results.table("lessons")
    rows = rows[rows["attractors"] > 0].assign(hits=rows["n"] * rows["right"])
    found = rows.groupby(["model", "number", "lesson"], observed=True)[["hits", "n"]].sum().reset_index()
    found["lesson"] = pd.Categorical(found["lesson"], LESSONS, ordered=True)
    return found.assign(value=found["hits"] / found["n"]).sort_values(["model", "lesson", "number"])
