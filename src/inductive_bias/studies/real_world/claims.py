"""What the study tests, and the rule by which each sentence is judged; written before any run that it judges.

A score is that of the epoch which the validation set chose. Both runs and what they are scored on are taken as random:
patients for MIT-BIH, proteins, weeks for shares (:mod:`inductive_bias.studies.real_world.drawing`). ECG5000 is one
patient: what is said of it holds for that patient alone. Models are compared at their usual depth.
"""

from collections.abc import Callable
from functools import partial

from inductive_bias.protocols.proteins import LONG
from inductive_bias.studies.claims import Claim, Finding, in_words, no_runs_yet
from inductive_bias.studies.real_world.design import (
    ATTENTION,
    DIRECTIONS,
    ECG5000,
    LSTM,
    MITBIH,
    MLP,
    MODELS,
    PROFET,
    RANDOM,
    RSA,
    SIGNALP,
    SIZES,
    cell,
    has,
)
from inductive_bias.studies.real_world.drawing import Score, baseline_value, beats, directions, errors, proteins
from inductive_bias.studies.real_world.lookings import dearer, left_out
from inductive_bias.studies.real_world.patients import gap
from inductive_bias.studies.results import Results
from inductive_bias.tasks.heartbeats import baselines as of_beats
from inductive_bias.tasks.stocks import baselines as of_stocks
from inductive_bias.verdicts import (
    all_of,
    any_of,
    average,
    crossed,
    equivalent,
    exceeds,
    falls_below,
    given,
    not_,
    untestable,
)

PAGE, WHOM = "automata/real_world", "automata/patients"
TEXT = "Parent 2023, How do transformers implement recurrence? (the text behind this part of the book)"
#: Q21: scores that differ by less are alike. Q24: what is lost by one model more than by another.
ALIKE = 0.03
#: Both have learnt nothing worth a comparison if neither is so much better than the most frequent answer.
LEARNT = 0.1
#: Q22: the least gain that is worth the name.
GAIN = 0.01
#: Q23: who is ahead of the more frequent direction by less foretells nothing; the share of an error that must be saved.
NOTHING_FORETOLD, SAVED = 0.03, 0.01
#: Q29b: of its margin, what the samples ranked first must cost a model more than as many random ones.
DEARER, ABNORMAL = 0.1, ("S", "V")
#: Q35: what the random split must add.
LEAKED = 0.1
#: Q30: kinds of beat that enough patients have.
JUDGED = ("N", "V")
#: What the sets with classes are judged by.
METRICS = {MITBIH: ("macro_f1",), ECG5000: ("macro_f1",), SIGNALP: ("mcc", "auc"), PROFET: ("auc",)}
#: Of the most frequent answer, where no count is needed to know it.
GUESS = {"mcc": 0.0, "auc": 0.5}


def score(results: Results, data: str, model: str, metric: str, **options: object) -> Score:
    """A score of every run of a model at its usual depth."""
    at = cell(results.scale, data, model)
    return beats(results, at, **options) if metric == "macro_f1" else proteins(results, at, metric, **options)


def lacking(results: Results, wanted: list[tuple[str, str]]) -> str:
    """Which of these data and models have no run at this scale, in words; empty if none."""
    return no_runs_yet(f"{model} on {data}" for data, model in wanted if not has(results.scale, data, model))


def learnt(results: Results, data: str, metric: str) -> tuple[bool, str]:
    """Whether the better of LSTM and Transformer is ahead of the most frequent answer; and what it does if not."""
    guess = GUESS.get(metric)
    if guess is None:
        guess = baseline_value(results, data, metric, of_beats.MAJORITY)
    best = max(float(score(results, data, model, metric).values.mean()) for model in (LSTM, ATTENTION))
    return best >= guess + LEARNT, f"on {data} the better of LSTM and Transformer has {best:.2f}, a guess {guess:.2f}"


def transformer_is_an_lstm(results: Results, data: tuple[str, ...]) -> Finding:
    """Q21: on each of these data the scores of a Transformer and an LSTM differ by less than the margin."""
    if reason := lacking(results, [(each, model) for each in data for model in (LSTM, ATTENTION)]):
        return Finding(untestable(reason))
    judged, words = [], []
    for each in data:
        for metric in METRICS[each]:
            two = (score(results, each, model, metric) for model in (ATTENTION, LSTM))
            contrast = next(two).less(next(two)).contrast(f"{each}: Transformer − LSTM")
            judged.append(given(*learnt(results, each, metric), equivalent(contrast, ALIKE)))
            words.append(f"{contrast.name} {contrast} {contrast.unit}")
    return Finding(all_of(judged), note="; ".join(words))


def recurrence_helps(results: Results) -> Finding:
    """Q22: RSA scores higher than its twin without recurrence, on average over four sets that weigh the same."""
    first = {data: metrics[0] for data, metrics in METRICS.items()}
    if reason := lacking(results, [(data, model) for data in first for model in (RSA, ATTENTION)]):
        return Finding(untestable(reason))
    found = []
    for data, metric in first.items():
        two = (score(results, data, model, metric) for model in (RSA, ATTENTION))
        found.append(next(two).less(next(two)).contrast(f"{data}: RSA − Transformer"))
    mean = average(found, name="RSA − Transformer, mean of four sets", unit="of the score")
    words = in_words(*found, units=True)
    return Finding(exceeds(mean, GAIN), effect=mean, note=words)


def nobody_foretells_direction(results: Results) -> Finding:
    """Q23: no model gets more directions right than the more frequent one of the days to learn from."""
    if reason := lacking(results, [(DIRECTIONS, model) for model in MODELS]):
        return Finding(untestable(reason))
    found = [
        directions(results, cell(results.scale, DIRECTIONS, model), of_stocks.MAJORITY).contrast(f"{model} − majority")
        for model in MODELS
    ]
    words = in_words(*found)
    return Finding(all_of(falls_below(each, NOTHING_FORETOLD) for each in found), note=words)


def somebody_foretells_size(results: Results) -> Finding:
    """Q23b: some model has a smaller error than a fading mean of sizes, and than their training mean."""
    if reason := lacking(results, [(SIZES, model) for model in MODELS]):
        return Finding(untestable(reason))
    judged, words = [], []
    for model in MODELS:
        at = cell(results.scale, SIZES, model)
        found = [
            errors(results, at, name).contrast(f"{model} against {name}") for name in (of_stocks.EWMA, of_stocks.MEAN)
        ]
        judged.append(all_of(exceeds(each, SAVED) for each in found))
        words += [f"{each.name} {each}" for each in found]
    return Finding(any_of(judged), note="; ".join(words))


def loses_more(
    results: Results, data: str, metric: str, harder: Callable[[str], Score], what: str, model: str = ATTENTION
) -> Finding:
    """What a model loses from a test to a harder one, less what an LSTM loses."""
    if reason := lacking(results, [(data, each) for each in (LSTM, ATTENTION, model)]):
        return Finding(untestable(reason))
    lost = {each: score(results, data, each, metric).less(harder(each)) for each in (model, LSTM)}
    contrast = lost[model].less(lost[LSTM]).contrast(f"lost by {what}: {model} − {LSTM}")
    words = "; ".join(f"{each} {loss.contrast(each)}" for each, loss in lost.items())
    judgement = given(*learnt(results, data, metric), exceeds(contrast, ALIKE))
    return Finding(judgement, effect=contrast, note=f"lost by {what}: {words}")


def transformers_fear_length(results: Results) -> Finding:
    """Q24a: from proteins as long as those learnt from to longer ones."""
    return loses_more(
        results, PROFET, "auc", lambda model: score(results, PROFET, model, "auc", split=LONG), "longer proteins"
    )


def fears_shifts(results: Results, model: str) -> Finding:
    """Q24b, Q26: from beats in the middle of their windows to beats ten samples before or after it."""
    return loses_more(
        results,
        MITBIH,
        "macro_f1",
        lambda each: score(results, MITBIH, each, "macro_f1", shifted=True),
        "shifted beats",
        model,
    )


def explanations_point(results: Results) -> Finding:
    """Q29b: in every model the samples that integrated gradients rank first cost more than random ones.

    Of beats that are not normal: the mean beat, which is put in the place of samples, is nearly a normal one, so that a
    normal beat has nothing to lose.
    """
    if reason := lacking(results, [(MITBIH, model) for model in MODELS]):
        return Finding(untestable(reason))
    tables = {model: dearer(results, model, kinds=ABNORMAL) for model in MODELS}
    if any(table.empty for table in tables.values()):
        return Finding(untestable("no S or V beat of any patient is answered rightly by all six models in every run"))
    found = [
        crossed(table, name=f"{model}: integrated gradients − random", unit="of the margin")
        for model, table in tables.items()
    ]
    lost = [run for model in MODELS for run in left_out(results, model)]
    words = in_words(*found) + (f"; diverged: {', '.join(lost)}" if lost else "")
    judgement = given(*learnt(results, MITBIH, "macro_f1"), all_of(exceeds(each, DEARER) for each in found))
    return Finding(judgement, note=words)


def serves_others_worse(results: Results) -> Finding:
    """Q30: a Transformer’s gap between women and men is not an LSTM’s, in normal beats or in ventricular ones."""
    if reason := lacking(results, [(MITBIH, model) for model in (LSTM, ATTENTION)]):
        return Finding(untestable(reason))
    found = [
        gap(results, ATTENTION, kind).less(gap(results, LSTM, kind)).contrast(f"{kind}: Transformer − LSTM")
        for kind in JUDGED
    ]
    differs = any_of(not_(equivalent(each, ALIKE)) for each in found)
    words = "; ".join(f"{each.name} {each}, seen from {each.visible:.2f}" for each in found)
    return Finding(given(*learnt(results, MITBIH, "macro_f1"), differs), note=words)


def random_splits_leak(results: Results) -> Finding:
    """Q35: an LSTM and a Transformer score higher where beats, and not patients, are split at random."""
    wanted = (LSTM, ATTENTION)
    if reason := lacking(results, [(data, model) for data in (MITBIH, RANDOM) for model in wanted]):
        return Finding(untestable(reason))
    found = [
        score(results, RANDOM, model, "macro_f1")
        .less(score(results, MITBIH, model, "macro_f1"))
        .contrast(f"{model}: random split − patients")
        for model in wanted
    ]
    words = in_words(*found)
    return Finding(all_of(exceeds(each, LEAKED) for each in found), note=words)


_SETS = {"ECG": (MITBIH,), "SignalP": (SIGNALP,), "ProFET": (PROFET,)}
CLAIMS = (
    Claim("Q21", PAGE, TEXT,
          "On real sequences a Transformer does as well as an LSTM of its size: on heartbeats (macro-F1), signal "
          "peptides (MCC and AUC) and neuropeptides (AUC) their scores differ by less than .03.",
          "a question; no numbers",
          lambda results: transformer_is_an_lstm(results, (MITBIH, SIGNALP, PROFET)), own=True),
    *(
        Claim(f"Q21-{name}", PAGE, TEXT, f"The same of {', '.join(data)} alone.", "a question; no numbers",
              lambda results, data=data: transformer_is_an_lstm(results, data), own=True, primary=False)
        for name, data in _SETS.items()
    ),
    Claim("Q22", PAGE, "a question of our own",
          "Recurrence inside attention helps on real sequences: on average over heartbeats of many patients and of "
          "one, signal peptides and neuropeptides, RSA scores at least .01 higher than its twin without it.",
          "not asked", recurrence_helps, own=True),
    Claim("Q23", PAGE, TEXT,
          "Tomorrow’s direction of a share cannot be foretold: no model is ahead of the more frequent direction by "
          ".03.",
          "prices are to be predicted; no numbers", nobody_foretells_direction, own=True),
    Claim("Q23b", PAGE, "a question of our own",
          "Tomorrow’s size of a return can: some model saves 1 % of the squared error both of a fading mean (EWMA) "
          "and of the mean of the days to learn from.", "not asked", somebody_foretells_size, own=True),
    Claim("Q24a", PAGE, TEXT,
          "Shortcuts break with length on real data too: from proteins of up to 200 residues, as in training, to "
          "longer ones a Transformer loses more AUC than an LSTM, by .03.",
          "asked, after Anil et al. 2022; no numbers", transformers_fear_length, own=True),
    Claim("Q24b", PAGE, TEXT,
          "And with a shift: from beats as they were learnt to beats moved by ten samples a Transformer loses more "
          "macro-F1 than an LSTM, by .03.", "asked; no numbers",
          partial(fears_shifts, model=ATTENTION), own=True),
    Claim("Q26", PAGE, TEXT,
          "An MLP has no step that it takes everywhere, and so it is bound to a place: from beats as they were learnt "
          "to beats moved by ten samples it loses more macro-F1 than an LSTM, by .03.",
          "asked: why not an MLP? no numbers", partial(fears_shifts, model=MLP), own=True),
    Claim("Q29b", WHOM, "a question of our own",
          "On heartbeats too an explanation points at what counts: in every model, replacing the tenth of the samples "
          "of a supraventricular or ventricular beat that integrated gradients rank first by those of the mean beat, "
          "which is nearly a normal one, costs a tenth of the margin more than replacing a random tenth.",
          "not asked", explanations_point, own=True),
    Claim("Q30", WHOM, TEXT,
          "Models differ in whom they serve: how many more beats of women than of men are recognised, normal or "
          "ventricular ones, is not the same for a Transformer and an LSTM; it differs by .03.",
          "fairness is asked about; no numbers", serves_others_worse, own=True),
    Claim("Q35", PAGE, "a question of our own",
          "A random split of beats overstates: an LSTM and a Transformer have a macro-F1 that is .1 higher than on "
          "patients whom they have never seen.", "not asked", random_splits_leak, own=True),
)  # fmt: skip
