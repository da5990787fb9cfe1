"""What the study tests, and the rule by which each sentence is judged; written before any run that it judges.

Not so what issue 50 changed or added, when the data were known: M14 and M16 ask single runs, since a run learns to copy
or does not; M17, M18, M19 and R13 are judged by the benchmarks ``rivals`` and ``speed``, whose repeats are what is
sampled: an interval says how sure the times are of one machine on one day.
"""

from collections.abc import Callable, Mapping

import numpy as np
import pandas as pd

from inductive_bias.studies.claims import Claim, Finding, in_words
from inductive_bias.studies.feed_forward.design import PARTS, cell, parts
from inductive_bias.studies.feed_forward.parts import (
    ATTENTION,
    CHARACTERS,
    COPYING,
    ENOUGH,
    GATED,
    GIVEN,
    JSB,
    LSTM,
    METRICS,
    RSA,
    SHORTEST,
    SLOW,
    TCN,
    WHOLE,
    WINDOWS,
)
from inductive_bias.studies.preconditions import beats_naive
from inductive_bias.studies.results import Results
from inductive_bias.studies.searching import CHOSEN, STANDARD
from inductive_bias.studies.timings import INFERENCE, SPEED, TRAINING, length_of, on_parallel_hardware
from inductive_bias.tasks.memory.copying import KINDS
from inductive_bias.verdicts import (
    Contrast,
    all_of,
    every_run,
    exceeds,
    exists,
    falls_below,
    given,
    not_,
    paired,
    partners,
    relative,
    single,
    some_run,
    untestable,
)

PAGE = "stability/feed_forward"
#: M13 and M15: what does as well as an LSTM loses at most so much of its loss.
MARGIN = 0.01
#: An LSTM has mastered music if its loss is at most so many times the one that Bai et al. (2018) report.
MASTERED = 1.05
#: M14: shares of a guess's loss that a run removes: below the first nothing was learnt, above the second nearly all.
GUESSING, SOLVED = 0.1, 0.9
#: An LSTM has learnt to copy if it gets so many of the digits right in every run. A guess gets an eighth. M14 and M16
#: ask those that start by remembering, which are the better ones: from PyTorch's start none has learnt to copy.
COPIED = 0.5
#: M16: accuracy of a run above that of a guess, by which a memory is told.
ABOVE_CHANCE = 0.1
#: M17 to M19 and R13: the benchmark of this study's models; what counts as faster is 5 % of the time, as in Q20.
RIVALS, FASTER = "rivals", float(np.log2(1.05))
#: The tasks of M13 and M15.
WANTED = (JSB, CHARACTERS)


def cost(results: Results, task: str, model: str, against: str = LSTM) -> Contrast:
    """What a model loses against another, number by number, as a share of the other's loss."""
    ours, theirs = (results.values(METRICS[task], split="test", **cell(task, each)) for each in (model, against))
    return relative(*partners(ours, theirs), name=f"{task}: {model} against {against}", unit="of the loss")


def mastered(results: Results, task: str, model: str) -> tuple[bool, str]:
    """Whether the LSTM does what it can do here, and if not what it does: on music as well as is reported.

    On music the better of LSTM and ``model`` must also be ahead of answers without a network. Of these characters
    nothing is reported: there, an LSTM that sees all must be better than one that sees the least.
    """
    if task == JSB:
        values = {each: results.values(METRICS[task], split="test", **cell(task, each)) for each in (LSTM, model)}
        # one run that diverged is enough to be no master
        found = float(values[LSTM].mean(skipna=False))
        reported, _ = results.reported(METRICS[task], split="test", task=task, model=LSTM)
        guesses = results.frame("baseline_nll", split="test", by="kind", **cell(task, LSTM)).groupby("kind")["value"]
        best = float(min(each.mean() for each in values.values()))
        ahead, words = beats_naive(best, guesses.mean().to_dict(), what=task, lower_is_better=True)
        if not ahead:
            return False, words
        return found <= MASTERED * reported, f"the LSTM has {found:.2f} on {task}, reported {reported:.2f}"
    lost = cost(results, task, SHORTEST).estimate
    return lost > MARGIN, f"on {task} the LSTM does not use what lies far back: {SHORTEST} loses {lost:.3f} of the loss"


def has(results: Results, task: str, model: str, steps: int = GIVEN) -> bool:
    """Whether there are runs of a model that are judged."""
    part = parts(results.scale).get((task, steps))
    return bool(part and part.runs(model=model, bptt=WHOLE, variant=STANDARD, rate=CHOSEN))


def as_good_as_an_lstm(results: Results, model: str) -> Finding:
    """On music and on characters the model loses less than the margin."""
    judged, words = [], []
    for task in WANTED:
        if not all(has(results, task, each) for each in (LSTM, SHORTEST, model)):
            judged.append(untestable(f"no seeds yet on {task}"))
            continue
        contrast = cost(results, task, model)
        judged.append(given(*mastered(results, task, model), falls_below(contrast, MARGIN)))
        words.append(f"{contrast.name} {contrast}")
    return Finding(all_of(judged), note="; ".join(words))


def feed_forward_matches(results: Results) -> Finding:
    """M13: a TCN."""
    return as_good_as_an_lstm(results, TCN)


def a_window_is_enough(results: Results) -> Finding:
    """M15: an LSTM that was trained on the last 13 inputs; the other windows beside it."""
    found = as_good_as_an_lstm(results, ENOUGH)
    others = [
        cost(results, task, window)
        for task in WANTED
        for window in WINDOWS
        if window != ENOUGH and has(results, task, window) and has(results, task, LSTM)
    ]
    return Finding(found.judgement, note="; ".join(filter(None, [found.note, in_words(*others)])))


def waits(results: Results) -> list[int]:
    """Numbers of blanks over which both an LSTM with a slow start and a TCN were to copy, the shortest first."""
    return sorted(
        steps
        for task, steps in parts(results.scale)
        if task == COPYING and all(has(results, task, each, steps) for each in (SLOW, TCN))
    )


def removed(results: Results, model: str, steps: int) -> Contrast:
    """The share of the loss of a guess without memory that a model no longer has when it copies."""
    losses, guess = (
        results.values(metric, split="test", **cell(COPYING, model, steps=steps)) for metric in ("nll", "baseline_nll")
    )
    return single(
        1 - losses / guess,
        name=f"{model}, {steps} blanks: removed of a guess’s loss",
        unit="of the guess’s loss",
        failed_value=0.0,
        extremes=(0, 1),
    )


def copied(results: Results, steps: int, bptt: int = WHOLE) -> Contrast:
    """Digits that the LSTM gets right beyond those of a guess."""
    right = results.values("accuracy", split="test", **cell(COPYING, SLOW, steps=steps, bptt=bptt))
    over = "the whole sequence" if bptt == WHOLE else f"{bptt} steps"
    return single(
        right - 1 / KINDS,
        name=f"{steps} blanks, gradients over {over}",
        unit="of the digits, above chance",
        failed_value=0.0,
        extremes=(0, 1 - 1 / KINDS),
    )


def copies(results: Results, steps: int) -> tuple[bool, str]:
    """Whether the LSTM has learnt to copy over so many blanks in every run, and what it does if not."""
    right = results.values("accuracy", split="test", **cell(COPYING, SLOW, steps=steps))
    lowest = float(right.fillna(0.0).min())
    return lowest >= COPIED, f"with {steps} blanks an LSTM gets {lowest:.2f} of the digits right in its worst run"


def no_long_memory(results: Results) -> Finding:
    """M14: at the longest wait no run of the LSTM learns anything, every run of the TCN copies.

    Given that the LSTM, trained as often, has learnt to copy at the shortest wait in every run.
    """
    if len(waits(results)) < 2:
        return Finding(untestable("no seeds yet of two waits"))
    shortest, *_, longest = waits(results)
    lstm, tcn = (removed(results, model, longest) for model in (SLOW, TCN))
    judgement = all_of([not_(some_run(lstm, GUESSING)), every_run(tcn, SOLVED)])
    copying = int((tcn.values >= SOLVED).sum())
    words = f"{in_words(lstm, tcn)}; {copying} of {tcn.n} runs of the TCN copy"
    return Finding(given(*copies(results, shortest), judgement), note=words)


def cut_gradients_cut_memory(results: Results) -> Finding:
    """M16: where gradients end before the digits, no run copies any; given that every run does where they do not."""
    judged, words = [], []
    for steps in waits(results):
        short = [bptt for bptt in parts(results.scale)[COPYING, steps].bptt if bptt <= steps]
        found = [copied(results, steps, bptt) for bptt in short]
        judged += [given(*copies(results, steps), not_(some_run(each, ABOVE_CHANCE))) for each in found]
        words += [f"{each.name} {each}" for each in (*found, *([copied(results, steps)] if short else []))]
        words += [f"{(each.values >= ABOVE_CHANCE).sum()} of {each.n} runs with {each.name}" for each in found]
    return Finding(all_of(judged) if judged else untestable("no seeds yet"), note="; ".join(words))


def timed(
    results: Results, benchmark: str, measure: str, rule: Callable[[Mapping[str, pd.DataFrame]], Finding]
) -> Finding:
    """A rule over a measure of a published benchmark: by variant, seconds by repeat and model."""
    if benchmark not in results.tables:
        return Finding(untestable(f"the benchmark {benchmark!r} has not been published"))
    table = results.table(benchmark)
    wide = table[table["measure"] == measure].pivot_table(
        index=["variant", "repeat"], columns="model", values="value", observed=True
    )
    return rule({place: wide.xs(place) for place in wide.index.unique("variant")})


def faster(times: pd.DataFrame, fast: str, place: str, slow: str = LSTM) -> Contrast:
    """log₂ of the time of the slow model over that of the fast one, by repeat."""
    return paired(
        times[slow], times[fast], name=f"{slow} over {fast}, {place}", unit="log₂ of the ratio of times", log2=True
    )


def times_as_fast(contrasts: list[Contrast]) -> str:
    """Every contrast of :func:`faster` as a ratio, in words."""
    return "time of " + "; ".join(f"{each.name}: {2**each.estimate:.2f}" for each in contrasts)


def trains_faster(results: Results) -> Finding:
    """M17: a step of training of both convolutions, on music and on characters; given hardware that is parallel."""

    def rule(times: Mapping[str, pd.DataFrame]) -> Finding:
        found = [faster(times[task], model, task) for task in WANTED for model in (TCN, GATED)]
        judgement = all_of([exceeds(each, FASTER) for each in found])
        return Finding(given(*on_parallel_hardware(RIVALS), judgement), note=times_as_fast(found))

    return timed(results, RIVALS, TRAINING, rule)


def reads_faster(results: Results) -> Finding:
    """M18: attention, which answers at all places of a sequence at once, at some length: *in some cases*."""

    def rule(times: Mapping[str, pd.DataFrame]) -> Finding:
        found = [faster(times[place], ATTENTION, place) for place in sorted(times, key=length_of)]
        return Finding(given(*on_parallel_hardware(SPEED), exists(found, FASTER)), note=times_as_fast(found))

    return timed(results, SPEED, INFERENCE, rule)


def writes_faster(results: Results) -> Finding:
    """M19: one more symbol by a convolution or by attention, *in some cases*."""

    def rule(times: Mapping[str, pd.DataFrame]) -> Finding:
        found = [faster(times[place], model, place) for place in times for model in (TCN, GATED, ATTENTION)]
        return Finding(exists(found, FASTER), note=times_as_fast(found))

    return timed(results, RIVALS, "generation", rule)


def recurrence_in_parallel(results: Results) -> Finding:
    """R13: a step of training of RSA, at every length that was measured."""

    def rule(times: Mapping[str, pd.DataFrame]) -> Finding:
        found = [faster(times[place], RSA, place) for place in sorted(times, key=length_of)]
        judgement = all_of([exceeds(each, FASTER) for each in found])
        return Finding(given(*on_parallel_hardware(SPEED), judgement), note=times_as_fast(found))

    return timed(results, SPEED, TRAINING, rule)


BAI = "Bai, Kolter & Koltun 2018, section 5"
MILLER = "Miller 2018 (the text behind this part of the book)"
#: What was run, read off the design.
MUSIC, TEXT, NEAR, FAR = (
    PARTS["laptop"][at] for at in ((JSB, GIVEN), (CHARACTERS, GIVEN), (COPYING, 10), (COPYING, 500))
)
LEARNT = f"LSTMs of {MUSIC.shape.states} and {TEXT.shape.states} units, {MUSIC.seeds} and {TEXT.seeds} runs"
CLAIMS = (
    Claim(
        "M13",
        PAGE,
        BAI,
        "A feed-forward network does as well as an LSTM of its size: on chorales and on characters a TCN loses less "
        "than 1 % of the loss.",
        "chorales 8.10 against 8.45",
        feed_forward_matches,
        regime=LEARNT,
    ),
    Claim(
        "M14",
        PAGE,
        BAI,
        "The unlimited memory of recurrent networks is absent in practice: an LSTM that starts by remembering learns "
        "to copy over 10 blanks and guesses after 500 in every run; a TCN of its size copies after 500 in every run, "
        "in fewer steps of training.",
        "T = 1000: loss .0204 against .000035",
        no_long_memory,
        regime=f"{FAR.shape.states} units, 500 blanks (paper: 1,000), {FAR.seeds} runs of each",
    ),
    Claim(
        "M15",
        PAGE,
        "Chelba, Norouzi & Bengio 2017 (arXiv:1703.10724)",
        "The last 13 inputs are enough: on chorales and on characters an LSTM that starts from zeros 13 inputs ago, "
        "and was trained so, loses less than 1 % of the loss.",
        "of words: 13-grams match an LSTM",
        a_window_is_enough,
        regime=LEARNT,
    ),
    Claim(
        "M16",
        PAGE,
        MILLER,
        "Truncated back-propagation limits memory: an LSTM that learns to copy over 10 blanks gets in no run a tenth "
        "of the digits right beyond a guess if its gradients end within the wait.",
        "argued, no numbers",
        cut_gradients_cut_memory,
        regime=f"{NEAR.shape.states} units, 10 blanks, gradients over 5 and 10 steps, {NEAR.seeds} runs",
    ),
    Claim(
        "M17",
        PAGE,
        MILLER,
        "Feed-forward networks train faster on parallel hardware: an LSTM takes at least 5 % more time for a step of "
        "training than a TCN and a gated CNN of its size, on chorales and on characters.",
        "argued: nothing is sequential, so that modern hardware is used well",
        trains_faster,
        regime=f"one CPU core, LSTMs of {MUSIC.shape.states} and {TEXT.shape.states} units, 5 repeats",
    ),
    Claim(
        "M18",
        PAGE,
        MILLER,
        "Feed-forward networks can answer faster on parallel hardware: at some length an LSTM takes at least 5 % "
        "more time to read a whole sequence than attention of its size, which reads all places at once.",
        "argued: in some cases faster",
        reads_faster,
        regime="one CPU core, 2 layers, 64 to 4,096 tokens, 5 repeats",
    ),
    Claim(
        "M19",
        PAGE,
        MILLER,
        "Feed-forward networks can write faster: in some case an LSTM takes at least 5 % more time for one more "
        "symbol than a TCN, a gated CNN or attention of its size.",
        "argued: in some cases faster; for long sequences a bottleneck",
        writes_faster,
        regime="one CPU core, one sequence, after 100 and 1,000 symbols, 5 repeats",
    ),
    Claim(
        "R13",
        PAGE,
        "Huang et al. 2023, section 1",
        "RSA is computed in parallel over time, and so trains faster than a recurrent network: an LSTM takes at "
        "least 5 % more time for a step of training than RSA of its size, at every length from 64 to 4,096.",
        "argued, no numbers",
        recurrence_in_parallel,
        regime="one CPU core, 2 layers, 64 to 4,096 tokens, 5 repeats",
    ),
)
