"""Measures of stable networks: what stability costs, and whether a network has learnt its task."""

import numpy as np
import pandas as pd

from inductive_bias.errors import NoRunsError
from inductive_bias.studies.preconditions import beats_naive
from inductive_bias.studies.results import Results
from inductive_bias.studies.stable_benchmarks.design import (
    FREE,
    JSB,
    LSTM,
    METRICS,
    NOTTINGHAM,
    POINTS,
    REAL,
    RNN,
    SCORES,
    STABLE,
    WHERE,
    WORDS,
)
from inductive_bias.trials import Trial
from inductive_bias.verdicts import Contrast, paired, partners, relative

#: M5: stability costs at most so much of the free model's loss; of F1 or accuracy so many points, as a share of 1.
MARGIN, POINT = 0.03, 0.01
#: A free model has mastered music if its loss is at most so many times the one that Bai et al. (2018) report.
MASTERED = 1.05
#: M7: over so many steps it is asked whether the state contracts.
STEPS = 10
#: A model as it was trained, and with its first weights.
TRAINED, UNTRAINED = "trained", "untrained"


def need_tasks(results: Results, *tasks: str) -> None:
    """Refuse to go on where a task has no run at this scale.

    Raises:
        NoRunsError: naming the tasks that have none.
    """
    there = results.design.levels(results.scale)["task"]
    if absent := [task for task in tasks if task not in there]:
        raise NoRunsError(f"no runs yet on {', '.join(absent)}")


def forms(results: Results, task: str, model: str) -> dict[str, str]:
    """The form of a model that stands for each constraint on a task: free, stable and rescaled."""
    there = (each for each in results.cells if each["task"] == task and each["model"] == model)
    return {each["constraint"]: each["form"] for each in there if each["constraint"] is not None}


def free_runs(results: Results, task: str, model: str = LSTM) -> tuple[Trial, ...]:
    """The runs of a free model on a task.

    Raises:
        NoRunsError: if there are none.
    """
    need_tasks(results, task)
    at = {"task": task, "model": model, "constraint": FREE, "stopped": None}
    return next(trials for each, trials in results.cells.items() if at.items() <= dict(each).items())


def values(results: Results, task: str, model: str, form: str) -> pd.Series:
    """Final test scores of one form by number."""
    return results.values(METRICS[task], **WHERE[task], task=task, model=model, form=form, stopped=None)


def cost(results: Results, task: str, model: str, form: str, against: str = FREE) -> Contrast:
    """What a form loses against another, number by number: of a loss as a share of the other's, else in points."""
    ours, theirs = (values(results, task, model, each) for each in (form, against))
    ours, theirs = partners(ours, theirs)
    name = f"{model}, {task}: {form} against {against}"
    if METRICS[task] not in POINTS:
        return relative(ours, theirs, name=name, unit="of the loss")
    # a run that diverged has no point
    return paired(theirs, ours, name=name, unit=SCORES[task], failed_value=0.0)


def margin(task: str) -> float:
    """How much stability may cost to be called cheap."""
    return POINT if METRICS[task] in POINTS else MARGIN


def real(results: Results) -> list[str]:
    """The tasks on real data, or what stands for them, that have runs."""
    return [task for task in results.design.levels(results.scale)["task"] if task in REAL]


def naive(results: Results, task: str) -> dict[str, float]:
    """Scores of answers without a network: published for music, known beforehand for all else."""
    if task in (JSB, NOTTINGHAM):
        rows = results.frame("baseline_nll", split="test", by="kind", task=task, model=RNN, form=FREE, stopped=None)
        return rows.groupby("kind")["value"].mean().to_dict()
    if METRICS[task] in POINTS:
        return {"no label at all": 0.0}
    symbols = free_runs(results, task)[0].task.dimensions["vocabulary"]
    return {"a guess": float(symbols if task == WORDS else np.log2(symbols))}


def ahead(results: Results, task: str, model: str, *forms: str) -> tuple[bool, str]:
    """Whether the best of some forms is ahead of every answer without a network, and in words what it is not."""
    means = [float(values(results, task, model, form).mean()) for form in forms]
    higher = METRICS[task] in POINTS
    best = max(means) if higher else min(means)
    return beats_naive(best, naive(results, task), what=f"{model} on {task}", lower_is_better=not higher)


def mastered(results: Results, task: str, model: str) -> tuple[bool, str]:
    """Whether a comparison with the free model counts, and what it lacks, in words.

    It does about as well as is reported, where that is known; and it or the stable model is ahead of naive answers.
    """
    fits, reason = ahead(results, task, model, FREE, forms(results, task, model)[STABLE])
    reported = results.reported(METRICS[task], split="test", task=task, model=model)
    if not fits or reported is None:
        return fits, reason
    found = float(values(results, task, model, FREE).mean(skipna=False))
    return found <= MASTERED * reported[0], f"{model} on {task} has {found:.2f}, reported {reported[0]:.2f}"


def known_lengths(results: Results, task: str, model: str) -> pd.Series:
    """Shares of places at which the free model is right, by number, on new strings of the training lengths."""
    return results.values(METRICS[task], split="validation", task=task, model=model, form=FREE, stopped=None)


def of_free(results: Results, table: str) -> pd.DataFrame:
    """Rows of a table about free models that were trained to the end."""
    found = results.table(table)
    return found[(found["form"] == FREE) & found["stopped"].isna()]
