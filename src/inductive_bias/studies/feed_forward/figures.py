"""Tables behind the figures of the page on feed-forward networks, made from the runs and a benchmark of times."""

import pandas as pd

from inductive_bias.studies.feed_forward.design import COPYING, GATED, LSTM, METRICS, SLOW, TCN, TUNING, WINDOWS, cell
from inductive_bias.studies.feed_forward.measures import cost, gradient_lengths, waits
from inductive_bias.studies.frames import estimated, mean_std, search_table, size_table
from inductive_bias.studies.results import Results


def tasks(results: Results) -> list[tuple[str, int | None]]:
    """Tasks, and their steps where they are varied, that have runs."""
    return list(dict.fromkeys((each["task"], each["steps"]) for each in results.cells))


def models(results: Results, task: str, steps: int | None) -> list[str]:
    """The models that have runs on a task."""
    there = (each for each in results.cells if (each["task"], each["steps"], each["bptt"]) == (task, steps, None))
    return [each["model"] for each in there]


def place(task: str, steps: int | None) -> str:
    """A task and its steps in words."""
    return task if steps is None else f"{task}, T = {steps}"


def scores(results: Results, task: str, steps: int | None = None) -> pd.DataFrame:
    """Final test scores of every model: ``model, number, value``."""
    return results.frame(METRICS[task], split="test", task=task, steps=steps, bptt=None)


def beside_reported(results: Results) -> pd.DataFrame:
    """A row per model, a column per task with its length: mean ± std over seeds, what others report in brackets."""
    rows: dict[str, dict[str, str]] = {}
    columns = ["model"]
    for task, steps in tasks(results):
        name = f"{place(task, steps)}, {METRICS[task]}"
        columns.append(name)
        for model, found in scores(results, task, steps).groupby("model", observed=True)["value"]:
            reported = results.reported(METRICS[task], split="test", task=task, steps=steps, model=model)
            known = "" if reported is None else f" ({reported[0]:.3g})"
            rows.setdefault(model, {"model": model})[name] = mean_std(found) + known
    return pd.DataFrame(rows.values(), columns=columns).fillna("")


def sizes(results: Results) -> pd.DataFrame:
    """Parameters of every model: a row per model, a column per task with its length."""
    trials = results.trials.astype({"task": object, "steps": object})
    places = [
        place(task, None if pd.isna(steps) else int(steps)) for task, steps in trials[["task", "steps"]].to_numpy()
    ]
    return size_table(trials.assign(place=places), "model", "place")


def ladder(results: Results) -> pd.DataFrame:
    """What the whole LSTM is ahead of those that see less: ``task, model, context, estimate, low, high, text``.

    As a share of its loss, with the 95 % interval over seeds, on real tasks where windows were tried; ``context``
    counts inputs that are seen.
    """
    rows = []
    for task, steps in tasks(results):
        there = models(results, task, steps)
        if not {*WINDOWS} & {*there}:
            continue
        for model in (each for each in (*WINDOWS, TCN, GATED) if each in there):
            spec = results.cells[cell(task, model)][0].model
            context = spec.context if model in WINDOWS else spec.receptive_field
            rows.append({"task": task, "model": model, "context": context} | estimated(cost(results, task, model)))
    return pd.DataFrame(rows)


def by_wait(results: Results) -> pd.DataFrame:
    """Losses of copying as shares of that of a guess without memory: ``model, steps, number, value``; 1 is a guess."""
    wanted = {"split": "test", "task": COPYING, "bptt": None}
    keys = ["model", "steps", "number"]
    losses, guesses = (results.frame(metric, **wanted)[[*keys, "value"]] for metric in ("nll", "baseline_nll"))
    both = losses.merge(guesses, on=keys, suffixes=("", "_guess"))
    found = both.assign(value=both["value"] / both["value_guess"]).drop(columns="value_guess")
    return found.astype({"steps": int})


def by_gradient(results: Results) -> pd.DataFrame:
    """Accuracy of the LSTM on the digits by the steps that gradients pass over: ``steps, bptt, whole, number, value``.

    Runs whose gradients pass through the whole sequence stand at its length, ``whole`` true.
    """
    rows = []
    for steps in waits(results):
        cuts = gradient_lengths(results, steps)
        for bptt in (*cuts, None) if cuts else ():
            at = cell(COPYING, SLOW, steps=steps, bptt=bptt)
            over = {"steps": steps, "bptt": bptt or results.cells[at][0].task.length, "whole": bptt is None}
            right = results.values("accuracy", split="test", **at)
            rows += [over | {"number": number, "value": value} for number, value in right.items()]
    return pd.DataFrame(rows)


def against_time(results: Results, times: pd.DataFrame) -> pd.DataFrame:
    """What a model loses against the LSTM, and seconds of a training step over the LSTM's: one row a task and model.

    Of the tasks whose models the benchmark measured.

    Args:
        results: of the study.
        times: the table of the benchmark ``rivals``.

    Returns:
        Columns ``task, model, lost`` (share of the loss) and ``time`` (ratio, the median of the repeats).
    """
    steps_of = times[times["measure"] == "training"].groupby(["variant", "model"])["ratio"].median()
    rows = [
        {
            "task": task,
            "model": model,
            "lost": 0.0 if model == LSTM else cost(results, task, model).estimate,
            "time": steps_of[task, model],
        }
        for task, steps in tasks(results)
        if (task, LSTM) in steps_of
        for model in models(results, task, steps)
    ]
    return pd.DataFrame(rows)


def grid(results: Results) -> pd.DataFrame:
    """The search for rates: the validation score of every model, mean over runs, a column per rate."""
    table = search_table(results, TUNING).rename(columns={"steps": "T"})
    return table.assign(T=["" if pd.isna(steps) else f"{steps:g}" for steps in table["T"]])
