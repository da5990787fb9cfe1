"""What the study tests, and the rule by which each sentence is judged; written before any run that it judges.

Scores are of the last quarter of words as long as those trained on: a mean over all positions, as the paper has it, is
high for whoever knows the first ones. Where the paper reports the best of its runs, one of ours that reaches the bound
proves that there is one (:mod:`inductive_bias.verdicts.runs`); mean, median and all runs stand beside it.
"""

from collections.abc import Callable, Iterable, Sequence
from itertools import pairwise

import numpy as np
import pandas as pd

from inductive_bias.protocols.measures.automata import LAST_QUARTER
from inductive_bias.studies.automata.design import (
    ATTENTION,
    FLIP_FLOP,
    GRID,
    LSTM,
    PLANS,
    RSA,
    SHOWN,
    SHOWN_GROUPS,
    cell,
    deep,
    depths,
)
from inductive_bias.studies.automata.tables import ATTENTION_MASS, TRAINED, UNTRAINED
from inductive_bias.studies.claims import Claim, Finding, in_words
from inductive_bias.studies.results import Results
from inductive_bias.verdicts import (
    Contrast,
    Judgement,
    all_of,
    crossed,
    every_run,
    exceeds,
    exists,
    given,
    not_,
    paired,
    rank,
    single,
    some_run,
    unpaired,
    untestable,
)

PAGE = "automata/depth"
PAPER, OWN = "Liu et al. 2023 (arXiv:2210.10749)", "a question of our own"
#: An automaton is simulated from here on: in our runs of the last quarter, in the paper of all positions.
SOLVED = 0.99
#: Q1: the automata and the layers with which shortcuts are to be found.
EASY, FOUR = ("C2", "Grid4", GRID, "D8", FLIP_FLOP), 4
#: Q2: how far beyond the deepest is an automaton that no depth of ours solves, the least correlation, and the fewest
#: automata.
BEYOND, ORDERED, FEWEST = 2, 0.3, 4
#: Q3: groups that one layer does not simulate, which has no more than so much.
HARD, AT_MOST = ("C2", "Q8", "A5", "S5"), 0.9
#: Q5: what two layers reach on the grid, and what one does not.
TWO_REACH, ONE_STAYS_BELOW = 0.999, 0.97
#: Q17: where maxima are to overstate, and by how much.
UNSTABLE, OVERSTATED = ("D8", "Q8", "A4", "A5", "S5"), 0.1
#: Q4: by how much a further layer has to harm.
HARM = 0.05
#: Q31: who is equal to an LSTM of one layer lacks at most so much of its score.
EQUAL = 0.01
#: Q18: the share of its attention that a head gives to one position, and how many times that of an untrained one.
MASS, TIMES = 0.5, 3.0
#: Q32: what two layers are to gain by recurrence.
GAIN = 0.05
#: A diverged run has no state right.
FAILED = 0.0
UNIT = "of the last quarter’s states"


def late(results: Results, automaton: str, model: str, layers: int) -> pd.Series:
    """Scores over the last quarter of one cell, by number; a diverged run is NaN."""
    at = {"length": PLANS[results.scale].length, "part": LAST_QUARTER}
    return results.values("accuracy", split="test", **at, **cell(automaton, model, layers))


def score(results: Results, automaton: str, model: str, layers: int) -> Contrast:
    """The same as a contrast with nothing: its numbers are those of the runs."""
    name = f"{automaton}, {model} with {layers} layer{'s' * (layers > 1)}"
    return single(late(results, automaton, model, layers), name=name, unit=UNIT, failed_value=FAILED)


def lacking(results: Results, cells: Iterable[tuple[str, str, int]]) -> str:
    """Which of these cells have no run at this scale, in words; empty if none."""
    plan = PLANS[results.scale]
    absent = [f"{automaton} with {layers} of {model}" for automaton, model, layers in cells
              if not plan.runs(automaton=automaton, model=model, layers=layers)]  # fmt: skip
    return f"no runs of {', '.join(absent)}" if absent else ""


def summary(contrast: Contrast) -> str:
    """Best, median, mean and number of runs in words."""
    values = contrast.values
    middle = f"median {values.median():.3f}, mean {values.mean():.3f}"
    return f"{contrast.name}: best of {len(values)} {values.max():.3f}, {middle}"


def judged(results: Results, cells: Sequence[tuple[str, str, int]], rule: Callable[[Contrast], Judgement]) -> Finding:
    """All of these cells under one rule, unless one has no run."""
    if reason := lacking(results, cells):
        return Finding(untestable(reason))
    scores = [score(results, *each) for each in cells]
    return Finding(all_of([rule(each) for each in scores]), note="; ".join(map(summary, scores)))


def shortcuts_are_found(results: Results) -> Finding:
    """Q1: of every easy automaton, a run with four layers simulates it."""
    return judged(results, [(name, ATTENTION, FOUR) for name in EASY], lambda each: some_run(each, SOLVED))


def needed(results: Results, automaton: str) -> pd.Series:
    """The least depth with which the Transformer of each number simulates an automaton; beyond the deepest if none."""
    columns = {layers: late(results, automaton, ATTENTION, layers) for layers in depths(results.scale, ATTENTION)}
    solved = pd.concat(columns, axis=1, join="inner") >= SOLVED
    return solved.idxmax(axis=1).where(solved.any(axis=1), max(columns) + BEYOND).rename(automaton)


def depth_in_words(results: Results, layers: float | int) -> str:
    """``4``; ``over 6`` of a depth beyond the deepest, or NaN."""
    most = max(depths(results.scale, ATTENTION))
    return f"{layers:g}" if layers <= most else f"over {most}"


def reported_depth(results: Results, automaton: str) -> int | None:
    """The least depth at which the paper's best run simulates an automaton; None if it reports nothing of it."""
    rows = results.paper[(results.paper["automaton"] == automaton) & (results.paper["mean"] >= SOLVED)]
    return None if rows.empty else int(rows["layers"].min())


def algebra_sets_the_depth(results: Results) -> Finding:
    """Q2: Spearman's correlation of our depths with the paper's, run by run."""
    known = {name: reported_depth(results, name) for name in deep(results.scale)}
    known = {name: depth for name, depth in known.items() if depth is not None}
    if len(known) < FEWEST:
        return Finding(untestable(f"not every depth of {FEWEST} automata of the paper is run"))
    table = pd.DataFrame({name: needed(results, name) for name in known})
    contrast = rank(table, list(known.values()), name="depths against the paper’s")
    ours = {name: depth_in_words(results, least) for name, least in table.min().items()}
    best = "; ".join(f"{name} {ours[name]} (paper {depth})" for name, depth in known.items())
    return Finding(exceeds(contrast, ORDERED), effect=contrast, note=f"least depth of the best run: {best}")


def one_layer_is_not_enough(results: Results) -> Finding:
    """Q3: no run with one layer comes near."""
    return judged(results, [(name, ATTENTION, 1) for name in HARD], lambda each: not_(some_run(each, AT_MOST)))


def two_layers_solve_the_grid(results: Results) -> Finding:
    """Q5: a run with two layers reaches nearly all, and none with one layer does."""
    cells = [(GRID, ATTENTION, layers) for layers in (1, 2)]
    if reason := lacking(results, cells):
        return Finding(untestable(reason))
    one, two = (score(results, *each) for each in cells)
    judgement = all_of([some_run(two, TWO_REACH), not_(some_run(one, ONE_STAYS_BELOW))])
    return Finding(judgement, effect=one, note=f"{summary(one)}; {summary(two)}")


def an_lstm_needs_no_depth(results: Results) -> Finding:
    """Q6: every run of an LSTM with one layer simulates every automaton."""
    return judged(results, [(name, LSTM, 1) for name in SHOWN], lambda each: every_run(each, SOLVED))


def least_depth(results: Results, automaton: str) -> int | None:
    """The least depth at which the best Transformer simulates an automaton; None up to the deepest."""
    found = (layers for layers in depths(results.scale, ATTENTION)
             if late(results, automaton, ATTENTION, layers).max() >= SOLVED)  # fmt: skip
    return next(found, None)


def overstatement(values: pd.Series) -> float:
    """How far the best run is above the mean of all."""
    values = values.fillna(FAILED)
    return float(values.max() - values.mean())


def maxima_overstate(results: Results) -> Finding:
    """Q17: at the depth where the best run first simulates the automaton; of those that a depth of ours solves.

    The automata are what is sampled: a maximum has no number for every run.
    """
    if absent := [name for name in UNSTABLE if name not in deep(results.scale)]:
        return Finding(untestable(f"not every depth is run of {', '.join(absent)}"))
    at = {name: least_depth(results, name) for name in UNSTABLE}
    solved = {name: layers for name, layers in at.items() if layers is not None}
    if len(solved) < 2:
        return Finding(untestable(f"of {', '.join(UNSTABLE)}, {len(solved)} is simulated by any depth"))
    gaps = {name: overstatement(late(results, name, ATTENTION, layers)) for name, layers in solved.items()}
    contrast = single(pd.Series(gaps), name=f"best run above the mean, {len(gaps)} automata", unit=UNIT)
    words = "; ".join(f"{name} with {solved[name]} layers: {gap:.3f}" for name, gap in gaps.items())
    return Finding(exceeds(contrast, OVERSTATED), effect=contrast, note=words)


def harm(results: Results, automaton: str, shallow: int, deep: int) -> Contrast:
    """By how much a deeper Transformer is worse, on average."""
    first, second = (late(results, automaton, ATTENTION, layers) for layers in (shallow, deep))
    name = f"{automaton}: {shallow} layers − {deep} layers"
    return unpaired(first, second, name=name, unit=UNIT, failed_value=FAILED)


def fall_of_the_best(results: Results, automaton: str, shallow: int, deep: int) -> float:
    """The same of the best runs."""
    first, second = (late(results, automaton, ATTENTION, layers).max() for layers in (shallow, deep))
    return float(first - second)


def depth_can_harm(results: Results) -> Finding:
    """Q4: somewhere the mean falls when layers are added, corrected for the number of places.

    Of the mean: the maximum of four runs, which the paper's sentence is about, has no interval. It stands in the note.
    """
    plan = PLANS[results.scale]
    steps = [(name, *pair) for name in plan.automata for pair in pairwise(plan.depths(name, ATTENTION))]
    found = [harm(results, *step) for step in steps]
    falls = {
        f"{name}, {shallow} to {more} layers": fall_of_the_best(results, name, shallow, more)
        for name, shallow, more in steps
    }
    place = max(falls, key=falls.get)
    return Finding(exists(found, HARM), note=f"the best run falls most from {place}: by {falls[place]:.3f}")


def one_layer_of_an_lstm_is_worth_two(results: Results) -> Finding:
    """Q31: on every group an LSTM with one layer is ahead of a Transformer with one layer."""
    cells = [(name, model, 1) for name in SHOWN_GROUPS for model in (LSTM, ATTENTION)]
    if reason := lacking(results, cells):
        return Finding(untestable(reason))
    found = [
        paired(late(results, name, LSTM, 1), late(results, name, ATTENTION, 1), name=f"{name}: {LSTM} − {ATTENTION}",
               unit=UNIT, failed_value=FAILED)
        for name in SHOWN_GROUPS
    ]  # fmt: skip
    words = in_words(*found)
    return Finding(all_of([exceeds(each, EQUAL) for each in found]), note=words)


def recurrence_spares_layers(results: Results) -> Finding:
    """Q32: RSA − Attention with two layers each, on the groups that have them; seeds and groups are taken as random."""
    groups = [name for name in SHOWN_GROUPS
              if not lacking(results, [(name, model, 2) for model in (RSA, ATTENTION)])]  # fmt: skip
    if len(groups) < 2:
        return Finding(untestable("no runs of two groups"))
    own, twin = (pd.DataFrame({name: late(results, name, model, 2) for name in groups}) for model in (RSA, ATTENTION))
    contrast = crossed(own, twin, name=f"{RSA} − {ATTENTION}, 2 layers, {len(groups)} groups", unit=UNIT,
                       failed_value=FAILED)  # fmt: skip
    return Finding(exceeds(contrast, GAIN), effect=contrast)


def mass(results: Results, automaton: str, layers: int = 2) -> pd.DataFrame:
    """The share of attention that the best head of each run gives to the position that decides, trained and untrained.

    The head is the one that gives it most on other words; each of the two networks has its own. By number; a run that
    diverged has no attention, and is left out: it has simulated nothing either.
    """
    found = results.table(ATTENTION_MASS).dropna(subset=["chosen_by"])
    found = found[(found["automaton"] == automaton) & (found["layers"] == layers)]
    best = found.loc[found.groupby(["number", "when"], observed=True)["chosen_by"].idxmax()]
    return best.pivot(index="number", columns="when", values="mass").dropna()


def attention_looks_there(results: Results) -> Finding:
    """Q18: on grid and flip-flop, two layers; given that they are simulated."""
    cells = [(name, ATTENTION, 2) for name in (GRID, FLIP_FLOP)]
    judgements, words = [], []
    for name, model, layers in cells:
        table, simulated = mass(results, name, layers), late(results, name, model, layers).fillna(FAILED).mean()
        share = single(table[TRAINED], name=f"{name}: best head", unit="of its attention")
        more = paired(table[TRAINED], table[UNTRAINED], name=f"{name}: trained against untrained",
                      unit="log₂ of the ratio", log2=True)  # fmt: skip
        parts = all_of([exceeds(share, MASS), exceeds(more, float(np.log2(TIMES)))])
        control = f"{name} is not simulated: {simulated:.3f} of the last states"
        judgements.append(given(bool(simulated >= SOLVED), control, parts))
        words.append(f"{share.name} {share}, untrained {table[UNTRAINED].mean():.3f}")
    return Finding(all_of(judgements), note="; ".join(words))


CLAIMS = (
    Claim("Q1", PAGE, PAPER,
          "Shortcuts are found: Transformers with four layers simulate parity, both grids, the square’s moves and a "
          "memory (the best run, 99 % of the last quarter’s states).", "99.9 to 100 % with 4 layers, best of 20",
          shortcuts_are_found),
    Claim("Q2", PAGE, PAPER,
          "The algebra of an automaton sets the depth that it needs: our depths are in the order of the paper’s.",
          "1 layer (Grid4) to 13 (S4, S5)", algebra_sets_the_depth),
    Claim("Q3", PAGE, PAPER,
          "One layer is not enough for groups: no run with one layer has 90 % of C2, Q8, A5 or S5.",
          "77.6, 31.6, 12.5 and 7.9 % of all positions", one_layer_is_not_enough),
    Claim("Q4", PAGE, PAPER,
          "Depth does not only help: somewhere a deeper Transformer is worse by more than 5 points.",
          "C2³ falls from 100 to 80.6 %", depth_can_harm),
    Claim("Q5", PAGE, PAPER,
          "Two layers solve the grid, one does not: 99.9 % of Grid9 by a run with two layers, 97 % by none with one.",
          "100 against 92.2 %", two_layers_solve_the_grid),
    Claim("Q6", PAGE, PAPER,
          "An LSTM needs no depth: every run with one layer simulates every automaton.", "100 % (of S5, in a figure)",
          an_lstm_needs_no_depth),
    Claim("Q17", PAGE, OWN,
          "Maxima overstate: where the best run first simulates D8, Q8, A4, A5 or S5, it is 10 points above the mean.",
          "not asked: maxima of 20 runs are reported", maxima_overstate, own=True),
    Claim("Q18", PAGE, PAPER,
          "Attention does what the proof does: in two layers, a head gives half of its attention to the last wall, or "
          "to the last write, three times as much as untrained.", "shown in figures, of four layers",
          attention_looks_there),
    Claim("Q31", PAGE, "asked in the project plan of 2023; the rule is ours",
          "One layer of an LSTM is worth two of a Transformer, or more, on every group.", "asked, not answered",
          one_layer_of_an_lstm_is_worth_two, own=True),
    Claim("Q32", PAGE, OWN,
          "Recurrence within attention spares layers: on groups RSA with two layers is ahead of two layers of "
          "attention by 5 points.", "not asked", recurrence_spares_layers, own=True),
)  # fmt: skip
