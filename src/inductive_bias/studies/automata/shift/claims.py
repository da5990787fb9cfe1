"""What the study tests, and the rule by which each sentence is judged; written before any run that it judges.

Scores are shares of right states: on words as long as the longest of training, by share of ones; and on words four
times as long, over the positions of training (1 to 20 at laptop scale), those up to twice as far (21 to 40) and those
beyond (41 to 80). *Longer words* are scored over 21 to 80: no position inside the training lengths counts.

One precondition for all claims on length: a model is judged only if it masters the training lengths, 99 % of the states
at positions 1 to 20 on average over its runs. Every other model is named as not testable, and its runs are no evidence.
That no model carries parity further is judged by single runs, since a run finds the rule or does not: a mean near a
guess says nothing of a rare run that finds it. (Both since issue 50, when the data were known: ``corrections.csv``.)
"""

from collections.abc import Sequence

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
    PLANS,
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
from inductive_bias.studies.preconditions import masters, where
from inductive_bias.studies.results import Results
from inductive_bias.tasks.automata import SHARES
from inductive_bias.verdicts import (
    Contrast,
    Judgement,
    after_looks,
    all_of,
    every_run,
    exceeds,
    given,
    not_,
    paired,
    partners,
    single,
    some_run,
    untestable,
)

PAGE, OWN, UNIT = "automata/shift", "a question of our own", "of the states"
DELETANG = "Delétang et al. 2023 (arXiv:2207.02098)"
ANIL = "Anil et al. 2022 (arXiv:2207.04901)"
#: What has been learnt has so much of the states; an LSTM keeps so much, everywhere.
LEARNT, KEPT = 0.99, 0.999
#: Q8: how often ones come in training, and how rarely or often where it is brittle; and the least loss worth the name.
EVEN, RARE, FREQUENT, BRITTLE = 0.5, 0.05, 0.95, 0.05
#: Q9: encodings of which none goes far beyond the length of training, chance, and how near to it every run stays.
PLAIN, CHANCE, NEAR_CHANCE = (NONE, SINUSOIDAL, ROPE, ALIBI, XL), 0.5, 0.05
#: Q9b: the least gain of a random shift; Q9c: of a bias to what is near; Q16: of recurrence.
SHIFT_GAIN, RECENCY_GAIN, RECURRENCE_GAIN = 0.02, 0.1, 0.02
#: Q11: what no run of any encoding reaches on longer words.
AT_MOST = 0.6
#: Q15 and Q16: a run that has found how to go on is at least half way from a guess to all.
HALF_WAY = 0.75
#: What a run has of the states of parity, and what it has more than another: a guess is right half of the time.
SHARES_OF_PARITY, GAINS_OF_PARITY = (CHANCE, 1.0), (0.0, 1 - CHANCE)
#: The same of other automata.
GAINS = (0.0, 1.0)
#: Runs at the first publication, of cells that had more later, by scale, model and size (parity, answers).
FIRST_LOOK = {("laptop", TWIN, USUAL): 4, ("laptop", TWIN, DEEP): 3, ("laptop", TWIN, MORE): 3}


def far(
    results: Results, model: str, part: str, *, automaton: str = PARITY, form: str = ANSWERS, size: str = USUAL
) -> pd.Series:
    """Scores on long words over some of their positions, by number; a diverged run is NaN."""
    return results.values("accuracy", split="test", part=part, **cell(automaton, model, form, size))


def at_share(results: Results, model: str, share: float, *, automaton: str = PARITY) -> pd.Series:
    """Scores where ones come with this share, by number."""
    return results.values("accuracy", split=SHARES, share=share, **cell(automaton, model))


def score(results: Results, model: str, part: str, **at: str) -> Contrast:
    """Scores of parity on long words over some of their positions, as a contrast with nothing."""
    name = f"{label(**cell(PARITY, model, **at))}, {part}"
    values = far(results, model, part, **at)
    return single(values, name=name, unit=UNIT, failed_value=FAILED, extremes=SHARES_OF_PARITY)


def mastery(results: Results, model: str, **at: str) -> tuple[bool, str]:
    """Whether a model masters the training lengths of a task, and in words what it has if not."""
    what = label(**cell(**{"automaton": PARITY} | at, model=model))
    return masters(far(results, model, WITHIN, **at), what=what, least=LEARNT, failed=FAILED)


def all_master(results: Results, models: Sequence[str], **at: str) -> tuple[bool, str]:
    """Whether all of these models master the training lengths of a task, and those that do not, in words."""
    _, there, absent = where({model: mastery(results, model, **at) for model in models}, fewest=len(models))
    return there, absent


def pooled(results: Results, models: Sequence[str], part: str, form: str = ANSWERS) -> Contrast:
    """The scores of all runs of some models of parity as a contrast with nothing: its numbers are those of the runs."""
    found = pd.concat({model: far(results, model, part, form=form) for model in models})
    found.index = [f"{model}, run {number}" for model, number in found.index]
    words = "" if form == ANSWERS else f", {form}"
    # the name would be taken for that of a cell whose runs are failed ones
    return single(
        found.rename(None),
        name=f"{', '.join(models)}{words}: {part}",
        unit=UNIT,
        failed_value=FAILED,
        extremes=SHARES_OF_PARITY,
    )


def none_reaches(
    results: Results, models: Sequence[str], part: str, most: float, form: str = ANSWERS
) -> tuple[Judgement, Contrast | None, str]:
    """No run of the models that master the training lengths has so much on some positions of longer words.

    Returns:
        The judgement, which names every model that is not testable if none is; the runs; and both in words.
    """
    known, enough, absent = where({model: mastery(results, model, form=form) for model in models})
    if not enough:
        return untestable(absent), None, ""
    runs = pooled(results, known, part, form)
    words = f"{runs.name}: best of {runs.n} runs {runs.values.max():.3f}"
    first = sum(_first_look(results, model, form) for model in known)
    judgement = looked_at(not_(some_run(runs, most)), runs.n, first)
    return judgement, runs, f"{words}. Not testable: {absent}" if absent else words


def _first_look(results: Results, model: str, form: str = ANSWERS, size: str = USUAL) -> int:
    """How many runs of a cell of parity were published at first."""
    now = len(far(results, model, WITHIN, form=form, size=size))
    return min(now, FIRST_LOOK.get((results.scale, model, size), now)) if form == ANSWERS else now


def looked_at(judgement: Judgement, now: int, first: int) -> Judgement:
    """A judgement that pays for a look at fewer runs, if there was one."""
    return after_looks(judgement, (first, now)) if first < now else judgement


def _of(models: tuple[str, ...], form: str = ANSWERS, automaton: str = PARITY) -> list[Cell]:
    return [cell(automaton, model, form) for model in models]


def another_share_breaks_it(results: Results, model: str, share: float = RARE) -> Finding:
    """Q8: where ones come so often the Transformer loses, and no LSTM does at any share.

    Of words as long as in training, so that the loss is not one of length. It is judged by the mean, without extremes:
    all of these runs have found parity, and how much they lose is a matter of degree.
    """
    if reason := lacking(results.scale, _of((model, LSTM))):
        return Finding(untestable(reason))
    even, other = (at_share(results, model, each) for each in (EVEN, share))
    loss = paired(even, other, name=f"{model}: P(1) = {EVEN:g} − {share:g}", unit=UNIT, failed_value=FAILED)
    tried = results.cells[cell(PARITY, LSTM)][0].task.shares
    worst = pd.concat([at_share(results, LSTM, each) for each in tried], axis=1).min(axis=1, skipna=False)
    lstm = single(worst, name=f"{LSTM}, worst share", unit=UNIT, failed_value=FAILED, extremes=SHARES_OF_PARITY)
    first = _first_look(results, model)
    judgement = all_of([looked_at(exceeds(loss, BRITTLE), loss.n, first), every_run(lstm, KEPT)])
    learnt = masters(even, what=f"{model}, parity, where half are ones,", least=LEARNT, failed=FAILED)
    return Finding(given(*learnt, judgement), effect=loss, note=f"{lstm.name} {lstm}")


def none_goes_far(results: Results, models: tuple[str, ...] = PLAIN, form: str = ANSWERS) -> Finding:
    """Q9: beyond twice the length of training no run of a model that masters it is off chance; every LSTM is right."""
    if reason := lacking(results.scale, [*_of(models, form), cell(PARITY, LSTM)]):
        return Finding(untestable(reason))
    none, runs, words = none_reaches(results, models, BEYOND, CHANCE + NEAR_CHANCE, form)
    lstm = score(results, LSTM, BEYOND)
    kept = given(*mastery(results, LSTM), every_run(lstm, LEARNT))
    # who has learnt nothing is no evidence, and then neither is the LSTM beside it
    judgement = all_of([none, kept]) if runs is not None else none
    return Finding(judgement, effect=runs, note=f"{words}; {lstm.name} {lstm}" if words else "")


def a_shift_helps(results: Results) -> Finding:
    """Q9b: random shift − sinusoidal, on all positions longer than in training; both master the training lengths."""
    if reason := lacking(results.scale, _of((SHIFTED, TWIN))):
        return Finding(untestable(reason))
    shifted, still = (far(results, model, LONGER) for model in (SHIFTED, TWIN))
    gain = difference(shifted, still, f"{SHIFTED} − {TWIN}", GAINS_OF_PARITY)
    return Finding(given(*all_master(results, (SHIFTED, TWIN)), exceeds(gain, SHIFT_GAIN)), effect=gain)


def notes_need_nearness(results: Results, model: str, twin: str = TWIN) -> Finding:
    """Q9c: with a scratchpad and a bias to what is near every run stays right four times as far; without it not."""
    if reason := lacking(results.scale, _of((model, twin), SCRATCHPAD)):
        return Finding(untestable(reason))
    near, alone = (far(results, each, BEYOND, form=SCRATCHPAD) for each in (model, twin))
    gain = paired(
        near, alone, name=f"scratchpad: {model} − {twin}", unit=UNIT, failed_value=FAILED, extremes=GAINS_OF_PARITY
    )
    kept = score(results, model, BEYOND, form=SCRATCHPAD)
    judgement = all_of([every_run(kept, LEARNT), exceeds(gain, RECENCY_GAIN)])
    return Finding(
        given(*all_master(results, (model, twin), form=SCRATCHPAD), judgement),
        effect=gain,
        note=f"{kept.name}: worst of {kept.n} runs {kept.values.min():.3f}; {gain.name} {gain}",
    )


def no_encoding_rescues_parity(results: Results) -> Finding:
    """Q11: on longer words no run of a model that masters the training lengths has more than 60 %, RSA included."""
    models = (*ENCODINGS, RSA)
    if reason := lacking(results.scale, _of(models)):
        return Finding(untestable(reason))
    judgement, runs, words = none_reaches(results, models, LONGER, AT_MOST)
    return Finding(judgement, effect=runs, note=words)


def difference(one: pd.Series, other: pd.Series, name: str, extremes: tuple[float, float]) -> Contrast:
    """Of two cells, by the numbers that both have."""
    return paired(*partners(one, other), name=name, unit=UNIT, failed_value=FAILED, extremes=extremes)


def scale_does_not_help(results: Results) -> Finding:
    """Q15: on positions up to twice as far no run with four times the depth, or four times the words, is half way.

    Each size masters the training lengths, and without more depth or words no run is half way either.
    """
    if reason := lacking(results.scale, [cell(PARITY, TWIN, size=size) for size in (USUAL, DEEP, MORE)]):
        return Finding(untestable(reason))
    usual = score(results, TWIN, TWICE)
    parts, differences = [], []
    for size in (DEEP, MORE):
        larger = score(results, TWIN, TWICE, size=size)
        none = looked_at(not_(some_run(larger, HALF_WAY)), larger.n, _first_look(results, TWIN, size=size))
        parts.append(given(*mastery(results, TWIN, size=size), none))
        name = f"{TWIN}: {size} − {USUAL}, mean"
        differences.append(difference(larger.values, usual.values, name, GAINS_OF_PARITY))
    best = float(usual.values.max())
    open_ = f"the usual size has {best:.3f} in a run: nothing is left to help"
    judgement = given(*mastery(results, TWIN), given(best < HALF_WAY, open_, all_of(parts)))
    return Finding(judgement, note=f"best run of the usual size {best:.3f}; {in_words(*differences)}")


def recurrence_helps_memory(results: Results) -> Finding:
    """Q16: on positions up to twice as far RSA is ahead of its twin on the memory; on parity no run of it is half way.

    RSA and its twin master the training lengths of both.
    """
    cells = [each for automaton in (FLIP_FLOP, PARITY) for each in _of((RSA, TWIN), automaton=automaton)]
    if reason := lacking(results.scale, cells):
        return Finding(untestable(reason))
    memory, parity = (
        difference(
            *(far(results, model, TWICE, automaton=automaton) for model in (RSA, TWIN)),
            f"{automaton}: {RSA} − {TWIN}",
            extremes,
        )
        for automaton, extremes in ((FLIP_FLOP, GAINS), (PARITY, GAINS_OF_PARITY))
    )
    runs = score(results, RSA, TWICE)
    parts = [
        given(*all_master(results, (RSA, TWIN), automaton=FLIP_FLOP), exceeds(memory, RECURRENCE_GAIN)),
        given(*all_master(results, (RSA, TWIN)), not_(some_run(runs, HALF_WAY))),
    ]
    words = f"{in_words(memory, parity)}; {runs.name}: best of {runs.n} runs {runs.values.max():.3f}"
    return Finding(all_of(parts), effect=memory, note=words)


_PLAN = PLANS["laptop"]
_SIZE = f"words of 1 to {_PLAN.length} actions, {_PLAN.layers} layers of width {_PLAN.width}"
_OF_PAPER = f"words of 1 to {_PLAN.length} actions (paper: 40), width {_PLAN.width}"


def _runs(*cells: Cell) -> str:
    """``4 to 5 runs``: how many runs these cells have at laptop scale."""
    counts = sorted({_PLAN.runs(**each) for each in cells})
    return f"{counts[0]} runs" if len(counts) == 1 else f"{counts[0]} to {counts[-1]} runs"


CLAIMS = (
    Claim(
        "Q8",
        PAGE,
        PAPER,
        "Shortcuts are brittle: a Transformer with sinusoidal positions that has learnt parity loses 5 points and "
        "more where ones are rare, and no LSTM loses anything.",
        "99.7 % where half are ones, 82 % where one in twenty is; LSTM 100 %",
        lambda results: another_share_breaks_it(results, SINUSOIDAL),
        regime=f"{_OF_PAPER}, {_runs(*_of((SINUSOIDAL,)))}",
    ),
    Claim(
        "Q8-learned",
        PAGE,
        PAPER,
        "Shortcuts are brittle: a Transformer with learned positions, as the paper’s model has them, that has learnt "
        "parity loses 5 points and more where ones are rare, and no LSTM loses anything.",
        "99.7 % where half are ones, 82 % where one in twenty is",
        lambda results: another_share_breaks_it(results, LEARNED),
        primary=False,
        regime=f"{_OF_PAPER}, {_runs(*_of((LEARNED,)))}",
    ),
    Claim(
        "Q8-frequent",
        PAGE,
        PAPER,
        "Shortcuts are brittle: a Transformer with learned positions that has learnt parity loses 5 points and more "
        "where nineteen in twenty actions are ones, and no LSTM loses anything.",
        "99.7 % where half are ones, 85.5 % where nineteen in twenty are",
        lambda results: another_share_breaks_it(results, LEARNED, FREQUENT),
        primary=False,
        regime=f"{_OF_PAPER}, {_runs(*_of((LEARNED,)))}",
    ),
    Claim(
        "Q9",
        PAGE,
        PAPER,
        "No plain encoding of position carries parity beyond twice the length of training: where parity is learnt "
        "with no positions, sinusoids, RoPE, ALiBi or Transformer-XL, no run has 55 % of the states there, and every "
        "LSTM has 99 %.",
        "a collapse in a figure; LSTM 100 %",
        none_goes_far,
        headline=True,
        regime=f"{_OF_PAPER}, {_runs(*_of((*PLAIN, LSTM)))}",
    ),
    Claim(
        "Q9-begun",
        PAGE,
        OWN,
        "With a token of its own before every word, models that are told distances alone, or nothing, do not carry "
        "parity further either: where they learn it, no run has 55 % of the states beyond twice the length of "
        "training, and every LSTM has 99 %.",
        "not asked",
        lambda results: none_goes_far(results, STARTED, BEGUN),
        own=True,
        primary=False,
        regime=f"{_SIZE}, {_runs(*_of(STARTED, BEGUN))}",
    ),
    Claim(
        "Q9b",
        PAGE,
        PAPER,
        "A random shift of the positions in training helps on longer words: it is ahead of fixed ones by 2 points.",
        "partly, in a figure",
        a_shift_helps,
        regime=f"{_OF_PAPER}, {_runs(*_of((SHIFTED,)))}",
    ),
    Claim(
        "Q9c",
        PAGE,
        PAPER,
        "A scratchpad needs a bias to what is near: with ALiBi every run keeps 99 % of the states that it writes "
        "down on words four times as long, and sinusoidal positions without the bias have 10 points less.",
        "100 % with both",
        lambda results: notes_need_nearness(results, ALIBI),
        regime=f"{_OF_PAPER}, {_runs(*_of((ALIBI, TWIN), SCRATCHPAD))}",
    ),
    Claim(
        "Q9c-window",
        PAGE,
        OWN,
        "A hard window is bias enough for a scratchpad: where attention sees the last four tokens alone, every run "
        "keeps 99 % of the states on words four times as long, and sinusoidal positions without a window have 10 "
        "points less.",
        "not asked",
        lambda results: notes_need_nearness(results, WINDOW),
        own=True,
        primary=False,
        regime=f"{_SIZE}, {_runs(*_of((WINDOW, TWIN), SCRATCHPAD))}",
    ),
    Claim(
        "Q9c-places",
        PAGE,
        OWN,
        "A scratchpad needs the bias of ALiBi, and not only that no position is new: every run with ALiBi keeps 99 % "
        "of the states on words four times as long, and attention that is told no positions has 10 points less.",
        "not asked",
        lambda results: notes_need_nearness(results, ALIBI, NONE),
        own=True,
        primary=False,
        regime=f"{_SIZE}, {_runs(*_of((ALIBI, NONE), SCRATCHPAD))}",
    ),
    Claim(
        "Q9d",
        PAGE,
        OWN,
        "Recurrence within attention is a bias to what is near: with a scratchpad and without positions every run of "
        "RSA keeps 99 % of the states on words four times as long, and attention without positions has 10 points "
        "less.",
        "not asked",
        lambda results: notes_need_nearness(results, RSA_ALONE, NONE),
        own=True,
        regime=f"{_SIZE}, {_runs(*_of((RSA_ALONE, NONE), SCRATCHPAD))}",
    ),
    Claim(
        "Q11",
        PAGE,
        DELETANG,
        "No encoding of position rescues parity: of eight encodings and RSA, those that learn parity have no run "
        "with 60 % of the states on words up to four times as long.",
        "52.0 %, the best of 10 seeds × 3 rates × 5 encodings, one answer a word",
        no_encoding_rescues_parity,
        regime=f"{_OF_PAPER}, {_runs(*_of((*ENCODINGS, RSA)))}",
    ),
    Claim(
        "Q15",
        PAGE,
        ANIL,
        "Scale does not help: with four times the layers, or four times the words, no run has three quarters of the "
        "states on words up to twice as long.",
        "said of fine-tuned language models; no number at hand",
        scale_does_not_help,
        regime=f"{_SIZE}, {_runs(*(cell(PARITY, TWIN, size=size) for size in (DEEP, MORE)))}",
    ),
    Claim(
        "Q16",
        PAGE,
        OWN,
        "Recurrence within attention helps a memory and not a parity on words up to twice as long: RSA is ahead of "
        "its twin by 2 points on the flip-flop, and no run of it has three quarters of the states of parity.",
        "not asked",
        recurrence_helps_memory,
        own=True,
        regime=f"{_SIZE}, {_runs(*_of((RSA,)))}",
    ),
)
