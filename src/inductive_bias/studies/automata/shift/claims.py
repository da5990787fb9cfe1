"""What the study tests, and the rule by which each sentence is judged; written before any run that it judges.

Scores are shares of right states: on words as long as the longest of training, by share of ones; and on words four
times as long, over the positions of training (1 to 20 at laptop scale), those up to twice as far (21 to 40) and those
beyond (41 to 80). A claim about what is lost needs models that had it: parity is learnt where a model has 99 % of the
states of training words.
"""

import pandas as pd

from inductive_bias.protocols.measures.shifted import BEYOND, LONGER, TWICE, WITHIN
from inductive_bias.studies.automata.claims import FAILED, PAPER
from inductive_bias.studies.automata.shift.design import (
    ALIBI,
    ANSWERS,
    BEGUN,
    DEEP,
    ENCODINGS,
    FLIP_FLOP,
    LEARNED,
    LSTM,
    MORE,
    NONE,
    PARITY,
    ROPE,
    RSA,
    RSA_ALONE,
    SCRATCHPAD,
    SHIFTED,
    SINUSOIDAL,
    STARTED,
    TWIN,
    USUAL,
    WINDOW,
    XL,
    cell,
    label,
    lacking,
)
from inductive_bias.studies.claims import Claim, Finding, in_words
from inductive_bias.studies.design import Cell
from inductive_bias.studies.results import Results
from inductive_bias.tasks.automata import SHARES
from inductive_bias.verdicts import (
    Contrast,
    all_of,
    equivalent,
    every_run,
    exceeds,
    falls_below,
    given,
    paired,
    partners,
    single,
    untestable,
)

PAGE, OWN, UNIT = "automata/shift", "a question of our own", "of the states"
DELETANG = "Delétang et al. 2023 (arXiv:2207.02098)"
ANIL = "Anil et al. 2022 (arXiv:2207.04901)"
#: What has been learnt has so much of the states; an LSTM keeps so much, everywhere.
LEARNT, KEPT = 0.99, 0.999
#: Q8: how often ones come in training, and how rarely or often where it is brittle; and the least loss worth the name.
EVEN, RARE, FREQUENT, BRITTLE = 0.5, 0.05, 0.95, 0.05
#: Q9: encodings of which none goes far beyond the length of training, chance, and how near to it they stay.
PLAIN, CHANCE, NEAR_CHANCE = (NONE, SINUSOIDAL, ROPE, ALIBI, XL), 0.5, 0.05
#: Q9b: the least gain of a random shift; Q9c: of a bias to what is near; Q16: of recurrence.
SHIFT_GAIN, RECENCY_GAIN, RECURRENCE_GAIN = 0.02, 0.1, 0.02
#: Q11: what no encoding reaches on longer words.
AT_MOST = 0.6
#: Q15 and Q16: differences below this are none.
EQUAL = 0.05


def far(
    results: Results, model: str, part: str, *, automaton: str = PARITY, form: str = ANSWERS, size: str = USUAL
) -> pd.Series:
    """Scores on long words over some of their positions, by number; a diverged run is NaN."""
    return results.values("accuracy", split="test", part=part, **cell(automaton, model, form, size))


def at_share(results: Results, model: str, share: float, *, automaton: str = PARITY) -> pd.Series:
    """Scores where ones come with this share, by number."""
    return results.values("accuracy", split=SHARES, share=share, **cell(automaton, model))


def score(results: Results, model: str, part: str, **at: str) -> Contrast:
    """:func:`far` as a contrast with nothing."""
    name = f"{label(**cell(**{'automaton': PARITY} | at, model=model))}, {part}"
    return single(far(results, model, part, **at), name=name, unit=UNIT, failed_value=FAILED)


def learnt(results: Results, models: tuple[str, ...], form: str = ANSWERS) -> tuple[bool, str]:
    """Whether the best of these models has learnt parity on average, and in words what it has if not."""
    means = {model: float(far(results, model, WITHIN, form=form).fillna(FAILED).mean()) for model in models}
    best = max(means, key=means.get)
    return means[best] >= LEARNT, f"parity is not learnt: on the positions of training {best} has {means[best]:.3f}"


def _of(models: tuple[str, ...], form: str = ANSWERS, automaton: str = PARITY) -> list[Cell]:
    return [cell(automaton, model, form) for model in models]


def another_share_breaks_it(results: Results, model: str, share: float = RARE) -> Finding:
    """Q8: where ones come so often the Transformer loses, and no LSTM does at any share."""
    if reason := lacking(results.scale, _of((model, LSTM))):
        return Finding(untestable(reason))
    even, other = (at_share(results, model, each) for each in (EVEN, share))
    loss = paired(even, other, name=f"{model}: P(1) = {EVEN:g} − {share:g}", unit=UNIT, failed_value=FAILED)
    tried = results.cells[cell(PARITY, LSTM)][0].task.shares
    worst = pd.concat([at_share(results, LSTM, each) for each in tried], axis=1).min(axis=1, skipna=False)
    lstm = single(worst, name=f"{LSTM}, worst share", unit=UNIT, failed_value=FAILED)
    mean = float(even.fillna(FAILED).mean())
    judgement = all_of([exceeds(loss, BRITTLE), every_run(lstm, KEPT)])
    reason = f"parity is not learnt: where half are ones {model} has {mean:.3f}"
    return Finding(given(mean >= LEARNT, reason, judgement), effect=loss, note=f"{lstm.name} {lstm}")


def none_goes_far(results: Results, models: tuple[str, ...] = PLAIN, form: str = ANSWERS) -> Finding:
    """Q9: beyond twice the length of training all plain encodings are at chance, and every LSTM is right."""
    if reason := lacking(results.scale, [*_of(models, form), cell(PARITY, LSTM)]):
        return Finding(untestable(reason))
    scores = [score(results, model, BEYOND, form=form) for model in models]
    best, lstm = max(scores, key=lambda each: each.estimate), score(results, LSTM, BEYOND)
    parts = [falls_below(each, CHANCE + NEAR_CHANCE) for each in scores] + [every_run(lstm, LEARNT)]
    note = f"best: {best.name} {best}; {lstm.name} {lstm}"
    return Finding(given(*learnt(results, models, form), all_of(parts)), effect=best, note=note)


def a_shift_helps(results: Results) -> Finding:
    """Q9b: random shift − sinusoidal, on all positions longer than in training."""
    if reason := lacking(results.scale, _of((SHIFTED, TWIN))):
        return Finding(untestable(reason))
    shifted, still = (far(results, model, LONGER) for model in (SHIFTED, TWIN))
    gain = difference(shifted, still, f"{SHIFTED} − {TWIN}")
    return Finding(given(*learnt(results, (SHIFTED, TWIN)), exceeds(gain, SHIFT_GAIN)), effect=gain)


def notes_need_nearness(results: Results, model: str, twin: str = TWIN) -> Finding:
    """Q9c: with a scratchpad and a bias to what is near states stay right four times as far; without the bias not."""
    if reason := lacking(results.scale, _of((model, twin), SCRATCHPAD)):
        return Finding(untestable(reason))
    near, alone = (far(results, each, BEYOND, form=SCRATCHPAD) for each in (model, twin))
    gain = paired(near, alone, name=f"scratchpad: {model} − {twin}", unit=UNIT, failed_value=FAILED)
    kept = score(results, model, BEYOND, form=SCRATCHPAD)
    judgement = all_of([exceeds(kept, LEARNT), exceeds(gain, RECENCY_GAIN)])
    return Finding(given(*learnt(results, (model, twin), SCRATCHPAD), judgement), effect=gain,
                   note=f"{kept.name} {kept}")  # fmt: skip


def no_encoding_rescues_parity(results: Results) -> Finding:
    """Q11: on longer words no encoding has more than 60 %, RSA included."""
    models = (*ENCODINGS, RSA)
    if reason := lacking(results.scale, _of(models)):
        return Finding(untestable(reason))
    scores = [score(results, model, LONGER) for model in models]
    best = max(scores, key=lambda each: each.estimate)
    highest = max(each.values.max() for each in scores)
    judgement = all_of([falls_below(each, AT_MOST) for each in scores])
    note = f"best on average: {best.name} {best}; best run of all {highest:.3f}"
    return Finding(given(*learnt(results, models), judgement), effect=best, note=note)


def difference(one: pd.Series, other: pd.Series, name: str) -> Contrast:
    """Of two cells, by the numbers that both have."""
    return paired(*partners(one, other), name=name, unit=UNIT, failed_value=FAILED)


def scale_does_not_help(results: Results) -> Finding:
    """Q15: on positions up to twice as far neither four times the depth nor four times the words change the score."""
    if reason := lacking(results.scale, [cell(PARITY, TWIN, size=size) for size in (USUAL, DEEP, MORE)]):
        return Finding(untestable(reason))
    usual = far(results, TWIN, TWICE)
    found = [difference(far(results, TWIN, TWICE, size=size), usual, f"{TWIN}: {size} − {USUAL}")
             for size in (DEEP, MORE)]  # fmt: skip
    words = in_words(*found)
    judgement = all_of([equivalent(each, EQUAL) for each in found])
    return Finding(given(*learnt(results, (TWIN,)), judgement), effect=found[0], note=words)


def recurrence_helps_memory(results: Results) -> Finding:
    """Q16: RSA − its twin on positions up to twice as far: ahead on the memory, and not on parity."""
    cells = [each for automaton in (FLIP_FLOP, PARITY) for each in _of((RSA, TWIN), automaton=automaton)]
    if reason := lacking(results.scale, cells):
        return Finding(untestable(reason))
    memory, parity = (
        difference(*(far(results, model, TWICE, automaton=automaton) for model in (RSA, TWIN)),
                   f"{automaton}: {RSA} − {TWIN}")
        for automaton in (FLIP_FLOP, PARITY)
    )  # fmt: skip
    judgement = all_of([exceeds(memory, RECURRENCE_GAIN), equivalent(parity, EQUAL)])
    return Finding(judgement, effect=memory, note=f"{memory.name} {memory}; {parity.name} {parity}")


CLAIMS = (
    Claim("Q8", PAGE, PAPER,
          "Shortcuts are brittle: a Transformer that has learnt parity loses 5 points and more where ones are rare, "
          "and an LSTM loses nothing.", "99.7 % where half are ones, 82 % where one in twenty is; LSTM 100 %",
          lambda results: another_share_breaks_it(results, SINUSOIDAL)),
    Claim("Q8-learned", PAGE, PAPER, "The same of learned positions, as the paper’s model has them.",
          "99.7 % where half are ones, 82 % where one in twenty is",
          lambda results: another_share_breaks_it(results, LEARNED), primary=False),
    Claim("Q8-frequent", PAGE, PAPER, "The same of learned positions where nearly all are ones.",
          "99.7 % where half are ones, 85.5 % where nineteen in twenty are",
          lambda results: another_share_breaks_it(results, LEARNED, FREQUENT), primary=False),
    Claim("Q9", PAGE, PAPER,
          "No plain encoding of position carries parity beyond twice the length of training: none, sinusoidal, RoPE, "
          "ALiBi and Transformer-XL are within 5 points of chance there, and every LSTM has 99 %.",
          "a collapse in a figure; LSTM 100 %", none_goes_far),
    Claim("Q9-begun", PAGE, OWN,
          "The same of models that tell distances alone or nothing, where a token of its own begins every word: "
          "without it they cannot learn all of parity, since a word of ones looks the same at every length.",
          "not asked",
          lambda results: none_goes_far(results, STARTED, BEGUN), own=True, primary=False),
    Claim("Q9b", PAGE, PAPER,
          "A random shift of the positions in training helps on longer words: it is ahead of fixed ones by 2 points.",
          "partly, in a figure", a_shift_helps),
    Claim("Q9c", PAGE, PAPER,
          "A scratchpad needs a bias to what is near: with ALiBi, states that are written down stay right on words "
          "four times as long (99 %), and without it there are 10 points less.", "100 % with both",
          lambda results: notes_need_nearness(results, ALIBI)),
    Claim("Q9c-window", PAGE, OWN, "The same of a hard window: of the last four tokens alone.", "not asked",
          lambda results: notes_need_nearness(results, WINDOW), own=True, primary=False),
    Claim("Q9c-places", PAGE, OWN,
          "It is the bias and not that no place is new: ALiBi is ahead of attention that knows no positions as well.",
          "not asked", lambda results: notes_need_nearness(results, ALIBI, NONE), own=True, primary=False),
    Claim("Q9d", PAGE, OWN,
          "Recurrence within attention is such a bias: with a scratchpad and without positions RSA stays right on "
          "words four times as long (99 %), and attention without positions has 10 points less.", "not asked",
          lambda results: notes_need_nearness(results, RSA_ALONE, NONE), own=True),
    Claim("Q11", PAGE, DELETANG,
          "No encoding of position rescues parity: on words up to four times as long none of nine, RSA included, has "
          "60 % of the states.", "52.0 %, the best of 10 seeds × 3 rates × 5 encodings, one answer a word",
          no_encoding_rescues_parity),
    Claim("Q15", PAGE, ANIL,
          "Scale does not help: four times the layers, or four times the words, change the score on words up to twice "
          "as long by less than 5 points.", "said of fine-tuned language models; no number at hand",
          scale_does_not_help),
    Claim("Q16", PAGE, OWN,
          "Recurrence within attention helps a memory and not a parity on longer words: RSA is ahead of its twin by 2 "
          "points on the flip-flop and within 5 on parity.", "not asked", recurrence_helps_memory, own=True),
)  # fmt: skip
