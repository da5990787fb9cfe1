"""What the paper says of vision, and the rule by which each sentence is judged; written before its verdicts were seen.

Students, twins and teachers of one number belong together, so contrasts are paired by number. The smallest effect worth
the name is half of the paper's where it has a number, and stated here otherwise.
"""

from collections.abc import Mapping
from itertools import combinations
from math import log2

import numpy as np

from inductive_bias.studies import geometry
from inductive_bias.studies.claims import Claim, Finding
from inductive_bias.studies.design import NO_TEACHER, Level
from inductive_bias.studies.results import Results
from inductive_bias.studies.vision.design import NO_PENALTY, RECIPES, SAME_STEPS, STANDARD, label
from inductive_bias.studies.vision.measures import SETS, barrier_heights
from inductive_bias.verdicts import (
    ALPHA, Contrast, all_of, any_of, difference_of, equivalent, exceeds, falls_below, given, half_of, opposed, paired,
    single, spread,
)  # fmt: skip

PAPER = "Abnar, Dehghani & Zuidema 2020 (arXiv:2006.00555)"
POST = "samiraabnar.github.io/articles/2020-05/indist"
CODE = "github.com/samiraabnar/Reflect"
ALONE, TWIN, TAUGHT, SELF_TAUGHT = (
    {"model": "MLP", "teacher": teacher, "variant": variant}
    for teacher, variant in ((NO_TEACHER, STANDARD), (NO_TEACHER, SAME_STEPS), ("CNN", STANDARD), ("MLP", STANDARD))
)
METRICS = {"accuracy": "accuracy", "ece_1e6": "ECE (10⁶ bins)", "ece_20": "ECE (20 bins)"}
#: What a run counts as that diverged: guessing, and sure of it.
FAILED = {"accuracy": 0.1, "ece_1e6": 0.9, "ece_20": 0.9}

#: Accuracies closer than this are the same (V1 on clean digits, V4): the paper's own differences are .004 at most.
SAME_ACCURACY = 0.005
#: What any teacher may give (V2): the paper's MLP teacher gives .022.
ANY_TEACHER = 0.03
#: Two models differ in calibration (V12): the last digit that the paper prints.
SAME_ECE = 0.001
#: A correlation of geometries (V13), and by how much a path is longer (V14): the paper shows both as pictures only.
NEARER, LONGER = 0.05, 1.1
#: One basin: the line between two solutions climbs by less than this share of what lies between strangers.
BASIN = 0.1


def gain(
    results: Results, cell: Mapping[str, Level], baseline: Mapping[str, Level], split: str, metric: str = "accuracy"
) -> Contrast:
    """``cell`` minus ``baseline`` on one test set, paired by number."""
    values = (results.values(metric, split=split, **levels) for levels in (cell, baseline))
    name, unit = f"{label(**cell)} − {label(**baseline)}", f"{METRICS[metric]}, {SETS[split]}"
    return paired(*values, name=name, unit=unit, failed_value=FAILED[metric])


def half_reported(
    results: Results, cell: Mapping[str, Level], baseline: Mapping[str, Level], split: str, metric: str = "accuracy"
) -> float:
    """Half of the same difference in the paper, whose undistilled MLP had as many epochs as its students."""
    known = ALONE if baseline == TWIN else baseline
    means = (results.reported(metric, split=split, **levels)[0] for levels in (cell, known))
    return half_of(np.subtract(*means))


def also(*contrasts: Contrast) -> str:
    """Further contrasts in words."""
    return "; ".join(f"{each.name} {each} {each.unit}" for each in contrasts)


def teacher_lends(results: Results) -> Finding:
    """Gain of the CNN-taught MLP over its undistilled twin on all three test sets."""
    clean, *moved = (gain(results, TAUGHT, TWIN, split) for split in SETS)
    least = (half_reported(results, TAUGHT, TWIN, split) for split in list(SETS)[1:])
    parts = [exceeds(each, half) for each, half in zip(moved, least, strict=True)]
    return Finding(all_of([*parts, equivalent(clean, SAME_ACCURACY)]), note=also(*moved[::-1], clean))


def teacher_specific(results: Results) -> Finding:
    """Gain over self-distillation, and of self-distillation over nothing."""
    specific, own = (gain(results, *pair, "translate") for pair in ((TAUGHT, SELF_TAUGHT), (SELF_TAUGHT, TWIN)))
    least = half_reported(results, TAUGHT, SELF_TAUGHT, "translate")
    return Finding(all_of([exceeds(specific, least), falls_below(own, ANY_TEACHER)]), specific, also(own))


def calibration_moves(results: Results) -> Finding:
    """By how much each of the two teachers lowers the ECE, on translated and on scaled digits."""
    parts, seen = [], []
    for split in ("translate", "scale"):
        by_cnn, by_mlp = (gain(results, TWIN, cell, split, "ece_1e6") for cell in (TAUGHT, SELF_TAUGHT))
        least = half_reported(results, TAUGHT, TWIN, split, "ece_1e6")
        parts += [exceeds(by_cnn, least), falls_below(by_mlp, least)]
        seen += [by_cnn, by_mlp, gain(results, TWIN, TAUGHT, split, "ece_20")]
    return Finding(all_of(parts), note=also(*seen))


def strong_student_insensitive(results: Results) -> Finding:
    """Difference between CNN students of the two teachers on each test set."""
    of_cnn, of_mlp = ({"model": "CNN", "teacher": teacher, "variant": STANDARD} for teacher in ("CNN", "MLP"))
    found = [gain(results, of_cnn, of_mlp, split) for split in SETS]
    return Finding(all_of(equivalent(each, SAME_ACCURACY) for each in found), note=also(*found))


def bins_matter(results: Results) -> Finding:
    """Whether 20 and 10⁶ bins order two cells oppositely on clean digits, among all pairs of the paper's tables."""
    cells = [cell for cell in results.cells if cell["variant"] in (STANDARD, SAME_STEPS)]
    looks = {
        f"{label(**a)} and {label(**b)}": opposed(
            *(gain(results, a, b, "test", metric) for metric in ("ece_20", "ece_1e6")), SAME_ECE
        )
        for a, b in combinations(cells, 2)
    }
    swapped = [pair for pair, judgement in looks.items() if len(looks) * judgement.holds.p < ALPHA]
    words = ", ".join(swapped) or "none"
    return Finding(any_of(looks.values()), note=f"ordered oppositely, corrected for {len(looks)} pairs: {words}")


def towards_the_teacher(results: Results) -> Finding:
    """Similarity to the CNNs: of MLPs that a CNN taught against their undistilled and their self-distilled twins."""

    def nearness(form: str, levels: Mapping[str, Level]):
        near = geometry.similarity_to(results.table("similarity"), form, model="CNN", teacher=NO_TEACHER)
        return near[near["cell"] == label(**levels)].set_index("number")["value"]

    def nearer(form: str, baseline: Mapping[str, Level]) -> Contrast:
        values = (nearness(form, levels) for levels in (TAUGHT, baseline))
        name, unit = f"{label(**TAUGHT)} − {label(**baseline)}", f"similarity ({form}) to the CNNs"
        return paired(*values, name=name, unit=unit, failed_value=0.0)

    moved, specific = nearer("centred", TWIN), nearer("centred", SELF_TAUGHT)
    others = also(specific, nearer("cosine", TWIN), nearer("cka", TWIN))
    return Finding(all_of([exceeds(moved, NEARER), exceeds(specific, NEARER)]), moved, others)


def smoother_path(results: Results) -> Finding:
    """How much longer than the taught MLP's the paths of its two twins are, by two distances."""
    table = results.table("paths")

    def smoothness(levels: Mapping[str, Level], form: str, kind: str):
        return geometry.smoothness(geometry.between(table, **levels), form, kind)

    def longer(levels: Mapping[str, Level], kind: str, form: str = "cosine") -> Contrast:
        distance = "the chord" if kind == "chord" else "1 − similarity"
        return paired(
            *(smoothness(each, form, kind) for each in (levels, TAUGHT)), log2=True,
            name=f"{label(**levels)} / {label(**TAUGHT)}", unit=f"log₂ of path length over distance by {distance}, {form}",
        )  # fmt: skip

    found = [longer(levels, kind) for levels in (TWIN, SELF_TAUGHT) for kind in geometry.PATH_KINDS]
    means = ", ".join(
        f"{label(**each)} {smoothness(each, 'cosine', 'chord').mean():.2f}" for each in (TAUGHT, TWIN, SELF_TAUGHT)
    )
    note = f"path length over distance (chord; 1 = straight): {means}; {also(*found, longer(TWIN, 'chord', 'cka'))}"
    return Finding(all_of(exceeds(each, log2(LONGER)) for each in found), note=note)


def smaller_spread(results: Results) -> Finding:
    """log₂ of the ratio of the spreads MLP / CNN on translated digits, by Brown and Forsythe."""
    alone = {"teacher": NO_TEACHER, "variant": STANDARD}
    mlp, cnn = (results.values("accuracy", split="translate", model=model, **alone) for model in ("MLP", "CNN"))
    own, other = (results.reported("accuracy", split="translate", model=m, **alone)[1] for m in ("MLP", "CNN"))
    ratio = spread(mlp, cnn, name="MLP / CNN, translated", failed_value=FAILED["accuracy"])
    note = f"standard deviations: CNN {cnn.std():.4f}, MLP {mlp.std():.4f}"
    return Finding(exceeds(ratio, half_of(log2(own / other))), note=note)


def robust_to_defects(results: Results) -> Finding:
    """Change of the translated gain by teacher mode and factor, against half of the gain itself."""
    lent = gain(results, TAUGHT, TWIN, "translate")
    varied = [TAUGHT | {"variant": name} for name in RECIPES if name not in ("T = 1", NO_PENALTY)]
    changes = [gain(results, cell, TAUGHT, "translate") for cell in varied]
    half = lent.scaled(0.5, name="half of the gain")
    robust = given(lent.low > 0, "there is no gain that could change", all_of(equivalent(c, half) for c in changes))
    return Finding(robust, note=also(lent, *changes))


def same_basin(results: Results) -> Finding:
    """Barrier between an MLP teacher and its MLP student against that between two independent MLPs."""
    table = barrier_heights(results.table("barriers"))
    again = table[table["statistics"] == "computed again"]
    kinds = {key: rows for key, rows in again.groupby(["kind", "aligned"])}
    own = kinds["MLP teacher and student", False].set_index("number_a")["height"]
    lines = kinds["two MLPs", False]
    # a line belongs to both of its ends
    apart = lines.melt(value_vars=["number_a", "number_b"], id_vars="height").groupby("value")["height"].mean()
    unit = "nats of test loss"
    pair = single(own, name="barrier, MLP teacher and student", unit=unit)
    strangers = single(apart, name="barrier, two independent MLPs", unit=unit)
    over = difference_of(pair, strangers, weight=BASIN, name=f"barrier of the pair − {BASIN:g} of two independent MLPs'")
    aligned = (kinds[kind, True]["height"].mean() for kind in ("MLP teacher and student", "two MLPs"))
    note = "{}; with hidden units aligned {:.3f}, but two independent MLPs {:.3f} as well".format(
        also(pair, strangers), *aligned
    )
    rule = falls_below(over, 0.0, reason="the tenth is the margin")
    return Finding(given(strangers.low > 0, "independent MLPs have no barrier between them", rule), pair, note)


CLAIMS = (
    Claim("V1", f"{PAPER}; {POST}, both tables", "A CNN teacher lifts an MLP on translated and scaled digits and leaves "
          "the clean accuracy where it was (within .005).", "+.137 translated, +.110 scaled, +.003 clean",
          teacher_lends),
    Claim("V2", f"{PAPER}; {POST}, both tables", "The gain belongs to the teacher: an MLP teacher gives at most +.03.",
          "translated: +.115 over self-distillation; self-distillation +.022", teacher_specific),
    Claim("V3", f"{PAPER}; {POST}, both tables", "Calibration is lent too: a CNN teacher lowers the MLP's ECE on "
          "translated and on scaled digits, an MLP teacher does not.",
          "translated: .564 → .432, MLP teacher .555; scaled: .175 → .109, MLP teacher .155", calibration_moves),
    Claim("V4", f"{PAPER}; {POST}, table of distilled models", "A CNN student hardly cares who teaches it: at most "
          ".005 on every test set.", "clean +.001, scaled −.004, translated +.002", strong_student_insensitive),
    Claim("V12", f"asked of {CODE}, whose scripts count 20 bins (658b54c) and a million (552f38b)",
          "Who is better calibrated depends on the number of bins.", "seen in the authors' logs on agreement",
          bins_matter, own=True),
    Claim("V13", f"{PAPER}; {POST}, figure of final representations", "A student's representation moves towards its "
          "teacher's family.", "by eye, in a joint MDS", towards_the_teacher),
    Claim("V14", f"{PAPER}; {POST}, figure of training paths", "An MLP taught by a CNN takes a smoother path than "
          "an MLP alone.", "by eye, in an MDS of checkpoints", smoother_path),
    Claim("V15", f"{PAPER}; {POST}, table of models alone", "The stronger the bias, the smaller the spread over seeds "
          "out of distribution.", "translated: .0003 CNN, .0151 MLP (log₂ ratio 5.7)", smaller_spread),
    Claim("V16", f"asked of {CODE}, distill/distiller.py and tf2_models/metrics.py", "Teacher mode and the factor on "
          "the soft loss change the gain of V1 by less than half.", "not reported", robust_to_defects, own=True),
    Claim("V17", "Abnar, Dehghani & Zuidema, submission to ICLR 2021, abstract (openreview.net/forum?id=5UY7aZ_h37)",
          "Teacher and student end in the same basin of attraction.", "claimed, no number found", same_basin),
)  # fmt: skip
