"""Tables behind the figures of the page on source code."""

import pandas as pd

from inductive_bias.studies.code.design import DATA, MODELS, PROGRAMS, RSA, TRANSFORMER, TUNING, UNSEEN, cell
from inductive_bias.studies.code.measures import (
    LAGS,
    METRIC,
    UNITS,
    baseline_names,
    baseline_value,
    retrieval,
    retrieval_by_bag,
    score,
)
from inductive_bias.studies.frames import estimated, listed, mean_std, search_table, size_table
from inductive_bias.studies.results import Results
from inductive_bias.tasks.code import BAG


def trained(results: Results) -> dict[str, list[str]]:
    """Models with runs, by data."""
    there = {data: [model for model in MODELS if cell(data, model) in results.cells] for data in DATA}
    return {data: models for data, models in there.items() if models}


def forest(results: Results) -> pd.DataFrame:
    """A row per set and model: ``data, model, estimate, low, high, text, unit, baseline, by``.

    ``baseline`` is the best of the answers without a network, and ``by`` its name.
    """
    rows = []
    for data, models in trained(results).items():
        lines = {name: baseline_value(results, data, name) for name in baseline_names(results, data)}
        best = max(lines, key=lines.__getitem__)
        for model in models:
            found = score(results, data, model).contrast(f"{model} on {data}")
            line = {"unit": found.unit, "baseline": lines[best], "by": best}
            rows.append({"data": data, "model": model} | estimated(found) | line)
    return pd.DataFrame(rows)


def differences(results: Results) -> pd.DataFrame:
    """RSA − Transformer: ``data, estimate, low, high, text, visible``; ``visible`` is the smallest effect seen."""
    rows = []
    for data in trained(results):
        found = score(results, data, RSA).less(score(results, data, TRANSFORMER)).contrast(f"RSA − Transformer, {data}")
        rows.append({"data": data} | estimated(found) | {"visible": found.visible})
    return pd.DataFrame(rows)


def within(results: Results) -> pd.DataFrame:
    """Accuracy within every group: ``data, group, answer, value``; models have their mean and spread over runs."""
    rows = []
    for data, models in trained(results).items():
        for number, group in enumerate(results.cells[cell(data, TRANSFORMER)][0].task.groups):
            for model in models:
                found = score(results, data, model, "accuracy", number)
                rows.append({"data": data, "group": group, "answer": model, "value": mean_std(found.values)})
            for name in baseline_names(results, data):
                value = baseline_value(results, data, name, "accuracy", number)
                rows.append({"data": data, "group": group, "answer": name, "value": f"{value:.3f}"})
    return pd.DataFrame(rows)


def scores(results: Results) -> pd.DataFrame:
    """Every score of every model, mean and spread over runs: ``data, answer, accuracy, F1, AUC``."""
    metrics = ("accuracy", "f1", "auc")
    rows = []
    for data, models in trained(results).items():
        for model in models:
            row = {UNITS[metric]: mean_std(score(results, data, model, metric).values) for metric in metrics}
            rows.append({"data": data, "answer": model} | row)
        for name in baseline_names(results, data):
            row = {UNITS[metric]: f"{baseline_value(results, data, name, metric):.3f}" for metric in metrics}
            rows.append({"data": data, "answer": name} | row)
    return pd.DataFrame(rows)


def retrieved(results: Results) -> pd.DataFrame:
    """MAP@R on POJ-104 of every model and of the bag of tokens: ``answer, MAP@R``."""
    rows = [
        {"answer": model, UNITS["map_at_r"]: mean_std(retrieval(results, model).mean(axis=1))}
        for model in trained(results)[PROGRAMS]
    ]
    return pd.DataFrame([*rows, {"answer": BAG, UNITS["map_at_r"]: f"{retrieval_by_bag(results):.3f}"}])


def gates(results: Results) -> pd.DataFrame:
    """σ(μ) of every layer and run: ``data, layer, fold, number, value``; one half means no preference."""
    found = results.frame("gate", split="model", by=("layer", "head"), model=RSA)
    return found.assign(layer=found["layer"].astype(int))[["data", "layer", "fold", "number", "value"]]


def lag_curves(results: Results) -> pd.DataFrame:
    """How much a token gets from tokens so far away by the REM, mean over runs: ``data, layer, kind, lag, value``.

    Weighed by the gate, and without its sign, which a negative λ turns with every step. Both sides are alike: an
    unmasked REM looks back and ahead.
    """
    found = results.table(LAGS)
    found = found.assign(value=found["gate"] * found["value"].abs(), data=found["data"].cat.remove_unused_categories())
    keys = ["data", "layer", "kind", "lag"]
    return found.groupby(keys, observed=True, sort=False)["value"].mean().reset_index()


def cut(results: Results) -> pd.DataFrame:
    """Share of the test examples of which something was cut off: ``data, tokens, cut``."""
    found = results.frame("cut", split="test", model=TRANSFORMER, settings=("task.length",))
    table = found.groupby("data", observed=True).agg(tokens=("task.length", "first"), cut=("value", "mean"))
    return (
        table.rename(columns={"tokens": "tokens at most"}).assign(cut=table["cut"].map("{:.3f}".format)).reset_index()
    )


def all_runs(results: Results) -> pd.DataFrame:
    """Every run: a row per set, a column per model."""
    return pd.DataFrame(
        [
            {"data": data, "score": UNITS[METRIC[data]]}
            | {model: listed(score(results, data, model).values) for model in models}
            for data, models in trained(results).items()
        ]
    ).fillna("–")


def sizes(results: Results) -> pd.DataFrame:
    """Parameters of every model: a row per model, a column per set but the one that another stands for."""
    return size_table(results.trials[results.trials["data"] != UNSEEN], "model", "data")


def grid(results: Results) -> pd.DataFrame:
    """The search for rates: the validation loss of every model, a column per rate."""
    return search_table(results, TUNING)
