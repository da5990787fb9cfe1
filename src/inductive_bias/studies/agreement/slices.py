"""The ladder's numbers taken apart: by attractors, by training set, by two choices, by equal answers."""

import pandas as pd

from inductive_bias.studies.agreement.design import ALONE, LADDER, SIZES, STANDARD, WEAK
from inductive_bias.studies.agreement.measures import FAILED
from inductive_bias.studies.design import NO_TEACHER
from inductive_bias.studies.results import Results, Wanted
from inductive_bias.verdicts import single

BOTH_WAYS, LEFT_TO_RIGHT = "both ways", "left to right"
OWN, ONE = "a block for each layer", "one block for all layers"
#: Whose answers a model's are compared with: equal data, equal architecture, the very network.
WHOSE = ("student without teacher", "taught, another seed's teacher", "taught, its own teacher")


def by_attractors(results: Results, metric: str, **levels: Wanted) -> pd.DataFrame:
    """A metric by the number of attractors; where that test begins at one, the natural test is 0, as in the A-acc."""
    rows = results.frame(metric, split="attractors", by="attractors", **levels)
    if (rows["attractors"] == 0).any():
        return rows
    natural = results.frame(metric, split="test", **levels).assign(attractors=0.0)
    return pd.concat([natural, rows], ignore_index=True)


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
    sizes = results.frame("n", split="train", teacher=NO_TEACHER, variant=STANDARD).set_index("trial")["value"]
    return frame.assign(n=frame["trial"].map(sizes).astype(int))


def as_choices(frame: pd.DataFrame) -> pd.DataFrame:
    """The four Transformers as two choices: ``attention`` (may it look ahead?) and ``blocks`` (one for each layer?)."""
    specs = [SIZES["paper"].models[model] for model in frame["model"]]
    attention = [LEFT_TO_RIGHT if spec.causal else BOTH_WAYS for spec in specs]
    return frame.assign(attention=attention, blocks=[ONE if spec.shared else OWN for spec in specs])


def effects(frame: pd.DataFrame) -> pd.DataFrame:
    """Effect of each choice and of both together: one row an effect, one column a ``measure``.

    A contrast is taken within a seed (the four models share its order of sentences). The interaction is how much more
    sharing does where attention looks only back.
    """
    columns = {}
    for measure, runs in as_choices(frame).groupby("measure", observed=True):
        seeds = runs.pivot(index="number", columns=["attention", "blocks"], values="value").fillna(FAILED)
        back, ahead = seeds[LEFT_TO_RIGHT], seeds[BOTH_WAYS]
        found = {
            "reading left to right": (back - ahead).mean(axis=1),
            "sharing one block": (back[ONE] - back[OWN] + ahead[ONE] - ahead[OWN]) / 2,
            "interaction": back[ONE] - back[OWN] - (ahead[ONE] - ahead[OWN]),
        }
        columns[measure] = {name: str(single(by_seed, name=name, unit=measure)) for name, by_seed in found.items()}
    return pd.DataFrame(columns).rename_axis("effect").reset_index()


def equal_answers(overlap: pd.DataFrame) -> pd.DataFrame:
    """Answers that a model has in common with a teacher, beyond what two models of their accuracies share by chance.

    Args:
        overlap: the study's table ``error_overlap``.

    Returns:
        Columns ``model, compared`` (the teacher's model), ``split, whose`` (one of `WHOSE`), ``number, value``.
    """
    alone = overlap[overlap["teacher"] == NO_TEACHER]
    taught = overlap[(overlap["teacher"] != NO_TEACHER) & (overlap["variant"] == STANDARD)]
    own, other = "agreement_with_teacher", "agreement_with_other_teacher"
    parts = [
        rows.assign(whose=whose, value=rows[column] - rows["chance"])
        for whose, rows, column in zip(WHOSE, (alone, taught, taught), (own, other, own), strict=True)
    ]
    found = pd.concat(parts, ignore_index=True)
    for name, levels in {"model": LADDER, "compared": LADDER, "whose": WHOSE}.items():
        found[name] = pd.Categorical(found[name], levels, ordered=True)
    return found[["model", "compared", "split", "whose", "number", "value"]]
