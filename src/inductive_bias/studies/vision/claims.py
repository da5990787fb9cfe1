"""What the paper says of vision, and the rule by which each sentence is judged.

Students, twins and teachers of one number belong together, so contrasts are paired by number. The smallest effect worth
the name is half of the paper's where it has a number, and stated here otherwise. The rules were committed before their
verdicts were seen, but after the verdicts of older rules: `changed.csv` lists what differs.
"""

from itertools import combinations
from math import log2

from inductive_bias import verdicts as v
from inductive_bias.analysis import geometry
from inductive_bias.studies.claims import Claim, Finding
from inductive_bias.studies.results import Results
from inductive_bias.studies.vision.design import (
    ALONE,
    CNN,
    NO_DROPOUT,
    NO_PENALTY,
    RECIPES,
    SAME_STEPS,
    SELF_TAUGHT,
    STANDARD,
    TAUGHT,
    TWIN,
    label,
)
from inductive_bias.studies.vision.measures import GUESSED, SETS, TREATMENTS, Levels, barrier_heights, gain
from inductive_bias.verdicts import Contrast, Judgement

PAPER = "Abnar, Dehghani & Zuidema 2020 (arXiv:2006.00555)"
POST = "the first author's post (samiraabnar.github.io/articles/2020-05/indist)"
CODE = "the authors' code (github.com/samiraabnar/Reflect)"
SUBMISSION = "Abnar, Dehghani & Zuidema, submission to ICLR 2021 (openreview.net/forum?id=5UY7aZ_h37)"
SAME_ACCURACY = 0.005  # V1 and V4 on clean digits: the paper's own differences are .003 at most
HARDLY = 0.5  # V4: less than this share of what counts as an effect of the same teachers on an MLP, half of the paper's
ANY_TEACHER = 0.03  # V2: the paper's MLP teacher gives .022
SAME_ECE = 0.001  # V12: the last digit that the paper prints
NEARER, LONGER = 0.05, 1.1  # V13, V14: a correlation and a factor; of both the paper shows pictures only
FARTHER = 1.1  # V18: a factor, the same as that of V14; no paper has a number
BASIN = 0.1  # V17: a line climbs by less than this share of what lies between strangers


def half_reported(results: Results, cell: Levels, baseline: Levels, split: str, metric: str = "accuracy") -> float:
    """Half of the same difference in the paper, whose ordinary MLP stands for the twin that it does not have."""
    baseline = ALONE if baseline == TWIN else baseline
    first, second = (results.reported(metric, split=split, **levels)[0] for levels in (cell, baseline))
    return v.half_of(first - second)


def finding(judgement: Judgement, *contrasts: Contrast, effect: Contrast | None = None, note: str = "") -> Finding:
    """The finding, with what else was looked at in words."""
    others = [f"{each.name} {each} {each.unit}" for each in contrasts if each is not judgement.deciding]
    return Finding(judgement, effect, "; ".join(filter(None, [note, *others])))


def teacher_lends(results: Results) -> Finding:
    """Gain of the CNN-taught MLP over its undistilled twin on all three test sets."""
    found = {split: gain(results, TAUGHT, TWIN, split) for split in SETS}
    clean = v.equivalent(found.pop("test"), SAME_ACCURACY)
    parts = [v.exceeds(each, half_reported(results, TAUGHT, TWIN, split)) for split, each in found.items()]
    return finding(v.all_of([*parts, clean]), *found.values(), clean.deciding)


def teacher_specific(results: Results) -> Finding:
    """Gain over self-distillation, and of self-distillation over nothing."""
    specific, own = (gain(results, *pair, "translate") for pair in ((TAUGHT, SELF_TAUGHT), (SELF_TAUGHT, TWIN)))
    least = half_reported(results, TAUGHT, SELF_TAUGHT, "translate")
    judgement = v.all_of([v.exceeds(specific, least), v.falls_below(own, ANY_TEACHER)])
    return finding(judgement, specific, own, effect=specific)


def calibration_moves(results: Results) -> Finding:
    """By how much each of the two teachers lowers the ECE, on translated and on scaled digits."""
    parts, seen = [], []
    for split in ("translate", "scale"):
        by_cnn, by_mlp = (gain(results, TWIN, cell, split, "ece_1e6") for cell in (TAUGHT, SELF_TAUGHT))
        least = half_reported(results, TAUGHT, TWIN, split, "ece_1e6")
        parts += [v.exceeds(by_cnn, least), v.falls_below(by_mlp, least)]
        seen += [by_cnn, by_mlp, gain(results, TWIN, TAUGHT, split, "ece_20")]
    return finding(v.all_of(parts), *seen)


def strong_student_insensitive(results: Results) -> Finding:
    """Difference between CNN students of the two teachers on each test set; the students have no dropout of their own.

    Only if they have learnt enough: on clean digits neither lies more than :data:`SAME_ACCURACY` below a CNN alone.
    """
    taught = [CNN | {"teacher": teacher, "variant": NO_DROPOUT} for teacher in ("CNN", "MLP")]
    alone, *reached = (
        float(results.values("accuracy", split="test", **cell).fillna(GUESSED).mean()) for cell in (CNN, *taught)
    )
    behind = alone - min(reached)
    margins = {split: HARDLY * half_reported(results, TAUGHT, SELF_TAUGHT, split) for split in SETS}
    margins["test"] = SAME_ACCURACY
    found = {split: gain(results, *taught, split) for split in SETS}
    alike = v.all_of(v.equivalent(each, margins[split]) for split, each in found.items())
    reason = f"on clean digits a CNN student is {behind:.3f} behind a CNN alone, and {SAME_ACCURACY:g} is allowed"
    others = [gain(results, *({**cell, "variant": STANDARD} for cell in taught), split) for split in SETS]
    return finding(v.given(behind <= SAME_ACCURACY, reason, alike), *found.values(), *others)


def bins_matter(results: Results) -> Finding:
    """Whether 20 and 10⁶ bins order two cells oppositely on clean digits, among all pairs of the paper's tables."""
    looks = {}
    for a, b in combinations([cell for cell in results.cells if cell["variant"] in (STANDARD, SAME_STEPS)], 2):
        few, many = (gain(results, a, b, "test", metric) for metric in ("ece_20", "ece_1e6"))
        looks[f"{few.name} ({few} by 20 bins, {many} by a million)"] = v.opposed(few, many, SAME_ECE)
    swapped = [pair for pair, judgement in looks.items() if len(looks) * judgement.holds.p < v.ALPHA]
    note = f"ordered oppositely, corrected for {len(looks)} pairs: {'; '.join(swapped) or 'none'}"
    return Finding(v.any_of(looks.values()), note=note)


def towards_the_teacher(results: Results) -> Finding:
    """Similarity to the CNNs: of MLPs that a CNN taught against their undistilled and their self-taught twins."""

    def nearer(form: str, baseline: Levels) -> Contrast:
        near = geometry.similarity_to(results.table("similarity"), form, **CNN)
        by_cell = near.set_index("number").groupby("cell", observed=True)["value"]
        names = [label(**cell) for cell in (TAUGHT, baseline)]
        name, unit = " against ".join(names), f"similarity ({form}) to the CNNs"
        return v.paired(*map(by_cell.get_group, names), name=name, unit=unit, failed_value=0.0)

    found = [nearer("centred", baseline) for baseline in (TWIN, SELF_TAUGHT)]
    judgement = v.all_of(v.exceeds(each, NEARER) for each in found)
    return finding(judgement, *found, nearer("cosine", TWIN), nearer("cka", TWIN), effect=found[0])


def smoother_path(results: Results) -> Finding:
    """How much longer than the taught MLP's the paths of its two twins are, by two distances."""

    def longer(cell: Levels, kind: str, form: str = "cosine") -> Contrast:
        paths = (geometry.between(results.table("paths"), **each) for each in (cell, TAUGHT))
        name, by = f"{label(**cell)} / {label(**TAUGHT)}", "1 − similarity" if kind == "difference" else kind
        unit = f"log₂ of path length over distance ({form}, {by})"
        return v.paired(*(geometry.smoothness(path, form, kind) for path in paths), name=name, unit=unit, log2=True)

    found = [longer(cell, kind) for cell in (TWIN, SELF_TAUGHT) for kind in geometry.PATH_KINDS]
    return finding(v.all_of(v.exceeds(c, log2(LONGER)) for c in found), *found, longer(TWIN, "chord", "cka"))


def nearer_path(results: Results) -> Finding:
    """How much farther than the taught MLP's the paths of its two twins lie from the CNN's, by two similarities."""

    def farther(cell: Levels, form: str) -> Contrast:
        paths = geometry.distance_to_path(results.table("paths"), form=form, **CNN)
        found = (paths[paths["cell"] == label(**each)].set_index("number")["distance"] for each in (cell, TAUGHT))
        name, unit = f"{label(**cell)} / {label(**TAUGHT)}", f"log₂ of the distance to the CNN's path ({form}, chord)"
        return v.paired(*found, name=name, unit=unit, log2=True)

    found = [farther(cell, form) for cell in (TWIN, SELF_TAUGHT) for form in geometry.PATH_FORMS]
    return finding(v.all_of(v.exceeds(each, log2(FARTHER)) for each in found), *found)


def smaller_spread(results: Results) -> Finding:
    """log₂ of the ratio of the spreads MLP / CNN on translated digits, by Brown and Forsythe."""
    cnn, mlp = (results.values("accuracy", split="translate", **cell) for cell in (CNN, ALONE))
    strong, weak = (results.reported("accuracy", split="translate", **cell)[1] for cell in (CNN, ALONE))
    ratio = v.spread(mlp, cnn, name="MLP against CNN, translated", failed_value=GUESSED)
    judgement = v.exceeds(ratio, v.half_of(log2(weak / strong)))
    return finding(judgement, note=f"standard deviations: CNN {cnn.std():.4f}, MLP {mlp.std():.4f}")


def robust_to_defects(results: Results) -> Finding:
    """Change of the translated gain by teacher mode and factor, against half of the gain itself, of the same runs."""
    lent = gain(results, TAUGHT, TWIN, "translate")
    varied = [name for name, changed in RECIPES.items() if "temperature" not in changed and name != NO_PENALTY]
    changes = [gain(results, TAUGHT | {"variant": name}, TAUGHT, "translate") for name in varied]

    def half_of_gain(change: Contrast) -> Contrast:
        numbers = change.values.index
        return gain(results, TAUGHT, TWIN, "translate", numbers=numbers).scaled(0.5, name="half of the gain")

    robust = v.all_of(v.equivalent(each, half_of_gain(each)) for each in changes)
    return finding(v.given(lent.low > 0, "there is no gain that could change", robust), lent, *changes)


def same_basin(results: Results) -> Finding:
    """Barrier between an MLP teacher and its MLP student against that between two independent MLPs."""
    heights = barrier_heights(results.table("barriers")).groupby(["kind", "treatment"], observed=True)

    def over(kind: str, treatment: str) -> Contrast:
        # a line belongs to both of its ends; a teacher and its student have one number
        ends = heights.get_group((kind, treatment)).melt("value", ["number_a", "number_b"], value_name="number")
        means = ends.groupby("number")["value"].mean()
        return v.single(means, name=f"{kind}, {treatment}", unit="nats of test loss")

    (_, again, aligned), kind, apart = TREATMENTS.values(), "MLP teacher and student", "two MLPs"
    pair, strangers = over(kind, again), over(apart, again)
    name = f"barrier between teacher and student − {BASIN:g} of that between two independent MLPs"
    low = v.falls_below(v.difference_of(pair, strangers, weight=BASIN, name=name), 0, reason="the share is the margin")
    judgement = v.given(strangers.low > 0, "two independent MLPs have no barrier between them", low)
    return finding(judgement, pair, strangers, over(kind, aligned), over(apart, aligned), effect=pair)


TABLES = f"{PAPER}; {POST}, both tables"
CLAIMS = (
    Claim("V1", "vision/distillation",
          TABLES, "A CNN teacher lifts an MLP on translated and scaled digits and leaves the clean accuracy "
          "where it was (within .005).", "+.137 translated, +.110 scaled, +.003 clean", teacher_lends),
    Claim("V2", "vision/distillation",
          TABLES, "The gain belongs to the teacher: an MLP teacher gives at most +.03.",
          "translated: +.115 over self-distillation; self-distillation +.022", teacher_specific),
    Claim("V3", "vision/distillation",
          TABLES, "Calibration is lent too: a CNN teacher lowers the MLP's ECE on translated and on scaled "
          "digits, an MLP teacher does not.",
          "translated .564 → .432, MLP teacher .555; scaled .175 → .109, MLP teacher .155", calibration_moves),
    Claim("V4", "vision/distillation",
          TABLES, "A CNN student hardly cares who teaches it: the change of teacher does less than a quarter to it of "
          "what it does to an MLP in the paper, and on clean digits at most .005.",
          "clean +.001, scaled −.004, translated +.002", strong_student_insensitive),
    Claim("V12", "vision/generalisation",
          f"asked of {CODE}, whose scripts count 20 bins (658b54c) or a million (552f38b)",
          "Who is better calibrated depends on the number of bins.", "seen in the authors' logs on agreement",
          bins_matter, own=True),
    Claim("V13", "vision/solutions",
          f"{PAPER}; {POST}, figure of final representations", "A student's representation moves towards its "
          "teacher's family.", "by eye, in a joint MDS", towards_the_teacher),
    Claim("V14", "vision/paths",
          f"{SUBMISSION}, abstract; {POST}, figure of training paths", "An MLP taught by a CNN takes a smoother "
          "path than an MLP alone, and than one taught by an MLP.", "by eye, in an MDS of checkpoints", smoother_path),
    Claim("V15", "vision/generalisation",
          TABLES, "The stronger the bias, the smaller the spread over seeds out of distribution.",
          "translated: .0003 CNN, .0151 MLP (log₂ ratio 5.7)", smaller_spread),
    Claim("V16", "vision/distillation",
          f"asked of {CODE}, distill/distiller.py and tf2_models/metrics.py", "Teacher mode and the factor on "
          "the soft loss change the gain of V1 by less than half.", "not reported", robust_to_defects, own=True),
    Claim("V17", "vision/solutions",
          f"{SUBMISSION}, abstract", "Teacher and student end in the same basin of attraction.",
          "claimed; we know of no number", same_basin),
    Claim("V18", "vision/paths",
          f"{POST}, text on training paths", "On its way an MLP taught by a CNN is more like its teacher than an MLP "
          "alone, and than one taught by an MLP: its path lies a tenth nearer to the CNN's.",
          "by eye, in an MDS of checkpoints", nearer_path),
)  # fmt: skip
