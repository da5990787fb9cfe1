"""Whom a model misses: how many beats of a patient it recognises, of women and men, of the young and the old.

Every patient counts once, however many beats there are of one: of the supraventricular beats of all test patients three
quarters are one woman's.
"""

from collections.abc import Mapping, Sequence

import numpy as np
import pandas as pd
import torch
from jaxtyping import Float64
from torch import Tensor

from inductive_bias.studies.real_world.design import MITBIH, cell
from inductive_bias.studies.real_world.drawing import Score, counts_by_record, diverged, drawings
from inductive_bias.studies.real_world.records import PATIENTS
from inductive_bias.studies.results import Results
from inductive_bias.tasks.heartbeats.task import KINDS

#: A patient has beats of a kind if the test has so many.
LEAST = 5
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
    counts, records, values = counts_by_record(results, cell(results.scale, MITBIH, model), split="test")
    label = KINDS.index(kind)
    there = counts[:, :, label].sum(-1).max(0).values
    found = torch.nan_to_num(counts[:, :, label, label] / there)
    table = pd.DataFrame(found.numpy(), index=values.index, columns=records)
    return table.loc[:, (there >= LEAST).numpy()]


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
            raise ValueError(f"nobody of {group} has {LEAST} beats of the kind {kind}: there is no gap to measure")
    (first, drawn), (second, other) = (_means(side, f"{kind} {group}") for side, group in zip(sides, pair, strict=True))
    at = cell(results.scale, MITBIH, model)
    failed = diverged(results.values("macro_f1", split="test", **at), at)
    return Score(first - second, drawn - other, sum(side.shape[1] for side in sides), UNIT, failed, "patients")


def _means(side: pd.DataFrame, of: str) -> tuple[pd.Series, Float64[np.ndarray, "draws runs"]]:
    weights = drawings(side.shape[1], of)
    values: Float64[Tensor, "runs records"] = torch.tensor(side.to_numpy())
    return side.mean(axis=1), (weights @ values.T / side.shape[1]).numpy()


def by_patient(results: Results, models: Sequence[str]) -> pd.DataFrame:
    """A row per model, kind and test record: ``model, kind, record, sex, age, value``, the mean over runs."""
    known = results.table(PATIENTS)
    known = known.loc[known["split"] == "test", ["record", "sex", "age"]]
    rows = [
        recalls(results, model, kind)
        .mean()
        .rename_axis("record")
        .rename("value")
        .reset_index()
        .assign(model=model, kind=kind)
        for model in models
        for kind in KINDS
    ]
    found = pd.concat(rows, ignore_index=True).merge(known.astype({"record": int}), on="record")
    return found[["model", "kind", "record", "sex", "age", "value"]]


def every_patient(results: Results, models: Sequence[str]) -> pd.DataFrame:
    """A row per test patient: ``record, sex, age``, and a column per kind and model; a dash where there is none."""
    found = by_patient(results, models)
    found["column"] = found["kind"] + ", " + found["model"]
    age = found["age"].map("{:.0f}".format).where(found["age"].notna(), "not known")
    found = found.assign(age=age, shown=found["value"].map("{:.2f}".format))
    columns = [f"{kind}, {model}" for kind in KINDS for model in models]
    shown = found.pivot(index=["record", "sex", "age"], columns="column", values="shown")
    return shown.reindex(columns=columns).fillna("–").rename_axis(columns=None).reset_index()


def table(results: Results, models: Sequence[str]) -> pd.DataFrame:
    """A row per kind, pair of groups and model: patients, the gap, what could be seen, and the record missed most."""
    rows = []
    for kind in KINDS:
        for pair in PAIRS:
            members = groups(results)
            for model in models:
                every = recalls(results, model, kind)
                sizes = [sum(record in members[group] for record in every) for group in pair]
                if min(sizes) < 2:
                    continue
                found = gap(results, model, kind, pair).contrast(model)
                worst = every.mean().idxmin()
                rows.append(
                    {
                        "beats": kind,
                        "gap": " − ".join(pair),
                        "patients": " and ".join(map(str, sizes)),
                        "model": model,
                        "found": str(found),
                        "visible from": f"{found.visible:.2f}",
                        "worst patient": f"{worst}: {every[worst].mean():.2f}",
                    }
                )
    return pd.DataFrame(rows)
