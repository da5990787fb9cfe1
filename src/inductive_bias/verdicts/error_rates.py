"""How often each rule is wrong where the truth lies exactly at its margin: a simulation, published and tested.

A rule promises 5 %: at the margin it says *reproduced* in at most 2.5 % of the cases and *not reproduced* in as many.
The promise rests on what runs look like. So each rule meets values that are normal, uniform, skewed, heavy-tailed or
log-normal, and runs of which a fifth fail. ``python -m inductive_bias.verdicts.error_rates FILE`` writes the table that
the page of claims shows.
"""

import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np
import pandas as pd

from inductive_bias.verdicts.contrasts import average, crossed, paired, rank, resampled, single, spread, unpaired
from inductive_bias.verdicts.judgement import Judgement
from inductive_bias.verdicts.rules import after_looks, any_of, equivalent, exceeds, ordered
from inductive_bias.verdicts.runs import every_run
from inductive_bias.verdicts.test_statistics import ALPHA

Generator = np.random.Generator
#: Draws ``n`` values with mean 0.
Draw = Callable[[Generator, int], np.ndarray]
REPETITIONS, SEED = 2000, 0
RUNS = (3, 4, 6, 10)
MARGIN = 1.0
#: A fifth of the runs fail: they are worth 0, the others 1; with noise these are worth a little more or less.
FAILS, NOISE = 0.2, 0.01


def _log_normal(rng: Generator, n: int) -> np.ndarray:
    return rng.lognormal(size=n) - np.exp(0.5)


def _a_fifth_fails(rng: Generator, n: int, noise: float = 0.0) -> np.ndarray:
    return (rng.random(n) >= FAILS) * (1 - np.abs(noise * rng.normal(size=n))) - (1 - FAILS)


#: By name, what the runs look like.
OUTCOMES: dict[str, Draw] = {
    "normal": lambda rng, n: rng.normal(size=n),
    "uniform": lambda rng, n: rng.uniform(-1, 1, size=n),
    "skewed (exponential)": lambda rng, n: rng.exponential(size=n) - 1,
    "heavy tails (Student, 3)": lambda rng, n: rng.standard_t(3, size=n),
    "log-normal": _log_normal,
    "a fifth of the runs fails": _a_fifth_fails,
    "a fifth fails, the others scatter by .01": lambda rng, n: _a_fifth_fails(rng, n, NOISE),
}
_PLAIN = tuple(OUTCOMES)[:4]
_NORMAL = _PLAIN[:1]
_W = {"name": "x", "unit": "u"}


@dataclass(frozen=True)
class Case:
    """A rule that meets values whose true effect lies at its margin.

    Attributes:
        rule: in the words of the page.
        judged: from a source of chance, a way to draw, and a number of runs, to the judgement.
        outcomes: what the runs look like.
        runs: their numbers.
        one_run_proves: whether *not reproduced* is right here: half of the runs lie below, and one of them proves it.
    """

    rule: str
    judged: Callable[[Generator, Draw, int], Judgement]
    outcomes: tuple[str, ...] = _PLAIN
    runs: tuple[int, ...] = RUNS
    one_run_proves: bool = False


def _mean(rng: Generator, draw: Draw, n: int) -> Judgement:
    return exceeds(single(draw(rng, n) + MARGIN, **_W), MARGIN)


def _bounded(rng: Generator, draw: Draw, n: int) -> Judgement:
    """The margin is the true mean of runs of which a fifth fail."""
    return exceeds(single(draw(rng, n) + (1 - FAILS), **_W, extremes=(0, 1)), 1 - FAILS)


def _on_a_logarithmic_scale(rng: Generator, draw: Draw, n: int) -> Judgement:
    ours, theirs = rng.lognormal(size=n) * 2**MARGIN, rng.lognormal(size=n)
    return exceeds(paired(ours, theirs, **_W, log2=True), MARGIN)


def _pairs(rng: Generator, draw: Draw, n: int) -> Judgement:
    return exceeds(paired(draw(rng, n) + MARGIN, draw(rng, n), **_W), MARGIN)


def _two_cells(rng: Generator, draw: Draw, n: int) -> Judgement:
    return exceeds(unpaired(3 * draw(rng, n) + MARGIN, draw(rng, n + 2), **_W), MARGIN)


def _no_difference(rng: Generator, draw: Draw, n: int) -> Judgement:
    return equivalent(single(draw(rng, n) / 4 + MARGIN, **_W), MARGIN)


def _steps(rng: Generator, draw: Draw, n: int) -> Judgement:
    """One of three steps lies at the margin, the others far above it."""
    return ordered([single(draw(rng, n) + MARGIN + far, **_W) for far in (0, 20, 20)], MARGIN)


def _one_of_three(rng: Generator, draw: Draw, n: int) -> Judgement:
    return any_of([exceeds(single(draw(rng, n) + MARGIN, **_W), MARGIN) for _ in range(3)])


def _items(items: int, of_runs: float, of_items: float) -> Callable[[Generator, Draw, int], Judgement]:
    def judged(rng: Generator, draw: Draw, n: int) -> Judgement:
        table = of_runs * draw(rng, n)[:, None] + of_items * draw(rng, items)[None] + 0.5 * rng.normal(size=(n, items))
        return exceeds(crossed(pd.DataFrame(table + MARGIN), **_W), MARGIN)

    return judged


def _mean_of_sets(rng: Generator, draw: Draw, n: int) -> Judgement:
    return exceeds(average([single(draw(rng, n) + MARGIN, **_W) for _ in range(3)], **_W), MARGIN)


def _drawn_anew(rng: Generator, draw: Draw, n: int) -> Judgement:
    table = draw(rng, n)[:, None] + draw(rng, 20)[None] + MARGIN
    anew = np.stack([table[:, rng.integers(20, size=20)].mean(axis=1) for _ in range(100)])
    return exceeds(resampled(pd.Series(table.mean(axis=1)), anew, items=20, **_W), MARGIN)


def _rank(conditions: int) -> Callable[[Generator, Draw, int], Judgement]:
    """The margin is the true mean correlation; values grow by .7 of their scatter from condition to condition."""
    rng = np.random.default_rng(SEED)
    rows = rng.normal(size=(40_000, conditions)) + 0.7 * np.arange(conditions)
    places = rows.argsort(axis=1).argsort(axis=1) - (conditions - 1) / 2
    truth = float((places @ (np.arange(conditions) - (conditions - 1) / 2)).mean() / (conditions**3 - conditions) * 12)

    def judged(rng: Generator, draw: Draw, n: int) -> Judgement:
        rows = rng.normal(size=(n, conditions)) + 0.7 * np.arange(conditions)
        return exceeds(rank(pd.DataFrame(rows), name="x"), truth)

    return judged


def _two_spreads(rng: Generator, draw: Draw, n: int) -> Judgement:
    return exceeds(spread(2.0**MARGIN * draw(rng, n), draw(rng, n), name="x"), MARGIN)


def _every(rng: Generator, draw: Draw, n: int) -> Judgement:
    """Half of the runs lie below: what the rule about single runs rules out."""
    return every_run(single((rng.random(n) < 0.5) + 0.0, **_W, extremes=(0, 1)), 0.5)


def _with_looks(looks: tuple[int, ...], *, paid: bool) -> Callable[[Generator, Draw, int], Judgement]:
    """The first verdict of several looks at growing numbers of runs."""

    def judged(rng: Generator, draw: Draw, n: int) -> Judgement:
        values = draw(rng, looks[-1]) + MARGIN
        for now in looks:
            judgement = exceeds(single(values[:now], **_W), MARGIN)
            judgement = after_looks(judgement, looks) if paid else judgement
            if decides(judgement):
                break
        return judgement

    return judged


CASES: tuple[Case, ...] = (
    Case("a mean exceeds a threshold", _mean, tuple(OUTCOMES)[:5]),
    Case("a share exceeds a threshold, extremes known", _bounded, tuple(OUTCOMES)[5:]),
    Case("a ratio exceeds a threshold, on a logarithmic scale", _on_a_logarithmic_scale, ("log-normal",)),
    Case("paired runs", _pairs),
    Case("two cells that share nothing (Welch)", _two_cells),
    Case("no difference worth naming", _no_difference),
    Case("every step of a ladder", _steps),
    Case("one of three effects", _one_of_three),
    Case("mean of three data sets", _mean_of_sets),
    Case("runs × 4 items, items differ more", _items(4, 0.3, 1.0), _NORMAL),
    Case("runs × 9 items, items differ more", _items(9, 0.3, 1.0), _NORMAL),
    Case("runs × 4 items, runs differ more", _items(4, 1.0, 0.3), _NORMAL),
    Case("runs × 9 items, runs differ more", _items(9, 1.0, 0.3), _NORMAL),
    Case("20 items drawn anew", _drawn_anew, _NORMAL),
    Case("rank correlation, 4 conditions", _rank(4), _NORMAL),
    Case("rank correlation, 5 conditions", _rank(5), _NORMAL),
    Case("ratio of two spreads", _two_spreads),
    Case("every run reaches a score", _every, ("half of the runs fail",), one_run_proves=True),
    Case("looks at 4 and 24 runs, paid for", _with_looks((4, 24), paid=True), _NORMAL, (24,)),
    Case("looks at 4, 24 and 117 runs, paid for", _with_looks((4, 24, 117), paid=True), _NORMAL, (117,)),
    Case(
        "looks at 4, 24 and 117 runs, not paid for (for comparison)",
        _with_looks((4, 24, 117), paid=False),
        _NORMAL,
        (117,),
    ),
    # after the cases above, whose chance is drawn by their place
    Case("rank correlation, 2 conditions", _rank(2), _NORMAL),
    Case("rank correlation, 3 conditions", _rank(3), _NORMAL),
    Case("runs × 3 items, items differ more", _items(3, 0.3, 1.0), _NORMAL),
)


def decides(judgement: Judgement) -> bool:
    """Whether either side is decided; the verdict itself would also compute what an open claim lacks."""
    return any(side is not None and side.p < ALPHA for side in (judgement.holds, judgement.fails))


def _settings() -> Iterator[tuple[Case, str, int]]:
    for case in CASES:
        for outcome in case.outcomes:
            for n in case.runs:
                yield case, outcome, n


def error_rates(repetitions: int = REPETITIONS, seed: int = SEED) -> pd.DataFrame:
    """Share of wrong decisions at the margin, one row a rule, kind of outcome and number of runs.

    Args:
        repetitions: of each; 2,000 know a rate of 5 % to one point.
        seed: of all chance.

    Returns:
        Columns ``rule, outcomes, runs, holds`` (share of *reproduced*), ``fails`` (share of *not reproduced*),
        ``wrong`` (both, or the first alone where one run below proves the opposite) and ``repetitions``.

    Raises:
        ValueError: if there is no repetition.
    """
    if repetitions < 1:
        raise ValueError(f"repetitions must be at least 1, not {repetitions}")
    rows = []
    for place, (case, outcome, n) in enumerate(_settings()):
        rng = np.random.default_rng((seed, place))
        draw = OUTCOMES.get(outcome, OUTCOMES["normal"])
        found = [case.judged(rng, draw, n) for _ in range(repetitions)]
        holds = float(np.mean([each.holds.p < ALPHA for each in found]))
        fails = float(np.mean([each.fails.p < ALPHA and each.holds.p >= ALPHA for each in found]))
        wrong = holds if case.one_run_proves else holds + fails
        rows.append((case.rule, outcome, n, round(holds, 4), round(fails, 4), round(wrong, 4), repetitions))
    return pd.DataFrame(rows, columns=["rule", "outcomes", "runs", "holds", "fails", "wrong", "repetitions"])


if __name__ == "__main__":
    with open(sys.argv[1], "w", encoding="utf8") as file:
        file.write(f"# {__doc__.splitlines()[0]} Made by python -m {__spec__.name}.\n")
        error_rates().to_csv(file, index=False)
