"""Rules: from contrasts to a judgement. Each is written, with its numbers, before the runs it judges.

A threshold's p-values are two-sided (a verdict where the 95 % interval excludes it), those of equivalence are the two
one-sided tests at 5 % (the 90 % interval). *All* is an intersection–union test: the largest p. *Some* pays for the
number of parts: the smallest p times their number. Their opposites pay likewise, by De Morgan. Runs that are added
after a look at the first ones are paid for by :func:`after_looks`.
"""

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from typing import SupportsFloat

from inductive_bias.formatting import figures
from inductive_bias.verdicts.contrast import Contrast
from inductive_bias.verdicts.hypothesis import Asked, Region
from inductive_bias.verdicts.judgement import Judgement, Side, fewest, most
from inductive_bias.verdicts.numbers import finite


class HalfOf(float):
    """Half of an effect that a paper reports: a margin that knows the whole, and the cells whose difference it is.

    Attributes:
        compared: names of the two cells of the paper; a rule refuses a contrast of any others. Empty if the effect is
            no difference of two cells of the study.
    """

    compared: tuple[str, ...] = ()

    @property
    def paper(self) -> float:
        """The effect in the paper, without its sign."""
        return 2 * float(self)


def half_of(paper: SupportsFloat, *, compared: tuple[str, ...] = ()) -> HalfOf:
    """The smallest effect worth the name unless the claim says otherwise: half of the paper's, without its sign.

    Args:
        paper: the effect that the paper reports.
        compared: names of the two cells whose difference it is. The contrast that is judged by it must compare the same
            two: an effect and its margin have one baseline.

    Raises:
        ValueError: if the effect is not finite.
    """
    half = HalfOf(abs(finite(paper, "the effect in the paper")) / 2)
    half.compared = compared
    return half


def exceeds(contrast: Contrast, least: SupportsFloat, *, reason: str = "") -> Judgement:
    """Reproduced if the 95 % interval lies above ``least``, not reproduced if it lies below.

    Raises:
        ValueError: if ``least`` is negative or not finite, or 0 without a ``reason``: a true null would stay undecided
            for ever. Also if ``least`` is half of an effect whose two cells are not those of the contrast.
    """
    _refuse_zero(least, reason, "least")
    _refuse_other_baseline(contrast, least)
    if not float(least) >= 0:
        raise ValueError(f"least must be at least 0, not {least}; of a negative effect take contrast.reversed()")
    rule = f"more than {figures(float(least), 4)}"
    sides = _above(contrast, least, rule), _below(contrast, least, rule)
    return _elementary(*sides, (float(least), math.inf), least)


def falls_below(contrast: Contrast, most: SupportsFloat, *, reason: str = "") -> Judgement:
    """Reproduced if the 95 % interval lies below ``most``, not reproduced if it lies above.

    For bounds ("loses less than .01", "the gate falls below one half"). That something *falls by* at least so much is
    ``exceeds(contrast.reversed(), least)``.

    Raises:
        ValueError: if ``most`` is not finite, or 0 without a ``reason``; or half of an effect of other cells.
    """
    _refuse_zero(most, reason, "most")
    _refuse_other_baseline(contrast, most)
    rule = f"less than {figures(float(most), 4)}"
    return _elementary(_below(contrast, most, rule), _above(contrast, most, rule), (-math.inf, float(most)), most)


def equivalent(contrast: Contrast, margin: SupportsFloat | Contrast) -> Judgement:
    """Reproduced if the 90 % interval lies within ± ``margin``, not reproduced if the 95 % interval lies outside.

    ``margin`` may be a contrast over the same seeds, such as half of another effect (``lent.scaled(0.5)``): then its
    uncertainty counts too, and runs of it that are all equal decide nothing. That something *does* differ is
    ``not_(equivalent(…))``.

    Raises:
        ValueError: if a number as margin is not above 0, or not finite; or half of an effect of other cells.
    """
    _refuse_other_baseline(contrast, margin)
    if isinstance(margin, Contrast):
        from inductive_bias.verdicts.contrasts import difference_of

        name = f"{contrast.name} against {margin.name}"
        rooms = [difference_of(margin, side, name=name) for side in (contrast, contrast.reversed())]
        rule = f"within ± {margin.name}"
        if margin.pivot.silent:
            unknown = Side(1.0, lambda alpha, what: math.nan, contrast, rule)
            return Judgement(unknown, unknown)
    elif finite(margin, "margin") > 0:
        rooms = [side.minus(-float(margin)) for side in (contrast, contrast.reversed())]
        rule = f"within ± {figures(float(margin), 4)}"
    else:
        raise ValueError(f"margin must be above 0, not {margin}")
    holds = Side(
        max(room.p_above(0) for room in rooms),
        lambda alpha, what: most(room.needed_above(0, alpha, what) for room in rooms),
        contrast,
        rule,
    )
    fails = Side(
        min(1.0, 2 * min(room.p_below(0) for room in rooms)),
        lambda alpha, what: fewest(room.needed_below(0, alpha / 2, what) for room in rooms),
        contrast,
        rule,
    )
    if isinstance(margin, Contrast):  # its size is not known, but measured
        return Judgement(holds, fails)
    return _elementary(holds, fails, (-float(margin), float(margin)), margin)


def ordered(contrasts: Sequence[Contrast], least: SupportsFloat | Sequence[SupportsFloat]) -> Judgement:
    """All steps of a ladder exceed ``least`` (one number, or one a step)."""
    steps = list(least) if isinstance(least, Sequence) else [least] * len(contrasts)
    return all_of([exceeds(contrast, step) for contrast, step in zip(contrasts, steps, strict=True)])


def exists(contrasts: Sequence[Contrast], least: SupportsFloat) -> Judgement:
    """Some contrast exceeds ``least``, corrected for their number. Not reproduced if all surely fall below it."""
    return any_of([exceeds(contrast, least) for contrast in contrasts])


def opposed(first: Contrast, second: Contrast, least: SupportsFloat | tuple[SupportsFloat, SupportsFloat]) -> Judgement:
    """Two effects of opposite signs, whichever, each larger than ``least`` (of either, if they differ in unit)."""
    own, other = least if isinstance(least, tuple) else (least, least)
    ways = [
        all_of([exceeds(first, own), exceeds(second.reversed(), other)]),
        all_of([exceeds(first.reversed(), own), exceeds(second, other)]),
    ]
    # of two ways that exclude each other only one can be found: nothing to correct for beyond two-sided p-values
    return _any(ways, count=1)


def all_of(judgements: Iterable[Judgement]) -> Judgement:
    """Every part must hold; one that surely fails, corrected for their number, fails it."""
    parts = tuple(judgements)
    return _combined(_every([part.holds for part in parts]), _some([part.fails for part in parts], len(parts)), parts)


def any_of(judgements: Iterable[Judgement]) -> Judgement:
    """One part must hold, corrected for their number; all must surely fail to fail it."""
    parts = tuple(judgements)
    return _any(parts, count=len(parts))


def not_(judgement: Judgement) -> Judgement:
    """Holds where the other fails."""
    holds, fails = (
        None
        if side is None
        else replace(side, rule=f"not {side.rule}", asked=tuple(each.opposite() for each in side.asked))
        for side in (judgement.fails, judgement.holds)
    )
    return _combined(holds, fails, (judgement,))


def given(condition: bool, reason: str, judgement: Judgement | Callable[[], Judgement]) -> Judgement:
    """The judgement if the precondition holds; else *not testable here* with the reason: what does not hold.

    A function is called only if it does.
    """
    if not condition:
        return untestable(reason)
    return judgement if isinstance(judgement, Judgement) else judgement()


def given_all(conditions: Iterable[tuple[bool, str]], judgement: Judgement | Callable[[], Judgement]) -> Judgement:
    """The judgement if every precondition holds; else *not testable here* with the reason of the first that does not.

    Args:
        conditions: each with the reason why nothing can be tested without it; none is asked for after one that fails.
        judgement: or a function that is called only if all hold.
    """
    for condition, reason in conditions:
        if not condition:
            return untestable(reason)
    return given(True, "", judgement)


def after_looks(judgement: Judgement, looks: Sequence[int]) -> Judgement:
    """The judgement of a claim that was judged after each of several numbers of runs: each look spends an equal part.

    Whoever looks at 4, 24 and 117 runs and stops at the first verdict is wrong in 13.5 % of the cases at the margin,
    and not in 5 %. With k looks every p counts k times, so that all looks together are wrong in at most 5 %
    (Bonferroni; the simplest of the alpha-spending plans of Lan and DeMets 1983). A run that was found stays found:
    rules about single runs lose nothing.

    Args:
        judgement: by all runs.
        looks: the declared numbers of runs at which it is judged, in order; the last ones may still be to come.

    Raises:
        ValueError: if there is no look, a number is not whole, or the numbers do not grow.
    """
    plan = tuple(looks)
    whole = all(each == int(finite(each, "looks")) for each in plan)
    if not (plan and whole) or any(later <= earlier for earlier, later in zip((0, *plan), plan, strict=False)):
        raise ValueError(f"looks must be growing numbers of runs, and whole, not {plan}")
    sides = (
        None
        if side is None
        else replace(
            side,
            p=min(1.0, len(plan) * side.p),
            needed=lambda alpha, what, side=side: side.needed(alpha / len(plan), what),
            looks=plan,
        )
        for side in (judgement.holds, judgement.fails)
    )
    return Judgement(*sides, judgement.parts, judgement.untestable)


def at_look(judgement: Judgement, runs: int, looks: Sequence[int]) -> Judgement:
    """The judgement by so many runs, paid for by :func:`after_looks` if they are more than at the first of the looks.

    The first look had the whole 5 %, for nobody had planned another one. With a second look, which has half of it, a
    claim at the margin is decided wrongly in at most 7.5 % of the cases, and not in 5 %.
    """
    return judgement if runs <= looks[0] else after_looks(judgement, looks)


def untestable(reason: str) -> Judgement:
    """*Not testable here*, for that reason: nothing was measured that the rule could look at."""
    return Judgement(None, None, untestable=reason)


def _any(parts: Sequence[Judgement], count: int) -> Judgement:
    return _combined(_some([part.holds for part in parts], count), _every([part.fails for part in parts]), parts)


def _combined(holds: Side | None, fails: Side | None, parts: Sequence[Judgement]) -> Judgement:
    reasons = "; ".join(dict.fromkeys(part.untestable for part in parts if part.untestable))
    return Judgement(holds, fails, tuple(parts), reasons)


def _every(sides: Sequence[Side | None]) -> Side | None:
    """Evidence of all: that of the weakest, and none if one could not be tested."""
    known = [side for side in sides if side is not None]
    if not known or len(known) < len(sides):
        return None
    weakest = max(known, key=lambda side: side.p)
    asked = _foremost(known, lambda each: -each.p)
    return replace(weakest, needed=lambda alpha, what: most(side.needed(alpha, what) for side in known), asked=asked)


def _some(sides: Sequence[Side | None], count: int) -> Side | None:
    """Evidence of one of them: that of the strongest, which pays for the number of parts."""
    if not sides:
        raise ValueError("there must be at least one judgement to combine")
    known = [side for side in sides if side is not None]
    if not known:
        return None
    strongest = min(known, key=lambda side: side.p)
    return replace(
        strongest,
        p=min(1.0, count * strongest.p),
        needed=lambda alpha, what: fewest(side.needed(alpha / count, what) for side in known),
        asked=_foremost(known, lambda each: each.p),
    )


def _foremost(sides: Sequence[Side], order: Callable[[Asked], float]) -> tuple[Asked, ...]:
    """What all sides ask: first what each asks first, those with a paper's effect before the others, in this order."""
    firsts = [side.asked[0] for side in sides if side.asked]
    rest = [each for side in sides for each in side.asked[1:]]
    return (*sorted(firsts, key=lambda each: (each.paper is None, order(each))), *rest)


def _elementary(holds: Side, fails: Side, region: Region, margin: SupportsFloat) -> Judgement:
    """The judgement of one contrast that must lie in one region; a region that ends at 0 has no size to measure by."""
    if all(end == 0 for end in region if math.isfinite(end)):
        return Judgement(holds, fails)
    paper, compared = (margin.paper, margin.compared) if isinstance(margin, HalfOf) else (None, ())
    return Judgement(
        *(replace(side, asked=(Asked(side.deciding, (region,), side.p, paper, compared),)) for side in (holds, fails))
    )


def _above(contrast: Contrast, threshold: SupportsFloat, rule: str) -> Side:
    p = min(1.0, 2 * contrast.p_above(threshold))
    return Side(p, lambda alpha, what: contrast.needed_above(threshold, alpha / 2, what), contrast, rule)


def _below(contrast: Contrast, threshold: SupportsFloat, rule: str) -> Side:
    p = min(1.0, 2 * contrast.p_below(threshold))
    return Side(p, lambda alpha, what: contrast.needed_below(threshold, alpha / 2, what), contrast, rule)


def _refuse_zero(threshold: SupportsFloat, reason: str, name: str) -> None:
    if finite(threshold, name) == 0 and not reason:
        raise ValueError(f"{name} = 0 needs a reason: with it a true null stays undecided for ever (see half_of)")


def _refuse_other_baseline(contrast: Contrast, margin: SupportsFloat | Contrast) -> None:
    theirs = set(margin.compared) if isinstance(margin, HalfOf) else set()
    if theirs and contrast.compared and theirs != set(contrast.compared):
        raise ValueError(
            f"{contrast.name} compares {' and '.join(contrast.compared)}, but its margin is half of what the paper "
            f"reports of {' and '.join(margin.compared)}: an effect and its margin have one baseline"
        )
