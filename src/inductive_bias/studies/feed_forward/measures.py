"""Measures of feed-forward networks: losses against an LSTM, digits copied over a wait, ratios of times."""

import pandas as pd

from inductive_bias.errors import NoRunsError
from inductive_bias.formatting import number
from inductive_bias.studies.feed_forward.design import COPYING, JSB, LSTM, METRICS, SHORTEST_WINDOW, SLOW, TCN, cell
from inductive_bias.studies.preconditions import beats_naive
from inductive_bias.studies.results import Results
from inductive_bias.tasks.memory.copying import KINDS
from inductive_bias.verdicts import Contrast, paired, partners, relative, single

#: M13 and M15: what does as well as an LSTM loses at most so much of its loss.
MARGIN = 0.01
#: An LSTM has mastered music if its loss is at most so many times the one that Bai et al. (2018) report.
MASTERED = 1.05
#: An LSTM has learnt to copy if it gets so many of the digits right in every run. A guess gets an eighth. M14 and M16
#: ask those that start by remembering, which are the better ones: from PyTorch's start none has learnt to copy.
COPIED = 0.5


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
    lost = cost(results, task, SHORTEST_WINDOW).estimate
    words = f"{SHORTEST_WINDOW} adds only {number(lost, '.3f')} of the loss"
    return lost > MARGIN, f"on {task} the LSTM does not use inputs far back: {words}"


def waits(results: Results) -> list[int]:
    """Numbers of blanks over which both an LSTM with a slow start and a TCN were to copy, the shortest first.

    Raises:
        NoRunsError: if there are not two of them.
    """
    levels = results.design.levels(results.scale)["steps"]
    wanted = {steps: [cell(COPYING, model, steps=steps) for model in (SLOW, TCN)] for steps in levels}
    found = sorted(steps for steps, both in wanted.items() if results.cells.keys() >= {*both})
    if len(found) < 2:
        raise NoRunsError("no runs yet of two waits")
    return found


def gradient_lengths(results: Results, steps: int) -> list[int]:
    """Over how many steps gradients pass in the LSTMs of a wait where they do not pass through the whole sequence."""
    there = [each for each in results.cells if (each["task"], each["steps"], each["model"]) == (COPYING, steps, SLOW)]
    return [each["bptt"] for each in there if each["bptt"] is not None]


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


def copied(results: Results, steps: int, bptt: int | None = None) -> Contrast:
    """Digits that the LSTM gets right beyond those of a guess."""
    right = results.values("accuracy", split="test", **cell(COPYING, SLOW, steps=steps, bptt=bptt))
    over = "the whole sequence" if bptt is None else f"{bptt} steps"
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


def faster(times: pd.DataFrame, fast: str, place: str, slow: str = LSTM) -> Contrast:
    """log₂ of the time of the slow model over that of the fast one, by repeat."""
    return paired(
        times[slow], times[fast], name=f"{slow} over {fast}, {place}", unit="log₂ of the ratio of times", log2=True
    )


def times_as_fast(contrasts: list[Contrast]) -> str:
    """Every contrast of :func:`faster` as a ratio, in words."""
    return "time of " + "; ".join(f"{each.name}: {2**each.estimate:.2f}" for each in contrasts)


def lstm_size(results: Results, task: str, model: str = LSTM, steps: int | None = None) -> tuple[int, int]:
    """States of an LSTM, and how many runs of it there are."""
    runs = results.cells[cell(task, model, steps=steps)]
    return runs[0].model.states, len(runs)
