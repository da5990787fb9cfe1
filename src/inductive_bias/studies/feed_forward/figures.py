"""From the rows of the study, and the benchmark of times, to what its figures draw."""

import pandas as pd

from inductive_bias.studies.feed_forward.claims import cost, has, waits
from inductive_bias.studies.feed_forward.design import cell, parts
from inductive_bias.studies.feed_forward.parts import COPYING, GATED, GIVEN, LSTM, METRICS, SLOW, TCN, WHOLE, WINDOWS
from inductive_bias.studies.frames import by_rate, mean_std
from inductive_bias.studies.parameter_matching import parameters
from inductive_bias.studies.results import Results
from inductive_bias.studies.searching import STANDARD, TUNING


def begun(results: Results) -> list[tuple[str, int]]:
    """Tasks, and their steps, that have seeds."""
    return [at for at, part in parts(results.scale).items() if part.seeds]


def scores(results: Results, task: str, steps: int = GIVEN) -> pd.DataFrame:
    """Final test scores of every model: ``model, number, value``."""
    wanted = {"task": task, "steps": steps, "bptt": WHOLE, "variant": STANDARD}
    return results.frame(METRICS[task], split="test", **wanted)


def beside_reported(results: Results) -> pd.DataFrame:
    """A row per model, a column per task with its length: mean ± std over seeds, what others report in brackets."""
    rows: dict[str, dict[str, str]] = {}
    columns = ["model"]
    for task, steps in begun(results):
        name = f"{task}, {METRICS[task]}" if steps == GIVEN else f"{task}, T = {steps}, {METRICS[task]}"
        columns.append(name)
        for model, found in scores(results, task, steps).groupby("model", observed=True)["value"]:
            reported = results.reported(METRICS[task], split="test", task=task, steps=steps, model=model)
            known = "" if reported is None else f" ({reported[0]:.3g})"
            rows.setdefault(model, {"model": model})[name] = mean_std(found) + known
    return pd.DataFrame(rows.values(), columns=columns).fillna("")


def sizes(results: Results) -> pd.DataFrame:
    """Parameters of every model: a row per model, a column per task with its length."""
    found = {
        task if steps == GIVEN else f"{task}, T = {steps}": {
            model: f"{parameters(spec, part.task.dimensions):,}" for model, spec in part.specs.items()
        }
        for (task, steps), part in parts(results.scale).items()
        if part.seeds
    }
    return pd.DataFrame(found).fillna("").rename_axis("model").reset_index()


def ladder(results: Results) -> pd.DataFrame:
    """What the whole LSTM is ahead of those that see less: ``task, model, context, estimate, low, high, text``.

    As a share of its loss, with the 95 % interval over seeds, on real tasks where windows were tried; ``context``
    counts inputs that are seen.
    """
    rows = []
    for task, steps in begun(results):
        if steps != GIVEN or not any(has(results, task, window) for window in WINDOWS):
            continue
        specs = parts(results.scale)[task, steps].specs
        seen = WINDOWS | {model: specs[model].receptive_field for model in (TCN, GATED) if model in specs}
        for model, context in seen.items():
            if not has(results, task, model):
                continue
            found = cost(results, task, model)
            rows.append(
                {
                    "task": task,
                    "model": model,
                    "context": context,
                    "estimate": found.estimate,
                    "low": found.low,
                    "high": found.high,
                    "text": str(found),
                }
            )
    return pd.DataFrame(rows)


def by_wait(results: Results) -> pd.DataFrame:
    """Losses of copying as shares of that of a guess without memory: ``model, steps, number, value``; 1 is a guess."""
    wanted = {"split": "test", "task": COPYING, "bptt": WHOLE, "variant": STANDARD}
    keys = ["model", "steps", "number"]
    losses, guesses = (results.frame(metric, **wanted)[[*keys, "value"]] for metric in ("nll", "baseline_nll"))
    both = losses.merge(guesses, on=keys, suffixes=("", "_guess"))
    return both.assign(value=both["value"] / both["value_guess"]).drop(columns="value_guess")


def by_gradient(results: Results) -> pd.DataFrame:
    """Accuracy of the LSTM on the digits by the steps that gradients pass over: ``steps, bptt, whole, number, value``.

    Runs whose gradients pass through the whole sequence stand at its length, ``whole`` true.
    """
    rows = []
    for steps in waits(results):
        part = parts(results.scale)[COPYING, steps]
        cuts = part.bptt
        for bptt in (*cuts, *([WHOLE] if cuts else [])):
            right = results.values("accuracy", split="test", **cell(COPYING, SLOW, steps=steps, bptt=bptt))
            at = {"steps": steps, "bptt": bptt or part.task.length, "whole": bptt == WHOLE}
            rows += [at | {"number": number, "value": value} for number, value in right.items()]
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
        for task, steps in begun(results)
        if (task, LSTM) in steps_of
        for model in parts(results.scale)[task, steps].models
        if has(results, task, model)
    ]
    return pd.DataFrame(rows)


def grid(results: Results) -> pd.DataFrame:
    """The search for rates: the lowest validation score of every model, a column per factor on its rate."""
    searched = [at for at, part in parts(results.scale).items() if part.tuned]
    found = pd.concat(
        results.frame(METRICS[task], split="validation", task=task, steps=steps, variant=TUNING)
        for task, steps in searched
    )
    shown = by_rate(found, ["task", "steps", "model"]).rename(columns={"steps": "T"})
    return shown.assign(T=shown["T"].map(lambda steps: "" if steps == GIVEN else str(steps)))
