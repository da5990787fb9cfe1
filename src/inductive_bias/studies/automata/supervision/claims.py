"""What the study tests, and the rule by which each sentence is judged; written before any run that it judges.

Scores are of the last quarter of words as long as those trained on, as in the study ``automata``; every label of them
counts, however few were seen in training.
"""

import pandas as pd

from inductive_bias.protocols.measures.automata import LAST_QUARTER
from inductive_bias.studies.automata.claims import FAILED, PAPER, SOLVED, UNIT, summary
from inductive_bias.studies.automata.design import ATTENTION, LSTM, RSA
from inductive_bias.studies.automata.design import PLANS as WHOLE
from inductive_bias.studies.automata.supervision.design import JUDGED, LABELS, PARTS, PLANS, WORDS, cell, share
from inductive_bias.studies.claims import Claim, Finding
from inductive_bias.studies.results import Results
from inductive_bias.verdicts import (
    Contrast,
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
#: Q33: by how much words that have all their labels would have to be better, to say that it is not their number.
BETTER = 0.05
#: Q34: what recurrence in attention is to save.
GAIN = 0.05


def late(results: Results, automaton: str, model: str, **at: object) -> pd.Series:
    """Scores over the last quarter of one cell, by number; a diverged run is NaN."""
    where = {"length": WHOLE[results.scale].length, "part": LAST_QUARTER}
    return results.values("accuracy", split="test", **where, **cell(automaton, model, **at))


def score(results: Results, automaton: str, model: str, **at: object) -> Contrast:
    """The same as a contrast with nothing."""
    name = cell(automaton, model, **at)
    words = f"{automaton}, {model}, {name['asked']}, {share(name['kept'])} of the labels"
    return single(late(results, automaton, model, **at), name=words, unit=UNIT, failed_value=FAILED)


def mastered(results: Results) -> tuple[bool, str]:
    """Whether every Transformer simulates the automaton where all labels are kept, and its worst run if not."""
    lowest = float(late(results, PLANS[results.scale].sparse, ATTENTION).fillna(FAILED).min())
    return lowest >= SOLVED, f"with all labels the worst run of {ATTENTION} has {lowest:.3f}"


def has_judged(results: Results) -> bool:
    """Whether the share that is judged is run at this scale."""
    plan = PLANS[results.scale]
    return plan.runs(automaton=plan.sparse, asked="state", model=ATTENTION, kept=JUDGED, counted=WORDS) > 0


def few_labels_are_enough_for_recurrence_alone(results: Results) -> Finding:
    """Q7: with one label in eight every LSTM simulates the automaton and Transformers do not."""
    if not has_judged(results):
        return Finding(untestable("no runs yet"))
    lstm, other = (score(results, PLANS[results.scale].sparse, model, kept=JUDGED) for model in (LSTM, ATTENTION))
    judgement = all_of([every_run(lstm, KEEPS), falls_below(other, LOSES)])
    return Finding(given(*mastered(results), judgement), effect=other, note=f"{summary(lstm)}; {summary(other)}")


def parts_are_labels_enough(results: Results) -> Finding:
    """Q7b: of every automaton of the paper that is asked for a part, some run answers rightly."""
    plan = PLANS[results.scale]
    if absent := [name for name in PARTS if name not in plan.parts or not plan.seeds]:
        return Finding(untestable(f"no runs of {', '.join(absent)}"))
    scores = [score(results, name, ATTENTION, asked=asked) for name, asked in PARTS.items()]
    return Finding(all_of([some_run(each, SOLVED) for each in scores]), note="; ".join(map(summary, scores)))


def loss(results: Results, model: str, counted: str) -> Contrast:
    """What a model lacks at the share that is judged, against all labels of as many words."""
    sparse = PLANS[results.scale].sparse
    whole, few = late(results, sparse, model), late(results, sparse, model, kept=JUDGED, counted=counted)
    return paired(whole, few, name=f"{model}: all labels − {share(JUDGED)}, as many {counted}", unit=UNIT,
                  failed_value=FAILED)  # fmt: skip


def it_is_the_number_of_labels(results: Results) -> Finding:
    """Q33: the Transformer loses by few labels, and words with all of them, equally many labels, do not save it."""
    if not has_judged(results):
        return Finding(untestable("no runs yet"))
    sparse = PLANS[results.scale].sparse
    dense, few = (late(results, sparse, ATTENTION, kept=JUDGED, counted=counted) for counted in (LABELS, WORDS))
    gain = paired(dense, few, name=f"{ATTENTION}: labels in few words − in many", unit=UNIT, failed_value=FAILED)
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
    gain = paired(own, twin, name=f"{RSA} − {ATTENTION}, {share(JUDGED)} of the labels", unit=UNIT, failed_value=FAILED)
    lowest = float(late(results, sparse, RSA).fillna(FAILED).min())
    judgement = given(lowest >= SOLVED, f"with all labels the worst run of {RSA} has {lowest:.3f}",
                      exceeds(gain, GAIN))  # fmt: skip
    return Finding(given(*mastered(results), judgement), effect=gain)


CLAIMS = (
    Claim("Q7", PAGE, PAPER,
          "Few labels break a Transformer and not an LSTM: where one label in eight is kept, every LSTM still "
          "simulates the automaton, and a Transformer that learns it from all labels has half of the states or fewer.",
          "S5, T = 100: LSTM 100 %, median of Transformers 11 %", few_labels_are_enough_for_recurrence_alone),
    Claim("Q7b", PAGE, PAPER,
          "A part of the state is label enough: asked for the wall of Grid9, zero of C4, the place of D8 and the first "
          "chair of S5, a Transformer answers rightly.",
          "99.7 to 99.8 %, the best run", parts_are_labels_enough),
    Claim("Q33", PAGE, OWN,
          "It is the number of labels: a Transformer that sees as many labels in an eighth of the words, all of them "
          "labelled, does no better than one that sees one label in eight.",
          "not asked", it_is_the_number_of_labels, own=True),
    Claim("Q34", PAGE, OWN,
          "Recurrence in attention saves labels: with one label in eight, RSA with two layers is ahead of attention "
          "with four.", "not asked", recurrence_in_attention_saves_labels, own=True),
)  # fmt: skip
