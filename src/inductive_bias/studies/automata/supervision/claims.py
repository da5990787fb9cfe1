"""What the study tests, and the rule by which each sentence is judged; written before any run that it judges.

As in the study ``automata``, sentences of the paper are judged by its own measure, the share of right states over all
positions of words as long as those trained on, and questions of our own by the last quarter. Every label of test words
counts, however few were seen in training.
"""

import pandas as pd

from inductive_bias.protocols.measures.automata import LAST_QUARTER
from inductive_bias.studies.automata.claims import FAILED, PAPER, SHARES, SOLVED, UNIT, UNIT_OF_ALL, summary
from inductive_bias.studies.automata.design import ATTENTION, LSTM, RSA
from inductive_bias.studies.automata.design import PLANS as WHOLE
from inductive_bias.studies.automata.supervision.design import JUDGED, LABELS, PARTS, PLANS, WORDS, cell, share
from inductive_bias.studies.claims import Claim, Finding
from inductive_bias.studies.preconditions import masters
from inductive_bias.studies.results import Results
from inductive_bias.verdicts import (
    Contrast,
    Judgement,
    after_looks,
    all_of,
    every_run,
    exceeds,
    falls_below,
    given,
    paired,
    single,
    some_run,
    untestable,
)

PAGE, OWN = "automata/supervision", "a question of our own"
#: Q7: what the worst LSTM keeps, and what the mean Transformer does not.
KEEPS, LOSES = 0.95, 0.5
#: Q7b: runs at the first look of parts that have more by now: four runs left open whether the place of D8 is enough.
FIRST_LOOK = {("D8", "place"): 4}
#: Q33: by how much words that have all their labels would have to be better, to say that it is not their number.
BETTER = 0.05
#: Q34: what recurrence in attention is to save.
GAIN = 0.05
#: What one run has more than another: nothing, or all but a guess of one state of eight. A run learns the automaton
#: from few labels, or it does not.
GAINS = (0.0, 1 - 1 / 8)


def late(results: Results, automaton: str, model: str, **at: object) -> pd.Series:
    """Scores over the last quarter of one cell, by number; a diverged run is NaN."""
    where = {"length": WHOLE[results.scale].length, "part": LAST_QUARTER}
    return results.values("accuracy", split="test", **where, **cell(automaton, model, **at))


def over_all(results: Results, automaton: str, model: str, **at: object) -> pd.Series:
    """Scores over all positions of one cell, the paper's measure, by number; a diverged run is NaN."""
    where = {"length": WHOLE[results.scale].length}
    return results.values("accuracy", split="test", **where, **cell(automaton, model, **at))


def score(results: Results, automaton: str, model: str, **at: object) -> Contrast:
    """Scores of one cell over all positions, as a contrast with nothing."""
    name = cell(automaton, model, **at)
    words = f"{automaton}, {model}, {name['asked']}, {share(name['kept'])} of the labels"
    return single(
        over_all(results, automaton, model, **at), name=words, unit=UNIT_OF_ALL, failed_value=FAILED, extremes=SHARES
    )


def mastered(results: Results, model: str = ATTENTION) -> tuple[bool, str]:
    """Whether every run of a model simulates the automaton where all labels are kept, and what its worst run has."""
    sparse = PLANS[results.scale].sparse
    lowest = float(late(results, sparse, model).fillna(FAILED).min())
    return masters([lowest], what=f"with all labels the worst run of {model} on {sparse}", least=SOLVED)


def has_judged(results: Results) -> bool:
    """Whether the share that is judged is run at this scale."""
    plan = PLANS[results.scale]
    return plan.runs(automaton=plan.sparse, asked="state", model=ATTENTION, kept=JUDGED, counted=WORDS) > 0


def few_labels_are_enough_for_recurrence_alone(results: Results) -> Finding:
    """Q7: with one label in eight every LSTM simulates the automaton, and the mean Transformer has half or less."""
    if not has_judged(results):
        return Finding(untestable("no runs yet"))
    sparse = PLANS[results.scale].sparse
    lstm, other = (score(results, sparse, model, kept=JUDGED) for model in (LSTM, ATTENTION))
    judgement = all_of([every_run(lstm, KEEPS), falls_below(other, LOSES)])
    last = [late(results, sparse, model, kept=JUDGED) for model in (LSTM, ATTENTION)]
    note = f"{summary(lstm, last[0])}; {summary(other, last[1])}"
    return Finding(given(*mastered(results), judgement), effect=other, note=note)


def parts_are_labels_enough(results: Results) -> Finding:
    """Q7b: of every automaton of the paper that is asked for a part, some run answers rightly."""
    plan = PLANS[results.scale]
    if absent := [name for name in PARTS if name not in plan.parts or not plan.seeds]:
        return Finding(untestable(f"no runs of {', '.join(absent)}"))
    judgements, words = [], []
    for name, asked in PARTS.items():
        found = score(results, name, ATTENTION, asked=asked)
        judgements.append(_looked_at(some_run(found, SOLVED), found, FIRST_LOOK.get((name, asked), found.n)))
        words.append(summary(found, late(results, name, ATTENTION, asked=asked)))
    return Finding(all_of(judgements), note="; ".join(words))


def _looked_at(judgement: Judgement, contrast: Contrast, first: int) -> Judgement:
    """A judgement that pays for a look at fewer runs, if there was one."""
    return after_looks(judgement, (first, contrast.n)) if first < contrast.n else judgement


def loss(results: Results, model: str, counted: str) -> Contrast:
    """What a model lacks at the share that is judged, against all labels of as many words."""
    sparse = PLANS[results.scale].sparse
    whole, few = late(results, sparse, model), late(results, sparse, model, kept=JUDGED, counted=counted)
    return paired(
        whole,
        few,
        name=f"{model}: all labels − {share(JUDGED)}, as many {counted}",
        unit=UNIT,
        failed_value=FAILED,
        extremes=GAINS,
    )


def it_is_the_number_of_labels(results: Results) -> Finding:
    """Q33: the Transformer loses by few labels, and words with all of them, equally many labels, do not save it."""
    if not has_judged(results):
        return Finding(untestable("no runs yet"))
    sparse = PLANS[results.scale].sparse
    dense, few = (late(results, sparse, ATTENTION, kept=JUDGED, counted=counted) for counted in (LABELS, WORDS))
    gain = paired(
        dense, few, name=f"{ATTENTION}: labels in few words − in many", unit=UNIT, failed_value=FAILED, extremes=GAINS
    )
    lost = loss(results, ATTENTION, WORDS)
    enough = lost.estimate > BETTER
    reason = f"few labels cost {ATTENTION} {lost.estimate:.3f}: there is nothing to explain"
    return Finding(given(enough, reason, falls_below(gain, BETTER)), effect=gain, note=f"{lost.name} {lost}")


def recurrence_in_attention_saves_labels(results: Results) -> Finding:
    """Q34: RSA loses less than attention by few labels; both simulate the automaton with all of them."""
    if not has_judged(results):
        return Finding(untestable("no runs yet"))
    sparse = PLANS[results.scale].sparse
    own, twin = (late(results, sparse, model, kept=JUDGED) for model in (RSA, ATTENTION))
    gain = paired(
        own,
        twin,
        name=f"{RSA} − {ATTENTION}, {share(JUDGED)} of the labels",
        unit=UNIT,
        failed_value=FAILED,
        extremes=GAINS,
    )
    judgement = given(*mastered(results, RSA), exceeds(gain, GAIN))
    return Finding(given(*mastered(results), judgement), effect=gain)


_PLAN, _WHOLE = PLANS["laptop"], WHOLE["laptop"]
_SIZE = f"words of {_WHOLE.length} actions, width {_WHOLE.width}"
_REGIME = f"{_PLAN.sparse}, {_SIZE}, {_PLAN.seeds} runs"
_PLACES = _PLAN.more[ATTENTION, "place"]

CLAIMS = (
    Claim(
        "Q7",
        PAGE,
        PAPER,
        "Few labels break a Transformer and not an LSTM: where one label in eight is kept, every LSTM has 95 % of "
        "the states, and Transformers, which learn the automaton from all labels, have half of them or fewer on "
        "average.",
        "S5, T = 100: LSTM 100 %, Transformers 3 to 26 %, median 11 %",
        few_labels_are_enough_for_recurrence_alone,
        regime=f"{_PLAN.sparse} (paper: S5), words of {_WHOLE.length} actions (paper: 100), {_PLAN.seeds} runs",
    ),
    Claim(
        "Q7b",
        PAGE,
        PAPER,
        "A part of the state is label enough: asked for the wall of Grid9, zero of C4, the place of D8 and the first "
        "chair of S5, the best Transformer has 99 % of the answers right.",
        "99.7 to 99.8 %, the best run",
        parts_are_labels_enough,
        regime=f"words of {_WHOLE.length} actions (paper: 100), 4 and 6 layers, {_PLAN.seeds} to {_PLACES} runs",
    ),
    Claim(
        "Q33",
        PAGE,
        OWN,
        "It is the number of labels: a Transformer that sees as many labels in an eighth of the words, all of them "
        "labelled, does no better than one that sees one label in eight.",
        "not asked",
        it_is_the_number_of_labels,
        own=True,
        regime=_REGIME,
    ),
    Claim(
        "Q34",
        PAGE,
        OWN,
        "Recurrence in attention saves labels: with one label in eight, RSA with two layers is ahead of attention "
        "with four by 5 points.",
        "not asked",
        recurrence_in_attention_saves_labels,
        own=True,
        regime=_REGIME,
    ),
)
