"""From the study's results to the tidy frames that its figures draw and the tables beside them print."""

from collections.abc import Sequence

import numpy as np
import pandas as pd

from inductive_bias.studies.claims import signed
from inductive_bias.studies.comparisons import gain
from inductive_bias.studies.frames import listed, mean_std, whole
from inductive_bias.studies.regular_languages.claims import MARGIN, POSITIONS, STRINGS
from inductive_bias.studies.regular_languages.design import (
    LSTM,
    REM,
    RSA,
    TITLES,
    TRANSFORMER,
    cell_of,
    languages_of,
    models_of,
)
from inductive_bias.studies.regular_languages.paper import reported
from inductive_bias.studies.study import Results
from inductive_bias.tasks.formal import LANGUAGES, LanguageName


def splits_of(results: Results) -> tuple[str, ...]:
    """The held-out bins that the scale has, shortest first (only some published languages have a second longer one)."""
    there = set(results.final(STRINGS)["split"])
    return tuple(name for name in ("validation", "longer", "longest") if name in there)


def bin_words(results: Results) -> dict[str, str]:
    """The lengths of each bin, e.g. ``51–100``; where languages differ, those of the shortest and the longest."""
    words = {}
    trials = [trials[0] for trials in results.study.cells(results.scale).values()]
    for split in splits_of(results):
        bins = [trial.task.bins.get("train" if split == "validation" else split) for trial in trials]
        ends = [(each.shortest, each.longest) for each in bins if each is not None]
        words[split] = f"{min(low for low, _ in ends)}–{max(high for _, high in ends)}"
    return words


def score_map(results: Results, split: str, metric: str = STRINGS) -> pd.DataFrame:
    """Mean over seeds, one row a language (its title) and one column a model; NaN where there is no such bin."""
    rows = results.final(metric, split=split).groupby("cell")["value"].mean()
    return pd.DataFrame(
        {
            model: [rows.get(cell_of(model, language), np.nan) for language in languages_of(results.scale)]
            for model in models_of(results.scale)
        },
        index=[TITLES[language] for language in languages_of(results.scale)],
    )


def seed_table(results: Results, split: str, metric: str = STRINGS) -> pd.DataFrame:
    """Every seed, one row a language and one column a model; once what all of them share; a diverged seed is a dash."""

    def once(seeds: str) -> str:
        different = list(dict.fromkeys(seeds.split()))
        return different[0] if len(different) == 1 else seeds

    return pd.DataFrame(
        [
            {"language": TITLES[language]}
            | {
                model: once(listed(results.values(cell_of(model, language), split, metric), 2))
                for model in models_of(results.scale)
            }
            for language in languages_of(results.scale)
        ]
    )


def by_position(results: Results, language: LanguageName, models: Sequence[str]) -> pd.DataFrame:
    """Share of right positions along the longest strings there are: ``cell`` (the model), ``seed, position, value``."""
    split = splits_of(results)[-1]
    parts = []
    for model in models:
        cell = cell_of(model, language)
        rows = results.final("position_accuracy by position", split=split, cell=cell)
        if rows.empty:  # this language has no second longer bin
            rows = results.final("position_accuracy by position", split="longer", cell=cell)
        parts.append(rows.assign(cell=model, position=rows["x"])[["cell", "seed", "position", "value"]])
    return pd.concat(parts, ignore_index=True).sort_values(["seed", "position"], kind="stable", ignore_index=True)


def by_length(results: Results, language: LanguageName, models: Sequence[str]) -> pd.DataFrame:
    """Share of strings right everywhere, all bins together: ``cell`` (the model), ``seed, length, value``.

    A step of lengths that two bins share is averaged by the number of strings.
    """
    parts = []
    for model in models:
        cell = cell_of(model, language)
        keys = ["seed", "split", "x"]
        right = results.final("string_accuracy by length", cell=cell).set_index(keys)["value"]
        count = results.final("n by length", cell=cell).set_index(keys)["value"]
        total = (right * count).groupby(["seed", "x"]).sum() / count.groupby(["seed", "x"]).sum()
        frame = total.rename("value").reset_index().rename(columns={"x": "length"})
        parts.append(frame.assign(cell=model)[["cell", "seed", "length", "value"]])
    return pd.concat(parts, ignore_index=True)


def gain_table(results: Results, model: str = RSA, baseline: str = TRANSFORMER, split: str = "longer") -> pd.DataFrame:
    """Differences of means with 95 % Welch intervals, one row a language."""
    rows = []
    for language in languages_of(results.scale):
        cells = cell_of(model, language), cell_of(baseline, language)
        found = {metric: gain(results, *cells, split, metric) for metric in (STRINGS, POSITIONS)}
        positions = found[POSITIONS]
        words = "yes" if positions.low > MARGIN else "no" if positions.high < MARGIN else "open"
        rows.append(
            {"language": TITLES[language], "kind": LANGUAGES[language].family, "strings": signed(found[STRINGS]),
             "positions": signed(positions), f"positions gain > {MARGIN}": words}
        )  # fmt: skip
    return pd.DataFrame(rows)


def best_epoch(results: Results, cell: str, split: str) -> list[float]:
    """The best string accuracy of any epoch, one a seed, chosen on the bin itself as published.

    Of the strings that are scored after every epoch, so that its last epoch may differ from the final score.
    """
    rows = results.rows
    kept = rows[(rows["cell"] == cell) & (rows["split"] == split) & (rows["metric"] == STRINGS) & rows["epoch"].notna()]
    return kept.groupby("seed")["value"].max().tolist()


def beside_paper(results: Results, split: str) -> pd.DataFrame:
    """String accuracy of the Transformer, last and best epoch, beside the published one; LSTM and RSA to compare."""
    rows = []
    for language in languages_of(results.scale):
        known = reported(language, split)
        cell = cell_of(TRANSFORMER, language)
        if not results.values(cell, split, STRINGS):
            continue
        rows.append(
            {"language": TITLES[language], "kind": LANGUAGES[language].family,
             "Transformer": mean_std(results.values(cell, split, STRINGS), 2),
             "best epoch": mean_std(best_epoch(results, cell, split), 2),
             "paper (best epoch)": "–" if known is None else f"{known:.2f}"}
            | {model: mean_std(results.values(cell_of(model, language), split, STRINGS), 2) for model in (LSTM, RSA)}
        )  # fmt: skip
    return pd.DataFrame(rows)


def gates(results: Results, model: str = RSA) -> pd.DataFrame:
    """σ(μ) before and after training: ``language`` (title), ``block, seed, before, after``, one row a gate."""
    rows = results.rows[(results.rows["metric"] == "gate") & _of_model(results, model)]
    keys = ["cell", "split", "seed", "x"]
    after = rows[rows["epoch"].isna()].set_index(keys)["value"].rename("after")
    before = rows[rows["epoch"] == 0].set_index(keys)["value"].rename("before")
    return _named(pd.concat([before, after], axis=1).reset_index(), results, model)


def decays(results: Results, model: str = RSA) -> pd.DataFrame:
    """λ or γ after training: ``language, block, seed, kind`` (real, cos, sin), ``before, after``, one row a head."""
    rows = results.rows[results.rows["metric"].str.startswith("decay, ") & _of_model(results, model)]
    rows = rows.assign(kind=rows["metric"].str.removeprefix("decay, "))
    keys = ["cell", "split", "seed", "x", "kind"]
    after = rows[rows["epoch"].isna()].set_index(keys)["value"].rename("after")
    before = rows[rows["epoch"] == 0].set_index(keys)["value"].rename("before")
    return _named(pd.concat([before, after], axis=1).reset_index(), results, model)


def strongest_alternation(results: Results, models: Sequence[str] = (REM, RSA)) -> pd.DataFrame:
    """The most negative λ of any real head of a run, which decides how far a period of two is carried.

    Columns ``cell`` (the model), ``language, seed, before, after``.
    """
    parts = []
    for model in models:
        real = decays(results, model).query("kind == 'real'")
        found = real.groupby(["language", "seed"], sort=False)[["before", "after"]].min().reset_index()
        parts.append(found.assign(cell=model))
    return pd.concat(parts, ignore_index=True)


def parameter_table(results: Results) -> pd.DataFrame:
    """Trainable numbers of each model, from the fewest to the most over the languages."""
    found = results.final("parameters", split="train")
    rows = []
    for model in models_of(results.scale):
        values = found[_of_model(results, model, found)]["value"]
        low, high = int(values.min()), int(values.max())
        rows.append({"model": model, "parameters": f"{low:,}" if low == high else whole(f"{low:,} to {high:,}")})
    return pd.DataFrame(rows)


def _of_model(results: Results, model: str, rows: pd.DataFrame | None = None) -> pd.Series:
    cells = [cell_of(model, language) for language in languages_of(results.scale)]
    return (results.rows if rows is None else rows)["cell"].isin(cells)


def _named(frame: pd.DataFrame, results: Results, model: str) -> pd.DataFrame:
    """Titles in place of cells, blocks in place of layers, in the order of the pages."""
    titles = {cell_of(model, language): TITLES[language] for language in languages_of(results.scale)}
    frame = frame.assign(language=frame["cell"].map(titles), block=frame["split"].str.replace("layer", "block"))
    order = {title: place for place, title in enumerate(titles.values())}
    frame = frame.sort_values("language", key=lambda names: names.map(order), kind="stable", ignore_index=True)
    return frame.drop(columns=["cell", "split"]).rename(columns={"x": "head"})
