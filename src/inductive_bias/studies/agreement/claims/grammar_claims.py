"""What is asked of a generated grammar, whose numbers of attractors are exact, drawn anew for every number of a run.

Runs of one number share their sentences, so that all differences are paired. No paper asks this: the least that counts
is said here, and was before the runs.
"""

from dataclasses import replace
from itertools import pairwise

from inductive_bias import verdicts
from inductive_bias.studies.agreement.design import FURTHER, LADDER, STRONG, WEAK, drawn_cell
from inductive_bias.studies.agreement.measures import A_ACC, ACCURACY, difference
from inductive_bias.studies.claims import Finding, after_published_looks, in_words
from inductive_bias.studies.results import Results
from inductive_bias.verdicts import Contrast

#: Numbers of draws at which the claims were judged: as the four models were published, and as the pairs of teacher and
#: student were. Those about further sentences were judged once, with eight.
LOOKS_ALONE, LOOKS_OF_PAIRS = (12, 24), (8, 10, 12)
#: A rung is worth at least a percentage point of A-acc.
RUNG = 0.01
#: A student gains if it gains a tenth of the LSTM's lead; a teacher harms if its student loses half of it. On further
#: sentences half must be gained, and half lost.
SHARE_GAINED, SHARE_LOST, SHARE_GAINED_FURTHER = 0.1, 0.5, 0.5


def every_rung(results: Results) -> Finding:
    """Every step of the ladder in A-acc, draw by draw."""
    steps = [difference(results, A_ACC, drawn_cell(upper), drawn_cell(lower)) for lower, upper in pairwise(LADDER)]
    natural = [difference(results, ACCURACY, drawn_cell(upper), drawn_cell(lower)) for lower, upper in pairwise(LADDER)]
    judgement = after_published_looks(results, verdicts.ordered(steps, RUNG), LOOKS_ALONE)
    return Finding(judgement, note=in_words(*steps, *natural, units=True))


def student_gain(results: Results) -> Finding:
    """What a Transformer that an LSTM taught has more A-acc than its twin, less a tenth of the LSTM's lead over it."""
    return _of_pairs(results, _gained(results, SHARE_GAINED, "a tenth"))


def weak_teacher_harm_in_grammar(results: Results) -> Finding:
    """What an LSTM that a Transformer taught has less A-acc than its twin, less half of the twin's lead."""
    return _of_pairs(results, _lost(results, SHARE_LOST, "half"))


def gain_from_extra_data(results: Results) -> Finding:
    """What a Transformer has more A-acc than its twin, both taught on further sentences, less half of the lead."""
    return _gained(results, SHARE_GAINED_FURTHER, "half", sentences=FURTHER)


def harm_from_extra_data(results: Results) -> Finding:
    """What an LSTM has less A-acc than its twin, both taught on further sentences, less half of the twin's lead."""
    return _lost(results, SHARE_LOST, "half", sentences=FURTHER)


def _gained(results: Results, share: float, words: str, **other: int) -> Finding:
    student, twin = (drawn_cell(WEAK, teacher, **other) for teacher in (STRONG, WEAK))
    gain, lead = (difference(results, A_ACC, each, twin) for each in (student, drawn_cell(STRONG)))
    return _part_of_the_lead(gain, lead, share, words)


def _lost(results: Results, share: float, words: str, **other: int) -> Finding:
    student, twin = (drawn_cell(STRONG, teacher, **other) for teacher in (WEAK, STRONG))
    harm, lead = (difference(results, A_ACC, twin, each) for each in (student, drawn_cell(WEAK)))
    return _part_of_the_lead(harm, lead, share, words)


def _part_of_the_lead(change: Contrast, lead: Contrast, share: float, words: str) -> Finding:
    beyond = verdicts.difference_of(change, lead, weight=share, name=f"{change.name}, less {words} of the lead")
    rule = verdicts.exceeds(beyond, 0, reason=f"{words} of the lead is taken off already")
    judgement = verdicts.given(lead.low > 0, f"the LSTM has no lead: {lead}", rule)
    return Finding(judgement, effect=change, note=in_words(change, lead, units=True))


def _of_pairs(results: Results, found: Finding) -> Finding:
    return replace(found, judgement=after_published_looks(results, found.judgement, LOOKS_OF_PAIRS))
