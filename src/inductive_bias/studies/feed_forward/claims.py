"""What the study tests, and the rule by which each sentence is judged; written before any run that it judges.

Not so what issue 50 changed or added, when the data were known: M14 and M16 ask single runs, since a run learns to copy
or does not; M17, M18, M19 and R13 are judged by the benchmarks ``rivals`` and ``speed``, whose repeats are what is
sampled: an interval says how sure the times are of one machine on one day.
"""

from collections.abc import Callable, Mapping

import numpy as np
import pandas as pd

from inductive_bias.studies.claims import Claim, Finding, in_words
from inductive_bias.studies.feed_forward.design import (
    ATTENTION,
    CHARACTERS,
    CLAIMED_WINDOW,
    COPYING,
    GATED,
    JSB,
    LSTM,
    RSA,
    SHORTEST_WINDOW,
    SLOW,
    TCN,
    WINDOWS,
    cell,
)
from inductive_bias.studies.feed_forward.measures import (
    MARGIN,
    copied,
    copies,
    cost,
    faster,
    gradient_lengths,
    lstm_size,
    mastered,
    removed,
    times_as_fast,
    waits,
)
from inductive_bias.studies.results import Results
from inductive_bias.studies.timings import INFERENCE, SPEED, TRAINING, on_parallel_hardware
from inductive_bias.verdicts import all_of, every_run, exceeds, exists, falls_below, given, not_, some_run, untestable

PAGE = "stability/feed_forward"
#: M14: shares of a guess's loss that a run removes: below the first nothing was learnt, above the second nearly all.
GUESSING, SOLVED = 0.1, 0.9
#: M16: accuracy of a run above that of a guess, by which a memory is told.
ABOVE_CHANCE = 0.1
#: M17 to M19 and R13: the benchmark of this study's models; what counts as faster is 5 % of the time, as in Q20.
RIVALS, FASTER = "rivals", float(np.log2(1.05))
#: The tasks of M13 and M15.
COMPARED = (JSB, CHARACTERS)


def as_good_as_an_lstm(results: Results, model: str) -> Finding:
    """Whether a model loses less than the margin against an LSTM, on music and on characters."""
    results.need(*(cell(task, each) for task in COMPARED for each in (LSTM, SHORTEST_WINDOW, model)))
    costs = {task: cost(results, task, model) for task in COMPARED}
    judged = [given(*mastered(results, task, model), falls_below(found, MARGIN)) for task, found in costs.items()]
    return Finding(all_of(judged), note=in_words(*costs.values()))


def feed_forward_matches(results: Results) -> Finding:
    """M13: a TCN."""
    return as_good_as_an_lstm(results, TCN)


def a_window_is_enough(results: Results) -> Finding:
    """M15: an LSTM that was trained on the last 13 inputs; the other windows beside it."""
    found = as_good_as_an_lstm(results, CLAIMED_WINDOW)
    others = [window for window in WINDOWS if window != CLAIMED_WINDOW]
    beside = [cost(results, task, window) for task in COMPARED for window in others]
    return Finding(found.judgement, note=f"{found.note}; {in_words(*beside)}")


def no_long_memory(results: Results) -> Finding:
    """M14: at the longest wait no run of the LSTM learns anything, every run of the TCN copies.

    Given that the LSTM, trained as often, has learnt to copy at the shortest wait in every run.
    """
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
        short = [bptt for bptt in gradient_lengths(results, steps) if bptt <= steps]
        found = [copied(results, steps, bptt) for bptt in short]
        judged += [given(*copies(results, steps), not_(some_run(each, ABOVE_CHANCE))) for each in found]
        words += [f"{each.name} {each}" for each in (*found, *([copied(results, steps)] if short else []))]
        words += [f"{(each.values >= ABOVE_CHANCE).sum()} of {each.n} runs with {each.name}" for each in found]
    return Finding(all_of(judged), note="; ".join(words))


def timed(
    results: Results,
    benchmark: str,
    measure: str,
    rule: Callable[[Mapping[str, pd.DataFrame]], Finding],
    *,
    by_size: bool = False,
) -> Finding:
    """A rule over a measure of a published benchmark: by variant, seconds by repeat and model.

    Variants come in the order of their names, or smallest first (``by_size``).
    """
    if benchmark not in results.tables:
        return Finding(untestable(f"the benchmark {benchmark!r} has not been published"))
    table = results.table(benchmark)
    wide = table[table["measure"] == measure].pivot_table(
        index=["variant", "repeat"], columns="model", values="value", observed=True
    )
    places = wide.index.unique("variant")
    if by_size:
        places = sorted(places, key=table.drop_duplicates("variant").set_index("variant")["size"].get)
    return rule({place: wide.xs(place) for place in places})


def trains_faster(results: Results) -> Finding:
    """M17: a step of training of both convolutions, on music and on characters; given hardware that is parallel."""

    def rule(times: Mapping[str, pd.DataFrame]) -> Finding:
        found = [faster(times[task], model, task) for task in COMPARED for model in (TCN, GATED)]
        judgement = all_of([exceeds(each, FASTER) for each in found])
        return Finding(given(*on_parallel_hardware(RIVALS), judgement), note=times_as_fast(found))

    return timed(results, RIVALS, TRAINING, rule)


def reads_faster(results: Results) -> Finding:
    """M18: attention, which answers at all places of a sequence at once, at some length: *in some cases*."""

    def rule(times: Mapping[str, pd.DataFrame]) -> Finding:
        found = [faster(times[place], ATTENTION, place) for place in times]
        return Finding(given(*on_parallel_hardware(SPEED), exists(found, FASTER)), note=times_as_fast(found))

    return timed(results, SPEED, INFERENCE, rule, by_size=True)


def writes_faster(results: Results) -> Finding:
    """M19: one more symbol by a convolution or by attention, *in some cases*."""

    def rule(times: Mapping[str, pd.DataFrame]) -> Finding:
        found = [faster(times[place], model, place) for place in times for model in (TCN, GATED, ATTENTION)]
        return Finding(exists(found, FASTER), note=times_as_fast(found))

    return timed(results, RIVALS, "generation", rule)


def recurrence_in_parallel(results: Results) -> Finding:
    """R13: a step of training of RSA, at every length that was measured."""

    def rule(times: Mapping[str, pd.DataFrame]) -> Finding:
        found = [faster(times[place], RSA, place) for place in times]
        judgement = all_of([exceeds(each, FASTER) for each in found])
        return Finding(given(*on_parallel_hardware(SPEED), judgement), note=times_as_fast(found))

    return timed(results, SPEED, TRAINING, rule, by_size=True)


BAI = "Bai, Kolter & Koltun 2018, section 5"
MILLER = "Miller 2018 (the text behind this part of the book)"


def regime(results: Results) -> str:
    """The sizes of the LSTMs on music and on characters, in words."""
    (music, runs), (text, fewer) = (lstm_size(results, task) for task in COMPARED)
    return f"LSTMs of {music} and {text} units, {runs} and {fewer} runs"


def regime_of_waits(results: Results) -> str:
    """The sizes at which digits were copied over the longest wait, in words."""
    longest = waits(results)[-1]
    states, runs = lstm_size(results, COPYING, SLOW, longest)
    return f"{states} units, {longest} blanks (paper: 1,000), {runs} runs of each"


def regime_of_gradients(results: Results) -> str:
    """The sizes at which gradients were cut within the shortest wait, in words."""
    steps = waits(results)[0]
    states, runs = lstm_size(results, COPYING, SLOW, steps)
    cut = " and ".join(str(bptt) for bptt in gradient_lengths(results, steps) if bptt <= steps)
    return f"{states} units, {steps} blanks, gradients over {cut} steps, {runs} runs"


def regime_of_times(results: Results) -> str:
    """The machine, the sizes of the LSTMs and the repeats of the benchmark, in words."""
    (music, _), (text, _) = (lstm_size(results, task) for task in COMPARED)
    return f"one CPU core, LSTMs of {music} and {text} units, 5 repeats"


CLAIMS = (
    Claim(
        "M13",
        PAGE,
        BAI,
        "A feed-forward network does as well as an LSTM of its size: on chorales and on characters a TCN has less "
        "than 1 % more loss.",
        "chorales 8.10 against 8.45",
        feed_forward_matches,
        regime=regime,
    ),
    Claim(
        "M14",
        PAGE,
        BAI,
        "The unlimited memory of recurrent networks is absent in practice. An LSTM that begins with a long memory "
        "(a slow start) learns to copy over 10 blanks and guesses after 500 in every run. A TCN of its size copies "
        "after 500 in every run, in fewer steps of training.",
        "T = 1000: loss .0204 against .000035",
        no_long_memory,
        regime=regime_of_waits,
    ),
    Claim(
        "M15",
        PAGE,
        "Chelba, Norouzi & Bengio 2017 (arXiv:1703.10724)",
        "The last 13 inputs are enough: on chorales and on characters an LSTM that starts from zeros 13 inputs ago, "
        "in training too, has less than 1 % more loss.",
        "of words: 13-grams match an LSTM",
        a_window_is_enough,
        regime=regime,
    ),
    Claim(
        "M16",
        PAGE,
        MILLER,
        "Truncated back-propagation limits memory: if gradients end within the wait, no run of an LSTM that can learn "
        "to copy over 10 blanks has a tenth more of the digits right than a guess.",
        "argued, no numbers",
        cut_gradients_cut_memory,
        regime=regime_of_gradients,
    ),
    Claim(
        "M17",
        PAGE,
        MILLER,
        "Feed-forward networks train faster on parallel hardware: an LSTM takes at least 5 % more time for a step of "
        "training than a TCN and a gated CNN of its size, on chorales and on characters.",
        "argued: nothing is sequential, so that modern hardware is used well",
        trains_faster,
        regime=regime_of_times,
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
        "RSA is computed in parallel over time, and so trains faster than a recurrent network. For a training step an "
        "LSTM takes at least 5 % more time than RSA of its size, at every length from 64 to 4,096.",
        "argued, no numbers",
        recurrence_in_parallel,
        regime="one CPU core, 2 layers, 64 to 4,096 tokens, 5 repeats",
    ),
)
