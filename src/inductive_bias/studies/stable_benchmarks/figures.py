"""From the rows and tables of the study to what its figures draw."""

import pandas as pd

from inductive_bias.studies.frames import mean_std
from inductive_bias.studies.results import Results
from inductive_bias.studies.stable_benchmarks.claims import cost, margin, values
from inductive_bias.studies.stable_benchmarks.design import (
    FORMS,
    FREE,
    METRICS,
    MODELS,
    RESCALED,
    STABLE,
    STANDARD,
    TUNING,
    parts,
)

#: Rows of the forest plot: what a form costs against the free model.
CHOSEN_STABLE = "stable (chosen on validation)"


def begun(results: Results) -> list[str]:
    """The tasks that have seeds."""
    return [task for task, part in parts(results.scale).items() if part.seeds]


def costs(results: Results) -> pd.DataFrame:
    """What stability and rescaling cost, in margins: ``task, model, form, estimate, low, high, text``."""
    rows = []
    for task in begun(results):
        for model in MODELS:
            for name, form in ((CHOSEN_STABLE, parts(results.scale)[task].stable(model)), (RESCALED, RESCALED)):
                found, unit = cost(results, task, model, form), margin(task)
                rows.append({"task": task, "model": model, "form": name, "estimate": found.estimate / unit,
                             "low": found.low / unit, "high": found.high / unit, "text": str(found)})  # fmt: skip
    return pd.DataFrame(rows)


def scores(results: Results, task: str) -> pd.DataFrame:
    """Final test scores of every form with runs: ``model, form, number, value``."""
    there = {form for model in MODELS for form in FORMS[model]}
    found = results.frame(METRICS[task], split="test", task=task, variant=STANDARD)
    return found[found["form"].isin(there)]


def beside_reported(results: Results) -> pd.DataFrame:
    """A row per task and model: free, stable and rescaled (mean ± std over seeds), and what others report."""
    rows = []
    for task in begun(results):
        for model in MODELS:
            stable = parts(results.scale)[task].stable(model)
            reported = results.reported(METRICS[task], split="test", task=task, model=model)
            forms = {FREE: FREE, f"stable: {stable}": stable, RESCALED: RESCALED}
            own = {name.split(":")[0]: mean_std(values(results, task, model, form)) for name, form in forms.items()}
            known = "not known to us" if reported is None else f"{reported[0]:.2f}"
            rows.append({"task": task, "model": model} | own | {"its bound": stable, "reported, free": known})
    return pd.DataFrame(rows)


def grid(results: Results, task: str) -> pd.DataFrame:
    """The search for rates: the best validation score of every form, by factor on the task's rate."""
    better = max if METRICS[task] == "span_f1" else min
    found = results.frame(METRICS[task], split="validation", task=task, variant=TUNING)
    table = found.groupby(["model", "form", "rate"], observed=True)["value"].agg(better).unstack("rate")
    return table.rename(columns=lambda factor: f"× {factor:g}").reset_index()


def by_bound(results: Results, task: str) -> pd.DataFrame:
    """Test scores of the stable forms alone, in the order of their bounds."""
    found = scores(results, task)
    return found[[form in STABLE[model] for model, form in zip(found["model"], found["form"], strict=True)]]
