"""Tables behind the figures of the page on patients."""

from collections.abc import Sequence

import pandas as pd

from inductive_bias.studies.real_world.measures.patients import PAIRS, PATIENTS, gap, groups, recalls
from inductive_bias.studies.results import Results
from inductive_bias.tasks.heartbeats.task import KINDS


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


def gaps(results: Results, models: Sequence[str]) -> pd.DataFrame:
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
