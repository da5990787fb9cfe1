"""The rules of the ladder, and of what a student has of its teacher."""

from itertools import combinations, pairwise

from inductive_bias import verdicts
from inductive_bias.analysis.geometry import between, smoothness
from inductive_bias.formatting import short
from inductive_bias.studies.agreement.claims.spread_claims import LOOKS
from inductive_bias.studies.agreement.design import (
    DRAWN,
    LADDER,
    MAIN,
    SEQUENTIAL,
    SHARED,
    STRONG,
    TRAIN_MODE,
    WEAK,
    cell,
)
from inductive_bias.studies.agreement.measures import (
    A_ACC,
    ACCURACY,
    ECE,
    ECE_PAPER,
    FAILED,
    UNLIKE,
    difference,
    half_reported,
    moved_towards,
    nearness,
    values,
)
from inductive_bias.studies.claims import Finding, after_published_looks, in_words
from inductive_bias.studies.design import NO_TEACHER
from inductive_bias.studies.results import Results
from inductive_bias.verdicts import Contrast, Judgement

#: A-acc from which the LSTM counts as a teacher that has mastered the main training set.
MASTERED = 0.8
#: A12: two models differ in calibration if their errors are half a percentage point apart.
ECE_APART = 0.005
#: A student that an LSTM taught must be better by a percentage point of A-acc than its twin.
BETTER = 0.01
#: A student moves towards a family if it goes a tenth of the way from its twin to where that family stands itself.
OF_THE_WAY = 0.1
#: A path is smoother if it is shorter by a twentieth of the distance of its ends.
SHORTER = 0.05
#: The path of a diverged run counts as twice as long as its ends are apart.
DETOUR = 2.0


def every_step_of_the_ladder(results: Results) -> Finding:
    """Every step of the ladder gains accuracy and loses calibration error, at least half as much as in the paper."""
    steps, least = [], []
    for lower, upper in pairwise(LADDER):
        for measure, better, worse in ((ACCURACY, upper, lower), (ECE_PAPER, lower, upper)):
            steps.append(difference(results, measure, cell(better), cell(worse)))
            least.append(half_reported(results, measure, cell(better), cell(worse)))
    whole = difference(results, ACCURACY, cell(STRONG), cell(WEAK))
    judgement = after_published_looks(results, verdicts.ordered(steps, least), LOOKS)
    return Finding(judgement, note=in_words(*steps, whole, units=True))


def teacher_ladder(results: Results) -> Finding:
    """Students of one model by teacher, in accuracy; two teachers that are equally good tell nothing."""

    def step(better: str, worse: str) -> Judgement:
        least = half_reported(results, ACCURACY, cell(WEAK, better), cell(WEAK, worse))
        teachers = difference(results, ACCURACY, cell(better), cell(worse))
        reason = f"as a teacher {short(better)} is no better than {short(worse)}: {teachers} accuracy"
        return verdicts.given(teachers.low > 0, reason, verdicts.exceeds(students[better, worse], least))

    pairs = [(STRONG, SHARED), (SHARED, SEQUENTIAL), (SHARED, WEAK)]
    students = {pair: difference(results, ACCURACY, *(cell(WEAK, teacher) for teacher in pair)) for pair in pairs}
    return Finding(
        _by_a_master(results, verdicts.all_of([step(*pair) for pair in pairs])),
        note=in_words(*students.values(), units=True),
    )


def between_the_labels_and_the_teacher(results: Results) -> Finding:
    """Students of an LSTM in accuracy: above the same models that learnt from labels, and below their own teacher.

    Both by half of what the paper reports of the same two cells. That they are not above their teacher alone could not
    fail, as untaught ones are far below it too. The data were known when this rule was written.
    """
    gains = [difference(results, ACCURACY, cell(model, STRONG), cell(model)) for model in LADDER[:-1]]
    rest = [difference(results, ACCURACY, cell(STRONG), cell(model, STRONG)) for model in LADDER[:-1]]
    least = [half_reported(results, ACCURACY, cell(model, STRONG), cell(model)) for model in LADDER[:-1]]
    least += [half_reported(results, ACCURACY, cell(STRONG), cell(model, STRONG)) for model in LADDER[:-1]]
    judgement = verdicts.ordered([*gains, *rest], least)
    hard = [difference(results, A_ACC, cell(model, STRONG), cell(STRONG)) for model in LADDER[:-1]]
    return Finding(_by_a_master(results, judgement), note=in_words(*gains, *rest, *hard, units=True))


def beyond_self_distillation(results: Results) -> Finding:
    """Accuracy of a Transformer that an LSTM taught minus its twin's; the data were known when this was written."""
    return _beyond_the_twin(results, ACCURACY, 1)


def better_calibrated_than_the_twin(results: Results) -> Finding:
    """Calibration error (the paper's number of bins) of the twin minus that of the LSTM's student; data known."""
    return _beyond_the_twin(results, ECE_PAPER, -1)


def _beyond_the_twin(results: Results, measure: str, sign: int) -> Finding:
    pair = [cell(WEAK, STRONG), cell(WEAK, WEAK)][::sign]
    rule = verdicts.exceeds(difference(results, measure, *pair), half_reported(results, measure, *pair))
    alone = [cell(WEAK, STRONG), cell(WEAK)][::sign]
    note = in_words(difference(results, measure, *alone), units=True)
    return Finding(_by_a_master(results, rule), note=note)


def attractors_beyond_the_twin(results: Results) -> Finding:
    """A-acc of a Transformer that an LSTM taught minus its twin's; the paper has no number, and the data were known."""
    gain = difference(results, A_ACC, cell(WEAK, STRONG), cell(WEAK, WEAK))
    lead = difference(results, A_ACC, cell(STRONG), cell(WEAK, WEAK))
    return Finding(_by_a_master(results, verdicts.exceeds(gain, BETTER)), note=in_words(lead, units=True))


def weak_teacher_harms(results: Results) -> Finding:
    """A-acc of an LSTM that an LSTM taught minus that of its twin that a Transformer taught."""
    own, weak = cell(STRONG, STRONG), cell(STRONG, WEAK)
    harm, least = difference(results, A_ACC, own, weak), half_reported(results, A_ACC, own, weak)
    teachers = difference(results, A_ACC, cell(STRONG), cell(WEAK))
    reason = f"the LSTM has no lead to lose: as a teacher it exceeds the Transformer by {teachers} A-acc"
    judgement = verdicts.given(teachers.low > 0, reason, verdicts.exceeds(harm, least))
    return Finding(_by_a_master(results, judgement), note=in_words(teachers, units=True))


def bins_matter(results: Results) -> Finding:
    """Two cells, of the ladder and of the students of its upper half, that the two numbers of bins order oppositely.

    The margin is our own: what the logs report of one pair is no measure of the others. The data were known when it was
    written; before, it was half of what that pair differs by in the logs.
    """
    cells = [cell(model, teacher) for teacher in (NO_TEACHER, SHARED, STRONG) for model in LADDER]
    pairs = [[difference(results, measure, *pair) for measure in (ECE, ECE_PAPER)] for pair in combinations(cells, 2)]
    looks = [verdicts.opposed(*pair, ECE_APART) for pair in pairs]
    nearest = min(zip(looks, pairs, strict=True), key=lambda each: each[0].holds.p)[1]
    logged = [difference(results, measure, cell(SHARED), cell(STRONG, SHARED)) for measure in (ECE, ECE_PAPER)]
    note = f"the nearest of {len(pairs)} pairs: {in_words(*nearest, units=True)}"
    return Finding(verdicts.any_of(looks), note=f"{note}; the pair of the logs: {in_words(*logged, units=True)}")


def towards_the_teacher(results: Results) -> Finding:
    """Similarity (centred) to the LSTMs of a Transformer that an LSTM taught, minus its twin's, by pair of runs."""
    table = results.table("similarity")
    move = moved_towards(table, STRONG, WEAK)
    apart = (nearness(table, STRONG, model, teacher) for model, teacher in ((STRONG, NO_TEACHER), (WEAK, WEAK)))
    way = verdicts.paired(*apart, name="LSTMs − twins", unit=move.unit, failed_value=UNLIKE)
    beyond = verdicts.difference_of(move, way, weight=OF_THE_WAY, name=f"{move.name}, less a tenth of the way")
    rule = verdicts.exceeds(beyond, 0, reason="a tenth of the way is taken off already")
    judgement = verdicts.given(way.low > 0, f"the LSTMs are no family apart: {way}", rule)
    others = [moved_towards(table, STRONG, WEAK, form) for form in ("cosine", "cka")]
    return Finding(
        _by_a_master(results, judgement),
        effect=move,
        note=in_words(move, way, *others, moved_towards(table, WEAK, STRONG), units=True),
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


def robust_to_teacher_mode(results: Results) -> Finding:
    """What active dropout in the teacher changes in A-acc, within half of what an LSTM's student has beyond its twin.

    On the main training set; on sentences of the grammar if the LSTM of that was given no dropout, and this one some.
    """
    sets = (MAIN, DRAWN)
    noisy = {data: cell(WEAK, STRONG, data=data, variant=TRAIN_MODE) for data in sets}
    if (data := next((data for data in sets if noisy[data] in results.cells), None)) is None:
        reason = (
            "on real sentences the search gave the LSTM no dropout, so that there is none to keep; on generated ones "
            "no LSTM that keeps its dropout has taught"
        )
        return Finding(verdicts.untestable(reason))
    taught, twin = (cell(WEAK, teacher, data=data) for teacher in (STRONG, WEAK))
    gained, change = difference(results, A_ACC, taught, twin), difference(results, A_ACC, noisy[data], taught)
    rule = verdicts.equivalent(change, gained.scaled(0.5, name="half of what is gained"))
    judgement = verdicts.given(gained.low > 0, f"no A-acc is gained from an LSTM: {gained}", rule)
    return Finding(_by_a_master(results, judgement, data), note=in_words(change, units=True))


def _by_a_master(results: Results, judgement: Judgement, data: str = MAIN) -> Judgement:
    """The judgement, where the LSTM has learnt what it is to teach; a mean over seeds decides."""
    reached = float(values(results, A_ACC, cell(STRONG, data=data)).fillna(FAILED).mean())
    reason = f"the LSTM itself has not mastered its training set: {reached:.3f} A-acc, and {MASTERED} are asked"
    return verdicts.given(reached >= MASTERED, reason, judgement)
