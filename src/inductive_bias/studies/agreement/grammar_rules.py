"""What is asked of a generated grammar, whose numbers of attractors are exact, drawn anew for every number of a run.

Runs of one number share their sentences, so that all differences are paired. No paper asks this: the least that counts
is said here, and was before the runs.
"""

from dataclasses import replace
from itertools import pairwise

from inductive_bias import verdicts
from inductive_bias.studies.agreement.grammar import FURTHER, of
from inductive_bias.studies.agreement.measures import A_ACC, ACCURACY, difference, looked
from inductive_bias.studies.agreement.parts import LADDER, STRONG, WEAK
from inductive_bias.studies.claims import Finding, in_words
from inductive_bias.studies.results import Results
from inductive_bias.verdicts import Contrast

#: Numbers of draws at which the claims were judged: as the four models were published, and as the pairs of teacher and
#: student were. Those about further sentences were judged once, with eight.
LOOKS_ALONE, LOOKS_OF_PAIRS = (12, 24), (8, 10, 12)
#: A rung is worth at least a percentage point of A-acc.
RUNG = 0.01
#: Something is lent if it is a tenth of the LSTM's lead; a teacher harms if it takes half of it. On further sentences
#: half must be lent, and half taken.
LENT, TAKEN, SHOWN = 0.1, 0.5, 0.5


def rungs(results: Results) -> Finding:
    """Every step of the ladder in A-acc, draw by draw."""
    if absent := _absent(results):
        return absent
    steps = [difference(results, A_ACC, of(upper), of(lower)) for lower, upper in pairwise(LADDER)]
    natural = [difference(results, ACCURACY, of(upper), of(lower)) for lower, upper in pairwise(LADDER)]
    judgement = looked(results, verdicts.ordered(steps, RUNG), LOOKS_ALONE)
    return Finding(judgement, note=in_words(*steps, *natural, units=True))


def lent(results: Results) -> Finding:
    """What a Transformer that an LSTM taught has more A-acc than its twin, less a tenth of the LSTM's lead over it."""
    return _absent(results) or _after_looks(results, _lent(results, LENT, "a tenth"))


def taken(results: Results) -> Finding:
    """What an LSTM that a Transformer taught has less A-acc than its twin, less half of the twin's lead."""
    return _absent(results) or _after_looks(results, _taken(results, TAKEN, "half"))


def shown(results: Results) -> Finding:
    """What a Transformer has more A-acc than its twin, both taught on further sentences, less half of the lead."""
    return _silent(results) or _lent(results, SHOWN, "half", sentences=FURTHER)


def misled(results: Results) -> Finding:
    """What an LSTM has less A-acc than its twin, both taught on further sentences, less half of the twin's lead."""
    return _silent(results) or _taken(results, TAKEN, "half", sentences=FURTHER)


def _lent(results: Results, share: float, words: str, **lesson: int) -> Finding:
    student, twin = (of(WEAK, teacher, **lesson) for teacher in (STRONG, WEAK))
    gain, lead = (difference(results, A_ACC, each, twin) for each in (student, of(STRONG)))
    return _part_of_the_lead(gain, lead, share, words)


def _taken(results: Results, share: float, words: str, **lesson: int) -> Finding:
    student, twin = (of(STRONG, teacher, **lesson) for teacher in (WEAK, STRONG))
    harm, lead = (difference(results, A_ACC, twin, each) for each in (student, of(WEAK)))
    return _part_of_the_lead(harm, lead, share, words)


def _part_of_the_lead(change: Contrast, lead: Contrast, share: float, words: str) -> Finding:
    beyond = verdicts.difference_of(change, lead, weight=share, name=f"{change.name}, less {words} of the lead")
    rule = verdicts.exceeds(beyond, 0, reason=f"{words} of the lead is taken off already")
    judgement = verdicts.given(lead.low > 0, f"the LSTM has no lead: {lead}", rule)
    return Finding(judgement, effect=change, note=in_words(change, lead, units=True))


def _after_looks(results: Results, found: Finding) -> Finding:
    return replace(found, judgement=looked(results, found.judgement, LOOKS_OF_PAIRS))


def _absent(results: Results) -> Finding | None:
    if of(WEAK, WEAK) in results.cells:
        return None
    return Finding(verdicts.untestable("no grammar that is drawn anew at this scale"))


def _silent(results: Results) -> Finding | None:
    if of(WEAK, STRONG, sentences=FURTHER) in results.cells:
        return None
    return Finding(verdicts.untestable("no teacher speaks of further sentences at this scale"))
