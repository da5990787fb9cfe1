"""What the study tests, and the rule by which each sentence is judged; written before any run that it judges."""

import pandas as pd

from inductive_bias.studies.claims import Claim, Finding
from inductive_bias.studies.results import Results
from inductive_bias.studies.stable_benchmarks.design import (
    ATIS,
    CHARACTERS,
    FREE,
    JSB,
    METRICS,
    MODELS,
    RESCALED,
    cell,
    parts,
)
from inductive_bias.verdicts import Contrast, all_of, exceeds, falls_below, given, single

PAPER = "Miller & Hardt 2019, section 5"
PAGE = "stability/cost"
#: M5: stability costs at most so much of the free model's loss; of F1 so many points, as a share of 1.
MARGIN, POINTS = 0.03, 0.01
#: A free model has mastered music if its loss is at most so many times the one that Bai et al. (2018) report.
MASTERED = 1.05
#: M12: rescaling costs more than clipping by at least so much of the loss.
WORSE = 0.01
#: The tasks of M5, one of each kind that the paper names.
WANTED = (JSB, ATIS, CHARACTERS)


def values(results: Results, task: str, model: str, form: str) -> pd.Series:
    """Final test scores of one cell by number."""
    return results.values(METRICS[task], split="test", **cell(task, model, form))


def cost(results: Results, task: str, model: str, form: str, against: str = FREE) -> Contrast:
    """What a form loses against another, number by number: of a loss as a share of the other's, of F1 in points."""
    ours, theirs = (values(results, task, model, each) for each in (form, against))
    both = pd.concat([ours, theirs], axis=1, join="inner").set_axis(["ours", "theirs"], axis=1)
    of_f1 = METRICS[task] == "span_f1"
    lost = both["theirs"] - both["ours"] if of_f1 else both["ours"] / both["theirs"] - 1
    name = f"{model}, {task}: {form} against {against}"
    # a run that diverged has lost everything
    return single(lost, name=name, unit="F1" if of_f1 else "of the loss", failed_value=1.0)


def margin(task: str) -> float:
    """How much stability may cost to be called cheap."""
    return POINTS if METRICS[task] == "span_f1" else MARGIN


def mastered(results: Results, task: str, model: str) -> tuple[bool, str]:
    """Whether the free model does about as well as is reported, where that is known; and what it does, in words."""
    metric = METRICS[task]
    reported = results.reported(metric, split="test", task=task, model=model)
    found = float(values(results, task, model, FREE).mean())
    if reported is None:
        return True, ""
    return found <= MASTERED * reported[0], f"{model} on {task} has {found:.2f}, reported {reported[0]:.2f}"


def cheap(results: Results) -> Finding:
    """M5: the chosen stable form costs less than the margin, for both models on all three kinds of task."""
    there = parts(results.scale)
    absent = [task for task in WANTED if task not in there or not there[task].seeds]
    judged, words = [], []
    for task in there:
        for model in MODELS:
            if not there[task].seeds:
                continue
            contrast = cost(results, task, model, there[task].stable(model))
            fits, reason = mastered(results, task, model)
            if task in WANTED:
                judged.append(given(fits, reason, falls_below(contrast, margin(task))))
            words.append(f"{contrast.name} {contrast}")
    judgement = all_of(judged)
    if absent:
        judgement = given(False, f"no seeds yet on {', '.join(absent)}", judgement)
    return Finding(judgement, note="; ".join(words))


def clipped(results: Results) -> Finding:
    """M12: on every task with seeds, for both models, the rescaled form loses against the chosen stable one."""
    judged, words = [], []
    for task, part in parts(results.scale).items():
        for model in MODELS:
            if part.seeds:
                contrast = cost(results, task, model, RESCALED, part.stable(model))
                judged.append(exceeds(contrast, WORSE))
                words.append(f"{contrast.name} {contrast}")
    return Finding(all_of(judged), note="; ".join(words))


CLAIMS = (
    Claim("M5", PAGE, PAPER,
          "On characters, music and slot filling a stable RNN and a stable LSTM do as well as free ones, within 3 % of "
          "the loss or one point of F1.", "“comparable”; numbers not known to us", cheap),
    Claim("M12", PAGE, "a question of our own",
          "To be stable, weights should be clipped and not rescaled: the form that circulates under the paper's name "
          "loses by more than 1 %.", "not asked", clipped, own=True),
)  # fmt: skip
