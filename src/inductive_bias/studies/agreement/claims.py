"""What text and paper say of agreement, and the rule by which each sentence is judged; written before the results.

Differences between cells are 95 % Welch intervals over seeds; an interval that excludes the threshold decides. The
``test`` split has Linzen's natural distribution; A-acc is the unweighted mean over attractor counts.
"""

from itertools import pairwise

import numpy as np
import pandas as pd

from inductive_bias.analysis import Interval, difference_interval, permutation_test
from inductive_bias.studies.agreement.design import LADDER, SIZES, TRAIN_MODE
from inductive_bias.studies.claims import Claim, Finding, above, below, both, signed, within
from inductive_bias.studies.comparisons import bins_change_ranking, finding, finite, gain, spread_ratio
from inductive_bias.studies.geometry import similarity_to, smoothness
from inductive_bias.studies.scales import Scale
from inductive_bias.studies.study import Results

PAPER = "Abnar, Dehghani & Zuidema 2020"
BLOG = "Abnar 2020"
WEAK, SEQUENTIAL, SHARED, STRONG = LADDER
SHORT = {WEAK: "T", SEQUENTIAL: "T-seq", SHARED: "UT-seq", STRONG: "LSTM"}


def a_acc(results: Results, cell: str, baseline: str) -> Interval:
    """Difference of A-acc."""
    return gain(results, cell, baseline, "attractors", "a_accuracy")


def mean_of(results: Results, cell: str, split: str = "test", metric: str = "accuracy") -> float:
    """Mean over the seeds that did not diverge."""
    return float(np.mean(finite(results.values(cell, split, metric))))


def ladder(results: Results) -> Finding:
    """Every step of the ladder gains accuracy and loses calibration error on the natural test."""
    steps = [(gain(results, b, a, "test"), gain(results, b, a, "test", "ece_1e6")) for a, b in pairwise(LADDER)]
    whole = gain(results, STRONG, WEAK, "test")
    parts = "; ".join(
        f"{SHORT[a]} to {SHORT[b]} {signed(right)}, ECE {signed(ece)}"
        for (a, b), (right, ece) in zip(pairwise(LADDER), steps, strict=True)
    )
    attractors = ", ".join(f"{SHORT[m]} {mean_of(results, m, 'attractors', 'a_accuracy'):.3f}" for m in LADDER)
    verdict = both(*(above(right) for right, _ in steps), *(below(ece) for _, ece in steps))
    return finding(verdict, whole, "accuracy, LSTM − Transformer", f"{parts}; A-acc: {attractors}")


def teacher_ladder(results: Results) -> Finding:
    """A Transformer learns most from an LSTM, then from the sequential Universal Transformer, least from the rest."""
    students = {teacher: f"{teacher} → {WEAK}" for teacher in LADDER}
    best = gain(results, students[STRONG], students[SHARED], "test")
    rest = [gain(results, students[SHARED], students[teacher], "test") for teacher in (SEQUENTIAL, WEAK)]
    whole = gain(results, students[STRONG], students[WEAK], "test")
    orders = []
    for student in LADDER:
        ranked = sorted(LADDER, key=lambda teacher, to=student: -mean_of(results, f"{teacher} → {to}"))
        orders.append(f"{SHORT[student]}: {' > '.join(SHORT[teacher] for teacher in ranked)}")
    note = f"LSTM − UT-seq {signed(best)}; teachers by accuracy of each student: {'; '.join(orders)}"
    return finding(both(above(best), *(above(step) for step in rest)), whole, "accuracy, LSTM → T minus T → T", note)


def no_better_than_the_teacher(results: Results) -> Finding:
    """Students of an LSTM that lack its bias against the LSTM, in accuracy and A-acc; .005 counts as equal."""
    students = [f"{STRONG} → {student}" for student in LADDER if student != STRONG]
    accuracies = [gain(results, cell, STRONG, "test") for cell in students]
    attractors = [a_acc(results, cell, STRONG) for cell in students]
    nearest = max((*accuracies, *attractors), key=lambda interval: interval.high)
    parts = "; ".join(
        f"{SHORT[cell.split(' → ')[1]]} {signed(right)}, A-acc {signed(deep)}"
        for cell, right, deep in zip(students, accuracies, attractors, strict=True)
    )
    verdict = both(*(below(interval, 0.005) for interval in (*accuracies, *attractors)))
    return finding(verdict, nearest, "student − LSTM, the largest", parts)


def weak_teacher_harms(results: Results) -> Finding:
    """A-acc of an LSTM taught by a Transformer against the LSTM without a teacher."""
    harm = a_acc(results, f"{WEAK} → {STRONG}", STRONG)
    own = a_acc(results, f"{STRONG} → {STRONG}", STRONG)
    right = gain(results, f"{WEAK} → {STRONG}", STRONG, "test")
    note = f"self-distillation of the LSTM {signed(own)}; accuracy {signed(right)}"
    return finding(below(harm), harm, "A-acc, T → LSTM minus LSTM", note)


def bins_matter(results: Results) -> Finding:
    """The ladder and the students of the Universal Transformer and the LSTM on the natural test."""
    cells = (*LADDER, *(f"{teacher} → {student}" for teacher in (SHARED, STRONG) for student in LADDER))
    return bins_change_ranking(results, cells, "test")


def towards_the_teacher(results: Results) -> Finding:
    """Similarity of each Transformer to the four LSTMs, distilled from an LSTM against not distilled."""
    table = results.table("similarity")
    found, probability = {}, 1.0
    for form in ("centred", "cosine", "cka"):
        mean = _nearness(table, form, STRONG)
        taught, alone = (mean[cell].tolist() for cell in (f"{STRONG} → {WEAK}", WEAK))
        found[form] = difference_interval(taught, alone)
        if form == "centred":
            probability = permutation_test(taught, alone, alternative="greater").p_value
    back = _nearness(table, "centred", WEAK)
    other = difference_interval(back[f"{WEAK} → {STRONG}"].tolist(), back[STRONG].tolist())
    significant = "reproduced" if probability < 0.05 else "inconclusive"
    notes = ", ".join(f"{form} {signed(interval)}" for form, interval in found.items())
    return finding(
        both(above(found["centred"]), significant), found["centred"], "similarity (centred) to the LSTMs",
        f"{notes}; permutation test p = {probability:.3f}; the other way, LSTMs towards Transformers {signed(other)}",
    )  # fmt: skip


def _nearness(similarities: pd.DataFrame, form: str, family: str) -> pd.Series:
    """Mean similarity of every solution to those of ``family``, itself left out, by cell and seed."""
    return similarity_to(similarities, family, form).set_index(["cell", "seed"])["value"]


def smoother_path(results: Results) -> Finding:
    """Smoothness of the path of Transformers taught by LSTMs against that of Transformers alone, by two distances."""
    taught, alone, paths = f"{STRONG} → {WEAK}", WEAK, results.table("paths")
    chord, printed = (
        difference_interval(*(smoothness(paths, cell, "cosine", kind) for cell in (taught, alone)))
        for kind in ("chord", "difference")
    )
    means = ", ".join(
        f"{cell} {np.mean(smoothness(paths, cell)):.2f}" for cell in (STRONG, alone, taught, f"{WEAK} → {WEAK}")
    )
    note = f"{means}; by the paper's distance {signed(printed, 2)}"
    return finding(both(below(chord), below(printed)), chord, "path length / distance (1 = straight)", note)


def smaller_spread(results: Results) -> Finding:
    """log₂ of the ratio of standard deviations Transformer / LSTM on the natural test; F interval over seeds."""
    values = {model: finite(results.values(model, "test", "accuracy")) for model in LADDER}
    interval = spread_ratio(values[WEAK], values[STRONG])
    if interval is None:
        return Finding("inconclusive", np.nan, np.nan, np.nan, "log₂ of a ratio", "a cell has no spread at all")
    deep = {model: finite(results.values(model, "attractors", "a_accuracy")) for model in LADDER}
    note = "; ".join(
        f"standard deviation of {name}: " + ", ".join(f"{SHORT[m]} {np.std(v, ddof=1):.4f}" for m, v in found.items())
        for name, found in (("accuracy", values), ("A-acc", deep))
    )
    return finding(above(interval), interval, "log₂ of the ratio of standard deviations T / LSTM", note)


def robust_to_teacher_mode(results: Results) -> Finding:
    """Change of the A-acc that an LSTM lends a Transformer when the teacher's dropout is active, as a share of it."""
    lent = a_acc(results, f"{STRONG} → {WEAK}", WEAK)
    change = a_acc(results, TRAIN_MODE, f"{STRONG} → {WEAK}")
    if lent.mean <= 0:
        return finding("inconclusive", change, "change of A-acc", f"nothing was lent: {signed(lent)}")
    share = Interval(*(value / lent.mean for value in change[:3]), change.n)
    return finding(within(share, 0.5), share, "change as a share of what is lent", f"lent {signed(lent)} A-acc")


def sample_efficiency(results: Results) -> Finding:
    """The LSTM with the next smaller training set against the Transformer with the largest; generated and real."""
    found = {
        kind: (a_acc(results, strong, weak), gain(results, strong, weak, "test"), f"{strong} minus {weak}")
        for kind, (strong, weak) in _sweeps(results.scale).items()
    }
    if not found:
        return Finding("inconclusive", np.nan, np.nan, np.nan, "A-acc", "no sweep of sizes at this scale")
    note = "; ".join(
        f"{kind}: {cells} {signed(deep)}, accuracy {signed(a)}" for kind, (deep, a, cells) in found.items()
    )
    effect = list(found.values())[-1][0]
    return finding(both(*(above(deep) for deep, _, _ in found.values())), effect, "A-acc, LSTM with less − T", note)


def _sweeps(scale: Scale) -> dict[str, tuple[str, str]]:
    """Of each sweep, the LSTM's cell with the last size but one and the Transformer's with the last."""
    sizes, found = SIZES[scale], {}
    tasks = {name: task for name, (task, _) in sizes.others.items()}
    generated = {t.train_size: n for n, t in tasks.items() if t.kind == "generated_agreement" and not t.enrichment}
    if len(generated) > 1:
        less, most = (generated[size] for size in sorted(generated)[-2:])
        found["generated"] = (f"{STRONG}, {less}", f"{WEAK}, {most}")
    parts = {t.train_size: n for n, t in tasks.items() if t.kind == "agreement" and t.regime == sizes.main.regime}
    if parts:
        found["real"] = (f"{STRONG}, {parts[max(parts)]}", WEAK)
    return found


CLAIMS = (
    Claim("A5", f"{PAPER}, figure of accuracy and ECE", "The more of the recurrent bias, the better: Transformer < "
          "sequential < sequential Universal < LSTM in accuracy, and the reverse in ECE.",
          ".954 < .964 < .969 < .977; ECE .055 > .045 > .037 > .028", ladder),
    Claim("A6", f"{PAPER}, figure of distilled models", "A Transformer learns best from an LSTM, then from a "
          "sequential Universal Transformer, then from the rest.", ".960 > .957 > .956 ≈ .955", teacher_ladder),
    Claim("A7", f"{PAPER}, figure of distilled models", "A student without the bias does not exceed the LSTM that "
          "taught it.", "students .960, .972, .975; LSTM .977", no_better_than_the_teacher),
    Claim("A8", f"{PAPER}, logs of the code", "A Transformer as a teacher harms an LSTM's A-acc.",
          "≈ .87 → ≈ .76", weak_teacher_harms),
    Claim("A12", f"{PAPER}, our question from its code and logs", "Who is better calibrated depends on the number of "
          "bins.", "UT-seq against its LSTM student", bins_matter),
    Claim("A13", f"{PAPER}, figure of final representations", "A Transformer's representation moves towards the LSTMs "
          "when one teaches it.", "by eye, in a joint MDS", towards_the_teacher),
    Claim("A14", f"{PAPER}, figure of training paths", "A Transformer taught by an LSTM takes a smoother path than one "
          "alone.", "shown for CNN → MLP only", smoother_path),
    Claim("A15", f"{BLOG}, figure of accuracy", "The stronger the bias, the smaller the spread over trials.",
          "standard deviation of accuracy .0016 T, .0001 LSTM (log₂ ratio 4)", smaller_spread),
    Claim("A16", f"{PAPER}, our question from its code", "Dropout in the teacher changes what an LSTM lends a "
          "Transformer by less than half.", "not reported", robust_to_teacher_mode),
    Claim("AS", f"{BLOG}, section on inductive bias", "With the right bias less data does: the LSTM with a third of "
          "the sentences beats the Transformer with all of them.", "stated, not measured", sample_efficiency),
)  # fmt: skip
