"""What would decide the open claims: seeds and hours where more runs do, else more items, or other models."""

import math
from collections.abc import Mapping
from pathlib import Path

import numpy as np
import pandas as pd

from inductive_bias.record.tracked_results import minutes_per_seed
from inductive_bias.studies import study_named
from inductive_bias.studies.results import Results
from inductive_bias.verdicts import DECIDED, Judgement, Verdict

UNDECIDED: Verdict = "undecided"
BEYOND: Verdict = "beyond these data"
UNTESTABLE: Verdict = "not testable here"
OPEN = (UNDECIDED, BEYOND, UNTESTABLE)
#: At most this share of the claims that runs can decide is to be left undecided.
GOAL = 0.1
#: Above so many seeds the number is not told: it rests on a few runs.
MOST = 100
#: The cores of the machine that :func:`on_two_cores` counts for: a run has one.
CORES = 2
#: Budgets of hours that it names: a day and a week.
BUDGETS = (("a day", 24.0), ("a week", 168.0))


def open_claims(claims: pd.DataFrame, opened: Mapping[str, Results]) -> pd.DataFrame:
    """What each open claim needs, the nearest first and those that no seeds decide last.

    Args:
        claims: of :func:`~inductive_bias.record.all_claims`.
        opened: the results that they were judged by.

    Returns:
        One row a claim: ``claim, statement, regime, verdict, now`` and ``needed`` (seeds; needed is NaN where it is not
        known and infinite where no number does), ``few`` and ``items`` (what is few where no run decides, in words, and
        how many there are), ``times`` (as many would decide), ``minutes`` (of one more run of every cell that the rule
        reads, without those that have fewer runs than the contrast), ``hours`` (of all missing seeds, one run after the
        other, each as long as those before it took: on one core, or on a GPU beside others), ``paid`` (the same hours
        for so many seeds as decide the claim where they are one look more and pay for it), ``gpu`` (whether a run that
        the rule reads was trained on a GPU), ``visible`` (the smallest effect that these seeds could see, in the unit
        of ``found``), ``failed`` (the precondition that does), ``meets`` and ``instead`` (see :func:`needs`).
    """
    rows, spent, on_gpu = [], {}, {}
    for each in claims[claims["verdict"].isin(OPEN)].to_dict("records"):
        name, judgement = each["study"], each["finding"].judgement
        if name not in spent:
            spent[name] = study_named(name).minutes(opened[name].scale)
            on_gpu[name] = study_named(name).on_gpu(opened[name].scale)
        deciding = judgement.deciding
        now = float(deciding.n) if deciding else math.nan
        # a claim about a benchmark reads no run
        known = deciding and each["read"]
        minutes = minutes_per_seed(opened[name], each["read"], spent[name], seeds=deciding.n) if known else math.nan
        shown = each["finding"].shown
        rows.append(
            {
                "claim": each["claim"],
                "statement": each["statement"],
                "regime": each["regime"],
                "verdict": each["verdict"],
                "now": now,
                "needed": judgement.seeds,
                **_few(judgement),
                "minutes": minutes,
                "hours": (judgement.seeds - now) * minutes / 60,
                "paid": (judgement.seeds_after_a_look - now) * minutes / 60,
                "gpu": not on_gpu[name].isdisjoint(each["read"]),
                "found": each["found"],
                "visible": shown.visible if shown else math.nan,
                "failed": judgement.untestable,
            }
        )
    columns = [
        "claim",
        "statement",
        "regime",
        "verdict",
        "now",
        "needed",
        "few",
        "items",
        "times",
        "minutes",
        "hours",
        "paid",
        "gpu",
        "found",
        "visible",
        "failed",
    ]
    table = pd.DataFrame(rows, columns=columns).sort_values(["hours", "needed"], kind="stable", ignore_index=True)
    return table.merge(needs(), "left", "claim").fillna({"meets": "", "instead": ""})


def needs() -> pd.DataFrame:
    """What claims need besides seeds, in words: ``claim, meets`` (its precondition) and ``instead`` (of many seeds)."""
    return pd.read_csv(Path(__file__).with_name("needs.csv"), comment="#", keep_default_na=False)


def reachable(table: pd.DataFrame) -> pd.DataFrame:
    """Open claims that some number of seeds would decide."""
    return table[np.isfinite(table["needed"].astype(float))]


def summary(table: pd.DataFrame, claims: pd.DataFrame, *, least: float = 10.0) -> str:
    """How many claims are open, and how many of them ``least`` hours each would decide, one run after the other.

    Args:
        table: of :func:`open_claims`.
        claims: all of them, of which it gives the share.
        least: hours.
    """
    undecided, reach = table[table["verdict"] == UNDECIDED], reachable(table)
    beyond, untestable = ((table["verdict"] == verdict).sum() for verdict in (BEYOND, UNTESTABLE))
    decided = sum(finding.judgement.verdict in DECIDED for finding in claims["finding"])
    runs_decide = len(undecided) + decided
    share = len(undecided) / runs_decide if runs_decide else math.nan
    soon = reach[reach["hours"] <= least]
    which = f" ({duration(soon['hours'].sum())} together)" if len(soon) else ""
    return (
        f"Before the correction for the number of claims, and with second looks included, {len(undecided)} of "
        f"{len(claims)} claims are undecided: {100 * share:.0f} % of the {runs_decide} that runs can decide. "
        f"The goal is at most {100 * GOAL:.0f} %. For {len(soon)} of the undecided claims the missing seeds take "
        f"{least:g} hours or less each, one run after the other{which}. {beyond} more claims are beyond these data: no "
        f"number of runs decides them. {untestable} more cannot be tested here until something else holds."
    )


def on_two_cores(table: pd.DataFrame, claims: pd.DataFrame) -> str:
    """How many of the undecided claims a day and a week of two cores would decide, the nearest first.

    Added runs are one look more, and each claim pays for it. Where claims share runs the time is counted for each, so
    that it is an upper bound. Claims of which runs were trained on a GPU have no time on a core.

    Args:
        table: of :func:`open_claims`.
        claims: all of them, of which it takes whose they are.
    """
    undecided = table[table["verdict"] == UNDECIDED].merge(claims[["claim", "own"]], "left", "claim")
    timed = undecided[~undecided["gpu"] & undecided["paid"].map(math.isfinite)].sort_values("paid", kind="stable")
    spent = timed["paid"].cumsum() / CORES
    parts = []
    for words, hours in BUDGETS:
        within = timed[spent <= hours]
        papers = (~within["own"]).sum()
        parts.append(f"{len(within)} in {words} ({hours:g} hours), {papers} of them sentences of the papers")
    rest = len(undecided) - len(timed)
    by_gpu = f" ({undecided['gpu'].sum()} of them have runs from a GPU)" if undecided["gpu"].any() else ""
    return (
        f"Of the {len(undecided)} undecided claims ({(~undecided['own']).sum()} sentences of the papers), two cores "
        f"would decide {' and '.join(parts)}, if the nearest come first and the estimates are true; all {len(timed)} "
        f"whose time is known take {duration(timed['paid'].sum() / CORES)}"
        + (f", and of {rest} more the time on a core is not known{by_gpu}" if rest else "")
        + "."
    )


def duration(hours: float) -> str:
    """``25 min``, ``3.4 h``, ``190 h``; a dash where it is not known or has no end."""
    if not math.isfinite(hours):
        return "–"
    return f"{60 * hours:.0f} min" if hours < 1 else f"{hours:.1f} h" if hours < 10 else f"{hours:,.0f} h"


def in_words(each: Mapping) -> str:
    """What would decide an open claim: runs and their time, data, or what must hold first.

    Args:
        each: a row of :func:`open_claims`.
    """
    if each["verdict"] == UNTESTABLE:
        return ". It takes ".join(filter(None, [_capital(each["failed"]), each["meets"]]))
    if each["verdict"] == BEYOND:
        words = f"{each['items']:.0f} {each['few']} are few: {_times(each)}"
    elif not math.isfinite(each["needed"]):
        words = "No number of seeds, were the estimate true" if math.isinf(each["needed"]) else "Seeds: too few to tell"
    else:
        more = each["needed"] - each["now"]
        words = f"{more:,.0f} more seed{'' if more == 1 else 's'}" if more <= MOST else f"more than {MOST} more seeds"
        if math.isfinite(each["minutes"]):
            words += f", {duration(each['minutes'] / 60)} per seed"
    return f"{words}; or {each['instead']}" if each["instead"] else words


def _few(judgement: Judgement) -> dict[str, object]:
    """What is few, how many there are, and how many times as many would decide; NaN where it is runs that are few."""
    sides = [side.deciding for side in (judgement.holds, judgement.fails) if side is not None]
    found = next((each for each in sides if each.items is not None), None)
    if judgement.verdict != BEYOND or found is None:
        return {"few": "", "items": math.nan, "times": math.nan}
    return {"few": found.item, "items": found.items, "times": judgement.items}


def _times(each: Mapping) -> str:
    """How many times the items would decide, in words."""
    if math.isnan(each["times"]):
        return "not known: too few to tell how much they differ"
    if math.isinf(each["times"]):
        return f"no number of {each['few']} would decide, were the estimate true"
    return f"about {each['times']:.0f} times as many would decide"


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]
