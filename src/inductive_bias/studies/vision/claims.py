"""What the paper says of vision, and the rule by which each sentence is judged; written before any result was seen.

The tables and figures of the paper, two questions that its code raises, and the "same basin" sentence of its later
abstract. Differences between cells are 95 % intervals over seeds (Welch's, or paired where two cells share their
seeds); an interval that excludes the threshold decides.
"""

import numpy as np
import pandas as pd

from inductive_bias.analysis import (
    Interval,
    barrier,
    mean_interval,
    paired_difference_interval,
    permutation_test,
)
from inductive_bias.studies import geometry
from inductive_bias.studies.claims import Claim, Finding, above, below, both, signed, within
from inductive_bias.studies.comparisons import bins_change_ranking, finding, finite, gain, spread_ratio
from inductive_bias.studies.study import Results
from inductive_bias.studies.vision.design import CNN_TO_MLP, CONTROLS, INDEPENDENT, PAIRS, SAME_STEPS

PAPER = "Abnar, Dehghani & Zuidema 2020"
TABLES = f"{PAPER}, the two tables of MNIST results"
OWN = f"{PAPER}, our question from its code and logs"
SETS = ("test", "scale", "translate")


def teacher_lends(results: Results) -> Finding:
    """Gain of the CNN-taught MLP over its undistilled twin on all three test sets."""
    translate = gain(results, CNN_TO_MLP, SAME_STEPS, "translate")
    scale = gain(results, CNN_TO_MLP, SAME_STEPS, "scale")
    clean = gain(results, CNN_TO_MLP, SAME_STEPS, "test")
    return finding(
        both(above(translate), above(scale), within(clean, 0.005)),
        translate,
        "accuracy, translated",
        f"scaled {signed(scale)}, clean {signed(clean, 4)}; against an MLP with the same start and number of steps",
    )


def teacher_specific(results: Results) -> Finding:
    """Gain over self-distillation, and of self-distillation over nothing."""
    specific = gain(results, CNN_TO_MLP, "MLP → MLP", "translate")
    own = gain(results, "MLP → MLP", SAME_STEPS, "translate")
    return finding(
        both(above(specific), below(own, 0.03)),
        specific,
        "accuracy, translated",
        f"self-distillation alone {signed(own)} over the same steps",
    )


def calibration_moves(results: Results) -> Finding:
    """Change of the translated ECE by each of the two teachers."""
    falls = gain(results, CNN_TO_MLP, SAME_STEPS, "translate", "ece_1e6")
    own = gain(results, "MLP → MLP", SAME_STEPS, "translate", "ece_1e6")
    # "not with an MLP teacher": its change is less than half the change that a CNN teacher makes
    part = Interval(own.mean - falls.mean / 2, own.low - falls.mean / 2, own.high - falls.mean / 2, own.n)
    with_20 = gain(results, CNN_TO_MLP, SAME_STEPS, "translate", "ece_20")
    return finding(
        both(below(falls), above(part)),
        falls,
        "ECE (10⁶ bins), translated",
        f"MLP teacher {signed(own)}; with 20 bins the CNN teacher changes it by {signed(with_20)}",
    )


def strong_student_insensitive(results: Results) -> Finding:
    """Difference between CNN students of the two teachers on each test set."""
    found = {name: gain(results, "CNN → CNN", "MLP → CNN", name) for name in SETS}
    widest = max(found.values(), key=lambda interval: max(abs(interval.low), abs(interval.high)))
    parts = ", ".join(f"{name} {signed(i, 4)}" for name, i in found.items())
    return finding(both(*(within(i, 0.005) for i in found.values())), widest, "accuracy, CNN(CNN) − CNN(MLP)", parts)


def bins_matter(results: Results) -> Finding:
    """The cells of the paper's tables on clean digits."""
    return bins_change_ranking(results, (*INDEPENDENT, SAME_STEPS, *PAIRS), "test")


def towards_the_teacher(results: Results) -> Finding:
    """Similarity of each MLP to the four CNNs, distilled from a CNN against its undistilled twin."""
    table = results.table("similarity")
    nearness, found = {}, {}
    for form in ("centred", "cosine", "cka"):
        rows = table[(table["form"] == form) & (table["cell_b"] == "CNN")]
        nearness[form] = mean = rows.groupby(["cell_a", "seed_a"])["value"].mean()
        found[form] = paired_difference_interval(mean[CNN_TO_MLP].tolist(), mean[SAME_STEPS].tolist())
    probability = permutation_test(*(nearness["centred"][cell].tolist() for cell in (CNN_TO_MLP, SAME_STEPS)),
                                   alternative="greater").p_value  # fmt: skip
    notes = ", ".join(f"{form} {signed(i)}" for form, i in found.items())
    significant = "reproduced" if probability < 0.05 else "inconclusive"
    return finding(
        both(above(found["centred"]), significant), found["centred"], "similarity (centred) to the CNNs",
        f"{notes}; one-sided permutation test of students against undistilled MLPs: p = {probability:.3f}",
    )  # fmt: skip


def smoothness(results: Results, cell: str, form: str = "cosine", kind: str = "chord") -> list[float]:
    """Path length over end-to-end distance of each seed's training path; see :mod:`inductive_bias.studies.geometry`."""
    return geometry.smoothness(results.table("paths"), cell, form, kind)


def smoother_path(results: Results) -> Finding:
    """Difference of path smoothness between CNN-taught MLPs and their twins, by two distances."""

    def difference(form: str, kind: str) -> Interval:
        return paired_difference_interval(*(smoothness(results, cell, form, kind) for cell in (CNN_TO_MLP, SAME_STEPS)))

    taught, alone = smoothness(results, CNN_TO_MLP), smoothness(results, SAME_STEPS)
    chord, printed, cka = difference("cosine", "chord"), difference("cosine", "difference"), difference("cka", "chord")
    lower = sum(t < a for t, a in zip(taught, alone, strict=True))
    return finding(
        both(below(chord), below(printed)), chord, "path length / distance (1 = straight)",
        f"CNN → MLP {np.mean(taught):.2f}, MLP {np.mean(alone):.2f}; smoother in {lower} of {len(taught)} seeds; "
        f"by the paper's distance {signed(printed, 2)}, by CKA {signed(cka, 2)}",
    )  # fmt: skip


def smaller_spread(results: Results) -> Finding:
    """log₂ of the ratio of standard deviations MLP / CNN on translated digits; F-test interval over seeds."""
    cnn, mlp = (finite(results.values(cell, "translate", "accuracy")) for cell in ("CNN", "MLP"))
    interval = spread_ratio(mlp, cnn)
    if interval is None:
        return Finding("inconclusive", np.nan, np.nan, np.nan, "log₂ of a ratio", "a cell has no spread at all")
    note = f"standard deviations: CNN {np.std(cnn, ddof=1):.4f}, MLP {np.std(mlp, ddof=1):.4f}"
    return finding(above(interval), interval, "log₂ of the ratio of standard deviations MLP / CNN", note)


def robust_to_defects(results: Results) -> Finding:
    """Largest change of the translated gain by teacher mode or factor, as a share of the gain itself."""
    gain_itself = gain(results, CNN_TO_MLP, SAME_STEPS, "translate").mean
    changes = {name: gain(results, name, CNN_TO_MLP, "translate") for name in CONTROLS if "T = 1" not in name}
    name, worst = max(changes.items(), key=lambda item: abs(item[1].mean))
    if gain_itself <= 0:
        return Finding("inconclusive", np.nan, np.nan, np.nan, "change as a share of the gain", "there is no gain")
    share = Interval(*(value / gain_itself for value in worst[:3]), worst.n)
    parts = ", ".join(f"{key.split(', ')[-1]} {signed(i)}" for key, i in changes.items())
    return finding(
        within(share, 0.5), share, f"change as a share of the gain ({name.split(', ')[-1]})", f"changes: {parts}"
    )


def barrier_heights(table: pd.DataFrame, *, statistics: str = "computed again") -> pd.DataFrame:
    """Loss barrier of every line: columns ``kind, aligned, seed_a, seed_b, height``."""
    rows = table[(table["metric"] == "nll") & (table["statistics"] == statistics)]
    groups = rows.sort_values("weight").groupby(["kind", "aligned", "seed_a", "seed_b"], sort=False)
    heights = [(*key, barrier(g["weight"].tolist(), g["value"].tolist())) for key, g in groups]
    return pd.DataFrame(heights, columns=["kind", "aligned", "seed_a", "seed_b", "height"])


def same_basin(results: Results) -> Finding:
    """Barrier between an MLP teacher and its MLP student against that between two independent MLPs."""
    heights = barrier_heights(results.table("barriers"))
    plain = heights[~heights["aligned"]]
    pair = plain.loc[plain["kind"] == "MLP teacher and student", "height"]
    apart = plain.loc[plain["kind"] == "two MLPs", "height"]
    own, away = mean_interval(pair.tolist()), mean_interval(apart.tolist())
    # one basin: the line between them climbs by less than a tenth of what lies between strangers
    tenth = away.mean / 10
    aligned = heights[heights["aligned"]].groupby("kind")["height"].mean()
    note = (
        f"two independent MLPs {away.mean:.2f} [{away.low:.2f}, {away.high:.2f}]; the criterion of one basin is a "
        f"barrier below a tenth of that; with hidden units aligned, teacher and student "
        f"{aligned['MLP teacher and student']:.3f}, but two independent MLPs {aligned['two MLPs']:.3f} as well"
    )
    return finding(below(own, tenth), own, "nats of test loss between MLP teacher and student", note)


CLAIMS = (
    Claim("V1", TABLES, "A CNN teacher lifts an MLP on translated and scaled digits and leaves the clean "
          "accuracy where it was (within .005).", "+.137 translated, +.110 scaled, +.003 clean", teacher_lends),
    Claim("V2", TABLES, "The gain belongs to the teacher: an MLP teacher gives at most +.03.",
          "+.115 over self-distillation; self-distillation +.022", teacher_specific),
    Claim("V3", TABLES, "Calibration is lent too: a CNN teacher lowers the MLP's ECE on translated "
          "digits, an MLP teacher does not.", ".564 → .432; MLP teacher .555", calibration_moves),
    Claim("V4", TABLES, "A CNN student hardly cares who teaches it: at most .005 on every test set.",
          "+.001, −.004, +.002", strong_student_insensitive),
    Claim("V12", OWN, "Who is better calibrated depends on the number of bins.",
          "seen in the authors' logs on agreement", bins_matter),
    Claim("V13", f"{PAPER}, figure of final representations", "A student's representation moves towards its "
          "teacher's family.", "by eye, in a joint MDS", towards_the_teacher),
    Claim("V14", f"{PAPER}, figure of training paths", "An MLP taught by a CNN takes a smoother path than "
          "an MLP alone.", "by eye, in an MDS of checkpoints", smoother_path),
    Claim("V15", TABLES, "The stronger the bias, the smaller the spread over seeds out of distribution.",
          "translated: .0003 CNN, .0151 MLP (log₂ ratio 5.7)", smaller_spread),
    Claim("V16", OWN, "Teacher mode and the factor on the soft loss change "
          "the gain of V1 by less than half.", "not reported", robust_to_defects),
    Claim("V17", f"{PAPER}, abstract of the later submission", "Teacher and student end in the same basin of "
          "attraction.", "claimed, no number found", same_basin),
)  # fmt: skip
