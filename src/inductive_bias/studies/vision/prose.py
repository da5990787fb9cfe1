"""Numbers that the chapters' sentences ask for by name, one function per chapter.

A value is written as a sentence has it: ``14.4 points`` for a difference of .144 between two accuracies.
"""

from collections.abc import Callable
from functools import partial

import numpy as np

from inductive_bias.analysis import geometry
from inductive_bias.formatting import decimals, number, percent, points, points_between, ratio, span
from inductive_bias.studies.results import Results
from inductive_bias.studies.vision import measures
from inductive_bias.studies.vision.design import (
    CNN,
    MLP_ALONE,
    NO_DROPOUT,
    NO_PENALTY,
    SELF_TAUGHT,
    STANDARD,
    TAUGHT,
    TWIN,
    label,
)
from inductive_bias.studies.vision.measures import SETS, STAGES, Levels, by_shift, gain, lead
from inductive_bias.verdicts import Contrast

#: Values by name, each made when it is asked for: a smaller scale may have no runs for some of them.
Numbers = dict[str, Callable[[], str]]
thousandths, times = partial(decimals, digits=3), partial(number, form=".2g")


def convolution(results: Results) -> Numbers:
    """Numbers of the chapter on what a convolution computes before and after training."""

    def curve(metric: str, of: Levels, stage: str = STAGES[1], **coordinates: int) -> dict[int, float]:
        rows = by_shift(results, metric, *coordinates, **of)
        rows = rows[rows["stage"] == stage]
        for name, value in coordinates.items():
            rows = rows[rows[name] == value]
        return rows.groupby("shift")["value"].mean().to_dict()

    def right(of: Levels, pixels: int) -> str:
        return percent(curve("accuracy", of)[pixels])

    def first_block(pixels: int) -> str:
        return thousandths(curve("equivariance_error", CNN, STAGES[0], layer=1)[pixels])

    def linear(of: Levels, stage: str, *shifts: int) -> str:
        known = curve("linear_equivariance_error", of, stage)
        return span((known[shift] for shift in shifts), decimals)

    def moves(of: Levels, stage: str, pixels: int) -> str:
        return decimals(curve("invariance_error", of, stage)[pixels])

    before, after = STAGES
    return {
        "cnn-4": lambda: right(CNN, 4),
        "mlp-4": lambda: right(MLP_ALONE, 4),
        "taught-4": lambda: right(TAUGHT, 4),
        "cnn-8": lambda: right(CNN, 8),
        "mlp-8": lambda: right(MLP_ALONE, 8),
        "taught-8": lambda: right(TAUGHT, 8),
        "block-1": lambda: first_block(1),
        "block-2": lambda: first_block(2),
        "linear-before": lambda: linear(CNN, before, 4),
        "linear-after": lambda: linear(CNN, after, 4),
        "linear-mlp-before": lambda: linear(MLP_ALONE, before, *range(2, 9)),
        "linear-mlp-after": lambda: linear(MLP_ALONE, after, *range(2, 9)),
        "linear-cnn-between": lambda: linear(CNN, before, 1, 2, 3, 5, 6, 7),
        "moves-cnn": lambda: moves(CNN, after, 4),
        "moves-mlp": lambda: moves(MLP_ALONE, after, 4),
        "moves-cnn-before": lambda: moves(CNN, before, 4),
        "moves-mlp-before": lambda: moves(MLP_ALONE, before, 4),
        "moves-mlp-8": lambda: moves(MLP_ALONE, after, 8),
    }


def generalisation(results: Results) -> Numbers:
    """Numbers of the chapter on corrupted images."""

    def right(of: Levels, split: str) -> str:
        return percent(_mean(results, "accuracy", of, split))

    def ahead(split: str, metric: str = "accuracy") -> Contrast:
        return lead(results, CNN, MLP_ALONE, split, metric)

    def ahead_on_average(split: str) -> float:
        ours, theirs = (_mean(results, "accuracy", each, split) for each in (CNN, MLP_ALONE))
        return ours - theirs

    def better(split: str, metric: str = "ece_1e6") -> str:
        return thousandths(lead(results, MLP_ALONE, CNN, split, metric).estimate)

    def paper_better(split: str) -> str:
        ours, theirs = (results.reported("ece_1e6", split=split, **each)[0] for each in (CNN, MLP_ALONE))
        return thousandths(theirs - ours)

    def against_paper(of: Levels) -> str:
        ratios = [
            _mean(results, "ece_1e6", of, split) / results.reported("ece_1e6", split=split, **of)[0] for split in SETS
        ]
        return span(ratios, times)

    def confidence_gap(of: Levels, split: str) -> str:
        return thousandths(_mean(results, "ece_20", of, split))

    def spread_ratio() -> float:
        runs = (results.values("accuracy", split="translate", **each) for each in (MLP_ALONE, CNN))
        wide, narrow = ((each - each.median()).abs().mean() for each in runs)
        return ratio(wide, narrow)

    return {
        "clean-lead": lambda: points(ahead("test").estimate),
        "cnn-moved": lambda: right(CNN, "translate"),
        "mlp-moved": lambda: right(MLP_ALONE, "translate"),
        "cnn-scaled": lambda: right(CNN, "scale"),
        "mlp-scaled": lambda: right(MLP_ALONE, "scale"),
        "cnn-noise": lambda: right(CNN, "impulse_noise"),
        "mlp-noise": lambda: right(MLP_ALONE, "impulse_noise"),
        "cnn-glass": lambda: right(CNN, "glass_blur"),
        "mlp-glass": lambda: right(MLP_ALONE, "glass_blur"),
        "cnn-edges": lambda: right(CNN, "canny_edges"),
        "mlp-edges": lambda: right(MLP_ALONE, "canny_edges"),
        "rotate": lambda: points(ahead_on_average("rotate")),
        "shear": lambda: points(ahead_on_average("shear")),
        "ece-moved": lambda: better("translate"),
        "ece-moved-paper": lambda: paper_better("translate"),
        "ece-scaled": lambda: better("scale"),
        "ece-scaled-paper": lambda: paper_better("scale"),
        "ece-clean-cnn": lambda: thousandths(_mean(results, "ece_1e6", CNN, "test")),
        "ece-clean-mlp": lambda: thousandths(_mean(results, "ece_1e6", MLP_ALONE, "test")),
        "ece-clean-cnn-20": lambda: thousandths(_mean(results, "ece_20", CNN, "test")),
        "ece-clean-mlp-20": lambda: thousandths(_mean(results, "ece_20", MLP_ALONE, "test")),
        "ece-cnn-paper": lambda: against_paper(CNN),
        "ece-mlp-paper": lambda: against_paper(MLP_ALONE),
        "off-cnn": lambda: confidence_gap(CNN, "scale"),
        "off-mlp": lambda: confidence_gap(MLP_ALONE, "scale"),
        "bins-20": lambda: thousandths(gain(results, MLP_ALONE, TAUGHT, "test", "ece_20").estimate),
        "bins-million": lambda: thousandths(gain(results, TAUGHT, MLP_ALONE, "test", "ece_1e6").estimate),
        "spread": lambda: times(spread_ratio()),
    }


def distillation(results: Results) -> Numbers:
    """Numbers of the chapter on MLPs that a CNN taught."""
    cnn_students = [CNN | {"teacher": teacher, "variant": NO_DROPOUT} for teacher in ("CNN", "MLP")]
    as_in_paper = [each | {"variant": STANDARD} for each in cnn_students]
    with_dropout = CNN | {"teacher": "CNN"}

    def right(of: Levels, split: str = "translate", digits: int = 0) -> str:
        return percent(_mean(results, "accuracy", of, split), digits)

    def over_shorter(split: str, metric: str = "accuracy") -> float:
        """Difference to an MLP on its own schedule, which has half of a student's epochs."""
        return lead(results, TAUGHT, MLP_ALONE, split, metric).estimate

    def over_twin(split: str, of: Levels = TAUGHT, metric: str = "accuracy") -> Contrast:
        return gain(results, of, TWIN, split, metric)

    def paper(split: str, of: Levels = TAUGHT, baseline: Levels = TWIN, metric: str = "accuracy") -> float:
        ours, theirs = (measures.reported(results, metric, each, split) for each in (of, baseline))
        return ours - theirs

    def kept(variant: str) -> float:
        """Share of the gain over the twin that a recipe leaves."""
        return ratio(over_twin("translate", TAUGHT | {"variant": variant}).estimate, over_twin("translate").estimate)

    def changed_student(split: str, metric: str = "accuracy") -> Contrast:
        return gain(results, *cnn_students, split, metric)

    return {
        "taught": lambda: right(TAUGHT),
        "twin": lambda: right(TWIN),
        "cnn": lambda: right(CNN),
        "gain": lambda: points(over_shorter("translate")),
        "gain-paper": lambda: points(paper("translate")),
        "gain-scaled": lambda: points(over_shorter("scale")),
        "gain-scaled-paper": lambda: points(paper("scale")),
        "gain-twin": lambda: points(over_twin("translate").estimate),
        "gain-twin-scaled": lambda: _between(over_twin("scale")),
        "gain-clean": lambda: points(over_twin("test").estimate, 2),
        "gain-clean-paper": lambda: points(paper("test")),
        "self-taught": lambda: points(over_twin("translate", SELF_TAUGHT).estimate),
        "t-one": lambda: points(over_twin("translate", TAUGHT | {"variant": "T = 1"}).estimate),
        "t-one-share": lambda: percent(kept("T = 1")),
        "ece-moved": lambda: thousandths(-over_twin("translate", metric="ece_1e6").estimate),
        "ece-moved-paper": lambda: thousandths(-paper("translate", metric="ece_1e6")),
        "ece-scaled": lambda: thousandths(over_shorter("scale", "ece_1e6")),
        "ece-scaled-twin": lambda: thousandths(over_twin("scale", metric="ece_1e6").estimate),
        "ece-scaled-20": lambda: thousandths(-over_shorter("scale", "ece_20")),
        "ece-scaled-20-twin": lambda: thousandths(-over_twin("scale", metric="ece_20").estimate),
        "stripe": lambda: points(-_over_twin_everywhere(results, "stripe"), 0),
        "glass": lambda: points(-_over_twin_everywhere(results, "glass_blur"), 0),
        "noise": lambda: points(-_over_twin_everywhere(results, "impulse_noise"), 0),
        "edges": lambda: points(_over_twin_everywhere(results, "canny_edges"), 0),
        "cnn-students": lambda: points(changed_student("translate").estimate),
        "cnn-students-paper": lambda: points(paper("translate", *as_in_paper)),
        "cnn-students-scaled": lambda: points(-changed_student("scale").estimate),
        "cnn-students-below": lambda: span(
            (-lead(results, each, CNN, "translate").estimate for each in cnn_students), points
        ),
        "teacher-for-mlp": lambda: points(gain(results, TAUGHT, SELF_TAUGHT, "translate").estimate),
        "dropout-behind": lambda: span((-lead(results, with_dropout, CNN, split).estimate for split in SETS), points),
        "dropout-clean": lambda: points(-lead(results, with_dropout, CNN, "test").estimate),
        "no-dropout-clean": lambda: points(-lead(results, cnn_students[0], CNN, "test").estimate),
        "inverse": lambda: points(over_twin("translate", TAUGHT | {"variant": "factor 1/T²"}).estimate),
        "inverse-clean": lambda: points(-over_twin("test", TAUGHT | {"variant": "factor 1/T²"}).estimate),
        "no-penalty": lambda: points(over_twin("translate", TAUGHT | {"variant": NO_PENALTY}).estimate),
        "no-factor": lambda: points(over_twin("translate", TAUGHT | {"variant": "no factor"}).estimate),
        "noisy-teacher": lambda: points(over_twin("translate", TAUGHT | {"variant": "teacher in train mode"}).estimate),
    }


def _over_twin_everywhere(results: Results, split: str) -> float:
    """Difference of the means of all runs, as the figure of all corruptions has it."""
    return _mean(results, "accuracy", TAUGHT, split) - _mean(results, "accuracy", TWIN, split)


def paths(results: Results) -> Numbers:
    """Numbers of the chapter on training paths."""
    table = results.table("paths")

    def smooth(of: Levels, kind: str = "chord", form: str = "cosine") -> float:
        return float(geometry.smoothness(geometry.between(table, **of), form, kind).mean())

    def longer(of: Levels, kind: str, form: str = "cosine") -> str:
        """By how much longer for its distance the path is than that of the MLP that the CNN taught."""
        theirs, taught = (geometry.smoothness(geometry.between(table, **each), form, kind) for each in (of, TAUGHT))
        return percent(np.exp(np.log(theirs).mean() - np.log(taught).mean()) - 1)

    def farther(of: Levels, form: str) -> float:
        """By how much farther from the CNN's path the path is than that of the MLP that the CNN taught."""
        whole = geometry.distance_to_path(table, form=form, **CNN)
        theirs, taught = (whole.loc[whole["cell"] == label(**each), "distance"] for each in (of, TAUGHT))
        return np.exp(np.log(theirs).mean() - np.log(taught).mean()) - 1

    def near_the_end(of: Levels) -> str:
        approach = geometry.distance_to_finished(table, model="CNN")
        rows = approach[approach["cell"] == label(**of)]
        return decimals(rows.loc[rows["epoch"] == rows["epoch"].max(), "distance"].mean())

    def first_step(of: Levels) -> str:
        steps = geometry.path_steps(table)
        rows = steps[steps["cell"] == label(**of)].groupby("end")["length"].mean()
        return percent(ratio(rows.iloc[0], rows.sum()))

    return {
        "smooth-taught": lambda: decimals(smooth(TAUGHT)),
        "smooth-self": lambda: decimals(smooth(SELF_TAUGHT)),
        "smooth-twin": lambda: decimals(smooth(TWIN)),
        "twin-longer": lambda: longer(TWIN, "chord"),
        "twin-longer-code": lambda: longer(TWIN, "difference"),
        "self-longer": lambda: longer(SELF_TAUGHT, "chord"),
        "self-longer-code": lambda: longer(SELF_TAUGHT, "difference"),
        "farther": lambda: span((farther(each, "cosine") for each in (TWIN, SELF_TAUGHT)), percent),
        "farther-cka": lambda: span((farther(each, "cka") for each in (TWIN, SELF_TAUGHT)), percent),
        "end-taught": lambda: near_the_end(TAUGHT),
        "end-twin": lambda: near_the_end(TWIN),
        "end-self": lambda: near_the_end(SELF_TAUGHT),
        "first-step-taught": lambda: first_step(TAUGHT),
        "first-step-twin": lambda: first_step(TWIN),
    }


def solutions(results: Results) -> Numbers:
    """Numbers of the chapter on final solutions."""
    similarities = results.table("similarity")

    def near(of: Levels, form: str = "centred") -> str:
        rows = geometry.similarity_to(similarities, form, **CNN)
        return decimals(rows.loc[rows["cell"] == label(**of), "value"].mean())

    def alike(of: Levels, form: str = "centred") -> float:
        return float(np.nanmean(measures.apart(similarities, form, of, of)))

    def stays(of: Levels) -> float:
        """How similar to others of its kind a model is that its own kind taught, beyond how similar these are."""
        own = of | {"teacher": of["model"], "variant": STANDARD}
        return float(np.nanmean(measures.apart(similarities, "centred", own, of))) - alike(of)

    def varies(form: str) -> str:
        return times(ratio(1 - alike(MLP_ALONE, form), 1 - alike(CNN, form)))

    def height(kind: str, treatment: int) -> float:
        heights = measures.barrier_heights(results.table("barriers"))
        done = [*measures.TREATMENTS.values()][treatment]
        return float(heights.loc[(heights["kind"] == kind) & (heights["treatment"] == done), "value"].mean())

    def barrier(kind: str, treatment: int) -> str:
        found = height(kind, treatment)
        return decimals(found, 2 if found > 0.1 else 3)

    pair, strangers = "MLP teacher and student", "two MLPs"
    return {
        "near-taught": lambda: near(TAUGHT),
        "near-twin": lambda: near(TWIN),
        "near-self": lambda: near(SELF_TAUGHT),
        "near-cnn": lambda: near(CNN),
        "near-cosine-taught": lambda: near(TAUGHT, "cosine"),
        "near-cosine-twin": lambda: near(TWIN, "cosine"),
        "near-cka-taught": lambda: near(TAUGHT, "cka"),
        "near-cka-twin": lambda: near(TWIN, "cka"),
        "alike-taught": lambda: decimals(alike(TAUGHT)),
        "alike-alone": lambda: decimals(alike(TWIN)),
        "stay-mlp": lambda: thousandths(abs(stays(TWIN))),
        "stay-cnn": lambda: thousandths(abs(stays(CNN))),
        "varies-cosine": lambda: varies("cosine"),
        "varies-cka": lambda: varies("cka"),
        "varies-centred": lambda: varies("centred"),
        "barrier-pair": lambda: barrier(pair, 1),
        "barrier-strangers": lambda: barrier(strangers, 1),
        "barrier-pair-aligned": lambda: barrier(pair, 2),
        "barrier-strangers-aligned": lambda: barrier(strangers, 2),
        "barrier-twins": lambda: span((height(kind, 1) for kind in _TWINS), thousandths),
        "barrier-cnns": lambda: barrier("CNN teacher and student", 1),
    }


_TWINS = ("MLP and its CNN-taught twin", "MLP and its self-distilled twin", "CNN-taught and MLP-taught twins")


def _mean(results: Results, metric: str, of: Levels, split: str) -> float:
    return float(results.values(metric, split=split, **of).mean())


def _between(found: Contrast) -> str:
    return points_between(found.estimate, found.low, found.high)
