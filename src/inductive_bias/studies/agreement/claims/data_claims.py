"""What is asked of the training data: do fewer sentences suffice, is the lead larger with few, how wide is the gap?"""

from dataclasses import replace

from inductive_bias import verdicts
from inductive_bias.studies.agreement.design import DRAWN, GRAMMAR, MAIN, PLAIN, STRONG, WEAK, cell
from inductive_bias.studies.agreement.measures import (
    A_ACC,
    ACCURACY,
    FAIRNESS_SETS,
    difference,
    half_reported,
    sizes,
    wider_number_gap,
)
from inductive_bias.studies.claims import Finding, in_words
from inductive_bias.studies.results import Results
from inductive_bias.verdicts import Contrast, partners

#: An LSTM with less data must be better by a percentage point of A-acc; a lead must be as much larger with little data.
BETTER = 0.01
#: In accuracy, whose differences are a fifth as large, half a percentage point is enough.
BETTER_NATURAL = 0.005
#: After plain sentences alone less than this share of the lead must be left.
LEFT = 0.5
#: Q30b: one model has a wider gap between singular and plural than another if it is wider by a percentage point.
UNFAIR = 0.01


def sample_efficiency(results: Results) -> Finding:
    """The LSTM with the next smaller training set against the Transformer with the largest; generated and real.

    Generated sentences are those that are drawn for each run, if there are several sizes of them.
    """
    found = []
    for data in (DRAWN if len(sizes(results, DRAWN)) > 1 else GRAMMAR, MAIN):
        if len(levels := sizes(results, data)) > 1:
            less, most = levels[-2:]
            pair = cell(STRONG, data=data, sentences=less), cell(WEAK, data=data, sentences=most)
            found.append([difference(results, measure, *pair) for measure in (A_ACC, ACCURACY)])
    rules = (verdicts.exceeds(deep, BETTER) for deep, _ in found)
    judgement = verdicts.given(len(found) > 0, "no sweep of sizes at this scale", lambda: verdicts.all_of(rules))
    return Finding(judgement, note=in_words(*(each for pair in found for each in pair), units=True))


def more_with_little_data(results: Results) -> Finding:
    """The LSTM's lead in A-acc with fewer real sentences minus that with all of them, at each smaller size.

    One size is enough, corrected for their number. The data were known when this rule was written.
    """
    return _larger_lead(results, A_ACC, BETTER)


def more_with_little_data_in_accuracy(results: Results) -> Finding:
    """The LSTM's lead in accuracy with fewer real sentences minus that with all; the data were known."""
    return _larger_lead(results, ACCURACY, BETTER_NATURAL)


def _larger_lead(results: Results, measure: str, least: float) -> Finding:
    *fewer, whole = sizes(results, MAIN)
    if not fewer:
        return Finding(verdicts.untestable("no sweep of sizes at this scale"))
    most = _lead(results, measure, whole)
    changes = [_beyond(_lead(results, measure, size), most, f"{size:,} sentences − all") for size in fewer]
    return Finding(verdicts.exists(changes, least), note=in_words(*changes, most, units=True))


def _lead(results: Results, measure: str, sentences: int | None) -> Contrast:
    return difference(results, measure, *(cell(model, sentences=sentences) for model in (STRONG, WEAK)))


def _beyond(lead: Contrast, other: Contrast, name: str) -> Contrast:
    """One lead minus another, by number, where both have a run: these share their first weights."""
    return _by_number(lead, other, 1.0, name)


def data_matter(results: Results) -> Finding:
    """The LSTM's lead in A-acc after plain sentences alone, less half of that after the main training set.

    The lead after the main set must itself be more than half of the paper's. The data were known when the margin became
    half of our own lead; before, it was half of the paper's, of other sentences.
    """
    pairs = {data: (cell(STRONG, data=data), cell(WEAK, data=data)) for data in (MAIN, PLAIN)}
    lead, plain = (difference(results, A_ACC, *pair) for pair in pairs.values())
    half = half_reported(results, A_ACC, *pairs[MAIN])
    reason = f"with the main set the LSTM's own lead is no more than half of the paper's: {lead}"
    judgement = verdicts.given(
        lead.low > half,
        reason,
        lambda: verdicts.exceeds(_missing(lead, plain), 0, reason="half of the lead is what may be left"),
    )
    return Finding(judgement, effect=plain, note=in_words(lead, plain, units=True))


def _missing(lead: Contrast, plain: Contrast) -> Contrast:
    """Half of one lead minus another, by number, where both have a run."""
    return _by_number(lead, plain, LEFT, f"half of {lead.name}, less {plain.name}")


def _by_number(first: Contrast, second: Contrast, share: float, name: str) -> Contrast:
    ours, theirs = partners(first.values, second.values)
    found = verdicts.paired(share * ours, theirs, name=name, unit=f"{first.unit}, lead of the LSTM")
    return replace(found, failed=first.failed + second.failed)


def gap_between_numbers(results: Results) -> Finding:
    """Q30b: after each of three training sets a Transformer favours singular subjects by more than an LSTM does."""
    wider = [wider_number_gap(results, data) for data in FAIRNESS_SETS]
    judgement = verdicts.all_of([verdicts.exceeds(each, UNFAIR) for each in wider])
    return Finding(judgement, note=in_words(*wider, wider_number_gap(results, MAIN), units=True))
