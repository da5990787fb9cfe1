"""What the study tests, and the rule by which each sentence is judged; written before any run that it judges.

A model that does not master the training lengths (:mod:`~inductive_bias.studies.shift.measures`) is named as not
testable, and its runs are no evidence. That no model carries parity further is judged by single runs, since a run finds
the rule or does not: a mean near a guess says nothing of a rare run that finds it. (Both since issue 50, when the data
were known: ``corrections.csv``.)
"""

from collections.abc import Callable, Mapping, Sequence

from inductive_bias.protocols.measures.shifted import BEYOND, LONGER, TWICE, WITHIN
from inductive_bias.studies.claims import Claim, Finding, after_published_looks, in_words
from inductive_bias.studies.design import Cell
from inductive_bias.studies.preconditions import where
from inductive_bias.studies.results import Results
from inductive_bias.studies.shift.design import (
    ALIBI,
    ANSWERS,
    ENCODINGS,
    FLIP_FLOP,
    LEARNED,
    LSTM,
    MORE_LAYERS,
    MORE_WORDS,
    NO_POSITIONS,
    PARITY,
    RANDOM_SHIFT,
    RSA,
    RSA_ALONE,
    SCRATCHPAD,
    SINUSOIDAL,
    START_TOKEN,
    TWIN,
    USUAL_SIZE,
    WINDOW,
    WITH_START_TOKEN,
    cell,
)
from inductive_bias.studies.shift.measures import (
    CHANCE,
    GAINS,
    HAS_LEARNT,
    UNIT,
    all_master,
    at_share,
    difference,
    far,
    mastery,
    parity_is_learnt,
    pooled,
    score,
    worst_share,
)
from inductive_bias.studies.state_tracking import FAILED, PAPER, trained_length
from inductive_bias.verdicts import Contrast, Judgement, all_of, every_run, exceeds, given, not_, paired, some_run

PAGE, OWN = "automata/shift", "a question of our own"
DELETANG = "Delétang et al. 2023 (arXiv:2207.02098)"
ANIL = "Anil et al. 2022 (arXiv:2207.04901)"
#: Q8: an LSTM keeps so much of the states, everywhere.
LSTM_KEEPS = 0.999
#: Q8: how often ones come in training, and how rarely or often where it is brittle; and the least loss worth the name.
EVEN, RARE, FREQUENT, BRITTLE = 0.5, 0.05, 0.95, 0.05
#: Q9: encodings of which none goes far beyond the length of training, and how near to chance every run stays.
NEAR_CHANCE = 0.05
#: Each encoding in the form in which it can learn parity: to a model that knows distances alone, or no positions, a
#: word of ones alone looks the same at every length without a start token.
PLAIN_ENCODINGS = {SINUSOIDAL: ANSWERS} | dict.fromkeys(WITH_START_TOKEN, START_TOKEN)
EVERY_ENCODING = {model: START_TOKEN if model in WITH_START_TOKEN else ANSWERS for model in (*ENCODINGS, RSA)}
#: Q9b: the least gain of a random shift; Q9c: of a bias to what is near; Q16: of recurrence.
SHIFT_GAIN, RECENCY_GAIN, RECURRENCE_GAIN = 0.02, 0.1, 0.02
#: Q11: what no run of any encoding reaches on longer words.
AT_MOST = 0.6
#: Q15 and Q16: a run that has found how to go on is at least half way from a guess to all.
HALF_WAY = 0.75
#: Runs of parity at the first two looks, of cells that had more later, by model, form and size (laptop scale). The
#: design says how many there are at the last look.
EARLIER_LOOKS = {
    (TWIN, ANSWERS, USUAL_SIZE): (4, 5),
    (TWIN, ANSWERS, MORE_LAYERS): (3, 5),
    (TWIN, ANSWERS, MORE_WORDS): (3, 5),
    (LSTM, ANSWERS, USUAL_SIZE): (5, 5),
}
EARLIER_LOOKS |= {(model, SCRATCHPAD, USUAL_SIZE): (4, 4) for model in (TWIN, ALIBI, WINDOW, NO_POSITIONS, RSA_ALONE)}
EARLIER_LOOKS |= {(model, ANSWERS, USUAL_SIZE): (4, 4) for model in (RSA, LEARNED)}
EARLIER_LOOKS |= {(model, START_TOKEN, USUAL_SIZE): (3, 3) for model in WITH_START_TOKEN}


def none_reaches(
    results: Results, models: Mapping[str, str], part: str, most: float
) -> tuple[Judgement, Contrast | None, str]:
    """No run of any of these models has so much on some positions of longer words, and all master the training lengths.

    Each model is judged by its own runs. One that does not master the training lengths is not testable, and then
    neither is a sentence about all of them, unless a run of another model refutes it.

    Args:
        results: of the study.
        models: each with the form in which it learns parity.
        part: of the positions.
        most: what no run has.

    Returns:
        The judgement; the runs of all models that master the training lengths, None if no model does; both in words.
    """
    found = {model: mastery(results, model, form=form) for model, form in models.items()}
    known, _, absent = where(found)
    parts = []
    for model, form in models.items():
        none = not_(some_run(pooled(results, {model: form}, part), most))
        parts.append(given(*found[model], after_published_looks(results, none, _looks(results, model, form))))
    if not known:
        return all_of(parts), None, ""
    runs = pooled(results, {model: models[model] for model in known}, part)
    words = f"{runs.name}: best of {runs.n} runs {runs.values.max():.3f}"
    return all_of(parts), runs, f"{words}. Not testable: {absent}" if absent else words


def _looks(results: Results, model: str, form: str = ANSWERS, size: str = USUAL_SIZE) -> tuple[int, ...]:
    """How many runs a cell of parity had at each of three looks; all that there are, where there was no earlier one."""
    now = len(far(results, model, WITHIN, form=form, size=size))
    earlier = EARLIER_LOOKS.get((model, form, size), ())
    return (*(min(each, now) for each in earlier or (now, now)), now)


def another_share_breaks_it(results: Results, model: str, share: float = RARE) -> Finding:
    """Q8: where ones come so often the Transformer loses, and no LSTM does at any share.

    Of words as long as in training, so that the loss is not one of length. It is judged by the mean, without extremes:
    all of these runs have found parity, and how much they lose is a matter of degree. The loss at the other share of
    the paper stands in the note.
    """
    even = at_share(results, model, EVEN)
    loss, beside = (
        paired(
            even,
            at_share(results, model, each),
            name=f"{model}: P(1) = {EVEN:g} − {each:g}",
            unit=UNIT,
            failed_value=FAILED,
        )
        for each in (share, FREQUENT if share == RARE else RARE)
    )
    lstm = worst_share(results, LSTM)
    kept = after_published_looks(results, every_run(lstm, LSTM_KEEPS), _looks(results, LSTM))
    judgement = all_of([after_published_looks(results, exceeds(loss, BRITTLE), _looks(results, model)), kept])
    judgement = given(*parity_is_learnt(even, model), judgement)
    return Finding(judgement, effect=loss, note=in_words(lstm, beside))


def none_goes_far(results: Results, models: Mapping[str, str] = PLAIN_ENCODINGS) -> Finding:
    """Q9: all models master the training lengths, beyond twice of which no run is off chance; every LSTM is right."""
    results.need(*_in_forms(models), cell(PARITY, LSTM))
    none, runs, words = none_reaches(results, models, BEYOND, CHANCE + NEAR_CHANCE)
    lstm = score(results, LSTM, BEYOND)
    kept = given(
        *mastery(results, LSTM), after_published_looks(results, every_run(lstm, HAS_LEARNT), _looks(results, LSTM))
    )
    # who has learnt nothing is no evidence, and then neither is the LSTM beside it
    judgement = all_of([none, kept]) if runs is not None else none
    return Finding(judgement, effect=runs, note=f"{words}; {lstm.name} {lstm}" if words else "")


def a_shift_helps(results: Results) -> Finding:
    """Q9b: random shift − sinusoidal, on all positions longer than in training; both master the training lengths."""
    shifted, still = (far(results, model, LONGER) for model in (RANDOM_SHIFT, TWIN))
    gain = difference(shifted, still, f"{RANDOM_SHIFT} − {TWIN}")
    return Finding(given(*all_master(results, (RANDOM_SHIFT, TWIN)), exceeds(gain, SHIFT_GAIN)), effect=gain)


def notes_need_nearness(results: Results, model: str, twin: str = TWIN) -> Finding:
    """Q9c: with a scratchpad and a bias to what is near every run stays right four times as far; without it not."""
    results.need(*_cells(model, twin, form=SCRATCHPAD))
    near, alone = (far(results, each, BEYOND, form=SCRATCHPAD) for each in (model, twin))
    gain = difference(near, alone, f"scratchpad: {model} − {twin}")
    kept = score(results, model, BEYOND, form=SCRATCHPAD)
    looks = [_looks(results, each, SCRATCHPAD) for each in (model, twin)]
    of_both = tuple(map(min, *looks))
    judgement = all_of(
        [
            after_published_looks(results, every_run(kept, HAS_LEARNT), looks[0]),
            after_published_looks(results, exceeds(gain, RECENCY_GAIN), of_both),
        ]
    )
    words = f"{kept.name}: worst of {kept.n} runs {kept.values.min():.3f}; {gain.name} {gain}"
    return Finding(given(*all_master(results, (model, twin), form=SCRATCHPAD), judgement), effect=gain, note=words)


def no_encoding_rescues_parity(results: Results) -> Finding:
    """Q11: all models master the training lengths, RSA included, and no run has more than 60 % on longer words."""
    results.need(*_in_forms(EVERY_ENCODING))
    judgement, runs, words = none_reaches(results, EVERY_ENCODING, LONGER, AT_MOST)
    return Finding(judgement, effect=runs, note=words)


def scale_does_not_help(results: Results) -> Finding:
    """Q15: on positions up to twice as far no run with four times the depth, or four times the words, is half way.

    Each size masters the training lengths, and without more depth or words no run is half way either.
    """
    usual = score(results, TWIN, TWICE)
    parts, differences = [], []
    for size in (MORE_LAYERS, MORE_WORDS):
        larger = score(results, TWIN, TWICE, size=size)
        none = after_published_looks(results, not_(some_run(larger, HALF_WAY)), _looks(results, TWIN, size=size))
        parts.append(given(*mastery(results, TWIN, size=size), none))
        differences.append(difference(larger.values, usual.values, f"{TWIN}: {size} − {USUAL_SIZE}, mean"))
    best = float(usual.values.max())
    open_ = f"the usual size has {best:.3f} in a run: nothing is left to help"
    judgement = given(*mastery(results, TWIN), given(best < HALF_WAY, open_, all_of(parts)))
    return Finding(judgement, note=f"best run of the usual size {best:.3f}; {in_words(*differences)}")


def recurrence_helps_memory(results: Results) -> Finding:
    """Q16: on positions up to twice as far RSA is ahead of its twin on the memory; on parity no run of it is half way.

    RSA and its twin master the training lengths of both.
    """
    memory, parity = (
        difference(
            *(far(results, model, TWICE, automaton=automaton) for model in (RSA, TWIN)),
            f"{automaton}: {RSA} − {TWIN}",
            *extremes,
        )
        for automaton, extremes in ((FLIP_FLOP, (GAINS,)), (PARITY, ()))
    )
    runs = score(results, RSA, TWICE)
    parts = [
        given(*all_master(results, (RSA, TWIN), automaton=FLIP_FLOP), exceeds(memory, RECURRENCE_GAIN)),
        given(
            *all_master(results, (RSA, TWIN)),
            after_published_looks(results, not_(some_run(runs, HALF_WAY)), _looks(results, RSA)),
        ),
    ]
    words = f"{in_words(memory, parity)}; {runs.name}: best of {runs.n} runs {runs.values.max():.3f}"
    return Finding(all_of(parts), effect=memory, note=words)


def _in_forms(models: Mapping[str, str]) -> list[Cell]:
    return [cell(PARITY, model, form) for model, form in models.items()]


def _cells(*models: str, form: str = ANSWERS) -> list[Cell]:
    return [cell(PARITY, model, form) for model in models]


def regime(
    cells: Sequence[Cell], *, of_paper: bool = False, tested: Mapping[str, str] | None = None, more: str = ""
) -> Callable[[Results], str]:
    """The sizes and numbers of runs of some cells, in words.

    Args:
        cells: that are judged.
        of_paper: whether the paper's length stands beside ours.
        tested: models, each with its form, of which those that master the training lengths are counted.
        more: words at the end.
    """

    def words(results: Results) -> str:
        trials = results.trials[results.trials["model"] == TWIN]
        length, width = trained_length(results), trials["model.width"].min()
        judged, rest = cells, more
        if tested:
            known, _, _ = where({model: mastery(results, model, form=form) for model, form in tested.items()})
            judged = _in_forms({model: tested[model] for model in known}) or cells
            rest = f"; {len(known)} of {len(tested)} models {'learns' if len(known) == 1 else 'learn'} parity{more}"
        counts = sorted({len(results.cells[each]) for each in judged if each in results.cells} or {0})
        runs = f"{counts[0]} runs" if len(counts) == 1 else f"{counts[0]} to {counts[-1]} runs"
        if of_paper:
            return f"words of 1 to {length} actions (paper: 40), width {width}, {runs}{rest}"
        return f"words of 1 to {length} actions, {trials['model.layers'].min()} layers of width {width}, {runs}{rest}"

    return words


CLAIMS = (
    Claim(
        "Q8",
        PAGE,
        PAPER,
        "A Transformer with sinusoidal positions that has learnt parity loses 5 points and more if ones are rare, and "
        "no LSTM loses anything.",
        "99.7 % where half are ones, 82 % where one in twenty is; LSTM 100 %",
        lambda results: another_share_breaks_it(results, SINUSOIDAL),
        regime=regime(_cells(SINUSOIDAL), of_paper=True, more="; sinusoids (paper: learned)"),
    ),
    Claim(
        "Q8-learned",
        PAGE,
        PAPER,
        "A Transformer with learned positions, as the paper’s model has them, that has learnt parity loses 5 points "
        "and more if ones are rare, and no LSTM loses anything.",
        "99.7 % where half are ones, 82 % where one in twenty is",
        lambda results: another_share_breaks_it(results, LEARNED),
        primary=False,
        regime=regime(_cells(LEARNED), of_paper=True),
    ),
    Claim(
        "Q8-frequent",
        PAGE,
        PAPER,
        "A Transformer with learned positions that has learnt parity loses 5 points and more where nineteen in twenty "
        "actions are ones, and no LSTM loses anything.",
        "99.7 % where half are ones, 85.5 % where nineteen in twenty are",
        lambda results: another_share_breaks_it(results, LEARNED, FREQUENT),
        primary=False,
        regime=regime(_cells(LEARNED), of_paper=True),
    ),
    Claim(
        "Q9",
        PAGE,
        PAPER,
        "No plain encoding of position is right on parity beyond twice the length of training. With sinusoids, and "
        "with a start token and no positions, RoPE, ALiBi or Transformer-XL, no run has 55 % of the states there, and "
        "every LSTM has 99 %.",
        "a collapse in a figure; LSTM 100 %",
        none_goes_far,
        headline=True,
        regime=regime(_in_forms(PLAIN_ENCODINGS), of_paper=True, tested=PLAIN_ENCODINGS),
    ),
    Claim(
        "Q9-begun",
        PAGE,
        OWN,
        "With a start token before every word, models that know distances alone, or no positions, are not right on "
        "longer words either. No run has 55 % of the states beyond twice the length of training, and every LSTM has "
        "99 %.",
        "not asked",
        lambda results: none_goes_far(results, dict.fromkeys(WITH_START_TOKEN, START_TOKEN)),
        own=True,
        primary=False,
        regime=regime(_cells(*WITH_START_TOKEN, form=START_TOKEN)),
    ),
    Claim(
        "Q9b",
        PAGE,
        PAPER,
        "A random shift of the positions in training helps on longer words: it is ahead of fixed ones by 2 points.",
        "partly, in a figure",
        a_shift_helps,
        regime=regime(_cells(RANDOM_SHIFT), of_paper=True),
    ),
    Claim(
        "Q9c",
        PAGE,
        PAPER,
        "A scratchpad needs a bias to near tokens. With ALiBi every run has 99 % of the states that it writes down "
        "right on words four times as long, and sinusoidal positions without the bias have 10 points less.",
        "100 % with both",
        lambda results: notes_need_nearness(results, ALIBI),
        regime=regime(_cells(ALIBI, TWIN, form=SCRATCHPAD), of_paper=True),
    ),
    Claim(
        "Q9c-window",
        PAGE,
        OWN,
        "A hard window is enough for a scratchpad. If attention sees the last four tokens alone, every run has 99 % "
        "of the states on words four times as long, and sinusoidal positions without a window have 10 points less.",
        "not asked",
        lambda results: notes_need_nearness(results, WINDOW),
        own=True,
        primary=False,
        regime=regime(_cells(WINDOW, TWIN, form=SCRATCHPAD)),
    ),
    Claim(
        "Q9c-places",
        PAGE,
        OWN,
        "A scratchpad needs the bias of ALiBi; to leave positions out is not enough. Every run with ALiBi has 99 "
        "% of the states on words four times as long, and attention without positions has 10 points less.",
        "not asked",
        lambda results: notes_need_nearness(results, ALIBI, NO_POSITIONS),
        own=True,
        primary=False,
        regime=regime(_cells(ALIBI, NO_POSITIONS, form=SCRATCHPAD)),
    ),
    Claim(
        "Q9d",
        PAGE,
        OWN,
        "Recurrence within attention is a bias to near tokens. With a scratchpad and without positions every run of "
        "RSA has 99 % of the states on words four times as long, and attention without positions has 10 points less.",
        "not asked",
        lambda results: notes_need_nearness(results, RSA_ALONE, NO_POSITIONS),
        own=True,
        regime=regime(_cells(RSA_ALONE, NO_POSITIONS, form=SCRATCHPAD)),
    ),
    Claim(
        "Q11",
        PAGE,
        DELETANG,
        "No encoding of position rescues parity: with eight encodings and with RSA, and with a start token where "
        "parity cannot be learnt without one, no run has 60 % of the states on words up to four times as long.",
        "52.0 %, the best of 10 seeds × 3 rates × 5 encodings, one answer a word",
        no_encoding_rescues_parity,
        regime=regime(_in_forms(EVERY_ENCODING), of_paper=True, tested=EVERY_ENCODING),
    ),
    Claim(
        "Q15",
        PAGE,
        ANIL,
        "Scale does not help: with four times the layers, or four times the words, no run has three quarters of the "
        "states on words up to twice as long.",
        "said of fine-tuned language models; no number at hand",
        scale_does_not_help,
        regime=regime([cell(PARITY, TWIN, size=size) for size in (MORE_LAYERS, MORE_WORDS)]),
    ),
    Claim(
        "Q16",
        PAGE,
        OWN,
        "On words up to twice as long recurrence within attention helps with a memory and not with parity. RSA is "
        "ahead of its twin without recurrence by 2 points on the flip-flop, and no run of RSA has three quarters of "
        "the states of parity.",
        "not asked",
        recurrence_helps_memory,
        own=True,
        regime=regime(_cells(RSA)),
    ),
)
