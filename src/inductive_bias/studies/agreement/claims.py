"""What text and paper say of agreement, and the rule by which each sentence is judged; written before the results.

A smallest effect worth the name is half of the paper's where it reports one; others are stated here. Runs are paired as
:func:`~inductive_bias.studies.agreement.measures.difference` says, and ``FAILED`` there is what a diverged run counts
as. A student is compared with its twin: the same model with the same first weights, order of sentences and number of
steps, taught by its own kind.

What an LSTM lends can be asked only where it has something to lend: it must have mastered the task itself.
"""

import math
from itertools import combinations, pairwise, product

from inductive_bias import verdicts
from inductive_bias.analysis.geometry import between, smoothness
from inductive_bias.names import short
from inductive_bias.studies.agreement import design, fairness, grammar_rules, nearness
from inductive_bias.studies.agreement.design import cell
from inductive_bias.studies.agreement.measures import (
    A_ACC,
    ACCURACY,
    ECE,
    ECE_PAPER,
    FAILED,
    difference,
    paper,
    spread_ratio,
    values,
)
from inductive_bias.studies.agreement.parts import LADDER, SEQUENTIAL, SHARED, STRONG, WEAK
from inductive_bias.studies.claims import Claim, Finding, in_words
from inductive_bias.studies.design import NO_TEACHER, Cell
from inductive_bias.studies.results import Results
from inductive_bias.verdicts import Contrast, Judgement

PAPER = "Abnar, Dehghani & Zuidema 2020"
BLOG = "Abnar 2020, Distilling Inductive Biases"
RECURRENCE = "Abnar 2020, Recurrent Inductive Bias"
LOGS = "logs of its code (samiraabnar/Reflect)"
OWN = "a question of our own"
TEXT_5 = "Parent 2023, How do transformers implement recurrence?"
STEPS, LOANS, ENDS, COUNTED, SERVED = (
    f"recurrence/{page}" for page in ("ladder", "inheritance", "representations", "grammar", "fairness")
)

#: A-acc from which the LSTM counts as a teacher that has mastered the main training set.
MASTERED = 0.8
#: A student counts as no better than its teacher if it exceeds it by less.
EQUAL = 0.005
#: With less data must be better by a percentage point of A-acc.
BETTER = 0.01
#: A student moves towards a family if it goes a tenth of the way from its twin to where that family stands itself.
OF_THE_WAY = 0.1
#: A path is smoother if it is shorter by a twentieth of the distance of its ends.
SHORTER = 0.05
#: Q30b: one model serves two numbers less equally than another if its gap is wider by a percentage point.
UNFAIR = 0.01
#: The path of a diverged run counts as twice as long as its ends are apart.
DETOUR = 2.0


def ladder(results: Results) -> Finding:
    """Every step of the ladder gains accuracy and loses calibration error, at least half as much as in the paper."""
    steps, least = [], []
    for lower, upper in pairwise(LADDER):
        for measure, better, worse in ((ACCURACY, upper, lower), (ECE_PAPER, lower, upper)):
            steps.append(difference(results, measure, cell(better), cell(worse)))
            least.append(_half_step(results, measure, cell(better), cell(worse)))
    whole = difference(results, ACCURACY, cell(STRONG), cell(WEAK))
    return Finding(verdicts.ordered(steps, least), note=in_words(*steps, whole, units=True))


def teacher_ladder(results: Results) -> Finding:
    """Students of one model by teacher, in accuracy; two teachers that are equally good tell nothing."""

    def step(better: str, worse: str) -> Judgement:
        least = _half_step(results, ACCURACY, cell(WEAK, better), cell(WEAK, worse))
        teachers = difference(results, ACCURACY, cell(better), cell(worse))
        reason = f"as a teacher {short(better)} has no more to lend than {short(worse)}: {teachers} accuracy"
        return verdicts.given(teachers.low > 0, reason, verdicts.exceeds(students[better, worse], least))

    pairs = [(STRONG, SHARED), (SHARED, SEQUENTIAL), (SHARED, WEAK)]
    students = {pair: difference(results, ACCURACY, *(cell(WEAK, teacher) for teacher in pair)) for pair in pairs}
    return Finding(_by_a_master(results, verdicts.all_of([step(*pair) for pair in pairs])),
                   note=in_words(*students.values(), units=True))  # fmt: skip


def no_better_than_the_teacher(results: Results) -> Finding:
    """Students of an LSTM that lack its bias, each against its own teacher, in accuracy and A-acc."""
    compared = product((ACCURACY, A_ACC), LADDER[:-1])
    beyond = [difference(results, measure, cell(student, STRONG), cell(STRONG)) for measure, student in compared]
    judgement = verdicts.all_of([verdicts.falls_below(each, EQUAL) for each in beyond])
    return Finding(_by_a_master(results, judgement), note=in_words(*beyond, units=True))


def weak_teacher_harms(results: Results) -> Finding:
    """A-acc of an LSTM that an LSTM taught minus that of its twin that a Transformer taught."""
    own, weak = cell(STRONG, STRONG), cell(STRONG, WEAK)
    harm, least = difference(results, A_ACC, own, weak), _half_step(results, A_ACC, own, weak)
    teachers = difference(results, A_ACC, cell(STRONG), cell(WEAK))
    reason = f"the LSTM has nothing to lose: as a teacher it exceeds the Transformer by {teachers} A-acc"
    judgement = verdicts.given(teachers.low > 0, reason, verdicts.exceeds(harm, least))
    return Finding(_by_a_master(results, judgement), note=in_words(teachers, units=True))


def bins_matter(results: Results) -> Finding:
    """Two cells, of the ladder and of the students of its upper half, that the two numbers of bins order oppositely.

    Each difference must be half of that between the sequential Universal Transformer and the LSTM that it taught, whom
    the logs order oppositely.
    """
    cells = [cell(model, teacher) for teacher in (NO_TEACHER, SHARED, STRONG) for model in LADDER]
    known = cell(SHARED), cell(STRONG, SHARED)
    least = tuple(_half_step(results, measure, *known) for measure in (ECE, ECE_PAPER))
    pairs = [[difference(results, measure, *pair) for measure in (ECE, ECE_PAPER)] for pair in combinations(cells, 2)]
    looks = [verdicts.opposed(*pair, least) for pair in pairs]
    nearest = min(zip(looks, pairs, strict=True), key=lambda each: each[0].holds.p)[1]
    return Finding(verdicts.any_of(looks), note=f"the nearest of {len(pairs)} pairs: {in_words(*nearest, units=True)}")


def towards_the_teacher(results: Results) -> Finding:
    """Similarity (centred) to the LSTMs of a Transformer that an LSTM taught, minus its twin's, by pair of runs."""
    table = results.table("similarity")
    move = nearness.moved(table, STRONG, WEAK)
    apart = (nearness.near(table, STRONG, model, teacher) for model, teacher in ((STRONG, NO_TEACHER), (WEAK, WEAK)))
    way = verdicts.paired(*apart, name="LSTMs − twins", unit=move.unit, failed_value=nearness.UNLIKE)
    beyond = verdicts.difference_of(move, way, weight=OF_THE_WAY, name=f"{move.name}, less a tenth of the way")
    rule = verdicts.exceeds(beyond, 0, reason="a tenth of the way is taken off already")
    judgement = verdicts.given(way.low > 0, f"the LSTMs are no family apart: {way}", rule)
    others = [nearness.moved(table, STRONG, WEAK, form) for form in ("cosine", "cka")]
    return Finding(
        _by_a_master(results, judgement),
        effect=move,
        note=in_words(move, way, *others, nearness.moved(table, WEAK, STRONG), units=True),
    )


def smoother_path(results: Results) -> Finding:
    """Path length over the distance of its ends: of the twin minus of the Transformer that an LSTM taught."""

    def gained(kind: str, unit: str) -> Contrast:
        numbers = (
            smoothness(between(results.table("paths"), model=WEAK, teacher=teacher), "cosine", kind)
            for teacher in (WEAK, STRONG)
        )
        return verdicts.paired(*numbers, name="twin − taught by the LSTM", unit=unit, failed_value=DETOUR)

    kinds = {"chord": "path length / distance (chord)", "difference": "the same by 1 − similarity, the code's distance"}
    found = [gained(kind, unit) for kind, unit in kinds.items()]
    judgement = verdicts.all_of([verdicts.exceeds(each, SHORTER) for each in found])
    return Finding(_by_a_master(results, judgement), note=in_words(*found, units=True))


def smaller_spread(results: Results) -> Finding:
    """Spread of accuracy over seeds, Transformer / LSTM, against half of the paper's ratio in octaves."""
    pair = cell(WEAK), cell(STRONG)
    weak, strong = (paper(results, ACCURACY, each)[1] for each in pair)
    judgement = verdicts.exceeds(spread_ratio(results, ACCURACY, *pair), verdicts.half_of(math.log2(weak / strong)))
    return Finding(judgement, note=in_words(spread_ratio(results, A_ACC, *pair), units=True))


def robust_to_teacher_mode(results: Results) -> Finding:
    """What active dropout in the teacher changes in A-acc, within half of what an LSTM lends beyond the twin.

    On the main training set; on sentences of the grammar if the LSTM of that was given no dropout, and this one some.
    """
    sets = (design.MAIN, design.DRAWN)
    noisy = {data: cell(WEAK, STRONG, data=data, variant=design.TRAIN_MODE) for data in sets}
    if (data := next((data for data in sets if noisy[data] in results.cells), None)) is None:
        reason = "the LSTM was given no dropout by its search, so that there is none to keep"
        return Finding(verdicts.untestable(reason))
    taught, twin = (cell(WEAK, teacher, data=data) for teacher in (STRONG, WEAK))
    lent, change = difference(results, A_ACC, taught, twin), difference(results, A_ACC, noisy[data], taught)
    rule = verdicts.equivalent(change, lent.scaled(0.5, name="half of what is lent"))
    judgement = verdicts.given(lent.low > 0, f"an LSTM lends no A-acc: {lent}", rule)
    return Finding(_by_a_master(results, judgement, data), note=in_words(change, units=True))


def sample_efficiency(results: Results) -> Finding:
    """The LSTM with the next smaller training set against the Transformer with the largest; generated and real.

    Generated sentences are those that are drawn for each run, if there are several sizes of them.
    """
    found = []
    for data in (design.DRAWN if len(_sizes(results, design.DRAWN)) > 1 else design.GRAMMAR, design.MAIN):
        if len(sizes := _sizes(results, data)) > 1:
            less, most = sizes[-2:]
            pair = cell(STRONG, data=data, sentences=less), cell(WEAK, data=data, sentences=most)
            found.append([difference(results, measure, *pair) for measure in (A_ACC, ACCURACY)])
    rules = (verdicts.exceeds(deep, BETTER) for deep, _ in found)
    judgement = verdicts.given(len(found) > 0, "no sweep of sizes at this scale", lambda: verdicts.all_of(rules))
    return Finding(judgement, note=in_words(*(each for pair in found for each in pair), units=True))


def _sizes(results: Results, data: str) -> list[int]:
    """Levels of ``sentences`` of a training set, from the smallest to the largest, which may be the whole of a file."""
    levels = {each["sentences"] for each in results.cells}
    swept = {level: results.cells.get(cell(WEAK, data=data, sentences=level)) for level in levels}
    sizes = {level: trials[0].task.train_size or math.inf for level, trials in swept.items() if trials}
    return sorted(sizes, key=sizes.__getitem__)


def data_matter(results: Results) -> Finding:
    """The LSTM's lead in A-acc after plain sentences alone, against half of the paper's; the main set must show it."""
    pairs = {data: (cell(STRONG, data=data), cell(WEAK, data=data)) for data in (design.MAIN, design.PLAIN)}
    if not set(pairs[design.PLAIN]) <= set(results.cells):
        return Finding(verdicts.untestable("no plain sentences at this scale"))
    lead, plain = (difference(results, A_ACC, *pair) for pair in pairs.values())
    half = _half_step(results, A_ACC, *pairs[design.MAIN])
    reason = f"with the main set the LSTM's own lead is no more than half of the paper's: {lead}"
    judgement = verdicts.given(lead.low > half, reason, verdicts.falls_below(plain, half))
    return Finding(judgement, effect=plain, note=in_words(lead, plain, units=True))


def numbers_are_served_unequally(results: Results) -> Finding:
    """Q30b: after each of three training sets a Transformer favours singular subjects by more than an LSTM does."""
    there = {each["data"] for each in results.cells}
    if absent := [data for data in fairness.UNSEEN if data not in there]:
        return Finding(verdicts.untestable(f"no runs of {', '.join(absent)} at this scale"))
    wider = [fairness.beyond(results, data) for data in fairness.UNSEEN]
    judgement = verdicts.all_of([verdicts.exceeds(each, UNFAIR) for each in wider])
    return Finding(judgement, note=in_words(*wider, fairness.beyond(results, design.MAIN), units=True))


def _by_a_master(results: Results, judgement: Judgement, data: str = design.MAIN) -> Judgement:
    """The judgement, where the LSTM has learnt what it is to teach; a mean over seeds decides."""
    reached = float(values(results, A_ACC, cell(STRONG, data=data)).fillna(FAILED).mean())
    reason = f"the LSTM itself has not mastered its training set: {reached:.3f} A-acc, and {MASTERED} are asked"
    return verdicts.given(reached >= MASTERED, reason, judgement)


def _half_step(results: Results, measure: str, better: Cell, worse: Cell) -> float:
    """Half of the paper's difference."""
    return verdicts.half_of(paper(results, measure, better)[0] - paper(results, measure, worse)[0])


CLAIMS = (
    Claim("A5", STEPS, f"{PAPER}; {BLOG}, figure of accuracy and ECE", "The more of the recurrent bias, the better: "
          "bidirectional Transformer < sequential < sequential Universal < LSTM in accuracy, and the reverse in ECE.",
          ".954 < .964 < .969 < .977; ECE .055 > .045 > .037 > .028", ladder),
    Claim("A6", LOANS, f"{PAPER}; {BLOG}, figure of distilled models", "A bidirectional Transformer learns best from "
          "an LSTM, then from a sequential Universal Transformer, then from the rest.", ".960 > .957 > .956 ≈ .955",
          teacher_ladder),
    Claim("A7", LOANS, f"{PAPER}; {BLOG}, figure of distilled models", "A student without the bias does not exceed "
          "the LSTM that taught it.", "students .960, .972, .975; LSTM .977", no_better_than_the_teacher),
    Claim("A8", LOANS, f"{PAPER}, {LOGS}", "A bidirectional Transformer as a teacher harms an LSTM's A-acc, more than "
          "an LSTM as a teacher does.", "≈ .76 against ≈ .83 (≈ .87 without a teacher)", weak_teacher_harms),
    Claim("A12", STEPS, f"our question; {PAPER}, {LOGS}", "Who is better calibrated depends on the number of bins.",
          "sequential Universal Transformer and its LSTM student: ECE .037 < .039 with 10⁶ bins, .013 > .004 with 20",
          bins_matter, own=True),
    Claim("A13", ENDS, f"{PAPER}; {BLOG}, figure of final representations", "A bidirectional Transformer's "
          "representation moves towards the LSTMs when one teaches it.", "by eye, in a joint MDS", towards_the_teacher),
    Claim("A14", ENDS, f"our question; {PAPER}; {BLOG}, figure of training paths", "A bidirectional Transformer taught "
          "by an LSTM takes a smoother path than its twin.", "shown for CNN → MLP only", smoother_path, own=True),
    Claim("A15", STEPS, f"{RECURRENCE}; {BLOG}, figure of accuracy", "The stronger the bias, the smaller the spread "
          "over trials.", "standard deviation of accuracy .0016 bidirectional Transformer, .0001 LSTM (log₂ ratio 4)",
          smaller_spread),
    Claim("A16", LOANS, f"our question; {PAPER}, its code", "Dropout in the teacher changes what an LSTM lends a "
          "bidirectional Transformer by less than half.", "not reported", robust_to_teacher_mode, own=True),
    Claim("AS", STEPS, f"{RECURRENCE}, section on inductive bias", "With the right bias less data does: the LSTM with "
          "a third of the sentences beats the bidirectional Transformer with all of them.", "stated, not measured",
          sample_efficiency),
    Claim("A17", STEPS, OWN, "It takes the data to bring the bias out: after plain sentences alone (a noun phrase, "
          "prepositional phrases, a verb) the LSTM is ahead of the bidirectional Transformer by less than half of what "
          "the paper reports in A-acc.", "not asked; with its own data .87 against .717", data_matter, own=True),
    Claim("A18", COUNTED, OWN, "On sentences of a generated grammar every rung of the ladder gains A-acc.", "not asked",
          grammar_rules.rungs, own=True),
    Claim("A19", COUNTED, OWN, "On generated sentences a bidirectional Transformer takes over at least a tenth of the "
          "LSTM's lead in A-acc from its answers, beyond what its own kind gives.", "not asked", grammar_rules.lent,
          own=True),
    Claim("A20", COUNTED, OWN, "On generated sentences a bidirectional Transformer as a teacher takes at least half of "
          "its lead in A-acc from an LSTM.", "not asked", grammar_rules.taken, own=True),
    Claim("A21", COUNTED, OWN, "If the LSTM speaks of three times as many generated sentences as it learnt from, a "
          "bidirectional Transformer takes over at least half of its lead in A-acc.", "not asked", grammar_rules.shown,
          own=True),
    Claim("A22", COUNTED, OWN, "If a bidirectional Transformer speaks of three times as many generated sentences as it "
          "learnt from, an LSTM that it teaches loses at least half of its lead in A-acc.", "not asked",
          grammar_rules.misled, own=True),
    Claim("Q30b", SERVED, TEXT_5, "Models differ in whom they serve: a bidirectional Transformer favours singular "
          "subjects over plural ones by more than an LSTM does, whatever real sentences of all kinds both have learnt "
          "from.", "asked; no numbers", numbers_are_served_unequally, own=True),
)  # fmt: skip
