"""Settings that searches chose, beside the judged runs that have them: was a setting chosen by the luck of a run?

Most searches have one run at each place of their grid, and the best of several single runs is a lucky one. Judged runs
with the chosen settings are not: they have other seeds, and nobody chose among them. Where they are worse than the
middle of the places that were *not* chosen, the search did no better than a draw.
"""

from collections.abc import Iterable, Iterator, Mapping

import pandas as pd

from inductive_bias.formatting import percent, span, with_interval
from inductive_bias.plotting import PageTable, display_table, paragraph
from inductive_bias.plotting.page import PageHTML
from inductive_bias.studies import STUDIES
from inductive_bias.studies.design import Cell, Level
from inductive_bias.studies.results import Results
from inductive_bias.studies.study import Study
from inductive_bias.studies.tuning import Tuning
from inductive_bias.trials import Trial
from inductive_bias.verdicts import single

#: The share of choices that would be marked if no search did better than a draw: one side of a 95 % interval.
BY_CHANCE = 0.025
COLUMNS = ("study", "key", "settings", "tries", "best", "middle", "judged", "trials", "worse")


def chosen_settings(opened: Mapping[str, Results]) -> pd.DataFrame:
    """Settings that a search chose among two places or more, where the judged runs repeat its run with other seeds.

    A search that had less data or shorter training than the judged runs cannot be compared with them.

    Returns:
        One row a key of a search: ``study, key, settings``, ``tries`` (runs of the chosen place), ``best`` (its score),
        ``middle`` (the median score of the other places), ``judged`` (a contrast: the mean score of the judged runs),
        ``trials`` (their ids) and ``worse``: whether their whole 95 % interval is worse than the middle.
    """
    tuned = {name: results for name, results in opened.items() if STUDIES[name].tuning}
    rows = [row for name, results in tuned.items() for row in _of_study(STUDIES[name], results)]
    return pd.DataFrame(rows, columns=COLUMNS)


def luck_in_words(settings: pd.DataFrame) -> PageHTML:
    """How many of :func:`chosen_settings` did worse than settings that were not chosen, as a paragraph."""
    if settings.empty:
        return paragraph("No search can be compared with judged runs at this scale.")
    count, worse = len(settings), int(settings["worse"].sum())
    return paragraph(
        f"{count} choices can be compared: judged runs repeat the run that won, with {_runs(settings)} other seeds. "
        f"In {worse} of them ({percent(worse / count, 1)}) the judged runs are worse than the middle of the settings "
        f"that were not chosen: the whole 95 % interval of their mean is. Draws in place of searches would give "
        f"{percent(BY_CHANCE, 1)} or more."
    )


def luck_table(settings: pd.DataFrame, claims: pd.DataFrame) -> PageTable | PageHTML:
    """The choices that did worse, with the claims that read their runs.

    Args:
        settings: of :func:`chosen_settings`.
        claims: of :func:`~inductive_bias.record.all_claims`.
    """
    found = settings[settings["worse"]]
    if found.empty:
        return paragraph("There is none.")
    readers = [_readers(trials, claims) for trials in found["trials"]]
    scores = [with_interval(each.estimate, each.low, each.high, 3) for each in found["judged"]]
    table = pd.DataFrame(
        {
            "study": found["study"],
            "setting of": found["key"],
            "chosen": found["settings"],
            "its score": found["best"].map("{:.3f}".format),
            "others": found["middle"].map("{:.3f}".format),
            "judged runs": scores,
            "claims": readers,
        }
    )
    caption = "Chosen settings whose judged runs are worse than the median of the other settings, by validation score."
    return display_table(table, caption, index=False)


def _runs(settings: pd.DataFrame) -> str:
    return span((len(trials) for trials in settings["trials"]), "{:.0f}".format)


def _readers(trials: Iterable[str], claims: pd.DataFrame) -> str:
    wanted = set(trials)
    there = [not wanted.isdisjoint(read) for read in claims["read"]]
    return ", ".join(claims.loc[there, "claim"]) or "none"


def _of_study(study: Study, results: Results) -> Iterator[tuple]:
    tuning, scale = study.tuning, results.scale
    names = [*tuning.keys, *tuning.settings]
    places = tuning.tuned.table[tuning.tuned.table["scale"] == scale].dropna(subset="score")
    judged, searched = _by_spec(study.design.members(scale)), _specs(tuning, scale)
    scores = tuning.values(results).set_index("trial")["value"].astype(float)
    for _, rows in places.groupby(list(tuning.keys), sort=False, dropna=False):
        chosen, others = rows[rows["chosen"]], rows[~rows["chosen"]]
        specs = searched.get(_place(chosen.iloc[0][names]), set()) if len(chosen) else set()
        if others.empty or len(specs) != 1:  # nothing to choose from, or the score is a mean over several tasks
            continue
        trials = [each for spec in specs for each in judged.get(spec, ()) if each in scores.index]
        if scores[trials].notna().sum() > 1:
            yield _row(study.name, tuning, chosen, others["score"].median(), scores[trials].dropna())


def _row(study: str, tuning: Tuning, chosen: pd.DataFrame, middle: float, scores: pd.Series) -> tuple:
    best, sign = chosen.iloc[0], float(tuning.sign(chosen)[0])
    key, settings = (", ".join(_in_words(best[name]) for name in names) for names in (tuning.keys, tuning.settings))
    mean = single(scores, name=key, unit="score on validation")
    # of a score whose higher values are better the sign turns the interval around
    worse = min(sign * mean.low, sign * mean.high) > sign * middle
    return study, key, settings, int(best["runs"]), float(best["score"]), middle, mean, list(scores.index), worse


def _specs(tuning: Tuning, scale: str) -> dict[tuple[Level, ...], set[str]]:
    """What was run at each place of the search, but for the seed."""
    found: dict[tuple[Level, ...], set[str]] = {}
    for cell, trials in tuning.design.cells(scale).items():
        place = _place(cell[name] for name in (*tuning.keys, *tuning.settings))
        found.setdefault(place, set()).update(map(_but_for_seed, trials))
    return found


def _by_spec(members: Mapping[str, tuple[Cell, int, Trial]]) -> dict[str, list[str]]:
    """Ids of the judged runs by what was run, but for the seed."""
    found: dict[str, list[str]] = {}
    for name, (_, _, trial) in members.items():
        found.setdefault(_but_for_seed(trial), []).append(name)
    return found


def _but_for_seed(trial: Trial) -> str:
    return trial.model_dump_json(exclude={"seed"})


def _place(levels: Iterable[Level]) -> tuple[Level, ...]:
    """Levels that can be a key: no level is None, whatever a table says."""
    return tuple(None if pd.isna(level) else level for level in levels)


def _in_words(level: Level) -> str:
    return "–" if pd.isna(level) else f"{level:g}" if isinstance(level, float) else str(level)
