"""Whom a model misses: how many beats of a patient it recognises, of women and men, of the young and the old.

Every patient counts once, however many beats there are of one: of the supraventricular beats of all test patients three
quarters are one woman's.
"""

from collections.abc import Mapping

import numpy as np
import pandas as pd
import torch
from jaxtyping import Float64
from torch import Tensor

from inductive_bias.studies.bootstrap import Score, drawings
from inductive_bias.studies.real_world.design import MITBIH
from inductive_bias.studies.real_world.measures.scores import cell_of, counts_by_record, diverged
from inductive_bias.studies.results import Results
from inductive_bias.tasks.heartbeats.task import KINDS

#: Tables of the study: who is in a split, and the mean courses of their beats.
PATIENTS, COURSES = "patients", "courses"
#: A patient has beats of a kind if the test has so many.
FEWEST_BEATS = 5
#: The older ones are of this age and above.
OLD = 65
UNIT = "of the beats"
WOMEN, MEN, OLDER, YOUNGER = "women", "men", f"{OLD} and older", f"younger than {OLD}"
#: Who is compared with whom.
BY_SEX = WOMEN, MEN
PAIRS = BY_SEX, (OLDER, YOUNGER)


def recalls(results: Results, model: str, kind: str) -> pd.DataFrame:
    """Share of the beats of a kind that are recognised: a row a run, a column a test record that has such beats.

    Of a run that diverged nothing is.
    """
    counts, records, values = counts_by_record(results, cell_of(results, MITBIH, model), split="test")
    label = KINDS.index(kind)
    there = counts[:, :, label].sum(-1).max(0).values
    found = torch.nan_to_num(counts[:, :, label, label] / there)
    table = pd.DataFrame(found.numpy(), index=values.index, columns=records)
    return table.loc[:, (there >= FEWEST_BEATS).numpy()]


def found_by_run(results: Results, model: str, kind: str) -> "pd.Series[float]":
    """The share of all test beats of a kind that a run recognises, whoever's they are: a value a run."""
    rows = results.frame("recall", split="test", by="label", **cell_of(results, MITBIH, model))
    return rows.loc[rows["label"] == KINDS.index(kind)].set_index("number")["value"].fillna(0.0)


def groups(results: Results) -> Mapping[str, list[int]]:
    """The test records of every group; in no group by age where that is not known."""
    table = results.table(PATIENTS)
    table = table[table["split"] == "test"]
    members = {
        WOMEN: table["sex"] == "F",
        MEN: table["sex"] == "M",
        OLDER: table["age"] >= OLD,
        YOUNGER: table["age"] < OLD,
    }
    return {name: table.loc[of, "record"].astype(int).tolist() for name, of in members.items()}


def gap(results: Results, model: str, kind: str, pair: tuple[str, str] = BY_SEX) -> Score:
    """How many more of the beats of the first group are recognised than of the second: means over patients.

    Patients are drawn anew within each group.

    Raises:
        ValueError: if a group has nobody with such beats.
    """
    table, members = recalls(results, model, kind), groups(results)
    sides = [table[[record for record in table if record in members[group]]] for group in pair]
    for side, group in zip(sides, pair, strict=True):
        if side.empty:
            raise ValueError(
                f"nobody of {group} has {FEWEST_BEATS} beats of the kind {kind}: there is no gap to measure"
            )
    (first, drawn), (second, other) = (_means(side, f"{kind} {group}") for side, group in zip(sides, pair, strict=True))
    at = cell_of(results, MITBIH, model)
    failed = diverged(results.values("macro_f1", split="test", **at), at)
    return Score(first - second, drawn - other, sum(side.shape[1] for side in sides), UNIT, failed, "patients")


def _means(side: pd.DataFrame, of: str) -> tuple[pd.Series, Float64[np.ndarray, "draws runs"]]:
    weights = drawings(side.shape[1], of)
    values: Float64[Tensor, "runs records"] = torch.tensor(side.to_numpy())
    return side.mean(axis=1), (weights @ values.T / side.shape[1]).numpy()
